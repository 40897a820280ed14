"""What stands beside figures, so that none is read for what it isn't."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_example import results

from evalkit import terminal_report
from evalkit.cautions import cautions
from evalkit.fair_records import MatchedRecord, SeenRecord
from evalkit.report.markdown import render
from evalkit.report.matched import section, sentence
from evalkit.report.sections import definition, segmented
from evalkit.report.text import figure
from evalkit.results import Results


def _sections(found: Results) -> dict[str, str]:
    return dict(part.split("\n", 1) for part in render(found).split("\n## ")[1:])


# ── words ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_words_name_what_cut_them_by_corpus_where_that_differs() -> None:
    stories, zh = results().corpora
    both = (stories, replace(zh, segmenter="jieba 0.42.1"), replace(zh, name="zh2", segmenter="jieba 0.42.1"))
    assert segmented(both) == "hand count 1.0 on stories; jieba 0.42.1 on zh and zh2"
    assert segmented(both[1:]) == "jieba 0.42.1"
    found = replace(results(), corpora=both[:2])
    assert "- Words: hand count 1.0 on stories; jieba 0.42.1 on zh." in render(found)


@pytest.mark.parametrize(("name", "expected"), [("continued_words", True), ("fertility", True), ("tokens", False)])
def test_all_figures_of_words_name_it(name: str, expected: bool) -> None:
    found = results()
    one = replace(found.metrics[0], name=name, unit="share")
    assert ("Words by hand count 1.0." in definition(replace(found, metrics=(one,)), name)) == expected


@pytest.mark.parametrize(("unit", "expected"), [("x", False), ("tokens/word", True)])
def test_of_ones_own_metrics_the_unit_says_whether_they_are_of_words(unit: str, expected: bool) -> None:
    found = results()
    one = replace(found.metrics[0], name="mine", unit=unit, source="a file")
    assert ("Words by hand count 1.0." in definition(replace(found, metrics=(one,)), "mine")) == expected


# ── text that was trained on ────────────────────────────────────────────────────────────────────────────────


def _seen(share: float) -> Results:
    """``large``, which is the best on the stories here, saw that much of them."""
    seen = SeenRecord("stories", "zh", ("large",), 1, 2, round(share * 1000), 1000, ())
    shorter = {("stories", "large", m): 9.0 for m in ("bytes_per_token", "chars_per_token")}
    rows = [
        replace(row, value=shorter.get((row.corpus, row.tokenizer, row.metric), row.value)) for row in results().rows
    ]
    return replace(results(), seen=(seen,), rows=tuple(rows))


def test_figures_on_text_that_was_trained_on_are_marked_wherever_they_are_the_best() -> None:
    found = _seen(0.5)
    parts = _sections(found)
    assert "`large`¶" in parts["Verdict"]
    assert "- ¶ trained on 1 % or more of the very text that is measured" in parts["Verdict"]
    assert "**stories**: `large` (trained on part of this text), 9.00" in parts["Verdict"]
    assert "| `large`¶" in parts["At a glance"]
    for title in ("Code points per token", "Bytes per token"):
        assert "**9.00**¶" in parts[title]
        assert "\n\n¶ trained on" in parts[title]
    assert "best¶" in parts["Which differences hold"]
    assert "¶" not in parts["Corpora"]
    grid = terminal_report.grids(found, "bytes_per_token", 200)[0]
    assert "9.00¶" in {cell.text for row in grid.rows for cell in row}
    assert "; ¶ trained on" in terminal_report.title(found, "bytes_per_token")


def test_a_document_in_a_thousand_is_no_mark() -> None:
    assert "¶" not in render(_seen(0.009))
    assert "¶" in render(_seen(0.01))
    assert "¶" not in render(results())
    assert "¶" not in terminal_report.title(_seen(0.009), "bytes_per_token")


def test_winners_at_one_size_are_marked_too() -> None:
    matched = MatchedRecord("stories", 300, "large", 10, 9.0, cut_from=400, more=0.0)
    found = replace(_seen(0.5), matched=(matched,))
    assert "it is `large`¶ on every corpus" in sentence(found)
    assert "**9.00**¶" in section(found)
    assert "¶ trained on" in section(found)


# ── digits ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("metric", "unit", "value", "shown"),
    [
        ("mine", "share", 1.23e-5, "1.23e-05"),
        ("mine", "share", -0.000456, "-0.000456"),
        ("mine", "share", 0.0123, "0.0123"),
        ("mine", "share", 0.123, "0.12"),
        ("mine", "share", 0.0, "0.00"),
        ("mine", "MB/s", 0.012, "0.012"),
        ("mine", "tokens", 0.25, "0.25"),
        ("mine", "x", 1234.5, "1,234.50"),
        ("normalized_length", "x", 0.0123, "0.01"),
        ("gini_premium", "gini", 0.00123, "0.001"),
        ("unk_rate", "share", 0.0000123, "0.0012 %"),
        ("unk_rate", "share", 0.0, "0.0 %"),
        ("unk_rate", "share", 0.01, "1.0 %"),
    ],
)
def test_what_is_not_0_does_not_read_as_0(metric: str, unit: str, value: float, shown: str) -> None:
    row = replace(results().rows[0], metric=metric, unit=unit, value=value, low=None, high=None, undefined_reason=None)
    assert figure(row) == shown


def test_sizes_of_corpora_are_said_alike_in_all_places() -> None:
    stories, zh = (replace(c, bytes=n) for c, n in zip(results().corpora, (3_091_000, 4_200), strict=True))
    warnings = cautions((stories, zh), results().tokenizers, results().rows, results().checks)
    assert any("Small corpora: stories (2 documents, 3.1 MB), zh (2 documents, 4.2 kB)" in text for text in warnings)
    corpora = _sections(replace(results(), corpora=(stories, zh)))["Corpora"]
    assert "| 3.1 MB |" in corpora
    assert "| 4.2 kB |" in corpora
