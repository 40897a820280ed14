"""Records of results that speak of fairness: one vocabulary size, another training text, another domain."""

from __future__ import annotations

from evalkit.run_records import DifferenceRecord
from tokenizers_impl.deferred import dataclass


@dataclass(frozen=True)
class TokenCount:
    """A token by its bytes, and how often it occurred."""

    token: bytes
    times: int


@dataclass(frozen=True)
class LossRecord:
    """Which tokens carry the loss of a tokenizer on a corpus that another one, ``ideal``, was trained on.

    ``difference``: the pieces of text on which it needs more tokens than the other, both at ``size`` entries.
    ``entries``: its tokens without special ones; ``used``: those that occur there; ``idle``: those that occur where it
    is at home but never there (None where it isn't measured at home), the most frequent at home first in
    ``idle_top``. ``missing``: tokens of the other that occur there and that it doesn't have, with the most frequent in
    ``missing_top``. These are of both at their own sizes.
    """

    corpus: str
    tokenizer: str
    ideal: str
    size: int
    difference: DifferenceRecord
    entries: int
    used: int
    idle: int | None
    idle_top: tuple[TokenCount, ...]
    missing: int
    missing_top: tuple[TokenCount, ...]


@dataclass(frozen=True)
class MatchedRecord:
    """A tokenizer at a vocabulary size that others have, on a corpus. ``cut_from``: its own size, where it was cut.

    ``low`` and ``high`` bound ``bytes_per_token``. ``more``: tokens / tokens of the best at that size − 1 on the same
    documents (0 for the best; less only for what can't be the best, having no split pattern), bounded by ``more_low``
    and ``more_high``, not adjusted; ``separable`` from the best after Holm's correction over all pairs of the size and
    corpus, None where it can't be told. Without figures for ``undefined_reason``, such as that it can't be cut.
    """

    corpus: str
    size: int
    tokenizer: str
    tokens: int | None
    bytes_per_token: float | None
    low: float | None = None
    high: float | None = None
    cut_from: int | None = None
    more: float | None = None
    more_low: float | None = None
    more_high: float | None = None
    separable: bool | None = None
    noise_floor: float | None = None
    undefined_reason: str | None = None

    @property
    def within_noise(self) -> bool:
        """Whether training alone would make such a difference from the best."""
        if self.noise_floor is None or not self.more or self.more <= -1:
            return False
        return (self.more if self.more > 0 else 1 / (1 + self.more) - 1) <= self.noise_floor


@dataclass(frozen=True)
class CutRecord:
    """A tokenizer cut to ``size`` on a corpus, where the 2 × 2 of domain and size compares it at the size that another
    reached."""

    corpus: str
    tokenizer: str
    size: int
    tokens: int
    bytes_per_token: float | None


@dataclass(frozen=True)
class StabilityRecord:
    """A tokenizer trained again ``trainings`` times, each time without another part of its documents, on a corpus.

    ``vocab_sizes`` and ``bytes_per_token``: one for each training. ``error``: the standard error of the logarithm of
    bytes per token that training makes; ``floor``: the relative difference below which a difference from a fixed
    tokenizer says nothing. Without figures for ``undefined_reason``.
    """

    corpus: str
    tokenizer: str
    trainings: int
    vocab_sizes: tuple[int, ...]
    bytes_per_token: tuple[float | None, ...]
    error: float | None
    floor: float | None
    undefined_reason: str | None


@dataclass(frozen=True)
class FrontRecord:
    """A point of the front of a corpus: no other tokenizer, at no other size, has as many bytes per token there with as
    few embedding rows. ``rows``: the vocabulary size, or the largest id + 1 where ids have gaps. ``parameters``: of
    the embedding by width (``"2048"``), both matrices where the suite says that they aren't tied, else one."""

    corpus: str
    tokenizer: str
    rows: int
    bytes_per_token: float
    parameters: dict[str, int]


@dataclass(frozen=True)
class SeenRecord:
    """``documents`` of ``of_documents`` measured on ``corpus``, of ``bytes`` of ``of_bytes``, stand word for word in
    the training part of ``training`` too, on which ``tokenizers`` were trained. ``hashes``: the first 16 hexadecimal
    digits of the SHA-256 of the first of them."""

    corpus: str
    training: str
    tokenizers: tuple[str, ...]
    documents: int
    of_documents: int
    bytes: int
    of_bytes: int
    hashes: tuple[str, ...]
