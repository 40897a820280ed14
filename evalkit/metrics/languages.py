"""What a language costs: the same content in several languages, under one tokenizer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evalkit.columns import blocks, computed
from evalkit.metrics.registry import Cell, Jackknifed, Outcome, Ratio, metric
from evalkit.values import Undefined

_PARITY = (
    "supported: Petrov et al. 2023, Language Model Tokenizers Introduce Unfairness Between Languages (2305.15425); "
    "Ahia et al. 2023, Do All Languages Cost the Same? (2305.13707)"
)


@metric(
    unit="x",
    higher_is_better=False,
    definition=(
        "tokens of this language / tokens of the reference language for the same content, on line-aligned text; "
        "1 is parity"
    ),
    evidence="supported",
    citation=_PARITY,
    against=("reference_language",),
)
def premium(cell: Cell) -> Outcome:
    """Σ tokens / Σ tokens of the same lines in the reference language, under the same tokenizer.

    Lines are paired: the interval leaves out a line in both languages at once.

    >>> from evalkit.metrics.example import example
    >>> premium(example(tokens=[4, 6], other_languages={"en": [2, 3]}, reference_language="en")).micro("x").value
    2.0
    >>> premium(example()).reason
    "the corpus isn't declared line-aligned with others (parallel: GROUP)"
    """
    parallel = cell.parallel
    if isinstance(parallel, Undefined):
        return parallel
    return Ratio(cell.tokenizer.tokens, parallel.tokens[parallel.reference])


def gini(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The Gini coefficient of each row of ``values``, shape (rows, members), none of them negative: the mean absolute
    difference of two members / twice their mean. 0 where all are equal, 1 − 1 / members where one has everything; 0
    too where nobody has anything.

    >>> gini(np.array([[1.0, 1.0], [0.0, 4.0], [1.0, 3.0]])).tolist()
    [0.0, 0.5, 0.25]
    """
    members = values.shape[1]
    ordered = np.sort(values, axis=1)
    weights = 2.0 * np.arange(1, members + 1) - members - 1  # Σ |x − y| over ordered pairs, from one sort
    totals = ordered.sum(axis=1)
    return np.asarray(ordered @ weights / np.where(totals > 0, members * totals, 1.0))


@metric(
    unit="gini",
    higher_is_better=False,
    definition=(
        "Gini coefficient, over the languages of the corpus's parallel group, of their tokens for the same content; "
        "0 where all cost the same, at most 1 − 1 / languages. One figure of the group, given on each of its corpora"
    ),
    evidence="supported",
    citation=_PARITY,
    aggregations=("micro",),
    against=("group",),
)
def gini_premium(cell: Cell) -> Outcome:
    """The Gini coefficient of the languages' tokens, which is that of their premiums, whatever the reference.

    >>> from evalkit.metrics.example import example
    >>> gini_premium(example(tokens=[4, 8], other_languages={"en": [1, 3]}, reference_language="en")).value
    0.25
    """
    parallel = cell.parallel
    if isinstance(parallel, Undefined):
        return parallel
    languages = list(parallel.tokens.values())
    totals = np.array([int(tokens.sum()) for tokens in languages])
    if not totals.all():
        return Undefined("a language of the group has no tokens")
    left_out = [
        gini((totals - np.stack([tokens[part] for tokens in languages], axis=1)).astype(np.float64))
        for part in blocks(cell.corpus.documents)
    ]
    value = gini(totals[None, :].astype(np.float64))[0]
    return Jackknifed(float(value), np.concatenate(left_out), computed(lambda *some: sum(some), *languages))
