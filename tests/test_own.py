"""Own tokenizers against published ones: who wins, loses and can't be told, by the pairs that were tested."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_example import results as few_results

from evalkit.report import own
from evalkit.report.markdown import render
from evalkit.report.verdict import verdict
from evalkit.results import Results

VALUES = {"small": 4.0, "large": 3.0, "published": 3.5, "other": 5.0}


def _pair(found: Results, corpus: str, first: str, second: str, separable: bool | None) -> Results:
    """With this comparison of the two, in place of that which there is."""
    like = found.comparisons[0]
    ratio = VALUES[second] / VALUES[first]
    one = replace(
        like, corpus=corpus, first=first, second=second, ratio=ratio, separable=separable, identical=False,
        low=None if separable is None else ratio * 0.9, high=None if separable is None else ratio * 1.1,
        undefined_reason="too few documents" if separable is None else None,
    )  # fmt: skip
    kept = [c for c in found.comparisons if not (c.corpus == corpus and {c.first, c.second} == {first, second})]
    return replace(found, comparisons=(*kept, one))


@pytest.fixture
def found() -> Results:
    """Two own ones and two published ones, on two corpora: ``small`` is the better own one."""
    few = few_results()
    published = few.tokenizers[2]
    tokenizers = (*few.tokenizers, replace(published, name="other", fingerprint="other"))
    like = next(row for row in few.rows if (row.metric, row.aggregation) == ("bytes_per_token", "micro"))
    rows = tuple(
        replace(like, corpus=c.name, tokenizer=name, value=value, undefined_reason=None)
        for c in few.corpora
        for name, value in VALUES.items()
    )
    found = replace(few, tokenizers=tokenizers, rows=rows)
    for corpus in ("stories", "zh"):
        found = _pair(found, corpus, "small", "large", True)
        found = _pair(found, corpus, "large", "published", True)
        found = _pair(found, corpus, "other", "large", True)
        found = _pair(found, corpus, "other", "published", True)
    found = _pair(found, "stories", "small", "published", True)
    found = _pair(found, "zh", "small", "published", False)
    found = _pair(found, "stories", "other", "small", True)
    return _pair(found, "zh", "other", "small", None)


def test_the_best_own_one_stands_against_each_published_one(found: Results) -> None:
    text = own.section(found)
    lines = {line.split("|")[1].strip(): " ".join(line.split()) for line in text.splitlines() if line.startswith("|")}
    # fewer by 1 − 3.5 / 4, more by 5 / 4 − 1; the pair of `other` is stored the other way round
    assert lines["stories"] == ("| stories | `small`† (300) | −12.5 % (−21.3 to −3.7) | +25.0 % (13.6–38.9) |")
    assert lines["zh"] == "| zh | `small` (300) | −12.5 % (−21.3 to −3.7) ≈ | +25.0 % ? |"
    assert "`published` (1,000)" in lines["corpus"]


def test_the_verdict_counts(found: Results) -> None:
    said = own.sentence(found)
    assert "fewer tokens than `published` on 1 of 2 corpora and more on 0 (not separable on 1);" in said
    assert "fewer tokens than `other` on 0 of 2 corpora and more on 1 (can't be told on 1);" in said
    assert said in verdict(found)
    assert said.endswith(f"see [{own.TITLE}](#own-tokenizers-against-published-ones).")
    report = render(found)
    assert report.index("## Verdict") < report.index(f"## {own.TITLE}") < report.index("## At a glance")


def test_one_choice_is_counted_for_each_own_one(found: Results) -> None:
    text = own.section(found).split("One choice for all")[1]
    lines = [" ".join(line.split()) for line in text.splitlines() if line.startswith("| `")]
    assert lines == ["| `small` | 1 / 0 of 2 | 0 / 1 of 2 |", "| `large` | 0 / 2 of 2 | 0 / 2 of 2 |"]


def test_only_where_there_are_both(found: Results) -> None:
    here, elsewhere = found.tokenizers[:2], found.tokenizers[2:]
    for some in (here, elsewhere, (*here, replace(elsewhere[0], kind="baseline"))):
        assert own.section(replace(found, tokenizers=tuple(some))) == ""
        assert own.sentence(replace(found, tokenizers=tuple(some))) == ""
    assert own.section(replace(found, comparisons=())) == ""


def test_of_a_ladder_the_largest_stands_there(found: Results) -> None:
    """Even where a smaller rung is better."""
    names = {"small": "ladder@300", "large": "ladder"}
    tokenizers = tuple(replace(t, name=names.get(t.name, t.name), aliases=()) for t in found.tokenizers)
    rows = tuple(replace(r, tokenizer=names.get(r.tokenizer, r.tokenizer)) for r in found.rows)
    pairs = tuple(
        replace(c, first=names.get(c.first, c.first), second=names.get(c.second, c.second)) for c in found.comparisons
    )
    text = own.section(replace(found, tokenizers=tokenizers, rows=rows, comparisons=pairs))
    assert "`ladder` (400)" in text
    assert "ladder@300" not in text


def test_the_runner_up_is_no_rung_of_the_same_ladder(found: Results) -> None:
    """The fault of before: "25 % fewer tokens than `mine@4000`" of `mine`, while a published one was compared."""
    names = {"other": "mine", "small": "mine@300"}
    tokenizers = tuple(
        replace(t, name=names.get(t.name, t.name), aliases=(), trained_on=("zh",) if t.name in names else t.trained_on)
        for t in found.tokenizers
    )
    rows = tuple(replace(r, tokenizer=names.get(r.tokenizer, r.tokenizer)) for r in found.rows)
    pairs = tuple(
        replace(c, first=names.get(c.first, c.first), second=names.get(c.second, c.second)) for c in found.comparisons
    )
    ladder = replace(found, tokenizers=tokenizers, rows=rows, comparisons=pairs)
    line = next(line for line in verdict(ladder).splitlines() if line.startswith("- **stories**"))
    assert "30.0 % fewer tokens than `published`" in line
    alone = replace(ladder, tokenizers=tuple(t for t in tokenizers if t.name.startswith("mine")))
    line = next(line for line in verdict(alone).splitlines() if line.startswith("- **stories**"))
    assert "fewer tokens than `mine@300`" in line


def test_the_lines_of_corpora_have_the_other_kind_with_interval_and_verdict(found: Results) -> None:
    lines = [line for line in verdict(found).splitlines() if line.startswith("- **")]
    assert "best trained here: `small` (in-domain), 4.00 (25.0 % more tokens, 13.6–38.9 %)." in lines[0]
    assert "best trained here: `small`, 4.00 (25.0 % more tokens; can't be told)." in lines[1]
    rows = tuple(replace(r, value=3.2) if r.tokenizer == "other" else r for r in found.rows)
    # `small` leads now, and the next is published: nothing to add
    assert "best published" not in verdict(replace(found, rows=rows))
    rows = tuple(replace(r, value=3.9) if r.tokenizer == "large" else r for r in rows)
    lines = [line for line in verdict(replace(found, rows=rows)).splitlines() if line.startswith("- **")]
    assert "; best published: `published`, 3.50 (14.3 % more tokens, 3.9–27.0 %)." in lines[0]
    assert (
        "; best published: `published`, 3.50 (14.3 % more tokens, 3.9–27.0 %; not separable from the first)."
        in lines[1]
    )
