//! Merging of long pretokens, where scanning for the least rank would be quadratic.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Pairs, GONE, NEVER};
use crate::memory::with_capacity;

/// A symbol, with what is asked about it at once in one place.
#[derive(Clone, Copy)]
struct Symbol {
    id: u32,
    /// Of the merge with the symbol after it, or `NEVER`.
    number: u32,
    /// Where its neighbours are; `GONE` where there is none.
    before: u32,
    after: u32,
}

/// Room that merging needs, kept between calls.
#[derive(Default)]
pub struct Scratch {
    symbols: Vec<Symbol>,
    /// The number of a merge and its place, in one word: a heap of a megabyte of letters is larger than the processor's
    /// caches, so that its size is its speed.
    heap: BinaryHeap<Reverse<u64>>,
}

impl Scratch {
    pub fn allocated(&self) -> usize {
        self.symbols.capacity() * size_of::<Symbol>()
            + self.heap.capacity() * size_of::<Reverse<u64>>()
    }
}

pub(super) fn merge_by_heap(
    pairs: &Pairs,
    ids: impl ExactSizeIterator<Item = u32>,
    scratch: &mut Scratch,
    out: &mut Vec<u32>,
) {
    let Scratch { symbols, heap } = scratch;
    symbols.clear();
    // The same vectors again where they are large enough, and large pages where they are not.
    let mut entries = std::mem::take(heap).into_vec();
    entries.clear();
    if symbols.capacity() < ids.len() {
        *symbols = with_capacity(ids.len());
        entries = with_capacity(ids.len());
    }
    symbols.extend(ids.zip(0_u32..).map(|(id, at)| Symbol {
        id,
        number: NEVER,
        before: at.wrapping_sub(1),
        after: at + 1,
    }));
    let Some(last) = symbols.last_mut() else {
        return;
    };
    last.after = GONE;
    let entry = |number: u32, at: u32| Reverse(u64::from(number) << 32 | u64::from(at));
    for at in 1..symbols.len() {
        let number = pairs.get(symbols[at - 1].id, symbols[at].id);
        symbols[at - 1].number = number;
        if number != NEVER {
            entries.push(entry(number, at as u32 - 1));
        }
    }
    *heap = BinaryHeap::from(entries);
    while let Some(Reverse(least)) = heap.pop() {
        let (number, at) = ((least >> 32) as u32, least as u32);
        let Symbol {
            number: now,
            before,
            after: to,
            ..
        } = symbols[at as usize];
        // One of the two may have been merged since, and the number is another one, or of none.
        if now != number {
            continue;
        }
        let next = symbols[to as usize].after;
        let id = pairs.id(number);
        (symbols[to as usize].id, symbols[to as usize].number) = (GONE, NEVER);
        let mut offer = |symbols: &mut [Symbol], left: u32, right: u32| {
            let number = pairs.get(symbols[left as usize].id, symbols[right as usize].id);
            symbols[left as usize].number = number;
            if number != NEVER {
                heap.push(entry(number, left));
            }
        };
        let symbol = &mut symbols[at as usize];
        (symbol.id, symbol.number, symbol.after) = (id, NEVER, next);
        if next != GONE {
            symbols[next as usize].before = at;
            offer(symbols, at, next);
        }
        if before != GONE {
            offer(symbols, before, at);
        }
    }
    out.extend(
        symbols
            .iter()
            .map(|symbol| symbol.id)
            .filter(|&id| id != GONE),
    );
}
