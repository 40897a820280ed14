"""What a language costs: the same content in several languages, under one tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evalkit.columns import Ints, blocks, computed
from evalkit.metrics.registry import Cell, Jackknifed, Outcome, Ratio, metric
from evalkit.stats import folded
from evalkit.values import Undefined

NOT_SETTLED = "the lines don't settle which languages cost more than others, and chance alone adds to the figure then"
"""Why a Gini coefficient over lines enough has no interval."""

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
    version=2,  # no interval where the lines don't settle which languages cost more; none goes beyond 0 and 1
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
    return over_languages(list(parallel.tokens.values()))


def over_languages(languages: Sequence[Ints]) -> Jackknifed | Undefined:
    """The Gini coefficient of languages by the tokens of each line."""
    totals = np.array([int(tokens.sum()) for tokens in languages])
    if not totals.all():
        return Undefined("a language of the group has no tokens")
    left_out = [
        gini((totals - np.stack([tokens[part] for tokens in languages], axis=1)).astype(np.float64))
        for part in blocks(len(languages[0]))
    ]
    value = gini(totals[None, :].astype(np.float64))[0]
    lengths = computed(lambda *some: sum(some), *languages)
    return Jackknifed(
        float(value), np.concatenate(left_out), lengths, rate=True, by_chance=_by_chance(languages, totals)
    )


def _by_chance(languages: Sequence[Ints], totals: Ints) -> float:
    """What chance adds to the Gini coefficient. That is the sum of the distances of all pairs of languages' shares of
    the tokens, over their number; and the distance of two that cost the same is never less than 0, so that it is as
    large as chance makes it."""
    n, whole = len(languages[0]), int(totals.sum())
    first, second = np.zeros(len(totals)), np.zeros((len(totals), len(totals)))
    for part in blocks(n):
        counts = np.stack([tokens[part] for tokens in languages], axis=1)
        rest = whole - counts.sum(axis=1, keepdims=True)
        moved = (totals - counts) / np.where(rest > 0, rest, 1) - totals / whole  # the shares, without a line
        first += moved.sum(axis=0)
        second += moved.T @ moved
    spread = (second - np.outer(first, first) / n) * (n - 1) / n
    shares = (totals / whole).tolist()
    added = 0.0
    for one, two in combinations(range(len(shares)), 2):
        error = max(0.0, float(spread[one, one] + spread[two, two] - 2 * spread[one, two])) ** 0.5
        added += folded(abs(shares[one] - shares[two]), error)
    return added / len(shares)
