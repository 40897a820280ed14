"""Counting words. A figure per word means nothing without the name of what cut the words."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from evalkit.counts import Ints
from evalkit.values import Undefined
from tokenizers_impl import engine
from tokenizers_impl.deferred import dataclass

if TYPE_CHECKING:
    import regex


@dataclass(frozen=True)
class WordCounter:
    """``name`` says which segmenter, with the version of its data; ``count`` gives the words of each text.

    ``find``: where the words of a text stand, as ranges of its code points; None where the core finds them itself.
    """

    name: str
    count: Callable[[Sequence[str]], Ints] | Undefined
    find: Callable[[str], list[tuple[int, int]]] | None = None

    def ranges(self, texts: Sequence[str]) -> tuple[Ints, Ints] | None:
        """Where the words stand, as ranges of bytes (words, 2), and ``len(texts) + 1`` offsets into these; None where
        the core finds them itself."""
        if self.find is None:
            return None
        found = [_in_bytes(text, self.find(text)) for text in texts]
        offsets = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum([len(some) for some in found], out=offsets[1:])
        return np.concatenate([*found, np.zeros((0, 2), dtype=np.int64)]), offsets


def _in_bytes(text: str, ranges: list[tuple[int, int]]) -> Ints:
    """Ranges of code points as ranges of the UTF-8's bytes.

    >>> _in_bytes("né a", [(0, 2), (3, 4)]).tolist()
    [[0, 3], [4, 5]]
    """
    found = np.array(ranges, dtype=np.int64).reshape(len(ranges), 2)
    if text.isascii():
        return found
    points = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    lengths = 1 + (points > 0x7F).astype(np.int64) + (points > 0x7FF) + (points > 0xFFFF)
    places = np.zeros(len(points) + 1, dtype=np.int64)
    np.cumsum(lengths, out=places[1:])
    return places[found]


def word_counter(segmenter: str, threads: int) -> WordCounter:
    """The counter for a corpus's ``segmenter`` key: ``auto``, ``icu4x``, ``uax29``, ``jieba`` or
    ``whitespace``.

    Where it can't be had here, ``count`` is Undefined with the reason. Raises ``ValueError`` for another
    name.

    >>> word_counter("whitespace", 1).count(["to be  or", ""]).tolist()
    [3, 0]
    """
    if segmenter == "whitespace":
        return WordCounter("whitespace", _by(lambda text: len(text.split())), _between_blanks)
    if segmenter == "jieba":
        return _jieba()
    if segmenter == "uax29":
        name = f"UAX #29 (regex {importlib.metadata.version('regex')}, no dictionaries)"
        return WordCounter(name, _by(lambda text: len(by_rules(text))), by_rules)
    if segmenter in ("auto", "icu4x"):
        return _icu4x(threads)
    raise ValueError(f"unknown segmenter {segmenter!r}")


def _between_blanks(text: str) -> list[tuple[int, int]]:
    """What ``str.split`` gives.

    >>> _between_blanks(" to  be")
    [(1, 3), (5, 7)]
    """
    found, end = [], 0
    for word in text.split():
        start = text.index(word, end)
        end = start + len(word)
        found.append((start, end))
    return found


@functools.cache
def _breaks() -> regex.Pattern[str]:
    import regex  # which takes as long to import as all our segmenters, and hardly any run needs

    return regex.compile(r"\b", regex.WORD | regex.VERSION1)


def by_rules(text: str) -> list[tuple[int, int]]:
    """The words of UAX #29's default rules, as ranges of code points: the segments that hold a letter or a digit. There
    are no dictionaries, so that each Han character is a word, and each letter of Thai.

    >>> [text[start:end] for text in ["It's 3.14, 中文"] for start, end in by_rules(text)]
    ["It's", '3.14', '中', '文']
    """
    found, start = [], 0
    for end in (*(match.start() for match in _breaks().finditer(text)), len(text)):
        if end > start and any(map(str.isalnum, text[start:end])):
            found.append((start, end))
        start = end
    return found


def _by(count: Callable[[str], int]) -> Callable[[Sequence[str]], Ints]:
    return lambda texts: np.array([count(text) for text in texts], dtype=np.int64)


def _icu4x(threads: int) -> WordCounter:
    core = engine.active()
    try:
        name = f"ICU4X ({core.segmenter_version()})"
    except NotImplementedError as error:
        return WordCounter("ICU4X", Undefined(str(error)))
    return WordCounter(name, lambda texts: np.asarray(core.count_words(list(texts), threads), dtype=np.int64))


def _jieba() -> WordCounter:
    try:
        jieba = importlib.import_module("jieba")
    except ImportError:
        return WordCounter("jieba", Undefined("jieba is not installed: pip install 'evalkit[jieba]'"))
    jieba.setLogLevel(60)  # it reports the loading of its dictionary on stderr

    def find(text: str) -> list[tuple[int, int]]:
        return [(start, end) for word, start, end in jieba.tokenize(text) if any(map(str.isalnum, word))]

    return WordCounter(f"jieba {importlib.metadata.version('jieba')}", _by(lambda text: len(find(text))), find)
