//! The split patterns, by hand: exact, in linear time, over the classes of one Unicode version.
//!
//! One file per family; each says its pattern and why the code equals it. Every rule exists twice: `next`, from one
//! pretoken to the next through classes of code points (`scan.rs`), and `ends`, for 64 bytes of ASCII at once by
//! operations on whole words (`block.rs`), which is 1.3 to 1.8 times as fast on English and code, since the branch
//! per pretoken is what costs. `naive.rs` matches the patterns themselves, by backtracking, and the tests compare
//! all three.
//!
//! A splitter says where pretokens end and slices nothing: those who look pretokens up do it by their bytes. Who wants
//! slices gets them with the checks of `str`, so that a mistake in a rule is no undefined behaviour.

mod block;
mod chinese;
mod cl100k;
mod general;
mod gpt2;
mod lexicon;
mod numbers;
mod o200k;
mod scan;

#[cfg(test)]
mod cut_tests;
#[cfg(test)]
mod naive;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::groups::for_each_group;
use crate::unicode;
use block::{places, Block, Window};
pub use general::{General, Overrun};
pub use lexicon::{Lexicon, MAX_WORD};

/// The pretokens at the end of a text that more text could change; see `tokenizers_impl.reference`.
const HELD_PRETOKENS: usize = 2;

/// A registered split pattern that has a splitter here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Gpt2,
    Digits3,
    Digit1,
    Zh,
    ZhChar,
    ZhRun,
    Cl100k,
    O200k,
    Llama3,
    Qwen2,
    BytesOnly,
}

impl Kind {
    pub const ALL: [Kind; 11] = [
        Kind::Gpt2,
        Kind::Digits3,
        Kind::Digit1,
        Kind::Zh,
        Kind::ZhChar,
        Kind::ZhRun,
        Kind::Cl100k,
        Kind::O200k,
        Kind::Llama3,
        Kind::Qwen2,
        Kind::BytesOnly,
    ];

    /// The name of the variant in the registry.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Gpt2 => "gpt2",
            Kind::Digits3 => "digits3",
            Kind::Digit1 => "digit1",
            Kind::Zh => "zh",
            Kind::ZhChar => "zh_char",
            Kind::ZhRun => "zh_run",
            Kind::Cl100k => "cl100k",
            Kind::O200k => "o200k",
            Kind::Llama3 => "llama3",
            Kind::Qwen2 => "qwen2",
            Kind::BytesOnly => "bytes_only",
        }
    }

    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether numbers are cut into groups of three, so that it matters from which end.
    pub fn has_direction(self) -> bool {
        matches!(
            self,
            Kind::Digits3 | Kind::Cl100k | Kind::O200k | Kind::Llama3
        )
    }
}

/// One pattern. `text` is valid UTF-8, `at < text.len()` a boundary of code points where a pretoken starts.
trait Rule {
    /// Where the pretoken ends: a boundary of code points greater than `at`.
    fn next(&self, text: &[u8], at: usize) -> usize;

    /// Where pretokens end in the block at `at`: bit i (never bit 0) stands for `at + i`. Up to the highest bit that
    /// is set none may be missing; what lies behind it is left for the next block.
    fn ends(&self, block: &Block, text: &[u8], at: usize) -> u64;
}

/// Takes the places where the pretokens of a text end, in order.
pub(crate) trait Taker {
    fn end(&mut self, end: usize);

    /// Bit i stands for an end at `base + i`.
    #[inline(always)]
    fn ends(&mut self, base: usize, bits: u64) {
        for place in places(bits) {
            self.end(base + place);
        }
    }
}

impl<F: FnMut(usize)> Taker for F {
    #[inline(always)]
    fn end(&mut self, end: usize) {
        self(end);
    }
}

#[derive(Clone)]
enum Pattern {
    ByHand(Kind),
    General(Arc<General>),
}

/// Cuts texts into pretokens. Cloning shares the lexicon.
#[derive(Clone)]
pub struct Splitter {
    pattern: Pattern,
    lexicon: Option<Arc<Lexicon>>,
    right_to_left: bool,
}

impl Splitter {
    /// `zh` needs a lexicon, and no other kind takes one.
    pub fn new(kind: Kind, lexicon: Option<Lexicon>) -> Result<Splitter, String> {
        match (kind, &lexicon) {
            (Kind::Zh, None) => Err("the variant zh needs a lexicon".into()),
            (Kind::Zh, Some(_)) | (_, None) => Ok(Splitter {
                pattern: Pattern::ByHand(kind),
                lexicon: lexicon.map(Arc::new),
                right_to_left: false,
            }),
            (_, Some(_)) => Err(format!(
                "the variant {} takes no lexicon; zh does",
                kind.name()
            )),
        }
    }

