"""Counting words. A figure per word means nothing without the name of what cut the words."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evalkit.counts import Ints
from evalkit.values import Undefined
from tokenizers_impl import engine


@dataclass(frozen=True)
class WordCounter:
    """``name`` says which segmenter, with the version of its data; ``count`` gives the words of each text."""

    name: str
    count: Callable[[Sequence[str]], Ints] | Undefined


def word_counter(segmenter: str, threads: int) -> WordCounter:
    """The counter for a corpus's ``segmenter`` key: ``auto``, ``icu4x``, ``uax29``, ``jieba`` or
    ``whitespace``.

    Where it can't be had here, ``count`` is Undefined with the reason. Raises ``ValueError`` for another
    name.

    >>> word_counter("whitespace", 1).count(["to be  or", ""]).tolist()
    [3, 0]
    """
    if segmenter == "whitespace":
        return WordCounter("whitespace", _by(lambda text: len(text.split())))
    if segmenter == "jieba":
        return _jieba()
    if segmenter == "uax29":
        return WordCounter("UAX #29", Undefined("UAX #29 without dictionaries is not built in; use icu4x"))
    if segmenter in ("auto", "icu4x"):
        return _icu4x(threads)
    raise ValueError(f"unknown segmenter {segmenter!r}")


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

    def count(text: str) -> int:
        return sum(1 for word in jieba.cut(text) if any(map(str.isalnum, word)))

    return WordCounter(f"jieba {importlib.metadata.version('jieba')}", _by(count))
