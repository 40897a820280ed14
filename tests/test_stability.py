"""Training again on parts of the text: the noise, what it does to verdicts, and where it shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from budget import examples
from engines import ENGINES

import tokenizers_impl as ti
from evalkit import build, pipeline
from evalkit.comparisons import comparison_records
from evalkit.counts import CorpusCounts
from evalkit.errors import UserError
from evalkit.metrics.example import example
from evalkit.metrics.registry import ints
from evalkit.pipeline import Options, run_suite
from evalkit.report.comparisons import lead
from evalkit.report.markdown import render
from evalkit.results import Results, parse_results
from evalkit.stability import Stability, group_of, stability_records
from evalkit.stats import quantile
from evalkit.stats.noise import training_noise
from evalkit.suite import Suite, load_suite, parse_suite
from evalkit.values import Undefined
from tokenizers_impl import engine
from tokenizers_impl.training import truncate

# ── the statistic ───────────────────────────────────────────────────────────────────────────────────────────


def test_by_hand() -> None:
    # mean 0; (3 − 1)/3 · (1 + 1) · 0.0001: error 0.011547; t(2) = 4.303
    found = training_noise([-0.01, 0.0, 0.01], 0.95)
    assert found.error == pytest.approx(0.0115470, rel=1e-5)
    assert found.floor == pytest.approx(math.expm1(4.3026527 * 0.011547005), rel=1e-5)
    assert training_noise([0.5, 0.5], 0.95).floor == 0
    with pytest.raises(ValueError, match="not 1"):
        training_noise([0.5], 0.95)


def test_it_estimates_how_a_figure_varies_between_texts() -> None:
    """A ratio of sums over 60 documents: the mean of the estimated variances is the variance that there is, and the
    floor (5 groups) is passed by chance in 1 of 20 texts."""
    random = np.random.default_rng(41)
    number, documents, groups = examples(4000), 60, 5
    sizes = np.exp(random.normal(5, 0.5, (number, documents)))
    tokens = sizes * np.exp(random.normal(0, 0.1, (number, documents)))
    whole = np.log(tokens.sum(axis=1) / sizes.sum(axis=1))
    member = np.arange(documents) % groups
    without = np.stack(
        [np.log(tokens[:, member != k].sum(axis=1) / sizes[:, member != k].sum(axis=1)) for k in range(groups)], axis=1
    )
    found = [training_noise(row, 0.95) for row in without.tolist()]
    assert np.mean([one.error**2 for one in found]) == pytest.approx(float(whole.var()), rel=0.1)
    truth = float(whole.mean())
    passed = np.mean([abs(x - truth) > math.log1p(one.floor) for x, one in zip(whole.tolist(), found, strict=True)])
    assert 0.035 <= passed <= 0.07


def test_groups_are_by_text_and_seed() -> None:
    texts = [f"document {n}" for n in range(1000)]
    groups = [group_of(text, 1, 5) for text in texts]
    assert groups == [group_of(text, 1, 5) for text in texts]
    assert groups != [group_of(text, 2, 5) for text in texts]
    assert all(150 <= groups.count(k) <= 250 for k in range(5))


# ── verdicts ────────────────────────────────────────────────────────────────────────────────────────────────


def _counts() -> CorpusCounts:
    n = 80
    cell = example(bytes=[40] * n, tokens=[10] * n, unknown=[0] * n, round_trips=n)
    tokens = {"a": [10] * n, "b": [11 - k % 2 for k in range(n)], "published": [8 + k % 2 for k in range(n)]}
    counted = {name: replace(cell.tokenizer, name=name, tokens=ints(*one)) for name, one in tokens.items()}
    return replace(cell.corpus, name="x", tokenizers=counted)


def test_a_difference_must_be_larger_than_that_of_training() -> None:
    names = ("a", "b", "published")
    without = {(c.first, c.second): c for c in comparison_records([_counts()], names, 0.95)}
    assert all(c.separable for c in without.values())
    assert all(c.noise_floor is None for c in without.values())
    # b varies by itself, a hardly: 5 % between them are nothing; a is firm against the published one.
    stability = Stability(3, {("x", "a"): (800, 801, 800), ("x", "b"): (800, 880, 840)})
    found = {(c.first, c.second): c for c in comparison_records([_counts()], names, 0.95, stability)}
    assert [found[pair].separable for pair in without] == [False, True, False]
    assert [found[pair].within_noise for pair in without] == [True, False, True]
    assert all(found[pair].p_holm == without[pair].p_holm for pair in without)
    expected = [math.log(a / b) for a, b in ((800, 800), (801, 880), (800, 840))]
    assert found["a", "b"].noise_floor == training_noise(expected, 0.95).floor
    alone = [math.log(n) for n in (800, 801, 800)]
    assert found["a", "published"].noise_floor == training_noise(alone, 0.95).floor
    assert found["a", "b"].turned().within_noise
    assert "training on another text of the kind alone makes" in lead(found["a", "b"], [], 3)
    assert "separable from `c`" in lead(found["a", "b"], ["`c`"], 3)


def test_what_varies_alike_or_not_at_all_has_no_noise() -> None:
    stability = Stability(3, {("x", "a"): (800, 880, 840), ("x", "b"): (400, 440, 420)})
    assert stability.noise("x", "a", "b", 0.95) == Undefined("nothing varies between its trainings")
    firm = Stability(3, {("x", "a"): (800, 800, 800)}, {"a": (300, 300, 300)})
    (record,) = stability_records(firm, [("x", 10)], ("a",), 0.95)
    assert (record.error, record.floor) == (None, None)
    assert record.undefined_reason == "nothing varies between its trainings"
    assert len(record.bytes_per_token) == 3


def test_what_could_not_be_trained_again_says_why() -> None:
    stability = Stability(3, {}, {}, {"a": "its training text has too few documents for 3 groups"})
    found = next(comparison_records([_counts()], ("a", "published"), 0.95, stability))
    assert found.separable
    assert found.noise_floor is None
    assert found.noise_undefined == "a could not be trained again: its training text has too few documents for 3 groups"
    (record,) = stability_records(stability, [("x", 10)], ("a", "published"), 0.95)
    assert (record.error, record.floor, record.bytes_per_token) == (None, None, ())
    assert "too few" in (record.undefined_reason or "")
    empty = Stability(2, {("x", "a"): (0, 1)}, {"a": (300, 300)})
    assert isinstance(empty.noise("x", "a", "b", 0.95), Undefined)
    (record,) = stability_records(empty, [("x", 10)], ("a",), 0.95)
    assert (record.bytes_per_token, record.error) == ((None, 10.0), None)


# ── in a suite ──────────────────────────────────────────────────────────────────────────────────────────────

SUITE = """
version: 1
name: again
seed: 5
corpora:
  stories: {files: [stories.txt], document: line, language: en}
  zh: {files: [zh.txt], document: line, language: zh}
  one: {files: [one.txt], document: file, eval: {files: [stories.txt]}}
