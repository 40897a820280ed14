//! The word list that cuts Han runs: longest match from the left.

use super::is_han;
use super::scan::code_point_at;

/// The longest word of a lexicon, in code points.
pub const MAX_WORD: usize = 8;

/// Words of 2 to 8 Han code points, as a trie whose edges lie in one open-addressed table.
///
/// An edge takes eight bytes, because the place where it lies in the table is the name of the node that it leads
/// to: `parent << 32 | code point << 1 | a word ends here`. No edge is 0, which marks a free place. (A hash set
/// per length would probe up to seven times at every character; the trie stops at the first step that no word
/// takes, most often the second.)
pub struct Lexicon {
    edges: Vec<u64>,
    shift: u32,
    words: usize,
}

const ROOT: u64 = u32::MAX as u64;

impl Lexicon {
    /// Refuses words that are not 2 to 8 code points of Script=Han. Repeated words count once.
    pub fn new(words: &[String]) -> Result<Self, String> {
        for word in words {
            if !(2..=MAX_WORD).contains(&word.chars().count()) || !word.chars().all(is_han) {
                return Err(format!(
                    "a word of a lexicon is 2 to {MAX_WORD} Han characters, and {word:?} is not"
                ));
            }
        }
        // Nodes are places in the table, so it cannot grow later: at most half of it will be taken.
        let nodes: usize = words.iter().map(|word| word.chars().count()).sum();
        let bits = (2 * nodes + 2).next_power_of_two().trailing_zeros();
        if bits > 31 {
            return Err(format!("a lexicon of {} words is too large", words.len()));
        }
        let mut lexicon = Lexicon {
            edges: vec![0; 1 << bits],
            shift: 64 - bits,
            words: 0,
        };
        for word in words {
            let mut node = ROOT;
            for c in word.chars() {
                let (place, _) = lexicon.place(node, c as u32);
                if lexicon.edges[place] == 0 {
                    lexicon.edges[place] = node << 32 | u64::from(c as u32) << 1;
                }
                node = place as u64;
            }
            let last = &mut lexicon.edges[node as usize];
            lexicon.words += usize::from(*last & 1 == 0);
            *last |= 1;
        }
        Ok(lexicon)
    }

    /// The number of distinct words.
    pub fn len(&self) -> usize {
        self.words
    }

    pub fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// Where the edge from `node` by `cp` lies, or would lie, and what lies there.
    #[inline(always)]
    fn place(&self, node: u64, cp: u32) -> (usize, u64) {
        let key = node << 32 | u64::from(cp) << 1;
        let mask = self.edges.len() - 1;
        let mut place = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize;
        loop {
            let edge = self.edges[place & mask];
            if edge == 0 || edge & !1 == key {
                return (place & mask, edge);
            }
            place += 1;
        }
    }

    /// The length in bytes of the longest word that `text` starts with, or of its first character where none
    /// does; 0 for an empty text.
    #[inline]
    pub fn longest_match(&self, text: &str) -> usize {
        if text.is_empty() {
            0
        } else {
            self.end_of_longest(text.as_bytes(), 0)
        }
    }

    /// The same inside a text, of which `at` is a place before the end; the result is a place too.
    #[inline(always)]
    pub(super) fn end_of_longest(&self, text: &[u8], at: usize) -> usize {
        let (cp, length) = code_point_at(text, at);
        let mut longest = at + length;
        let (mut node, mut edge) = self.place(ROOT, cp);
        let mut next = longest;
        while edge != 0 && next < text.len() {
            let (cp, length) = code_point_at(text, next);
            next += length;
            (node, edge) = self.place(node as u64, cp);
            if edge & 1 != 0 {
                longest = next;
            }
        }
        longest
    }
}
