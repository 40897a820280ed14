"""The results of a run: one tidy table and what it is about. The one thing that reports and gates are made
from.

``results.json`` is this as JSON, with a schema version; results of another version are refused. Figures that
are undefined are ``null`` with a reason, never 0 and never NaN.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from evalkit.counts import CorpusCounts, Difference
from evalkit.errors import UserError
from evalkit.fair_records import FrontRecord, LossRecord, MatchedRecord, SeenRecord, StabilityRecord, TokenCount
from evalkit.selection_records import CostRecord, ModelRecord, OptimumRecord
from evalkit.vocabulary_records import UsageRecord, VocabularyRecord

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class SuiteRecord:
    """``reference``: the tokenizer that lengths are normalised by, or None; ``reference_language``: the one that
    premiums are against.

    The rest is what it takes to run it again (``evalkit verify``), and is in no digest: the file's ``text`` and where
    it was (a path as it was given, the name of a built-in suite, or ``-``), what ``--only`` chose, and ``NAME=PATH``
    of the corpora that were read from other files. ``asked_metrics``: those that it names (``all`` names none).
    """

    name: str
    sha256: str
    seed: int
    reference: str | None
    confidence: float
    source: str | None = None
    text: str | None = None
    only: str | None = None
    corpus_files: tuple[str, ...] = ()
    reference_language: str | None = None
    asked_metrics: tuple[str, ...] = ()


@dataclass(frozen=True)
class TokenizerRecord:
    """``asked_vocab_size``, ``stopped``, ``trained_on`` and ``train_seconds`` are of those trained here only.

    ``max_id``: the largest id; a model needs one row more than that, which is more than ``vocab_size`` where ids
    have gaps. ``splitter``: equal for tokenizers that cut every text into the same pretokens. ``fingerprint``:
    equal for tokenizers that give equal ids for every text. Both None where they aren't known. ``aliases``: other names
    of it, such as the largest rung's. ``notes`` say how it came about, and like the seconds may differ from
    run to run (a cached tokenizer wasn't trained), so that neither is in the digest.
    """

    name: str
    kind: str
    variant: str | None
    vocab_size: int | None
    asked_vocab_size: int | None
    fingerprint: str | None
    trained_on: tuple[str, ...]
    stopped: str | None
    splitter: str | None
    special_tokens: tuple[str, ...]
    aliases: tuple[str, ...]
    notes: tuple[str, ...]
    train_seconds: float | None
    max_id: int | None = None


@dataclass(frozen=True)
class CorpusRecord:
    """The split that was measured. ``words`` is None where they can't be counted, for ``words_undefined``.

    ``special_text_documents``: documents that hold the text of a special token, which was measured as data.
    ``parallel``: the group of corpora that say the same line by line.
    """

    name: str
    split: str
    domain: str
    language: str
    documents: int
    bytes: int
    chars: int
    words: int | None
    words_undefined: str | None
    segmenter: str
    sha256: str
    special_text_documents: int
    notes: tuple[str, ...]
    parallel: str | None = None


@dataclass(frozen=True)
class Row:
    """One figure. ``n``: documents it is over. ``value`` is None exactly where ``undefined_reason`` is a
    text."""

    corpus: str
    split: str
    domain: str
    language: str
    tokenizer: str
    metric: str
    aggregation: str
    value: float | int | None
    low: float | None
    high: float | None
    unit: str
    n: int
    higher_is_better: bool | None
    evidence: str
    undefined_reason: str | None

    def __post_init__(self) -> None:
        if (self.value is None) != (self.undefined_reason is not None):
            raise ValueError(f"{self.metric} of {self.tokenizer} on {self.corpus} needs a value or a reason")


COLUMNS = tuple(f.name for f in fields(Row))


@dataclass(frozen=True)
class MetricRecord:
    """What a metric means, so that results can be read without the program that made them. ``no_interval``:
    why its figures have none, where that is so. ``source``: where it comes from, empty for evalkit's own."""

    name: str
    unit: str
    higher_is_better: bool | None
    definition: str
    evidence: str
    citation: str
    version: int
    timing: bool
    no_interval: str = ""
    source: str = ""


@dataclass(frozen=True)
class OverlapRecord:
    """Two vocabularies over their token bytes, special tokens left out. ``shared`` is a number of tokens."""

    first: str
    second: str
    shared: int
    jaccard: float
    first_in_second: float
    second_in_first: float


@dataclass(frozen=True)
class CorpusPairRecord:
    """A figure of two corpora under one tokenizer. ``first_tokens`` and ``second_tokens``: how many tokens it is from.
    ``value`` is None exactly where ``undefined_reason`` is a text."""

    metric: str
    tokenizer: str
    first: str
    second: str
    value: float | None
    unit: str
    first_tokens: int
    second_tokens: int
    undefined_reason: str | None


@dataclass(frozen=True)
class PairRecord:
    """A figure of two tokenizers on a corpus of ``n`` documents, without an interval. ``value`` is None exactly where
    ``undefined_reason`` is a text. ``shared`` of ``union``: what it is a ratio of, to be summed over corpora."""

    corpus: str
    metric: str
    first: str
    second: str
    value: float | None
    shared: int | None
    union: int | None
    unit: str
    n: int
    undefined_reason: str | None


@dataclass(frozen=True)
class CheckRecord:
    """One verdict; ``passed`` is None where the check could not be made (see ``evalkit.counts.Check``)."""

    corpus: str
    tokenizer: str
    name: str
    passed: bool | None
    documents: int
    bytes: int
    of_bytes: int
    detail: str
    divergence: dict[str, Any] | None


@dataclass(frozen=True)
class MatchRecord:
    """Regret's two sides: both tokenizers at ``size`` entries, and their tokens on the corpus."""

    corpus: str
    tokenizer: str
    ideal: str
    size: int
    tokens: int
    ideal_tokens: int


@dataclass(frozen=True)
class DifferenceRecord:
    """The pieces of text that carry most of the difference of two tokenizers (``counts.PairDifferences``)."""

    corpus: str
    first: str
    second: str
    pieces: str
    sample_bytes: int
    first_total: int
    second_total: int
    top: tuple[Difference, ...]


@dataclass(frozen=True)
class ComparisonRecord:
    """Two tokenizers on the same documents of a corpus. ``ratio``: tokens of the first / tokens of the second.

    ``low`` and ``high`` bound the ratio, and ``p`` is two-sided, neither adjusted for the number of
    comparisons; ``p_holm`` is adjusted for all pairs on the corpus. ``separable``: whether that says that they differ;
    None where it could not be judged, for ``undefined_reason``. ``identical``: as many tokens in every
    document. ``detectable``: the relative difference that would be found four times out of five.

    ``noise_floor``: the relative difference that training alone makes (``stability``); a difference below it is not
    separable, whatever the documents say. None where nothing was trained again, or for ``noise_undefined``.
    """

    corpus: str
    first: str
    second: str
    documents: int
    ratio: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    separable: bool | None
    identical: bool
    detectable: float | None
    undefined_reason: str | None
    noise_floor: float | None = None
    noise_undefined: str | None = None

    @property
    def within_noise(self) -> bool:
        """Whether training alone would make such a difference."""
        if self.noise_floor is None or not self.ratio or self.identical:
            return False
        return max(self.ratio, 1 / self.ratio) - 1 <= self.noise_floor

    def turned(self) -> ComparisonRecord:
        """The same, of the second against the first."""
        ends = (self.high, self.low)
        ratio, low, high = (None if not value else 1 / value for value in (self.ratio, *ends))
        return replace(self, first=self.second, second=self.first, ratio=ratio, low=low, high=high)


@dataclass(frozen=True)
class RankRecord:
    """The share of resamples of the corpus' documents in which a tokenizer has the fewest tokens."""

    corpus: str
    tokenizer: str
    best: float
    resamples: int


@dataclass(frozen=True)
class LadderRecord:
    """A tokenizer cut to several vocabulary sizes, on a corpus. ``tokens``, ``bytes_per_token`` (None where there
    is no token) and ``used`` (ids that occur) are for ``sizes``, in ascending order."""

    corpus: str
    tokenizer: str
    bytes: int
    sizes: tuple[int, ...]
    tokens: tuple[int, ...]
    bytes_per_token: tuple[float | None, ...]
    used: tuple[int, ...]


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
    losses: tuple[LossRecord, ...] = ()
    fronts: tuple[FrontRecord, ...] = ()
    seen: tuple[SeenRecord, ...] = ()
    vocabularies: tuple[VocabularyRecord, ...] = ()
    usage: tuple[UsageRecord, ...] = ()
    pairs: tuple[PairRecord, ...] = ()
    warnings: tuple[str, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    counts: tuple[CorpusCounts, ...] = field(default=(), compare=False, repr=False)
    schema_version: int = SCHEMA_VERSION

    @property
    def digest(self) -> str:
        """SHA-256 over all but timings and environment: equal for the same suite on the same data."""
        content = self._content()
        for key in ("environment", "timings"):
            del content[key]
        for key in ("source", "text", "only", "corpus_files", "asked_metrics"):
            del content["suite"][key]
        timed = {m.name for m in self.metrics if m.timing}
        content["rows"] = [row for row in content["rows"] if row["metric"] not in timed]
        for tokenizer in content["tokenizers"]:
            del tokenizer["train_seconds"], tokenizer["notes"]
        # JSON writes floats by repr, the shortest text that reads back as the same number.
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def failed_checks(self) -> tuple[CheckRecord, ...]:
        """The checks that make a run fail: serial ≠ parallel, and bytes that are not accounted for."""
        fatal = ("serial_equals_parallel", "byte_audit")
        return tuple(check for check in self.checks if check.passed is False and check.name in fatal)

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
            content[name] = _plain(value)
        return content

    def to_json(self) -> str:
        """``results.json``: valid JSON, two blanks a level."""
        content = self._content() | {"digest": self.digest}
        return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, Difference):
        row = asdict(value)
        piece = row.pop("piece")
        return _shown(piece) | row
    if isinstance(value, TokenCount):
        return _shown(value.token) | {"times": value.times}
    if hasattr(value, "__dataclass_fields__"):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _shown(piece: bytes) -> dict[str, Any]:
    return {"text": piece.decode("utf-8", "backslashreplace"), "bytes": piece.hex()}


_Record = TypeVar("_Record")


def _records(kind: type[_Record], items: Sequence[Mapping[str, Any]]) -> tuple[_Record, ...]:
    """Keys that this version doesn't know are left out: adding some is no change of the schema."""
    names = {f.name for f in fields(kind)}  # type: ignore[arg-type]
    found = []
    for item in items:
        known = {key: tuple(v) if isinstance(v, list) else v for key, v in item.items() if key in names}
        found.append(kind(**known))
    return tuple(found)


def _difference(item: Mapping[str, Any]) -> DifferenceRecord:
    top = tuple(
        Difference(bytes.fromhex(row["bytes"]), row["occurrences"], row["first_tokens"], row["second_tokens"])
        for row in item["top"]
    )
    return _records(DifferenceRecord, [{**item, "top": top}])[0]


def _loss(item: Mapping[str, Any]) -> LossRecord:
    def tokens(key: str) -> tuple[TokenCount, ...]:
        return tuple(TokenCount(bytes.fromhex(one["bytes"]), one["times"]) for one in item[key])

    parsed = {
        "difference": _difference(item["difference"]),
        "idle_top": tokens("idle_top"),
        "missing_top": tokens("missing_top"),
    }
    return _records(LossRecord, [{**item, **parsed}])[0]


def parse_results(text: str, where: str = "results.json") -> Results:
    """The results in a JSON text. Raises ``UserError`` for another schema version and for what isn't
    results."""
    try:
        content = json.loads(text)
        version = content["schema_version"]
    except (ValueError, TypeError, KeyError):
        raise UserError(f"{where} is not the results of an evalkit run") from None
    if version != SCHEMA_VERSION:
        raise UserError(
            f"{where} has schema version {version}, and this evalkit reads version {SCHEMA_VERSION}: "
            "run the suite again to compare"
        )
    try:
        return Results(
            suite=_records(SuiteRecord, [content["suite"]])[0],
            environment=content["environment"],
            tokenizers=_records(TokenizerRecord, content["tokenizers"]),
            corpora=_records(CorpusRecord, content["corpora"]),
            rows=_records(Row, content["rows"]),
            metrics=_records(MetricRecord, content["metrics"]),
            checks=_records(CheckRecord, content["checks"]),
            overlaps=_records(OverlapRecord, content["overlaps"]),
            corpus_pairs=_records(CorpusPairRecord, content.get("corpus_pairs", ())),
            model=_records(ModelRecord, [content["model"]])[0] if content.get("model") else None,
            costs=_records(CostRecord, content.get("costs", ())),
            optima=_records(OptimumRecord, content.get("optima", ())),
            matches=_records(MatchRecord, content["matches"]),
            differences=tuple(map(_difference, content["differences"])),
            comparisons=_records(ComparisonRecord, content.get("comparisons", ())),
            ranks=_records(RankRecord, content.get("ranks", ())),
            ladders=_records(LadderRecord, content["ladders"]),
            stability=_records(StabilityRecord, content.get("stability", ())),
            matched=_records(MatchedRecord, content.get("matched", ())),
            losses=tuple(map(_loss, content.get("losses", ()))),
            fronts=_records(FrontRecord, content.get("fronts", ())),
            seen=_records(SeenRecord, content.get("seen", ())),
            vocabularies=_records(VocabularyRecord, content.get("vocabularies", ())),
            usage=_records(UsageRecord, content.get("usage", ())),
            pairs=_records(PairRecord, content.get("pairs", ())),
            warnings=tuple(content["warnings"]),
            timings=content["timings"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{where} is damaged: {error}") from None


def load_results(path: Path) -> Results:
    """The results in a file, or in the folder of a report. Raises ``UserError``."""
    file = path / "results.json" if path.is_dir() else path
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"{file} can't be read: {reason}") from None
    return parse_results(text, str(file))
