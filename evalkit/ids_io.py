"""Text to ids and back, and ids as files: text, JSON lines, ``.npy`` and ``.bin``.

Exact in both directions: the bytes of a UTF-8 text become ids, and these ids become the same bytes. What is
not UTF-8, not an id, or not in the vocabulary is an error that names the place.

| format | is |
|---|---|
| ``text`` | decimal ids with blanks between them, on one line |
| ``jsonl`` | a JSON list a line |
| ``npy`` | NumPy's format, one dimension |
| ``bin`` | the bare numbers, little-endian |

``npy`` and ``bin`` have 16 bits an id where the vocabulary's largest id fits, else 32. That is the vocabulary's
doing and not the text's, so that all files of one tokenizer are alike and a bare ``bin`` can be read back.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalkit.errors import UserError
from tokenizers_impl import BPETokenizer

FORMATS = ("text", "jsonl", "npy", "bin")
BINARY = ("npy", "bin")
SPECIAL = ("atomic", "text", "error")

Ids = NDArray[np.int64]

_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".npy": "npy", ".bin": "bin"}


def format_of(path: Path | None) -> str:
    """The format that a file's name tells; ``text`` where it tells none.

    >>> format_of(Path("train.npy")), format_of(None)
    ('npy', 'text')
    """
    return _SUFFIXES.get(path.suffix.lower(), "text") if path is not None else "text"


def dtype_for(max_id: int) -> np.dtype[Any]:
    """Little-endian uint16 where every id fits, else uint32.

    >>> dtype_for(65_535).name, dtype_for(65_536).name
    ('uint16', 'uint32')
    """
    return np.dtype("<u2") if max_id < 1 << 16 else np.dtype("<u4")


# ── text ↔ ids ──────────────────────────────────────────────────────────────────────────────────────────────


def decode_utf8(data: bytes, name: str) -> str:
    """The text of a file called ``name``; an error names the byte."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        utf16 = error.start == 0 and data[:1] in (b"\xfe", b"\xff")
        hint = "; it looks like UTF-16, save it as UTF-8" if utf16 else ""
        raise UserError(
            f"{name}: not UTF-8: byte {error.start} (line {line}) is 0x{data[error.start]:02x} ({error.reason}){hint}"
        ) from None


def encode_text(
    tokenizer: BPETokenizer,
    text: str,
    special: str = "atomic",
    *,
    name: str = "the text",
    threads: int | None = None,
) -> NDArray[np.uint32]:
    """The ids of one text. The texts of special tokens become their ids (``atomic``), are ordinary text
    (``text``), or are refused (``error``)."""
    ids_of = tokenizer.special_tokens
    if special == "text" or not ids_of:
        return tokenizer.encode_parallel(text, threads)
    # The longest first, so that the leftmost match is the longest as well.
    finder = re.compile("|".join(map(re.escape, sorted(ids_of, key=len, reverse=True))))
    found = list(finder.finditer(text))
    if found and special == "error":
        raise UserError(_special_found(text, found[0], name))
    if not found:
        return tokenizer.encode_parallel(text, threads)
    cuts = [0, *(end for match in found for end in match.span()), len(text)]
    between = [text[start:end] for start, end in zip(cuts[::2], cuts[1::2], strict=True)]
    ids, offsets = tokenizer.encode_ordinary_batch(between, threads)
    return np.insert(ids, offsets[1:-1], [ids_of[match.group()] for match in found])


def _special_found(text: str, match: re.Match[str], name: str) -> str:
    before = text[: match.start()]
    return (
        f"{name}: byte {len(before.encode())} (line {before.count(chr(10)) + 1}) begins the special token "
        f"{match.group()!r}; --special atomic encodes it as that token, --special text as ordinary text"
    )


def decode_ids(tokenizer: BPETokenizer, ids: Ids, name: str) -> bytes:
    """The bytes of the ids, which need not be whole characters; an id that the vocabulary doesn't have is
    named."""
    vocab = tokenizer.vocab
    numbers = ids.tolist()
    try:
        return b"".join([vocab[number] for number in numbers])
    except KeyError as error:
        bad = error.args[0]
        raise UserError(
            f"{name}: id {bad} (number {numbers.index(bad) + 1:,} of {len(numbers):,}) is not in the "
            f"vocabulary, which has {tokenizer.vocab_size:,} entries and {tokenizer.max_id} as its largest id"
        ) from None


