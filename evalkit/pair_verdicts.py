"""Verdicts between two tokenizers of one suite that another suite has otherwise.

They are corrected for the number of pairs on the corpus, so that they also change where no figure does: with more
tokenizers there are more pairs, and a difference has to be clearer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from evalkit.results import ComparisonRecord, Results
from tokenizers_impl.deferred import dataclass


@dataclass(frozen=True)
class VerdictChange:
    """The same two tokenizers on the same corpus, the same way round. ``pairs``: how many were tested together on
    either side."""

    before: ComparisonRecord
    after: ComparisonRecord
    pairs: tuple[int, int]

    @property
    def by_pairs_alone(self) -> bool:
        """Whether nothing but the number of pairs changed it."""
        same = all(getattr(self.before, name) == getattr(self.after, name) for name in ("ratio", "p", "noise_floor"))
        return same and self.pairs[0] != self.pairs[1]


def pairs_tested(results: Results) -> dict[str, int]:
    """By corpus, how many pairs of tokenizers Holm's correction is over: those that came to a probability."""
    found = {one.corpus: 0 for one in results.comparisons}
    for one in results.comparisons:
        found[one.corpus] += one.p is not None
    return found


def pair_verdicts(one: Results, two: Results) -> tuple[VerdictChange, ...]:
    """Of the pairs that both have, the largest difference first."""
    tested = pairs_tested(one), pairs_tested(two)
    found = [
        VerdictChange(before, after, (tested[0][before.corpus], tested[1][before.corpus]))
        for before, after in _both(one, two)
        if _verdict(before) != _verdict(after)
    ]
    return tuple(sorted(found, key=lambda change: -_size(change)))


def _both(one: Results, two: Results) -> Iterator[tuple[ComparisonRecord, ComparisonRecord]]:
    for before in one.comparisons:
        after = two.comparison(before.corpus, before.first, before.second)
        if after is not None:
            yield before, after


def _verdict(found: ComparisonRecord) -> tuple[bool | None, bool]:
    """Whether the two can be told apart, and if so, whether the first has more tokens."""
    return found.separable, bool(found.separable and found.ratio and found.ratio > 1)


def _size(change: VerdictChange) -> float:
    return max(abs(math.log(one.ratio)) if one.ratio else 0.0 for one in (change.before, change.after))
