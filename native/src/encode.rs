//! `Encoder`: a splitter, a vocabulary and its merges.

use std::sync::{Arc, Mutex, PoisonError};

use aho_corasick::{AhoCorasick, MatchKind};

use crate::bpe::{self, Merge, Pairs, Scratch};
use crate::pretok::Splitter;
use crate::runs::{map_runs, RUN_BYTES};
use crate::table::Interner;

/// Pretokens that a cache holds before it is emptied, and bytes that these have together: some 20 MB with their ids.
const CACHED: usize = 1 << 17;
const CACHED_BYTES: usize = 1 << 22;

/// Special tokens, located leftmost-longest.
pub struct Specials {
    automaton: AhoCorasick,
    ids: Vec<u32>,
}

impl Specials {
    pub fn new(tokens: &[(String, u32)]) -> Result<Self, String> {
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(tokens.iter().map(|(text, _)| text))
            .map_err(|error| format!("the special tokens make no automaton: {error}"))?;
        let ids = tokens.iter().map(|&(_, id)| id).collect();
        Ok(Specials { automaton, ids })
    }

    /// Byte range of the first special token in the text.
    pub fn find_first(&self, text: &str) -> Option<std::ops::Range<usize>> {
        self.automaton.find(text).map(|found| found.range())
    }
}

/// The tokens' bytes by id.
struct Tokens {
    bytes: Vec<u8>,
    /// Token `id` is `bytes[starts[id]..starts[id + 1]]`; an id that is not used has none.
    starts: Vec<u32>,
}

impl Tokens {
    fn new(tokens: &[(u32, Vec<u8>)]) -> Self {
        let largest = tokens.iter().map(|&(id, _)| id).max().unwrap_or(0) as usize;
        let mut by_id: Vec<&[u8]> = vec![&[]; largest + 1];
        for (id, token) in tokens {
            by_id[*id as usize] = token;
        }
        let mut starts = vec![0];
        let mut bytes = Vec::new();
        for token in by_id {
            bytes.extend_from_slice(token);
            starts.push(bytes.len() as u32);
        }
        Tokens { bytes, starts }
    }

    fn get(&self, id: u32) -> &[u8] {
        &self.bytes[self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize]
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }
}

pub struct Encoder {
    pub splitter: Arc<Splitter>,
    byte_ids: [u32; 256],
    pairs: Pairs,
    merges: Vec<(u32, u32, u32)>,
    /// Pretokens that are one token, and which: under ranks all tokens, under merges those that merging reaches.
    whole: Interner,
    whole_ids: Vec<u32>,
    tokens: Tokens,
    /// Caches that no call is using. A call takes one for each of its threads and gives it back.
    caches: Mutex<Vec<Cache>>,
}

/// The ids of pretokens that are more than one token.
#[derive(Default)]
struct Cache {
    table: Interner,
    ends: Vec<u32>,
    ids: Vec<u32>,
    scratch: Scratch,
}

