//! `Encoder`, and the special tokens that it is asked to find.

use std::sync::Arc;

use numpy::ndarray::ArrayViewMut1;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyList, PyString};

use super::texts::{with_texts, RELEASE_UNITS};
use super::{splitting, strs, watched, Splitter};
use crate::bpe::Scratch;
use crate::count::Watch;
use crate::encode;
use crate::encode::batch::{without_pause, Job};
use crate::encode::spare::Ids;
use crate::encode::texts::{Malformed, Text};

/// From so many bytes on Ctrl-C is looked for, on a thread of its own.
const WATCHED_BYTES: usize = 1 << 20;
/// A list of so many ids is worth having an object for every id.
const MANY_IDS: usize = 1 << 10;
/// Vocabularies with larger ids have no such objects.
const LARGEST_SHARED_ID: usize = 1 << 22;
/// No cache of a call needs more bytes.
const LARGEST_CACHE: usize = 1 << 32;

type IdsAndOffsets<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>);

/// What an array of ids belongs to, so that their memory can be used again.
#[pyclass(frozen, module = "tokenizers_impl._native")]
struct Owner(#[allow(dead_code)] Ids);

fn array(py: Python<'_>, mut ids: Ids) -> PyResult<Bound<'_, PyArray1<u32>>> {
    let (first, length) = (ids.as_mut_ptr(), ids.len());
    let owner = Bound::new(py, Owner(ids))?.into_any();
    // Safety: there are so many ids from there on, and nobody else has them: what owns them only frees them, when the
    // array is let go.
    unsafe {
        let ids = ArrayViewMut1::from_shape_ptr(length, first);
        Ok(PyArray1::borrow_from_array(&ids, owner))
    }
}

fn arrays(py: Python<'_>, (ids, lengths): (Ids, Vec<usize>)) -> PyResult<IdsAndOffsets<'_>> {
    let ids = array(py, ids)?;
    Ok((ids, offsets_of(py, lengths)))
}

fn offsets_of(py: Python<'_>, lengths: Vec<usize>) -> Bound<'_, PyArray1<i64>> {
    let mut offsets = Vec::with_capacity(lengths.len() + 1);
    let mut end = 0;
    offsets.push(end);
    for length in lengths {
        end += length as i64;
        offsets.push(end);
    }
    offsets.into_pyarray(py)
}

#[pyclass(frozen, module = "tokenizers_impl._native")]
pub struct Specials(encode::Specials);

#[pymethods]
impl Specials {
    #[new]
    fn new(tokens: Vec<(String, u32)>) -> PyResult<Self> {
        encode::Specials::new(&tokens)
            .map(Specials)
            .map_err(PyValueError::new_err)
    }

    fn find_first<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.0.find_first(text).map(|range| &text[range])
    }
}

pub(super) fn owned(tokens: Vec<(u32, PyBackedBytes)>) -> Vec<(u32, Vec<u8>)> {
    tokens
        .into_iter()
        .map(|(id, token)| (id, token.to_vec()))
        .collect()
}

/// Does work of about so many bytes: released where that is worth it, and interruptible where it takes a while.
fn released<T: Send>(
    py: Python<'_>,
    bytes: usize,
    work: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    if bytes < RELEASE_UNITS {
        splitting(py, || work(&watch))
    } else if bytes < WATCHED_BYTES {
        splitting(py, || py.detach(|| work(&watch)))
    } else {
        watched(py, &watch, "encode", bytes as u64, None, || work(&watch))
    }
}

#[pyclass(frozen, module = "tokenizers_impl._native")]
pub struct Encoder {
    pub(super) core: Arc<encode::Encoder>,
    /// Python's objects for all ids, made for the first long list. A list of a million ids then holds references
    /// to these instead of a million new objects, which takes a quarter of the time and a fifth of the memory.
    ints: PyOnceLock<Vec<Py<PyInt>>>,
}

impl Encoder {
    pub(super) fn from_core(core: Result<encode::Encoder, String>) -> PyResult<Self> {
        let core = Arc::new(core.map_err(PyValueError::new_err)?);
        let ints = PyOnceLock::new();
        Ok(Encoder { core, ints })
    }

    fn list<'py>(&self, py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyList>> {
        let bound = self.core.id_bound();
        if self.ints.get(py).is_none() && (ids.len() < MANY_IDS || bound > LARGEST_SHARED_ID) {
            return PyList::new(py, ids);
        }
        let ints = self.ints.get_or_try_init(py, || {
            let objects = (0..bound).map(|id| id.into_pyobject(py).map(Bound::unbind));
            objects.collect::<Result<Vec<_>, _>>()
        })?;
        // The ids of special tokens may be larger than all others.
        let object = |&id: &u32| match ints.get(id as usize) {
            Some(int) => Ok(int.clone_ref(py)),
            None => id.into_pyobject(py).map(Bound::unbind),
        };
        PyList::new(py, ids.iter().map(object).collect::<Result<Vec<_>, _>>()?)
    }

    fn job<'e>(
        &'e self,
        threads: usize,
        specials: Option<&'e Specials>,
        watch: &'e Watch,
    ) -> Job<'e> {
        let specials = specials.map(|specials| &specials.0);
        Job::new(&self.core, threads, specials, watch)
    }

    fn encode_list<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        specials: Option<&Specials>,
    ) -> PyResult<Bound<'py, PyList>> {
        let specials = specials.map(|specials| &specials.0);
        let ids = released(py, text.len(), |watch| {
            if text.len() < WATCHED_BYTES {
                Ids::from(self.core.encode(text, specials))
            } else {
                let job = Job::new(&self.core, 1, specials, watch);
                let found = job.encode(&[Text::Utf8(text)], without_pause);
                found.map_or_else(|Malformed| unreachable!("UTF-8 it is"), |(ids, _)| ids)
            }
        })?;
        self.list(py, &ids)
    }
}

