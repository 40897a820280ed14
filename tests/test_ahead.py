"""Vocabularies that begin to be loaded before the suite is read: the same tokenizers, the same words about errors; and
what has to be imported before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commandline import ROOT, evalkit

from evalkit import ahead
from evalkit.build import build_tokenizers
from evalkit.suite import load_suite
from tokenizers_impl import tiktoken_adapter

HEAD = "version: 1\nname: small\ncorpora:\n  a: {files: [a.txt], document: line}\ntokenizers:\n"


@pytest.fixture
def begun(monkeypatch) -> list[str]:
    """What is begun to be loaded, which isn't."""
    names: list[str] = []
    monkeypatch.setattr(ahead, "load_ahead", names.extend)
    return names


def suite(folder: Path, entries: str) -> Path:
    (folder / "a.txt").write_text("low lower\nlowest\n", encoding="utf-8")
    path = folder / "suite.yaml"
    path.write_text(HEAD + entries, encoding="utf-8")
    return path


# ── what is seen in a file ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("  - {name: a, tiktoken: gpt2}\n  - {tiktoken: 'cl100k_base', name: b}\n", ["gpt2", "cl100k_base"]),
        ("  - name: a\n    tiktoken:   gpt2  # this one\n", ["gpt2"]),
        ('{"tokenizers": [{"name": "a", "tiktoken": "gpt2"}, {"tiktoken":"o200k_base"}]}', ["gpt2", "o200k_base"]),
        ("  - {name: tiktoken, variant: gpt2}\n  - {name: not_tiktoken: gpt2}\n", []),
        ("\ttiktoken: \xff", []),
        ("", []),
    ],
)
def test_names_in_a_file(tmp_path, begun: list[str], text: str, names: list[str]) -> None:
    path = tmp_path / "suite.yaml"
    path.write_bytes(text.encode("latin-1"))
    ahead.read_ahead(str(path))
    assert begun == names


def test_a_built_in_suite_is_one_wherever_it_is_asked_for(tmp_path, begun: list[str], monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quickstart").write_text("tiktoken: p50k_edit", encoding="utf-8")
    ahead.read_ahead("quickstart")
    named = {spec.tiktoken for spec in load_suite("quickstart").tokenizers if spec.tiktoken is not None}
    assert set(begun) == named != set()


def test_what_is_no_file_is_left_to_others(tmp_path, begun: list[str], monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("-", "", "nothing.yaml", "nul\0.yaml", str(tmp_path), "x" * 5000):
        ahead.read_ahead(name)
    assert begun == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_read_by_whoever_reads_the_suite(tmp_path, begun: list[str]) -> None:
    """It can be read once; whoever opened it here would wait for a writer for ever."""
    os.mkfifo(tmp_path / "pipe")
    ahead.read_ahead(str(tmp_path / "pipe"))
    assert begun == []


# ── the same as without ─────────────────────────────────────────────────────────────────────────────────────


def test_tokenizers_come_in_the_order_of_the_suite(tmp_path) -> None:
    names = ["o200k_base", "gpt2", "cl100k_base", "gpt2", "r50k_base"]
    path = suite(tmp_path, "".join(f"  - {{name: t{i}, tiktoken: {name}}}\n" for i, name in enumerate(names)))
    alone = build_tokenizers(load_suite(path), {}, threads=1)
    ahead.read_ahead(str(path))
    assert set(tiktoken_adapter._ahead) == set(names)
    built = build_tokenizers(load_suite(path), {}, threads=2)
    assert [(one.name, one.tokenizer.origin) for one in built] == [(f"t{i}", name) for i, name in enumerate(names)]
    assert [one.tokenizer.fingerprint for one in built] == [one.tokenizer.fingerprint for one in alone]
    assert not tiktoken_adapter._ahead


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (
            "  - {name: x, tiktoken: gpt3}\n  - {name: y, tiktoken: gpt2}\n  - {name: z, tiktoken: gpt4}\n",
            "tokenizers[0]",
        ),
        ("  - {name: x, tiktoken: gpt2}\n  - {name: y, file: none.json}\n", "tokenizers[1]"),
        ("  - {name: x, tiktoken: gpt2, vocab_size: 300}\n", "suite.yaml:6:"),
    ],
)
@pytest.mark.parametrize("command", ["run", "gate"])
def test_errors_are_those_of_a_run_that_loads_nothing_ahead(
    tmp_path, monkeypatch, command: str, entries: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = suite(tmp_path, entries)
    found = evalkit(command, path)
    monkeypatch.setattr(ahead, "load_ahead", lambda names: None)
    assert found == evalkit(command, path)
    assert said in found.err
    assert found.code == 2


# ── imports ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("program", "heavy"),
    [
        # Nothing is to be waited for before vocabularies are loaded.
        (
            "import evalkit.ahead, tokenizers_impl as ti; ti.from_tiktoken('gpt2').count('a text')",
            "numpy pydantic yaml regex tiktoken importlib.metadata urllib.request concurrent.futures",
        ),
        # A short text is encoded in less time than NumPy takes to be imported.
        (
            "from evalkit.cli import main; assert main(['encode', '-q', '-t', 'gpt2', 'pyproject.toml']) == 0",
            "numpy pydantic yaml regex tiktoken importlib.metadata urllib.request rich",
        ),
        # What hardly any run needs.
        (
            "import evalkit.cli.run, evalkit.pipeline, evalkit.output",
            "regex rich pandas tiktoken tokenizers jieba urllib.request asyncio tokenizers_impl.reference "
            "tokenizers_impl.patterns.program evalkit.lint.judge evalkit.lint.contents",
        ),
    ],
)
def test_imports(program: str, heavy: str) -> None:
    tell = f"\nimport sys; print([name for name in {heavy.split()!r} if name in sys.modules])"
    found = subprocess.run(
        [sys.executable, "-c", program + tell], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True
    )
    assert found.stdout.splitlines()[-1] == "[]"
