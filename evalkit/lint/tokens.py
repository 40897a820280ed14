"""The tokens of a vocabulary, looked at once for all that the lint does."""

from __future__ import annotations

from tokenizers_impl import BPETokenizer
from tokenizers_impl.deferred import dataclass


@dataclass(frozen=True)
class Tokens:
    """Special tokens are left out. ``whole``: texts of those that are whole characters, by id. ``inside``: bytes of
    those that begin or end inside a character."""

    tokenizer: BPETokenizer
    ordinary: dict[int, bytes]
    whole: dict[int, str]
    inside: dict[int, bytes]


def tokens_of(tokenizer: BPETokenizer) -> Tokens:
    special = set(tokenizer.special_tokens.values())
    ordinary = {i: token for i, token in tokenizer.vocab.items() if i not in special}
    whole: dict[int, str] = {}
    inside: dict[int, bytes] = {}
    for token_id, token in ordinary.items():
        try:
            whole[token_id] = token.decode()
        except UnicodeDecodeError:
            inside[token_id] = token
    return Tokens(tokenizer, ordinary, whole, inside)
