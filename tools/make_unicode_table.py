"""Writes tokenizers_impl/unicode16.bin, the one table of Unicode classes that every engine here reads.

    python -m venv /tmp/u16 && /tmp/u16/bin/pip install "regex>=2024.11.6,<2025.10"
    /tmp/u16/bin/python tools/make_unicode_table.py            # writes; --check only compares

The classes come from the `regex` package, at a version that knows exactly Unicode 16.0: its meaning of
`\\s` and `\\p{...}` is the one the split patterns are written for. The package does not tell its Unicode
version, so the counts of a few classes are probed, and any other version is refused.

The file, little-endian (`tokenizers_impl/unicode_data.py` and `native/src/unicode.rs` read it):

    0   8  magic  b"EVKUNICO"
    8   2  format version, 1
    10  3  Unicode version: major, minor, patch
    13  1  shift: a block holds 1 << shift code points
    14  2  number of entries of the index (0x110000 >> shift)
    16  4  number of bytes of the blocks
    20  4  CRC-32 of everything after the header
    24  …  the index: per block of code points one u16, the number of its (shared) block
    …   …  the blocks: per code point one byte, general category (0–29, CATEGORIES) | 0x20 Han | 0x40 \\s
"""

from __future__ import annotations

import argparse
import struct
import sys
import zlib
from pathlib import Path

import regex

OUT = Path(__file__).resolve().parent.parent / "tokenizers_impl" / "unicode16.bin"
MAGIC = b"EVKUNICO"
FORMAT = 1
UNICODE = (16, 0, 0)
CATEGORIES = (  # the order is part of the format
    "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe",
    "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
)  # fmt: skip
HAN, SPACE = 0x20, 0x40
SHIFT = 7  # the smallest file but one: 6 gives 62 kB, 7 51 kB, 8 51 kB
EXPECTED = {r"\p{L}": 141_028, r"\p{N}": 1_911, r"\s": 25, r"\p{Han}": 99_030, r"\p{Cn}": 819_533}


def class_bytes() -> bytearray:
    """One byte per code point; raises SystemExit where `regex` is not one of Unicode 16.0."""
    everything = "".join(map(chr, range(0x110000)))
    for pattern, expected in EXPECTED.items():
        found = len(regex.findall(pattern, everything))
        if found != expected:
            raise SystemExit(
                f"regex {regex.__version__} has {found:,} code points in {pattern}, Unicode 16.0 has "
                f"{expected:,}: use regex >= 2024.11.6, < 2025.10"
            )
    table = bytearray(b"\xff" * 0x110000)
    for number, category in enumerate(CATEGORIES):
        for match in regex.finditer(rf"\p{{{category}}}", everything):
            assert table[match.start()] == 0xFF, f"U+{match.start():04X} is in two categories"
            table[match.start()] = number
    assert 0xFF not in table
    for pattern, flag in ((r"\p{Script=Han}", HAN), (r"\s", SPACE)):
        for match in regex.finditer(pattern, everything):
            table[match.start()] |= flag
    return table


def pack(table: bytearray) -> bytes:
    size = 1 << SHIFT
    numbers: dict[bytes, int] = {}
    index = [numbers.setdefault(bytes(table[at : at + size]), len(numbers)) for at in range(0, len(table), size)]
    body = struct.pack(f"<{len(index)}H", *index) + b"".join(numbers)
    sizes = (SHIFT, len(index), len(numbers) * size, zlib.crc32(body))
    return struct.pack("<8sH3BBHII", MAGIC, FORMAT, *UNICODE, *sizes) + body


def main() -> int:
    parser = argparse.ArgumentParser(description="Write (or --check) the table of Unicode classes.")
    parser.add_argument("--check", action="store_true", help="compare with the committed file, write nothing")
    arguments = parser.parse_args()
    packed = pack(class_bytes())
    if arguments.check:
        same = OUT.read_bytes() == packed
        print(f"{OUT.name} is {'as generated' if same else 'NOT as generated'}")
        return 0 if same else 1
    OUT.write_bytes(packed)
    print(f"wrote {OUT}: {len(packed):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
