"""What has one meaning only by luck is refused by name, and what is left out is said."""

from __future__ import annotations

import codecs
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from commandline import ROOT, evalkit
from hf_documents import document

import tokenizers_impl as ti
from tokenizers_impl.formats import format_names

TEXT = "low lower lowest newer newest wide, low low low lower\n" * 9


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "cache"))
    Path("a.txt").write_text(TEXT, encoding="utf-8")
    ti.train(TEXT, vocab_size=270).save(Path("tok"))


def refused(*arguments: str | Path, says: str, stdin: bytes = b"") -> str:
    done = evalkit(*arguments, stdin=stdin)
    assert done.code == 2, done
    assert done.err.count("\n") == 1
    assert says in done.err
    return done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("encode", "-t", "tok", "-t", "gpt2", "a.txt"),
        ("encode", "-t", "tok", "--tokenizer", "gpt2", "a.txt"),
        ("decode", "-t", "tok", "--out", "x", "--out", "y"),
        ("train", "--variant", "gpt2", "--vocab-size", "300", "--vocab-size", "400", "--out", "new", "a.txt"),
        ("gate", "quickstart", "--seed", "1", "--seed", "2"),
        ("convert", "tok", "new", "--format", "gpt2", "--format", "tiktoken"),
    ],
)
def test_an_option_of_one_value_is_given_once(arguments: tuple[str, ...]) -> None:
    refused(*arguments, says="is given 2 times; give it once")
    assert sorted(path.name for path in Path().iterdir()) == ["a.txt", "tok"]


def test_options_that_repeat_still_do() -> None:
    assert evalkit("inspect", "-t", "tok", "-t", "tok", "low", "-q", "-q").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("--junit", "out", "--summary", "out"),
        ("--junit", "out", "--json", "./out"),
        ("--summary", "out", "--json", "link"),
        ("--json", "suite.yaml"),
        ("--baseline", "old.json", "--junit", "old.json"),
        ("--baseline", "out", "--update-baseline", "--json", "out"),
    ],
)
def test_outputs_of_a_gate_are_files_of_their_own(arguments: tuple[str, ...]) -> None:
    Path("suite.yaml").write_text("version: 1\n")
    Path("old.json").write_text("{}")
    if "link" in arguments:
        os.symlink("out", "link")
        Path("out").write_text("old")
    refused("gate", "suite.yaml", *arguments, says="are the same file")
    assert Path("suite.yaml").read_text() == "version: 1\n"


def test_devices_take_any_number_of_outputs() -> None:
    nowhere = os.devnull
    Path("suite.yaml").write_text("version: 2\n")
    error = refused("gate", "suite.yaml", "--junit", nowhere, "--json", nowhere, says="suite.yaml")
    assert "same file" not in error


SMALL = """version: 1
name: small
corpora: {a: {files: data/*.txt}, z: {builtin: zh}}
tokenizers: [{name: tok, file: tok}, {name: bytes, baseline: bytes}]
gate: {consistency: [count], baseline: suites.json}
"""


