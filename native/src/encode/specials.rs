//! Special tokens, located leftmost-longest.

use aho_corasick::{AhoCorasick, MatchKind};

pub struct Specials {
    pub(super) automaton: AhoCorasick,
    ids: Vec<u32>,
}

/// A part of a text between its special tokens, or one of them.
pub enum Part<'t> {
    Ordinary(&'t str),
    Special(u32),
}

impl Specials {
    pub fn new(tokens: &[(String, u32)]) -> Result<Self, String> {
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(tokens.iter().map(|(text, _)| text))
            .map_err(|error| format!("the special tokens make no automaton: {error}"))?;
        let ids = tokens.iter().map(|&(_, id)| id).collect();
        Ok(Specials { automaton, ids })
    }

    /// What finds them.
    pub fn automaton(&self) -> &AhoCorasick {
        &self.automaton
    }

    /// Byte range of the first special token in the text.
    pub fn find_first(&self, text: &str) -> Option<std::ops::Range<usize>> {
        self.automaton.find(text).map(|found| found.range())
    }

    pub(super) fn cut<'t>(&self, text: &'t str, mut f: impl FnMut(Part<'t>)) {
        let mut end = 0;
        for found in self.automaton.find_iter(text) {
            f(Part::Ordinary(&text[end..found.start()]));
            f(Part::Special(self.ids[found.pattern().as_usize()]));
            end = found.end();
        }
        f(Part::Ordinary(&text[end..]));
    }
}
