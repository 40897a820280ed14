"""What another training text of the same kind would change: the noise of training, from training again.

The documents are put into groups, and each of the trainings leaves one group out: the delete-a-group jackknife
(Kott 2001, The Delete-a-Group Jackknife; Tukey 1958 for one document a group; Shao & Tu 1995, The Jackknife and
Bootstrap, ch. 2). It estimates how the figure of a tokenizer trained on *all* the documents varies between texts of
that size, and takes no more than ``groups`` trainings, each on almost the whole text.

Why not a bootstrap: it draws documents twice, and whatever stands in such a document then "occurs twice" and is
learned, which no real text does; it would also train on two thirds of the text that there is. Why not random subsets of
80 %: they need the same factor, and leave some documents out by chance more often than others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalkit.stats.intervals import canonical
from evalkit.stats.student import quantile
from tokenizers_impl.deferred import dataclass

FEWEST_GROUPS = 2


@dataclass(frozen=True)
class Noise:
    """``error``: the standard error of the logarithm. ``floor``: the relative difference that training alone makes in
    1 − ``confidence`` of the cases; a smaller one says nothing."""

    error: float
    floor: float


def training_noise(logarithms: Sequence[float], confidence: float) -> Noise:
    """From the logarithms of a figure (or of a ratio of two), one for each group that was left out.

    The standard error is √((g − 1)/g · Σ (xₖ − x̄)²) for g groups; the floor is Student's t with g − 1 degrees of
    freedom times that, as a relative difference. Raises ``ValueError`` for fewer than two.

    >>> found = training_noise([math.log(v) for v in (4.00, 4.02, 3.98, 4.01, 3.99)], 0.95)
    >>> round(found.error, 5), round(found.floor, 4)
    (0.00707, 0.0198)
    """
    groups = len(logarithms)
    if groups < FEWEST_GROUPS:
        raise ValueError(f"a noise takes {FEWEST_GROUPS} trainings, not {groups}")
    mean = math.fsum(logarithms) / groups
    error = math.sqrt((groups - 1) / groups * math.fsum((one - mean) ** 2 for one in logarithms))
    floor = math.expm1(min(quantile(confidence, groups - 1) * error, 700.0))
    return Noise(canonical(error, 6), canonical(floor, 6))


def noise_of_both(sides: Sequence[tuple[float, int]], confidence: float) -> Noise:
    """Of a difference of two that were trained apart, from the error and the number of trainings of each (of one alone,
    where the other is fixed): the errors add as squares, with the degrees of freedom of the fewer trainings.

    >>> noise_of_both([(0.003, 5), (0.004, 5)], 0.95).error
    0.005
    """
    error = math.hypot(*(error for error, _ in sides))
    floor = math.expm1(min(quantile(confidence, min(trainings for _, trainings in sides) - 1) * error, 700.0))
    return Noise(canonical(error, 6), canonical(floor, 6))
