"""``evalkit init``."""

from __future__ import annotations

from pathlib import Path

import click

from evalkit.cli import streams
from evalkit.cli.base import Command, FilePath
from evalkit.errors import UserError

EXAMPLES = """
evalkit init
evalkit init suites/ours.yaml
"""


@click.command("init", cls=Command, examples=EXAMPLES)
@click.argument("file", metavar="[FILE]", type=FilePath(), default="suite.yaml")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
def command(file: Path, force: bool) -> None:
    """Write a suite to start from.

    FILE is suite.yaml by default. The suite runs as it is, and its comments say what to change.
    """
    from evalkit.starter import STARTER
    from tokenizers_impl.atomic import write_text

    if file.is_dir():
        raise UserError(f"{file} is a folder; a suite is a file, such as {file / 'suite.yaml'}")
    if file.exists() and not force:
        raise UserError(f"{file} is there already; --force replaces it")
    write_text(file, STARTER)
    streams.show(f"{file}: written; next: evalkit run {file}")
