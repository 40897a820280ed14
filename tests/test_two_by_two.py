"""The 2 × 2 of domain and size: the drop is taken apart, at equal sizes where training stopped early."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from report_example import results

from evalkit import pipeline
from evalkit.fair_records import CutRecord
from evalkit.pipeline import Options, run_suite
from evalkit.report import two_by_two
from evalkit.results import Results, parse_results
from evalkit.suite import load_suite
from tokenizers_impl import BPETokenizer
from tokenizers_impl.training import truncate


def _square() -> Results:
    """bytes/token on stories: at home 4.0 and 5.0, from zh 2.0 and 3.5."""
    first, second, _ = results().tokenizers
    cells = {
        ("stories", 10): (first, 4.0),
        ("stories", 32): (first, 5.0),
        ("zh", 10): (second, 2.0),
        ("zh", 32): (second, 3.5),
    }
    tokenizers, rows = [], []
    row = next(r for r in results().rows if r.metric == "bytes_per_token" and r.aggregation == "micro")
    for (corpus, size), (like, value) in cells.items():
        name = f"{corpus}-{size}"
        tokenizers.append(
            replace(like, name=name, vocab_size=size, asked_vocab_size=size, trained_on=(corpus,), aliases=())
        )
        rows.append(replace(row, corpus="stories", tokenizer=name, value=value))
    return replace(results(), tokenizers=tuple(tokenizers), rows=tuple(rows))


def test_the_drop_is_taken_apart() -> None:
    (found,) = two_by_two.find(_square())
    drop = two_by_two.drop(_square(), found, "stories")
    assert drop is not None
    assert (drop.start, drop.end) == (5.0, 2.0)
    assert drop.size_part == ((4 - 5) + (2 - 3.5)) / 2
    assert drop.domain_part == ((2 - 4) + (3.5 - 5)) / 2
    assert drop.size_part + drop.domain_part == drop.end - drop.start
    assert "size makes −1.25 and domain −1.75" in two_by_two.section(_square())
    assert two_by_two.drop(_square(), found, "zh") is None  # not measured there


def test_published_figures_stand_in_their_suite_only() -> None:
    assert "4.18" not in two_by_two.section(_square())
    named = replace(_square(), suite=replace(_square().suite, name="tinystories-vs-owt"))
    text = two_by_two.section(named)
    assert all(figure in text for figure in ("4.18", "4.60", "3.27", "other text"))


def test_squares_are_found_among_other_tokenizers() -> None:
    square = _square()
    (alone,) = two_by_two.find(square)
    others = tuple(
        replace(t, name=f"{t.name}-{n}", variant=variant, asked_vocab_size=size)
        for t in square.tokenizers
        for n, (variant, size) in enumerate([("zh", 1), (t.variant, (t.asked_vocab_size or 0) + 1)])
    )
    found = two_by_two.find(replace(square, tokenizers=(*square.tokenizers, *others)))
    # of four sizes the ends; the other pattern has one size only
    assert [(one.corpora, one.sizes) for one in found] == [(alone.corpora, (alone.sizes[0], alone.sizes[1] + 1))]
    third = tuple(replace(t, name=f"{t.name}-3", trained_on=("zh",)) for t in square.tokenizers[:2])
    assert two_by_two.find(replace(square, tokenizers=(*square.tokenizers, *third)))[0] == alone


def test_no_square_no_section() -> None:
    assert two_by_two.find(results()) == []
    assert two_by_two.section(results()) == ""


# ── training that stopped early ─────────────────────────────────────────────────────────────────────────────


def _reached(cuts: tuple[CutRecord, ...]) -> Results:
    """The same, but that the tokenizers of stories reached 8 and 8, and those of zh 10 and 17 entries."""
    reached = {"stories-10": 8, "stories-32": 8, "zh-10": 10, "zh-32": 17}
    tokenizers = tuple(replace(t, vocab_size=reached[t.name]) for t in _square().tokenizers)
    return replace(_square(), tokenizers=tokenizers, cuts=cuts)


def test_domain_is_taken_at_equal_sizes() -> None:
    found = _reached((CutRecord("stories", "zh-10", 8, 9, 1.75), CutRecord("stories", "zh-32", 8, 8, 2.25)))
    (square,) = two_by_two.find(found)
    assert square.cuts() == [("zh-10", 8), ("zh-32", 8)]
    drop = two_by_two.drop(found, square, "stories")
    assert drop is not None
    assert (drop.start, drop.end) == (5.0, 2.0)
    assert drop.domain_part == ((1.75 - 4) + (2.25 - 5)) / 2
    assert drop.size_part == 2 - 5 - drop.domain_part
    text = two_by_two.section(found)
    assert "Of the −3.00, size (8 → 10 entries) makes −0.50 and domain −2.50." in text
    assert "Training stopped early for `stories-10`, `stories-32` and `zh-32`." in text
    assert "the larger of two vocabularies cut to the smaller (8 entries)." in text


def test_without_equal_sizes_there_are_no_parts() -> None:
    found = _reached((CutRecord("stories", "zh-10", 8, 9, 1.75),))
    drop = two_by_two.drop(found, two_by_two.find(found)[0], "stories")
    assert drop is not None
    assert (drop.size_part, drop.domain_part) == (None, None)
    text = two_by_two.section(found)
    assert "5.00 → 2.00 bytes/token (−60.0 %). What size and what domain make of it can't be told" in text
    assert "makes" not in text


SUITE = """
version: 1
name: early
corpora:
  tales: {files: [tales.txt], document: line, language: en, eval: {fraction: 0.3}}
  logs: {files: [logs.txt], document: line, language: en, eval: {fraction: 0.3}}
