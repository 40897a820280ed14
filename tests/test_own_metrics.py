"""Metrics of the user's own: from a suite, only where it is trusted, and from installed packages."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from commandline import evalkit

from evalkit import trust
from evalkit.errors import UserError
from evalkit.gate import GateOptions, run_gate
from evalkit.metrics import METRICS, Jackknifed, Metric, Ratio, Share, Total, Whole, chosen_metrics, own, own_metric
from evalkit.metrics.example import example
from evalkit.metrics.registry import ints
from evalkit.pipeline import Options, run_suite
from evalkit.report.markdown import render
from evalkit.suite import load_suite, parse_suite
from evalkit.values import Undefined

PAGE = (Path(__file__).parent.parent / "docs" / "own-metrics.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config" / "config.yaml"
    path.parent.mkdir()
    monkeypatch.setenv(trust.VARIABLE, str(path))
    return path


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.M | re.S)


@pytest.fixture
def documented(tmp_path: Path) -> Path:
    (tmp_path / "latin.py").write_text(blocks("python")[0], encoding="utf-8")
    (tmp_path / "suite.yaml").write_text(blocks("yaml")[0], encoding="utf-8")
    return tmp_path / "suite.yaml"


# ── the page's example ──────────────────────────────────────────────────────────────────────────────────────


def test_the_example_of_the_page(documented: Path) -> None:
    results = run_suite(load_suite(documented), Options(cache=False, trust=True))
    row = results.row("zh", "gpt2", "bytes_per_char")
    assert row is not None
    (zh,) = [corpus for corpus in results.corpora if corpus.name == "zh"]
    assert row.value == zh.bytes / zh.chars
    assert (row.unit, row.higher_is_better, row.evidence) == ("bytes/char", None, "none")
    assert row.low is not None
    assert results.row("zh", "gpt2", "bytes_per_char", "macro") is not None
    longest = results.row("stories", "bytes", "longest")
    assert longest is not None
    assert longest.value is not None
    assert longest.value == int(longest.value) > 1000
    assert results.row("zh", "gpt2", "bytes_per_token") is not None  # all the others too
    record = next(m for m in results.metrics if m.name == "bytes_per_char")
    assert (record.version, record.source) == (1, "python: latin:bytes_per_char")
    report = render(results)
    assert "## Metrics of your own" in report
    assert "`bytes_per_char` comes from python: latin:bytes" in report.replace("\\", "")
    assert "bytes_per_char" not in METRICS


def test_every_outcome_of_the_page_is_where_it_says() -> None:
    names = re.findall(r"^\| `(\w+)\(", PAGE, flags=re.M)
    assert names[-1] == "Undefined"
    assert len(names) == 6
    for line in ["from evalkit.metrics import Ratio, Undefined", *(f"from evalkit.metrics import {n}" for n in names)]:
        exec(line, {})
    assert "`from evalkit.metrics import Ratio, Undefined`" in PAGE


def test_a_threshold_on_it(documented: Path, tmp_path: Path) -> None:
    text = documented.read_text(encoding="utf-8").replace("gate:\n", "gate:\n  consistency: [count]\n")
    for least, outcome in (("2.5", "pass"), ("2.9", "fail")):
        documented.write_text(text.replace("min: 2.5", f"min: {least}"), encoding="utf-8")
        options = GateOptions(cache=False, trust=True, failures=tmp_path / "failures")
        report = run_gate(load_suite(documented), options)
        (verdict,) = [v for v in report.verdicts if v.check == "threshold"]
        assert verdict.outcome == outcome, verdict


def test_from_the_command_line(documented: Path) -> None:
    refused = evalkit("run", str(documented), "--out", str(documented.parent / "report"))
    assert refused.code == 2
    assert refused.err.count("\n") == 1
    assert "--trust" in refused.err
    assert "measure.metrics[1]: python:latin:bytes_per_char (and 1 more)" in refused.err
    assert not (documented.parent / "report").exists()
    done = evalkit("run", str(documented), "--out", str(documented.parent / "report"), "--trust", "--no-cache")
    assert done.code == 0, done.err


# ── trust ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_nothing_is_imported_without_trust(tmp_path: Path) -> None:
    (tmp_path / "explodes.py").write_text("raise SystemExit('imported')\n", encoding="utf-8")
    text = "version: 1\nname: t\ncorpora: {a: {builtin: zh}}\ntokenizers: [{name: b, baseline: bytes}]\n"
    (tmp_path / "s.yaml").write_text(f"{text}measure: {{metrics: [{{python: 'explodes:f'}}]}}\n", encoding="utf-8")
    suite = load_suite(tmp_path / "s.yaml")
    for start in (run_suite, run_gate):
        with pytest.raises(UserError, match=r"would run with your rights.*--trust.*config\.yaml"):
            start(suite)


def test_the_users_own_configuration_trusts(no_configuration: Path) -> None:
    code = {"measure.metrics[0]": "python:a:b"}
    with pytest.raises(UserError):
        trust.require(code, "s.yaml", False)
    no_configuration.write_text("trust: true\n", encoding="utf-8")
    trust.require(code, "s.yaml", False)
    no_configuration.write_text("trust: false\n", encoding="utf-8")
    with pytest.raises(UserError):
        trust.require(code, "s.yaml", False)
    trust.require(code, "s.yaml", True)
    trust.require({}, "s.yaml", False)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("trust: yes\n", "true or false"),
        ("trusted: true\n", "did you mean 'trust'"),
        ("- trust\n", "expected a mapping"),
        ("trust: 1\n", "true or false"),
    ],
)
def test_a_wrong_configuration_is_an_error(no_configuration: Path, text: str, problem: str) -> None:
    no_configuration.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=problem):
        trust.configured()
    no_configuration.write_text("", encoding="utf-8")
    assert trust.configured() is False


def test_where_the_configuration_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(trust.VARIABLE)
    monkeypatch.setattr(trust.sys, "platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert trust.config_file() == tmp_path / "evalkit" / "config.yaml"
    monkeypatch.setattr(trust.sys, "platform", "win32")
    monkeypatch.setenv("APPDATA", str(tmp_path / "roaming"))
    assert trust.config_file() == tmp_path / "roaming" / "evalkit" / "config.yaml"


# ── loading ─────────────────────────────────────────────────────────────────────────────────────────────────


MODULE = """
from evalkit.metrics import Ratio, own_metric

