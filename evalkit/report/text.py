"""Text for people: tokens that can be read, names that can't break a table, numbers with fixed digits."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence

from evalkit.metrics import METRICS
from evalkit.results import Row

PIECE_LIMIT = 40  # characters of a token that are shown

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", " ": "␣"}
_HIDDEN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs")


def readable(piece: bytes) -> str:
    r"""A token or pretoken as one line: blanks as ␣, bytes that aren't text and what can't be seen as
    escapes.

    >>> readable(b" a\n\xff"), readable("\u200b中".encode())
    ('␣a\\n\\xff', '\\u{200b}中')
    """
    shown = []
    for character in piece.decode("utf-8", "surrogateescape"):
        code = ord(character)
        if 0xDC80 <= code <= 0xDCFF:  # how surrogateescape keeps a byte
            shown.append(f"\\x{code - 0xDC00:02x}")
        elif character in _ESCAPES:
            shown.append(_ESCAPES[character])
        elif unicodedata.category(character) in _HIDDEN:
            shown.append(f"\\u{{{code:x}}}")
        elif unicodedata.combining(character) and not shown:
            shown.append(f"◌{character}")
        else:
            shown.append(character)
    text = "".join(shown)
    return text if len(text) <= PIECE_LIMIT else f"{text[: PIECE_LIMIT - 1]}…"


def code(text: str) -> str:
    r"""``text`` as a Markdown code span, fenced by more backticks than it holds.

    >>> code("a`b|c")
    '`` a`b|c ``'
    """
    text = text.replace("\n", "\\n").replace("\r", "\\r")
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest or text.startswith(" ") or not text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def piece(raw: bytes) -> str:
    """A token as a code span."""
    return code(readable(raw))


def plain(text: str) -> str:
    """Text from elsewhere (names, notes, reasons) that is to be read as it stands, in one line.

    >>> plain("a <b> *c*")
    'a &lt;b> \\\\*c\\\\*'
    """
    text = " ".join(text.split())
    text = re.sub(r"([\\`*\[\]])", r"\\\1", text)
    return re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", text).replace("<", "&lt;")


def count(number: int | None) -> str:
    """A whole number with separators.

    >>> count(12345), count(None)
    ('12,345', '–')
    """
    return "–" if number is None else f"{number:,}"


def size(number: int) -> str:
    """A number of bytes, by the powers of ten.

    >>> size(950), size(45_200), size(3_400_000)
    ('950 B', '45.2 kB', '3.4 MB')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if number >= factor:
            return f"{number / factor:.1f} {unit}"
    return f"{number} B"


def percent(share: float, digits: int = 1) -> str:
    """
    >>> percent(0.1234), percent(0.99999), percent(4.1352), percent(427.389)
    ('12.3 %', '100.0 %', '414 %', '42,739 %')
    """
    return f"{share * 100:,.{_of_percent(share, digits)}f} %"


def _of_percent(share: float, digits: int) -> int:
    """From several times as much on, digits after the point are more than anyone reads or knows."""
    return digits if abs(share) < 2 else 0


def signed_percent(share: float, digits: int = 1) -> str:
    """
    >>> signed_percent(0.041), signed_percent(-0.02), signed_percent(0.0)
    ('+4.1 %', '−2.0 %', '0.0 %')
    """
    text = f"{abs(share) * 100:,.{_of_percent(share, digits)}f} %"
    if float(text[:-2].replace(",", "")) == 0:
        return text
    return f"{'+' if share > 0 else '−'}{text}"


_DIGITS = {"MB/s": 1, "tokens": 0}
_AS_PERCENT = (
    "unk_rate",
    "round_trip_rate",
    "vocab_utilization",
    "continued_words",
    "context_consistency",
    "strr_tokens",
    "strr_types",
    "utf8_split_rate",
)


def figure(row: Row) -> str:
    """A row's value with the digits of its unit; ``undefined`` where it has none. What isn't 0 never reads as 0."""
    if row.value is None:
        return "undefined"
    if row.metric == "regret":
        return signed_percent(row.value)
    if row.metric in _AS_PERCENT:
        return f"{row.value * 100:.2g} %" if 0 < row.value < 0.0005 else percent(row.value)
    digits = _DIGITS.get(row.unit, 2)
    # Of one's own metrics the scale isn't known, so that one digit after zeros is too few as well as none; of the
    # others three would be more than what stands beside them.
    least, kept = (0.5 * 10.0**-digits, 1) if row.metric in METRICS else (10.0 ** (1 - digits), 3)
    return f"{row.value:.{kept}g}" if 0 < abs(row.value) < least else f"{row.value:,.{digits}f}"


def corpora_phrase(names: Sequence[str]) -> str:
    """Names of corpora in a sentence: of many, how many there are and the first of them.

    >>> corpora_phrase(["a", "b"]), corpora_phrase(list("abcdefgh"))
    ('a and b', '8 corpora (a, b, c and 5 more)')
    """
    if len(names) <= 6:
        return plain(listing(names))
    return plain(f"{len(names)} corpora ({listing(names, 3)})")


def equals(names: Sequence[str]) -> str:
    """Tokenizers, as they are shown, of which none is better, so that none stands for all.

    >>> equals(["`a`"]), equals(["`a`", "`b`"])
    ('`a`', '`a` and `b` (equal)')
    """
    return f"{listing(names)} (equal)" if len(names) > 1 else listing(names)


def best_by_corpus(
    best: Mapping[str, tuple[str, ...]], mark: Callable[[str, str], str] = lambda *_: "", outside: str = ""
) -> str:
    """Who is the best where; who is so most often first. ``mark``: what stands after a tokenizer's name on a corpus;
    ``outside``: after "every corpus", where these aren't all.

    >>> best_by_corpus({"web": ("a",), "code": ("a", "b"), "logs": ("a",)})
    '`a` on web and logs and `a` and `b` (equal) on code'
    >>> best_by_corpus({"web": ("a", "b")})
    '`a` and `b` (equal) on every corpus'
    """
    where: dict[tuple[str, ...], list[str]] = {}
    for corpus, names in best.items():
        shown = tuple(f"{code(name)}{mark(name, corpus)}" for name in names)
        where.setdefault(shown, []).append(corpus)
    order = sorted(where, key=lambda names: -len(where[names]))
    if len(order) == 1:
        return f"{equals(order[0])} on every corpus{outside}"
    return listing([f"{equals(names)} on {corpora_phrase(where[names])}" for names in order])


def listing(items: Sequence[str], limit: int = 6) -> str:
    """Items as a phrase; of many, the first and how many more.

    >>> listing(["a", "b", "c"]), listing(list("abcdefgh"), 2)
    ('a, b and c', 'a, b and 6 more')
    """
    if len(items) > limit:
        return f"{', '.join(items[:limit])} and {len(items) - limit} more"
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else list(items))


def folded(title: str, body: str) -> str:
    """What only a reader who asks for it needs: renderers of Markdown show the title alone until it is opened."""
    return f"<details>\n<summary>{title}</summary>\n\n{body}\n\n</details>"
