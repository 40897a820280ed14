"""Look-ups in results that several sections share: who is best, who is at home, which pairs to show."""

from __future__ import annotations

from evalkit.bases import against, is_of_group
from evalkit.ranked import set_aside
from evalkit.report import domains
from evalkit.report.text import listing, plain
from evalkit.results import CorpusRecord, Results, Row, TokenizerRecord
from tokenizers_impl.deferred import dataclass


def shown_corpora(results: Results) -> tuple[CorpusRecord, ...]:
    """The corpora of the general tables. The languages of a parallel group are many columns of a few sentences each:
    beside other corpora they have a section of their own instead."""
    others = tuple(corpus for corpus in results.corpora if corpus.parallel is None)
    return others or results.corpora


def groups_apart(results: Results) -> dict[str, list[CorpusRecord]]:
    """The parallel groups whose corpora aren't among :func:`shown_corpora`."""
    found: dict[str, list[CorpusRecord]] = {}
    shown = {corpus.name for corpus in shown_corpora(results)}
    for corpus in results.corpora:
        if corpus.parallel is not None and corpus.name not in shown:
            found.setdefault(corpus.parallel, []).append(corpus)
    return found


def outside(results: Results) -> str:
    """What has to stand behind "all corpora" where only :func:`shown_corpora` are meant; empty where these are all."""
    groups = list(groups_apart(results))
    if not groups:
        return ""
    return f" outside the {'groups' if groups[1:] else 'group'} {plain(listing(groups))}"


def first_aggregation(results: Results, metric: str) -> str:
    """The one that a table shows: the first that the metric has, mostly micro."""
    return next((row.aggregation for row in results.rows if row.metric == metric), "micro")


LARGE = 150
"""Cells of a table from which what would make as many again is left to the files."""


def is_large(results: Results) -> bool:
    return len(shown_corpora(results)) * len(results.tokenizers) > LARGE


def ladder(results: Results, tokenizer: str) -> str:
    """The largest of the ladder that a tokenizer is a rung of, or itself."""
    largest = tokenizer.rpartition("@")[0]
    return largest if any(t.name == largest and t.trained_on for t in results.tokenizers) else tokenizer


def is_at_home(tokenizer: TokenizerRecord, corpus: str) -> bool:
    """Whether it was trained on (another part of) this corpus, alone or among others."""
    return corpus in tokenizer.trained_on


def is_lossless(results: Results, corpus: str, tokenizer: str) -> bool:
    """Whether no text was lost, as far as it was measured."""
    return (corpus, tokenizer) not in results.lossy


def is_reference_language(results: Results, corpus: CorpusRecord) -> bool:
    """Whether the premiums of its parallel group are against this corpus. ``en`` means any English where nothing is
    just ``en``."""
    language = results.suite.reference_language
    group = [c for c in results.corpora if corpus.parallel is not None and c.parallel == corpus.parallel]
    exact = any(c.language == language for c in group)
    return corpus in group and (
        corpus.language == language or (not exact and corpus.language.split("-")[0] == language)
    )


def is_of_whole_text(results: Results, corpus: CorpusRecord, tokenizer: str, metric: str) -> bool:
    """:func:`is_lossless` for all text that a figure of ``metric`` on ``corpus`` is of: what is dropped from the
    reference language makes all others dear, and from any of a group another Gini coefficient."""
    group = [c for c in results.corpora if c.parallel is not None and c.parallel == corpus.parallel]
    others = group if is_of_group(metric) else []
    if "reference_language" in against(metric):
        others = [c for c in group if is_reference_language(results, c)]
    return all(is_lossless(results, c.name, tokenizer) for c in [corpus, *others])


def candidates(results: Results, corpus: str, metric: str, aggregation: str = "micro") -> list[Row]:
    """The figures that can be the best: no baseline, nothing set aside, lossy or undefined. Best first."""
    rows = []
    aside = set_aside(results.tokenizers)
    of = next(c for c in results.corpora if c.name == corpus)
    for tokenizer in results.tokenizers:
        row = results.row(corpus, tokenizer.name, metric, aggregation)
        if (
            row is not None
            and row.value is not None
            and tokenizer.kind != "baseline"
            and tokenizer.name not in aside
            and is_of_whole_text(results, of, tokenizer.name, metric)
        ):
            rows.append(row)
    rows.sort(key=lambda row: (row.value if row.higher_is_better is False else -(row.value or 0)) or 0)
    return rows


def best(results: Results, corpus: str, metric: str, aggregation: str = "micro") -> set[str]:
    """The names of the best tokenizers; several where they are equal, none where nothing can be compared. A
    timing, which the next run would order otherwise, has no best."""
    if any(m.name == metric and m.timing for m in results.metrics):
        return set()
    rows = candidates(results, corpus, metric, aggregation)
    if len(rows) < 2 or rows[0].higher_is_better is None:
        return set()
    return {row.tokenizer for row in rows if row.value == rows[0].value}


@dataclass(frozen=True)
class Band:
    """A range from practice. ``reads`` says what a figure means there."""

    normal: str
    text: str

    def reads(self, value: float) -> str:
        raise NotImplementedError


class _English(Band):
    def reads(self, value: float) -> str:
        if value < 3.5:
            return "wasteful"
        if value > 5:
            return "oversized or mismatched"
        return "reasonable" if 4.0 <= value <= 4.5 else "between the bands"


PER_CHARACTER = 2 / 3
"""Code points per token under which a character takes one and a half tokens or more, which is no longer one."""


class _Chinese(Band):
    def reads(self, value: float) -> str:
        if value < PER_CHARACTER:
            return "characters are cut into bytes"
        if value < 1.0:
            return "nearly character by character"
        return "normal" if 1.2 <= value <= 1.8 else "outside the usual range"


ENGLISH = _English(
    "4.0–4.5",
    "English prose, code points per token: under 3.5 wasteful, 4.0–4.5 reasonable, over 5 an oversized "
    "vocabulary or a mismatch",
)
CHINESE = _Chinese("1.2–1.8", "Chinese, code points per token: 1.2–1.8 normal, under 1.0 nearly character by character")


_OF_LANGUAGE = {"en": ENGLISH, "zh": CHINESE}


def band_of_language(corpus: CorpusRecord) -> Band | None:
    """The band of prose in the corpus's language, if there is one."""
    return _OF_LANGUAGE.get(corpus.language.split("-")[0])


def band(corpus: CorpusRecord) -> Band | None:
    """The band that chars_per_token of the corpus can be held against, if there is one: they are of prose."""
    return band_of_language(corpus) if domains.kind(corpus.domain) == domains.PROSE else None
