"""Figures of pairs of corpora and of tokenizers, from counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from evalkit.counts import CorpusCounts
from evalkit.metrics.pairs import PAIR_METRICS, agreement, domain_divergence
from evalkit.results import CorpusPairRecord, MetricRecord, PairRecord
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


def tokenizer_pair_records(corpora: Sequence[CorpusCounts]) -> Iterator[PairRecord]:
    """The agreement of every two tokenizers on each corpus, where it was measured."""
    metric = PAIR_METRICS["agreement"]
    for corpus in corpora:
        for pair in corpus.agreements:
            value = agreement(pair)
            undefined = value.reason if isinstance(value, Undefined) else None
            yield PairRecord(
                corpus=corpus.name,
                metric=metric.name,
                first=pair.first,
                second=pair.second,
                value=None if isinstance(value, Undefined) else value,
                shared=None if isinstance(pair.shared, Undefined) else pair.shared,
                union=None if isinstance(pair.union, Undefined) else pair.union,
                unit=metric.unit,
                n=corpus.documents,
                undefined_reason=undefined,
            )


def pair_metric_records(names: Sequence[str]) -> tuple[MetricRecord, ...]:
    """What these figures of pairs mean, to be stored with them."""
    return tuple(
        MetricRecord(
            m.name, m.unit, m.higher_is_better, m.definition, m.evidence, m.citation, m.version, False, m.no_interval
        )
        for m in map(PAIR_METRICS.__getitem__, names)
    )
