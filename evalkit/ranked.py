"""Which tokenizers can be called the best of a suite, and be what the others are held against.

Without a split pattern, whole phrases of the training text become one token. That makes texts very short, and says
nothing of how well a model learns from them, so that a tokenizer like that would be the best of nearly every corpus of
its training text. It is measured and shown as all others are, and is set aside where the best is looked for: as a
baseline is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

WITHOUT_PATTERN = "bytes_only"
"""The variant that has no split pattern."""


class Described(Protocol):
    """What is asked of a tokenizer: of one that was built as well as of its record in results."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def variant(self) -> str | None: ...


def set_aside(tokenizers: Sequence[Described]) -> frozenset[str]:
    """The names of those without a split pattern; none where no other but baselines is measured beside them."""
    known = [t for t in tokenizers if t.kind != "baseline"]
    aside = frozenset(t.name for t in known if t.variant == WITHOUT_PATTERN)
    return aside if len(aside) < len(known) else frozenset()
