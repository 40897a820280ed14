"""What a gate passed with, kept in a file, and how a later run stands against it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, field
from pathlib import Path
from typing import Any

from evalkit.bases import CALLED, Bases, Basis, bases, others
from evalkit.comparable import CHOICE, other_text
from evalkit.errors import UserError
from evalkit.gate.verdicts import NO_FINGERPRINT, Outcome, Verdict
from evalkit.metrics.registry import Against
from evalkit.report.text import listing
from evalkit.results import Results
from evalkit.typed import record_of
from tokenizers_impl.atomic import write_text
from tokenizers_impl.deferred import dataclass

FORMAT, VERSION = "evalkit-gate-baseline", 1
FACTOR = 1.02
"""A figure is worse when it is worse than the baseline's by more than this factor, and outside the baseline's
interval where that has one. Where a metric has no better side, a figure beyond both is changed, which is as
grave."""

ENDS_ROUNDED = 1e-8
"""Ends of intervals have nine digits (``stats.canonical``)."""

Figures = dict[str, float]
"""Values by ``metric aggregation``."""


@dataclass(frozen=True)
class CorpusBaseline:
    """The text that was measured, as in :class:`evalkit.results.CorpusRecord`. ``documents_sha256``: None in files of
    earlier versions."""

    sha256: str
    split: str
    documents: int
    bytes: int
    documents_sha256: str | None = None


@dataclass(frozen=True)
class MetricBaseline:
    version: int
    higher_is_better: bool | None


@dataclass(frozen=True)
class Baseline:
    """Fingerprints by tokenizer, and figures by tokenizer and corpus, with their intervals where they have one.
    Timings are left out; so is what was undefined, which nothing can be held against. ``bases``: what the figures are
    against, by tokenizer and corpus; files of earlier versions don't have it."""

    suite: str
    fingerprints: Mapping[str, str | None]
    corpora: Mapping[str, CorpusBaseline]
    metrics: Mapping[str, MetricBaseline]
    figures: Mapping[str, Mapping[str, Figures]]
    intervals: Mapping[str, Mapping[str, Mapping[str, tuple[float, float]]]] = field(default_factory=dict)
    bases: Mapping[str, Mapping[str, Bases]] = field(default_factory=dict)
    schema_version: int = VERSION


def baseline_of(results: Results) -> Baseline:
    """What there is to keep of a run."""
    metrics = {m.name: MetricBaseline(m.version, m.higher_is_better) for m in results.metrics if not m.timing}
    figures: dict[str, dict[str, Figures]] = {}
    intervals: dict[str, dict[str, dict[str, tuple[float, float]]]] = {}
    for row in results.rows:
        if row.metric in metrics and row.value is not None:
            there = figures.setdefault(row.tokenizer, {}).setdefault(row.corpus, {})
            there[f"{row.metric} {row.aggregation}"] = row.value
            if row.low is not None and row.high is not None:
                ends = intervals.setdefault(row.tokenizer, {}).setdefault(row.corpus, {})
                ends[f"{row.metric} {row.aggregation}"] = (row.low, row.high)
    return Baseline(
        results.suite.name,
        {one.name: one.fingerprint for one in results.tokenizers},
        {
            one.name: CorpusBaseline(one.sha256, one.split, one.documents, one.bytes, one.documents_sha256)
            for one in results.corpora
        },
        metrics,
        figures,
        intervals,
        bases(results),
    )


