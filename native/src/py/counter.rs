//! `Counter`, and learning merges from what it has counted.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;

use super::{lock, strs, watched, Splitter};
use crate::count::{self, CountError, PretokenCounts, Watch};
use crate::ladder::{self, LadderError};
use crate::lexicon_learner;
use crate::pretok::{self, Lexicon};
use crate::train::{self, TieBreak, TrainError, TrainOptions, Words};

type BytesAndMade<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);
/// The bytes of both sides of a merge, and its count.
type PairRows<'py> = Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, u64)>;

#[pyclass(frozen, module = "tokenizers_impl._native")]
pub struct Counter {
    pub(super) splitter: Arc<pretok::Splitter>,
    pub(super) specials: Option<aho_corasick::AhoCorasick>,
    pub(super) threads: usize,
    pub(super) counts: Mutex<PretokenCounts>,
}

impl Counter {
    fn add(
        &self,
        py: Python<'_>,
        counted: Result<PretokenCounts, CountError>,
    ) -> Result<(), CountError> {
        let counts = counted?;
        py.detach(|| lock(&self.counts).merge(counts));
        Ok(())
    }
}

/// The error of a count, about a file where there is one.
fn count_error(error: CountError, path: Option<&str>) -> PyErr {
    let message = match path {
        Some(path) => format!("{path}: {error}"),
        None => error.to_string(),
    };
    match error {
        CountError::Interrupted => PyKeyboardInterrupt::new_err(()),
        CountError::Io(_) => PyOSError::new_err(message),
        CountError::InvalidUtf8 { .. } => PyValueError::new_err(message),
    }
}

#[pymethods]
impl Counter {
    #[new]
    fn new(splitter: &Splitter, specials: Vec<String>, threads: usize) -> PyResult<Self> {
        let specials = count::special_finder(&specials)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Counter {
            splitter: splitter.0.clone(),
            specials,
            threads: threads.max(1),
            counts: Mutex::default(),
        })
    }

    #[pyo3(signature = (texts, progress=None))]
    fn add_texts(
        &self,
        py: Python<'_>,
        texts: Vec<PyBackedStr>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let watch = Watch::default();
        let texts = strs(&texts);
        let total = texts.iter().map(|text| text.len() as u64).sum();
        let counted = watched(py, &watch, "count", total, progress, || {
            count::count_texts(
                &texts,
                &self.splitter,
                self.specials.as_ref(),
                self.threads,
                &watch,
            )
        })?;
        self.add(py, counted)
            .map_err(|error| count_error(error, None))
    }

    #[pyo3(signature = (path, progress=None))]
    fn add_file(
        &self,
        py: Python<'_>,
        path: &str,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let watch = Watch::default();
        let total = std::fs::metadata(path).map_or(0, |found| found.len());
        let counted = watched(py, &watch, "count", total, progress, || {
            let specials = self.specials.as_ref();
            count::count_file(
                path.as_ref(),
                &self.splitter,
                specials,
                self.threads,
                &watch,
            )
        })?;
        self.add(py, counted.map(|file| file.counts))
            .map_err(|error| count_error(error, Some(path)))
    }

    fn add_items(&self, items: Vec<(PyBackedBytes, u64)>) {
        let mut counts = lock(&self.counts);
        for (pretoken, count) in items {
            counts.add(&pretoken, count);
        }
    }

    /// Replaces Han runs by their words.
    fn split_han_words(&self, py: Python<'_>, lexicon: Vec<String>) -> PyResult<()> {
        let lexicon = Lexicon::new(&lexicon).map_err(PyValueError::new_err)?;
        py.detach(|| {
            let mut counts = lock(&self.counts);
            let mut cut = PretokenCounts::default();
            for (pretoken, count) in counts.items() {
                match std::str::from_utf8(pretoken) {
                    Ok(run) if run.chars().next().is_some_and(pretok::is_han) => {
                        pretok::cut_han_run(run, &lexicon, |word| cut.add(word.as_bytes(), count));
                    }
                    _ => cut.add(pretoken, count),
                }
            }
            *counts = cut;
        });
        Ok(())
    }

    fn learn_lexicon(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| lexicon_learner::learn_lexicon(&lock(&self.counts)))
    }

    fn items<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyBytes>, u64)> {
        let counts = lock(&self.counts);
        let items = counts.sorted_items().into_iter();
        items
            .map(|(pretoken, count)| (PyBytes::new(py, pretoken), count))
            .collect()
    }

    #[getter]
    fn bytes(&self) -> u64 {
        lock(&self.counts).bytes
    }

    #[getter]
    fn pretokens(&self) -> u64 {
        lock(&self.counts).pretokens
    }

    #[getter]
    fn distinct(&self) -> usize {
        lock(&self.counts).distinct()
    }
}

