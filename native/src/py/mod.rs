//! The Python module: the only place that speaks PyO3. Everything here converts, calls and converts back.

mod counter;
mod decoder;
mod encoder;
mod places;
mod scorer;
mod texts;
mod vocabulary;

use std::any::Any;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyType;

use crate::count::Watch;
use crate::pretok::{self, Kind, Lexicon};
use crate::runs::map_runs;
use crate::words;

/// Rises with every change of the interface; `tokenizers_impl.engine` refuses any other number.
const API_VERSION: u32 = 14;

/// How often a caller who waits is told how far the work is, and Ctrl-C is looked for.
const TICK: Duration = Duration::from_millis(100);

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
            // At the beginning too, so that every stage is told of, however short. After a failure the work ends
            // soon, and nobody is asked again.
            if failure.is_none() {
                let outcome = py.check_signals().and_then(|()| match progress {
                    Some(progress) => progress
                        .call1((stage, watch.done.load(Ordering::Relaxed), total))
                        .map(drop),
                    None => Ok(()),
                });
                if let Err(error) = outcome {
                    failure = Some(error);
                    watch.stop.store(true, Ordering::Relaxed);
                }
            }
            // A closed channel is the sign that the work is done.
            let state = py.detach(|| lock(&wait).recv_timeout(TICK));
            if state != Err(RecvTimeoutError::Timeout) {
                break;
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

    /// Places are code points, as Python counts.
    fn safe_cut(&self, text: &str, at: usize) -> usize {
        let place = text.char_indices().nth(at);
        let Some((place, _)) = place else {
            return text.chars().count();
        };
        let cut = self.0.safe_cut(text, place);
        at + text[place..cut].chars().count()
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
fn release_memory(py: Python<'_>) {
    py.detach(|| {
        crate::encode::spare::release();
        crate::memory::release();
    });
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
    /// A checksum of the sources that this was built from; see `build.rs`.
    #[pymodule_export]
    const SOURCES: &str = env!("EVALKIT_SOURCES");

    #[pymodule_export]
    use super::{
        count_words,
        counter::{learn_merges, replay_merges, Counter},
        decoder::Decoder,
        encoder::{Encoder, Specials},
        places::{Marks, Places},
        release_memory,
        scorer::Scorer,
        segmenter_version, unicode_version,
        vocabulary::{token_numbers, Vocabulary},
        words_of, Splitter,
    };
}
