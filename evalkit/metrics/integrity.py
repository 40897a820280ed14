"""Whether text survives: unknown ids, and decoding back to the same bytes. Checked, not assumed."""

from __future__ import annotations

from evalkit.metrics.registry import Cell, Outcome, Ratio, Share, metric
from evalkit.values import Undefined


@metric(
    unit="ratio",
    higher_is_better=False,
    definition="unknown ids / ids",
    evidence="none",
    version=2,  # no interval of a rate goes beyond 0 and 1
)
def unk_rate(cell: Cell) -> Outcome:
    """Σ unknown ids / Σ ids; 0 for byte-level BPE.

    >>> from evalkit.metrics.example import example
    >>> unk_rate(example(unknown=[0, 2], tokens=[2, 6])).micro("ratio").value
    0.25
    """
    return Ratio(cell.tokenizer.unknown, cell.tokenizer.tokens, rate=True)


@metric(
    unit="ratio",
    higher_is_better=True,
    definition="documents whose ids decode to the document's own bytes / documents checked",
    evidence="none",
    aggregations=("micro",),
)
def round_trip_rate(cell: Cell) -> Outcome:
    """Documents with decode(encode(x)) == x as bytes / documents checked (``n``).

    >>> from evalkit.metrics.example import example
    >>> round_trip_rate(example(bytes=[8, 12], round_trips=1))
    Share(hits=1, trials=2)
    """
    counts = cell.tokenizer
    if isinstance(counts.round_trips, Undefined):
        return counts.round_trips
    if counts.round_trip_documents == 0:
        return Undefined("no document was checked")
    return Share(counts.round_trips, counts.round_trip_documents)
