"""What a vocabulary holds: facts that need no proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from evalkit.lint.tokens import Tokens
from evalkit.lint.utf8 import is_whole
from tokenizers_impl import unicode_data
from tokenizers_impl.deferred import dataclass
from tokenizers_impl.scripts import script_of, script_of_text

PART = "part of a character"
LATIN, OTHERS, MARKS = "Latin letters", "other letters", "marks"
REPLACEMENT = "\ufffd".encode()


@dataclass(frozen=True)
class Contents:
    """Facts of a vocabulary. Special tokens are in ``size``, ``max_id``, ``gaps`` and ``duplicates`` only. Tokens are
    (id, bytes)."""

    size: int
    max_id: int
    gaps: tuple[tuple[int, int], ...]
    """Ids without a token, as ranges with both ends."""
    special_tokens: dict[str, int]
    merges: int
    lexicon_words: int | None
    longest: tuple[tuple[int, bytes], ...]
    kinds: dict[str, int]
    """Tokens by kind of content, most first."""
    scripts: dict[str, int]
    """Tokens by script, most first; ``Common`` is what has none of its own."""
    not_utf8: int
    """Tokens that are no whole characters, single bytes among them. Inside of a text most can be reached."""
    parts: tuple[tuple[int, bytes], ...]
    """Those of them with more than one byte."""
    distinct_texts: int
    """Texts that the tokens are when each is decoded alone: all that aren't whole characters fall together with
    others, which is why vocabularies are to be compared by bytes."""
    duplicates: tuple[tuple[int, int, bytes], ...]
    """Two ids with the same bytes."""
    replacement: tuple[tuple[int, bytes], ...]
    """Tokens with U+FFFD: the sign of training text that was damaged when it was decoded."""


def contents_of(tokens: Tokens, *, longest: int = 10) -> Contents:
    """The facts of a vocabulary; ``longest`` of its longest tokens."""
    tokenizer = tokens.tokenizer
    ordinary, texts, parts = tokens.ordinary.items(), tokens.whole.values(), tokens.inside.items()
    unfinished = {PART: len(parts)} if parts else {}
    return Contents(
        size=tokenizer.vocab_size,
        max_id=tokenizer.max_id,
        gaps=tuple(_gaps(tokenizer.vocab)),
        special_tokens=dict(sorted(tokenizer.special_tokens.items(), key=lambda item: item[1])),
        merges=len(tokenizer.merges),
        lexicon_words=None if tokenizer.lexicon is None else len(tokenizer.lexicon),
        longest=tuple(sorted(ordinary, key=lambda item: (-len(item[1]), item[0]))[:longest]),
        kinds=_by_frequency(Counter(map(kind_of_text, texts)) | unfinished),
        scripts=_by_frequency(Counter(map(script_of_text, texts)) | unfinished),
        not_utf8=len(parts),
        parts=tuple((i, token) for i, token in parts if len(token) > 1),
        distinct_texts=len({*texts, *(token.decode("utf-8", "replace") for _, token in parts)}),
        duplicates=tuple(_duplicates(tokenizer.vocab)),
        replacement=tuple((i, token) for i, token in ordinary if REPLACEMENT in token),
    )


def _by_frequency(counts: Mapping[str, int]) -> dict[str, int]:
    """And by name where that is equal."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _gaps(ids: Iterable[int]) -> list[tuple[int, int]]:
    gaps = []
    expected = 0
    for token_id in sorted(ids):
        if token_id > expected:
            gaps.append((expected, token_id - 1))
        expected = token_id + 1
    return gaps


def _duplicates(tokens: Mapping[int, bytes]) -> list[tuple[int, int, bytes]]:
    first: dict[bytes, int] = {}
    found = []
    for token_id, token in tokens.items():
        if (other := first.setdefault(token, token_id)) != token_id:
            found.append((other, token_id, token))
    return found


def kind_of(token: bytes) -> str:
    """What a token holds, a blank before it left out.

    >>> [kind_of(t) for t in (b" the", b"12", "中文".encode(), b"\\n\\n", b"};", b"a1", b"\\xe4\\xb8")]
    ['Latin letters', 'digits', 'Han', 'white space', 'signs', 'mixed', 'part of a character']
    """
    return kind_of_text(token.decode()) if is_whole(token) else PART


def kind_of_text(text: str) -> str:
    if text.isascii() and text.removeprefix(" ").isalpha():
        return LATIN  # most tokens
    kinds = set(map(_kind, text.removeprefix(" ") or text))
    letters = kinds - {MARKS}
    if MARKS in kinds and letters and letters <= {LATIN, OTHERS}:
        kinds = letters
    return kinds.pop() if len(kinds) == 1 else "mixed"


@lru_cache(maxsize=1 << 16)
def _kind(character: str) -> str:
    code = ord(character)
    category = unicode_data.category(code)
    if unicode_data.is_han(code):
        return "Han"
    if category[0] == "L":
        return LATIN if script_of(character) == "Latin" else OTHERS
    if category[0] == "N":
        return "digits"
    if category[0] == "M":
        return MARKS
    if unicode_data.is_space(code):
        return "white space"
    return "control characters" if category[0] == "C" else "signs"


def ranges(pairs: tuple[tuple[int, int], ...], limit: int = 5) -> str:
    """Ranges as a phrase.

    >>> ranges(((3, 3), (7, 9)))
    '3, 7–9'
    """
    shown = [str(a) if a == b else f"{a}–{b}" for a, b in pairs[:limit]]
    more = len(pairs) - limit
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
