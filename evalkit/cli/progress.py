"""A progress bar on standard error: only on a terminal, and only for what takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from evalkit.cli.base import Settings

DELAY_SECONDS = 1.0

Progress = Callable[[str, int, int], None]


@contextmanager
def progress_bar(settings: Settings) -> Iterator[Progress | None]:
    """A callback taking (stage, done, total), or None where nobody would see the bar. The bar is gone at the
    end, whatever the end is."""
    if settings.quiet or not sys.stderr.isatty():
        yield None
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.stop()


class _Bar:
    def __init__(self) -> None:
        self._start = time.monotonic()
        self._stage = ""
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._bar is None:
            if time.monotonic() - self._start < DELAY_SECONDS:
                return
            self._begin()
        known = total or None
        if stage != self._stage:
            self._stage = stage
            self._bar.reset(self._task, total=known, description=stage)
        self._bar.update(self._task, completed=done, total=known)

    def _begin(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.completed:,.0f}"),
            TimeElapsedColumn(),
            console=Console(file=sys.stderr),
            transient=True,
        )
        self._task = self._bar.add_task("", total=None)
        self._bar.start()

    def stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()