def plain(cell):
    return 1

@own_metric(unit="x", higher_is_better=True, definition="x")
def fine(cell):
    return Ratio(cell.corpus.bytes, cell.corpus.chars)

@own_metric(unit="x", higher_is_better=True, definition="x")
def fertility(cell):
    return Ratio(cell.corpus.bytes, cell.corpus.chars)

class Group:
    inner = fine
"""


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("own_module_gone:f", "no module 'own_module_gone'"),
        ("own_module:find", "no 'find' (did you mean 'fine'"),
        ("own_module:plain", "not a metric but a function: put @evalkit.metrics.own_metric"),
        ("own_module:fertility", "the name of one of evalkit's own metrics, 'fertility'"),
        ("own_module_broken:f", "ZeroDivisionError: division by zero"),
        ("own_module_syntax:f", "SyntaxError"),
        ("own_module_exits:f", "SystemExit: 0"),
    ],
)
def test_what_cant_be_loaded(tmp_path: Path, path: str, problem: str) -> None:
    (tmp_path / "own_module.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "own_module_broken.py").write_text("1 / 0\n", encoding="utf-8")
    (tmp_path / "own_module_exits.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    (tmp_path / "own_module_syntax.py").write_text("def\n", encoding="utf-8")
    with pytest.raises(UserError) as error:
        own.load(path, tmp_path)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_a_path_with_dots(tmp_path: Path) -> None:
    (tmp_path / "own_module.py").write_text(MODULE, encoding="utf-8")
    assert own.load("own_module:Group.inner", tmp_path).name == "fine"


def test_the_same_name_twice(tmp_path: Path) -> None:
    for name in ("own_first", "own_second"):
        (tmp_path / f"{name}.py").write_text(MODULE, encoding="utf-8")
    with pytest.raises(UserError, match="two metrics have the name 'fine': python: own_first:fine and python: own_sec"):
        chosen_metrics(["python:own_first:fine", "python:own_second:fine"], tmp_path)


@pytest.mark.parametrize(
    ("metrics", "problem"),
    [
        ("[{python: nothing}]", "measure.metrics[0]: expected module:function"),
        ("[{pyton: 'a:b'}]", "measure.metrics[0]: expected the name of a metric, or python: module:function"),
        ("['python:a b:c']", "measure.metrics[0]: expected module:function"),
        ("[{python: 'a:b'}, {python: 'a:b'}]", "twice"),
        ("everything", "all or a list of metrics"),
        ("[fertilty]", "no metric 'fertilty' (did you mean 'fertility'"),
    ],
)
def test_what_a_suite_may_not_say(metrics: str, problem: str) -> None:
    text = "version: 1\nname: t\ncorpora: {a: {builtin: zh}}\ntokenizers: [{name: b, baseline: bytes}]\n"
    with pytest.raises(UserError) as error:
        parse_suite(f"{text}measure: {{metrics: {metrics}}}\n", name="suite.yaml")
    assert problem in str(error.value)


# ── installed ───────────────────────────────────────────────────────────────────────────────────────────────


@own_metric(unit="x", higher_is_better=True, definition="x")
def installed(cell: Any) -> Any:
    return Ratio(cell.corpus.bytes, cell.corpus.chars)


class Point:
    def __init__(self, name: str, found: Any, package: str = "some-package") -> None:
        self.name, self.value, self.dist, self._found = name, "module:f", SimpleNamespace(name=package), found

    def load(self) -> Any:
        if isinstance(self._found, Exception):
            raise self._found
        return self._found


def install(monkeypatch: pytest.MonkeyPatch, *points: Point) -> None:
    monkeypatch.setattr(own.importlib.metadata, "entry_points", lambda group: points if group == own.GROUP else ())


def test_an_installed_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, Point("installed", installed))
    text = "version: 1\nname: t\ncorpora: {a: {builtin: zh}}\ntokenizers: [{name: b, baseline: bytes}]\n"
    suite = parse_suite(f"{text}measure: {{metrics: [installed]}}\n")
    results = run_suite(suite, Options(cache=False))
    row = results.row("a", "b", "installed")
    assert row is not None
    assert row.value is not None
    assert results.metrics[0].source == "package some-package"
    assert [m.name for m in chosen_metrics(None, Path())] == [*METRICS, "installed"]


@pytest.mark.parametrize(
    ("points", "problem"),
    [
        ([Point("installed", ImportError("no numpy"))], "package some-package can't be loaded: ImportError: no num"),
        ([Point("installed", installed), Point("installed", installed, "other")], "some-package and other both bring"),
        ([Point("installed", 3)], "package some-package is not a metric but a int"),
        ([Point("installd", installed)], "no metric 'installed': did you mean 'installd'"),
    ],
)
def test_installed_wrongly(monkeypatch: pytest.MonkeyPatch, points: list[Point], problem: str) -> None:
    install(monkeypatch, *points)
    with pytest.raises(UserError, match=re.escape(problem)):
        chosen_metrics(["installed"], Path())


def test_another_name_than_the_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, Point("other", installed))
    with pytest.raises(UserError, match="'other' of the package some-package is the metric 'installed'"):
        chosen_metrics(["other"], Path())


# ── what a function may give ────────────────────────────────────────────────────────────────────────────────


def guarded(outcome: Any, aggregations: Any = ("micro",)) -> Metric:
    def compute(cell: Any) -> Any:
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome(cell) if callable(outcome) else outcome

    made = own_metric(unit="x", higher_is_better=None, definition="x", aggregations=aggregations)(compute)
    return own._checked(made, "python: m:f")


@pytest.mark.parametrize(
    ("outcome", "aggregations", "problem"),
    [
        (ZeroDivisionError("division by zero"), ("micro",), "failed: ZeroDivisionError: division by zero"),
        (SystemExit(3), ("micro",), "failed: SystemExit: 3"),
        (GeneratorExit(), ("micro",), "failed: GeneratorExit"),
        (1.5, ("micro",), "gave a float; a metric gives one of Ratio, Total"),
        (None, ("micro",), "gave a NoneType"),
        (Whole(float("nan"), 2), ("micro",), "gave nan, which is no figure"),
        (Whole(1.0, 2), ("micro", "macro"), "has the aggregations micro, and says that it has micro, macro"),
        (Whole(1.0, 2), ("micro", "macro"), 'give own_metric aggregations=("micro",)'),
        (Total(ints(1, 2)), ("micro",), 'give own_metric aggregations=("sum",)'),
        (Whole(float("inf"), 2), ("micro",), "gave inf, which is no figure"),
        (Whole(np.float64("nan"), 2), ("micro",), "gave nan, which is no figure"),
        (Whole(10**400, 2), ("micro",), "too large"),
        (Whole("1", 2), ("micro",), "gave a str as its value"),  # type: ignore[arg-type]
        (Whole(True, 2), ("micro",), "gave a bool as its value"),
        (Whole(1.0, 0), ("micro",), "gave n = 0"),
        (Whole(1.0, -1), ("micro",), "gave n = -1"),
        (Whole(1.0, 2.0), ("micro",), "gave a float as n"),  # type: ignore[arg-type]
        (Share(1.5, 2), ("micro",), "gave a float as hits"),  # type: ignore[arg-type]
        (Jackknifed(1.0, np.array([1.0, np.nan]), ints(1, 2)), ("micro",), "left_out that are not all finite"),
        (Jackknifed(1.0, np.array([1.0, 1e200]), ints(1, 2)), ("micro",), "left_out that are not all finite"),
        (Jackknifed(1.0, np.array([1.0, 1.0]), ints(0, 0)), ("micro",), "lengths that are negative, or all 0"),
        (Ratio(ints(1, 2), ints(1, -1)), ("micro", "macro"), "denominators that are negative"),
        (Ratio(ints(1, 2), ints(1, 1), rate=True), ("micro", "macro"), "numerators outside 0 … denominator"),
        (Total(ints(2**62, 2**62)), ("sum",), "too large to be summed exactly"),
        (Undefined(3), ("micro",), "whose reason is no text"),  # type: ignore[arg-type]
        (Ratio(ints(1), ints(1, 2)), ("micro", "macro"), "numerators of another shape than (2,)"),
        (Ratio(np.array([0.5, 1.0]), ints(1, 2)), ("micro", "macro"), "numerators that are not whole numbers"),  # type: ignore[arg-type]
        (Total(ints(1, 2, 3)), ("sum",), "parts of another shape"),
        (Total([1]), ("sum",), "parts of another shape than (2,)"),  # type: ignore[arg-type]
        (Total([1, [2]]), ("sum",), "parts as a list; expected an array of a number for each document"),  # type: ignore[arg-type]
        (Total([1, "2"]), ("sum",), "parts that are not whole numbers"),  # type: ignore[arg-type]
        (Total([1, 10**30]), ("sum",), "parts that are not whole numbers"),  # type: ignore[arg-type]
        (Total([True, False]), ("sum",), "parts that are not whole numbers"),  # type: ignore[arg-type]
        (Total({1, 2}), ("sum",), "parts as a set; expected an array of a number for each document"),  # type: ignore[arg-type]
        (Share(3, 2), ("micro",), "gave 3 hits of 2 trials"),
        (Jackknifed(1.0, np.array([1.0]), ints(1, 2)), ("micro",), "left_out of another shape"),
    ],
)
def test_a_wrong_outcome_names_the_metric_and_the_place(outcome: Any, aggregations: Any, problem: str) -> None:
    with pytest.raises(UserError) as error:
        guarded(outcome, aggregations).values(example())
    assert str(error.value).startswith("the metric compute (python: m:f) on example with example ")
    assert problem in str(error.value)


@pytest.mark.parametrize(
    "write",
    [
        lambda cell: cell.tokenizer.tokens.fill(0),
        lambda cell: cell.corpus.bytes.sort(),
        lambda cell: cell.corpus.tokenizers["example"].tokens.fill(0),
        lambda cell: cell.tokenizer.placed.word_tokens.fill(0),
        lambda cell: cell.reference.id_counts.fill(0),
        lambda cell: cell.matched.own.fill(0),
        lambda cell: cell.parallel.tokens["example"].fill(0),
    ],
)
def test_a_metric_cant_write_into_what_it_is_given(write: Any) -> None:
    cell = example(reference_tokens=[1, 1], ideal_tokens=[1, 1], other_languages={"de": [1, 1]})
    with pytest.raises(UserError, match=r"the metric compute .* failed: ValueError: .*read-only"):
        guarded(write).values(cell)


def test_a_metric_changes_no_mapping_of_ours() -> None:
    cell = example()

    def empty(cell: Any) -> Any:
        cell.corpus.tokenizers.clear()
        return Whole(1.0, 2)

    guarded(empty).values(cell)
    assert list(cell.corpus.tokenizers) == ["example"]
    assert cell.tokenizer.tokens.flags.writeable


def test_numbers_of_numpy_become_pythons() -> None:
    for outcome, expected in (
        (Whole(np.float32(1.5), np.int64(2)), 1.5),  # type: ignore[arg-type]
        (Whole(np.int64(3), np.uint8(2)), 3),  # type: ignore[arg-type]
        (Share(np.int64(1), np.int64(2)), 0.5),  # type: ignore[arg-type]
        (Jackknifed(np.float64(1.5), np.array([1.0, 2.0]), ints(1, 2)), 1.5),
    ):
        (found,) = guarded(outcome).values(example()).values()
        assert not isinstance(found, Undefined)
        assert (found.value, found.n) == (expected, 2)
        assert {type(found.value), type(found.n)} <= {int, float}


def test_plain_lists_are_arrays() -> None:
    found = guarded(Ratio([1, 2], (2, 2)), ("micro", "macro")).values(example())  # type: ignore[arg-type]
    assert [value.value for value in found.values() if not isinstance(value, Undefined)] == [0.75] * 2
    (jackknifed,) = guarded(Jackknifed(1.5, [1, 2.5], [1, 2])).values(example()).values()  # type: ignore[arg-type]
    assert not isinstance(jackknifed, Undefined)
    assert (jackknifed.value, jackknifed.n) == (1.5, 2)


def test_counts_of_any_width_are_summed_in_64_bits() -> None:
    outcome = Ratio(np.array([200, 200], dtype=np.uint8), np.array([127, 127], dtype=np.int8))  # type: ignore[arg-type]
    found = guarded(outcome, ("micro", "macro")).values(example())
    assert [value.value for value in found.values() if not isinstance(value, Undefined)] == [200 / 127] * 2


def test_a_long_message_is_shortened() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    with pytest.raises(UserError) as error:
        guarded(ValueError("x" * 5000)).values(example())
    assert len(str(error.value)) < 500
    assert str(error.value).endswith("xxx…")
    with pytest.raises(UserError, match=r"failed: Mute$"):
        guarded(Mute()).values(example())


def test_who_stops_a_metric_stops_evalkit() -> None:
    with pytest.raises(KeyboardInterrupt):
        guarded(KeyboardInterrupt()).values(example())


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"higher_is_better": "yes"}, "higher_is_better is 'yes'; expected True, False or None"),
        ({"higher_is_better": 1}, "higher_is_better is 1"),
        ({"unit": ""}, "unit is ''"),
        ({"unit": None}, "unit is None"),
        ({"aggregations": "micro"}, 'aggregations is "micro"; expected a tuple, such as ("micro",)'),
        ({"definition": " "}, "definition is ' '"),
    ],
)
def test_what_a_metric_has_to_say(changed: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        own_metric(**({"unit": "x", "higher_is_better": None, "definition": "x"} | changed))


def test_exiting_is_the_metrics_mistake(tmp_path: Path) -> None:
    (tmp_path / "exits.py").write_text(
        "import sys\nfrom evalkit.metrics import own_metric\n\n"
        "@own_metric(unit='x', higher_is_better=None, definition='x')\ndef leaves(cell):\n    sys.exit(0)\n",
        encoding="utf-8",
    )
    suite = tmp_path / "s.yaml"
    suite.write_text(
        "version: 1\nname: t\ncorpora: {a: {builtin: zh}}\ntokenizers: [{name: b, baseline: bytes}]\n"
        "measure: {metrics: [{python: 'exits:leaves'}]}\n"
        "gate: {thresholds: [{metric: leaves, tokenizer: b, corpus: a, min: 0}]}\n",
        encoding="utf-8",
    )
    told = "the metric leaves (python: exits:leaves) on a with b failed: SystemExit: 0"
    done = evalkit("run", suite, "--out", tmp_path / "report", "--trust", "--no-cache", "-q")
    assert done.code == 2, done
    assert done.err.count("\n") == 1
    assert told in done.err
    # The gate goes on with the rest, and couldn't judge this.
    done = evalkit("gate", suite, "--failures", tmp_path / "failures", "--trust", "--no-cache", "-q")
    assert done.code == 2, done
    assert told in done.out


MOVING = """\
import os
from evalkit.metrics import Whole, own_metric