/// The merges in order: the bytes of both sides, and the count of the pair.
#[pyfunction]
#[pyo3(signature = (counter, max_merges, min_frequency, tie_break, progress=None))]
pub fn learn_merges<'py>(
    py: Python<'py>,
    counter: &Counter,
    max_merges: usize,
    min_frequency: u64,
    tie_break: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PairRows<'py>> {
    let tie_break = match tie_break {
        "bytes" => TieBreak::Bytes,
        "huggingface" => TieBreak::Huggingface,
        other => {
            return Err(PyValueError::new_err(format!(
                "unknown tie_break {other:?}"
            )))
        }
    };
    let options = TrainOptions {
        max_merges,
        min_frequency,
        tie_break,
    };
    let watch = Watch::default();
    let learned = watched(py, &watch, "merge", max_merges as u64, progress, || {
        // Merging is where memory peaks, and it doesn't look anything up in the table.
        let mut counts = lock(&counter.counts);
        counts.only_read();
        let words = Words::new(counts.items())?;
        drop(counts);
        train::learn_merges_of(words, &options, &mut |done| {
            watch.done.store(done as u64, Ordering::Relaxed);
            !watch.stop.load(Ordering::Relaxed)
        })
    })?
    .map_err(|error| match error {
        TrainError::Interrupted => PyKeyboardInterrupt::new_err(()),
        other => PyValueError::new_err(other.to_string()),
    })?;
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    let mut merges = Vec::with_capacity(learned.len());
    for merge in learned {
        let (left, right) = (&tokens[merge.left as usize], &tokens[merge.right as usize]);
        merges.push((PyBytes::new(py, left), PyBytes::new(py, right), merge.count));
        tokens.push([&left[..], right].concat());
    }
    Ok(merges)
}

/// How often each byte occurs, and how often each merge makes its token; bytes are their own ids, and merge k
/// (from 0) makes id 256 + k.
#[pyfunction]
#[pyo3(signature = (counter, merges, progress=None))]
pub fn replay_merges<'py>(
    py: Python<'py>,
    counter: &Counter,
    merges: Vec<(u32, u32)>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<BytesAndMade<'py>> {
    let watch = Watch::default();
    let total = merges.len() as u64;
    let found = watched(py, &watch, "ladder", total, progress, || {
        let counts = lock(&counter.counts);
        ladder::replay(counts.items(), &merges, &mut |done| {
            watch.done.store(done as u64, Ordering::Relaxed);
            !watch.stop.load(Ordering::Relaxed)
        })
    })?
    .map_err(|error| match error {
        LadderError::Work(TrainError::Interrupted) => PyKeyboardInterrupt::new_err(()),
        other => PyValueError::new_err(other.to_string()),
    })?;
    let numbers = |counts: &[u64]| -> Vec<i64> { counts.iter().map(|&n| n as i64).collect() };
    Ok((
        numbers(&found.bytes).into_pyarray(py),
        numbers(&found.made).into_pyarray(py),
    ))
}
