"""Measured documents that stand word for word in a training text: figures on them flatter.

Within one corpus the split by hash keeps every copy of a document on one side. Between corpora, and between
``files`` and ``eval: files``, nothing does, so the documents are compared by their SHA-256.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evalkit.columns import blocks
from evalkit.corpus import Corpus, document_hash
from evalkit.counts import BuiltLike, CorpusCounts, Hashes
from tokenizers_impl.deferred import dataclass

Progress = Callable[[str, int, int], None]
SHOWN = 20  # hashes of each pair


@dataclass(frozen=True)
class SeenText:
    """``documents`` of ``of_documents`` measured on ``corpus``, of ``bytes`` of ``of_bytes``, are also in the
    training part of ``training``, on which ``tokenizers`` were trained. ``hashes``: the first 16 hexadecimal digits of
    the SHA-256 of some of them, as in ``counts.npz``."""

    corpus: str
    training: str
    tokenizers: tuple[str, ...]
    documents: int
    of_documents: int
    bytes: int
    of_bytes: int
    hashes: tuple[str, ...] = ()


def seen_text(
    corpora: Mapping[str, Corpus],
    tokenizers: Sequence[BuiltLike],
    counts: Sequence[CorpusCounts],
    progress: Progress | None = None,
) -> tuple[SeenText, ...]:
    """Every pair of a training text and a measured corpus with documents in common. Takes a pass over each
    training text that could have some; 8 bytes a document of it."""
    found = []
    trained: dict[str, list[str]] = {}
    for built in tokenizers:
        for name in built.trained_on or ():
            trained.setdefault(name, []).append(built.name)
    for name, who in trained.items():
        measured = [one for one in counts if one.name != name or _has_files_of_its_own(corpora[name])]
        if not measured:
            continue
        hashes = _hashes(corpora[name], progress)
        for one in measured:
            seen = _among(one.hashes, hashes)
            if seen.any():
                found.append(
                    SeenText(
                        corpus=one.name,
                        training=name,
                        tokenizers=tuple(who),
                        documents=int(seen.sum()),
                        of_documents=one.documents,
                        bytes=int(one.bytes[seen].sum()),
                        of_bytes=int(one.bytes.sum()),
                        hashes=tuple(f"{number:016x}" for number in one.hashes[seen][:SHOWN].tolist()),
                    )
                )
    return tuple(found)


def _has_files_of_its_own(corpus: Corpus) -> bool:
    return corpus.spec.eval is not None and corpus.spec.eval.files is not None


def _among(some: Hashes, ordered: Hashes) -> NDArray[np.bool_]:
    """What ``np.isin`` gives, which takes five times the memory of both."""
    found = np.zeros(len(some), dtype=np.bool_)
    for part in blocks(len(some)) if len(ordered) else ():
        places = np.searchsorted(ordered, some[part]).clip(0, len(ordered) - 1)
        found[part] = ordered[places] == some[part]
    return found


def _hashes(corpus: Corpus, progress: Progress | None) -> Hashes:
    """In order."""
    hashes = array("Q")
    for number, text in enumerate(corpus.documents("train"), 1):
        hashes.append(int.from_bytes(document_hash(text)[:8], "big"))
        if progress and number % 1000 == 0:
            progress(f"look for measured documents in {corpus.name}", number, 0)
    ordered = np.frombuffer(hashes, dtype=np.uint64)
    ordered.sort()
    return ordered
