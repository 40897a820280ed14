"""Two results side by side: what changed, with intervals, and whether it can be told from chance.

Where both have their ``counts.npz`` and its documents are the same, ratios of sums over documents are compared on these
documents (paired): those that are made of the tokens by one test of the tokens, others each by its own. Other figures
that have intervals are compared through them, which for the same text is cautious (unpaired). What can't be compared is
refused, never approximated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from evalkit.errors import UserError
from evalkit.results import CorpusRecord, Results, Row, TokenizerRecord, load_results
from evalkit.results_files import StoredCounts, load_counts
from evalkit.stats import Comparison, RatioChange, canonical, compare_ratios, compare_two, holm
from evalkit.stats.noise import noise_of_both
from evalkit.stored import StoredCells
from tokenizers_impl.deferred import dataclass

PAIRED = {"bytes_per_token": -1, "chars_per_token": -1, "tokens": 1, "fertility": 1, "normalized_length": 1}
"""Figures that are tokens over (1), or under (-1), what is the same on both sides: with the text the same (and the
tokens of the reference), their quotient is that of the tokens."""


Outcome = Literal["better", "worse", "differs", "not separable", "not judged"]


@dataclass(frozen=True)
class Side:
    """One of the two. ``counts`` by corpus; empty where there is no ``counts.npz``."""

    where: str
    results: Results
    counts: dict[str, StoredCounts]


@dataclass(frozen=True)
class Change:
    """One figure on both sides. ``change`` is relative (second / first − 1) where ``relative``, else a
    difference; ``low`` and ``high`` bound it, not adjusted.

    ``paired``: on the same documents. ``separable``: whether the two differ, after Holm's correction over all
    paired changes of the two results; of unpaired ones, by the interval alone; None where it can't be told, for
    ``reason``. ``identical``: as many tokens in every document. ``noise_floor``: the relative difference that training
    alone makes, where the tokenizer was trained again on either side; a smaller change is not separable.
    """

    corpus: str
    tokenizer: str
    metric: str
    unit: str
    first: float
    second: float
    higher_is_better: bool | None
    relative: bool
    change: float
    low: float | None = None
    high: float | None = None
    paired: bool = False
    p_holm: float | None = None
    separable: bool | None = None
    identical: bool = False
    reason: str = ""
    noise_floor: float | None = None

    @property
    def within_noise(self) -> bool:
        """Whether training alone would make such a change."""
        return self.noise_floor is not None and abs(math.log1p(self.change)) <= math.log1p(self.noise_floor)

    @property
    def outcome(self) -> Outcome:
        """``differs``: separable, of a figure of which neither side is better."""
        if self.separable is None:
            return "not judged"
        if not self.separable:
            return "not separable"
        if self.higher_is_better is None or self.change == 0:
            return "differs"
        return "better" if (self.change > 0) == self.higher_is_better else "worse"

    @property
    def size(self) -> float:
        """By which changes are ordered: half as much is as large a change as twice as much."""
        return abs(math.log1p(self.change)) if self.relative else abs(self.change)


@dataclass(frozen=True)
class Differences:
    """``alike``: corpus, tokenizer and metric of figures that are the same on both sides. ``notes``: what was left out,
    and why."""

    first: Side
    second: Side
    changes: tuple[Change, ...]
    alike: tuple[tuple[str, str, str], ...]
    notes: tuple[str, ...]

    @property
    def equal(self) -> int:
        return len(self.alike)


def open_side(path: Path) -> Side:
    """Results in a folder or a file, with the counts beside them. Raises ``UserError``."""
    results = load_results(path)
    beside = (path if path.is_dir() else path.parent) / "counts.npz"
    return Side(str(path), results, load_counts(beside) if beside.is_file() else {})


def compare(first: Side, second: Side) -> Differences:
    """All figures that both have: corpora and tokenizers by name, micro and sums, no timings.

    Raises ``UserError`` where they are no figures of the same thing.
    """
    one, two = first.results, second.results
    notes = list(_left_out(first, second))
    _refuse_the_incomparable(first, second)
    metrics = _metrics(one, two)
    keys = [
        (corpus.name, tokenizer.name, metric)
        for corpus in one.corpora
        for tokenizer in one.tokenizers
        for metric in metrics
        if corpus.name in _names(two.corpora) and tokenizer.name in _names(two.tokenizers)
    ]
    if not keys:
        raise UserError(
            f"nothing to compare: {first.where} and {second.where} have no corpus, tokenizer and metric in common"
        )
    segmenters = {c.name: c.segmenter for c in two.corpora}
    other_words = [c.name for c in one.corpora if segmenters.get(c.name, c.segmenter) != c.segmenter]
    if other_words:
        notes.append(f"Figures per word are left out on {', '.join(other_words)}: the segmenter is another.")
    if one.suite.reference != two.suite.reference:
        notes.append(
            f"normalized_length is left out: the reference is {one.suite.reference} on one side and "
            f"{two.suite.reference} on the other."
        )
    paired = _Paired(first, second)
    changes, alike = [], []
    for corpus, tokenizer, metric in keys:
        rows = [_row(side.results, corpus, tokenizer, metric) for side in (first, second)]
        before, after = rows
        if before is None or after is None:
            continue
        if corpus in other_words and before.unit.endswith("/word"):
            continue
        if metric == "normalized_length" and one.suite.reference != two.suite.reference:
            continue
        if before.undefined_reason is not None or after.undefined_reason is not None:
            if (before.value is None) != (after.value is None):
                reason = before.undefined_reason or after.undefined_reason
                notes.append(f"{metric} of {tokenizer} on {corpus} is undefined on one side: {reason}.")
            continue
        compared = paired.of(corpus, tokenizer) if metric in PAIRED else None
        if metric == "normalized_length" and not paired.is_identical(corpus, one.suite.reference):
            compared = None
        if before.value == after.value and (compared is None or compared.identical):
            alike.append((corpus, tokenizer, metric))
            continue
        if compared is not None:
            changes.append(_of_tokens(before, after, compared))
        elif (own := paired.ratio(before, after)) is not None:
            changes.append(_of_ratios(before, after, own))
        else:
            changes.append(_unpaired(before, after))
    notes += paired.notes
    return Differences(first, second, _corrected(changes, paired, one.suite.confidence), tuple(alike), tuple(notes))


# ── what may be compared ────────────────────────────────────────────────────────────────────────────────────


def _names(records: Iterable[CorpusRecord | TokenizerRecord]) -> set[str]:
    return {record.name for record in records}


def _row(results: Results, corpus: str, tokenizer: str, metric: str) -> Row | None:
    return results.row(corpus, tokenizer, metric) or results.row(corpus, tokenizer, metric, "sum")


def _metrics(one: Results, two: Results) -> list[str]:
    return [m.name for m in one.metrics if not m.timing and m.name in {other.name for other in two.metrics}]


def _refuse_the_incomparable(first: Side, second: Side) -> None:
    one, two = first.results, second.results
    differences = []
    if one.suite.confidence != two.suite.confidence:
        differences.append(
            f"the confidence is {one.suite.confidence:g} in one and {two.suite.confidence:g} in the other"
        )
    versions = {m.name: m.version for m in two.metrics}
    for m in one.metrics:
        if (other := versions.get(m.name, m.version)) != m.version:
            differences.append(f"the metric {m.name} is version {m.version} in one and {other} in the other")
    others = {c.name: c for c in two.corpora}
    for corpus in one.corpora:
        if corpus.name in others:
            differences += _other_text(corpus, others[corpus.name])
    if differences:
        raise UserError(f"{first.where} and {second.where} can't be compared: {'; '.join(differences)}")


def _other_text(one: CorpusRecord, two: CorpusRecord) -> Iterator[str]:
    """At most one difference: the others follow from it."""
    for key, what in (
        ("sha256", "SHA-256"),
        ("split", "split"),
        ("documents", "number of documents"),
        ("bytes", "size"),
    ):
        before, after = getattr(one, key), getattr(two, key)
        if before != after:
            shown = [value[:12] if isinstance(value, str) else f"{value:,}" for value in (before, after)]
            yield f"the corpus {one.name} is another text: its {what} is {shown[0]} in one and {shown[1]} in the other"
            return


def _left_out(first: Side, second: Side) -> Iterator[str]:
    kinds: tuple[tuple[str, Callable[[Results], Sequence[CorpusRecord | TokenizerRecord]]], ...] = (
        ("corpora", lambda r: r.corpora),
        ("tokenizers", lambda r: r.tokenizers),
    )
    for what, records in kinds:
        here, there = (list(dict.fromkeys(r.name for r in records(side.results))) for side in (first, second))
        for side, own, other in ((first, here, there), (second, there, here)):
            if only := [name for name in own if name not in other]:
                yield f"Only in {side.where}, of the {what}: {', '.join(only)}."


# ── changes ─────────────────────────────────────────────────────────────────────────────────────────────────


class _Paired:
    """Tokens of both sides on the same documents, each pair compared once."""

    def __init__(self, first: Side, second: Side) -> None:
        self.sides = first, second
        self.notes: list[str] = []
        self._found: dict[tuple[str, str], Comparison | None] = {}
        self._ratios: dict[tuple[str, str, str], RatioChange] = {}
        self._cells = [StoredCells(side.results, side.counts) for side in self.sides]
        missing = [side.where for side in self.sides if not side.counts]
        if missing:
            self.notes.append(f"Unpaired: there is no counts.npz beside {' and '.join(dict.fromkeys(missing))}.")
        self._orders = {} if missing else {c.name: self._order(c.name) for c in first.results.corpora}

    def _order(self, corpus: str) -> tuple[np.ndarray, np.ndarray] | None:
        """How to sort both sides' documents alike; None where they aren't the same."""
        found = [side.counts.get(corpus) for side in self.sides]
        one, two = found
        if one is None or two is None:
            return None
        orders = np.argsort(one.hashes, kind="stable"), np.argsort(two.hashes, kind="stable")
        if not np.array_equal(one.hashes[orders[0]], two.hashes[orders[1]]):
            self.notes.append(f"Unpaired on {corpus}: the documents in counts.npz are not the same.")
            return None
        return orders

    def of(self, corpus: str, tokenizer: str) -> Comparison | None:
        """Of the second side's tokens with the first's; None where they can't be paired."""
        key = corpus, tokenizer
        if key not in self._found:
            self._found[key] = self._compare(corpus, tokenizer)
        return self._found[key]

    def is_identical(self, corpus: str, tokenizer: str | None) -> bool:
        """Whether it has as many tokens in every document on both sides."""
        found = None if tokenizer is None else self.of(corpus, tokenizer)
        return found is not None and found.identical

    def _compare(self, corpus: str, tokenizer: str) -> Comparison | None:
        orders = self._orders.get(corpus)
        if orders is None:
            return None
        one, two = (side.counts[corpus] for side in self.sides)
        if tokenizer not in one.tokens or tokenizer not in two.tokens:
            return None
        confidence = self.sides[0].results.suite.confidence
        return compare_two(
            two.tokens[tokenizer][orders[1]], one.tokens[tokenizer][orders[0]], one.bytes[orders[0]], confidence
        )

    def ratio(self, before: Row, after: Row) -> RatioChange | None:
        """Of a figure that isn't made of the tokens alone, from its parts by document; None for one that has none."""
        orders = self._orders.get(before.corpus)
        key = before.corpus, before.tokenizer, before.metric
        found = [cells.ratio(*key) for cells in self._cells]
        if orders is None or None in found or before.aggregation != "micro":
            return None
        one, two = ((r.numerators[o], r.denominators[o]) for r, o in zip(found, orders, strict=True) if r is not None)
        lengths = self.sides[0].counts[before.corpus].bytes[orders[0]]
        confidence = self.sides[0].results.suite.confidence
        relative = _change(before, after).relative
        change = compare_ratios(one, two, lengths, confidence, logarithmic=relative)
        shares = all(r is not None and r.rate for r in found)
        if shares and not relative and change.low is not None and change.high is not None:
            change = replace(change, low=max(-1.0, change.low), high=min(1.0, change.high))  # as two shares differ
        self._ratios[key] = change
        return change

    def has_ratio(self, key: tuple[str, str, str]) -> bool:
        """Whether a figure (corpus, tokenizer, metric) was compared by :meth:`ratio`."""
        return key in self._ratios

    def adjusted(self) -> dict[tuple[str, ...], float]:
        """By corpus and tokenizer, and by metric where it isn't made of the tokens."""
        tests = (*self._found.items(), *self._ratios.items())
        judged: dict[tuple[str, ...], float] = {k: one.p for k, one in tests if one is not None and one.p is not None}
        return dict(zip(judged, holm(list(judged.values())), strict=True))


