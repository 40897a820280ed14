"""Which documents go through a gate: all of them, or under a budget a share by seed and hash."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from tokenizers_impl import engine
from tokenizers_impl.arguments import well_formed
from tokenizers_impl.deferred import dataclass

BATCH_BYTES = 1_000_000
BATCH_DOCUMENTS = 4096
LEAST_BATCH = 5_000

LEAST_CHARACTERS = 200
"""Of every corpus, to be checked before all else under a budget, so that none goes unchecked when the time is over."""

LEAST_AMONG = 16
"""The first documents of a corpus, of which these come."""

FEW = 8
"""Documents that a share is made of at least, where the corpus has so many: longer ones are cut."""

TRAINING_PACE = {"native": 300_000, "reference": 3_000}
"""Bytes that are trained on again for each second of a budget, by engine; a tenth of it, about."""

PACE = {"native": 600_000, "reference": 15_000}
"""Bytes a second that one tokenizer's checks are planned with, by engine. They are fixed, so that a seed and a
budget choose the same documents wherever there is time for them; the clock only stops what turns out too slow."""

SLOW_COST = 150_000
"""The slow comparisons take about as long as encoding so many bytes in all other ways, whatever a corpus's size."""

REFERENCE_PACE = 200_000
REFERENCE_SECONDS = 1.2
REFERENCE_TOTAL = 8.0
"""For the reference engine over all corpora: for one tokenizer at most, and for all."""

READING_SHARE = 0.15  # of a budget: for reading what is trained on
LEAST_FOR_TEXTS = 0.3  # of a budget
RESERVED = 0.3  # of a budget: for the reference and for whatever isn't encoding


@dataclass(frozen=True)
class Document:
    """A text of a corpus: its number from 0, its size, and where it stands between 0 and 1 by seed and hash. ``cut``:
    it is only the beginning of the document."""

    number: int
    text: str
    bytes: int
    place: float
    cut: bool = False


def document(number: int, text: str, seed: int) -> Document:
    raw = well_formed(text).encode()
    salted = hashlib.sha256(str(seed).encode() + b" " + raw).digest()
    return Document(number, text, len(raw), int.from_bytes(salted[:8], "big") / 2**64)


