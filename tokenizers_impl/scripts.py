"""The script of a character or text, by the Unicode property Script: one generated table (scripts16.bin, written by
tools/make_script_table.py) of the same Unicode version as all classes here, read on first use.

>>> script_of("a"), script_of("中"), script_of("1"), script_of("\\u0301")
('Latin', 'Han', 'Common', 'Inherited')
"""

from __future__ import annotations

import os
import struct
import zlib
from bisect import bisect_right
from functools import cache, lru_cache

from tokenizers_impl.unicode_data import UNICODE_VERSION

COMMON, INHERITED, UNKNOWN = "Common", "Inherited", "Unknown"
MIXED = "mixed"
"""What a text of several scripts has."""

_MAGIC = b"EVKSCRPT"
_HEADER = struct.Struct("<8sH3BBHII")
_START = (1 << 21) - 1  # bits of a run that are its first code point; the number of its name is above


@cache
def _table() -> tuple[list[int], list[str]]:
    """(first code point, name) of each run; a file that is not the one this code was written for is refused."""
    path = os.path.join(os.path.dirname(__file__), "scripts16.bin")
    with open(path, "rb") as file:
        data = file.read()
    body = data[_HEADER.size :]
    magic, form, major, minor, patch, _, size, runs, checksum = _HEADER.unpack_from(data)
    if (magic, form, f"{major}.{minor}.{patch}") != (_MAGIC, 1, UNICODE_VERSION):
        raise RuntimeError(f"{path} is not a table of Unicode {UNICODE_VERSION}: is the installation mixed?")
    if len(body) != size + 4 * runs or zlib.crc32(body) != checksum:
        raise RuntimeError(f"{path} is damaged: its length or checksum is wrong")
    names = body[:size].decode().split("\n")
    packed = struct.unpack_from(f"<{runs}I", body, size)
    return [run & _START for run in packed], [names[run >> 21] for run in packed]


@lru_cache(maxsize=1 << 16)
def script_of(character: str) -> str:
    """The script of one character: ``Common`` for what many scripts share (digits, signs, blanks), ``Inherited`` for
    marks that take that of the character before, ``Unknown`` for what Unicode 16.0 doesn't assign."""
    starts, names = _table()
    return names[bisect_right(starts, ord(character)) - 1]


def script_of_text(text: str) -> str:
    """The one script of the text's characters, those that have none of their own left out; ``mixed`` where there
    are several, ``Common`` where there is none.

    >>> script_of_text(" the"), script_of_text("12"), script_of_text("aя"), script_of_text("e\\u0301")
    ('Latin', 'Common', 'mixed', 'Latin')
    """
    if text.isascii():
        return "Latin" if any(map(str.isalpha, text)) else COMMON
    found = set(map(script_of, text)) - {COMMON, INHERITED}
    if len(found) > 1:
        return MIXED
    return found.pop() if found else COMMON
