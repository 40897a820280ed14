//! Any pattern: what a regular expression matches, leftmost and of its alternatives the first, and what it leaves.
//!
//! Python reads the pattern (`tokenizers_impl/patterns`), which ends with sets of code points and no names; here they
//! become instructions (`program.rs`), and these are run (`run.rs`).

use std::fmt;
use std::panic::resume_unwind;

mod classes;
mod nodes;
mod program;
mod run;

use program::Program;
use run::{Matcher, TooMuch};

pub struct General {
    /// As the user wrote it.
    pub pattern: String,
    program: Program,
}

/// Characters of a pattern in a message.
const SHOWN: usize = 76;

/// A pattern took longer for a text than it may.
#[derive(Debug)]
pub struct Overrun {
    pattern: String,
    bytes: usize,
}

impl fmt::Display for Overrun {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown: String = self.pattern.chars().take(SHOWN).collect();
        if shown.len() < self.pattern.len() {
            shown.push('…');
        }
        write!(
            formatter,
            "the split pattern '{shown}' takes too long on a text of {} bytes: it tries the same text in too many ways; \
             make its repeats possessive, or its alternatives exclude one another",
            self.bytes
        )
    }
}

impl General {
    pub fn new(
        pattern: String,
        starts: &[(u32, u16)],
        sets: &[Vec<u16>],
        nodes: &[(String, u32, u32)],
    ) -> Result<General, String> {
        let program = Program::new(starts, sets, nodes)?;
        Ok(General { pattern, program })
    }

    /// Calls `f` with the end of each pretoken: the matches, and each stretch between them. A match of nothing is none.
    /// Unwinds with an [`Overrun`] where matching takes too long.
    pub fn each(&self, text: &str, f: &mut dyn FnMut(usize)) {
        if self.try_each(text, f).is_err() {
            resume_unwind(Box::new(Overrun {
                pattern: self.pattern.clone(),
                bytes: text.len(),
            }));
        }
    }

    fn try_each(&self, text: &str, f: &mut dyn FnMut(usize)) -> Result<(), TooMuch> {
        let bytes = text.as_bytes();
        let mut matcher = Matcher::new(&self.program, bytes);
        let (mut done, mut at) = (0, 0);
        while at < bytes.len() {
            match matcher.end_of_match(at)? {
                Some(end) if end > at => {
                    if done < at {
                        f(at);
                    }
                    f(end);
                    (done, at) = (end, end);
                }
                _ => {
                    at += 1;
                    while !text.is_char_boundary(at) {
                        at += 1;
                    }
                }
            }
        }
        if done < bytes.len() {
            f(bytes.len());
        }
        Ok(())
    }
}
