"""``evalkit verify``."""

from __future__ import annotations

from pathlib import Path

import click

from evalkit.cli import streams
from evalkit.cli.base import TRUST, Command, FilePath, Settings, WholeNumber
from evalkit.cli.progress import progress_bar

EXAMPLES = """
evalkit verify evalkit-report/quickstart
evalkit verify results.json --suite suite.yaml --no-cache
"""


@click.command("verify", cls=Command, examples=EXAMPLES)
@click.argument("results", metavar="RESULTS", type=FilePath())
@click.option("--suite", metavar="SUITE", help="Where their suite is.  [default: as the results say]")
@click.option("--threads", type=WholeNumber(), help="Default: all processors. No figure depends on it.")
@click.option("--no-cache", is_flag=True, help="Train again, and keep nothing.")
@TRUST
@click.pass_obj
def command(
    settings: Settings, results: Path, suite: str | None, threads: int | None, no_cache: bool, trust: bool
) -> int:
    """Run stored results again and compare.

    RESULTS is a report's folder or its results.json. Its suite is run again, on the same text, and the digest over
    all but timings compared. Paths in the suite are relative to its file, or to the working directory where only
    the text that the results hold is left of it.

    Ends with 0 if the digests are equal, 1 if not, 2 if it can't be run again.
    """
    from evalkit.pipeline import Options
    from evalkit.verify import verify

    with progress_bar(settings) as progress:
        found = verify(results, Options(threads=threads, cache=not no_cache, progress=progress, trust=trust), suite)
    if found.same:
        streams.show(f"the same: {found.now}")
        return 0
    lines = [f"different: the digest was {found.stored}", f"{'and is':>25} {found.now}"]
    lines += [f"  {one}" for one in found.differences]
    lines += [f"  and {found.more:,} more"] if found.more else []
    lines += [f"  {one}" for one in found.environment]
    streams.show("\n".join(lines))
    return 1
