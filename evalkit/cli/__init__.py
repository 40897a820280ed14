"""The command line: ``evalkit`` and ``python -m evalkit``.

Only wiring lives here: what a command computes is in the modules it imports when it runs, so that ``--help``
loads nothing heavy.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import click

from evalkit.__main__ import INTERRUPTED
from evalkit.cli import streams
from evalkit.cli.app import cli
from evalkit.cli.base import Settings
from evalkit.cli.errors import explain, usage_message

DONE, FAILED, UNJUDGED = 0, 1, 2

__all__ = ["cli", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code: 0 done, 1 failed verdict, 2 could not judge, 130
    interrupted."""
    settings = Settings(debug=os.environ.get("EVALKIT_DEBUG", "0") not in ("", "0"))
    streams.speak_utf8()
    with _termination_as_interrupt():
        try:
            code = _invoke(sys.argv[1:] if arguments is None else list(arguments), settings)
            streams.flush()
        except KeyboardInterrupt:
            streams.say("interrupted")
            code = INTERRUPTED
        except Exception as error:
            code = _fail(error, settings)
    return code


def _invoke(arguments: list[str], settings: Settings) -> int:
    try:
        with cli.make_context("evalkit", arguments, obj=settings) as context:
            result = cli.invoke(context)
    except click.exceptions.Exit as finished:
        return finished.exit_code
    return result if isinstance(result, int) else DONE


def _fail(error: Exception, settings: Settings) -> int:
    """Says what went wrong; the exit code of what can't be judged."""
    if streams.is_closed_pipe(error):
        # The reader has what it wanted.
        streams.silence()
        return DONE
    if settings.debug:
        streams.say(traceback.format_exc().rstrip())
    if isinstance(error, click.UsageError):
        streams.say(f"error: {usage_message(error)}")
    else:
        streams.say(f"error: {explain(error)}")
    return UNJUDGED


@contextmanager
def _termination_as_interrupt() -> Iterator[None]:
    """A polite kill ends like Ctrl-C, with temporary files removed. Signals belong to the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
