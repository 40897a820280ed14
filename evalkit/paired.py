"""Two results on the same documents: the tests of their tokens and of other ratios, and the correction over all of
them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evalkit.changes import Change, change_of
from evalkit.results import Results, Row
from evalkit.results_files import StoredCounts
from evalkit.stats import Comparison, RatioChange, canonical, compare_ratios, compare_two, holm
from evalkit.stats.noise import noise_of_both
from evalkit.stored import StoredCells
from tokenizers_impl.deferred import dataclass

_SAME_TEST = {"strr_tokens": "continued_words"}
"""Figures that are 1 less another: both change alike, and are tested once."""


@dataclass(frozen=True)
class Side:
    """One of the two. ``counts`` by corpus; empty where there is no ``counts.npz``."""

    where: str
    results: Results
    counts: dict[str, StoredCounts]


class Paired:
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
        relative = change_of(before, after).relative
        change = compare_ratios(one, two, lengths, confidence, logarithmic=relative)
        shares = all(r is not None and r.rate for r in found)
        if shares and not relative and change.low is not None and change.high is not None:
            change = replace(change, low=max(-1.0, change.low), high=min(1.0, change.high))  # as two shares differ
        self._ratios[before.corpus, before.tokenizer, _test(before.metric)] = change
        return change

    def adjusted(self) -> dict[tuple[str, ...], float]:
        """By corpus and tokenizer, and by the metric's test where it isn't made of the tokens."""
        tests = (*self._found.items(), *self._ratios.items())
        judged: dict[tuple[str, ...], float] = {k: one.p for k, one in tests if one is not None and one.p is not None}
        return dict(zip(judged, holm(list(judged.values())), strict=True))

    def moved(self, corpus: str, tokenizer: str, p_holm: float | None, confidence: float) -> int | None:
        """Whether its tokens rose (1), fell (-1), or neither can be told (0), by what is adjusted for all tests; None
        where they can't be paired."""
        found = self.of(corpus, tokenizer)
        if found is None:
            return None
        floor = _noise_floor(self.sides, (corpus, tokenizer), confidence) or 0.0
        if p_holm is None or p_holm > canonical(1 - confidence):
            return 0
        if not found.ratio or max(found.ratio, 1 / found.ratio) - 1 <= floor:
            return 0
        return 1 if found.ratio > 1 else -1


def _test(metric: str) -> str:
    """
    >>> _test("strr_tokens") == _test("continued_words") != _test("unk_rate")
    True
    """
    return _SAME_TEST.get(metric, metric)


def _noise_floor(sides: tuple[Side, Side], key: tuple[str, str], confidence: float) -> float | None:
    """What training alone makes of a tokenizer on a corpus, from both results; None where neither trained it again."""
    found = [
        (one.error, one.trainings)
        for side in sides
        for one in side.results.stability
        if (one.corpus, one.tokenizer) == key and one.error is not None
    ]
    return noise_of_both(found, confidence).floor if found else None


def corrected(changes: Sequence[Change], paired: Paired, confidence: float) -> tuple[Change, ...]:
    adjusted = paired.adjusted()
    found = []
    for change in changes:
        of_tokens = change.corpus, change.tokenizer
        key = of_tokens if change.of_tokens else (*of_tokens, _test(change.metric))
        if change.paired and key in adjusted:
            change = replace(change, p_holm=adjusted[key], separable=adjusted[key] <= canonical(1 - confidence))
            floor = _noise_floor(paired.sides, of_tokens, confidence) if change.of_tokens else None
            if floor is not None and change.relative:
                change = replace(change, noise_floor=floor)
                change = replace(change, separable=bool(change.separable) and not change.within_noise)
        found.append(change)
    return tuple(found)
