"""What every measurement checks on real text: equal ids on every path, bytes that come back, and then speed.

A tokenizer with one way to encode only (no ``encode_ordinary_batch``) has nothing to be compared with; that
is said, and isn't a pass.
"""

from __future__ import annotations

import threading
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalkit.batches import beginning
from evalkit.counts import Check, Divergence, Ints, Timing, TokenizerLike
from evalkit.values import Undefined
from tokenizers_impl.deferred import dataclass

SHOWN_IDS = 8  # of each side of a divergence
LONG_TEXT_BYTES = 200_000  # of documents joined, for the encoder that cuts one text for its threads, at every 64 KB
LONG_TEXTS = 2  # of documents joined, in a corpus: they are encoded twice more
TOGETHER_BYTES = 50_000  # of documents compared at once: lists of all the ids of a batch would take too much memory
TIMED_RUNS = 5
WAYS = ("serial", "batch")


def first_divergence(left: list[int], right: list[int], document: int, ways: tuple[str, str]) -> Divergence | None:
    """Where two runs of ids part, or None.

    >>> first_divergence([1, 2, 3], [1, 2], 7, ("serial", "batch"))
    Divergence(document=7, at=2, left=(3,), right=(), ways=('serial', 'batch'))
    """
    if left == right:  # both are lists: one comparison in C, as almost every one of them ends here
        return None
    at = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    shown = slice(at, at + SHOWN_IDS)
    return Divergence(document, at, tuple(left[shown]), tuple(right[shown]), ways)


