//! The Python module: the only file that speaks PyO3. Everything here converts, calls and converts back.

use std::any::Any;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyType};

use crate::bpe::Scratch;
use crate::count::{self, CountError, PretokenCounts, Watch};
use crate::encode;
use crate::ladder::{self, LadderError};
use crate::lexicon_learner;
use crate::pretok::{self, Kind, Lexicon};
use crate::runs::map_runs;
use crate::score;
use crate::train::{self, TieBreak, TrainError, TrainOptions, Words};
use crate::words;

/// Rises with every change of the interface; `tokenizers_impl.engine` refuses any other number.
const API_VERSION: u32 = 5;

/// How often a caller who waits is told how far the work is, and Ctrl-C is looked for.
const TICK: Duration = Duration::from_millis(100);

/// Texts longer than this are worked on with the interpreter released; below it, releasing costs more than it frees.
const RELEASE_BYTES: usize = 1 << 12;

/// Bytes and numbers in rows, as Python gets them.
type PairRows<'py> = Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, u64)>;
type DifferenceRows<'py> = Vec<(Bound<'py, PyBytes>, u64, u32, u32)>;
type BytesAndMade<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);
type IdsAndOffsets<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn strs(texts: &[PyBackedStr]) -> Vec<&str> {
    texts.iter().map(|text| &**text).collect()
}

/// What stopped a pattern that took too long; any other panic goes on.
fn overrun_of(panic: Box<dyn Any + Send>) -> pretok::Overrun {
    match panic.downcast() {
        Ok(overrun) => *overrun,
        Err(panic) => resume_unwind(panic),
    }
}

fn too_long(py: Python<'_>, overrun: pretok::Overrun) -> PyErr {
    let message = overrun.to_string();
    let class = py
        .import("tokenizers_impl.errors")
        .and_then(|module| module.getattr("TokenizerError"))
        .and_then(|class| Ok(class.cast_into::<PyType>()?));
    match class {
        Ok(class) => PyErr::from_type(class, message),
        Err(error) => error,
    }
}

/// Does `work`, which splits text, and gives a pattern that takes too long as an exception.
fn splitting<T>(py: Python<'_>, work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| too_long(py, overrun_of(panic)))
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
        let wait = Mutex::new(wait); // a receiver alone may not be borrowed by the detached closure
        let worker = scope.spawn(move || {
            let result = work();
            drop(finished);
            result
        });
        let mut failure = None;
        loop {
            // A closed channel is the sign that the work is done.
            let state = py.detach(|| lock(&wait).recv_timeout(TICK));
            if state != Err(RecvTimeoutError::Timeout) {
                break;
            }
            let outcome = py.check_signals().and_then(|()| match progress {
                Some(progress) => progress
                    .call1((stage, watch.done.load(Ordering::Relaxed), total))
                    .map(drop),
                None => Ok(()),
            });
            if let Err(error) = outcome {
                failure.get_or_insert(error);
                watch.stop.store(true, Ordering::Relaxed);
            }
        }
        let result = match py.detach(|| worker.join()) {
            Ok(result) => result,
            Err(panic) => return Err(too_long(py, overrun_of(panic))),
        };
        match failure {
            Some(error) => Err(error),
            None => Ok(result),
        }
    })
}

#[pyclass(frozen, module = "tokenizers_impl._native")]
struct Splitter(Arc<pretok::Splitter>);

#[pymethods]
impl Splitter {
    #[new]
    #[pyo3(signature = (kind, lexicon=None, right_to_left=false))]
    fn new(kind: &str, lexicon: Option<Vec<String>>, right_to_left: bool) -> PyResult<Self> {
        let kind = Kind::from_name(kind)
            .ok_or_else(|| PyValueError::new_err(format!("the core has no splitter {kind:?}")))?;
        let lexicon = lexicon.map(|words| Lexicon::new(&words)).transpose();
        let mut splitter = lexicon.and_then(|lexicon| pretok::Splitter::new(kind, lexicon));
        if right_to_left {
            splitter = splitter.and_then(pretok::Splitter::right_to_left);
        }
        Ok(Splitter(Arc::new(splitter.map_err(PyValueError::new_err)?)))
    }

