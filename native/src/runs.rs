//! Many texts on several threads: neighbouring texts go together in runs, and every thread takes the next run that
//! nobody has taken, so that the results come back in order whatever the threads do.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A run has about this many bytes: large enough that taking it costs nothing, small enough to share out evenly.
pub const RUN_BYTES: usize = 1 << 16;

/// The runs that are left to do, and the results of those that are done.
pub struct Turns<'a, T> {
    texts: &'a [&'a str],
    ends: &'a [usize],
    next: &'a AtomicUsize,
    done: &'a [Mutex<Option<T>>],
}

impl<T> Turns<'_, T> {
    /// Does runs until none is left.
    pub fn each(&self, mut work: impl FnMut(&[&str]) -> T) {
        loop {
            let turn = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&end) = self.ends.get(turn) else {
                break;
            };
            let start = if turn == 0 { 0 } else { self.ends[turn - 1] };
            let result = work(&self.texts[start..end]);
            *self.done[turn]
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    }
}

/// Calls `thread` on up to `threads` threads, the calling one among them; each does runs through [`Turns::each`].
/// Returns the results in the order of the texts.
pub fn map_runs<T: Send>(
    texts: &[&str],
    threads: usize,
    thread: impl Fn(Turns<'_, T>) + Sync,
) -> Vec<T> {
    let ends = run_ends(texts);
    let done: Vec<Mutex<Option<T>>> = ends.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let turns = || Turns {
        texts,
        ends: &ends,
        next: &next,
        done: &done,
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(ends.len()))
            .map(|_| scope.spawn(|| thread(turns())))
            .collect();
        thread(turns());
        for other in others {
            // A panic goes on in this thread, as if it had happened here.
            other.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
    let results = done
        .into_iter()
        .map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner));
    // Every run is taken by a thread that does it, or that thread's panic has been passed on.
    results.flatten().collect()
}

fn run_ends(texts: &[&str]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut bytes = 0;
    for (index, text) in texts.iter().enumerate() {
        bytes += text.len() + 1;
        if bytes >= RUN_BYTES || index + 1 == texts.len() {
            ends.push(index + 1);
            bytes = 0;
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_for_any_number_of_threads() {
        let owned: Vec<String> = (0..5000).map(|n| format!("{n} ").repeat(n % 40)).collect();
        let texts: Vec<&str> = owned.iter().map(String::as_str).collect();
        for threads in [0, 1, 2, 3, 7, 100] {
            let parts = map_runs(&texts, threads, |turns| {
                turns.each(|run| run.iter().map(|text| text.to_string()).collect::<Vec<_>>());
            });
            assert!(parts.len() > 3);
            assert_eq!(parts.concat(), owned);
        }
        assert!(map_runs(&[], 2, |turns| turns.each(|run: &[&str]| run.len())).is_empty());
    }
}
