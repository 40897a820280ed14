"""Tokenizers that are known by what they give alone: another library's, or somebody's own.

They are measured and gated like any other, as far as that goes: what their tokens are as bytes, how they cut a text and
how they would be saved isn't known here, and is never guessed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence


class OpaqueTokenizer(ABC):
    """``encode_ordinary`` and ``decode_bytes``, and what can be made of these.

    Other methods of :class:`BPETokenizer` are there only where the tokenizer has such a way of its own
    (``encode_ordinary_batch``, ``encode_batch``, ``encode_iterable``, ``token_bytes``), so that asking whether it has
    the method is asking what it can do. There is no ``encode``: which special tokens are found in a text isn't known.

    ``source``: where it comes from, as people write it. ``lossy``: whether its user knows that texts may not come back
    from their ids, as after a normalisation. ``special_tokens``: ids by text that no text may give. ``unknown_ids``:
    ids that stand for text they don't hold. ``vocab_size``, ``max_id`` and ``fingerprint`` are None where nobody says.
    """

    source: str
    lossy: bool = False
    special_tokens: Mapping[str, int]
    unknown_ids: frozenset[int] = frozenset()
    vocab_size: int | None = None
    fingerprint: str | None = None

    @property
    def max_id(self) -> int | None:
        """The largest id; ids have no holes where only their number is known."""
        return None if self.vocab_size is None else self.vocab_size - 1

    @abstractmethod
    def encode_ordinary(self, text: str) -> list[int]:
        """The ids of a text."""

    @abstractmethod
    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        """The UTF-8 of what the ids decode to. Raises ``KeyError`` for an id that isn't one."""

    def decode(self, ids: Sequence[int], errors: str = "replace") -> str:
        """What the ids decode to."""
        return self.decode_bytes(ids).decode("utf-8", errors)

    def shown(self, token_id: int) -> bytes:
        """One token for people to look at: what it decodes to by itself. Such parts need not join to the text."""
        return self.decode_bytes([token_id])

    @property
    def vocab(self) -> Mapping[int, bytes]:
        """All of these by id."""
        return Shown(self)

    def __repr__(self) -> str:
        size = "" if self.vocab_size is None else f", vocab_size={self.vocab_size}"
        return f"{type(self).__name__}({self.source!r}{size})"


class Shown(Mapping[int, bytes]):
    """The tokens of an opaque tokenizer by id, each made when it is wanted. It can be gone through only as far as the
    tokenizer tells how many it has."""

    def __init__(self, tokenizer: OpaqueTokenizer) -> None:
        self._tokenizer = tokenizer

    def __getitem__(self, token_id: int) -> bytes:
        try:
            return self._tokenizer.shown(token_id)
        except Exception as error:  # another library's way to say that there is no such id
            raise KeyError(token_id) from error

    def __iter__(self) -> Iterator[int]:
        largest = self._tokenizer.max_id
        return (i for i in range(0 if largest is None else largest + 1) if i in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)