#[pymethods]
impl Encoder {
    #[new]
    fn new(
        py: Python<'_>,
        splitter: &Splitter,
        tokens: Vec<(u32, PyBackedBytes)>,
        merges: Vec<(u32, u32, u32)>,
        whole_pretokens: bool,
    ) -> PyResult<Self> {
        let tokens = owned(tokens);
        let splitter = splitter.0.clone();
        Encoder::from_core(
            py.detach(|| encode::Encoder::from_merges(splitter, &tokens, merges, whole_pretokens)),
        )
    }

    #[staticmethod]
    fn from_ranks(
        py: Python<'_>,
        splitter: &Splitter,
        tokens: Vec<(u32, PyBackedBytes)>,
    ) -> PyResult<Self> {
        let tokens = owned(tokens);
        let splitter = splitter.0.clone();
        Encoder::from_core(py.detach(|| encode::Encoder::from_ranks(splitter, &tokens)))
    }

    fn merges(&self) -> Vec<(u32, u32, u32)> {
        self.core.merges().to_vec()
    }

    fn count_merges(&self) -> usize {
        self.core.merges().len()
    }

    fn forget(&self) {
        self.core.forget();
    }

    fn encode_ordinary<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyList>> {
        self.encode_list(py, text, None)
    }

    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        specials: &Specials,
    ) -> PyResult<Bound<'py, PyList>> {
        self.encode_list(py, text, Some(specials))
    }

    fn encode_open<'t>(&self, text: &'t str) -> (Vec<u32>, &'t str) {
        let (ids, end) = self.core.encode_open(text);
        (ids, &text[end..])
    }

    fn encode_pretoken(&self, pretoken: &[u8]) -> Vec<u32> {
        let mut out = Vec::new();
        self.core
            .encode_pretoken(pretoken, &mut Scratch::default(), &mut out);
        out
    }

    /// What merging alone makes of each pretoken, on one thread: all ids, and offsets into them.
    fn merge_batch<'py>(
        &self,
        py: Python<'py>,
        pretokens: Vec<PyBackedBytes>,
    ) -> IdsAndOffsets<'py> {
        let (ids, offsets) = py.detach(|| {
            let (mut ids, mut scratch) = (Vec::new(), Scratch::default());
            let mut offsets = Vec::with_capacity(pretokens.len() + 1);
            offsets.push(0);
            for pretoken in &pretokens {
                self.core.merge_pretoken(pretoken, &mut scratch, &mut ids);
                offsets.push(ids.len() as i64);
            }
            (ids, offsets)
        });
        (ids.into_pyarray(py), offsets.into_pyarray(py))
    }

    #[pyo3(signature = (text, threads, specials=None))]
    fn encode_array<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyString>,
        threads: usize,
        specials: Option<&Specials>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let watch = Watch::default();
        let job = self.job(threads, specials, &watch);
        let (ids, _) = ids_of(py, job, std::slice::from_ref(text))?;
        array(py, ids)
    }

    #[pyo3(signature = (texts, threads, specials=None))]
    fn encode_batch<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<Bound<'py, PyString>>,
        threads: usize,
        specials: Option<&Specials>,
    ) -> PyResult<IdsAndOffsets<'py>> {
        let watch = Watch::default();
        let job = self.job(threads, specials, &watch);
        arrays(py, ids_of(py, job, &texts)?)
    }

    #[pyo3(signature = (text, size, threads, specials=None))]
    fn encode_blocks<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyString>,
        size: usize,
        threads: usize,
        specials: Option<&Specials>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let watch = Watch::default();
        let job = Job {
            size: size.max(1),
            ..self.job(threads, specials, &watch)
        };
        let (ids, _) = ids_of(py, job, std::slice::from_ref(text))?;
        array(py, ids)
    }

    fn encode_with_cache<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
        first: usize,
        second: usize,
    ) -> PyResult<IdsAndOffsets<'py>> {
        // What is asked for is an upper bound; both grow with what they hold.
        let first = first.min(LARGEST_CACHE).next_power_of_two();
        let budget = encode::Budget {
            shared: 0,
            first,
            second,
        };
        let texts = strs(&texts);
        let bytes = texts.iter().map(|text| text.len()).sum();
        let (ids, lengths) = released(py, bytes, |watch| {
            self.core.encode_with_cache(&texts, budget, watch)
        })?;
        Ok((ids.into_pyarray(py), offsets_of(py, lengths)))
    }

    fn count(&self, py: Python<'_>, text: &Bound<'_, PyString>, threads: usize) -> PyResult<i64> {
        let watch = Watch::default();
        let job = self.job(threads, None, &watch);
        Ok(counts_of(py, job, std::slice::from_ref(text))?[0])
    }

    fn count_batch<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<Bound<'py, PyString>>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let watch = Watch::default();
        let job = self.job(threads, None, &watch);
        let counts = counts_of(py, job, &texts)?;
        Ok(counts.into_pyarray(py))
    }
}

fn ids_of(
    py: Python<'_>,
    job: Job<'_>,
    texts: &[Bound<'_, PyString>],
) -> PyResult<(Ids, Vec<usize>)> {
    with_texts(py, texts, job.watch, |texts, caller| {
        job.encode(texts, caller)
    })
}

fn counts_of(py: Python<'_>, job: Job<'_>, texts: &[Bound<'_, PyString>]) -> PyResult<Vec<i64>> {
    with_texts(py, texts, job.watch, |texts, caller| {
        job.count(texts, caller)
    })
}
