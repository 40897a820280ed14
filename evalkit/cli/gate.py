"""``evalkit gate``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalkit.cli import streams
from evalkit.cli.base import TRUST, Command, FilePath, Seconds, Settings, WholeNumber
from evalkit.cli.errors import explain
from evalkit.cli.progress import progress_bar
from evalkit.cli.run import open_suite
from evalkit.cli.same_files import refuse_equal_paths, suite_inputs
from evalkit.errors import UserError
from tokenizers_impl.deferred import dataclass

if TYPE_CHECKING:
    from evalkit.gate import GateReport

EXAMPLES = """
evalkit gate suite.yaml
evalkit gate suite.yaml --baseline baseline.json --update-baseline
evalkit gate suite.yaml --baseline baseline.json --junit gate.xml --summary gate.md --json gate.json
"""


@click.command("gate", cls=Command, examples=EXAMPLES)
@click.argument("suite")
@click.option("--baseline", metavar="FILE", type=FilePath(), help="Compare with these figures.  [default: the suite's]")
@click.option("--update-baseline", is_flag=True, help="Write the baseline instead of comparing with it.")
@click.option("--junit", metavar="FILE", type=FilePath(), help="Write the verdicts as JUnit XML, too.")
@click.option(
    "--summary",
    metavar="FILE",
    type=FilePath(),
    help="Write them as Markdown, too.  [default: $GITHUB_STEP_SUMMARY, where it is set]",
)
@click.option("--json", "json_file", metavar="FILE", type=FilePath(), help="Write them as JSON, too.")
@click.option("--seed", type=WholeNumber(minimum=0), help="For generated text and shares.  [default: the suite's]")
@click.option("--budget", type=Seconds(), help="Time for the consistency checks, which then cover a share.")
@click.option(
    "--failures",
    metavar="DIR",
    type=FilePath(),
    default="gate-failures",
    show_default=True,
    help="Where a file for each failure goes, which runs it again.",
)
@click.option("--threads", type=WholeNumber(), help="Default: all processors.")
@click.option("--no-cache", is_flag=True, help="Train again, and keep nothing.")
@click.option(
    "--corpus",
    "corpora",
    metavar="NAME=PATH",
    multiple=True,
    help="Read a corpus of the suite from this file, folder or pattern. Can be repeated.",
)
@TRUST
@click.pass_obj
def command(
    settings: Settings,
    /,
    suite: str,
    junit: Path | None,
    summary: Path | None,
    json_file: Path | None,
    no_cache: bool,
    corpora: tuple[str, ...],
    **options: Any,
) -> int:
    """Check that a suite's tokenizers can be relied on.

    SUITE is a YAML file, the name of a built-in suite, or - for standard input. Every way to encode must give
    the same ids, every threshold must hold, and no figure may be worse than in the baseline.

    Ends with 0 if the gate passed, 1 if a check failed, 2 if something could not be judged.
    """
    written = {"--junit": junit, "--summary": summary, "--json": json_file}
    read = {"SUITE": Path(suite), "--baseline": options["baseline"]}
    if options["update_baseline"]:
        written["--baseline"] = read.pop("--baseline")
    refuse_equal_paths(written, read.items())
    _refuse_folders(written, options["failures"])

    if options["threads"] != 1:
        from evalkit.ahead import read_ahead

        read_ahead(suite)
    from evalkit.gate import GateOptions, baseline_path, not_run, outputs, render, run_gate

    files = Files(junit, summary, json_file)
    try:
        loaded = open_suite(suite, corpora)
    except UserError as error:
        # What the suite reads isn't known, so that only reports are replaced.
        files.only_reports().tell(not_run(Path(suite).stem or suite, explain(error)))
        raise
    asked = GateOptions(cache=not no_cache, **options)
    (written if asked.update_baseline else read)["--baseline"] = baseline_path(loaded, asked)
    refuse_equal_paths(written, [*read.items(), *suite_inputs(loaded)])
    try:
        with progress_bar(settings) as progress:
            report = run_gate(loaded, asked, progress)
    except Exception as error:  # a CI system shows what stands in the files
        files.tell(not_run(loaded.name, explain(error)))
        raise
    # The files first: whoever reads standard output may leave. One that can't be written costs no verdict.
    problems = files.write(report)
    streams.show(render.terminal(report).rstrip("\n"))
    for line in outputs.annotation_lines(report):
        streams.show(line)
    if problems:
        raise UserError(f"the verdicts stand above, but not in every file: {'; '.join(problems)}")
    return report.exit_code


def _refuse_folders(written: Mapping[str, Path | None], failures: Path) -> None:
    """What can't be written to is said before a run of minutes."""
    for option, path in written.items():
        if path is not None and path.is_dir():
            raise UserError(f"{option}: {path} is a folder; give a file")
    if failures.exists() and not failures.is_dir():
        raise UserError(f"--failures: {failures} is a file; give a folder")


@dataclass(frozen=True)
class Files:
    """Where the verdicts are written to, beside the terminal."""

    junit: Path | None
    summary: Path | None
    json_file: Path | None

    def write(self, report: GateReport) -> list[str]:
        """Writes them all, and returns what could not be written, as phrases."""
        from evalkit.gate import outputs, render
        from tokenizers_impl.atomic import write_text

        def append(path: Path, text: str) -> None:
            with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)

        step = outputs.step_summary() if self.summary is None else None
        texts: list[tuple[Path | None, Callable[[GateReport], str], Callable[[Path, str], object]]] = [
            (self.junit, render.junit, write_text),
            (self.summary, render.summary, write_text),
            (step, render.summary, append),
            (self.json_file, outputs.as_json, write_text),
        ]
        problems = []
        for path, text_of, write in texts:
            try:
                if path is not None:
                    write(path, text_of(report))
            except OSError as error:
                problems.append(explain(error))
        return problems

    def tell(self, report: GateReport) -> None:
        """Of a gate that could not be run, which standard error tells; that a file can't be written adds nothing."""
        from evalkit.gate import outputs

        self.write(report)
        for line in outputs.annotation_lines(report):
            streams.show(line)

    def only_reports(self) -> Files:
        """Without those that stand there and aren't what a gate wrote."""
        return Files(
            *(
                None if path is not None and path.is_file() and not _is_report(path) else path
                for path in (self.junit, self.summary, self.json_file)
            )
        )


def _is_report(path: Path) -> bool:
    from evalkit.gate.outputs import FORMAT

    with path.open("rb") as file:
        start = file.read(200)
    return not start or b"<testsuites" in start or f'"{FORMAT}"'.encode() in start or start.startswith(b"## ")
