"""The results' other two files: ``results.csv`` for spreadsheets, ``counts.npz`` for paired comparisons.

``counts.npz`` holds, for each corpus, arrays of integers with one entry a document of the measured split:

| key | type | holds |
|---|---|---|
| ``<corpus>/hashes`` | uint64 | the first 8 bytes of the SHA-256 of the document's UTF-8, big-endian |
| ``<corpus>/bytes`` | int64 | UTF-8 bytes |
| ``<corpus>/chars`` | int64 | code points |
| ``<corpus>/words`` | int64 | words; the key is missing where they can't be counted |
| ``<corpus>/tokens/<tokenizer>`` | int64 | tokens |
"""

from __future__ import annotations

import csv
import io
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from evalkit.counts import CorpusCounts, Hashes, Ints
from evalkit.errors import UserError
from evalkit.results import COLUMNS, Row
from evalkit.values import Undefined


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
        for name, counted in corpus.tokenizers.items():
            arrays[f"{corpus.name}/tokens/{name}"] = counted.tokens
    np.savez_compressed(file, **arrays)


@dataclass
class StoredCounts:
    """The counts of one corpus as they were stored; ``words`` is None where they weren't counted."""

    hashes: Hashes
    bytes: Ints
    chars: Ints
    words: Ints | None = None
    tokens: dict[str, Ints] = field(default_factory=dict)


def load_counts(path: Path) -> dict[str, StoredCounts]:
    """The counts by corpus. Raises ``UserError`` for a file that can't be read or holds something else."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
        found = {}
        for name in [key.removesuffix("/hashes") for key in arrays if key.endswith("/hashes")]:
            prefix = f"{name}/tokens/"
            found[name] = StoredCounts(
                arrays[f"{name}/hashes"],
                arrays[f"{name}/bytes"],
                arrays[f"{name}/chars"],
                arrays.get(f"{name}/words"),
                {key.removeprefix(prefix): a for key, a in arrays.items() if key.startswith(prefix)},
            )
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise UserError(f"{path} does not hold the counts of an evalkit run: {error}") from None
    return found
