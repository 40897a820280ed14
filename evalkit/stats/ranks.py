"""How firmly the best is the best: how often it would be on other documents of the same kind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalkit.columns import Ints

RESAMPLES = 1000
TOGETHER = 100  # resamples: a million numbers drawn at a time
GROUPS = 1000  # more documents than that are resampled by random groups, which leaves every variance as it is


def best_shares(tokens: Sequence[Ints], seed: int, resamples: int = RESAMPLES) -> list[float]:
    """The share of resamples of the documents in which each tokenizer has the fewest tokens; those that are
    equal there share it.

    The bootstrap of Efron (1979), seeded. The sums are of integers, and the generator is the one whose numbers
    NumPy has frozen (NEP 19): the same shares everywhere.
    """
    documents = len(tokens[0]) if tokens else 0
    if documents == 0:
        return [1 / len(tokens)] * len(tokens) if tokens else []
    random = np.random.RandomState(seed % 2**32)
    sums = _grouped(tokens, random)
    groups = len(sums)
    wins = np.zeros(len(tokens))
    for start in range(0, resamples, TOGETHER):
        drawn = random.randint(0, groups, (min(TOGETHER, resamples - start), groups))
        totals = np.stack([of_one[drawn].sum(axis=1) for of_one in sums.T], axis=1)
        best = totals == totals.min(axis=1, keepdims=True)
        wins += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
    return [round(share, 6) for share in (wins / resamples).tolist()]


def _grouped(tokens: Sequence[Ints], random: np.random.RandomState) -> Ints:
    """Shape (groups, tokenizers)."""
    documents = len(tokens[0])
    if documents <= GROUPS:
        return np.stack(tokens, axis=1)
    order = random.permutation(documents)
    starts = np.linspace(0, documents, GROUPS, endpoint=False).astype(np.int64)
    return np.stack([np.add.reduceat(array[order], starts) for array in tokens], axis=1)
