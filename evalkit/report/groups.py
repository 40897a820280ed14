"""What a group of line-aligned corpora takes in tokens, beside what each language takes against another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from evalkit.report import seen
from evalkit.report.comparisons import METRIC
from evalkit.report.figures import candidates, groups_apart, is_lossless
from evalkit.report.table import table
from evalkit.report.text import best_by_corpus, code, count, equals, percent, plain
from evalkit.results import CorpusRecord, Results

LOSSY = "§"

Leaders = dict[str, tuple[str, ...]]


def leaders(results: Results, members: Sequence[CorpusRecord]) -> Leaders:
    """The best by corpus, several where they are equal; of those where there is something to compare."""
    found: Leaders = {}
    for corpus in members:
        rows = candidates(results, corpus.name, METRIC)
        if len(rows) > 1:
            found[corpus.name] = tuple(row.tokenizer for row in rows if row.value == rows[0].value)
    return found


def by_group(results: Results) -> dict[str, Leaders]:
    """Of the groups that stand in no general table and where there is something to compare."""
    found = {group: leaders(results, members) for group, members in groups_apart(results).items()}
    return {group: best for group, best in found.items() if best}


def sentence(results: Results, group: str, best: Leaders) -> str:
    """Who needs the fewest tokens of the whole group, and who of each corpus; without the full stop."""
    members = groups_apart(results)[group]
    sums = _of_all(results, members)
    start = f"On the {count(len(members))} line-aligned corpora of {plain(group)}"
    by_corpus = best_by_corpus(best, partial(seen.mark, results))
    if len(sums) < 2:
        return f"{start}, the most text goes into a token of {by_corpus}"
    fewest = min(sums.values())
    first = [f"{code(name)}{_mark(results, name, members)}" for name in sums if sums[name] == fewest]
    more = sorted((n, name) for name, n in sums.items() if n > fewest)
    then = f"; {code(more[0][1])} {percent(more[0][0] / fewest - 1)} more" if more else ""
    needs = "need" if first[1:] else "needs"
    return (
        f"{start} together {equals(first)} {needs} the fewest tokens ({count(fewest)}{then}); of each by itself, it is "
        f"{by_corpus}"
    )


def section(results: Results, ordered: Sequence[CorpusRecord], language: str) -> list[str]:
    """The tokens of each language and of all, which say whether a language that looks cheap is so. ``ordered``: the
    corpora of a group. Empty where they weren't counted."""
    tokens = {(c.name, t.name): _tokens(results, c, t.name) for c in ordered for t in results.tokenizers}
    if not any(n is not None for n in tokens.values()):
        return []
    rows = []
    for corpus in ordered:
        best = leaders(results, [corpus]).get(corpus.name, ())
        cells = [
            _cell(tokens[corpus.name, t.name], t.name in best, _mark(results, t.name, [corpus]))
            for t in results.tokenizers
        ]
        rows.append([plain(corpus.language), plain(corpus.name), *cells])
    rows.append(["all", "", *_totals(results, ordered, tokens)])
    text = (
        f"A premium is against the tokenizer's own tokens of {language}: one that needs many of these has low premiums "
        "and is no cheaper for that. The tokens themselves, the fewest of a language bold:"
    )
    shown = table(["language", "corpus", *(plain(t.name) for t in results.tokenizers)], rows, left=2)
    return [text, shown, *seen.note(shown)]


def _totals(
    results: Results, members: Sequence[CorpusRecord], tokens: Mapping[tuple[str, str], int | None]
) -> list[str]:
    sums = _of_all(results, members)
    fewest = min(sums.values()) if len(sums) > 1 else None
    cells = []
    for t in results.tokenizers:
        found = [n for c in members if (n := tokens[c.name, t.name]) is not None]
        total = sum(found) if len(found) == len(members) else None
        is_best = t.name in sums and sums[t.name] == fewest
        cells.append(_cell(total, is_best, _mark(results, t.name, members)))
    return cells


def _cell(tokens: int | None, is_best: bool, mark: str) -> str:
    if tokens is None:
        return "–"
    return f"{f'**{count(tokens)}**' if is_best else count(tokens)}{mark}"


def _mark(results: Results, name: str, corpora: Sequence[CorpusRecord]) -> str:
    """What keeps a figure from being what it seems."""
    lossy = any(not is_lossless(results, c.name, name) for c in corpora)
    return f"{LOSSY if lossy else ''}{seen.mark(results, name, *(c.name for c in corpora))}"


def _of_all(results: Results, members: Sequence[CorpusRecord]) -> dict[str, int]:
    """The tokens of all corpora of a group, of those tokenizers that can be the best on every one."""
    sums: dict[str, int] = {}
    can_be = [{row.tokenizer for row in candidates(results, c.name, METRIC)} for c in members]
    for t in results.tokenizers:
        found = [n for c in members if (n := _tokens(results, c, t.name)) is not None]
        if len(found) == len(members) and all(t.name in some for some in can_be):
            sums[t.name] = sum(found)
    return sums


def _tokens(results: Results, corpus: CorpusRecord, name: str) -> int | None:
    row = results.row(corpus.name, name, "tokens", "sum")
    return None if row is None or row.value is None else round(row.value)
