//! The ids of pretokens that any thread has met, in one table for all of them, without locks.
//!
//! What is in the table stays as it is: a thread that adds a pretoken claims a vacant slot, writes it, and at last its key's
//! second word, without which nobody takes the slot for anything. A reader that finds that word finds the rest.
//! (With a table for each thread, each of two threads met nearly all new pretokens itself.)

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::memory::{Zero, Zeroed};
use crate::table::{prefetch, Packed};

/// Ids that a slot has room for.
pub const INLINE: usize = 3;

/// Up to three ids, zeros, and how many they are.
pub type Value = [u32; INLINE + 1];

/// Says that a slot is being written. No key has it: keys have their length in the top byte.
const CLAIMED: u64 = 1;

/// The key's words and the value's; all zeros where it is vacant.
#[derive(Default)]
struct Slot([AtomicU64; 4]);

impl Slot {
    /// Zero where the slot has the key.
    #[inline(always)]
    fn difference(&self, key: (u64, u64)) -> u64 {
        let second = self.0[1].load(Ordering::Acquire) ^ key.1;
        second | (self.0[0].load(Ordering::Relaxed) ^ key.0)
    }

    #[inline(always)]
    fn value(&self) -> Value {
        let [one, two] = [2, 3].map(|word: usize| self.0[word].load(Ordering::Relaxed));
        [
            one as u32,
            (one >> 32) as u32,
            two as u32,
            (two >> 32) as u32,
        ]
    }

    /// Whether the slot was vacant, and now has the key.
    fn take(&self, key: (u64, u64), value: Value) -> bool {
        let [first, second, one, two] = &self.0;
        let claimed = second.compare_exchange(0, CLAIMED, Ordering::Relaxed, Ordering::Relaxed);
        if claimed.is_err() {
            return false;
        }
        let [a, b, c, d] = value.map(u64::from);
        first.store(key.0, Ordering::Relaxed);
        one.store(a | b << 32, Ordering::Relaxed);
        two.store(c | d << 32, Ordering::Relaxed);
        second.store(key.1, Ordering::Release);
        true
    }
}

/// One cache line.
#[derive(Default)]
#[repr(align(64))]
struct Line([Slot; 2]);

// Safety: it is numbers, and nothing beside them.
unsafe impl Zero for Line {}

/// A number that threads write while they read what stands beside it, in cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
struct Apart(AtomicUsize);

/// A table of pretokens of at most 15 bytes that have at most three ids.
pub struct Shared {
    /// A power of two.
    lines: Zeroed<Line>,
    /// 64 less the logarithm of the number of lines: the hash's top bits say which.
    shift: u32,
    taken: Apart,
    /// How many lines it may have when it is made larger.
    largest: usize,
}

/// The lines of a table before it grows.
const FEWEST: usize = 1 << 8;

/// A text of so many units is worth a line. (With one for eight, half of the first call on half a megabyte was the time
/// that fresh pages take.)
const UNITS_A_LINE: usize = 32;

fn lines_for(units: usize) -> usize {
    (units / UNITS_A_LINE + 1).next_power_of_two()
}

impl Shared {
    /// With room for so many bytes, or a little; and how many it may grow to, a power of two.
    pub fn new(bytes: usize, largest: usize) -> Self {
        let largest = (largest / size_of::<Line>()).max(2);
        let lines = (bytes / size_of::<Line>()).clamp(FEWEST.min(largest), largest);
        Shared {
            lines: Zeroed::new(lines),
            shift: 64 - lines.trailing_zeros(),
            taken: Apart::default(),
            largest,
        }
    }

    /// With room for so much text, of `most` bytes at most.
    pub fn for_text(units: usize, most: usize) -> Self {
        Shared::new(lines_for(units) * size_of::<Line>(), most)
    }

    /// The same table with more lines where a quarter of its slots is taken, or it is small for so much text; none where
    /// it is large enough.
    pub fn larger(&self, units: usize) -> Option<Shared> {
        let lines = self.lines.len();
        let full = self.taken.0.load(Ordering::Relaxed) * 2 >= lines;
        let grown = if full { lines * 4 } else { lines };
        let wanted = grown.max(lines_for(units)).min(self.largest);
        if wanted <= lines {
            return None;
        }
        let [bytes, most] = [wanted, self.largest].map(|lines| lines * size_of::<Line>());
        let larger = Shared::new(bytes, most);
        for slot in self.lines.iter().flat_map(|Line(slots)| slots) {
            let second = slot.0[1].load(Ordering::Acquire);
            if second > CLAIMED {
                let key = Packed::of_words((slot.0[0].load(Ordering::Relaxed), second));
                // (What finds no room is met again.)
                larger.insert(larger.line_of(key), key, slot.value());
            }
        }
        Some(larger)
    }

