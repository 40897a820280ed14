"""Two results side by side, as text: the answer by tokenizer, the changes that hold, and how many do not; or every
figure that differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from evalkit.change_summary import TokenizerSummary, over_corpora, separable
from evalkit.compare import Change, Differences, Outcome
from evalkit.made_otherwise import MadeOtherwise, Value
from evalkit.report import pair_verdicts
from evalkit.report.compared_marks import Marks
from evalkit.report.comparisons import level
from evalkit.report.table import table
from evalkit.report.text import code, count, figure, listing, plain, signed_percent
from evalkit.results import Row

HEADERS = ("corpus", "tokenizer", "metric", "A", "B", "change", "interval", "verdict")
LEFT = 3
ANSWER_HEADERS = ("tokenizer", "over all corpora", "largest change")
SEPARABLE = "Changes that can be told from chance, the largest first"
VALUE = 60  # characters of what was otherwise, such as a split pattern
LIMIT = 30
"""Separable changes that are listed."""


def headline(found: Differences) -> list[str]:
    """What A and B are, in what they were made otherwise, and how many figures differ."""
    lines = []
    for letter, side in (("A", found.first), ("B", found.second)):
        lines.append(f"{letter}: {side.where} ({side.results.suite.name}, digest {side.results.digest[:12]})")
    lines += _losses(found)
    lines += [f"What differs: {_made(one)}" for one in found.made_otherwise]
    if not found.made_otherwise and found.first.results.digest != found.second.results.digest:
        lines.append("What differs: nothing on record of what both have")
    changed = len(found.changes)
    figures = "1 figure differs" if changed == 1 else f"{count(changed)} figures differ"
    lines.append(f"{figures}, {count(found.equal)} {'is' if found.equal == 1 else 'are'} equal")
    if found.verdicts:
        one = len(found.verdicts) == 1
        lines[-1] += f"; {count(len(found.verdicts))} verdict{'' if one else 's'} between tokenizers differ{'s' * one}"
    return lines


def _losses(found: Differences) -> Iterator[str]:
    """What loses text, of all that differs."""
    corpora: dict[tuple[str, tuple[str, ...]], dict[str, None]] = {}
    for change in found.changes:
        if change.lossy:
            corpora.setdefault((change.tokenizer, change.lossy), {})[change.corpus] = None
    for (tokenizer, sides), names in corpora.items():
        yield (
            f"{tokenizer} loses text in {listing(sides)} on {listing(list(names))}: what it drops or replaces reads as "
            "better compression, so that nothing made of it is called better or worse there"
        )


def _made(one: MadeOtherwise) -> str:
    of = f" of {listing(one.tokenizers)}" if one.tokenizers else ""
    if one.before is None and one.after is None:
        return f"{listing(one.tokenizers)}: {one.what} (variant, size, names of the training text)"
    return f"{one.what}{of}: {_value(one.before)} → {_value(one.after)}"


def _value(value: Value) -> str:
    if isinstance(value, tuple):
        return listing(value) or "none"
    text = count(value) if isinstance(value, int) else "none" if value is None else value
    return text if len(text) <= VALUE else f"{text[: VALUE - 20]}…{text[-19:]}"  # patterns end in their digest


def moving_apart(found: Differences) -> list[Change]:
    """All changes, but of those that move together, since they are all made of the same tokens, the first alone."""
    chosen: list[Change] = []
    seen: set[tuple[str, str]] = set()
    for change in found.changes:
        key = change.corpus, change.tokenizer
        if change.of_tokens:
            if key in seen:
                continue
            seen.add(key)
        chosen.append(change)
    return chosen


def shown(found: Differences, every: bool = False) -> list[Change]:
    """The changes to list: ``every`` one in the order of the results, or the largest of those that are separable."""
    return list(found.changes) if every else separable(moving_apart(found))[:LIMIT]


def answers(found: Differences) -> list[list[str]]:
    """Cells by :data:`ANSWER_HEADERS`: a row a tokenizer."""
    marks = Marks(found)
    return [[one.tokenizer, _over_corpora(one), _largest(one, marks)] for one in over_corpora(found)]


def _over_corpora(one: TokenizerSummary) -> str:
    corpora = f"of {one.corpora} {'corpus' if one.corpora == 1 else 'corpora'}"
    order: tuple[Outcome, ...] = ("better", "worse", "differs", "not separable", "not judged")
    counts = [(name, one.outcomes.get(name, 0)) for name in order] + [("equal", one.equal)]
    parts = [f"{name} on {number}" for name, number in counts if number]
    parts[0] += f" {corpora}"
    text = ("mixed: " if one.verdict == "mixed" else "") + ", ".join(parts)
    if one.lossy:
        text = f"loses text in {listing(one.lossy)}; {text}"
    if one.others:
        text += f"; {count(one.others)} other {'figure' if one.others == 1 else 'figures'} changed separably"
    return text


def _largest(one: TokenizerSummary, marks: Marks) -> str:
    return "; ".join(_described(change, marks) for change in (one.largest, one.opposite) if change is not None) or "–"


def _described(change: Change, marks: Marks) -> str:
    values = " → ".join(_figures(change, marks))
    interval = "" if change.low is None else f" ({_interval(change)})"
    return f"{change.metric} on {change.corpus}{marks.few(change)} {values}, {_signed(change, change.change)}{interval}"


def rest(found: Differences, changes: Sequence[Change]) -> str:
    """How many changes are not listed, and why; empty where all are."""
    every = moving_apart(found)
    counts = Counter(change.outcome for change in every)
    held = sum(change.separable is True for change in every)
    parts = []
    if more := held - len(changes):
        parts.append(f"{count(more)} smaller separable {'change' if more == 1 else 'changes'}")
    parts += [f"{count(counts[one])} {one}" for one in ("not separable", "not judged") if counts[one]]
    return f"Not listed: {listing(parts)} (--all shows every figure)." if parts else ""


def rows(found: Differences, changes: Sequence[Change]) -> list[list[str]]:
    """Cells by :data:`HEADERS`."""
    marks = Marks(found)
    return [
        [
            f"{c.corpus}{marks.few(c)}",
            c.tokenizer,
            c.metric,
            *_figures(c, marks),
            _signed(c, c.change),
            _interval(c),
            verdict(c),
        ]
        for c in changes
    ]


def verdict(change: Change) -> str:
    """One or two words, and why it is neither better nor worse where one of the two would be expected."""
    judged = change.separable is not None
    text = f"{change.outcome}, unpaired" if judged and not change.paired else change.outcome
    if change.outcome == "differs" and change.lossy:
        return f"{text}: text is lost in {listing(change.lossy)}"
    return f"{text}: {change.neither}" if change.outcome == "differs" and change.neither else text


def notes(found: Differences, every: bool = False) -> list[str]:
    """What has to be known to read the tables, as sentences."""
    listed = shown(found, every)
    # The answers are about changes that aren't separable, too.
    changes = list(found.changes) if every else moving_apart(found)
    lines = list(found.notes)
    if not every and (left := rest(found, listed)):
        lines.insert(0, left)
    apart = {(c.corpus, c.tokenizer, c.metric) for c in changes}
    hidden = dict.fromkeys(c.metric for c in found.changes if (c.corpus, c.tokenizer, c.metric) not in apart)
    if hidden:
        since = "where" if hidden.keys() & {c.metric for c in changes} else "since"
        lines.append(
            f"Not shown, {since} they change with the tokens as the first of them does: {listing(list(hidden))} "
            "(--all shows them)."
        )
    reasons = dict.fromkeys(c.reason for c in changes if c.separable is None and c.reason)
    if reasons:
        lines.append(f"Not judged: {'; '.join(reasons)}.")
    if any(c.low is not None for c in changes):
        lines.append(f"Intervals: {level(found.first.results)}, not adjusted for the number of comparisons.")
    if any(c.paired and c.p_holm is not None for c in changes):
        lines.append("Verdicts: on the same documents, after Holm's correction over all corpora and tokenizers.")
    if any(c.neither for c in changes):
        lines.append(
            "What holds languages against each other (premium, gini_premium) is better or worse only where the "
            "language's own tokens, or those of the group, fell or rose too: it also falls where the others' rise."
        )
    lines += pair_verdicts.notes(found.verdicts, every)
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
    return [*lines, *Marks(found).notes(_marked(found, every))]


def markdown(found: Differences, every: bool = False) -> str:
    """The whole comparison as Markdown."""
    parts = ["\n".join(f"- {plain(line)}" for line in headline(found))]
    if not every and (cells := answers(found)):
        parts.append(table(ANSWER_HEADERS, [[code(row[0]), *map(plain, row[1:])] for row in cells], left=3))
    if changes := shown(found, every):
        if not every:
            parts.append(f"{SEPARABLE}:")
        listed = [[plain(row[0]), code(row[1]), *row[2:]] for row in rows(found, changes)]
        parts.append(table(HEADERS, listed, left=LEFT))
    if found.verdicts:
        parts.append(f"{pair_verdicts.TITLE}:")
        listed = [[plain(row[0]), code(row[1]), code(row[2]), *row[3:]] for row in verdict_rows(found, every)]
        parts.append(table(pair_verdicts.HEADERS, listed, left=5))
    if lines := notes(found, every):
        parts.append("\n".join(f"- {plain(line)}" for line in lines))
    return "\n\n".join(parts)


def verdict_rows(found: Differences, every: bool = False) -> list[list[str]]:
    """Cells by :data:`evalkit.report.pair_verdicts.HEADERS`."""
    return pair_verdicts.rows(pair_verdicts.shown(found.verdicts, every), Marks(found))


def _marked(found: Differences, every: bool) -> str:
    """All cells that may have a mark."""
    tables = [rows(found, shown(found, every)), verdict_rows(found, every), [] if every else answers(found)]
    return "".join(cell for cells in tables for row in cells for cell in row)


def _figures(change: Change, marks: Marks) -> list[str]:
    values = (change.first, change.second)
    return [_figure(change, value) + mark for value, mark in zip(values, marks.seen(change), strict=True)]


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


def _interval(change: Change) -> str:
    if change.low is None or change.high is None:
        return "–"
    return f"{_signed(change, change.low)} to {_signed(change, change.high)}"
