"""``report.md``: verdict first, then the tables, then how it was done."""

from __future__ import annotations

import re
from typing import Any

from evalkit.metrics.pairs import PAIR_METRICS
from evalkit.report import (
    comparisons,
    cost,
    divergence,
    explained,
    ladders,
    languages,
    matched,
    mismatch,
    others,
    own,
    places,
    sections,
    stability,
    summary,
    two_by_two,
    vocabularies,
)
from evalkit.report.figures import first_aggregation, is_large
from evalkit.report.table import table
from evalkit.report.text import code, folded, listing, plain
from evalkit.report.verdict import by_corpus, opening, stands_apart, verdict
from evalkit.results import MetricRecord, Results

LONG = 40_000  # characters of a report from which it says what sections there are

AGGREGATION = (
    "Figures in the tables are micro: ratios of sums over the documents. `results.csv` has the macro figures "
    "too (means of the documents' ratios, over documents that have one); the two are never mixed."
)


def render(results: Results) -> str:
    """The whole report. Empty sections are left out; what is undefined is said to be, with the reason."""
    parts = [
        ("", f"# {plain(results.suite.name)}"),
        ("Verdict", opening(results) if stands_apart(results) else verdict(results)),
        (own.TITLE, own.section(results)),
        ("At a glance", summary.section(results)),
        ("Corpus by corpus", by_corpus(results) if stands_apart(results) else ""),
        ("Beware", _bullets(results.warnings)),
        ("Tokenizers", sections.tokenizers(results)),
        ("Corpora", sections.corpora(results)),
        ("Code points per token", sections.figures(results, "chars_per_token", bands=True)),
        ("Bytes per token", _bytes_per_token(results)),
        ("Which differences hold", comparisons.section(results)),
        ("At one vocabulary size", matched.section(results)),
        ("Training noise", stability.section(results)),
        ("Domain and size, taken apart", two_by_two.section(results)),
        ("Vocabulary size (ladder)", ladders.section(results)),
        ("What an embedding of each size buys", matched.fronts(results)),
        ("Domain mismatch (regret)", mismatch.section(results)),
        ("Which tokens carry the loss", mismatch.losses(results)),
        (f"Fertility: tokens per word, by {_segmenters(results)}", sections.fertility(results)),
        ("Words, characters and numbers in context", places.section(results)),
        ("Languages", languages.section(results)),
        (_normalized_title(results), _normalized(results)),
        ("Vocabularies", vocabularies.section(results)),
        ("Vocabulary utilisation", _aside(results, sections.figures(results, "vocab_utilization"), UTILISATION)),
        ("Metrics of your own", _own(results)),
        ("Other figures", others.section(results)),
        ("What a vocabulary costs", cost.section(results)),
        ("How far apart the corpora are", divergence.section(results)),
        ("Vocabulary overlap", _aside(results, sections.overlaps(results), sections.nearest_overlap(results))),
        ("How alike they cut", _aside(results, places.agreement(results), places.nearest_agreement(results))),
        ("Checks", sections.checks(results)),
        ("Speed", sections.speed(results)),
        ("Why the figures differ", explained.section(results)),
        ("Method", _method(results)),
        ("Environment", folded("Versions, machine and seconds", _environment(results))),
    ]
    titles = [title for title, body in parts if title and body]
    text = [f"## {title}\n\n{body}" if title else body for title, body in parts if body]
    if len("".join(text)) > LONG:
        text.insert(titles.index("Tokenizers") + 1, _contents(titles))
    return "\n\n".join(text) + "\n"


UTILISATION = "By corpus; of all corpora together it stands in the table above (`used`)."
NORMALISED = "The bytes per token of the reference / those of each, so that the tables of bytes per token say the same."


def _aside(results: Results, body: str, instead: str) -> str:
    """``body``; in a large report what it comes to, and itself to be unfolded."""
    if not body or not is_large(results):
        return body
    return "\n\n".join(part for part in (instead, folded("The whole table", body)) if part)


