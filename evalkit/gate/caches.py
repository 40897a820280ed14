"""The states of an encoder's cache: cold, warm, and overflowing. No id may depend on what was encoded before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalkit.gate.copies import Copy
from evalkit.gate.ids import Ids
from evalkit.gate.paths import Setting, serial
from evalkit.gate.peers import Comparison, Found, Unavailable
from tokenizers_impl.arguments import well_formed
from tokenizers_impl.opaque import OpaqueTokenizer

COLD_SHARE = 40_000
QUICKLY_COPIED = 2_000
"""Entries of a vocabulary that is copied anew for every batch of documents."""

SMALLEST = (256, 0)
SMALL = (1 << 12, 1 << 13)
"""Bytes of the core's two levels: so few that nearly every pretoken puts another one out, and so few that the second
level is emptied every few dozen pretokens. The usual cache has 8 MiB of each; the code is the same."""

OVERFLOWING_SHARE = 400_000


def of_caches(tokenizer: Any, setting: Setting, fresh: Copy) -> list[Found]:
    """A copy of the tokenizer, ``fresh``, whose cache is its own. Cold, it gets the documents from the last to the
    first, so that it meets everything in another order; it is a new one for every batch of documents, or for all of
    them where copying takes long. Warm, it has encoded them before. Overflowing is the core's own cache with next to
    no memory."""
    if fresh.error is not None:
        return [Unavailable("cache", f"it can't be copied: {fresh.error}")]
    quick = tokenizer.vocab_size is not None and tokenizer.vocab_size <= QUICKLY_COPIED

    def cold(texts: Sequence[str]) -> Ids:
        copy = fresh.get(anew=quick)
        return Ids.of(reversed([copy.encode_ordinary(text) for text in reversed(texts)]))

    def warm(texts: Sequence[str]) -> Ids:
        copy = fresh.get()
        serial(copy, texts)
        return serial(copy, texts)

    found: list[Found] = [
        Comparison("cache", "cold, backwards", cold, share=COLD_SHARE),
        Comparison("cache", "warm", warm, share=COLD_SHARE),
    ]
    if getattr(tokenizer, "engine", None) != "native":
        who = "another's encoder" if isinstance(tokenizer, OpaqueTokenizer) else "the reference"
        return [*found, Unavailable("cache", f"{who} has no cache that can be made to overflow")]
    for first, second in (SMALLEST, SMALL):
        name = f"overflowing, of {first + second:,} bytes"
        found.append(Comparison("cache", name, _with_cache(tokenizer, first, second), share=OVERFLOWING_SHARE))
    return found


def _with_cache(tokenizer: Any, first: int, second: int) -> Any:
    def encode(texts: Sequence[str]) -> Ids:
        flat, offsets = tokenizer.engine_encoder.encode_with_cache([well_formed(text) for text in texts], first, second)
        return Ids.of_arrays(flat, offsets)

    return encode
