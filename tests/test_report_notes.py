"""What stands beside figures, so that none is read for what it isn't."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_example import results

from evalkit.report.markdown import render
from evalkit.report.sections import definition, segmented
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
