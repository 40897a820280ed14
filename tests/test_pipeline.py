"""A suite on two tiny corpora, from its file to the report's folder."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from engines import ENGINES

import tokenizers_impl as ti
from evalkit import output, pipeline
from evalkit.embedded import builtin_suites
from evalkit.errors import UserError
from evalkit.metrics import METRICS
from evalkit.output import check_folder
from evalkit.pipeline import Options, run_suite, select
from evalkit.results import COLUMNS, Results, load_results
from evalkit.results_files import load_counts
from evalkit.suite import Suite, load_suite
from tokenizers_impl import engine

SUITE = """
version: 1
name: tiny
seed: 3
corpora:
  stories: {files: [stories.txt], separator: "<|endoftext|>", language: en, domain: stories}
  logs: {files: [logs.txt], document: line, language: en, domain: logs, segmenter: whitespace}
  apart: {files: [apart.txt], document: line, language: zh, domain: prose}
tokenizers:
  - {name: stories-300, variant: gpt2, train_on: stories, vocab_size: 300}
  - {name: logs-ladder, variant: gpt2, train_on: logs, vocab_size: [270, 280, 5000]}
  - {name: mix, variant: digit1, train_on: [stories, logs], vocab_size: 290, special_tokens: ["<|end|>"]}
  - {name: floor, baseline: bytes}
measure: {reference: floor}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    folder = tmp_path / "suite"
    folder.mkdir()
    names = ("Tim", "Ann", "Bo", "Eve")
    stories = [
        f"Once upon a time there was a fox called {names[n % 4]}. It had {n} apples and {n * 7} pears.\n"
        for n in range(60)
    ]
    (folder / "stories.txt").write_text("<|endoftext|>".join(stories), encoding="utf-8")
    logs = [f"2024-01-{n % 28 + 1:02d} 10:{n % 60:02d}:07 INFO worker-{n % 5} took {n * 13} ms" for n in range(80)]
    (folder / "logs.txt").write_text("\n".join(logs) + "\n", encoding="utf-8")
    (folder / "apart.txt").write_text("我们去上海。\n她说<|end|>。\n", encoding="utf-8")
    (folder / "suite.yaml").write_text(SUITE, encoding="utf-8")
    return load_suite(folder / "suite.yaml")


def _run(suite: Suite, **options: Any) -> Results:
    return run_suite(suite, Options(cache=False, **options))


@pytest.fixture(params=ENGINES)
def on_each_engine(request: pytest.FixtureRequest) -> Iterator[str]:
    with engine.use(request.param):
        yield request.param


