"""Counts by document, of which there may be millions, in a byte or two each.

Most documents of such a corpus are short, and so are their counts: a column is kept in the narrowest type that holds
all of it. It computes as one of int64 does, so that nothing overflows that wouldn't there.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

BLOCK = 65_536  # documents at a time: working memory doesn't grow with the corpus

_CODES = "BHIq"  # of arrays: 1, 2, 4 and, with a sign, 8 bytes
_LIMITS = [np.iinfo(code).max for code in _CODES]
_COMPARE = frozenset((np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal))


class Narrow(np.ndarray[Any, np.dtype[np.int64]]):
    """Whole numbers in some narrow type, which can't be written to. Whatever is computed of them (by ufuncs, by other
    functions of numpy's, by taking one number) is computed of int64, and is a plain array or number of int64 where it
    is one of whole numbers. Parts of it are narrow again.

    ``np.asarray`` gives the bare narrow numbers, which overflow: :func:`wide` is for that.

    >>> column = narrowed(np.array([200, 100]))
    >>> column.itemsize, (column + column).tolist(), (column * 1000).dtype, int(column[0] + column[0])
    (1, [400, 200], dtype('int64'), 400)
    """

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        bare = [_bare(one) for one in inputs]
        if "out" in options:  # of a column, so that it is refused: it can't be written to
            options["out"] = tuple(map(_bare, options["out"]))
        if ufunc in _COMPARE and method == "__call__":  # numpy compares numbers of any types by what they are
            return getattr(ufunc, method)(*bare, **options)
        if ufunc is np.add and method in ("reduce", "accumulate", "reduceat"):  # no wide copy: numpy widens by pieces
            if options.get("dtype") is None:
                options["dtype"] = np.int64
            return getattr(ufunc, method)(*bare, **options)
        if ufunc in (np.maximum, np.minimum) and method == "reduce":
            found = getattr(ufunc, method)(*bare, **options)
            return found.astype(np.int64) if isinstance(found, (np.ndarray, np.integer)) else found
        return getattr(ufunc, method)(*map(wide, inputs), **options)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return func(*map(_widened, args), **{key: _widened(value) for key, value in kwargs.items()})

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return np.int64(found) if isinstance(found, np.integer) else found

    def astype(self, *args: Any, **options: Any) -> Any:
        return self.view(np.ndarray).astype(*args, **options)

    def dot(self, *args: Any, **options: Any) -> Any:
        return wide(self).dot(*args, **options)


def _bare(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, Narrow) else value


def _widened(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(map(_widened, value))
    return wide(value)


def wide(values: Any) -> Any:
    """A narrow column as a plain array of int64; anything else as it is."""
    return values.astype(np.int64, copy=False) if isinstance(values, Narrow) else values


def _code(values: NDArray[Any]) -> int:
    if not values.size:
        return 0
    largest = int(values.max())
    if values.dtype.kind != "u" and int(values.min()) < 0:
        return len(_CODES) - 1
    return next(code for code, limit in enumerate(_LIMITS) if largest <= limit)


class Growing:
    """A column that batches are added to. Nothing is put together at the end: that would take all of it twice.

    >>> column = Growing()
    >>> column.extend(np.array([1, 255]))
    >>> column.extend(np.array([256]))
    >>> column.finish().itemsize, column.finish().tolist()
    (2, [1, 255, 256])
    """

    def __init__(self) -> None:
        self._code = 0
        self._numbers = array(_CODES[0])

    def __len__(self) -> int:
        return len(self._numbers)

    def extend(self, values: NDArray[Any], most: int = len(_CODES)) -> None:
        """The numbers of the next documents; ``most``: a type that holds them, where one is known."""
        if most > self._code and (code := _code(values)) > self._code:
            before = np.frombuffer(self._numbers, dtype=_CODES[self._code])
            self._code, self._numbers = code, array(_CODES[code])
            for part in blocks(len(before)):
                self._append(before[part])
        self._append(values)

    def _append(self, values: NDArray[Any]) -> None:
        same = np.ascontiguousarray(values, dtype=_CODES[self._code])
        self._numbers.frombytes(same.view(np.uint8).data)

    def finish(self) -> Narrow:
        """The column; no batch can be added after that."""
        return _sealed(np.frombuffer(self._numbers, dtype=_CODES[self._code]))


class Table:
    """Growing columns that are filled by rows."""

    def __init__(self) -> None:
        self._columns: list[Growing] = []

    def extend(self, rows: NDArray[Any]) -> None:
        """The rows of the next documents, all of one width."""
        if not self._columns:
            self._columns = [Growing() for _ in range(rows.shape[1])]
        code = _code(rows)
        narrow = rows.astype(_CODES[code]).T.copy()  # each column's numbers side by side
        for column, values in zip(self._columns, narrow, strict=True):
            column.extend(values, code)

    def finish(self, width: int) -> list[Ints]:
        """The columns: so many, also where nothing was added."""
        return [column.finish() for column in self._columns or [Growing() for _ in range(width)]]


def narrowed(values: NDArray[Any]) -> Narrow:
    """The same numbers in as little memory as they take."""
    return _sealed(values.astype(_CODES[_code(values)]))


def zeros(documents: int) -> Narrow:
    """As many zeros, which take no memory."""
    return _sealed(np.broadcast_to(np.zeros(1, dtype=np.uint8), documents))


def _sealed(values: NDArray[Any]) -> Narrow:
    column = values.view(Narrow)
    column.flags.writeable = False
    return column


def blocks(documents: int) -> Iterator[slice]:
    for start in range(0, documents, BLOCK):
        yield slice(start, min(start + BLOCK, documents))


def computed(formula: Callable[..., Ints], *columns: Ints) -> Ints:
    """A column made of others, document by document, with no wide copy of all of them.

    >>> computed(lambda a, b: a + b, np.array([200]), np.array([100])).tolist()
    [300]
    """
    found = Growing()
    for part in blocks(len(columns[0])):
        found.extend(formula(*(wide(column[part]) for column in columns)))
    return found.finish()
