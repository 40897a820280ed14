"""A cost of a foreign vocabulary is one where it can be told from chance, and from what training alone makes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_example import counts, results

from evalkit.fair_records import LossRecord, MatchedRecord
from evalkit.mismatch import Trained
from evalkit.pipeline import Options, run_suite
from evalkit.report import mismatch
from evalkit.report.regrets import doubt
from evalkit.report.verdict import opening
from evalkit.results import MatchRecord, Results, parse_results
from evalkit.rows import match_records
from evalkit.stability import Stability
from evalkit.suite import load_suite

ON_ZH, ON_STORIES = ("zh", "small"), ("stories", "large")
"""1.25 and 0.33, of three matches that aren't at home."""


def _with(
    bounds: dict[tuple[str, str], tuple[float, float]], floors: dict[tuple[str, str], float] | None = None
) -> Results:
    found, floors = results(), floors or {}
    rows = tuple(
        replace(row, low=bounds[key][0], high=bounds[key][1])
        if row.metric == "regret" and row.aggregation == "micro" and (key := (row.corpus, row.tokenizer)) in bounds
        else row
        for row in found.rows
    )
    matches = tuple(replace(m, noise_floor=floors.get((m.corpus, m.tokenizer))) for m in found.matches)
    return replace(found, rows=rows, matches=matches)


def _match(found: Results, key: tuple[str, str]) -> MatchRecord:
    return next(m for m in found.matches if (m.corpus, m.tokenizer) == key)


def _sentence(found: Results) -> str:
    return next(line for line in opening(found).splitlines() if "cost of a foreign vocabulary" in line)


ZH = "`small` needs 125.0 % more tokens on zh than `large`, which was trained on it, both at 300 entries"
STORIES = "`large` needs 33.3 % more tokens on stories than `small`, which was trained on it, both at 300 entries"
HOLDS, HOLDS_TOO, MAY_BE_NONE = (0.9, 1.6), (0.1, 0.6), (-0.2, 2.5)


