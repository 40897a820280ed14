"""Every metric has a case worked out by hand; the register refuses what it should."""

from __future__ import annotations

import doctest
import importlib
import math
import pkgutil
from dataclasses import replace
from typing import Any

import pytest

import evalkit.metrics
from evalkit.counts import Timing
from evalkit.errors import UserError
from evalkit.metrics import METRICS, Cell, get_metric, metric, metric_names, vocabulary_overlap
from evalkit.metrics.example import example
from evalkit.metrics.registry import Ratio, ints
from evalkit.mismatch import Match, Trained, match, truncations
from evalkit.values import Undefined, Value

# metric → (the cell's counts, the figures worked out by hand)
CASES: dict[str, tuple[dict[str, Any], dict[str, float]]] = {
    # 20 bytes / 8 tokens; (8/2 + 12/6) / 2
    "bytes_per_token": ({"bytes": [8, 12], "tokens": [2, 6]}, {"micro": 2.5, "macro": 3.0}),
    # 18 / 8; (8/2 + 10/6) / 2
    "chars_per_token": ({"chars": [8, 10], "tokens": [2, 6]}, {"micro": 2.25, "macro": (4 + 10 / 6) / 2}),
    "tokens": ({"tokens": [2, 6]}, {"sum": 8}),
    # 8 / 5; (2/2 + 6/3) / 2
    "fertility": ({"tokens": [2, 6], "words": [2, 3]}, {"micro": 1.6, "macro": 1.5}),
    # 8 / 10; (2/4 + 6/6) / 2
    "normalized_length": ({"tokens": [2, 6], "reference_tokens": [4, 6]}, {"micro": 0.8, "macro": 0.75}),
    # 8 / 5 − 1; ((2/2 − 1) + (6/3 − 1)) / 2
    "regret": ({"tokens": [2, 6], "ideal_tokens": [2, 3]}, {"micro": 0.6, "macro": 0.5}),
    # 2 / 8; (0/2 + 2/6) / 2
    "unk_rate": ({"tokens": [2, 6], "unknown": [0, 2]}, {"micro": 0.25, "macro": 1 / 6}),
    "round_trip_rate": ({"round_trips": 1}, {"micro": 0.5}),
    # 10 / 5; (4/2 + 6/3) / 2
    "premium": (
        {"tokens": [4, 6], "other_languages": {"de": [9, 9], "en": [2, 3]}, "reference_language": "en"},
        {"micro": 2.0, "macro": 2.0},
    ),
    # 12 and 4: |12 − 4| · 2 / (2 · 2² · 8)
    "gini_premium": (
        {"tokens": [4, 8], "other_languages": {"en": [1, 3]}, "reference_language": "en"},
        {"micro": 0.25},
    ),
    # 3 of 5 − 1 ids occurred
    "vocab_utilization": (
        {"id_counts": [3, 4, 0, 1], "vocab_size": 5, "special_ids": [4]},
        {"micro": 0.75},
    ),
    # 2,000,000 bytes in the median of 0.5 s, 0.1 s and 4 s
    "encode_mb_per_s": (
        {"timing": Timing(2_000_000, (500_000_000, 100_000_000, 4_000_000_000))},
        {"micro": 4.0},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_case_worked_out_by_hand(name: str) -> None:
    counts, expected = CASES[name]
    found = get_metric(name).values(example(**counts))
    assert set(found) == set(expected)
    for aggregation, value in found.items():
        assert isinstance(value, Value)
        assert value.value == pytest.approx(expected[aggregation], rel=1e-12)
        assert value.unit == METRICS[name].unit
        assert value.n == 2


def test_every_metric_of_these_files_has_a_case() -> None:
    ours = {name for name, m in METRICS.items() if m.compute.__module__.rsplit(".", 1)[-1] in _OWN_FILES}
    assert ours == set(CASES)


_OWN_FILES = ("compression", "integrity", "languages", "per_word", "speed", "vocabulary")


def test_every_metric_says_what_it_is_and_shows_an_example() -> None:
    assert metric_names() == list(METRICS)
    for name, found in METRICS.items():
        assert found.definition, name
        assert found.unit, name
        assert found.evidence in ("supported", "contested", "none"), name
        assert found.version >= 1, name
        assert ">>>" in (found.compute.__doc__ or ""), f"{name} has no worked example"
        assert found.evidence == "none" or found.citation, f"{name} names no paper"


def test_the_examples_in_the_docstrings_are_right() -> None:
    for info in pkgutil.iter_modules(evalkit.metrics.__path__, "evalkit.metrics."):
        failed, _ = doctest.testmod(importlib.import_module(info.name))
        assert failed == 0, info.name


# ── what can't be computed is undefined, with the reason ────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "counts", "reason"),
    [
        ("fertility", {"words": None}, "no segmenter"),
        ("fertility", {"words": [0, 0]}, "denominator is 0"),
        ("normalized_length", {}, "no reference"),
        ("regret", {}, "nothing was trained"),
        ("encode_mb_per_s", {}, "not timed"),
        ("vocab_utilization", {"vocab_size": 1}, "no token that text could give"),
        ("bytes_per_token", {"bytes": [], "tokens": [], "unknown": []}, "denominator is 0"),
        ("round_trip_rate", {"bytes": [], "round_trips": 0}, "no document"),
    ],
)
def test_undefined_has_a_reason(name: str, counts: dict[str, Any], reason: str) -> None:
    for value in get_metric(name).values(example(**counts)).values():
        assert isinstance(value, Undefined)
        assert reason in value.reason


def test_an_undefined_vocabulary_makes_its_metrics_undefined() -> None:
    cell = example()
    for change in ({"vocab_size": Undefined("open")}, {"id_counts": Undefined("not counted")}):
        changed = replace(cell, tokenizer=replace(cell.tokenizer, **change))  # type: ignore[arg-type]
        assert isinstance(get_metric("vocab_utilization").compute(changed), Undefined)


def test_macro_is_over_documents_that_have_a_ratio_and_n_says_so() -> None:
    found = Ratio(ints(4, 3), ints(2, 0)).macro("x")
    assert found == Value(2.0, "x", 1)


def test_micro_is_over_documents_that_have_a_part_and_n_says_so() -> None:
    """With a number in 3 of 100 documents there is no interval over documents, as of the mean there is none."""
    none = [0] * 97
    some = [5, 4, 3, *none]
    cuts = {"number_places": some, "number_cuts": some, "number_hits": [1, 3, 1, *none]}
    cell = example(bytes=[9] * 100, tokens=[3] * 100, unknown=[0] * 100, **cuts)
    for found in get_metric("digit_boundary_f1").values(cell, 0.95).values():
        assert isinstance(found, Value)
        assert (found.n, found.low, found.high) == (3, None, None)
    assert Ratio(ints(4, 0, 0), ints(2, 0, 1)).micro("x") == Value(4 / 3, "x", 2)


@pytest.mark.parametrize(
    "use",
    [
        bool,
        float,
        int,
        len,
        list,
        abs,
        round,
        lambda u: sum([u]),
        lambda u: u + 1,
        lambda u: 1 - u,
        lambda u: u * 2,
        lambda u: 2 / u,
        lambda u: u > 0,
        lambda u: f"{u:.2f}",
        lambda u: u or 0,
    ],
)
def test_undefined_is_no_number(use: Any) -> None:
    with pytest.raises(TypeError, match="undefined: no words"):
        use(Undefined("no words"))


def test_values_are_finite_and_undefined_has_a_reason() -> None:
    for wrong in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match="Undefined"):
            Value(wrong, "x", 1)
    with pytest.raises(ValueError, match="two ends"):
        Value(1.0, "x", 1, low=0.5)
    with pytest.raises(ValueError, match="reason"):
        Undefined("")


