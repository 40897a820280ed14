"""Tables and colours on a terminal; plain columns where the output goes elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evalkit.cli import streams

if TYPE_CHECKING:
    from rich.console import Console


def is_terminal() -> bool:
    """Whether a person reads standard output. FORCE_COLOR says yes for a pager or a build's log."""
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def console() -> Console:
    """A console that knows the terminal's width and colours (NO_COLOR is honoured) and doesn't take words for
    markup."""
    from rich.console import Console

    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False, soft_wrap=False)


def show_rich(screen: Console, *things: Any, **options: Any) -> None:
    """Prints through ``streams.show``, which knows what to do when nobody reads any more."""
    with screen.capture() as captured:
        for thing in things:
            screen.print(thing, **options)
    streams.show(captured.get().rstrip("\n"))


def show_table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, left: int | None = None) -> None:
    """A table; the first ``left`` columns (default: all) are aligned to the left."""
    left = len(headers) if left is None else left
    if not is_terminal():
        streams.show(columns(headers, rows, left))
        return
    from rich.table import Table
    from rich.text import Text

    shown = Table(pad_edge=False, header_style="bold", show_lines=False)
    for number, header in enumerate(headers):
        shown.add_column(header, justify="left" if number < left else "right", overflow="fold")
    for row in rows:
        shown.add_row(*(Text(cell) for cell in row))
    show_rich(console(), shown)


def columns(headers: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> str:
    """Cells as they are, in columns with two blanks between; the last column, if to the left, isn't padded.

    >>> print(columns(["name", "n"], [["a", "10"], ["bc", "9"]], 1))
    name   n
    a     10
    bc     9
    """
    from rich.cells import cell_len

    widths = [max(cell_len(row[column]) for row in (headers, *rows)) for column in range(len(headers))]

    def line(row: Sequence[str]) -> str:
        cells = []
        for column, (cell, wide) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (wide - cell_len(cell))
            cells.append(cell + blanks if column < left else blanks + cell)
        return "  ".join(cells).rstrip()

    return "\n".join(map(line, (headers, *rows)))
