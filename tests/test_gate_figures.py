"""The gate's bounds and baselines, and its report as text."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from evalkit.errors import UserError
from evalkit.gate import Coverage, Divergence, GateOptions, GateReport, Verdict, not_run, render, run_gate
from evalkit.gate.baseline import (
    Baseline,
    CorpusBaseline,
    MetricBaseline,
    compare,
    read_baseline,
    write_baseline,
)
from evalkit.gate.divergence import Run
from evalkit.gate.thresholds import judge_thresholds
from evalkit.results import Row
from evalkit.suite import parse_suite
from evalkit.suite_gate import ThresholdSpec


def row(value: float | None, aggregation: str = "micro", **rest: Any) -> Row:
    reason = None if value is not None else "no words"
    content: dict[str, Any] = {
        "corpus": "web",
        "split": "all",
        "domain": "web",
        "language": "en",
        "tokenizer": "t",
        "metric": "fertility",
        "aggregation": aggregation,
        "value": value,
        "low": None,
        "high": None,
        "unit": "tokens/word",
        "n": 5,
        "higher_is_better": False,
        "evidence": "supported",
        "undefined_reason": reason,
    }
    return Row(**{**content, **rest})


def bound(**bounds: Any) -> ThresholdSpec:
    return ThresholdSpec(metric="fertility", tokenizer="t", corpus="web", **bounds)


@pytest.mark.parametrize(
    ("bounds", "rows", "outcome", "says"),
    [
        ({"min": 1.0}, [row(1.5)], "pass", "fertility (micro) is 1.5 tokens/word, within min 1"),
        ({"min": 1.0, "max": 2.0}, [row(1.5)], "pass", "within min 1 and max 2"),
        ({"min": 1.5, "max": 1.5}, [row(1.5)], "pass", "within"),
        ({"min": 2.0}, [row(1.5)], "fail", "below min 2"),
        ({"max": 1.0}, [row(1.5)], "fail", "above max 1"),
        ({"max": 1.0}, [row(None)], "missing", "undefined: no words"),
        ({"max": 1.0}, [], "missing", "it was not measured"),
        ({"max": 1.0}, [row(0.5, tokenizer="u")], "missing", "it was not measured"),
        ({"max": 1.0}, [row(0.5), row(1.5, "macro")], "pass", "(micro) is 0.5"),
        ({"max": 1.0, "aggregation": "macro"}, [row(0.5), row(1.5, "macro")], "fail", "(macro) is 1.5"),
        ({"max": 9.0}, [row(7, "sum")], "pass", "(sum) is 7"),
        (
            {"max": 1.6, "bound": "high"},
            [row(1.5, low=1.3, high=1.7)],
            "fail",
            "high end of its interval 1.7, above max",
        ),
        ({"max": 1.6}, [row(1.5, low=1.3, high=1.7)], "pass", "within"),
        ({"min": 1.2, "bound": "low"}, [row(1.5, low=1.3, high=1.7)], "pass", "low end of its interval 1.3, within"),
        ({"min": 1.2, "bound": "low"}, [row(1.5)], "missing", "has no interval, and bound is low"),
        (
            {"min": 1.2, "bound": "low"},
            [replace(row(1.5), n=3)],
            "missing",
            "bound is low: too few documents (3; an interval needs 8)",
        ),
        ({"limit": 1.6}, [row(1.5)], "pass", "within max 1.6"),
        ({"limit": 1.4}, [row(1.5)], "fail", "above max 1.4"),
        ({"limit": 1.4}, [row(1.5, higher_is_better=True)], "pass", "within min 1.4"),
        ({"limit": 1.6}, [row(1.5, higher_is_better=True)], "fail", "below min 1.6"),
        ({"limit": 1.6}, [row(1.5, higher_is_better=None)], "missing", "no better side"),
        (
            {"limit": 1.6, "bound": "interval"},
            [row(1.5, low=1.3, high=1.7)],
            "fail",
            "high end of its interval 1.7, above max 1.6",
        ),
        (
            {"min": 1.2, "max": 1.8, "bound": "interval"},
            [row(1.5, low=1.3, high=1.7)],
            "pass",
            "its interval 1.3 to 1.7, within min 1.2 and max 1.8",
        ),
        (
            {"min": 1.4, "max": 1.8, "bound": "interval"},
            [row(1.5, low=1.3, high=1.7)],
            "fail",
            "low end of its interval 1.3, below min 1.4",
        ),
        ({"max": 1.8, "bound": "interval"}, [row(1.5)], "missing", "has no interval, and bound is interval"),
        ({"max": 9.0, "aggregation": "macro"}, [row(7, "sum")], "missing", "there is only sum"),
        ({"max": 9.0, "aggregation": "macro"}, [row(None)], "missing", "undefined: no words"),
    ],
)
def test_thresholds(bounds: dict[str, Any], rows: list[Row], outcome: str, says: str) -> None:
    verdicts = list(judge_thresholds([bound(**bounds)], rows))
    assert [verdict.outcome for verdict in verdicts] == [outcome]
    assert says in verdicts[0].detail


def test_a_threshold_has_one_name_whatever_comes_of_it() -> None:
    """The fault of before: JUnit's cases were named by what was found, so that two could have one name."""
    bounds = [bound(min=1.0), bound(min=1.0, bound="low"), bound(limit=2.0, aggregation="macro")]
    names = ["fertility min 1", "fertility min 1, low", "fertility macro limit 2"]
    for rows in ([row(1.5)], [row(0.5, low=0.1, high=0.7)], [], [row(None)]):
        verdicts = tuple(judge_thresholds(bounds, rows))
        assert [verdict.what for verdict in verdicts] == names
        root = ElementTree.fromstring(render.junit(replace(REPORT, verdicts=verdicts)))
        cases = root.findall("testsuite/testcase")
        assert [case.get("name") for case in cases] == [f"threshold on web: {name}" for name in names]