def write_baseline(baseline: Baseline, path: Path) -> Path:
    content = {"format": FORMAT} | asdict(baseline)
    try:
        return write_text(path, json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UserError(f"the baseline can't be written to {path}: {error.strerror or error}") from None


def check_replaceable(path: Path) -> None:
    """Raises ``UserError`` unless a baseline may be written to ``path``: nothing is there, or a baseline of any
    version, or an empty file. Asked before a run."""
    if not path.is_file() or path.stat().st_size == 0:
        return
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UserError(
            f"{path} is not a baseline of evalkit gate, and --update-baseline would replace it: give --baseline "
            "another file, or move this one away"
        )


def read_baseline(path: Path) -> Baseline | int:
    """The baseline in a file; only its version where that is another. Raises ``UserError`` for a file that
    isn't there or isn't a baseline."""
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"there is no baseline {path}; --update-baseline writes it") from None
    except OSError as error:
        raise UserError(f"the baseline {path} can't be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"the baseline {path} is not JSON: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UserError(f"{path} is not a baseline of evalkit gate")
    version = content.get("schema_version")
    if not isinstance(version, int):
        raise UserError(f"the baseline {path} is damaged: it has no schema_version")
    if version != VERSION:
        return version
    try:
        found = record_of(Baseline, content)
    except ValueError as error:
        raise UserError(f"the baseline {path} is damaged: {error}") from None
    if (damage := _damage(found)) is not None:
        raise UserError(f"the baseline {path} is damaged: {damage}")
    return found


def _damage(baseline: Baseline) -> str | None:
    """What no gate has written: against it, any figure would hold."""
    for name, corpora in baseline.figures.items():
        for corpus, figures in corpora.items():
            ends = baseline.intervals.get(name, {}).get(corpus, {})
            for key, value in figures.items():
                if key.split(" ")[0] not in baseline.metrics:
                    return f"it has the figure {key}, but no such metric"
                low, high = ends.get(key, (value, value))
                rounding = ENDS_ROUNDED * max(1.0, *map(abs, (low, value, high)))
                if not low - rounding <= value <= high + rounding:
                    return f"{key} of {name} on {corpus} is {value}, which is not from {low} to {high}, its interval"
    return None


def documents_unknown(baseline: Baseline | int) -> Iterator[str]:
    """A note on a baseline that doesn't say which documents were measured."""
    if isinstance(baseline, int):
        return  # which is refused
    if unknown := [name for name, one in baseline.corpora.items() if one.documents_sha256 is None]:
        yield (
            f"the baseline is of an earlier version and doesn't say which documents of {listing(unknown)} were "
            "measured: another choice of as many documents and bytes is not noticed until --update-baseline writes it "
            "anew"
        )


def compare(old: Baseline | int, new: Baseline, factor: float = FACTOR) -> Iterator[Verdict]:
    """Fingerprints first, then one verdict for each tokenizer and corpus over all its figures."""
    if isinstance(old, int):
        reason = f"the baseline has schema version {old}, this evalkit writes {VERSION}; update it"
        for name in new.fingerprints:
            yield Verdict("baseline", name, None, "incomparable", reason)
        return
    for name in {**old.fingerprints, **new.fingerprints}:
        yield _fingerprint(old, new, name)
    shared = [name for name in new.fingerprints if name in old.fingerprints]
    for corpus in {**old.corpora, **new.corpora}:
        other = _incomparable(old.corpora.get(corpus), new.corpora.get(corpus))
        for name in shared:
            if other is not None:
                yield Verdict("baseline", name, corpus, *other)
            else:
                yield _figures(old, new, name, corpus, factor)


def _fingerprint(old: Baseline, new: Baseline, name: str) -> Verdict:
    def verdict(outcome: Outcome, detail: str) -> Verdict:
        return Verdict("fingerprint", name, None, outcome, detail)

    if name not in new.fingerprints:
        return verdict("missing", "the baseline has it, the suite doesn't")
    if name not in old.fingerprints:
        return verdict("missing", "it is not in the baseline; --update-baseline adds it")
    before, after = old.fingerprints[name], new.fingerprints[name]
    if before is None or after is None:
        return verdict("missing", NO_FINGERPRINT)
    if before != after:
        return verdict("fail", f"the fingerprint was {before[:12]} and is {after[:12]}: other ids for some text")
    return verdict("pass", f"{after[:12]}")


def _incomparable(old: CorpusBaseline | None, new: CorpusBaseline | None) -> tuple[Outcome, str] | None:
    if old is None:
        return "missing", "the corpus is not in the baseline; --update-baseline adds it"
    if new is None:
        return "missing", "the baseline has the corpus, the suite doesn't"
    if (other := other_text(old, new)) is None:
        return None
    key, *values = other
    before, after = (value[:12] if isinstance(value, str) else value for value in values)
    what = CHOICE if key == "documents_sha256" else key
    return "incomparable", f"the corpus is another: its {what} was {before} and is {after}"


def _figures(old: Baseline, new: Baseline, name: str, corpus: str, factor: float) -> Verdict:
    before, after = (side.figures.get(name, {}).get(corpus, {}) for side in (old, new))
    ends = old.intervals.get(name, {}).get(corpus, {})
    was_against, is_against = (side.bases.get(name, {}).get(corpus, {}) for side in (old, new))
    found: dict[str, list[str]] = {}
    incomparable = {"another version of the metric"}
    for key, value in before.items():
        metric = key.split(" ")[0]
        if metric not in new.metrics or key not in after:
            found.setdefault("no longer there", []).append(key)
        elif (was := old.metrics[metric].version) != (now := new.metrics[metric].version):
            found.setdefault("another version of the metric", []).append(f"{key}: {was} then, {now} now")
        elif other := next(others(metric, was_against, is_against), None):
            reason = _is_another(*other)
            incomparable.add(reason)
            found.setdefault(reason, []).append(key)
        elif change := _change(value, after[key], new.metrics[metric].higher_is_better, factor):
            phrase = f"{key} was {value:.6g} and is {after[key]:.6g}"
            low, high = ends.get(key, (value, value))
            if low <= after[key] <= high:
                phrase += f", within {low:.6g} to {high:.6g}"
                found.setdefault("changed within its interval", []).append(phrase)
                continue
            if key in ends:
                phrase += f", outside {low:.6g} to {high:.6g}"
            found.setdefault(change, []).append(phrase)
    outcome: Outcome = "pass" if before else "missing"
    for kind, grave in (
        ("no longer there", "missing"),
        *((reason, "incomparable") for reason in incomparable),
        ("changed", "fail"),
        ("worse", "fail"),
    ):
        outcome = grave if kind in found else outcome  # type: ignore[assignment]
    parts = [f"{kind}: {'; '.join(some)}" for kind, some in found.items()]
    detail = "; ".join(parts) or (f"{len(before)} figures" if before else "the baseline has no figure of it")
    return Verdict("baseline", name, corpus, outcome, detail)


def _is_another(kind: Against, before: Basis, after: Basis) -> str:
    if before.name == after.name:
        return f"{CALLED[kind]} {before.name} is another"
    return f"{CALLED[kind]} was {before.name} and is {after.name}"


def _change(before: float, after: float, higher_is_better: bool | None, factor: float) -> str:
    """``worse`` or ``better`` by more than the factor, ``changed`` where neither side is better, empty for none of
    them. From 0, or through it, no factor leads: every change counts."""
    if before == after:
        return ""
    if before != 0 and (before > 0) == (after > 0) and after != 0:
        ratio = abs(after / before)
        if 1 / factor <= ratio <= factor:
            return ""
    if higher_is_better is None:
        return "changed"
    return "better" if (after > before) == higher_is_better else "worse"
