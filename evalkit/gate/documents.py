"""Which documents go through a gate: all of them, or under a budget a share by seed and hash."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tokenizers_impl import engine
from tokenizers_impl.arguments import well_formed

BATCH_BYTES = 1_000_000
BATCH_DOCUMENTS = 4096
LEAST_BATCH = 5_000

LATE_CHARACTERS = 500
"""Of the document that a corpus gets when the time is over."""

TRAINING_PACE = {"native": 300_000, "reference": 3_000}
"""Bytes that are trained on again for each second of a budget, by engine; a tenth of it, about."""

PACE = {"native": 600_000, "reference": 15_000}
"""Bytes a second that one tokenizer's checks are planned with, by engine. They are fixed, so that a seed and a
budget choose the same documents everywhere; the clock only stops what turns out too slow."""

REFERENCE_PACE = 200_000
REFERENCE_SECONDS = 1.2
REFERENCE_TOTAL = 4.0
"""For the reference engine over all corpora: for one tokenizer at most, and for all."""

LEAST_FOR_TEXTS = 0.3  # of a budget
RESERVED = 0.3  # of a budget: for the reference and for whatever isn't encoding


@dataclass(frozen=True)
class Document:
    """A text of a corpus: its number from 0, its size, and where it stands between 0 and 1 by seed and hash."""

    number: int
    text: str
    bytes: int
    place: float


def document(number: int, text: str, seed: int) -> Document:
    raw = well_formed(text).encode()
    salted = hashlib.sha256(str(seed).encode() + b" " + raw).digest()
    return Document(number, text, len(raw), int.from_bytes(salted[:8], "big") / 2**64)


def _beginning(one: Document) -> Document:
    text = one.text[:LATE_CHARACTERS]
    return one if text is one.text else Document(one.number, text, len(well_formed(text).encode()), one.place)


def batches(documents: Iterable[Document], size_of: int = BATCH_BYTES) -> Iterator[list[Document]]:
    """Consecutive documents of about ``size_of`` bytes together."""
    batch: list[Document] = []
    size = 0
    for one in documents:
        batch.append(one)
        size += one.bytes
        if size >= size_of or len(batch) >= BATCH_DOCUMENTS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@dataclass(frozen=True)
class Texts:
    """The documents of one corpus, and their size. ``read`` starts a new pass. ``weight``: how many times as
    much of it as of others goes through the slow comparisons."""

    name: str
    count: int
    bytes: int
    read: Callable[[], Iterator[str]]
    weight: int = 1

    @classmethod
    def of(cls, name: str, texts: Sequence[str], weight: int = 1) -> Texts:
        """A corpus that is in memory."""
        size = sum(len(well_formed(text).encode()) for text in texts)
        return cls(name, len(texts), size, lambda: iter(texts), weight)


class Plan:
    """How much of each corpus is checked. Without a ``budget`` of seconds, all; with one, every corpus gets an
    equal number of bytes, and what a small one leaves goes to the larger ones. The clock starts with the plan; when the
    time is over, each corpus that is left gets the beginning of one document.
    """

    def __init__(self, budget: float | None, tokenizers: int, seed: int) -> None:
        self.budget, self.tokenizers, self.seed = budget, tokenizers, seed
        self.stopped: set[str] = set()
        """Corpora for which the time ran out before their share was done."""
        self._shares: dict[str, float] = {}
        self._deadlines: dict[str, float] = {}
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since the plan was made."""
        return time.monotonic() - self._began

    def trained(self, size: int) -> int:
        """Bytes of training text, ``size`` at most, for training again."""
        return size if self.budget is None else min(size, int(self.budget * TRAINING_PACE[engine.name()]))

    def generated(self, size: int, least: int) -> int:
        """How many bytes of text to generate."""
        if self.budget is None:
            return size
        return max(least, min(size, int(self._room() * 0.2)))

    def reference_share(self, corpora: int) -> int:
        """Bytes of each corpus for the reference."""
        seconds = min(REFERENCE_SECONDS, REFERENCE_TOTAL / self.tokenizers)
        if self.budget is not None:
            seconds = min(seconds, self.budget * RESERVED * 0.7 / self.tokenizers)
        return max(1_000, int(seconds * REFERENCE_PACE / max(1, corpora)))

    def _room(self) -> float:
        assert self.budget is not None
        return self.budget * (1 - RESERVED) * PACE[engine.name()] / self.tokenizers

    def share_out(self, texts: Sequence[Texts]) -> None:
        """Decides every corpus's share, and when it has to be done."""
        if self.budget is None:
            return
        room, left = self._room(), len(texts)
        given: dict[str, float] = {}
        for one in sorted(texts, key=lambda one: one.bytes):
            given[one.name] = min(room / left, one.bytes)
            room, left = room - given[one.name], left - 1
        # What comes before the texts counts, and leaves them something all the same.
        now, seconds = time.monotonic(), max(self.budget - self.seconds, self.budget * LEAST_FOR_TEXTS)
        total, used = sum(given.values()), 0.0
        for one in texts:
            self._shares[one.name] = min(1.0, given[one.name] / one.bytes) if one.bytes else 1.0
            used += given[one.name]
            self._deadlines[one.name] = now + seconds * (used / total if total else 1.0)

    def bytes_of(self, texts: Texts) -> int:
        """About how many bytes of a corpus are going to be checked."""
        return max(1, int(texts.bytes * self._shares.get(texts.name, 1.0)))

    def documents(self, texts: Texts) -> Iterator[Document]:
        """The documents of the share, in order; one at least."""
        share = self._shares.get(texts.name, 1.0)
        nearest: Document | None = None
        some = False
        for number, text in enumerate(texts.read()):
            one = document(number, text, self.seed)
            # The other half of the place: shares of the comparisons go by the place too, and must not be
            # the same documents as this share's.
            if share >= 1.0 or (one.place * 2**20) % 1.0 < share:
                some = True
                yield one
            elif nearest is None or one.place < nearest.place:
                nearest = one
        if not some and nearest is not None:
            yield nearest

    def batches(self, texts: Texts) -> Iterator[list[Document]]:
        """The documents in batches; small ones under a budget, so that the clock can stop between them. Something
        always comes: a corpus of which nothing was checked must not count as checked."""
        size = BATCH_BYTES if self.budget is None else max(LEAST_BATCH, min(BATCH_BYTES, self.bytes_of(texts) // 8))
        for number, batch in enumerate(batches(self.documents(texts), size)):
            if self.late(texts):
                self.stopped.add(texts.name)
                if number == 0:
                    yield [_beginning(batch[0])]
                return
            yield batch

    def late(self, texts: Texts) -> bool:
        """Whether the time for this corpus is over."""
        deadline = self._deadlines.get(texts.name)
        return deadline is not None and time.monotonic() > deadline
