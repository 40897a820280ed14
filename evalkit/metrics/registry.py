"""What a metric is, and the register of all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Literal

import numpy as np

from evalkit.columns import Ints, blocks, computed
from evalkit.counts import CorpusCounts, TokenizerCounts
from evalkit.errors import UserError, nearest
from evalkit.stats import (
    Floats,
    Interval,
    canonical,
    compare_two,
    jackknife_interval,
    mean_interval,
    ratio_interval,
    share_interval,
)
from evalkit.stats.intervals import SAME_EVERYWHERE, with_a_part
from evalkit.values import Undefined, Value
from tokenizers_impl.deferred import dataclass

Aggregation = Literal["micro", "macro", "sum"]
Need = Literal["words", "types", "characters", "numbers", "neighbours", "agreement"]
"""What measuring does only where a metric asks for it: tokens in words, word types, tokens in characters and in
numbers, pairs of neighbouring ids, and boundaries that two tokenizers share."""
Against = Literal["segmenter", "reference", "reference_language", "group", "home"]
"""What a figure is against, beside the text and its own tokenizer: words by a segmenter, another tokenizer (the
reference, or the one trained on the corpus), another language, or all languages of a group. Where that is another,
figures are of other things (:mod:`evalkit.bases`)."""
Evidence = Literal["supported", "contested", "none"]


@dataclass(frozen=True)
class Matched:
    """Tokens per document of a tokenizer and of the one trained on the corpus, both at ``size`` entries."""

    name: str
    size: int
    own: Ints
    ideal: Ints


NO_PARALLEL = Undefined("the corpus isn't declared line-aligned with others (parallel: GROUP)")


@dataclass(frozen=True)
class Parallel:
    """Corpora that say the same line by line, under one tokenizer. ``tokens``: per line, by corpus, all of one
    shape. ``reference``: the name of the corpus in the reference language."""

    group: str
    tokens: Mapping[str, Ints]
    reference: str


@dataclass(frozen=True)
class Cell:
    """All that the figures of one corpus and one tokenizer are made of.

    ``reference``: the tokenizer that lengths are normalised by. ``matched``: see :class:`Matched`. ``parallel``: the
    corpus's group, itself included.
    """

    corpus: CorpusCounts
    tokenizer: TokenizerCounts
    reference: TokenizerCounts | Undefined
    matched: Matched | Undefined
    parallel: Parallel | Undefined = NO_PARALLEL


@dataclass(frozen=True)
class Ratio:
    """A ratio that every document has its part in: arrays of one shape, (documents,).

    ``rate``: the numerators count a part of what the denominators count, so that no interval goes beyond 0 and 1,
    and these two are perfect: they can be bounded where nothing varies.

    ``lengths``: of the documents, such as their bytes, where the ratio is what the first of two has more than the
    second, as a share of the second. Its interval over the split is then that of the two compared
    (:func:`evalkit.stats.compare_two`), less 1: it may go below 0 though there is no document that the first has less
    of.
    """

    numerators: Ints
    denominators: Ints
    rate: bool = False
    lengths: Ints | None = None

    def micro(self, unit: str) -> Value | Undefined:
        """The ratio of the sums, over the ``n`` documents that have something in one of them."""
        denominator = int(self.denominators.sum())
        if denominator == 0:
            return Undefined("the denominator is 0 over the whole split")
        n = with_a_part(self.numerators, self.denominators)
        return Value(int(self.numerators.sum()) / denominator, unit, n)

    def macro(self, unit: str) -> Value | Undefined:
        """The mean of the documents' ratios, over the ``n`` documents that have one."""
        n = int(np.count_nonzero(self.denominators > 0))
        if n == 0:
            return Undefined("the denominator is 0 in every document")
        # Exact, whatever numpy sums with.
        return Value(math.fsum(chain.from_iterable(map(_summands, self._ratios()))) / n, unit, n)

    def micro_interval(self, confidence: float) -> Interval | Undefined:
        if self.lengths is None:
            return ratio_interval(self.numerators, self.denominators, confidence, rate=self.rate)
        first = computed(np.add, self.numerators, self.denominators)
        found = compare_two(first, self.denominators, self.lengths, confidence)
        if found.low is None or found.high is None:
            return Undefined(found.reason or SAME_EVERYWHERE.reason)
        return Interval(canonical(found.low - 1), canonical(found.high - 1))

    def macro_interval(self, confidence: float) -> Interval | Undefined:
        ratios = np.concatenate([*self._ratios(), np.zeros(0)])
        if not len(ratios):
            return Undefined("the denominator is 0 in every document")
        return mean_interval(ratios, confidence, rate=self.rate)

    def _ratios(self) -> Iterator[Floats]:
        """Of the documents that have one."""
        for part in blocks(len(self.denominators)):
            above, below = self.numerators[part], self.denominators[part]
            some = below > 0
            yield above[some] / below[some]


def _summands(ratios: Floats) -> Iterator[float]:
    """Numbers with exactly the sum of these, of a block. Millions of tiny documents have few ratios that differ; each
    times its number is exact in two halves, and takes neither the time nor the memory of a list of all."""
    values, times = np.unique(ratios, return_counts=True)
    halves = values.astype(np.float32).astype(np.float64)
    return chain((halves * times).tolist(), ((values - halves) * times).tolist())


@dataclass(frozen=True)
class Total:
    """A count that every document has its part in."""

    parts: Ints

    def sum(self, unit: str) -> Value:
        return Value(int(self.parts.sum()), unit, len(self.parts))