tokenizers:
  - {name: plain, variant: gpt2, train_on: stories, vocab_size: [270, 290]}
  - {name: words, variant: zh, train_on: {stories: 0.5, zh: 0.5}, vocab_size: 280}
  - {name: single, variant: gpt2, train_on: one, vocab_size: 260}
  - {name: floor, baseline: bytes}
measure: {stability: 3, metrics: [bytes_per_token]}
"""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "cache"))
    names = ("Tim", "Ann", "Bo", "Eve")
    stories = [
        f"A fox called {names[n % 4]} had {n} apples, {n * 7} pears and a {'red' * (n % 3)} hat." for n in range(60)
    ]
    (tmp_path / "stories.txt").write_text("\n".join(stories), encoding="utf-8")
    zh = [f"我们去{'上海' if n % 2 else '北京'}看朋友，第{n}次。" for n in range(60)]
    (tmp_path / "zh.txt").write_text("\n".join(zh), encoding="utf-8")
    (tmp_path / "one.txt").write_text("low lower lowest\n" * 40, encoding="utf-8")
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    return load_suite(tmp_path / "suite.yaml")


def _naive(suite: Suite, corpus: str, trained_on: str, size: int, rung: int) -> list[int]:
    corpora = pipeline.open_corpora(suite)
    found = []
    for k in range(3):
        texts = [t for t in corpora[trained_on].documents("train") if group_of(t, suite.seed, 3) != k]
        tokenizer = truncate(ti.train(texts, "gpt2", size), rung)
        documents = corpora[corpus].documents(corpora[corpus].split_name)
        found.append(sum(len(tokenizer.encode_ordinary(text)) for text in documents))
    return found


@pytest.mark.parametrize("name", ENGINES)
def test_end_to_end(suite: Suite, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stages: list[str] = []
    with engine.use(name):
        results = run_suite(suite, Options(progress=lambda stage, *_: stages.append(stage)))
        found = {(one.corpus, one.tokenizer): one for one in results.stability}
        sizes = {c.name: c.bytes for c in results.corpora}
        for corpus in ("stories", "zh"):
            for rung, key in ((270, "plain@270"), (290, "plain")):
                tokens = _naive(suite, corpus, "stories", 290, rung)
                one = found[corpus, key]
                assert one.bytes_per_token == tuple(sizes[corpus] / n for n in tokens)
                assert one.trainings == 3
                noise = training_noise([math.log(n) for n in tokens], 0.95)
                varies = len(set(tokens)) > 1
                assert (one.error, one.floor) == ((noise.error, noise.floor) if varies else (None, None))
        assert found["zh", "words"].vocab_sizes == (280, 280, 280)
        assert "floor" not in {one.tokenizer for one in results.stability}
        assert any("again, 2 of 3" in stage for stage in stages)
        pair = results.comparison("stories", "plain@270", "plain")
        assert pair is not None
        assert pair.noise_floor is not None
        # Once trained, they come from the cache, and nothing depends on that.
        monkeypatch.setattr(build.ti, "train", lambda *_, **__: pytest.fail("trained again"))
        cached = run_suite(suite, Options(only="plain"))
        assert cached.stability == tuple(one for one in results.stability if one.tokenizer.startswith("plain"))
    monkeypatch.undo()


def test_one_document_cannot_be_left_out(suite: Suite) -> None:
    results = run_suite(suite)
    mine = [one for one in results.stability if one.tokenizer == "single"]
    assert len(mine) == 3
    for one in mine:
        assert (one.error, one.vocab_sizes) == (None, ())
        assert "too few documents" in (one.undefined_reason or "") or "no text" in (one.undefined_reason or "")
    pair = results.comparison("stories", "single", "plain")
    assert pair is not None
    assert "could not be trained again" in (pair.noise_undefined or "")
    section = _section(render(results), "Training noise")
    assert "`single`: undefined" in section
    assert "trained here, but those named below, was trained 3 times more" in section
    assert sum("not known for single" in warning for warning in results.warnings) == 1
    alone = run_suite(suite, Options(only="single"))
    assert "times more" not in _section(render(alone), "Training noise")
    assert "could not be judged" in _section(render(alone), "Training noise")
    assert "delete-a-group" not in render(alone)


def test_the_report_shows_it_and_the_file_keeps_it(suite: Suite) -> None:
    results = run_suite(suite)
    assert parse_results(results.to_json()) == results
    text = render(results)
    assert "## Training noise" in text
    assert "delete-a-group jackknife" in text
    assert _section(text, "Training noise").count("±") >= 5
    quiet = suite.model_copy(update={"measure": suite.measure.model_copy(update={"stability": 0})})
    without = run_suite(quiet)
    assert "Training noise" not in render(without)
    assert not without.stability
    assert all(c.noise_floor is None for c in without.comparisons)
    assert _figures(without) == _figures(results)


def _section(text: str, title: str) -> str:
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


def _figures(results: Results) -> Sequence[object]:
    return [(row.corpus, row.tokenizer, row.metric, row.value, row.low) for row in results.rows]


@pytest.mark.parametrize("value", ["1", "-1", "51", "2.0", "yes", "'5'"])
def test_a_number_that_makes_no_sense_is_refused(value: str) -> None:
    text = SUITE.replace("stability: 3", f"stability: {value}")
    with pytest.raises(UserError, match=r"measure\.stability: expected 0, or how often"):
        parse_suite(text)


def test_the_floor_is_students() -> None:
    error = 0.01
    noise = training_noise([error * x for x in (-1.0, 1.0)], 0.9)
    assert noise.error == pytest.approx(error)
    assert math.log1p(noise.floor) == pytest.approx(quantile(0.9, 1) * error, rel=1e-5)
