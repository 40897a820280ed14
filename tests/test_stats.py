"""Statistics against obvious implementations, tabulated values and simulations."""

from __future__ import annotations

import doctest
import importlib
import math
import pkgutil
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from budget import examples

import evalkit.stats
from evalkit import columns
from evalkit.comparisons import comparison_records, rank_records
from evalkit.counts import CorpusCounts
from evalkit.metrics import METRICS, get_metric
from evalkit.metrics.example import example
from evalkit.metrics.registry import ints
from evalkit.stats import (
    FEWEST,
    POWER,
    RESAMPLES,
    best_shares,
    compare_pairs,
    compare_two,
    holm,
    intervals,
    mean_interval,
    paired,
    perfect_bound,
    quantile,
    ranks,
    ratio_interval,
    share_interval,
    two_sided,
)
from evalkit.stats.intervals import Interval
from evalkit.values import Undefined, Value

Ints = np.typing.NDArray[np.int64]


def test_the_examples_in_the_docstrings_are_right() -> None:
    for info in pkgutil.iter_modules(evalkit.stats.__path__, "evalkit.stats."):
        failed, _ = doctest.testmod(importlib.import_module(info.name))
        assert failed == 0, info.name


# ── Student's t ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("df", "at_95", "at_99"),  # two-sided, from the usual table
    [
        (1, 12.706, 63.657),
        (2, 4.303, 9.925),
        (3, 3.182, 5.841),
        (4, 2.776, 4.604),
        (5, 2.571, 4.032),
        (7, 2.365, 3.499),
        (10, 2.228, 3.169),
        (15, 2.131, 2.947),
        (20, 2.086, 2.845),
        (30, 2.042, 2.750),
        (60, 2.000, 2.660),
        (120, 1.980, 2.617),
        (1e9, 1.960, 2.576),
    ],
)
def test_the_table_of_t(df: float, at_95: float, at_99: float) -> None:
    assert round(quantile(0.95, df), 3) == at_95
    assert round(quantile(0.99, df), 3) == at_99


