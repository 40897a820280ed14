"""Student's t distribution for any degrees of freedom, not whole ones only: probabilities, however small, and
quantiles."""

from __future__ import annotations

import math
import sys
from functools import lru_cache
from statistics import NormalDist

SMALLEST = sys.float_info.min
"""What a probability is at least: one that is smaller is this, since 0 would be a claim."""

_NORMAL_FROM = 1e7  # degrees of freedom; the two then agree in all digits that matter
_EXPANDED_FROM = 1e4  # the expansion is then nearer than the probabilities below are
_TINY = 1e-300
_CLOSE = 1e-7  # a step of Newton's method that is no longer leaves an error of about its square


def two_sided(t: float, df: float) -> float:
    """P(\\|T\\| ≥ \\|t\\|), to about ten digits also where it is tiny.

    It is the regularised incomplete beta function I(df / (df + t²); df/2, 1/2) (Abramowitz & Stegun 1964,
    26.7.1), computed in logarithms so that it underflows late.

    >>> round(two_sided(2.228138852, 10), 9), f"{two_sided(40, 100):.6g}"
    (0.05, '2.46211e-63')
    """
    if not df > 0:
        raise ValueError(f"{df} degrees of freedom")
    t = abs(t)
    if t == 0:
        return 1.0
    if math.isinf(t):
        return SMALLEST
    if df > _NORMAL_FROM:
        return max(SMALLEST, math.erfc(t / math.sqrt(2)))
    return max(SMALLEST, _incomplete_beta(df / 2, 0.5, t * t / df))


def _incomplete_beta(a: float, b: float, odds: float) -> float:
    """I(x; a, b) for x = 1 / (1 + odds): the quotient keeps the digits of 1 − x where x is nearly 1."""
    x, rest = 1 / (1 + odds), odds / (1 + odds)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) - a * math.log1p(odds) + b * math.log(rest)
    if x < (a + 1) / (a + b + 2):
        return math.exp(max(front + math.log(_fraction(a, b, x) / a), -745))
    return 1 - math.exp(front) * _fraction(b, a, rest) / b


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (A&S 26.5.8) by Lentz's method in Thompson and
    Barnett's form (Press et al., Numerical Recipes, section 6.4)."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 100_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away(1 + term * d)
            c = _away(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            return value
    raise ArithmeticError(f"the incomplete beta function did not converge for {a}, {b}, {x}")


def _away(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


@lru_cache(maxsize=4096)
def quantile(confidence: float, df: float) -> float:
    """The t with P(\\|T\\| ≤ t) = ``confidence``.

    Newton's method on the logarithm of the tail, inside a bracket, from Cornish and Fisher's expansion (A&S
    26.7.5).

    >>> round(quantile(0.95, 10), 6), round(quantile(0.95, 1), 4)
    (2.228139, 12.7062)
    """
    if not 0 < confidence < 1:
        raise ValueError(f"{confidence} is no confidence")
    tail = 1 - confidence
    z = -NormalDist().inv_cdf(tail / 2)  # of the tail, whose digits 0.5 + confidence / 2 would round away
    if df > _NORMAL_FROM:
        return z
    t = _expanded(z, df)
    if df > _EXPANDED_FROM:
        return t
    low, high = 0.0, math.inf
    for _ in range(200):
        found = two_sided(t, df)
        low, high = (t, high) if found > tail else (low, t)
        after = t + math.log(found / tail) * found / (2 * _density(t, df))
        if not low <= after <= high:
            after = (low + high) / 2 if high < math.inf else 2 * t
        elif abs(after - t) <= _CLOSE * t:
            return after
        t = after
    return t


def _expanded(z: float, df: float) -> float:
    """Cornish and Fisher's expansion of t, to the fourth power of 1 / df; the sooner it ends the better where df is
    small for z."""
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    t = before = z
    for power, term in enumerate(terms, 1):
        step = term / df**power
        if abs(step) > abs(before):
            break
        t, before = t + step, step
    return max(t, z)


def _density(t: float, df: float) -> float:
    front = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    return math.exp(front - (df + 1) / 2 * math.log1p(t * t / df))
