"""The first lines of a report: what is best where, and by how much, in words."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import chain

from evalkit import lossless
from evalkit.lossless import CHECK
from evalkit.pair_verdicts import pairs_tested
from evalkit.ranked import set_aside
from evalkit.report import cost, few, groups, languages, matched, own, patterns, regrets, seen, summary
from evalkit.report.comparisons import METRIC, behind, by_noise_alone, close, lead, legend, not_separable_from
from evalkit.report.figures import candidates, is_at_home, ladder, outside, shown_corpora
from evalkit.report.text import best_by_corpus, code, corpora_phrase, equals, figure, listing, percent, plain
from evalkit.results import Results, Row

MANY_CORPORA = 8
"""With more of them, the lines of the corpora are a section of their own: the answer comes first, and fits a screen."""


def verdict(results: Results) -> str:
    """The answer in a few points, then one line a corpus."""
    lines = by_corpus(results)
    return f"{opening(results)}\n\nCorpus by corpus:\n\n{lines}" if lines else opening(results)


def opening(results: Results) -> str:
    """A point for each thing to know: what is best, how sure that is, what it costs, and at one size."""
    parts = []
    if failed := sorted({check.tokenizer for check in results.failed_checks}):
        parts.append(f"**Do not use {listing([code(name) for name in failed])}: a check failed.**")
    if caution := _cheaper(results):
        parts.append(caution)
    points = [
        summary.sentence(results),
        own.sentence(results),
        *_whole(results),
        *_groups(results),
        patterns.sentence(results),
        cost.sentence(results),
        _away(results),
        languages.sentence(results),
        _aside(results),
        _checks(results),
    ]
    points += seen.note(*points)
    parts.append("\n".join(f"- {point}" for point in points if point))
    return "\n\n".join(parts)


def _cheaper(results: Results) -> str:
    """What none of the points says, and every one of them may be taken for; empty where no tokens were counted."""
    found = next((m for m in results.metrics if m.name == METRIC), None)
    if found is None:
        return ""
    return (
        "Fewer tokens for the same text are cheaper; that is no better model, and what a model learns isn't measured "
        f"here (evidence that {code(METRIC)} goes with better models: {found.evidence})."
    )


def by_corpus(results: Results) -> str:
    """One line a corpus, and what the brackets in them mean; empty where nothing can be compared."""
    lines = [line for corpus in shown_corpora(results) if (line := _corpus(results, corpus.name, corpus.documents))]
    return "\n\n".join(part for part in ("\n".join(lines), legend(results)) if part) if lines else ""


def stands_apart(results: Results) -> bool:
    """Whether :func:`by_corpus` is too long to stand with the opening."""
    return len(shown_corpora(results)) > MANY_CORPORA


def _whole(results: Results) -> list[str]:
    leaders = groups.leaders(results, shown_corpora(results))
    if not leaders:
        n = len(results.tokenizers)
        who = "One tokenizer was" if n == 1 else f"{n} tokenizers were"
        known = any(row.metric == METRIC for row in results.rows)
        nothing = "one only can be the best" if set_aside(results.tokenizers) else "there is nothing to compare"
        why = nothing if known else f"{code(METRIC)} was not measured, so that there is no verdict"
        return [f"{who} measured on {_corpora(len(results.corpora))}; {why}."]
    times = Counter(leaders.values())
    most = [names for names, n in times.items() if n == max(times.values())]
    top, tops = most[0], list(dict.fromkeys(chain.from_iterable(most)))
    if len(set(leaders.values())) == 1 and len(top) == 1:
        text = f"{code(top[0])}{seen.mark(results, top[0], *leaders)} packs the most text into a token on every corpus"
        text += f"{outside(results)}."
    else:
        who = best_by_corpus(leaders, partial(seen.mark, results), outside(results))
        text = f"The most text goes into a token of {who}."
    return [
        text,
        _doubt(results, leaders),
        _caveat(results, tops),
        matched.sentence(results),
    ]


def _groups(results: Results) -> list[str]:
    """A point for each group of line-aligned corpora that the points before leave out."""
    points = []
    for group, leaders in groups.by_group(results).items():
        doubt = _doubt(results, leaders)
        points.append(f"{groups.sentence(results, group, leaders)}.{f' {doubt}' if doubt else ''}")
    return points


def _doubt(results: Results, leaders: dict[str, tuple[str, ...]]) -> str:
    """Where the lead may be chance."""
    chance: list[str] = []
    training: list[str] = []
    unjudged: list[str] = []
    for corpus, names in leaders.items():
        rows = candidates(results, corpus, METRIC)
        others = [row for row in rows if row.tokenizer not in names]
        second = _next(results, [rows[0], *others]) if others else None
        found = results.comparison(corpus, names[0], second.tokenizer) if second else None
        if found is not None and not found.identical:
            if found.separable is None:
                unjudged.append(corpus)
            elif by_noise_alone(results, found):
                training.append(f"{corpus} ({percent(found.noise_floor or 0)})")
            elif not found.separable:
                chance.append(corpus)
    parts = []
    if chance:
        parts.append(f"the lead is not separable from chance on {corpora_phrase(chance)}")
    if training:
        parts.append(f"the lead is not larger than what training alone makes on {corpora_phrase(training)}")
    if unjudged:
        parts.append(f"whether the lead would hold on other documents can't be told on {corpora_phrase(unjudged)}")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _next(results: Results, rows: list[Row]) -> Row:
    """The best that isn't the first under another name, nor at another size where there is anything else."""
    same, steps = _fingerprint(results, rows[0]), ladder(results, rows[0].tokenizer)
    others = [row for row in rows[1:] if same is None or _fingerprint(results, row) != same]
    return next((row for row in others if ladder(results, row.tokenizer) != steps), (others or rows[1:])[0])