@dataclass(frozen=True)
class Share:
    """A share of documents: ``hits`` of ``trials``, which are not 0."""

    hits: int
    trials: int

    def micro(self, unit: str) -> Value:
        return Value(self.hits / self.trials, unit, self.trials)


@dataclass(frozen=True)
class Whole:
    """A figure of the split as a whole, over ``n`` documents; it has no parts, and so no interval over
    them."""

    value: float
    n: int


@dataclass(frozen=True)
class Jackknifed:
    """A figure of the split as a whole whose interval comes from leaving out one document at a time.

    ``left_out``: the figure without each document, (documents,). ``lengths``: of the documents, such as their tokens.
    ``rate`` and ``by_chance``: see :func:`evalkit.stats.jackknife_interval`.
    """

    value: float
    left_out: Floats
    lengths: Ints
    rate: bool = False
    by_chance: float = 0.0

    def micro(self, unit: str) -> Value:
        return Value(self.value, unit, len(self.lengths))

    def micro_interval(self, confidence: float) -> Interval | Undefined:
        return jackknife_interval(
            self.value, self.left_out, self.lengths, confidence, rate=self.rate, by_chance=self.by_chance
        )


Outcome = Ratio | Total | Share | Whole | Jackknifed | Undefined


@dataclass(frozen=True)
class Metric:
    """A registered metric. ``version`` rises when the figure for any input changes.

    ``aggregations``: those that it has, and is undefined in where it is undefined. ``timing``: it differs
    from run to run, and stays out of digests and baselines. ``no_interval``: why it has none, where that is so.
    ``source``: where it comes from, empty for evalkit's own.
    ``needs``: what has to be measured for it beside the counts that there always are. ``against``: what it can't be
    compared without; with ``group`` it is one figure of the group, given on each of its corpora.
    """

    name: str
    unit: str
    higher_is_better: bool | None
    definition: str
    evidence: Evidence
    citation: str
    version: int
    timing: bool
    aggregations: tuple[Aggregation, ...]
    compute: Callable[[Cell], Outcome]
    no_interval: str = ""
    source: str = ""
    needs: frozenset[Need] = frozenset()
    against: frozenset[Against] = frozenset()

    def values(self, cell: Cell, confidence: float | None = None) -> dict[Aggregation, Value | Undefined]:
        """The figure by aggregation: ``micro`` and ``macro`` of a ratio, ``sum`` of a count, else ``micro``.
        With a ``confidence``, with the interval, where there is one."""
        outcome = self.compute(cell)
        found: dict[Aggregation, Value | Undefined]
        if isinstance(outcome, Ratio):
            found = {"micro": outcome.micro(self.unit), "macro": outcome.macro(self.unit)}
        elif isinstance(outcome, Total):
            found = {"sum": outcome.sum(self.unit)}
        elif isinstance(outcome, Whole):
            found = {"micro": Value(outcome.value, self.unit, outcome.n)}
        elif isinstance(outcome, (Share, Jackknifed)):
            found = {"micro": outcome.micro(self.unit)}
        else:
            found = dict.fromkeys(self.aggregations, outcome)
        assert tuple(found) == self.aggregations, f"{self.name} registers other aggregations than it has"
        if confidence is None or self.no_interval:
            return found
        return {key: _bounded(value, outcome, key, confidence) for key, value in found.items()}


def _bounded(
    value: Value | Undefined, outcome: Outcome, aggregation: Aggregation, confidence: float
) -> Value | Undefined:
    if isinstance(value, Undefined):
        return value
    if isinstance(outcome, Share):
        interval: Interval | Undefined = share_interval(outcome.hits, outcome.trials, confidence)
    elif isinstance(outcome, Jackknifed):
        interval = outcome.micro_interval(confidence)
    elif isinstance(outcome, Ratio):
        interval = (outcome.macro_interval if aggregation == "macro" else outcome.micro_interval)(confidence)
    else:
        return value
    return value if isinstance(interval, Undefined) else replace(value, low=interval.low, high=interval.high)


METRICS: dict[str, Metric] = {}


def metric(
    *,
    unit: str,
    higher_is_better: bool | None,
    definition: str,
    evidence: Evidence,
    citation: str = "",
    version: int = 1,
    timing: bool = False,
    aggregations: tuple[Aggregation, ...] = ("micro", "macro"),
    no_interval: str = "",
    needs: tuple[Need, ...] = (),
    against: tuple[Against, ...] = (),
) -> Callable[[Callable[[Cell], Outcome]], Callable[[Cell], Outcome]]:
    """Registers a function under its own name; a name that is taken is refused with ``ValueError``."""

    def register(compute: Callable[[Cell], Outcome]) -> Callable[[Cell], Outcome]:
        name = compute.__name__
        if name in METRICS:
            raise ValueError(f"the metric {name!r} is registered already")
        METRICS[name] = Metric(
            name,
            unit,
            higher_is_better,
            definition,
            evidence,
            citation,
            version,
            timing,
            aggregations,
            compute,
            no_interval,
            needs=frozenset(needs),
            against=frozenset(against),
        )
        return compute

    return register


def get_metric(name: str) -> Metric:
    """The metric of that name; an unknown name is a ``UserError`` that lists the nearest ones."""
    if name not in METRICS:
        hint = nearest(name, METRICS)
        raise UserError(
            f"There is no metric {name!r}{f': {hint}' if hint else '.'} The metrics are {', '.join(METRICS)}."
        )
    return METRICS[name]


def ints(*values: int) -> Ints:
    """A short way to write counts in examples.

    >>> ints(1, 2)
    array([1, 2])
    """
    return np.array(values, dtype=np.int64)
