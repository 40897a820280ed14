"""Reading files that nobody vouches for: every way they can be wrong is one clear error naming file and
place."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from tokenizers_impl.errors import TokenizerError, shorten, suggestion

MAX_FILE_BYTES = 512 << 20
"""The largest file that is read; the largest published vocabularies are about 20 MB."""
MAX_DEPTH = 64
"""The deepest nesting of a JSON file; ours has four levels, published tokenizers about ten."""
MAX_ID = (1 << 31) - 1
"""The largest id; ids are stored as 32-bit integers by everything that comes after."""

_BOM = b"\xef\xbb\xbf"

# A string that doesn't end runs to the end of the file: the pattern then matches all the same, so that it is
# never tried again from the next quote, which would take quadratic time.
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
_ALL_BUT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def read_file(path: Path) -> bytes:
    """The file's bytes. A missing file stays ``FileNotFoundError``, with a sentence of its own."""
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise TokenizerError(f"{path} is a folder where a file is expected")
        if size > MAX_FILE_BYTES:
            raise TokenizerError(f"{path} has {size:,} bytes; no tokenizer file is larger than {MAX_FILE_BYTES:,}")
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)  # what has no size, or grows meanwhile, is bounded too
    except FileNotFoundError:
        raise FileNotFoundError(f"no such file: {path}") from None
    except OSError as error:
        raise TokenizerError(f"{path} can't be read: {error.strerror or error}") from None
    if len(data) > MAX_FILE_BYTES:
        raise TokenizerError(f"{path} is larger than {MAX_FILE_BYTES:,} bytes")
    if not data:
        raise TokenizerError(f"{path} is empty")
    return data


def decode(data: bytes, path: Path) -> str:
    """The text of a UTF-8 file, without a byte-order mark."""
    try:
        return data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TokenizerError(f"{path} is not UTF-8: line {line}, byte {error.start}") from None


class JsonValue:
    """A value read from a JSON file, and where it stands: every wrong type is an error naming file and
    key."""

    __slots__ = ("file", "key", "raw")

    def __init__(self, raw: Any, file: Path, key: str = "") -> None:
        self.raw, self.file, self.key = raw, file, key

    def fail(self, message: str) -> NoReturn:
        key = self.key if len(self.key) <= 120 else self.key[:119] + "…"
        place = f"{self.file}: {key}: " if key else f"{self.file}: "
        raise TokenizerError(place + message)

    def _is(self, kind: type | tuple[type, ...], expected: str) -> Any:
        if not isinstance(self.raw, kind) or (isinstance(self.raw, bool) and kind is not bool):
            self.fail(f"expected {expected}, got {_name(self.raw)}")
        return self.raw

    def at(self, key: str | int) -> JsonValue:
        """A member or an item, which exists."""
        if isinstance(key, int):
            return JsonValue(self.raw[key], self.file, f"{self.key}[{key}]")
        return JsonValue(self.raw[key], self.file, f"{self.key}.{key}" if self.key else key)

    def members(self, required: Iterable[str], optional: Iterable[str] = ()) -> dict[str, JsonValue]:
        """All members of an object; a missing and an unknown one are errors."""
        found = self._is(dict, "an object")
        required = list(required)
        known = [*required, *optional]
        for name in required:
            if name not in found:
                self.fail(f"the key {name!r} is missing")
        for name in found:
            if name not in known:
                self.fail(f"unknown key {shorten(name)}{suggestion(name, known)}; the keys are {', '.join(known)}")
        return {name: self.at(name) for name in found}

    def mapping(self) -> dict[str, Any]:
        found: dict[str, Any] = self._is(dict, "an object")
        return found

    def items(self) -> list[Any]:
        found: list[Any] = self._is(list, "a list")
        return found

    def text(self) -> str:
        found: str = self._is(str, "a text")
        if not _well_formed(found):
            self.fail("the text has half a surrogate pair in it")
        return found

    def integer(self, low: int = 0, high: int = MAX_ID) -> int:
        found: int = self._is(int, "an integer")
        if not low <= found <= high:
            self.fail(f"{shorten(found)} is not between {low:,} and {high:,}")
        return found

    def boolean(self) -> bool:
        found: bool = self._is(bool, "true or false")
        return found

    def number(self) -> float:
        found = self._is((int, float), "a number")
        if not math.isfinite(found):
            self.fail(f"{found} is not a finite number")
        return float(found)

    def texts(self) -> list[str]:
        """A list of texts."""
        found = self.items()
        if not (set(map(type, found)) <= {str} and _well_formed("".join(found))):
            for index in range(len(found)):
                self.at(index).text()
        return found

    def integers(self, low: int = 0, high: int = MAX_ID) -> list[int]:
        """A list of integers within bounds."""
        found = self.items()
        if found and not (set(map(type, found)) == {int} and low <= min(found) and max(found) <= high):
            for index in range(len(found)):
                self.at(index).integer(low, high)
        return found

    def ids_by_text(self) -> dict[str, int]:
        """An object of texts with their ids."""
        return {name: self.at(name).integer() for name in self.mapping()}


def parse_json(data: bytes, path: Path) -> JsonValue:
    """The value of a JSON file in UTF-8; a key given twice, ``NaN`` and deep nesting are refused."""
    text = decode(data, path)
    _check_depth(data, path)
    try:
        return JsonValue(json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_no_constant), path)
    except json.JSONDecodeError as error:
        left = len(text.rstrip()) - error.pos
        ends = left <= 0 or "Unterminated" in error.msg or ("escape" in error.msg and left <= len(r"\u0000"))
        cut = " (is the file cut short?)" if ends else ""
        raise TokenizerError(
            f"{path} is not valid JSON: line {error.lineno}, column {error.colno}: {error.msg}{cut}"
        ) from None
    except ValueError as error:  # a duplicate key, a constant, or an integer of thousands of digits
        raise TokenizerError(f"{path}: {error}") from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"the key {shorten(key)} is given twice in one object")
            seen.add(key)
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _check_depth(data: bytes, path: Path) -> None:
    """Python's own JSON reader recurses, so that the depth is known before it is called. Only brackets
    outside strings are left, and matching pairs are taken out level by level: a few passes at the speed of
    C."""
    brackets = _STRING.sub(b"", data).translate(None, _ALL_BUT_BRACKETS)
    for _ in range(MAX_DEPTH):
        inside = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if inside == brackets:
            break
        brackets = inside
    depth = 0
    for bracket in brackets:  # what is left is too deep, or doesn't match; the latter is for the JSON reader to say
        depth += 1 if bracket in b"[{" else -1
        if depth > MAX_DEPTH:
            raise TokenizerError(f"{path}: the JSON is nested deeper than {MAX_DEPTH} levels")


def _well_formed(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _name(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", int: "an integer", float: "a decimal number"}
    return "null" if value is None else "true or false" if isinstance(value, bool) else names[type(value)]
