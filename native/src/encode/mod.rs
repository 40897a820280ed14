//! `Encoder`: a splitter, a vocabulary and its merges.
//!
//! `ranks.rs` makes merges of a vocabulary that has none, `shared.rs` and `cache.rs` know the ids of pretokens met before
//! (`kept.rs`: from call to call), `batch.rs` has many threads encode many texts, `texts.rs` takes them as they are held.

pub mod batch;
mod cache;
mod first;
mod kept;
mod ranks;
mod second;
mod shared;
mod sink;
pub mod spare;
mod specials;
#[cfg(test)]
pub mod tests;
pub mod texts;
mod tokens;

use std::sync::{Arc, Mutex};

use crate::bpe::{self, Merge, Pairs, Scratch, Together, SHORT};
use crate::count::Watch;
use crate::filter::Filter;
use crate::groups::for_each_group;
use crate::pretok::Splitter;
use crate::table::{Interner, Packed, Prepared};
pub use cache::Budget;
use cache::Cache;
use kept::Kept;
use shared::Shared;
use sink::Sink;
use specials::Part;
pub use specials::Specials;
pub use tokens::Tokens;

/// So many new pretokens are encoded at once.
const AT_ONCE: usize = 32;

/// The ids of all bytes.
fn byte_ids<T: AsRef<[u8]>>(tokens: &[(u32, T)]) -> Result<[u32; 256], String> {
    let mut ids = [u32::MAX; 256];
    for (id, token) in tokens {
        if let &[byte] = token.as_ref() {
            ids[usize::from(byte)] = *id;
        }
    }
    match ids.iter().position(|&id| id == u32::MAX) {
        Some(byte) => Err(format!("the byte {byte} has no token")),
        None => Ok(ids),
    }
}

pub struct Encoder {
    pub splitter: Arc<Splitter>,
    byte_ids: [u32; 256],
    pairs: Pairs,
    merges: Vec<(u32, u32, u32)>,
    /// Whether looking pretokens up whole changes nothing.
    only_merges: bool,
    /// Pretokens that are one token, and which: under ranks all tokens, under merges those that merging reaches.
    whole: Interner,
    whole_ids: Vec<u32>,
    /// Of the hashes of these: most pretokens that are met for the first time are no token.
    whole_filter: Filter,
    tokens: Tokens,
    kept: Mutex<Kept>,
    budget: Budget,
}

impl Encoder {
    /// `merges` are (left id, right id, new id), the first of them of lowest rank.
    pub fn from_merges<T: AsRef<[u8]>>(
        splitter: Arc<Splitter>,
        tokens: &[(u32, T)],
        merges: Vec<(u32, u32, u32)>,
        whole_pretokens: bool,
    ) -> Result<Self, String> {
        let ranked = merges
            .iter()
            .zip(0..)
            .map(|(&(left, right, id), rank)| (left, right, Merge { rank, id }));
        let byte_ids = byte_ids(tokens)?;
        let mut pairs = Pairs::new(&ranked.collect::<Vec<_>>());
        pairs.set_bytes(&byte_ids);
        let whole = (Interner::with_capacity(tokens.len()), Vec::new());
        let mut encoder = Encoder::new(splitter, tokens, byte_ids, (pairs, merges), whole);
        encoder.only_merges = !whole_pretokens;
        let mut scratch = Scratch::default();
        let mut ids = Vec::new();
        for (id, token) in tokens {
            let token = token.as_ref();
            ids.clear();
            if !whole_pretokens {
                encoder.merge(token, &mut scratch, &mut ids);
            }
            if whole_pretokens || ids == [*id] {
                encoder.add_whole(token, *id);
            }
        }
        Ok(encoder)
    }

    /// The id is the rank; see `ranks.rs`.
    pub fn from_ranks<T: AsRef<[u8]>>(
        splitter: Arc<Splitter>,
        tokens: &[(u32, T)],
    ) -> Result<Self, String> {
        let byte_ids = byte_ids(tokens)?;
        let found = ranks::by_rank(tokens, &byte_ids);
        let pairs = (found.pairs, found.merges);
        let whole = (found.whole, found.ids);
        let mut encoder = Encoder::new(splitter, tokens, byte_ids, pairs, whole);
        let longer = tokens.iter().filter(|(_, token)| token.as_ref().len() > 1);
        encoder.only_merges = encoder.merges.len() == longer.count();
        Ok(encoder)
    }

