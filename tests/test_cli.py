"""The command line as a whole: help, start-up, usage, run and gate. Other commands have files of their own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import click
import pytest
from commandline import ROOT, evalkit

from evalkit import __version__
from evalkit.cli import app, run
from evalkit.suite import load_suite

SUITE = """\
version: 1
name: small
corpora:
  tales: {files: [tales.txt], document: line, language: en, domain: stories}
tokenizers:
  - {name: ours, variant: gpt2, train_on: tales, vocab_size: 300, special_tokens: ["<|endoftext|>"]}
  - {name: bytes, baseline: bytes}
gate:
  thresholds: [{metric: bytes_per_token, tokenizer: ours, corpus: tales, min: 1.1}]
"""
TALES = "".join(f"Once upon a time there were {n} little bears in a wood.\n" for n in range(200))


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("EVALKIT_DEBUG", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    Path("small.yaml").write_text(SUITE, encoding="utf-8")
    Path("tales.txt").write_text(TALES, encoding="utf-8")


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with what to type for it."""
    context = click.Context(app.cli, info_name="evalkit")
    for name in app.COMMANDS:
        command = app.cli.get_command(context, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {below}", one) for below, one in command.commands.items())


# ── help and start-up ───────────────────────────────────────────────────────────────────────────────────────


def test_help_lists_every_command_and_nothing_else() -> None:
    done = evalkit("--help")
    assert done.code == 0
    assert done.err == ""
    listed = re.findall(r"^  ([a-z]+) +[A-Z]", done.out.split("Commands:")[1], re.MULTILINE)
    expected = "run gate compare diff verify train encode decode inspect convert variants corpora init doctor"
    assert listed == expected.split() == list(app.COMMANDS)


def test_the_summaries_of_the_group_are_the_commands_own() -> None:
    for name, command in commands():
        if " " not in name:
            assert (command.help or "").splitlines()[0] == app.COMMANDS[name].summary


@pytest.mark.parametrize("name", [name for name, _ in commands()])
def test_every_command_explains_itself_with_an_example(name: str) -> None:
    done = evalkit(*name.split(), "--help")
    assert done.code == 0
    assert done.out.startswith(f"Usage: evalkit {name} ")
    assert "--debug" in done.out
    if name != "corpora":
        examples = done.out.split("Examples:\n")[1]
        assert f"evalkit {name}" in examples
    assert evalkit(*name.split(), "-h") == done


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys, evalkit.cli\n"
        "heavy = ('numpy', 'pandas', 'pydantic', 'tiktoken', 'rich', 'yaml', 'regex', 'tabulate')\n"
        "print([name for name in heavy if name in sys.modules])\n"
        "evalkit.cli.main(['--help'])\n"
        "evalkit.cli.main(['run', '--help'])\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True
    )
    assert done.stdout.splitlines()[0] == "[]"
    assert done.stdout.splitlines()[-1] == "[]"


def test_version() -> None:
    done = evalkit("--version")
    assert (done.code, done.out, done.err) == (0, f"evalkit {__version__}\n", "")


