"""Sources to documents: exact text, in bounded memory.

A document is the exact text that its format says: nothing is stripped, joined or normalised, and line ends
stay as they are. The only thing taken away is one byte order mark at the start of a file, and that is noted.
Files are read in blocks, and no result depends on where a block ends.
"""

from __future__ import annotations

import codecs
import csv
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from evalkit.errors import UserError, nearest
from evalkit.sources import BLOCK_BYTES, EXTRA, Source, reading

STRUCTURED = ("jsonl", "csv", "tsv", "parquet")


@dataclass(frozen=True)
class Cut:
    """How text becomes documents: at most one of the three; none is the default of the file's format."""

    separator: str | None = None
    document: str | None = None
    field: str | None = None


def read_documents(
    source: Source, cut: Cut, notes: list[str], *, block_bytes: int = BLOCK_BYTES
) -> Iterator[str]:
    """The documents of one source, empty ones included, in their order."""
    check_cut(source, cut)
    if cut.field is not None:
        return _read_field(source, cut.field, notes, block_bytes)
    blocks = text_blocks(source, notes, block_bytes)
    if cut.separator is not None:
        return split_blocks(blocks, cut.separator)
    return split_lines(blocks) if cut.document == "line" else _whole(blocks)


def check_cut(source: Source, cut: Cut) -> None:
    """Refuses a source that can't be cut like this, before anything is read."""
    as_text = cut.separator is not None or cut.document is not None
    if source.format == "parquet" and source.compression:
        raise UserError(f"{source.name}: a parquet file is compressed inside; unpack it first")
    if source.format == "parquet" and cut.field is None:
        raise UserError(f"{source.name}: a parquet file needs field: the name of the column with the text")
    if source.format in STRUCTURED and cut.field is None and not as_text:
        raise UserError(
            f"{source.name}: say which field holds the text (field: text), or read the file as plain "
            "text with document: file, document: line or a separator"
        )
    if cut.field is not None and source.format not in STRUCTURED:
        raise UserError(
            f"{source.name}: field is for .jsonl, .ndjson, .csv, .tsv and .parquet; a text file is cut by "
            "separator or document"
        )
    if source.format == "" and not as_text:
        raise UserError(
            f"{source.name}: the ending tells no format; say separator or document: file or line to read "
            "it as text (known are .txt, .md, .text, .jsonl, .ndjson, .csv, .tsv, .parquet, and all but the "
            "last also with .gz, .bz2, .xz or .zst)"
        )


def text_blocks(source: Source, notes: list[str], block_bytes: int = BLOCK_BYTES) -> Iterator[str]:
    """The text in blocks, decoded strictly; an error names the exact byte."""
    pending, offset, first = b"", 0, True
    for block in source.blocks(block_bytes):
        data = pending + block
        text, used = _decode(data, source, offset, final=False)
        pending, offset = data[used:], offset + used
        if first and text:
            first = False
            if text.startswith("\ufeff"):
                text = text[1:]
                _note(notes, f"{source.name} starts with a byte order mark, which was dropped")
        if text:
            yield text
    _decode(pending, source, offset, final=True)
    if first:
        raise UserError(f"{source.name}: the file is empty")


def _decode(data: bytes, source: Source, offset: int, *, final: bool) -> tuple[str, int]:
    try:
        return codecs.utf_8_decode(data, "strict", final)
    except UnicodeDecodeError as error:
        place = offset + error.start
        unpacked = " of the unpacked text" if source.compression else ""
        utf16 = place == 0 and data[0] in (0xFE, 0xFF)
        hint = "; it looks like UTF-16, save it as UTF-8" if utf16 else ""
        raise UserError(
            f"{source.name}: not UTF-8: byte {place}{unpacked} is 0x{data[error.start]:02x} "
            f"({error.reason}){hint}"
        ) from None


def split_blocks(blocks: Iterable[str], separator: str) -> Iterator[str]:
    """What ``"".join(blocks).split(separator)`` gives, without the join.

    Only the last ``len(separator) - 1`` characters can be the start of a separator that the block's end cuts;
    what comes before goes to the pieces of the document at once, so that a long document costs no rescans.
    """
    pieces: list[str] = []
    carry, reach = "", len(separator) - 1
    for block in blocks:
        *complete, rest = (carry + block).split(separator)
        for part in complete:
            pieces.append(part)
            yield "".join(pieces)
            pieces.clear()
        keep = max(0, len(rest) - reach)
        pieces.append(rest[:keep])
        carry = rest[keep:]
    pieces.append(carry)
    yield "".join(pieces)


