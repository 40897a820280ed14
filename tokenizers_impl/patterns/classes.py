r"""Classes: names, escapes, and ``[…]`` with what may stand in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tokenizers_impl.patterns.codepoints import (
    NOTHING,
    Ranges,
    cased_beyond_ascii,
    categories,
    complement,
    difference,
    han,
    intersection,
    single,
    space,
    union,
)
from tokenizers_impl.unicode_data import CATEGORIES

if TYPE_CHECKING:
    from tokenizers_impl.patterns.parse import _Parser

CONTROLS = {"r": "\r", "n": "\n", "t": "\t", "f": "\f", "v": "\v", "a": "\a"}

LETTERS: dict[str, Callable[[], Ranges]] = {
    "s": space,
    "S": lambda: complement(space()),
    "d": lambda: categories(frozenset(("Nd",))),
    "D": lambda: complement(categories(frozenset(("Nd",)))),
}

REFUSED = {
    "w": r"word characters (\w, for which the Unicode table here has no data) are",
    "W": r"word characters (\w, for which the Unicode table here has no data) are",
    "b": "word boundaries are",
    "B": "word boundaries are",
    "A": "the start of the text inside a class is",
    "z": "the end of the text inside a class is",
    "Z": "the end of the text inside a class is",
    "h": r"\h (blanks or hexadecimal digits, by engine) is",
    "H": r"\H (blanks or hexadecimal digits, by engine) is",
    "R": r"\R (line ends) is",
    "X": r"\X (grapheme clusters) is",
    "K": r"\K (a match that starts later) is",
    "G": r"\G (the end of the last match) is",
    "N": r"\N (named characters) is",
    "k": "references to groups are",
    "g": "references to groups are",
    "Q": "quoting is",
    "E": "quoting is",
}

_LONG = {
    "letter": "L", "casedletter": "LC", "uppercaseletter": "Lu", "lowercaseletter": "Ll", "titlecaseletter": "Lt",
    "modifierletter": "Lm", "otherletter": "Lo", "mark": "M", "nonspacingmark": "Mn", "spacingmark": "Mc",
    "enclosingmark": "Me", "number": "N", "decimalnumber": "Nd", "letternumber": "Nl", "othernumber": "No",
    "punctuation": "P", "connectorpunctuation": "Pc", "dashpunctuation": "Pd", "openpunctuation": "Ps",
    "closepunctuation": "Pe", "initialpunctuation": "Pi", "finalpunctuation": "Pf", "otherpunctuation": "Po",
    "symbol": "S", "mathsymbol": "Sm", "currencysymbol": "Sc", "modifiersymbol": "Sk", "othersymbol": "So",
    "separator": "Z", "spaceseparator": "Zs", "lineseparator": "Zl", "paragraphseparator": "Zp",
    "other": "C", "control": "Cc", "format": "Cf", "surrogate": "Cs", "privateuse": "Co", "unassigned": "Cn",
}  # fmt: skip
_NAMES = {name.lower(): frozenset((name,)) for name in CATEGORIES}
_NAMES |= {start.lower(): frozenset(name for name in CATEGORIES if name[0] == start) for start in "LMNPSZC"}
_NAMES["lc"] = _NAMES["l&"] = frozenset(("Lu", "Ll", "Lt"))
_NAMES |= {long: _NAMES[short.lower()] for long, short in _LONG.items()}


def named(name: str) -> Ranges | None:
    r"""The set of ``\p{name}``, or None. Names are compared loosely, as everywhere: case, ``_``, ``-`` and blanks
    don't count."""
    kind, equals, value = name.replace(":", "=").rpartition("=")
    kind, value = _loose(kind), _loose(value)
    if kind in ("", "gc", "generalcategory") and value in _NAMES and (kind or not equals):
        return categories(_NAMES[value])
    if (not equals or kind in ("sc", "script")) and value in ("han", "hani"):
        return han()
    return None


def _loose(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


def is_cased(ranges: Ranges) -> bool:
    """Whether a literal has a letter whose other case isn't known here."""
    return intersection(ranges, cased_beyond_ascii()) != NOTHING


def is_open_to_case(ranges: Ranges) -> bool:
    """Whether a named class has letters (or the one mark) with another case. Numbers and symbols with two cases have
    both in one class."""
    letters = union(categories(frozenset(("Lu", "Ll", "Lt"))), ((0x345, 0x345),))
    return intersection(ranges, letters) != NOTHING


# ── […] ─────────────────────────────────────────────────────────────────────────────────────────────────────────

_OPERATIONS = {"&&": intersection, "--": difference}


def read(parser: _Parser) -> Ranges:
    """The set of ``[…]``. A ``]`` right after the opening and a ``-`` at either end are themselves; a ``[`` opens a
    class in the class; ``&&`` and ``--`` have on both sides what stands there together, from left to right."""
    start = parser.at
    parser.at += 1
    parser.depth += 1
    if parser.depth > 50:
        parser.fail("classes inside classes, too deep")
    negative = parser.take("^")
    result: Ranges | None = None
    operation = ""
    items: list[Ranges] = []
    first = parser.at
    if parser.peek(2) == "--":
        parser.fail("-- with nothing before it", parser.at, 2)
    while True:
        at = parser.at
        character = parser.peek()
        if character == "":
            parser.fail("a class that is never closed", start, 1)
        pair = parser.peek(2)
        if character == "]" and at != first:
            parser.at += 1
        elif pair in ("&&", "--", "~~"):
            if pair == "~~":
                parser.fail("the symmetric difference ~~ is not supported", at, 2)
            if not items:
                parser.fail(f"{pair} with nothing before it", at, 2)
            if pair == "--":
                parser.others.append("--")
            parser.at += 2
        else:
            items.append(_nested(parser) if character == "[" else _range(parser))
            continue
        if not items:
            parser.fail(f"{operation} with nothing after it", at)
        together = union(*items)
        result = together if result is None else _OPERATIONS[operation](result, together)
        operation, items = pair, []
        if character == "]":
            break
    parser.depth -= 1
    return complement(result) if negative else result


def _nested(parser: _Parser) -> Ranges:
    if parser.peek(2) == "[:":
        parser.fail(r"POSIX classes are not supported; write \p{…}", parser.at, 2)
    return read(parser)


def _range(parser: _Parser) -> Ranges:
    """One character, one class, or a range."""
    start = parser.at
    item, is_character = _item(parser)
    if parser.peek() != "-" or parser.peek(2) in ("-]", "--", "-"):
        return parser.folded(item, start) if is_character else item
    parser.at += 1
    last, last_is_character = _item(parser)
    if not is_character or not last_is_character:
        parser.fail("a range from or to a class", start)
    if last[0][0] < item[0][0]:
        parser.fail("a range that runs backwards", start)
    return parser.folded(((item[0][0], last[0][0]),), start)


def _item(parser: _Parser) -> tuple[Ranges, bool]:
    if parser.peek() != "\\":
        character = parser.peek()
        parser.at += 1
        return single(character), True
    name = parser.pattern[parser.at + 1 : parser.at + 2]
    if name in LETTERS or name in ("p", "P"):
        return parser.escape(), False
    any_case, parser.any_case = parser.any_case, False  # a range is folded as a whole
    found = parser.escape()
    parser.any_case = any_case
    return found, True
