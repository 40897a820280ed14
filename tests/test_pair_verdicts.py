"""Verdicts between two tokenizers that two results have otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from commandline import evalkit
from report_example import results as few_results

from evalkit.compare import Differences, Side, compare
from evalkit.report import pair_verdicts
from evalkit.report.compared import headline, markdown, verdict_rows
from evalkit.results import ComparisonRecord, Results


def _pair(
    second: str, ratio: float, p: float | None, separable: bool | None, *, first: str = "small", **changes: object
) -> ComparisonRecord:
    found = ComparisonRecord(
        "stories", first, second, 60, ratio, ratio - 0.01, ratio + 0.01, p, None, separable, False, None, None
    )
    return replace(found, **changes)  # type: ignore[arg-type]


def _results(*pairs: ComparisonRecord) -> Results:
    return replace(few_results(), comparisons=pairs)


def _compared(one: Sequence[ComparisonRecord], two: Sequence[ComparisonRecord]) -> Differences:
    return compare(Side("A", _results(*one), {}), Side("B", _results(*two), {}))


MANY = [_pair(f"other{k}", 1.5, 0.5, False) for k in range(9)]


def test_a_verdict_that_more_tokenizers_turned_is_said_with_the_number_of_pairs() -> None:
    """The fault of before: "0 figures differ", while the report of one side said "not separable"."""
    found = _compared([_pair("large", 0.988, 0.01, False), *MANY], [_pair("large", 0.988, 0.01, True)])
    assert found.changes == ()
    assert headline(found)[-1].endswith("are equal; 1 verdict between tokenizers differs")
    assert verdict_rows(found) == [
        ["stories", "small", "large", "−1.2 %, not separable (10 pairs)", "−1.2 %, separable (1 pair)"]
    ]
    (note,) = pair_verdicts.notes(found.verdicts, every=False)
    assert "It changed by the number of pairs alone, with the same figures" in note
    assert note in markdown(found).replace("\\", "")
    assert "| −1.2 %, not separable (10 pairs) |" in markdown(found)


@pytest.mark.parametrize(
    ("before", "after", "cells"),
    [
        (
            _pair("large", 0.9, 0.001, True),
            _pair("large", 1.1, 0.001, True),
            ["−10.0 %, separable (1 pair)", "+10.0 %, separable (1 pair)"],
        ),
        (
            _pair("large", 1.002, 0.001, True),
            _pair("large", 1.002, 0.001, False, noise_floor=0.01),
            ["+0.20 %, separable (1 pair)", "+0.20 %, within training noise (1 pair)"],
        ),
        (
            _pair("large", 1.1, None, None),
            _pair("small", 1.0, None, False, first="large", identical=True),  # the other way round
            ["+10.0 %, not judged", "identical"],
        ),
    ],
)
def test_other_reasons_are_not_put_down_to_the_pairs(
    before: ComparisonRecord, after: ComparisonRecord, cells: list[str]
) -> None:
    found = _compared([before], [after])
    assert verdict_rows(found) == [["stories", "small", "large", *cells]]
    assert pair_verdicts.notes(found.verdicts, every=False) == []


def test_the_same_verdict_is_no_change() -> None:
    same = _pair("large", 0.9, 0.001, True)
    other = _pair("small", 1 / 0.8, 0.002, True, first="large")  # further apart, the other way round
    for found in (_compared([same], [other, *MANY]), _compared([same], MANY), _compared([], [])):
        assert found.verdicts == ()
        assert pair_verdicts.TITLE not in markdown(found)
        assert "verdict" not in headline(found)[-1]


def test_the_largest_are_listed_and_the_others_counted(tmp_path: Path) -> None:
    ratios = [1 + 0.01 * ((7 * k) % 15 + 1) for k in range(15)]
    sides = []
    for name, separable in (("one", True), ("two", False)):
        pairs = (_pair(f"other{k}", ratio, 0.01, separable) for k, ratio in enumerate(ratios))
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.json").write_text(_results(*pairs).to_json(), encoding="utf-8")
        sides.append(tmp_path / name)
    done = evalkit("compare", *sides)
    listed = [line for line in done.out.splitlines() if line.startswith("stories")]
    assert [line.split()[3] for line in listed] == [f"+{size}.0" for size in range(15, 5, -1)]
    assert pair_verdicts.TITLE in done.out
    assert "Of the verdicts between tokenizers 5 more are not listed (--all shows them)." in done.out
    done = evalkit("compare", *sides, "--all")
    assert sum(line.startswith("stories") and "pairs)" in line for line in done.out.splitlines()) == 15
    assert "not listed" not in done.out
