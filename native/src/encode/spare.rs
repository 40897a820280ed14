//! Memory of results that nobody needs any more, for those that come.
//!
//! A fresh page costs the system time, and far more where a host has taken back what was free. A call in a loop lets go of
//! one result when it has the next: what that one left costs no page.

use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

use crate::memory;

/// The bytes that are kept, of all results together.
const MOST: usize = 1 << 26;
/// The bytes of a result that is worth it.
const LEAST: usize = 1 << 20;
/// A result doesn't take what has more than so many times the room.
const ROOMY: usize = 2;

static SPARE: Spare = Spare(Mutex::new(Vec::new()));

fn bytes(ids: &Vec<u32>) -> usize {
    ids.capacity() * size_of::<u32>()
}

/// The memory that is kept, the latest last.
struct Spare(Mutex<Vec<Vec<u32>>>);

impl Spare {
    /// Nobody waits for the lock: who can't have it does without (in a forked process, for ever).
    fn with<T>(&self, f: impl FnOnce(&mut Vec<Vec<u32>>) -> T) -> Option<T> {
        self.0.try_lock().ok().map(|mut kept| f(&mut kept))
    }

    /// With room for about so many.
    fn take(&self, ids: usize) -> Option<Vec<u32>> {
        let fits = |one: &Vec<u32>| (ids..=ids.saturating_mul(ROOMY)).contains(&one.capacity());
        let found = self.with(|kept| {
            let place = kept.iter().position(fits)?;
            Some(kept.remove(place))
        });
        found.flatten()
    }

    fn give(&self, mut ids: Vec<u32>) {
        if !(LEAST..=MOST).contains(&bytes(&ids)) {
            return;
        }
        ids.clear();
        let freed = self.with(|kept| {
            kept.push(ids);
            let (mut first, mut all) = (0, kept.iter().map(bytes).sum::<usize>());
            while all > MOST {
                all -= bytes(&kept[first]);
                first += 1;
            }
            kept.drain(..first).collect::<Vec<_>>()
        });
        // That takes a while, and the lock is others' by now.
        drop(freed);
    }

    fn release(&self) {
        drop(self.with(std::mem::take));
    }
}

/// Ids whose memory is kept for the next ones when they are let go.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Ids(Vec<u32>);

impl Ids {
    /// None yet, with room for about so many; only what is used of it is ever asked of the system.
    pub fn with_room(ids: usize) -> Self {
        let kept = SPARE.take(ids);
        Ids(kept.unwrap_or_else(|| memory::with_capacity(ids)))
    }

    /// Gives back what is far more than was needed.
    pub fn fit(&mut self) {
        if self.0.len() < self.0.capacity() / ROOMY {
            self.0.shrink_to_fit();
        }
    }
}

impl From<Vec<u32>> for Ids {
    fn from(ids: Vec<u32>) -> Self {
        Ids(ids)
    }
}

impl Deref for Ids {
    type Target = Vec<u32>;

    fn deref(&self) -> &Vec<u32> {
        &self.0
    }
}

impl DerefMut for Ids {
    fn deref_mut(&mut self) -> &mut Vec<u32> {
        &mut self.0
    }
}

impl Drop for Ids {
    fn drop(&mut self) {
        SPARE.give(std::mem::take(&mut self.0));
    }
}

/// Frees all that is kept.
pub fn release() {
    SPARE.release();
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: usize = LEAST / size_of::<u32>();

    fn kept(spare: &Spare) -> usize {
        spare.with(|kept| kept.iter().map(bytes).sum()).unwrap()
    }

    #[test]
    fn memory_is_used_again_by_what_has_about_its_size() {
        let spare = Spare(Mutex::default());
        let mut first = Vec::with_capacity(ROOM);
        first.push(7);
        let place = first.as_ptr();
        spare.give(first);
        assert_eq!(spare.take(ROOM / 2 - 1), None);
        assert_eq!(spare.take(ROOM + 1), None);
        let again = spare.take(ROOM / 2).unwrap();
        assert_eq!((again.as_ptr(), again.len()), (place, 0));
        assert_eq!(spare.take(ROOM), None);
        spare.give(again);
        spare.release();
        assert_eq!(spare.take(ROOM), None);
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_latest() {
        let spare = Spare(Mutex::default());
        for number in 0..200 {
            spare.give(Vec::with_capacity(ROOM + number));
            assert!(kept(&spare) <= MOST);
        }
        assert!(kept(&spare) > MOST - 2 * LEAST);
        assert!(spare
            .take(ROOM + 199)
            .is_some_and(|ids| ids.capacity() > ROOM + 100));
        spare.give(Vec::with_capacity(MOST / size_of::<u32>()));
        assert_eq!(kept(&spare), MOST);
        // Too large, and too small.
        spare.release();
        spare.give(Vec::with_capacity(MOST / size_of::<u32>() + 1));
        spare.give(Vec::with_capacity(ROOM - 1));
        assert_eq!(kept(&spare), 0);
    }

    #[test]
    fn what_is_left_stays_in_the_order_it_came_in() {
        let spare = Spare(Mutex::default());
        for times in [1, 3, 7] {
            spare.give(Vec::with_capacity(times * ROOM));
        }
        assert!(spare.take(ROOM).is_some());
        let left = spare.with(|kept| kept.iter().map(|ids| ids.capacity() / ROOM).collect());
        assert_eq!(left, Some(vec![3, 7]));
    }

    #[test]
    fn results_give_back_what_is_far_more_than_they_need() {
        let mut ids = Ids::with_room(1000);
        ids.extend(0..600);
        ids.fit();
        assert!(ids.capacity() >= 1000);
        ids.truncate(400);
        ids.fit();
        assert!(ids.capacity() < 1000);
        assert_eq!(**ids, (0..400).collect::<Vec<_>>());
    }
}
