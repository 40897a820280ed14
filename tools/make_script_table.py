r"""Writes tokenizers_impl/scripts16.bin, the table of scripts (the Unicode property Script).

    python -m venv /tmp/u16 && /tmp/u16/bin/pip install "regex>=2024.11.6,<2025.10"
    /tmp/u16/bin/python tools/make_script_table.py            # writes; --check only compares

From the `regex` package at a version that knows exactly Unicode 16.0, as `make_unicode_table.py` has it, which also
refuses any other. The file, little-endian (`tokenizers_impl/scripts.py` reads it):

    0   8  magic  b"EVKSCRPT"
    8   2  format version, 1
    10  3  Unicode version: major, minor, patch
    13  1  0
    14  2  bytes of the names
    16  4  number of runs
    20  4  CRC-32 of everything after the header
    24  …  the names, with a newline between them, in alphabetical order
    …   …  per run of code points of one script a u32: the first of them, and the number of the name << 21
"""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path

import regex
from make_unicode_table import UNICODE, class_bytes

OUT = Path(__file__).resolve().parent.parent / "tokenizers_impl" / "scripts16.bin"
MAGIC = b"EVKSCRPT"
FORMAT = 1


# `regex` has the names in capitals without gaps; these are the words that begin those of more than one.
FIRST_WORDS = (
    "OLD NORTH", "OLD SOUTH", "OLD", "CANADIAN", "EGYPTIAN", "ANATOLIAN", "IMPERIAL", "INSCRIPTIONAL", "MEROITIC",
    "LINEAR", "NEW TAI", "TAI", "PSALTER", "SORA", "WARANG", "SYLOTI", "PHAGS", "PAHAWH", "MEETEI", "MENDE", "PAU CIN",
    "HANIFI", "NYIAKENG PUACHUE", "KHITAN SMALL", "DIVES", "CYPRO", "TULU", "GURUNG", "KIRAT", "GUNJALA", "MASARAM",
    "CAUCASIAN", "BASSA", "NAG", "KAYAH", "ZANABAZAR", "OL",
)  # fmt: skip


def readable(name: str) -> str:
    """OLDITALIC as Old Italic."""
    for words in FIRST_WORDS:
        joined = words.replace(" ", "")
        if name.startswith(joined) and len(name) > len(joined):
            return f"{words} {name[len(joined) :]}".title()
    return name.title()


def scripts() -> list[str]:
    """The script of every code point."""
    everything = "".join(map(chr, range(0x110000)))
    found = [""] * 0x110000
    names: dict[int, str] = {}
    for name, number in regex._regex_core.PROPERTIES["SCRIPT"][1].items():
        names.setdefault(number, name)  # the long name is the first
    for name in names.values():
        for match in regex.finditer(rf"\p{{Script={name}}}", everything):
            assert not found[match.start()], f"U+{match.start():04X} is in two scripts"
            found[match.start()] = readable(name)
    missing = found.count("")
    assert not missing, f"{missing:,} code points have no script"
    return found


def table() -> bytes:
    class_bytes()  # refuses another Unicode version
    by_code_point = scripts()
    names = sorted(set(by_code_point))
    number = {name: i for i, name in enumerate(names)}
    runs = [
        cp | number[name] << 21 for cp, name in enumerate(by_code_point) if cp == 0 or by_code_point[cp - 1] != name
    ]
    text = "\n".join(names).encode()
    body = text + struct.pack(f"<{len(runs)}I", *runs)
    return struct.pack("<8sH3BBHII", MAGIC, FORMAT, *UNICODE, 0, len(text), len(runs), zlib.crc32(body)) + body


if __name__ == "__main__":
    made = table()
    if "--check" in sys.argv[1:]:
        raise SystemExit(None if OUT.read_bytes() == made else f"{OUT} is not what this writes")
    OUT.write_bytes(made)
    print(f"{OUT}: {len(made):,} bytes")