def split_lines(blocks: Iterable[str]) -> Iterator[str]:
    r"""Lines without their ``\n`` or ``\r\n``; no other character ends a line, and the last needs no end.

    >>> list(split_lines(["a\r", "\nb\u2028c\rd\n"]))
    ['a', 'b\u2028c\rd']
    """
    before: str | None = None  # held back: only the last part has no line end
    for part in split_blocks(blocks, "\n"):
        if before is not None:
            yield before.removesuffix("\r")
        before = part
    if before:
        yield before


def _lines_with_ends(blocks: Iterable[str]) -> Iterator[str]:
    before: str | None = None
    for part in split_blocks(blocks, "\n"):
        if before is not None:
            yield before + "\n"
        before = part
    if before:
        yield before


def _whole(blocks: Iterable[str]) -> Iterator[str]:
    yield "".join(blocks)


def _read_field(source: Source, field: str, notes: list[str], block_bytes: int) -> Iterator[str]:
    if source.format == "parquet":
        return _read_parquet(source, field)
    blocks = text_blocks(source, notes, block_bytes)
    if source.format == "jsonl":
        return _read_jsonl(source, blocks, field)
    return _read_csv(source, blocks, field)


def _read_jsonl(source: Source, blocks: Iterable[str], field: str) -> Iterator[str]:
    for number, line in enumerate(split_lines(blocks), 1):
        if line.strip(" \t\r"):  # a blank line holds no record, and no text is lost with it
            yield _json_field(line, field, f"{source.name}:{number}")


def _json_field(line: str, field: str, place: str) -> str:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise UserError(f"{place}:{error.colno}: not valid JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{place}: JSON that can't be read: {error}") from None
    if not isinstance(record, dict):
        raise UserError(f"{place}: expected an object with the field {field!r}, found {_json_kind(record)}")
    if field not in record:
        raise UserError(f"{place}: {_no_field(field, list(record))}")
    text = record[field]
    if not isinstance(text, str):
        raise UserError(f"{place}: the field {field!r} must be text, found {_json_kind(text)}")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UserError(
            f"{place}: the field {field!r} holds half of a surrogate pair "
            f"(\\u{ord(text[error.start]):04x} at character {error.start}), which is no text"
        ) from None
    return text


def _json_kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else "a text" if isinstance(value, str) else "a number"


def _no_field(field: str, names: list[str]) -> str:
    hint = nearest(field, names)
    shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return f"there is no field {field!r}{f' ({hint})' if hint else ''}; the fields are {shown or 'none'}"


def _read_csv(source: Source, blocks: Iterable[str], field: str) -> Iterator[str]:
    csv.field_size_limit(
        min(sys.maxsize, 2**31 - 1)
    )  # documents may be long; a C long has 32 bits on Windows
    dialect = "excel-tab" if source.format == "tsv" else "excel"
    rows = csv.reader(_lines_with_ends(blocks), dialect=dialect, strict=True)
    try:
        header = next(rows, [])
        if field not in header:
            raise UserError(f"{source.name}:1: {_no_field(field, header)}")
        if header.count(field) > 1:
            raise UserError(f"{source.name}:1: the header names {field!r} twice")
        column = header.index(field)
        for row in rows:
            if not row:
                continue
            if len(row) != len(header):
                raise UserError(
                    f"{source.name}:{rows.line_num}: the row has {len(row)} fields, the header {len(header)}"
                )
            yield row[column]
    except csv.Error as error:
        raise UserError(f"{source.name}:{rows.line_num}: not valid CSV: {error}") from None


def _read_parquet(source: Source, field: str) -> Iterator[str]:
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise UserError(f"{source.name}: reading .parquet needs pyarrow; install {EXTRA}") from None
    with reading(source), source.open_raw() as raw:
        try:
            file = parquet.ParquetFile(raw)
        except Exception as error:
            raise UserError(f"{source.name}: not a parquet file: {error}") from None
        names = list(file.schema_arrow.names)
        if field not in names:
            raise UserError(f"{source.name}: {_no_field(field, names)}")
        row = 0
        for batch in file.iter_batches(batch_size=1024, columns=[field]):
            for value in batch.column(0).to_pylist():
                row += 1
                if not isinstance(value, str):
                    found = "nothing" if value is None else type(value).__name__
                    raise UserError(
                        f"{source.name}: row {row}: the field {field!r} must be text, found {found}"
                    )
                yield value


def _note(notes: list[str], text: str) -> None:
    """Documents are read more than once; a note is made once."""
    if text not in notes:
        notes.append(text)
