"""How much of a difference training alone makes: own tokenizers, trained again without part of their text."""

from __future__ import annotations

from evalkit.fair_records import StabilityRecord
from evalkit.report.figures import shown_corpora
from evalkit.report.table import table
from evalkit.report.text import code, percent, plain
from evalkit.results import Results

COLUMNS = 11  # corpora side by side


def section(results: Results) -> str:
    """One row a tokenizer, one column a corpus: the floor. Empty where nothing was trained again."""
    found = {(one.corpus, one.tokenizer): one for one in results.stability}
    if not found:
        return ""
    times = max(one.trainings for one in found.values())
    text = (
        f"Each tokenizer that is trained here was trained {times} times more, each time without another part of its "
        f"documents (1/{times}). The figures say how much the tokens then vary: differences from a fixed tokenizer "
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
    reasons = dict.fromkeys((one.tokenizer, one.undefined_reason) for one in found.values() if one.undefined_reason)
    if reasons:
        parts.append("\n".join(f"- {code(name)}: undefined, {plain(reason or '')}" for name, reason in reasons))
    return "\n\n".join(parts)


def _cell(found: StabilityRecord | None) -> str:
    if found is None:
        return "–"
    return "undefined" if found.floor is None else f"±{percent(found.floor, 2)}"


def method(results: Results) -> list[str]:
    """What the floor is, as lines of the method section."""
    if not results.stability:
        return []
    return [
        "- Training noise: delete-a-group jackknife over the training documents (Kott 2001), grouped by SHA-256 and "
        "the seed; Student's t with one degree of freedom less than there are groups. It is not corrected for the "
        "number of comparisons, and it is about the choice of documents alone: training itself is deterministic."
    ]