def test_thresholds_know_a_tokenizer_by_its_other_names() -> None:
    verdicts = list(judge_thresholds([bound(min=1.0)], [row(1.5, tokenizer="t@8")], {"t": "t@8"}))
    assert (verdicts[0].outcome, verdicts[0].tokenizer) == ("pass", "t")


# ── baselines ───────────────────────────────────────────────────────────────────────────────────────────────

BASE = Baseline(
    "small",
    {"t": "a" * 64},
    {"web": CorpusBaseline("b" * 64, "all", 5, 100, "c" * 64)},
    {"bytes_per_token": MetricBaseline(1, True), "fertility": MetricBaseline(1, False), "odd": MetricBaseline(1, None)},
    {"t": {"web": {"bytes_per_token micro": 4.0, "fertility micro": 1.5, "odd micro": 0.0}}},
)


def test_a_change_counts_outside_its_interval_alone() -> None:
    old = replace(BASE, intervals={"t": {"web": {"fertility micro": (1.3, 1.7)}}})
    within, outside = (list(compare(old, figures(fertility=value))) for value in (1.65, 1.75))
    assert {v.outcome for v in within} == {"pass"}
    assert "changed within its interval: fertility micro was 1.5 and is 1.65, within 1.3 to 1.7" in within[-1].detail
    assert {v.outcome for v in outside} == {"pass", "fail"}
    assert outside[-1].detail == "worse: fertility micro was 1.5 and is 1.75, outside 1.3 to 1.7"


def figures(**values: float) -> Baseline:
    changed = BASE.figures["t"]["web"] | {f"{name} micro": value for name, value in values.items()}
    return replace(BASE, figures={"t": {"web": changed}})