tokenizers:
  - {name: tales-small, variant: gpt2, train_on: tales, vocab_size: 290}
  - {name: tales-large, variant: gpt2, train_on: tales, vocab_size: 5000}
  - {name: logs-small, variant: gpt2, train_on: logs, vocab_size: 290}
  - {name: logs-large, variant: gpt2, train_on: logs, vocab_size: 5000}
measure: {metrics: [bytes_per_token]}
"""


def test_a_run_counts_what_is_cut(tmp_path: Path) -> None:
    tales = [f"A fox called {['Tim', 'Ann', 'Bo', 'Eve'][n % 4]} had {n} apples and {n * 7} pears." for n in range(80)]
    logs = [f"2024-01-{n % 28 + 1:02d} 10:{n % 60:02d}:07 INFO worker-{n % 5} took {n * 13} ms" for n in range(80)]
    for name, lines in (("tales", tales), ("logs", logs)):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    suite = load_suite(tmp_path / "suite.yaml")
    found = run_suite(suite, Options(cache=False))
    corpora = pipeline.open_corpora(suite)
    built = {one.name: one.tokenizer for one in pipeline.build(suite, corpora, Options(cache=False))}
    (square,) = two_by_two.find(found)
    assert square.common(5000) < 5000

    def at_one_size(corpus: str, trained_on: str, asked: int) -> float:
        tokenizer = built[square.cells[trained_on, asked].name]
        assert isinstance(tokenizer, BPETokenizer)
        cut = truncate(tokenizer, square.common(asked))
        texts = list(corpora[corpus].documents("eval"))
        return sum(len(text.encode()) for text in texts) / sum(len(cut.encode_ordinary(text)) for text in texts)

    for corpus, abroad in (("tales", "logs"), ("logs", "tales")):
        drop = two_by_two.drop(found, square, corpus)
        assert drop is not None
        steps = [at_one_size(corpus, abroad, asked) - at_one_size(corpus, corpus, asked) for asked in (290, 5000)]
        assert drop.domain_part == pytest.approx(sum(steps) / 2)
        assert drop.size_part == pytest.approx(drop.end - drop.start - sum(steps) / 2)
    assert {(one.corpus, one.tokenizer, one.size) for one in found.cuts} == {
        (corpus, name, size) for corpus in ("tales", "logs") for name, size in square.cuts()
    }
    assert parse_results(found.to_json()) == found
