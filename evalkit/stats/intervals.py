"""Intervals of figures over documents. Documents are the units: tokens of one text are no independent trials.

**Ratios of sums** get a jackknife-t interval (Miller 1974, The jackknife; Cochran 1977, Sampling Techniques,
6.17). The jackknife gives a document that holds much of the text its due, as the delta method doesn't; the
degrees of freedom are what makes it hold for few documents, where lengths are far from equal. They are the
smaller of two:

- Satterthwaite's, with the variance of the squared deviations estimated from themselves;
- those of documents whose deviation has a variance that grows as length^1.5, between the noise within documents
  (length) and the difference of documents (length²).

Simulated coverage at 95 % is between 93 and 97 % from 60 documents up for the kinds of text that
``docs/statistics.md`` has a table of (``tests/test_coverage.py``), and less where the lengths' logarithm has a σ of 1.5
and the rate also goes with the length, or where a few documents make the figure. With n − 1 degrees of freedom it
was down to 84 % at 60 documents and to 83 % at 8; the delta method was down to 80 and 72 %. Hall's correction for
skewness (1992, The Bootstrap and Edgeworth Expansion) gains one or two points where it is least, and loses as many
elsewhere.

Under 8 documents there is none of these. Documents are not cut into blocks to have more of them: the blocks of one
text are alike, and an interval over them speaks of that text and not of others. Where a few documents had to be cut
to hold something out of the training text, blocks are what there is, and the report says so under *Beware*.

**Means of documents' ratios** get Student's interval. **Rates** that are perfect get the exact one-sided bound
that the rule of three approximates (Hanley & Lippman-Hand 1983); other shares of documents Wilson's (1927). Both hold
for any number of documents.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from evalkit.columns import Ints, blocks
from evalkit.stats.student import quantile
from evalkit.values import Undefined
from tokenizers_impl.deferred import dataclass

Floats = NDArray[np.float64]

FEWEST = 8
"""Documents that an interval needs."""
ENOUGH = 60
"""Documents from which the coverage is the one that is promised; with fewer, intervals are marked."""

NOTHING = 1e-11
"""A relative standard error up to this is what rounding makes where nothing varies between the documents."""
_ROUNDING = 1e-12  # and so is a variance up to this share of the squares that it is the rest of

MOST_BY_CHANCE = 0.15
"""Of the standard error, what chance may add to a figure that has an interval (:func:`jackknife_interval`)."""
BY_CHANCE = Undefined("chance adds too much to it for its standard error")
SAME_EVERYWHERE = Undefined("it is the same in every document")
ALL_IN_ONE = Undefined("one document holds all of it")


@dataclass(frozen=True)
class Interval:
    low: float
    high: float


def canonical(value: float, digits: int = 9) -> float:
    """``value`` to so many digits: the last ones depend on the processor and on the order of summing.

    >>> canonical(1 / 3)
    0.333333333
    """
    return float(f"{value:.{digits}g}")


def too_few(documents: int, of: int | None = None) -> Undefined:
    """``of``: all documents, where ``documents`` are those with a part in the figure."""
    some = f"{documents}" if of in (None, documents) else f"{documents} of {of} have a part in it"
    return Undefined(f"too few documents ({some}; an interval needs {FEWEST})")


def with_a_part(*columns: Ints) -> int:
    """How many documents have something in any of these columns; the others say nothing of a ratio of their sums.

    >>> with_a_part(np.array([0, 0, 1, 2]), np.array([0, 3, 4, 0]))
    3
    """
    return sum(
        int(np.count_nonzero(np.logical_or.reduce([column[part] != 0 for column in columns])))
        for part in blocks(len(columns[0]))
    )


class Spread:
    """What leaving out one document at a time does to an estimate: sums over the deviations, from which come
    the standard error and Satterthwaite's degrees of freedom."""

    def __init__(self) -> None:
        self.n = 0
        self._sums = [0.0] * 4  # of the first four powers

    def add(self, deviations: Floats) -> None:
        squares = deviations * deviations
        powers = (deviations, squares, squares * deviations, squares * squares)
        self.n += len(deviations)
        self._sums = [total + float(power.sum()) for total, power in zip(self._sums, powers, strict=True)]

    @property
    def standard_error(self) -> float:
        return math.sqrt(self._second * (self.n - 1) / self.n)

    @property
    def _second(self) -> float:
        first, second, *_ = self._sums
        rest = second - first * first / self.n
        return rest if rest > _ROUNDING * second else 0.0

    def degrees_of_freedom(self, design: float) -> float:
        """``design``: those that the lengths alone give."""
        first, second, third, fourth = self._sums
        mean = first / self.n
        fourth += -4 * mean * third + 6 * mean**2 * second - 3 * self.n * mean**4
        excess = fourth / self._second**2 - 1 / self.n
        satterthwaite = 2 / excess if excess > 0 else math.inf
        return max(1.0, min(satterthwaite, design, self.n - 1))


