"""From counts to the tidy table, and to the records about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np

from evalkit.counts import CorpusCounts, PairDifferences, TokenizerCounts
from evalkit.metrics import Cell, Metric
from evalkit.metrics.vocabulary import overlap_of
from evalkit.mismatch import Match, Trained, match, matched
from evalkit.parallel import parallel_of
from evalkit.results import CheckRecord, DifferenceRecord, MatchRecord, MetricRecord, OverlapRecord, Row
from evalkit.stability import Stability, cut_name
from evalkit.stats.noise import Noise
from evalkit.values import Undefined, Value
from tokenizers_impl import BPETokenizer, engine


def rows(
    corpora: Sequence[CorpusCounts],
    metrics: Sequence[Metric],
    trained: dict[str, Trained],
    reference: str | None,
    unreached: Mapping[str, str],
    confidence: float = 0.95,
    language: str = "en",
) -> Iterator[Row]:
    """Every metric of every tokenizer on every corpus, with its interval at ``confidence``. ``unreached``:
    rungs that training didn't reach, with the reason; they have rows too, all undefined. ``language``: the one that
    premiums are against."""
    for corpus in corpora:
        for name, counted in corpus.tokenizers.items():
            cell = Cell(
                corpus,
                counted,
                _reference(corpus, reference),
                matched(corpus, match(name, corpus.name, trained)),
                parallel_of(corpus, corpora, name, language),
            )
            for metric in metrics:
                for aggregation, value in metric.values(cell, confidence).items():
                    yield _row(corpus, name, metric, aggregation, value)
        for name, reason in unreached.items():
            for metric in metrics:
                for aggregation in metric.aggregations:
                    yield _row(corpus, name, metric, aggregation, Undefined(reason))


def _reference(corpus: CorpusCounts, name: str | None) -> TokenizerCounts | Undefined:
    if name is None:
        return Undefined("the suite names no reference tokenizer (measure: reference)")
    if name not in corpus.tokenizers:
        return Undefined(f"the reference tokenizer {name} was not part of this run")
    return corpus.tokenizers[name]


def _row(corpus: CorpusCounts, tokenizer: str, metric: Metric, aggregation: str, value: Value | Undefined) -> Row:
    defined = isinstance(value, Value)
    return Row(
        corpus=corpus.name,
        split=corpus.split,
        domain=corpus.domain,
        language=corpus.language,
        tokenizer=tokenizer,
        metric=metric.name,
        aggregation=aggregation,
        value=value.value if isinstance(value, Value) else None,
        low=value.low if isinstance(value, Value) else None,
        high=value.high if isinstance(value, Value) else None,
        unit=metric.unit,
        n=value.n if isinstance(value, Value) else corpus.documents,
        higher_is_better=metric.higher_is_better,
        evidence=metric.evidence,
        undefined_reason=None if defined else getattr(value, "reason", ""),
    )


def metric_records(metrics: Sequence[Metric]) -> tuple[MetricRecord, ...]:
    """What the metrics mean, to be stored with the figures."""
    return tuple(
        MetricRecord(
            m.name,
            m.unit,
            m.higher_is_better,
            m.definition,
            m.evidence,
            m.citation,
            m.version,
            m.timing,
            m.no_interval,
            m.source,
        )
        for m in metrics
    )


def check_records(corpora: Sequence[CorpusCounts]) -> Iterator[CheckRecord]:
    """The checks of every tokenizer on every corpus."""
    for corpus in corpora:
        for name, counted in corpus.tokenizers.items():
            for check in counted.checks:
                content: dict[str, Any] = asdict(check)
                yield CheckRecord(corpus=corpus.name, tokenizer=name, **content)


def match_records(
    corpora: Sequence[CorpusCounts],
    trained: dict[str, Trained],
    stability: Stability | None = None,
    confidence: float = 0.95,
) -> Iterator[MatchRecord]:
    """What regret was computed from. ``stability``: what training again gave, at these sizes too."""
    stability = stability or Stability()
    for corpus in corpora:
        for name in trained:
            found = match(name, corpus.name, trained)
            sides = matched(corpus, found)
            if isinstance(found, Match) and not isinstance(sides, Undefined):
                totals = int(sides.own.sum()), int(sides.ideal.sum())
                own, ideal = (cut_name(t.name, found.size) if t.size > found.size else t.name for t in found.sides)
                noise = None if own == ideal else stability.noise(corpus.name, own, ideal, confidence)
                floor = noise.floor if isinstance(noise, Noise) else None
                yield MatchRecord(corpus.name, name, sides.name, sides.size, *totals, noise_floor=floor)


def difference_records(corpora: Sequence[CorpusCounts]) -> Iterator[DifferenceRecord]:
    """The pairs that were explained."""
    for corpus in corpora:
        for pair in corpus.differences:
            yield difference_record(corpus.name, pair)


def overlap_records(tokenizers: Mapping[str, object]) -> Iterator[OverlapRecord]:
    """Each pair of byte-level vocabularies; others have no token bytes to compare."""
    known = {name: one for name, one in tokenizers.items() if isinstance(one, BPETokenizer)}
    numbers = engine.active().token_numbers(
        [one.engine_vocabulary for one in known.values()],
        [[text.encode() for text in one.special_tokens] for one in known.values()],
    )
    distinct = 1 + max((int(some.max()) for some in numbers if len(some)), default=-1)
    tokens = {}
    for name, some in zip(known, numbers, strict=True):
        tokens[name] = np.zeros(distinct, dtype=np.bool_)
        tokens[name][some] = True
    for first, second in combinations(tokens, 2):
        found = overlap_of(tokens[first], tokens[second])
        if not isinstance(found, Undefined):
            yield OverlapRecord(
                first, second, found.shared, found.jaccard, found.first_in_second, found.second_in_first
            )


def difference_record(corpus: str, pair: PairDifferences) -> DifferenceRecord:
    """What was explained of a pair, as results hold it."""
    return DifferenceRecord(
        corpus,
        pair.first,
        pair.second,
        pair.pieces,
        pair.sample_bytes,
        pair.first_total,
        pair.second_total,
        pair.top,
        pair.chosen,
    )
