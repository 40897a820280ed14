"""Stored results as the cells that metrics are made of, for what is compared on the same documents."""

from __future__ import annotations

from collections.abc import Mapping

from evalkit.columns import Ints, zeros
from evalkit.counts import CorpusCounts, Placed, TokenizerCounts
from evalkit.metrics import METRICS, Cell
from evalkit.metrics.registry import Ratio
from evalkit.parallel import parallel_of
from evalkit.results import CorpusRecord, Results
from evalkit.results_files import OF_PLACES, StoredCounts
from evalkit.values import Undefined

NOT_STORED = Undefined("counts.npz doesn't have it")


class StoredCells:
    """``counts`` by corpus, of ``results``."""

    def __init__(self, results: Results, counts: Mapping[str, StoredCounts]) -> None:
        self._results = results
        self._foreign = {one.name for one in results.metrics if one.source}
        self._counts = counts
        self._corpora = {one.name: _corpus(one, counts[one.name]) for one in results.corpora if one.name in counts}

    def ratio(self, corpus: str, tokenizer: str, metric: str) -> Ratio | None:
        """The parts of a figure by document; None for one that has none, and where what it needs isn't stored. Metrics
        of the user's own are not run again."""
        counted = self._corpora.get(corpus)
        if counted is None or tokenizer not in counted.tokenizers or metric not in METRICS or metric in self._foreign:
            return None
        if metric == "unk_rate" and tokenizer not in self._counts[corpus].parts.get("unknown", {}):
            return None  # counts of an earlier version, and no zero
        everywhere = [one for one in self._corpora.values() if tokenizer in one.tokenizers]
        reference = self._results.suite.reference
        cell = Cell(
            counted,
            counted.tokenizers[tokenizer],
            counted.tokenizers.get(reference or "", NOT_STORED),
            NOT_STORED,
            parallel_of(counted, everywhere, tokenizer, self._results.suite.reference_language or "en"),
        )
        found = METRICS[metric].compute(cell)
        return found if isinstance(found, Ratio) else None


def _corpus(record: CorpusRecord, stored: StoredCounts) -> CorpusCounts:
    return CorpusCounts(
        name=record.name,
        split=record.split,
        domain=record.domain,
        language=record.language,
        segmenter=record.segmenter,
        sha256=record.sha256,
        hashes=stored.hashes,
        bytes=stored.bytes,
        chars=stored.chars,
        words=NOT_STORED if stored.words is None else stored.words,
        tokenizers={name: _tokenizer(name, tokens, stored) for name, tokens in stored.tokens.items()},
        parallel=record.parallel,
        multibyte=stored.of_text.get("multibyte", NOT_STORED),
        number_places=stored.of_text.get("number_places", NOT_STORED),
    )


def _tokenizer(name: str, tokens: Ints, stored: StoredCounts) -> TokenizerCounts:
    def part(key: str) -> Ints | Undefined:
        return stored.parts.get(key, {}).get(name, NOT_STORED)

    unknown = part("unknown")
    return TokenizerCounts(
        name=name,
        vocab_size=NOT_STORED,
        special_ids=frozenset(),
        tokens=tokens,
        unknown=zeros(len(tokens)) if isinstance(unknown, Undefined) else unknown,
        pretokens=NOT_STORED,
        id_counts=NOT_STORED,
        round_trips=NOT_STORED,
        round_trip_documents=0,
        special_text_documents=0,
        placed=Placed(**{key: part(key) for key in OF_PLACES}),
    )