# ── ids ↔ bytes of a file ───────────────────────────────────────────────────────────────────────────────────


def dump_ids(ids: NDArray[Any], format: str, max_id: int) -> bytes:
    """The content of a file with the ids, for a vocabulary whose largest id is ``max_id``."""
    if format == "text":
        return " ".join(map(str, ids.tolist())).encode() + b"\n"
    if format == "jsonl":
        return json.dumps(ids.tolist()).encode() + b"\n"
    narrow = ids.astype(dtype_for(max_id))
    if format == "bin":
        return narrow.tobytes()
    file = io.BytesIO()
    np.save(file, narrow, allow_pickle=False)
    return file.getvalue()


def load_ids(data: bytes, format: str, max_id: int, name: str) -> Ids:
    """The ids in the content of a file. Raises ``UserError`` naming the place of what is no id."""
    if format == "text":
        return _numbers(_from_text(data, name))
    if format == "jsonl":
        return _numbers(list(_from_json_lines(data, name)))
    return _from_npy(data, name) if format == "npy" else _from_bin(data, max_id, name)


def _numbers(ids: list[int]) -> Ids:
    # Larger than any id, and still a number that the error about it can name.
    return np.array([min(number, 2**63 - 1) for number in ids], dtype=np.int64)


def _from_text(data: bytes, name: str) -> list[int]:
    if re.fullmatch(rb"[0-9\s]*", data) and not re.search(rb"[0-9]{19}", data):
        return list(map(int, data.split()))
    for number, line in enumerate(data.split(b"\n"), 1):
        for match in re.finditer(rb"\S+", line):
            if not re.fullmatch(rb"[0-9]{1,18}", match.group()):
                shown = match.group()[:40].decode("utf-8", "backslashreplace")
                raise UserError(
                    f"{name}:{number}:{match.start() + 1}: '{shown}' is not an id; ids are whole numbers "
                    "with blanks or line ends between them"
                )
    return list(map(int, data.split()))


def _from_json_lines(data: bytes, name: str) -> Iterator[int]:
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            ids = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{name}:{number}: not valid JSON: {error}") from None
        if isinstance(ids, dict) and "ids" in ids:
            ids = ids["ids"]
        if not isinstance(ids, list):
            raise UserError(f"{name}:{number}: expected a list of ids, or an object with a list 'ids'")
        for place, value in enumerate(ids):
            if type(value) is not int or value < 0:
                shown = json.dumps(value)[:40]
                raise UserError(f"{name}:{number}: [{place}]: {shown} is not an id; ids are whole numbers")
            yield value


def _from_npy(data: bytes, name: str) -> Ids:
    try:
        array: NDArray[Any] = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise UserError(f"{name}: not an array in NumPy's format (.npy): {error}") from None
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "ui":
        shape = f"{array.ndim} dimensions of {array.dtype}" if isinstance(array, np.ndarray) else "an archive"
        raise UserError(f"{name}: expected one dimension of whole numbers, found {shape}")
    if array.dtype.kind == "i" and (negative := np.flatnonzero(array < 0)).size:
        place = int(negative[0])
        raise UserError(f"{name}: number {place + 1:,} is {array[place]}; ids are not negative")
    if array.dtype == np.uint64:
        array = np.minimum(array, np.uint64(2**63 - 1))
    ids: Ids = array.astype(np.int64)
    return ids


def _from_bin(data: bytes, max_id: int, name: str) -> Ids:
    dtype = dtype_for(max_id)
    if len(data) % dtype.itemsize:
        raise UserError(
            f"{name}: {len(data):,} bytes are not a whole number of ids of {dtype.itemsize} bytes "
            f"({dtype.name}, which the vocabulary's largest id {max_id} asks for)"
        )
    return np.frombuffer(data, dtype=dtype).astype(np.int64)
