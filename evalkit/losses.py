"""Which tokens carry the loss of a vocabulary away from home."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from evalkit.counts import CorpusCounts, Ints, PairDifferences
from evalkit.fair_records import LossRecord, TokenCount
from evalkit.mismatch import Match, Trained, match
from evalkit.rows import difference_record
from evalkit.values import Undefined
from tokenizers_impl import BPETokenizer

SHOWN = 12  # tokens of each kind


def loss_records(
    corpora: Sequence[CorpusCounts], trained: dict[str, Trained], tokenizers: Mapping[str, object]
) -> Iterator[LossRecord]:
    """One for each tokenizer and corpus that it has a regret on."""
    at_home = _counts_at_home(corpora, trained)
    for corpus in corpora:
        by_tokenizer = {pair.first: pair for pair in corpus.losses}
        for name in trained:
            found = match(name, corpus.name, trained)
            if not isinstance(found, Match) or name not in by_tokenizer:
                continue
            own, ideal = (tokenizers[one.name] for one in (found.own, found.ideal))
            if isinstance(own, BPETokenizer) and isinstance(ideal, BPETokenizer):
                yield _record(corpus, found, (own, ideal), by_tokenizer[name], at_home.get(name))


def _counts_at_home(corpora: Sequence[CorpusCounts], trained: dict[str, Trained]) -> dict[str, Ints]:
    """How often each id of a tokenizer occurs on the measured corpora that it was trained on."""
    found: dict[str, Ints] = {}
    for corpus in corpora:
        for name, one in trained.items():
            counts = corpus.tokenizers[name].id_counts
            if corpus.name in one.corpora and not isinstance(counts, Undefined):
                found[name] = _added(found[name], counts) if name in found else counts
    return found


def _added(one: Ints, other: Ints) -> Ints:
    total = np.zeros(max(len(one), len(other)), dtype=np.int64)
    total[: len(one)] += one
    total[: len(other)] += other
    return total


def _record(
    corpus: CorpusCounts,
    found: Match,
    sides: tuple[BPETokenizer, BPETokenizer],
    pair: PairDifferences,
    home: Ints | None,
) -> LossRecord:
    own, ideal = sides
    here = _occurring(own, corpus.tokenizers[found.own.name].id_counts)
    idle = {} if home is None else {t: n for t, n in _occurring(own, home).items() if t not in here}
    have = _tokens(own)
    needed = _occurring(ideal, corpus.tokenizers[found.ideal.name].id_counts)
    missing = {token: times for token, times in needed.items() if token not in have}
    return LossRecord(
        corpus=corpus.name,
        tokenizer=found.own.name,
        ideal=found.ideal.name,
        size=found.size,
        difference=difference_record(corpus.name, pair),
        entries=len(have),
        used=len(here),
        idle=None if home is None else len(idle),
        idle_top=_most(idle),
        missing=len(missing),
        missing_top=_most(missing),
    )


def _tokens(tokenizer: BPETokenizer) -> set[bytes]:
    special = set(tokenizer.special_tokens.values())
    return {token for token_id, token in tokenizer.vocab.items() if token_id not in special}


def _occurring(tokenizer: BPETokenizer, counts: Ints | Undefined) -> dict[bytes, int]:
    """Times by token, of those that occur; text as data yields no special token."""
    if isinstance(counts, Undefined):
        return {}
    vocab = tokenizer.vocab
    return {vocab[token_id]: int(counts[token_id]) for token_id in np.flatnonzero(counts).tolist()}


def _most(times: Mapping[bytes, int]) -> tuple[TokenCount, ...]:
    order = sorted(times.items(), key=lambda item: (-item[1], item[0]))
    return tuple(TokenCount(token, n) for token, n in order[:SHOWN])