    /// A splitter for any pattern, from its `tokenizers_impl.patterns.program.Program`.
    #[staticmethod]
    fn general(
        pattern: String,
        classes: Vec<(u32, u16)>,
        sets: Vec<Vec<u16>>,
        nodes: Vec<(String, u32, u32)>,
    ) -> PyResult<Self> {
        pretok::General::new(pattern, &classes, &sets, &nodes)
            .map(|general| Splitter(Arc::new(pretok::Splitter::general(general))))
            .map_err(PyValueError::new_err)
    }

    fn split<'t>(&self, py: Python<'_>, text: &'t str) -> PyResult<Vec<&'t str>> {
        splitting(py, || {
            let mut pieces = Vec::new();
            self.0.for_each(text, |pretoken| pieces.push(pretoken));
            pieces
        })
    }

    #[getter]
    fn engine(&self) -> &'static str {
        self.0.engine()
    }

    #[getter]
    fn streams(&self) -> bool {
        self.0.streams()
    }
}

#[pyclass(frozen, module = "tokenizers_impl._native")]
struct Specials(encode::Specials);

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

#[pyclass(frozen, module = "tokenizers_impl._native")]
struct Encoder(Arc<encode::Encoder>);

fn owned(tokens: Vec<(u32, PyBackedBytes)>) -> Vec<(u32, Vec<u8>)> {
    tokens
        .into_iter()
        .map(|(id, token)| (id, token.to_vec()))
        .collect()
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

    fn encode_ordinary(&self, py: Python<'_>, text: &str) -> PyResult<Vec<u32>> {
        if text.len() < RELEASE_BYTES {
            return splitting(py, || self.0.encode(text, None));
        }
        splitting(py, || py.detach(|| self.0.encode(text, None)))
    }

    fn encode(&self, py: Python<'_>, text: &str, specials: &Specials) -> PyResult<Vec<u32>> {
        if text.len() < RELEASE_BYTES {
            return splitting(py, || self.0.encode(text, Some(&specials.0)));
        }
        splitting(py, || py.detach(|| self.0.encode(text, Some(&specials.0))))
    }

    fn encode_open<'t>(&self, text: &'t str) -> (Vec<u32>, &'t str) {
        let (ids, end) = self.0.encode_open(text);
        (ids, &text[end..])
    }

    fn count(&self, py: Python<'_>, text: &str) -> PyResult<usize> {
        splitting(py, || py.detach(|| self.0.count(text)))
    }

    fn encode_pretoken(&self, pretoken: &[u8]) -> Vec<u32> {
        let mut out = Vec::new();
        self.0
            .encode_pretoken(pretoken, &mut Scratch::default(), &mut out);
        out
    }

    #[pyo3(signature = (texts, threads, specials=None))]
    fn encode_batch<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
        threads: usize,
        specials: Option<&Specials>,
    ) -> PyResult<IdsAndOffsets<'py>> {
        let specials = specials.map(|specials| &specials.0);
        let (ids, lengths) = splitting(py, || {
            py.detach(|| self.0.encode_batch(&strs(&texts), threads, specials))
        })?;
        let mut offsets = Vec::with_capacity(lengths.len() + 1);
        let mut end = 0;
        offsets.push(end);
        for length in lengths {
            end += length as i64;
            offsets.push(end);
        }
        Ok((ids.into_pyarray(py), offsets.into_pyarray(py)))
    }

    fn encode_parallel<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let ids = splitting(py, || py.detach(|| self.0.encode_parallel(text, threads)))?;
        Ok(ids.into_pyarray(py))
    }
}

#[pyclass(frozen, module = "tokenizers_impl._native")]
struct Scorer {
    scorer: score::Scorer,
    encoders: usize,
    splitter: Arc<pretok::Splitter>,
    threads: usize,
}

