"""What each language costs under each tokenizer, on text that says the same line by line."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from evalkit.report.table import table
from evalkit.report.text import code, count, listing, plain
from evalkit.results import CorpusRecord, Results, Row, TokenizerRecord

WORST = 3  # languages that are named for each tokenizer

PUBLISHED = (
    "Published, on other text and for other tokenizers: Petrov et al. 2023 found the same content up to 15 times as "
    "long in one language as in another."
)


def section(results: Results) -> str:
    """A table of premiums and the worst languages, for each parallel group. Empty where there is no such figure."""
    groups = dict.fromkeys(corpus.parallel for corpus in results.corpora if corpus.parallel is not None)
    parts = [_group(results, group) for group in groups if group is not None]
    return "\n\n".join(part for part in parts if part)


def _group(results: Results, group: str) -> str:
    members = [corpus for corpus in results.corpora if corpus.parallel == group]
    if not any(row.metric == "premium" and row.corpus == members[0].name for row in results.rows):
        return ""
    rows = [row for t in results.tokenizers if (row := _row(results, members[0], t))]
    if rows and rows[0].undefined_reason is not None and all(row.value is None for row in rows):
        return f"Group {plain(group)}: undefined, {plain(rows[0].undefined_reason)}."
    ordered = sorted(members, key=lambda corpus: -_usual(results, corpus))
    return "\n\n".join([_intro(results, group, members), _table(results, ordered), _worst(results, members), PUBLISHED])


def _intro(results: Results, group: str, members: Sequence[CorpusRecord]) -> str:
    language = results.suite.reference_language or "the reference language"
    return (
        f"Group {plain(group)}, {count(members[0].documents)} lines that say the same in {len(members)} languages. How "
        f"many times the tokens of {plain(language)} each language needs (`premium`; 1 is parity), the dearest "
        "language by the median tokenizer first; below, the Gini coefficient over all of them (`gini_premium`; 0 where "
        "all cost the same). A baseline of one token a byte shows what UTF-8 alone makes of it. Intervals stand in "
        "`results.csv`, over lines, paired."
    )


def _table(results: Results, ordered: Sequence[CorpusRecord]) -> str:
    columns = ["language", "corpus", *(plain(t.name) for t in results.tokenizers)]
    rows = [
        [plain(c.language), plain(c.name), *(_figure(_row(results, c, t)) for t in results.tokenizers)] for c in ordered
    ]
    gini = [_figure(_row(results, ordered[0], t, "gini_premium")) for t in results.tokenizers]
    return table(columns, [*rows, ["Gini", "", *gini]], left=2)


def _worst(results: Results, members: Sequence[CorpusRecord]) -> str:
    lines = []
    others = [c for c in members if not _is_reference(results, c, members)]
    for t in results.tokenizers:
        rows = [row for c in others if (row := _row(results, c, t)) is not None and row.value is not None]
        if t.kind == "baseline" or not rows:
            continue
        rows.sort(key=lambda row: -(row.value or 0))
        worst = listing([f"{row.language} {_bounded(row)}" for row in rows[:WORST]])
        gini = _row(results, members[0], t, "gini_premium")
        shown = f"; Gini {_bounded(gini)}" if gini is not None and gini.value is not None else ""
        lines.append(f"- {code(t.name)}: dearest {plain(worst)}{shown}.")
    return "\n".join(lines)


def _is_reference(results: Results, corpus: CorpusRecord, members: Sequence[CorpusRecord]) -> bool:
    """Whether premiums are against this one: it is 1 by definition, and neither dear nor cheap."""
    language = results.suite.reference_language
    exact = any(c.language == language for c in members)
    return corpus.language == language or (not exact and corpus.language.split("-")[0] == language)


def _row(results: Results, corpus: CorpusRecord, tokenizer: TokenizerRecord, metric: str = "premium") -> Row | None:
    return results.row(corpus.name, tokenizer.name, metric)


def _value(results: Results, corpus: CorpusRecord, tokenizer: TokenizerRecord) -> float | None:
    row = _row(results, corpus, tokenizer)
    return None if row is None else row.value


def _usual(results: Results, corpus: CorpusRecord) -> float:
    """The median over the tokenizers, without the baselines where there are others."""
    chosen = [t for t in results.tokenizers if t.kind != "baseline"] or list(results.tokenizers)
    found = [value for t in chosen if (value := _value(results, corpus, t)) is not None]
    return median(found) if found else 0.0


def _figure(row: Row | None) -> str:
    return "–" if row is None or row.value is None else f"{row.value:.2f}"


def _bounded(row: Row) -> str:
    if row.low is None or row.high is None:
        return f"{row.value:.2f}"
    return f"{row.value:.2f} ({row.low:.2f}–{row.high:.2f})"
