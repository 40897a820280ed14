"""What a pattern is made of, after parsing: every class is a set of code points, and no name is left."""

from __future__ import annotations

from tokenizers_impl.deferred import dataclass
from tokenizers_impl.patterns.codepoints import Ranges


@dataclass(frozen=True)
class Set:
    """One code point of a set."""

    ranges: Ranges


@dataclass(frozen=True)
class Sequence:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Either:
    """The first branch that lets the rest match."""

    branches: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """``low`` to ``high`` times (None: any number), ``greedy``, ``lazy`` or ``possessive``."""

    body: Node
    low: int
    high: int | None
    mode: str


@dataclass(frozen=True)
class Atomic:
    """The first way in which the body matches, and no other."""

    body: Node


@dataclass(frozen=True)
class Look:
    """Whether the body matches (or not, if ``negative``) from here on, or for one code point ending here."""

    body: Node
    behind: bool
    negative: bool


@dataclass(frozen=True)
class Edge:
    """The start or the end of the text."""

    end: bool


Node = Set | Sequence | Either | Repeat | Atomic | Look | Edge


def is_nullable(node: Node) -> bool:
    """Whether the node can match without taking a code point."""
    if isinstance(node, Set):
        return False
    if isinstance(node, Sequence):
        return all(map(is_nullable, node.parts))
    if isinstance(node, Either):
        return any(map(is_nullable, node.branches))
    if isinstance(node, Repeat):
        return node.low == 0 or is_nullable(node.body)
    if isinstance(node, Atomic):
        return is_nullable(node.body)
    return True


def size(node: Node) -> int:
    """How many instructions the node becomes, about: what is repeated a number of times is written out."""
    if isinstance(node, Sequence):
        return sum(map(size, node.parts))
    if isinstance(node, Either):
        return 1 + sum(1 + size(branch) for branch in node.branches)
    if isinstance(node, Repeat):
        times = 1 if isinstance(node.body, Set) else max(node.low + 1, node.high or 0)
        return 1 + times * (1 + size(node.body))
    if isinstance(node, (Atomic, Look)):
        return 1 + size(node.body)
    return 1