# ── the register ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_name_is_given_once() -> None:
    def tokens(cell: Cell) -> Any:
        raise AssertionError

    with pytest.raises(ValueError, match="registered already"):
        metric(unit="x", higher_is_better=None, definition="x", evidence="none")(tokens)


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(UserError, match="did you mean 'bytes_per_token'"):
        get_metric("byte_per_token")


# ── overlap and mismatch ────────────────────────────────────────────────────────────────────────────────────


def test_overlap_is_over_bytes() -> None:
    # Both tokens are U+FFFD when decoded, and are different bytes.
    found = vocabulary_overlap({b"\xe4", b"a"}, {b"\xe5", b"a", b"b"})
    assert not isinstance(found, Undefined)
    assert (found.shared, found.jaccard) == (1, 0.25)
    assert (found.first_in_second, found.second_in_first) == (0.5, 1 / 3)
    assert isinstance(vocabulary_overlap(set(), {b"a"}), Undefined)


KNOWN = {
    t.name: t
    for t in (
        Trained("a-small", "gpt2", 400, ("a",)),
        Trained("a-large", "gpt2", 900, ("a",)),
        Trained("b", "gpt2", 600, ("b",)),
        Trained("b-huge", "gpt2", 2000, ("b",)),
        Trained("mix", "gpt2", 800, ("a", "b")),
        Trained("zh", "zh", 800, ("a",)),
    )
}


@pytest.mark.parametrize(
    ("name", "corpus", "ideal", "size", "cuts"),
    [
        ("b", "a", "a-large", 600, [("a-large", 600)]),  # the smallest that is at least as large
        ("b-huge", "a", "a-large", 900, [("b-huge", 900)]),  # none is: the largest, and this one is cut
        ("mix", "b", "b-huge", 800, [("b-huge", 800)]),
        ("a-small", "a", "a-small", 400, []),
        ("zh", "a", "zh", 800, []),
    ],
)
def test_the_partner_at_home(name: str, corpus: str, ideal: str, size: int, cuts: list[tuple[str, int]]) -> None:
    found = match(name, corpus, KNOWN)
    assert isinstance(found, Match)
    assert (found.ideal.name, found.size, found.cut()) == (ideal, size, cuts)


def test_no_partner_is_undefined() -> None:
    assert isinstance(match("zh", "b", KNOWN), Undefined)  # no zh was trained on b
    published = match("cl100k", "a", KNOWN)
    assert isinstance(published, Undefined)
    assert published.reason == "regret is between tokenizers that are trained here, and this one was not"
    assert truncations(["c"], KNOWN) == {"c": []}
