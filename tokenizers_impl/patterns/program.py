"""A parsed pattern in the form that both engines take.

A pattern can tell two code points apart only where one of its sets has one and not the other. So the code space falls
into a few *classes* of code points that the pattern treats alike, and every set is a set of classes. The engines look
up the class of each code point and know nothing of Unicode, names or case.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import lru_cache

from tokenizers_impl.deferred import dataclass
from tokenizers_impl.patterns.codepoints import Ranges
from tokenizers_impl.patterns.nodes import Atomic, Edge, Either, Look, Node, Repeat, Sequence, Set
from tokenizers_impl.patterns.parse import parse

UNBOUNDED = 0xFFFF_FFFF
"""The upper bound of a repeat that has none."""


@dataclass(frozen=True)
class Program:
    """``classes``: the class of all code points from each of these on. ``sets``: the classes in each set. ``nodes``:
    the pattern in postfix order, as (what, a, b): ``set`` has a set's number; ``sequence`` and ``either`` the number of
    nodes they take; ``greedy``, ``lazy`` and ``possessive`` the bounds; the others nothing."""

    pattern: str
    classes: list[tuple[int, int]]
    sets: list[list[int]]
    nodes: list[tuple[str, int, int]]


@lru_cache(maxsize=64)
def compile_pattern(pattern: str) -> Program:
    """The program of a pattern. Raises :class:`~tokenizers_impl.patterns.parse.PatternError`."""
    sets: dict[Ranges, int] = {}
    nodes: list[tuple[str, int, int]] = []
    _postfix(parse(pattern), sets, nodes)
    classes, members = _classes(list(sets))
    return Program(pattern, classes, members, nodes)


def _postfix(node: Node, sets: dict[Ranges, int], out: list[tuple[str, int, int]]) -> None:
    if isinstance(node, Set):
        out.append(("set", sets.setdefault(node.ranges, len(sets)), 0))
    elif isinstance(node, Sequence):
        for part in node.parts:
            _postfix(part, sets, out)
        out.append(("sequence", len(node.parts), 0))
    elif isinstance(node, Either):
        for branch in node.branches:
            _postfix(branch, sets, out)
        out.append(("either", len(node.branches), 0))
    elif isinstance(node, Repeat):
        _postfix(node.body, sets, out)
        out.append((node.mode, node.low, UNBOUNDED if node.high is None else node.high))
    elif isinstance(node, Atomic):
        _postfix(node.body, sets, out)
        out.append(("atomic", 0, 0))
    elif isinstance(node, Look):
        _postfix(node.body, sets, out)
        out.append((("not_" if node.negative else "") + ("behind" if node.behind else "ahead"), 0, 0))
    else:
        assert isinstance(node, Edge)
        out.append(("end" if node.end else "start", 0, 0))


def _classes(sets: list[Ranges]) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """(where each class begins, the classes of each set)."""
    edges = sorted({0, *(edge for ranges in sets for first, last in ranges for edge in (first, last + 1))})
    members = [0] * len(edges)  # of the code points from each edge to the next: a bit for each set
    for number, ranges in enumerate(sets):
        for first, last in ranges:
            for interval in range(bisect_right(edges, first) - 1, bisect_left(edges, last + 1)):
                members[interval] |= 1 << number
    names: dict[int, int] = {}
    classes: list[tuple[int, int]] = []
    for edge, bits in zip(edges, members, strict=True):
        name = names.setdefault(bits, len(names))
        if edge <= 0x10FFFF and (not classes or classes[-1][1] != name):
            classes.append((edge, name))
    return classes, [[name for bits, name in names.items() if bits >> number & 1] for number in range(len(sets))]
