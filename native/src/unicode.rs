//! The Unicode classes that the split patterns use, from the one table that the Python side reads too.
//!
//! `unicode16.bin` holds the general category of every code point. The splitters ask for few combinations of
//! categories, so the compiler turns each entry into a byte of class bits, and a look-up is two loads.

const FILE: &[u8] = include_bytes!("../../tokenizers_impl/unicode16.bin");
const HEADER: usize = 24;

const fn u16_at(at: usize) -> u16 {
    u16::from_le_bytes([FILE[at], FILE[at + 1]])
}

const fn u32_at(at: usize) -> u32 {
    u32::from_le_bytes([FILE[at], FILE[at + 1], FILE[at + 2], FILE[at + 3]])
}

const SHIFT: u32 = FILE[13] as u32;
const LOW: u32 = (1 << SHIFT) - 1;
const ENTRIES: usize = u16_at(14) as usize;
const SIZE: usize = u32_at(16) as usize;

// A file that this code was not written for is a compile error.
const _: () = {
    let magic = *b"EVKUNICO";
    let mut at = 0;
    while at < magic.len() {
        assert!(FILE[at] == magic[at]);
        at += 1;
    }
    assert!(u16_at(8) == 1);
    assert!(FILE[10] == 16 && FILE[11] == 0 && FILE[12] == 0);
    assert!(ENTRIES == 0x11_0000 >> SHIFT);
    assert!(FILE.len() == HEADER + 2 * ENTRIES + SIZE);
};

/// The Unicode version of every class here.
pub const UNICODE_VERSION: &str = "16.0.0";

/// `\p{L}`
pub const LETTER: u8 = 1;
/// `\p{N}`
pub const NUMBER: u8 = 2;
/// `\s`: 25 code points.
pub const SPACE: u8 = 4;
/// `[^\s\p{L}\p{N}]`
pub const OTHER: u8 = 8;
/// Script=Han, beside one of the four above.
pub const HAN: u8 = 16;
/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
pub const UPPER: u8 = 32;
/// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
pub const LOWER: u8 = 64;
/// `[\r\n]`, beside SPACE.
pub const NEWLINE: u8 = 128;

const RAW_CATEGORY: u8 = 0x1F;
const RAW_HAN: u8 = 0x20;
const RAW_SPACE: u8 = 0x40;

/// The class bits of an entry of the file: Lu Ll Lt Lm Lo, Mn Mc Me, Nd Nl No, then all the others.
const fn class_of_raw(raw: u8) -> u8 {
    let class = if raw & RAW_SPACE != 0 {
        SPACE
    } else {
        match raw & RAW_CATEGORY {
            0 | 2 => LETTER | UPPER,
            1 => LETTER | LOWER,
            3 | 4 => LETTER | UPPER | LOWER,
            5..=7 => OTHER | UPPER | LOWER,
            8..=10 => NUMBER,
            _ => OTHER,
        }
    };
    if raw & RAW_HAN != 0 {
        class | HAN
    } else {
        class
    }
}

static INDEX: [u16; ENTRIES] = {
    let mut index = [0; ENTRIES];
    let mut at = 0;
    while at < ENTRIES {
        index[at] = u16_at(HEADER + 2 * at);
        at += 1;
    }
    index
};

static CLASSES: [u8; SIZE] = {
    let mut classes = [0; SIZE];
    let mut at = 0;
    while at < SIZE {
        classes[at] = class_of_raw(FILE[HEADER + 2 * ENTRIES + at]);
        at += 1;
    }
    classes
};

const fn place(cp: u32) -> usize {
    ((u16_at(HEADER + 2 * (cp >> SHIFT) as usize) as usize) << SHIFT) + (cp & LOW) as usize
}

/// The class bits of the ASCII range; bytes of longer sequences have none.
pub static ASCII: [u8; 256] = {
    let mut table = [0; 256];
    let mut cp = 0;
    while cp < 128 {
        table[cp] = class_of_raw(FILE[HEADER + 2 * ENTRIES + place(cp as u32)]);
        cp += 1;
    }
    table[b'\r' as usize] |= NEWLINE;
    table[b'\n' as usize] |= NEWLINE;
    table
};

/// The class bits of a code point above U+007F (below, NEWLINE would be missing: use [`ASCII`]).
#[inline(always)]
pub fn class_beyond_ascii(cp: u32) -> u8 {
    CLASSES[((INDEX[(cp >> SHIFT) as usize] as usize) << SHIFT) + (cp & LOW) as usize]
}

/// The class bits of any code point.
#[inline]
pub fn class(c: char) -> u8 {
    if c.is_ascii() {
        ASCII[c as usize]
    } else {
        class_beyond_ascii(c as u32)
    }
}

/// The general category in two letters; the long way round, for tests and tools.
pub fn category(c: char) -> &'static str {
    const NAMES: &[u8] = b"LuLlLtLmLoMnMcMeNdNlNoPcPdPsPePiPfPoSmScSkSoZsZlZpCcCfCsCoCn";
    let raw = FILE[HEADER + 2 * ENTRIES + place(c as u32)] & RAW_CATEGORY;
    let at = 2 * raw as usize;
    std::str::from_utf8(&NAMES[at..at + 2]).unwrap_or("Cn")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = char> {
        (0..=0x10_FFFF).filter_map(char::from_u32)
    }

    #[test]
    fn file_is_intact() {
        let mut crc = !0u32;
        for &byte in &FILE[HEADER..] {
            crc ^= byte as u32;
            for _ in 0..8 {
                crc = (crc >> 1) ^ (0xEDB8_8320 & (!(crc & 1)).wrapping_add(1));
            }
        }
        assert_eq!(!crc, u32_at(20));
    }

    #[test]
    fn counts_of_unicode_16() {
        let count = |bit: u8| all().filter(|&c| class(c) & bit != 0).count();
        assert_eq!(count(LETTER), 141_028);
        assert_eq!(count(NUMBER), 1_911);
        assert_eq!(count(SPACE), 25);
        assert_eq!(count(HAN), 99_030);
        assert_eq!(count(NEWLINE), 2);
        assert_eq!(count(SPACE | LETTER | NUMBER | OTHER), 0x11_0000 - 0x800);
    }

    #[test]
    fn class_bits_follow_the_categories() {
        for c in all() {
            let (class, category) = (class(c), category(c));
            assert_eq!(class & LETTER != 0, category.starts_with('L'), "{c:?}");
            assert_eq!(class & NUMBER != 0, category.starts_with('N'), "{c:?}");
            assert_eq!(
                class & OTHER != 0,
                class & (LETTER | NUMBER | SPACE) == 0,
                "{c:?}"
            );
            let both = ["Lm", "Lo", "Mn", "Mc", "Me"].contains(&category);
            assert_eq!(
                class & UPPER != 0,
                both || ["Lu", "Lt"].contains(&category),
                "{c:?}"
            );
            assert_eq!(class & LOWER != 0, both || category == "Ll", "{c:?}");
        }
    }

    #[test]
    fn edges() {
        assert_eq!(category('\u{1C89}'), "Lu"); // assigned in 16.0
        assert_eq!(category('\u{0295}'), "Ll"); // Lo since 17.0
        assert_eq!(category('\u{0558}'), "Cn");
        assert_eq!(class('\u{1C}') & SPACE, 0);
        assert_eq!(class('\u{85}') & SPACE, SPACE);
        assert_eq!(class('〇'), HAN | NUMBER);
        assert_eq!(class('々'), HAN | LETTER | UPPER | LOWER);
        assert_eq!(class('⺀'), HAN | OTHER);
    }
}
