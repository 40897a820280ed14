//! Tokens by id in one piece of memory: an object for each of 200,000 tokens takes ten times the room, and longer to make
//! than everything else about a vocabulary.

use std::collections::HashSet;

use crate::table::{Interner, Packed};

/// Larger ids are no file's.
const MAX_ID: u32 = (1 << 31) - 1;

/// In order of id; ids may have gaps.
pub struct Vocabulary {
    bytes: Vec<u8>,
    ids: Vec<u32>,
    /// Token `n` is `bytes[starts[n]..starts[n + 1]]`.
    starts: Vec<u32>,
}

impl Vocabulary {
    /// Of tokens whose ids are all different.
    pub fn new<T: AsRef<[u8]>>(mut tokens: Vec<(u32, T)>) -> Self {
        tokens.sort_unstable_by_key(|&(id, _)| id);
        let mut made = Vocabulary {
            bytes: Vec::new(),
            ids: Vec::with_capacity(tokens.len()),
            starts: Vec::with_capacity(tokens.len() + 1),
        };
        made.starts.push(0);
        for (id, token) in &tokens {
            made.push(*id, token.as_ref());
        }
        made
    }

    fn push(&mut self, id: u32, token: &[u8]) {
        self.bytes.extend_from_slice(token);
        self.ids.push(id);
        self.starts.push(self.bytes.len() as u32);
    }

    /// A `.tiktoken` file that is exactly as tiktoken writes them: on each line the token in base64, a blank and its rank,
    /// no token and no rank twice. None for any other, which somebody slower has to look at.
    pub fn parse_ranks(data: &[u8]) -> Option<Self> {
        // Base64 takes four bytes for three.
        let (mut arena, mut rows) = (Vec::with_capacity(data.len() / 2), Vec::new());
        let data = data.strip_suffix(b"\n").unwrap_or(data);
        for line in data.split(|&byte| byte == b'\n') {
            let blank = line.iter().position(|&byte| byte == b' ')?;
            let start = arena.len();
            decode(&line[..blank], &mut arena)?;
            rows.push((number(&line[blank + 1..])?, (start, arena.len())));
        }
        let tokens = rows
            .iter()
            .map(|&(id, (start, end))| (id, &arena[start..end]));
        let made = Vocabulary::new(tokens.collect());
        let rising = made.ids.windows(2).all(|pair| pair[0] < pair[1]);
        (rising && made.all_differ()).then_some(made)
    }

    /// Whether no bytes stand twice. A sort of hashes touches a tenth of the memory that a table does.
    fn all_differ(&self) -> bool {
        let mut hashes: Vec<(u64, usize)> = (0..self.len())
            .map(|number| (Packed::new(self.at(number)).hash(), number))
            .collect();
        hashes.sort_unstable();
        let mut same = hashes.chunk_by(|one, other| one.0 == other.0);
        same.all(|some| {
            let mut tokens: Vec<_> = some.iter().map(|&(_, number)| self.at(number)).collect();
            tokens.sort_unstable();
            tokens.windows(2).all(|pair| pair[0] != pair[1])
        })
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    fn at(&self, number: usize) -> &[u8] {
        &self.bytes[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    pub fn get(&self, id: u32) -> Option<&[u8]> {
        let number = self.ids.binary_search(&id).ok()?;
        Some(self.at(number))
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.ids.iter().copied().zip((0..).map(|n| self.at(n)))
    }

    /// Of each token, in order of id.
    pub fn lengths(&self) -> Vec<i64> {
        let lengths = self.starts.windows(2);
        lengths.map(|pair| i64::from(pair[1] - pair[0])).collect()
    }

    /// All tokens of one byte, and the first `room` others.
    pub fn first(&self, mut room: usize) -> Self {
        let kept = self.iter().filter(|(_, token)| {
            let kept = token.len() == 1 || room > 0;
            room -= usize::from(token.len() > 1 && kept);
            kept
        });
        Vocabulary::new(kept.collect())
    }

    /// `[id,"hex"]` of every token, with commas between them, as JSON would write it.
    pub fn listed(&self) -> Vec<u8> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = Vec::with_capacity(self.bytes.len() * 2 + self.len() * 16);
        for (id, token) in self.iter() {
            text.extend_from_slice(if text.is_empty() { b"[" } else { b",[" });
            push_number(&mut text, id);
            text.extend_from_slice(b",\"");
            text.extend(token.iter().flat_map(|&byte| {
                [
                    DIGITS[usize::from(byte >> 4)],
                    DIGITS[usize::from(byte & 15)],
                ]
            }));
            text.extend_from_slice(b"\"]");
        }
        text
    }
}

/// Its decimal digits; the standard library's formatting takes several times as long.
fn push_number(text: &mut Vec<u8>, mut number: u32) {
    let (mut digits, mut start) = ([0; 10], 10);
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[start..]);
}

/// A number for each token of each vocabulary, but for those that are in its `without`: equal bytes have equal numbers.
pub fn token_numbers(vocabularies: &[&Vocabulary], without: &[HashSet<Vec<u8>>]) -> Vec<Vec<u32>> {
    let largest = vocabularies.iter().map(|one| one.len()).max();
    let mut table = Interner::with_capacity(largest.unwrap_or(0));
    let both = vocabularies.iter().zip(without);
    both.map(|(vocabulary, without)| {
        // Hardly any token has the length of a special one, and most of the time would go into looking for them all.
        let lengths: HashSet<usize> = without.iter().map(Vec::len).collect();
        let kept = vocabulary
            .iter()
            .filter(|(_, token)| !lengths.contains(&token.len()) || !without.contains(*token));
        kept.map(|(_, token)| table.intern(token).0).collect()
    })
    .collect()
}

/// Digits without a leading zero, of at most `MAX_ID`.
fn number(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 10 || (digits.len() > 1 && digits[0] == b'0') {
        return None;
    }
    let mut value = 0_u64;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u64::from(digit - b'0');
    }
    u32::try_from(value).ok().filter(|&value| value <= MAX_ID)
}

fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

/// Appends what the base64 text stands for, if it is how that is written: padded, with zeros in the bits that are left
/// over. Nothing stands for no bytes.
fn decode(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    if text.is_empty() || !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text.iter().rev().take_while(|&&byte| byte == b'=').count();
    if padding > 2 {
        return None;
    }
    let given = &text[..text.len() - padding];
    for quartet in given.chunks(4) {
        let mut bits = 0;
        for &byte in quartet {
            bits = bits << 6 | sextet(byte)?;
        }
        bits <<= 6 * (4 - quartet.len());
        let bytes = bits.to_be_bytes();
        let whole = quartet.len() - 1;
        out.extend_from_slice(&bytes[1..=whole]);
        if bytes[whole + 1..].iter().any(|&byte| byte != 0) {
            return None;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(vocabulary: &Vocabulary) -> Vec<(u32, Vec<u8>)> {
        let rows = vocabulary.iter();
        rows.map(|(id, token)| (id, token.to_vec())).collect()
    }

    #[test]
    fn a_file_of_ranks() {
        let made = Vocabulary::parse_ranks(b"YWI= 7\nYQ== 0\nYWJj 9\n").expect("a sound file");
        let expected = [
            (0, b"a".to_vec()),
            (7, b"ab".to_vec()),
            (9, b"abc".to_vec()),
        ];
        assert_eq!(rows(&made), expected);
        assert_eq!(made.get(7), Some(&b"ab"[..]));
        assert_eq!(made.get(8), None);
        assert_eq!(made.lengths(), [1, 2, 3]);
        assert_eq!(made.listed(), b"[0,\"61\"],[7,\"6162\"],[9,\"616263\"]");
        assert_eq!(rows(&made.first(1)), expected[..2]);
        assert_eq!(rows(&made.first(0)), expected[..1]);
    }

    #[test]
    fn any_other_file_is_left_to_others() {
        for data in [
            &b""[..],
            b"\n",
            b"YQ== 0\n\nYWI= 1",
            b"YQ== 0\r\n",
            b"YQ==  0",
            b"YQ== 00",
            b"YQ== +1",
            b"YQ== 0 ",
            b"YQ== 2147483648",
            b"YQ== 99999999999",
            b"YQ==",
            b" 0",
            b"==== 0",
            b"YQ= 0",
            b"Y=== 0",
            b"YR== 0",
            b"YWJ= 0",
            b"Y-== 0",
            b"YQ==YQ== 0",
            b"YQ== 0\nYQ== 1",
            b"YQ== 0\nYWI= 0",
        ] {
            assert!(Vocabulary::parse_ranks(data).is_none(), "{data:?}");
        }
    }

    #[test]
    fn equal_bytes_have_equal_numbers() {
        let one = Vocabulary::new(vec![(0, "a"), (1, "b"), (2, "<s>")]);
        let other = Vocabulary::new(vec![(0, "b"), (5, "c")]);
        let without = [HashSet::from([b"<s>".to_vec()]), HashSet::new()];
        assert_eq!(
            token_numbers(&[&one, &other], &without),
            [vec![0, 1], vec![1, 2]]
        );
    }
}
