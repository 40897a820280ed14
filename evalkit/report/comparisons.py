"""Which differences hold: paired comparisons in words and as tables."""

from __future__ import annotations

from evalkit.pair_verdicts import pairs_tested
from evalkit.report import few, seen
from evalkit.report.figures import best, candidates, is_lossless, shown_corpora
from evalkit.report.table import table
from evalkit.report.text import code, count, figure, listing, percent, plain, signed_percent
from evalkit.results import ComparisonRecord, CorpusRecord, Results, Row
from evalkit.stats import FEWEST, canonical

METRIC = "bytes_per_token"
COLUMNS = 5  # corpora side by side; their cells are wide
SHOWN = 0.005  # share of resamples from which a tokenizer is named

NOT_SEPARABLE = "≈"
WITHIN_NOISE = "~"


def level(results: Results) -> str:
    """
    >>> from types import SimpleNamespace as A
    >>> level(A(suite=A(confidence=0.95)))
    '95 %'
    """
    return f"{results.suite.confidence * 100:g} %"


def lead(found: ComparisonRecord, also: list[str], pairs: int) -> str:
    """What the best has over the next, as a phrase. ``found`` is of the best against the next; ``also``: others
    that it can't be told from, as :func:`close` shows them; ``pairs``: how many were tested together there."""
    name = code(found.second)
    if found.identical or found.ratio is None:
        text = f"as many tokens as {name} in every document" if found.identical else "nothing to compare"
        return f"{text}; not separable from {listing(also, 3)}" if also else text
    fewer = 1 - found.ratio
    text = f"{_share(fewer, fewer)} fewer tokens than {name}" if fewer else f"no fewer tokens than {name}"
    if found.low is not None and found.high is not None:
        text += f" ({span(1 - found.high, 1 - found.low, fewer)})"
    if found.separable is None:
        return f"{text}; whether that holds on other documents can't be told: {plain(found.undefined_reason or '')}"
    if found.within_noise and found.noise_floor is not None:
        more = f"; nor is it separable from {listing(also, 3)}" if also else ""
        return f"{text}: not separable from it, since {_training(found.noise_floor)}{more}"
    if not found.separable:
        more = f", nor from {listing(also, 3)}" if also else ""
        return f"{text}: not separable from it{f' among {count(pairs)} pairs' if pairs > 1 else ''}{more}"
    return f"{text}; not separable from {listing(also, 3)}" if also else text


def _training(floor: float) -> str:
    return f"training on another text of the kind alone makes {_share(floor, floor)}"


def behind(found: ComparisonRecord) -> str:
    """How many more tokens one needs than the first of a corpus (which is second in ``found``), as a phrase with the
    verdict."""
    if found.identical or found.ratio is None:
        return "as many tokens in every document" if found.identical else "nothing to compare"
    more = found.ratio - 1
    text = f"{_share(more, more)} more tokens"
    if found.low is not None and found.high is not None:
        text += f", {span(found.low - 1, found.high - 1, more)}"
    if found.separable is None:
        return f"{text}; can't be told"
    if found.separable:
        return text
    why = f", since {_training(found.noise_floor)}" if found.within_noise and found.noise_floor is not None else ""
    return f"{text}; not separable from the first{why}"


def by_noise_alone(results: Results, found: ComparisonRecord) -> bool:
    """Whether the documents tell the two apart, and what training alone makes is the one reason that they aren't
    separable: a large difference reads oddly as none otherwise."""
    told = found.p_holm is not None and found.p_holm <= canonical(1 - results.suite.confidence)
    return told and found.separable is False and found.within_noise


def close(results: Results, corpus: str, best_name: str, name: str) -> str:
    """One that the best can't be told from, as it is shown: with the floor where that alone is why."""
    found = results.comparison(corpus, best_name, name)
    if found is None or found.noise_floor is None or not by_noise_alone(results, found):
        return code(name)
    return f"{code(name)} (by training noise alone, {_share(found.noise_floor, found.noise_floor)})"


def legend(results: Results) -> str:
    """What the intervals and verdicts of :func:`lead` are; empty where there are none."""
    if all(c.low is None for c in results.comparisons):
        return ""
    text = (
        f"In brackets: {level(results)} intervals of the difference on the same documents, not adjusted; what is "
        f"separable is decided after Holm's correction over all pairs of a corpus{tested(results)}."
    )
    return "\n\n".join([text, *few.note(c.documents for c in shown_corpora(results))])


