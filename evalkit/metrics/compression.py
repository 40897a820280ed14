"""How much text a token carries."""

from __future__ import annotations

import numpy as np

from evalkit.columns import computed
from evalkit.metrics.registry import Cell, Outcome, Ratio, Total, metric
from evalkit.values import Undefined

_COMPRESSION = (
    "supported: Goldman et al. 2024, Unpacking Tokenization (2403.06265); "
    "contested: Schmidt et al. 2024, Tokenization Is More Than Compression (2402.18376)"
)


@metric(
    unit="bytes/token",
    higher_is_better=True,
    definition="UTF-8 bytes of the raw text / tokens; special tokens are not added",
    evidence="contested",
    citation=_COMPRESSION,
)
def bytes_per_token(cell: Cell) -> Outcome:
    """Σ bytes / Σ tokens. Bytes are those of the text, never of decoded tokens.

    >>> from evalkit.metrics.example import example
    >>> bytes_per_token(example(bytes=[8, 12], tokens=[2, 6])).micro("bytes/token").value
    2.5
    """
    return Ratio(cell.corpus.bytes, cell.tokenizer.tokens)


@metric(
    unit="chars/token",
    higher_is_better=True,
    definition="code points of the raw text / tokens; special tokens are not added",
    evidence="contested",
    citation=_COMPRESSION,
)
def chars_per_token(cell: Cell) -> Outcome:
    """Σ code points / Σ tokens; nothing is normalised first.

    >>> from evalkit.metrics.example import example
    >>> chars_per_token(example(chars=[8, 10], tokens=[2, 6])).micro("chars/token").value
    2.25
    """
    return Ratio(cell.corpus.chars, cell.tokenizer.tokens)


@metric(
    unit="tokens",
    higher_is_better=False,
    definition="tokens of the split under encode_ordinary",
    evidence="none",
    aggregations=("sum",),
    no_interval="it is the count of this split, and no estimate",
)
def tokens(cell: Cell) -> Outcome:
    """Σ tokens.

    >>> from evalkit.metrics.example import example
    >>> tokens(example(tokens=[2, 6])).sum("tokens").value
    8
    """
    return Total(cell.tokenizer.tokens)


@metric(
    unit="ratio",
    higher_is_better=False,
    definition="tokens / tokens of the reference tokenizer on the same text",
    evidence="none",
    against=("reference",),
)
def normalized_length(cell: Cell) -> Outcome:
    """Σ tokens / Σ tokens of the reference; below 1 is shorter than the reference.

    >>> from evalkit.metrics.example import example
    >>> normalized_length(example(tokens=[2, 6], reference_tokens=[4, 6])).micro("ratio").value
    0.8
    """
    if isinstance(cell.reference, Undefined):
        return cell.reference
    return Ratio(cell.tokenizer.tokens, cell.reference.tokens)


@metric(
    unit="ratio",
    higher_is_better=False,
    definition=(
        "bytes_per_token of the tokenizer trained on this corpus (same variant, both at the smaller of "
        "the two achieved sizes, by truncation) / bytes_per_token of this one − 1"
    ),
    evidence="none",
    against=("home",),
    version=2,  # the interval is that of the two compared, which may hold 0 though no document is cut better
)
def regret(cell: Cell) -> Outcome:
    """What a vocabulary trained elsewhere costs on this corpus: extra tokens as a share. 0 is no cost.

    The bytes are the same on both sides, so that the quotient of bytes per token is one of tokens.

    >>> from evalkit.metrics.example import example
    >>> regret(example(tokens=[2, 6], ideal_tokens=[2, 3])).micro("ratio").value
    0.6
    """
    if isinstance(cell.matched, Undefined):
        return cell.matched
    own, ideal = cell.matched.own, cell.matched.ideal
    return Ratio(computed(np.subtract, own, ideal), ideal, lengths=cell.corpus.bytes)
