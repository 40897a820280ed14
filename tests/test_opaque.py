"""Tokenizers that are known by their ids alone: plug-ins in Python, and the models of SentencePiece."""

from __future__ import annotations

import importlib.util
import io
import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evalkit import pipeline
from evalkit.embedded import corpora_root, embedded_corpora
from evalkit.errors import UserError
from evalkit.gate import GateOptions, GateReport, run_gate
from evalkit.gate.divergence import compare_ids
from evalkit.gate.properties import LOSSY, NO_BYTES
from evalkit.gate.rerun import main, rerun_file
from evalkit.plugins import Plugin, load_plugin
from evalkit.suite import load_suite, parse_suite
from tokenizers_impl import BaselineTokenizer, BPETokenizer, TokenizerError
from tokenizers_impl import sentencepiece_adapter as adapter

needs_library = pytest.mark.skipif(
    not adapter.is_installed(), reason="the package sentencepiece is not installed (evalkit[sentencepiece])"
)

PLUGIN = '''
import tokenizers_impl as ti

class Letters:
    """A code point is an id; batches and streams are as they should be."""
    vocab_size = 0x110000
    fingerprint = "letters"
    special_tokens = {"<end>": 0}
    def encode(self, text): return [ord(c) for c in text]
    def decode(self, ids): return "".join(map(chr, ids))
    def encode_batch(self, texts): return [self.encode(text) for text in texts]
    def encode_iterable(self, pieces):
        for piece in pieces:
            yield from self.encode(piece)

class Words:
    """Two bytes are an id, in a stream piece by piece, so that its ids are others; capital letters are lost."""
    unknown_ids = [1]
    def encode_ordinary(self, text):
        raw = text.encode()
        return [257 * raw[i] + (raw[i + 1] + 1 if i + 1 < len(raw) else 0) for i in range(0, len(raw), 2)]
    def decode_bytes(self, ids):
        pairs = [divmod(i, 257) for i in ids]
        return b"".join(bytes([one, other - 1] if other else [one]) for one, other in pairs).lower()
    def encode_iterable(self, pieces):
        return [i for piece in pieces for i in self.encode_ordinary(piece)]

class Arrays(Letters):
    def encode(self, text):
        import numpy
        return numpy.array([ord(c) for c in text], dtype="uint32")

class Flat(Letters):
    def encode_ordinary_batch(self, texts):
        import numpy
        rows = [[ord(c) for c in text] for text in texts]
        return numpy.array(sum(rows, [])), numpy.cumsum([0, *map(len, rows)])
class BadFlat(Letters):
    def encode_ordinary_batch(self, texts):
        import numpy
        return numpy.array([1, 2]), numpy.array([0, 1])

class Nothing: pass
class Negative(Letters):
    def encode(self, text): return [-1]
class Huge(Letters):
    def encode(self, text): return [2**40]
class Texts(Letters):
    def encode(self, text): return list(text)
class Lists(Letters):
    def decode(self, ids): return ids
class Unknown(Letters):
    def token_bytes(self, token_id): return {}[token_id]
class Spelled(Letters):
    def token_bytes(self, token_id): return chr(token_id)
class Raises(Letters):
    def encode(self, text): raise SystemExit(0)
class Named(Letters):
    vocab_size = "large"
class Less(Letters):
    vocab_size = -5
class Empty(Letters):
    vocab_size = 0
class Short(Letters):
    max_id = 255
class Special(Letters):
    special_tokens = {"<end>": "0"}
class Truth(Letters):
    unknown_ids = {True}
class Over(Letters):
    vocab_size = 98
    def encode(self, text): return [98]
class Bools(Letters):
    def encode(self, text): return [True for _ in text]
class Holes(Letters):
    vocab_size, max_id = 2, 98
    def decode(self, ids): return "".join({97: "a", 98: "b"}[i] for i in ids)
class Far(Over):
    vocab_size, max_id = 2, 97

def ours(): return ti.BaselineTokenizer("bytes")
def fails(): raise ValueError("no model here")
def takes(one): return one
'''