    fn new<T: AsRef<[u8]>>(
        splitter: Arc<Splitter>,
        tokens: &[(u32, T)],
        byte_ids: [u32; 256],
        (pairs, merges): (Pairs, Vec<(u32, u32, u32)>),
        (whole, whole_ids): (Interner, Vec<u32>),
    ) -> Self {
        let mut whole_filter = Filter::new(tokens.len());
        for key in whole.keys() {
            whole_filter.add(Packed::new(key).hash());
        }
        let budget = Budget::default();
        Encoder {
            splitter,
            byte_ids,
            pairs,
            merges,
            only_merges: false,
            whole,
            whole_ids,
            whole_filter,
            tokens: Tokens::new(tokens),
            kept: Mutex::new(Kept::new(budget)),
            budget,
        }
    }

    fn add_whole(&mut self, token: &[u8], id: u32) {
        if self.whole.intern(token).1 {
            self.whole_ids.push(id);
            self.whole_filter.add(Packed::new(token).hash());
        }
    }

    /// The one token that a pretoken is.
    #[inline]
    fn whole(&self, key: Packed, pretoken: &[u8]) -> Option<u32> {
        if !self.whole_filter.may_have(key.hash()) {
            return None;
        }
        let index = self.whole.get_prepared(Prepared::from(key), pretoken)?;
        Some(self.whole_ids[index as usize])
    }