def test_without_a_command_the_help_goes_to_standard_error() -> None:
    done = evalkit()
    assert (done.code, done.out) == (2, "")
    assert "Commands:" in done.err
    assert evalkit("corpora").code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rnu", "quickstart"], "there is no command 'rnu' (did you mean 'run'?)"),
        (["corpora", "verfy"], "there is no command 'verfy' (did you mean 'verify'?)"),
        (["run", "small.yaml", "--thread", "2"], "there is no option '--thread' (did you mean '--threads'?)"),
        (["--quit", "run"], "there is no option '--quit' (did you mean '--quiet'?)"),
        (["run"], "missing argument 'SUITE'"),
        (["run", "a.yaml", "b.yaml"], "unexpected extra argument (b.yaml)"),
        (["run", "small.yaml", "--threads", "0"], "expected a whole number of at least 1, found '0'"),
        (["run", "small.yaml", "--threads", "two"], "expected a whole number of at least 1, found 'two'"),
        (["run", "small.yaml", "--out", ""], "'' is no file name"),
        (["run", "small.yaml", "--cluster", "tcp://a:1"], "--cluster is not in this version of evalkit"),
        (["run", "small.yaml", "--format", "mdd"], "there is no format 'mdd' (did you mean 'md'?)"),
        (["run", "small.yaml", "--format", ""], "there is no format ''"),
        (["run", "small.yaml", "--corpus", "tales"], "expected NAME=PATH, found 'tales'"),
        (["gate", "small.yaml", "--seed", "-1"], "expected a whole number of at least 0, found '-1'"),
        (["gate", "small.yaml", "--budget", "soon"], "expected seconds greater than 0, found 'soon'"),
        (["gate", "small.yaml", "--budget", "nan"], "expected seconds greater than 0, found 'nan'"),
        (["encode", "-t", "gpt2", "--format", "np"], "there is no 'np' (did you mean 'npy'?)"),
        (["encode"], "missing option '-t' / '--tokenizer'"),
        (["corpora", "fetch", "storys"], "there is no embedded corpus 'storys' (did you mean 'stories'?)"),
        (["inspect", "-t", "gpt2", "a", "--file", "b"], "give a TEXT or --file, not both"),
        (["convert", "gpt2", "x", "--format", "gpt2", "--special", "a"], "expected TEXT=ID, found 'a'"),
    ],
)
def test_wrong_usage_is_one_paragraph_and_2(arguments: list[str], said: str) -> None:
    done = evalkit(*arguments)
    assert done.code == 2
    assert said in done.err
    assert done.err.startswith("error: evalkit")
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_html_is_refused_until_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_writes_html", lambda: False)
    done = evalkit("run", "small.yaml", "--format", "md,html")
    assert done.code == 2
    assert "--format html is not in this version of evalkit" in done.err
    assert not Path("evalkit-report").exists()
    text = SUITE + "report: {formats: [md, html]}\n"
    said = evalkit("run", "-", stdin=text.encode())
    assert said.code == 0
    assert "note: the suite asks for an html report, which is not in this version" in said.err
    assert evalkit("run", "-", "--quiet", stdin=text.encode()).err == ""


# ── run ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_run_prints_the_verdict_the_table_and_the_place() -> None:
    done = evalkit("run", "small.yaml")
    assert (done.code, done.err) == (0, "")
    assert "consistency checks passed" in done.out
    assert re.search(r"^\| `ours` +\| +\d\.\d\d\S* \|$", done.out, re.MULTILINE)
    assert done.out.splitlines()[-1].startswith(f"report: {Path('evalkit-report/small/report.md')}")
    folder = Path("evalkit-report/small")
    assert {file.name for file in folder.iterdir()} >= {
        "report.md",
        "results.json",
        "results.csv",
        "counts.npz",
        "tokenizers",
    }


def test_run_takes_a_suite_from_standard_input_and_writes_where_it_is_told() -> None:
    done = evalkit(
        *("run", "-", "--out", "a/b", "--format", "csv", "--only", "ours", "--threads", "1", "--no-cache"),
        stdin=SUITE.encode(),
    )
    assert (done.code, done.err) == (0, "")
    assert {file.name for file in Path("a/b").iterdir()} == {
        "results.json",
        "results.csv",
        "counts.npz",
        "tokenizers",
    }
    assert not Path("cache/tokenizers").exists()
    names = {t["name"] for t in json.loads(Path("a/b/results.json").read_text(encoding="utf-8"))["tokenizers"]}
    assert names == {"ours"}


def test_run_on_a_terminal_is_rendered_within_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm-256color")
    done = evalkit("run", "small.yaml", terminal=True)
    assert done.code == 0
    plain = re.sub(r"\x1b\[[0-9;]*m", "", done.out)
    assert plain != done.out
    assert "| `ours`" not in plain
    assert "**" not in plain
    assert max(map(len, plain.splitlines()[:-1])) <= 60
    assert re.search(r"^ours +\d\.\d\d†$", plain, re.MULTILINE)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", evalkit("run", "small.yaml", terminal=True).out)


