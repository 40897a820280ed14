"""The metrics: pure functions of counts, one small function each, in a register.

A metric yields a :class:`Ratio` or :class:`Total` with each document's part, a :class:`Share` of the documents, a
:class:`Whole`, or :class:`Undefined` with the reason. Its unit, direction, definition, evidence and citation are
registered with it.
"""

from __future__ import annotations

from evalkit.metrics import compression, entropy, integrity, languages, per_word, places, speed, vocabulary
from evalkit.metrics.own import chosen_metrics, chosen_pairs, installed_names, own_metric
from evalkit.metrics.pairs import PAIR_METRICS, PairMetric, agreement, domain_divergence, pair_metric_names
from evalkit.metrics.registry import (
    METRICS,
    NO_PARALLEL,
    Cell,
    Jackknifed,
    Matched,
    Metric,
    Parallel,
    Ratio,
    Share,
    Total,
    Whole,
    get_metric,
    metric,
)
from evalkit.metrics.vocabulary import Overlap, vocabulary_overlap
from evalkit.values import Undefined

__all__ = [
    "METRICS",
    "NO_PARALLEL",
    "PAIR_METRICS",
    "Cell",
    "Jackknifed",
    "Matched",
    "Metric",
    "Overlap",
    "PairMetric",
    "Parallel",
    "Ratio",
    "Share",
    "Total",
    "Undefined",
    "Whole",
    "agreement",
    "chosen_metrics",
    "chosen_pairs",
    "compression",
    "domain_divergence",
    "entropy",
    "get_metric",
    "installed_names",
    "integrity",
    "languages",
    "metric",
    "metric_names",
    "own_metric",
    "pair_metric_names",
    "per_word",
    "places",
    "speed",
    "vocabulary",
    "vocabulary_overlap",
]


def metric_names() -> list[str]:
    """The names of all metrics, in the order of registration."""
    return list(METRICS)