@pytest.mark.parametrize(
    ("bounds", "floors", "said", "mark"),
    [
        ({ON_ZH: HOLDS}, {}, f"- The greatest cost of a foreign vocabulary: {ZH}.", ""),
        ({ON_ZH: HOLDS}, {ON_ZH: 1.2}, f"- The greatest cost of a foreign vocabulary: {ZH}.", ""),
        (
            {ON_ZH: MAY_BE_NONE},
            {},
            f"- The greatest cost of a foreign vocabulary: {ZH}: not separable from each other.",
            " ≈",
        ),
        (
            {ON_ZH: HOLDS},
            {ON_ZH: 1.3},
            f"- The greatest cost of a foreign vocabulary: {ZH}: not separable from each other, since training on "
            "another text of the kind alone makes 130.0 %.",
            " ~",
        ),
        (
            {},
            {},
            f"- The greatest cost of a foreign vocabulary: {ZH}; whether that holds on other documents can't be told.",
            " ?",
        ),
        (
            {ON_ZH: MAY_BE_NONE, ON_STORIES: HOLDS_TOO},
            {},
            f"- The greatest separable cost of a foreign vocabulary: {STORIES}.",
            " ≈",
        ),
    ],
)
def test_the_sentence_and_the_matrix_take_its_doubt(
    bounds: dict[tuple[str, str], tuple[float, float]],
    floors: dict[tuple[str, str], float],
    said: str,
    mark: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = _with(bounds, floors)
    assert _sentence(found) == said
    assert doubt(found, _match(found, ON_ZH)) == mark.strip()
    row = next(line for line in mismatch.section(found).splitlines() if line.startswith("| `small`"))
    interval = ""
    if ON_ZH in bounds:
        interval = " (90.0–160.0)" if bounds[ON_ZH] == HOLDS else " (−20.0 to 250.0)"
    assert row.endswith(f"; +125.0 %{interval}{mark} |")
    assert "**4.00 home**" in row, "no doubt of what is at home"
    losses = mismatch.losses(replace(found, losses=(_loss(found),)))
    assert ("not separable" in losses) == (mark in (" ≈", " ~"))
    assert ("can't be told" in losses) == (mark == " ?")


def _loss(found: Results) -> LossRecord:
    pair = replace(found.differences[0], corpus="zh", first="small", second="large", first_total=45, second_total=20)
    return LossRecord("zh", "small", "large", 300, pair, 300, 10, None, (), 0, ())


def test_the_test_of_the_two_at_that_size_decides_too() -> None:
    """It is corrected for the number of pairs, which the interval isn't."""
    found = _with({ON_ZH: HOLDS})

    def at_size(size: int, **of_small: Any) -> str:
        best = MatchedRecord("zh", size, "large", 20, 3.0, more=0.0)
        other = replace(best, tokenizer="small", tokens=45, **of_small)
        return doubt(replace(found, matched=(best, other)), _match(found, ON_ZH))

    assert at_size(300, more=1.25, separable=False) == "≈"
    assert at_size(300, more=1.25, separable=True) == ""
    assert at_size(300, more=1.25, separable=None) == ""
    assert at_size(290, more=1.25, separable=False) == "", "of another size"
    equal = tuple(replace(t, vocab_size=300) for t in found.tokenizers)
    pair = found.comparison("zh", "small", "large")
    assert pair is not None
    for separable, mark in ((False, "≈"), (True, "")):
        of_own = replace(found, tokenizers=equal, comparisons=(replace(pair, separable=separable),))
        assert doubt(of_own, _match(of_own, ON_ZH)) == mark
    uneven = replace(found, comparisons=(replace(pair, separable=False),))
    assert doubt(uneven, _match(uneven, ON_ZH)) == "", "they were compared at their own sizes"


def test_the_floor_is_of_the_two_at_their_common_size() -> None:
    known = {
        "small": Trained("small", "gpt2", 300, ("stories",)),
        "large": Trained("large", "gpt2", 400, ("zh",)),
    }
    again = {
        ("zh", "small"): (45, 46, 44),
        ("zh", "large"): (30, 45, 25),
        ("zh", "large@300"): (20, 21, 20),
    }
    stability = Stability(3, again)
    found = {(m.corpus, m.tokenizer): m for m in match_records(counts(), known, stability)}
    noise = stability.noise("zh", "small", "large@300", 0.95)
    assert found[ON_ZH].noise_floor == getattr(noise, "floor", None)
    assert found[ON_ZH].noise_floor is not None
    assert found["zh", "large"].noise_floor is None, "it is at home"
    assert found[ON_STORIES].noise_floor is None, "nothing was counted there"


def test_results_without_floors_are_as_they_were() -> None:
    found = results()
    assert "noise_floor" not in str(found._content()["matches"])
    floors = _with({}, {ON_ZH: 0.5})
    again = parse_results(floors.to_json())
    assert _match(again, ON_ZH).noise_floor == 0.5
    assert again.digest == floors.digest != found.digest


def test_what_regret_is_cut_to_is_trained_again_too(tmp_path: Path) -> None:
    """At 290 entries and at 265, to which the larger of the two at home, and its rung, are cut."""
    stories = [f"A fox had {n} apples, {n * 7} pears and a {'red' * (n % 3)} hat." for n in range(60)]
    (tmp_path / "stories.txt").write_text("\n".join(stories), encoding="utf-8")
    logs = [f"{n:05d} GET /pears/{n * 31} {'warning' * (n % 2)} ok" for n in range(60)]
    (tmp_path / "logs.txt").write_text("\n".join(logs), encoding="utf-8")
    (tmp_path / "suite.yaml").write_text(
        "version: 1\nname: s\ncorpora:\n  stories: {files: [stories.txt], document: line}\n"
        "  logs: {files: [logs.txt], document: line}\ntokenizers:\n"
        "  - {name: a, variant: gpt2, train_on: stories, vocab_size: [270, 300]}\n"
        "  - {name: b, variant: gpt2, train_on: logs, vocab_size: [265, 290]}\n"
        "measure: {stability: 3, metrics: [bytes_per_token, regret]}\n",
        encoding="utf-8",
    )
    found = run_suite(load_suite(tmp_path / "suite.yaml"), Options(cache=False, threads=1))
    abroad = [m for m in found.matches if (m.corpus, m.ideal) in (("stories", "a"), ("stories", "a@270"))]
    assert [(m.tokenizer, m.size) for m in abroad if m.ideal != m.tokenizer] == [("b@265", 265), ("b", 290)]
    assert all(m.noise_floor is not None for m in abroad if m.ideal != m.tokenizer)
