"""The gate over whole suites."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalkit.gate import GateOptions, GateReport, run_gate
from evalkit.gate.documents import LEAST_CHARACTERS
from evalkit.gate.rerun import rerun_file
from evalkit.suite import load_suite, parse_suite

SUITE = """
version: 1
name: small
seed: 3
corpora:
  a: {files: [a.txt], separator: "\\n"}
  b: {files: [b.txt], separator: "\\n"}
tokenizers:
  - {name: one, variant: gpt2, train_on: a, vocab_size: 300, special_tokens: ["<s>"]}
  - {name: two, variant: gpt2, train_on: a, vocab_size: 300, special_tokens: ["<s>"]}
  - {name: other, variant: digit1, train_on: b, vocab_size: [258, 260]}
  - {name: floor, baseline: bytes}
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.txt").write_text("\n".join(f"low lower {n} lowest" for n in range(60)), encoding="utf-8")
    (tmp_path / "b.txt").write_text("\n".join(f"newer {n} 新的 newest" for n in range(60)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def run(gate_part: str = "", **options: Any) -> GateReport:
    return run_gate(parse_suite(SUITE + (f"gate: {gate_part}\n" if gate_part else "")), GateOptions(**options))


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little generated text, for tests that are about something else."""
    monkeypatch.setattr("evalkit.gate.run.GENERATED_BYTES", 500)


def test_a_small_suite_passes(small: Path) -> None:
    seen: list[str] = []
    report = run_gate(parse_suite(SUITE), GateOptions(), lambda stage, done, total: seen.append(stage))
    assert report.exit_code == 0
    assert {v.corpus for v in report.verdicts} == {"a", "b", "hostile", "generated", None}
    assert {(v.tokenizer, v.outcome) for v in report.verdicts if v.check == "training"} == {
        ("one", "pass"),
        ("two", "pass"),
        ("other", "pass"),
        ("other@258", "not_measured"),
    }
    assert {v.tokenizer for v in report.verdicts} == {"one", "two", "other@258", "other"}
    assert report.notes == ("floor is a baseline and has no paths to compare",)
    assert not (small / "gate-failures").exists()
    assert {"gate a", "gate generated"} <= set(seen)
    assert all(one.share == 1.0 for one in report.coverage)


def test_the_suite_selects_checks(small: Path, light: None) -> None:
    report = run("{consistency: [batch, round_trip]}")
    assert {v.check for v in report.verdicts} == {"batch", "round_trip"}


def test_a_budget_is_covered_by_what_it_says(small: Path, light: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("evalkit.gate.documents", fromlist=["PACE"]).PACE, "native", 300)
    report = run("{consistency: [batch, reference]}", budget=100.0)  # which no machine takes
    hostile = next(one for one in report.coverage if one.corpus == "hostile")
    assert 0 < hostile.documents < hostile.of_documents
    assert 0 < hostile.share < 0.5 or hostile.documents == 1
    again = run("{consistency: [batch, reference]}", budget=100.0)
    assert [replace(one, stopped=False) for one in again.coverage if not one.stopped] == [
        replace(one, stopped=False) for one in report.coverage if not one.stopped
    ]


def test_a_budget_that_is_too_short_says_what_it_takes(
    small: Path, light: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalkit.gate.run.OVER_SECONDS", 0)
    report = run("{consistency: [batch, save_load, training]}", budget=0.0001)
    assert report.exit_code == 0
    assert all(0 < one.bytes <= 4 * LEAST_CHARACTERS for one in report.coverage)
    assert any(one.stopped for one in report.coverage)
    [note] = [note for note in report.notes if "budget" in note]
    assert "more than the budget of 0.0001 s" in note
    assert f"the beginning of every corpus ({len(report.coverage)}) with every tokenizer (4)" in note
    assert not [note for note in run("{consistency: [batch]}", budget=100).notes if "budget" in note]


def test_a_metric_that_fails_leaves_the_other_verdicts(small: Path, light: None) -> None:
    (small / "gate_metric.py").write_text(
        "from evalkit.metrics import Ratio, own_metric\n"
        "@own_metric(unit='u', higher_is_better=True, definition='fails')\n"
        "def failing(cell): raise ZeroDivisionError('no words')\n"
    )
    thresholds = "thresholds: [{metric: failing, tokenizer: one, corpus: a, min: 1}]"
    text = (
        f"{SUITE}measure: {{metrics: [python: 'gate_metric:failing']}}\ngate: {{consistency: [batch], {thresholds}}}\n"
    )
    report = run_gate(parse_suite(text), GateOptions(trust=True, baseline=small / "b.json", update_baseline=True))
    assert report.exit_code == 2
    assert {v.outcome for v in report.verdicts if v.check == "batch"} == {"pass"}
    [missing] = [v for v in report.verdicts if v.check == "threshold"]
    assert (missing.outcome, missing.corpus) == ("missing", "a")
    assert (
        "failing is not there: the metric failing (python: gate_metric:failing) on a with one failed: Zero"
        in missing.detail
    )
    assert {v.outcome for v in report.verdicts if v.check == "baseline"} == {"missing"}
    assert any("was not written, since there are no figures" in note for note in report.notes)
    assert not (small / "b.json").exists()


def test_equivalent_tokenizers(small: Path, light: None) -> None:
    report = run("{consistency: [count], equivalent: [[one, two]]}")
    assert report.exit_code == 0
    assert {v.tokenizer for v in report.verdicts if v.check == "equivalent"} == {"one"}
    report = run("{consistency: [count], equivalent: [[one, two, other]]}")
    failed = report.of("fail")
    assert {(v.check, v.tokenizer) for v in failed} == {("equivalent", "one")}
    assert all(v.detail.startswith("other: ids changed") for v in failed)
    assert report.exit_code == 1
    case = failed[0].case
    assert case == str(Path("gate-failures/1.json"))


def test_equivalent_tokenizers_have_the_same_special_tokens(small: Path, light: None) -> None:
    suite = SUITE.replace('300, special_tokens: ["<s>"]}', '300, special_tokens: ["<s>", "<t>"]}', 1)
    suite = suite.replace('300, special_tokens: ["<s>"]}', '300, special_tokens: ["<t>", "<s>"]}')
    path = small / "suite.yaml"
    path.write_text(f"{suite}gate: {{consistency: [count], equivalent: [[one, two]]}}\n")
    report = run_gate(load_suite(path))
    failed = [v for v in report.of("fail") if v.corpus == "a"]
    assert [v.check for v in failed] == ["equivalent"]
    assert failed[0].detail.startswith("two, all allowed: ids changed: 1 on both sides")
    assert rerun_file(small / str(failed[0].case))[0].outcome == "fail"


def test_a_failure_is_run_again_from_its_file(small: Path, light: None) -> None:
    suite = small / "suite.yaml"
    suite.write_text(SUITE + "gate: {consistency: [count], equivalent: [[one, other]]}\n")
    report = run_gate(load_suite(suite), GateOptions(failures=small / "failures"))
    assert sorted(path.name for path in (small / "failures").iterdir()) == [
        f"{number}.json" for number in range(1, len(report.of("fail")) + 1)
    ]
    verdict, changed = rerun_file(small / "failures" / "1.json")
    assert (verdict.outcome, changed) == ("fail", None)
    suite.write_text(suite.read_text().replace("vocab_size: 300", "vocab_size: 262"))
    assert "fingerprint" in (rerun_file(small / "failures" / "1.json")[1] or "")


def test_a_verdict_is_not_lost_where_its_file_cannot_be_written(small: Path, light: None) -> None:
    (small / "full").write_text("")
    parsed = parse_suite(SUITE + "gate: {consistency: [count], equivalent: [[one, other]]}\n")
    report = run_gate(parsed, GateOptions(failures=small / "full" / "failures"))
    assert report.exit_code == 1
    assert all(v.case is None and "could not be written to" in v.detail for v in report.of("fail"))
    assert all(v.divergence is not None for v in report.of("fail"))


def test_verdicts_are_not_lost_where_the_baseline_cannot_be_written(small: Path, light: None) -> None:
    (small / "full").write_text("")
    options = GateOptions(baseline=small / "full" / "b.json", update_baseline=True)
    report = run_gate(parse_suite(SUITE + "gate: {consistency: [count]}\n"), options)
    assert report.exit_code == 2
    [missing] = report.of("missing")
    assert "the baseline can't be written to" in missing.detail
    assert report.of("pass")
