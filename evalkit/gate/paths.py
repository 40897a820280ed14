"""The ways to encode, by name: each takes texts and gives ids, and all of them have to agree.

A new way is one function under ``@way``; a name that is taken is refused. Ids come as one array and
``len(texts) + 1`` offsets into it, so that millions of them are compared at once.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evalkit.errors import UserError, nearest
from tokenizers_impl import engine
from tokenizers_impl.tokenizer import well_formed

Flat = NDArray[np.int64]
Encoded = tuple[Flat, Flat]
Encode = Callable[[Any, Sequence[str], "Setting"], Encoded]
Truth = Literal["ordinary", "joined", "specials"]

EVERY_CUT = 24
"""Texts of up to so many code points are streamed with a cut at every place."""


@dataclass(frozen=True)
class Setting:
    """What a way needs besides the texts. The cuts of a stream depend on ``seed`` and the text alone."""

    seed: int = 0
    threads: int = 2


@dataclass(frozen=True)
class Way:
    """``check``: the verdict it belongs to. ``needs``: the method without which a tokenizer doesn't have it.

    ``truth``: what it is held against: ``encode_ordinary`` of each document (``ordinary``) or of documents
    joined to a long text (``joined``), or the special tokens cut out by the plainest code there is
    (``specials``). ``share``: bytes of a corpus that it is tried on, None for all; of text made to break encoders,
    it is a few times as much. ``counts``: it gives
    numbers of ids instead of ids.
    """

    name: str
    check: str
    needs: str
    encode: Encode
    truth: Truth = "ordinary"
    share: int | None = None
    counts: bool = False


WAYS: dict[str, Way] = {}


def way(
    name: str,
    check: str,
    needs: str,
    *,
    truth: Truth = "ordinary",
    share: int | None = None,
    counts: bool = False,
) -> Callable[[Encode], Encode]:
    """Registers a function as a way to encode."""

    def register(encode: Encode) -> Encode:
        if name in WAYS:
            raise ValueError(f"the way {name!r} is registered already")
        WAYS[name] = Way(name, check, needs, encode, truth, share, counts)
        return encode

    return register


def get_way(name: str) -> Way:
    """The way of that name, ``7 threads`` among them."""
    number, _, unit = name.partition(" ")
    if unit in ("thread", "threads") and number.isascii() and number.isdecimal():
        return threads_way(int(number))
    if name not in WAYS:
        raise UserError(f"there is no way to encode {name!r}; {nearest(name, WAYS)}".removesuffix("; "))
    return WAYS[name]


def ways(threads: int) -> Iterator[Way]:
    """All of them: those registered, and one for every number of threads from 1 to ``threads`` (of more than
    eight: 1 to 4, the powers of two, and the last two)."""
    yield from WAYS.values()
    for number in range(1, threads + 1):
        if threads <= 8 or number <= 4 or number >= threads - 1 or number & (number - 1) == 0:
            yield threads_way(number)


# ── ids in one array ────────────────────────────────────────────────────────────────────────────────────────


def pack(rows: Iterable[Sequence[int]]) -> Encoded:
    """
    >>> pack([[1, 2], [], [3]])
    (array([1, 2, 3]), array([0, 2, 2, 3]))
    """
    lists = list(rows)
    offsets = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum([len(one) for one in lists], out=offsets[1:])
    flat = array("q")  # takes a list of integers several times faster than numpy does
    for one in lists:
        flat.extend(one)
    return np.array(flat, dtype=np.int64), offsets


def row(encoded: Encoded, number: int) -> list[int]:
    """The ids of one text."""
    flat, offsets = encoded
    ids: list[int] = flat[offsets[number] : offsets[number + 1]].tolist()
    return ids


def first_difference(left: Encoded, right: Encoded) -> int | None:
    """The number of the first text whose ids differ, or None.

    >>> first_difference(pack([[1], [2, 3], [4]]), pack([[1], [2], [4]]))
    1
    """
    if np.array_equal(left[1], right[1]) and np.array_equal(left[0], right[0]):
        return None
    for number in range(len(left[1]) - 1):
        if number >= len(right[1]) - 1 or row(left, number) != row(right, number):
            return number
    return len(left[1]) - 2  # the right side has more texts than went in


# ── documents ───────────────────────────────────────────────────────────────────────────────────────────────


def serial(tokenizer: Any, texts: Sequence[str]) -> Encoded:
    """``encode_ordinary`` document by document: the truth that the others are held against."""
    return pack([tokenizer.encode_ordinary(text) for text in texts])


@way("batch", "batch", "encode_batch")
def _batch(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
    return pack(tokenizer.encode_batch(list(texts), threads=setting.threads, disallowed_special=()))


@way("batches of seven", "batch", "encode_batch", share=50_000)
def _batches(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
    groups = [list(texts[start : start + 7]) for start in range(0, len(texts), 7)]
    return pack(
        ids for group in groups for ids in tokenizer.encode_batch(group, threads=setting.threads, disallowed_special=())
    )


@way("batch backwards", "batch", "encode_batch", share=50_000)
def _backwards(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
    ids = tokenizer.encode_batch(list(reversed(texts)), threads=setting.threads, disallowed_special=())
    return pack(reversed(ids))


def threads_way(number: int) -> Way:
    """The batch on a stated number of threads."""

    def encode(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
        flat, offsets = tokenizer.encode_ordinary_batch(list(texts), threads=number)
        return np.asarray(flat, dtype=np.int64), np.asarray(offsets, dtype=np.int64)

    name = f"{number} thread{'' if number == 1 else 's'}"
    return Way(name, "threads", "encode_ordinary_batch", encode)


@way("count", "count", "count", counts=True)
def _count(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
    return _numbers([tokenizer.count(text) for text in texts])


@way("the measuring pass", "count", "engine_encoder", counts=True)
def _measured(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
    scorer = engine.active().Scorer(tokenizer.engine_splitter, [tokenizer.engine_encoder], setting.threads)
    return _numbers(scorer.add([well_formed(text) for text in texts])[:, 1].tolist())


def _numbers(counts: Sequence[int]) -> Encoded:
    return np.array(counts, dtype=np.int64), np.arange(len(counts) + 1, dtype=np.int64)


# ── one long text ───────────────────────────────────────────────────────────────────────────────────────────


@way("parallel", "chunked", "encode_parallel", truth="joined")
def _parallel(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
    return pack([tokenizer.encode_parallel(text, threads=setting.threads).tolist() for text in texts])


@way("parallel on 7 threads", "chunked", "encode_parallel", truth="joined", share=1_000_000)
def _parallel_odd(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
    return pack([tokenizer.encode_parallel(text, threads=7).tolist() for text in texts])


# ── streams ─────────────────────────────────────────────────────────────────────────────────────────────────


def random_cuts(text: str, seed: int) -> list[str]:
    """``text`` in pieces: at random places, a few of them empty or of one code point; the same for one seed."""
    random = Random(zlib.crc32(text.encode("utf-8", "surrogatepass")) ^ seed)
    some = random.randint(1, 2 + min(9, len(text) // 8))
    places = [random.randint(0, len(text)) for _ in range(some)]
    places += [place + 1 for place in places[::4] if place < len(text)]
    cuts = [0, *sorted(places), len(text)]
    return [text[start:end] for start, end in pairwise(cuts)]


def _stream(tokenizer: Any, pieces: Iterable[str], **specials: Any) -> list[int]:
    return list(tokenizer.encode_iterable(pieces, **(specials or {"disallowed_special": ()})))


@way("random cuts", "streamed", "encode_iterable")
def _random_cuts(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
    return pack([_stream(tokenizer, random_cuts(text, setting.seed)) for text in texts])


@way("code point by code point", "streamed", "encode_iterable", share=2_000)
def _one_by_one(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
    return pack([_stream(tokenizer, list(text)) for text in texts])


@way("a cut at every place of short texts", "streamed", "encode_iterable", share=5_000)
def _every_cut(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
    return pack([_worst_cut(tokenizer, text) for text in texts])


def _worst_cut(tokenizer: Any, text: str) -> list[int]:
    """The ids of the first cut that changes them, of any cut where none does."""
    whole: list[int] = tokenizer.encode_ordinary(text)
    if len(text) <= EVERY_CUT:
        for at in range(len(text) + 1):
            if (found := _stream(tokenizer, [text[:at], text[at:]])) != whole:
                return found
    return whole


# ── special tokens ──────────────────────────────────────────────────────────────────────────────────────────


def cut_specials(text: str, specials: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """(piece, whether it is a special token): the leftmost, and of those that start there the longest.

    >>> list(cut_specials("a<s><s>>b", ["<s>", "<s>>"]))
    [('a', False), ('<s>', True), ('<s>>', True), ('b', False)]
    """
    starts = {special[0] for special in specials}
    begin = at = 0
    while at < len(text):
        here = [s for s in specials if text.startswith(s, at)] if text[at] in starts else []
        if not here:
            at += 1
            continue
        if at > begin:
            yield text[begin:at], False
        longest = max(here, key=len)
        yield longest, True
        begin = at = at + len(longest)
    if begin < len(text):
        yield text[begin:], False


def with_specials(tokenizer: Any, text: str) -> list[int]:
    """What encoding with all special tokens allowed has to give."""
    ids: list[int] = []
    special_ids: dict[str, int] = tokenizer.special_tokens
    for piece, special in cut_specials(well_formed(text), list(special_ids)):
        ids += [special_ids[piece]] if special else tokenizer.encode_ordinary(piece)
    return ids


@way("encode, all allowed", "specials", "encode", truth="specials")
def _all_allowed(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
    return pack([tokenizer.encode(text, allowed_special="all") for text in texts])


@way("batch, all allowed", "specials", "encode_batch", truth="specials")
def _batch_allowed(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
    return pack(tokenizer.encode_batch(list(texts), threads=setting.threads, allowed_special="all"))


@way("random cuts, all allowed", "specials", "encode_iterable", truth="specials")
def _cuts_allowed(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
    return pack([_stream(tokenizer, random_cuts(text, setting.seed), allowed_special="all") for text in texts])


@way("code point by code point, all allowed", "specials", "encode_iterable", truth="specials", share=2_000)
def _one_by_one_allowed(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
    return pack([_stream(tokenizer, list(text), allowed_special="all") for text in texts])


@way("encode, none allowed, as text", "specials", "encode", share=50_000)
def _as_text(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Encoded:
    return pack([tokenizer.encode(text, disallowed_special=()) for text in texts])
