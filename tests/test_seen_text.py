"""Measured documents that stand in a training text: found between corpora and files, and said in the report."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.pipeline import Options, build, measure, open_corpora, run_suite
from evalkit.results import parse_results
from evalkit.seen_text import SeenText, _among, seen_text
from evalkit.suite import Suite, load_suite

SUITE = """
version: 1
name: overlap
corpora:
  foxes: {files: [foxes.txt], document: line, eval: {files: [more.txt]}}
  trees: {files: [trees.txt], document: line}
  whole: {files: [whole.txt], document: line}
tokenizers:
  - {name: ours, variant: gpt2, train_on: foxes, vocab_size: 300}
  - {name: both, variant: gpt2, train_on: [foxes, trees], vocab_size: 300}
  - {name: floor, baseline: bytes}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    foxes = [f"the red fox number {n} ran" for n in range(40)]
    trees = [f"the tall tree number {n} stood" for n in range(40)]
    texts = {
        "foxes.txt": foxes,
        "more.txt": [foxes[3], "a fox that is new", foxes[3], foxes[7] + " "],
        "trees.txt": trees,
        "whole.txt": ["nothing of it", foxes[5]],
    }
    for name, lines in texts.items():
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    return load_suite(tmp_path / "suite.yaml")


def test_found_between_files_and_between_corpora_and_nowhere_else(suite: Suite) -> None:
    options = Options(cache=False)
    corpora = open_corpora(suite)
    tokenizers = build(suite, corpora, options)
    counts = measure(list(corpora.values()), tokenizers, options)
    told: list[str] = []
    found = seen_text(corpora, tokenizers, counts, lambda stage, done, total: told.append(stage))
    size = len("the red fox number 3 ran")
    measured = 2 * size + len("a fox that is new") + size + 1
    three, five = (sha256(f"the red fox number {n} ran".encode()).hexdigest()[:16] for n in (3, 5))
    assert found == (
        SeenText("foxes", "foxes", ("ours", "both"), 2, 4, 2 * size, measured, (three, three)),
        SeenText("whole", "foxes", ("ours", "both"), 1, 2, size, size + len("nothing of it"), (five,)),
    )
    assert told == []  # few documents need no progress


def test_the_results_say_so(suite: Suite) -> None:
    results = run_suite(suite, Options(cache=False))
    warnings = results.warnings
    assert [(one.corpus, one.documents, len(one.hashes)) for one in results.seen] == [("foxes", 2, 2), ("whole", 1, 1)]
    assert parse_results(results.to_json()) == results
    seen = [text for text in warnings if text.startswith("Trained on what is measured")]
    assert seen == [
        "Trained on what is measured: 2 of 4 documents of foxes (53.3 % of its bytes) stand word for word in the "
        "files trained on, so that the figures of ours, both there flatter.",
        "Trained on what is measured: 1 of 2 documents of whole (64.9 % of its bytes) stands word for word in the "
        "training part of foxes, so that the figures of ours, both there flatter.",
    ]


HASHES = st.lists(st.one_of(st.integers(0, 9), st.integers(0, 2**64 - 1)), max_size=20)


@given(HASHES, HASHES)
@settings(max_examples=examples(100), deadline=None)
def test_hashes_are_found_among_others(some: list[int], others: list[int]) -> None:
    found = _among(np.array(some, dtype=np.uint64), np.array(sorted(others), dtype=np.uint64))
    assert found.tolist() == [one in others for one in some]
