//! Many texts on several threads, and one long text in pieces.
//!
//! Every thread takes the next block that nobody has taken, and encodes it into a buffer that stays in its
//! processor's cache. The buffers are copied to the end of the result in the order of their blocks by whichever
//! thread is there first; nobody waits for it. (Keeping all buffers and joining them at the end took the memory
//! twice, and the time to have it from the system.)

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use super::cache::Cache;
use super::sink::Sink;
use super::spare::Ids;
use super::texts::{Malformed, Text};
use super::{Encoder, Specials};
use crate::count::blocks::{Block, Blocks, Source};
use crate::count::{beside, Watch};

/// Small enough that a block's ids stay in the cache and that all threads have something to do, and large enough
/// that taking one costs nothing.
const BLOCK_UNITS: usize = 1 << 16;

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
    ids: Ids,
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
    /// The units of a block.
    pub size: usize,
}

/// Encodes some of the blocks: until there are no more or, asked after each, it is told to pause. Whether there are none.
pub type Work<'w> = dyn Fn(&dyn Fn() -> bool) -> bool + Sync + 'w;

/// Does all of the work.
pub fn without_pause(work: &Work<'_>) {
    work(&|| false);
}

/// What a thread needs for its blocks.
struct Room {
    cache: Cache,
    utf8: Vec<u8>,
}

impl Room {
    fn new(cache: Cache) -> Self {
        let utf8 = Vec::new();
        Room { cache, utf8 }
    }
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
            size: BLOCK_UNITS,
        }
    }

    /// Calls `each` with each block of the texts, on up to `threads` threads. The calling one is among them as far as
    /// `caller` calls the work that it is given, beside other things that it may have to do.
    fn each_block(
        &self,
        texts: &[Text<'_>],
        caller: impl FnOnce(&Work<'_>),
        each: impl Fn(&Block<Text<'_>>, &mut Room) -> Result<(), Malformed> + Sync,
    ) -> Result<(), Malformed> {
        let units: usize = texts.iter().map(|text| text.length() + 1).sum();
        let specials = self.specials.map(|specials| &specials.automaton);
        let blocks = Blocks::new(texts, &self.encoder.splitter, specials, self.size);
        let malformed = AtomicBool::new(false);
        let threads = self.threads.clamp(1, units / self.size + 1);
        // All at once: a thread that came while another one took its own would have to do without.
        let rooms = self.encoder.take_caches(threads, units).into_iter();
        let rooms = Mutex::new(rooms.map(Room::new).collect::<Vec<_>>());
        let work = |pause: &dyn Fn() -> bool| {
            let mut room = lock(&rooms).pop().expect("each thread has one");
            let mut done = true;
            while !self.watch.stopped() && !malformed.load(Ordering::Relaxed) {
                let Some(block) = blocks.take() else {
                    break;
                };
                if each(&block, &mut room).is_err() {
                    malformed.store(true, Ordering::Relaxed);
                }
                if pause() {
                    done = false;
                    break;
                }
            }
            lock(&rooms).push(room);
            done
        };
        beside(threads - 1, || without_pause(&work), || caller(&work));
        let rooms = rooms.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.encoder
            .give_back(rooms.into_iter().map(|room| room.cache));
        if malformed.into_inner() {
            return Err(Malformed);
        }
        Ok(())
    }

    /// Encodes the texts of a block; returns how much longer each of them made the sink.
    fn encode_block<S: Sink>(
        &self,
        texts: &[Text<'_>],
        block: &Block<Text<'_>>,
        room: &mut Room,
        sink: &mut S,
    ) -> Result<Vec<usize>, Malformed> {
        let piece = [block.piece];
        let texts = if block.whole.is_empty() {
            &piece[..]
        } else {
            &texts[block.whole.clone()]
        };
        let cache = &mut room.cache;
        let before = sink.length();
        // After each text: how long the sink is, and how many pretokens have been left for later.
        let ends = texts.iter().map(|text| {
            let text = text.utf8(&mut room.utf8)?;
            self.encoder.encode_with(text, self.specials, cache, sink);
            Ok((sink.length(), cache.left()))
        });
        let ends: Vec<_> = ends.collect::<Result<_, _>>()?;
        let left = cache.encode_left(self.encoder);
        let mut last = (before, 0);
        let longer = ends.into_iter().map(|(end, number)| {
            let (start, first) = std::mem::replace(&mut last, (end, number));
            let later: usize = left[first..number].iter().map(|(_, length)| length).sum();
            end - start + later
        });
        let longer = longer.collect();
        cache.insert_left(self.encoder, sink);
        Ok(longer)
    }

    /// All ids of all texts in order, and for each text how many it has.
    pub fn encode(
        &self,
        texts: &[Text<'_>],
        caller: impl FnOnce(&Work<'_>),
    ) -> Result<(Ids, Vec<usize>), Malformed> {
        let units: usize = texts.iter().map(|text| text.length()).sum();
        let joined = Joined {
            blocks: 0,
            ids: Ids::with_room(units / 4),
            lengths: vec![0; texts.len()],
        };
        let joiner = Joiner {
            waiting: Mutex::default(),
            joined: Mutex::new(joined),
            spare: Mutex::default(),
        };
        self.each_block(texts, caller, |block, room| {
            let mut ids = lock(&joiner.spare).pop().unwrap_or_default();
            ids.clear();
            let lengths = self.encode_block(texts, block, room, &mut ids)?;
            let first_text = block.first_text;
            let encoded = Encoded {
                first_text,
                lengths,
                ids,
            };
            joiner.add(block.number, encoded);
            Ok(())
        })?;
        joiner.join(lock(&joiner.joined));
        let joined = joiner.joined.into_inner();
        let Joined {
            mut ids, lengths, ..
        } = joined.unwrap_or_else(PoisonError::into_inner);
        ids.fit();
        Ok((ids, lengths))
    }

    /// How many ids each text has.
    pub fn count(
        &self,
        texts: &[Text<'_>],
        caller: impl FnOnce(&Work<'_>),
    ) -> Result<Vec<i64>, Malformed> {
        let counts = Mutex::new(vec![0; texts.len()]);
        self.each_block(texts, caller, |block, room| {
            let found = self.encode_block(texts, block, room, &mut 0)?;
            let mut counts = lock(&counts);
            for (sum, count) in counts[block.first_text..].iter_mut().zip(found) {
                *sum += count as i64;
            }
            Ok(())
        })?;
        let counts = counts.into_inner();
        Ok(counts.unwrap_or_else(PoisonError::into_inner))
    }
}
