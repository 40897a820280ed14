//! The Python module: the only file that speaks PyO3. Everything here converts, calls and converts back.

use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;

use crate::bpe::Scratch;
use crate::count::{self, CountError, PretokenCounts, Watch};
use crate::encode;
use crate::pretok::{self, Kind, Lexicon};
use crate::score;
use crate::train::{self, TieBreak, TrainOptions};
use crate::words;

/// Rises with every change of the interface; `tokenizers_impl.engine` refuses any other number.
const API_VERSION: u32 = 1;

/// How often a caller who waits is told how far the work is, and Ctrl-C is looked for.
const TICK: Duration = Duration::from_millis(100);

/// Texts longer than this are worked on with the interpreter released; below it, releasing costs more than it frees.
const RELEASE_BYTES: usize = 1 << 12;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn strs(texts: &[PyBackedStr]) -> Vec<&str> {
    texts.iter().map(|text| &**text).collect()
}

/// Runs `work` on another thread while this one answers signals and reports progress. `progress` may raise:
/// the work is then told to stop, and the exception is passed on.
fn watched<T: Send>(
    py: Python<'_>,
    watch: &Watch,
    stage: &str,
    total: u64,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    std::thread::scope(|scope| {
        let (finished, wait) = channel::<()>();
        let worker = scope.spawn(move || {
            let result = work();
            drop(finished);
            result
        });
        let mut failure = None;
        loop {
            let wait = &wait;
            // A closed channel is the sign that the work is done.
            let state = py.detach(move || Waiter(wait).tick());
            if state != Err(RecvTimeoutError::Timeout) {
                break;
            }
            let outcome = py.check_signals().and_then(|()| match progress {
                Some(progress) => progress.call1((stage, watch.done(), total)).map(drop),
                None => Ok(()),
            });
            if let Err(error) = outcome {
                failure.get_or_insert(error);
                watch.stop();
            }
        }
        let result = match py.detach(|| worker.join()) {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        match failure {
            Some(error) => Err(error),
            None => Ok(result),
        }
    })
}

/// A receiver is not Sync, but one thread at a time waiting on it is all that happens here.
struct Waiter<'a>(&'a std::sync::mpsc::Receiver<()>);
// SAFETY: the reference never leaves the thread that made it: `Python::detach` runs its closure in place.
unsafe impl Send for Waiter<'_> {}

impl Waiter<'_> {
    fn tick(&self) -> Result<(), RecvTimeoutError> {
        self.0.recv_timeout(TICK)
    }
}

#[pyclass(frozen, module = "tokenizers_impl._native")]
struct Splitter(Arc<pretok::Splitter>);

#[pymethods]
impl Splitter {
    #[new]
    #[pyo3(signature = (kind, lexicon=None))]
    fn new(kind: &str, lexicon: Option<Vec<String>>) -> PyResult<Self> {
        let kind = Kind::from_name(kind)
            .ok_or_else(|| PyValueError::new_err(format!("the core has no splitter {kind:?}")))?;
        let lexicon = lexicon.map(|words| Lexicon::new(&words)).transpose();
        let splitter = lexicon.and_then(|lexicon| pretok::Splitter::new(kind, lexicon));
        Ok(Splitter(Arc::new(splitter.map_err(PyValueError::new_err)?)))
    }

    fn split<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut pieces = Vec::new();
        self.0.for_each(text, |pretoken| pieces.push(pretoken));
        pieces
    }
}

#[pyclass(frozen, module = "tokenizers_impl._native")]
struct Specials(encode::Specials);

#[pymethods]
impl Specials {
    #[new]
    fn new(tokens: Vec<(String, u32)>) -> PyResult<Self> {
        encode::Specials::new(&tokens).map(Specials).map_err(PyValueError::new_err)
    }

    fn find_first<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.0.find_first(text).map(|range| &text[range])
    }
}

#[pyclass(frozen, module = "tokenizers_impl._native")]
struct Encoder(Arc<encode::Encoder>);

