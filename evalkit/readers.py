"""Sources to documents: exact text, in bounded memory.

A document is the exact text that its format says: nothing is stripped, joined or normalised, and line ends
stay as they are. The only thing taken away is one byte order mark at the start of a file, and that is noted.
What is not valid Unicode is an error that names the place, or, where the corpus says so, U+FFFD, and counted.
Files are read in blocks, and no result depends on where a block ends.
"""

from __future__ import annotations

import codecs
import csv
import json
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from evalkit import json_fields
from evalkit.errors import UserError, nearest
from evalkit.long_documents import LARGEST, in_parts
from evalkit.sources import BLOCK_BYTES, EXTRA, Source, reading
from tokenizers_impl.arguments import well_formed
from tokenizers_impl.deferred import dataclass

BOM = "\ufeff"
DROPPED = "{} starts with a byte order mark, which was dropped"
"""What is said of every file that is read as text. The mark is the file's and not the text's; only ``evalkit encode``,
whose ids have to decode to the very bytes, keeps it, and says so."""

STRUCTURED = ("jsonl", "csv", "tsv", "parquet")


@dataclass(frozen=True)
class Cut:
    """How bytes become documents: at most one of ``separator``, ``document`` and ``field``; none is the default
    of the file's format. ``invalid_utf8``: ``error`` or ``replace``, as the corpus's key says."""

    separator: str | None = None
    document: str | None = None
    field: str | None = None
    invalid_utf8: str = "error"


class _Invalid:
    """What to do about text that is not valid Unicode, and how often it was done in one pass over a source."""

    def __init__(self, policy: str) -> None:
        self.replaces = policy == "replace"
        self.places = 0

    def note(self, source: Source, notes: list[str]) -> None:
        if self.places:
            what = "place that is" if self.places == 1 else "places that are"
            _note(
                notes, f"{source.name}: {self.places:,} {what} not valid UTF-8 read as U+FFFD (invalid_utf8: replace)"
            )


def read_documents(source: Source, cut: Cut, notes: list[str], *, block_bytes: int = BLOCK_BYTES) -> Iterator[str]:
    """The documents of one source, empty ones included, in their order."""
    check_cut(source, cut)
    invalid = _Invalid(cut.invalid_utf8)
    return _noted(_documents(source, cut, notes, block_bytes, invalid), source, notes, invalid)


def _noted(texts: Iterator[str], source: Source, notes: list[str], invalid: _Invalid) -> Iterator[str]:
    """Every text, then a note of what was replaced: only a whole pass knows how much that is."""
    yield from texts
    invalid.note(source, notes)


def _documents(source: Source, cut: Cut, notes: list[str], block_bytes: int, invalid: _Invalid) -> Iterator[str]:
    if source.format == "parquet" and cut.field is not None:
        return _read_parquet(source, cut.field, invalid)
    blocks = _text_blocks(source, notes, block_bytes, invalid)
    if cut.field is not None:
        return _read_field(source, cut.field, blocks, invalid)
    if cut.separator is not None:
        return split_blocks(blocks, cut.separator)
    return split_lines(blocks) if cut.document == "line" else _whole(blocks, source, notes)


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


def _text_blocks(source: Source, notes: list[str], block_bytes: int, invalid: _Invalid) -> Iterator[str]:
    """The text in blocks. Decoded strictly, an error names the exact byte; else no result depends on the blocks,
    since what could be the start of a character waits for the next one."""
    pending, offset, first = b"", 0, True
    for block in source.blocks(block_bytes):
        data = pending + block
        text, used = _decode(data, source, offset, invalid, final=False)
        pending, offset = data[used:], offset + used
        if first and text:
            first = False
            if text.startswith(BOM):
                text = text[1:]
                _note(notes, DROPPED.format(source.name))
        if text:
            yield text
    text, _ = _decode(pending, source, offset, invalid, final=True)
    if text:
        yield text
    elif first:
        raise UserError(f"{source.name}: the file is empty")