def _contents(titles: list[str]) -> str:
    """The sections, as links that the usual renderers understand."""

    def anchor(title: str) -> str:
        return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")

    links = [f"[{title}](#{anchor(title)})" for title in titles]
    return f"Sections: {' · '.join(links)}"


def _bytes_per_token(results: Results) -> str:
    micro = sections.figures(results, "bytes_per_token")
    macro = sections.figures(results, "bytes_per_token", aggregation="macro")
    if not micro:
        return ""
    if is_large(results):
        where = (
            "Intervals of these figures, and macro figures (the mean of the documents' own ratios): in `results.csv`. "
            "The next section compares them."
        )
        return f"{micro}\n\n{where}"
    parts = [micro, comparisons.intervals(results, "bytes_per_token")]
    parts.append(f"Macro, the mean of the documents' own ratios:\n\n{macro}")
    return "\n\n".join(part for part in parts if part)


def _bullets(lines: tuple[str, ...]) -> str:
    return "\n".join(f"- {plain(line)}" for line in lines)


def _segmenters(results: Results) -> str:
    names = dict.fromkeys(c.segmenter.split(" (")[0] for c in results.corpora)
    return plain(listing(list(names))) if names else "no segmenter"


def _normalized_title(results: Results) -> str:
    reference = results.suite.reference
    return f"Length against {plain(reference)}" if reference else "Normalised length"


def _normalized(results: Results) -> str:
    return (
        _aside(results, sections.figures(results, "normalized_length"), NORMALISED) if results.suite.reference else ""
    )


def _own(results: Results) -> str:
    """Metrics that are not evalkit's: their figures, and where they come from."""
    parts = []
    for m in results.metrics:
        if m.source and (shown := sections.figures(results, m.name, aggregation=first_aggregation(results, m.name))):
            parts.append(f"{code(m.name)} comes from {plain(m.source)}.\n\n{shown}")
    return "\n\n".join(parts)


def _method(results: Results) -> str:
    suite = results.suite
    lines = [
        f"- {AGGREGATION}",
        "- Measured as data with `encode_ordinary`: text that looks like a special token is ordinary text. "
        "Bytes and code points are those of the raw text; nothing is normalised first.",
        "- `held out`: by the SHA-256 of each document, never by the seed, and never trained on; `whole`: "
        "the corpus was not trained on.",
        "- The best of a column is bold, by the figures before they are rounded. Baselines, and tokenizers that lose "
        "text there, are never the best, nor are those without a split pattern beside others.",
        f"- Seed {suite.seed} (samples and resampling only).",
        *comparisons.method(results),
        *stability.method(results),
    ]
    lines.append(f"- Words: {sections.segmented(results.corpora)}.")
    used = {row.metric for row in results.rows} | set(PAIR_METRICS)
    definitions = "\n".join(_metric(m) for m in results.metrics if m.name in used)
    return "\n".join([*lines, "", folded("What each metric is, its version and its evidence", definitions)])


def _metric(m: MetricRecord) -> str:
    what = f"{plain(m.unit)}, version {m.version}; evidence: {m.evidence}"
    source = f" {plain(m.citation)}." if m.citation else ""
    without = f" No interval: {plain(m.no_interval)}." if m.no_interval else ""
    return f"- {code(m.name)} ({what}): {plain(m.definition)}.{source}{without}"


def _environment(results: Results) -> str:
    rows = [[plain(key), plain(value)] for key, value in _flat("", dict(results.environment))]
    rows += [["digest of the results", code(results.digest)], ["suite SHA-256", code(results.suite.sha256)]]
    rows += [[f"seconds: {plain(stage)}", f"{seconds:.1f}"] for stage, seconds in results.timings.items()]
    return table(["what", "value"], rows, left=2)


def _flat(prefix: str, values: dict[str, Any]) -> list[tuple[str, str]]:
    found = []
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            found += _flat(f"{name}: ", value)
        elif value is not None:
            found.append((name, str(value)))
    return found
