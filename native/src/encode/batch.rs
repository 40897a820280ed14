//! Many texts on several threads, and one long text in pieces; all at once, or portion by portion while the caller makes
//! the next one.
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
use crate::count::{beside, Watch};
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

/// How texts are to be encoded.
#[derive(Clone, Copy)]
pub struct Job<'e> {
    pub encoder: &'e Encoder,
    pub threads: usize,
    pub specials: Option<&'e Specials>,
    /// Where it says stop, the ids end anywhere.
    pub watch: &'e Watch,
    /// The bytes of a block.
    pub size: usize,
}

/// Encodes some of the blocks: until there are no more or, asked after each, it is told to pause. Whether there are none.
pub type Work<'w> = dyn Fn(&dyn Fn() -> bool) -> bool + Sync + 'w;

/// Does all of the work.
pub fn without_pause(work: &Work<'_>) {
    work(&|| false);
}

impl<'e> Job<'e> {
    pub fn new(
        encoder: &'e Encoder,
        threads: usize,
        specials: Option<&'e Specials>,
        watch: &'e Watch,
    ) -> Self {
        Job {
            encoder,
            threads,
            specials,
            watch,
            size: BLOCK_BYTES,
        }
    }

    /// Calls `each` with each block of the texts, on up to `threads` threads. The calling one is among them as far as
    /// `caller` calls the work that it is given, beside other things that it may have to do.
    fn each_block<T>(
        &self,
        texts: &[&str],
        caller: impl FnOnce(&Work<'_>) -> T,
        each: impl Fn(&Block<'_>, &mut Cache) + Sync,
    ) -> T {
        let bytes: usize = texts.iter().map(|text| text.len() + 1).sum();
        let specials = self.specials.map(|specials| &specials.automaton);
        let blocks = Blocks::new(texts, &self.encoder.splitter, specials, self.size);
        let work = |pause: &dyn Fn() -> bool| {
            self.encoder.with_cache(|cache| loop {
                if self.watch.stopped() {
                    return true;
                }
                let Some(block) = blocks.take() else {
                    return true;
                };
                each(&block, cache);
                if pause() {
                    return false;
                }
            })
        };
        let others = self.threads.clamp(1, bytes / self.size + 1) - 1;
        beside(others, || without_pause(&work), || caller(&work))
    }

    /// Encodes the texts of a block; returns how much longer each of them made the sink.
    fn encode_block<S: Sink>(
        &self,
        texts: &[&str],
        block: &Block<'_>,
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
            self.encoder.encode_with(text, self.specials, cache, sink);
            let after = length(sink);
            after - std::mem::replace(&mut before, after)
        });
        longer.collect()
    }
}

/// The ids of texts, in order.
pub struct Ids<'e> {
    job: Job<'e>,
    joiner: Joiner,
}

impl<'e> Ids<'e> {
    /// `texts` is how many there will be, and `bytes` about how many they have.
    pub fn new(job: Job<'e>, texts: usize, bytes: usize) -> Self {
        let joined = Joined {
            blocks: 0,
            // Only what is used of it is ever asked of the system.
            ids: memory::with_capacity(bytes / 4),
            lengths: vec![0; texts],
        };
        Ids {
            job,
            joiner: Joiner {
                waiting: Mutex::default(),
                joined: Mutex::new(joined),
                spare: Mutex::default(),
            },
        }
    }

    /// Adds texts after all that were added before. The first has this number; where it had some already, it goes on.
    pub fn add<T>(
        &mut self,
        texts: &[&str],
        first_text: usize,
        caller: impl FnOnce(&Work<'_>) -> T,
    ) -> T {
        let Ids { job, joiner } = self;
        let blocks_before = lock(&joiner.joined).blocks;
        let result = job.each_block(texts, caller, |block, cache| {
            let mut ids = lock(&joiner.spare).pop().unwrap_or_default();
            ids.clear();
            let lengths = job.encode_block(texts, block, cache, &mut ids, Vec::len);
            let encoded = Encoded {
                first_text: first_text + block.first_text,
                lengths,
                ids,
            };
            joiner.add(blocks_before + block.number, encoded);
        });
        joiner.join(lock(&joiner.joined));
        result
    }

    /// All ids, and for each text how many it has.
    pub fn finish(self) -> (Vec<u32>, Vec<usize>) {
        let joined = self.joiner.joined.into_inner();
        let Joined {
            mut ids, lengths, ..
        } = joined.unwrap_or_else(PoisonError::into_inner);
        ids.shrink_to_fit();
        (ids, lengths)
    }
}

/// How many ids texts have.
pub struct Counts<'e> {
    job: Job<'e>,
    counts: Mutex<Vec<i64>>,
}

impl<'e> Counts<'e> {
    pub fn new(job: Job<'e>, texts: usize) -> Self {
        let counts = Mutex::new(vec![0; texts]);
        Counts { job, counts }
    }

    /// See [`Ids::add`].
    pub fn add<T>(
        &mut self,
        texts: &[&str],
        first_text: usize,
        caller: impl FnOnce(&Work<'_>) -> T,
    ) -> T {
        let Counts { job, counts } = self;
        job.each_block(texts, caller, |block, cache| {
            let found = job.encode_block(texts, block, cache, &mut 0, |&count| count);
            let mut counts = lock(counts);
            let first = first_text + block.first_text;
            for (sum, count) in counts[first..].iter_mut().zip(found) {
                *sum += count as i64;
            }
        })
    }

    pub fn finish(self) -> Vec<i64> {
        let counts = self.counts.into_inner();
        counts.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Encoder {
    /// All ids of all texts in order, and for each text how many it has.
    pub fn encode_batch(
        &self,
        texts: &[&str],
        threads: usize,
        specials: Option<&Specials>,
        watch: &Watch,
    ) -> (Vec<u32>, Vec<usize>) {
        let job = Job::new(self, threads, specials, watch);
        let bytes = texts.iter().map(|text| text.len()).sum();
        let mut ids = Ids::new(job, texts.len(), bytes);
        ids.add(texts, 0, without_pause);
        ids.finish()
    }

    /// How many ids each text has.
    pub fn count_batch(&self, texts: &[&str], threads: usize, watch: &Watch) -> Vec<i64> {
        let mut counts = Counts::new(Job::new(self, threads, None, watch), texts.len());
        counts.add(texts, 0, without_pause);
        counts.finish()
    }
}