    /// A splitter for any pattern.
    pub fn general(general: General) -> Splitter {
        Splitter {
            pattern: Pattern::General(Arc::new(general)),
            lexicon: None,
            right_to_left: false,
        }
    }

    /// What does the work, in a word for people.
    pub fn engine(&self) -> &'static str {
        match self.pattern {
            Pattern::ByHand(_) => "hand-written",
            Pattern::General(_) => "general",
        }
    }

    /// The same with the groups of digits counted from the right end of each number.
    pub fn right_to_left(self) -> Result<Splitter, String> {
        match &self.pattern {
            Pattern::ByHand(kind) if kind.has_direction() => Ok(Splitter {
                right_to_left: true,
                ..self
            }),
            Pattern::ByHand(kind) => Err(format!(
                "the variant {} has no groups of digits that could be counted from the right",
                kind.name()
            )),
            Pattern::General(_) => Err("a pattern of one's own has no direction of digits".into()),
        }
    }

    /// Whether a text can be cut, or encoded before it has ended: proved for the hand-written patterns only.
    pub fn streams(&self) -> bool {
        !matches!(
            self.pattern,
            Pattern::ByHand(Kind::BytesOnly) | Pattern::General(_)
        )
    }

    /// Calls `f` with each pretoken in order; together they are the text.
    ///
    /// Unwinds with an [`Overrun`] when a general pattern would take too long. (Texts are split inside of loops on
    /// several threads, which could do nothing with an error but pass it on; `py.rs` catches it.)
    pub fn for_each<'t>(&self, text: &'t str, mut f: impl FnMut(&'t str)) {
        for_each_group(self, text, &mut |mut start, ends| {
            for &end in ends {
                f(&text[start..end]);
                start = end;
            }
        });
    }

    /// The same, but only says where pretokens end.
    pub(crate) fn each_end(&self, text: &str, taker: &mut impl Taker) {
        self.each::<true, _>(text, taker);
    }

    /// BLOCKS: whether to look at blocks. The result is the same without; the tests compare.
    #[inline(always)]
    fn each<const BLOCKS: bool, T: Taker>(&self, text: &str, taker: &mut T) {
        if self.right_to_left {
            return self.each_right_to_left::<BLOCKS>(text, &mut |end| taker.end(end));
        }
        let kind = match &self.pattern {
            Pattern::ByHand(kind) => *kind,
            Pattern::General(general) => return general.each(text, &mut |end| taker.end(end)),
        };
        match kind {
            Kind::Gpt2 => each::<BLOCKS, _, _>(&gpt2::Gpt2::<0>, text, taker),
            Kind::Digits3 => each::<BLOCKS, _, _>(&gpt2::Gpt2::<3>, text, taker),
            Kind::Digit1 => each::<BLOCKS, _, _>(&gpt2::Gpt2::<1>, text, taker),
            Kind::ZhChar => each::<BLOCKS, _, _>(&chinese::Chinese(chinese::Chars), text, taker),
            Kind::ZhRun => each::<BLOCKS, _, _>(&chinese::Chinese(chinese::Runs), text, taker),
            Kind::Zh => match &self.lexicon {
                Some(lexicon) => {
                    each::<BLOCKS, _, _>(&chinese::Chinese(lexicon.as_ref()), text, taker);
                }
                None => unreachable!("a zh splitter is built with a lexicon"),
            },
            Kind::Cl100k => each::<BLOCKS, _, _>(&cl100k::Cl100k::<3, true>, text, taker),
            Kind::O200k => each::<BLOCKS, _, _>(&o200k::O200k::<3>, text, taker),
            Kind::Llama3 => each::<BLOCKS, _, _>(&cl100k::Cl100k::<3, false>, text, taker),
            Kind::Qwen2 => each::<BLOCKS, _, _>(&cl100k::Cl100k::<1, false>, text, taker),
            Kind::BytesOnly if text.is_empty() => {}
            Kind::BytesOnly => taker.end(text.len()),
        }
    }

    /// Numbers are taken whole and then cut, so that each is read twice and no more. (One function for all callers:
    /// most of a splitter is inlined, and compiled anew for each.)
    #[inline(never)]
    fn each_right_to_left<const BLOCKS: bool>(&self, text: &str, f: &mut dyn FnMut(usize)) {
        let mut start = 0;
        let mut cut = |end| {
            numbers::groups_from_the_right(&text[start..end], &mut |length| f(start + length));
            start = end;
        };
        let Pattern::ByHand(kind) = &self.pattern else {
            unreachable!("a general pattern has no direction");
        };
        match kind {
            Kind::Digits3 => each::<BLOCKS, _, _>(&gpt2::Gpt2::<0>, text, &mut cut),
            Kind::Cl100k => each::<BLOCKS, _, _>(&cl100k::Cl100k::<0, true>, text, &mut cut),
            Kind::O200k => each::<BLOCKS, _, _>(&o200k::O200k::<0>, text, &mut cut),
            Kind::Llama3 => each::<BLOCKS, _, _>(&cl100k::Cl100k::<0, false>, text, &mut cut),
            _ => unreachable!("only splitters with groups of digits are made right to left"),
        }
    }

    /// How many of the pretokens of a text no continuation of it can change.
    pub fn settled(&self, text: &str, pretokens: &[&str]) -> usize {
        if !self.streams() {
            return 0; // and `encode_open` doesn't ask
        }
        let mut settled = pretokens.len().saturating_sub(HELD_PRETOKENS);
        if let Pattern::ByHand(Kind::Zh) = self.pattern {
            // Longest match looks at that many characters: a word that starts nearer to the end may still grow.
            let held = text.char_indices().rev().nth(MAX_WORD - 1);
            let certain = held.map_or(0, |(start, _)| start + 1);
            let mut end = 0;
            let starts_before = |pretoken: &&&str| {
                let start = end;
                end += pretoken.len();
                start < certain
            };
            let settled_words = pretokens.iter().take_while(starts_before).count();
            settled = settled.min(settled_words);
        }
        if self.right_to_left {
            // One more digit shifts all groups of its number.
            while settled > 0 && numbers::joined(pretokens[settled - 1], pretokens[settled]) {
                settled -= 1;
            }
        }
        settled
    }

    /// The first place at or after `at` where the text can be cut in two without changing any pretoken, else its
    /// length: see [`is_safe`].
    pub fn safe_cut(&self, text: &str, at: usize) -> usize {
        if !self.streams() {
            return text.len();
        }
        let mut cut = at.max(1);
        while !text.is_char_boundary(cut) && cut < text.len() {
            cut += 1;
        }
        let Some(rest) = text.get(cut..) else {
            return text.len();
        };
        let mut before = text[..cut].chars().next_back();
        let mut following = rest.chars();
        while let Some(c) = following.next() {
            if before.is_some_and(|before| is_safe(before, c, following.clone().next())) {
                return text.len() - following.as_str().len() - c.len_utf8();
            }
            before = Some(c);
        }
        text.len()
    }
}