def tested(results: Results) -> str:
    """How many pairs that are, and what follows; empty where none could be tested."""
    found = [pairs for pairs in pairs_tested(results).values() if pairs]
    if not found:
        return ""
    ends = " to ".join(count(end) for end in dict.fromkeys((min(found), max(found))))
    return f" ({ends} here; the more pairs, the clearer a difference has to be)"


def not_separable_from(results: Results, corpus: str, best_name: str) -> list[str]:
    """The candidates that the best of a corpus can't be told from, the nearest first; not its equals."""
    found = []
    for row in candidates(results, corpus, METRIC):
        pair = results.comparison(corpus, best_name, row.tokenizer)
        if pair is not None and pair.separable is False and not pair.identical:
            found.append(row.tokenizer)
    return found


def _digits(size: float) -> int:
    return 0 if abs(size) >= 2 else 1 if abs(size) >= 0.01 else 2


def _share(value: float, size: float) -> str:
    return percent(value, _digits(size))


def span(low: float, high: float, size: float) -> str:
    """
    >>> span(0.041, 0.052, 0.05), span(-0.001, 0.002, 0.001)
    ('4.1–5.2 %', '−0.10 to 0.20 %')
    """
    first, second = (f"{abs(end) * 100:,.{_digits(size)}f}" for end in (low, high))
    first, second = (
        f"−{t}" if end < 0 and float(t.replace(",", "")) else t for t, end in ((first, low), (second, high))
    )
    return f"{first} to {second} %" if "−" in first + second else f"{first}–{second} %"


# ── sections ────────────────────────────────────────────────────────────────────────────────────────────────


def intervals(results: Results, metric: str) -> str:
    """The intervals of one metric, as a table like that of its figures. Empty where there are none."""
    if not any(row.metric == metric and row.aggregation == "micro" and row.low is not None for row in results.rows):
        return ""

    def shown(corpus: CorpusRecord, name: str) -> str:
        row = results.row(corpus.name, name, metric)
        return (
            "–" if row is None or row.low is None or row.high is None else f"{_end(row, row.low)}–{_end(row, row.high)}"
        )

    parts = []
    width = 2 * COLUMNS
    corpora = shown_corpora(results)
    for start in range(0, len(corpora), width):
        part = corpora[start : start + width]
        rows = [[code(t.name), *(shown(c, t.name) for c in part)] for t in results.tokenizers]
        parts.append(table(["tokenizer", *(f"{plain(c.name)}{few.mark(c.documents)}" for c in part)], rows))
    text = f"{level(results)} intervals of these figures, each for itself; the next section compares them:"
    return "\n\n".join([text, *parts, *few.note(c.documents for c in corpora)])


def _end(row: Row, value: float) -> str:
    return figure(Row(**{**row.__dict__, "value": value, "low": None, "high": None}))


def section(results: Results) -> str:
    """Every tokenizer against the best of each corpus, how firm the best is, and what could have been found."""
    shown = [c for c in shown_corpora(results) if best(results, c.name, METRIC) and _compared(results, c.name)]
    if not shown:
        return ""
    tables = []
    for start in range(0, len(shown), COLUMNS):
        part = shown[start : start + COLUMNS]
        rows = []
        for t in results.tokenizers:
            cells = [_cell(results, c.name, t.name, seen.mark(results, t.name, c.name)) for c in part]
            if any(cells):
                rows.append([code(t.name), *(cell or "–" for cell in cells)])
        columns = (f"{plain(c.name)}{few.mark(c.documents)}" for c in part)
        tables.append(table(["more tokens than the best", *columns], rows))
    text = (
        f"How many more tokens each needs than the best of the corpus, on the same documents; in brackets the "
        f"{level(results)} interval of that difference, not adjusted for the number of comparisons. "
        f"{NOT_SEPARABLE}: not separable from the best after Holm's correction over all pairs of tokenizers on that "
        f"corpus{tested(results)}; `?`: could not be judged."
    )
    if any(c.within_noise for c in results.comparisons):
        text += f" `{WITHIN_NOISE}`: not larger than what training alone makes (see Training noise)."
    bullets = "\n".join(line for c in shown if (line := _firmness(results, c)))
    return "\n\n".join(
        part for part in [text, *tables, *few.note(c.documents for c in shown), *seen.note(*tables), bullets] if part
    )


def _compared(results: Results, corpus: str) -> bool:
    return any(c.corpus == corpus for c in results.comparisons)


