//! Where two pretokens meet: whether a word may reach over.
//!
//! UAX #29 decides about a place by what stands beside it, so that a few bits of each pretoken tell most places where words
//! end whatever the rest of the text is. Where they don't, the answer is that a word may reach over, and whoever asks
//! looks at the text itself. Nothing here is about one text: the bits are those of a pretoken wherever it stands.

use crate::unicode;

pub type Edges = u16;

/// The first character is a letter, a digit or an underscore of ASCII.
const FIRST_WORD: Edges = 1;
/// The first is a sign that may stand inside a word, and what may go on with a word follows.
const FIRST_BETWEEN: Edges = 2;
/// The whole is such a sign.
const ALONE: Edges = 4;
const FIRST_BLANK: Edges = 8;
/// The first is a letter beyond ASCII.
const FIRST_LETTER: Edges = 16;
/// The first is anything else beyond ASCII that isn't told apart, such as a mark, which belongs to what it follows.
const FIRST_OTHER: Edges = 32;
const LAST_WORD: Edges = 64;
/// The last is a sign that may stand inside a word, after what may be in one.
const LAST_BETWEEN: Edges = 128;
const LAST_BLANK: Edges = 256;
const LAST_FOREIGN: Edges = 512;

/// The beginning of a text, and its end: as good as a blank.
pub const OPEN: Edges = FIRST_BLANK | LAST_BLANK;

/// Blanks of ASCII: no word has one, none reaches over one, and what stands on one side doesn't matter to the other.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Single quotes and stops stand inside words between letters or digits, colons between letters, the others between digits.
fn is_between(byte: u8) -> bool {
    matches!(byte, b'\'' | b'.' | b':' | b',' | b';')
}

/// Signs beyond ASCII that are in no word and join to nothing before or after them; only some that are frequent.
fn is_sign(c: char) -> bool {
    matches!(c, '–' | '—' | '“' | '”' | '„' | '…' | '«' | '»' | '•' | '°')
}

fn is_letter(c: char) -> bool {
    unicode::class(c) & unicode::LETTER != 0
}

pub fn of(pretoken: &str) -> Edges {
    let bytes = pretoken.as_bytes();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else {
        return OPEN;
    };
    let mut edges = 0;
    let set = |edges: &mut Edges, bit: Edges, is: bool| *edges |= if is { bit } else { 0 };
    let may_go_on = |byte: &u8| is_word(*byte) || !byte.is_ascii();
    set(&mut edges, FIRST_WORD, is_word(first));
    set(&mut edges, LAST_WORD, is_word(last));
    set(&mut edges, FIRST_BLANK, is_blank(first));
    set(&mut edges, LAST_BLANK, is_blank(last));
    if is_between(first) {
        set(&mut edges, ALONE, bytes.len() == 1);
        set(
            &mut edges,
            FIRST_BETWEEN,
            bytes.get(1).is_some_and(may_go_on),
        );
    }
    if is_between(last) && bytes.len() > 1 {
        set(&mut edges, LAST_BETWEEN, may_go_on(&bytes[bytes.len() - 2]));
    }
    if let Some(c) = pretoken.chars().next().filter(|c| !c.is_ascii()) {
        set(&mut edges, FIRST_LETTER, is_letter(c));
        set(&mut edges, FIRST_OTHER, !is_letter(c) && !is_sign(c));
    }
    if let Some(c) = pretoken.chars().next_back().filter(|c| !c.is_ascii()) {
        set(&mut edges, LAST_FOREIGN, !is_sign(c));
    }
    edges
}

