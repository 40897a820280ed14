"""The states of an encoder's cache: cold, warm, and overflowing. No id may depend on what was encoded before."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from evalkit.gate.copies import Copy
from evalkit.gate.ids import Ids
from evalkit.gate.paths import Setting, serial
from evalkit.gate.peers import Comparison, Found, Unavailable

OVERFLOWING = 150_000
"""Distinct pretokens that are more than one token each; the core's cache holds 131,072."""

COLD_SHARE = 40_000
QUICKLY_COPIED = 2_000
"""Entries of a vocabulary that is copied anew for every batch of documents."""

FILLED_SHARE = 20_000
WORDS_A_TEXT = 1_000


def of_caches(tokenizer: Any, setting: Setting, fresh: Copy) -> list[Found]:
    """A copy of the tokenizer, ``fresh``, whose cache is its own. Cold, it gets the documents from the last to the
    first, so that it meets everything in another order; it is a new one for every batch of documents, or for all of
    them where copying takes long. Warm, it has encoded them before."""
    if fresh.error is not None:
        return [Unavailable("cache", f"it can't be copied: {fresh.error}")]
    quick = tokenizer.vocab_size <= QUICKLY_COPIED

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
        return [*found, Unavailable("cache", "the reference has no cache that overflows")]
    if tokenizer.variant == "bytes_only":
        return [*found, Unavailable("cache", "bytes_only has no pretokens that would fill the cache")]

    def overflowing(texts: Sequence[str]) -> Ids:
        """The documents before, between and after what fills the cache until it is emptied."""
        copy = fresh.get()
        if not fresh.used:
            fresh.used = True
            filler = _filler(setting.seed)
            step = max(1, len(texts) // len(filler))
            before = [copy.encode_ordinary(text) for text in texts]
            for number, words in enumerate(filler):
                copy.count(words)
                place = number * step % max(1, len(texts))
                if texts and copy.encode_ordinary(texts[place]) != before[place]:
                    return serial(copy, texts)
        return serial(copy, texts)

    return [*found, Comparison("cache", f"after {OVERFLOWING:,} other pretokens", overflowing, share=FILLED_SHARE)]


@cache
def _filler(seed: int) -> tuple[str, ...]:
    """Texts of random words, which hardly any vocabulary has as tokens."""
    letters = np.random.default_rng(seed).integers(97, 123, (OVERFLOWING, 8), dtype=np.uint8)
    letters[:, 0] = ord(" ")
    rows = [letters[start : start + WORDS_A_TEXT] for start in range(0, OVERFLOWING, WORDS_A_TEXT)]
    return tuple(some.tobytes().decode("ascii") for some in rows)
