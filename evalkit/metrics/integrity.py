"""Whether text survives: unknown ids, and decoding back to the same bytes. Checked, not assumed."""

from __future__ import annotations

from evalkit.metrics.registry import Cell, Outcome, Ratio, Whole, metric
from evalkit.values import Undefined


@metric(
    unit="ratio",
    higher_is_better=False,
    definition="unknown ids / ids",
    evidence="none",
)
def unk_rate(cell: Cell) -> Outcome:
    """Σ unknown ids / Σ ids; 0 for byte-level BPE.

    >>> from evalkit.metrics.example import example
    >>> unk_rate(example(unknown=[0, 2], tokens=[2, 6])).micro("ratio").value
    0.25
    """
    return Ratio(cell.tokenizer.unknown, cell.tokenizer.tokens)


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
    Whole(value=0.5, n=2)
    """
    counts = cell.tokenizer
    if isinstance(counts.round_trips, Undefined):
        return counts.round_trips
    if counts.round_trip_documents == 0:
        return Undefined("no document was checked")
    return Whole(counts.round_trips / counts.round_trip_documents, counts.round_trip_documents)
