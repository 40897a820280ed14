"""What each language costs under each tokenizer, on text that says the same line by line."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from evalkit.metrics.languages import NOT_SETTLED
from evalkit.report import few, groups
from evalkit.report.comparisons import NOT_SEPARABLE
from evalkit.report.figures import is_lossless, is_of_whole_text, is_reference_language, shown_corpora
from evalkit.report.groups import LOSSY
from evalkit.report.table import table
from evalkit.report.text import code, count, listing, plain
from evalkit.results import CorpusRecord, Results, Row, TokenizerRecord
from evalkit.stats import FEWEST

WORST = 3  # languages that are named for each tokenizer

FEW = 3  # tokenizers that the verdict names each

LINK = "[Languages](#languages)"

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
    return "\n\n".join(
        [
            _intro(results, group, members),
            _table(results, ordered),
            *_lossy(results, members),
            *groups.section(results, ordered, plain(results.suite.reference_language or "the reference language")),
            _worst(results, members),
            *_unbounded(results, members),
            *few.note([members[0].documents]),
            PUBLISHED,
        ]
    )


def sentence(results: Results) -> str:
    """For the verdict: what the languages cost, where they are in no other table. Empty where there are none, or
    nothing else."""
    apart = [corpus for corpus in results.corpora if corpus not in shown_corpora(results)]
    groups = dict.fromkeys(corpus.parallel for corpus in apart if corpus.parallel is not None)
    return " ".join(_of_group(results, group, [c for c in apart if c.parallel == group]) for group in groups)


def _of_group(results: Results, group: str, members: Sequence[CorpusRecord]) -> str:
    who = f"the {count(len(members))} line-aligned corpora of {plain(group)}"
    if not any(row.metric == "premium" and row.corpus == members[0].name for row in results.rows):
        return f"What languages cost (`premium`) was not measured, so that {who} have no section here."
    dearest: list[tuple[float, Row, TokenizerRecord]] = []
    lossy = [t.name for t in results.tokenizers if t.kind != "baseline" and _loses(results, members, t)]
    for t in results.tokenizers:
        rows = _premiums(results, members, t)
        if t.kind != "baseline" and rows and t.name not in lossy:
            dearest.append((rows[0].value or 0, rows[0], t))
    dearest.sort(key=lambda one: one[0])
    without = f"; left out: {listing([code(name) for name in lossy])}, which lose text there" if lossy else ""
    without = without.replace("lose ", "loses ") if len(lossy) == 1 else without
    if not dearest:
        return f"Of {who}, which stand in the section {LINK} only, no dearest language can be named{without}."
    ends = dearest if len(dearest) <= FEW else [dearest[0], dearest[-1]]
    than = plain(results.suite.reference_language or "the reference language")
    found = [
        f"{plain(row.language)} with {code(t.name)} ({value:.2f}{_doubt(results, members, t)}{_gini(results, row, t)})"
        for value, row, t in ends
    ]
    between = "" if len(dearest) <= FEW else f", the least and the most of {len(dearest)} tokenizers"
    return (
        f"The dearest language, in times the tokens of {than}, is {listing(found)}{between}; {who} stand in the "
        f"section {LINK} only{without}."
    )


def _loses(results: Results, members: Sequence[CorpusRecord], tokenizer: TokenizerRecord) -> list[CorpusRecord]:
    """Those of which it drops text. What is dropped costs nothing, so that neither its dearest language nor how even
    it is can be said."""
    return [c for c in members if not is_lossless(results, c.name, tokenizer.name)]


def _doubt(results: Results, members: Sequence[CorpusRecord], tokenizer: TokenizerRecord) -> str:
    """Where the dearest language may be another: of premiums there are intervals against the reference language alone,
    so that it is told of that one, and of those that can't be told from it where it is the dearest itself."""
    rows = _premiums(results, members, tokenizer)
    reference = {c.name for c in members if is_reference_language(results, c)}
    if rows[0].corpus in reference:
        close = [row.language for row in rows[1:] if _is_close(row)]
    else:
        close = [row.language for row in rows if row.corpus in reference] if _is_close(rows[0]) else []
    return f", not separable from {plain(listing(close, WORST))}" if close else ""


def _is_close(row: Row) -> bool:
    """Whether a language can't be told from parity with the reference language."""
    if row.low is None or row.high is None:
        return row.value == 1
    return row.low <= 1 <= row.high


def _gini(results: Results, row: Row, tokenizer: TokenizerRecord) -> str:
    found = results.row(row.corpus, tokenizer.name, "gini_premium")
    return "" if found is None or found.value is None else f", Gini {found.value:.2f}"


