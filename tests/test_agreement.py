"""Boundaries that two tokenizers share, by document, and the interval over documents that their share has: from sets of
places in whole documents."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from test_measure import Built, Corpus
from test_places import LIMITS, TRAINING, built_on, check_agreements, measured

import tokenizers_impl as ti
from evalkit import placing
from evalkit.measure import measure_corpus
from evalkit.pairs import tokenizer_pair_records
from evalkit.report.places import agreement
from evalkit.results import PairRecord
from evalkit.runs import Runs
from tokenizers_impl.training import truncate


def trained_alike() -> list[Built]:
    """Three over one split pattern: one scorer has them."""
    gpt2 = ti.train(TRAINING, "gpt2", 285)
    return [Built(str(size), truncate(gpt2, size)) for size in (285, 276, 262)]


def boundaries(built: Sequence[Built], texts: Sequence[str]) -> dict[str, list[set[int]]]:
    """By tokenizer and document, the places inside where a token begins."""
    return {
        b.name: [set(accumulate(map(len, b.tokenizer.tokens(text)[:-1]))) for text in texts]
        for b in built
        if b.kind != "baseline"
    }


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("paths", ["scorer", "marks", "both"])
def test_boundaries_are_the_naive_ones_by_document(threads: int, paths: str) -> None:
    alike, every = trained_alike(), built_on("native")
    built = {"scorer": alike, "marks": [*alike, every[2]], "both": [*alike, every[4]]}[paths]
    random = np.random.default_rng(5)
    texts = [" ".join(random.choice(TRAINING.split(), size)) for size in (0, 1, 5, 40, 9, 0, 13, 7, 1, 22, 30)]
    # More than a thread takes at once, pretokens of more bytes and of more tokens than there is room for in a row.
    texts.append("the cat sat 123 naïve\n" * 15_000 + "x" * 70 + " " + "世" * 400 + "é" * 90)
    limits = replace(LIMITS, checked_bytes=1000, sample_bytes=1000)
    counts = measure_corpus(Corpus(texts), built, limits=limits, threads=threads, needs=frozenset({"agreement"}))
    check_agreements(counts, boundaries(built, texts))
    assert {a.run for a in counts.agreements} == {1}
    assert all(record.low is not None for record in tokenizer_pair_records([counts]))


def test_of_very_many_documents_runs_are_the_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placing, "Runs", functools.partial(Runs, most=10))
    random = np.random.default_rng(6)
    texts = [" ".join(random.choice(TRAINING.split(), 1 + number % 7)) for number in range(37)]
    built = trained_alike()
    counts = measured(texts, "auto", built)
    assert {a.run for a in counts.agreements} == {4}
    assert {len(np.asarray(a.shared)) for a in counts.agreements} == {10}
    check_agreements(counts, boundaries(built, texts))


def test_few_documents_have_no_interval_and_equal_tokenizers_a_bound() -> None:
    same = [replace(trained_alike()[0], name=name) for name in ("a", "b")]
    (few,) = tokenizer_pair_records([measured(["the cat sat naïve"] * 7, "auto", [*same[:1], trained_alike()[2]])])
    assert few.value is not None
    assert (few.low, few.high) == (None, None)
    (equal,) = tokenizer_pair_records([measured(["the cat"] * 10, "auto", same)])
    assert (equal.value, equal.high) == (1, 1)
    assert equal.low == pytest.approx(0.05 ** (1 / 10))


def test_the_report_says_how_wide_the_intervals_are() -> None:
    def shown(*pairs: PairRecord) -> str:
        corpora = tuple(SimpleNamespace(name=name, parallel=None) for name in ("web", "logs"))
        results: Any = SimpleNamespace(pairs=pairs, corpora=corpora, suite=SimpleNamespace(confidence=0.95))
        return agreement(results)

    pair = PairRecord("web", "agreement", "a", "b", 0.5, 10, 20, "ratio", 30, None, 0.4, 0.61)
    assert "The 95 % interval over documents is 0.40–0.61 (`a` and `b` on web‡). ‡ 8 to 59 documents" in shown(pair)
    narrow = replace(pair, corpus="logs", low=0.499, high=0.501)
    text = shown(narrow, pair, replace(narrow, second="c"))
    assert "half of the intervals are less than 0.01 wide, and the widest is 0.40–0.61 (`a` and `b` on web‡)." in text
    assert "‡" not in shown(*(replace(one, n=60) for one in (pair, narrow)))
    assert "| 0.50 |" in text
    few = replace(pair, low=None, high=None, n=7)
    assert "On web there is no interval: it needs 8 documents." in shown(few, narrow)
    assert "interval" not in shown(replace(few, n=8))
    # what is said to have no interval isn't said to have the widest one
    text = shown(replace(few, value=1.0, low=0.05, high=1.0), narrow)
    assert "0.05" not in text
    assert "On web there is no interval but the bound of those that share all or none: it needs 8 documents." in text