@pytest.mark.usefixtures("on_each_engine")
def test_end_to_end(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "report"
    results = _run(suite, out=out)
    # what is held out of a corpus that is trained on; what isn't trained on is measured whole
    assert [(c.name, c.split) for c in results.corpora] == [
        ("stories", "eval"), ("logs", "eval"), ("apart", "all"),
    ]  # fmt: skip
    names = ["stories-300", "logs-ladder@270", "logs-ladder@280", "logs-ladder", "mix", "floor"]
    assert [t.name for t in results.tokenizers] == names
    assert not results.failed_checks
    assert all(check.passed is not False for check in results.checks)

    row = results.row("stories", "stories-300", "bytes_per_token")
    tokens = results.row("stories", "stories-300", "tokens", "sum")
    assert row is not None
    assert tokens is not None
    assert tokens.value
    assert row.value == results.corpora[0].bytes / tokens.value
    floor = results.row("apart", "floor", "bytes_per_token")
    assert floor is not None
    assert floor.value == 1
    unreached = results.row("logs", "logs-ladder@5000", "bytes_per_token")
    assert unreached is not None
    assert unreached.value is None
    assert "stopped" in (unreached.undefined_reason or "")

    expected = {"counts.npz", "report.md", "results.csv", "results.json", "tokenizers"}
    assert expected <= {path.name for path in out.iterdir()}
    assert load_results(out) == results
    with (out / "results.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert tuple(found[0]) == COLUMNS
    assert len(found) == len(results.rows)
    counts = load_counts(out / "counts.npz")
    assert int(counts["stories"].tokens["stories-300"].sum()) == tokens.value
    saved = ti.load(out / "tokenizers" / "mix")
    assert saved.fingerprint == next(t.fingerprint for t in results.tokenizers if t.name == "mix")
    assert (out / "report.md").read_text(encoding="utf-8").startswith("# tiny\n\n## Verdict\n")


def test_the_engines_agree_on_every_figure(suite: Suite) -> None:
    tables = []
    for name in ENGINES:
        with engine.use(name):
            results = _run(suite)
        of_words = {name for name, metric in METRICS.items() if "words" in metric.needs}
        skipped = {"encode_mb_per_s", "fertility", *of_words}  # the reference has no ICU4X
        tables.append([row for row in results.rows if row.metric not in skipped])
    assert tables[0] == tables[1]


def test_regret_is_at_one_size(suite: Suite) -> None:
    results = _run(suite)
    home = results.row("stories", "stories-300", "regret")
    assert home is not None
    assert home.value == 0
    away = results.row("logs", "stories-300", "regret")
    assert away is not None
    assert away.value is not None
    assert away.value > 0
    match = next(m for m in results.matches if (m.corpus, m.tokenizer) == ("logs", "stories-300"))
    assert match.size == min(300, next(t.vocab_size or 0 for t in results.tokenizers if t.name == match.ideal))
    assert away.value == pytest.approx(match.tokens / match.ideal_tokens - 1)
    mixed = results.row("stories", "mix", "regret")
    assert mixed is not None
    assert "digit1" in (mixed.undefined_reason or "")  # no digit1 was trained on the stories alone


def test_two_runs_have_one_digest(suite: Suite, tmp_path: Path) -> None:
    first = _run(suite, threads=1)
    second = _run(suite, threads=3, out=tmp_path / "out")
    assert first.digest == second.digest
    assert json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["digest"] == first.digest


def test_a_cached_tokenizer_changes_no_digest(suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "default_folder", lambda: tmp_path / "cache")
    digests = {run_suite(suite, Options(cache=True)).digest for _ in range(2)}
    assert digests == {_run(suite).digest}
    assert list((tmp_path / "cache").iterdir())


def test_only_selects_and_changes_no_figure(suite: Suite) -> None:
    whole = _run(suite)
    part = _run(suite, only="stories-*")
    assert [t.name for t in part.tokenizers] == ["stories-300"]
    assert part.row("stories", "stories-300", "tokens", "sum") == whole.row("stories", "stories-300", "tokens", "sum")
    missing = part.row("stories", "stories-300", "normalized_length")
    assert missing is not None
    assert "floor was not part of this run" in (missing.undefined_reason or "")
    one = _run(suite, only="apart")
    assert [c.name for c in one.corpora] == ["apart"]
    assert len(one.tokenizers) == len(whole.tokenizers)
    with pytest.raises(UserError, match="nothing in the suite matches"):
        select(suite, "nothing-*")


def test_comparisons_are_of_all_pairs_and_of_their_corpus_alone(suite: Suite) -> None:
    whole = _run(suite)
    names = [t.name for t in whole.tokenizers if t.kind != "baseline"]
    assert len(whole.comparisons) == len(whole.corpora) * len(names) * (len(names) - 1) // 2
    judged = [c for c in whole.comparisons if c.p is not None]
    assert {c.corpus for c in judged} == {c.name for c in whole.corpora if c.documents >= 8}
    one = whole.comparison("logs", "mix", "stories-300")
    assert one is not None
    tokens = [whole.row("logs", name, "tokens", "sum") for name in ("mix", "stories-300")]
    assert all(row is not None and row.value for row in tokens)
    assert one.ratio == pytest.approx(tokens[0].value / tokens[1].value)  # type: ignore[union-attr, operator]
    part = _run(suite, only="logs")
    assert part.comparisons == tuple(c for c in whole.comparisons if c.corpus == "logs")
    assert part.ranks == tuple(r for r in whole.ranks if r.corpus == "logs")


def test_metrics_can_be_chosen(suite: Suite) -> None:
    measure = suite.measure.model_copy(update={"metrics": ("tokens", "fertility")})
    results = _run(suite.model_copy(update={"measure": measure}))
    assert {row.metric for row in results.rows} == {"tokens", "fertility"}
    unknown = suite.measure.model_copy(update={"metrics": ("tokns",)})
    with pytest.raises(UserError, match="did you mean 'tokens'"):
        _run(suite.model_copy(update={"measure": unknown}))


# ── the folder ──────────────────────────────────────────────────────────────────────────────────────────────


def _content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("where", ["render", "replace", "measure"])
def test_a_failed_run_leaves_the_old_report(
    where: str, suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "reports" / "tiny"
    _run(suite, out=out)
    before = _content(out)

    def fail(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    if where == "render":
        monkeypatch.setattr(output, "to_csv", fail)
    elif where == "measure":
        monkeypatch.setattr(pipeline, "measure_corpus", fail)
    else:
        real = Path.rename

        def rename(self: Path, target: Path) -> Path:
            if self.name.endswith(".new"):
                raise KeyboardInterrupt
            return real(self, target)

        monkeypatch.setattr(output, "_exchange", lambda first, second: False)
        monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(KeyboardInterrupt):
        _run(suite, out=out)
    assert _content(out) == before
    assert [path.name for path in out.parent.iterdir()] == ["tiny"]  # nothing is left behind


@pytest.mark.parametrize("in_one_step", [True, False])
def test_a_report_is_replaced_whole(
    in_one_step: bool, suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not in_one_step:
        monkeypatch.setattr(output, "_exchange", lambda first, second: False)
    out = tmp_path / "report"
    _run(suite, out=out)
    old = out / "tokenizers" / "gone" / "evalkit.json"
    old.parent.mkdir()
    old.write_text("of the old report", encoding="utf-8")
    _run(suite, out=out, formats=("json",))
    check_folder(out)
    assert not old.exists()
    assert not (out / "report.md").exists()
    assert (out / "results.json").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_report_with_something_of_the_users_in_it_is_refused(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "report"
    _run(suite, out=out)
    (out / "NOTES.md").write_text("years of work", encoding="utf-8")
    with pytest.raises(UserError, match=r"holds a report and also NOTES\.md"):
        _run(suite, out=out)
    assert (out / "NOTES.md").read_text(encoding="utf-8") == "years of work"


def test_a_folder_of_something_else_is_refused(suite: Suite, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(UserError, match="not an evalkit report"):
        _run(suite, out=tmp_path)
    for name in ("results.json", "report.md"):  # of another program
        (tmp_path / name).write_text("{}", encoding="utf-8")
        with pytest.raises(UserError, match="not an evalkit report"):
            check_folder(tmp_path)
    file = tmp_path / "thesis.tex"
    with pytest.raises(UserError, match="is not a folder"):
        check_folder(file)
    empty = tmp_path / "empty"
    empty.mkdir()
    check_folder(empty)
    check_folder(tmp_path / "not there")


# ── the built-in suites ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["quickstart", "tinystories-vs-owt"])
def test_built_in_suites_are_valid(name: str) -> None:
    assert name in builtin_suites()
    assert load_suite(name).name == name


def test_the_model_case_runs() -> None:
    results = _run(load_suite("tinystories-vs-owt"), only="[to]*")
    assert {t.trained_on for t in results.tokenizers} == {("tinystories",), ("owt",)}
    assert not results.failed_checks
