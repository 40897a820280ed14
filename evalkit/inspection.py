"""How a tokenizer cuts a text, and what its vocabulary holds: facts, and what looks wrong."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tokenizers_impl import BPETokenizer, unicode_data

# ── a text ──────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class CutText:
    """A text in tokens. ``special`` are the ids of special tokens in it."""

    ids: tuple[int, ...]
    tokens: tuple[bytes, ...]
    special: frozenset[int]

    @property
    def bytes(self) -> int:
        return sum(map(len, self.tokens))

    @property
    def bytes_per_token(self) -> float | None:
        """None for an empty text."""
        return self.bytes / len(self.tokens) if self.tokens else None


def cut_text(tokenizer: BPETokenizer, text: str, *, special: str = "atomic") -> CutText:
    """``text`` in tokens; the texts of special tokens are theirs (``atomic``) or ordinary (``text``)."""
    if special == "text":
        ids = tokenizer.encode_ordinary(text)
    else:
        ids = tokenizer.encode(text, allowed_special="all")
    vocab = tokenizer.vocab
    return CutText(tuple(ids), tuple(vocab[i] for i in ids), frozenset(tokenizer.special_tokens.values()) & set(ids))


_HIDDEN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", " ": " "}


def visible(token: bytes, *, hide: str = "") -> str:
    r"""A token as it can be shown: bytes that are no whole character, and characters that can't be seen or
    would change the terminal, as escapes; those in ``hide`` too.

    >>> visible(b" a\n\xe4\xb8"), visible(b"a|b", hide="|"), visible("\u200b中".encode())
    (' a\\n\\xe4\\xb8', 'a\\x7cb', '\\u{200b}中')
    """
    shown: list[str] = []
    for character in token.decode("utf-8", "surrogateescape"):
        code = ord(character)
        if 0xDC80 <= code <= 0xDCFF:  # how surrogateescape keeps a byte
            shown.append(f"\\x{code - 0xDC00:02x}")
        elif character in _SHORT:
            shown.append(_SHORT[character])
        elif character in hide:
            shown.append(f"\\x{code:02x}")
        elif unicodedata.category(character) in _HIDDEN:
            shown.append(f"\\u{{{code:x}}}")
        elif unicodedata.combining(character) and not shown:
            shown.append(f"◌{character}")  # it would sit on the token before
        else:
            shown.append(character)
    return "".join(shown)


def with_bars(cut: CutText) -> str:
    """The tokens with ``|`` between them, a new line after each that ends one; a ``|`` of the text, special
    tokens apart, is shown as ``\\x7c``."""
    parts = []
    for number, (token_id, token) in enumerate(zip(cut.ids, cut.tokens, strict=True)):
        last = number == len(cut.tokens) - 1
        parts.append(visible(token, hide="" if token_id in cut.special else "|"))
        parts.append("" if last else "|\n" if b"\n" in token else "|")
    return "".join(parts)


# ── a vocabulary ────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Vocabulary:
    """Facts of a vocabulary. Tokens are (id, bytes)."""

    size: int
    max_id: int
    gaps: tuple[tuple[int, int], ...]
    """Ids without a token, as ranges with both ends."""
    special_tokens: dict[str, int]
    merges: int
    lexicon_words: int | None
    longest: tuple[tuple[int, bytes], ...]
    kinds: dict[str, int]
    """Tokens by kind of content, most first; special tokens apart."""
    not_utf8: tuple[tuple[int, bytes], ...]
    """Tokens of more than one byte that are no whole characters."""
    duplicates: tuple[tuple[int, int, bytes], ...]
    """Two ids with the same bytes."""
    unreachable: tuple[tuple[int, bytes], ...]
    """Tokens that merging never makes of their own bytes."""
    cut_apart: tuple[tuple[int, bytes], ...]
    """Tokens of whole characters that the split pattern cuts apart alone and beside everything that was tried, so
    that text hardly ever yields them. Standing alone shows nothing: some are cut there and whole elsewhere, others
    whole there and cut elsewhere."""
    replacement: tuple[tuple[int, bytes], ...]
    """Tokens with U+FFFD: the sign of training text that was damaged when it was decoded."""


def describe_vocabulary(tokenizer: BPETokenizer, *, longest: int = 10) -> Vocabulary:
    """The facts of ``tokenizer``'s vocabulary; ``longest`` of its longest tokens."""
    special_ids = set(tokenizer.special_tokens.values())
    tokens = tokenizer.vocab
    ordinary = [(i, token) for i, token in tokens.items() if i not in special_ids]
    encode = tokenizer.engine_encoder.encode_pretoken
    return Vocabulary(
        size=tokenizer.vocab_size,
        max_id=tokenizer.max_id,
        gaps=tuple(_gaps(tokens)),
        special_tokens=dict(sorted(tokenizer.special_tokens.items(), key=lambda item: item[1])),
        merges=len(tokenizer.merges),
        lexicon_words=None if tokenizer.lexicon is None else len(tokenizer.lexicon),
        longest=tuple(sorted(ordinary, key=lambda item: (-len(item[1]), item[0]))[:longest]),
        kinds=dict(Counter(kind_of(token) for _, token in ordinary).most_common()),
        not_utf8=tuple((i, token) for i, token in ordinary if len(token) > 1 and not _is_utf8(token)),
        duplicates=tuple(_duplicates(tokens)),
        unreachable=tuple((i, token) for i, token in ordinary if list(encode(token)) != [i]),
        cut_apart=tuple((i, token) for i, token in ordinary if _is_utf8(token) and _is_cut_apart(tokenizer, token)),
        replacement=tuple((i, token) for i, token in ordinary if b"\xef\xbf\xbd" in token),
    )


