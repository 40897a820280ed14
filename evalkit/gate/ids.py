"""The ids of many texts, as lists or as one array: whichever a way to encode gives is what is compared."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Ids:
    """The ids of some texts in order. Both forms say the same; the other one is made when it is asked for, and
    kept, so that millions of ids are converted once for all that is compared with them."""

    __slots__ = ("_flat", "_rows")

    def __init__(
        self, rows: list[list[int]] | None = None, flat: tuple[NDArray[Any], NDArray[np.int64]] | None = None
    ) -> None:
        self._rows, self._flat = rows, flat

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]]) -> Ids:
        """
        >>> Ids.of([[1, 2], [], [3]]).flat
        (array([1, 2, 3]), array([0, 2, 2, 3]))
        """
        return cls([row if isinstance(row, list) else list(row) for row in rows])

    @classmethod
    def of_arrays(cls, flat: Any, offsets: Any) -> Ids:
        """All ids one after the other, and where each text's begin and the last one's end."""
        return cls(None, (np.asarray(flat), np.asarray(offsets, dtype=np.int64)))

    @classmethod
    def of_each(cls, arrays: Sequence[Any]) -> Ids:
        """An array for each text."""
        flat = np.concatenate([np.asarray(one) for one in arrays]) if arrays else np.zeros(0, dtype=np.int64)
        return cls.of_arrays(flat, np.cumsum([0, *(len(one) for one in arrays)]))

    @classmethod
    def numbers(cls, counts: Any) -> Ids:
        """One number for each text, where a way counts."""
        array_of = np.asarray(counts, dtype=np.int64)
        return cls(None, (array_of, np.arange(len(array_of) + 1, dtype=np.int64)))

    def __len__(self) -> int:
        return len(self._rows) if self._rows is not None else len(self.flat[1]) - 1

    @property
    def rows(self) -> list[list[int]]:
        if self._rows is None:
            flat, offsets = self.flat
            ids, ends = flat.tolist(), offsets.tolist()
            self._rows = [ids[start:end] for start, end in pairwise(ends)]
        return self._rows

    @property
    def flat(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        if self._flat is None:
            rows = self._rows or []
            offsets = np.zeros(len(rows) + 1, dtype=np.int64)
            np.cumsum([len(one) for one in rows], out=offsets[1:])
            ids = array("q")  # takes a list of integers several times faster than numpy does
            for one in rows:
                ids.extend(one)
            self._flat = np.array(ids, dtype=np.int64), offsets
        return self._flat

    def row(self, number: int) -> list[int]:
        """The ids of one text."""
        if self._rows is not None:
            return self._rows[number]
        flat, offsets = self.flat
        ids: list[int] = flat[offsets[number] : offsets[number + 1]].tolist()
        return ids

    def lengths(self) -> Ids:
        """How many ids each text has."""
        return Ids.numbers(np.diff(self.flat[1]))

    def same(self, other: Ids) -> bool:
        """Whether ``other`` has the same ids; compared in the form that it has."""
        if other._flat is None:
            return self.rows == other.rows
        (flat, offsets), (others, ends) = self.flat, other.flat
        return np.array_equal(offsets, ends) and np.array_equal(flat, others)


def first_difference(left: Ids, right: Ids) -> int | None:
    """The number of the first text whose ids differ, or None; the number of texts where ``right`` has more of them.

    >>> first_difference(Ids.of([[1], [2, 3], [4]]), Ids.of([[1], [2], [4]]))
    1
    """
    if left.same(right):
        return None
    for number in range(len(left)):
        if number >= len(right) or left.row(number) != right.row(number):
            return number
    return len(left)
