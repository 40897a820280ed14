"""Encoding a text that arrives in pieces, with the ids of the joined text.

``encode_stream`` keeps back what a later piece could still change and emits the rest. Everything a later piece can
change lies in the last two pretokens of what has arrived: no pattern looks behind, and what a match inspects past
its own end lies within the next pretoken and the first code point of the one after. Special tokens are located
first; where the end of the buffer could be the start of one, the rest waits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Set
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tokenizers_impl.tokenizer import BPETokenizer


def encode_stream(
    tokenizer: BPETokenizer,
    chunks: Iterable[str],
    allowed_special: Literal["all"] | Set[str],
    disallowed_special: Literal["all"] | Collection[str],
) -> Iterator[int]:
    """The ids of the joined chunks. For now the text is joined first: exact, but in memory."""
    yield from tokenizer.encode("".join(chunks), allowed_special, disallowed_special)