def _intro(results: Results, group: str, members: Sequence[CorpusRecord]) -> str:
    language = results.suite.reference_language or "the reference language"
    lines = f"{count(members[0].documents)}{few.mark(members[0].documents)} lines"
    return (
        f"Group {plain(group)}, {lines} that say the same in {len(members)} languages. How "
        f"many times the tokens of {plain(language)} each language needs (`premium`; 1 is parity), the dearest "
        "language by the median tokenizer first; below, the Gini coefficient over all of them (`gini_premium`; 0 where "
        "all cost the same). A baseline of one token a byte shows what UTF-8 alone makes of it. Intervals stand in "
        "`results.csv`, over lines, paired."
    )


def _table(results: Results, ordered: Sequence[CorpusRecord]) -> str:
    columns = ["language", "corpus", *(plain(t.name) for t in results.tokenizers)]
    rows = [
        [plain(c.language), plain(c.name), *(_figure(results, c, t, "premium") for t in results.tokenizers)]
        for c in ordered
    ]
    gini = [_figure(results, ordered[0], t, "gini_premium") for t in results.tokenizers]
    return table(columns, [*rows, ["Gini", "", *gini]], left=2)


def _lossy(results: Results, members: Sequence[CorpusRecord]) -> list[str]:
    """What the mark in the table says, where there is one."""
    if not any(_loses(results, members, t) for t in results.tokenizers):
        return []
    return [
        f"{LOSSY} the tokenizer loses text of that language or of the reference (for Gini and the sum of all, of any): "
        "what it drops costs nothing, so that the figure is no price, and counts neither in the order nor in the "
        "verdict."
    ]


def _worst(results: Results, members: Sequence[CorpusRecord]) -> str:
    lines = []
    for t in results.tokenizers:
        rows = _premiums(results, members, t)
        if t.kind == "baseline" or not rows:
            continue
        if lossy := _loses(results, members, t):
            lines.append(
                f"- {code(t.name)}: loses text of {len(lossy)} of the {len(members)}, so that none is called dearest."
            )
            continue
        worst = listing([f"{row.language} {_bounded(row)}{_mark(results, members, row)}" for row in rows[:WORST]])
        gini = _row(results, members[0], t, "gini_premium")
        shown = f"; Gini {_bounded(gini)}" if gini is not None and gini.value is not None else ""
        lines.append(f"- {code(t.name)}: dearest {plain(worst)}{shown}.")
    shown = "\n".join(lines)
    than = plain(results.suite.reference_language or "the reference language")
    if NOT_SEPARABLE in shown:
        shown += f"\n\n{NOT_SEPARABLE}: not separable from {than}, by its interval."
    return shown


def _mark(results: Results, members: Sequence[CorpusRecord], row: Row) -> str:
    reference = any(c.name == row.corpus and is_reference_language(results, c) for c in members)
    return f" {NOT_SEPARABLE}" if _is_close(row) and not reference else ""


def _unbounded(results: Results, members: Sequence[CorpusRecord]) -> list[str]:
    """Whose Gini coefficient has no interval though there are lines enough, and why."""
    rows = [row for t in results.tokenizers if (row := _row(results, members[0], t, "gini_premium")) is not None]
    without = [row.tokenizer for row in rows if row.value is not None and row.low is None and row.n >= FEWEST]
    if not without:
        return []
    return [f"The Gini coefficient of {listing([code(name) for name in without])} has no interval: {NOT_SETTLED}."]


def _premiums(results: Results, members: Sequence[CorpusRecord], tokenizer: TokenizerRecord) -> list[Row]:
    """Those that there are, the dearest first. The reference language is one of them, since it is the dearest where all
    others are below 1; of equals it is the last. None where there is no other."""
    found = {c: row for c in members if (row := _row(results, c, tokenizer)) is not None and row.value is not None}
    others = [row for c, row in found.items() if not is_reference_language(results, c)]
    reference = [row for c, row in found.items() if is_reference_language(results, c)]
    return sorted([*others, *reference], key=lambda row: -(row.value or 0)) if others else []


def _row(results: Results, corpus: CorpusRecord, tokenizer: TokenizerRecord, metric: str = "premium") -> Row | None:
    return results.row(corpus.name, tokenizer.name, metric)


def _usual(results: Results, corpus: CorpusRecord) -> float:
    """The median over the tokenizers that lose no text, without the baselines where there are others."""
    whole = [t for t in results.tokenizers if is_of_whole_text(results, corpus, t.name, "premium")]
    chosen = [t for t in whole if t.kind != "baseline"] or whole or results.tokenizers
    rows = [_row(results, corpus, t) for t in chosen]
    found = [row.value for row in rows if row is not None and row.value is not None]
    return median(found) if found else 0.0


def _figure(results: Results, corpus: CorpusRecord, tokenizer: TokenizerRecord, metric: str) -> str:
    row = _row(results, corpus, tokenizer, metric)
    if row is None or row.value is None:
        return "–"
    return f"{row.value:.2f}{'' if is_of_whole_text(results, corpus, tokenizer.name, metric) else LOSSY}"


def _bounded(row: Row) -> str:
    if row.low is None or row.high is None:
        return f"{row.value:.2f}"
    return f"{row.value:.2f} ({row.low:.2f}–{row.high:.2f})"
