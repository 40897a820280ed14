"""From documents to counts: one pass over a corpus for all tokenizers, in bounded memory.

Tokenizers that cut text alike (equal ``splitter_key``) share one ``Scorer`` and cost little more than one.
The others are encoded document by document.
"""

from __future__ import annotations

import statistics
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evalkit import placing, why
from evalkit.auditor import Auditor
from evalkit.batches import Batch, Limits, batches
from evalkit.columns import Growing, zeros
from evalkit.counters import Alone, Group, SpecialText, specials_of
from evalkit.counts import (
    NOT_ASKED,
    BuiltLike,
    Check,
    CorpusCounts,
    CorpusLike,
    Explainable,
    Ints,
    Key,
    Neighbours,
    PairDifferences,
    Timing,
    TokenizerCounts,
)
from evalkit.encode_checks import EncodeAudit, byte_audit, no_byte_audit, time_encoding
from evalkit.ladder import climb, climbers
from evalkit.metrics.registry import Need
from evalkit.placing import Placing, needs_places
from evalkit.segmenters import word_counter
from evalkit.values import Undefined
from tokenizers_impl import BPETokenizer, engine
from tokenizers_impl.arguments import default_threads
from tokenizers_impl.deferred import dataclass
from tokenizers_impl.ladder import Ladder

Progress = Callable[[str, int, int], None]


class _Pass:
    """The state of one pass over a corpus."""

    def __init__(
        self,
        corpus: CorpusLike,
        tokenizers: Sequence[BuiltLike],
        truncated: Mapping[tuple[str, int], BPETokenizer],
        threads: int,
        limits: Limits,
        needs: frozenset[Need],
    ) -> None:
        self.corpus, self.tokenizers, self.limits, self.needs = corpus, tokenizers, limits, needs
        self.words = word_counter(corpus.segmenter, threads)
        self.climbers = climbers(tokenizers)
        self.groups: dict[str, Group] = {}
        self.alone: dict[str, Alone] = {}
        for built in tokenizers:
            if isinstance(built.tokenizer, BPETokenizer):
                self._group_of(built.tokenizer, threads).join(built.name, built.tokenizer)
            else:
                self.alone[built.name] = Alone(built, needs)
        for key, tokenizer in truncated.items():
            self._group_of(tokenizer, threads).join(key, tokenizer)
        self.placing: Placing | None = None
        if needs_places(needs):
            named = self._named_groups()
            self.placing = Placing([group.names for group in named], list(self.alone), needs, self.words, threads)
            for group in named:
                group.placing = self.placing
        self.threads = threads
        self.auditor = Auditor(tokenizers, threads, limits)
        self.special_text = SpecialText(tokenizers)
        self.hashes = array("Q")  # of documents there may be millions, and a list of numbers takes five times as much
        self.bytes = Growing()
        self.chars = Growing()
        self.word_counts = Growing()
        self.total = 0

    def _named_groups(self) -> list[Group]:
        """Without those of which only tokens are counted."""
        return [group for group in self.groups.values() if group.names]

    def _group_of(self, tokenizer: BPETokenizer, threads: int) -> Group:
        return self.groups.setdefault(tokenizer.splitter_key, Group(threads, self.needs))

    def places(self, refused: Mapping[str, Undefined]) -> placing.Places | None:
        """``refused``: tokenizers whose tokens can't be placed."""
        if self.placing is None:
            return None
        return self.placing.finish([group.scorer for group in self._named_groups()], refused)

    def add(self, batch: Batch) -> None:
        self.auditor.add(batch)
        self.hashes.extend(batch.hashes)
        self.bytes.extend(np.fromiter(map(len, batch.raw), dtype=np.int64, count=len(batch.raw)))
        self.chars.extend(np.fromiter(map(len, batch.texts), dtype=np.int64, count=len(batch.texts)))
        self.total += batch.bytes
        counted_by_placing = self.placing is not None and self.placing.counts_words
        if not isinstance(self.words.count, Undefined) and not counted_by_placing:
            self.word_counts.extend(self.words.count(batch.texts))
        found = {key: group.add(batch.texts) for key, group in self.groups.items()}
        for alone in self.alone.values():
            alone.add(batch.texts, batch.raw)
        if self.placing is not None:
            marks = [alone.places.marks(batch.texts, batch.raw) for alone in self.alone.values()]
            self.placing.add(batch.texts, [found[key] for key, group in self.groups.items() if group.names], marks)
        self.special_text.add(batch.texts)
        # What tables leave behind as they grow would be half a gigabyte after some hundred batches.
        engine.active().release_memory()


