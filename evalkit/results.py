"""The results of a run: one tidy table and what it is about. The one thing that reports and gates are made
from.

``results.json`` is this as JSON, with a schema version; results of another version are refused. Figures that
are undefined are ``null`` with a reason, never 0 and never NaN.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import Any

from evalkit.counts import CorpusCounts
from evalkit.errors import UserError
from evalkit.fair_records import CutRecord, FrontRecord, LossRecord, MatchedRecord, SeenRecord, StabilityRecord
from evalkit.lossless import lossy
from evalkit.results_json import plain
from evalkit.run_records import (
    COLUMNS,
    CheckRecord,
    ComparisonRecord,
    CorpusPairRecord,
    CorpusRecord,
    DifferenceRecord,
    LadderRecord,
    MatchRecord,
    MetricRecord,
    OverlapRecord,
    PairRecord,
    RankRecord,
    Row,
    SuiteRecord,
    TokenizerRecord,
)
from evalkit.selection_records import CostRecord, ModelRecord, OptimumRecord
from evalkit.typed import record_of
from evalkit.vocabulary_records import TrainingUsageRecord, UsageRecord, VocabularyRecord
from tokenizers_impl.deferred import dataclass
from tokenizers_impl.errors import shorten

__all__ = [
    "COLUMNS",
    "SCHEMA_VERSION",
    "CheckRecord",
    "ComparisonRecord",
    "CorpusPairRecord",
    "CorpusRecord",
    "DifferenceRecord",
    "LadderRecord",
    "MatchRecord",
    "MetricRecord",
    "OverlapRecord",
    "PairRecord",
    "RankRecord",
    "Results",
    "Row",
    "SuiteRecord",
    "TokenizerRecord",
    "load_results",
    "parse_results",
]

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Results:
    """A whole run. ``counts`` are the integers behind it; they are stored beside the JSON, in
    ``counts.npz``."""

    suite: SuiteRecord
    environment: Mapping[str, Any]
    tokenizers: tuple[TokenizerRecord, ...]
    corpora: tuple[CorpusRecord, ...]
    rows: tuple[Row, ...]
    metrics: tuple[MetricRecord, ...]
    checks: tuple[CheckRecord, ...]
    overlaps: tuple[OverlapRecord, ...] = ()
    corpus_pairs: tuple[CorpusPairRecord, ...] = ()
    model: ModelRecord | None = None
    costs: tuple[CostRecord, ...] = ()
    optima: tuple[OptimumRecord, ...] = ()
    matches: tuple[MatchRecord, ...] = ()
    differences: tuple[DifferenceRecord, ...] = ()
    comparisons: tuple[ComparisonRecord, ...] = ()
    ranks: tuple[RankRecord, ...] = ()
    ladders: tuple[LadderRecord, ...] = ()
    stability: tuple[StabilityRecord, ...] = ()
    matched: tuple[MatchedRecord, ...] = ()
    cuts: tuple[CutRecord, ...] = ()
    losses: tuple[LossRecord, ...] = ()
    fronts: tuple[FrontRecord, ...] = ()
    seen: tuple[SeenRecord, ...] = ()
    vocabularies: tuple[VocabularyRecord, ...] = ()
    usage: tuple[UsageRecord, ...] = ()
    training_usage: tuple[TrainingUsageRecord, ...] = ()
    pairs: tuple[PairRecord, ...] = ()
    warnings: tuple[str, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    counts: tuple[CorpusCounts, ...] = field(default=(), compare=False, repr=False)
    schema_version: int = SCHEMA_VERSION

    @property
    def digest(self) -> str:
        """SHA-256 over all but timings and environment: equal for the same suite on the same data."""
        found: str | None = self.__dict__.get("_digest")
        return self._digest_of(self._content()) if found is None else found

    def _digest_of(self, content: Mapping[str, Any]) -> str:
        timed = {m.name for m in self.metrics if m.timing}
        part = {key: value for key, value in content.items() if key not in ("environment", "timings")}
        part["suite"] = _without(content["suite"], ("source", "text", "only", "corpus_files", "asked_metrics"))
        part["rows"] = [row for row in content["rows"] if row["metric"] not in timed]
        part["tokenizers"] = [_without(one, ("train_seconds", "notes")) for one in content["tokenizers"]]
        # JSON writes floats by repr, the shortest text that reads back as the same number.
        text = json.dumps(part, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
        found = hashlib.sha256(text.encode()).hexdigest()
        object.__setattr__(self, "_digest", found)
        return found

    @property
    def failed_checks(self) -> tuple[CheckRecord, ...]:
        """The checks that make a run fail: serial ≠ parallel, and bytes that are not accounted for."""
        fatal = ("serial_equals_parallel", "byte_audit")
        return tuple(check for check in self.checks if check.passed is False and check.name in fatal)

    @property
    def lossy(self) -> frozenset[tuple[str, str]]:
        """(corpus, tokenizer), by its aliases too, of what loses text (:mod:`evalkit.lossless`)."""
        found: frozenset[tuple[str, str]] | None = self.__dict__.get("_lossy")
        if found is None:
            others = {t.name: t.aliases for t in self.tokenizers}
            pairs = lossy(self.rows, self.checks)
            found = frozenset((corpus, name) for corpus, one in pairs for name in (one, *others.get(one, ())))
            object.__setattr__(self, "_lossy", found)
        return found

    def row(self, corpus: str, tokenizer: str, metric: str, aggregation: str = "micro") -> Row | None:
        """The row of that key, or None where it was not asked for. A tokenizer's aliases are as good as its
        name."""
        return self._index.get((corpus, tokenizer, metric, aggregation))

    def comparison(self, corpus: str, first: str, second: str) -> ComparisonRecord | None:
        """The comparison of these two there, that way round, or None where there is none."""
        found = self.__dict__.get("_comparisons_by_key")
        if found is None:
            found = {(c.corpus, c.first, c.second): c for c in self.comparisons}
            object.__setattr__(self, "_comparisons_by_key", found)
        index: dict[tuple[str, str, str], ComparisonRecord] = found
        if (corpus, first, second) in index:
            return index[corpus, first, second]
        other = index.get((corpus, second, first))
        return None if other is None else other.turned()

    @property
    def _index(self) -> dict[tuple[str, str, str, str], Row]:
        found = self.__dict__.get("_rows_by_key")
        if found is None:
            others: dict[str, tuple[str, ...]] = {t.name: t.aliases for t in self.tokenizers}
            found = {
                (r.corpus, name, r.metric, r.aggregation): r
                for r in self.rows
                for name in (r.tokenizer, *others.get(r.tokenizer, ()))
            }
            object.__setattr__(self, "_rows_by_key", found)
        index: dict[tuple[str, str, str, str], Row] = found
        return index

    def _content(self) -> dict[str, Any]:
        shallow = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "counts"}
        content: dict[str, Any] = {"schema_version": shallow.pop("schema_version")}
        for name, value in shallow.items():
            content[name] = plain(value)
        # Results of an earlier version don't say these: left out, so that the digest that stands in them is theirs
        # still.
        for name, key in (("corpora", "documents_sha256"), ("matches", "noise_floor")):
            content[name] = [one if one[key] is not None else _without(one, (key,)) for one in content[name]]
        return content

    def to_json(self) -> str:
        """``results.json``: valid JSON, two blanks a level."""
        content = self._content()
        content["digest"] = self._digest_of(content)
        return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _without(record: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in names}


def parse_results(text: str, where: str = "results.json") -> Results:
    """The results in a JSON text. Raises ``UserError`` for another schema version and for what isn't
    results."""
    try:
        content = json.loads(text)
        version = content["schema_version"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise UserError(f"{where} is not the results of an evalkit run") from None
    if version != SCHEMA_VERSION:
        raise UserError(
            f"{where} has schema version {version}, and this evalkit reads version {SCHEMA_VERSION}: "
            "run the suite again to compare"
        )
    try:
        for key in _IN_ALL:
            if key not in content:
                raise ValueError(f"it has no {key!r}")
        results = record_of(Results, content)
        for key, names in _keys(results).items():
            for name, times in Counter(names).items():
                if times > 1:
                    raise ValueError(f"{key} has {shorten(name)} {times} times")
    except ValueError as error:
        raise UserError(f"{where} is damaged: {error}") from None
    return results


_IN_ALL = ("overlaps", "matches", "differences", "ladders", "warnings", "timings")
"""What every version has written, though what it is of may be empty."""


def _keys(results: Results) -> dict[str, Iterable[Any]]:
    """What tells the records of a kind apart, by kind."""
    return {
        "tokenizers": (one.name for one in results.tokenizers),
        "corpora": (one.name for one in results.corpora),
        "metrics": (one.name for one in results.metrics),
        "rows": ((r.corpus, r.tokenizer, r.metric, r.aggregation) for r in results.rows),
    }


def load_results(path: Path) -> Results:
    """The results in a file, or in the folder of a report. Raises ``UserError``."""
    file = path / "results.json" if path.is_dir() else path
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"{file} can't be read: {reason}") from None
    return parse_results(text, str(file))