/// Whether a text can be cut between two code points, of which the second is followed by `after`.
///
/// - Before a U+0020 that stands between two code points that are not blank. A pretoken has such a blank at its start
///   or not at all.
/// - Between a letter and a sign that is no apostrophe, mark or Han, such as `。` after `国`: texts without blanks have
///   these. In every pattern here, what may follow a letter within a pretoken is a letter, a mark (o200k), an
///   apostrophe (of a contraction), or Han (a sign of that script is part of a run of it, in the zh family). A sign
///   before a letter is no such place, since cl100k and its like have it lead the word.
///
/// So a pretoken ends at the cut, and none of those before it changes when the text ends there: every alternative that
/// matched still does, and one that didn't would have to be let through by a look ahead, which all ask for the end of
/// a run of blanks, and there is none at the end. What comes after the cut is matched as before, since no pattern
/// looks behind.
#[inline]
fn is_safe(before: char, c: char, after: Option<char>) -> bool {
    let class = unicode::class;
    let is_blank = |c: char| class(c) & unicode::SPACE != 0;
    if c == ' ' {
        return !is_blank(before) && after.is_some_and(|after| !is_blank(after));
    }
    let never = unicode::HAN | unicode::UPPER | unicode::LOWER;
    c != '\''
        && class(c) & (unicode::OTHER | never) == unicode::OTHER
        && class(before) & unicode::LETTER != 0
}

#[inline(always)]
fn each<const BLOCKS: bool, R: Rule, T: Taker>(rule: &R, text: &str, taker: &mut T) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut no_block_before = 0;
    while at < bytes.len() {
        if BLOCKS && at >= no_block_before {
            match Window::at(bytes, at) {
                Window::NotBefore(place) => no_block_before = place,
                Window::Ascii(block) => {
                    let ends = rule.ends(&block, bytes, at);
                    if ends != 0 {
                        taker.ends(at, ends);
                        at += 63 - ends.leading_zeros() as usize;
                        continue;
                    }
                }
            }
        }
        at = rule.next(bytes, at);
        taker.end(at);
    }
}

/// Script=Han: ideographs, and 々, 〇, radicals.
#[inline]
pub fn is_han(c: char) -> bool {
    unicode::class(c) & unicode::HAN != 0
}

/// Cuts a run of Han from the left by the longest word of the lexicon, else one character.
pub fn cut_han_run<'t>(run: &'t str, lexicon: &Lexicon, mut f: impl FnMut(&'t str)) {
    let mut rest = run;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(lexicon.longest_match(rest));
        f(word);
        rest = after;
    }
}
