"""Verdicts between two tokenizers that two results have otherwise, as cells and notes of a comparison."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.pair_verdicts import VerdictChange
from evalkit.report.compared_marks import Marks
from evalkit.report.text import count, signed_percent
from evalkit.results import ComparisonRecord

HEADERS = ("corpus", "tokens of", "against", "A", "B")
TITLE = "Verdicts between tokenizers that aren't the same in A and B"
LIMIT = 10


def shown(changes: Sequence[VerdictChange], every: bool) -> Sequence[VerdictChange]:
    """The largest differences; ``every`` one where asked."""
    return changes if every else changes[:LIMIT]


def rows(changes: Sequence[VerdictChange], marks: Marks) -> list[list[str]]:
    """Cells by :data:`HEADERS`."""
    found = []
    for one in changes:
        sides = zip((one.before, one.after), one.pairs, marks.seen_of_pair(one), strict=True)
        corpus = f"{one.before.corpus}{marks.few_of_pair(one)}"
        found.append([corpus, one.before.first, one.before.second, *(_side(*side) for side in sides)])
    return found


def _side(found: ComparisonRecord, pairs: int, flatters: str) -> str:
    more = "" if found.ratio is None else f"{_percent(found.ratio - 1)}{flatters}, "
    if found.identical:
        return f"identical{flatters}"
    if found.separable is None:
        return f"{more}not judged"
    said = "separable" if found.separable else "within training noise" if found.within_noise else "not separable"
    return f"{more}{said} ({count(pairs)} {'pair' if pairs == 1 else 'pairs'})"


def _percent(more: float) -> str:
    return signed_percent(more, 1 if abs(more) >= 0.01 else 2)


def notes(changes: Sequence[VerdictChange], every: bool) -> list[str]:
    """What has to be known to read them, as sentences."""
    lines = []
    if hidden := len(changes) - len(shown(changes, every)):
        of = "is" if hidden == 1 else "are"
        lines.append(f"Of the verdicts between tokenizers {count(hidden)} more {of} not listed (--all shows them).")
    if alone := sum(one.by_pairs_alone for one in changes):
        some = f"{count(alone)} of them" if alone < len(changes) else "They" if alone > 1 else "It"
        lines.append(
            f"Verdicts between tokenizers are corrected for all pairs on the corpus. {some} changed by the number of "
            "pairs alone, with the same figures: choose the tokenizers that a question is about before a run."
        )
    return lines
