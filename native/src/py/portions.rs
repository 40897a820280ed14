//! Texts as Python has them, made ready for the core portion by portion.
//!
//! Python's own text is UTF-8 only where it is ASCII. Turning the rest into UTF-8 takes Python half as long as encoding
//! it, and for one large text the memory of it twice: so it is done a portion at a time, in memory that is used again, while
//! other threads encode the portion before.

use std::ops::Deref;
use std::sync::atomic::Ordering;
use std::time::Instant;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PySlice, PyString};

use super::{splitting, TICK};
use crate::count::blocks::cut;
use crate::encode::batch::{Job, Work};

/// The characters of a portion of a long text, and of a portion of many texts.
const PIECE: usize = 1 << 20;
const TOGETHER: usize = 1 << 22;
/// A cut is looked for from so many bytes before the end of a piece on.
const NEAR_END: usize = 1 << 12;
/// Texts of at least so many bytes are worked on with the interpreter released; below it, releasing costs more than
/// it frees.
pub const RELEASE_BYTES: usize = 1 << 12;

enum Held {
    Python(PyBackedStr),
    Own(String),
}

impl Deref for Held {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Held::Python(text) => text,
            Held::Own(text) => text,
        }
    }
}

/// Whole texts, or one piece of a text.
struct Portion {
    texts: Vec<Held>,
    first_text: usize,
}

enum Rest<'py> {
    Texts(Vec<Bound<'py, PyString>>),
    Pieces {
        text: Bound<'py, PyString>,
        carried: String,
    },
}

pub struct Portions<'py, 'e> {
    rest: Rest<'py>,
    /// The first text, or the first character of it, that no portion has had.
    next: usize,
    job: Job<'e>,
}

impl<'py, 'e> Portions<'py, 'e> {
    pub fn of_texts(texts: Vec<Bound<'py, PyString>>, job: Job<'e>) -> Self {
        let rest = Rest::Texts(texts);
        Portions { rest, next: 0, job }
    }

    pub fn of_text(text: &Bound<'py, PyString>, job: Job<'e>) -> PyResult<Self> {
        let text = text.clone();
        // (What a subclass makes of a slice is its own business.)
        let in_pieces = text.is_exact_instance_of::<PyString>()
            && text.len()? > PIECE
            && job.encoder.splitter.streams()
            && !text.call_method0("isascii")?.is_truthy()?;
        if !in_pieces {
            return Ok(Portions::of_texts(vec![text], job));
        }
        let carried = String::new();
        let rest = Rest::Pieces { text, carried };
        Ok(Portions { rest, next: 0, job })
    }

    /// About how many bytes all texts have: one a character.
    pub fn bytes(&self) -> PyResult<usize> {
        match &self.rest {
            Rest::Texts(texts) => texts.iter().map(|text| text.len()).sum(),
            Rest::Pieces { text, .. } => text.len(),
        }
    }

    fn take(&mut self, py: Python<'py>) -> PyResult<Option<Portion>> {
        match &mut self.rest {
            Rest::Texts(texts) => {
                let first_text = self.next;
                let (mut held, mut characters) = (Vec::new(), 0);
                while characters < TOGETHER {
                    let Some(text) = texts.get(self.next) else {
                        break;
                    };
                    // One more for the text itself: a million empty ones are not one portion.
                    characters += text.len()? + 1;
                    held.push(Held::Python(PyBackedStr::try_from(text.clone())?));
                    self.next += 1;
                }
                let texts = held;
                Ok((!texts.is_empty()).then_some(Portion { texts, first_text }))
            }
            Rest::Pieces { text, carried } => {
                let length = text.len()?;
                while self.next < length {
                    let end = length.min(self.next + PIECE);
                    let slice = PySlice::new(py, self.next as isize, end as isize, 1);
                    let piece = text.get_item(slice)?.cast_into::<PyString>()?;
                    // Of a text that isn't valid, all is turned, for an error that names the place in the whole.
                    let Ok(bytes) = piece.encode_utf8() else {
                        text.to_str()?;
                        unreachable!("a part of a text that is valid is valid");
                    };
                    let Ok(utf8) = std::str::from_utf8(bytes.as_bytes()) else {
                        unreachable!("Python makes valid UTF-8 or none");
                    };
                    carried.push_str(utf8);
                    self.next = end;
                    let place = if end == length {
                        Some(carried.len())
                    } else {
                        cut_of(carried, &self.job)
                    };
                    if let Some(place) = place {
                        let rest = carried.split_off(place);
                        let texts = vec![Held::Own(std::mem::replace(carried, rest))];
                        return Ok(Some(Portion {
                            texts,
                            first_text: 0,
                        }));
                    }
                }
                Ok(None)
            }
        }
    }

    /// Calls `add` with the texts of each portion, the number of their first text, and what this thread does meanwhile:
    /// it makes the next portion ready, and then helps.
    pub fn each(
        mut self,
        py: Python<'py>,
        mut add: impl FnMut(&[&str], usize, &mut dyn FnMut(&Work<'_>)),
    ) -> PyResult<()> {
        let watch = self.job.watch;
        let mut next = self.take(py)?;
        while let Some(Portion { texts, first_text }) = next {
            let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
            let bytes = texts.iter().map(|text| text.len()).sum();
            let mut following = Ok(None);
            splitting(py, || {
                add(&texts, first_text, &mut |work| {
                    following = self.take(py).and_then(|portion| {
                        help(py, bytes, work)?;
                        Ok(portion)
                    });
                    if following.is_err() {
                        watch.stop.store(true, Ordering::Relaxed);
                    }
                });
            })?;
            next = following?;
        }
        Ok(())
    }
}

/// Where a piece that more text follows can be cut near its end, if it can: no special token may reach past what is there.
fn cut_of(piece: &str, job: &Job<'_>) -> Option<usize> {
    let specials = job.specials.map(|specials| specials.automaton());
    let longest = specials.map_or(0, |specials| specials.max_pattern_len());
    let mut near = piece.len().checked_sub(NEAR_END + 2 * longest)?;
    while !piece.is_char_boundary(near) {
        near -= 1;
    }
    let place = cut(piece, near, &job.encoder.splitter, specials);
    (place + NEAR_END / 2 + longest < piece.len()).then_some(place)
}

/// Works with the interpreter released, and looks for Ctrl-C from time to time.
fn help(py: Python<'_>, bytes: usize, work: &Work<'_>) -> PyResult<()> {
    if bytes < RELEASE_BYTES {
        work(&|| false);
        return Ok(());
    }
    loop {
        let start = Instant::now();
        if py.detach(|| work(&|| start.elapsed() > TICK)) {
            return Ok(());
        }
        py.check_signals()?;
    }
}
