"""Bounds on figures, judged on the rows of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evalkit.gate.verdicts import Outcome, Verdict
from evalkit.results import Row
from evalkit.stats.intervals import FEWEST, too_few
from evalkit.suite_gate import ThresholdSpec

_END = {"min": "low", "max": "high"}  # of an interval, that which is worse


def judge_thresholds(
    thresholds: Sequence[ThresholdSpec],
    rows: Sequence[Row],
    aliases: Mapping[str, str] | None = None,
) -> Iterator[Verdict]:
    """One verdict for each bound. ``aliases``: the name under which a tokenizer's rows stand, by its other
    names (the largest rung of a ladder has two).

    A figure that is undefined, or isn't there, is ``missing``: a bound that can't be checked isn't kept.
    """
    for threshold in thresholds:
        name = (aliases or {}).get(threshold.tokenizer, threshold.tokenizer)
        found = [
            row for row in rows if (row.metric, row.tokenizer, row.corpus) == (threshold.metric, name, threshold.corpus)
        ]
        yield _judge(threshold, found)


def named(threshold: ThresholdSpec) -> str:
    """The bound as the suite has it: ``fertility macro max 1.5, high``."""
    bounds = [f"{key} {bound:g}" for key in ("min", "max", "limit") if (bound := getattr(threshold, key)) is not None]
    words = " ".join(filter(None, [threshold.metric, threshold.aggregation, *bounds]))
    return words if threshold.bound == "value" else f"{words}, {threshold.bound}"


def _judge(threshold: ThresholdSpec, rows: Sequence[Row]) -> Verdict:
    def verdict(outcome: Outcome, detail: str, documents: int = 0) -> Verdict:
        name, corpus = threshold.tokenizer, threshold.corpus
        return Verdict("threshold", name, corpus, outcome, detail, documents=documents, what=named(threshold))

    row = _row(threshold, rows)
    asked = threshold.aggregation or (row.aggregation if row is not None else None)
    what = f"{threshold.metric} ({asked})" if asked else threshold.metric
    if row is None:
        there = ", ".join(row.aggregation for row in rows)
        reason = f"there is only {there}" if rows else "it was not measured"
        return verdict("missing", f"{what}: {reason}")
    if row.value is None:
        return verdict("missing", f"{what} is undefined: {row.undefined_reason}")
    bounds = {key: bound for key, bound in (("min", threshold.min), ("max", threshold.max)) if bound is not None}
    if threshold.limit is not None:
        if row.higher_is_better is None:
            return verdict("missing", f"{what} has no better side that a limit could be on; give min or max", row.n)
        bounds = {"min" if row.higher_is_better else "max": threshold.limit}
    value = f"{what} is {row.value:.6g} {row.unit}".rstrip()
    for key, bound in bounds.items():
        name = _END[key] if threshold.bound == "interval" else threshold.bound
        judged = {"value": row.value, "low": row.low, "high": row.high}[name]
        if judged is None:
            few = f": {too_few(row.n).reason}" if row.n < FEWEST else ""
            return verdict("missing", f"{what} has no interval, and bound is {threshold.bound}{few}", row.n)
        end = "" if name == "value" else f", {name} end of its interval {judged:.6g}"
        if judged < bound if key == "min" else judged > bound:
            return verdict("fail", f"{value}{end}, {'below' if key == 'min' else 'above'} {key} {bound:g}", row.n)
    if threshold.bound == "interval":
        end = f", its interval {row.low:.6g} to {row.high:.6g}"
    kept = " and ".join(f"{key} {bound:g}" for key, bound in bounds.items())
    return verdict("pass", f"{value}{end}, within {kept}", row.n)


def _row(threshold: ThresholdSpec, rows: Sequence[Row]) -> Row | None:
    """The row of the aggregation that is asked for; micro, or the only one there is, where none is."""
    by_aggregation = {row.aggregation: row for row in rows}
    if threshold.aggregation is not None:
        undefined = next((row for row in rows if row.value is None), None)
        return by_aggregation.get(threshold.aggregation, undefined)
    return by_aggregation.get("micro") or (rows[0] if rows else None)