def design_degrees_of_freedom(lengths: Ints) -> float:
    """(Σ v)² / Σ v² for v = length^1.5: as many as there are documents of equal length.

    >>> design_degrees_of_freedom(np.array([5, 5, 5])), round(design_degrees_of_freedom(np.array([1, 1, 100])), 3)
    (3.0, 1.004)
    """
    first = second = 0.0
    scale = float(lengths.max())
    for part in blocks(len(lengths)):
        shares = lengths[part] / scale
        variances = shares * np.sqrt(shares)
        first += float(variances.sum())
        second += float((variances * variances).sum())
    return first * first / second


def ratio_interval(
    numerators: Ints, denominators: Ints, confidence: float, *, rate: bool = False
) -> Interval | Undefined:
    """Of Σ numerators / Σ denominators. ``rate``: the numerators count a part of what the denominators count.

    It is symmetric in the logarithm where the ratio has one whichever document is left out, else in the ratio
    itself.
    """
    n = len(numerators)
    top, bottom = int(numerators.sum()), int(denominators.sum())
    if bottom == 0:
        return Undefined("the denominator is 0 over the whole split")
    if rate and top in (0, bottom):
        found = perfect_bound(int((denominators > 0).sum()), confidence)
        return found if top else Interval(1 - found.high, 1 - found.low)
    documents = with_a_part(numerators, denominators)
    if documents < FEWEST:
        return too_few(documents, n)
    if int(denominators.max()) == bottom:
        return ALL_IN_ONE
    logarithmic = int(numerators.min()) >= 0 and int(numerators.max()) < top
    spread = Spread()
    for part in blocks(n):
        spread.add(ratio_deviations(numerators[part], denominators[part], (top, bottom), logarithmic=logarithmic))
    error, value = spread.standard_error, top / bottom
    if error <= NOTHING * (1.0 if logarithmic else abs(value)):
        return SAME_EVERYWHERE
    half = quantile(confidence, spread.degrees_of_freedom(design_degrees_of_freedom(denominators))) * error
    if logarithmic:
        low, high = value * math.exp(-min(half, 700)), value * math.exp(min(half, 700))
    else:
        low, high = value - half, value + half
        if int(numerators.min()) >= 0:
            low = max(0.0, low)
    return Interval(canonical(low), canonical(min(1.0, high) if rate else high))


def ratio_deviations(above: Ints, of: Ints, totals: tuple[int, int], *, logarithmic: bool) -> Floats:
    """What leaving out each of some documents does to Σ numerators / Σ denominators (``totals``: both sums, over all
    documents), or to its logarithm. ``above`` and ``of``: the numerators and denominators of these."""
    top, bottom = totals
    below = of / bottom
    found: Floats
    if logarithmic:
        # Equal quotients of integers are equal floats, so that no spread is exactly none.
        found = np.log1p(-(above / top)) - np.log1p(-below)
    elif top:
        found = top / bottom * (below - above / top) / (1 - below)
    else:
        found = -(above / bottom) / (1 - below)
    return found


