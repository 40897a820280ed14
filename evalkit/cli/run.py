"""``evalkit run``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalkit.cli import streams, terminal
from evalkit.cli.base import (
    TRUST,
    Command,
    FilePath,
    Settings,
    WholeNumber,
    not_in_this_version,
)
from evalkit.cli.progress import progress_bar
from evalkit.errors import nearest

if TYPE_CHECKING:
    from evalkit.results import Results
    from evalkit.suite import Suite

FORMATS = ("md", "html", "json", "csv")
NARROWEST = 40

EXAMPLES = """
evalkit run quickstart
evalkit run suite.yaml --out reports/today --only 'owt-*'
evalkit run tinystories-vs-owt --corpus tinystories=TinyStories-train.txt --corpus owt=owt_train.txt
evalkit run - < suite.yaml
"""


@click.command("run", cls=Command, examples=EXAMPLES)
@click.argument("suite")
@click.option("--out", metavar="DIR", type=FilePath(), help="The report's folder.  [default: evalkit-report/NAME]")
@click.option("--only", metavar="GLOB", help="Only the tokenizers, else the corpora, whose names match.")
@click.option("--threads", type=WholeNumber(), help="Default: all processors. No figure depends on it.")
@click.option("--no-cache", is_flag=True, help="Train again, and keep nothing.")
@click.option("--format", "formats", metavar="md,json,csv", help="What to write, with commas between.")
@click.option(
    "--corpus",
    "corpora",
    metavar="NAME=PATH",
    multiple=True,
    help="Read a corpus of the suite from this file, folder or pattern. Can be repeated.",
)
@TRUST
@click.option("--cluster", metavar="ADDRESS", help="Not in this version.")
@click.pass_obj
def command(
    settings: Settings,
    suite: str,
    out: Path | None,
    only: str | None,
    threads: int | None,
    no_cache: bool,
    formats: str | None,
    corpora: tuple[str, ...],
    trust: bool,
    cluster: str | None,
) -> int:
    """Measure a suite's tokenizers and write the report.

    SUITE is a YAML file, the name of a built-in suite, or - for standard input. Tokenizers are trained (or
    taken from the cache) and measured on every corpus; the report's folder is replaced when all is done.

    Ends with 1 if a tokenizer's parallel ids differ from its serial ones, or bytes are not accounted for.
    """
    if cluster is not None:
        raise not_in_this_version("--cluster")
    chosen = None if formats is None else parse_formats(formats)
    if threads != 1 and only is None:
        from evalkit.ahead import read_ahead

        read_ahead(suite)
    from evalkit.pipeline import Options, run_suite

    loaded = open_suite(suite, corpora)
    if chosen is None:
        _say_what_is_left_out(loaded, settings)
    folder = out if out is not None else Path("evalkit-report", loaded.name)
    with progress_bar(settings) as progress:
        results = run_suite(
            loaded,
            Options(
                out=folder,
                only=only,
                threads=threads,
                cache=not no_cache,
                formats=chosen,
                progress=progress,
                trust=trust,
            ),
        )
    _show(results)
    report = folder / "report.md"
    cautions = len(results.warnings)
    more = f" ({cautions} {'caution' if cautions == 1 else 'cautions'} under Beware)" if cautions else ""
    streams.show(f"\nreport: {f'{report}{more}' if report.exists() else folder}")
    if failed := results.failed_checks:
        names = ", ".join(dict.fromkeys(f"{c.name} of {c.tokenizer} on {c.corpus}" for c in failed))
        streams.say(f"error: {len(failed)} of the checks failed: {names}; see Checks in the report")
        return 1
    return 0


def open_suite(name: str, corpora: tuple[str, ...] = ()) -> Suite:
    """The suite, with the user's own files for some corpora (``NAME=PATH``)."""
    files = corpus_files(corpora)
    from evalkit.suite import apply_corpus_files, load_suite

    suite = load_suite(name)
    return apply_corpus_files(suite, files) if files else suite


def corpus_files(given: tuple[str, ...]) -> dict[str, list[str | Path]]:
    """The files by corpus of ``NAME=PATH``."""
    files: dict[str, list[str | Path]] = {}
    for one in given:
        corpus, equals, path = one.partition("=")
        if not corpus or not equals or not path:
            raise click.BadParameter(
                f"expected NAME=PATH, found {one!r}", click.get_current_context(), param_hint="--corpus"
            )
        files.setdefault(corpus, []).append(path)
    return files


def parse_formats(text: str) -> list[str]:
    """The formats of ``--format``; one that can't be written is refused."""
    chosen = []
    for name in (part.strip() for part in text.split(",")):
        if name not in FORMATS:
            there = [one for one in FORMATS if one != "html" or _writes_html()]
            hint = nearest(name, there)
            raise click.BadParameter(
                f"there is no format {name!r}{f' ({hint})' if hint else ''}; there are {', '.join(there)}",
                click.get_current_context(),
                param_hint="--format",
            )
        if name == "html" and not _writes_html():
            raise not_in_this_version("--format html")
        chosen.append(name)
    return chosen


def _writes_html() -> bool:
    from importlib.util import find_spec

    return find_spec("evalkit.report.html") is not None


def _say_what_is_left_out(suite: Suite, settings: Settings) -> None:
    """A suite may ask for what a later version writes; that is said, since nothing is left out silently."""
    asked = "formats" in suite.report.model_fields_set and "html" in suite.report.formats
    if asked and not _writes_html() and not settings.quiet:
        streams.say("note: the suite asks for an html report, which is not in this version of evalkit")


def _show(results: Results) -> None:
    """Verdict and main table: rendered for a terminal, else as Markdown."""
    from evalkit import terminal_report

    if not terminal.is_terminal():
        streams.show(terminal_report.summary(results))
        return
    from rich.markdown import Markdown
    from rich.table import Table
    from rich.text import Text

    from evalkit.report.verdict import verdict

    screen = terminal.console()
    terminal.show_rich(screen, Markdown(verdict(results)))
    metric = terminal_report.main_metric(results)
    if metric is None:
        return
    terminal.show_rich(screen, "", terminal_report.title(results, metric))
    for grid in terminal_report.grids(results, metric, max(NARROWEST, screen.width)):
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for number, header in enumerate(grid.headers):
            table.add_column(header, justify="right" if number else "left", no_wrap=True)
        for row in grid.rows:
            table.add_row(*(Text(cell.text, style="bold green" if cell.best else "") for cell in row))
        terminal.show_rich(screen, "", table)
