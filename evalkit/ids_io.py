"""Ids from files, in the formats of :mod:`evalkit.ids_writer`, and back to text.

What is not an id, or not in the vocabulary, is an error that names the place.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalkit import json_fields
from evalkit.errors import UserError
from evalkit.ids_writer import dtype_for
from tokenizers_impl import BPETokenizer

NPY_MAGIC = b"\x93NUMPY"

Ids = NDArray[np.int64]

# ── ids to text ──────────────────────────────────────────────────────────────────────────────────────────────


def decode_ids(tokenizer: BPETokenizer, ids: Ids, name: str) -> bytes:
    """The bytes of the ids, which need not be whole characters; an id that the vocabulary doesn't have is
    named."""
    try:
        return tokenizer.decode_bytes(ids)
    except KeyError:
        known = np.fromiter(tokenizer.vocab, dtype=np.int64)
        place = int(np.flatnonzero(~np.isin(ids, known))[0])
        raise UserError(
            f"{name}: id {ids[place]} (number {place + 1:,} of {len(ids):,}) is not in the "
            f"vocabulary, which has {tokenizer.vocab_size:,} entries and {tokenizer.max_id} as its largest id"
        ) from None


# ── from the bytes of a file ───────────────────────────────────────────────────────────────────────────────────


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
            ids = json_fields.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{name}:{number}: not valid JSON: {error}") from None
        if isinstance(ids, dict) and "ids" in ids:
            if json_fields.names_twice(ids, "ids"):
                raise UserError(f"{name}:{number}: the object names 'ids' twice")
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
        file = io.BytesIO(data)
        array: NDArray[Any] = np.load(file, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise UserError(f"{name}: not an array of ids in NumPy's format (.npy): {_npy_reason(data, error)}") from None
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "ui":
        shape = "an archive"
        if isinstance(array, np.ndarray):
            shape = f"{array.ndim} dimension{'' if array.ndim == 1 else 's'} of {array.dtype}"
        raise UserError(f"{name}: expected one dimension of whole numbers, found {shape}")
    if file.tell() != len(data):
        raise UserError(
            f"{name}: {len(data) - file.tell():,} bytes follow the array of {len(array):,} ids, which ends at byte "
            f"{file.tell():,}; an .npy file holds one array and nothing else"
        )
    if array.dtype.kind == "i" and (negative := np.flatnonzero(array < 0)).size:
        place = int(negative[0])
        raise UserError(f"{name}: number {place + 1:,} is {array[place]}; ids are not negative")
    if array.dtype == np.uint64:
        array = np.minimum(array, np.uint64(2**63 - 1))
    ids: Ids = array.astype(np.int64)
    return ids


def _npy_reason(data: bytes, error: Exception) -> str:
    """In our words where NumPy's would advise to unpickle the file, which can run anything."""
    if not data.startswith(NPY_MAGIC):
        return "it doesn't begin as such a file does"
    return "it holds Python objects, not numbers" if "allow_pickle" in str(error) else str(error)


def _from_bin(data: bytes, max_id: int, name: str) -> Ids:
    dtype = dtype_for(max_id)
    if len(data) % dtype.itemsize:
        raise UserError(
            f"{name}: {len(data):,} bytes are not a whole number of ids of {dtype.itemsize} bytes "
            f"({dtype.name}, which the vocabulary's largest id {max_id} asks for)"
        )
    return np.frombuffer(data, dtype=dtype).astype(np.int64)