def measure_corpus(
    corpus: CorpusLike,
    tokenizers: Sequence[BuiltLike],
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    truncated: Mapping[tuple[str, int], BPETokenizer] | None = None,
    losses: Sequence[tuple[Key, Key]] = (),
    limits: Limits | None = None,
    needs: frozenset[Need] = placing.EVERYTHING,
) -> CorpusCounts:
    """Counts the evaluation split of ``corpus`` under all ``tokenizers``, and checks them on it.

    ``threads``: default all processors. ``truncated``: tokenizers cut to another's size by (name, size), of
    which only tokens are counted. ``losses``: pairs of which it is asked where the first needs more tokens than the
    second. ``needs``: what is found beside the counts that there always are. ``progress`` gets (stage, bytes done, 0)
    after each batch and may raise to
    stop. Numbers don't depend on ``threads``. Everything is measured as data: text that looks like a special
    token is ordinary text.

    Raises ``ValueError`` for two tokenizers of one name.
    """
    names = [built.name for built in tokenizers]
    if len(set(names)) != len(names):
        raise ValueError(f"two tokenizers have the same name: {', '.join(names)}")
    limits = limits or Limits()
    state = _Pass(corpus, tokenizers, truncated or {}, threads or default_threads(), limits, needs)
    with state.auditor.aside:
        for batch in batches(corpus.documents(corpus.split_name), limits):
            state.add(batch)
            if progress:
                progress(f"measure {corpus.name}", state.total, 0)
        counts = _counts(state, losses)
    del state
    engine.active().release_memory()
    return counts


def _counts(state: _Pass, losses: Sequence[tuple[Key, Key]]) -> CorpusCounts:
    counted: dict[str, TokenizerCounts] = {}
    truncated: dict[tuple[str, int], Ints] = {}
    found = {key: _found(state, group) for key, group in state.groups.items()}
    refused = {name: reason for name, alone in state.alone.items() if (reason := alone.places.refused) is not None}
    for key, group in state.groups.items():
        lost = {group.keys[encoder] for _, encoder in found[key].broken}
        refused |= {name: Undefined("its tokens don't join to the text") for name in group.names if name in lost}
    places = state.places(refused)
    state.auditor.finish()  # as late as can be: it goes on beside all this
    for key, group in state.groups.items():
        columns, broken, neighbours = found[key].columns, found[key].broken, found[key].neighbours
        for number, (name, tokenizer) in enumerate(zip(group.keys, group.tokenizers, strict=True)):
            tokens = columns[1 + number]
            if isinstance(name, tuple):
                truncated[name] = tokens
                continue
            ids = np.asarray(group.scorer.id_counts(number))
            pieces = [pretoken for pretoken, encoder in broken if encoder == number]
            audit = byte_audit(tokenizer.token_lengths, ids, pieces, len(state.bytes), state.total)
            none = zeros(len(tokens))  # unknown
            counted[name] = _tokenizer_counts(state, name, tokenizer, tokens, none, columns[0], ids, audit)
            counted[name] = replace(counted[name], neighbours=neighbours[number])
    for name, alone in state.alone.items():
        tokens, unknown = alone.table()
        audit = no_byte_audit(len(state.bytes), state.total)
        pretokens = Undefined("only byte-level BPE has its pretokens counted")
        counted[name] = _tokenizer_counts(state, name, alone.tokenizer, tokens, unknown, pretokens, alone.ids(), audit)
        counted[name] = replace(counted[name], neighbours=alone.places.neighbours())
    corpus = state.corpus
    if places is not None:
        counted = {n: replace(c, placed=places.placed[n], types=places.types[n]) for n, c in counted.items()}
    ordered = {built.name: counted[built.name] for built in state.tokenizers}
    compared = [built.name for built in state.tokenizers if built.kind != "baseline"]
    return CorpusCounts(
        name=corpus.name,
        split=corpus.split_name,
        domain=corpus.domain,
        language=corpus.language,
        segmenter=state.words.name,
        sha256=corpus.sha256,
        hashes=np.frombuffer(state.hashes, dtype=np.uint64),
        bytes=state.bytes.finish(),
        chars=state.chars.finish(),
        words=_words(state, places),
        tokenizers=ordered,
        truncated=truncated,
        explainable=_explainable(state, ordered),
        losses=tuple(_loss(state, pair, ordered, truncated) for pair in losses),
        ladders=_ladders(state),
        special_text_documents=state.special_text.documents,
        parallel=getattr(corpus, "parallel", None),
        multibyte=NOT_ASKED if places is None else places.multibyte,
        number_places=NOT_ASKED if places is None else places.number_places,
        agreements=() if places is None else places.agreements(compared),
    )