def test_run_gives_built_in_suites_the_users_own_files() -> None:
    Path("mine.txt").write_text("<|endoftext|>".join(TALES.splitlines()), encoding="utf-8")
    done = evalkit(
        *("run", "tinystories-vs-owt", "--corpus", "tinystories=mine.txt", "--corpus", "owt=mine.txt"),
        *("--only", "ts-10k", "--out", "out"),
    )
    assert (done.code, done.err) == (0, "")
    results = json.loads(Path("out/results.json").read_text(encoding="utf-8"))
    assert {c["name"] for c in results["corpora"]} == {"tinystories", "owt"}
    assert all(c["documents"] < 200 for c in results["corpora"])
    wrong = evalkit("run", "tinystories-vs-owt", "--corpus", "tinystory=mine.txt")
    assert wrong.code == 2
    assert "(did you mean 'tinystories'?)" in wrong.err


def test_run_ends_with_1_when_a_check_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    from evalkit import pipeline

    true_run = pipeline.run_suite

    def with_a_failure(*arguments: Any) -> Any:
        results = true_run(*arguments)
        check = results.checks[0]
        assert check.name == "serial_equals_parallel"
        object.__setattr__(check, "passed", False)
        return results

    monkeypatch.setattr(pipeline, "run_suite", with_a_failure)
    done = evalkit("run", "small.yaml")
    assert done.code == 1
    assert done.err.startswith("error: 1 of the checks failed: serial_equals_parallel of ours on tales")
    assert "Do not use" in done.out


def test_run_replaces_a_report_and_nothing_else() -> None:
    assert evalkit("run", "small.yaml", "--out", "out").code == 0
    assert evalkit("run", "small.yaml", "--out", "out").code == 0
    Path("mine").mkdir()
    Path("mine/letter.txt").write_text("dear", encoding="utf-8")
    done = evalkit("run", "small.yaml", "--out", "mine")
    assert done.code == 2
    assert "mine holds something that is not an evalkit report" in done.err
    assert Path("mine/letter.txt").read_text(encoding="utf-8") == "dear"


# ── gate ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_gate_passes_and_writes_its_files() -> None:
    done = evalkit("gate", "small.yaml", "--junit", "gate.xml", "--summary", "s/gate.md", "--seed", "3")
    assert (done.code, done.err) == (0, "")
    assert "small: the gate passed" in done.out
    assert "seed 3" in done.out
    assert ElementTree.parse("gate.xml").getroot().tag == "testsuites"
    assert Path("s/gate.md").read_text(encoding="utf-8").startswith("## ")
    assert not Path("gate-failures").exists()


def test_gate_ends_with_1_for_a_failure_and_2_for_what_it_cannot_judge() -> None:
    Path("small.yaml").write_text(SUITE.replace("min: 1.1", "min: 99"), encoding="utf-8")
    failed = evalkit("gate", "small.yaml", "--budget", "1", "--junit", "gate.xml")
    assert failed.code == 1
    assert "99" in failed.out
    assert int(ElementTree.parse("gate.xml").getroot().attrib["failures"]) == 1
    Path("small.yaml").write_text(SUITE, encoding="utf-8")
    missing = evalkit("gate", "small.yaml", "--baseline", "none.json")
    assert missing.code == 2
    assert "none.json" in missing.err


def test_a_gate_that_cannot_be_run_writes_an_error_into_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    files = ("--junit", "gate.xml", "--summary", "gate.md", "--json", "gate.json")
    done = evalkit("gate", "small.yaml", "--baseline", "none.json", *files)
    assert done.code == 2
    [error] = ElementTree.parse("gate.xml").getroot().findall("testsuite/testcase/error")
    assert "there is no baseline none.json" in error.attrib["message"]
    assert json.loads(Path("gate.json").read_text(encoding="utf-8"))["exit_code"] == 2
    assert "none.json" in Path("gate.md").read_text(encoding="utf-8")
    assert "::warning title=evalkit gate%3A gate missing::" in done.out
    # A suite that can't be read: what it reads isn't known, so that nothing else is replaced.
    Path("small.yaml").write_text("nonsense", encoding="utf-8")
    Path("gate.md").write_text("notes of somebody", encoding="utf-8")
    done = evalkit("gate", "small.yaml", *files)
    assert done.code == 2
    [error] = ElementTree.parse("gate.xml").getroot().findall("testsuite/testcase/error")
    assert "small.yaml:1:1" in error.attrib["message"]
    assert Path("gate.md").read_text(encoding="utf-8") == "notes of somebody"


