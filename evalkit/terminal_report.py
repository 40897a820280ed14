"""The short form of a report: its verdict and its main table, for standard output."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.report import sections, seen
from evalkit.report.comparisons import METRIC
from evalkit.report.figures import best, first_aggregation, is_at_home, shown_corpora
from evalkit.report.table import width
from evalkit.report.text import figure
from evalkit.report.verdict import verdict
from evalkit.results import Results
from tokenizers_impl.deferred import dataclass


@dataclass(frozen=True)
class Cell:
    """One figure as text; ``best`` where none in its column is better."""

    text: str
    best: bool = False


@dataclass(frozen=True)
class Grid:
    """Part of the main table that fits side by side."""

    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def summary(results: Results) -> str:
    """Verdict and main table as Markdown."""
    metric = main_metric(results)
    table = sections.figures(results, metric, aggregation=first_aggregation(results, metric)) if metric else ""
    return "\n\n".join(part for part in (verdict(results), table) if part)


def main_metric(results: Results) -> str | None:
    """The metric of the main table: the verdict's, else the first that was measured."""
    measured = dict.fromkeys(row.metric for row in results.rows)
    return METRIC if METRIC in measured else next(iter(measured), None)


def title(results: Results, metric: str) -> str:
    """What the main table shows."""
    found = next((m for m in results.metrics if m.name == metric), None)
    if found is None:
        return metric
    better = {True: "; more is better", False: "; less is better", None: ""}[found.higher_is_better]
    trained = any(is_at_home(t, corpus.name) for t in results.tokenizers for corpus in results.corpora)
    home = f"; {sections.HOME} in-domain: trained on another part of that corpus" if trained else ""
    marked = any(seen.saw(results, t.name, corpus.name) for t in results.tokenizers for corpus in results.corpora)
    flatters = f"; {seen.SAYS.removesuffix('.')}" if marked else ""
    return f"{metric}: {found.definition}{better}{home}{flatters}"


def grids(results: Results, metric: str, columns: int) -> list[Grid]:
    """The main table, a row a tokenizer and a column a corpus, in parts of at most ``columns`` of the
    terminal."""
    names = [t.name for t in results.tokenizers]
    whole = [_column(results, metric, corpus.name, names) for corpus in shown_corpora(results)]
    room = columns - max(map(width, ("tokenizer", *names)), default=0)
    parts: list[list[list[Cell]]] = []
    left = 0
    for column in whole:
        needed = 3 + max(width(cell.text) for cell in column)
        if not parts or needed > left:
            parts.append([])
            left = room
        parts[-1].append(column)
        left -= needed
    return [_grid(names, part) for part in parts]


def _column(results: Results, metric: str, corpus: str, names: Sequence[str]) -> list[Cell]:
    aggregation = first_aggregation(results, metric)
    leaders = best(results, corpus, metric, aggregation)
    home = {t.name for t in results.tokenizers if is_at_home(t, corpus)}
    cells = [Cell(corpus)]
    for name in names:
        row = results.row(corpus, name, metric, aggregation)
        mark = (sections.HOME if name in home else "") + seen.mark(results, name, corpus)
        mark = mark if row is not None and row.value is not None else ""
        cells.append(Cell("–" if row is None else f"{figure(row)}{mark}", name in leaders))
    return cells


def _grid(names: Sequence[str], part: Sequence[Sequence[Cell]]) -> Grid:
    headers = ("tokenizer", *(column[0].text for column in part))
    rows = [(Cell(name), *(column[i] for column in part)) for i, name in enumerate(names, 1)]
    return Grid(headers, tuple(rows))
