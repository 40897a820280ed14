"""Metrics that the suite names and no other section shows."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.report import languages, mismatch, places, sections
from evalkit.report.figures import first_aggregation, shown_corpora
from evalkit.report.text import code
from evalkit.results import CorpusRecord, Results

ALWAYS = frozenset(
    {"bytes_per_token", "chars_per_token", "fertility", "vocab_utilization", "encode_mb_per_s", *places.TABLES}
)
"""What a section shows whenever it was measured."""

PER_GROUP = "gini_premium"
"""One figure for a whole group of parallel corpora."""


def section(results: Results) -> str:
    """A plain table of each; empty where there is none."""
    parts = []
    for metric in named(results):
        corpora = _corpora(results, metric)
        body = sections.figures(results, metric, aggregation=first_aggregation(results, metric), corpora=corpora)
        if body:
            parts.append(f"### {code(metric)}\n\n{body}")
    return "\n\n".join(parts)


def named(results: Results) -> list[str]:
    """The metrics that the section is of."""
    shown = set(ALWAYS) | {m.name for m in results.metrics if m.source}
    if results.suite.reference:
        shown.add("normalized_length")
    if mismatch.section(results):
        shown.add("regret")
    if languages.section(results):
        shown |= {"premium", PER_GROUP}
    measured = {row.metric for row in results.rows}
    return [name for name in results.suite.asked_metrics if name in measured and name not in shown]


def _corpora(results: Results, metric: str) -> Sequence[CorpusRecord]:
    """Those of the general tables; of what is defined for parallel ones alone, those, or one of each group."""
    defined = {row.corpus for row in results.rows if row.metric == metric and row.value is not None}
    if metric == PER_GROUP:
        first = {c.parallel: c for c in reversed(results.corpora) if c.parallel is not None and c.name in defined}
        if first:
            return [c for c in results.corpora if c in first.values()]
    usual = shown_corpora(results)
    if any(c.name in defined for c in usual):
        return usual
    return [c for c in results.corpora if c.name in defined] or usual
