"""What can be told of a parsed split pattern by looking at it: which of its parts are simple enough to be sure of."""

from __future__ import annotations

from collections.abc import Sequence as Parts

from tokenizers_impl.patterns.codepoints import EVERYTHING, Ranges, difference, intersection, union
from tokenizers_impl.patterns.nodes import Atomic, Edge, Either, Look, Node, Repeat, Sequence, Set, is_nullable


def folded(node: Node) -> Node:
    r"""The same pattern with a look ahead at one code point, before a set, put into the set: ``(?!\p{Han})\p{L}`` is
    the letters that aren't Han."""
    if isinstance(node, Sequence):
        return _sequence([folded(part) for part in node.parts])
    if isinstance(node, Either):
        return Either(tuple(map(folded, node.branches)))
    if isinstance(node, Repeat):
        return Repeat(folded(node.body), node.low, node.high, node.mode)
    if isinstance(node, Atomic):
        return Atomic(folded(node.body))
    return node


def _sequence(parts: Parts[Node]) -> Node:
    done: list[Node] = []
    for part in parts:
        before = done[-1] if done else None
        if isinstance(part, Set) and isinstance(before, Look) and not before.behind and isinstance(before.body, Set):
            join = difference if before.negative else intersection
            done[-1] = Set(join(part.ranges, before.body.ranges))
        else:
            done.append(part)
    return done[0] if len(done) == 1 else Sequence(tuple(done))


def alternatives(node: Node) -> tuple[Node, ...]:
    """The branches that are tried one after the other."""
    while isinstance(node, Sequence) and len(node.parts) == 1:
        node = node.parts[0]
    return node.branches if isinstance(node, Either) else (node,)


def first(node: Node) -> Ranges:
    """Code points that what the node takes can begin with."""
    if isinstance(node, Set):
        return node.ranges
    if isinstance(node, Either):
        return union(*map(first, node.branches))
    if isinstance(node, (Repeat, Atomic)):
        return first(node.body)
    if isinstance(node, Sequence):
        found: list[Ranges] = []
        for part in node.parts:
            found.append(first(part))
            if not is_nullable(part):
                break
        return union(*found)
    return ()


def is_plain(node: Node) -> bool:
    """Whether the node matches at a place exactly where the text there begins with a string of its language: no look
    and no edge decides, and no part takes what a later one needs."""
    parts = node.parts if isinstance(node, Sequence) else (node,)
    for number, part in enumerate(parts):
        if isinstance(part, Repeat) and part.mode == "possessive":
            rest = first(Sequence(parts[number + 1 :]))
            if not isinstance(part.body, Set) or intersection(part.body.ranges, rest):
                return False
        elif not _backtracks(part):
            return False
    return True


def _backtracks(node: Node) -> bool:
    if isinstance(node, (Look, Edge, Atomic)):
        return False
    if isinstance(node, Repeat):
        return node.mode != "possessive" and _backtracks(node.body)
    inner = node.parts if isinstance(node, Sequence) else node.branches if isinstance(node, Either) else ()
    return all(map(_backtracks, inner))


def surely(node: Node) -> Ranges:
    """Code points at which the node matches whatever follows them."""
    if isinstance(node, Set):
        return node.ranges
    if isinstance(node, Either):
        return union(*map(surely, node.branches))
    if isinstance(node, Repeat):
        return surely(node.body) if node.low == 1 else ()
    if isinstance(node, Sequence):
        found: list[Ranges] = []
        reached = EVERYTHING  # where all parts so far can be left out
        for number, part in enumerate(node.parts):
            if all(map(_can_be_left_out, node.parts[number + 1 :])):
                found.append(intersection(reached, surely(part)))
            if not _can_be_left_out(part):
                break
            if not _backtracks(part):
                reached = difference(reached, first(part))
        return union(*found)
    return ()


def _can_be_left_out(node: Node) -> bool:
    if isinstance(node, Repeat):
        return node.low == 0
    if isinstance(node, Sequence):
        return all(map(_can_be_left_out, node.parts))
    return isinstance(node, Either) and any(map(_can_be_left_out, node.branches))