def beginning(one: Document, characters: int) -> Document:
    """The document, or its first ``characters`` code points at most: to the end of a line where the second half of them
    has one, which leaves line ends whole."""
    if len(one.text) <= characters:
        return one
    end = one.text.rfind("\n", characters // 2, characters) + 1
    text = one.text[: end or characters]
    return Document(one.number, text, len(well_formed(text).encode()), one.place, cut=True)


def cut_to(one: Document, size: int) -> Document:
    """The document, or its beginning of ``size`` bytes at most, and one code point at least."""
    if one.bytes <= size:
        return one
    kept = well_formed(one.text).encode()[:size].decode("utf-8", "ignore")
    return beginning(one, max(1, len(kept)))


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


@dataclass(frozen=True)
class Share:
    """What of a corpus is checked: ``bytes`` in all, about; ``part`` of its documents; of each ``most`` bytes."""

    bytes: int
    part: float
    most: int


class Plan:
    """How much of each corpus is checked. Without a ``budget`` of seconds, all; with one, every corpus gets an
    equal number of bytes, and what a small one leaves goes to the larger ones. A share is of :data:`FEW` documents at
    least, of which long ones are cut. The clock starts with the plan. First the beginning of one document of each
    corpus is checked (:meth:`least`), then the shares, as long as there is time.
    """

    def __init__(self, budget: float | None, tokenizers: int, seed: int) -> None:
        self.budget, self.tokenizers, self.seed = budget, tokenizers, seed
        self.stopped: set[str] = set()
        """Corpora for which the time ran out before their share was done."""
        self._shares: dict[str, Share] = {}
        self._deadlines: dict[str, float] = {}
        self._began = time.monotonic()
        self.until_shares = 0.0
        """Seconds that had gone by when the shares' turn came."""

    @property
    def seconds(self) -> float:
        """Since the plan was made."""
        return time.monotonic() - self._began

    def trained(self, size: int) -> int:
        """Bytes of training text, ``size`` at most, for training again."""
        return size if self.budget is None else min(size, int(self.budget * TRAINING_PACE[engine.name()]))

    def training_until(self) -> float:
        """When the texts for training again have to be read, as :func:`time.monotonic` has it."""
        return math.inf if self.budget is None else time.monotonic() + self.budget * READING_SHARE

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

    def _left(self) -> float:
        """Seconds for texts: what came before counts, and leaves them something all the same."""
        assert self.budget is not None
        return max(self.budget - self.seconds, self.budget * LEAST_FOR_TEXTS)

    def share_out(self, texts: Sequence[Texts]) -> None:
        """Decides every corpus's share: less than was planned where what came before took longer than was reserved."""
        if self.budget is None:
            return
        planned = self.budget * (1 - RESERVED)
        room, left = self._room() * min(1.0, self._left() / planned), len(texts)
        for one in sorted(texts, key=lambda one: one.bytes):
            given = min(room / left, one.bytes)
            room, left = room - given, left - 1
            if given < one.bytes:
                few = min(FEW, one.count, max(1, int(given) // LEAST_CHARACTERS))
                part = max(given / one.bytes, few / one.count)
                self._shares[one.name] = Share(max(1, int(given)), part, max(LEAST_CHARACTERS, int(given / few)))

    def start_clock(self, texts: Sequence[Texts]) -> None:
        """Decides when every corpus's share has to be done."""
        self.until_shares = self.seconds
        if self.budget is None:
            return
        now, seconds = time.monotonic(), self._left()
        costs = [self.bytes_of(one) + SLOW_COST * one.weight for one in texts]
        total, used = sum(costs), 0
        for one, cost in zip(texts, costs, strict=True):
            used += cost
            self._deadlines[one.name] = now + seconds * (used / total)

    def bytes_of(self, texts: Texts) -> int:
        """About how many bytes of a corpus are going to be checked."""
        share = self._shares.get(texts.name)
        return max(1, texts.bytes if share is None else share.bytes)

    def least(self, texts: Texts) -> list[Document]:
        """Of a corpus what is checked whatever the time: the beginning of one of its first documents, by seed and hash,
        and where they are short, of a few, in order. They stand in the share of every comparison. None without a
        budget, and where there is no text."""
        if self.budget is None:
            return []
        first = [document(n, text, self.seed) for n, text in enumerate(islice(texts.read(), LEAST_AMONG)) if text]
        chosen: list[Document] = []
        room = LEAST_CHARACTERS
        for one in sorted(first, key=lambda one: one.place):
            if room <= 0:
                break
            chosen.append(replace(beginning(one, room), place=0.0))
            room -= len(one.text)
        return sorted(chosen, key=lambda one: one.number)

    def documents(self, texts: Texts, but: Collection[int] = ()) -> Iterator[Document]:
        """The documents of the share, in order, long ones cut; one at least. ``but``: the numbers of some that aren't
        among them. Reading ends when the time is over."""
        share = self._shares.get(texts.name)
        nearest: Document | None = None
        some = False
        for number, text in enumerate(texts.read()):
            if self.late(texts):
                self.stopped.add(texts.name)
                return
            one = document(number, text, self.seed)
            if number in but:
                some = True
            elif share is None:
                yield one
            # The other half of the place: shares of the comparisons go by the place too, and must not be
            # the same documents as this share's.
            elif (one.place * 2**20) % 1.0 < share.part:
                some = True
                yield cut_to(one, share.most)
            elif nearest is None or one.place < nearest.place:
                nearest = one
        if not some and nearest is not None and share is not None:
            yield cut_to(nearest, share.most)

    def batches(self, texts: Texts, but: Collection[int] = ()) -> Iterator[list[Document]]:
        """The documents in batches; small ones under a budget, so that the clock can stop between them."""
        size = BATCH_BYTES if self.budget is None else max(LEAST_BATCH, min(BATCH_BYTES, self.bytes_of(texts) // 8))
        for batch in batches(self.documents(texts, but), size):
            if self.late(texts):
                self.stopped.add(texts.name)
                return
            yield batch

    def late(self, texts: Texts) -> bool:
        """Whether the time for this corpus is over."""
        deadline = self._deadlines.get(texts.name)
        return deadline is not None and time.monotonic() > deadline
