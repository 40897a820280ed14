//! Many texts on several threads, and one long text in pieces.
//!
//! Every thread takes the next block that nobody has taken, and encodes it into a buffer that stays in its
//! processor's cache. The buffers are copied to the end of the result in the order of their blocks by whichever
//! thread is there first; nobody waits for it. (Keeping all buffers and joining them at the end took the memory
//! twice, and the time to have it from the system.)

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use super::cache::{Cache, Sink};
use super::{Encoder, Specials};
use crate::count::blocks::{Block, Blocks};
use crate::count::{on_threads, Watch};
use crate::memory;

/// Small enough that a block's ids stay in the cache and that all threads have something to do, and large enough
/// that taking one costs nothing.
const BLOCK_BYTES: usize = 1 << 16;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A block's ids, and how many of them each text has: of several whole texts, or of one text's piece.
struct Encoded {
    first_text: usize,
    lengths: Vec<usize>,
    ids: Vec<u32>,
}

#[derive(Default)]
struct Joined {
    blocks: usize,
    ids: Vec<u32>,
    lengths: Vec<usize>,
}

impl Joined {
    fn append(&mut self, block: &Encoded) {
        self.blocks += 1;
        self.ids.extend_from_slice(&block.ids);
        for (text, length) in (block.first_text..).zip(&block.lengths) {
            self.lengths[text] += length;
        }
    }
}

/// Takes encoded blocks in any order and joins them in theirs.
struct Joiner {
    waiting: Mutex<BTreeMap<usize, Encoded>>,
    joined: Mutex<Joined>,
    /// Buffers to use again.
    spare: Mutex<Vec<Vec<u32>>>,
}

impl Joiner {
    fn add(&self, number: usize, block: Encoded) {
        lock(&self.waiting).insert(number, block);
        let joined = match self.joined.try_lock() {
            Ok(joined) => joined,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // Who holds it may have looked already; then the next block, or the end, brings this one along.
            Err(TryLockError::WouldBlock) => return,
        };
        self.join(joined);
    }

    fn join(&self, mut joined: MutexGuard<'_, Joined>) {
        loop {
            let next = lock(&self.waiting).remove(&joined.blocks);
            let Some(block) = next else {
                break;
            };
            joined.append(&block);
            lock(&self.spare).push(block.ids);
        }
    }
}

impl Encoder {
    /// All ids of all texts in order, and for each text how many it has. Where the watch says stop, the ids end
    /// anywhere.
    pub fn encode_batch(
        &self,
        texts: &[&str],
        threads: usize,
        specials: Option<&Specials>,
        watch: &Watch,
    ) -> (Vec<u32>, Vec<usize>) {
        self.encode_blocks(texts, threads, specials, watch, BLOCK_BYTES)
    }

    /// The same in blocks of about so many bytes, at least 1: texts of more than two blocks are cut. What the ids
    /// are depends on neither; small blocks show with small texts whether the cuts are right.
    pub fn encode_blocks(
        &self,
        texts: &[&str],
        threads: usize,
        specials: Option<&Specials>,
        watch: &Watch,
        size: usize,
    ) -> (Vec<u32>, Vec<usize>) {
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let joiner = Joiner {
            waiting: Mutex::default(),
            joined: Mutex::new(Joined {
                blocks: 0,
                // Only what is used of it is ever asked of the system.
                ids: memory::with_capacity(bytes / 4),
                lengths: vec![0; texts.len()],
            }),
            spare: Mutex::default(),
        };
        self.each_block(texts, threads, specials, watch, size, |block, cache| {
            let mut ids = lock(&joiner.spare).pop().unwrap_or_default();
            ids.clear();
            let lengths = self.encode_block(texts, block, specials, cache, &mut ids, Vec::len);
            let encoded = Encoded {
                first_text: block.first_text,
                lengths,
                ids,
            };
            joiner.add(block.number, encoded);
        });
        joiner.join(lock(&joiner.joined));
        let Joined {
            mut ids, lengths, ..
        } = joiner
            .joined
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        ids.shrink_to_fit();
        (ids, lengths)
    }

    /// How many ids each text has.
    pub fn count_batch(&self, texts: &[&str], threads: usize, watch: &Watch) -> Vec<i64> {
        self.count_blocks(texts, threads, watch, BLOCK_BYTES)
    }

    pub(super) fn count_blocks(
        &self,
        texts: &[&str],
        threads: usize,
        watch: &Watch,
        size: usize,
    ) -> Vec<i64> {
        let counts = Mutex::new(vec![0; texts.len()]);
        self.each_block(texts, threads, None, watch, size, |block, cache| {
            let found = self.encode_block(texts, block, None, cache, &mut 0, |&count| count);
            let mut counts = lock(&counts);
            for (sum, count) in counts[block.first_text..].iter_mut().zip(found) {
                *sum += count as i64;
            }
        });
        counts.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Encodes the texts of a block; returns how much longer each of them made the sink.
    fn encode_block<S: Sink>(
        &self,
        texts: &[&str],
        block: &Block<'_>,
        specials: Option<&Specials>,
        cache: &mut Cache,
        sink: &mut S,
        length: impl Fn(&S) -> usize,
    ) -> Vec<usize> {
        let piece = [block.piece];
        let texts = if block.whole.is_empty() {
            &piece[..]
        } else {
            &texts[block.whole.clone()]
        };
        let mut before = length(sink);
        let longer = texts.iter().map(|text| {
            self.encode_with(text, specials, cache, sink);
            let after = length(sink);
            after - std::mem::replace(&mut before, after)
        });
        longer.collect()
    }

    /// Calls `work` with each block, on up to `threads` threads, the calling one among them.
    fn each_block(
        &self,
        texts: &[&str],
        threads: usize,
        specials: Option<&Specials>,
        watch: &Watch,
        size: usize,
        work: impl Fn(&Block<'_>, &mut Cache) + Sync,
    ) {
        let bytes: usize = texts.iter().map(|text| text.len() + 1).sum();
        let specials = specials.map(|specials| &specials.automaton);
        let blocks = Blocks::new(texts, &self.splitter, specials, size);
        let thread = || {
            self.with_cache(|cache| {
                while !watch.stopped() {
                    let Some(block) = blocks.take() else {
                        break;
                    };
                    work(&block, cache);
                }
            });
        };
        on_threads(threads.min(bytes / size + 1), thread);
    }
}