def _caveat(results: Results, tops: list[str]) -> str:
    """What the vocabularies of those that lead on the most corpora have to do with it."""
    sizes = {t.name: t.vocab_size for t in results.tokenizers if t.kind != "baseline" and t.vocab_size}
    tops = [name for name in tops if name in sizes]
    if not tops or len(set(sizes.values())) == 1:
        return ""
    largest = max(sizes.values())
    if all(sizes[name] == largest for name in tops):
        equal = [code(name) for name, size in sizes.items() if size == largest and name not in tops]
        others = f", as {listing(equal, 3)} {'have' if equal[1:] else 'has'}" if equal else ""
        have = "have" if tops[1:] else "has"
        who = listing([code(name) for name in tops], 3)
        return f"{who} also {have} the largest vocabulary ({largest:,}{others}), which costs parameters."
    rest = [f"{code(name)} {sizes[name]:,}" for name in tops[1:]]
    said = listing([f"{code(tops[0])} has {sizes[tops[0]]:,} entries", *rest], 3)
    return f"{said}; the largest vocabulary compared has {largest:,}."


def _away(results: Results) -> str:
    """The greatest loss away from home: of those that hold, where there is any."""
    rows = {(r.corpus, r.tokenizer): r for r in results.rows if r.metric == "regret" and r.aggregation == "micro"}
    regret = {m: rows[key].value or 0 for m in results.matches if (key := (m.corpus, m.tokenizer)) in rows}
    order = sorted((m for m in regret if regret[m] > 0), key=lambda m: -regret[m])
    if not order:
        return ""
    found = next((m for m in order if not regrets.doubt(results, m)), order[0])
    ideal = f"{code(found.ideal)}{seen.mark(results, found.ideal, found.corpus)}"
    which = "greatest" if found is order[0] else "greatest separable"
    return (
        f"The {which} cost of a foreign vocabulary: {code(found.tokenizer)} "
        f"needs {percent(regret[found])} more tokens on {plain(found.corpus)} than {ideal}, which was trained on it, "
        f"both at {found.size:,} entries{regrets.said(results, found)}."
    )


def _aside(results: Results) -> str:
    names = [code(t.name) for t in results.tokenizers if t.name in set_aside(results.tokenizers)]
    if not names:
        return ""
    verb, whose = ("have", "their") if names[1:] else ("has", "its")
    return (
        f"{listing(names)} {verb} no split pattern: {whose} figures stand in the tables, but are never called the "
        "best, nor what others are held against (see Beware)."
    )


