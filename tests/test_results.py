"""Results keep what they were given, refuse what they can't read, and have a digest that means something."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_example import counts, results

from evalkit.errors import UserError
from evalkit.fair_records import CutRecord, FrontRecord, LossRecord, MatchedRecord, SeenRecord, StabilityRecord
from evalkit.results import (
    COLUMNS,
    SCHEMA_VERSION,
    CorpusPairRecord,
    LadderRecord,
    PairRecord,
    Results,
    Row,
    load_results,
    parse_results,
)
from evalkit.results_files import load_counts, save_counts, to_csv
from evalkit.selection_records import CostRecord, ModelRecord, OptimumRecord
from evalkit.vocabulary_records import TrainingUsageRecord, UsageRecord, VocabularyRecord

CONTRACT_KEYS = {
    "schema_version": None,
    "suite": {"name", "sha256"},
    "environment": {"versions", "machine", "threads"},
    "tokenizers": {"name", "kind", "variant", "vocab_size", "asked_vocab_size", "fingerprint",
                   "train_seconds"},
    "corpora": {"name", "split", "documents", "bytes", "chars", "words", "segmenter", "sha256", "documents_sha256"},
    "rows": set(COLUMNS),
    "ladders": set(),
    "warnings": None,
    "digest": None,
    "timings": None,
}  # fmt: skip


def test_the_json_has_the_keys_that_were_promised() -> None:
    content = json.loads(results().to_json())
    for key, inner in CONTRACT_KEYS.items():
        assert key in content
        found = content[key]
        if inner:
            first = found[0] if isinstance(found, list) else found
            assert inner <= set(first), key
    assert COLUMNS == (
        "corpus", "split", "domain", "language", "tokenizer", "metric", "aggregation", "value", "low", "high",
        "unit", "n", "higher_is_better", "evidence", "undefined_reason",
    )  # fmt: skip


def test_json_comes_back_the_same() -> None:
    first = results()
    again = parse_results(first.to_json())
    assert again == first
    assert again.digest == first.digest
    assert again.to_json() == first.to_json()


def test_the_json_is_valid_and_undefined_is_null() -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    content = json.loads(results().to_json(), parse_constant=refuse)
    undefined = [row for row in content["rows"] if row["undefined_reason"] is not None]
    assert undefined
    assert all(row["value"] is None for row in undefined)
    row = replace(results().rows[0], value=math.nan)
    with pytest.raises(ValueError, match="JSON compliant"):
        replace(results(), rows=(row,)).to_json()


def test_a_row_has_a_value_or_a_reason() -> None:
    row = results().rows[0]
    with pytest.raises(ValueError, match="a value or a reason"):
        replace(row, value=None)
    with pytest.raises(ValueError, match="a value or a reason"):
        replace(row, undefined_reason="because")


# ── the digest ──────────────────────────────────────────────────────────────────────────────────────────────


def _timed(found: Results, value: float) -> Results:
    def timed(row: Row) -> Row:
        slow = row.metric == "encode_mb_per_s" and row.value is not None
        return replace(row, value=value) if slow else row

    return replace(found, rows=tuple(map(timed, found.rows)))


def test_timings_and_environment_are_not_in_the_digest() -> None:
    first = results()
    assert any(row.metric == "encode_mb_per_s" for row in first.rows)
    tokenizers = tuple(replace(t, train_seconds=99.0, notes=("from the cache",)) for t in first.tokenizers)
    other = replace(_timed(first, 7.25), environment={"engine": "another"}, timings={"all": 5.0}, tokenizers=tokenizers)
    assert other.digest == first.digest


def test_everything_else_is_in_the_digest() -> None:
    first = results()
    changed = first.rows[0].value
    assert changed is not None
    rows = (replace(first.rows[0], value=math.nextafter(changed, 9)), *first.rows[1:])
    variants: Mapping[str, Any] = {
        "suite": replace(first.suite, seed=first.suite.seed + 1),
        "tokenizers": first.tokenizers[:-1],
        "corpora": first.corpora[:-1],
        "rows": rows,
        "metrics": first.metrics[:-1],
        "checks": first.checks[:-1],
        "overlaps": first.overlaps[:-1],
        "matches": first.matches[:-1],
        "differences": first.differences[:-1],
        "comparisons": first.comparisons[:-1],
        "ranks": first.ranks[:-1],
        "ladders": (LadderRecord("x", "y", 4, (256,), (2,), (2.0,), (2,)),),
        "stability": (StabilityRecord("x", "y", 2, (256, 256), (2.0, 2.1), 0.1, 0.2, None),),
        "matched": (MatchedRecord("x", 300, "y", 4, 2.0),),
        "cuts": (CutRecord("x", "y", 300, 4, 2.0),),
        "losses": (LossRecord("x", "y", "z", 300, first.differences[0], 2, 1, None, (), 0, ()),),
        "fronts": (FrontRecord("x", "y", 300, 2.0, {"768": 230400}),),
        "seen": (SeenRecord("x", "y", ("z",), 1, 2, 3, 4, ("0" * 16,)),),
        "corpus_pairs": (CorpusPairRecord("m", "x", "a", "b", 0.5, "bits", 2, 2, None),),
        "model": ModelRecord(64, 2, 100, True),
        "costs": (CostRecord("x", "y", 300, 600, 900, 2.0, 3.0, 4.0, 5.0, None),),
        "optima": (OptimumRecord("law", "approach", 300),),
        "vocabularies": (VocabularyRecord("x", entries=300),),
        "usage": (UsageRecord("x", "y", 300, 2, (298,), 0),),
        "training_usage": (TrainingUsageRecord("y", "unknown"),),
        "pairs": (PairRecord("x", "agreement", "y", "z", 0.5, 1, 2, "ratio", 2, None),),
        "warnings": (*first.warnings, "more"),
        "schema_version": SCHEMA_VERSION + 1,
    }
    outside = {"environment", "timings", "counts"}
    assert set(variants) == {f.name for f in fields(Results)} - outside
    digests = {replace(first, **{name: value}).digest for name, value in variants.items()}
    assert len(digests | {first.digest}) == len(variants) + 1


def test_the_digest_is_the_same_in_every_release() -> None:
    """A change here makes every stored digest unverifiable: raise SCHEMA_VERSION with it."""
    from hashlib import sha256

    content = json.loads(results().to_json())
    for key in ("digest", "environment", "timings"):
        del content[key]
    for key in ("source", "text", "only", "corpus_files", "asked_metrics"):
        del content["suite"][key]
    content["rows"] = [row for row in content["rows"] if row["metric"] != "encode_mb_per_s"]
    for tokenizer in content["tokenizers"]:
        del tokenizer["train_seconds"], tokenizer["notes"]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    assert results().digest == sha256(text.encode()).hexdigest()


def test_results_that_do_not_say_which_documents_keep_their_digest() -> None:
    """Those of before the field: it is no part of theirs, as it isn't of the file."""
    first = results()
    content = json.loads(first.to_json())
    for corpus in content["corpora"]:
        del corpus["documents_sha256"]
    old = parse_results(json.dumps(content))
    assert [corpus.documents_sha256 for corpus in old.corpora] == [None, None]
    again = json.loads(old.to_json())
    assert again.pop("digest") != content.pop("digest")
    assert again == content
    assert parse_results(old.to_json()).digest == old.digest
    other = replace(first, corpora=(replace(first.corpora[0], documents_sha256="0" * 64), *first.corpora[1:]))
    assert len({first.digest, old.digest, other.digest}) == 3


# ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_another_schema_version_is_refused() -> None:
    text = results().to_json().replace('"schema_version": 1', '"schema_version": 2')
    with pytest.raises(UserError, match="schema version 2, and this evalkit reads version 1"):
        parse_results(text)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "3", '{"rows": []}', '"schema_version"', pytest.param("[" * 100_000, id="deep")]
)
def test_what_is_no_results_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="is not the results"):
        parse_results(text, "some.json")


def test_damaged_results_are_refused() -> None:
    content = json.loads(results().to_json())
    del content["rows"][0]["metric"]
    with pytest.raises(UserError, match="damaged"):
        parse_results(json.dumps(content))
    del content["rows"]
    with pytest.raises(UserError, match="damaged"):
        parse_results(json.dumps(content))


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("suite", "name"),
        ("suite", None),
        ("rows", ["a row"]),
        ("rows", None),
        ("environment", None),
        ("timings", [1]),
        ("differences", [{"top": [{"bytes": "0g"}]}]),
        ("losses", [None]),
        ("warnings", 1),
    ],
)
def test_parts_of_another_kind_are_refused(key: str, wrong: object) -> None:
    content = json.loads(results().to_json()) | {key: wrong}
    with pytest.raises(UserError, match=r"results\.json is damaged: "):
        parse_results(json.dumps(content))


@pytest.mark.parametrize(
    ("part", "key", "wrong", "says"),
    [
        ("rows", "value", "5", "rows[0].value is '5'; expected a number or null"),
        ("rows", "value", math.nan, "rows[0].value is nan; expected a number or null"),
        ("rows", "value", True, "rows[0].value is True; expected a number or null"),
        ("rows", "n", "x", "rows[0].n is 'x'; expected a whole number"),
        ("rows", "higher_is_better", 1, "rows[0].higher_is_better is 1; expected true or false or null"),
        ("rows", "corpus", ..., "rows[0] has no 'corpus'"),
        ("corpora", "documents", None, "corpora[0].documents is None; expected a whole number"),
        ("tokenizers", "vocab_size", "x", "tokenizers[0].vocab_size is 'x'; expected a whole number or null"),
        ("tokenizers", "fingerprint", 5, "tokenizers[0].fingerprint is 5; expected a text or null"),
        ("tokenizers", "notes", [5], "tokenizers[0].notes[0] is 5; expected a text"),
    ],
)
def test_damage_is_told_by_its_place(part: str, key: str, wrong: object, says: str) -> None:
    content = json.loads(results().to_json())
    if wrong is ...:
        del content[part][0][key]
    else:
        content[part][0][key] = wrong
    with pytest.raises(UserError, match=rf"is damaged: {re.escape(says)}$"):
        parse_results(json.dumps(content))


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"rows": {}}, "rows is {}; expected a list"),
        ({"tokenizers": [5]}, "tokenizers[0] is 5; expected keys with values"),
        ({"environment": {"memory": math.inf}}, "environment['memory'] is inf; expected a number"),
        ({"environment": {"memory": [math.inf]}}, "environment['memory'][0] is inf; expected a number"),
    ],
)
def test_damaged_parts_are_told_by_their_place(changed: dict[str, object], says: str) -> None:
    content = json.loads(results().to_json()) | changed
    with pytest.raises(UserError, match=rf"is damaged: {re.escape(says)}$"):
        parse_results(json.dumps(content))


