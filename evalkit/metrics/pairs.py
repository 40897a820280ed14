"""Figures of two things at once: of two corpora under one tokenizer, of two vocabularies, or of two tokenizers on one
corpus."""

from __future__ import annotations

from typing import Literal

import numpy as np

from evalkit.counts import Ints
from evalkit.metrics.registry import Evidence, Ratio
from evalkit.stats.intervals import canonical
from evalkit.values import Undefined
from tokenizers_impl.deferred import dataclass


@dataclass(frozen=True)
class PairMetric:
    """What :class:`evalkit.metrics.Metric` is, for a figure of a pair. ``between``: what the two are. ``no_interval``:
    why it has none, where that is so."""

    name: str
    unit: str
    higher_is_better: bool | None
    definition: str
    evidence: Evidence
    citation: str
    version: int
    between: Literal["corpora", "vocabularies", "tokenizers"]
    no_interval: str


PAIR_METRICS = {
    one.name: one
    for one in (
        PairMetric(
            "domain_divergence",
            "bits",
            None,
            "Jensen–Shannon divergence of the distributions of ids of two corpora under one tokenizer, both of weight "
            "one half, in bits: 0 where they are the same, 1 where no id occurs in both",
            "none",
            "definition: Lin 1991, Divergence measures based on the Shannon entropy",
            1,
            "corpora",
            "it is biased upwards where either text is short, and resampled documents repeat ids",
        ),
        PairMetric(
            "vocab_overlap",
            "ratio",
            None,
            "Jaccard index of two vocabularies over token bytes, special tokens left out, and the share of each one's "
            "tokens that the other has",
            "none",
            "",
            1,
            "vocabularies",
            "it is a count of two fixed vocabularies, and no estimate",
        ),
        PairMetric(
            "agreement",
            "ratio",
            None,
            "boundaries between tokens that two tokenizers share / boundaries that either has, over byte offsets "
            "inside documents (their beginnings and ends are everyone's)",
            "none",
            "",
            1,
            "tokenizers",
            "",
        ),
    )
}


def domain_divergence(first: Ints | Undefined, second: Ints | Undefined) -> float | Undefined:
    """The Jensen–Shannon divergence of two counts of ids, in bits: H(m) − (H(p) + H(q)) / 2 with m = (p + q) / 2.

    ``first`` and ``second``: how often each id from 0 on occurred, of any lengths. To nine digits.

    >>> domain_divergence(np.array([2, 2]), np.array([1, 1, 0])), domain_divergence(np.array([3]), np.array([0, 5]))
    (0.0, 1.0)
    >>> domain_divergence(np.array([1, 1]), np.array([1]))  # m = (3/4, 1/4): 0.811278 − 1/2
    0.311278124
    >>> domain_divergence(np.array([0]), np.array([1]))
    Undefined(reason='one of the two corpora has no tokens')
    """
    for one in (first, second):
        if isinstance(one, Undefined):
            return one
    assert not isinstance(first, Undefined)
    assert not isinstance(second, Undefined)
    if not first.any() or not second.any():
        return Undefined("one of the two corpora has no tokens")
    size = max(len(first), len(second))
    p, q = (np.pad(one, (0, size - len(one))) / one.sum() for one in (first, second))
    m = (p + q) / 2
    total = 0.0
    for one in (p, q):  # the mean of the two relative entropies to m: no small difference of large entropies
        some = one > 0
        total += float((one[some] * np.log2(one[some] / m[some])).sum()) / 2
    return canonical(min(1.0, max(0.0, total)))


def agreement(shared: Ints | Undefined, either: Ints | Undefined) -> Ratio | Undefined:
    """Σ shared boundaries / Σ boundaries of either; 1 where all texts are cut alike. Both by document, or by run of
    documents.

    ``ab|c|d`` and ``a|bc|d`` share one of three:

    >>> agreement(np.array([1]), np.array([3])).micro("ratio").value
    0.3333333333333333
    >>> agreement(np.array([0]), np.array([0]))
    Undefined(reason='neither cuts any document')
    """
    if isinstance(shared, Undefined):
        return shared
    if isinstance(either, Undefined):
        return either
    if not either.any():
        return Undefined("neither cuts any document")
    return Ratio(shared, either, rate=True)


def pair_metric_names() -> list[str]:
    """The names of the figures of pairs."""
    return list(PAIR_METRICS)
