"""The reference engine's work on pretoken counts: merges learned, and merges carried out."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter as Multiset
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokenizers_impl.errors import TokenizerError

Progress = Callable[[str, int, int], None]


class Counted(Protocol):
    """Anything with pretokens and their counts; ``tokenizers_impl.reference.Counter``."""

    def items(self) -> list[tuple[bytes, int]]: ...


_Token = TypeVar("_Token", bytes, int)


class _Greatest:
    """Turns the heap's order round, so that of two equal counts the greatest pair of byte strings comes first."""

    __slots__ = ("key",)

    def __init__(self, key: tuple[bytes, bytes]) -> None:
        self.key = key

    def __lt__(self, other: _Greatest) -> bool:
        return self.key > other.key


def _huggingface_order() -> dict[bytes, int]:
    """The order in which the trainer of ``tokenizers`` numbers the bytes: by the characters that stand for them in
    GPT-2's alphabet, where what isn't printable comes last."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    ordered = sorted(range(256), key=lambda byte: (byte not in printable, byte))
    return {bytes([byte]): number for number, byte in enumerate(ordered)}


def learn_merges(
    counter: Counted,
    max_merges: int,
    min_frequency: int,
    tie_break: str,
    progress: Progress | None = None,
) -> list[tuple[bytes, bytes, int]]:
    """The merges in order, each with the count of its pair at that moment.

    Every adjacent position counts, so ``aaaa`` holds three of ``(a, a)``; merging runs left to right. Of pairs with
    the same count, ``bytes`` takes the greatest pair of byte strings, ``huggingface`` the smallest pair of numbers,
    where bytes come in that trainer's order and merges after them.
    """
    if tie_break not in ("bytes", "huggingface"):
        raise TokenizerError(f"unknown tie_break {tie_break!r}; there are bytes, huggingface")
    numbers = _huggingface_order() if tie_break == "huggingface" else None

    def entry_of(count: int, pair: tuple[bytes, bytes]) -> tuple[int, Any, tuple[bytes, bytes]]:
        order = _Greatest(pair) if numbers is None else (numbers[pair[0]], numbers[pair[1]])
        return -count, order, pair

    words = [[bytes([byte]) for byte in pretoken] for pretoken, _ in counter.items()]
    weights = [count for _, count in counter.items()]
    counts: Multiset[tuple[bytes, bytes]] = Multiset()
    where: dict[tuple[bytes, bytes], set[int]] = {}
    for index, word in enumerate(words):
        for pair in itertools.pairwise(word):
            counts[pair] += weights[index]
            where.setdefault(pair, set()).add(index)
    heap = [entry_of(count, pair) for pair, count in counts.items()]
    heapq.heapify(heap)
    merges: list[tuple[bytes, bytes, int]] = []
    while heap and len(merges) < max_merges:
        negative, _, pair = heapq.heappop(heap)
        count = counts[pair]
        if count != -negative:  # an old entry: counts of existing pairs only fall, so look at it again later
            if count > 0:
                heapq.heappush(heap, entry_of(count, pair))
            continue
        if count < max(1, min_frequency):
            break
        if progress and len(merges) % 50 == 0:
            progress("merge", len(merges), max_merges)
        merges.append((*pair, count))
        if numbers is not None:
            numbers[pair[0] + pair[1]] = len(numbers)
        touched: set[tuple[bytes, bytes]] = set()
        for index in where.pop(pair):
            before = words[index]
            after = _merge(before, pair, pair[0] + pair[1])
            for old in itertools.pairwise(before):
                counts[old] -= weights[index]
            for new in itertools.pairwise(after):
                counts[new] += weights[index]
                where.setdefault(new, set()).add(index)
                touched.add(new)
            words[index] = after
        for new in touched:
            heapq.heappush(heap, entry_of(counts[new], new))
    return merges


def replay_merges(
    counter: Counted, merges: list[tuple[int, int]], progress: Progress | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How often each byte occurs, and how often each merge makes its token when all are carried out in order; bytes
    are their own numbers, and merge k (from 0) makes 256 + k."""
    seen: set[tuple[int, int]] = set()
    for k, pair in enumerate(merges):
        if max(pair) >= 256 + k:
            raise ValueError(f"merge {k + 1} has a part that no merge before it makes")
        if pair in seen:
            raise ValueError(f"merge {k + 1} has the pair of an earlier one")
        seen.add(pair)
    words = [list(pretoken) for pretoken, _ in counter.items()]
    weights = [count for _, count in counter.items()]
    byte_counts = np.zeros(256, dtype=np.int64)
    where: dict[tuple[int, int], set[int]] = {}
    for index, word in enumerate(words):
        np.add.at(byte_counts, word, weights[index])
        for pair in itertools.pairwise(word):
            where.setdefault(pair, set()).add(index)
    made = np.zeros(len(merges), dtype=np.int64)
    for k, pair in enumerate(merges):
        if progress and k % 50 == 0:
            progress("ladder", k, len(merges))
        for index in where.pop(pair, ()):
            before = words[index]
            after = words[index] = _merge(before, pair, 256 + k)
            made[k] += (len(before) - len(after)) * weights[index]
            for new in itertools.pairwise(after):
                where.setdefault(new, set()).add(index)
    return byte_counts, made


def _merge(word: list[_Token], pair: tuple[_Token, _Token], joined: _Token) -> list[_Token]:
    merged = []
    i = 0
    while i < len(word):
        if word[i] == pair[0] and word[i + 1 : i + 2] == [pair[1]]:
            merged.append(joined)
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged
