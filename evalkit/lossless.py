"""Which tokenizers lose text, and on which corpora: the one place that says so.

What is dropped or replaced costs no tokens and reads as better compression, so that whatever loses text is neither the
best nor on a front, and isn't called better than before. That mustn't hang on the metrics that a suite lists: the check
of the round trip is made whatever they are, so it is asked first. The rates, where they were measured, are asked too:
in results of earlier versions the check knew nothing of unknown ids.
"""

from __future__ import annotations

from collections.abc import Iterable

from evalkit.counts import TokenizerCounts
from evalkit.run_records import CheckRecord, Row
from evalkit.values import Undefined

CHECK = "round_trip"

WITHOUT_LOSS = {"round_trip_rate": 1, "unk_rate": 0}
"""The figures that say how much is lost, with what they are where nothing is."""


def loses(counted: TokenizerCounts) -> bool:
    """Whether a tokenizer loses text of the corpus that it was counted on."""
    back = counted.round_trips
    return bool(counted.unknown.any()) or (not isinstance(back, Undefined) and back < counted.round_trip_documents)


def lossy(rows: Iterable[Row], checks: Iterable[CheckRecord]) -> tuple[tuple[str, str], ...]:
    """(corpus, tokenizer) of all that is lost, as far as it was measured; each once."""
    failed = [(one.corpus, one.tokenizer) for one in checks if one.name == CHECK and one.passed is False]
    measured = [
        (row.corpus, row.tokenizer)
        for row in rows
        if row.aggregation == "micro"
        and row.metric in WITHOUT_LOSS
        and row.value not in (None, WITHOUT_LOSS[row.metric])
    ]
    return tuple(dict.fromkeys(failed + measured))
