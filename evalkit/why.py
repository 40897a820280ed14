"""Why two tokenizers differ: the pieces of text that carry most of the difference in tokens."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from typing import Literal

import numpy as np

from evalkit.counts import Difference, Ints, PairDifferences, TokenizerLike
from tokenizers_impl import engine

TOP = 12
_PIECES = re.compile(rb"\s+|[\w\x80-\xff]+|[^\s\w\x80-\xff]+")


def pieces(text: str) -> list[bytes]:
    """The words of ``text`` and what stands between them, cut into blanks and signs; they join to it.

    Words are those of the engine's segmenter; where it has none, runs of letters, digits and what isn't
    ASCII.

    >>> pieces("Well, no")
    [b'Well', b',', b' ', b'no']
    """
    raw = text.encode()
    words = engine.active().words(text) if _kind() == "words" else []
    end = 0
    found: list[bytes] = []
    for start, stop in words:
        between = raw[end:start]
        if len(between) > 1:
            found += _PIECES.findall(between)
        elif between:  # a blank mostly
            found.append(between)
        found.append(raw[start:stop])
        end = stop
    return found + _PIECES.findall(raw[end:])


def _kind() -> Literal["words", "runs"]:
    """What :func:`pieces` are here, which results say: those of two engines differ then."""
    try:
        engine.active().words("")
    except NotImplementedError:
        return "runs"
    return "words"


Pair = tuple[str, str]

INSIDE = 16
"""Pairs of one split pattern that are looked at on a corpus."""


def pairs_inside(
    groups: Mapping[str, Sequence[str]], totals: Mapping[str, int], sizes: Mapping[str, int]
) -> list[tuple[str, Pair]]:
    """Pairs of tokenizers of one group, each with its group's key: those of like size, and of these the ones that need
    the fewest tokens. ``totals``: the tokens of each; ``sizes``: of the vocabularies.

    >>> pairs_inside({"x": ["a", "b"], "y": ["c"]}, {"a": 3, "b": 4, "c": 2}, {"a": 300, "b": 300, "c": 300})
    [('x', ('a', 'b'))]
    """
    group = {name: key for key, names in groups.items() for name in names}
    inside = [pair for names in groups.values() for pair in combinations(names, 2)]
    differing = [pair for pair in of_like_size(inside, sizes) if totals[pair[0]] != totals[pair[1]]]
    differing.sort(key=lambda pair: totals[pair[0]] + totals[pair[1]])
    return [(group[pair[0]], pair) for pair in differing[:INSIDE]]


def of_like_size(pairs: Sequence[Pair], sizes: Mapping[str, int]) -> list[Pair]:
    """The pairs whose sizes are within a factor of two, or all of them where none is: between vocabularies
    of very different sizes, size alone explains most of the difference.

    >>> of_like_size([("a", "b"), ("a", "c")], {"a": 100, "b": 199, "c": 900})
    [('a', 'b')]
    """
    return [pair for pair in pairs if are_like(pair, sizes)] or list(pairs)


def are_like(pair: Pair, sizes: Mapping[str, int]) -> bool:
    """Whether two vocabularies are within a factor of two in size."""
    small, large = sorted(sizes.get(name, 0) for name in pair)
    return 0 < large <= 2 * small


class _TokenLengths:
    """How many bytes the tokens of a tokenizer have, each looked up once."""

    def __init__(self, tokenizer: TokenizerLike) -> None:
        self._tokenizer = tokenizer
        self._known: dict[int, int] = {}
        self._all: Ints | None = getattr(tokenizer, "token_lengths", None)

    def of(self, ids: Ints) -> Ints:
        if self._all is not None:
            return self._all[ids]
        values, places = np.unique(ids, return_inverse=True)
        lengths = [self._length(token_id) for token_id in values.tolist()]
        return np.array(lengths, dtype=np.int64)[places]

    def _length(self, token_id: int) -> int:
        found = self._known.get(token_id)
        if found is None:
            found = self._known[token_id] = len(self._tokenizer.decode_bytes([token_id]))
        return found


def ending_in_pieces(ends_of_tokens: Ints, ends_of_pieces: Ints) -> Ints:
    """How many tokens end in each of the consecutive pieces, by the bytes where both end. They sum to the tokens.

    >>> ending_in_pieces(np.array([2, 5, 6]), np.array([4, 5, 6])).tolist()
    [1, 1, 1]
    """
    pieces = np.searchsorted(ends_of_pieces, ends_of_tokens, side="left")
    return np.bincount(pieces, minlength=len(ends_of_pieces)).astype(np.int64)


def _ends_of_tokens(tokenizer: TokenizerLike, texts: Sequence[str], sizes: Ints) -> Ints:
    """Where its tokens end in the texts, ``sizes`` bytes each, one after the other.

    A token that ends before or past its text, as one of a lossy tokenizer may, is taken to end within.
    """
    if not texts:
        return np.zeros(0, dtype=np.int64)
    ids = [tokenizer.encode_ordinary(text) for text in texts]
    tokens = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
    flat = np.fromiter(chain.from_iterable(ids), dtype=np.int64, count=int(tokens.sum()))
    ends = np.concatenate([[0], _TokenLengths(tokenizer).of(flat).cumsum()])
    before = ends[tokens.cumsum() - tokens]  # of each text: the bytes of all tokens before
    within = (ends[1:] - before.repeat(tokens)).clip(1, np.repeat(sizes, tokens))
    found: Ints = within + (np.cumsum(sizes) - sizes).repeat(tokens)
    return found


def by_words(
    first: tuple[str, TokenizerLike],
    second: tuple[str, TokenizerLike],
    texts: Sequence[str],
    limit: int = TOP,
) -> PairDifferences:
    """The differences of two tokenizers with different split patterns: each token counts for the piece (see
    :func:`pieces`) that it ends in, so that every token counts once. ``texts`` are the sample."""
    texts = [text for text in texts if text]
    cut = [pieces(text) for text in texts]
    every = list(chain.from_iterable(cut))
    lengths = np.fromiter(map(len, every), dtype=np.int64, count=len(every))
    ends = lengths.cumsum()
    sizes = np.diff(ends[np.cumsum([len(some) for some in cut], dtype=np.int64) - 1], prepend=0)
    # Each piece by the place of the first that is equal to it.
    first_of: dict[bytes, int] = {}
    where = np.fromiter(map(first_of.setdefault, every, range(len(every))), dtype=np.int64, count=len(every))
    times = np.bincount(where, minlength=len(every))
    one, two = (np.zeros(len(every), dtype=np.int64) for _ in range(2))
    for total, (_, tokenizer) in zip((one, two), (first, second), strict=True):
        np.add.at(total, where, ending_in_pieces(_ends_of_tokens(tokenizer, texts, sizes), ends))
    rows = [
        Difference(every[at], int(times[at]), int(one[at]), int(two[at])) for at in np.flatnonzero(one != two).tolist()
    ]
    rows.sort(key=lambda row: (-abs(row.first_tokens - row.second_tokens), row.piece))
    return PairDifferences(
        first[0], second[0], _kind(), int(lengths.sum()), int(one.sum()), int(two.sum()), tuple(rows[:limit])
    )
