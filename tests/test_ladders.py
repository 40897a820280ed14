"""Ladders in a run: they agree with the rows of every rung, come back from the file, and have their table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from report_example import results as example

from evalkit.ladder import shown_sizes
from evalkit.pipeline import Options, run_suite
from evalkit.report.markdown import render
from evalkit.results import LadderRecord, Results, load_results
from evalkit.suite import load_suite
from tokenizers_impl.vocabulary import NEVER_IN_TEXT

SUITE = """
version: 1
name: rungs
corpora:
  stories: {builtin: stories, eval: {fraction: 0.1}}
  numbers: {builtin: numbers, eval: {fraction: 0.1}}
  zh: {builtin: zh}
tokenizers:
  - {name: alone, variant: gpt2, train_on: stories, vocab_size: 700}
  - {name: rungs, variant: digits3, train_on: [stories, numbers], vocab_size: [300, 777, 1200], special_tokens: ["<s>"]}
  - {name: early, variant: zh, train_on: zh, vocab_size: [400, 900000], min_frequency: 20}
  - {name: floor, baseline: bytes}
measure: {metrics: [tokens, bytes_per_token, vocab_utilization]}
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, Path]:
    folder = tmp_path_factory.mktemp("ladders")
    (folder / "suite.yaml").write_text(SUITE, encoding="utf-8")
    out = folder / "out"
    return run_suite(load_suite(folder / "suite.yaml"), Options(cache=False, out=out)), out


def test_rows_of_every_rung_agree(run: tuple[Results, Path]) -> None:
    results, _ = run
    found = {(ladder.corpus, ladder.tokenizer): ladder for ladder in results.ladders}
    assert set(found) == {(c.name, t) for c in results.corpora for t in ("alone", "rungs", "early")}
    compared = 0
    for tokenizer in results.tokenizers:
        base = tokenizer.name.rpartition("@")[0] or tokenizer.name
        for corpus in results.corpora:
            if (corpus.name, base) not in found:
                assert tokenizer.kind == "baseline"
                continue
            ladder = found[corpus.name, base]
            place = ladder.sizes.index(tokenizer.vocab_size or 0)
            tokens = results.row(corpus.name, tokenizer.name, "tokens", "sum")
            density, share = (
                results.row(corpus.name, tokenizer.name, metric) for metric in ("bytes_per_token", "vocab_utilization")
            )
            assert tokens is not None
            assert density is not None
            assert share is not None
            assert (tokens.value, density.value) == (ladder.tokens[place], ladder.bytes_per_token[place])
            assert share.value is not None
            # Special tokens and the bytes that no UTF-8 has are never in a text.
            usable = (tokenizer.vocab_size or 0) - len(tokenizer.special_tokens) - len(NEVER_IN_TEXT)
            assert ladder.used[place] == round(share.value * usable)
            compared += 1
    assert compared == 3 * 6


def test_they_are_stored(run: tuple[Results, Path]) -> None:
    results, out = run
    assert load_results(out).ladders == results.ladders
    stored = json.loads((out / "results.json").read_text(encoding="utf-8"))["ladders"][0]
    assert {"corpus", "tokenizer", "sizes", "tokens", "bytes_per_token"} <= set(stored)


def test_the_report_has_a_table(run: tuple[Results, Path]) -> None:
    results, out = run
    section = (out / "report.md").read_text(encoding="utf-8").split("## Vocabulary size (ladder)")[1].split("\n## ")[0]
    lines = [line.split("|")[1:3] for line in section.splitlines() if line.startswith("| `")]
    shown = {(name.strip(" `"), corpus.strip()) for name, corpus in lines}
    everywhere = {(t, c.name) for t in ("rungs", "early") for c in results.corpora}
    assert shown == everywhere | {("alone", "stories")}


def test_without_ladders_there_is_no_section() -> None:
    assert "(ladder)" not in render(example())
    empty = LadderRecord("stories", "small", 0, (256, 300), (0, 0), (None, None), (0, 0))
    assert "| `small`   | stories | – (300) |" in render(replace(example(), ladders=(empty,)))


def test_shown_sizes() -> None:
    assert shown_sizes(256, 256) == [256]
    sizes = shown_sizes(256, 32_000, [10_000])
    assert {256, 512, 10_000, 16_000, 16_384, 32_000} <= set(sizes)
    assert len(sizes) == 8 * 4 - 4 + 3
    assert sizes == sorted(set(sizes))
