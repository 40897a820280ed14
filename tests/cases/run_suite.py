"""Runners about measuring, suites and reports."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from cases.model import Here, runner
from cases.paths import published
from evalkit.environment import environment
from evalkit.errors import UserError
from evalkit.metrics import METRICS
from evalkit.metrics.example import example
from evalkit.pipeline import Options, run_suite
from evalkit.report.markdown import render
from evalkit.results import Results
from evalkit.suite import load_suite, parse_suite
from evalkit.values import Undefined, Value

Documents = Sequence[Sequence[str]]


def measured(folder: Path, corpora: Documents, tokenizers: Sequence[Mapping[str, Any]], **keys: Any) -> Results:
    """The results of a suite over corpora c0, c1, …, in the files of that folder."""
    specs = {}
    for number, documents in enumerate(corpora):
        lines = [json.dumps({"text": text}) for text in documents]
        (folder / f"c{number}.jsonl").write_text("\n".join(lines), encoding="utf-8")
        specs[f"c{number}"] = {"files": [f"c{number}.jsonl"], "field": "text"} | keys
    suite = {"version": 1, "name": "case", "corpora": specs, "tokenizers": list(tokenizers)}
    path = folder / "suite.yaml"
    path.write_text(json.dumps(suite), encoding="utf-8")  # JSON is YAML
    return run_suite(load_suite(path), Options(cache=False))


@runner
def measure(
    here: Here,
    corpora: Documents,
    tokenizers: list[dict[str, Any]],
    figures: list[dict[str, Any]],
    bytes: Sequence[int] = (),
    chars: Sequence[int] = (),
    warns: Sequence[str] = (),
) -> None:
    """The figures of a whole run, to three digits; each corpus's size; and what the reader is warned of."""
    results = measured(here.folder, corpora, tokenizers)
    assert not results.failed_checks
    for figure in figures:
        for number, value in enumerate(figure["values"]):
            row = results.row(f"c{number}", figure["tokenizer"], figure["metric"], figure.get("aggregation", "micro"))
            assert row is not None
            assert row.value == pytest.approx(value, abs=5e-4), (figure["metric"], number)
    assert [corpus.bytes for corpus in results.corpora][: len(bytes)] == list(bytes)
    assert [corpus.chars for corpus in results.corpora][: len(chars)] == list(chars)
    for text in warns:
        assert any(text in warning for warning in results.warnings), results.warnings


@runner
def token_bytes(here: Here, tiktoken: str, texts: list[str], bytes: list[int], decoded_one_by_one: list[int]) -> None:
    """The bytes of the tokens are those of the text; decoding each token alone counts U+FFFD instead."""
    tok = published(tiktoken)
    for text, size, wrong in zip(texts, bytes, decoded_one_by_one, strict=True):
        assert sum(map(len, tok.tokens(text))) == len(text.encode()) == size
        assert sum(len(tok.decode([i]).encode()) for i in tok.encode(text)) == wrong


@runner
def words_are_named(here: Here, corpora: Documents, more_than: list[int], blanks: list[int]) -> None:
    """Figures per word say what cut the words; they are undefined where nothing can."""
    spec = [{"name": "cl100k", "tiktoken": "cl100k_base"}]
    results = measured(here.folder, corpora, spec)
    for corpus, least in zip(results.corpora, more_than, strict=True):
        row = results.row(corpus.name, "cl100k", "fertility")
        assert row is not None
        if here.engine == "reference":  # the segmenter is in the compiled core alone
            assert row.value is None
            assert row.undefined_reason
            assert corpus.words is None
        else:
            assert corpus.words is not None
            assert corpus.words > least
            assert corpus.segmenter.startswith("ICU4X")
            assert corpus.segmenter in render(results)
    split = measured(here.folder, corpora, spec, segmenter="whitespace")
    assert [corpus.words for corpus in split.corpora] == blanks
    assert {corpus.segmenter for corpus in split.corpora} == {"whitespace"}
    assert "Words by whitespace." in render(split)


@runner
def averaging(here: Here, bytes: list[int], tokens: list[int], micro: float, macro: float) -> None:
    """Both figures of a ratio, each under its name."""
    for name in ("bytes_per_token", "chars_per_token"):
        found = METRICS[name].values(example(bytes=bytes, chars=bytes, tokens=tokens))
        assert list(found) == ["micro", "macro"]
        figures = [one.value for one in found.values() if isinstance(one, Value)]
        assert figures == [pytest.approx(micro, abs=5e-5), pytest.approx(macro)]
    assert not any(isinstance(one, Undefined) for one in found.values())