impl Scorer {
    fn check(&self, encoder: usize) -> PyResult<usize> {
        if encoder < self.encoders {
            return Ok(encoder);
        }
        Err(PyIndexError::new_err(format!(
            "there are {} encoders",
            self.encoders
        )))
    }
}

#[pymethods]
impl Scorer {
    #[new]
    fn new(splitter: &Splitter, encoders: Vec<PyRef<'_, Encoder>>, threads: usize) -> Self {
        let encoders: Vec<_> = encoders.iter().map(|encoder| encoder.0.clone()).collect();
        Scorer {
            encoders: encoders.len(),
            splitter: splitter.0.clone(),
            threads: threads.max(1),
            scorer: score::Scorer::new(splitter.0.clone(), encoders, threads),
        }
    }

    fn add<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let rows = splitting(py, || py.detach(|| self.scorer.add(&strs(&texts))))?;
        rows.into_pyarray(py)
            .reshape([texts.len(), 1 + self.encoders])
    }

    fn id_counts<'py>(
        &self,
        py: Python<'py>,
        encoder: usize,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let encoder = self.check(encoder)?;
        Ok(py
            .detach(|| self.scorer.id_counts(encoder))
            .into_pyarray(py))
    }

    fn broken<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyBytes>, usize)> {
        let found = self.scorer.broken().into_iter();
        found
            .map(|(pretoken, encoder)| (PyBytes::new(py, &pretoken), encoder))
            .collect()
    }

    fn differences<'py>(
        &self,
        py: Python<'py>,
        first: usize,
        second: usize,
        limit: usize,
    ) -> PyResult<DifferenceRows<'py>> {
        let (first, second) = (self.check(first)?, self.check(second)?);
        let rows = py.detach(|| self.scorer.differences(first, second, limit));
        Ok(rows
            .into_iter()
            .map(|row| {
                (
                    PyBytes::new(py, &row.pretoken),
                    row.count,
                    row.first,
                    row.second,
                )
            })
            .collect())
    }

    fn counter(&self, py: Python<'_>) -> Counter {
        Counter {
            splitter: self.splitter.clone(),
            specials: None,
            threads: self.threads,
            counts: Mutex::new(py.detach(|| self.scorer.pretokens())),
        }
    }

    #[getter]
    fn distinct(&self, py: Python<'_>) -> usize {
        py.detach(|| self.scorer.distinct())
    }
}

#[pyclass(frozen, module = "tokenizers_impl._native")]
struct Counter {
    splitter: Arc<pretok::Splitter>,
    specials: Option<aho_corasick::AhoCorasick>,
    threads: usize,
    counts: Mutex<PretokenCounts>,
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
fn learn_merges<'py>(
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
fn replay_merges<'py>(
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

/// Byte ranges of the word-like segments of a text.
#[pyfunction(name = "words")]
fn words_of(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    words::words(text, |start, end| found.push((start, end)));
    found
}

/// How many word-like segments each text has.
#[pyfunction]
fn count_words<'py>(
    py: Python<'py>,
    texts: Vec<PyBackedStr>,
    threads: usize,
) -> Bound<'py, PyArray1<i64>> {
    let counts = py.detach(|| {
        let parts = map_runs(&strs(&texts), threads, |turns| {
            turns.each(|run| {
                run.iter()
                    .map(|text| words::count_words(text) as i64)
                    .collect::<Vec<_>>()
            });
        });
        parts.concat()
    });
    counts.into_pyarray(py)
}

#[pyfunction]
fn segmenter_version() -> String {
    words::segmenter_version()
}

#[pyfunction]
fn unicode_version() -> &'static str {
    crate::unicode::UNICODE_VERSION
}

#[pymodule]
mod _native {
    #[pymodule_export]
    const API_VERSION: u32 = super::API_VERSION;

    #[pymodule_export]
    use super::{
        count_words, learn_merges, replay_merges, segmenter_version, unicode_version, words_of,
        Counter, Encoder, Scorer, Specials, Splitter,
    };
}
