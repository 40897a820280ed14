"""How much of a vocabulary is used, and how alike two vocabularies are."""

from __future__ import annotations

from collections.abc import Set

import numpy as np
from numpy.typing import NDArray

from evalkit.metrics.registry import Cell, Outcome, Whole, metric
from evalkit.values import Undefined
from tokenizers_impl.deferred import dataclass


@metric(
    unit="ratio",
    higher_is_better=None,
    definition="distinct ids that occurred / (vocab_size − ids that are proved never to come out of text as data, the "
    "special tokens among them)",
    evidence="none",
    citation="grows with the size of the corpus: read it beside the number of tokens",
    version=2,
    aggregations=("micro",),
    no_interval="it grows with the text, so that resampled documents give less of it: any interval is biased",
)
def vocab_utilization(cell: Cell) -> Outcome:
    """Used ids / ids that could be used. Where the vocabulary isn't known, only special tokens are left out.

    >>> from evalkit.metrics.example import example
    >>> vocab_utilization(example(id_counts=[3, 4, 0, 1], vocab_size=5, special_ids=[4]))
    Whole(value=0.75, n=2)
    >>> vocab_utilization(example(id_counts=[3, 4, 0, 1], vocab_size=5, never_ids=[4, 2]))
    Whole(value=1.0, n=2)
    """
    counts = cell.tokenizer
    if isinstance(counts.vocab_size, Undefined):
        return counts.vocab_size
    if isinstance(counts.id_counts, Undefined):
        return counts.id_counts
    never = counts.special_ids if counts.never_ids is None else counts.never_ids
    possible = counts.vocab_size - len(never)
    if possible <= 0:
        return Undefined("it has no token that text could give")
    return Whole(int(np.count_nonzero(counts.id_counts)) / possible, cell.corpus.documents)


@dataclass(frozen=True)
class Overlap:
    """Two sets of token bytes. ``shared`` of both; the shares are of the first's and of the second's
    tokens."""

    shared: int
    union: int
    first_size: int
    second_size: int

    @property
    def jaccard(self) -> float:
        return self.shared / self.union

    @property
    def first_in_second(self) -> float:
        return self.shared / self.first_size

    @property
    def second_in_first(self) -> float:
        return self.shared / self.second_size


def vocabulary_overlap(first: Set[bytes], second: Set[bytes]) -> Overlap | Undefined:
    """How alike two vocabularies are, over token *bytes*: decoded text would fold different tokens into one.

    Special tokens are to be left out. The 256 single bytes are shared by all byte-level vocabularies, and two
    sizes bound the Jaccard index at their quotient.

    >>> overlap = vocabulary_overlap({b"a", b"b", b"ab"}, {b"a", b"b"})
    >>> round(overlap.jaccard, 3), overlap.second_in_first
    (0.667, 1.0)
    """
    every = sorted(first | second)
    has = [np.array([token in some for token in every], dtype=np.bool_) for some in (first, second)]
    return overlap_of(*has)


def overlap_of(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> Overlap | Undefined:
    """:func:`vocabulary_overlap` of vocabularies that are given as: which of some tokens, all different, each has.

    >>> overlap_of(np.array([True, True, False]), np.array([False, True, True])).shared
    1
    """
    sizes = int(first.sum()), int(second.sum())
    if not all(sizes):
        return Undefined("one of the two has no tokens that are known as bytes")
    shared = int((first & second).sum())
    return Overlap(shared, sum(sizes) - shared, *sizes)
