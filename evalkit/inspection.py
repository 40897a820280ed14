"""How a tokenizer cuts a text, and tokens as people can read them."""

from __future__ import annotations

import unicodedata

from tokenizers_impl import BPETokenizer
from tokenizers_impl.deferred import dataclass


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