@dataclass
class EncodeAudit:
    """Encodes documents of one tokenizer on every path it has, and keeps the first divergence.

    ``threads``: at least 2, so that the parallel paths are parallel. The joined documents of the first calls
    stand in for a long document.
    """

    tokenizer: TokenizerLike
    threads: int
    documents: int = 0
    size: int = 0
    """Bytes of the documents that were checked."""
    nanoseconds: int = 0
    round_trips: int = 0
    lost: int | None = None
    """The number of the first document that didn't decode to its own bytes."""
    divergence: Divergence | None = None
    error: str = ""
    _joined: int = field(default=0, init=False)
    _batch: Callable[..., tuple[NDArray[np.uint32], Ints]] | None = field(init=False)
    _parallel: Callable[..., NDArray[np.uint32]] | None = field(init=False)
    _decode_batch: Callable[..., list[bytes]] | None = field(init=False)

    def __post_init__(self) -> None:
        self._batch = getattr(self.tokenizer, "encode_ordinary_batch", None)
        self._parallel = getattr(self.tokenizer, "encode_parallel", None)
        self._decode_batch = getattr(self.tokenizer, "decode_bytes_batch", None)

    @property
    def pace(self) -> float:
        """Nanoseconds a byte of the serial encode."""
        return self.nanoseconds / self.size if self.size else 1.0

    def add(
        self,
        texts: Sequence[str],
        raw: Sequence[bytes],
        numbers: Sequence[int],
        stop: threading.Event | None = None,
    ) -> None:
        """Checks the documents ``texts``, whose UTF-8 is ``raw`` and whose numbers in the split are
        ``numbers``. Where ``stop`` is set it stops between two of them."""
        if not texts or (stop is not None and stop.is_set()):
            return
        self.documents += len(texts)
        self.size += sum(map(len, raw))
        if self._batch is None:
            self._check_round_trips(self._serial(texts), raw, numbers)
        else:
            flat, offsets = self._batch(texts, self.threads)
            self._forget()  # so that the serial encode has no part of that
            if len(offsets) != len(texts) + 1:
                self._keep(Divergence(numbers[0], 0, tuple(self._serial(texts[:1])[0][:SHOWN_IDS]), (), WAYS))
            for some in _together(raw[: len(offsets) - 1]):
                if stop is not None and stop.is_set():
                    return
                ends = offsets[some.start : some.stop + 1]
                self._check_serial(texts[some], numbers[some], flat, ends)
                self._check_round_trips_of_batch(flat, ends, raw[some], numbers[some])
        if self._parallel is not None and (len(texts) == 1 or self._joined < LONG_TEXTS):
            self._joined += len(texts) > 1
            self._check_long(texts, numbers[0])
        # Kept for the next batch, the caches of all tokenizers and threads together would be most of the memory.
        self._forget()

    def _forget(self) -> None:
        getattr(self.tokenizer, "forget", lambda: None)()

    def _serial(self, texts: Sequence[str]) -> list[list[int]]:
        encode = self.tokenizer.encode_ordinary
        start = time.perf_counter_ns()
        ids = [encode(text) for text in texts]
        self.nanoseconds += time.perf_counter_ns() - start
        return ids

    def _check_serial(self, texts: Sequence[str], numbers: Sequence[int], flat: NDArray[np.uint32], ends: Ints) -> None:
        """``flat[ends[0] : ends[1]]`` are the ids of the first of the texts in the batch, and so on."""
        serial = self._serial(texts)
        offsets = ends.tolist()
        # Of many short documents most of the time would go into looking at each, and into an object for every id.
        if _offsets(serial, offsets[0]) == offsets and _are(serial, flat[offsets[0] : offsets[-1]]):
            return
        for ids, (start, end), number in zip(serial, pairwise(offsets), numbers, strict=True):
            self._keep(first_divergence(ids, flat[start:end].tolist(), number, WAYS))

    def _keep(self, found: Divergence | None) -> None:
        if self.divergence is None:
            self.divergence = found

    def _check_round_trips_of_batch(
        self, flat: NDArray[np.uint32], ends: Ints, raw: Sequence[bytes], numbers: Sequence[int]
    ) -> None:
        if self._decode_batch is not None:
            joined: Any = flat[int(ends[0]) : int(ends[-1])]
            try:
                # Both ways of decoding, neither of them document by document.
                same = self._decode_batch(flat, ends) == list(raw)
                same = same and self.tokenizer.decode_bytes(joined) == b"".join(raw)
            except (KeyError, ValueError, NotImplementedError):  # the document is found below
                same = False
            if same:
                self.round_trips += len(raw)
                return
        self._check_round_trips([flat[a:b] for a, b in pairwise(ends.tolist())], raw, numbers)

    def _check_round_trips(self, ids: Sequence[Any], raw: Sequence[bytes], numbers: Sequence[int]) -> None:
        for one, expected, number in zip(ids, raw, numbers, strict=False):
            try:
                same = self.tokenizer.decode_bytes(one) == expected
            except (KeyError, ValueError, NotImplementedError) as error:
                same = False
                self.error = self.error or f"document {number}: {error}"
            self.round_trips += same
            if not same and self.lost is None:
                self.lost = number

    def _check_long(self, texts: Sequence[str], number: int) -> None:
        assert self._parallel is not None
        text = texts[0] if len(texts) == 1 else beginning("".join(texts), LONG_TEXT_BYTES)
        expected = self.tokenizer.encode_ordinary(text)
        found = self._parallel(text, self.threads)
        self._keep(first_divergence(expected, found.tolist(), number, ("serial", "parallel")))

    def parallel_check(self, of_bytes: int) -> Check:
        """Serial = batch = parallel, id by id."""
        passed: bool | None = self.divergence is None
        detail = ""
        if self._batch is None and self._parallel is None:
            passed, detail = None, "it has one way to encode only"
        elif self.divergence is not None:
            found = self.divergence
            ways = " and ".join(found.ways)
            detail = f"{ways} differ in document {found.document} from id {found.at} on"
        return Check("serial_equals_parallel", passed, self.documents, self.size, of_bytes, detail, self.divergence)

    def round_trip_check(self, of_bytes: int, unknown: int) -> Check:
        """Ids decode to the bytes they came from, and none of the whole text is an unknown one: these are counted in
        the documents that aren't decoded, too."""
        lost = self.documents - self.round_trips
        detail = f"{unknown:,} of its ids there {'is' if unknown == 1 else 'are'} unknown" if unknown else ""
        if self.lost is not None:
            detail = self.error or f"{lost} of {self.documents} documents do not come back, the first is {self.lost}"
        return Check("round_trip", not detail, self.documents, self.size, of_bytes, detail)