@pytest.mark.parametrize("part", ["rows", "tokenizers", "corpora", "metrics"])
def test_what_is_there_twice_is_damage(part: str) -> None:
    content = json.loads(results().to_json())
    content[part].append(dict(content[part][0]))
    with pytest.raises(UserError, match=rf"is damaged: {part} has .* 2 times"):
        parse_results(json.dumps(content))


def test_a_figure_that_is_no_number_is_refused() -> None:
    content = json.loads(results().to_json())
    content["rows"][0] |= {"value": "1.5", "undefined_reason": None}
    with pytest.raises(UserError, match=r"is damaged: .* is '1\.5'"):
        parse_results(json.dumps(content))


def test_keys_of_a_later_release_are_left_out() -> None:
    content = json.loads(results().to_json())
    content["rows"][0]["colour"] = "blue"
    content["later"] = 1
    assert parse_results(json.dumps(content)) == results()


def test_results_from_before_there_were_comparisons_are_read() -> None:
    content = json.loads(results().to_json())
    del content["comparisons"], content["ranks"]
    assert parse_results(json.dumps(content)) == replace(results(), comparisons=(), ranks=())


def test_results_are_loaded_from_a_file_or_a_folder(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(results().to_json(), encoding="utf-8")
    assert load_results(tmp_path) == load_results(tmp_path / "results.json") == results()
    with pytest.raises(UserError, match="can't be read"):
        load_results(tmp_path / "other.json")


def test_the_row_of_a_key_and_of_an_alias() -> None:
    found = results()
    row = found.row("stories", "small", "bytes_per_token")
    assert row is not None
    assert row.tokenizer == "small"
    assert found.row("stories", "small@300", "bytes_per_token") == row
    assert found.row("stories", "nobody", "bytes_per_token") is None


def test_checks_that_fail_a_run() -> None:
    assert results().failed_checks == ()
    check = replace(results().checks[0], passed=False)
    assert replace(results(), checks=(check,)).failed_checks == (check,)
    lossy = replace(check, name="round_trip")  # a lossy tokenizer is a finding, not a failure
    assert replace(results(), checks=(lossy,)).failed_checks == ()


# ── the other files ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_csv_has_the_same_rows() -> None:
    found = list(csv.DictReader(io.StringIO(to_csv(results().rows))))
    assert tuple(found[0]) == COLUMNS
    assert len(found) == len(results().rows)
    for text, row in zip(found, results().rows, strict=True):
        assert text["metric"] == row.metric
        assert (float(text["value"]) if text["value"] else None) == row.value
        assert text["undefined_reason"] == (row.undefined_reason or "")


def test_a_reason_with_commas_and_quotes_stays_one_cell() -> None:
    reason = 'no, "never"\nagain'
    row = replace(results().rows[0], value=None, undefined_reason=reason)
    (found,) = csv.DictReader(io.StringIO(to_csv([row])))
    assert found["undefined_reason"] == reason
    assert isinstance(row, Row)


def test_counts_come_back_the_same(tmp_path: Path) -> None:
    path = tmp_path / "counts.npz"
    with path.open("wb") as file:
        save_counts(file, counts())
    stored = load_counts(path)
    assert list(stored) == [c.name for c in counts()]
    for corpus in counts():
        found = stored[corpus.name]
        assert found.hashes.dtype == np.uint64
        assert found.hashes.tolist() == corpus.hashes.tolist()
        assert found.bytes.tolist() == corpus.bytes.tolist()
        assert found.chars.tolist() == corpus.chars.tolist()
        assert {name: a.tolist() for name, a in found.tokens.items()} == {
            name: c.tokens.tolist() for name, c in corpus.tokenizers.items()
        }
    assert stored["stories"].words is not None
    assert stored["zh"].words is None  # undefined is a key that isn't there


def test_counts_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "counts.npz"
    path.write_bytes(b"not a zip")
    with pytest.raises(UserError, match="does not hold the counts"):
        load_counts(path)