    /// With another budget for the cache of each thread; results are the same with any.
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self.kept = Mutex::new(Kept::new(budget));
        self
    }

    /// (left id, right id, new id) in order of rank.
    pub fn merges(&self) -> &[(u32, u32, u32)] {
        &self.merges
    }

    /// Whether the ids of every pretoken are those that merging its bytes makes, be it a token or not.
    pub fn only_merges(&self) -> bool {
        self.only_merges
    }

    /// The ids of the bytes.
    pub fn byte_ids(&self) -> &[u32; 256] {
        &self.byte_ids
    }

    pub fn token(&self, id: u32) -> &[u8] {
        self.tokens.get(id)
    }

    /// One more than the largest id.
    pub fn id_bound(&self) -> usize {
        self.tokens.id_bound()
    }

    fn merge(&self, pretoken: &[u8], scratch: &mut Scratch, out: &mut Vec<u32>) {
        bpe::merge(&self.pairs, &self.byte_ids, pretoken, scratch, out);
    }

    /// Appends the ids that merging makes of a pretoken, also where the pretoken is a token that is looked up whole.
    pub fn merge_pretoken(&self, pretoken: &[u8], scratch: &mut Scratch, out: &mut Vec<u32>) {
        self.merge(pretoken, scratch, out);
    }

    /// Appends the ids of one pretoken.
    pub fn encode_pretoken(&self, pretoken: &[u8], scratch: &mut Scratch, out: &mut Vec<u32>) {
        match self.whole(Packed::new(pretoken), pretoken) {
            Some(id) => out.push(id),
            None => self.merge(pretoken, scratch, out),
        }
    }

    /// Appends the ids of some pretokens and, after each, how many there are by then; the short ones are merged together.
    pub fn encode_pretokens(
        &self,
        pretokens: &[&[u8]],
        together: &mut Together,
        ids: &mut Vec<u32>,
        ends: &mut Vec<usize>,
    ) {
        let mut scratch = Scratch::default();
        for some in pretokens.chunks(AT_ONCE) {
            let is_short = |pretoken: &&&[u8]| pretoken.len() < SHORT;
            let short = some.iter().filter(is_short);
            let keys: Vec<_> = short.map(|short| (Packed::new(short), ())).collect();
            self.encode_short(&keys, together);
            let mut number = 0;
            for pretoken in some {
                if is_short(&pretoken) {
                    ids.extend(together.ids(number));
                    number += 1;
                } else {
                    self.encode_pretoken(pretoken, &mut scratch, ids);
                }
                ends.push(ids.len());
            }
        }
    }

    /// Merges some short pretokens, with what else belongs to each, or makes them the token that they are.
    fn encode_short<T>(&self, keys: &[(Packed, T)], together: &mut Together) {
        for (key, _) in keys {
            self.whole_filter.expect(key.hash());
        }
        for (key, _) in keys {
            if self.whole_filter.may_have(key.hash()) {
                self.whole.expect(key.hash());
            }
        }
        together.clear();
        for &(key, _) in keys {
            let bytes = key.to_bytes();
            let pretoken = &bytes[..key.short_length()];
            match self.whole(key, pretoken) {
                Some(id) => together.add_whole(id),
                None => together.add(&self.pairs, &self.byte_ids, pretoken),
            }
        }
        together.merge(&self.pairs);
    }

    fn encode_ordinary_with(&self, text: &str, cache: &mut Cache, sink: &mut impl Sink) {
        for_each_group(&self.splitter, text, &mut |start, ends| {
            cache.look_up(self, text.as_bytes(), start, ends, sink);
        });
    }

    /// All but what the cache has left for later.
    fn encode_with(
        &self,
        text: &str,
        specials: Option<&Specials>,
        cache: &mut Cache,
        sink: &mut impl Sink,
    ) {
        match specials {
            None => self.encode_ordinary_with(text, cache, sink),
            Some(specials) => specials.cut(text, |part| match part {
                Part::Ordinary(text) => self.encode_ordinary_with(text, cache, sink),
                Part::Special(id) => sink.many(&[id]),
            }),
        }
    }

    /// The ids of a text; `specials` become their ids, other text is ordinary.
    pub fn encode(&self, text: &str, specials: Option<&Specials>) -> Vec<u32> {
        let mut ids = Vec::with_capacity(text.len() / 3 + 4);
        self.with_cache(text.len(), |cache| {
            self.encode_with(text, specials, cache, &mut ids);
            cache.insert_left(self, &mut ids);
        });
        ids
    }

    /// The ids of some texts, one after the other, with a cache made for this call, and for each how many it has.
    /// What `encode` does with a cache that has any past: empty at first, warm when a text comes again, and with a
    /// small budget overflowing all the time.
    /// Where the watch says stop, the ids end with any text.
    pub fn encode_with_cache(
        &self,
        texts: &[&str],
        budget: Budget,
        watch: &Watch,
    ) -> (Vec<u32>, Vec<usize>) {
        let units = texts.iter().map(|text| text.len()).sum();
        let shared = Shared::for_text(units, budget.first);
        let mut cache = Cache::new(Arc::new(shared), budget);
        let mut ids = Vec::new();
        let texts = texts.iter().take_while(|_| !watch.stopped());
        let lengths = texts.map(|text| {
            let before = ids.len();
            self.encode_with(text, None, &mut cache, &mut ids);
            cache.insert_left(self, &mut ids);
            ids.len() - before
        });
        let lengths = lengths.collect();
        (ids, lengths)
    }

    /// How many ids a text has.
    pub fn count(&self, text: &str) -> usize {
        let mut count = 0;
        self.with_cache(text.len(), |cache| {
            self.encode_with(text, None, cache, &mut count);
            cache.insert_left(self, &mut count);
        });
        count
    }

    /// The ids that no continuation of the text can change, and where the text begins that they leave over.
    pub fn encode_open(&self, text: &str) -> (Vec<u32>, usize) {
        if !self.splitter.streams() {
            return (Vec::new(), 0);
        }
        let mut pretokens = Vec::new();
        self.splitter
            .for_each(text, |pretoken| pretokens.push(pretoken));
        pretokens.truncate(self.splitter.settled(text, &pretokens));
        let mut ids = Vec::new();
        let mut start = 0;
        self.with_cache(text.len(), |cache| {
            for pretoken in pretokens {
                let end = start + pretoken.len();
                cache.look_up(self, text.as_bytes(), start, &[end], &mut ids);
                start = end;
            }
            cache.insert_left(self, &mut ids);
        });
        (ids, start)
    }
}
