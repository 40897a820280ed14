"""The texts: files that are given, or text made here, the same on every machine.

Generated text has what the speed of a tokenizer depends on: words by Zipf's law with a long tail, of plausible length,
punctuation, indentation, numbers, scripts of more than one byte a character. It is no language. Compare engines on it,
not vocabularies.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import SEPARATOR


class Draw:
    """Seeded random numbers. The raw bits of PCG64 are the same in every version of numpy, which its
    distributions are not."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def below(self, bound: int, n: int) -> NDArray[np.int64]:
        raw: NDArray[np.uint64] = self._bits.random_raw(n)
        below: NDArray[np.int64] = ((raw >> np.uint64(24)) % np.uint64(bound)).astype(np.int64)
        return below

    def weighted(self, weights: NDArray[np.int64], n: int) -> list[int]:
        ends = np.cumsum(weights)
        places: NDArray[np.int64] = np.searchsorted(ends, self.below(int(ends[-1]), n), side="right")
        found: list[int] = places.tolist()
        return found


def _zipf(n: int) -> NDArray[np.int64]:
    weights: NDArray[np.int64] = np.int64(10**9) // np.arange(2, n + 2, dtype=np.int64)
    return weights


def _distinct(makers: Iterable[str], n: int) -> list[str]:
    found: dict[str, None] = {}
    for made in makers:
        found[made] = None
        if len(found) == n:
            break
    return list(found)


