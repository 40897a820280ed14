"""Sets of code points as sorted ranges, and those that patterns name, all from the one Unicode table.

>>> union(((65, 70),), ((68, 90),))
((65, 90),)
>>> complement(((0, 64), (91, MAX)))
((65, 90),)
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from tokenizers_impl import unicode_data

MAX = 0x10FFFF

Ranges = tuple[tuple[int, int], ...]
"""First and last code point of each range; ascending, and no two of them touch."""

NOTHING: Ranges = ()
EVERYTHING: Ranges = ((0, MAX),)


def union(*sets: Ranges) -> Ranges:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(pair for ranges in sets for pair in ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    gaps = []
    start = 0
    for first, last in ranges:
        if start < first:
            gaps.append((start, first - 1))
        start = last + 1
    if start <= MAX:
        gaps.append((start, MAX))
    return tuple(gaps)


def intersection(one: Ranges, other: Ranges) -> Ranges:
    return complement(union(complement(one), complement(other)))


def difference(one: Ranges, other: Ranges) -> Ranges:
    return intersection(one, complement(other))


def single(character: str) -> Ranges:
    return ((ord(character), ord(character)),)


@cache
def categories(names: frozenset[str]) -> Ranges:
    """The code points of these general categories."""
    return union(tuple((first, last) for first, last, name, _, _ in unicode_data.runs() if name in names))


@cache
def han() -> Ranges:
    return union(tuple((first, last) for first, last, _, is_han, _ in unicode_data.runs() if is_han))


@cache
def space() -> Ranges:
    r"""``\s``."""
    return union(tuple((first, last) for first, last, _, _, is_space in unicode_data.runs() if is_space))


# ── without regard to case ──────────────────────────────────────────────────────────────────────────────────

# The letters that simple case folding puts with an ASCII one: ſ with s, and the sign for kelvin with k.
_BEYOND_ASCII = {0x17F: "s", 0x212A: "k"}
# Of the rest, these have another case: letters by category, a mark that is an iota below, Roman and circled ones.
_CASED_SIGNS: Ranges = ((0x345, 0x345), (0x2160, 0x217F), (0x24B6, 0x24E9))


@cache
def cased_beyond_ascii() -> Ranges:
    r"""Code points outside ASCII with another case that isn't in this module: the table has no case mappings."""
    letters = categories(frozenset(("Lu", "Ll", "Lt")))
    known = union(((0, 0x7F),), *(((c, c),) for c in _BEYOND_ASCII))
    return difference(union(letters, _CASED_SIGNS), known)


def any_case(ranges: Ranges) -> Ranges:
    """``ranges`` and the other cases of their ASCII letters."""
    found = [ranges]
    for letter in "abcdefghijklmnopqrstuvwxyz":
        members = [letter, letter.upper(), *(chr(c) for c, folded in _BEYOND_ASCII.items() if folded == letter)]
        if any(contains(ranges, ord(member)) for member in members):
            found += map(single, members)
    return union(*found)


def contains(ranges: Iterable[tuple[int, int]], code_point: int) -> bool:
    return any(first <= code_point <= last for first, last in ranges)
