"""How the reference engine splits: by the ``regex`` package, on patterns that no version of it can read differently.

``regex`` knows newer Unicode tables than the one we commit to. So the text is first rewritten letter by letter, and
offsets stay. For a registered pattern, every code point outside ASCII becomes one fixed representative of its class
in *our* table, which the pattern can't tell from it. For any other pattern, every code point becomes the sign of its
class (``tokenizers_impl.patterns.program``), and the pattern is written anew over these signs.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import time
from collections.abc import Iterable, Iterator

import regex

from tokenizers_impl import unicode_data
from tokenizers_impl.errors import TokenizerError, shorten
from tokenizers_impl.lexicon import MAX_WORD, cut_han_run
from tokenizers_impl.patterns.program import UNBOUNDED
from tokenizers_impl.registry import VARIANTS

# How long a pattern may take for one text, and for each million characters of a longer one.
MATCH_SECONDS = 10.0


def _seconds(text: str) -> float:
    return MATCH_SECONDS * max(1, len(text) / 1e6)


# One code point for each general category, none of them ASCII (which patterns name literally) or Han.
_REPRESENTATIVES = {
    "Lu": "À", "Ll": "à", "Lt": "ǅ", "Lm": "ʰ", "Lo": "א",
    "Mn": "\u0300", "Mc": "\u0903", "Me": "\u0488",
    "Nd": "\u0660", "Nl": "\u16ee", "No": "²",
}  # fmt: skip
_OTHER, _BLANK, _HAN = "¡", "\u3000", "一"
_LONG_S = 0x17F  # the one letter outside ASCII that a pattern's (?i:…) matches


class _Representatives(dict[int, str]):
    """The mapping for ``str.translate``, filled as code points are met."""

    def __init__(self, han_apart: bool) -> None:
        super().__init__()
        self.han_apart = han_apart

    def __missing__(self, code_point: int) -> str:
        if code_point < 0x80 or code_point == _LONG_S:
            mapped = chr(code_point)
        elif unicode_data.is_space(code_point):
            mapped = _BLANK
        elif self.han_apart and unicode_data.is_han(code_point):
            mapped = _HAN
        else:
            mapped = _REPRESENTATIVES.get(unicode_data.category(code_point), _OTHER)
        self[code_point] = mapped
        return mapped


_representatives = functools.cache(_Representatives)  # one for all splitters: what one has met, no other looks up


class _Classes(dict[int, str]):
    """The mapping for ``str.translate`` from a code point to the sign of its class."""

    def __init__(self, classes: list[tuple[int, int]]) -> None:
        super().__init__()
        self.starts = [start for start, _ in classes]
        self.names = [name for _, name in classes]

    def __missing__(self, code_point: int) -> str:
        self[code_point] = _sign(self.names[bisect.bisect_right(self.starts, code_point) - 1])
        return self[code_point]


def _sign(class_name: int) -> str:
    """What stands for a class in a translated text: a character for private use, which no pattern treats apart."""
    return chr(0xF0000 + class_name)


_LOOKS = {"ahead": "(?=", "not_ahead": "(?!", "behind": "(?<=", "not_behind": "(?<!", "atomic": "(?>"}
_EDGES = {"start": r"\A", "end": r"\Z"}
_MODES = {"greedy": "", "lazy": "?", "possessive": "+"}


def _regex_of(sets: list[list[int]], nodes: list[tuple[str, int, int]]) -> str:
    """The pattern over the signs of classes: nothing is left in it that depends on Unicode or case."""
    stack: list[str] = []
    for what, a, b in nodes:
        if what == "set":
            signs = "".join(map(_sign, sets[a]))
            stack.append(f"[{signs}]" if signs else "(?!)")
        elif what in ("sequence", "either"):
            parts = stack[len(stack) - a :]
            del stack[len(stack) - a :]
            stack.append(f"(?:{('' if what == 'sequence' else '|').join(parts)})")
        elif what in _MODES:
            high = "" if b == UNBOUNDED else b
            stack.append(f"(?:{stack.pop()}){{{a},{high}}}{_MODES[what]}")
        elif what in _LOOKS:
            stack.append(f"{_LOOKS[what]}{stack.pop()})")
        else:
            stack.append(_EDGES[what])
    (whole,) = stack
    return whole


class Splitter:
    """Cuts a text into pretokens."""

    engine = "reference"

    def __init__(self, kind: str, lexicon: list[str] | None = None, right_to_left: bool = False) -> None:
        if kind not in VARIANTS:
            raise ValueError(f"there is no splitter {kind!r}")
        variant = VARIANTS[kind]
        if right_to_left and not variant.has_direction:
            raise ValueError(f"the variant {kind!r} has no groups of digits that could be counted from the right")
        self.right_to_left = right_to_left
        if variant.uses_lexicon != (lexicon is not None):
            raise ValueError(f"the variant {kind!r} {'needs' if variant.uses_lexicon else 'takes no'} word list")
        self.kind = kind
        self.lexicon = frozenset(lexicon) if lexicon is not None else None
        for word in self.lexicon or ():
            if not 2 <= len(word) <= MAX_WORD or not all(unicode_data.is_han(ord(c)) for c in word):
                raise ValueError(f"{word!r} is not a word of 2 to {MAX_WORD} Han characters")
        self._pattern = regex.compile(variant.pattern)
        self._table: dict[int, str] = _representatives("Han" in variant.pattern)
        self.streams = kind != "bytes_only"

    @classmethod
    def general(
        cls,
        pattern: str,
        classes: list[tuple[int, int]],
        sets: list[list[int]],
        nodes: list[tuple[str, int, int]],
    ) -> Splitter:
        """Any pattern, as :mod:`tokenizers_impl.patterns.program` puts it."""
        self = cls.__new__(cls)
        self.kind = pattern
        self.lexicon, self.right_to_left, self.streams = None, False, False
        self._pattern = regex.compile(_regex_of(sets, nodes))
        self._table = _Classes(classes)
        return self

    def split(self, text: str) -> list[str]:
        pieces = self._pieces(text)
        if self.right_to_left:
            return groups_from_the_right(pieces)
        if self.lexicon is None:
            return pieces
        return [word for piece in pieces for word in self._words(piece)]

    def _pieces(self, text: str) -> list[str]:
        """All matches by one call, in a third of the time that a search for each takes, if they are all of the text
        (for a registered pattern they are)."""
        try:
            found = self._pattern.findall(text.translate(self._table), timeout=_seconds(text))
        except TimeoutError:
            raise self._takes_too_long(text) from None
        ends = list(itertools.accumulate(map(len, found)))
        if not all(found) or (ends[-1] if ends else 0) < len(text):
            return self._pieces_with_gaps(text)
        return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def _pieces_with_gaps(self, text: str) -> list[str]:
        pieces = []
        at = 0
        for start, end in self._matches(text):
            if start > at:  # what a pattern doesn't match is a pretoken of its own
                pieces.append(text[at:start])
            pieces.append(text[start:end])
            at = end
        if at < len(text):
            pieces.append(text[at:])
        return pieces

    def _matches(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the pattern matches; a match of nothing is none, and the next one begins after it."""
        translated = text.translate(self._table)
        deadline = time.monotonic() + _seconds(text)
        at = 0
        while at <= len(text):
            try:
                match = self._pattern.search(translated, at, timeout=max(0.001, deadline - time.monotonic()))
            except TimeoutError:
                raise self._takes_too_long(text) from None
            if match is None:
                return
            start, end = match.span()
            if start < end:
                yield start, end
            at = end if start < end else end + 1

    def _takes_too_long(self, text: str) -> TokenizerError:
        return TokenizerError(
            f"the split pattern {shorten(self.kind)} takes too long on a text of {len(text.encode()):,} bytes: "
            "it tries the same text in too many ways; make its repeats possessive, or its alternatives exclude "
            "one another"
        )

    def safe_cut(self, text: str, at: int) -> int:
        """The first place from ``at`` on where the text can be cut without changing its pretokens, by trying; its
        length where there is none, and for a splitter that doesn't stream."""
        if self.streams:
            whole = self.split(text)
            for cut in range(max(1, at), len(text)):
                if self.split(text[:cut]) + self.split(text[cut:]) == whole:
                    return cut
        return len(text)

    def _words(self, piece: str) -> Iterable[str]:
        if not unicode_data.is_han(ord(piece[0])):
            return (piece,)
        assert self.lexicon is not None
        return cut_han_run(piece, self.lexicon)


def groups_from_the_right(pieces: list[str]) -> list[str]:
    """The pretokens with the digits of each number grouped from its right end; a blank before it stays with the
    first group. Groups of one number are neighbours: the first ends with a digit, and the next begins with one."""
    grouped: list[str] = []
    at = 0
    while at < len(pieces):
        number = pieces[at]
        at += 1
        while at < len(pieces) and groups_joined(number, pieces[at]):
            number += pieces[at]
            at += 1
        if not _is_digit(number[-1]):
            grouped.append(number)
            continue
        blanks = number[0] == " "
        end = blanks + (len(number) - blanks - 1) % 3 + 1
        grouped.append(number[:end])
        grouped += [number[start : start + 3] for start in range(end, len(number), 3)]
    return grouped


def _is_digit(character: str) -> bool:
    return unicode_data.is_number(ord(character))


def groups_joined(left: str, right: str) -> bool:
    return _is_digit(left[-1]) and _is_digit(right[0])
