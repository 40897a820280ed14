"""The question that most suites are written for: does what is trained here beat what is published?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from evalkit.report import few, seen
from evalkit.report.comparisons import METRIC, NOT_SEPARABLE, WITHIN_NOISE, difference, level, tested
from evalkit.report.figures import candidates, is_at_home, ladder, shown_corpora
from evalkit.report.sections import HOME
from evalkit.report.table import table
from evalkit.report.text import code, count, plain
from evalkit.results import ComparisonRecord, CorpusRecord, Results, Row

TITLE = "Own tokenizers against published ones"
LINK = f"[{TITLE}](#{TITLE.lower().replace(' ', '-')})"
COLUMNS = 4  # published tokenizers side by side; their cells are wide
SAID = 4  # published tokenizers that the verdict counts
FEWER, MORE, CLOSE, UNJUDGED = "fewer", "more", "close", "unjudged"


def of_own(results: Results, rows: Sequence[Row]) -> list[Row]:
    """Those of tokenizers that are trained here, of a ladder the largest alone."""
    own = set(_own(results))
    return [row for row in rows if row.tokenizer in own]


def of_published(results: Results, rows: Sequence[Row]) -> list[Row]:
    """Those of tokenizers that aren't trained here, nor baselines."""
    published = set(_published(results))
    return [row for row in rows if row.tokenizer in published]


def outcome(found: ComparisonRecord) -> str:
    """What is said of a pair: of the first, against the second."""
    if found.separable is None or found.ratio is None:
        return UNJUDGED
    if not found.separable:
        return CLOSE
    return FEWER if found.ratio < 1 else MORE


def section(results: Results) -> str:
    """The best own one of each corpus against every published one. Empty where there is nothing of either, or nothing
    was tested."""
    pairs = _pairs(results)
    if not pairs:
        return ""
    corpora = [c for c in shown_corpora(results) if any(corpus == c.name for corpus, _ in pairs)]
    names = [name for name in _published(results) if any(published == name for _, published in pairs)]
    sizes = {t.name: t.vocab_size for t in results.tokenizers}
    tables = []
    for start in range(0, len(names), COLUMNS):
        part = names[start : start + COLUMNS]
        rows = [[*_who(results, c), *(_cell(results, pairs.get((c.name, name))) for name in part)] for c in corpora]
        headers = [f"{code(name)} ({count(sizes[name])})" for name in part]
        tables.append(table(["corpus", "best own (entries)", *headers], rows, left=2))
    text = (
        f"How many more tokens (−: fewer) the best of those trained here needs on each corpus than each published one, "
        f"on the same documents, each at its own size; in brackets the {level(results)} interval, not adjusted. "
        f"{NOT_SEPARABLE}: not separable after Holm's correction over all pairs of tokenizers on that corpus"
        f"{tested(results)}, which allows for the best being chosen there; `?`: could not be judged; {HOME}: in-domain."
    )
    if any(found.within_noise for found in pairs.values()):
        text += f" `{WITHIN_NOISE}`: not larger than what training alone makes (see Training noise)."
    notes = [*few.note(c.documents for c in corpora), *seen.note(*tables)]
    return "\n\n".join(part for part in [text, *tables, *notes, _one_choice(results, names)] if part)


def sentence(results: Results) -> str:
    """Where the best own one wins and loses, for the verdict; empty without a section."""
    pairs = _pairs(results)
    names = list(dict.fromkeys(name for _, name in pairs))
    if not names:
        return ""
    if {outcome(found) for found in pairs.values()} == {UNJUDGED}:
        what = "Whether own tokenizers need fewer tokens than published ones on other documents"
        return f"{what} can't be told; see {LINK}."
    said = [_counted([found for (_, other), found in pairs.items() if other == name], name) for name in names[:SAID]]
    rest = f"; {len(names) - SAID} more" if len(names) > SAID else ""
    return f"The best own tokenizer of each corpus needs {'; '.join(said)}{rest}; see {LINK}."


def _published(results: Results) -> list[str]:
    return [t.name for t in results.tokenizers if not t.trained_on and t.kind != "baseline"]


def _own(results: Results) -> list[str]:
    return [t.name for t in results.tokenizers if t.trained_on and ladder(results, t.name) == t.name]


def _pairs(results: Results) -> dict[tuple[str, str], ComparisonRecord]:
    """By corpus and published tokenizer, the best own one against it; of those alone that can be the best."""
    pairs = {}
    for corpus in shown_corpora(results):
        rows = candidates(results, corpus.name, METRIC)
        for own in of_own(results, rows)[:1]:
            for other in of_published(results, rows):
                found = results.comparison(corpus.name, own.tokenizer, other.tokenizer)
                if found is not None and found.ratio is not None:
                    pairs[corpus.name, other.tokenizer] = found
    return pairs


def _who(results: Results, corpus: CorpusRecord) -> list[str]:
    rows = of_own(results, candidates(results, corpus.name, METRIC))
    name, equal = rows[0].tokenizer, sum(row.value == rows[0].value for row in rows) - 1
    of = next(t for t in results.tokenizers if t.name == name)
    marks = (HOME if is_at_home(of, corpus.name) else "") + seen.mark(results, name, corpus.name)
    others = f" and {equal} equal" if equal else ""
    return [
        f"{plain(corpus.name)}{few.mark(corpus.documents)}",
        f"{code(name)}{marks}{others} ({count(of.vocab_size)})",
    ]


def _cell(results: Results, found: ComparisonRecord | None) -> str:
    if found is None:
        return "–"
    return f"{difference(found)}{seen.mark(results, found.second, found.corpus)}"


def _counted(pairs: Sequence[ComparisonRecord], name: str) -> str:
    times = Counter(map(outcome, pairs))
    rest = [
        f"{words} on {times[kind]}"
        for kind, words in ((CLOSE, "not separable"), (UNJUDGED, "can't be told"))
        if times[kind]
    ]
    of = f"{len(pairs)} {'corpus' if len(pairs) == 1 else 'corpora'}"
    text = f"fewer tokens than {code(name)} on {times[FEWER]} of {of} and more on {times[MORE]}"
    return f"{text} ({'; '.join(rest)})" if rest else text


def _one_choice(results: Results, published: Sequence[str]) -> str:
    """The count for every own one, where there are several corpora and own ones: one alone will be used, and the best
    of each corpus flatters."""
    corpora = [c.name for c in shown_corpora(results)]
    can_be = {(c, row.tokenizer) for c in corpora for row in candidates(results, c, METRIC)}
    rows = []
    for name in _own(results):
        cells = []
        for other in published:
            both = [c for c in corpora if {(c, name), (c, other)} <= can_be]
            found = [one for c in both if (one := results.comparison(c, name, other)) is not None]
            times = Counter(map(outcome, found))
            cells.append(f"{times[FEWER]} / {times[MORE]} of {len(found)}" if found else "–")
        if set(cells) != {"–"}:
            rows.append([code(name), *cells])
    if len(corpora) < 2 or len(rows) < 2:
        return ""
    intro = (
        "One choice for all: on how many corpora each needs separably fewer / more tokens than the published one; on "
        "the rest it is not separable, or can't be told."
    )
    return f"{intro}\n\n{table(['own', *map(code, published)], rows)}"