fn owned(tokens: Vec<(u32, PyBackedBytes)>) -> Vec<(u32, Vec<u8>)> {
    tokens.into_iter().map(|(id, token)| (id, token.to_vec())).collect()
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
        py.detach(|| encode::Encoder::from_merges(splitter, &tokens, merges, whole_pretokens))
            .map(|encoder| Encoder(Arc::new(encoder)))
            .map_err(PyValueError::new_err)
    }

    #[staticmethod]
    fn from_ranks(
        py: Python<'_>,
        splitter: &Splitter,
        tokens: Vec<(u32, PyBackedBytes)>,
    ) -> PyResult<Self> {
        let tokens = owned(tokens);
        let splitter = splitter.0.clone();
        py.detach(|| encode::Encoder::from_ranks(splitter, &tokens))
            .map(|encoder| Encoder(Arc::new(encoder)))
            .map_err(PyValueError::new_err)
    }

    fn merges(&self) -> Vec<(u32, u32, u32)> {
        self.0.merges().to_vec()
    }

    fn encode_ordinary(&self, py: Python<'_>, text: &str) -> Vec<u32> {
        if text.len() < RELEASE_BYTES {
            return self.0.encode(text, None);
        }
        py.detach(|| self.0.encode(text, None))
    }

    fn encode(&self, py: Python<'_>, text: &str, specials: &Specials) -> Vec<u32> {
        if text.len() < RELEASE_BYTES {
            return self.0.encode(text, Some(&specials.0));
        }
        py.detach(|| self.0.encode(text, Some(&specials.0)))
    }

    fn count(&self, py: Python<'_>, text: &str) -> usize {
        py.detach(|| self.0.count(text))
    }

    fn encode_pretoken(&self, pretoken: &[u8]) -> Vec<u32> {
        let mut out = Vec::new();
        self.0.encode_pretoken(pretoken, &mut Scratch::default(), &mut out);
        out
    }

    #[pyo3(signature = (texts, threads, specials=None))]
    #[allow(clippy::type_complexity)]
    fn encode_batch<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
        threads: usize,
        specials: Option<&Specials>,
    ) -> (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>) {
        let (ids, lengths) = py.detach(|| {
            let specials = specials.map(|specials| &specials.0);
            self.0.encode_batch(&strs(&texts), threads, specials)
        });
        let mut offsets = Vec::with_capacity(lengths.len() + 1);
        let mut end = 0;
        offsets.push(end);
        for length in lengths {
            end += length as i64;
            offsets.push(end);
        }
        (ids.into_pyarray(py), offsets.into_pyarray(py))
    }

    fn encode_parallel<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        threads: usize,
    ) -> Bound<'py, PyArray1<u32>> {
        py.detach(|| self.0.encode_parallel(text, threads)).into_pyarray(py)
    }
}

#[pyclass(frozen, module = "tokenizers_impl._native")]
struct Scorer {
    scorer: score::Scorer,
    encoders: usize,
}

impl Scorer {
    fn check(&self, encoder: usize) -> PyResult<usize> {
        if encoder < self.encoders {
            return Ok(encoder);
        }
        Err(PyIndexError::new_err(format!("there are {} encoders", self.encoders)))
    }
}

#[pymethods]
impl Scorer {
    #[new]
    fn new(splitter: &Splitter, encoders: Vec<PyRef<'_, Encoder>>, threads: usize) -> Self {
        let encoders: Vec<_> = encoders.iter().map(|encoder| encoder.0.clone()).collect();
        Scorer {
            encoders: encoders.len(),
            scorer: score::Scorer::new(splitter.0.clone(), encoders, threads),
        }
    }

    fn add<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let rows = py.detach(|| self.scorer.add(&strs(&texts)));
        rows.into_pyarray(py).reshape([texts.len(), 1 + self.encoders])
    }

    fn id_counts<'py>(
        &self,
        py: Python<'py>,
        encoder: usize,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let encoder = self.check(encoder)?;
        Ok(py.detach(|| self.scorer.id_counts(encoder)).into_pyarray(py))
    }

    fn broken<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyBytes>, usize)> {
        let found = self.scorer.broken().into_iter();
        found.map(|(pretoken, encoder)| (PyBytes::new(py, &pretoken), encoder)).collect()
    }

    fn differences<'py>(
        &self,
        py: Python<'py>,
        first: usize,
        second: usize,
        limit: usize,
    ) -> PyResult<Vec<(Bound<'py, PyBytes>, u64, u32, u32)>> {
        let (first, second) = (self.check(first)?, self.check(second)?);
        let rows = py.detach(|| self.scorer.differences(first, second, limit));
        Ok(rows
            .into_iter()
            .map(|row| (PyBytes::new(py, &row.pretoken), row.count, row.first, row.second))
            .collect())
    }

    #[getter]
    fn distinct(&self, py: Python<'_>) -> usize {
        py.detach(|| self.scorer.distinct())
    }
}
