r"""The strings that a split pattern can make pretokens of: an automaton over the pattern's classes.

Its language holds every pretoken that any text has, and maybe some strings that no text has as a pretoken. So what is
not in it is proved to be none, and what is in it has to be found in a text:

- Looks and edges are taken as fulfilled, possessive and lazy repeats as any others, words of a list as any runs of
  Han: all that only adds strings.
- A pretoken is matched by the first alternative of the pattern that matches at its start. So a string of one
  alternative is left out when it begins with a string of an earlier one. Only those count as earlier that match
  wherever the text begins with such a string (``folding.is_plain``), so that nothing is left out wrongly.
- What no match takes is a pretoken of its own, of code points at which the pattern needn't match
  (``folding.surely``).

What stands before a pretoken has no say in it, as far as no pattern looks behind: so a string of the language that is
a pretoken anywhere is one at the start of a text, and contexts within one pretoken are all that there is to try.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property, lru_cache

from evalkit.lint.alphabet import Alphabet
from evalkit.lint.folding import alternatives, folded, is_plain, surely
from tokenizers_impl.deferred import dataclass
from tokenizers_impl.patterns.codepoints import complement, union
from tokenizers_impl.patterns.nodes import Atomic, Either, Node, Repeat, Set, is_nullable, size
from tokenizers_impl.patterns.nodes import Sequence as Parts
from tokenizers_impl.patterns.parse import parse
from tokenizers_impl.patterns.program import compile_pattern

MAX_POSITIONS = 2_000
MAX_STATES = 20_000
FEW = 24
"""Strings that are looked at one by one, and their length."""

_START = -1


@lru_cache(maxsize=16)
def language_of(pattern: str) -> Language | None:
    """The language of a split pattern; None where nothing can be said: it can match nothing at all, or is too
    large."""
    node = folded(parse(pattern))
    if is_nullable(node) or size(node) > MAX_POSITIONS:
        return None
    alphabet = Alphabet(compile_pattern(pattern).classes)
    try:
        return Language(alphabet, node)
    except _TooLarge:
        return None


class _TooLarge(Exception):
    """More states than are worth building."""


@dataclass
class _Positions:
    """The places in the alternatives at which a code point is taken (Glushkov's automaton). ``follow``: which come
    next."""

    alphabet: Alphabet
    masks: list[int] = field(default_factory=list)
    follow: list[set[int]] = field(default_factory=list)

    def add(self, node: Node) -> tuple[bool, set[int], set[int]]:
        """(whether the node can be empty, where it begins, where it ends)."""
        if isinstance(node, Set):
            if len(self.masks) >= MAX_POSITIONS:
                raise _TooLarge
            self.masks.append(self.alphabet.mask_of(node.ranges))
            self.follow.append(set())
            place = {len(self.masks) - 1}
            return False, place, set(place)
        if isinstance(node, Parts):
            return self._joined(node.parts)
        if isinstance(node, Either):
            found = [self.add(branch) for branch in node.branches]
            return (
                any(one[0] for one in found),
                set().union(*(one[1] for one in found)),
                set().union(*(one[2] for one in found)),
            )
        if isinstance(node, Repeat):
            optional = [Repeat(node.body, 0, 1, "greedy")] * ((node.high or 0) - node.low)
            if node.high is not None:
                return self._joined([*[node.body] * node.low, *optional])
            if node.low > 1:
                return self._joined([*[node.body] * (node.low - 1), Repeat(node.body, 1, None, "greedy")])
            empty, begin, end = self.add(node.body)
            for last in end:
                self.follow[last] |= begin
            return empty or node.low == 0, begin, end
        if isinstance(node, Atomic):
            return self.add(node.body)
        return True, set(), set()

    def _joined(self, parts: Sequence[Node]) -> tuple[bool, set[int], set[int]]:
        empty, begin, end = True, set[int](), set[int]()
        for part in parts:
            if isinstance(part, Repeat) and (part.low, part.high) == (0, 1):
                _, its_begin, its_end = self.add(part.body)
                its_empty = True
            else:
                its_empty, its_begin, its_end = self.add(part)
            for place in end:
                self.follow[place] |= its_begin
            begin = begin | its_begin if empty else begin
            end = end | its_end if its_empty else its_end
            empty = empty and its_empty
        return empty, begin, end


_State = tuple[int, int, frozenset[int]]
"""(alternative, position, positions of the earlier alternatives); ``_START`` before the first code point."""


class Language:
    """``covers``: whether the pattern matches at every code point, so that nothing is left between matches."""

    def __init__(self, alphabet: Alphabet, node: Node) -> None:
        self.alphabet = alphabet
        self._positions = _Positions(alphabet)
        branches = list(alternatives(node))
        uncovered = complement(union(*map(surely, branches)))
        self.covers = not uncovered
        plain = [is_plain(branch) for branch in branches]
        if uncovered:
            branches.append(Repeat(Set(uncovered), 1, None, "greedy"))
            plain = [*plain, False]
        added = [self._positions.add(branch) for branch in branches]
        self._begin = [begin for _, begin, _ in added]
        self._end = [end for _, _, end in added]
        # What lies between matches is tried by no alternative: none is earlier than it.
        earlier = [
            [] if uncovered and i == len(branches) - 1 else [j for j in range(i) if plain[j]]
            for i in range(len(branches))
        ]
        self._earlier_begin = [frozenset().union(*(self._begin[j] for j in before)) for before in earlier]
        self._earlier_end = [frozenset().union(*(self._end[j] for j in before)) for before in earlier]
        self._explore()
        self._steps: dict[tuple[frozenset[int], int], frozenset[int]] = {}
        self._steps_back: dict[tuple[frozenset[int], int], frozenset[int]] = {}

    def _explore(self) -> None:
        """All states that a pretoken can go through, numbered: the starts first."""
        numbers: dict[_State, int] = {}
        edges: list[list[tuple[int, int]]] = []  # (class, next state)
        queue = deque((i, _START, frozenset((_START,))) for i in range(len(self._begin)))
        for state in queue:
            numbers[state] = len(numbers)
            edges.append([])
        while queue:
            state = queue.popleft()
            for name, following in self._after(state):
                if following not in numbers:
                    if len(numbers) >= MAX_STATES:
                        raise _TooLarge
                    numbers[following] = len(numbers)
                    edges.append([])
                    queue.append(following)
                edges[numbers[state]].append((name, numbers[following]))
        accepting = {number for (i, place, _), number in numbers.items() if place in self._end[i]}
        self._before, self._to_end = _shortest_words(edges, range(len(self._begin)), accepting)
        useful = frozenset(self._to_end)
        self._states = useful
        self._starts = frozenset(range(len(self._begin))) & useful
        self._accepting = frozenset(accepting)
        self._edges: list[dict[int, list[int]]] = []
        for out in edges:
            by_class: dict[int, list[int]] = {}
            for name, to in out:
                if to in useful:
                    by_class.setdefault(name, []).append(to)
            self._edges.append(by_class)

    def _after(self, state: _State) -> list[tuple[int, _State]]:
        i, place, earlier = state
        masks, follow = self._positions.masks, self._positions.follow
        next_places = self._begin[i] if place == _START else follow[place]
        next_earlier = set[int]()
        for one in earlier:
            next_earlier |= self._earlier_begin[i] if one == _START else follow[one]
        found = []
        for name in range(self.alphabet.size):
            bit = 1 << name
            taken = [p for p in next_places if masks[p] & bit]
            if not taken:
                continue
            others = frozenset(p for p in next_earlier if masks[p] & bit)
            if not others & self._earlier_end[i]:
                found += [(name, (i, p, others)) for p in taken]
        return found

    def _step(self, states: frozenset[int], mask: int) -> frozenset[int]:
        known = self._steps.get((states, mask))
        if known is None:
            found: set[int] = set()
            for state in states:
                for name, to in self._edges[state].items():
                    if mask >> name & 1:
                        found.update(to)
            known = self._steps[states, mask] = frozenset(found)
        return known

    def _step_back(self, states: frozenset[int], mask: int) -> frozenset[int]:
        known = self._steps_back.get((states, mask))
        if known is None:
            known = frozenset(
                state
                for state in self._states
                if any(mask >> name & 1 and not states.isdisjoint(to) for name, to in self._edges[state].items())
            )
            self._steps_back[states, mask] = known
        return known

    def cut_at(self, masks: Sequence[int]) -> int | None:
        """The first character before which every text cuts, of a string given by the classes of each; None where
        the string stands inside of some string of the language."""
        states = self._states
        for number, mask in enumerate(masks):
            states = self._step(states, mask)
            if not states:
                return number
        return None

    def after(self, masks: Sequence[int]) -> frozenset[int]:
        """The states in which the automaton may be after the string, wherever it stood before."""
        states = self._states
        for mask in masks:
            states = self._step(states, mask)
        return states

    def before(self, masks: Sequence[int]) -> frozenset[int]:
        """The states from which the automaton can read the string."""
        states = self._states
        for mask in reversed(masks):
            states = self._step_back(states, mask)
        return states

    def is_whole(self, masks: Sequence[int]) -> bool:
        """Whether the string is in the language from its start to its end."""
        states = self._starts
        for mask in masks:
            states = self._step(states, mask)
        return bool(states & self._accepting)

    def contexts(self, masks: Sequence[int], limit: int = 24) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Shortest strings of classes to stand before and after, for the string to be part of one in the language."""
        found: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
        for start in self._states:
            states = frozenset((start,))
            for mask in masks:
                states = self._step(states, mask)
                if not states:
                    break
            found |= {(self._before[start], self._to_end[end]) for end in states}
        return sorted(found, key=lambda pair: (len(pair[0]) + len(pair[1]), pair))[:limit]

    def all_with(self, text: str) -> list[str] | None:
        """All strings of the language that have ``text`` in them, where they are few; None for many, or for such as
        have characters that are one of many."""
        found: set[str] = set()
        for start in self._states:
            states = frozenset((start,))
            for mask in self.alphabet.masks(text.encode()):
                states = self._step(states, mask)
            if not states:
                continue
            left = self._words(start, self._edges_back, self._starts)
            for end in states:
                right = self._words(end, self._edges, self._accepting)
                if left is None or right is None:
                    return None
                found |= {before[::-1] + text + after for before in left for after in right}
        return sorted(found) if len(found) <= FEW else None

    @cached_property
    def _edges_back(self) -> list[dict[int, list[int]]]:
        back: list[dict[int, list[int]]] = [{} for _ in self._edges]
        for state in self._states:
            for name, following in self._edges[state].items():
                for to in following:
                    back[to].setdefault(name, []).append(state)
        return back

    def _words(self, state: int, edges: list[dict[int, list[int]]], ends: frozenset[int]) -> set[str] | None:
        """All strings that lead from a state to one of ``ends``; None for more than a few, and for long ones."""
        words: set[str] = set()
        open_ends = [(state, "")]
        while open_ends:
            state, so_far = open_ends.pop()
            if state in ends:
                words.add(so_far)
            for name, following in edges[state].items():
                only = self.alphabet.only_character(name)
                if only is None or len(so_far) >= FEW or len(open_ends) > FEW * FEW:
                    return None
                open_ends += [(to, so_far + only) for to in following]
        return words


def _shortest_words(
    edges: list[list[tuple[int, int]]], starts: Sequence[int], accepting: set[int]
) -> tuple[dict[int, tuple[int, ...]], dict[int, tuple[int, ...]]]:
    """The shortest string of classes from a start to each state, and from each state to an accepting one where there
    is one."""
    before: dict[int, tuple[int, ...]] = dict.fromkeys(starts, ())
    queue = deque(starts)
    backwards: dict[int, list[tuple[int, int]]] = {}
    while queue:
        state = queue.popleft()
        for name, to in edges[state]:
            backwards.setdefault(to, []).append((name, state))
            if to not in before:
                before[to] = (*before[state], name)
                queue.append(to)
    after: dict[int, tuple[int, ...]] = dict.fromkeys(sorted(accepting), ())
    queue = deque(after)
    while queue:
        state = queue.popleft()
        for name, to in backwards.get(state, ()):
            if to not in after:
                after[to] = (name, *after[state])
                queue.append(to)
    return before, after
