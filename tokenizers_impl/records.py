"""What a training run says of itself."""

from __future__ import annotations

from dataclasses import asdict, field
from typing import Any

from tokenizers_impl.deferred import dataclass

NO_PAIR = "no pair is left"
"""The end of ``stopped`` where less than the size asked for is all that the text gives, whatever the frequency."""


@dataclass(frozen=True)
class TrainingRecord:
    """How a tokenizer came about. Everything but ``seconds``, ``peak_memory_bytes`` and ``engine`` depends on the
    text and the parameters alone."""

    asked_vocab_size: int
    vocab_size: int
    stopped: str
    """Why it stopped: ``reached 10,000`` or ``stopped at 7,312 of 10,000: no pair occurs twice``."""
    min_frequency: int
    tie_break: str
    bytes: int
    pretokens: int
    distinct_pretokens: int
    lexicon_words: int | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall time by stage: count, lexicon, merge."""
    peak_memory_bytes: dict[str, int] = field(default_factory=dict)
    """The process's peak resident set at the end of each stage, where the system tells."""
    engine: str = "native"

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
