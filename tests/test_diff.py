"""Whether one vocabulary can replace another: ids, specials, merges, text, and the gate's frozen tokenizers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import tokenizers_impl as ti
from evalkit.cli import cli
from evalkit.errors import UserError
from evalkit.gate import GateOptions, Verdict, run_gate
from evalkit.suite import parse_suite
from evalkit.vocab_diff import as_text, compare_vocabularies
from tokenizers_impl import BPETokenizer

BYTES = {i: bytes([i]) for i in range(256)}


def tokenizer(*merges: str, specials: dict[str, int] | None = None, pattern: str = "gpt2") -> BPETokenizer:
    pairs = [(one[: len(one) - 1].encode(), one[-1:].encode()) for one in merges]
    vocab = BYTES | {256 + i: one.encode() for i, one in enumerate(merges)}
    return BPETokenizer(vocab, pairs, specials or {}, pattern)


ABC = tokenizer("ab", "abc", "de", specials={"<s>": 300, "<e>": 301})


def test_the_same_tokenizer() -> None:
    found = compare_vocabularies(ABC, ABC, texts={"t": ["abc", "<s>"]})
    assert found.identical
    assert (found.rows.kept, found.rows.moved, found.rows.gone, found.rows.new) == (261, 0, 0, 0)
    assert found.rows.invalidated == 0
    assert found.cost == "every id keeps its bytes: no embedding row is invalidated"
    assert found.merges.difference is None
    assert found.texts[0].same_ids == found.texts[0].documents == 2
    assert "the same tokenizer" in as_text(found)


def test_what_becomes_of_every_id() -> None:
    other = tokenizer("ab", "de", "xy", specials={"<s>": 301, "<pad>": 302}, pattern="digit1")
    found = compare_vocabularies(ABC, other, texts={"t": ["ab", "de", "abc", ""]})
    rows = found.rows
    assert (rows.of, rows.kept, rows.moved, rows.gone, rows.new) == (261, 257, 2, 2, 2)
    assert rows.kept + rows.moved + rows.gone == rows.of
    assert rows.examples["moved"] == ((258, b"de", 257), (300, b"<s>", 301))
    assert rows.examples["gone"] == ((257, b"abc", None), (301, b"<e>", None))
    assert found.specials.moved == (("<s>", 300, 301),)
    assert (found.specials.gone, found.specials.new) == (("<e>",), ("<pad>",))
    assert (found.merges.common, found.merges.difference) == (1, ((b"ab", b"c"), (b"d", b"e")))
    text = found.texts[0]
    assert (text.documents, text.same_ids, text.same_ids_bytes, text.same_tokens) == (4, 2, 2, 3)
    assert (text.first_tokens, text.second_tokens) == (3, 4)
    assert found.cost == (
        "replacing it invalidates 1.5 % of embedding rows (4 of 261); 2 new ones would have to be added"
    )
    shown = as_text(found)
    for what in ("gpt2 → digit1", "258 'de' → 257", "'ab' + 'c' → 'd' + 'e'", "<s> 300 → 301", "gone: <e>"):
        assert what in shown
    json.dumps(found.as_dict())


def test_a_larger_one_keeps_every_row() -> None:
    found = compare_vocabularies(ABC, tokenizer("ab", "abc", "de", "fg", specials={"<s>": 300, "<e>": 301}))
    assert found.rows.invalidated == 0
    assert (
        found.cost == "replacing it invalidates 0.0 % of embedding rows (0 of 261); 1 new ones would have to be added"
    )
    assert found.merges.difference == (None, (b"f", b"g"))
    assert not found.identical


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["diff", *arguments], standalone_mode=False)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    one, other = ABC.save(tmp_path / "one"), tokenizer("ab").save(tmp_path / "other")
    (tmp_path / "t.txt").write_text("ab abc", encoding="utf-8")
    done = invoke(str(one), str(other), "--text", "t.txt", "--json", "diff.json")
    assert done.return_value == 0, done.output
    assert "replacing it invalidates" in done.output
    assert "t.txt: 0 of 1 document (" in done.output
    assert json.loads((tmp_path / "diff.json").read_text(encoding="utf-8"))["rows"]["gone"] == 4
    assert invoke(str(one), str(other), "--check").return_value == 1
    assert invoke(str(one), str(one), "--check").return_value == 0
    assert isinstance(invoke(str(one), "nothing").exception, UserError)
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    assert "not UTF-8" in str(invoke(str(one), str(one), "--text", "bad.txt").exception)
    assert "can't be read" in str(invoke(str(one), str(one), "--text", "no.txt").exception)


# ── frozen tokenizers ───────────────────────────────────────────────────────────────────────────────────────

SUITE = """
version: 1
name: small
corpora:
  a: {files: [a.txt], separator: "\\n"}
