"""What has no split pattern is measured and shown, but is never the best, nor what the others are held against."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_example import results as few_results

from evalkit.pipeline import Options, run_suite
from evalkit.ranked import set_aside
from evalkit.report.figures import best, candidates
from evalkit.report.markdown import render
from evalkit.report.verdict import verdict
from evalkit.results import Results
from evalkit.suite import load_suite

SUITE = """
version: 1
name: across-words
seed: 5
corpora:
  logs: {files: [logs.txt], document: line, language: en, eval: {fraction: 0.3}}
  more: {files: [more.txt], document: line, language: en, eval: {fraction: 0.3}}
tokenizers:
  - {name: gpt2, variant: gpt2, train_on: [logs, more], vocab_size: 300}
  - {name: digits, variant: digits3, train_on: [logs, more], vocab_size: 300}
  - {name: zh, variant: zh_char, train_on: more, vocab_size: 290}
  - {name: phrases, variant: bytes_only, train_on: [logs, more], vocab_size: [290, 310]}
measure: {metrics: [bytes_per_token, tokens]}
select: {d_model: 8, n_layers: 2, context: 16}
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("across")
    logs = [f"2024-01-{n % 28 + 1:02d} INFO worker-{n % 5} took {n * 13} ms in all, done" for n in range(80)]
    more = [f"we went to {'the sea' if n % 2 else 'a town'} and saw {n} of our old friends" for n in range(80)]
    for name, lines in (("logs", logs), ("more", more)):
        (folder / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8")
    (folder / "suite.yaml").write_text(SUITE, encoding="utf-8")
    return run_suite(load_suite(folder / "suite.yaml"), Options(cache=False))


def _section(text: str, title: str) -> str:
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


def test_it_would_be_the_best_by_far(found: Results) -> None:
    for corpus in ("logs", "more"):
        rows = {r.tokenizer: r.value or 0 for r in found.rows if (r.corpus, r.metric) == (corpus, "bytes_per_token")}
        assert max(rows, key=lambda name: rows[name]) == "phrases"


def test_it_is_never_the_best(found: Results) -> None:
    assert set_aside(found.tokenizers) == {"phrases", "phrases@290"}
    for corpus in ("logs", "more"):
        assert not best(found, corpus, "bytes_per_token") & set_aside(found.tokenizers)
    assert {one.tokenizer for one in found.ranks} == {"gpt2", "digits", "zh"}
    assert {one.tokenizer for one in found.fronts} <= {"gpt2", "digits", "zh"}
    assert not {n for d in found.differences for n in (d.first, d.second)} & {"phrases", "phrases@290"}
    text = render(found)
    for title in ("At a glance", "What an embedding of each size buys", "Why the figures differ"):
        assert "phrases" not in _section(text, title), title
    opening = [line for line in _section(text, "Verdict").splitlines() if "phrases" in line]
    assert len(opening) == 1
    assert opening[0].startswith("- `phrases@290` and `phrases` have no split pattern: their figures stand in")


def test_it_is_shown(found: Results) -> None:
    text = render(found)
    assert "phrases" in _section(text, "Bytes per token")
    assert "phrases` | −" in " ".join(_section(text, "Which differences hold").split())
    assert any("phrases" in line and "(−" in line for line in _section(text, "At one vocabulary size").splitlines())
    assert "never called the best, nor what the others are held against" in _section(text, "Beware")


def test_no_figure_at_one_size_is_against_it(found: Results) -> None:
    more = {(one.size, one.corpus, one.tokenizer): one.more for one in found.matched if one.more is not None}
    for size, corpus in {key[:2] for key in more}:
        ranked = {name: value for (s, c, name), value in more.items() if (s, c) == (size, corpus) and name != "phrases"}
        assert min(ranked.values()) == 0
    assert min(more.values()) < 0


def test_less_than_training_makes_is_noise_below_as_above(found: Results) -> None:
    """Of what needs fewer tokens than the best, which nothing but this does."""
    one = min((m for m in found.matched if m.more is not None), key=lambda m: m.more or 0)
    assert one.more is not None
    assert one.more < 0
    floor = 1 / (1 + one.more) - 1
    assert replace(one, noise_floor=floor).within_noise
    assert not replace(one, noise_floor=floor * 0.99).within_noise


def test_among_its_like_it_is_ranked() -> None:
    every = few_results()
    all_without = tuple(replace(t, variant="bytes_only") for t in every.tokenizers)
    assert set_aside(all_without) == set()
    assert len(candidates(replace(every, tokenizers=all_without), "stories", "bytes_per_token")) == 3
    baseline = (replace(all_without[0], kind="baseline", variant=None), *all_without[1:])
    assert set_aside(baseline) == set()


def test_one_with_a_split_pattern_alone_has_nobody_to_be_compared_with() -> None:
    every = few_results()
    tokenizers = tuple(replace(t, variant="bytes_only" if t.name != "small" else t.variant) for t in every.tokenizers)
    text = verdict(replace(every, tokenizers=tokenizers))
    assert "3 tokenizers were measured on 2 corpora; one only can be the best." in text
    assert "`large` and `published` have no split pattern" in text
