"""The mark of intervals over few documents, and what it means: every place that shows an interval has it from here."""

from __future__ import annotations

from collections.abc import Iterable

from evalkit.stats import ENOUGH, FEWEST

FEW = "‡"


def mark(documents: int) -> str:
    """
    >>> mark(12), mark(60), mark(5)
    ('‡', '', '')
    """
    return FEW if FEWEST <= documents < ENOUGH else ""


def note(documents: Iterable[int]) -> list[str]:
    """What the mark means, as a paragraph; none where none of these numbers of documents has it."""
    if not any(map(mark, documents)):
        return []
    return [
        f"{FEW} {FEWEST} to {ENOUGH - 1} documents, too few to promise that an interval holds in 93 to 97 % of the "
        "cases: in simulations it was 92 to 97 %, and much less where a few documents make the figure."
    ]