@dataclass(frozen=True)
class _Found:
    """Of a group: its columns by document, the pretokens that an encoder's tokens don't join to with that encoder's
    number, and the neighbours under each tokenizer with a name."""

    columns: list[Ints]
    broken: list[tuple[bytes, int]]
    neighbours: list[Neighbours | Undefined]


def _found(state: _Pass, group: Group) -> _Found:
    neighbours = placing.grouped_neighbours(group.scorer, state.needs, len(group.names))
    engine.active().release_memory()
    return _Found(group.table(), group.scorer.broken(), neighbours)


def _words(state: _Pass, places: placing.Places | None) -> Ints | Undefined:
    if places is not None and state.placing is not None and state.placing.counts_words:
        return places.words
    if isinstance(state.words.count, Undefined):
        return state.words.count
    return state.word_counts.finish()


def _ladders(state: _Pass) -> dict[str, Ladder]:
    found = {}
    for group in state.groups.values():
        members = {name: state.climbers[name] for name in group.names if name in state.climbers}
        if members:
            found.update(climb(group.scorer.counter(), members))
    return {name: found[name] for name in state.climbers}


def _tokenizer_counts(
    state: _Pass,
    name: str,
    tokenizer: Any,
    tokens: Ints,
    unknown: Ints,
    pretokens: Ints | Undefined,
    id_counts: Ints,
    audit: Check,
) -> TokenizerCounts:
    paths = state.auditor.audits[name]
    of_bytes = state.total
    size = getattr(tokenizer, "vocab_size", None)
    return TokenizerCounts(
        name=name,
        vocab_size=size if isinstance(size, int) else Undefined("it has no fixed vocabulary"),
        special_ids=frozenset(specials_of(tokenizer).values()),
        tokens=tokens,
        unknown=unknown,
        pretokens=pretokens,
        id_counts=id_counts,
        round_trips=paths.round_trips,
        round_trip_documents=paths.documents,
        special_text_documents=state.special_text.by_name[name],
        checks=(paths.parallel_check(of_bytes), audit, paths.round_trip_check(of_bytes, int(unknown.sum()))),
        timing=_timing(state, paths),
    )


def _timing(state: _Pass, paths: EncodeAudit) -> Timing | Undefined:
    """On one sample for all tokenizers, as long as the median one can encode in its time, so that speeds can
    be compared; one that is more than ten times slower gets a part of it."""
    if paths.divergence is not None:
        return Undefined("not timed, since its ids are not right")
    usual = statistics.median(audit.pace for audit in state.auditor.audits.values())
    return time_encoding(
        paths.tokenizer,
        state.auditor.sample,
        state.auditor.sample_sizes,
        max(usual, paths.pace / 10),
        state.limits.timing_seconds,
    )


def _explainable(state: _Pass, counted: Mapping[str, TokenizerCounts]) -> Explainable:
    """Baselines are left out. Which pair is of interest isn't known before all corpora are measured, and keeping all
    pretokens until then would take too much memory: so some pairs are looked at of which most won't be used."""
    kinds = {built.name: built.kind for built in state.tokenizers}
    totals = {n: int(c.tokens.sum()) for n, c in counted.items() if kinds[n] != "baseline"}
    if len(totals) < 2:
        return Explainable()
    groups = {key: [n for n in group.names if n in totals] for key, group in state.groups.items()}
    sizes = {n: size for n in totals if isinstance(size := counted[n].vocab_size, int)}
    inside = [
        state.groups[key].differences(pair, (totals[pair[0]], totals[pair[1]]), state.total)
        for key, pair in why.pairs_inside(groups, totals, sizes)
    ]
    return Explainable(tuple(inside), tuple(_sample(state)))


def _loss(
    state: _Pass,
    pair: tuple[Key, Key],
    counted: Mapping[str, TokenizerCounts],
    truncated: Mapping[tuple[str, int], Ints],
) -> PairDifferences:
    """Over the whole split where both have one split pattern; else over the sample, by words."""
    homes = [next(g for g in state.groups.values() if key in g.keys) for key in pair]
    if homes[0] is homes[1]:
        one, two = (int((counted[key].tokens if isinstance(key, str) else truncated[key]).sum()) for key in pair)
        return homes[0].differences(pair, (one, two), state.total)
    sides = [
        (key if isinstance(key, str) else key[0], home.tokenizers[home.keys.index(key)])
        for key, home in zip(pair, homes, strict=True)
    ]
    return why.by_words(sides[0], sides[1], _sample(state))


def _sample(state: _Pass) -> list[str]:
    texts, room = [], state.limits.explained_bytes
    for text, size in zip(state.auditor.sample, state.auditor.sample_sizes, strict=True):
        if room <= 0:
            break
        texts.append(text if size <= room else text[: max(1, room // 4)])
        room -= size
    return texts
