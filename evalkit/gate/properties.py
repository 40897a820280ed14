"""What has to hold of one text and its ids, without another encoder to compare with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evalkit.gate.divergence import Divergence, compare_bytes
from tokenizers_impl.tokenizer import well_formed

Problem = Divergence | str
Check = Callable[[Any, str, Sequence[int]], "Problem | None"]


@dataclass(frozen=True)
class Property:
    """``problem`` gets tokenizer, text and ids, and returns what is wrong, or None. ``specials``: the ids are
    those with all special tokens allowed."""

    check: str
    name: str
    problem: Check
    specials: bool = False

    @property
    def needs_specials(self) -> bool:
        return self.check in ("specials", "plain_text")


def _round_trip(tokenizer: Any, text: str, ids: Sequence[int]) -> Problem | None:
    found = compare_bytes(tokenizer, text, ids, tokenizer.decode_bytes(ids), "decode_bytes")
    if found is None and (back := tokenizer.decode(ids)) != well_formed(text):
        found = compare_bytes(tokenizer, text, ids, well_formed(back).encode(), "decode")
    return found


def _byte_audit(tokenizer: Any, text: str, ids: Sequence[int]) -> Problem | None:
    vocab = tokenizer.vocab
    try:
        joined = b"".join([vocab[token_id] for token_id in ids])
    except KeyError as error:
        return f"id {error} is not in the vocabulary"
    return compare_bytes(tokenizer, text, ids, joined, "the tokens joined")


def _plain_text(tokenizer: Any, text: str, ids: Sequence[int]) -> Problem | None:
    specials = {token_id: special for special, token_id in tokenizer.special_tokens.items()}
    found = next((token_id for token_id in ids if token_id in specials), None)
    if found is None:
        return None
    return f"encode_ordinary gave the id {found} of the special token {specials[found]!r}"


def _refused(tokenizer: Any, text: str, ids: Sequence[int]) -> Problem | None:
    if not any(special in text for special in tokenizer.special_tokens):
        return None
    try:
        tokenizer.encode(text)
    except ValueError:
        return None
    return "encode took a text with a special token that isn't allowed, and didn't raise"


PROPERTIES = (
    Property("plain_text", "no id of a special token in ordinary text", _plain_text),
    Property("round_trip", "decoded to the text", _round_trip),
    Property("byte_audit", "token bytes join to the text", _byte_audit),
    Property("specials", "a special token that isn't allowed is refused", _refused, specials=True),
    Property("specials", "decoded to the text, specials included", _round_trip, specials=True),
)
