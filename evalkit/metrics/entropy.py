"""How evenly tokens are used, and how well a token tells the next one.

Estimates from the counts themselves ("plug-in"): too low where the text is short for its vocabulary."""

from __future__ import annotations

import math

import numpy as np

from evalkit.counts import Ints
from evalkit.metrics.registry import Cell, Outcome, Whole, metric
from evalkit.values import Undefined

RENYI_ALPHA = 2.5
_BIASED = "the estimate is biased by the size of the text, and resampled documents would add to that"
_SHANNON = "Shannon 1948, A Mathematical Theory of Communication"
_CHANNEL = "Zouhar et al. 2023, Tokenization and the Noiseless Channel (2306.16842)"


def entropy(histogram: Ints) -> float:
    """In bits, of things that occur so often: rows of (count, how many).

    >>> entropy(np.array([[1, 2], [2, 1]]))
    1.5
    """
    total = int((histogram[:, 0] * histogram[:, 1]).sum())
    parts = (n * (count / total) * math.log2(count / total) for count, n in histogram.tolist())
    return abs(math.fsum(parts))


def histogram(counts: Ints) -> Ints:
    """How many have each count, zeros left out: rows of (count, how many).

    >>> histogram(np.array([3, 0, 1, 1])).tolist()
    [[1, 2], [3, 1]]
    """
    values, numbers = np.unique(counts[counts > 0], return_counts=True)
    return np.stack([values, numbers], axis=1).astype(np.int64)


def _unigram(cell: Cell) -> float | Undefined:
    counts = cell.tokenizer.id_counts
    if isinstance(counts, Undefined):
        return counts
    return entropy(histogram(counts)) if counts.any() else Undefined("there are no tokens")


def _bigram(cell: Cell) -> float | Undefined:
    found = cell.tokenizer.neighbours
    if isinstance(found, Undefined):
        return found
    if not len(found.pairs):
        return Undefined("no document has two tokens")
    return max(0.0, entropy(found.pairs) - entropy(found.firsts))


def _per_token(cell: Cell, bits: float | Undefined) -> Outcome:
    return bits if isinstance(bits, Undefined) else Whole(bits, cell.corpus.documents)


def _per_byte(cell: Cell, bits: float | Undefined) -> Outcome:
    if isinstance(bits, Undefined):
        return bits
    return Whole(bits * int(cell.tokenizer.tokens.sum()) / int(cell.corpus.bytes.sum()), cell.corpus.documents)


@metric(
    unit="bits/token",
    higher_is_better=None,
    definition="entropy of the split's distribution of ids",
    evidence="contested",
    citation=f"{_SHANNON}; contested as a measure of quality: {_CHANNEL}",
    aggregations=("micro",),
    no_interval=_BIASED,
)
def unigram_entropy(cell: Cell) -> Outcome:
    """−Σ p log₂ p over ids.

    >>> from evalkit.metrics.example import example
    >>> unigram_entropy(example(id_counts=[2, 1, 0, 1]))
    Whole(value=1.5, n=2)
    """
    return _per_token(cell, _unigram(cell))


@metric(
    unit="bits/byte",
    higher_is_better=False,
    definition="unigram_entropy · tokens / bytes: what a model needs that knows the ids' frequencies alone",
    evidence="none",
    citation=_SHANNON,
    aggregations=("micro",),
    no_interval=_BIASED,
)
def unigram_bits_per_byte(cell: Cell) -> Outcome:
    """Unlike bits per token, it compares tokenizers of any size on a text. A larger vocabulary is still flattered by a
    short one.

    >>> from evalkit.metrics.example import example
    >>> unigram_bits_per_byte(example(id_counts=[2, 1, 0, 1], tokens=[1, 3], bytes=[2, 10]))
    Whole(value=0.5, n=2)
    """
    return _per_byte(cell, _unigram(cell))


@metric(
    unit="bits/token",
    higher_is_better=None,
    definition=(
        "entropy of an id, given the one before it in its document: that of the pairs less that of their first ids"
    ),
    evidence="none",
    citation=_SHANNON,
    aggregations=("micro",),
    no_interval=_BIASED,
    needs=("neighbours",),
)
def bigram_entropy(cell: Cell) -> Outcome:
    """H(pairs) − H(first ids of pairs); no pair spans two documents.

    Of four pairs two are equal, and each first id is followed by one other alone or by two equally often:

    >>> from evalkit.metrics.example import example
    >>> bigram_entropy(example(pairs=[[1, 2], [2, 1]], firsts=[[2, 2]]))
    Whole(value=0.5, n=2)
    """
    return _per_token(cell, _bigram(cell))


@metric(
    unit="bits/byte",
    higher_is_better=False,
    definition="bigram_entropy · tokens / bytes: what a model that knows one id before needs for the text",
    evidence="none",
    citation=_SHANNON,
    aggregations=("micro",),
    no_interval=_BIASED,
    needs=("neighbours",),
)
def bigram_bits_per_byte(cell: Cell) -> Outcome:
    """As :func:`unigram_bits_per_byte`, and more flattering still to large vocabularies on short texts.

    >>> from evalkit.metrics.example import example
    >>> bigram_bits_per_byte(example(pairs=[[1, 2], [2, 1]], firsts=[[2, 2]], tokens=[2, 4], bytes=[2, 10]))
    Whole(value=0.25, n=2)
    """
    return _per_byte(cell, _bigram(cell))


@metric(
    unit="ratio",
    higher_is_better=True,
    definition=(
        f"Rényi entropy of order α = {RENYI_ALPHA} of the ids / log₂ V: (1 / (1 − α)) · log₂ Σ p^α / log₂ V, "
        "V = vocab_size, special tokens counted"
    ),
    evidence="contested",
    citation=f"supported: {_CHANNEL}; contested: Cognetta et al. 2024, Two Counterexamples (2402.14614)",
    aggregations=("micro",),
    no_interval=_BIASED,
)
def renyi_efficiency(cell: Cell) -> Outcome:
    """How evenly the vocabulary is used, with the frequent tokens weighing more; 1 is all equally often.

    >>> from evalkit.metrics.example import example
    >>> renyi_efficiency(example(id_counts=[2, 2, 2, 2], vocab_size=16)).value
    0.5
    """
    counts, size = cell.tokenizer.id_counts, cell.tokenizer.vocab_size
    if isinstance(size, Undefined):
        return size
    if isinstance(counts, Undefined):
        return counts
    total = int(counts.sum())
    if total == 0:
        return Undefined("there are no tokens")
    if size < 2:
        return Undefined("a vocabulary of one entry has no other way to be used")
    powers = math.fsum(n * (count / total) ** RENYI_ALPHA for count, n in histogram(counts).tolist())
    return Whole(math.log2(powers) / (1 - RENYI_ALPHA) / math.log2(size), cell.corpus.documents)
