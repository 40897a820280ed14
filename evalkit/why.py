"""Why two tokenizers differ: the pieces of text that carry most of the difference in tokens."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from evalkit.counts import Difference, PairDifferences, TokenizerLike
from tokenizers_impl import engine

TOP = 12
_PIECES = re.compile(rb"\s+|[\w\x80-\xff]+|[^\s\w\x80-\xff]+")


def pieces(text: str) -> Iterator[bytes]:
    """The words of ``text`` and what stands between them, cut into blanks and signs; they join to it.

    Words are those of the engine's segmenter; where it has none, runs of letters, digits and what isn't
    ASCII.

    >>> list(pieces("Well, no"))
    [b'Well', b',', b' ', b'no']
    """
    raw = text.encode()
    try:
        words = engine.active().words(text)
    except NotImplementedError:
        words = []
    end = 0
    for start, stop in words:
        yield from _PIECES.findall(raw[end:start])
        yield raw[start:stop]
        end = stop
    yield from _PIECES.findall(raw[end:])


def pair_to_explain(totals: Mapping[str, int], pairs: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    """The pair whose totals of tokens differ most, as a ratio; None where none differs.

    >>> pair_to_explain({"a": 100, "b": 120, "c": 90}, [("a", "b"), ("a", "c"), ("b", "c")])
    ('b', 'c')
    """

    def distance(pair: tuple[str, str]) -> float:
        first, second = totals[pair[0]], totals[pair[1]]
        return abs(math.log(first / second)) if first and second else 0.0

    best = max(pairs, key=distance, default=None)
    return best if best is not None and distance(best) > 0 else None


def pairs_of(groups: Sequence[Sequence[str]]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """(pairs inside a group, pairs across groups), in the order given.

    >>> pairs_of([["a", "b"], ["c"]])
    ([('a', 'b')], [('a', 'c'), ('b', 'c')])
    """
    group = {name: number for number, names in enumerate(groups) for name in names}
    inside: list[tuple[str, str]] = []
    across: list[tuple[str, str]] = []
    for pair in combinations(group, 2):
        (inside if group[pair[0]] == group[pair[1]] else across).append(pair)
    return inside, across


def of_like_size(pairs: Sequence[tuple[str, str]], sizes: Mapping[str, int]) -> list[tuple[str, str]]:
    """The pairs whose sizes are within a factor of two, or all of them where none is: between vocabularies
    of very different sizes, size alone explains most of the difference.

    >>> of_like_size([("a", "b"), ("a", "c")], {"a": 100, "b": 199, "c": 900})
    [('a', 'b')]
    """

    def like(pair: tuple[str, str]) -> bool:
        small, large = sorted(sizes.get(name, 0) for name in pair)
        return 0 < large <= 2 * small

    return [pair for pair in pairs if like(pair)] or list(pairs)


def ending_in_pieces(tokenizer: TokenizerLike, text: str, lengths: Sequence[int]) -> list[int]:
    """How many tokens end in each of the consecutive pieces of ``lengths`` bytes. They sum to the tokens."""
    counts = [0] * len(lengths)
    piece, piece_end = 0, lengths[0] if lengths else 0
    position = 0
    for token_id in tokenizer.encode_ordinary(text):
        position += len(tokenizer.decode_bytes([token_id]))
        while position > piece_end and piece < len(lengths) - 1:
            piece += 1
            piece_end += lengths[piece]
        counts[piece] += 1
    return counts


def by_words(
    first: tuple[str, TokenizerLike],
    second: tuple[str, TokenizerLike],
    texts: Sequence[str],
    limit: int = TOP,
) -> PairDifferences:
    """The differences of two tokenizers with different split patterns: each token counts for the piece (see
    :func:`pieces`) that it ends in, so that every token counts once. ``texts`` are the sample."""
    table: dict[bytes, list[int]] = {}
    totals = [0, 0]
    sample_bytes = 0
    for text in texts:
        cut = list(pieces(text))
        lengths = [len(piece) for piece in cut]
        sample_bytes += sum(lengths)
        for side, (_, tokenizer) in enumerate((first, second), start=1):
            for piece, tokens in zip(cut, ending_in_pieces(tokenizer, text, lengths), strict=True):
                row = table.setdefault(piece, [0, 0, 0])
                row[0] += side == 1
                row[side] += tokens
                totals[side - 1] += tokens
    rows = [Difference(piece, *row) for piece, row in table.items() if row[1] != row[2]]
    rows.sort(key=lambda row: (-abs(row.first_tokens - row.second_tokens), row.piece))
    return PairDifferences(first[0], second[0], "words", sample_bytes, totals[0], totals[1], tuple(rows[:limit]))