def _decode(data: bytes, source: Source, offset: int, invalid: _Invalid, *, final: bool) -> tuple[str, int]:
    if invalid.replaces and offset == 0 and len(data) == 1 and not final:
        return "", 0  # the next byte tells UTF-16, which is no text with slips in it, from such a text
    if invalid.replaces and not (offset == 0 and data[:2] in (b"\xfe\xff", b"\xff\xfe")):
        text, used = codecs.utf_8_decode(data, "replace", final)
        # U+FFFD itself is these three bytes, and they are never part of anything else.
        invalid.places += text.count("\ufffd") - data.count(b"\xef\xbf\xbd", 0, used)
        return text, used
    try:
        return codecs.utf_8_decode(data, "strict", final)
    except UnicodeDecodeError as error:
        place = offset + error.start
        unpacked = " of the unpacked text" if source.compression else ""
        utf16 = place == 0 and data[0] in (0xFE, 0xFF)
        hint = "; it looks like UTF-16, save it as UTF-8" if utf16 else ""
        raise UserError(
            f"{source.name}: not UTF-8: byte {place}{unpacked} is 0x{data[error.start]:02x} ({error.reason}){hint}"
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
        if complete:
            complete[0] = "".join((*pieces, complete[0]))
            pieces.clear()
            yield from complete
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


def _whole(blocks: Iterable[str], source: Source, notes: list[str]) -> Iterator[str]:
    """The file as one document; one that is too long to be held, in parts."""
    number = 0
    for part in in_parts(blocks):
        number += 1
        yield part
    if number > 1:
        _note(
            notes,
            f"{source.name} is one document of more than {LARGEST:,} characters: it is taken in {number} parts, cut at "
            "blanks where no pretoken and no word is cut, and each part counts as a document",
        )


def _read_field(source: Source, field: str, blocks: Iterable[str], invalid: _Invalid) -> Iterator[str]:
    if source.format == "jsonl":
        return _read_jsonl(source, blocks, field, invalid)
    return _read_csv(source, blocks, field)


def _read_jsonl(source: Source, blocks: Iterable[str], field: str, invalid: _Invalid) -> Iterator[str]:
    for number, line in enumerate(split_lines(blocks), 1):
        if line.strip(" \t\r"):  # a blank line holds no record, and no text is lost with it
            yield _json_field(line, field, f"{source.name}:{number}", invalid)


def _json_field(line: str, field: str, place: str, invalid: _Invalid) -> str:
    try:
        record = json_fields.loads(line)
    except json.JSONDecodeError as error:
        raise UserError(f"{place}:{error.colno}: not valid JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{place}: JSON that can't be read: {error}") from None
    if not isinstance(record, dict):
        raise UserError(f"{place}: expected an object with the field {field!r}, found {_json_kind(record)}")
    if field not in record:
        raise UserError(f"{place}: {_no_field(field, list(record))}")
    if json_fields.names_twice(record, field):
        raise UserError(f"{place}: the object names {field!r} twice")
    text = record[field]
    if not isinstance(text, str):
        raise UserError(f"{place}: the field {field!r} must be text, found {_json_kind(text)}")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        if invalid.replaces:
            whole = well_formed(text)
            invalid.places += whole.count("\ufffd") - text.count("\ufffd")
            return whole
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
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # documents may be long; a C long has 32 bits on Windows
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


def _read_parquet(source: Source, field: str, invalid: _Invalid) -> Iterator[str]:
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
        if names.count(field) > 1:
            raise UserError(f"{source.name}: two columns are named {field!r}")
        row = 0
        for batch in file.iter_batches(batch_size=1024, columns=[field]):
            for value in _parquet_values(batch.column(0)):
                row += 1
                if isinstance(value, _NotText):
                    value = value.decoded(f"{source.name}: row {row}: the field {field!r}", invalid)
                if not isinstance(value, str):
                    found = "nothing" if value is None else type(value).__name__
                    raise UserError(f"{source.name}: row {row}: the field {field!r} must be text, found {found}")
                yield value


@dataclass(frozen=True)
class _NotText:
    """The bytes of a text column, some value of which is not valid UTF-8."""

    data: bytes

    def decoded(self, place: str, invalid: _Invalid) -> str:
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            if not invalid.replaces:
                found = f"byte {error.start} is 0x{self.data[error.start]:02x} ({error.reason})"
                raise UserError(f"{place} is not UTF-8: {found}") from None
        text = self.data.decode("utf-8", "replace")
        invalid.places += text.count("\ufffd") - self.data.count(b"\xef\xbf\xbd")
        return text


def _parquet_values(column: Any) -> list[Any]:
    try:
        values: list[Any] = column.to_pylist()
        return values
    except UnicodeDecodeError:
        raw = column.cast("large_binary" if str(column.type) == "large_string" else "binary")
        return [value if value is None else _NotText(value) for value in raw.to_pylist()]


def _note(notes: list[str], text: str) -> None:
    """Documents are read more than once; a note is made once."""
    if text not in notes:
        notes.append(text)