@pytest.mark.parametrize(
    ("arguments", "victim"),
    [
        ("inspect -t tok --json tok/evalkit.json", "tok/evalkit.json"),
        ("inspect -t tok/evalkit.json --json link", "tok/evalkit.json"),
        ("diff gpt2 tok --json tok/evalkit.json", "tok/evalkit.json"),
        ("diff gpt2 tok --suite small.yaml --json data/b.txt", "data/b.txt"),
        ("diff gpt2 tok --suite small.yaml --json small.yaml", "small.yaml"),
        ("convert tok tok --format evalkit", "tok/evalkit.json"),
        ("convert tok tok/evalkit.json --format huggingface", "tok/evalkit.json"),
        ("encode -t tok a.txt --out a.txt", "a.txt"),
        ("encode -t tok a.txt --out tok/evalkit.json", "tok/evalkit.json"),
        ("decode -t tok a.txt --out ./a.txt", "a.txt"),
        ("train --variant gpt2 --vocab-size 270 --out tok tok/evalkit.json", "tok/evalkit.json"),
        ("gate small.yaml --junit data/b.txt", "data/b.txt"),
        ("gate small.yaml --summary data/b.txt", "data/b.txt"),
        ("gate small.yaml --json data/b.txt", "data/b.txt"),
        ("gate small.yaml --json tok/evalkit.json", "tok/evalkit.json"),
        ("gate small.yaml --json suites.json", "suites.json"),
        ("gate small.yaml --update-baseline --json suites.json", "suites.json"),
        ("gate small.yaml --update-baseline --baseline data/b.txt", "data/b.txt"),
        ("gate small.yaml --corpus a=a.txt --json a.txt", "a.txt"),
    ],
)
def test_no_output_replaces_what_is_read(arguments: str, victim: str) -> None:
    Path("data").mkdir()
    Path("data/b.txt").write_text(TEXT, encoding="utf-8")
    Path("suites.json").write_text("{}", encoding="utf-8")
    Path("small.yaml").write_text(SMALL, encoding="utf-8")
    if "link" in arguments:
        os.symlink("tok/evalkit.json", "link")
    before = Path(victim).read_bytes()
    refused(*arguments.split(), says="are the same file")
    assert Path(victim).read_bytes() == before


def test_a_baseline_and_a_tokenizer_replace_only_their_like() -> None:
    Path("small.yaml").write_text(SMALL.replace("data/*.txt", "a.txt"), encoding="utf-8")
    update = ("gate", "small.yaml", "--update-baseline", "-q")
    train = ("train", "--variant", "gpt2", "--vocab-size", "270", "--out", "tok", "a.txt")
    for victim, command, says in (
        ("suites.json", update, "is not a baseline of evalkit gate"),
        ("tok/evalkit.json", train, "is not a tokenizer of evalkit"),
    ):
        good = Path(victim).read_bytes() if Path(victim).exists() else b""
        for content in (b'{"format": "mine"}', b"[1]", b"\xff", b"notes"):
            Path(victim).write_bytes(content)
            refused(*command, says=says)
            assert Path(victim).read_bytes() == content
        Path(victim).write_bytes(good)
    for command in (train, update, update):  # an empty file, and its like, may be replaced
        assert evalkit(*command).code == 0
    assert json.loads(Path("suites.json").read_text(encoding="utf-8"))["format"] == "evalkit-gate-baseline"


def test_an_output_beside_a_tokenizer_may_be_written_again() -> None:
    for _ in range(2):
        assert evalkit("inspect", "-t", "tok", "--json", "tok/lint.json").code == 0


def test_a_dash_is_standard_output() -> None:
    ids = evalkit("encode", "-t", "tok", "a.txt", "--out", "-")
    assert (ids.code, ids.err) == (0, "")
    assert ids.stdout == evalkit("encode", "-t", "tok", "a.txt").stdout
    assert evalkit("decode", "-t", "tok", "--out", "-", stdin=ids.stdout).out == TEXT
    assert not Path("-").exists()


# ── formats and files of others ─────────────────────────────────────────────────────────────────────────────


def test_help_and_errors_list_the_formats_that_there_are() -> None:
    shown = " ".join(evalkit("convert", "--help").out.split())
    assert all(name in shown for name in format_names())
    from evalkit.cli.run import _writes_html

    error = refused("run", "quickstart", "--format", "foo", says="there is no format 'foo'")
    assert ("html" in error) == _writes_html()
    refused("convert", "tok", "new", "--format", "sentencepiece", says="--format sentencepiece is not in this version")


@pytest.mark.parametrize("in_folder", [False, True])
@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        (
            "tokenizer.model",
            b"\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\x02",
            "is a SentencePiece model, which is no",
        ),
        ("tokenizer.model", b"IQ== 0\nIg== 1\n", "holds ranks as tiktoken writes them"),
        (
            "tokenizer.model.v3",
            b"\n\x0e\n\x05<unk>\x15\0\0\0\0",
            "is a SentencePiece model, which is no",
        ),
        ("tekken.json", b'{"config": {"pattern": "x"}, "vocab": [{"rank": 0}]}', "this is a tekken file"),
        ("tekken_240718.json", b'{"config": {}, "vocab": []}', "this is a tekken file"),
    ],
)
def test_files_of_others_are_refused_by_name(name: str, content: bytes, says: str, in_folder: bool) -> None:
    Path("other").mkdir()
    path = Path("other", name)
    path.write_bytes(content)
    for command in (["encode", "a.txt", "-t"], ["inspect", "-t"]):
        refused(*command, path.parent if in_folder else path, says=f"{path}")
        refused(*command, path.parent if in_folder else path, says=says)