_NEIGHBOURS = ("", "a", "A", "l", "1", "!", "'", " ", "\n", "中", "\u0301")


def _is_cut_apart(tokenizer: BPETokenizer, token: bytes) -> bool:
    text = token.decode()
    if len(text) == 1:
        return False
    return not any(
        _is_in_one_piece(tokenizer.pretokenize(before + text + after), len(before), len(before) + len(text))
        for before in _NEIGHBOURS
        for after in _NEIGHBOURS
    )


def _is_in_one_piece(pieces: Sequence[str], start: int, end: int) -> bool:
    place = 0
    for piece in pieces:
        if place <= start and end <= place + len(piece):
            return True
        place += len(piece)
    return False


def _gaps(ids: Iterable[int]) -> list[tuple[int, int]]:
    gaps = []
    expected = 0
    for token_id in sorted(ids):
        if token_id > expected:
            gaps.append((expected, token_id - 1))
        expected = token_id + 1
    return gaps


def _duplicates(tokens: dict[int, bytes]) -> list[tuple[int, int, bytes]]:
    first: dict[bytes, int] = {}
    found = []
    for token_id, token in tokens.items():
        if (other := first.setdefault(token, token_id)) != token_id:
            found.append((other, token_id, token))
    return found


def _is_utf8(token: bytes) -> bool:
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


def kind_of(token: bytes) -> str:
    """What a token holds, a blank before it left out.

    >>> [kind_of(t) for t in (b" the", b"12", "中文".encode(), b"\\n\\n", b"};", b"a1", b"\\xe4\\xb8")]
    ['Latin letters', 'digits', 'Han', 'white space', 'signs', 'mixed', 'part of a character']
    """
    if not _is_utf8(token):
        return "part of a character"
    text = token.decode()
    if all(unicode_data.is_space(ord(c)) for c in text):
        return "white space"
    kinds = {_kind(c) for c in text.removeprefix(" ")}
    letters = kinds - {"marks"}
    if "marks" in kinds and letters and letters <= {"Latin letters", "other letters"}:
        kinds = letters
    return kinds.pop() if len(kinds) == 1 else "mixed"


def _kind(character: str) -> str:
    code = ord(character)
    category = unicode_data.category(code)
    if unicode_data.is_han(code):
        return "Han"
    if category[0] == "L":
        latin = code < 0x250 or 0x1E00 <= code < 0x1F00
        return "Latin letters" if latin else "other letters"
    if category[0] == "N":
        return "digits"
    if category[0] == "M":
        return "marks"
    if unicode_data.is_space(code):
        return "white space"
    return "control characters" if category[0] == "C" else "signs"


def ranges(pairs: Sequence[tuple[int, int]], limit: int = 5) -> str:
    """Ranges as a phrase.

    >>> ranges([(3, 3), (7, 9)])
    '3, 7–9'
    """
    shown = [str(a) if a == b else f"{a}–{b}" for a, b in pairs[:limit]]
    more = len(pairs) - limit
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
