"""Tokenizers for the cases, and every way from a text to ids and back."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import tokenizers_impl as ti
from tokenizers_impl import TokenizerError, engine, formats
from tokenizers_impl.arguments import well_formed
from tokenizers_impl.vocabulary import BYTES

Extra = Sequence[str] | Mapping[str, int]


@functools.cache
def _published(name: str, engine_name: str) -> ti.BPETokenizer:
    return ti.from_tiktoken(name)


def published(name: str) -> ti.BPETokenizer:
    """tiktoken's encoding of that name, on the engine in use."""
    return _published(name, engine.name())


def toy(extra: Extra = (), specials: Mapping[str, int] | None = None, pattern: str = "gpt2") -> ti.BPETokenizer:
    """256 single bytes, id = byte, and more tokens from 256 on (or at ids of their own); the id is the rank."""
    ids = dict(extra) if isinstance(extra, Mapping) else {text: 256 + i for i, text in enumerate(extra)}
    ranks = {byte: i for i, byte in enumerate(BYTES)} | {text.encode(): i for text, i in ids.items()}
    return ti.BPETokenizer.from_ranks(ranks, dict(specials or {}), pattern)


def merging(merges: Sequence[Sequence[str]], specials: Sequence[str] = ()) -> ti.BPETokenizer:
    """256 single bytes, one token a merge, then the special tokens."""
    pairs = [(left.encode(), right.encode()) for left, right in merges]
    vocab = dict(enumerate(BYTES)) | {256 + i: left + right for i, (left, right) in enumerate(pairs)}
    return ti.BPETokenizer(vocab, pairs, {text: len(vocab) + i for i, text in enumerate(specials)})


def every_path(tok: ti.BPETokenizer, text: str, special: bool) -> Iterator[tuple[str, list[int]]]:
    """(how, the ids). ``special``: special tokens are allowed; else their text is text."""
    allowed = "all" if special else frozenset()
    rules = {"allowed_special": allowed, "disallowed_special": ()}
    yield "encode", tok.encode(text, **rules)
    for threads in (1, 2, 7):
        first, other, last = tok.encode_batch([text, "x", text], threads, **rules)
        assert other == tok.encode_ordinary("x")
        yield f"encode_batch, {threads} threads", first
        yield f"encode_batch, {threads} threads, the last", last
    for cut in range(len(text) + 1):
        yield f"encode_iterable, cut at {cut}", list(tok.encode_iterable([text[:cut], text[cut:]], **rules))
    yield "encode_iterable, by character", list(tok.encode_iterable(list(text), **rules))
    yield "encode_iterable, with empty pieces", list(tok.encode_iterable(["", text, "", ""], **rules))
    yield "a pickled copy", pickle.loads(pickle.dumps(tok)).encode(text, **rules)
    if not special or not tok.special_tokens:
        yield "encode_ordinary", tok.encode_ordinary(text)
        flat, offsets = tok.encode_ordinary_batch(["x", text], 2)
        yield "encode_ordinary_batch", flat[offsets[1] : offsets[2]].tolist()
        for threads in (1, 2, 3):
            yield f"encode_parallel, {threads} threads", tok.encode_parallel(text, threads).tolist()


def every_way_back(tok: ti.BPETokenizer, ids: Sequence[int]) -> Iterator[tuple[str, bytes]]:
    yield "decode_bytes", tok.decode_bytes(ids)
    yield "decode", tok.decode(ids).encode()
    yield "decode_iterable", "".join(tok.decode_iterable(ids)).encode()


def copies(tok: ti.BPETokenizer, folder: Path) -> Iterator[tuple[str, ti.BPETokenizer]]:
    """The tokenizer written to a file and read again, in every format that doesn't refuse to hold it."""
    for name in formats.format_names():
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        try:
            path = tok.save(place, format=name)
        except TokenizerError:
            assert name != "evalkit", "our own format holds every tokenizer"
            assert not any(place.iterdir()), "a format that refuses writes nothing"
            continue
        yield name, read(path, name)


def read(path: Path, format_name: str) -> ti.BPETokenizer:
    """A saved tokenizer, by the reader of its format."""
    if format_name == "huggingface":
        return ti.from_huggingface(path)  # type: ignore[attr-defined,no-any-return]
    return ti.load(path)


def check_text(tok: ti.BPETokenizer, text: str, ids: list[int], folder: Path | None, *, special: bool = False) -> None:
    """The ids on every path, the text on every way back, and both again after any file (with ``folder``)."""
    for how, found in every_path(tok, text, special):
        assert found == ids, how
    if not special:
        assert tok.count(text) == len(ids)
    whole = well_formed(text).encode()
    for how, back in every_way_back(tok, ids):
        assert back == whole, how
    if folder is not None:
        allowed = "all" if special else frozenset()
        for name, copy in copies(tok, folder):
            assert copy.encode(text, allowed, ()) == ids, f"saved as {name}"
            assert copy.decode_bytes(ids) == whole, f"saved as {name}"
