"""Records of results that speak of the model a vocabulary is chosen for."""

from __future__ import annotations

from tokenizers_impl.deferred import dataclass


@dataclass(frozen=True)
class ModelRecord:
    """The suite's ``select:``: layers, width, context in tokens, and whether one matrix serves both sides."""

    d_model: int
    n_layers: int
    context: int
    tied: bool


@dataclass(frozen=True)
class CostRecord:
    """What a vocabulary costs that model, by text of one corpus (``evalkit.cost`` has the assumptions).

    ``rows``: of an embedding matrix. ``training_flops_per_byte``, ``cache_bytes_per_byte`` (keys and values) and
    ``context_bytes`` (text in a full context) come from ``bytes_per_token``, and are None where that is, for
    ``undefined_reason``.
    """

    corpus: str
    tokenizer: str
    rows: int
    embedding_parameters: int
    other_parameters: int
    bytes_per_token: float | None
    training_flops_per_byte: float | None
    cache_bytes_per_byte: float | None
    context_bytes: float | None
    undefined_reason: str | None


@dataclass(frozen=True)
class OptimumRecord:
    """The vocabulary size that an approach of a published law gives for the model; None for ``undefined_reason``."""

    law: str
    approach: str
    vocab_size: int | None
    undefined_reason: str | None = None
