"""What the verdict says of the split pattern alone, at one training text and size."""

from __future__ import annotations

import doctest
from dataclasses import replace

import pytest
from report_example import results as few_results

from evalkit.report import patterns
from evalkit.report.verdict import verdict
from evalkit.results import Results
from evalkit.vocabulary_records import VocabularyRecord


@pytest.fixture
def found() -> Results:
    """`small` and `large` are of one text and size now, the latter with another pattern; on stories they need 15 and
    18 tokens, on zh 45 and 30."""
    few = few_results()
    same = {"vocab_size": 300, "trained_on": ("stories",)}
    one, two, published = few.tokenizers
    return replace(few, tokenizers=(replace(one, **same), replace(two, variant="zh", **same), published))


def _separable(found: Results, separable: bool | None) -> Results:
    return replace(found, comparisons=tuple(replace(c, separable=separable) for c in found.comparisons))


def test_the_examples_in_the_docstrings_are_right() -> None:
    assert doctest.testmod(patterns).failed == 0


def test_it_is_said_on_their_own_text(found: Results) -> None:
    said = patterns.sentence(_separable(found, True))
    assert said == (
        "The split pattern alone, at one training text and size: on stories `large` (zh) needs 20.0 % more tokens than "
        "`small` (gpt2), both of 300 entries, separably."
    )
    assert said in verdict(_separable(found, True))
    assert patterns.sentence(_separable(found, False)).endswith("entries, not separable.")
    assert patterns.sentence(_separable(found, None)).endswith("entries, which can't be told of other documents.")


def test_over_several_corpora_it_is_a_mean(found: Results) -> None:
    """18 / 15 on one and 30 / 45 on the other."""
    both = tuple(replace(t, trained_on=("stories", "zh")) if t.trained_on else t for t in found.tokenizers)
    said = patterns.sentence(_separable(replace(found, tokenizers=both), True))
    assert "on stories and zh `small` (gpt2) needs 11.8 % more tokens in the mean than `large` (zh)" in said
    assert said.endswith("separably on 1 of 2.")


def test_entries_that_come_out_of_no_text_are_said(found: Results) -> None:
    records = [
        VocabularyRecord(name, entries=300, never={"no text": idle, "special": 200})
        for name, idle in (("large", 24), ("small", 1))
    ]
    said = patterns.sentence(replace(found, vocabularies=tuple(records)))
    assert "`large` (zh, 8.0 % of its entries come out of no text) needs" in said
    assert "than `small` (gpt2), both" in said


def test_nothing_is_said_where_something_else_differs_too(found: Results) -> None:
    one, two, published = found.tokenizers
    for change in ({"vocab_size": 301}, {"trained_on": ("zh",)}, {"variant": "gpt2"}, {"variant": "bytes_only"}):
        assert patterns.sentence(replace(found, tokenizers=(one, replace(two, **change), published))) == ""
    assert patterns.sentence(replace(found, rows=())) == ""


def test_patterns_that_make_no_difference(found: Results) -> None:
    rows = tuple(replace(r, value=2.0) if r.metric == "bytes_per_token" and r.value else r for r in found.rows)
    said = patterns.sentence(replace(found, rows=rows))
    assert said.endswith("none makes a difference on stories (`small` and `large`).")
