"""What a vocabulary has to be before an encoder is built over it; objects are checked when they are made."""

from __future__ import annotations

from collections.abc import Collection, ItemsView, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tokenizers_impl.errors import TokenizerError

if TYPE_CHECKING:
    from tokenizers_impl import _native

BYTES = tuple(bytes([byte]) for byte in range(256))
NEVER_IN_TEXT = frozenset(BYTES[byte] for byte in (0xC0, 0xC1, *range(0xF5, 0x100)))
"""The bytes that no UTF-8 text has; a vocabulary may leave them out."""
Vocab = Mapping[int, bytes]
Merges = Sequence[tuple[bytes, bytes]]
SpecialTokens = Mapping[str, int] | Iterable[str]
LARGEST_KEPT_ID = 2**31 - 1
"""No token of a vocabulary has a larger id: what every file format that we write can hold."""
LARGEST_ID = 2**32
"""No id is so large: engines hold them in 32 bits."""


class TokenView(Mapping[int, bytes]):
    """Bytes by id, in order of id, of tokens that the engine holds: as objects of Python's, those of a large vocabulary
    take ten times the memory, and longer to make than to read from a file. They are made as they are asked for."""

    def __init__(self, vocabulary: _native.Vocabulary) -> None:
        self.vocabulary = vocabulary

    def __getitem__(self, token_id: int) -> bytes:
        found = self.vocabulary.get(token_id) if 0 <= token_id < LARGEST_ID else None
        if found is None:
            raise KeyError(token_id)
        return found

    def __iter__(self) -> Iterator[int]:
        return iter(self.vocabulary.ids().tolist())

    def __len__(self) -> int:
        return len(self.vocabulary)

    def items(self) -> ItemsView[int, bytes]:
        """Made all at once, which is much faster than one by one."""
        return dict(self.vocabulary.items()).items()

    @property
    def largest(self) -> int:
        """The largest id."""
        return int(self.vocabulary.ids()[-1])

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self.items()),)


def special_ids(ordinary: Vocab, merges: Merges, special_tokens: SpecialTokens) -> dict[str, int]:
    """Ids by text, checked; texts without an id take the one that the vocabulary has for them, or the next free."""
    if isinstance(special_tokens, str):
        raise TypeError("special_tokens is a collection of texts; a single text would be read letter by letter")
    if isinstance(special_tokens, Mapping):
        specials = dict(special_tokens)
    else:
        texts = list(special_tokens)
        if len(set(texts)) != len(texts):
            raise TokenizerError(f"a special token is listed twice: {sorted(texts)}")
        merged = {left + right for left, right in merges}
        known = {token: i for i, token in ordinary.items() if len(token) > 1 and token not in merged}
        free = max(ordinary, default=-1) + 1
        specials = {}
        for text in texts:
            found = known.get(text.encode())
            specials[text] = free if found is None else found
            free += found is None
    for text, token_id in specials.items():
        if not isinstance(text, str):
            raise TypeError(f"a special token is a text (str), not {type(text).__name__}")
        if isinstance(token_id, bool) or not isinstance(token_id, int):
            raise TypeError(f"the id of the special token {text!r} is a whole number, not {type(token_id).__name__}")
        if not 0 <= token_id <= LARGEST_KEPT_ID:
            raise TokenizerError(
                f"the special token {text!r} has id {token_id}, which is not between 0 and {LARGEST_KEPT_ID:,}"
            )
    if "" in specials:
        raise TokenizerError("an empty special token would match everywhere; take it out of special_tokens")
    if len(set(specials.values())) != len(specials):
        raise TokenizerError(f"two special tokens share an id: {specials}")
    for text, token_id in specials.items():
        if ordinary.get(token_id, text.encode()) != text.encode():
            raise TokenizerError(
                f"the special token {text!r} has id {token_id}, which the vocabulary gives to {ordinary[token_id]!r}"
            )
    return specials


def check_vocabulary(ordinary: Vocab, may_lack: Collection[bytes] = ()) -> dict[bytes, int]:
    """Ids by bytes."""
    ids: dict[bytes, int] = {}
    for token_id, token in ordinary.items():
        if not token:
            raise TokenizerError(f"id {token_id} has no bytes; a token needs at least one")
        if token_id < 0:
            raise TokenizerError(f"id {token_id} of {token!r} is negative")
        if token_id > LARGEST_KEPT_ID:
            raise TokenizerError(f"id {token_id} of {token!r} is larger than {LARGEST_KEPT_ID:,}")
        if token in ids:
            raise TokenizerError(f"the bytes {token!r} have two ids, {ids[token]} and {token_id}")
        ids[token] = token_id
    if missing := [byte for byte in BYTES if byte not in ids and byte not in may_lack]:
        raise TokenizerError(
            f"{len(missing)} of the 256 single bytes are not in the vocabulary (the first is {missing[0]!r}), "
            "so that some text could not be encoded"
        )
    return ids


def stand_ins(ordinary: Vocab, ids: Mapping[bytes, int]) -> list[tuple[int, bytes]]:
    """Tokens for the engine, which wants all bytes, in place of those that the vocabulary leaves out and no text
    has: their ids, past all others, never come out."""
    missing = [byte for byte in BYTES if byte not in ids]
    return list(enumerate(missing, start=max(ordinary) + 1))


def check_merges(merges: Merges, ids: Mapping[bytes, int]) -> list[tuple[int, int, int]]:
    """(left id, right id, new id) in order."""
    try:
        triples = [(ids[left], ids[right], ids[left + right]) for left, right in merges]
    except KeyError:
        pass
    else:
        # Ids are as unique as the bytes are.
        if len({triple[:2] for triple in triples}) == len(triples):
            return triples
    _explain(merges, ids)
    raise AssertionError("unreachable: a merge is unknown or stands twice")


def _explain(merges: Merges, ids: Mapping[bytes, int]) -> None:
    """Raises the error of the first merge that is wrong; slower than finding out that there is one."""
    seen: dict[tuple[bytes, bytes], int] = {}
    for number, (left, right) in enumerate(merges, start=1):
        if (first := seen.setdefault((left, right), number)) != number:
            raise TokenizerError(f"merge {number}, {left!r} + {right!r}, stands at {first} already: which rank?")
        for part, what in ((left, "left part"), (right, "right part"), (left + right, "result")):
            if part not in ids:
                raise TokenizerError(
                    f"merge {number}, {left!r} + {right!r}: its {what} {part!r} is not in the vocabulary"
                )
