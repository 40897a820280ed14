"""Mistakes as the user sees them: exit code 2, one paragraph that names the file and the place, no traceback."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from commandline import Done, evalkit

from evalkit.cli.errors import explain

TALES = "".join(f"There were {n} little bears.\n" for n in range(40)).encode()
SUITE = """\
version: 1
name: small
corpora:
  tales: {files: [tales.txt], document: line, language: en}
tokenizers:
  - {name: ours, variant: gpt2, train_on: tales, vocab_size: 300}
"""


@dataclass(frozen=True)
class Mistake:
    """``edit``: what in the suite becomes what. ``said``: what the message must hold, the place first."""

    name: str
    said: tuple[str, ...]
    edit: tuple[str, str] = ("", "")
    files: dict[str, bytes] = field(default_factory=dict)
    arguments: tuple[str, ...] = ("run", "suite.yaml")


SUITES = [
    Mistake("no suite", ("'siute.yaml'", "did you mean 'suite.yaml'?"), arguments=("run", "siute.yaml")),
    Mistake("suite is a folder", ("here is a folder",), arguments=("run", "here")),
    Mistake("suite is empty", ("suite.yaml",), files={"suite.yaml": b""}),
    Mistake("suite is not UTF-8", ("suite.yaml", "UTF-8"), files={"suite.yaml": b"name: caf\xe9\n"}),
    Mistake("missing file", ("corpus 'tales'", "there is no file 'tale.txt'"), ("tales.txt", "tale.txt")),
    Mistake("empty file", ("corpus 'tales'", "tales.txt: the file is empty"), files={"tales.txt": b""}),
    Mistake(
        "not UTF-8",
        ("corpus 'tales'", "tales.txt: not UTF-8: byte 3 is 0xe9"),
        files={"tales.txt": b"caf\xe9 au lait\n"},
    ),
    Mistake(
        "not UTF-8, far in",
        ("tales.txt: not UTF-8: byte 3000000 is 0xff",),
        files={"tales.txt": b"abc\n" * 750_000 + b"\xff"},
    ),
    Mistake("UTF-16", ("tales.txt: not UTF-8", "UTF-16"), files={"tales.txt": "bär".encode("utf-16")}),
    Mistake(
        "unknown key", ("suite.yaml:6:", "tokenizers[0]", "did you mean 'vocab_size'?"), ("vocab_size", "vocabsize")
    ),
    Mistake("unknown key at the top", ("suite.yaml:3:1", "did you mean 'corpora'?"), ("corpora:", "corpra:")),
    Mistake("unknown variant", ("suite.yaml:6:", "gpt3", "did you mean 'gpt2'?"), ("gpt2", "gpt3")),
    Mistake("vocabulary too small", ("suite.yaml:6:", "at least 257", "found 200"), ("300", "200")),
    Mistake("vocabulary too large", ("suite.yaml:6:", "at most 2147483647", "3000000000"), ("300", "3000000000")),
    Mistake("no documents", ("corpus 'tales'", "no documents in tales.txt"), files={"tales.txt": b"\n\n\n"}),
    Mistake(
        "duplicate names",
        ("suite.yaml:7:", "'ours' is taken"),
        ("vocab_size: 300}\n", "vocab_size: 300}\n  - {name: ours, baseline: bytes}\n"),
    ),
    Mistake("duplicate keys", ("suite.yaml:5:", "tales"), ("tokenizers:", "  tales: {builtin: zh}\ntokenizers:")),
    Mistake("yaml: no", ("suite.yaml:1:", "report.plots", "'no'"), ("version: 1", "report: {plots: no}\nversion: 1")),
    Mistake("yaml: 2e4", ("suite.yaml:6:", "vocab_size", "write 20000"), ("300", "2e4")),
    Mistake("yaml: 0123", ("suite.yaml:6:", "vocab_size", "write 123"), ("300", "0123")),
    Mistake("yaml: 1_000", ("suite.yaml:6:", "vocab_size", "write 1000"), ("300", "1_000")),
    Mistake("yaml: tab", ("suite.yaml:4:", "tab"), ("  tales:", "\ttales:")),
    Mistake("yaml: anchor", ("suite.yaml:4:", "anchor"), ("{files", "&a {files")),
    Mistake(
        "trains on nothing",
        ("suite.yaml:6:", "'tails'", "did you mean 'tales'?"),
        ("train_on: tales", "train_on: tails"),
    ),
    Mistake("nothing matches", ("--only 'xyz'", "ours"), arguments=("run", "suite.yaml", "--only", "xyz")),
    Mistake(
        "python without trust",
        ("suite.yaml: tokenizers[0]", "python:a:b", "--trust"),
        ("variant: gpt2, train_on: tales, vocab_size: 300", "python: 'a:b'"),
    ),
]

COMMANDS = [
    Mistake("train: missing file", ("'none.txt'",), arguments=("train", "none.txt")),
    Mistake("train: a folder", ("here is a folder",), arguments=("train", "here")),
    Mistake("train: empty file", ("empty.txt: the file is empty",), arguments=("train", "empty.txt")),
    Mistake("train: not UTF-8", ("bad.txt: not UTF-8", "3"), arguments=("train", "bad.txt")),
    Mistake("train: JSON lines", ("a.jsonl", "plain text"), arguments=("train", "a.jsonl")),
    Mistake("train: nothing piped in", ("standard input is empty",), arguments=("train", "-")),
    Mistake("train: stdin twice", ("only once",), arguments=("train", "-", "-")),
    Mistake(
        "train: unknown variant",
        ("'gtp2'", "did you mean 'gpt2'?"),
        arguments=("train", "tales.txt", "--variant", "gtp2"),
    ),
    Mistake(
        "train: too small",
        ("vocab_size 200 is too small", "257"),
        arguments=("train", "tales.txt", "--vocab-size", "200", "--special", "<s>"),
    ),
    Mistake("train: 2e4", ("--vocab-size", "write 20000"), arguments=("train", "a", "--vocab-size", "2e4")),
    Mistake("train: 1_000", ("--vocab-size", "write 1000"), arguments=("train", "a", "--vocab-size", "1_000")),
    Mistake("train: 1,000", ("--vocab-size", "write 1000"), arguments=("train", "a", "--vocab-size", "1,000")),
    Mistake(
        "train: a link", ("'link' is a link to something that isn't there (nowhere)",), arguments=("train", "link")
    ),
    Mistake("train: 0123", ("--vocab-size", "write 123"), arguments=("train", "a", "--vocab-size", "0123")),
    Mistake(
        "train: digits of another script",
        ("--vocab-size",),
        arguments=("train", "a", "--vocab-size", "٣٠٠"),
    ),
    Mistake(
        "train: too large",
        ("at most 2147483647",),
        arguments=("train", "a", "--vocab-size", "9" * 30),
    ),
    Mistake("train: no such rule", ("'alpha'",), arguments=("train", "tales.txt", "--tie-break", "alpha")),
    Mistake("train: empty special", ("empty special",), arguments=("train", "tales.txt", "--special", "")),
    Mistake(
        "train: words for gpt2",
        ("takes no word list",),
        files={"words.txt": "北京\n".encode()},
        arguments=("train", "tales.txt", "--lexicon", "words.txt"),
    ),
    Mistake(
        "train: a bad word",
        ("words.txt: line 2: 'abc'",),
        files={"words.txt": "北京\nabc\n".encode()},
        arguments=("train", "tales.txt", "--variant", "zh", "--lexicon", "words.txt"),
    ),
    Mistake(
        "train: out is a file",
        ("tales.txt is not a folder",),
        arguments=("train", "tales.txt", "--out", "tales.txt"),
    ),
    Mistake("no tokenizer", ("'gpt3'", "did you mean 'gpt2'"), arguments=("encode", "-t", "gpt3", "tales.txt")),
    Mistake("tokenizer is no tokenizer", ("tales.txt",), arguments=("encode", "-t", "tales.txt", "tales.txt")),
    Mistake("folder without one", ("here holds no tokenizer",), arguments=("encode", "-t", "here", "tales.txt")),
    Mistake("damaged", ("x.json",), files={"x.json": b'{"format": "evalkit'}, arguments=("inspect", "-t", "x.json")),
    Mistake(
        "pattern not said",
        ("a.tiktoken", "--variant"),
        files={"a.tiktoken": b"YQ== 0\n"},
        arguments=("inspect", "-t", "a.tiktoken"),
    ),
    Mistake("encode: missing file", ("none.txt: no such file",), arguments=("encode", "-t", "gpt2", "none.txt")),
    Mistake(
        "inspect: missing file", ("none.txt: no such file",), arguments=("inspect", "-t", "gpt2", "--file", "none.txt")
    ),
    Mistake("inspect: no words", ("gpt2 has no word list",), arguments=("inspect", "-t", "gpt2", "--lexicon")),
    Mistake("corpora: unknown", ("'storys'", "did you mean 'stories'?"), arguments=("corpora", "verify", "storys")),
    Mistake("init: there already", ("suite.yaml is there already", "--force"), arguments=("init", "suite.yaml")),
    Mistake("init: a folder", ("here is a folder",), arguments=("init", "here")),
    Mistake(
        "convert: unknown format",
        ("'gpt3'", "did you mean 'gpt2'?"),
        arguments=("convert", "gpt2", "x", "--format", "gpt3"),
    ),
]

TRAIN_DEFAULTS = {"--variant": "gpt2", "--vocab-size": "300", "--out": "tok"}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("EVALKIT_DEBUG", raising=False)
    files = {
        "tales.txt": TALES,
        "empty.txt": b"",
        "bad.txt": b"caf\xe9",
        "a.jsonl": b'{"text": "a"}\n',
        "suite.yaml": SUITE.encode(),
        "here/notes.md": b"#",
    }
    for name, content in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(content)
    Path("link").symlink_to("nowhere")


def check(mistake: Mistake, done: Done) -> None:
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1, "one paragraph"
    assert "Traceback" not in done.err
    assert "fault of evalkit" not in done.err
    for part in mistake.said:
        assert part in done.err
    assert done.out == ""
    assert not Path("evalkit-report").exists()
    assert not Path("tok").exists()
    assert not [file for file in Path().iterdir() if file.name.endswith((".tmp", ".new"))]


@pytest.mark.parametrize("mistake", SUITES, ids=lambda m: m.name)
def test_mistakes_in_suites(mistake: Mistake) -> None:
    old, new = mistake.edit
    assert old in SUITE
    Path("suite.yaml").write_text(SUITE.replace(old, new, 1), encoding="utf-8")
    for name, content in mistake.files.items():
        Path(name).write_bytes(content)
    check(mistake, evalkit(*mistake.arguments))


def test_norwegian_is_a_language() -> None:
    Path("suite.yaml").write_text(SUITE.replace("language: en", "language: no"), encoding="utf-8")
    assert evalkit("run", "suite.yaml").code == 0
    assert "| tales  | no       |" in Path("evalkit-report/small/report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("mistake", COMMANDS, ids=lambda m: m.name)
def test_mistakes_of_other_commands(mistake: Mistake) -> None:
    for name, content in mistake.files.items():
        Path(name).write_bytes(content)
    arguments = list(mistake.arguments)
    if arguments[0] == "train":
        for option, value in TRAIN_DEFAULTS.items():
            if option not in arguments:
                arguments += [option, value]
    check(mistake, evalkit(*arguments))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(2, "No such file or directory", "a.txt"), "a.txt: no such file or directory"),
        (OSError(18, "Invalid cross-device link", "a", None, "b"), "a → b: invalid cross-device link"),
        (OSError("no more"), "no more"),
        (UnicodeDecodeError("utf-8", b"ab\xff", 2, 3, "invalid start byte"), "byte 2 is 0xff"),
        (MemoryError(), "not enough memory"),
        (ImportError("No module named 'x'"), "`evalkit doctor` says more"),
        (ValueError("a\x1b[31m\nb"), "a\\x1b[31m b"),
    ],
)
def test_what_is_said_of_an_error(error: Exception, said: str) -> None:
    assert said in explain(error)
    assert "\n" not in explain(error)