@runner
def counts_are_named(here: Here, text: str, tiktoken: list[str]) -> None:
    """What a count was made with is in the report: each tokenizer's fingerprint, the versions, the text's hash."""
    spec = [{"name": name.replace("_", "-"), "tiktoken": name} for name in tiktoken]
    results = measured(here.folder, [[text]], spec)
    counts = {row.value for row in results.rows if row.metric == "tokens"}
    assert len(counts) == len(tiktoken), "another encoding, another count"
    report = render(results)
    for record in results.tokenizers:
        assert record.fingerprint is not None
        assert f"`{record.fingerprint[:12]}`" in report
        assert record.kind == "tiktoken"
    assert f"`{results.corpora[0].sha256[:12]}`" in report
    for name, version in environment(1)["versions"].items():
        if version is not None:
            assert name in report
            assert str(version) in report


@runner
def report_shows_ids(here: Here, tiktoken: str, shows: list[str]) -> None:
    """The number of tokens and of ids are both in the table of tokenizers, and why they differ below it."""
    report = render(measured(here.folder, [["a b"]], [{"name": "one", "tiktoken": tiktoken}]))
    row = next(line for line in report.split("\n") if line.startswith("| `one`"))
    assert [cell.strip() for cell in row.split("|")][-3:-1] == shows
    assert "Ids of `one` have gaps" in report


@runner
def domains(
    here: Here, corpora: Mapping[str, str], copies: int, vocab_size: int, at_home: float, abroad: float
) -> None:
    """Two tokenizers, each on its own domain and the other; what was trained on and measured is said."""
    specs, tokenizers = {}, []
    for name, text in corpora.items():
        (here.folder / f"{name}.txt").write_text("\n".join([text] * copies), encoding="utf-8")
        (here.folder / f"{name}-held-out.txt").write_text(text, encoding="utf-8")
        specs[name] = {"files": [f"{name}.txt"], "document": "line", "eval": {"files": [f"{name}-held-out.txt"]}}
        tokenizers.append(
            {"name": f"of-{name}", "variant": "gpt2", "train_on": name, "vocab_size": vocab_size, "min_frequency": 1}
        )
    suite = {"version": 1, "name": "domains", "corpora": specs, "tokenizers": tokenizers}
    (here.folder / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    results = run_suite(load_suite(here.folder / "suite.yaml"), Options(cache=False))
    report = render(results)
    for name in corpora:
        for other in corpora:
            row = results.row(other, f"of-{name}", "bytes_per_token")
            assert row is not None
            assert row.value == (at_home if name == other else abroad)
        assert any(f"1 of 1 document of {name} (100.0 % of its bytes)" in text for text in results.warnings)
        table = report.split("## Bytes per token")[1]
        line = next(line for line in table.split("\n") if line.startswith(f"| `of-{name}`"))
        assert line.count("†") == 1
        assert f"**{at_home:.2f}†**" in line
    assert any(text.startswith("In-domain:") for text in results.warnings)


# ── suite files ─────────────────────────────────────────────────────────────────────────────────────────────

_SUITE = {
    "version": "version: 1",
    "name": "name: case",
    "corpora": "corpora: {c: {files: a.txt}}",
    "tokenizers": "tokenizers: [{name: t, baseline: bytes}]",
}


def _with(line: str) -> str:
    return "\n".join((_SUITE | {line.split(":")[0]: line}).values()) + "\n"


@runner
def yaml_scalars(here: Here, accepted: list[dict[str, Any]], refused: list[dict[str, Any]]) -> None:
    """Each line of a suite is read as it looks, or refused with its key and what to write."""
    for case in accepted:
        value: Any = parse_suite(_with(case["line"]))
        for key in case["path"]:
            value = value[key] if isinstance(value, dict) else getattr(value, key)
        assert value == case["value"]
        assert type(value) is type(case["value"])
    for case in refused:
        with pytest.raises(UserError) as caught:
            parse_suite(_with(case["line"]))
        for text in case["says"]:
            assert text in str(caught.value)
