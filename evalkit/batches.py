"""Documents in batches of bounded size, and which of them are checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import field

from tokenizers_impl.arguments import well_formed
from tokenizers_impl.deferred import dataclass


@dataclass(frozen=True)
class Limits:
    """What bounds time and memory. Texts are held a batch at a time; a sample is kept to time and to explain.

    ``checked_bytes``: documents up to half of it are all encoded on every path; from then on fewer and fewer
    are, by their hash, and the check says which share (of a longer document its beginning); ``evalkit gate`` encodes
    them all. ``timing_seconds``: for each
    tokenizer and corpus.
    """

    batch_bytes: int = 2_000_000
    batch_documents: int = 16_384
    checked_bytes: int = 1_000_000
    sample_bytes: int = 2_000_000
    explained_bytes: int = 200_000
    timing_seconds: float = 1.0


@dataclass
class Batch:
    """Consecutive documents: the number of the first, their texts, UTF-8 and hashes."""

    first: int
    texts: list[str] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    hashes: list[int] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        return sum(map(len, self.raw))


def document_hash(raw: bytes) -> int:
    """The first 8 bytes of the SHA-256 of a document's UTF-8, as a big-endian integer."""
    return int.from_bytes(hashlib.sha256(raw).digest()[:8], "big")


def beginning(text: str, size: int) -> str:
    """The first characters of a text, of ``size`` bytes at most, but one.

    >>> beginning("aéé", 4), beginning("é", 1)
    ('aé', 'é')
    """
    if len(text) * 4 <= size:
        return text
    kept = text[: max(1, size)].encode()[:size].decode(errors="ignore")
    return kept or text[:1]


def batches(documents: Iterator[str], limits: Limits) -> Iterator[Batch]:
    batch, size = Batch(0), 0
    for text in documents:
        try:
            raw = text.encode()
        except UnicodeEncodeError:  # lone surrogates; to look for them first would encode every document twice
            text = well_formed(text)
            raw = text.encode()
        batch.texts.append(text)
        batch.raw.append(raw)
        batch.hashes.append(document_hash(raw))
        size += len(raw)
        if size >= limits.batch_bytes or len(batch.texts) >= limits.batch_documents:
            yield batch
            batch, size = Batch(batch.first + len(batch.texts)), 0
    if batch.texts:
        yield batch


class Share:
    """Which documents are checked: all until half of the budget is used, then ever fewer, by hash alone."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._step = max(1, budget // 2)
        self._used = 0

    def take(self, batch: Batch) -> list[int]:
        """The places in ``batch`` of the documents to check."""
        chosen = []
        for place, (raw, number) in enumerate(zip(batch.raw, batch.hashes, strict=True)):
            halvings = self._used // self._step
            if halvings < 64 and number % (1 << halvings) == 0:
                chosen.append(place)
                self._used += min(len(raw), self._budget)
        return chosen
