"""How far apart the corpora are, as each tokenizer sees them."""

from __future__ import annotations

from statistics import median

from evalkit.report.figures import shown_corpora
from evalkit.report.table import table
from evalkit.report.text import code, count, plain
from evalkit.results import CorpusPairRecord, Results

METRIC = "domain_divergence"
FEWEST_TOKENS = 50_000  # under which the figure says more of the sample than of the domain
COLUMNS = 12


def section(results: Results) -> str:
    """A triangle of corpora × corpora under one tokenizer, and the range over the others. Empty without two corpora."""
    mine = [pair for pair in results.corpus_pairs if pair.metric == METRIC and pair.value is not None]
    if not mine:
        return ""
    chosen = _chosen(results, mine)
    of_one = {(pair.first, pair.second): pair for pair in mine if pair.tokenizer == chosen}
    parts = [
        "Jensen–Shannon divergence of the ids that two corpora become, in bits: 0, the same distribution; 1, no id in "
        f"common (`{METRIC}`). Under {code(chosen)}; `results.json` has it under every tokenizer, in `corpus_pairs`.",
        _triangle(results, of_one),
        _others(mine),
        _short(results, mine, chosen),
    ]
    return "\n\n".join(part for part in parts if part)


def _chosen(results: Results, pairs: list[CorpusPairRecord]) -> str:
    """The reference tokenizer, or the one with the largest vocabulary: those that read every text as a mix of words."""
    names = dict.fromkeys(pair.tokenizer for pair in pairs)
    if results.suite.reference in names:
        return results.suite.reference or ""
    sizes = {t.name: t.vocab_size or 0 for t in results.tokenizers}
    return max(names, key=lambda name: sizes.get(name, 0))


def _triangle(results: Results, pairs: dict[tuple[str, str], CorpusPairRecord]) -> str:
    names = [c.name for c in shown_corpora(results) if any(c.name in pair for pair in pairs)]
    parts = []
    for start in range(0, max(1, len(names) - 1), COLUMNS):
        columns = names[start : min(start + COLUMNS, len(names) - 1)]
        rows = [
            [plain(row), *(_cell(pairs.get((column, row))) for column in columns)]
            for place, row in enumerate(names)
            if place > start
        ]
        parts.append(table(["corpus", *map(plain, columns)], rows))
    return "\n\n".join(parts)


def _cell(pair: CorpusPairRecord | None) -> str:
    return "" if pair is None or pair.value is None else f"{pair.value:.2f}"


def _others(pairs: list[CorpusPairRecord]) -> str:
    """The nearest and the farthest two, by the median tokenizer."""
    values: dict[tuple[str, str], list[float]] = {}
    for pair in pairs:
        values.setdefault((pair.first, pair.second), []).append(pair.value or 0.0)
    if len(values) < 2:
        return ""
    near, far = (chosen(values, key=lambda key: median(values[key])) for chosen in (min, max))
    nearest, farthest = (
        f"{plain(key[0])} and {plain(key[1])} ({min(values[key]):.2f} to {max(values[key]):.2f}, by the tokenizer)"
        for key in (near, far)
    )
    return f"Nearest are {nearest}; farthest {farthest}."


def _short(results: Results, pairs: list[CorpusPairRecord], chosen: str) -> str:
    """Corpora with so few tokens that the figure is biased upwards."""
    tokens: dict[str, int] = {}
    for pair in pairs:
        if pair.tokenizer == chosen:
            tokens |= {pair.first: pair.first_tokens, pair.second: pair.second_tokens}
    few = [f"{plain(name)} ({count(n)})" for name, n in tokens.items() if n < FEWEST_TOKENS]
    if not few:
        return ""
    return f"Biased upwards by few tokens: {', '.join(few)}. A text that short differs from itself, too."