def mean_interval(values: Floats, confidence: float, *, rate: bool = False) -> Interval | Undefined:
    """Of the mean of the documents' own figures: Student's. ``rate``: they lie between 0 and 1, and so does their
    mean."""
    n = len(values)
    if n < FEWEST:
        return too_few(n)
    if float(values.min()) == float(values.max()):
        return SAME_EVERYWHERE
    mean = float(values.sum()) / n
    squares = sum(float(((values[part] - mean) ** 2).sum()) for part in blocks(n))
    error = math.sqrt(squares / (n - 1) / n)
    if error <= NOTHING * abs(mean):
        return SAME_EVERYWHERE
    half = quantile(confidence, n - 1) * error
    low, high = canonical(mean - half), canonical(mean + half)
    return Interval(max(0.0, low), min(1.0, high)) if rate else Interval(low, high)


def share_interval(hits: int, trials: int, confidence: float) -> Interval:
    """Of a share of documents: Wilson's score interval, and the one-sided bound where the share is 0 or 1.

    >>> share_interval(8, 10, 0.95)
    Interval(low=0.490162472, high=0.943317849)
    """
    if hits in (0, trials):
        found = perfect_bound(trials, confidence)
        return found if hits else Interval(1 - found.high, 1 - found.low)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share, weight = hits / trials, z * z / trials
    centre = (share + weight / 2) / (1 + weight)
    half = z * math.sqrt(share * (1 - share) / trials + weight / (4 * trials)) / (1 + weight)
    return Interval(canonical(centre - half), canonical(centre + half))


def perfect_bound(documents: int, confidence: float) -> Interval:
    """A rate of 1 that ``documents`` documents show: where it lies, with that confidence. About 3 / documents
    below 1 at 95 %.

    >>> perfect_bound(100, 0.95)
    Interval(low=0.97048695, high=1.0)
    """
    return Interval(canonical((1 - confidence) ** (1 / documents)), 1.0)


def jackknife_interval(
    value: float, left_out: Floats, lengths: Ints, confidence: float, *, rate: bool = False, by_chance: float = 0.0
) -> Interval | Undefined:
    """Of a smooth figure that is no ratio of sums, from what it is without each document (``left_out``, in their
    order); a jackknife-t interval with the same degrees of freedom as that of ratios. ``rate``: it lies between 0 and
    1. ``by_chance``: what chance adds to it, where it isn't smooth at all; there is no interval where that is more
    than :data:`MOST_BY_CHANCE` of the standard error."""
    if len(lengths) < FEWEST:
        return too_few(len(lengths))
    spread = Spread()
    for part in blocks(len(lengths)):
        spread.add(value - left_out[part])
    error = spread.standard_error
    if error <= NOTHING * abs(value):
        return SAME_EVERYWHERE
    if by_chance > MOST_BY_CHANCE * error:
        return BY_CHANCE
    half = quantile(confidence, spread.degrees_of_freedom(design_degrees_of_freedom(lengths))) * error
    low, high = canonical(value - half), canonical(value + half)
    return Interval(max(0.0, low), min(1.0, high)) if rate else Interval(low, high)


def folded(distance: float, error: float) -> float:
    """By how much the mean size of what lies at ``distance`` from 0, with a normal ``error``, is more than that
    distance: nothing where that is many errors, 0.8 errors where it is 0.

    >>> round(folded(0.0, 1.0), 3), round(folded(1.0, 1.0), 3), round(folded(5.0, 1.0), 7)
    (0.798, 0.167, 1e-07)
    """
    if error <= 0:
        return 0.0
    z = distance / error
    return error * math.sqrt(2 / math.pi) * math.exp(-z * z / 2) - distance * math.erfc(z / math.sqrt(2))