tokenizers:
  - {name: one, variant: gpt2, train_on: a, vocab_size: 270, special_tokens: ["<s>"]}
gate:
  consistency: [count]
  frozen: %s
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.txt").write_text("\n".join(f"low lower {n} lowest" for n in range(60)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("evalkit.gate.run.GENERATED_BYTES", 300)
    return tmp_path


def frozen(what: Any) -> Verdict:
    report = run_gate(parse_suite(SUITE % json.dumps(what)), GateOptions())
    (verdict,) = [one for one in report.verdicts if one.check == "frozen"]
    return verdict


def test_a_frozen_tokenizer_must_not_change(folder: Path) -> None:
    assert frozen("old.json").outcome == "missing"
    suite = parse_suite(SUITE % "old.json")
    from evalkit.pipeline import Options, build, open_corpora

    built = build(suite, open_corpora(suite), Options())[0].tokenizer
    built.save(folder / "old.json")  # type: ignore[union-attr]
    assert frozen("old.json").outcome == "pass"
    assert frozen({"one": "old.json"}).outcome == "pass"
    assert frozen({"one": built.fingerprint}).outcome == "pass"
    assert frozen({"one": "0" * 64}).outcome == "fail"
    for digits in (12, 20, 63):
        assert frozen({"one": built.fingerprint[:digits].upper()}).outcome == "pass"
    other = "0" if built.fingerprint[11] != "0" else "1"
    assert frozen({"one": built.fingerprint[:11] + other}).outcome == "fail"
    verdict = frozen({"one": built.fingerprint[:11]})
    assert (verdict.outcome, "takes its first 12 digits or more" in verdict.detail) == ("missing", True)
    built.save(folder / "abcdef123456.json")
    (folder / "abcdef123456.json").rename(folder / "abcdef123456")  # a file goes first
    assert "can't be loaded" in frozen("abcdef123456").detail
    tokenizer("lo", "low").save(folder / "old.json")
    verdict = frozen("old.json")
    assert verdict.outcome == "fail"
    assert "it is not old.json: replacing it invalidates" in verdict.detail
    assert "of 2 merges the first" in verdict.detail


def test_a_suite_says_which_is_frozen() -> None:
    with pytest.raises(UserError, match="there is no tokenizer 'two'"):
        parse_suite(SUITE % "{two: old.json}")
    several = SUITE.replace("gate:", "  - {name: other, tiktoken: gpt2}\ngate:")
    with pytest.raises(UserError, match=r"several tokenizers; write frozen: \{NAME: FILE\}"):
        parse_suite(several % "old.json")
    with pytest.raises(UserError, match="tokenizers' files by the tokenizers' names"):
        parse_suite(SUITE % "[1]")


def test_the_baselines_have_no_rows(folder: Path) -> None:
    suite = SUITE.replace("gate:", "  - {name: floor, baseline: bytes}\ngate:") % "{floor: x.json}"
    report = run_gate(parse_suite(suite), GateOptions())
    assert [v.outcome for v in report.verdicts if v.check == "frozen"] == ["missing"]


def test_published_vocabularies_can_be_compared() -> None:
    found = compare_vocabularies(ti.from_tiktoken("gpt2"), ti.from_tiktoken("cl100k_base"), ("gpt2", "cl100k_base"))
    assert found.rows.of == 50_257
    assert found.rows.invalidated > 0.99
