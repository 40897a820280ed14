"""The benchmarks: what the harness does with answers and times, the generated text, and that every one of them runs."""

from __future__ import annotations

import concurrent.futures
import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tokenizers_impl import engine

# The benchmarks are in the checkout only. At the end of the path, so that no folder of it hides an installed package.
sys.path.append(str(Path(__file__).parent.parent))

from benchmarks import __main__ as everything
from benchmarks import cli, count, encode, instructions, report, texts, train, whole
from benchmarks.harness import Case, Job, JobFailed, Outcome, equal_to, in_own_process, in_this_process, run_case

native_only = pytest.mark.skipif(engine.name() != "native", reason="the benchmarks measure the compiled core")


def scripted(answers: dict[str, Any], times: dict[str, list[float]]) -> tuple[list[Job], Callable[[Job], Outcome]]:
    """Jobs whose answers and times are given; the times one a round."""
    left = {name: iter(values) for name, values in times.items()}

    def run(job: Job) -> Outcome:
        answer = answers[job.name]
        if isinstance(answer, Exception):
            raise answer
        return Outcome({"work": [next(left[job.name])]}, answer, 1000)

    return [Job(name, "", {}) for name in answers], run


def rows_of(answers: dict[str, Any], times: dict[str, list[float]], rounds: int = 3) -> dict[str, Any]:
    jobs, run = scripted(answers, times)
    result = run_case(Case({"text": "t"}, 100, jobs, equal_to("tiktoken"), "evalkit"), rounds, run)
    return {row.job: row for row in result.rows}


def test_median_range_and_ratio_of_the_rounds() -> None:
    rows = rows_of({"evalkit": 1, "tiktoken": 1}, {"evalkit": [1.0, 4.0, 2.0], "tiktoken": [3.0, 40.0, 2.0]})
    measure = rows["evalkit"].measures["work"]
    assert (measure.median, measure.least, measure.greatest, measure.ratio) == (2.0, 1.0, 4.0, 1.0)
    # The ratios of the rounds are 3, 10 and 1: their median is not the ratio of the medians.
    assert rows["tiktoken"].measures["work"].ratio == 3.0
    assert rows["tiktoken"].peak_bytes == 1000


def test_a_wrong_answer_has_no_time_anywhere() -> None:
    times = {name: itertools.cycle([1.25]) for name in ("evalkit", "tiktoken", "gigatoken")}
    rows = rows_of({"evalkit": "ids a", "tiktoken": "ids a", "gigatoken": "ids b"}, times)  # type: ignore[arg-type]
    assert rows["gigatoken"].measures == {}
    assert rows["gigatoken"].status.startswith("no time, since the answer is wrong: ids b, where tiktoken has ids a")
    assert rows["evalkit"].status == rows["tiktoken"].status == "measured"


def test_our_own_wrong_answer_has_no_time_and_is_no_baseline() -> None:
    rows = rows_of({"evalkit": 2, "tiktoken": 1}, {"evalkit": [1.0], "tiktoken": [1.0]}, rounds=1)
    assert rows["evalkit"].measures == {}
    assert rows["tiktoken"].measures["work"].ratio is None


def test_nothing_is_right_where_the_judge_has_no_answer() -> None:
    rows = rows_of({"evalkit": 1, "tiktoken": JobFailed("no memory")}, {"evalkit": [1.0]}, rounds=1)
    assert rows["tiktoken"].status == "failed: no memory"
    assert "nothing to check it by" in rows["evalkit"].status
    assert rows["evalkit"].measures == {}


def test_an_answer_that_changes_has_no_time() -> None:
    answers = iter([1, 2])
    case = Case({}, 1, [Job("evalkit", "", {})], lambda _: {})
    (row,) = run_case(case, 2, lambda _: Outcome({"work": [1.0]}, next(answers))).rows
    assert row.measures == {}
    assert "changed" in row.status


def test_a_wrong_answer_is_shown_and_stored_without_a_time() -> None:
    jobs, run = scripted({"evalkit": 1, "tiktoken": 2}, {"evalkit": [0.125], "tiktoken": [0.125]})
    result = run_case(Case({"text": "t"}, 100, jobs, equal_to("tiktoken")), 1, run)
    benchmark = cli.Benchmark("encode", "", lambda _: [], ())
    ours = next(line for line in report.table([result], benchmark).splitlines() if "evalkit" in line)
    assert "answer is wrong" in ours
    assert "125" not in ours
    stored = report.document({"encode": [result]}, [], "")["benchmarks"]["encode"][0]["rows"]
    assert [row["measures"] == {} for row in stored] == [True, False]
    assert json.loads(json.dumps(stored)) == stored


