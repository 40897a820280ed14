"""A measured figure, or the reason why there is none. Missing is never zero."""

from __future__ import annotations

from typing import NoReturn

from tokenizers_impl.deferred import dataclass


@dataclass(frozen=True)
class Undefined:
    """A figure that can't be computed, and why, as a phrase for people.

    Whatever would quietly turn it into a number or a truth value raises ``TypeError``, so that it can't slip
    into a sum, a comparison or an ``x or 0``.

    >>> Undefined("the corpus has no words") + 1
    Traceback (most recent call last):
    TypeError: undefined: the corpus has no words
    """

    reason: str

    def __post_init__(self) -> None:
        if not self.reason:
            raise ValueError("an undefined figure needs its reason")

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError(f"undefined: {self.reason}")

    __bool__ = __float__ = __int__ = __index__ = __len__ = __iter__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __round__ = __abs__ = __format__ = _refuse


@dataclass(frozen=True)
class Value:
    """A figure: ``value`` in ``unit``, over ``n`` documents; ``low`` and ``high`` bound its interval, where
    it has one.

    >>> Value(4.18, "bytes/token", n=100)
    Value(value=4.18, unit='bytes/token', n=100, low=None, high=None)
    """

    value: float
    unit: str
    n: int
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        for figure in (self.value, self.low, self.high):
            if figure is not None and not abs(figure) < float("inf"):  # also refuses NaN
                raise ValueError(f"{figure} is not a figure; say Undefined, with the reason")
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval has two ends")