def gone(result):
    os.chdir(os.path.join(os.path.dirname(__file__), "away"))
    return result

class Letters:
    vocab_size = 256
    def encode(self, text):
        return gone(list(text.encode()))
    def decode(self, ids):
        return gone(bytes(ids))

def make():
    return gone(Letters())

@own_metric(unit="x", higher_is_better=None, definition="x", aggregations=("micro",))
def moving(cell):
    return gone(Whole(1.0, 1))

gone(None)
"""


def test_code_that_leaves_the_working_directory_moves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "here"
    (place / "away").mkdir(parents=True)
    monkeypatch.chdir(place)
    monkeypatch.setenv("EVALKIT_CACHE_DIR", "cache")
    (place / "leaving.py").write_text(MOVING, encoding="utf-8")
    (place / "a.txt").write_text("".join(f"line {number}\n" for number in range(80)), encoding="utf-8")
    (place / "suite.yaml").write_text(
        "version: 1\nname: t\ncorpora: {a: {files: [a.txt], document: line}}\n"
        "tokenizers: [{name: b, python: 'leaving:make'}, {name: o, variant: gpt2, train_on: a, vocab_size: 260}]\n"
        "measure: {metrics: [{python: 'leaving:moving'}]}\n"
        "gate: {consistency: [count], thresholds: [{metric: moving, tokenizer: b, corpus: a, min: 0}]}\n",
        encoding="utf-8",
    )
    done = evalkit("run", "suite.yaml", "--out", "report", "--trust", "-q")
    assert done.code == 0, done
    assert "report: report/report.md" in done.out.replace("\\", "/")
    assert (place / "report" / "results.json").is_file()
    assert (place / "cache").is_dir()
    given = ["--baseline", "b.json", "--update-baseline", "--json", "gate.json", "--junit", "gate.xml"]
    done = evalkit("gate", "suite.yaml", "--trust", "-q", *given, "--summary", "gate.md")
    assert done.code == 0, done
    assert {"b.json", "gate.json", "gate.xml", "gate.md"} < {one.name for one in place.iterdir()}
    assert evalkit("verify", "report", "--trust", "-q").code == 0
    assert Path.cwd() == place
    assert not list((place / "away").iterdir())


def test_undefined_is_an_outcome() -> None:
    (found,) = guarded(Undefined("no words")).values(example(), 0.95).values()
    assert found == Undefined("no words")
