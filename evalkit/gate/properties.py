"""What has to hold of one text and its ids, without another encoder to compare with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from evalkit.gate.divergence import Divergence, compare_bytes
from evalkit.gate.ids import Ids
from tokenizers_impl.arguments import well_formed
from tokenizers_impl.deferred import dataclass
from tokenizers_impl.opaque import OpaqueTokenizer

Problem = Divergence | str
Check = Callable[[Any, str, Sequence[int]], "Problem | None"]
Whole = Callable[["Tokens", Sequence[str], Ids], bool]


class Tokens:
    """A tokenizer's tokens as arrays, for looking at millions of ids at once. They are made when they are needed."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    @cached_property
    def lengths(self) -> Any:
        """Bytes by id, -1 for what is not in the vocabulary, at the end as well."""
        vocab: dict[int, bytes] = self.tokenizer.vocab
        lengths = np.full(max(vocab, default=-1) + 2, -1, dtype=np.int64)
        lengths[list(vocab)] = [len(token) for token in vocab.values()]
        return lengths

    @cached_property
    def special(self) -> Any:
        """Whether an id is that of a special token."""
        special = np.zeros(len(self.lengths), dtype=bool)
        special[list(self.tokenizer.special_tokens.values())] = True
        return special

    @cached_property
    def starts(self) -> Any:
        """Where an id's bytes begin in ``bytes``."""
        starts = np.zeros(len(self.lengths), dtype=np.int64)
        np.cumsum(np.maximum(self.lengths[:-1], 0), out=starts[1:])
        return starts

    @cached_property
    def bytes(self) -> Any:
        """All tokens' bytes, in order of id."""
        vocab: dict[int, bytes] = self.tokenizer.vocab
        return np.frombuffer(b"".join(vocab[i] for i in sorted(vocab)), dtype=np.uint8)

    def known(self, ids: Ids) -> Any:
        """The ids as indices; those that no vocabulary has as the last."""
        flat = ids.flat[0]
        return np.where((flat >= 0) & (flat < len(self.lengths)), flat, len(self.lengths) - 1)


@dataclass(frozen=True)
class Property:
    """``problem`` gets tokenizer, text and ids, and returns what is wrong, or None. ``whole`` says of many texts
    at once whether it holds for all; it is asked instead where there is more text than ``share`` bytes.
    ``specials``: the ids are those with all special tokens allowed. ``sampled``: it is tried on ``share`` bytes and no
    more. ``lossy``: why a text of which it doesn't hold is no failure, but is counted and told; empty where it is one.
    """

    check: str
    name: str
    problem: Check
    specials: bool = False
    whole: Whole | None = None
    share: int = 200_000
    sampled: bool = False
    lossy: str = ""

    @property
    def needs_specials(self) -> bool:
        return self.check in ("specials", "plain_text")


def _round_trip(tokenizer: Any, text: str, ids: Sequence[int]) -> Problem | None:
    found = compare_bytes(tokenizer, text, ids, tokenizer.decode_bytes(ids), "decode_bytes")
    if found is None and (back := tokenizer.decode(ids)) != well_formed(text):
        found = compare_bytes(tokenizer, text, ids, well_formed(back).encode(), "decode")
    return found


def _whole_round_trip(tokens: Tokens, texts: Sequence[str], ids: Ids) -> bool:
    """One decode of all documents. Where one ends is seen by the number of bytes (the byte audit's part)."""
    back: str = tokens.tokenizer.decode(ids.flat[0].tolist())
    return back == "".join(map(well_formed, texts)) and _right_lengths(tokens, texts, ids)


def _byte_audit(tokenizer: Any, text: str, ids: Sequence[int]) -> Problem | None:
    vocab = tokenizer.vocab
    try:
        joined = b"".join([vocab[token_id] for token_id in ids])
    except KeyError as error:
        return f"id {error} is not in the vocabulary"
    return compare_bytes(tokenizer, text, ids, joined, "the tokens joined")


def _right_lengths(tokens: Tokens, texts: Sequence[str], ids: Ids) -> bool:
    """Whether every document's tokens have as many bytes as it, all of them tokens that there are."""
    lengths = tokens.lengths[tokens.known(ids)]
    if (lengths < 0).any():
        return False
    ends = np.concatenate([[0], np.cumsum(lengths)])[ids.flat[1]]
    sizes = [len(well_formed(text).encode()) for text in texts]
    return np.array_equal(np.diff(ends), sizes)


def _whole_byte_audit(tokens: Tokens, texts: Sequence[str], ids: Ids) -> bool:
    if not _right_lengths(tokens, texts, ids):
        return False
    known = tokens.known(ids)
    lengths = tokens.lengths[known]
    before = np.cumsum(lengths) - lengths
    places = np.repeat(tokens.starts[known] - before, lengths) + np.arange(int(lengths.sum()))
    return bool(tokens.bytes[places].tobytes() == b"".join(well_formed(text).encode() for text in texts))


def _plain_text(tokenizer: Any, text: str, ids: Sequence[int]) -> Problem | None:
    specials = {token_id: special for special, token_id in tokenizer.special_tokens.items()}
    found = next((token_id for token_id in ids if token_id in specials), None)
    if found is None:
        return None
    return f"encode_ordinary gave the id {found} of the special token {specials[found]!r}"


def _whole_plain_text(tokens: Tokens, texts: Sequence[str], ids: Ids) -> bool:
    return not tokens.special[tokens.known(ids)].any()


def _refused_by(what: str, encode: Callable[[Any, str], Any]) -> Property:
    def problem(tokenizer: Any, text: str, ids: Sequence[int]) -> Problem | None:
        if not any(special in text for special in tokenizer.special_tokens):
            return None
        try:
            encode(tokenizer, text)
        except ValueError:
            return None
        return f"{what} took a text with a special token that isn't allowed, and didn't raise"

    return Property("specials", f"a special token that isn't allowed is refused by {what}", problem, specials=True)


def _in_halves(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]


PROPERTIES = (
    Property("plain_text", "no id of a special token in ordinary text", _plain_text, whole=_whole_plain_text),
    Property("round_trip", "decoded to the text", _round_trip, whole=_whole_round_trip),
    Property("byte_audit", "token bytes join to the text", _byte_audit, whole=_whole_byte_audit),
    _refused_by("encode", lambda tokenizer, text: tokenizer.encode(text)),
    _refused_by("encode_batch", lambda tokenizer, text: tokenizer.encode_batch([text])),
    _refused_by("encode_iterable", lambda tokenizer, text: list(tokenizer.encode_iterable(_in_halves(text)))),
    Property("specials", "decoded to the text, specials included", _round_trip, specials=True),
)


LOSSY = "the suite says that it is lossy"
NO_BYTES = "its tokens aren't known as bytes; the round trip is what is known"


def properties_of(tokenizer: Any) -> list[Property]:
    """What can be asked of this tokenizer. Of one that is known by its ids alone every text is asked by itself; of a
    lossy one the texts that don't come back are counted."""
    specials = bool(tokenizer.special_tokens)
    some = [one for one in PROPERTIES if specials or not one.needs_specials]
    if not isinstance(tokenizer, OpaqueTokenizer):
        return some
    known = [one for one in some if one.check not in ("specials", "byte_audit")]
    return [
        replace(
            one, whole=None, sampled=True, lossy=LOSSY if tokenizer.lossy and one.check == "round_trip" else one.lossy
        )
        for one in known
    ]
