"""Tokenizers at one vocabulary size, and what each embedding size buys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import groupby

from evalkit.fair_records import FrontRecord, MatchedRecord
from evalkit.fronts import front_together, on_fronts
from evalkit.ranked import set_aside
from evalkit.report import seen
from evalkit.report.figures import is_at_home, is_large, outside, shown_corpora
from evalkit.report.table import table
from evalkit.report.text import best_by_corpus, code, corpora_phrase, count, listing, percent, plain, signed_percent
from evalkit.results import CorpusRecord, Results

COLUMNS = 7  # corpora side by side
FRONT_COLUMNS = 4
FRONT_ROWS = 8
HOME = "†"


def sizes(results: Results) -> list[int]:
    """The sizes that there are tables for, ascending."""
    return sorted({one.size for one in results.matched})


def leaders(results: Results, size: int) -> dict[str, tuple[str, ...]]:
    """The best at that size by corpus; several where they are equal."""
    aside = set_aside(results.tokenizers)
    found: dict[str, tuple[str, ...]] = {}
    for one in results.matched:
        if one.size == size and one.more == 0 and one.tokens and one.tokenizer not in aside:
            found[one.corpus] = (*found.get(one.corpus, ()), one.tokenizer)
    return found


def section(results: Results) -> str:
    """A table for each matched size: bytes per token, and how many more tokens than the best of that size. Empty where
    all sizes are equal anyway."""
    found = sizes(results)
    if not found:
        return ""
    shown = found[-1:] if is_large(results) else found
    parts = [_of_size(results, size) for size in shown]
    if len(found) > len(shown):
        others = listing([count(size) for size in found if size not in shown])
        parts.append(f"At {others} entries: `matched` in `results.json`.")
    text = (
        "A larger vocabulary compresses more, whatever else it does. Here the larger ones are cut to the size of the "
        "smaller: their first entries are the vocabulary that training to that size would have given (of published "
        "ones, by the order of their ids). In brackets: how many more tokens than the best of that size on the same "
        "documents. ≈: not separable from it after Holm's correction; `?`: that can't be told; `~`: not "
        f"larger than what training alone makes; {HOME}: in-domain."
    )
    return "\n\n".join([text, *seen.note(*parts), *parts])


def _of_size(results: Results, size: int) -> str:
    found = {(one.corpus, one.tokenizer): one for one in results.matched if one.size == size}
    defined = [one for one in found.values() if one.tokens is not None]
    names = [t.name for t in results.tokenizers if any(one.tokenizer == t.name for one in defined)]
    cut = {one.tokenizer: one.cut_from for one in defined if one.cut_from is not None}
    marks = {
        (c.name, t.name): (HOME if is_at_home(t, c.name) else "") + seen.mark(results, t.name, c.name)
        for t in results.tokenizers
        for c in results.corpora
    }
    led = leaders(results, size)
    parts = [f"### {count(size)} entries"]
    corpora = shown_corpora(results)
    for start in range(0, len(corpora), COLUMNS):
        part = corpora[start : start + COLUMNS]
        rows = [
            [code(name), count(cut.get(name, size)), *(_cell(found.get((c.name, name)), marks, led) for c in part)]
            for name in names
        ]
        parts.append(table(["tokenizer", "own size", *(plain(c.name) for c in part)], rows))
    unfit = {one.tokenizer: one.undefined_reason for one in found.values() if one.tokens is None}
    if unfit:
        parts.append("\n".join(f"- {code(name)} can't be cut: {plain(why or '')}." for name, why in unfit.items()))
    return "\n\n".join(parts)


def _cell(found: MatchedRecord | None, marks: Mapping[tuple[str, str], str], led: Mapping[str, tuple[str, ...]]) -> str:
    if found is None or found.bytes_per_token is None:
        return "–"
    home = marks.get((found.corpus, found.tokenizer), "")
    if found.tokenizer in led.get(found.corpus, ()):
        return f"**{found.bytes_per_token:.2f}**{home}"
    more = "" if found.more is None else f" ({_signed(found.more)})"
    mark = " ~" if found.within_noise else {None: " ?", False: " ≈", True: ""}[found.separable]
    return f"{found.bytes_per_token:.2f}{home}{more}{mark}"


def _signed(more: float) -> str:
    return f"+{percent(more)}" if more >= 0 else signed_percent(more)


def sentence(results: Results) -> str:
    """Who is the best at the largest matched size, for the verdict; empty where there is none."""
    if not results.matched:
        return ""
    size = sizes(results)[-1]
    shown_names = {corpus.name for corpus in shown_corpora(results)}
    best = {corpus: names for corpus, names in leaders(results, size).items() if corpus in shown_names}
    if not best:
        return ""
    start = f"At one size, {count(size)} entries with the larger ones cut to it, it is "
    who = best_by_corpus(best, partial(seen.mark, results), outside(results))
    return f"{start}{who}{_doubt(results, size, list(best))}."


def _doubt(results: Results, size: int, corpora: list[str]) -> str:
    """Where those that aren't equal can't be told from the best, or nobody can tell, in brackets. Who these are is said
    where the next is none of them."""
    close: dict[str, list[str]] = {}
    unjudged = []
    aside = set_aside(results.tokenizers)
    for corpus in corpora:
        others = [
            one
            for one in results.matched
            if (one.size, one.corpus) == (size, corpus) and one.more and one.tokenizer not in aside
        ]
        others.sort(key=lambda one: one.more or 0)
        if names := [code(one.tokenizer) for one in others if one.separable is False]:
            whom = "the next" if others[0].separable is False else listing(names, 3)
            close.setdefault(whom, []).append(corpus)
        elif any(one.separable is None for one in others):
            unjudged.append(corpus)
    parts = [f"not separable from {whom} on {corpora_phrase(where)}" for whom, where in close.items()]
    if unjudged:
        parts.append(f"whether that holds on other documents can't be told on {corpora_phrase(unjudged)}")
    return f" ({'; '.join(parts)})" if parts else ""


# ── fronts ──────────────────────────────────────────────────────────────────────────────────────────────────


def fronts(results: Results) -> str:
    """At each embedding size, whose vocabulary has the most bytes per token."""
    if not results.fronts:
        return ""
    by_corpus: dict[str, list[FrontRecord]] = {}
    for one in results.fronts:
        by_corpus.setdefault(one.corpus, []).append(one)
    shown = [c for c in shown_corpora(results) if c.name in by_corpus]
    powers = _powers(results)
    widths = list(results.fronts[0].parameters)
    matrices = results.fronts[0].parameters[widths[0]] // (int(widths[0]) * results.fronts[0].rows)
    parts = [
        f"An embedding has V · d parameters{' in each of its two matrices' if matrices == 2 else ' a matrix'}. For "
        "each budget: the tokenizer with the most bytes per token among all that fit it, own ones at every size of "
        "their ladder, published ones at theirs. A budget that buys nothing more on any corpus of a table than the one "
        "before has no line there. All points: `fronts` in `results.json`."
    ]
    parts.append(_who(results, shown))
    for start in range(0, len(shown), FRONT_COLUMNS):
        part = shown[start : start + FRONT_COLUMNS]
        rows: list[list[str]] = []
        last = ["–"] * len(part)
        for size in powers:
            cells = [_at(results, by_corpus[c.name], size) for c in part]
            if cells != last:  # more entries than any tokenizer has buy nothing more
                rows.append([count(size), *(_millions(size * int(d) * matrices) for d in widths), *cells])
            last = cells
        headers = ["entries", *(f"d = {d}" for d in widths), *(plain(c.name) for c in part)]
        parts.append(table(headers, rows))
    return "\n\n".join([*parts, *seen.note(*parts)])


def _powers(results: Results) -> list[int]:
    largest = max(one.rows for one in results.fronts)
    found = [1 << k for k in range(9, largest.bit_length() + 1)]
    return found[-FRONT_ROWS:]


def _millions(parameters: int) -> str:
    """
    >>> _millions(3_145_728), _millions(134_217_728)
    ('3.1 M', '134 M')
    """
    return f"{parameters / 1e6:,.{1 if parameters < 10_000_000 else 0}f} M"


def _at(results: Results, points: list[FrontRecord], size: int) -> str:
    fitting = [one for one in points if one.rows <= size]
    if not fitting:
        return "–"
    last = fitting[-1]
    return f"{last.bytes_per_token:.2f} {code(last.tokenizer)}{seen.mark(results, last.tokenizer, last.corpus)}"


def _who(results: Results, corpora: list[CorpusRecord]) -> str:
    """On how many fronts each stands."""
    on = on_fronts(results.ladders, results.rows, results.tokenizers, results.lossy, [c.name for c in corpora])
    aside = set_aside(results.tokenizers)
    able = [t.name for t in results.tokenizers if t.kind != "baseline" and t.name not in aside]
    known = [name for name in able if "@" not in name]
    alike: dict[tuple[tuple[str, tuple[int, ...]], ...], list[str]] = {}  # those that stand on the same points
    for name in sorted(on, key=lambda name: (-len(on[name]), known.index(name) if name in known else len(known))):
        alike.setdefault(tuple(on[name].items()), []).append(f"{code(name)}{seen.mark(results, name, *on[name])}")
    standing = [
        f"{listing(names)} ({'equal; ' if names[1:] else ''}{len(where)} of {len(corpora)})"
        for where, names in alike.items()
    ]
    lines = []
    if len(corpora) > 1 and (together := _together(results, corpora)):
        lines.append(
            f"- One choice for all {len(corpora)} corpora{outside(results)} together (geometric mean of bytes per "
            f"token; each counts alike): {together}."
        )
    lines += [f"- On a front somewhere: {listing(standing, 20)}."]
    points = Counter((corpus, size) for of in on.values() for corpus, sizes in of.items() for size in sizes)
    if any(n > 1 for n in points.values()):
        lines.append("- Where several are equal, the tables name the first by its name.")
    if never := [code(name) for name in known if name not in on]:
        lines.append(f"- On no single corpus, whatever the budget: {listing(never, 20)}.")
    return "\n".join(lines)


def _together(results: Results, corpora: list[CorpusRecord]) -> str:
    """The best of all corpora together at each size of the table."""
    points = front_together(results.ladders, results.rows, results.tokenizers, results.lossy, [c.name for c in corpora])
    fitting = {size: [name for rows, _, name in points if rows <= size] for size in _powers(results)}
    found = []
    for name, run in groupby((size for size in fitting if fitting[size]), key=lambda size: fitting[size][-1]):
        budgets = list(run)
        span = count(budgets[0]) if len(budgets) == 1 else f"{count(budgets[0])} to {count(budgets[-1])}"
        found.append(f"{code(name)}{seen.mark(results, name, *(c.name for c in corpora))} with {span}")
    return f"{', '.join(found)} entries" if found else ""
