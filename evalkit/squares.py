"""The 2 × 2 of domain and size: four tokenizers of one split pattern, trained on two corpora to two sizes.

Where training stops before the size asked for, the two of one size differ in size as well as in domain. Domain is then
read off both at the smaller of the sizes that they reached: merges nest, so that the larger one is cut.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from evalkit.counts import CorpusCounts
from evalkit.fair_records import CutRecord
from evalkit.run_records import TokenizerRecord
from tokenizers_impl.deferred import dataclass

SHOWN = 3
"""At most so many are reported, and cut for."""


@dataclass(frozen=True)
class Square:
    """Four tokenizers of one variant by (corpus they were trained on, size asked for)."""

    corpora: tuple[str, str]
    sizes: tuple[int, int]
    cells: dict[tuple[str, int], TokenizerRecord]

    def common(self, asked: int) -> int:
        """The smaller of the sizes that the two reached of which this one was asked."""
        return min(self.cells[corpus, asked].vocab_size or 0 for corpus in self.corpora)

    def cuts(self) -> list[tuple[str, int]]:
        """(name, size) of what has to be cut."""
        return [
            (t.name, self.common(asked))
            for (_, asked), t in self.cells.items()
            if (t.vocab_size or 0) > self.common(asked)
        ]


def find_squares(tokenizers: Sequence[TokenizerRecord], measured: Collection[str]) -> list[Square]:
    """The 2 × 2s in a suite: of each split pattern and two measured corpora, where there are tokenizers of two equal
    sizes asked for on both; of more sizes the smallest and the largest."""
    by_variant: dict[str | None, dict[tuple[str, int], TokenizerRecord]] = {}
    for t in tokenizers:
        if len(t.trained_on) == 1 and t.trained_on[0] in measured and t.asked_vocab_size is not None:
            by_variant.setdefault(t.variant, {}).setdefault((t.trained_on[0], t.asked_vocab_size), t)
    found = []
    for cells in by_variant.values():
        for one, other in combinations(dict.fromkeys(corpus for corpus, _ in cells), 2):
            sizes = sorted({size for corpus, size in cells if corpus == one and (other, size) in cells})
            if len(sizes) > 1:
                ends = (sizes[0], sizes[-1])
                four = {(corpus, size): cells[corpus, size] for corpus in (one, other) for size in ends}
                found.append(Square((one, other), ends, four))
    return found


def square_cuts(squares: Sequence[Square], corpus: str) -> list[tuple[str, int]]:
    """(name, size) of what has to be cut and measured on a corpus."""
    return [cut for square in squares[:SHOWN] if corpus in square.corpora for cut in square.cuts()]


def cut_records(corpora: Sequence[CorpusCounts], squares: Sequence[Square]) -> Iterator[CutRecord]:
    """What was cut for the 2 × 2s, as far as it was measured, each once."""
    for corpus in corpora:
        for name, size in dict.fromkeys(square_cuts(squares, corpus.name)):
            if (name, size) in corpus.truncated:
                tokens = int(corpus.truncated[name, size].sum())
                per_token = int(corpus.bytes.sum()) / tokens if tokens else None
                yield CutRecord(corpus.name, name, size, tokens, per_token)
