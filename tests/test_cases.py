"""Every case of ``tests/cases``: faults that people met in tokenizer tools, with the right answers."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cases import run_encode, run_files, run_report, run_split, run_suite, run_train  # noqa: F401  (they register)
from cases.model import RUNNERS, Case, Check, Here, load_cases
from cases.texts import letters
from engines import ENGINES
from shared_files import shared

from tokenizers_impl import engine

CASES = load_cases()
NUMBERS = (
    1, 2, 5, 6, 8, 10, 12, 14, 16, 18, 20, 21, 22, 24, 25, 26, 27, 28, 29, 30, 32, 34,
    36, 38, 41, 43, 45, 48, 49, 50, 52, 53, 55, 58, 59, 60, 61, 62, 64, 66, 68, 69, 71,
)  # fmt: skip
PUBLIC = [f"BR{number:02d}" for number in NUMBERS]


def _runs() -> Iterator[Any]:
    for case in CASES:
        for number, check in enumerate(case.checks, 1):
            for engine_name in check.engines:
                name = f"{case.id}-{number}-{check.run}-{engine_name}"
                yield pytest.param(case, check, engine_name, id=name)


@pytest.mark.parametrize(("case", "check", "engine_name"), list(_runs()))
def test_case(case: Case, check: Check, engine_name: str, tmp_path: Path) -> None:
    with engine.use(engine_name):
        RUNNERS[check.run](Here(engine_name, tmp_path), **check.arguments)


# ── the data itself ─────────────────────────────────────────────────────────────────────────────────────────


def test_every_report_is_a_case() -> None:
    assert [case.id for case in CASES] == PUBLIC


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_case_is_whole(case: Case) -> None:
    assert re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", case.source)
    assert re.fullmatch(r"[A-Z].{40,}[^.]\.", case.what)
    assert case.checks
    for check in case.checks:
        assert check.run in RUNNERS
        assert set(check.engines) <= set(ENGINES)
        assert check.engines
        inspect.signature(RUNNERS[check.run]).bind(None, **check.arguments)


def test_every_runner_is_used() -> None:
    assert {check.run for case in CASES for check in case.checks} == set(RUNNERS)


def test_most_cases_run_on_both_engines() -> None:
    both = [case for case in CASES if {name for check in case.checks for name in check.engines} == set(ENGINES)]
    assert len(both) > 35


def test_letters_are_those_of_the_data() -> None:
    assert letters(12, 1) == "eszycidpyopu"


# ── the reports, where they are at hand ─────────────────────────────────────────────────────────────────────


def _numbers(value: Any) -> Iterator[tuple[int, ...]]:
    """Every list of two or more whole numbers in a value."""
    if isinstance(value, dict):
        for item in value.values():
            yield from _numbers(item)
    elif isinstance(value, list):
        if len(value) > 1 and all(type(item) is int for item in value):
            yield tuple(value)
        for item in value:
            yield from _numbers(item)


def test_the_answers_are_those_of_the_reports() -> None:
    """Every list of ids in a report's answer stands in our data, as right or as wrong as it is there."""
    path = shared("cases/public-reports.jsonl")
    reports = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    assert [report["id"] for report in reports] == PUBLIC
    for report, case in zip(reports, CASES, strict=True):
        assert report["source"] == case.source, case.id
        assert report["symptom"] != case.what
        ours = {numbers for check in case.checks for numbers in _numbers(check.arguments)}
        theirs = {
            tuple(map(int, found.split(","))) for found in re.findall(r"\[(\d+(?:, ?\d+)+)\]", report["expected"])
        }
        assert theirs <= ours, case.id
        data = set(re.findall(r"\d+(?:\.\d+)?", json.dumps([check.arguments for check in case.checks])))
        answer = re.sub(r"\(\w+ 0\.14 took.*?\)|\w+ \d+\.\d+", "", report["expected"])  # times, versions
        for figure in re.findall(r"(?<![\w.,+-])\d+\.\d+(?![\w.])", answer):
            assert figure in data, (case.id, figure)