/// Whether a word may reach from `left` to `right`, which follows it, or what one of them is cut into depend on the other.
/// `before` and `after`: the pretokens beside the two, or `OPEN`. (Without branches until all is known: which of them is
/// taken in prose can't be foreseen, and the answer nearly always can.)
#[inline(always)]
pub fn joined([before, left, right, after]: [Edges; 4]) -> bool {
    const GOES_ON: Edges = FIRST_WORD | FIRST_LETTER | FIRST_OTHER;
    let has = |edges: Edges, bits: Edges| edges & bits != 0;
    let foreign = has(left, LAST_FOREIGN) | has(right, FIRST_LETTER | FIRST_OTHER);
    let within = has(right, FIRST_WORD)
        & (has(left, LAST_WORD | LAST_BETWEEN)
            | (has(left, ALONE) & has(before, LAST_WORD | LAST_FOREIGN)));
    let ahead = has(left, LAST_WORD)
        & (has(right, FIRST_BETWEEN) | (has(right, ALONE) & has(after, GOES_ON)));
    let blank = has(left, LAST_BLANK);
    let joins = (blank & has(right, FIRST_OTHER)) | (!blank & (foreign | within | ahead));
    !has(right, FIRST_BLANK) & joins
}

/// Whether a text may be cut at a place, and the words of both parts found by themselves: some of the places.
pub fn may_be_cut(text: &str, at: usize) -> bool {
    let (left, right) = text.split_at(at);
    let before = left.chars().next_back();
    let after = right.chars().next();
    match (before, after) {
        (Some(before), Some(after)) => {
            let blank = |c: char| c.is_ascii() && is_blank(c as u8);
            let joins = !after.is_ascii() && !is_letter(after);
            blank(before) && !joins || blank(after)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{budget, Random};
    use crate::words::words;

    const SOME: &[&str] = &[
        "a", "b", "Z", "1", "23", "_", ".", ",", "'", ":", ";", "-", "!", "\"", " ", "  ", "\n",
        "\r", "\t", "\r\n", "é", "ß", "e\u{301}", "\u{301}", "\u{200d}", "\u{ad}", "’", "‘", "·",
        "“", "”", "—", "–", "…", "«", "»", "•", "°", "„", "世", "界", "カ", "ไ", "א", "😀", "🇩",
    ];

    fn found(text: &str, from: usize) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        words(text, |start, end| all.push((from + start, from + end)));
        all
    }

    /// What isn't joined may be cut there.
    #[test]
    fn words_of_parts_are_those_of_the_text() {
        let mut random = Random(61);
        let mut cuts = 0;
        for _ in 0..60_000 * budget() {
            let pretokens: Vec<String> = (0..random.below(7))
                .map(|_| {
                    let pieces = 1 + random.below(3);
                    (0..pieces)
                        .map(|_| SOME[random.below(SOME.len())])
                        .collect()
                })
                .collect();
            let edges: Vec<Edges> = pretokens.iter().map(|pretoken| of(pretoken)).collect();
            let at = |place: usize| edges.get(place).copied().unwrap_or(OPEN);
            let text = pretokens.concat();
            let mut apart = Vec::new();
            let (mut start, mut end) = (0, 0);
            for (place, pretoken) in pretokens.iter().enumerate() {
                end += pretoken.len();
                let before = place.checked_sub(1).map_or(OPEN, at);
                if place + 1 == pretokens.len()
                    || !joined([before, at(place), at(place + 1), at(place + 2)])
                {
                    apart.extend(found(&text[start..end], start));
                    start = end;
                    cuts += 1;
                }
            }
            assert_eq!(apart, found(&text, 0), "{pretokens:?}");
            for (at, _) in text.char_indices().filter(|(at, _)| may_be_cut(&text, *at)) {
                let mut parts = found(&text[..at], 0);
                parts.extend(found(&text[at..], at));
                assert_eq!(parts, found(&text, 0), "{text:?} cut at {at}");
            }
        }
        assert!(cuts > 60_000);
    }

    #[test]
    fn prose_is_cut_nearly_everywhere() {
        let pretokens = [
            "Well", ",", " the", " cat", " —", " or", " “", "dog", "”", ".", "\n", "Été", " is",
            " here",
        ];
        let edges: Vec<Edges> = pretokens.iter().map(|pretoken| of(pretoken)).collect();
        for four in edges.windows(4) {
            assert!(!joined([four[0], four[1], four[2], four[3]]));
        }
    }
}
