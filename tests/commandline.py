"""Runs the command line in this process, with streams of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evalkit.cli import main

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Done:
    code: int
    stdout: bytes
    err: str

    @property
    def out(self) -> str:
        return self.stdout.decode("utf-8")


class _Stream(io.TextIOWrapper):
    """A text stream over memory that says whether it is a terminal."""

    def __init__(self, content: bytes = b"", *, terminal: bool = False) -> None:
        self.memory = io.BytesIO(content)
        self.terminal = terminal
        # The narrowest encoding there is: what the command line doesn't set right, fails.
        super().__init__(self.memory, encoding="ascii", errors="strict", newline="")

    def isatty(self) -> bool:
        return self.terminal


@contextmanager
def _streams(stdin: bytes, terminal: bool) -> Iterator[tuple[_Stream, _Stream]]:
    before = sys.stdin, sys.stdout, sys.stderr
    ours = _Stream(stdin), _Stream(terminal=terminal), _Stream()
    sys.stdin, sys.stdout, sys.stderr = ours
    try:
        yield ours[1], ours[2]
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def evalkit(*arguments: str | Path, stdin: bytes = b"", terminal: bool = False) -> Done:
    """What ``evalkit ARGUMENTS`` does, printing to a terminal or not."""
    with _streams(stdin, terminal) as (out, err):
        code = main([str(argument) for argument in arguments])
        out.flush()
        err.flush()
        return Done(code, out.memory.getvalue(), err.memory.getvalue().decode("utf-8"))


def started(*arguments: str | Path, program: str | None = None, **environment: str) -> subprocess.Popen[bytes]:
    """``evalkit ARGUMENTS``, or a Python program that gets them, as a process of its own."""
    how = ["-m", "evalkit"] if program is None else ["-c", program]
    return subprocess.Popen(
        [sys.executable, *how, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )
