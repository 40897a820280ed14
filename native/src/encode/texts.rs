//! Texts as their owner holds them, and their UTF-8.
//!
//! Python holds a text in units of one, two or four bytes, as wide as its widest character needs, and makes its UTF-8
//! only when asked. It takes a third as long as encoding it, and is kept as long as the text. So blocks are cut from
//! the units themselves, and each becomes UTF-8 on the thread that encodes it, in memory that is used again.

use std::ops::Range;

use aho_corasick::AhoCorasick;

use crate::count::blocks::{cut, Source, REACH};
use crate::pretok::Splitter;

/// A text that has a lone surrogate, of which there is no UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed;

/// A text, or a piece of it. One unit is one code point, except in UTF-8.
#[derive(Clone, Copy)]
pub enum Text<'t> {
    Utf8(&'t str),
    One(&'t [u8]),
    Two(&'t [u16]),
    Four(&'t [u32]),
}

impl<'t> Text<'t> {
    /// The text as UTF-8, made in `room` where it is something else.
    pub fn utf8<'r>(self, room: &'r mut Vec<u8>) -> Result<&'r str, Malformed>
    where
        't: 'r,
    {
        let length = match self {
            Text::Utf8(text) => return Ok(text),
            Text::One(units) => write(units, room)?,
            Text::Two(units) => write(units, room)?,
            Text::Four(units) => write(units, room)?,
        };
        let bytes = &room[..length];
        debug_assert!(std::str::from_utf8(bytes).is_ok());
        // Safety: `write` writes one `char` after the other.
        Ok(unsafe { std::str::from_utf8_unchecked(bytes) })
    }

    /// Some of the units as characters, where lone surrogates have become something else.
    fn characters(self, units: Range<usize>) -> String {
        let character = |code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        match self.piece(units) {
            Text::Utf8(text) => text.to_owned(),
            Text::One(units) => units.iter().map(|unit| character(unit.code())).collect(),
            Text::Two(units) => units.iter().map(|unit| character(unit.code())).collect(),
            Text::Four(units) => units.iter().map(|unit| character(unit.code())).collect(),
        }
    }
}

/// The units are looked at so many at a time, first, to find a cut.
const WINDOW: usize = 1 << 8;

impl Source for Text<'_> {
    fn length(self) -> usize {
        match self {
            Text::Utf8(text) => text.len(),
            Text::One(units) => units.len(),
            Text::Two(units) => units.len(),
            Text::Four(units) => units.len(),
        }
    }

    fn piece(self, range: Range<usize>) -> Self {
        match self {
            Text::Utf8(text) => Text::Utf8(&text[range]),
            Text::One(units) => Text::One(&units[range]),
            Text::Two(units) => Text::Two(&units[range]),
            Text::Four(units) => Text::Four(&units[range]),
        }
    }

    /// Looked for in the characters from a little before the place to a little behind the cut, which is as far as any
    /// rule and any special token looks.
    fn cut(self, at: usize, splitter: &Splitter, specials: Option<&AhoCorasick>) -> usize {
        if let Text::Utf8(text) = self {
            return cut(text, at, splitter, specials);
        }
        let length = self.length();
        if specials.is_none() && !splitter.streams() {
            return length;
        }
        // In bytes, of which no character has fewer than one.
        let around = REACH + specials.map_or(0, AhoCorasick::max_pattern_len);
        let from = at.saturating_sub(around);
        let mut window = self.characters(from..at);
        let near = window.len();
        let (mut end, mut more) = (at, WINDOW + 2 * around);
        loop {
            let next = length.min(end + more);
            window.push_str(&self.characters(end..next));
            (end, more) = (next, 2 * more);
            let place = cut(&window, near, splitter, specials);
            if end == length || place + REACH + around < window.len() {
                return from + window[..place].chars().count();
            }
        }
    }
}

trait Unit: Copy {
    /// The bytes that one becomes at most.
    const MOST: usize;

    fn code(self) -> u32;
}

impl Unit for u8 {
    const MOST: usize = 2;

    #[inline(always)]
    fn code(self) -> u32 {
        u32::from(self)
    }
}

impl Unit for u16 {
    const MOST: usize = 3;

    #[inline(always)]
    fn code(self) -> u32 {
        u32::from(self)
    }
}

impl Unit for u32 {
    const MOST: usize = 4;

    #[inline(always)]
    fn code(self) -> u32 {
        self
    }
}

/// So many units are ASCII together, and become bytes by a few vectors, or are looked at one by one.
const TOGETHER: usize = 16;

/// Writes the UTF-8 of some code points to the beginning of the room, which grows as it must; how many bytes it has.
fn write<U: Unit>(units: &[U], room: &mut Vec<u8>) -> Result<usize, Malformed> {
    let most = units.len() * U::MOST;
    if room.len() < most {
        room.resize(most, 0);
    }
    let mut at = 0;
    let (chunks, rest) = units.as_chunks::<TOGETHER>();
    for chunk in chunks {
        if chunk.iter().fold(0, |all, unit| all | unit.code()) < 0x80 {
            for (to, unit) in room[at..at + TOGETHER].iter_mut().zip(chunk) {
                *to = unit.code() as u8;
            }
            at += TOGETHER;
        } else {
            at = write_each(chunk, room, at)?;
        }
    }
    write_each(rest, room, at)
}

fn write_each<U: Unit>(units: &[U], room: &mut [u8], mut at: usize) -> Result<usize, Malformed> {
    for unit in units {
        let character = char::from_u32(unit.code()).ok_or(Malformed)?;
        at += character.encode_utf8(&mut room[at..]).len();
    }
    Ok(at)
}