def _change(before: Row, after: Row) -> Change:
    assert before.value is not None
    assert after.value is not None
    quotient = before.metric in PAIRED or before.unit != "ratio"
    relative = quotient and before.value > 0 and after.value > 0
    change = after.value / before.value - 1 if relative else after.value - before.value
    return Change(
        before.corpus,
        before.tokenizer,
        before.metric,
        before.unit,
        before.value,
        after.value,
        before.higher_is_better,
        relative,
        change,
    )


def _of_tokens(before: Row, after: Row, found: Comparison) -> Change:
    change = replace(_change(before, after), paired=True, identical=found.identical, reason=found.reason or "")
    if found.low is None or found.high is None:
        return change
    ends = (found.low, found.high) if PAIRED[before.metric] > 0 else (1 / found.high, 1 / found.low)
    return replace(change, low=canonical(ends[0] - 1), high=canonical(ends[1] - 1))


def _of_ratios(before: Row, after: Row, found: RatioChange) -> Change:
    change = replace(_change(before, after), paired=True, reason=found.reason)
    if found.low is None or found.high is None:
        return change
    low, high = (math.expm1(end) if found.logarithmic else end for end in (found.low, found.high))
    return replace(change, low=canonical(low), high=canonical(high))


def _unpaired(before: Row, after: Row) -> Change:
    """The interval of a difference from those of its sides, by the method of variance estimates recovery (Zou
    and Donner 2008; Newcombe 1998): in the logarithm where the change is relative."""
    change = _change(before, after)
    if before.low is None or before.high is None or after.low is None or after.high is None:
        return replace(change, reason="the figure has no interval on one side or on both")
    sides = [(change.first, before.low, before.high), (change.second, after.low, after.high)]
    if change.relative:
        if min(before.low, after.low) <= 0:
            return replace(change, reason="its interval reaches 0")
        sides = [(math.log(value), math.log(low), math.log(high)) for value, low, high in sides]
    (first, low_1, high_1), (second, low_2, high_2) = sides
    low = second - first - math.hypot(second - low_2, high_1 - first)
    high = second - first + math.hypot(high_2 - second, first - low_1)
    separable = not low <= 0 <= high
    if change.relative:
        low, high = math.expm1(low), math.expm1(high)
    return replace(change, low=canonical(low), high=canonical(high), separable=separable)


def _noise_floor(sides: tuple[Side, Side], key: tuple[str, str], confidence: float) -> float | None:
    """What training alone makes of a tokenizer on a corpus, from both results; None where neither trained it again."""
    found = [
        (one.error, one.trainings)
        for side in sides
        for one in side.results.stability
        if (one.corpus, one.tokenizer) == key and one.error is not None
    ]
    return noise_of_both(found, confidence).floor if found else None


def _corrected(changes: Sequence[Change], paired: _Paired, confidence: float) -> tuple[Change, ...]:
    adjusted = paired.adjusted()
    found = []
    for change in changes:
        of_tokens = change.corpus, change.tokenizer
        own = (*of_tokens, change.metric)
        by_tokens = change.metric in PAIRED and not paired.has_ratio(own)
        key = of_tokens if by_tokens else own
        if change.paired and key in adjusted:
            change = replace(change, p_holm=adjusted[key], separable=adjusted[key] <= canonical(1 - confidence))
            floor = _noise_floor(paired.sides, of_tokens, confidence) if by_tokens else None
            if floor is not None and change.relative:
                change = replace(change, noise_floor=floor)
                change = replace(change, separable=bool(change.separable) and not change.within_noise)
        found.append(change)
    return tuple(found)
