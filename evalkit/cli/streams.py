"""Standard output and error: UTF-8 everywhere, quiet when the reader leaves."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from typing import BinaryIO

from evalkit.errors import NO_INPUT, UserError


def speak_utf8() -> None:
    """UTF-8 whatever the locale or code page says, so that redirected output is the same everywhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us, as some daemons do: write to nowhere
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # File names that aren't UTF-8 reach us as lone surrogates, which must not end in a second error.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def show(text: str) -> None:
    """Prints a line, or several, to standard output. A closed pipe ends the printing, not the command: its
    exit code still says what it found."""
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except OSError as error:
        if not is_closed_pipe(error):
            raise
        silence()


def show_bytes(data: bytes) -> None:
    """Exactly these bytes to standard output."""
    sys.stdout.flush()
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        raise OSError(errno.EBADF, "standard output takes no bytes here; name a file with --out")
    binary.write(data)
    binary.flush()


def say(text: str) -> None:
    """A line on standard error."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def flush() -> None:
    sys.stdout.flush()


def is_closed_pipe(error: BaseException) -> bool:
    """Whether nobody reads our output any more. Windows says EINVAL for that."""
    if isinstance(error, BrokenPipeError):
        return True
    if not isinstance(error, OSError) or error.filename is not None:
        return False
    return os.name == "nt" and error.errno == errno.EINVAL


def silence() -> None:
    """Sends what is still buffered nowhere, since the interpreter would complain of it at its end."""
    with contextlib.suppress(OSError, ValueError, io.UnsupportedOperation):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def standard_input() -> BinaryIO:
    """Standard input, with a word to whoever sits at the keyboard. Raises ``UserError`` where it is closed, which is
    not an empty text."""
    if sys.stdin is None or sys.stdin.closed:
        raise UserError(NO_INPUT)
    if sys.stdin.isatty():
        end = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"
        say(f"reading standard input; {end} ends it")
    return sys.stdin.buffer


def read_standard_input() -> bytes:
    """All of standard input."""
    return standard_input().read()
