"""What every corpus generator shares: stable randomness, a grammar, and atomic writing with ``--check``.

The committed text must come out byte for byte on every supported Python. ``random.Random`` promises that
only for ``random()`` and ``getrandbits()``; ``choice``, ``shuffle`` and ``sample`` have changed before and
may change again. So generators draw through :class:`Draw` and through nothing else.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

SEPARATOR = "\n<|endoftext|>\n"
"""Stands between two documents of a text corpus: the marker on a line of its own."""

_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class Draw:
    """Seeded draws that are the same on every Python version."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        """An integer from ``low`` to ``high``, both included, of any size."""
        span = high - low + 1
        if span < 1:
            raise ValueError(f"no integer from {low} to {high}")
        # 64 bits beyond the span make the bias of the modulus too small to matter, without a rejection loop.
        return low + self._random.getrandbits(span.bit_length() + 64) % span

    def chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def real(self, low: float, high: float, places: int = 2) -> float:
        return round(low + (high - low) * self._random.random(), places)

    def pick(self, items: Sequence[T]) -> T:
        return items[self.integer(0, len(items) - 1)]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.integer(0, last)
            result[last], result[other] = result[other], result[last]
        return result

    def some(self, items: Iterable[T], count: int) -> list[T]:
        """``count`` different items (all of them where there are fewer)."""
        return self.shuffled(items)[:count]

    def skewed(self, low: int, high: int) -> int:
        """An integer from ``low`` to ``high``, small ones likelier, as in most real quantities."""
        share = self._random.random()
        # Products, not ``**``: a power goes through the platform's C library, and its last bit may differ.
        return low + int((high - low + 0.999) * share * share * share)

    def bits(self, count: int) -> int:
        return self._random.getrandbits(count)

    def hexadecimal(self, length: int) -> str:
        return f"{self._random.getrandbits(4 * length):0{length}x}"

    def digits(self, length: int) -> str:
        """``length`` decimal digits, the first of them not zero."""
        return str(self.integer(1, 9)) + "".join(str(self.integer(0, 9)) for _ in range(length - 1))

    def base64(self, length: int) -> str:
        return "".join(self.pick(_BASE64) for _ in range(length))

    def identifier(self, length: int) -> str:
        return "".join(self.pick("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(length))

    def uuid(self) -> str:
        """A random (version 4) UUID."""
        raw = self.hexadecimal(32)
        return f"{raw[:8]}-{raw[8:12]}-4{raw[13:16]}-{self.pick('89ab')}{raw[17:20]}-{raw[20:]}"

    def moment(self, first_year: int = 2019, last_year: int = 2025) -> datetime:
        start = datetime(first_year, 1, 1)
        seconds = int((datetime(last_year + 1, 1, 1) - start).total_seconds()) - 1
        return start + timedelta(seconds=self.integer(0, seconds), microseconds=self.integer(0, 999_999))

    def ipv4(self) -> str:
        """An address of a documentation or private range: it belongs to nobody."""
        prefix = self.pick(["192.0.2", "198.51.100", "203.0.113", "10.0.3", "10.12.200", "172.16.4"])
        return f"{prefix}.{self.integer(1, 254)}"

    def ipv6(self) -> str:
        groups = [f"{self.bits(16):x}" for _ in range(self.integer(1, 4))]
        return "2001:db8:" + ":".join(groups[:-1]) + ("::" if len(groups) > 1 else ":") + groups[-1]


Rule = Sequence[str] | Callable[[Draw], str]


class Grammar:
    """A context-free grammar over templates: ``{name}`` is replaced by a draw from that rule, recursively.

    ``{Name}`` is the same with the first letter in upper case. A rule is a list of templates or a function.
    """

    _slot = re.compile(r"\{(\w+)\}")

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self.rules = dict(rules)

    def extended(self, rules: Mapping[str, Rule]) -> Grammar:
        return Grammar({**self.rules, **rules})

    def fill(self, draw: Draw, template: str) -> str:
        def replaced(match: re.Match[str]) -> str:
            name = match[1]
            if name in self.rules:
                return self.draw(draw, name)
            text = self.draw(draw, name[0].lower() + name[1:])
            return text[:1].upper() + text[1:]

        return self._slot.sub(replaced, template)

    def draw(self, draw: Draw, name: str) -> str:
        rule = self.rules[name]
        if callable(rule):
            return rule(draw)
        return self.fill(draw, draw.pick(rule))


def documents_of(draw: Draw, kinds: Sequence[Callable[[Draw], str]], size: int) -> list[str]:
    """Documents of every kind in turn, in a drawn order, until they hold about ``size`` UTF-8 bytes."""
    documents: list[str] = []
    total = 0
    while total < size:
        for kind in draw.shuffled(kinds):
            document = kind(draw).strip("\n")
            if document in documents:
                continue  # short tables come out the same now and then, and copies teach nothing
            documents.append(document)
            total += len(document.encode()) + len(SEPARATOR)
            if total >= size:
                break
    return documents


def text_file(documents: Sequence[str]) -> bytes:
    """The documents as one file; refuses what would not come back as the same documents.

    The file ends in one newline, as text files do; it belongs to the last document.
    """
    for number, document in enumerate(documents):
        if not document:
            raise ValueError(f"document {number} is empty")
        if "\r" in document:
            raise ValueError(f"document {number} holds a carriage return")
    joined = SEPARATOR.join(documents)
    if joined.split(SEPARATOR) != list(documents):
        raise ValueError("a document holds the separator")
    if len(set(documents)) != len(documents):
        raise ValueError("two documents are the same")
    return (joined + "\n").encode()


def write_atomically(path: Path, data: bytes) -> None:
    """Write so that a reader sees the old file or the new one, never a part."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)  # mkstemp's 0600 would end up in the archive
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def differing(folder: Path, files: Mapping[str, bytes]) -> list[str]:
    """The names of files in ``folder`` that are missing or are not what they should be."""
    return [
        name for name, data in files.items() if not (folder / name).is_file() or (folder / name).read_bytes() != data
    ]


def main(script: str, build: Callable[[], Mapping[str, bytes]], arguments: Sequence[str] | None = None) -> int:
    """The command line of a generator: write its files, or with ``--check`` compare them; the exit code."""
    folder = Path(script).resolve().parent
    parser = argparse.ArgumentParser(description=f"Writes the corpus in {folder.name}/.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where the files differ")
    check = parser.parse_args(arguments).check
    files = build()
    stale = differing(folder, files)
    for name in stale:
        if check:
            print(f"{folder / name} is not what {Path(script).name} generates", file=sys.stderr)
        else:
            write_atomically(folder / name, files[name])
            print(f"{folder / name}: {len(files[name]):,} bytes")
    return 1 if check and stale else 0
