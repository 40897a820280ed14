//! What calls leave to later ones, and who may have it.

use std::sync::{Arc, TryLockError};

use super::cache::{Budget, Cache};
use super::shared::Shared;
use super::Encoder;

/// Caches that are kept for later calls, however many threads a call had.
const KEPT_CACHES: usize = 32;

/// What calls leave to later ones.
pub struct Kept {
    /// What threads share; a larger table takes its place when it is nearly full.
    pub shared: Arc<Shared>,
    /// Caches that no call is using.
    pub caches: Vec<Cache>,
}

impl Kept {
    pub fn new(budget: Budget) -> Self {
        Kept {
            shared: Arc::new(Shared::new(0, budget.shared)),
            caches: Vec::new(),
        }
    }

    /// For so much text, and for what has been met.
    fn make_room(&mut self, units: usize) {
        if let Some(larger) = self.shared.larger(units) {
            self.shared = Arc::new(larger);
            for cache in &mut self.caches {
                cache.shared = self.shared.clone();
            }
        }
    }
}

impl Encoder {
    /// Calls `work`, on so much text, with a cache that is this thread's alone meanwhile.
    pub(super) fn with_cache<T>(&self, units: usize, work: impl FnOnce(&mut Cache) -> T) -> T {
        let (shared, kept) = self.take_kept(units, |kept| kept.caches.pop());
        let mut cache = match kept.flatten() {
            Some(mut cache) => {
                cache.shared = shared;
                cache
            }
            None => Cache::new(shared, self.budget),
        };
        let result = work(&mut cache);
        self.give_back([cache]);
        result
    }

    /// So many caches for so much text, which share what their threads meet.
    pub(super) fn take_caches(&self, number: usize, units: usize) -> Vec<Cache> {
        let (shared, kept) = self.take_kept(units, |kept| {
            let others = kept.caches.len().saturating_sub(number);
            kept.caches.split_off(others)
        });
        let mut caches = kept.unwrap_or_default();
        for cache in &mut caches {
            cache.shared = shared.clone();
        }
        caches.resize_with(number, || Cache::new(shared.clone(), self.budget));
        caches
    }

    /// What all share, with room for so much text, and what `take` takes of what is kept; a table of its own and
    /// nothing where another thread is just taking something.
    ///
    /// Nobody waits for the lock: a process forked while another thread held it would wait for ever.
    fn take_kept<T>(
        &self,
        units: usize,
        take: impl FnOnce(&mut Kept) -> T,
    ) -> (Arc<Shared>, Option<T>) {
        let found = self.try_kept(|kept| {
            kept.make_room(units);
            (kept.shared.clone(), take(kept))
        });
        match found {
            Some((shared, taken)) => (shared, Some(taken)),
            None => (Arc::new(Shared::for_text(units, self.budget.shared)), None),
        }
    }

    pub(super) fn give_back(&self, caches: impl IntoIterator<Item = Cache>) {
        self.try_kept(|kept| {
            for mut cache in caches {
                cache.forget_left();
                if kept.caches.len() < KEPT_CACHES {
                    kept.caches.push(cache);
                }
            }
        });
    }

    /// Frees what calls have left to later ones.
    pub fn forget(&self) {
        self.try_kept(|kept| *kept = Kept::new(self.budget));
    }

    fn try_kept<T>(&self, f: impl FnOnce(&mut Kept) -> T) -> Option<T> {
        match self.kept.try_lock() {
            Ok(mut kept) => Some(f(&mut kept)),
            Err(TryLockError::Poisoned(poisoned)) => Some(f(&mut poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}
