//! Texts as Python holds them, lent to the core without a copy.
//!
//! Python's own text is UTF-8 only where it is ASCII; of any other it makes UTF-8 when asked, on one thread and with the
//! interpreter held, and keeps it as long as the text. So the core is lent the characters themselves. C has macros for
//! them (`PyUnicode_KIND`, `PyUnicode_DATA`) that the stable interface leaves out, since they read the object's
//! memory. This reads the same places, after having tried them on texts of every kind: where they are not what they
//! have been since Python 3.3 (3.14 for one of them), Python is asked for UTF-8.

use std::sync::atomic::Ordering;
use std::time::Instant;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

use super::{splitting, TICK};
use crate::count::blocks::Source;
use crate::count::Watch;
use crate::encode::batch::{without_pause, Work};
use crate::encode::texts::{Malformed, Text};

/// Texts of at least so many units are worked on with the interpreter released; below it, releasing costs more than
/// it frees.
pub const RELEASE_UNITS: usize = 1 << 12;

/// Does some work on texts, which gets them and what this thread is to do meanwhile: it helps. Where that is worth it the
/// interpreter is released until all is done (not only while this thread has something to do: the others may be busy
/// for long after that), and Ctrl-C is looked for from time to time.
pub fn with_texts<T: Send>(
    py: Python<'_>,
    texts: &[Bound<'_, PyString>],
    watch: &Watch,
    work: impl FnOnce(&[Text<'_>], &mut dyn FnMut(&Work<'_>)) -> Result<T, Malformed> + Send,
) -> PyResult<T> {
    let held: Vec<Text<'_>> = texts.iter().map(text_of).collect::<PyResult<_>>()?;
    let units: usize = held.iter().map(|text| text.length()).sum();
    let found = if units < RELEASE_UNITS {
        splitting(py, || work(&held, &mut |work| without_pause(work)))?
    } else {
        let mut helped = Ok(());
        let found = splitting(py, || {
            py.detach(|| {
                work(&held, &mut |work| {
                    helped = help(work);
                    if helped.is_err() {
                        watch.stop.store(true, Ordering::Relaxed);
                    }
                })
            })
        })?;
        helped?;
        found
    };
    found.or_else(|Malformed| {
        // Python's own error, which names the place.
        for text in texts {
            text.to_str()?;
        }
        unreachable!("what Python makes UTF-8 of has no lone surrogate")
    })
}

fn help(work: &Work<'_>) -> PyResult<()> {
    loop {
        let start = Instant::now();
        if work(&|| start.elapsed() > TICK) {
            return Ok(());
        }
        Python::attach(|py| py.check_signals())?;
    }
}

fn text_of<'t>(text: &'t Bound<'_, PyString>) -> PyResult<Text<'t>> {
    // (A text of a subclass lies elsewhere.)
    if text.is_exact_instance_of::<PyString>() {
        let layout = LAYOUT.get_or_init(text.py(), || Layout::find(text.py()));
        if let Some(units) = layout.as_ref().and_then(|layout| layout.units(text)) {
            return Ok(units);
        }
    }
    text.to_str().map(Text::Utf8)
}

static LAYOUT: PyOnceLock<Option<Layout>> = PyOnceLock::new();

/// Where a text that isn't ASCII has what.
struct Layout {
    /// The byte that says how wide the characters are, and that they follow the header.
    state: usize,
    mask: u8,
    /// What it says of characters of one, two and four bytes.
    kinds: [u8; 3],
    /// The bytes before the characters.
    header: usize,
}

/// Texts whose widest characters have one, two and four bytes. (Of one character Python may have an object already, with
/// more in it.)
const PROBES: [[&str; 2]; 3] = [["naïve ÿ", "éa"], ["—b", "а ﬀ and ab"], ["😀c", "a — 𝒳 z"]];

impl Layout {
    fn find(py: Python<'_>) -> Option<Layout> {
        let known = cfg!(all(target_endian = "little", target_pointer_width = "64"));
        let implementation = py.import("sys").ok()?.getattr("implementation").ok()?;
        let name: String = implementation.getattr("name").ok()?.extract().ok()?;
        if !known || name != "cpython" {
            return None;
        }
        // After the count of references, the type, the length and the hash. The bits are: two for interned, three for
        // the kind, compact, ascii; since 3.14 sixteen for interned.
        let (state, mask, shift) = if py.version_info() < (3, 14) {
            (32, 0b0111_1100, 2)
        } else {
            (34, 0b0001_1111, 0)
        };
        let size = |text: &Bound<'_, PyString>| -> Option<usize> {
            text.call_method0("__sizeof__").ok()?.extract().ok()
        };
        let probe = PyString::new(py, PROBES[0][0]);
        let layout = Layout {
            state,
            mask,
            kinds: [1, 2, 4].map(|width| (width | 0b1000) << shift),
            header: size(&probe)?.checked_sub(probe.len().ok()? + 1)?,
        };
        for (probes, width) in PROBES.iter().zip([1, 2, 4]) {
            for probe in probes {
                let text = PyString::new(py, probe);
                let length = text.len().ok()?;
                // All of the object, so that nothing beyond it is read.
                if size(&text)? != layout.header + width * (length + 1) {
                    return None;
                }
                let mut room = Vec::new();
                if layout.units(&text)?.utf8(&mut room) != Ok(probe) {
                    return None;
                }
            }
        }
        layout
            .units(&PyString::new(py, "ascii"))
            .is_none()
            .then_some(layout)
    }

    /// The characters of a text that isn't ASCII.
    fn units<'t>(&self, text: &'t Bound<'_, PyString>) -> Option<Text<'t>> {
        let length = text.len().ok()?;
        let object = text.as_ptr().cast::<u8>();
        // Safety: a text has at least the header of an ASCII one, which ends behind this byte. Where the byte says that the
        // characters follow the longer header there are `length` of them, and they don't change as long as the text
        // is there, which it is for 't. Headers are multiples of eight bytes, so that the characters are aligned.
        unsafe {
            let kind = object.add(self.state).read() & self.mask;
            let units = object.add(self.header);
            let [one, two, four] = self.kinds;
            if kind == one {
                Some(Text::One(std::slice::from_raw_parts(units, length)))
            } else if kind == two {
                Some(Text::Two(std::slice::from_raw_parts(units.cast(), length)))
            } else if kind == four {
                Some(Text::Four(std::slice::from_raw_parts(units.cast(), length)))
            } else {
                None
            }
        }
    }
}