@pytest.mark.parametrize(
    ("new", "outcomes", "says"),
    [
        (BASE, {"pass"}, "3 figures"),
        (figures(bytes_per_token=3.99), {"pass"}, "3 figures"),
        (figures(bytes_per_token=3.0), {"pass", "fail"}, "worse: bytes_per_token micro was 4 and is 3"),
        (figures(bytes_per_token=5.0), {"pass"}, "better: bytes_per_token micro was 4 and is 5"),
        (figures(fertility=1.6), {"pass", "fail"}, "worse: fertility micro was 1.5 and is 1.6"),
        (figures(fertility=1.2), {"pass"}, "better: fertility"),
        (figures(odd=0.001), {"pass", "fail"}, "changed: odd micro was 0 and is 0.001"),
        (replace(BASE, fingerprints={"t": "c" * 64}), {"pass", "fail"}, "was aaaaaaaaaaaa and is cccccccccccc"),
        (replace(BASE, fingerprints={}), {"missing"}, "the suite doesn't"),
        (replace(BASE, fingerprints={"t": "a" * 64, "u": "d" * 64}), {"pass", "missing"}, "not in the baseline"),
        (
            replace(BASE, corpora={"web": CorpusBaseline("e" * 64, "all", 5, 100)}),
            {"pass", "incomparable"},
            "its sha256 was bbbbbbbbbbbb and is eeeeeeeeeeee",
        ),
        (
            replace(BASE, corpora={"web": CorpusBaseline("b" * 64, "eval", 5, 100)}),
            {"pass", "incomparable"},
            "its split was all and is eval",
        ),
        (
            replace(BASE, corpora={"web": CorpusBaseline("b" * 64, "all", 5, 99, "d" * 64)}),
            {"pass", "incomparable"},
            "its choice of documents (by sample, seed or split) was cccccccccccc and is dddddddddddd",
        ),
        (
            replace(BASE, corpora={"web": CorpusBaseline("b" * 64, "all", 5, 99, "c" * 64)}),
            {"pass", "incomparable"},
            "its bytes was 100 and is 99",
        ),
        (replace(BASE, corpora={"web": CorpusBaseline("b" * 64, "all", 5, 100)}), {"pass"}, "3 figures"),
        (replace(BASE, corpora={}), {"pass", "missing"}, "the baseline has the corpus, the suite doesn't"),
        (
            replace(BASE, metrics={**BASE.metrics, "fertility": MetricBaseline(2, False)}),
            {"pass", "incomparable"},
            "fertility micro: 1 then, 2 now",
        ),
        (replace(BASE, figures={"t": {"web": {}}}), {"pass", "missing"}, "no longer there: bytes_per_token micro"),
    ],
)
def test_comparing_with_a_baseline(new: Baseline, outcomes: set[str], says: str) -> None:
    verdicts = list(compare(BASE, new))
    assert {verdict.outcome for verdict in verdicts} == outcomes
    assert any(says in verdict.detail for verdict in verdicts), [verdict.detail for verdict in verdicts]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"figures": {"t": {"web": {"fertility micro": math.nan}}}}, "figures['t']['web']['fertility micro'] is nan"),
        ({"figures": {"t": {"web": {"fertility micro": "5"}}}}, "['fertility micro'] is '5'; expected a number"),
        ({"figures": {"t": {"web": {"fertility micro": True}}}}, "['fertility micro'] is True; expected a number"),
        ({"figures": []}, "figures is []; expected keys with values"),
        ({"fingerprints": {"t": 5}}, "fingerprints['t'] is 5; expected a text or null"),
        ({"corpora": {"web": {"split": "x", "documents": 1, "bytes": 1}}}, "corpora['web'] has no 'sha256'"),
        ({"figures": {"t": {"web": {"other micro": 1.0}}}}, "has the figure other micro, but no such metric"),
        (
            {"intervals": {"t": {"web": {"fertility micro": (0.0, math.inf)}}}},
            "['fertility micro'][1] is inf; expected",
        ),
        ({"intervals": {"t": {"web": {"fertility micro": (9.0, -9.0)}}}}, "is 1.5, which is not from 9.0 to -9.0, its"),
        ({"intervals": {"t": {"web": {"fertility micro": (1.6, 1.7)}}}}, "is 1.5, which is not from 1.6 to 1.7, its"),
        ({"intervals": {"t": {"web": {"fertility micro": (1.6,)}}}}, "is [1.6]; expected a list of 2"),
    ],
)
def test_a_baseline_against_which_anything_would_hold_is_damaged(
    change: dict[str, Any], says: str, tmp_path: Path
) -> None:
    """The fault of before: nothing is worse than NaN, so that the gate passed."""
    path = write_baseline(replace(BASE, **change), tmp_path / "baseline.json")
    with pytest.raises(UserError, match=re.escape(says)):
        read_baseline(path)


