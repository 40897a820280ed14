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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from evalkit.counts import CorpusCounts, Hashes, Ints, Placed
from evalkit.errors import UserError
from evalkit.results import COLUMNS, Row
from evalkit.values import Undefined

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
    arrays: dict[str, Any] = {}
    for corpus in corpora:
        arrays[f"{corpus.name}/hashes"] = corpus.hashes
        arrays[f"{corpus.name}/bytes"] = corpus.bytes
        arrays[f"{corpus.name}/chars"] = corpus.chars
        if not isinstance(corpus.words, Undefined):
            arrays[f"{corpus.name}/words"] = corpus.words
        for key in OF_TEXT:
            _put(arrays, f"{corpus.name}/{key}", getattr(corpus, key))
        for name, counted in corpus.tokenizers.items():
            arrays[f"{corpus.name}/tokens/{name}"] = counted.tokens
            _put(arrays, f"{corpus.name}/unknown/{name}", counted.unknown)
            for key in OF_PLACES:
                placed = counted.placed
                found = placed if isinstance(placed, Undefined) else getattr(placed, key)
                _put(arrays, f"{corpus.name}/{key}/{name}", found)
    _savez(file, arrays)


def _savez(file: BinaryIO, arrays: Mapping[str, Any]) -> None:
    """As ``np.savez_compressed`` does, which only knows zlib's usual level: that takes four times as long."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for key, array in arrays.items():
            with archive.open(f"{key}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)


def _put(arrays: dict[str, Any], key: str, counts: Ints | Undefined) -> None:
    if not isinstance(counts, Undefined):
        small = int(counts.max(initial=0)) <= np.iinfo(np.int32).max
        arrays[key] = counts.astype(np.int32 if small else np.int64)


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
    found = {key.removeprefix(prefix): a for key, a in arrays.items() if key.startswith(prefix)}
    return {name: array.astype(np.int64, copy=False) for name, array in found.items()}


def load_counts(path: Path) -> dict[str, StoredCounts]:
    """The counts by corpus. Raises ``UserError`` for a file that can't be read or holds something else."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
        found = {}
        for name in [key.removesuffix("/hashes") for key in arrays if key.endswith("/hashes")]:
            found[name] = StoredCounts(
                arrays[f"{name}/hashes"],
                arrays[f"{name}/bytes"],
                arrays[f"{name}/chars"],
                arrays.get(f"{name}/words"),
                _by_tokenizer(arrays, f"{name}/tokens/"),
                {key: arrays[f"{name}/{key}"].astype(np.int64) for key in OF_TEXT if f"{name}/{key}" in arrays},
                {key: _by_tokenizer(arrays, f"{name}/{key}/") for key in ("unknown", *OF_PLACES)},
            )
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise UserError(f"{path} does not hold the counts of an evalkit run: {error}") from None
    return found
