//! The word list that cuts Han runs: longest match from the left.

use super::is_han;
use super::scan::code_point_at;

/// The longest word of a lexicon, in code points.
pub const MAX_WORD: usize = 8;

/// Words of 2 to 8 Han code points, as a trie whose edges lie in one open-addressed table.
///
/// At most places no word starts, and a small bitmap of the words' first two code points says so without a look
/// into the table, which doesn't fit the caches for a large lexicon. The table starts at the second code point,
/// and its edges know whether they lead on, so that most words take one look.
///
/// An edge takes eight bytes, because the place where it lies is the name of the node that it leads to:
/// `node it comes from << 32 | code point << 2 | LEADS_ON | ENDS`. No edge is 0, which marks a free place. The
/// nodes of first code points have names above all places.
///
/// (A hash set per length would probe up to seven times at every character. Edges from a root, without the
/// bitmap and LEADS_ON, took twice the time with 337,000 words.)
pub struct Lexicon {
    edges: Vec<u64>,
    /// By hash of a pair of code points, whether a word may start with it.
    starts: Vec<u64>,
    words: usize,
}

/// A word ends with this edge.
const ENDS: u64 = 1;
/// Longer words go on from this edge.
const LEADS_ON: u64 = 2;
const FIRST: u64 = 1 << 31;

#[inline(always)]
fn key(node: u64, cp: u32) -> u64 {
    node << 32 | u64::from(cp) << 2
}

#[inline(always)]
fn hash(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

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
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.sort_unstable();
        words.dedup();
        // Nodes are places in the table, so it cannot grow later: at most half of it will be taken.
        let nodes = count_edges(&words);
        if nodes > 1 << 29 {
            return Err(format!("a lexicon of {} words is too large", words.len()));
        }
        let mut lexicon = Lexicon {
            edges: vec![0; (2 * nodes + 2).next_power_of_two()],
            starts: vec![0; (nodes / 4 + 1).next_power_of_two()],
            words: words.len(),
        };
        for word in words {
            lexicon.insert(word);
        }
        Ok(lexicon)
    }

    fn insert(&mut self, word: &str) {
        let mut chars = word.chars().map(|c| c as u32);
        let mut node = FIRST | u64::from(chars.next().unwrap_or(0));
        for (depth, cp) in chars.enumerate() {
            let key = key(node, cp);
            if depth == 0 {
                let (at, bit) = self.start_bit(key);
                self.starts[at] |= bit;
            } else {
                self.edges[node as usize] |= LEADS_ON;
            }
            let (place, edge) = self.find(key);
            self.edges[place] = edge | key;
            node = place as u64;
        }
        self.edges[node as usize] |= ENDS;
    }

    /// The number of distinct words.
    pub fn len(&self) -> usize {
        self.words
    }

    pub fn is_empty(&self) -> bool {
        self.words == 0
    }

    #[inline(always)]
    fn start_bit(&self, key: u64) -> (usize, u64) {
        let hash = hash(key);
        let at = (hash >> 38) as usize & (self.starts.len() - 1);
        (at, 1 << (hash >> 32 & 63))
    }

    /// Where the edge of this key lies, or would lie, and what lies there.
    #[inline(always)]
    fn find(&self, key: u64) -> (usize, u64) {
        let mask = self.edges.len() - 1;
        let mut place = (hash(key) >> 34) as usize & mask;
        loop {
            let edge = self.edges[place];
            if edge == 0 || edge & !(ENDS | LEADS_ON) == key {
                return (place, edge);
            }
            place = (place + 1) & mask;
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
        let (first, length) = code_point_at(text, at);
        let mut longest = at + length;
        if longest == text.len() {
            return longest;
        }
        let (second, length) = code_point_at(text, longest);
        let mut next = longest + length;
        let mut wanted = key(FIRST | u64::from(first), second);
        let (at, bit) = self.start_bit(wanted);
        if self.starts[at] & bit == 0 {
            return longest;
        }
        loop {
            let (node, edge) = self.find(wanted);
            if edge & ENDS != 0 {
                longest = next;
            }
            if edge & LEADS_ON == 0 || next == text.len() {
                return longest;
            }
            let (cp, length) = code_point_at(text, next);
            next += length;
            wanted = key(node as u64, cp);
        }
    }
}

/// The number of edges of a trie of these sorted words, not counting first code points.
fn count_edges(words: &[&str]) -> usize {
    let mut edges = 0;
    let mut before = "";
    for word in words {
        let pairs = word.chars().zip(before.chars());
        let shared = pairs.take_while(|(a, b)| a == b).count();
        edges += word.chars().count() - shared.max(1);
        before = word;
    }
    edges
}