def test_a_normal_form_is_left_out_where_that_is_asked_for() -> None:
    content = document(vocab={"lo": 256}, merges=["l o"], normalizer={"type": "NFC"})
    Path("tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    for command in (["encode", "-t", "tokenizer.json", "a.txt"], ["inspect", "-t", "tokenizer.json", "low"]):
        refused(*command, says="--normalizer ignore")
        done = evalkit(*command, "--normalizer", "ignore")
        assert done.code == 0
        assert "note: tokenizer.json: the normalizer NFC is left out" in done.err
        assert evalkit(*command, "--normalizer", "ignore", "-q").err == ""
    ids = evalkit("encode", "-q", "-t", "tokenizer.json", "a.txt", "--normalizer", "ignore").stdout
    assert evalkit("decode", "-t", "tokenizer.json", "--normalizer", "ignore", stdin=ids).out == TEXT
    refused("convert", "tokenizer.json", "new", "--format", "evalkit", says="--normalizer ignore")
    assert evalkit("convert", "tokenizer.json", "new", "--format", "evalkit", "--normalizer", "ignore").code == 0
    assert evalkit("encode", "-t", "new", "a.txt").stdout == ids


# ── text ────────────────────────────────────────────────────────────────────────────────────────────────────

TRAIN = ("train", "--variant", "gpt2", "--vocab-size", "270", "--out", "new")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("policy", ["error", "replace"])
def test_train_names_utf_16(encoding: str, policy: str) -> None:
    data = TEXT.encode(encoding)
    data = codecs.BOM_UTF16_BE + data if encoding == "utf-16-be" else data
    Path("b.txt").write_bytes(data)
    named = encoding[:6].upper()
    refused(*TRAIN, "--invalid-utf8", policy, "a.txt", "b.txt", says=f"the byte order mark of {named}, and train reads")
    refused(*TRAIN, "--invalid-utf8", policy, "-", stdin=data, says="standard input begins with")
    assert not Path("new").exists()


def test_a_byte_order_mark_is_not_trained_on_and_is_encoded_with_a_word() -> None:
    prints = set()
    for name in ("-", "b.txt"):
        Path("b.txt").write_bytes(codecs.BOM_UTF8 + TEXT.encode())
        trained = evalkit(*TRAIN, name, stdin=Path("b.txt").read_bytes())
        assert trained.code == 0
        named = "standard input" if name == "-" else name
        assert f"note: {named} starts with a byte order mark, which was dropped" in trained.err
        prints.add(ti.load("new").fingerprint)
    assert prints == {ti.load("tok").fingerprint}
    done = evalkit("encode", "-t", "tok", "b.txt")
    assert "note: b.txt begins with a byte order mark" in done.err
    assert evalkit("decode", "-t", "tok", stdin=done.stdout).stdout == Path("b.txt").read_bytes()
    assert evalkit("encode", "-q", "-t", "tok", "b.txt").err == ""
    assert evalkit(*TRAIN, "-q", "b.txt").err == ""
    compared = evalkit("diff", "tok", "new", "--text", "b.txt")
    assert "note: b.txt starts with a byte order mark, which was dropped" in compared.err
    assert f"of {len(TEXT.encode()):,} bytes" in compared.out


def test_formats_that_disagree_are_refused() -> None:
    refused("encode", "-t", "tok", "a.txt", "--out", "x.jsonl", "--format", "npy", says="x.jsonl, which says jsonl")
    for name, format_name in (("x.npy", "npy"), ("x.ids", "bin")):
        assert evalkit("encode", "-t", "tok", "a.txt", "--out", name, "--format", format_name).code == 0


def test_the_help_of_train_names_the_tie_breaks() -> None:
    from evalkit.cli.train import TIE_BREAKS
    from tokenizers_impl import training

    assert TIE_BREAKS == training.TIE_BREAKS
    assert "bytes|huggingface" in evalkit("train", "--help").out
    refused(*TRAIN, "a.txt", "--tie-break", "byte", says="there is no 'byte' (did you mean 'bytes'")


def test_a_file_is_trained_on_once() -> None:
    os.symlink("a.txt", "again.txt")
    for second in ("a.txt", "./a.txt", "again.txt"):
        refused(*TRAIN, "a.txt", second, says="would count twice")


def test_quiet_commands_say_nothing() -> None:
    for command in (
        (*TRAIN, "a.txt"),
        ("encode", "-t", "tok", "a.txt", "--out", "ids.npy"),
        ("convert", "tok", "other", "--format", "gpt2"),
    ):
        assert evalkit(*command).out + evalkit(*command).err != ""
        done = evalkit(*command, "-q")
        assert (done.code, done.stdout, done.err) == (0, b"", "")


def test_errors_of_writing_name_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(path: object, *_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied", path)

    with monkeypatch.context() as patched:
        patched.setattr("tokenizers_impl.atomic.os.open", denied)
        refused("encode", "-t", "tok", "a.txt", "--out", "ids.npy", says="error: ids.npy: permission denied")
    Path("folder").mkdir()
    Path("folder", "x").touch()
    error = refused("encode", "-t", "tok", "a.txt", "--out", "folder", says="error: folder: ")
    assert ".tmp" not in error


@pytest.mark.filterwarnings("ignore:.*pickle.*")
def test_no_error_advises_to_unpickle_a_file() -> None:
    np.save("ids.npy", np.array([object()]), allow_pickle=True)
    for content in (Path("ids.npy").read_bytes(), b"\x80\x04K\x01.", b"97"):
        Path("ids.npy").write_bytes(content)
        error = refused("decode", "-t", "tok", "ids.npy", says="not an array of ids in NumPy's format")
        assert "pickle" not in error


# ── patterns ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_pattern_is_a_name_or_a_regular_expression_by_a_rule() -> None:
    with pytest.raises(ti.TokenizerError, match=r"'abc'.*is a name; a regular expression of these alone is written"):
        ti.train(TEXT, pattern="abc", vocab_size=270)
    assert ti.pretokenize("xabc", pattern="(?:abc)") == ["x", "abc"]
    for empty in ({"pattern": ""}, {"variant": ""}):
        with pytest.raises(ti.TokenizerError, match="an empty split pattern"):
            ti.train(TEXT, vocab_size=270, **empty)
    with pytest.raises(TypeError, match="a split pattern is a text"):
        ti.get_variant(b"gpt2")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "arguments",
    [
        {"pattern": "x" * 5000},
        {"pattern": "(?:" + "x" * 5000 + ")", "variant": "gpt2"},
        {"pattern": "(?:" + "x" * 5000 + ")", "direction": "right_to_left"},
        {"pattern": "(?:" + "x" * 5000 + ")", "lexicon": ["中文"]},
    ],
)
def test_a_long_pattern_is_not_told_whole(arguments: dict[str, object]) -> None:
    with pytest.raises(ti.TokenizerError) as caught:
        ti.train(TEXT, vocab_size=270, **arguments)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 700
    assert len(repr(ti.train(TEXT, vocab_size=270, pattern="(?:" + "x" * 5000 + ")"))) < 300


# ── before anything is imported ─────────────────────────────────────────────────────────────────────────────


def test_a_very_early_interrupt_is_no_traceback() -> None:
    program = (
        "import builtins, sys\n"
        "real = builtins.__import__\n"
        "def interrupted(name, *rest):\n"
        "    if name == 'click':\n"
        "        raise KeyboardInterrupt\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = interrupted\n"
        "from evalkit.__main__ import run\n"
        "sys.exit(run())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "variants"],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"interrupted\n")