@pytest.mark.parametrize(
    ("name", "answer", "reason"),
    [
        ("gigabpe", {"merges": 9, "hash": "x", "tokens_of_the_end": 100}, "not the merges"),
        ("gigatoken", {"merges": 9, "hash": "x", "tokens_of_the_end": 100}, "not the merges"),
        ("rustbpe", {"merges": 8, "tokens_of_the_end": 100}, "8 merges, not 9"),
        ("ffbpe", {"merges": 9, "tokens_of_the_end": 101}, "1.00% off"),
        ("rustbpe", {"merges": 9, "tokens_of_the_end": 100}, None),
    ],
)
def test_trainers_are_judged_by_what_they_promise(name: str, answer: dict[str, Any], reason: str | None) -> None:
    expected = {"merges": 9, "hash": "h", "without_mark": "h", "tokens_of_the_end": 100}
    known = {f"evalkit {train.BY_LINES}": expected, f"evalkit {train.BY_DOCUMENTS}": expected, "evalkit": expected}
    wrong = train.judge(known | {name: answer})
    if reason is None:
        assert wrong == {}
    else:
        assert set(wrong) == {name}
        assert reason in wrong[name]


def test_where_huggingface_learns_other_merges_ours_are_wrong() -> None:
    ours, theirs = ({"merges": 9, "hash": h, "without_mark": h, "tokens_of_the_end": 100} for h in "ab")
    names = (f"evalkit {train.BY_LINES}", f"evalkit {train.BY_DOCUMENTS}", "evalkit huggingface")
    assert set(train.judge(dict.fromkeys(names, ours) | {"tokenizers": theirs})) == {"evalkit huggingface"}


def test_pretokens_are_judged_by_the_reference() -> None:
    right = {"pretokens": 5, "distinct": 2, "sample": "a"}
    answers = {"evalkit reference": {"sample": "a"}, "evalkit threads=2": right, "evalkit threads=1": right}
    assert count.judge(answers) == {}
    assert set(count.judge(answers | {"evalkit threads=1": right | {"sample": "b"}})) == {"evalkit threads=1"}
    assert set(count.judge(answers | {"evalkit threads=1": right | {"distinct": 3}})) == {"evalkit threads=1"}


@pytest.mark.parametrize("kind", list(texts.KINDS))
def test_generated_text_is_always_the_same(kind: str) -> None:
    text = texts.generate(kind, 20_000)
    assert text == texts.generate(kind, 20_000)
    assert texts.generate(kind, 30_000).startswith(text)
    assert text != texts.generate(kind, 20_000, seed=2)
    assert 0 <= 20_000 - len(text.encode()) < 4


def test_generated_text_is_the_same_everywhere(tmp_path: Path) -> None:
    hashes = {kind: texts.generated_file(tmp_path, kind, 20_000).sha256[:16] for kind in texts.KINDS}
    assert hashes == GENERATED


GENERATED = {
    "english": "a9f331ef41ff8f1d",
    "code": "615efeefe41c494c",
    "chinese": "ab8625e803d5f4ac",
    "json": "ca64ac47f9cb8551",
}


@pytest.fixture
def options(tmp_path: Path) -> cli.Options:
    file = texts.generated_file(tmp_path, "english", 200_000)
    return cli.Options(
        tmp_path,
        [file],
        vocab=600,
        rounds=1,
        passes=2,
        threads=2,
        engines=["evalkit"],
        vocabularies=["own"],
        quick=True,
        run=in_this_process,
    )


@native_only
@pytest.mark.parametrize("benchmark", everything.BENCHMARKS, ids=lambda one: one.name)
def test_every_benchmark_runs(benchmark: cli.Benchmark, options: cli.Options) -> None:
    results = cli.run(benchmark, options)
    assert results
    for result in results:
        assert [row.status for row in result.rows] == ["measured"] * len(result.rows)
        assert all(row.measures for row in result.rows)
        # A difference of two times is what noise makes it.
        times = [m.median for row in result.rows for name, m in row.measures.items() if name != whole.BEYOND]
        assert min(times) > 0
    assert report.table(results, benchmark)


@native_only
def test_a_wrong_encoder_of_ours_is_refused(options: cli.Options, monkeypatch: pytest.MonkeyPatch) -> None:
    from tokenizers_impl import BPETokenizer

    right = BPETokenizer.encode_ordinary_numpy
    monkeypatch.setattr(BPETokenizer, "encode_ordinary_numpy", lambda self, *rest: right(self, *rest)[1:])
    for case in encode.cases(options)[:2]:
        (row,) = run_case(case, 1, in_this_process).rows
        if case.labels["work"] == "ids of one text":
            assert "answer is wrong" in row.status
            assert row.measures == {}
        else:
            assert row.status == "measured"


