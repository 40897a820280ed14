"""Whatever the README shows is run: its Python, its suite, its commands."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from evalkit.suite import parse_suite

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.M | re.S)


def evalkit(command: str, folder: Path, **more: object) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", *shlex.split(command)]
    environment = os.environ | {"EVALKIT_CACHE_DIR": str(folder / "cache")}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", **more)


def test_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = blocks("python")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {})
    printed = re.search(r"print\(tok\.training\.stopped\)\s+# (.*)", block)
    assert printed is not None
    assert capsys.readouterr().out.strip() == printed.group(1)


def test_suite(tmp_path: Path) -> None:
    (block,) = blocks("yaml")
    suite = parse_suite(block)
    assert suite.name == "web-or-stories"
    (tmp_path / "suite.yaml").write_text(block, encoding="utf-8")
    done = evalkit("evalkit run suite.yaml --out report", tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "report" / "report.md").is_file()


def test_the_error_it_shows(tmp_path: Path) -> None:
    (shown,) = blocks("text")
    (block,) = blocks("yaml")
    wrong = re.sub(r"\n  # mine:.*?(?=\ntokenizers:)", "", block, flags=re.S).replace(
        "vocab_size: 2000}", "vocab_sise: 2000}", 1
    )
    (tmp_path / "suite.yaml").write_text(wrong, encoding="utf-8")
    done = evalkit("evalkit run suite.yaml", tmp_path)
    assert done.returncode == 2
    assert done.stderr.split() == shown.split()


def test_commands(tmp_path: Path) -> None:
    """All but the two that install; in order, since they build on one another. A gate that has passed on all of the
    text is given two seconds when it comes again: its files are what is new then."""
    (tmp_path / "my.txt").write_text("I can't wait 12345 days for the ferry at 07:45.\n" * 50, encoding="utf-8")
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.strip()]
    assert lines[:2] == ["pip install . && evalkit run quickstart", 'pip install -e ".[test]" && pytest']
    assert len(lines) > 8
    gated = False
    for line in lines[2:]:
        text = "Ferry at 07:45\n"
        for command in line.removeprefix('echo "Ferry at 07:45" | ').split(" | "):
            gate = command.startswith("evalkit gate")
            done = evalkit(f"{command} --budget 2" if gate and gated else command, tmp_path, input=text)
            gated |= gate
            assert done.returncode == 0, (line, done.stderr)
            text = done.stdout
        if line.startswith("echo"):
            assert text == "Ferry at 07:45\n"
    for name in ("gate.xml", "gate.md", "gate.json"):
        assert (tmp_path / name).stat().st_size > 0
