"""The results' other two files: ``results.csv`` for spreadsheets, ``counts.npz`` for paired comparisons.

``counts.npz`` holds, for each corpus, arrays of integers with one entry a document of the measured split:

| key | type | holds |
|---|---|---|
| ``<corpus>/hashes`` | uint64 | the first 8 bytes of the SHA-256 of the document's UTF-8, big-endian |
| ``<corpus>/bytes`` | int64 | UTF-8 bytes |
| ``<corpus>/chars`` | int64 | code points |
| ``<corpus>/words`` | int64 | words; the key is missing where they can't be counted |
| ``<corpus>/tokens/<tokenizer>`` | int64 | tokens |
| ``<corpus>/multibyte`` | int32, int64 | characters of several bytes |
| ``<corpus>/number_places`` | int32, int64 | places in numbers between groups of three digits from the right |
| ``<corpus>/unknown/<tokenizer>`` | int32, int64 | unknown ids |
| ``<corpus>/word_tokens/<tokenizer>`` | int32, int64 | for each word the tokens that overlap it, summed |
| ``<corpus>/cut_words/<tokenizer>`` | int32, int64 | words with a boundary inside |
| ``<corpus>/cut_characters/<tokenizer>`` | int32, int64 | characters with a boundary inside |
| ``<corpus>/number_cuts/<tokenizer>`` | int32, int64 | boundaries in numbers |
| ``<corpus>/number_hits/<tokenizer>`` | int32, int64 | boundaries in numbers between groups of three |

What wasn't asked for, or can't be counted, has no key. Readers take keys they don't know for those of a later version.
"""

from __future__ import annotations

import csv
import io
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np

from evalkit.columns import Ints, blocks, narrowed, wide
from evalkit.counts import CorpusCounts, Hashes, Placed
from evalkit.errors import UserError
from evalkit.results import COLUMNS, Row
from evalkit.values import Undefined
from tokenizers_impl.deferred import dataclass

OF_TEXT = ("multibyte", "number_places")
OF_PLACES = tuple(field.name for field in fields(Placed))


def to_csv(rows: Iterable[Row]) -> str:
    """The tidy table. What is undefined is an empty cell; its reason stands in the last column."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_cell(getattr(row, column)) for column in COLUMNS])
    return out.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def save_counts(file: BinaryIO, corpora: Iterable[CorpusCounts]) -> None:
    """Writes ``counts.npz``."""
    # As ``np.savez_compressed`` does, which only knows zlib's usual level: that takes four times as long.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for corpus in corpora:
            for key, counts, dtype in _entries(corpus):
                if isinstance(counts, Undefined):
                    continue
                if dtype is None:
                    dtype = np.int32 if int(counts.max(initial=0)) <= np.iinfo(np.int32).max else np.int64
                with archive.open(f"{corpus.name}/{key}.npy", "w", force_zip64=True) as entry:
                    _write(entry, counts, np.dtype(dtype))


def _entries(corpus: CorpusCounts) -> Iterator[tuple[str, Any, type[np.integer[Any]] | None]]:
    """Key, counts, and their type; None for the smaller one of two that holds them."""
    yield "hashes", corpus.hashes, np.uint64
    yield "bytes", corpus.bytes, np.int64
    yield "chars", corpus.chars, np.int64
    yield "words", corpus.words, np.int64
    for key in OF_TEXT:
        yield key, getattr(corpus, key), None
    for name, counted in corpus.tokenizers.items():
        yield f"tokens/{name}", counted.tokens, np.int64
        yield f"unknown/{name}", counted.unknown, None
        for key in OF_PLACES:
            placed = counted.placed
            yield f"{key}/{name}", placed if isinstance(placed, Undefined) else getattr(placed, key), None


def _write(entry: IO[bytes], counts: Any, dtype: np.dtype[Any]) -> None:
    """As ``np.lib.format.write_array`` does of all of it at once, which would have to be as wide."""
    header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": counts.shape}
    np.lib.format.write_array_header_1_0(entry, header)
    for part in blocks(len(counts)):
        entry.write(wide(counts[part]).astype(dtype, copy=False).tobytes())


@dataclass
class StoredCounts:
    """The counts of one corpus as they were stored; ``words`` is None where they weren't counted. ``of_text`` by key,
    ``parts`` by key and tokenizer: those that there are."""

    hashes: Hashes
    bytes: Ints
    chars: Ints
    words: Ints | None = None
    tokens: dict[str, Ints] = field(default_factory=dict)
    of_text: dict[str, Ints] = field(default_factory=dict)
    parts: dict[str, dict[str, Ints]] = field(default_factory=dict)


def _by_tokenizer(arrays: Mapping[str, Any], prefix: str) -> dict[str, Ints]:
    return {key.removeprefix(prefix): a for key, a in arrays.items() if key.startswith(prefix)}


def _column(key: str, values: Any) -> Any:
    counts = values.dtype.kind in "iu" and not key.endswith("/hashes")  # a later version may have what isn't one
    return narrowed(values.astype(np.int64, copy=False)) if counts else values


def load_counts(path: Path) -> dict[str, StoredCounts]:
    """The counts by corpus. Raises ``UserError`` for a file that can't be read or holds something else."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {key: _column(key, stored[key]) for key in stored.files}
        found = {}
        for name in [key.removesuffix("/hashes") for key in arrays if key.endswith("/hashes")]:
            found[name] = StoredCounts(
                arrays[f"{name}/hashes"],
                arrays[f"{name}/bytes"],
                arrays[f"{name}/chars"],
                arrays.get(f"{name}/words"),
                _by_tokenizer(arrays, f"{name}/tokens/"),
                {key: arrays[f"{name}/{key}"] for key in OF_TEXT if f"{name}/{key}" in arrays},
                {key: _by_tokenizer(arrays, f"{name}/{key}/") for key in ("unknown", *OF_PLACES)},
            )
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise UserError(f"{path} does not hold the counts of an evalkit run: {error}") from None
    return found
