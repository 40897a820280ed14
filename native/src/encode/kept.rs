//! What calls leave to later ones, and who may have it.

use std::sync::{Arc, TryLockError};

use super::cache::{Budget, Cache};
use super::shared::Shared;
use super::Encoder;

/// Caches that are kept for later calls, however many threads a call had.
const KEPT_CACHES: usize = 32;

/// How often a thread lets others go first that are taking something of what is kept, before it does without.
const PATIENCE: usize = 1 << 8;

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

    /// Has all share a larger table; which one they share now, as another thread may have made one that is as large.
    /// What they shared before is to be freed by who calls.
    fn share(&mut self, larger: Arc<Shared>) -> (Arc<Shared>, Option<Arc<Shared>>) {
        if larger.lines() <= self.shared.lines() {
            return (self.shared.clone(), None);
        }
        for cache in &mut self.caches {
            cache.shared = larger.clone();
        }
        let before = std::mem::replace(&mut self.shared, larger.clone());
        (larger, Some(before))
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
    /// nothing where that can't be had.
    fn take_kept<T>(
        &self,
        units: usize,
        take: impl FnOnce(&mut Kept) -> T,
    ) -> (Arc<Shared>, Option<T>) {
        let Some((shared, taken)) = self.try_kept(|kept| (kept.shared.clone(), take(kept))) else {
            let own = Shared::for_text(units, self.budget.shared);
            return (Arc::new(own), None);
        };
        let Some(larger) = shared.larger(units).map(Arc::new) else {
            return (shared, Some(taken));
        };
        let found = self.try_kept(|kept| kept.share(larger.clone()));
        (found.map_or(larger, |(shared, _)| shared), Some(taken))
    }

    pub(super) fn give_back(&self, caches: impl IntoIterator<Item = Cache>) {
        for mut cache in caches {
            cache.rest();
            let mut cache = Some(cache);
            let before = self.try_kept(|kept| {
                if kept.caches.len() >= KEPT_CACHES {
                    return None;
                }
                kept.caches.extend(cache.take());
                let cache = kept.caches.last_mut()?;
                // Another one than it worked with, where a larger one has come or it had to work with its own.
                let other = !Arc::ptr_eq(&cache.shared, &kept.shared);
                other.then(|| std::mem::replace(&mut cache.shared, kept.shared.clone()))
            });
            drop(before);
        }
    }

    /// Frees what calls have left to later ones.
    pub fn forget(&self) {
        let fresh = Kept::new(self.budget);
        drop(self.try_kept(|kept| std::mem::replace(kept, fresh)));
    }

    /// Does something with what is kept, which takes no longer than handing it over: to make tables and to free them
    /// would have other threads do without.
    ///
    /// Nobody waits for the lock for ever: a process forked while another thread held it has nobody to give it back.
    fn try_kept<T>(&self, f: impl FnOnce(&mut Kept) -> T) -> Option<T> {
        for _ in 0..PATIENCE {
            match self.kept.try_lock() {
                Ok(mut kept) => return Some(f(&mut kept)),
                Err(TryLockError::Poisoned(poisoned)) => {
                    return Some(f(&mut poisoned.into_inner()))
                }
                Err(TryLockError::WouldBlock) => std::thread::yield_now(),
            }
        }
        None
    }
}
