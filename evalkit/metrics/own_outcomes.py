"""What goes into a metric of the user's own and what comes out of it, so that none of its mistakes becomes ours."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from functools import cache
from numbers import Integral, Real
from typing import Any

import numpy as np

from evalkit.columns import wide
from evalkit.metrics.registry import Aggregation, Jackknifed, Metric, Outcome, Ratio, Share, Total, Whole
from evalkit.values import Undefined

AGGREGATIONS: dict[type, tuple[Aggregation, ...]] = {
    Ratio: ("micro", "macro"),
    Total: ("sum",),
    Share: ("micro",),
    Whole: ("micro",),
    Jackknifed: ("micro",),
}
LARGEST = 1e100
"""A figure's size; the squares of differences in an interval stay numbers."""
LARGEST_SUM = 2**53
"""Of the sizes of an array's counts: what a float holds exactly."""

_ARRAYS = {Ratio: ("numerators", "denominators"), Total: ("parts",), Jackknifed: ("left_out", "lengths")}


def read_only(value: Any) -> Any:
    """The same, with arrays that can't be written into and mappings of its own: a metric gets this of a cell, whose
    arrays all other figures are made of, too. Narrow columns are plain arrays of int64 in it, made as each is asked
    for: all of a cell's at once would take much memory."""
    if isinstance(value, np.ndarray):
        view = wide(value).view()
        view.flags.writeable = False
        return view
    if is_dataclass(value) and not isinstance(value, (type, Undefined)):
        found: Any = object.__new__(_kept(type(value)))
        found.__dict__.update(vars(value))
        return found
    if isinstance(value, Mapping):
        return {key: read_only(one) for key, one in value.items()}
    return value


@cache
def _kept(kind: type) -> type:
    """A dataclass that gives of its fields what :func:`read_only` makes of them."""

    def get(self: Any, name: str) -> Any:
        found = object.__getattribute__(self, name)
        return read_only(found) if name in names else found

    names = frozenset(one.name for one in fields(kind))
    return type(kind.__name__, (kind,), {"__getattribute__": get, "__module__": kind.__module__})


def checked(metric: Metric, outcome: object, documents: int) -> Outcome:
    """The outcome with Python's own numbers. Raises ``ValueError`` with what is wrong with it, as a phrase."""
    if isinstance(outcome, Undefined):
        if not isinstance(outcome.reason, str):
            raise ValueError("gave an Undefined whose reason is no text")
        return outcome
    known = AGGREGATIONS.get(type(outcome))
    if known is None:
        names = ", ".join(kind.__name__ for kind in AGGREGATIONS)
        raise ValueError(
            f"gave a {type(outcome).__name__}; a metric gives one of {names}, or Undefined with the reason"
        )
    if known != metric.aggregations:
        shown = ", ".join(f'"{name}"' for name in known) + ("," if len(known) == 1 else "")
        raise ValueError(
            f"gave a {type(outcome).__name__}, which has the aggregations {', '.join(known)}, and says that it has "
            f"{', '.join(metric.aggregations)}: give own_metric aggregations=({shown})"
        )
    arrays = {field: _array(field, getattr(outcome, field), documents) for field in _ARRAYS.get(type(outcome), ())}
    if isinstance(outcome, Ratio):
        if outcome.lengths is not None:
            arrays["lengths"] = _array("lengths", outcome.lengths, documents)
        return _ratio(replace(outcome, **arrays))
    if isinstance(outcome, Total):
        return Total(arrays["parts"])
    if isinstance(outcome, Whole):
        if (n := _whole_number("n", outcome.n)) <= 0:
            raise ValueError(f"gave n = {n}; n is the number of documents that the figure is over, 1 or more")
        return Whole(_finite(outcome.value), n)
    if isinstance(outcome, Jackknifed):
        if (arrays["lengths"] < 0).any() or not arrays["lengths"].any():
            raise ValueError("gave lengths that are negative, or all 0")
        return Jackknifed(_finite(outcome.value), **arrays)
    if isinstance(outcome, Share):
        hits, trials = _whole_number("hits", outcome.hits), _whole_number("trials", outcome.trials)
        if not 0 <= hits <= trials != 0:
            raise ValueError(f"gave {hits} hits of {trials} trials")
        return Share(hits, trials)
    raise AssertionError(f"{type(outcome).__name__} is not checked")


def _ratio(outcome: Ratio) -> Ratio:
    if (outcome.denominators < 0).any():
        raise ValueError("gave denominators that are negative")
    if outcome.rate and ((outcome.numerators < 0) | (outcome.numerators > outcome.denominators)).any():
        raise ValueError("gave numerators outside 0 … denominator, which a rate counts a part of; leave rate=True out")
    return outcome


def _array(field: str, values: object, documents: int) -> Any:
    if isinstance(values, (list, tuple)):
        with suppress(ValueError):  # lists in it of several lengths
            values = np.asarray(values)
    if not isinstance(values, np.ndarray):
        raise ValueError(f"gave {field} as a {type(values).__name__}; expected an array of a number for each document")
    if values.shape != (documents,):
        raise ValueError(f"gave {field} of another shape than ({documents},), one number for each document")
    if field != "left_out":
        if values.dtype.kind not in "iu":
            raise ValueError(f"gave {field} that are not whole numbers")
        if np.abs(values.astype(np.float64)).sum() >= LARGEST_SUM:
            raise ValueError(f"gave {field} that are too large to be summed exactly")
        return values.astype(np.int64)
    if values.dtype.kind not in "iuf" or not (np.abs(values.astype(np.float64)) < LARGEST).all():  # also refuses NaN
        raise ValueError(f"gave {field} that are not all finite numbers of a figure's size")
    return values.astype(np.float64)


def _finite(value: object) -> float:
    """A figure as a number of Python's; a numpy one is taken."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"gave a {type(value).__name__} as its value; a figure is a number")
    try:
        number = int(value) if isinstance(value, Integral) else float(value)
        finite = math.isfinite(number)
    except OverflowError:
        raise ValueError("gave a number that is too large for a figure") from None
    if not finite:
        raise ValueError(f"gave {number}, which is no figure; say Undefined, with the reason")
    if not abs(number) < LARGEST:
        raise ValueError("gave a number that is too large for a figure")
    return number


def _whole_number(field: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ValueError(f"gave a {type(value).__name__} as {field}, which is a whole number")
    return int(value)