def _corpora(n: int) -> str:
    return f"{n} {'corpus' if n == 1 else 'corpora'}"


def _checks(results: Results) -> str:
    fatal = [check for check in results.checks if check.name != CHECK and check.passed is not None]
    lossy = list(dict.fromkeys(tokenizer for _, tokenizer in lossless.lossy(results.rows, results.checks)))
    loss = f"; {listing([code(name) for name in lossy])} lose{'' if lossy[1:] else 's'} text" if lossy else ""
    if not fatal:
        return f"No consistency check could be made{loss}."
    if bad := sum(not check.passed for check in fatal):
        return f"{bad:,} of {len(fatal):,} consistency checks failed, see Checks{loss}."
    return f"All {len(fatal):,} consistency checks passed (serial = parallel, byte audit){loss}."


def _corpus(results: Results, corpus: str, documents: int) -> str:
    rows = candidates(results, corpus, METRIC)
    if len(rows) < 2:
        return ""
    first = rows[0]
    second = _next(results, rows)
    what = f"{_named(results, first)}, {figure(first)} {first.unit}"
    judged = any(c.low is not None for c in results.comparisons if c.corpus == corpus)
    name = f"{plain(corpus)}{few.mark(documents) if judged else ''}"
    line = f"- **{name}**: {what}; {_lead(results, first, second)}"
    if not any(t.name == first.tokenizer and t.trained_on for t in results.tokenizers):
        here = own.of_own(results, rows)
        return f"{line}{_behind(results, 'best trained here', here, first)}{_close_here(results, here)}."
    published = own.of_published(results, rows)
    return f"{line}{_behind(results, 'best published', published, first) if second not in published else ''}."


def _behind(results: Results, title: str, rows: list[Row], first: Row) -> str:
    """The best of ``rows`` and how far it is behind the first of all; empty where there is none."""
    if not rows:
        return ""
    found = results.comparison(first.corpus, rows[0].tokenizer, first.tokenizer)
    more = f"{percent((first.value or 0) / (rows[0].value or 1) - 1)} more tokens" if found is None else behind(found)
    names = equals([_named(results, row) for row in rows if row.value == rows[0].value])
    return f"; {title}: {names}, {figure(rows[0])} ({more})"


def _close_here(results: Results, here: list[Row]) -> str:
    """Of those trained here the ones that the best of them can't be told from."""
    if not here:
        return ""
    first = here[0]
    others = not_separable_from(results, first.corpus, first.tokenizer)
    names = [
        close(results, first.corpus, first.tokenizer, row.tokenizer)
        for row in here
        if row.tokenizer in others and row.value != first.value
    ]
    return f"; of those trained here not separable from {listing(names, 3)}" if names else ""


def _named(results: Results, row: Row) -> str:
    home = any(t.name == row.tokenizer and is_at_home(t, row.corpus) for t in results.tokenizers)
    where = " (trained on part of this text)" if seen.saw(results, row.tokenizer, row.corpus) else ""
    return f"{code(row.tokenizer)}{where or (' (in-domain)' if home else '')}"


def _fingerprint(results: Results, row: Row) -> str | None:
    return next((t.fingerprint for t in results.tokenizers if t.name == row.tokenizer), None)


def _lead(results: Results, first: Row, second: Row) -> str:
    found = results.comparison(first.corpus, first.tokenizer, second.tokenizer)
    if found is not None:
        others = not_separable_from(results, first.corpus, first.tokenizer)
        also = [close(results, first.corpus, first.tokenizer, name) for name in others if name != second.tokenizer]
        return lead(found, also, pairs_tested(results)[first.corpus])
    assert first.value is not None
    assert second.value is not None
    fewer = 1 - second.value / first.value  # the bytes are the same, so this is a share of the tokens
    if fewer < 0.0005:
        return f"no fewer tokens than {code(second.tokenizer)}"
    return f"{percent(fewer)} fewer tokens than {code(second.tokenizer)}"
