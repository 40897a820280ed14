"""Narrow columns against int64: the same numbers whatever is computed of them, at every width's limits."""

from __future__ import annotations

import doctest
import io
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import columns as module
from evalkit.columns import Growing, Ints, Narrow, Table, computed, narrowed, wide, zeros
from evalkit.comparisons import comparison_records, rank_records
from evalkit.counts import Agreement, CorpusCounts, TokenizerCounts
from evalkit.metrics import METRICS, Cell, Ratio
from evalkit.metrics.example import example
from evalkit.metrics.own_outcomes import read_only
from evalkit.pairs import tokenizer_pair_records
from evalkit.results_files import save_counts
from evalkit.values import Undefined, Value

EDGES = [0, 1, 127, 128, 254, 255, 256, 32767, 32768, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40]
NUMBER = st.one_of(st.sampled_from(EDGES), st.integers(0, 300), st.integers(0, 1 << 40))
NUMBERS = st.lists(NUMBER, max_size=20)
WIDTHS = [(255, 1), (256, 2), (65535, 2), (65536, 4), (2**32 - 1, 4), (2**32, 8), (2**63 - 1, 8)]


def int64(values: list[int]) -> Ints:
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize(("largest", "size"), WIDTHS)
def test_a_column_is_as_narrow_as_it_can_be(largest: int, size: int) -> None:
    column = narrowed(int64([0, largest]))
    assert column.itemsize == size
    assert column.tolist() == [0, largest]
    assert wide(column).dtype == np.int64
    assert type(wide(column)) is np.ndarray
    assert narrowed(int64([-1, min(largest, 2**63 - 1)])).tolist() == [-1, largest]


@given(st.lists(NUMBERS, max_size=8))
@settings(max_examples=examples(60), deadline=None)
def test_what_grows_is_what_was_added(batches: list[list[int]]) -> None:
    column, table = Growing(), Table()
    for batch in batches:
        column.extend(int64(batch))
        table.extend(int64([[one, 7] for one in batch]).reshape(-1, 2))
    every = [number for batch in batches for number in batch]
    assert len(column) == len(every)
    found = column.finish()
    assert found.tolist() == every
    assert found.itemsize == narrowed(int64(every)).itemsize
    first, second = table.finish(2)
    assert first.tolist() == every
    assert second.tolist() == [7] * len(every)
    assert second.itemsize == 1


OPERATORS: list[Callable[[Any, Any], Any]] = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.gt,
    operator.le,
    operator.eq,
    operator.ne,
    np.maximum,
    np.hypot,
    lambda a, b: np.stack([a, b], axis=1),
    lambda a, b: np.concatenate([a, b]),
    lambda a, b: np.where(a > b, a, 0),
    lambda a, b: np.dot(a % 1000, b % 1000),
    lambda a, b: (a % 1000).dot(b),
    lambda a, b: a @ (b % 1000),
    np.array_equal,
]
OF_ONE: list[Callable[[Any], Any]] = [
    lambda a: a.sum(),
    lambda a: a.max(initial=0),
    lambda a: a.mean() if len(a) else 0,
    lambda a: a.any(),
    lambda a: a.all(),
    lambda a: a.cumsum(),
    np.cumsum,
    np.diff,
    np.sort,
    np.log1p,
    np.sqrt,
    np.square,
    np.negative,
    lambda a: np.unique(a, return_counts=True)[1],
    lambda a: np.add.reduceat(a, [0]) if len(a) else a[:0] + 0,
    lambda a: a[0] * 300 if len(a) else 0,
    lambda a: a[a > 100] * 300,
    lambda a: a[::-1] + a,
    lambda a: np.sum([one * 2 for one in a]),
    lambda a: a.astype(np.float64),
    lambda a: a.copy() * 256,
    lambda a: np.count_nonzero(a),
    lambda a: a * 2.5,
    lambda a: 2 * a - 1,
    lambda a: -1 - a,
]


def _same(found: Any, expected: Any) -> None:
    assert type(found) is not Narrow
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(found, expected)


@given(st.lists(st.tuples(NUMBER, NUMBER), max_size=20))
@settings(max_examples=examples(100), deadline=None)
def test_computing_is_that_of_int64(pairs: list[tuple[int, int]]) -> None:
    sides = [int64([pair[side] for pair in pairs]) for side in (0, 1)]
    with np.errstate(all="ignore"):
        for compute in OPERATORS:
            expected = compute(*sides)
            for one, two in ((True, True), (True, False), (False, True)):
                given_ = (narrowed(sides[0]) if one else sides[0], narrowed(sides[1]) if two else sides[1])
                _same(compute(*given_), expected)
        for of_one in OF_ONE:
            _same(of_one(narrowed(sides[0])), of_one(sides[0]))
        for formula in (np.add, np.subtract, lambda a, b: a * 2 - b):
            _same(wide(computed(formula, *map(narrowed, sides))), formula(*sides))


def test_a_column_cannot_be_written_to() -> None:
    column = narrowed(int64([1, 2]))
    with pytest.raises(ValueError, match="read-only"):
        column[0] = 3
    with pytest.raises(ValueError, match="read-only"):
        column += 1
    assert column.tolist() == [1, 2]
    total = int64([5, 5])
    total += column
    assert total.tolist() == [6, 7]


