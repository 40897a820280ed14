"""Why the figures differ: the pieces of text that carry the difference of two tokenizers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest

from evalkit.explained import ELSEWHERE, LEADER, OWN
from evalkit.report.figures import is_large, outside, shown_corpora
from evalkit.report.table import table
from evalkit.report.text import code, count, percent, piece, plain, size
from evalkit.results import DifferenceRecord, Results

RUNS = (
    "run of letters, digits and what isn't ASCII it ends in (the pure-Python engine, which this is from, has no words)"
)
PAIRS, PAIRS_OF_LARGE = 8, 4  # that are shown, of all corpora together
OBVIOUS, SLIGHT = 2.0, 1.005

REASONS = {
    LEADER: "{first} needs the fewest tokens over all corpora{outside}, each counting alike, and {second} is "
    "the nearest to it",
    ELSEWHERE: "of those trained here and those from elsewhere, {first} is the best, and {second} the nearest to it on "
    "the other side",
    OWN: "{first} is the best of those trained here, and {second} the nearest to it{alone}",
}
"""By ``chosen``; of what an older evalkit wrote there is none, which explained the pairs that differ most."""


def section(results: Results) -> str:
    """Which pairs, and a table of each on some corpora; empty where none was explained."""
    shown = pairs_to_explain(results, PAIRS_OF_LARGE if is_large(results) else PAIRS)
    if not shown:
        return ""
    notes = [_sizes(results, shown)]
    by_ends = [row for pair in shown if pair.pieces != "pretokens" for row in pair.top]
    if any(min(row.first_tokens, row.second_tokens) < row.occurrences for row in by_ends):
        notes.append("A text with fewer tokens than times is joined to what follows it, for which the token counts.")
    if rest := sum(bool(pair.top) for pair in results.differences) - len(shown):
        notes.append(f"{rest} more {'table' if rest == 1 else 'tables'}: `differences` in `results.json`.")
    return "\n\n".join([_reasons(results, shown), " ".join(notes), *map(_pair, shown)])


def pairs_to_explain(results: Results, limit: int) -> list[DifferenceRecord]:
    """Of each chosen pair the corpora on which it differs most, as a ratio of tokens; about as many of each pair. Where
    one needs more than twice the tokens, its vocabulary wasn't made for the text, which needs no table; nor do a few
    tokens. These are shown only if there are no others."""
    shown = {corpus.name for corpus in shown_corpora(results)}
    pairs = [pair for pair in results.differences if pair.top and pair.corpus in shown]
    telling = [pair for pair in pairs if SLIGHT <= _factor(pair) <= OBVIOUS] or pairs
    by_reason = [
        sorted((pair for pair in telling if pair.chosen == chosen), key=_factor, reverse=True)
        for chosen in dict.fromkeys((*REASONS, *(pair.chosen for pair in telling)))
    ]
    taken = [pair for pair in chain.from_iterable(zip_longest(*by_reason)) if pair is not None][:limit]
    return [pair for some in by_reason for pair in some if pair in taken]


def _factor(pair: DifferenceRecord) -> float:
    low, high = sorted((pair.first_total, pair.second_total))
    return high / low if low else 1.0


def _reasons(results: Results, shown: Sequence[DifferenceRecord]) -> str:
    """A line a pair."""
    lines = []
    for chosen, *pair in dict.fromkeys((one.chosen, one.first, one.second) for one in shown):
        if chosen in REASONS:
            first, second = map(code, pair)
            things = _differ_in(results, *pair)
            alone = f" of those that differ in the {things[0]} alone" if len(things) == 1 else ""
            why = REASONS[chosen].format(first=first, second=second, outside=outside(results), alone=alone)
            both = f"; they differ in the {' and the '.join(things)}" if len(things) > 1 else ""
            lines.append(f"- {first} against {second}: {why}{both}.")
    return "\n".join(lines) or "The pairs that differ most on each corpus."


def _differ_in(results: Results, first: str, second: str) -> list[str]:
    """What two that are trained here were made with that isn't the same; nothing of others."""
    known = {t.name: t for t in results.tokenizers}
    one, other = known[first], known[second]
    if not one.trained_on or not other.trained_on:
        return []
    things = {"split pattern": one.variant != other.variant, "training text": one.trained_on != other.trained_on}
    return [name for name, differs in things.items() if differs]


def _sizes(results: Results, shown: Sequence[DifferenceRecord]) -> str:
    sizes = {t.name: t.vocab_size or 0 for t in results.tokenizers}
    if all(max(two) <= 2 * min(two) for two in ((sizes[p.first], sizes[p.second]) for p in shown)):
        return (
            "Both of a pair are within a factor of two in size: between very different sizes, size alone explains "
            "most of it."
        )
    return "No two vocabularies are within a factor of two in size, and size alone may explain most of it."


def _pair(pair: DifferenceRecord) -> str:
    total = pair.second_total - pair.first_total
    longer, shorter = (pair.second, pair.first) if total > 0 else (pair.first, pair.second)
    more = abs(total) / max(1, min(pair.first_total, pair.second_total))
    head = (
        f"### {plain(pair.corpus)}: {code(pair.first)} against {code(pair.second)}\n\n"
        f"{code(longer)} needs {percent(more)} more tokens than {code(shorter)} "
        f"({count(max(pair.first_total, pair.second_total))} against "
        f"{count(min(pair.first_total, pair.second_total))}). "
    )
    if pair.pieces == "pretokens":
        head += "Both cut text into the same pretokens; those that make most of the difference:"
    else:
        ends_in = RUNS if pair.pieces == "runs" else "word or sign it ends in"
        head += (
            f"Their split patterns differ, so that each token counts for the {ends_in}, on "
            f"{size(pair.sample_bytes)} of the text:"
        )
    rows = [
        [
            piece(row.piece),
            count(row.occurrences),
            count(row.first_tokens),
            count(row.second_tokens),
            f"{row.second_tokens - row.first_tokens:+,}".replace("-", "−"),
        ]
        for row in pair.top
    ]
    what = "pretoken" if pair.pieces == "pretokens" else "text"
    columns = [what, "times", f"tokens of {plain(pair.first)}", f"of {plain(pair.second)}", "difference"]
    shown = table(columns, rows)
    return f"{head}\n\n{shown}"
