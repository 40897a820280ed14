"""Counts by document, of a corpus that may have millions of them, in bounded memory.

What takes many columns is kept of so many units at most; beyond that each two that follow each other are joined, so
that a unit is a run of 2, 4, 8, … documents. Sums stay exact, and which documents make a run depends on how many there
are alone, not on how they came.
"""

from __future__ import annotations

import numpy as np

from evalkit.counts import Ints

MOST = 1 << 14
"""Units that are kept: as many as an interval has any use for, and 64 KiB a column."""


class Runs:
    """Sums over runs of ``run`` documents of rows of ``width`` numbers.

    >>> runs = Runs(1, most=2)
    >>> for number in (1, 2, 3, 4, 5):
    ...     runs.add(np.array([[number]]))
    >>> runs.run, runs.sums().tolist()
    (4, [[10], [5]])
    """

    def __init__(self, width: int, most: int = MOST) -> None:
        self.run = 1
        self._most = most
        self._documents = 0
        self._parts: list[Ints] = [np.zeros((0, width), dtype=np.int64)]

    def add(self, rows: Ints) -> None:
        """The rows of the next documents."""
        if not len(rows):
            return
        while self._documents + len(rows) > self.run * self._most:
            self._parts = [narrow(summed(self.sums(), 2))]
            self.run *= 2
        begun = self._documents % self.run  # documents of a run that isn't full
        sums = summed(rows, self.run, begun)
        if begun:
            last = self._parts.pop()
            sums[0] += last[-1]
            if len(last) > 1:
                self._parts.append(last[:-1])
        self._parts.append(narrow(sums))
        self._documents += len(rows)

    def sums(self) -> Ints:
        """Shape (runs, width)."""
        return np.concatenate(self._parts)


def summed(rows: Ints, run: int, begun: int = 0) -> Ints:
    """Sums over runs of so many rows, of which ``begun`` of the first have been before.

    >>> summed(np.array([1, 2, 3, 4, 5]), 2).tolist(), summed(np.array([1, 2, 3, 4, 5]), 2, 1).tolist()
    ([3, 7, 5], [1, 5, 9])
    """
    if not len(rows):
        return rows.astype(np.int64)
    starts = np.arange(-begun, len(rows), run).clip(0)
    found: Ints = np.add.reduceat(rows, starts, axis=0, dtype=np.int64)
    return found


def narrow(rows: Ints) -> Ints:
    """The same numbers in half the memory, where they are small enough."""
    largest = int(rows.max(initial=0))
    return rows.astype(np.int32) if largest <= np.iinfo(np.int32).max // 4 else rows