def _together(raw: Sequence[bytes]) -> Iterator[slice]:
    """Documents of about ``TOGETHER_BYTES``, or one."""
    start, size = 0, 0
    for end, one in enumerate(raw, 1):
        size += len(one)
        if size >= TOGETHER_BYTES or end == len(raw):
            yield slice(start, end)
            start, size = end, 0


def _are(serial: Sequence[list[int]], flat: NDArray[np.uint32]) -> bool:
    """Whether the ids are these. False for what no array of 32 bits can hold: it is looked at one by one."""
    joined = array("I")
    try:
        for ids in serial:
            joined.fromlist(ids)
    except (OverflowError, TypeError):
        return False
    return np.array_equal(np.frombuffer(joined, dtype=np.uintc), flat)


def _offsets(ids: Sequence[Sequence[int]], first: int) -> list[int]:
    """Where each of them begins, and the last one ends, if the first one begins there.

    >>> _offsets([[5], [], [6, 7]], 10)
    [10, 11, 11, 13]
    """
    return list(accumulate(map(len, ids), initial=first))


def byte_audit(
    lengths: Ints,
    id_counts: Ints,
    broken: Sequence[bytes],
    documents: int,
    total_bytes: int,
) -> Check:
    """The tokens of the whole split join to its bytes: per distinct pretoken (``broken`` is empty) and in
    total. ``lengths``: bytes of each id from 0 on, 0 where it has none.

    >>> byte_audit(np.array([1, 2]), np.array([1, 2]), [], 1, 5).passed
    True
    """
    some = min(len(lengths), len(id_counts))
    accounted = int(lengths[:some] @ id_counts[:some])
    detail = ""
    if broken:
        detail = f"the tokens of {len(broken)} pretokens do not join to them, the first is {broken[0]!r}"
    elif accounted != total_bytes:
        detail = f"the tokens hold {accounted:,} bytes, the text {total_bytes:,}"
    return Check("byte_audit", not detail, documents, total_bytes, total_bytes, detail)


def no_byte_audit(documents: int, total_bytes: int) -> Check:
    """Of a tokenizer whose tokens aren't known as bytes."""
    detail = "its tokens are not byte strings; the round trip is what is known"
    return Check("byte_audit", None, documents, 0, total_bytes, detail)


def time_encoding(
    tokenizer: Any, texts: Sequence[str], sizes: Sequence[int], pace: float, budget_seconds: float
) -> Timing | Undefined:
    """Repeated serial encodes of some of ``texts`` (of ``sizes`` bytes each), whose ids were checked before.

    ``pace``: nanoseconds a byte to expect, from which the number of documents is chosen so that
    ``TIMED_RUNS`` runs fit ``budget_seconds``; one document and three runs at least. Documents are encoded as
    they are, one call each, on one thread; caches are warm.
    """
    if not texts or sum(sizes) == 0:
        return Undefined("there is no text to time")
    fitting = budget_seconds * 1e9 / (max(pace, 0.1) * TIMED_RUNS)
    chosen, size = 0, 0
    while chosen < len(texts) and (size == 0 or size + sizes[chosen] <= fitting):
        size += sizes[chosen]
        chosen += 1
    encode = tokenizer.encode_ordinary
    sample = texts[:chosen]
    runs: list[int] = []
    started = time.perf_counter_ns()
    while len(runs) < 3 or (len(runs) < TIMED_RUNS and time.perf_counter_ns() - started < budget_seconds * 1e9):
        start = time.perf_counter_ns()
        for text in sample:
            encode(text)
        runs.append(time.perf_counter_ns() - start)
    return Timing(size, tuple(max(1, run) for run in runs))