def _exact(t: int, df: int) -> float:
    """The tail for even degrees of freedom, a finite sum (Abramowitz & Stegun 26.7.4), in 400 digits."""
    with localcontext() as context:
        context.prec = 400
        squared = Decimal(t * t)
        cosine = df / (df + squared)
        term = total = Decimal(1)
        for k in range(1, df // 2):
            term *= cosine * (2 * k - 1) / (2 * k)
            total += term
        return float(1 - (squared / (df + squared)).sqrt() * total)


@pytest.mark.parametrize("df", [2, 4, 10, 100, 1000])
@pytest.mark.parametrize("t", [1, 2, 3, 10, 30])
def test_small_probabilities_are_exact(t: int, df: int) -> None:
    assert two_sided(t, df) == pytest.approx(_exact(t, df), rel=1e-9)


def test_whole_and_other_degrees_of_freedom_and_both_ends() -> None:
    found = [two_sided(2.5, df) for df in (3, 3.25, 3.5, 4, 1e6, 2e7)]
    assert found == sorted(found, reverse=True)
    assert two_sided(0, 3) == 1
    assert two_sided(-2, 3) == two_sided(2, 3)
    assert two_sided(1, 1) == pytest.approx(0.5)
    assert 0 < two_sided(1000, 10_000) < 1e-300
    assert 0 < two_sided(math.inf, 5) < 1e-300
    assert two_sided(2, 9.99e6) == pytest.approx(two_sided(2, 1.01e7), rel=1e-5)
    for wrong in (0, -1, math.nan):
        with pytest.raises(ValueError, match="degrees of freedom"):
            two_sided(1, wrong)
    with pytest.raises(ValueError, match="confidence"):
        quantile(1, 5)


def test_the_quantile_undoes_the_probability() -> None:
    random = np.random.default_rng(3)
    for _ in range(examples(300)):
        df, confidence = float(np.exp(random.uniform(0, 14))), 1 - float(np.exp(random.uniform(-25, -0.05)))
        t = quantile(confidence, df)
        assert two_sided(t, df) == pytest.approx(1 - confidence, rel=1e-7), (df, confidence)


# ── intervals ───────────────────────────────────────────────────────────────────────────────────────────────


def _degrees_of_freedom(deviations: list[float], lengths: Sequence[int]) -> float:
    n = len(deviations)
    mean = sum(deviations) / n
    squares = [(d - mean) ** 2 for d in deviations]
    excess = sum(s * s for s in squares) / sum(squares) ** 2 - 1 / n
    weights = [length**1.5 for length in lengths]
    design = sum(weights) ** 2 / sum(w * w for w in weights)
    return max(1.0, min(2 / excess if excess > 0 else math.inf, design, n - 1))


def _jackknife(estimates: list[float]) -> tuple[float, list[float]]:
    n = len(estimates)
    mean = sum(estimates) / n
    deviations = [e - mean for e in estimates]
    return math.sqrt((n - 1) / n * sum(d * d for d in deviations)), deviations


def _naive_ratio_interval(top: list[int], bottom: list[int], *, logarithmic: bool) -> Interval:
    def estimate(ys: list[int], xs: list[int]) -> float:
        return math.log(sum(ys) / sum(xs)) if logarithmic else sum(ys) / sum(xs)

    without = [estimate(top[:i] + top[i + 1 :], bottom[:i] + bottom[i + 1 :]) for i in range(len(top))]
    error, deviations = _jackknife(without)
    half = quantile(0.95, _degrees_of_freedom(deviations, bottom)) * error
    whole = estimate(top, bottom)
    low, high = whole - half, whole + half
    return Interval(math.exp(low), math.exp(high)) if logarithmic else Interval(low, high)


@pytest.mark.parametrize("signed", [False, True])
def test_the_interval_of_a_ratio_is_the_obvious_one(signed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "BLOCK", 7)  # several blocks
    random = np.random.default_rng(5)
    for n in random.integers(FEWEST, 40, size=examples(40)):
        bottom = np.exp(random.normal(4, 1, n)).astype(np.int64) + 1
        top = (bottom * random.uniform(-0.5 if signed else 0.2, 0.6, n)).astype(np.int64)
        found = ratio_interval(top, bottom, 0.95)
        expected = _naive_ratio_interval(top.tolist(), bottom.tolist(), logarithmic=int(top.min()) >= 0)
        assert isinstance(found, Interval)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-6)


def test_a_mean_has_students_interval() -> None:
    # mean 5, s = 2, n = 9: t(8) = 2.306
    values = np.array([5 + 2 * d for d in (-1, 1, -1, 1, -1, 1, -1, 1, 0)])
    found = mean_interval(values, 0.95)
    assert isinstance(found, Interval)
    assert (found.low, found.high) == pytest.approx((5 - 2.306 * 2 / 3, 5 + 2.306 * 2 / 3), abs=1e-3)


def test_no_interval_of_a_rate_goes_beyond_0_and_1() -> None:
    """Micro and macro, of every metric whose documents have shares."""
    often, seldom = ints(*[9] * 9, 1), ints(*[0] * 9, 8)
    few, many = mean_interval(seldom / 9, 0.95, rate=True), mean_interval(often / 9, 0.95, rate=True)
    assert isinstance(few, Interval)
    assert isinstance(many, Interval)
    assert (few.low, many.high) == (0, 1)
    free = mean_interval(often / 9, 0.95)
    assert isinstance(free, Interval)
    assert free.high > 1
    assert free.low == many.low
    documents = [9] * 10
    cells: dict[str, dict[str, Any]] = {
        "unk_rate": {"tokens": documents, "unknown": seldom},
        "continued_words": {"words": documents, "cut_words": seldom},
        "strr_tokens": {"words": documents, "cut_words": seldom},
        "utf8_split_rate": {"multibyte": documents, "cut_characters": often},
        "digit_boundary_f1": {"number_places": documents, "number_cuts": documents, "number_hits": often},
    }
    for name, counted in cells.items():
        found = get_metric(name).values(example(**counted), 0.95)
        for value in found.values():
            assert isinstance(value, Value)
            assert value.low is not None
            assert value.high is not None
            assert 0 <= value.low < value.value < value.high <= 1, name


