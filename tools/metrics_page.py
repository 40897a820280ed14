"""Writes docs/metrics.md from the register: python tools/metrics_page.py. A test holds the page to it."""

from __future__ import annotations

from pathlib import Path

from evalkit.metrics import METRICS, PAIR_METRICS, Metric, PairMetric

PAGE = Path(__file__).resolve().parent.parent / "docs" / "metrics.md"

HEAD = """# Metrics

Written by `python tools/metrics_page.py` from the register (`evalkit/metrics/`); a test holds this page to it.

`measure: {metrics: all}` computes all of them, `measure: {metrics: [bytes_per_token, continued_words]}` those two, and
what only the others need isn't measured then: words aren't looked at, neighbours not counted, speeds not timed.

**Aggregation.** `micro` is the ratio of the sums over all documents, `macro` the mean of the documents' own ratios,
`sum` a count. **Intervals** are there for every figure that documents have parts in; for the others the reason stands
below. **Evidence** says whether published work supports a figure as a measure of quality, contests it, or is missing.
A figure that can't be computed is *undefined*, with the reason, and never 0.

## How places are found

Words, characters and numbers are looked at *in context*: the whole document is encoded as it is, and a token's place is
the byte where it begins. A boundary cuts a word where it is strictly inside; the blank that a token brings along does
no harm. A token that crosses words overlaps each of them.

- **Words** are the word-like segments of the corpus's segmenter, which is named with its version beside every figure.
  Where there is none (the plain-Python engine has no ICU4X), figures of words are undefined,
  and what explains a difference of two split patterns is told by runs of letters, digits and what isn't ASCII
  instead (`pieces: runs` under `differences` in `results.json`), so that the digest is another too.
- **Word types** are distinct strings of bytes. They are held in memory, up to 512 MiB a corpus; beyond that
  `strr_types` and `context_consistency` are undefined, while all other figures stay exact.
- **Numbers** are the longest runs of the ASCII digits 0 to 9, for which the finding of Singh & Strouse is; digits of
  other scripts are left out. In a number of three digits or fewer no place is right, and each boundary is wrong.
- **Neighbours** (`bigram_…`) are pairs of ids inside a document. Up to 512 MiB of pairs of pretokens are held; beyond
  that the figures are undefined.
- Tokens that don't join to the text, as those of a word list with unknown words, have no places: undefined.

Entropies are the plain estimates from counts. They are too low where the text is short for its vocabulary, the more so
for pairs: compare them on the same text, with `vocab_utilization` and the number of tokens beside them.
"""


def page() -> str:
    """The whole page."""
    of_one = ["## Metrics of a tokenizer on a corpus\n", *map(_entry, METRICS.values())]
    of_two = ["## Metrics of two\n", *map(_entry, PAIR_METRICS.values())]
    return "\n".join([HEAD, *of_one, *of_two])


def _entry(metric: Metric | PairMetric) -> str:
    better = {True: "more is better", False: "less is better", None: "neither is better"}[metric.higher_is_better]
    facts = [
        f"unit: {metric.unit}",
        better,
        f"of two {metric.between}"
        if isinstance(metric, PairMetric)
        else f"aggregation: {', '.join(metric.aggregations)}",
        f"version {metric.version}",
        f"evidence: {metric.evidence}",
    ]
    lines = [f"### {metric.name}\n", f"{metric.definition}.\n", f"- {'; '.join(facts)}"]
    if metric.citation:
        lines.append(f"- {metric.citation}")
    lines.append(f"- no interval: {metric.no_interval}" if metric.no_interval else "- with an interval over documents")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
