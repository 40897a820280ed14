"""The parts of a run's results as plain values: its suite, tokenizers and corpora, figures, checks and comparisons.

Others are in :mod:`evalkit.fair_records`, :mod:`evalkit.selection_records` and :mod:`evalkit.vocabulary_records`;
:class:`evalkit.results.Results` has them all.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from evalkit.counts import Difference
from tokenizers_impl.deferred import dataclass


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
    ``parallel``: the group of corpora that say the same line by line. ``sha256``: of the files, of which split, sample
    and seed choose; ``documents_sha256``: of the documents that were measured (``CorpusCounts.documents_sha256``), None
    in results of an earlier version.
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
    documents_sha256: str | None = None


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
    """A figure of two tokenizers on a corpus of ``n`` documents. ``value`` is None exactly where ``undefined_reason``
    is a text. ``shared`` of ``union``: what it is a ratio of, to be summed over corpora. ``low`` and ``high``: its
    interval over the documents, None where there is none, and in the results of earlier versions."""

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
    low: float | None = None
    high: float | None = None


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
    """Regret's two sides: both tokenizers at ``size`` entries, and their tokens on the corpus. ``noise_floor``: the
    relative difference that training alone makes between them (``stability``), None where that isn't known."""

    corpus: str
    tokenizer: str
    ideal: str
    size: int
    tokens: int
    ideal_tokens: int
    noise_floor: float | None = None

    @property
    def within_noise(self) -> bool:
        """Whether training alone would make such a difference."""
        if self.noise_floor is None or not self.tokens or not self.ideal_tokens or self.tokens == self.ideal_tokens:
            return False
        return max(self.tokens, self.ideal_tokens) / min(self.tokens, self.ideal_tokens) - 1 <= self.noise_floor


@dataclass(frozen=True)
class DifferenceRecord:
    """The pieces of text that carry most of the difference of two tokenizers (``counts.PairDifferences``).
    ``pieces``: ``pretokens``, ``words``, or ``runs`` where the engine finds no words.
    ``chosen``: why these two (``evalkit.explained``); empty where nobody chose, and in results of an older evalkit."""

    corpus: str
    first: str
    second: str
    pieces: str
    sample_bytes: int
    first_total: int
    second_total: int
    top: tuple[Difference, ...]
    chosen: str = ""


@dataclass(frozen=True)
class ComparisonRecord:
    """Two tokenizers on the same documents of a corpus. ``ratio``: tokens of the first / tokens of the second.

    ``low`` and ``high`` bound the ratio, and ``p`` is two-sided, neither adjusted for the number of
    comparisons; ``p_holm`` is adjusted for all pairs on the corpus. ``separable``: whether that says that they differ;
    None where it could not be judged, for ``undefined_reason``. ``identical``: as many tokens in every
    document. ``detectable``: the relative difference of this pair that ``p_holm`` would tell four times out of five at
    least, at the strictest step of Holm's correction.

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
