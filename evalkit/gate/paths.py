"""The ways to encode, by name: each takes texts and gives ids, and all of them have to agree.

A new way is one function under ``@way``; a name that is taken is refused.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Any, Literal
from unicodedata import category

from evalkit.errors import UserError, nearest
from evalkit.gate.ids import Ids
from tokenizers_impl import engine
from tokenizers_impl.arguments import well_formed
from tokenizers_impl.deferred import dataclass

Encode = Callable[[Any, Sequence[str], "Setting"], Ids]
Truth = Literal["ordinary", "joined", "specials", "some specials", "specials as text"]

SERIAL_BYTES = 4_000_000
"""Of each corpus, what is encoded document by document where there is a batch; see ``consistency``."""

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
    joined to a long text (``joined``); or, on documents with special tokens in them, the tokens cut out by the
    plainest code there is (``specials``), every other one of them (``some specials``), or none (``specials as
    text``). ``share``: bytes of a corpus that it is tried on, None for all; of text made to break encoders, it is
    a few times as much, and with many tokenizers it is shared between them. ``counts``: it gives numbers of ids
    instead of ids.
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


# ── documents ───────────────────────────────────────────────────────────────────────────────────────────────


def serial(tokenizer: Any, texts: Sequence[str]) -> Ids:
    """``encode_ordinary`` document by document: the truth that the others are held against."""
    return Ids.of([tokenizer.encode_ordinary(text) for text in texts])


@way("batch", "batch", "encode_batch", share=8_000_000)
def _batch(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.of(tokenizer.encode_batch(list(texts), threads=setting.threads, disallowed_special=()))


@way("batches of seven", "batch", "encode_batch", share=50_000)
def _batches(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    groups = [list(texts[start : start + 7]) for start in range(0, len(texts), 7)]
    return Ids.of(
        ids for group in groups for ids in tokenizer.encode_batch(group, threads=setting.threads, disallowed_special=())
    )


@way("batch backwards", "batch", "encode_batch", share=50_000)
def _backwards(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    ids = tokenizer.encode_batch(list(reversed(texts)), threads=setting.threads, disallowed_special=())
    return Ids.of(reversed(ids))


def threads_way(number: int) -> Way:
    """The batch on a stated number of threads."""

    def encode(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
        flat, offsets = tokenizer.encode_ordinary_batch(list(texts), threads=number)
        return Ids.of_arrays(flat, offsets)

    name = f"{number} thread{'' if number == 1 else 's'}"
    share = None if number == 2 else SERIAL_BYTES  # beyond which one thread is what the others are held against
    return Way(name, "threads", "encode_ordinary_batch", encode, share=share)


@way("count", "count", "count", counts=True, share=16_000_000)
def _count(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.numbers([tokenizer.count(text) for text in texts])


@way("the measuring pass", "count", "engine_encoder", counts=True)
def _measured(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    scorer = engine.active().Scorer(tokenizer.engine_splitter, [tokenizer.engine_encoder], setting.threads)
    return Ids.numbers(scorer.add([well_formed(text) for text in texts])[:, 1].tolist())


# ── texts in blocks ───────────────────────────────────────────────────────────────────────────────────────────


BLOCKS_SHARE = 1_000_000


def _in_blocks(tokenizer: Any, texts: Sequence[str], size: int, threads: int, specials: Any = None) -> Ids:
    encoder = tokenizer.engine_encoder
    return Ids.of_each([encoder.encode_blocks(well_formed(text), size, threads, specials) for text in texts])


@way("in the smallest blocks", "chunked", "engine_encoder", share=BLOCKS_SHARE)
def _smallest_blocks(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    """Every document is cut wherever a cut is taken for safe, so that a wrong one shows on a text of a few
    characters; long texts for threads are cut in the same places, only seldom."""
    return _in_blocks(tokenizer, texts, 1, 1)


@way("in blocks of 100 bytes", "chunked", "engine_encoder", share=20_000)
def _small_blocks(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return _in_blocks(tokenizer, texts, 100, setting.threads)


@way("parallel", "chunked", "encode_parallel", truth="joined", share=32_000_000)
def _parallel(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.of_each([tokenizer.encode_parallel(text, threads=setting.threads) for text in texts])


@way("parallel on 7 threads", "chunked", "encode_parallel", truth="joined", share=1_000_000)
def _parallel_odd(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.of_each([tokenizer.encode_parallel(text, threads=7) for text in texts])


# ── streams ─────────────────────────────────────────────────────────────────────────────────────────────────


def random_cuts(text: str, seed: int) -> list[str]:
    """``text`` in pieces: at random places, a few of them empty or of one code point; the same for one seed."""
    random = Random(zlib.crc32(text.encode("utf-8", "surrogatepass")) ^ seed)
    some = random.randint(1, 2 + min(9, len(text) // 8))
    places = [random.randint(0, len(text)) for _ in range(some)]
    places += [place + 1 for place in places[::4] if place < len(text)]
    cuts = [0, *sorted(places), len(text)]
    return [text[start:end] for start, end in pairwise(cuts)]


def hard_cuts(text: str, specials: Iterable[str] = ()) -> list[str]:
    """``text`` cut wherever a piece by itself reads otherwise than in its place: between the two characters of a line
    end, inside runs of blanks and of digits, before combining marks and apostrophes, and inside special tokens.

    >>> hard_cuts("a\\r\\nb  c<s>", ["<s>"])
    ['a\\r', '\\nb ', ' c<', 's', '>']
    """
    cuts = {0, len(text)}
    for special in specials:
        at = text.find(special)
        while at >= 0:
            cuts.update(range(at + 1, at + len(special)))
            at = text.find(special, at + 1)
    for at, (before, after) in enumerate(pairwise(text), start=1):
        both_blank = before.isspace() and after.isspace()
        if both_blank or (before.isdigit() and after.isdigit()) or after == "'" or category(after).startswith("M"):
            cuts.add(at)
    return [text[start:end] for start, end in pairwise(sorted(cuts))]


def _stream(tokenizer: Any, pieces: Iterable[str], **specials: Any) -> list[int]:
    return list(tokenizer.encode_iterable(pieces, **(specials or {"disallowed_special": ()})))


@way("random cuts", "streamed", "encode_iterable", share=50_000)
def _random_cuts(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.of([_stream(tokenizer, random_cuts(text, setting.seed)) for text in texts])


@way("cuts at hard places", "streamed", "encode_iterable", share=100_000)
def _hard_cuts(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    specials = list(tokenizer.special_tokens)
    return Ids.of([_stream(tokenizer, hard_cuts(text, specials)) for text in texts])


@way("code point by code point", "streamed", "encode_iterable", share=2_000)
def _one_by_one(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.of([_stream(tokenizer, list(text)) for text in texts])


@way("a cut at every place of short texts", "streamed", "encode_iterable", share=5_000)
def _every_cut(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.of([_worst_cut(tokenizer, text) for text in texts])


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


def some_of(specials: Iterable[str]) -> frozenset[str]:
    """Every other special token: what is allowed where only some are."""
    return frozenset(sorted(specials)[::2])


def with_specials(tokenizer: Any, text: str, allowed: Collection[str] | None = None) -> list[int]:
    """What encoding with special tokens allowed (all of them by default) has to give."""
    ids: list[int] = []
    special_ids: dict[str, int] = tokenizer.special_tokens
    specials = list(special_ids) if allowed is None else [one for one in special_ids if one in allowed]
    for piece, special in cut_specials(well_formed(text), specials):
        ids += [special_ids[piece]] if special else tokenizer.encode_ordinary(piece)
    return ids


@way("encode, all allowed", "specials", "encode", truth="specials")
def _all_allowed(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.of([tokenizer.encode(text, allowed_special="all") for text in texts])


@way("batch, all allowed", "specials", "encode_batch", truth="specials")
def _batch_allowed(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.of(tokenizer.encode_batch(list(texts), threads=setting.threads, allowed_special="all"))


@way("in the smallest blocks, all allowed", "specials", "engine_encoder", truth="specials")
def _blocks_allowed(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    specials = tokenizer.engine_module.Specials(list(tokenizer.special_tokens.items()))
    return _in_blocks(tokenizer, texts, 1, 1, specials)


@way("random cuts, all allowed", "specials", "encode_iterable", truth="specials")
def _cuts_allowed(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.of([_stream(tokenizer, random_cuts(text, setting.seed), allowed_special="all") for text in texts])


@way("cuts at hard places, all allowed", "specials", "encode_iterable", truth="specials")
def _hard_cuts_allowed(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    specials = list(tokenizer.special_tokens)
    return Ids.of([_stream(tokenizer, hard_cuts(text, specials), allowed_special="all") for text in texts])


@way("code point by code point, all allowed", "specials", "encode_iterable", truth="specials", share=2_000)
def _one_by_one_allowed(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.of([_stream(tokenizer, list(text), allowed_special="all") for text in texts])


def _some_allowed(tokenizer: Any) -> dict[str, Any]:
    return {"allowed_special": some_of(tokenizer.special_tokens), "disallowed_special": ()}


@way("encode, some allowed", "specials", "encode", truth="some specials", share=5_000)
def _encode_some(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.of([tokenizer.encode(text, **_some_allowed(tokenizer)) for text in texts])


@way("batch, some allowed", "specials", "encode_batch", truth="some specials", share=5_000)
def _batch_some(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.of(tokenizer.encode_batch(list(texts), threads=setting.threads, **_some_allowed(tokenizer)))


@way("random cuts, some allowed", "specials", "encode_iterable", truth="some specials", share=5_000)
def _cuts_some(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    policy = _some_allowed(tokenizer)
    return Ids.of([_stream(tokenizer, random_cuts(text, setting.seed), **policy) for text in texts])


@way("encode, none allowed, as text", "specials", "encode", truth="specials as text", share=5_000)
def _as_text(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.of([tokenizer.encode(text, disallowed_special=()) for text in texts])


@way("batch, none allowed, as text", "specials", "encode_batch", truth="specials as text", share=5_000)
def _batch_as_text(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.of(tokenizer.encode_batch(list(texts), threads=setting.threads, disallowed_special=()))


@way("random cuts, none allowed, as text", "specials", "encode_iterable", truth="specials as text", share=5_000)
def _cuts_as_text(tokenizer: Any, texts: Sequence[str], setting: Setting) -> Ids:
    return Ids.of([_stream(tokenizer, random_cuts(text, setting.seed)) for text in texts])
