"""What loses text is never praised, whatever metrics the suite lists."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evalkit.change_summary import over_corpora
from evalkit.compare import compare, open_side
from evalkit.encode_checks import EncodeAudit
from evalkit.fronts import front_together
from evalkit.lossless import lossy
from evalkit.pipeline import Options, run_suite
from evalkit.report.compared import answers, headline, verdict
from evalkit.report.figures import best
from evalkit.report.markdown import render
from evalkit.report.sections import figures
from evalkit.results import Results
from evalkit.suite import Suite, load_suite
from tokenizers_impl import BaselineTokenizer

PLUGIN = """
class Beginning:
    "The first three characters, and nothing of the rest."
    vocab_size = 300
    def encode(self, text): return [min(ord(c), 255) for c in text[:3]]
    def decode(self, ids): return "".join(map(chr, ids))
"""
SELECT = "select: {d_model: 768, n_layers: 12, context: 1024, tied: true}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "lossless_plugin.py").write_text(PLUGIN, encoding="utf-8")
    lines = [f"Line {k} says that {k * k} is a square, and that {'so ' * (k % 7)}on." for k in range(40)]
    (tmp_path / "squares.txt").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield tmp_path
    sys.modules.pop("lossless_plugin", None)


def _suite(folder: Path, tokenizers: str, metrics: str = "[bytes_per_token]") -> Suite:
    text = (
        "version: 1\nname: s\ncorpora:\n  squares: {files: [squares.txt], document: line}\n"
        f"  builtin: {{builtin: stories}}\ntokenizers:\n{tokenizers}measure: {{metrics: {metrics}}}\n{SELECT}"
    )
    (folder / "suite.yaml").write_text(text, encoding="utf-8")
    return load_suite(folder / "suite.yaml")


def _run(folder: Path, tokenizers: str, out: str = "", metrics: str = "[bytes_per_token]") -> Results:
    options = Options(trust=True, cache=False, threads=2)
    results = run_suite(_suite(folder, tokenizers, metrics), options)
    if out:
        (folder / out).mkdir()
        (folder / out / "results.json").write_text(results.to_json(), encoding="utf-8")
    return results


LOSSY = '  - {name: x, python: "lossless_plugin:Beginning"}\n'
WHOLE = "  - {name: gpt2, tiktoken: gpt2}\n  - {name: cl100k, tiktoken: cl100k_base}\n"


@pytest.mark.parametrize("metrics", ["[bytes_per_token]", "[bytes_per_token, round_trip_rate]", "all"])
def test_it_is_not_the_best_whatever_the_suite_measures(folder: Path, metrics: str) -> None:
    results = _run(folder, LOSSY + WHOLE, metrics=metrics)
    corpora = {c.name for c in results.corpora}
    assert results.lossy == {(corpus, "x") for corpus in corpora}
    for corpus in corpora:
        value = {name: results.row(corpus, name, "bytes_per_token") for name in ("x", "cl100k")}
        assert (getattr(value["x"], "value", 0) or 0) > 2 * (getattr(value["cl100k"], "value", 0) or 0)
        assert "x" not in best(results, corpus, "bytes_per_token")
    assert {one.tokenizer for one in results.fronts} == {"gpt2", "cl100k"}
    assert {one.tokenizer for one in results.ranks} == {"gpt2", "cl100k"}
    points = front_together(results.ladders, results.rows, results.tokenizers, results.lossy, sorted(corpora))
    assert "x" not in {name for _, _, name in points}
    assert any(one.startswith("x loses text on") for one in results.warnings)
    text = render(results)
    opening = text.split("\nCorpus by corpus:")[0]
    assert "a byte of text takes the least training with `gpt2` on every corpus" in opening
    assert [line for line in opening.splitlines() if "`x`" in line] == [
        line for line in opening.splitlines() if line.endswith("; `x` loses text.")
    ]
    assert "**" not in next(line for line in figures(results, "bytes_per_token").splitlines() if "`x`" in line)


def test_bold_is_what_loses_no_text_in_the_wide_table_of_costs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = _run(folder, LOSSY + WHOLE)
    monkeypatch.setattr("evalkit.report.cost.is_large", lambda _: True)
    rows = [line for line in render(results).split("the least is bold")[1].splitlines() if line.startswith("| `")]
    bold = {line.split("`")[1]: line.count("**") for line in rows[:3]}
    assert bold == {"x": 0, "gpt2": 4, "cl100k": 0}


def test_unknown_ids_fail_the_check_though_what_was_decoded_came_back() -> None:
    """The round trip is made of a part of the text, and unknown ids are counted in all of it."""
    audit = EncodeAudit(BaselineTokenizer("bytes"), 2)
    audit.documents = audit.round_trips = 2
    assert audit.round_trip_check(10, 0).passed is True
    found = audit.round_trip_check(10, 3)
    assert (found.passed, found.detail) == (False, "3 of its ids there are unknown")


def test_results_of_before_say_it_by_their_rates(folder: Path) -> None:
    results = _run(folder, WHOLE, metrics="all")
    assert lossy(results.rows, results.checks) == ()
    rows = tuple(
        replace(row, value=0.25) if (row.corpus, row.tokenizer, row.metric) == ("squares", "gpt2", "unk_rate") else row
        for row in results.rows
    )
    assert lossy(rows, results.checks) == (("squares", "gpt2"),)
    named = tuple(replace(t, aliases=("other",)) if t.name == "gpt2" else t for t in results.tokenizers)
    assert replace(results, rows=rows, tokenizers=named).lossy == {("squares", "gpt2"), ("squares", "other")}


@pytest.mark.parametrize("metrics", ["[bytes_per_token]", "all"])
def test_a_comparison_says_first_that_text_is_lost_and_calls_it_neither_better_nor_worse(
    folder: Path, metrics: str
) -> None:
    _run(folder, "  - {name: x, tiktoken: gpt2}\n", "A", metrics)
    _run(folder, LOSSY, "B", metrics)
    for one, two, side in (("A", "B", "B"), ("B", "A", "A"), ("B", "B", "")):
        found = compare(open_side(folder / one), open_side(folder / two))
        said = [line for line in headline(found) if line.startswith("x loses text")]
        if not side:
            assert said == []  # nothing differs
            continue
        assert len(said) == 1
        assert said[0].startswith(f"x loses text in {side} on squares and builtin: ")
        (summary,) = over_corpora(found)
        assert not {"better", "worse"} & set(summary.outcomes)
        assert answers(found)[0][1].startswith(f"loses text in {side}; ")
        for change in found.changes:
            assert change.outcome not in ("better", "worse") or change.metric == "round_trip_rate"
            if change.outcome == "differs" and change.metric == "bytes_per_token":
                assert verdict(change).endswith(f": text is lost in {side}")
        rates = [change.outcome for change in found.changes if change.metric == "round_trip_rate"]
        assert set(rates) <= {"worse" if side == "B" else "better"}
        assert bool(rates) == (metrics == "all")