SUITE = """
version: 1
name: opaque
corpora:
  a: {files: [a.txt], separator: "\\n"}
tokenizers:
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.txt").write_text("\n".join(f"Low lower {n} lowest" for n in range(40)), encoding="utf-8")
    (tmp_path / "opaque_plugins.py").write_text(PLUGIN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("evalkit.gate.run.GENERATED_BYTES", 2000)
    return tmp_path


def suite_text(entries: str, gate: str = "") -> str:
    return SUITE + entries + (f"gate: {gate}\n" if gate else "")


def gated(entries: str, gate: str = "", **options: Any) -> GateReport:
    return run_gate(parse_suite(suite_text(entries, gate)), GateOptions(trust=True, cache=False, **options))


def outcomes(report: GateReport, name: str, corpus: str = "a") -> dict[str, str]:
    return {v.check: v.outcome for v in report.verdicts if v.tokenizer == name and v.corpus in (corpus, None)}


def plugin(name: str, folder: Path, **options: Any) -> Any:
    return load_plugin(f"opaque_plugins:{name}", folder, **options)


# ── plug-ins ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_plugin_has_the_methods_that_its_object_has(folder: Path) -> None:
    letters, words = plugin("Letters", folder), plugin("Words", folder, lossy=True)
    assert letters.encode_ordinary("ab") == [97, 98]
    assert letters.decode_bytes([233]) == "é".encode()
    assert letters.decode([233]) == "é"
    assert letters.encode_batch(["a", ""], threads=2, disallowed_special=()) == [[97], []]
    assert letters.encode_iterable(iter(["a", "b\ud83d"])) == [97, 98, 0xFFFD]
    assert (letters.vocab_size, letters.max_id, letters.fingerprint) == (0x110000, 0x10FFFF, "letters")
    assert (letters.special_tokens, letters.lossy) == ({"<end>": 0}, False)
    assert "opaque_plugins:Letters" in repr(letters)
    assert (words.vocab_size, words.max_id, words.fingerprint, words.lossy) == (None, None, None, True)
    assert words.unknown_ids == {1}
    assert not hasattr(words, "encode_batch")
    assert not hasattr(letters, "encode")
    assert plugin("Arrays", folder).encode_ordinary("é") == [233]
    assert plugin("Flat", folder).encode_batch(["ab", "", "c"]) == [[97, 98], [], [99]]
    assert len(plugin("BadFlat", folder).encode_batch(["a", "b", "c"])) == 2
    again = pickle.loads(pickle.dumps(words))
    assert (again.source, again.lossy) == (words.source, True)


def test_ids_with_holes_go_as_far_as_the_object_says(folder: Path) -> None:
    holes = plugin("Holes", folder)
    assert (holes.vocab_size, holes.max_id, holes.encode_ordinary("ab")) == (2, 98, [97, 98])
    assert dict(holes.vocab) == {97: b"a", 98: b"b"}


def test_modules_of_one_name_are_each_its_own_suites(tmp_path: Path) -> None:
    for number in (1, 2):
        package = tmp_path / str(number) / "same_name_plugins"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("", encoding="utf-8")
        (package / "part.py").write_text(f"{PLUGIN}\nLetters.fingerprint = 'of {number}'\n", encoding="utf-8")
    for number in (1, 2, 2, 1):
        made = load_plugin("same_name_plugins.part:Letters", tmp_path / str(number))
        assert made.fingerprint == f"of {number}"


def test_a_module_that_is_there_already_is_not_taken_for_the_suites(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text(PLUGIN, encoding="utf-8")
    with pytest.raises(UserError, match=r"python: json:Letters can't be loaded: the module 'json' is .*: rename yours"):
        load_plugin("json:Letters", tmp_path)


def test_a_factory_may_make_one_of_ours(folder: Path) -> None:
    assert isinstance(plugin("ours", folder), BaselineTokenizer)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Nothing", "made a Nothing, which is no tokenizer: it has neither encode_ordinary nor encode"),
        ("Named", "its vocab_size is a str; expected a whole number"),
        ("Less", "its vocab_size is -5; a vocabulary has 1 entry or more"),
        ("Empty", "its vocab_size is 0; a vocabulary has 1 entry or more"),
        ("Short", "its max_id is 255; expected at least 1,114,111, with a vocab_size of 1,114,112"),
        ("Special", "its special_tokens have '0' as an id; ids are whole numbers from 0 on"),
        ("Truth", "its unknown_ids have True as an id; ids are whole numbers from 0 on"),
        ("Leters", "no 'Leters' (did you mean 'Letters'"),
        ("fails", "can't be made: ValueError: no model here"),
        ("takes", "can't be made: TypeError: takes() missing 1 required"),
    ],
)
def test_what_is_no_tokenizer(folder: Path, name: str, problem: str) -> None:
    with pytest.raises(UserError) as caught:
        plugin(name, folder)
    assert problem in str(caught.value)
    assert f"python: opaque_plugins:{name}" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Negative", "encode gave the id -1; ids are 0 or more"),
        ("Huge", "encode gave the id 1,099,511,627,776; the largest is 16,777,215"),
        ("Over", "encode gave the id 98; the largest is 97, for its vocab_size is 98"),
        ("Far", "encode gave the id 98; the largest is 97, for its vocab_size is 2"),
        ("Bools", "encode gave True or False for an id; ids are whole numbers"),
        ("Texts", "encode gave a list; expected a list of ids"),
        ("Raises", "encode failed: SystemExit: 0"),
        ("Lists", "decode gave a list; expected text or bytes"),
    ],
)
def test_a_plugins_mistakes_are_its_own(folder: Path, name: str, problem: str) -> None:
    made = plugin(name, folder)
    with pytest.raises(TokenizerError) as caught:
        made.decode_bytes(made.encode_ordinary("ab"))
    assert str(caught.value).startswith(f"python: opaque_plugins:{name}: {problem}")
    suite = parse_suite(suite_text(f'  - {{name: x, python: "opaque_plugins:{name}"}}\n'))
    if name != "Lists":  # a decode that fails is a text that doesn't come back
        with pytest.raises(TokenizerError, match=problem.split(":")[0]):
            pipeline.run_suite(suite, pipeline.Options(trust=True, cache=False))
    report = gated(f'  - {{name: x, python: "opaque_plugins:{name}"}}\n', "{consistency: [round_trip]}")
    assert {v.outcome for v in report.verdicts if v.check == "round_trip"} == {"fail"}


@pytest.mark.parametrize(
    ("name", "problem"), [("Unknown", "failed: KeyError: 97"), ("Spelled", "gave a str; expected bytes")]
)
def test_the_bytes_of_a_token_are_the_plugins_too(folder: Path, name: str, problem: str) -> None:
    with pytest.raises(TokenizerError) as caught:
        plugin(name, folder).token_bytes(97)
    assert str(caught.value) == f"python: opaque_plugins:{name}: token_bytes {problem}"


def test_a_suites_tokenizers_run_only_where_it_is_trusted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = suite_text('  - {name: x, python: "opaque_plugins:Words"}\n', "{consistency: [streamed]}")
    (folder / "suite.yaml").write_text(text, encoding="utf-8")
    suite = load_suite(folder / "suite.yaml")
    assert suite.code() == {"tokenizers[0]": "python:opaque_plugins:Words"}
    for run in (lambda: run_gate(suite), lambda: pipeline.run_suite(suite)):
        with pytest.raises(UserError, match=r"tokenizers\[0\]: python:opaque_plugins:Words is Python that the suite"):
            run()
    report = run_gate(suite, GateOptions(trust=True, cache=False))
    case = Path(report.of("fail")[0].case or "")
    with pytest.raises(UserError, match="--trust"):
        rerun_file(case)
    assert rerun_file(case, trust=True)[0].outcome == "fail"
    assert (main([str(case)]), main(["--trust", str(case)]), main(["--trust"])) == (2, 1, 2)
    assert "usage: " in capsys.readouterr().err


def test_the_gate_checks_what_a_plugin_can_do(folder: Path) -> None:
    entries = '  - {name: good, python: "opaque_plugins:Letters"}\n  - {name: bad, python: "opaque_plugins:Words"}\n'
    report = gated(entries)
    good, bad = outcomes(report, "good"), outcomes(report, "bad")
    able = ("batch", "streamed", "processes", "cache", "plain_text", "round_trip")
    assert {check: good[check] for check in good} == {
        check: "pass" if check in able else "not_measured" for check in good
    }
    assert (bad["streamed"], bad["round_trip"], bad["processes"]) == ("fail", "fail", "pass")
    reasons = {v.check: v.detail for v in report.verdicts if v.tokenizer == "good" and v.corpus in ("a", None)}
    assert reasons["reference"] == "its rules aren't known here, so that there is no reference of it"
    assert reasons["upstream"] == "it comes from no other library"
    assert reasons["specials"] == "which special tokens it finds in a text isn't known here"
    assert reasons["byte_audit"] == NO_BYTES
    assert reasons["training"] == "the suite doesn't train it"
    lost = next(v for v in report.of("fail") if v.check == "round_trip")
    assert lost.divergence is not None
    assert (lost.divergence.kind, lost.divergence.text) == ("text lost", "L")


def test_a_lossy_tokenizer_is_not_measured_and_its_losses_counted(folder: Path) -> None:
    report = gated('  - {name: x, python: "opaque_plugins:Words", lossy: true}\n', "{consistency: [round_trip]}")
    assert {v.outcome for v in report.verdicts} == {"not_measured"}
    [detail] = [v.detail for v in report.verdicts if v.corpus == "a"]
    assert detail == f"{LOSSY}: 40 of 40 documents do not come back from the ids"


def test_plugins_on_either_side_of_equivalent(folder: Path) -> None:
    entries = (
        "  - {name: own, variant: bytes_only, train_on: a, vocab_size: 257}\n"
        '  - {name: one, python: "opaque_plugins:Letters"}\n'
        '  - {name: two, python: "opaque_plugins:Arrays"}\n'
        "  - {name: chars, baseline: chars}\n"
    )
    gate = "{consistency: [batch], equivalent: [[one, two, chars], [own, one]]}"
    report = gated(entries, gate)
    found = {(v.tokenizer, v.corpus): v for v in report.verdicts if v.check == "equivalent"}
    assert {v.outcome for (name, _), v in found.items() if name == "one"} == {"pass"}
    failed = found["own", "a"]
    assert (failed.outcome, report.exit_code) == ("fail", 1)
    assert failed.detail.startswith("one: ids changed")
    assert failed.divergence is not None
    assert failed.divergence.right.tokens[0] == chr(failed.divergence.right.ids[0]).encode()


def test_a_baseline_and_frozen_ask_for_a_fingerprint(folder: Path) -> None:
    entries = '  - {name: x, python: "opaque_plugins:Letters"}\n  - {name: y, python: "opaque_plugins:Words"}\n'
    gate = "{consistency: [batch], baseline: b.json, frozen: {x: own.json, y: own.json}}"
    gated(entries, "{consistency: [batch], baseline: b.json}", update_baseline=True)
    report = gated(entries, gate)
    told = {(v.check, v.tokenizer): (v.outcome, v.detail) for v in report.verdicts if v.corpus is None}
    assert told["fingerprint", "x"] == ("pass", "letters")
    assert told["fingerprint", "y"][0] == "missing"
    assert "a text `fingerprint`" in told["fingerprint", "y"][1]
    assert gated(entries, "{consistency: [batch], frozen: {x: letters}}").of("fail") == []
    assert told["frozen", "x"] == ("missing", "only its fingerprint can be frozen, which is letters")
    assert told["frozen", "y"][0] == "missing"


def test_measured_like_any_other(folder: Path) -> None:
    entries = '  - {name: x, python: "opaque_plugins:Letters"}\n  - {name: y, python: "opaque_plugins:Words"}\n'
    results = pipeline.run_suite(parse_suite(suite_text(entries)), pipeline.Options(trust=True, cache=False))
    chars = results.row("a", "x", "chars_per_token")
    assert chars is not None
    assert chars.value == 1
    back = [results.row("a", name, "round_trip_rate") for name in ("x", "y")]
    assert [row.value for row in back if row] == [1, 0]
    assert any("y loses text" in warning for warning in results.warnings)
    assert [(t.kind, t.vocab_size) for t in results.tokenizers] == [("python", 0x110000), ("python", None)]


def test_where_two_runs_of_an_opaque_tokenizer_part(folder: Path) -> None:
    letters = plugin("Letters", folder)
    assert isinstance(letters, Plugin)
    found = compare_ids(letters, "aéb", [97, 233, 98], [97, 233, 99], ("one", "other"))
    assert found is not None
    assert (found.kind, found.byte, found.right.tokens) == ("text lost", 3, (b"c",))
    assert 10**9 not in letters.vocab
    assert letters.vocab[233] == "é".encode()
    assert len(plugin("Words", folder).vocab) == 0  # nobody says how many there are


def test_which_kinds_may_be_lossy() -> None:
    with pytest.raises(UserError, match="only a tokenizer with sentencepiece or python has this key"):
        parse_suite(suite_text("  - {name: x, tiktoken: gpt2, lossy: true}\n"))


# ── SentencePiece ───────────────────────────────────────────────────────────────────────────────────────────


def test_without_the_library_it_is_said_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "sentencepiece" else find(name))
    with pytest.raises(UserError, match=r"x\.model: a SentencePiece model needs the package sentencepiece: pip inst"):
        gated("  - {name: x, sentencepiece: x.model}\n")


def model(folder: Path, name: str, **options: Any) -> Path:
    """A tiny model of the embedded stories."""
    import sentencepiece

    path = corpora_root() / "stories" / embedded_corpora()["stories"].files[0].path
    lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line][:400]
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=written, hard_vocab_limit=False, minloglevel=2, **options
    )
    place = folder / name
    place.write_bytes(written.getvalue())
    return place


EXACT = {
    "model_type": "bpe",
    "byte_fallback": True,
    "normalization_rule_name": "identity",
    "add_dummy_prefix": False,
    "remove_extra_whitespaces": False,
}


@needs_library
def test_a_model_is_encoded_by_its_library(folder: Path) -> None:
    import sentencepiece

    place = model(folder, "t.model", vocab_size=300, model_type="unigram")
    tok = adapter.from_sentencepiece(place)
    library = sentencepiece.SentencePieceProcessor(model_file=str(place))
    texts = ["Once upon a time, a", "", " two  blanks ", "猫 \0 \ud83d", "a▁b"]
    given = [text.replace("\ud83d", "\ufffd") for text in texts]
    assert [tok.encode_ordinary(text) for text in texts] == [library.encode(text, out_type=int) for text in given]
    assert tok.encode_batch(texts, threads=2, disallowed_special=()) == [tok.encode_ordinary(t) for t in texts]
    flat, offsets = tok.encode_ordinary_batch(texts, 2)
    assert [flat[a:b].tolist() for a, b in pairwise(offsets)] == tok.encode_batch(texts)
    assert flat.dtype == np.uint32
    assert [tok.decode(ids) for ids in tok.encode_batch(texts[:3])] == ["Once upon a time, a", "", "two blanks"]
    assert (tok.decode_bytes([]), tok.unknown_ids) == (b"", {library.unk_id()})
    assert tok.special_tokens == {"<s>": library.bos_id(), "</s>": library.eos_id()}
    assert (tok.vocab_size, tok.max_id) == (library.get_piece_size(), library.get_piece_size() - 1)
    with pytest.raises(KeyError, match=f"id {tok.vocab_size} is not in the vocabulary"):
        tok.decode_bytes([tok.vocab_size])
    again = pickle.loads(pickle.dumps(tok))
    assert (again, hash(again)) == (tok, hash(tok))
    assert again.encode_ordinary("a time") == tok.encode_ordinary("a time")
    other = adapter.from_sentencepiece(model(folder, "o.model", vocab_size=200, model_type="unigram"))
    assert other != tok
    assert tok.vocab[tok.encode_ordinary("a")[0]].startswith(b" ")


@needs_library
def test_a_file_that_is_no_model(folder: Path) -> None:
    (folder / "x.model").write_bytes(b"no model at all")
    with pytest.raises(TokenizerError, match=r"x\.model is no SentencePiece model, as the library says"):
        adapter.from_sentencepiece("x.model")
    with pytest.raises(TokenizerError, match="is a folder"):
        adapter.from_sentencepiece(folder)
    with pytest.raises(FileNotFoundError, match=r"no such file: gone\.model"):
        adapter.from_sentencepiece("gone.model")


@needs_library
def test_a_model_in_the_gate(folder: Path) -> None:
    model(folder, "lossy.model", vocab_size=300, model_type="unigram")
    model(folder, "exact.model", vocab_size=400, **EXACT)
    (folder / "copy.model").write_bytes((folder / "exact.model").read_bytes())
    entries = (
        "  - {name: normalises, sentencepiece: lossy.model}\n"
        "  - {name: known, sentencepiece: lossy.model, lossy: true}\n"
        "  - {name: exact, sentencepiece: exact.model}\n"
        "  - {name: copy, sentencepiece: copy.model}\n"
    )
    report = gated(entries, "{equivalent: [[exact, copy], [normalises, exact]]}")
    exact = outcomes(report, "exact")
    able = ("batch", "threads", "processes", "cache", "upstream", "plain_text", "round_trip", "equivalent")
    assert exact == {check: "pass" if check in able else "not_measured" for check in exact}
    for name, outcome in (("normalises", "fail"), ("known", "not_measured")):
        assert outcomes(report, name, "hostile")["round_trip"] == outcome
    lost = next(v for v in report.of("fail") if (v.tokenizer, v.check) == ("normalises", "round_trip"))
    assert "text lost by decode_bytes" in lost.detail
    unlike = next(v for v in report.verdicts if (v.tokenizer, v.check, v.corpus) == ("normalises", "equivalent", "a"))
    assert unlike.outcome == "fail"
    upstream = next(v for v in report.verdicts if (v.tokenizer, v.check) == ("exact", "upstream"))
    assert upstream.detail.startswith("sentencepiece ")
    assert {v.outcome for v in report.verdicts if v.check == "plain_text"} == {"pass"}


@needs_library
def test_a_wrong_adapter_is_caught_by_its_library(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model(folder, "exact.model", vocab_size=400, **EXACT)
    encode = adapter.SentencePieceTokenizer.encode_ordinary
    monkeypatch.setattr(
        adapter.SentencePieceTokenizer, "encode_ordinary", lambda self, text: [1, *encode(self, text)][: len(text) + 1]
    )
    report = gated("  - {name: x, sentencepiece: exact.model}\n", "{consistency: [upstream, plain_text, batch]}")
    found = outcomes(report, "x")
    assert found == {"upstream": "fail", "plain_text": "fail", "batch": "fail"}


@needs_library
def test_a_model_is_measured_and_its_losses_are_told(folder: Path) -> None:
    model(folder, "lossy.model", vocab_size=300, model_type="unigram")
    (folder / "a.txt").write_text("two  blanks\none blank\nand one\n", encoding="utf-8")
    suite = parse_suite(suite_text("  - {name: sp, sentencepiece: lossy.model}\n"))
    results = pipeline.run_suite(suite, pipeline.Options(cache=False))
    row = results.row("a", "sp", "round_trip_rate")
    assert row is not None
    assert row.value == pytest.approx(2 / 3)
    assert any("sp loses text on a" in warning for warning in results.warnings)
    [record] = results.tokenizers
    assert (record.kind, record.special_tokens) == ("sentencepiece", ("<s>", "</s>"))


def test_our_own_tokenizers_are_no_opaque_ones() -> None:
    assert not issubclass(BPETokenizer, adapter.OpaqueTokenizer)
