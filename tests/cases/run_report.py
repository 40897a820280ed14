"""Runners about what people read: tables, and files on systems with another code page."""

from __future__ import annotations

import html
import json
from pathlib import Path

from markdown_it import MarkdownIt

from cases.model import Here, runner
from cases.processes import run_python
from evalkit.report.table import table
from evalkit.report.text import code, piece, plain, readable


def _rows(markdown: str) -> list[list[str]]:
    """The cells of the one table in a text, as a parser of GitHub's Markdown finds them, tags for code left out."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    assert sum(token.type == "table_open" for token in tokens) == 1
    assert all(token.level > 0 or token.type.startswith("table") for token in tokens), "something beside the table"
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append("".join(child.content for child in token.children or []))
            assert {child.type for child in token.children or []} <= {
                "text",
                "code_inline",
                "text_special",
                "softbreak",
            }
    return rows


@runner
def markdown_tables(here: Here, tokens: list[str]) -> None:
    """Tokens as code, and as plain text, in tables beside other columns."""
    raw = [text.encode() for text in tokens]
    rows = _rows(table(["token", "times", "again"], [[piece(one), "1", piece(one)] for one in raw]))
    assert [row[0] for row in rows[1:]] == [readable(one) for one in raw]
    assert all(row == [row[0], "1", row[0]] for row in rows[1:])
    assert all(text.isprintable() for row in rows for text in row)
    named = [text for text in tokens if "\n" not in text]
    rows = _rows(table(["name", "times"], [[code(text), "1"] for text in named]))
    assert [row[0] for row in rows[1:]] == named
    rows = _rows(table(["note", "times"], [[plain(text), "1"] for text in named]))
    assert [html.unescape(row[0]) for row in rows[1:]] == [" ".join(text.split()) for text in named]


# ── code pages ──────────────────────────────────────────────────────────────────────────────────────────────

_SCRIPT = r"""
import sys
from pathlib import Path
import tokenizers_impl as ti
from evalkit.pipeline import Options, run_suite
from evalkit.suite import load_suite
from tokenizers_impl import formats

folder, out = Path(sys.argv[1]), Path(sys.argv[2])
tok = ti.train(folder / "text.txt", vocab_size=300, special_tokens=["<|\u0120|>"])
for name in formats.format_names():
    (out / name).mkdir(parents=True)
    try:
        path = tok.save(out / name, format=name)
    except ti.TokenizerError:
        continue
    again = ti.from_huggingface(path) if name == "huggingface" else ti.load(path)
    assert again.encode("\u0120 <|\u0120|>", "all") == tok.encode("\u0120 <|\u0120|>", "all"), name
results = run_suite(load_suite(folder / "suite.yaml"), Options(cache=False, out=out / "report"))
print(results.digest)
"""

_OLD_CODE_PAGE = {
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
    "LC_ALL": "C",
    "LANG": "C",
    "PYTHONIOENCODING": "cp1252",
}
_UTF8 = {"PYTHONUTF8": "1", "PYTHONIOENCODING": None}
# Runs a script or a module with its arguments. A file that one of our modules opens without an encoding is an error.
_LAUNCH = r"""
import runpy, sys, warnings
warnings.filterwarnings("error", category=EncodingWarning, module=r"(evalkit|tokenizers_impl)\b")
del sys.argv[0]
run = runpy.run_path if sys.argv[0].endswith(".py") else runpy.run_module
run(sys.argv[0], run_name="__main__")
"""
_STRICT = ("-X", "warn_default_encoding", "-c", _LAUNCH)
_WITH_TIMES = ("report.md", "report.html", "results.json", "results.csv", "timing.svg")


@runner
def code_page(here: Here, char: str) -> None:
    """Training, files in every format and a report, under an old code page: byte by byte what UTF-8 gives."""
    (here.folder / "text.txt").write_text(f"{char}{char} 中文 🐕 {char}{char}\n" * 5, encoding="utf-8")
    (here.folder / "more.txt").write_text(f"{char} 中文", encoding="utf-8")
    corpus = {"files": ["text.txt"], "document": "line", "eval": {"files": ["more.txt"]}, "domain": char}
    tokenizer = {
        "name": "ours",
        "variant": "gpt2",
        "train_on": "c",
        "vocab_size": 270,
        "special_tokens": [f"<|{char}|>"],
    }
    suite = {"version": 1, "name": "case", "corpora": {"c": corpus}, "tokenizers": [tokenizer]}
    (here.folder / "suite.yaml").write_text(json.dumps(suite, ensure_ascii=False), encoding="utf-8")
    script = here.folder / "script.py"
    script.write_text(_SCRIPT, encoding="utf-8")
    found = []
    for name, variables in (("old", _OLD_CODE_PAGE), ("utf8", _UTF8)):
        out = here.folder / name
        out.mkdir()
        digest = run_python(
            [*_STRICT, str(script), str(here.folder), str(out)], seconds=120, variables=variables, engine=here.engine
        )
        found.append((digest.strip(), _contents(out)))
    assert found[0][0] == found[1][0]
    assert found[0][1] == found[1][1]
    report = here.folder / "old" / "report" / "report.md"
    assert char in report.read_text(encoding="utf-8")


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in _WITH_TIMES)
    return {path.relative_to(folder).as_posix(): _stable(path) for path in files}


def _stable(path: Path) -> bytes:
    """A file's bytes; of our own format those that don't tell the time it took."""
    if path.suffix != ".json" or b'"seconds"' not in (data := path.read_bytes()):
        return path.read_bytes()
    content = json.loads(data)
    return json.dumps({key: value for key, value in content.items() if key not in ("training", "sha256")}).encode()


@runner
def code_page_of_commands(here: Here, char: str) -> None:
    """Commands read and write UTF-8 under an old code page."""
    text = f"{char}a 中文"
    (here.folder / "text.txt").write_text(text, encoding="utf-8")
    command = [*_STRICT, "evalkit"]
    ids = here.folder / "ids.txt"
    tok = here.folder / "tok"
    train = ["train", "--variant", "gpt2", "--vocab-size", "258", "--out", str(tok), str(here.folder / "text.txt")]
    for arguments in (train, ["encode", "--tokenizer", str(tok), str(here.folder / "text.txt")]):
        said = run_python([*command, *arguments], seconds=60, variables=_OLD_CODE_PAGE, engine=here.engine)
    assert [int(number) for number in said.split()] == list(text.encode())
    ids.write_text(said, encoding="utf-8")
    back = run_python(
        [*command, "decode", "--tokenizer", str(tok), str(ids)],
        seconds=60,
        variables=_OLD_CODE_PAGE,
        engine=here.engine,
    )
    assert back == text
    shown = run_python(
        [*command, "inspect", "-t", str(tok), text],
        seconds=60,
        variables={**_OLD_CODE_PAGE, "NO_COLOR": "1"},
        engine=here.engine,
    )
    assert "a" in shown