def test_verdicts_are_not_lost_for_a_file_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault of before: after a run of minutes there was one line, and no verdict anywhere."""
    Path("folder").mkdir()
    refused = evalkit("gate", "small.yaml", "--junit", "folder")
    assert (refused.code, refused.out, refused.err) == (2, "", "error: --junit: folder is a folder; give a file\n")
    refused = evalkit("gate", "small.yaml", "--failures", "small.yaml")
    assert refused.err == "error: --failures: small.yaml is a file; give a folder\n"
    Path("file").write_text("")
    done = evalkit("gate", "small.yaml", "--budget", "1", "--junit", "file/gate.xml", "--json", "gate.json")
    assert done.code == 2
    assert "small: the gate passed" in done.out
    assert "the verdicts stand above, but not in every file: " in done.err
    assert "file" in done.err
    assert json.loads(Path("gate.json").read_text(encoding="utf-8"))["outcome"] == "pass"


def test_gate_writes_a_baseline_and_holds_to_it() -> None:
    arguments = ("gate", "small.yaml", "--baseline", "base.json", "--budget", "1")
    assert evalkit(*arguments, "--update-baseline").code == 0
    assert Path("base.json").exists()
    done = evalkit(*arguments)
    assert (done.code, done.err) == (0, "")
    assert "baseline" in done.out


# ── whatever happens ────────────────────────────────────────────────────────────────────────────────────────


def test_a_fault_of_ours_is_said_in_a_paragraph_and_shown_with_debug(monkeypatch: pytest.MonkeyPatch) -> None:
    from evalkit import pipeline

    def broken(*arguments: Any) -> Any:
        raise KeyError("a\nb")

    monkeypatch.setattr(pipeline, "run_suite", broken)
    done = evalkit("run", "small.yaml")
    assert done.code == 2
    assert done.err.startswith("error: unexpected KeyError: ")
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    for shown in (evalkit("run", "small.yaml", "--debug"), evalkit("--debug", "run", "small.yaml")):
        assert shown.code == 2
        assert shown.err.startswith("Traceback (most recent call last):")
    monkeypatch.setenv("EVALKIT_DEBUG", "1")
    assert "Traceback" in evalkit("run", "small.yaml").err


def test_an_interrupt_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    from evalkit import pipeline

    def interrupted(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "run_suite", interrupted)
    done = evalkit("run", "small.yaml", "--debug")
    assert (done.code, done.out, done.err) == (130, "", "interrupted\n")


def test_the_bar_shows_what_takes_long_and_only_that(monkeypatch: pytest.MonkeyPatch) -> None:
    from commandline import _Stream

    from evalkit.cli import progress
    from evalkit.cli.base import Settings

    now = [0.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setenv("TERM", "xterm")
    stream = _Stream(terminal=True)
    stream.reconfigure(encoding="utf-8")
    monkeypatch.setattr(sys, "stderr", stream)
    with progress.progress_bar(Settings(quiet=True)) as bar:
        assert bar is None
    with progress.progress_bar(Settings()) as bar:
        assert bar is not None
        bar("count", 1, 10)
        assert stream.memory.getvalue() == b""
        now[0] = 1.5
        bar("train [a]: merge", 5, 10)
        bar("measure web", 12345, 0)
    shown = stream.memory.getvalue().decode()
    assert "train [a]: merge" in shown or "measure web" in shown
    assert shown.endswith(("\x1b[2K", "\x1b[?25h", "\r"))


def test_the_starter_suite_is_a_suite() -> None:
    assert evalkit("init").code == 0
    suite = load_suite("suite.yaml")
    assert suite.name == "my-suite"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("1,000", "write 1000"),
        ("1.000.000", "write 1000000"),
        ("1 000", "write 1000"),
        ("1_0", "write 10"),
        ("2e4", "write 20000"),
        ("5.0", "write 5"),
        ("012", "write 12"),
        *(
            (text, "")
            for text in ("1.000", "1.5", "1000.5", "1,5", "1,000.000", "10,00", "0.0", "-5", "1e99", "nan", "")
        ),
    ],
)
def test_a_number_is_advised_only_where_it_was_meant(text: str, hint: str) -> None:
    from evalkit.cli.base import WholeNumber

    with pytest.raises(click.BadParameter) as caught:
        WholeNumber().convert(text, None, None)
    assert caught.value.message == f"expected a whole number of at least 1, found {text!r}{hint and f' ({hint})'}"