    pub fn lines(&self) -> usize {
        self.lines.len()
    }

    #[inline(always)]
    pub fn line_of(&self, key: Packed) -> usize {
        (key.hash() >> self.shift) as usize
    }

    #[inline(always)]
    pub fn expect(&self, line: usize) {
        prefetch(&self.lines, line);
    }

    /// The value of a key that lies in its own line.
    #[inline(always)]
    pub fn find(&self, line: usize, key: Packed) -> Option<Value> {
        let Line([one, two]) = &self.lines[line];
        // One branch: which of the two it is would be mispredicted.
        let (from_one, from_two) = (one.difference(key.words()), two.difference(key.words()));
        if from_one.min(from_two) != 0 {
            return None;
        }
        Some(if from_two == 0 { two } else { one }.value())
    }

    /// The value of a key for which its own line had no room.
    #[inline(always)]
    pub fn neighbour(&self, line: usize, key: Packed) -> Option<Value> {
        self.find(line ^ 1, key)
    }

    pub fn get(&self, key: Packed) -> Option<Value> {
        let line = self.line_of(key);
        self.find(line, key).or_else(|| self.neighbour(line, key))
    }

    /// Whether there was room. The key is short and, as far as this thread knows, not there: one that another thread
    /// adds at the same time is there twice, with the same ids.
    pub fn insert(&self, line: usize, key: Packed, value: Value) -> bool {
        debug_assert!(!key.is_long());
        let found = [line, line ^ 1].iter().any(|&place| {
            let Line(slots) = &self.lines[place];
            slots.iter().any(|slot| slot.take(key.words(), value))
        });
        self.taken
            .0
            .fetch_add(usize::from(found), Ordering::Relaxed);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use std::collections::HashMap;

    fn key(number: usize) -> Packed {
        Packed::new(format!("key {number}").as_bytes())
    }

    fn value(number: usize) -> Value {
        [number as u32, 7, number as u32 / 2, 1 + number as u32 % 3]
    }

    #[test]
    fn many_threads_find_what_was_added_or_nothing() {
        for lines in [0, 2, 64, 1 << 12] {
            let shared = Shared::new(lines << 6, lines << 6);
            std::thread::scope(|scope| {
                for thread in 0..3 {
                    let shared = &shared;
                    scope.spawn(move || {
                        let mut random = Random(thread);
                        let mut mine = HashMap::new();
                        for _ in 0..20_000 {
                            let number = random.below(4_000);
                            let line = shared.line_of(key(number));
                            let found = shared.get(key(number));
                            match found {
                                Some(found) => assert_eq!(found, value(number)),
                                None => {
                                    assert!(!mine.contains_key(&number));
                                    if shared.insert(line, key(number), value(number)) {
                                        mine.insert(number, line);
                                    }
                                }
                            }
                        }
                        for (number, line) in mine {
                            let own = shared.find(line, key(number));
                            let found = own.or_else(|| shared.neighbour(line, key(number)));
                            assert_eq!(found, Some(value(number)));
                        }
                    });
                }
            });
            let shared = Shared {
                largest: 1 << 16,
                ..shared
            };
            let grown = shared.larger(1 << 30).unwrap();
            let found = (0..4_000).filter(|&number| {
                let found = shared.get(key(number));
                assert!(found.is_none() || found == grown.get(key(number)));
                found.is_some()
            });
            let found = found.count();
            assert!(found > 0 && (lines < 1 << 12 || found > 3_000), "{found}");
        }
    }

    #[test]
    fn a_slot_that_is_being_written_has_no_key() {
        let shared = Shared::new(0, 128);
        let Line([slot, _]) = &shared.lines[shared.line_of(key(1))];
        slot.0[1].store(CLAIMED, Ordering::Relaxed);
        assert_eq!(shared.get(key(1)), None);
        assert!(shared.insert(shared.line_of(key(1)), key(1), value(1)));
        assert_eq!(shared.get(key(1)), Some(value(1)));
        assert!(shared.larger(1 << 30).is_none());
        let shared = Shared {
            largest: 64,
            ..shared
        };
        let larger = shared
            .larger(0)
            .map(|larger| (larger.lines(), larger.get(key(1))));
        assert_eq!(larger, Some((64, Some(value(1)))));
    }
}
