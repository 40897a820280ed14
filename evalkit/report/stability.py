"""How much of a difference training alone makes: own tokenizers, trained again without part of their text."""

from __future__ import annotations

from evalkit.fair_records import StabilityRecord
from evalkit.report.figures import shown_corpora
from evalkit.report.table import table
from evalkit.report.text import code, listing, percent, plain
from evalkit.results import Results

COLUMNS = 11  # corpora side by side


def section(results: Results) -> str:
    """One row a tokenizer, one column a corpus: the floor. Empty where nothing was trained again."""
    found = {(one.corpus, one.tokenizer): one for one in results.stability}
    if not found:
        return ""
    times = max(one.trainings for one in found.values())
    if not trained_again(results):
        return "\n\n".join([f"`measure: {{stability: {times}}}` could not be judged.", _reasons(results)])
    text = (
        f"Each tokenizer that is trained here{_but(results)} was trained {times} times more, each time without "
        f"another part of its documents (1/{times}). The figures say how much the tokens then vary: differences from "
        "a fixed tokenizer "
        "that are not larger are what training makes of another text of the same kind. Between two of these "
        "tokenizers the floor is that of their own difference (`noise_floor` in `results.json`), which is smaller "
        "where both vary alike."
    )
    names = [t.name for t in results.tokenizers if any(key[1] == t.name for key in found)]
    parts = [text]
    corpora = shown_corpora(results)
    for start in range(0, len(corpora), COLUMNS):
        part = corpora[start : start + COLUMNS]
        rows = [[code(name), *(_cell(found.get((c.name, name))) for c in part)] for name in names]
        parts.append(table(["training noise", *(plain(c.name) for c in part)], rows))
    return "\n\n".join(part for part in [*parts, _reasons(results)] if part)


def trained_again(results: Results) -> bool:
    """Whether any tokenizer was."""
    return any(one.vocab_sizes for one in results.stability)


def _but(results: Results) -> str:
    return ", but those named below," if any(not one.vocab_sizes for one in results.stability) else ""


def _reasons(results: Results) -> str:
    """Why figures are undefined, and where, unless everywhere."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in results.stability:
        if one.undefined_reason:
            found.setdefault((one.tokenizer, one.undefined_reason), []).append(one.corpus)
    every = len({one.corpus for one in results.stability})
    lines = []
    for (name, reason), corpora in found.items():
        where = "" if len(corpora) == every else f" on {listing([plain(corpus) for corpus in corpora], 8)}"
        lines.append(f"- {code(name)}: undefined{where}, {plain(reason)}")
    return "\n".join(lines)


def _cell(found: StabilityRecord | None) -> str:
    if found is None:
        return "–"
    return "undefined" if found.floor is None else f"±{percent(found.floor, 2)}"


def method(results: Results) -> list[str]:
    """What the floor is, as lines of the method section."""
    if not trained_again(results):
        return []
    return [
        "- Training noise: delete-a-group jackknife over the training documents (Kott 2001), grouped by SHA-256 and "
        "the seed; Student's t with one degree of freedom less than there are groups. It is not corrected for the "
        "number of comparisons, and it is about the choice of documents alone: training itself is deterministic."
    ]
