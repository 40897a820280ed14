"""The classes of code points that a split pattern tells apart, and characters to stand for them."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evalkit.lint import utf8
from tokenizers_impl.patterns.codepoints import Ranges, contains

# Of every kind that a pattern here tells apart, and some more of each: what merges with one neighbour may not with
# another.
_SAMPLES = (
    "aestxzqASZQXlvrdmDLVRMTéßłſÉŁяЯλΛǅʰ中亚的々〇اहאกあ한\u0f72\u0301\u093f\u20dd129٣५Ⅷ²½"
    "'\"!.,;:()/-_=#*<>@[]{}¡“。！€°☃🙂\u200b\ufffd\x01"
)
_BLANKS = " \n\r\t\xa0\u3000"

PER_CLASS = 4
"""Characters that stand for a class, at most."""


class Alphabet:
    """``classes``: the class of all code points from each of these on, as in ``patterns.program.Program``."""

    def __init__(self, classes: list[tuple[int, int]]) -> None:
        starts = [start for start, _ in classes]
        self._starts, self._names = starts, [name for _, name in classes]
        lengths = np.diff([*starts, 0x110000])
        self._class_of: NDArray[np.uint16] = np.repeat(np.array(self._names, dtype=np.uint16), lengths)
        self._first = dict(zip(reversed(self._names), reversed(starts), strict=True))
        self.size = max(self._names) + 1
        self.characters = self._characters()
        self._head_masks: dict[bytes, int] = {}
        self._tail_masks: dict[bytes, int] = {}

    def _characters(self) -> list[list[str]]:
        found: list[list[str]] = [[] for _ in range(self.size)]
        for character in (*_BLANKS, *_SAMPLES):
            members = found[self.class_of(character)]
            if len(members) < PER_CLASS and character not in members:
                members.append(character)
        for start, name in zip(self._starts, self._names, strict=True):
            place = start if not 0xD800 <= start < 0xE000 else 0xE000
            if not found[name] and self.class_of(chr(place)) == name:
                found[name].append(chr(place))
        return found

    def class_of(self, character: str) -> int:
        return self._names[bisect_right(self._starts, ord(character)) - 1]

    def only_character(self, name: int) -> str | None:
        """The one character of a class that has no other."""
        return self._single.get(name)

    @cached_property
    def _single(self) -> dict[int, str]:
        sizes = np.bincount(self._class_of, minlength=self.size)
        return {name: chr(self._first[name]) for name in range(self.size) if sizes[name] == 1}

    def of_each_class(self, code_points: NDArray[np.int64]) -> list[str]:
        """The first and the last of the characters of each class."""
        classes = self._class_of[code_points]
        firsts = np.unique(classes, return_index=True)[1]
        lasts = len(classes) - 1 - np.unique(classes[::-1], return_index=True)[1]
        return [chr(code_points[place]) for place in sorted({*firsts.tolist(), *lasts.tolist()})]

    def mask_of(self, ranges: Ranges) -> int:
        """The classes in a set, a bit for each. The pattern doesn't tell the members of a class apart, so that one
        of them decides."""
        mask = 0
        for name, start in self._first.items():
            if contains(ranges, start):
                mask |= 1 << name
        return mask

    def masks(self, token: bytes) -> list[int]:
        """For each character of a token, whole or not, the classes that it may be of."""
        head, text, tail = utf8.parts(token)
        masks = [1 << self.class_of(character) for character in text]
        if head:
            masks.insert(0, self._of_part(head, self._head_masks, utf8.ending_in))
        if tail:
            masks.append(self._of_part(tail, self._tail_masks, utf8.beginning_with))
        return masks

    def _of_part(self, part: bytes, known: dict[bytes, int], candidates) -> int:  # type: ignore[no-untyped-def]
        if part not in known:
            present = np.unique(self._class_of[candidates(part)])
            known[part] = sum(1 << int(name) for name in present)
        return known[part]
