"""The Unicode classes of every engine here: one generated table, read by the Rust core and by this module.

The table (unicode16.bin, written by tools/make_unicode_table.py) is read on first use.

>>> category(ord("Ǆ")), category(ord("中")), is_han(ord("〇")), is_space(0x1C)
('Lu', 'Lo', True, False)
"""

from __future__ import annotations

import os
import struct
import zlib
from functools import cache

UNICODE_VERSION = "16.0.0"

CATEGORIES = (  # the order is part of the format
    "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe",
    "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
)  # fmt: skip
_MAGIC = b"EVKUNICO"
_HEADER = struct.Struct("<8sH3BBHII")
_CATEGORY, _HAN, _SPACE = 0x1F, 0x20, 0x40
_LETTERS = frozenset(number for number, name in enumerate(CATEGORIES) if name[0] == "L")
_NUMBERS = frozenset(number for number, name in enumerate(CATEGORIES) if name[0] == "N")
_UNASSIGNED = CATEGORIES.index("Cn")


@cache
def _table() -> tuple[int, memoryview, bytes]:
    """(shift, index of blocks, blocks); a file that is not the one this code was written for is refused."""
    path = os.path.join(os.path.dirname(__file__), "unicode16.bin")
    with open(path, "rb") as file:
        data = file.read()
    body = data[_HEADER.size :]
    magic, form, major, minor, patch, shift, entries, size, checksum = _HEADER.unpack_from(data)
    if (magic, form, f"{major}.{minor}.{patch}") != (_MAGIC, 1, UNICODE_VERSION):
        raise RuntimeError(f"{path} is not a table of Unicode {UNICODE_VERSION}: is the installation mixed?")
    if len(body) != 2 * entries + size or zlib.crc32(body) != checksum:
        raise RuntimeError(f"{path} is damaged: its length or checksum is wrong")
    index = struct.unpack_from(f"<{entries}H", body)
    return shift, memoryview(struct.pack(f"={entries}H", *index)).cast("H"), body[2 * entries :]


def _entry(cp: int) -> int:
    if not 0 <= cp <= 0x10FFFF:
        raise ValueError(f"{cp:#x} is not a code point")
    shift, index, blocks = _table()
    return blocks[(index[cp >> shift] << shift) + (cp & ((1 << shift) - 1))]


def category(cp: int) -> str:
    """The general category, for example "Lu"; "Cn" where Unicode 16.0 assigns nothing."""
    return CATEGORIES[_entry(cp) & _CATEGORY]


@cache
def runs() -> tuple[tuple[int, int, str, bool, bool], ...]:
    """The code space from its start: (first, last, category, is_han, is_space) of each run of equal entries."""
    shift, index, blocks = _table()
    size = 1 << shift
    starts: dict[int, list[tuple[int, int]]] = {}  # of the runs inside each block
    for block in set(index):
        entries = blocks[block << shift : (block << shift) + size]
        starts[block] = [(i, entries[i]) for i in range(size) if i == 0 or entries[i] != entries[i - 1]]
    changes: list[tuple[int, int]] = []
    for number, block in enumerate(index):
        for at, entry in starts[block]:
            if not changes or changes[-1][1] != entry:
                changes.append(((number << shift) + at, entry))
    ends = [start - 1 for start, _ in changes[1:]] + [0x10FFFF]
    return tuple(
        (start, end, CATEGORIES[entry & _CATEGORY], bool(entry & _HAN), bool(entry & _SPACE))
        for (start, entry), end in zip(changes, ends, strict=True)
    )


def is_space(cp: int) -> bool:
    r"""What `\s` means in the split patterns: 25 code points (not U+001C to U+001F)."""
    return bool(_entry(cp) & _SPACE)


def is_han(cp: int) -> bool:
    """Script=Han, which is more than ideographs: 々 and 〇 too."""
    return bool(_entry(cp) & _HAN)


def is_letter(cp: int) -> bool:
    r"""`\p{L}`."""
    return _entry(cp) & _CATEGORY in _LETTERS


def is_number(cp: int) -> bool:
    r"""`\p{N}`."""
    return _entry(cp) & _CATEGORY in _NUMBERS


def is_assigned(cp: int) -> bool:
    """Whether Unicode 16.0 assigns the code point (noncharacters count as unassigned, as in `\\p{Cn}`)."""
    return _entry(cp) & _CATEGORY != _UNASSIGNED
