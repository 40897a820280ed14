"""The metrics: pure functions of counts, one small function each, in a register.

A metric yields a :class:`Ratio` or :class:`Total` with each document's part, a :class:`Share` of the documents, a
:class:`Whole`, or :class:`Undefined` with the reason. Its unit, direction, definition, evidence and citation are
registered with it.
"""

from __future__ import annotations

from evalkit.metrics import compression, integrity, languages, per_word, speed, vocabulary
from evalkit.metrics.own import chosen_metrics, installed_names, own_metric
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

__all__ = [
    "METRICS",
    "NO_PARALLEL",
    "Cell",
    "Jackknifed",
    "Matched",
    "Metric",
    "Overlap",
    "Parallel",
    "Ratio",
    "Share",
    "Total",
    "Whole",
    "chosen_metrics",
    "compression",
    "get_metric",
    "installed_names",
    "integrity",
    "languages",
    "metric",
    "metric_names",
    "own_metric",
    "per_word",
    "speed",
    "vocabulary",
    "vocabulary_overlap",
]


def metric_names() -> list[str]:
    """The names of all metrics, in the order of registration."""
    return list(METRICS)
