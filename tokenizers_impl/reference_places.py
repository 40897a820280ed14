"""The reference for where tokens stand in the text: words in context, characters and numbers that are cut, boundaries
that tokenizers share, and neighbours. Obvious code over whole documents.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter as Multiset
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise

import numpy as np
import regex
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Histogram = tuple[Ints, Ints]

WANTED = ("types", "characters", "numbers", "shared")
OF_TEXTS, OF_TOKENIZERS = 3, 5
_DIGITS = regex.compile(rb"[0-9]{2,}")

NO_WORDS = "words are found by ICU4X, which is part of the compiled core; this is the pure-Python reference"


def words(text: str) -> list[tuple[int, int]]:
    raise NotImplementedError(NO_WORDS)


def count_words(texts: list[str], threads: int) -> Ints:
    raise NotImplementedError(NO_WORDS)


def segmenter_version() -> str:
    raise NotImplementedError(NO_WORDS)


class Marks:
    """Where tokens begin: ``starts[tokenizer][text]`` are places of bytes, in order."""

    def __init__(self, starts: list[list[list[int]]]) -> None:
        self.starts = starts

    @classmethod
    def of_lengths(cls, texts: list[str], lengths: Ints, offsets: Ints) -> Marks:
        if len(offsets) != len(texts) + 1:
            raise ValueError("the tokens have not the lengths of the texts")
        starts = []
        for text, begin, end in zip(texts, offsets[:-1], offsets[1:], strict=True):
            some = lengths[begin:end].tolist()
            if sum(some) != len(text.encode()) or any(length < 1 for length in some):
                raise ValueError("the tokens have not the lengths of the texts")
            starts.append([0, *np.cumsum(some[:-1]).tolist()] if some else [])
        return cls([starts])

    def places(self, tokenizer: int) -> list[list[int]]:
        return self.starts[tokenizer]


class Places:
    """See ``_native.pyi``. There is no bound on memory here, and ``budget`` has no meaning."""

    def __init__(self, tokenizers: int, threads: int, wanted: Sequence[str], budget: int | None = None) -> None:
        if other := next((one for one in wanted if one not in WANTED), None):
            raise ValueError(f"there is no {other!r} to be found")
        self._tokenizers, self._wanted = tokenizers, frozenset(wanted)
        # By word, then tokenizer: how often it is cut at which places.
        self._types: dict[bytes, list[Multiset[tuple[int, ...]]]] = {}

    def add(
        self,
        texts: list[str],
        marks: list[Marks],
        words: bool = True,
        given: tuple[Ints, Ints] | None = None,
    ) -> tuple[Ints, Ints]:
        starts = [one for some in marks for one in some.starts]
        if len(starts) != self._tokenizers or any(len(one) != len(texts) for one in starts):
            raise ValueError("the marks are those of other texts")
        rows = np.zeros((len(texts), OF_TEXTS + OF_TOKENIZERS * self._tokenizers), dtype=np.int64)
        pairs = list(combinations(range(self._tokenizers), 2)) if "shared" in self._wanted else []
        both = np.zeros((len(texts), len(pairs)), dtype=np.int64)
        for number, (row, text) in enumerate(zip(rows, texts, strict=True)):
            raw = text.encode()
            of_text = [one[number] for one in starts]
            of_tokenizers = row[OF_TEXTS:].reshape(self._tokenizers, OF_TOKENIZERS)
            found = _words_of(text, number, words, given)
            row[0] = len(found)
            self._add_words(raw, found, of_text, of_tokenizers)
            if "characters" in self._wanted:
                row[1] = _add_characters(text, of_text, of_tokenizers)
            if "numbers" in self._wanted:
                row[2] = _add_numbers(raw, of_text, of_tokenizers)
            within = [set(one) - {0} for one in of_text]
            both[number] = [len(within[left] & within[right]) for left, right in pairs]
        return rows, both

    def _add_words(self, raw: bytes, found: Iterable[tuple[int, int]], starts: list[list[int]], sums: Ints) -> None:
        for start, end in found:
            if not start < end <= len(raw):
                raise ValueError("the words are not ranges of the texts")
            cuts = [inside(one, start, end) for one in starts]
            for sum_, some in zip(sums, cuts, strict=True):
                sum_[0] += 1 + len(some)
                sum_[1] += bool(some)
            if "types" in self._wanted:
                seen = self._types.setdefault(raw[start:end], [Multiset() for _ in starts])
                for of_type, some in zip(seen, cuts, strict=True):
                    of_type[some] += 1

    def types(self) -> list[tuple[int, int, int, Ints]] | None:
        if "types" not in self._wanted:
            return None
        return [self._types_of(tokenizer) for tokenizer in range(self._tokenizers)]

    def _types_of(self, tokenizer: int) -> tuple[int, int, int, Ints]:
        whole = consistent = 0
        mixed: Multiset[tuple[int, int]] = Multiset()
        for by_tokenizer in self._types.values():
            cuts = by_tokenizer[tokenizer]
            uncut, occurrences = cuts[()], sum(cuts.values())
            whole += uncut == occurrences
            consistent += sum(count > 0 for count in cuts.values()) == 1
            if 0 < uncut < occurrences:
                mixed[uncut, occurrences] += 1
        rows = [(*key, types) for key, types in sorted(mixed.items())]
        return len(self._types), whole, consistent, np.array(rows, dtype=np.int64).reshape(len(rows), 3)


def inside(starts: list[int], start: int, end: int) -> tuple[int, ...]:
    """The places where tokens begin strictly inside a range, from its beginning."""
    some = starts[bisect_right(starts, start) : bisect_left(starts, end)]
    return tuple(place - start for place in some)


def _words_of(text: str, number: int, by_segmenter: bool, given: tuple[Ints, Ints] | None) -> list[tuple[int, int]]:
    if given is not None:
        ranges, offsets = given
        return [(int(start), int(end)) for start, end in ranges[offsets[number] : offsets[number + 1]]]
    return words(text) if by_segmenter else []


def _add_characters(text: str, starts: list[list[int]], sums: Ints) -> int:
    number = start = 0
    for character in text:
        end = start + len(character.encode())
        if end - start > 1:
            number += 1
            for sum_, one in zip(sums, starts, strict=True):
                sum_[2] += bool(inside(one, start, end))
        start = end
    return number


def _add_numbers(raw: bytes, starts: list[list[int]], sums: Ints) -> int:
    places = 0
    for match in _DIGITS.finditer(raw):
        start, end = match.span()
        groups = set(range(end - start - 3, 0, -3))
        places += len(groups)
        for sum_, one in zip(sums, starts, strict=True):
            cuts = inside(one, start, end)
            sum_[3] += len(cuts)
            sum_[4] += len(groups & set(cuts))
    return places


def pair_counts(documents: Iterable[Sequence[int]]) -> Histogram:
    """How many pairs of neighbouring ids occur how often, and how many ids come first in a pair how often: rows of
    (count, how many)."""
    pairs: Multiset[tuple[int, int]] = Multiset()
    firsts: Multiset[int] = Multiset()
    for ids in documents:
        pairs.update(pairwise(ids))
        firsts.update(ids[:-1])
    return histogram(pairs.values()), histogram(firsts.values())


def histogram(counts: Iterable[int]) -> Ints:
    rows = sorted(Multiset(counts).items())
    return np.array(rows, dtype=np.int64).reshape(len(rows), 2)
