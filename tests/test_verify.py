"""Stored results run again: the same digest, or the first figures that differ."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from evalkit.cli import cli
from evalkit.errors import UserError
from evalkit.results import load_results
from evalkit.verify import suite_of, verify

SUITE = """
version: 1
name: small
corpora:
  a: {files: [a.txt], separator: "\\n"}
  b: {files: [b.txt], separator: "\\n"}
tokenizers:
  - {name: one, variant: gpt2, train_on: a, vocab_size: [258, 262]}
  - {name: floor, baseline: bytes}
measure: {metrics: [tokens, bytes_per_token, encode_mb_per_s]}
"""


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments, "--quiet"], standalone_mode=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in "abc":
        text = "\n".join(f"low lower {n} lowest {name * (n % 5)}" for n in range(60))
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def test_the_same_run_has_the_same_digest(folder: Path) -> None:
    assert invoke("run", "suite.yaml", "--out", "report", "--format", "json").return_value == 0
    done = invoke("verify", "report")
    assert done.return_value == 0, done.output
    assert done.output.startswith("the same: ")
    assert invoke("verify", "report/results.json", "--suite", "suite.yaml", "--no-cache").return_value == 0
    # the file isn't needed: the results hold its text
    (folder / "suite.yaml").rename(folder / "elsewhere.yaml")
    assert invoke("verify", "report").return_value == 0
    assert load_results(folder / "report").suite.text == SUITE


def test_results_of_before_the_digest_of_documents_are_the_same(folder: Path) -> None:
    assert invoke("run", "suite.yaml", "--out", "report", "--format", "json").return_value == 0
    path = folder / "report" / "results.json"
    now = load_results(path)
    old = replace(now, corpora=tuple(replace(one, documents_sha256=None) for one in now.corpora))
    assert old.digest != now.digest
    path.write_text(old.to_json(), encoding="utf-8")
    assert invoke("verify", "report").return_value == 0
    part = replace(now, corpora=(old.corpora[0], replace(now.corpora[1], documents_sha256="0" * 64)))
    path.write_text(part.to_json(), encoding="utf-8")
    (difference,) = verify(path).differences
    assert difference.startswith("corpus b: documents_sha256 was 000000000000… and is ")


def test_a_figure_that_was_changed_by_hand_is_not_the_same(folder: Path) -> None:
    """The fault of before: the new run was held against the file's digest alone, not against its figures."""
    assert invoke("run", "suite.yaml", "--out", "report", "--format", "json").return_value == 0
    path = folder / "report" / "results.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    row = next(row for row in content["rows"] if row["metric"] == "bytes_per_token")
    row["value"] += 1
    path.write_text(json.dumps(content), encoding="utf-8")
    done = invoke("verify", "report")
    assert done.return_value == 1
    assert "the file was changed" in done.output
    assert f"bytes_per_token ({row['aggregation']}) of {row['tokenizer']} on {row['corpus']}: value was" in done.output
    row["value"] -= 1
    path.write_text(json.dumps(content), encoding="utf-8")
    assert invoke("verify", "report").return_value == 0


def test_what_was_chosen_and_replaced_is_run_again(folder: Path) -> None:
    arguments = ["--only", "one", "--corpus", "b=c.txt", "--out", "report", "--format", "json"]
    assert invoke("run", "suite.yaml", *arguments).return_value == 0
    stored = load_results(folder / "report").suite
    assert (stored.only, stored.corpus_files, stored.source) == ("one", ("b=c.txt",), "suite.yaml")
    assert invoke("verify", "report").return_value == 0


def test_other_text_gives_other_figures_which_are_named(folder: Path) -> None:
    invoke("run", "suite.yaml", "--out", "report", "--format", "json")
    with (folder / "b.txt").open("a", encoding="utf-8") as file:
        file.write("\nanother")
    done = invoke("verify", "report")
    assert done.return_value == 1
    assert "different: the digest was" in done.output
    assert "corpus b: documents was 60 and is 61" in done.output
    found = verify(folder / "report")
    assert not found.same
    assert any(line.startswith("tokens (sum) of one on b: ") for line in found.differences) or found.more


def test_a_figure_that_was_changed_by_hand_is_named(folder: Path) -> None:
    invoke("run", "suite.yaml", "--out", "report", "--format", "json")
    path = folder / "report" / "results.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    row = next(r for r in content["rows"] if r["metric"] == "bytes_per_token" and r["tokenizer"] == "one")
    before, row["value"] = row["value"], 9.5
    path.write_text(json.dumps(content | {"digest": "0" * 64}), encoding="utf-8")
    found = verify(path)
    assert found.differences == (f"bytes_per_token (micro) of one on {row['corpus']}: value was 9.5 and is {before}",)
    row["value"] = before
    path.write_text(json.dumps(content | {"digest": "0" * 64}), encoding="utf-8")
    assert "the digest in the file is not that of what stands in it" in verify(path).differences[0]


def test_what_cant_be_run_again(folder: Path) -> None:
    invoke("run", "suite.yaml", "--out", "report", "--format", "json")
    path = folder / "report" / "results.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    (folder / "other.yaml").write_text(SUITE.replace("262", "261"), encoding="utf-8")
    with pytest.raises(UserError, match=r"other\.yaml is not the suite of these results"):
        verify(path, suite="other.yaml")
    (folder / "suite.yaml").unlink()
    (folder / "b.txt").unlink()
    with pytest.raises(UserError, match=r"b\.txt"):
        verify(path)
    for text, says in ((None, "older evalkit"), (SUITE + "#", "damaged")):
        content["suite"]["text"] = text
        path.write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(UserError, match=says):
            suite_of(load_results(path))
    del content["digest"]
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(UserError, match="no digest"):
        verify(path)
    with pytest.raises(UserError, match="can't be read"):
        verify(folder / "nothing")


def test_a_built_in_suite_is_called_by_its_name() -> None:
    from evalkit.suite import load_suite

    assert load_suite("quickstart").source == "quickstart"
