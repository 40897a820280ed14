"""What the split pattern alone makes: own tokenizers of one training text and one size that differ in nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.lint.verdicts import NOT_UTF8, SPECIAL
from evalkit.ranked import set_aside
from evalkit.report.comparisons import METRIC
from evalkit.report.figures import candidates, shown_corpora
from evalkit.report.own import CLOSE, FEWER, outcome
from evalkit.report.summary import mean_excess
from evalkit.report.text import code, corpora_phrase, count, listing, percent, plain
from evalkit.results import Results, TokenizerRecord

SAID = 2  # training texts that the verdict speaks of
IDLE = 0.01
"""A share of entries that no text gives from which it is worth a word."""


def sentence(results: Results) -> str:
    """The best pattern and the worst, on the text that they were trained for; empty where no two differ so."""
    said = [text for members in _alike(results) if (text := _of(results, members))]
    return f"The split pattern alone, at one training text and size: {'; '.join(said[:SAID])}." if said else ""


def _alike(results: Results) -> list[list[TokenizerRecord]]:
    """Those of one training text and size under several patterns, the largest groups first."""
    groups: dict[tuple[tuple[str, ...], int | None], list[TokenizerRecord]] = {}
    aside = set_aside(results.tokenizers)
    for t in results.tokenizers:
        if t.trained_on and t.vocab_size is not None and t.name not in aside:
            groups.setdefault((t.trained_on, t.vocab_size), []).append(t)
    found = [members for members in groups.values() if len({t.variant for t in members}) > 1]
    largest: dict[tuple[str, ...], list[TokenizerRecord]] = {}
    for members in sorted(found, key=lambda ones: -(ones[0].vocab_size or 0)):
        largest.setdefault(members[0].trained_on, members)  # of a ladder its largest
    return sorted(largest.values(), key=len, reverse=True)


def _of(results: Results, members: Sequence[TokenizerRecord]) -> str:
    shown = [c.name for c in shown_corpora(results)]
    corpora = [name for name in shown if name in members[0].trained_on] or shown
    values = {name: {row.tokenizer: row.value or 0 for row in candidates(results, name, METRIC)} for name in corpora}
    whole = [t for t in members if all(of.get(t.name) for of in values.values())]
    if len({t.variant for t in whole}) < 2:
        return ""

    def excess(one: TokenizerRecord, than: TokenizerRecord) -> float:
        return mean_excess([of[than.name] / of[one.name] for of in values.values()]) or 0.0

    best = min(whole, key=lambda t: excess(t, whole[0]))
    worst = max(whole, key=lambda t: excess(t, whole[0]))
    more = excess(worst, best)
    where = corpora_phrase(corpora)
    if more == 0:
        return f"none makes a difference on {where} ({listing([code(t.name) for t in whole])})"
    pairs = [found for name in corpora if (found := results.comparison(name, best.name, worst.name)) is not None]
    mean = " in the mean" if len(corpora) > 1 else ""
    return (
        f"on {where} {_named(results, worst)} needs {percent(more)} more tokens{mean} than {_named(results, best)}, "
        f"both of {count(best.vocab_size)} entries, {_judged(list(map(outcome, pairs)), len(corpora))}"
    )


def _judged(outcomes: Sequence[str], corpora: int) -> str:
    """
    >>> _judged(["fewer", "close"], 3), _judged(["close"], 1)
    ('separably on 1 of 3', 'not separable')
    """
    if corpora > 1:
        return f"separably on {outcomes.count(FEWER)} of {corpora}"
    if outcomes == [FEWER]:
        return "separably"
    return "not separable" if outcomes == [CLOSE] else "which can't be told of other documents"


def _named(results: Results, one: TokenizerRecord) -> str:
    return f"{code(one.name)} ({plain(one.variant or '')}{_idle(results, one)})"


def _idle(results: Results, one: TokenizerRecord) -> str:
    """What of its entries only takes up room, where that is worth a word."""
    found = next((v for v in results.vocabularies if v.tokenizer == one.name and v.entries), None)
    if found is None or not found.entries:
        return ""
    share = sum(n for kind, n in found.never.items() if kind not in (SPECIAL, NOT_UTF8)) / found.entries
    return f", {percent(share)} of its entries come out of no text" if share >= IDLE else ""