def test_zeros_take_no_memory() -> None:
    none = zeros(1000)
    assert (len(none), int(none.sum()), bool(none.any()), (none + 1).tolist()[:2]) == (1000, 0, False, [1, 1])
    assert none.base is not None
    assert none.strides == (0,)


# ── figures ─────────────────────────────────────────────────────────────────────────────────────────────────


def _narrow(value: Any) -> Any:
    """With every column narrow."""
    if isinstance(value, np.ndarray):
        return narrowed(value) if value.ndim == 1 and value.dtype == np.int64 else value
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{one.name: _narrow(getattr(value, one.name)) for one in fields(value)})
    if isinstance(value, Mapping):
        return {key: _narrow(one) for key, one in value.items()}
    return value


@st.composite
def cells(draw: st.DrawFn) -> Cell:
    n = draw(st.integers(1, 24))
    largest = draw(st.sampled_from([255, 256, 65535, 65536, 2**31 - 1, 2**32, 2**40]))
    number = st.one_of(st.integers(0, 3), st.integers(0, largest), st.just(largest))

    def some() -> list[int]:
        return draw(st.lists(number, min_size=n, max_size=n))

    def within(column: list[int]) -> list[int]:
        return [draw(st.integers(0, one)) for one in column]

    def tokens() -> list[int]:
        return [max(1, one) for one in some()]

    words, multibyte, places, own = some(), some(), some(), tokens()
    hits = within(places)
    return example(
        bytes=tokens(),
        chars=some(),
        words=words,
        tokens=own,
        unknown=within(own),
        round_trips=n,
        reference_tokens=tokens(),
        ideal_tokens=tokens(),
        word_tokens=some(),
        cut_words=within(words),
        multibyte=multibyte,
        cut_characters=within(multibyte),
        number_places=places,
        number_hits=hits,
        number_cuts=[one + draw(number) for one in hits],
        other_languages={"en": tokens(), "de": tokens()},
        reference_language="en",
    )


def _corpus(cell: Cell) -> CorpusCounts:
    assert isinstance(cell.reference, TokenizerCounts)
    tokens = [cell.tokenizer.tokens, cell.reference.tokens]
    shared = Agreement("example", "reference", np.minimum(*tokens) - 1)
    return replace(
        cell.corpus, tokenizers={"example": cell.tokenizer, "reference": cell.reference}, agreements=(shared,)
    )


def _figures(cell: Cell) -> list[Any]:
    figures: list[Any] = []
    for metric in METRICS.values():
        figures.append(metric.values(cell) if metric.timing else metric.values(cell, 0.95))
    corpus, names = [_corpus(cell)], ["example", "reference"]
    figures += [*comparison_records(corpus, names, 0.95), *rank_records(corpus, names, 1)]
    return [*figures, *tokenizer_pair_records(corpus)]


@given(cells(), st.sampled_from([3, 65_536]))
@settings(max_examples=examples(60), deadline=None)
def test_figures_are_those_of_int64(cell: Cell, block: int) -> None:
    tight = _narrow(cell)
    assert isinstance(tight.tokenizer.tokens, Narrow)
    files = io.BytesIO(), io.BytesIO()
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        patch.setattr(module, "BLOCK", block)
        assert repr(_figures(tight)) == repr(_figures(cell))
        for file, one in zip(files, (cell, tight), strict=True):
            save_counts(file, [_corpus(one)])
    assert _content(files[0]) == _content(files[1])


def _content(file: io.BytesIO) -> dict[str, tuple[str, list[int]]]:
    file.seek(0)
    with np.load(file) as stored:
        return {key: (stored[key].dtype.name, stored[key].tolist()) for key in stored.files}


@given(st.lists(st.tuples(st.one_of(st.integers(0, 3), NUMBER), st.one_of(st.integers(0, 3), NUMBER)), max_size=40))
@settings(max_examples=examples(200), deadline=None)
def test_a_mean_of_ratios_is_exact(pairs: list[tuple[int, int]]) -> None:
    pairs += pairs[: len(pairs) // 2]
    some = [above / below for above, below in pairs if below]
    found = Ratio(int64([above for above, _ in pairs]), int64([below for _, below in pairs])).macro("x")
    if some:
        assert isinstance(found, Value)
        assert (found.value, found.n) == (math.fsum(some) / len(some), len(some))
    else:
        assert isinstance(found, Undefined)


def test_metrics_of_the_users_own_get_int64() -> None:
    cell = _narrow(example(tokens=[200, 100], words=None))
    found = read_only(cell)
    tokens = found.tokenizer.tokens
    assert type(tokens) is np.ndarray
    assert tokens.dtype == np.int64
    assert tokens.tolist() == [200, 100]
    assert type(found.parallel) is type(cell.parallel)
    assert isinstance(found.tokenizer, TokenizerCounts)
    assert isinstance(found, Cell)
    assert found.corpus.documents == 2
    assert type(found.corpus.tokenizers["example"].placed.cut_words) is np.ndarray
    assert found.corpus.words == cell.corpus.words  # Undefined
    assert replace(found.tokenizer, name="other").tokens.tolist() == [200, 100]
    with pytest.raises(ValueError, match="read-only"):
        found.corpus.bytes[0] = 1


def test_the_examples_in_the_docstrings_are_right() -> None:
    failed, tried = doctest.testmod(module)
    assert failed == 0
    assert tried == pytest.approx(7)