impl Encoder {
    /// `merges` are (left id, right id, new id), the first of them of lowest rank.
    pub fn from_merges(
        splitter: Arc<Splitter>,
        tokens: &[(u32, Vec<u8>)],
        merges: Vec<(u32, u32, u32)>,
        whole_pretokens: bool,
    ) -> Result<Self, String> {
        let ranked = merges
            .iter()
            .zip(0..)
            .map(|(&(left, right, id), rank)| (left, right, Merge { rank, id }));
        let pairs = Pairs::new(ranked.collect::<Vec<_>>().into_iter());
        let mut encoder = Encoder::empty(splitter, tokens, pairs, merges)?;
        let mut scratch = Scratch::default();
        let mut ids = Vec::new();
        for (id, token) in tokens {
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

    /// tiktoken's rule: two neighbours merge when their joined bytes are a token, whose id is the rank.
    ///
    /// Where every token is built from its own bytes by merges of lower rank, the last of these is the only
    /// pair that can ever stand side by side with those bytes, so that one pair a token is enough. (Suppose
    /// another pair did. No merge has crossed the ends of the two, so inside them the merges so far were those
    /// of the token's bytes alone, and these would have built it already.) Otherwise every way to cut each
    /// token into two tokens is a pair.
    pub fn from_ranks(splitter: Arc<Splitter>, tokens: &[(u32, Vec<u8>)]) -> Result<Self, String> {
        let mut table = Interner::with_capacity(tokens.len());
        let mut ids = Vec::with_capacity(tokens.len());
        for (id, token) in tokens {
            table.intern(token);
            ids.push(*id);
        }
        let rank = |bytes: &[u8]| table.get(bytes).map(|index| ids[index as usize]);
        let mut merges = Vec::with_capacity(tokens.len());
        let mut complete = true;
        for (id, token) in tokens {
            if token.len() > 1 {
                match last_merge(token, *id, &rank) {
                    Some((left, right)) => merges.push((left, right, *id)),
                    None => complete = false,
                }
            }
        }
        merges.sort_unstable_by_key(|merge| merge.2);
        let ranked = |&(left, right, id): &(u32, u32, u32)| (left, right, Merge { rank: id, id });
        let pairs = if complete {
            Pairs::new(merges.iter().map(ranked))
        } else {
            let mut all = Vec::new();
            for (id, token) in tokens {
                for middle in 1..token.len() {
                    let (left, right) = token.split_at(middle);
                    if let (Some(left), Some(right)) = (rank(left), rank(right)) {
                        all.push((left, right, *id));
                    }
                }
            }
            Pairs::new(all.iter().map(ranked))
        };
        let mut encoder = Encoder::empty(splitter, tokens, pairs, merges)?;
        for (id, token) in tokens {
            encoder.add_whole(token, *id);
        }
        Ok(encoder)
    }

    fn empty(
        splitter: Arc<Splitter>,
        tokens: &[(u32, Vec<u8>)],
        pairs: Pairs,
        merges: Vec<(u32, u32, u32)>,
    ) -> Result<Self, String> {
        let mut byte_ids = [u32::MAX; 256];
        for (id, token) in tokens {
            if let [byte] = token[..] {
                byte_ids[usize::from(byte)] = *id;
            }
        }
        if let Some(byte) = byte_ids.iter().position(|&id| id == u32::MAX) {
            return Err(format!("the byte {byte} has no token"));
        }
        Ok(Encoder {
            splitter,
            byte_ids,
            pairs,
            merges,
            whole: Interner::with_capacity(tokens.len()),
            whole_ids: Vec::with_capacity(tokens.len()),
            tokens: Tokens::new(tokens),
            caches: Mutex::default(),
        })
    }

    fn add_whole(&mut self, token: &[u8], id: u32) {
        if self.whole.intern(token).1 {
            self.whole_ids.push(id);
        }
    }

    /// (left id, right id, new id) in order of rank.
    pub fn merges(&self) -> &[(u32, u32, u32)] {
        &self.merges
    }

    pub fn token(&self, id: u32) -> &[u8] {
        self.tokens.get(id)
    }

    /// One more than the largest id.
    pub fn id_bound(&self) -> usize {
        self.tokens.len()
    }

    fn merge(&self, pretoken: &[u8], scratch: &mut Scratch, out: &mut Vec<u32>) {
        let symbols = pretoken
            .iter()
            .map(|&byte| self.byte_ids[usize::from(byte)]);
        bpe::merge(&self.pairs, symbols, scratch, out);
    }

    #[inline]
    fn whole_id(&self, pretoken: &[u8]) -> Option<u32> {
        self.whole
            .get(pretoken)
            .map(|index| self.whole_ids[index as usize])
    }

    /// Appends the ids of one pretoken.
    pub fn encode_pretoken(&self, pretoken: &[u8], scratch: &mut Scratch, out: &mut Vec<u32>) {
        match self.whole_id(pretoken) {
            Some(id) => out.push(id),
            None => self.merge(pretoken, scratch, out),
        }
    }

    fn take_cache(&self) -> Cache {
        let mut caches = self.caches.lock().unwrap_or_else(PoisonError::into_inner);
        caches.pop().unwrap_or_default()
    }

    fn return_cache(&self, cache: Cache) {
        let mut caches = self.caches.lock().unwrap_or_else(PoisonError::into_inner);
        caches.push(cache);
    }

    fn encode_with(&self, text: &str, cache: &mut Cache, out: &mut Vec<u32>) {
        self.splitter.for_each(text, |pretoken| {
            self.encode_one(pretoken.as_bytes(), cache, out)
        });
    }

    #[inline(always)]
    fn encode_one(&self, pretoken: &[u8], cache: &mut Cache, out: &mut Vec<u32>) {
        match self.whole_id(pretoken) {
            Some(id) => out.push(id),
            None => out.extend_from_slice(cache.get(self, pretoken)),
        }
    }

    fn encode_special_with(
        &self,
        text: &str,
        specials: &Specials,
        cache: &mut Cache,
        out: &mut Vec<u32>,
    ) {
        let mut end = 0;
        for found in specials.automaton.find_iter(text) {
            self.encode_with(&text[end..found.start()], cache, out);
            out.push(specials.ids[found.pattern().as_usize()]);
            end = found.end();
        }
        self.encode_with(&text[end..], cache, out);
    }

    /// The ids of a text; `specials` become their ids, other text is ordinary.
    pub fn encode(&self, text: &str, specials: Option<&Specials>) -> Vec<u32> {
        let mut cache = self.take_cache();
        let mut out = Vec::with_capacity(text.len() / 3 + 1);
        match specials {
            Some(specials) => self.encode_special_with(text, specials, &mut cache, &mut out),
            None => self.encode_with(text, &mut cache, &mut out),
        }
        self.return_cache(cache);
        out
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
        let mut cache = self.take_cache();
        let mut out = Vec::new();
        let mut end = 0;
        for pretoken in pretokens {
            self.encode_one(pretoken.as_bytes(), &mut cache, &mut out);
            end += pretoken.len();
        }
        self.return_cache(cache);
        (out, end)
    }

    pub fn count(&self, text: &str) -> usize {
        let mut cache = self.take_cache();
        let mut count = 0;
        self.splitter.for_each(text, |pretoken| {
            let pretoken = pretoken.as_bytes();
            count += match self.whole_id(pretoken) {
                Some(_) => 1,
                None => cache.get(self, pretoken).len(),
            };
        });
        self.return_cache(cache);
        count
    }

    /// All ids of all texts in order, and for each text how many it has.
    pub fn encode_batch(
        &self,
        texts: &[&str],
        threads: usize,
        specials: Option<&Specials>,
    ) -> (Vec<u32>, Vec<usize>) {
        let encode_run = |run: &[&str], cache: &mut Cache| {
            let mut ids = Vec::new();
            let mut lengths = Vec::with_capacity(run.len());
            for text in run {
                let before = ids.len();
                match specials {
                    Some(specials) => self.encode_special_with(text, specials, cache, &mut ids),
                    None => self.encode_with(text, cache, &mut ids),
                }
                lengths.push(ids.len() - before);
            }
            (ids, lengths)
        };
        let parts = map_runs(texts, threads, |turns| {
            let mut cache = self.take_cache();
            turns.each(|run| encode_run(run, &mut cache));
            self.return_cache(cache);
        });
        let mut ids = Vec::with_capacity(parts.iter().map(|part| part.0.len()).sum());
        let mut lengths = Vec::with_capacity(texts.len());
        for (some_ids, some_lengths) in parts {
            ids.extend_from_slice(&some_ids);
            lengths.extend(some_lengths);
        }
        (ids, lengths)
    }

    /// One text, cut where no pretoken can span the cut.
    pub fn encode_parallel(&self, text: &str, threads: usize) -> Vec<u32> {
        let size = (text.len() / (4 * threads.max(1))).max(RUN_BYTES);
        let mut pieces = Vec::new();
        let mut start = 0;
        while start < text.len() {
            let end = if text.len() - start <= size {
                text.len()
            } else {
                self.splitter.safe_cut(text, start + size)
            };
            pieces.push(&text[start..end]);
            start = end;
        }
        self.encode_batch(&pieces, threads, None).0
    }
}

impl Cache {
    fn get(&mut self, encoder: &Encoder, pretoken: &[u8]) -> &[u32] {
        if self.table.len() >= CACHED || self.table.key_bytes() >= CACHED_BYTES {
            self.table.clear();
            self.ends.clear();
            self.ids.clear();
        }
        let (index, new) = self.table.intern(pretoken);
        let index = index as usize;
        if new {
            encoder.merge(pretoken, &mut self.scratch, &mut self.ids);
            self.ends.push(self.ids.len() as u32);
        }
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.ids[start as usize..self.ends[index] as usize]
    }
}

/// The parts that merging by rank leaves of a token when only merges below its own rank are made: two, where the
/// token can be built.
fn last_merge(token: &[u8], id: u32, rank: &impl Fn(&[u8]) -> Option<u32>) -> Option<(u32, u32)> {
    let mut cuts: Vec<usize> = (0..=token.len()).collect();
    while cuts.len() > 3 {
        let (_, at) = (0..cuts.len() - 2)
            .filter_map(|i| Some((rank(&token[cuts[i]..cuts[i + 2]])?, i)))
            .filter(|&(found, _)| found < id)
            .min()?;
        cuts.remove(at + 1);
    }
    Some((rank(&token[..cuts[1]])?, rank(&token[cuts[1]..])?))
}