@pytest.mark.parametrize(
    ("top", "bottom", "reason"),
    [
        ([3] * 7, [4] * 7, "too few documents (7; an interval needs 8)"),
        ([3], [4], "too few documents (1;"),
        ([0] * 9, [0] * 9, "the denominator is 0"),
        ([], [], "the denominator is 0"),
        ([0] * 8 + [3], [0] * 8 + [4], "too few documents (1 of 9 have a part in it;"),
        ([1] * 8 + [3], [0] * 8 + [4], "one document holds all of it"),
        ([3, 6, 9] * 3, [7, 14, 21] * 3, "the same in every document"),
        ([-3, -6, -9] * 3, [7, 14, 21] * 3, "the same in every document"),
        ([0] * 9, [7] * 9, "the same in every document"),
    ],
)
def test_no_interval_has_a_reason(top: list[int], bottom: list[int], reason: str) -> None:
    found = ratio_interval(ints(*top), ints(*bottom), 0.95)
    assert isinstance(found, Undefined)
    assert reason in found.reason


def test_a_ratio_that_one_document_makes_is_bounded_at_0() -> None:
    found = ratio_interval(ints(*[0] * 11, 5), ints(*[10] * 12), 0.95)
    assert isinstance(found, Interval)
    assert found.low == 0
    assert found.high > 5 / 120


def test_perfect_rates_have_the_exact_bound() -> None:
    documents = 100
    perfect = ratio_interval(ints(*[5] * documents), ints(*[5] * documents), 0.95, rate=True)
    never = ratio_interval(ints(*[0] * documents), ints(*[5] * documents), 0.95, rate=True)
    assert perfect == share_interval(documents, documents, 0.95) == perfect_bound(documents, 0.95)
    assert isinstance(never, Interval)
    assert perfect.low == pytest.approx(1 - 3 / documents, abs=1e-3)  # the rule of three
    assert perfect.low**documents == pytest.approx(0.05)  # a rate this low shows none in 100 one time out of 20
    assert (never.low, never.high) == pytest.approx((0, 1 - perfect.low))


# ── comparisons ─────────────────────────────────────────────────────────────────────────────────────────────


def _naive_comparison(first: list[int], second: list[int], lengths: list[int]) -> tuple[float, float, float, float]:
    """Ratio, low, high, p."""

    def estimate(a: list[int], b: list[int]) -> float:
        return math.log(sum(a)) - math.log(sum(b))

    error, deviations = _jackknife(
        [estimate(first[:i] + first[i + 1 :], second[:i] + second[i + 1 :]) for i in range(len(first))]
    )
    df = _degrees_of_freedom(deviations, lengths)
    whole, half = estimate(first, second), quantile(0.95, df) * error
    return math.exp(whole), math.exp(whole - half), math.exp(whole + half), two_sided(whole / error, df)


def _tokens(random: np.random.Generator, n: int, tokenizers: int, effect: float = 0.0) -> tuple[list[Ints], Ints]:
    sizes = np.exp(random.normal(6, 1, n)).astype(np.int64) + 20
    rates = 0.25 * np.exp(random.normal(0, 0.05, (tokenizers, n)))
    return [np.rint(sizes * rate * (1 + effect * k)).astype(np.int64) for k, rate in enumerate(rates)], sizes


def test_all_pairs_are_the_obvious_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "BLOCK", 11)
    random = np.random.default_rng(7)
    for n in random.integers(FEWEST, 50, size=examples(12)):
        tokens, sizes = _tokens(random, int(n), 4, 0.01)
        found = compare_pairs(tokens, sizes, 0.95)
        assert list(found) == list(combinations(range(4), 2))
        for (i, j), one in found.items():
            expected = _naive_comparison(tokens[i].tolist(), tokens[j].tolist(), sizes.tolist())
            assert (one.ratio, one.low, one.high, one.p) == pytest.approx(expected, rel=1e-5)
            turned = compare_two(tokens[j], tokens[i], sizes, 0.95)
            assert turned.p == pytest.approx(one.p, rel=1e-5)
            assert turned.low is not None
            assert turned.low * (one.high or 0) == pytest.approx(1, rel=1e-6)


