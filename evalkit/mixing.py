"""A training text mixed from corpora by shares of bytes, of whole documents."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from evalkit.corpus import Corpus, document_hash
from evalkit.errors import UserError
from evalkit.suite_schema import TrainOn
from tokenizers_impl.deferred import dataclass


@dataclass(frozen=True)
class _Part:
    corpus: Corpus
    chosen: npt.NDArray[np.bool_]
    bytes: int

    def documents(self) -> Iterator[str]:
        try:
            for text, chosen in zip(self.corpus.documents("train"), self.chosen, strict=True):
                if chosen:
                    yield text
        except ValueError:
            raise UserError(f"corpus {self.corpus.name!r}: the files changed while they were read") from None


@dataclass(frozen=True)
class Mix:
    """Documents chosen from each corpus; ``note`` says how much of each it came to."""

    parts: tuple[_Part, ...]

    def documents(self) -> Iterator[str]:
        for part in self.parts:
            yield from part.documents()

    @property
    def bytes(self) -> int:
        return sum(part.bytes for part in self.parts)

    @property
    def note(self) -> str:
        shares = ", ".join(f"{p.corpus.name} {100 * p.bytes / self.bytes:.1f} %" for p in self.parts)
        return f"trained on {self.bytes:,} bytes of whole documents: {shares}"


def choose(corpora: Sequence[Corpus], shares: Sequence[float], seed: int) -> Mix:
    """The largest mix in which every share can be met: one corpus is taken whole, the others in proportion.

    From each corpus documents are taken in the order of a SHA-256 over the seed and their text, until one
    more would pass the share (but always one). So the choice depends on neither the order of the documents
    nor on the other corpora's, and a larger share contains a smaller one. Two passes over each text; between
    them about 50 bytes a document are held.
    """
    measured = [_keys_and_sizes(corpus, seed) for corpus in corpora]
    total = min(float(sizes.sum()) / share for (_, sizes), share in zip(measured, shares, strict=True))
    parts = []
    for corpus, (keys, sizes), share in zip(corpora, measured, shares, strict=True):
        order = np.argsort(keys, kind="stable")
        passed = np.cumsum(sizes[order])
        # A share times a total that came from dividing by it may fall a hair short of the whole.
        kept = max(1, int(np.searchsorted(passed, share * total * (1 + 1e-9), side="right")))
        chosen = np.zeros(len(sizes), dtype=np.bool_)
        chosen[order[:kept]] = True
        parts.append(_Part(corpus, chosen, int(sizes[chosen].sum())))
    return Mix(tuple(parts))


def _keys_and_sizes(corpus: Corpus, seed: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    keys, sizes = array("Q"), array("q")
    salt = f"{seed}:".encode()
    for text in corpus.documents("train"):
        digest = hashlib.sha256(salt + document_hash(text)).digest()
        keys.append(int.from_bytes(digest[:8], "big"))
        sizes.append(len(text.encode()))
    return np.array(keys, dtype=np.uint64), np.array(sizes, dtype=np.int64)


def describe_shares(train_on: TrainOn) -> list[str]:
    """What can be said of a mix that was trained on before, without reading it again."""
    shares = ", ".join(f"{n} {100 * s:g} %" for n, s in zip(train_on.corpora, train_on.shares or (), strict=True))
    return [f"trained on whole documents, shares of bytes as asked: {shares}"]