def test_another_schema_version_is_incomparable(tmp_path: Path) -> None:
    path = write_baseline(BASE, tmp_path / "deep" / "baseline.json")
    assert read_baseline(path) == BASE
    ends = replace(BASE, intervals={"t": {"web": {"fertility micro": (1.3, 1.7)}}})
    assert read_baseline(write_baseline(ends, tmp_path / "ends.json")) == ends
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"schema_version": 2}))
    old = read_baseline(path)
    verdicts = list(compare(old, BASE))
    assert [(v.outcome, "schema version 2" in v.detail) for v in verdicts] == [("incomparable", True)]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "there is no baseline .*--update-baseline"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "is not a baseline"),
        ('{"format": "evalkit-gate-baseline"}', "no schema_version"),
        ('{"format": "evalkit-gate-baseline", "schema_version": 1}', "damaged"),
    ],
)
def test_a_file_that_is_no_baseline(content: str | None, says: str, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(UserError, match=says):
        read_baseline(path)


# ── whole suites ────────────────────────────────────────────────────────────────────────────────────────────

SUITE = """
version: 1
name: small
seed: 3
corpora:
  a: {files: [a.txt], separator: "\\n"}
tokenizers:
  - {name: one, variant: gpt2, train_on: a, vocab_size: [260, 264]}
gate:
  consistency: [count]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.txt").write_text("\n".join(f"low lower {n} lowest" for n in range(60)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("evalkit.gate.run.GENERATED_BYTES", 500)
    return tmp_path


def run(more: str = "", **options: Any) -> GateReport:
    return run_gate(parse_suite(SUITE + more), GateOptions(**options))


@pytest.mark.parametrize(
    ("threshold", "code", "outcome"),
    [
        ("{metric: bytes_per_token, tokenizer: one, corpus: a, min: 0.5}", 0, "pass"),
        ("{metric: bytes_per_token, tokenizer: one, corpus: a, min: 50}", 1, "fail"),
        ("{metric: bytes_per_token, tokenizer: one@260, corpus: a, max: 0.5}", 1, "fail"),
        ("{metric: normalized_length, tokenizer: one, corpus: a, max: 2}", 2, "missing"),
        ("{metric: tokens, tokenizer: one@264, corpus: a, max: 100000}", 0, "pass"),
    ],
)
def test_thresholds_of_a_suite(threshold: str, code: int, outcome: str) -> None:
    report = run(f"  thresholds: [{threshold}]\n")
    assert [v.outcome for v in report.verdicts if v.check == "threshold"] == [outcome]
    assert report.exit_code == code


def test_a_baseline_is_written_and_kept_to(folder: Path) -> None:
    path = folder / "baseline.json"
    with pytest.raises(UserError, match="there is no baseline"):
        run(baseline=path)
    report = run(baseline=path, update_baseline=True)
    assert report.exit_code == 0
    assert path.is_file()
    assert any("was written" in note for note in report.notes)
    report = run(baseline=path)
    assert report.exit_code == 0
    assert {v.check for v in report.verdicts} == {"count", "fingerprint", "baseline"}
    assert "encode_mb_per_s" not in path.read_text()
    report = run("  baseline: baseline.json\n")
    assert report.exit_code == 0

    content = json.loads(path.read_text())
    content["fingerprints"]["one"] = "0" * 64
    path.write_text(json.dumps(content))
    assert run(baseline=path).exit_code == 1
    (folder / "a.txt").write_text("\n".join(f"low lower {n} lowest" for n in range(61)), encoding="utf-8")
    assert {v.outcome for v in run(baseline=path).verdicts if v.check == "baseline"} == {"incomparable"}


def test_another_sample_of_the_same_files_is_incomparable(folder: Path) -> None:
    """The fault of before: the SHA-256 is of the files, so that another sample of as many documents and bytes was worse
    or better by what the seed had chosen."""
    lines = [f"{n:02} {'low ' * (n % 7)}".ljust(30, "abcdefgh"[n % 8]) for n in range(60)]
    (folder / "even.txt").write_text("\n".join(lines), encoding="utf-8")
    sampled = '  even: {files: [even.txt], separator: "\\n", sample: {documents: 20}}\ntokenizers:'
    path = folder / "baseline.json"

    def gate(seed: int, **options: Any) -> GateReport:
        text = SUITE.replace("seed: 3", f"seed: {seed}").replace("tokenizers:", sampled)
        return run_gate(parse_suite(text), GateOptions(baseline=path, **options))

    def outcomes(report: GateReport) -> set[tuple[str | None, str]]:
        return {(v.corpus, v.outcome) for v in report.verdicts if v.check == "baseline"}

    assert gate(1, update_baseline=True).exit_code == 0
    assert outcomes(gate(1)) == {("a", "pass"), ("even", "pass")}
    other = gate(2)
    assert outcomes(other) == {("a", "pass"), ("even", "incomparable")}
    assert other.exit_code == 2
    assert not any("earlier version" in note for note in other.notes)

    content = json.loads(path.read_text())
    assert {len(one.pop("documents_sha256")) for one in content["corpora"].values()} == {64}
    path.write_text(json.dumps(content))
    old = gate(2)
    assert "incomparable" not in dict(outcomes(old)).values()
    [note] = [note for note in old.notes if "earlier version" in note]
    assert "doesn't say which documents of a and even were measured" in note


def test_a_failed_gate_writes_no_baseline(folder: Path) -> None:
    more = "  thresholds: [{metric: bytes_per_token, tokenizer: one, corpus: a, min: 50}]\n"
    report = run(more, baseline=folder / "baseline.json", update_baseline=True)
    assert report.exit_code == 1
    assert not (folder / "baseline.json").exists()
    assert any("was not written" in note for note in report.notes)


# ── text ────────────────────────────────────────────────────────────────────────────────────────────────────

LOST = Divergence(
    "text lost",
    "a\x00\ud83d|",
    1,
    "\x00",
    Run("document by document", 2, (0, 1), (b"\x00", b"|")),
    Run("batch", 1, (7,), (None,), whole=False),
    3,
)
COUNTED = Divergence("only counts changed", "x", 0, None, Run("a", 1), Run("b", 2))
REPORT = GateReport(
    "small & <odd>",
    17,
    (
        Verdict("batch", "t", "web", "fail", "batch: text lost by \x00 batch", LOST, case="gate-failures/1.json"),
        Verdict("batch", "t", "zh", "pass", "batch"),
        Verdict("count", "t", "web", "fail", "one", COUNTED),
        Verdict("upstream", "t", "web", "not_measured", "it comes from no other library"),
        Verdict("threshold", "u", "web", "missing", "fertility is undefined: no words", what="fertility"),
        Verdict("baseline", "u", "web", "incomparable", "the corpus is another"),
    ),
    (Coverage("web", 5, 10, 100, 250), Coverage("zh", 1, 1, 9, 9)),
    ("a note",),
    1.5,
    ("t", "u", "floor"),
)  # fmt: skip


def test_junit_is_xml_and_counts() -> None:
    root = ElementTree.fromstring(render.junit(REPORT))
    assert root.tag == "testsuites"
    assert {key: root.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "6",
        "failures": "2",
        "errors": "2",
        "skipped": "1",
    }
    assert [suite.get("name") for suite in root] == ["t", "u", "floor"]
    cases = root.findall("testsuite/testcase")
    assert [(case.get("classname"), case.get("name"), [child.tag for child in case]) for case in cases] == [
        ("small & <odd>.t", "batch on web", ["failure"]),
        ("small & <odd>.t", "batch on zh", []),
        ("small & <odd>.t", "count on web", ["failure"]),
        ("small & <odd>.t", "upstream on web", ["skipped"]),
        ("small & <odd>.u", "threshold on web: fertility", ["error"]),
        ("small & <odd>.u", "baseline on web", ["error"]),
    ]
    failure = cases[0][0]
    assert failure.get("message") == "batch: text lost by \\x00 batch"
    assert failure.get("type") == "text lost"
    assert "not in the vocabulary" in (failure.text or "")


def test_the_terminal_says_what_failed() -> None:
    text = render.terminal(REPORT)
    assert "FAIL 1/2" in text
    assert "FAIL: batch, t on web" in text
    assert r"text: 'a\x00\ud83d|'" in text
    assert r"byte 1, in the pretoken '\x00'" in text
    assert r"document by document: 0 (\u{0}) 1 (|)" in text
    assert "run it again: python -m evalkit.gate.rerun gate-failures/1.json" in text
    assert "a: 1; b: 2" in text
    assert "covered: web: 5 of 10 documents, 100 of 250 bytes (40.0 %)" in text
    assert "zh:" not in text
    assert text.splitlines()[-1] == (
        "small & <odd>: the gate FAILED (1 pass, 1 not measured, 1 missing, 1 incomparable, 2 FAIL; seed 17, 1.5 s)"
    )


def test_the_summary_is_markdown() -> None:
    text = render.summary(REPORT)
    assert text.startswith("## ❌ small & &lt;odd>: the gate FAILED\n")
    assert "| tokenizer" in text
    assert "- **incomparable**: baseline, u on web: the corpus is another" in text
    assert "- covered: zh: 1 of 1 document," in text


def test_the_slower_checks_say_on_how_much_they_were_tried() -> None:
    """A corpus that was covered whole says nothing of the reference, which may have seen a thousandth of it."""
    verdicts = (
        Verdict("threads", "t", "web", "pass", "", None, 10, 100, 250),
        Verdict("chunked", "t", "web", "pass", "", None, 10, 130, 100),
        Verdict("reference", "t", "web", "pass", "", None, 1, 1, 250),
        Verdict("reference", "t", "zh", "pass", "", None, 1, 9, 9),
        Verdict("training", "t", None, "pass", "", None, 1, 9, 90),
    )
    report = replace(REPORT, verdicts=verdicts)
    assert "tried: a share by the slower checks: reference 10 bytes (9.2 %)\n" in render.terminal(report)
    assert "- tried: a share by the slower checks: reference 10 bytes (9.2 %)\n" in render.summary(report)
    assert "tried:" not in render.terminal(replace(report, verdicts=verdicts[:2]))


@pytest.mark.parametrize(
    ("outcomes", "says"),
    [
        (("pass",), "the gate passed"),
        (("pass", "missing"), "could not be judged whole"),
        (("not_measured",), "nothing was judged"),
        ((), "nothing was judged"),
    ],
)
def test_every_outcome_has_a_sentence(outcomes: Any, says: str) -> None:
    report = GateReport("s", 0, tuple(Verdict("batch", "t", "c", one, "why") for one in outcomes))
    assert says in render.terminal(report)
    assert says in render.summary(report)
    ElementTree.fromstring(render.junit(report))


def test_a_gate_that_could_not_be_run_is_an_error_everywhere() -> None:
    report = not_run("small", "there is no baseline b.json", 3)
    assert report.exit_code == 2
    root = ElementTree.fromstring(render.junit(report))
    assert (root.get("errors"), root.get("tests")) == ("1", "1")
    [error] = root.findall("testsuite/testcase/error")
    assert error.get("message") == "there is no baseline b.json"
    assert "- **missing**: gate, small: there is no baseline b.json" in render.summary(report)
    assert "small: could not be judged whole" in render.terminal(report)


def test_a_long_text_is_shown_where_it_matters() -> None:
    text = "é" * 5000 + "HERE" + "x" * 5000
    found = replace(LOST, text=text, byte=10_000)
    lines = list(render.divergence_lines(found))
    assert "HERE" in lines[0]
    assert len(lines[0]) < 1000
    assert "10,004 code points" in lines[0]