@native_only
def test_a_job_in_a_process_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("low lower lowest " * 100)
    arguments = {"path": str(path), "variant": "gpt2", "threads": 1, "passes": 2}
    outcome = in_own_process(Job("evalkit", "benchmarks.work:count", arguments))
    assert outcome.answer["pretokens"] == 301  # the last blank stands alone
    assert len(outcome.seconds["count"]) == 2
    assert outcome.peak_bytes is None or outcome.peak_bytes > 1_000_000
    with pytest.raises(JobFailed, match="no-such-file"):
        in_own_process(Job("evalkit", "benchmarks.work:count", arguments | {"path": "no-such-file"}))


def test_processes_that_disagree_have_no_time(options: cli.Options) -> None:
    from benchmarks import scaling

    (case,) = scaling.cases(options)
    one, many, apart = (job.name for job in case.jobs)
    answers = {one: {"count": [1, 1]}, many: {"count": [1, 1]}, apart: {"processes that disagree": []}}
    assert list(case.judge(answers)) == [apart] == ["evalkit processes=2"]


@native_only
def test_a_process_that_fails_lets_the_others_go(options: cli.Options) -> None:
    arguments = {"path": "no-such-file", "limit": None, "files": {"published": "cl100k_base"}, "passes": 1}
    with pytest.raises(FileNotFoundError, match="no-such-file"):
        in_this_process(Job("evalkit", "benchmarks.work:scaling_apart", arguments | {"processes": 2}))


def test_the_time_of_processes_is_the_slowest_ones_by_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks import work

    ends = iter([Outcome({"count": [3.0, 1.0]}, 7, 10), Outcome({"count": [2.0, 5.0]}, 7, 20)])

    class Pool:
        def __init__(self, *arguments: object) -> None: ...
        def __enter__(self) -> Pool:
            return self

        def __exit__(self, *error: object) -> None: ...
        def submit(self, *job: object) -> concurrent.futures.Future[Outcome]:
            future: concurrent.futures.Future[Outcome] = concurrent.futures.Future()
            future.set_result(next(ends))
            return future

    monkeypatch.setattr(work, "ProcessPoolExecutor", Pool)
    outcome = work.scaling_apart("path", None, {}, 2, 1)
    assert outcome == Outcome({"count": [1.5, 2.5]}, 7, 30)


def test_engines_that_are_missing_are_listed(monkeypatch: pytest.MonkeyPatch, options: cli.Options) -> None:
    monkeypatch.setattr("benchmarks.engines.importlib.util.find_spec", lambda _: None)
    rows = cli.not_installed(["evalkit", "gigatoken"], None)
    assert [(row.engine, row.status) for row in rows] == [("evalkit", "not installed"), ("gigatoken", "not installed")]
    assert cli.installed(["evalkit", "gigatoken"], None) == []


def test_figures_go_between_the_markers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{report.BEGIN}\n### count\n\nkept\n\n### encode\n\nold\n\n{report.END}\nafter\n")
    jobs, run = scripted({"evalkit": 1}, {"evalkit": [1.0]})
    result = run_case(Case({"text": "t"}, 100, jobs, lambda _: {}), 1, run)
    benchmark = cli.Benchmark("encode", "what it is", lambda _: [], ())
    report.write_markdown(report.document({}, [], "the command"), {"encode": [result]}, [benchmark], page)
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "kept" in text
    assert "old" not in text
    assert "`the command`" in text
    assert "| evalkit" in text


def test_the_page_has_the_markers() -> None:
    text = report.PAGE.read_text(encoding="utf-8")
    assert text.index(report.BEGIN) < text.index(report.END)


def test_more_instructions_than_the_tolerance_fail() -> None:
    baseline = {"count": 1000, "train": 1000, "split": 1000}
    table, more = instructions.compare({"count": 1029, "train": 900, "encode": 5}, baseline)
    assert not more
    assert "-10.00%" in table
    assert "new" in table
    assert instructions.compare({"count": 1031}, baseline)[1]


def test_instructions_under_another_compiler_are_not_compared() -> None:
    here = instructions.surroundings()
    assert instructions.differing(here, dict(here)) == []
    assert "rustc is" in instructions.differing(here, here | {"rustc": "rustc 1.0.0"})[0]
