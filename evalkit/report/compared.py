"""Two results side by side, as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from evalkit.compare import PAIRED, Change, Differences
from evalkit.report.comparisons import level
from evalkit.report.table import table
from evalkit.report.text import code, count, figure, listing, plain, signed_percent
from evalkit.results import Row

HEADERS = ("corpus", "tokenizer", "metric", "A", "B", "change", "interval", "verdict")
LEFT = 3


def headline(found: Differences) -> list[str]:
    """What A and B are, and how many figures differ."""
    lines = []
    for letter, side in (("A", found.first), ("B", found.second)):
        lines.append(f"{letter}: {side.where} ({side.results.suite.name}, digest {side.results.digest[:12]})")
    changed = len(found.changes)
    figures = "1 figure differs" if changed == 1 else f"{count(changed)} figures differ"
    lines.append(f"{figures}, {count(found.equal)} {'is' if found.equal == 1 else 'are'} equal")
    return lines


def shown(found: Differences, every: bool = False) -> list[Change]:
    """The changes to show: where figures move together because they are all made of the same tokens, the first
    of them, unless ``every`` one is asked for."""
    chosen: list[Change] = []
    seen: set[tuple[str, str]] = set()
    for change in found.changes:
        key = change.corpus, change.tokenizer
        if change.metric in PAIRED and change.paired and not every:
            if key in seen:
                continue
            seen.add(key)
        chosen.append(change)
    return chosen


def rows(changes: Sequence[Change]) -> list[list[str]]:
    """Cells by :data:`HEADERS`."""
    return [
        [
            c.corpus,
            c.tokenizer,
            c.metric,
            _figure(c, c.first),
            _figure(c, c.second),
            _signed(c, c.change),
            "–" if c.low is None or c.high is None else f"{_signed(c, c.low)} to {_signed(c, c.high)}",
            verdict(c),
        ]
        for c in changes
    ]


def verdict(change: Change) -> str:
    """One or two words."""
    how = "" if change.paired else ", unpaired"
    if change.separable is None:
        return "not judged"
    if not change.separable:
        return f"not separable{how}"
    if change.higher_is_better is None or change.change == 0:
        return f"differs{how}"
    return f"{'better' if (change.change > 0) == change.higher_is_better else 'worse'}{how}"


def notes(found: Differences, changes: Sequence[Change]) -> list[str]:
    """What has to be known to read the table, as sentences."""
    lines = list(found.notes)
    hidden = dict.fromkeys(c.metric for c in found.changes if c not in changes)
    if hidden:
        lines.append(
            f"Not shown, since they change with the tokens as the figure above them does: {listing(list(hidden))} "
            "(--all shows them)."
        )
    reasons = dict.fromkeys(c.reason for c in changes if c.separable is None and c.reason)
    if reasons:
        lines.append(f"Not judged: {'; '.join(reasons)}.")
    if any(c.low is not None for c in changes):
        lines.append(f"Intervals: {level(found.first.results)}, not adjusted for the number of comparisons.")
    if any(c.paired and c.p_holm is not None for c in changes):
        lines.append("Verdicts: on the same documents, after Holm's correction over all corpora and tokenizers.")
    if floors := [c.noise_floor for c in changes if c.noise_floor is not None]:
        lines.append(
            "Where a tokenizer was trained again on parts of its text (measure: stability), a change must also be "
            f"larger than what that makes, here {signed_percent(median(floors))[1:]} at the median and up to "
            f"{signed_percent(max(floors))[1:]}."
        )
    if any(not c.paired and c.low is not None for c in changes):
        lines.append(
            "Unpaired verdicts: by the interval alone, from those of A and B; on the same text it is too wide."
        )
    return lines


def markdown(found: Differences, every: bool = False) -> str:
    """The whole comparison as Markdown."""
    changes = shown(found, every)
    cells = [[plain(row[0]), code(row[1]), *row[2:]] for row in rows(changes)]
    parts = ["\n".join(f"- {plain(line)}" for line in headline(found))]
    if cells:
        parts.append(table(HEADERS, cells, left=LEFT))
    if lines := notes(found, changes):
        parts.append("\n".join(f"- {plain(line)}" for line in lines))
    return "\n\n".join(parts)


def _figure(change: Change, value: float) -> str:
    row = Row(
        change.corpus,
        "",
        "",
        "",
        change.tokenizer,
        change.metric,
        "",
        value,
        None,
        None,
        change.unit,
        0,
        None,
        "",
        None,
    )
    text = figure(row)
    # A change too small for the usual digits would look like none.
    same = figure(replace(row, value=change.first)) == figure(replace(row, value=change.second))
    return f"{value:,.6g}" if same else text


def _signed(change: Change, value: float) -> str:
    if change.relative:
        digits = 1 if abs(change.change) >= 0.01 else 2 if abs(change.change) >= 0.001 else 3
        return signed_percent(value, digits)
    return f"{'−' if value < 0 else '+'}{abs(value):.3g}"
