"""One figure in two results: its change and the interval of that, paired over documents or from both intervals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

from evalkit.metrics.languages import NOT_SETTLED
from evalkit.results import Row
from evalkit.stats import FEWEST, Comparison, RatioChange, canonical
from tokenizers_impl.deferred import dataclass

PAIRED = {"bytes_per_token": -1, "chars_per_token": -1, "tokens": 1, "fertility": 1, "normalized_length": 1}
"""Figures that are tokens over (1), or under (-1), what is the same on both sides: with the text the same (and the
tokens of the reference), their quotient is that of the tokens."""


Outcome = Literal["better", "worse", "differs", "not separable", "not judged"]


@dataclass(frozen=True)
class Change:
    """One figure on both sides. ``change`` is relative (second / first − 1) where ``relative``, else a
    difference; ``low`` and ``high`` bound it, not adjusted.

    ``corpus``: of a figure of a group of parallel corpora, the group. ``of_tokens``: it moves with the tokens, by the
    one test of them. ``paired``: on the same documents. ``separable``: whether the two differ, after Holm's correction
    over all paired changes of the two results; of unpaired ones, by the interval alone; None where it can't be told,
    for ``reason``. ``identical``: as many tokens in every document. ``noise_floor``: the relative difference that
    training alone makes, where the tokenizer was trained again on either side; a smaller change is not separable.
    ``neither``: why a change that is separable is neither better nor worse, though one of the two would be
    (:mod:`evalkit.own_tokens`). ``lossy``: the sides, A and B, on which text that the figure is of is lost: that is no
    better and no worse either, since what is dropped costs nothing.
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
    of_tokens: bool = False
    paired: bool = False
    p_holm: float | None = None
    separable: bool | None = None
    identical: bool = False
    reason: str = ""
    noise_floor: float | None = None
    neither: str = ""
    lossy: tuple[str, ...] = ()

    @property
    def within_noise(self) -> bool:
        """Whether training alone would make such a change."""
        return self.noise_floor is not None and abs(math.log1p(self.change)) <= math.log1p(self.noise_floor)

    @property
    def outcome(self) -> Outcome:
        """``differs``: separable, and neither side is better."""
        if self.separable is None:
            return "not judged"
        if not self.separable:
            return "not separable"
        if self.higher_is_better is None or self.change == 0 or self.neither or self.lossy:
            return "differs"
        return "better" if (self.change > 0) == self.higher_is_better else "worse"

    @property
    def size(self) -> float:
        """By which changes are ordered: half as much is as large a change as twice as much."""
        return abs(math.log1p(self.change)) if self.relative else abs(self.change)


def change_of(before: Row, after: Row) -> Change:
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


def of_tokens(before: Row, after: Row, found: Comparison) -> Change:
    change = replace(
        change_of(before, after), of_tokens=True, paired=True, identical=found.identical, reason=found.reason or ""
    )
    if found.low is None or found.high is None:
        return change
    ends = (found.low, found.high) if PAIRED[before.metric] > 0 else (1 / found.high, 1 / found.low)
    return replace(change, low=canonical(ends[0] - 1), high=canonical(ends[1] - 1))


def of_ratios(before: Row, after: Row, found: RatioChange) -> Change:
    change = replace(change_of(before, after), paired=True, reason=found.reason)
    if found.low is None or found.high is None:
        return change
    low, high = (math.expm1(end) if found.logarithmic else end for end in (found.low, found.high))
    return replace(change, low=canonical(low), high=canonical(high))


def unpaired(before: Row, after: Row) -> Change:
    """The interval of a difference from those of its sides, by the method of variance estimates recovery (Zou
    and Donner 2008; Newcombe 1998): in the logarithm where the change is relative."""
    change = change_of(before, after)
    if before.low is None or before.high is None or after.low is None or after.high is None:
        return replace(change, reason=_unbounded(before, after))
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


def _unbounded(before: Row, after: Row) -> str:
    reason = "the figure has no interval on one side or on both"
    enough = min(before.n, after.n) >= FEWEST
    return f"{reason}: {NOT_SETTLED}" if before.metric == "gini_premium" and enough else reason
