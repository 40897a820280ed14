"""Markdown tables that also read well in a terminal: padded, numbers to the right."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence


def width(text: str) -> int:
    """Columns of a terminal.

    >>> width("ab"), width("中a")
    (2, 3)
    """
    total = 0
    for character in text:
        if unicodedata.combining(character):
            continue
        total += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return total


def cell(text: str) -> str:
    r"""``text`` so that it stays one cell: in a table even a code span ends at a bare ``|``.

    >>> cell("`a|b`\nc")
    '`a\\|b` c'
    """
    # Not splitlines, which takes eight more characters for line ends than Markdown does.
    return re.sub(r"(?:\r\n|\r|\n)+", " ", text).strip(" ").replace("|", "\\|")


def table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """A table; the first ``left`` columns are aligned to the left, the others to the right.

    Raises ``ValueError`` for a row of another length.

    >>> print(table(["name", "size"], [["a", "10"], ["bc", "9"]]))
    | name | size |
    | :--- | ---: |
    | a    |   10 |
    | bc   |    9 |
    """
    grid = [[cell(text) for text in row] for row in (headers, *rows)]
    if any(len(row) != len(headers) for row in grid):
        raise ValueError("a row has not as many cells as the table has columns")
    widths = [max(3, *(width(row[column]) for row in grid)) for column in range(len(headers))]
    rule = [":" + "-" * (size - 1) if column < left else "-" * (size - 1) + ":" for column, size in enumerate(widths)]
    lines = [_line(grid[0], widths, left), f"| {' | '.join(rule)} |"]
    lines += [_line(row, widths, left) for row in grid[1:]]
    return "\n".join(lines)


def _line(row: Sequence[str], widths: Sequence[int], left: int) -> str:
    padded = []
    for column, (text, size) in enumerate(zip(row, widths, strict=True)):
        blanks = " " * (size - width(text))
        padded.append(text + blanks if column < left else blanks + text)
    return f"| {' | '.join(padded)} |"
