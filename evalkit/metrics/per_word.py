"""Tokens against words. The segmenter and the version of its data stand beside every such figure."""

from __future__ import annotations

from evalkit.metrics.registry import Cell, Outcome, Ratio, metric
from evalkit.values import Undefined


@metric(
    unit="tokens/word",
    higher_is_better=False,
    definition="all tokens of the text / word-like segments of the text, by the named segmenter",
    evidence="contested",
    version=2,  # words may end in a mark, and are words whatever stands before
    citation="contested: Ali et al. 2024, Tokenizer Choice For LLM Training (2310.08754)",
    against=("segmenter",),
)
def fertility(cell: Cell) -> Outcome:
    """Σ tokens / Σ words. Blanks and signs have tokens and are no words, so that 1 is not the floor of prose.

    >>> from evalkit.metrics.example import example
    >>> fertility(example(tokens=[2, 6], words=[2, 3])).micro("tokens/word").value
    1.6
    >>> fertility(example(words=None))
    Undefined(reason='no segmenter')
    """
    if isinstance(cell.corpus.words, Undefined):
        return cell.corpus.words
    return Ratio(cell.tokenizer.tokens, cell.corpus.words)
