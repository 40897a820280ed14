"""From counts to paired comparisons: every two tokenizers on the same documents, and which is the best how
often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from zlib import crc32

from evalkit.counts import CorpusCounts
from evalkit.lossless import loses
from evalkit.results import ComparisonRecord, RankRecord
from evalkit.stability import Stability
from evalkit.stats import FEWEST, RESAMPLES, Comparison, best_shares, canonical, compare_pairs, holm
from evalkit.stats.noise import Noise
from evalkit.values import Undefined


def comparison_records(
    corpora: Sequence[CorpusCounts], names: Sequence[str], confidence: float, stability: Stability | None = None
) -> Iterator[ComparisonRecord]:
    """All pairs of ``names`` on every corpus. What is separable is decided for all pairs of a corpus together,
    so that the probability of a wrong difference anywhere among them is at most 1 − ``confidence``; what else
    the suite measures changes nothing. Where tokenizers were trained again, a difference must also be larger than
    what training alone makes."""
    stability = stability or Stability()
    for corpus in corpora:
        tokens = [corpus.tokenizers[name].tokens for name in names]
        found = compare_pairs(tokens, corpus.bytes, confidence)
        adjusted = iter(holm([one.p for one in found.values() if one.p is not None]))
        for (first, second), one in found.items():
            p_holm = None if one.p is None else next(adjusted)
            record = comparison_record(
                corpus.name, (names[first], names[second]), corpus.documents, one, p_holm, confidence
            )
            noise = stability.noise(corpus.name, names[first], names[second], confidence)
            yield _beyond_noise(record, noise)


def _beyond_noise(record: ComparisonRecord, noise: Noise | Undefined | None) -> ComparisonRecord:
    if noise is None:
        return record
    if isinstance(noise, Undefined):
        return replace(record, noise_undefined=noise.reason)
    record = replace(record, noise_floor=noise.floor)
    return replace(record, separable=False) if record.separable and record.within_noise else record


def comparison_record(
    corpus: str, names: tuple[str, str], documents: int, one: Comparison, p_holm: float | None, confidence: float
) -> ComparisonRecord:
    judged = False if one.identical else None
    return ComparisonRecord(
        corpus=corpus,
        first=names[0],
        second=names[1],
        documents=documents,
        ratio=one.ratio,
        low=one.low,
        high=one.high,
        p=one.p,
        p_holm=p_holm,
        separable=judged if p_holm is None else p_holm <= canonical(1 - confidence),
        identical=one.identical,
        detectable=one.detectable,
        undefined_reason=one.reason,
    )


def rank_records(corpora: Sequence[CorpusCounts], names: Sequence[str], seed: int) -> Iterator[RankRecord]:
    """Of the tokenizers that lose no text, where there are two at least, and documents enough. The seed is the
    suite's; each corpus has numbers of its own, whatever stands before it."""
    for corpus in corpora:
        lossless = [name for name in names if not loses(corpus.tokenizers[name])]
        if len(lossless) < 2 or corpus.documents < FEWEST:
            continue
        shares = best_shares(
            [corpus.tokenizers[name].tokens for name in lossless], crc32(f"{seed} {corpus.name}".encode())
        )
        for name, share in zip(lossless, shares, strict=True):
            yield RankRecord(corpus.name, name, share, RESAMPLES)