def test_identical_is_no_nan() -> None:
    tokens = ints(3, 1, 4, 1, 5, 9, 2, 6)
    one = compare_two(tokens, tokens.copy(), ints(*[9] * 8), 0.95)
    assert (one.identical, one.ratio, one.p, one.low, one.reason) == (True, 1.0, None, None, None)


def test_equal_totals_are_not_identical() -> None:
    one = compare_two(ints(3, 1, 4, 1, 5, 9, 2, 6), ints(1, 3, 4, 1, 5, 9, 2, 6), ints(*[9] * 8), 0.95)
    assert not one.identical
    assert (one.ratio, one.p) == (1.0, 1.0)


def test_as_many_times_the_tokens_in_every_document_is_judged_by_signs() -> None:
    tokens = ints(3, 1, 4, 1, 5, 9, 2, 6)
    one = compare_two(tokens * 3, tokens, ints(*[9] * 8), 0.95)
    assert (one.ratio, one.low, one.high, one.p, one.detectable) == (3.0, None, None, 2.0**-7, None)
    assert one.reason == "it is the same in every document"


def test_empty_documents_are_none_by_which_tokens_are_compared() -> None:
    """Lines of parallel text may be empty."""
    tokens = ints(3, 1, 4, 1, 5, 9, 2, 6, *[0] * 90)
    lengths = tokens * 4
    assert compare_two(tokens * 3, tokens, lengths, 0.95).p == 2.0**-7
    few = compare_two(tokens[1:] * 3, tokens[1:], lengths[1:], 0.95)
    assert (few.p, few.reason) == (None, "too few documents (7 of 97 have a part in it; an interval needs 8)")


def test_rounding_alone_makes_no_interval() -> None:
    lengths = ints(*[9] * 12)
    nothing = Undefined("it is the same in every document")
    same = np.full(12, 2.5) + np.array([0, 1e-15] * 6)
    assert intervals.jackknife_interval(2.5, same, lengths, 0.95) == nothing
    assert intervals.jackknife_interval(2.5, np.full(12, 2.4), lengths, 0.95) == nothing  # all alike: nothing varies
    assert mean_interval(same + 0.1, 0.95) == nothing
    assert ratio_interval(lengths * 3, lengths, 0.95) == nothing


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([3], [4], "too few documents (1;"),
        ([3] * 7, [4] * 7, "too few documents (7;"),
        ([0] * 9, [4] * 9, "one of the two has no tokens"),
        ([0] * 8 + [4], [1] * 9, "one document holds all of the tokens"),
    ],
)
def test_what_cannot_be_compared_has_a_reason(first: list[int], second: list[int], reason: str) -> None:
    for pair in ((first, second), (second, first)):
        one = compare_two(ints(*pair[0]), ints(*pair[1]), ints(*[5] * len(first)), 0.95)
        assert reason in (one.reason or "")
        assert (one.low, one.high, one.p, one.identical) == (None, None, None, False)


def test_no_documents_and_no_tokens_at_all() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert compare_two(none, none, none, 0.95).identical
    assert compare_two(ints(*[0] * 9), ints(*[0] * 9), ints(*[5] * 9), 0.95).identical
    assert compare_pairs([], none, 0.95) == {}
    assert compare_pairs([ints(1)], ints(1), 0.95) == {}


def test_a_difference_is_claimed_wrongly_as_seldom_as_promised() -> None:
    random = np.random.default_rng(11)
    number, wrong, hits = examples(2000), 0, 0
    for _ in range(number):
        (first, second), sizes = _tokens(random, 60, 2)
        one = compare_two(first, second, sizes, 0.95)
        assert one.p is not None
        wrong += one.p <= 0.05
        hits += (one.low or 9) <= 1 <= (one.high or 0)
    assert hits == number - wrong  # the interval and the probability are of one mind
    assert 0.03 - 0.01 <= wrong / number <= 0.07 + 0.01


