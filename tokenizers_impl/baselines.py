"""Tokenizers that learn next to nothing, for figures to be held against: bytes, chars, words.

``bytes`` is what byte-level BPE is without merges, ``chars`` what a character vocabulary would be without
unknowns, ``words`` the classical word list, with all that it can't say lost in one unknown id.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tokenizers_impl import unicode_data
from tokenizers_impl.arguments import well_formed
from tokenizers_impl.errors import TokenizerError, suggestion

KINDS = ("bytes", "chars", "words")
_VERSION = 1
_SURROGATES = 0xE000 - 0xD800
_CODE_POINTS = 0x110000
_UNKNOWN = "\ufffd"

Batch = tuple[NDArray[np.uint32], NDArray[np.int64]]


class BaselineTokenizer:
    """One of the baselines, with the methods of :class:`BPETokenizer` that make sense for it.

    ``bytes``: ids 0 to 255. ``chars``: the id is the code point. ``words``: id 0 is the unknown one, the
    others are the words of ``words`` in order; a word brings the blank before it, and a run of other white
    space is a word too, so that known words join to the text. ``words`` is given for ``words`` alone: see
    :meth:`fit`.

    >>> BaselineTokenizer("bytes").encode_ordinary("é")
    [195, 169]
    >>> BaselineTokenizer.fit(["a b a b a"], 3).encode_ordinary("a b c")
    [0, 2, 0]
    """

    special_tokens: dict[str, int]

    def __init__(self, kind: str, words: Sequence[str] | None = None) -> None:
        if kind not in KINDS:
            raise TokenizerError(f"unknown baseline {kind!r}{suggestion(kind, KINDS)}; there are {', '.join(KINDS)}")
        if (kind == "words") != (words is not None):
            need = "needs its vocabulary: train it with fit()" if kind == "words" else "takes no words"
            raise TokenizerError(f"the baseline {kind!r} {need}")
        self.kind = kind
        self.special_tokens = {}
        self.words: tuple[str, ...] = tuple(words or ())
        self.unk_id: int | None = 0 if kind == "words" else None
        """The id of everything that isn't in the vocabulary; None where nothing can be unknown."""
        self._ids = {word: number for number, word in enumerate(self.words, start=1)}
        if "" in self._ids or len(self._ids) != len(self.words):
            raise TokenizerError("the words of a baseline are not empty, and each is given once")

    @classmethod
    def fit(cls, texts: Iterable[str], vocab_size: int) -> BaselineTokenizer:
        """The ``words`` baseline: the most frequent words of ``texts``, those of equal frequency in the order
        of their bytes. ``vocab_size`` counts the unknown id."""
        if vocab_size < 2:
            raise TokenizerError(f"vocab_size {vocab_size} is too small: the unknown id and a word need 2")
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(_words(well_formed(text)))
        if not counts:
            raise TokenizerError("there is no text to take words from")
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0].encode()))
        return cls("words", [word for word, _ in ordered[: vocab_size - 1]])

    # ── what it is ──────────────────────────────────────────────────────────────────────────────────────────

    @property
    def vocab_size(self) -> int:
        if self.kind == "bytes":
            return 256
        return _CODE_POINTS - _SURROGATES if self.kind == "chars" else len(self.words) + 1

    @property
    def max_id(self) -> int:
        return _CODE_POINTS - 1 if self.kind == "chars" else self.vocab_size - 1

    @property
    def unknown_ids(self) -> frozenset[int]:
        """The ids that stand for text they don't hold."""
        return frozenset() if self.unk_id is None else frozenset({self.unk_id})

    @functools.cached_property
    def fingerprint(self) -> str:
        """SHA-256 over everything that decides an id."""
        content = {"baseline": self.kind, "version": _VERSION, "words": self.words}
        if self.kind == "words":
            content["unicode"] = unicode_data.UNICODE_VERSION
        canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    def __repr__(self) -> str:
        return f"BaselineTokenizer({self.kind!r}, vocab_size={self.vocab_size})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BaselineTokenizer) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[type[BaselineTokenizer], tuple[str, tuple[str, ...] | None]]:
        return BaselineTokenizer, (self.kind, self.words if self.kind == "words" else None)

    # ── text to ids ─────────────────────────────────────────────────────────────────────────────────────────

    def _array(self, text: str) -> NDArray[np.uint32]:
        text = well_formed(text)
        if self.kind == "bytes":
            return np.frombuffer(text.encode(), dtype=np.uint8).astype(np.uint32)
        if self.kind == "chars":
            return np.frombuffer(text.encode("utf-32-le"), dtype="<u4").astype(np.uint32)
        get = self._ids.get
        return np.array([get(word, 0) for word in _words(text)], dtype=np.uint32)

    def encode_ordinary(self, text: str) -> list[int]:
        ids: list[int] = self._array(text).tolist()
        return ids

    encode = encode_ordinary  # there are no special tokens

    def encode_ordinary_batch(self, texts: Sequence[str], threads: int | None = None) -> Batch:
        """All ids one after the other, and ``len(texts) + 1`` offsets into them. Always on one thread."""
        rows = [self._array(text) for text in texts]
        offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        return np.concatenate(rows) if rows else np.zeros(0, dtype=np.uint32), offsets

    def encode_batch(self, texts: Sequence[str], threads: int | None = None) -> list[list[int]]:
        return [self.encode_ordinary(text) for text in texts]

    def count(self, text: str) -> int:
        text = well_formed(text)
        if self.kind == "bytes":
            return len(text.encode())
        return len(text) if self.kind == "chars" else len(_words(text))

    # ── ids to text ─────────────────────────────────────────────────────────────────────────────────────────

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of one id; the unknown id has those of U+FFFD. Raises ``KeyError`` for an id that isn't
        one."""
        if 0 <= token_id <= self.max_id:
            if self.kind == "bytes":
                return bytes([token_id])
            if self.kind == "words":
                return (self.words[token_id - 1] if token_id else _UNKNOWN).encode()
            if not 0xD800 <= token_id < 0xE000:
                return chr(token_id).encode()
        raise KeyError(f"id {token_id} is not in the vocabulary ({self.vocab_size} entries)")

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        return b"".join([self.token_bytes(int(token_id)) for token_id in ids])

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        return self.decode_bytes(ids).decode("utf-8", errors)

    def tokens(self, text: str) -> list[bytes]:
        """The bytes of each token of ``text``."""
        return [self.token_bytes(token_id) for token_id in self.encode_ordinary(text)]

    def tokenize(self, text: str) -> list[str]:
        """The tokens of ``text`` in readable form; bytes that aren't text alone appear as ``\\xNN``."""
        return [token.decode("utf-8", "backslashreplace") for token in self.tokens(text)]


@functools.cache
def _pattern() -> re.Pattern[str]:
    """Words with the blank before them; white space as the split patterns have it, not as ``re`` does (whose
    ``\\s`` takes four control characters more)."""
    space = "".join(re.escape(chr(cp)) for cp in range(0x3001) if unicode_data.is_space(cp))
    # The last blank before a word is the word's, so that a run of white space gives it back.
    return re.compile(rf" ?[^{space}]+|[{space}]+(?= [^{space}])|[{space}]+")


def _words(text: str) -> list[str]:
    return _pattern().findall(text)
