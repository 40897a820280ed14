"""Counts by document in bounded memory, against adding them up by hand."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import runs as module
from evalkit.runs import MOST, Runs, narrow, summed

BATCHES = st.lists(st.lists(st.integers(0, 1 << 40), max_size=12), max_size=12)


@given(BATCHES, st.integers(1, 9))
@settings(max_examples=examples(200), deadline=None)
def test_runs_are_the_naive_ones(batches: list[list[int]], most: int) -> None:
    found = Runs(2, most)
    for batch in batches:
        found.add(np.array([[number, 1] for number in batch], dtype=np.int64).reshape(-1, 2))
    numbers = [number for batch in batches for number in batch]
    run = 1
    while run * most < len(numbers):
        run *= 2
    parts = [numbers[start : start + run] for start in range(0, len(numbers), run)]
    assert found.run == run
    assert found.sums().tolist() == [[sum(part), len(part)] for part in parts]
    assert summed(np.array(numbers, dtype=np.int64), run).tolist() == [sum(part) for part in parts]


def test_memory_is_bounded() -> None:
    found = Runs(3)
    rows = np.ones((1000, 3), dtype=np.int64)
    for _ in range(200):
        found.add(rows)
        found.add(rows[:1])
        assert sum(map(len, found._parts)) <= MOST
        assert len(found._parts) <= 2 * 200 + 1
    assert found.run == 16
    assert found.sums().dtype == np.int32
    assert found.sums().sum(axis=0).tolist() == [200_200] * 3
    one = Runs(1, 1)
    for _ in range(300):
        one.add(rows[:1, :1])
        assert len(one._parts) <= 3  # a run that is never full leaves nothing behind


def test_sums_that_are_too_large_for_half_the_memory_are_kept_whole() -> None:
    large = np.array([[np.iinfo(np.int32).max]])
    assert narrow(large).dtype == np.int64
    found = Runs(1, 1)
    for _ in range(5):
        found.add(large)
    assert found.sums().tolist() == [[5 * np.iinfo(np.int32).max]]


def test_the_examples_in_the_docstrings_are_right() -> None:
    failed, tried = doctest.testmod(module)
    assert failed == 0
    assert tried == pytest.approx(4)