@functools.cache
def _latin_words(n: int) -> list[str]:
    """Invented words, short ones first: what is frequent is short."""
    onsets, nuclei = ["", *"bcdfghlmnprstvw", "th", "st"], [*"aeiou", "ea", "ou"]
    codas = ["", "", "", "", "", "n", "r", "s", "t", "nd"]
    syllables = ["".join(parts) for parts in itertools.product(onsets, nuclei, codas)]
    drawn = iter(Draw(2).below(len(syllables), 12 * n).tolist())

    def make() -> Iterator[str]:
        for number in range(4 * n):
            yield "".join(syllables[next(drawn)] for _ in range((1 + len(str(number))) // 2))

    return _distinct(make(), n)


@functools.cache
def _han_words(n: int) -> list[str]:
    draw = Draw(3)
    lengths = draw.weighted(np.array([3, 10, 2, 2]), 4 * n)
    chars = iter(draw.weighted(_zipf(3500), 16 * n))
    return _distinct(("".join(chr(0x4E00 + next(chars)) for _ in range(length + 1)) for length in lengths), n)


def _prose(draw: Draw, words: list[str], ends: dict[str, int]) -> Iterator[str]:
    """Words with something after each; what ends in a full stop or a line makes the next word a capital."""
    table = [words, [word.capitalize() for word in words]]
    tails = list(ends)
    sentence = [tail.rstrip()[-1:] in (".", "?") for tail in tails]
    weights, zipf = np.array(list(ends.values())), _zipf(len(words))
    upper = True
    while True:
        for word, end in zip(draw.weighted(zipf, 50_000), draw.weighted(weights, 50_000), strict=True):
            yield table[upper][word]
            yield tails[end]
            upper = sentence[end]


def _english(draw: Draw) -> Iterator[str]:
    words = _latin_words(40_000)
    ends = {" ": 800, ", ": 60, ". ": 40, ".\n\n": 8, "? ": 5, "; ": 5, "'s ": 12, "n't ": 6, " - ": 3, "-": 5}
    return _prose(draw, words, ends | {" 17 ": 2, " 1984, ": 2, ' "': 6, '." "': 3, "\n": 15})


def _chinese(draw: Draw) -> Iterator[str]:
    words = _han_words(40_000)
    return _prose(
        draw, words, {"": 800, "，": 90, "。": 50, "。\n": 12, "、": 20, "“": 6, "”": 6, "2024年": 4, " ID ": 2}
    )


def _lines(draw: Draw, templates: list[str], names: list[str]) -> Iterator[str]:
    """Templates whose ``%s`` are names and whose ``%d`` and ``%x`` are numbers."""
    kinds = [[template[place + 1] for place in _places(template)] for template in templates]
    zipf = _zipf(len(names))
    while True:
        lines = draw.below(len(templates), 20_000).tolist()
        words, numbers = iter(draw.weighted(zipf, 160_000)), iter(draw.below(10**9, 160_000).tolist())
        for line in lines:
            slots = [names[next(words)] if kind == "s" else _number(next(numbers)) for kind in kinds[line]]
            yield templates[line] % tuple(slots)


def _places(template: str) -> list[int]:
    return [place for place, char in enumerate(template) if char == "%"]


def _number(drawn: int) -> int:
    """Small numbers are frequent."""
    digits: int = 10 ** (1 + drawn // 10 % 6)
    return drawn % digits


def _code(draw: Draw) -> Iterator[str]:
    words = _latin_words(3_000)
    zipf = _zipf(len(words))
    pairs = zip(draw.weighted(zipf, 60_000), draw.weighted(zipf, 60_000), draw.below(4, 60_000).tolist(), strict=True)
    forms: list[Callable[[str, str], str]] = [
        lambda a, b: a,
        lambda a, b: f"{a}_{b}",
        lambda a, b: a + b.capitalize(),
        lambda a, b: a.capitalize() + b.capitalize(),
    ]
    names = _distinct((forms[form](words[a], words[b]) for a, b, form in pairs), 15_000)
    return _lines(
        draw,
        [
            "def %s(self, %s, %s=%d):\n",
            "    %s = self.%s(%s, %d)\n",
            "        if %s.%s == %d and not %s:\n",
            "            return %s[%d]\n",
            "        for %s in range(%d):\n",
            "            self.%s += %s * 0x%x\n",
            '        raise ValueError(f"%s is {%s}, not %s")\n',
            "    # %s the %s of %s, see %s\n",
            "\n",
            "        }\n\n",
            "\t%s := %s.%s(%s)\n",
            "static int %s(struct %s *%s) {\n",
            "import %s.%s\n",
        ],
        names,
    )


def _json(draw: Draw) -> Iterator[str]:
    record = '{"id": %d, "name": "%s %s", "tags": ["%s", "%s"], "score": %d.%d, "active": true, "hash": "%x%x"}\n'
    nested = '  {"%s": {"x": -%d, "y": %d}, "url": "https://example.org/%s/%s?id=%d", "note": null},\n'
    return _lines(draw, [record, nested], _latin_words(20_000))


KINDS: dict[str, Callable[[Draw], Iterator[str]]] = {
    "english": _english,
    "code": _code,
    "chinese": _chinese,
    "json": _json,
}


def generate(kind: str, size: int, seed: int = 1) -> str:
    """``size`` bytes of text of a kind, or a few less where the last character would be cut."""
    parts, total = [], 0
    for part in KINDS[kind](Draw(seed)):
        parts.append(part)
        total += len(part) if part.isascii() else len(part.encode())
        if total >= size:
            break
    return "".join(parts).encode()[:size].decode("utf-8", "ignore")


@dataclass(frozen=True)
class TextFile:
    name: str
    path: Path
    bytes: int
    sha256: str

    @classmethod
    def of(cls, path: Path, name: str = "") -> TextFile:
        digest, size = hashlib.sha256(), 0
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
                size += len(block)
        return cls(name or path.name, path, size, digest.hexdigest())


def generated_file(folder: Path, kind: str, size: int) -> TextFile:
    path = folder / f"{kind}.txt"
    path.write_text(generate(kind, size), encoding="utf-8", newline="")
    return TextFile.of(path, f"generated {kind}")


def read(path: str, limit: int | None = None) -> str:
    """A file's text, or its beginning, for encoding. Separators between documents are taken out: as data some engines
    take them for text, others for special tokens."""
    with open(path, "rb") as file:
        data = file.read() if limit is None else file.read(limit)
    return data.decode("utf-8", "ignore" if limit is not None else "strict").replace(SEPARATOR, "")


def documents(text: str, chars: int = 4000) -> list[str]:
    return [text[start : start + chars] for start in range(0, len(text), chars)]
