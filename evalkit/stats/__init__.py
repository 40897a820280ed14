"""Statistics over documents: intervals, paired comparisons, rank stability. Functions of arrays; nothing here
knows what a tokenizer is."""

from __future__ import annotations

from evalkit.stats.intervals import (
    BY_CHANCE,
    ENOUGH,
    FEWEST,
    Floats,
    Interval,
    canonical,
    folded,
    jackknife_interval,
    mean_interval,
    perfect_bound,
    ratio_interval,
    share_interval,
)
from evalkit.stats.paired import POWER, Comparison, RatioChange, compare_pairs, compare_ratios, compare_two, holm
from evalkit.stats.ranks import RESAMPLES, best_shares
from evalkit.stats.student import quantile, two_sided

__all__ = [
    "BY_CHANCE",
    "ENOUGH",
    "FEWEST",
    "POWER",
    "RESAMPLES",
    "Comparison",
    "Floats",
    "Interval",
    "RatioChange",
    "best_shares",
    "canonical",
    "compare_pairs",
    "compare_ratios",
    "compare_two",
    "folded",
    "holm",
    "jackknife_interval",
    "mean_interval",
    "perfect_bound",
    "quantile",
    "ratio_interval",
    "share_interval",
    "two_sided",
]