@pytest.mark.parametrize(("documents", "tokenizers"), [(150, 2), (150, 8), (10, 8)])
def test_the_detectable_difference_is_found_four_times_out_of_five(documents: int, tokenizers: int) -> None:
    """By the verdict, which counts the pairs: at 8 tokenizers it would be twice out of five without that."""
    random = np.random.default_rng(13)
    number, found = examples(400), 0
    spread = [0.05, *[0.001] * (tokenizers - 1)]  # what all pairs of the first vary by is its own

    def compared(effect: float) -> tuple[list[float], float]:
        sizes = np.rint(100_000 * np.exp(random.normal(0, 0.1, documents))).astype(np.int64)
        rates = [0.25 * np.exp(random.normal(-(sigma**2) / 2, sigma, documents)) for sigma in spread]
        tokens = [np.rint(sizes * rate * (1 + effect * (k == 0))).astype(np.int64) for k, rate in enumerate(rates)]
        pairs = list(compare_pairs(tokens, sizes, 0.95).values())
        return [one.p for one in pairs if one.p is not None], pairs[0].detectable or 0

    effect = float(np.mean([compared(0.0)[1] for _ in range(number // 4)]))
    for _ in range(number):
        p_values, _ = compared(effect)
        found += holm(p_values)[0] <= 0.05
    assert POWER - 0.03 <= found / number <= POWER + 0.05


@pytest.mark.parametrize("df", [1, 2.5, 7, 30, 1000])
@pytest.mark.parametrize("pairs", [1, 28, 300])
def test_the_shift_gives_the_power_that_it_is_said_to(df: float, pairs: int) -> None:
    random = np.random.default_rng(5)
    t = quantile(1 - 0.05 / pairs, df)
    errors = np.sqrt(random.chisquare(df, 200_000) / df)
    power = float(np.mean((random.standard_normal(200_000) + paired._shift(t, df)) / errors > t))
    assert POWER - 0.004 <= power <= POWER + 0.025


def test_three_hundred_comparisons_can_still_separate() -> None:
    tokens, sizes = _tokens(np.random.default_rng(17), 500, 25, 0.03)
    p_values = [one.p for one in compare_pairs(tokens, sizes, 0.95).values() if one.p is not None]
    assert len(p_values) == 300
    assert sum(p <= 0.05 for p in holm(p_values)) > 290


def test_each_logarithm_is_taken_once_and_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes all pairs of many documents fast: not a logarithm a pair, not an array of all documents."""
    seen: list[int] = []
    log1p = np.log1p

    def counted(values: np.typing.NDArray[np.float64]) -> np.typing.NDArray[np.float64]:
        seen.append(len(values))
        found: np.typing.NDArray[np.float64] = log1p(values)
        return found

    monkeypatch.setattr(paired.np, "log1p", counted)
    n, tokenizers = 3 * columns.BLOCK + 5, 8
    tokens, sizes = _tokens(np.random.default_rng(19), n, tokenizers, 0.001)
    found = compare_pairs(tokens, sizes, 0.95)
    assert len(found) == 28
    assert sum(seen) == n * tokenizers
    assert max(seen) <= columns.BLOCK


def test_holm_by_hand() -> None:
    # sorted 0.005 0.01 0.03 0.04: times 4, 3, 2, 1, never falling
    assert holm([0.01, 0.04, 0.03, 0.005]) == [0.03, 0.06, 0.06, 0.02]
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([]) == []
    assert holm([0.2]) == [0.2]


def test_holm_is_the_step_down_procedure() -> None:
    random = np.random.default_rng(23)
    for _ in range(examples(100)):
        p_values = (random.random(int(random.integers(1, 12))) ** 4).tolist()
        order = sorted(range(len(p_values)), key=lambda i: p_values[i])
        rejected = set()
        for rank, place in enumerate(order):  # Holm's own words: go on until one is not small enough
            if p_values[place] > 0.05 / (len(p_values) - rank):
                break
            rejected.add(place)
        assert {i for i, p in enumerate(holm(p_values)) if p <= 0.05} == rejected


# ── how firm the best is ────────────────────────────────────────────────────────────────────────────────────


def test_the_shares_of_the_best() -> None:
    tokens, _ = _tokens(np.random.default_rng(29), 100, 3, 0.002)
    shares = best_shares(tokens, 1)
    assert sum(shares) == pytest.approx(1, abs=1e-5)
    assert shares == best_shares(tokens, 1)
    assert shares != best_shares(tokens, 2)
    naive = np.zeros(3)
    random = np.random.default_rng(31)
    for _ in range(RESAMPLES):
        drawn = random.integers(0, 100, 100)
        naive[np.argmin([int(array[drawn].sum()) for array in tokens])] += 1 / RESAMPLES
    assert shares == pytest.approx(naive.tolist(), abs=0.08)


def test_equals_share_the_first_place() -> None:
    array = ints(3, 1, 4, 1, 5)
    assert best_shares([array, array.copy(), array + 1], 1) == [0.5, 0.5, 0]
    assert best_shares([], 1) == []
    assert best_shares([ints(), ints()], 1) == [0.5, 0.5]


def test_groups_of_documents_vary_as_documents_do(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens, _ = _tokens(np.random.default_rng(37), 4000, 2, 0.0008)
    grouped = best_shares(tokens, 1)
    monkeypatch.setattr(ranks, "GROUPS", 4000)
    assert grouped == pytest.approx(best_shares(tokens, 1), abs=0.08)


# ── from counts to records ──────────────────────────────────────────────────────────────────────────────────


def _counts(name: str, n: int, tokenizers: Sequence[str], seed: int) -> CorpusCounts:
    tokens, sizes = _tokens(np.random.default_rng(seed), n, len(tokenizers), 0.02)
    cell = example(bytes=sizes.tolist(), tokens=tokens[0].tolist(), unknown=[0] * n, round_trips=n)
    counted = {
        tokenizer: replace(cell.tokenizer, name=tokenizer, tokens=array)
        for tokenizer, array in zip(tokenizers, tokens, strict=True)
    }
    return replace(cell.corpus, name=name, tokenizers=counted)


NAMES = ("a", "b", "c", "d")


def test_records_of_every_pair_on_every_corpus() -> None:
    corpora = [_counts("x", 300, NAMES, 1), _counts("few", 5, NAMES, 2)]
    found = list(comparison_records(corpora, NAMES, 0.95))
    pairs = list(combinations(NAMES, 2))
    assert [(c.corpus, c.first, c.second) for c in found] == [(c.name, *pair) for c in corpora for pair in pairs]
    of_x = found[:6]
    assert [c.p_holm for c in of_x] == holm([c.p or 0 for c in of_x])
    assert all(c.separable == ((c.p_holm or 0) <= 0.05) for c in of_x)
    assert any(c.separable for c in of_x)
    for c in found[6:]:
        assert (c.separable, c.p, c.p_holm, c.low) == (None, None, None, None)
        assert "too few" in (c.undefined_reason or "")
    assert list(comparison_records(corpora[:1], NAMES, 0.95)) == of_x  # whatever else is measured


def test_turned_is_the_comparison_of_the_second_with_the_first() -> None:
    corpus = _counts("x", 300, NAMES, 3)
    (one,) = comparison_records([corpus], ("a", "b"), 0.95)
    (other,) = comparison_records([corpus], ("b", "a"), 0.95)
    turned = one.turned()
    assert (turned.first, turned.second, turned.p, turned.separable) == ("b", "a", other.p, other.separable)
    assert (turned.ratio, turned.low, turned.high) == pytest.approx((other.ratio, other.low, other.high))


def test_ranks_are_of_what_loses_no_text_and_of_their_corpus_alone() -> None:
    corpora = [_counts("x", 300, NAMES, 4), _counts("few", 5, NAMES, 5)]
    lossy = replace(corpora[0].tokenizers["a"], round_trips=299)
    corpora[0] = replace(corpora[0], tokenizers={**corpora[0].tokenizers, "a": lossy})
    found = list(rank_records(corpora, NAMES, 17))
    assert [(r.corpus, r.tokenizer) for r in found] == [("x", "b"), ("x", "c"), ("x", "d")]
    assert list(rank_records(corpora[::-1], NAMES, 17)) == found
    assert list(rank_records(corpora, ("a", "b"), 17)) == []


def _regret(own: Ints, ideal: Ints, sizes: Ints) -> Value | Undefined:
    cell = example(bytes=sizes.tolist(), tokens=own.tolist(), unknown=[0] * len(own), ideal_tokens=ideal.tolist())
    return get_metric("regret").values(cell, 0.95)["micro"]


def test_regret_is_bounded_as_the_two_compared_are() -> None:
    """In two documents of 100 it takes a token or three more: that can be chance, though it never takes fewer."""
    (ideal, other), sizes = _tokens(np.random.default_rng(12), 100, 2, 0.02)
    own = ideal.copy()
    own[3] += 3
    own[70] += 1
    for one in (own, other):
        found, compared = _regret(one, ideal, sizes), compare_two(one, ideal, sizes, 0.95)
        assert isinstance(found, Value)
        assert found.low is not None
        assert compared.low is not None
        assert (found.low, found.high) == pytest.approx((compared.low - 1, (compared.high or 0) - 1), abs=1e-8)
    few = _regret(own, ideal, sizes)
    assert isinstance(few, Value)
    assert few.low is not None
    assert few.low < 0 < few.value
    home = _regret(ideal, ideal, sizes)
    assert isinstance(home, Value)
    assert (home.value, home.low, home.high) == (0.0, None, None)


# ── metrics ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_metric_has_an_interval_or_says_why_not() -> None:
    n = 12
    cell = example(
        bytes=[20 + k for k in range(n)],
        chars=[18 + k // 2 for k in range(n)],
        words=[4 + k % 3 for k in range(n)],
        tokens=[7 + k % 5 for k in range(n)],
        unknown=[k % 2 for k in range(n)],
        reference_tokens=[8 + k % 4 for k in range(n)],
        ideal_tokens=[6 + k % 4 for k in range(n)],
        round_trips=n,
        word_tokens=[5 + k % 4 for k in range(n)],
        cut_words=[1 + k % 2 for k in range(n)],
        multibyte=[3 + k % 5 for k in range(n)],
        cut_characters=[k % 3 for k in range(n)],
        number_places=[4 + k % 3 for k in range(n)],
        number_cuts=[3 + k % 3 for k in range(n)],
        number_hits=[1 + k % 3 for k in range(n)],
        other_languages={"xx": [9 + k % 3 for k in range(n)]},
        reference_language="xx",
    )
    for name, metric in METRICS.items():
        for value in metric.values(cell, 0.95).values():
            bounded = isinstance(value, Value) and value.low is not None
            if isinstance(value, Value):
                assert bounded != bool(metric.no_interval), name
            if isinstance(value, Value) and value.low is not None and value.high is not None:
                assert value.low <= value.value <= value.high, name
        assert all(v.low is None for v in metric.values(cell).values() if isinstance(v, Value)), name


def test_rates_without_an_exception_are_bounded() -> None:
    n = 50
    cell = example(bytes=[9] * n, tokens=[3] * n, unknown=[0] * n, round_trips=n)
    unknown = get_metric("unk_rate").values(cell, 0.95)["micro"]
    whole = get_metric("round_trip_rate").values(cell, 0.95)["micro"]
    assert isinstance(unknown, Value)
    assert isinstance(whole, Value)
    assert (unknown.low, whole.high) == (0, 1)
    assert unknown.high == pytest.approx(3 / n, rel=0.05)
    assert whole.low == pytest.approx(1 - 3 / n, rel=0.05)
