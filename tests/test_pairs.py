"""Figures of two corpora, and of two vocabularies: against obvious implementations, and where they show."""

from __future__ import annotations

import doctest
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.errors import UserError
from evalkit.metrics import METRICS, PAIR_METRICS, chosen_metrics, chosen_pairs, domain_divergence, pair_metric_names
from evalkit.metrics import pairs as module
from evalkit.metrics.registry import ints
from evalkit.pipeline import Options, run_suite
from evalkit.report import divergence
from evalkit.report.markdown import render
from evalkit.results import Results, parse_results
from evalkit.suite import parse_suite
from evalkit.values import Undefined

COUNTS = st.lists(st.integers(0, 60), min_size=1, max_size=20).filter(any)


def naive(first: list[int], second: list[int]) -> float:
    """H(m) − (H(p) + H(q)) / 2, term by term."""

    def entropy(shares: list[float]) -> float:
        return -sum(share * math.log2(share) for share in shares if share)

    size = max(len(first), len(second))
    totals = sum(first), sum(second)
    p, q = (
        [n / total for n in some] + [0.0] * (size - len(some))
        for some, total in zip((first, second), totals, strict=True)
    )
    m = [(one + other) / 2 for one, other in zip(p, q, strict=True)]
    return entropy(m) - (entropy(p) + entropy(q)) / 2


@settings(max_examples=examples(200), deadline=None)
@given(COUNTS, COUNTS)
def test_divergence_is_the_naive_one(first: list[int], second: list[int]) -> None:
    found = domain_divergence(ints(*first), ints(*second))
    assert isinstance(found, float)
    assert found == pytest.approx(naive(first, second), abs=1e-8)
    assert 0 <= found <= 1
    assert found == domain_divergence(ints(*second), ints(*first))
    assert domain_divergence(ints(*first), ints(*(7 * n for n in first))) == 0


def test_what_is_undefined() -> None:
    assert domain_divergence(Undefined("not counted"), ints(1)) == Undefined("not counted")
    assert domain_divergence(ints(1), Undefined("not counted")) == Undefined("not counted")
    assert isinstance(domain_divergence(np.zeros(0, dtype=np.int64), ints(1)), Undefined)


def test_the_examples_in_the_docstrings_are_right() -> None:
    failed, tried = doctest.testmod(module)
    assert failed == 0
    assert tried == 5


def test_every_one_says_what_it_is() -> None:
    assert pair_metric_names() == list(PAIR_METRICS) == ["domain_divergence", "vocab_overlap", "agreement"]
    for one in PAIR_METRICS.values():
        assert one.definition
        assert one.unit
        assert bool(one.no_interval) == (one.name != "agreement")
        assert one.version >= 1
        assert one.name not in METRICS


def test_a_suite_chooses_them_by_name() -> None:
    assert chosen_pairs(None) == chosen_pairs(["all"]) == ["domain_divergence", "vocab_overlap", "agreement"]
    assert chosen_pairs(["fertility", "vocab_overlap"]) == ["vocab_overlap"]
    assert [m.name for m in chosen_metrics(["fertility", "vocab_overlap"], Path())] == ["fertility"]


HEAD = "version: 1\nname: t\ncorpora:\n  web: {builtin: web}\n  zh: {builtin: zh}\n  l: {builtin: parallel}\n"
TAIL = "tokenizers:\n  - {name: gpt2, tiktoken: gpt2}\n  - {name: chars, baseline: chars}\n"


def run(more: str = "") -> Results:
    return run_suite(parse_suite(f"{HEAD}{TAIL}{more}"), Options(cache=False))


@pytest.fixture(scope="module")
def results() -> Results:
    return run("measure: {metrics: [tokens, domain_divergence]}\n")


def test_records_of_every_two_corpora(results: Results) -> None:
    (pair,) = results.corpus_pairs  # no baseline, and no languages of one text
    assert (pair.metric, pair.tokenizer, pair.first, pair.second) == ("domain_divergence", "gpt2", "web", "zh")
    web, zh = (next(c for c in results.counts if c.name == name).tokenizers["gpt2"] for name in ("web", "zh"))
    assert isinstance(web.id_counts, np.ndarray)
    assert isinstance(zh.id_counts, np.ndarray)
    assert pair.value == pytest.approx(naive(web.id_counts.tolist(), zh.id_counts.tolist()), abs=1e-8)
    assert (pair.first_tokens, pair.second_tokens) == (web.tokens.sum(), zh.tokens.sum())
    assert [m.name for m in results.metrics] == ["tokens", "domain_divergence"]


def test_they_are_stored_and_read_again(results: Results) -> None:
    assert parse_results(results.to_json()).corpus_pairs == results.corpus_pairs


def test_without_being_asked_for_there_are_none() -> None:
    assert run("measure: {metrics: [tokens]}\n").corpus_pairs == ()


def test_a_threshold_on_one_is_refused() -> None:
    more = "gate: {thresholds: [{metric: vocab_overlap, tokenizer: gpt2, corpus: web, min: 1}]}\n"
    with pytest.raises(UserError, match="a figure of a pair"):
        run(more)


def test_the_section(results: Results) -> None:
    report = render(results)
    assert "## How far apart the corpora are" in report
    pair = results.corpus_pairs[0]
    assert f"\n| zh     | {pair.value:.2f} |" in report
    assert "Biased upwards by few tokens: web (" in report
    more = [replace(pair, second=name, value=value) for name, value in (("a", 0.25), ("b", 0.75))]
    names = {c.name for c in results.corpora}
    known = [replace(results.corpora[0], name=name) for name in ("a", "b") if name not in names]
    wide: Any = replace(results, corpus_pairs=(pair, *more), corpora=(*results.corpora, *known))
    assert "Nearest are web and a (0.25 to 0.25, by the tokenizer)" in divergence.section(wide)
    assert divergence.section(replace(results, corpus_pairs=())) == ""
