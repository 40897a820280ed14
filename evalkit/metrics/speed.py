"""How fast a tokenizer encodes. Timings never enter digests or baselines."""

from __future__ import annotations

import statistics

from evalkit.metrics.registry import Cell, Outcome, Whole, metric
from evalkit.values import Undefined


@metric(
    unit="MB/s",
    higher_is_better=True,
    definition=(
        "10⁶ raw bytes a second: encode_ordinary of document after document on one thread, from Python, "
        "caches warm, median of repeated runs after the ids were checked"
    ),
    evidence="none",
    timing=True,
    aggregations=("micro",),
    no_interval="timings vary with the machine, not with the documents",
)
def encode_mb_per_s(cell: Cell) -> Outcome:
    """Bytes / the median run.

    >>> from evalkit.counts import Timing
    >>> from evalkit.metrics.example import example
    >>> encode_mb_per_s(example(timing=Timing(bytes=5_000_000, nanoseconds=(10**9, 5 * 10**8, 2 * 10**9))))
    Whole(value=5.0, n=2)
    """
    timing = cell.tokenizer.timing
    if isinstance(timing, Undefined):
        return timing
    return Whole(timing.bytes * 1000 / statistics.median(timing.nanoseconds), cell.corpus.documents)
