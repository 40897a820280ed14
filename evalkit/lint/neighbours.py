"""Tokens that begin or end inside a character: what can complete it without merging with them.

Let a pretoken be cut into tokens, each what its own bytes merge to. Merging the pretoken gives just these exactly
if merging the bytes of each two neighbours gives the two:

- If merging the whole keeps an edge to the end, nothing crossed it, so that all went on inside the two
  as it would have without the rest.
- If merging the whole crossed edges, look at the first crossing, between two of the tokens. Up to it, each merge of
  the two was of the lowest rank there is, among them all the more; so merging the two alone does the same, and
  crosses as well.

So whether an edge is kept depends on the two tokens beside it alone, and the tokens that can complete a character are
found by going from neighbour to neighbour: each leads to the same ones wherever it stands, so that none is looked at
twice, and where no way ends at the edge of a character, none exists.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping

from evalkit.lint import utf8
from evalkit.lint.language import Language
from evalkit.lint.search import merged
from tokenizers_impl import BPETokenizer

FIRST = 32
"""Neighbours that are tried before all others: the shortest."""

_Step = tuple[int, int]
"""A token, and the state on its far side."""


class Neighbours:
    """The tokens of a vocabulary that begin or end inside a character, by id: ``inside``."""

    def __init__(self, tokenizer: BPETokenizer, inside: Mapping[int, bytes], language: Language | None) -> None:
        self._tokenizer, self._language = tokenizer, language
        by_length = sorted(inside.items(), key=lambda item: (len(item[1]), item[0]))
        self._runs = {token_id: utf8.runs(token) for token_id, token in by_length}
        self._tokens = dict(by_length)
        self._known: dict[tuple[int, bool], list[_Step]] = {}

    def before(self, token_id: int, state: int) -> Iterator[bytes]:
        """What may stand before a token whose first byte comes in ``state``, from the start of a character on, without
        merging with it and without a cut of the pattern. Nothing at all comes exactly where nothing can."""
        return self._chains(token_id, state, leading=True)

    def after(self, token_id: int, state: int) -> Iterator[bytes]:
        """What may stand after a token that ends in ``state``, up to the end of a character."""
        return self._chains(token_id, state, leading=False)

    def candidates(self, state: int, *, leading: bool) -> list[_Step]:
        """Tokens that end in ``state``, with the state they begin in; or if not ``leading`` the other way round. Those
        that complete a character come first; most often nobody asks for the others."""
        if (state, leading) not in self._known:
            found = []
            for token_id, runs in self._runs.items():
                for start, end in runs:
                    if (end if leading else start) == state:
                        found.append((token_id, start if leading else end))
            self._known[state, leading] = sorted(found, key=lambda step: step[1] != utf8.BOUNDARY)
        return self._known[state, leading]

    def _chains(self, token_id: int, state: int, *, leading: bool) -> Iterator[bytes]:
        if state == utf8.BOUNDARY:
            yield b""
            return
        token = self._tokens[token_id]
        queue = deque([(token_id, state, b"")])
        seen: set[tuple[_Step, bytes, frozenset[int]]] = set()
        while queue:
            last, state, so_far = queue.popleft()
            for step in self._kept(last, self.candidates(state, leading=leading), leading=leading):
                neighbour = self._tokens[step[0]]
                joined = neighbour + so_far if leading else so_far + neighbour
                whole = joined + token if leading else token + joined
                unfinished, states = self._states(whole, leading=leading)
                if states is None:
                    continue
                if step[1] == utf8.BOUNDARY:
                    yield joined
                elif (key := (step, unfinished, states)) not in seen:
                    seen.add(key)
                    queue.append((*step, joined))

    def _states(self, joined: bytes, *, leading: bool) -> tuple[bytes, frozenset[int] | None]:
        """The character that isn't complete on the far side, and where the pattern can be at it; no states where it
        cuts inside."""
        head, text, tail = utf8.parts(joined)
        if self._language is None:
            return (head if leading else tail), frozenset()
        alphabet = self._language.alphabet
        if not text and not tail:
            return head, frozenset()  # all inside of one character
        if leading:
            states = self._language.before(alphabet.masks(joined[len(head) :]))
            alive = self._language.before(alphabet.masks(joined))
            return head, states if alive else None
        states = self._language.after(alphabet.masks(joined[: len(joined) - len(tail)]))
        alive = self._language.after(alphabet.masks(joined))
        return tail, states if alive else None

    def _kept(self, token_id: int, some: list[_Step], *, leading: bool) -> Iterator[_Step]:
        """Those of the candidates that merging keeps apart from the token."""
        token = self._tokens[token_id]
        for part in (some[:FIRST], some[FIRST : 8 * FIRST], some[8 * FIRST :]):
            pairs = [(one, token_id) if leading else (token_id, one) for one, _ in part]
            joined = [self._tokens[one] + token if leading else token + self._tokens[one] for one, _ in part]
            for pair, ids, candidate in zip(pairs, merged(self._tokenizer, joined), part, strict=True):
                if ids == pair:
                    yield candidate
