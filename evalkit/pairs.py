"""Figures of pairs of corpora and of tokenizers, from counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from evalkit.columns import Ints, computed
from evalkit.counts import Agreement, CorpusCounts
from evalkit.metrics.pairs import PAIR_METRICS, agreement, domain_divergence
from evalkit.results import CorpusPairRecord, MetricRecord, PairRecord
from evalkit.runs import summed
from evalkit.values import Undefined


def pair_records(corpora: Sequence[CorpusCounts], tokenizers: Sequence[str]) -> Iterator[CorpusPairRecord]:
    """The divergence of every two corpora under each of the ``tokenizers``. Corpora of one parallel group are one
    text in several languages: they are left out, since every pair of languages differs wholly."""
    alone = [corpus for corpus in corpora if corpus.parallel is None]
    metric = PAIR_METRICS["domain_divergence"]
    for name in tokenizers:
        for first, second in combinations(alone, 2):
            found = domain_divergence(first.tokenizers[name].id_counts, second.tokenizers[name].id_counts)
            defined = not isinstance(found, Undefined)
            yield CorpusPairRecord(
                metric=metric.name,
                tokenizer=name,
                first=first.name,
                second=second.name,
                value=found if defined else None,  # type: ignore[arg-type]
                unit=metric.unit,
                first_tokens=int(first.tokenizers[name].tokens.sum()),
                second_tokens=int(second.tokenizers[name].tokens.sum()),
                undefined_reason=None if defined else found.reason,  # type: ignore[union-attr]
            )


def boundaries_of_either(corpus: CorpusCounts, pair: Agreement) -> Ints | Undefined:
    """Those inside documents that either of the two has, by run of documents as those that both have."""
    if isinstance(pair.shared, Undefined):
        return pair.shared
    first, second = (corpus.tokenizers[name].tokens for name in (pair.first, pair.second))
    # Each token but the first of a document has a boundary before it.
    boundaries = computed(lambda one, two, size: one + two - 2 * (size > 0), first, second, corpus.bytes)
    return summed(boundaries, pair.run) - pair.shared


def tokenizer_pair_records(corpora: Sequence[CorpusCounts], confidence: float = 0.95) -> Iterator[PairRecord]:
    """The agreement of every two tokenizers on each corpus, where it was measured, with its interval."""
    for corpus in corpora:
        for pair in corpus.agreements:
            yield _agreement_record(corpus, pair, confidence)


def _agreement_record(corpus: CorpusCounts, pair: Agreement, confidence: float) -> PairRecord:
    metric = PAIR_METRICS["agreement"]
    either = boundaries_of_either(corpus, pair)
    found = agreement(pair.shared, either)
    value = found if isinstance(found, Undefined) else found.micro(metric.unit)
    interval = found if isinstance(found, Undefined) else found.micro_interval(confidence)
    return PairRecord(
        corpus=corpus.name,
        metric=metric.name,
        first=pair.first,
        second=pair.second,
        value=None if isinstance(value, Undefined) else value.value,
        low=None if isinstance(interval, Undefined) else interval.low,
        high=None if isinstance(interval, Undefined) else interval.high,
        shared=None if isinstance(pair.shared, Undefined) else int(pair.shared.sum()),
        union=None if isinstance(either, Undefined) else int(either.sum()),
        unit=metric.unit,
        n=corpus.documents,
        undefined_reason=value.reason if isinstance(value, Undefined) else None,
    )


def pair_metric_records(names: Sequence[str]) -> tuple[MetricRecord, ...]:
    """What these figures of pairs mean, to be stored with them."""
    return tuple(
        MetricRecord(
            m.name, m.unit, m.higher_is_better, m.definition, m.evidence, m.citation, m.version, False, m.no_interval
        )
        for m in map(PAIR_METRICS.__getitem__, names)
    )
