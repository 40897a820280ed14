"""Where token boundaries fall: in words, in characters, in numbers, and how alike two tokenizers cut."""

from __future__ import annotations

from statistics import median

from evalkit.report import few, sections
from evalkit.report.comparisons import level
from evalkit.report.figures import is_large, shown_corpora
from evalkit.report.table import table
from evalkit.report.text import code, count, folded, listing, plain
from evalkit.results import PairRecord, Results
from evalkit.stats import FEWEST

TABLES = {
    "continued_words": "Words that are cut",
    "context_consistency": "Words that are cut alike wherever they stand",
    "utf8_split_rate": "Characters that are cut",
    "digit_boundary_f1": "Numbers: groups of three from the right",
}
"""The figures that help to decide, with their titles; the others are in the CSV."""

READ_BESIDE = {
    "context_consistency": "What is cut into bytes is always cut alike: read it beside the words that are cut.",
    "digit_boundary_f1": (
        "Single digits have a boundary at every right place and at two wrong ones for each: the best of a column may "
        "be no more than that (compare the baseline of bytes, where there is one)."
    ),
}
"""What keeps a good figure from being taken for a good vocabulary."""

FOLDED = ("context_consistency", "utf8_split_rate", "digit_boundary_f1")
"""Those that a large report has to be asked for."""

OTHERS = (
    "tokens_per_word",
    "strr_tokens",
    "strr_types",
    "renyi_efficiency",
    "unigram_entropy",
    "unigram_bits_per_byte",
    "bigram_entropy",
    "bigram_bits_per_byte",
)


def section(results: Results) -> str:
    """The tables that were asked for, each under its title. Empty where there is none."""
    found = [(title, metric, sections.figures(results, metric)) for metric, title in TABLES.items()]
    found = [(title, metric, _with_note(results, metric, body)) for title, metric, body in found]
    large = is_large(results)
    parts = [
        f"### {title}\n\n{folded('The table', body) if large and metric in FOLDED else body}"
        for title, metric, body in found
        if body
    ]
    measured = {row.metric for row in results.rows}
    if rest := [code(name) for name in OTHERS if name in measured - set(results.suite.asked_metrics)]:
        parts.append(f"In `results.csv` too: {', '.join(rest)}; `docs/metrics.md` says what they are.")
    return "\n\n".join(parts)


def _with_note(results: Results, metric: str, body: str) -> str:
    note = _how_many(results) if metric == "utf8_split_rate" else READ_BESIDE.get(metric)
    return f"{body}\n\n{note}" if body and note else body


def _how_many(results: Results) -> str:
    """In how many documents characters of several bytes stand, where not in all: a share of a handful says little."""
    found = []
    for corpus in shown_corpora(results):
        rows = [results.row(corpus.name, t.name, "utf8_split_rate", "macro") for t in results.tokenizers]
        n = next((row.n for row in rows if row is not None and row.value is not None), 0)
        if 0 < n < corpus.documents:
            most = count(corpus.bytes - corpus.chars)  # each has a byte more than it has code points, or several
            found.append(
                f"on {plain(corpus.name)} in {count(n)} of {count(corpus.documents)} (at most {most} characters)"
            )
    return f"Documents that have characters of several bytes: {listing(found, 20)}." if found else ""


def _by_corpus(results: Results) -> list[PairRecord]:
    """The figures of two tokenizers on the corpora of the general tables."""
    shown = {corpus.name for corpus in shown_corpora(results)}
    return [pair for pair in results.pairs if pair.metric == "agreement" and pair.corpus in shown]


def _agreements(results: Results) -> dict[tuple[str, str], tuple[int, int]]:
    """Of each two tokenizers the boundaries that both have and those that either has, over all corpora."""
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for pair in _by_corpus(results):
        if pair.shared is not None and pair.union is not None:
            shared, union = sums.get((pair.first, pair.second), (0, 0))
            sums[pair.first, pair.second] = shared + pair.shared, union + pair.union
    return sums


def _intervals(results: Results) -> str:
    """How far the figures by corpus can be trusted: how wide their intervals are, in a sentence or two."""
    pairs = _by_corpus(results)
    bounded = [(pair.low, pair.high, pair) for pair in pairs if pair.low is not None and pair.high is not None]
    ends = [(high - low, pair) for low, high, pair in bounded if pair.n >= FEWEST]
    said = []
    if ends:
        _, pair = max(ends, key=lambda one: one[0])
        interval = f"{pair.low:.2f}–{pair.high:.2f}"
        where = f"{interval} ({code(pair.first)} and {code(pair.second)} on {plain(pair.corpus)}{few.mark(pair.n)})"
        if len(ends) == 1:
            said.append(f"The {level(results)} interval over documents is {where}.")
        else:
            middle = median(width for width, _ in ends)
            said.append(
                f"By corpus they are in `results.json` under `pairs`, with {level(results)} intervals over documents: "
                f"half of the intervals are {_width(middle)}, and the widest is {where}."
            )
    else:
        said.append("By corpus in `results.json`, under `pairs`.")
    small = dict.fromkeys(pair.corpus for pair in pairs if pair.value is not None and pair.n < FEWEST)
    if small:
        perfect = any(pair.n < FEWEST for _, _, pair in bounded)
        none = "no interval but the bound of those that share all or none" if perfect else "no interval"
        said.append(f"On {plain(listing(list(small), 12))} there is {none}: it needs {FEWEST} documents.")
    said += few.note(pair.n for _, pair in ends)
    return " ".join(said)


def _width(width: float) -> str:
    """To two digits after the point, as the figures are."""
    return f"{width:.2f} wide or less" if width >= 0.01 else "less than 0.01 wide"


def nearest_agreement(results: Results) -> str:
    """The two that cut most alike and the two that do least."""
    found = {pair: shared / union for pair, (shared, union) in _agreements(results).items() if union}
    return sections.extremes(found, "shared boundaries / boundaries of either")


def agreement(results: Results) -> str:
    """Boundaries shared by each two tokenizers, over all corpora together."""
    sums = _agreements(results)
    names = list(dict.fromkeys(name for both in sums for name in both))
    if not names:
        return ""

    def cell(one: str, other: str) -> str:
        if one == other:
            return "·"
        found = sums.get((one, other)) or sums.get((other, one))
        return "–" if found is None else f"{found[0] / found[1]:.2f}"

    rows = [[f"{n} {code(name)}", *(cell(name, other) for other in names)] for n, name in enumerate(names, start=1)]
    text = (
        "Boundaries between tokens that the two share / boundaries that either has, over all corpora together; 1 is "
        f"the same cuts everywhere. {_intervals(results)}"
    )
    return f"{text}\n\n{table(['tokenizer', *(str(n + 1) for n in range(len(names)))], rows)}"