def _cell(results: Results, corpus: str, name: str, flatters: str) -> str:
    leader = candidates(results, corpus, METRIC)[0].tokenizer
    if name == leader:
        return f"best{flatters}"
    found = results.comparison(corpus, name, leader)
    if found is None or found.ratio is None or not is_lossless(results, corpus, name):
        return ""
    return difference(found, flatters)


def difference(found: ComparisonRecord, flatters: str = "") -> str:
    """How many more tokens the first needs than the second, as a cell: with its interval, and a mark where it is not
    separable. ``flatters``: a mark of the figure itself."""
    if found.identical:
        return f"identical{flatters}"
    more = (found.ratio or 0) - 1
    text = signed_percent(more, _digits(more)) + flatters
    if found.separable is None:
        return f"{text} ?"
    mark = f" {WITHIN_NOISE}" if found.within_noise else "" if found.separable else f" {NOT_SEPARABLE}"
    if found.low is None or found.high is None:
        return f"{text}{mark}"
    return f"{text} ({span(found.low - 1, found.high - 1, more)[:-2]}){mark}"


def _firmness(results: Results, corpus: CorpusRecord) -> str:
    ranks = sorted((r for r in results.ranks if r.corpus == corpus.name), key=lambda r: -r.best)
    parts = []
    marks = {r.tokenizer: seen.mark(results, r.tokenizer, corpus.name) for r in ranks}
    named = [f"{code(r.tokenizer)}{marks[r.tokenizer]} in {percent(r.best)}" for r in ranks if r.best >= SHOWN]
    if named:
        parts.append(f"the best in resampled documents is {listing(named)}{_no_test(results, corpus.name)}")
    if found := _detectable(results, corpus.name):
        parts.append(found)
    documents = f"{corpus.documents:,} {'document' if corpus.documents == 1 else 'documents'}"
    return f"- **{plain(corpus.name)}** ({documents}): {'; '.join(parts)}." if parts else ""


def _no_test(results: Results, corpus: str) -> str:
    """Why a share of nearly all stands beside a difference that isn't separable, where it does."""
    leader = candidates(results, corpus, METRIC)[0].tokenizer
    if not not_separable_from(results, corpus, leader):
        return ""
    pairs = pairs_tested(results)[corpus]
    adjusted = f", and not adjusted for the {count(pairs)} pairs as the verdict is" if pairs > 1 else ""
    return f" (no test{adjusted})"


def _detectable(results: Results, corpus: str) -> str:
    """The smallest and the largest of the differences from the best that would be found, of the pairs in the table."""
    leader = candidates(results, corpus, METRIC)[0].tokenizer
    sizes = {}
    for t in results.tokenizers:
        pair = results.comparison(corpus, t.name, leader)
        if pair is not None and pair.detectable is not None and is_lossless(results, corpus, t.name):
            sizes[t.name] = pair.detectable
    if not sizes:
        return ""
    ends = sorted(sizes, key=lambda name: sizes[name])
    said = [f"{_share(sizes[name], sizes[name])} for {code(name)}" for name in dict.fromkeys((ends[0], ends[-1]))]
    return f"what would be found four times out of five is a difference from {code(leader)} of {' to '.join(said)}"


def method(results: Results) -> list[str]:
    """What the intervals and verdicts are, as lines of the method section."""
    return [
        f"- Intervals are over documents, at {level(results)}. Micro: jackknife-t, symmetric in the logarithm, with "
        "the smaller of Satterthwaite's degrees of freedom and those that the lengths of the documents leave; macro: "
        "Student's t; rates without an exception: the exact bound that the rule of three approximates; shares of "
        f"documents: Wilson's. These last two are for any number of documents; under {FEWEST}, and for what is the "
        "same in every document, there is no other. Why some metrics have none stands with their definitions.",
        "- Comparisons are paired: the ratio of two tokenizers' tokens on the same documents, in its logarithm, with "
        "the same kind of standard error; probabilities from Student's t, corrected by Holm's method for all pairs on "
        "a corpus. They speak of other documents like these, and not of another training text; "
        "`measure: {stability: 5}` asks for that.",
        "- What would be found four times out of five (power 80 %) is of each pair its own, and by the verdict: at the "
        "strictest step of Holm's correction, with one minus the confidence divided by the number of pairs. In "
        "`results.json` it is `detectable` of each of the `comparisons`. Differences that training alone makes are "
        "not found, however many documents there are.",
        "- Resampled documents: a seeded bootstrap, by random groups where there are more than 1,000.",
    ]
