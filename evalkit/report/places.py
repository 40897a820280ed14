"""Where token boundaries fall: in words, in characters, in numbers, and how alike two tokenizers cut."""

from __future__ import annotations

from evalkit.report import sections
from evalkit.report.figures import shown_corpora
from evalkit.report.table import table
from evalkit.report.text import code
from evalkit.results import Results

TABLES = {
    "continued_words": "Words that are cut",
    "context_consistency": "Words that are cut alike wherever they stand",
    "utf8_split_rate": "Characters that are cut",
    "digit_boundary_f1": "Numbers: groups of three from the right",
}
"""The figures that help to decide, with their titles; the others are in the CSV."""

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
    found = [(title, sections.figures(results, metric)) for metric, title in TABLES.items()]
    parts = [f"### {title}\n\n{body}" for title, body in found if body]
    measured = {row.metric for row in results.rows}
    if rest := [code(name) for name in OTHERS if name in measured - set(results.suite.asked_metrics)]:
        parts.append(f"In `results.csv` too: {', '.join(rest)}; `docs/metrics.md` says what they are.")
    return "\n\n".join(parts)


def agreement(results: Results) -> str:
    """Boundaries shared by each two tokenizers, over all corpora together."""
    shown = {corpus.name for corpus in shown_corpora(results)}
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for pair in results.pairs:
        if pair.metric == "agreement" and pair.corpus in shown and pair.shared is not None and pair.union is not None:
            shared, union = sums.get((pair.first, pair.second), (0, 0))
            sums[pair.first, pair.second] = shared + pair.shared, union + pair.union
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
        "the same cuts everywhere. By corpus in `results.json`, under `pairs`."
    )
    return f"{text}\n\n{table(['tokenizer', *(str(n + 1) for n in range(len(names)))], rows)}"
