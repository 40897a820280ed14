"""The group of all commands. A command's module is imported when the command is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

import click

from evalkit import __version__
from evalkit.cli.base import Group


class Entry(NamedTuple):
    """Where a command is, and its line in the help of the group (the first one of its own help)."""

    module: str
    summary: str


COMMANDS = {
    "run": Entry("run", "Measure a suite's tokenizers and write the report."),
    "gate": Entry("gate", "Check that a suite's tokenizers can be relied on."),
    "compare": Entry("compare", "Show what differs between two results, and whether it can be told from chance."),
    "diff": Entry("diff", "Say whether one vocabulary can replace another."),
    "verify": Entry("verify", "Run stored results again and compare."),
    "train": Entry("train", "Train a tokenizer on text files."),
    "encode": Entry("encode", "Text to ids, exactly."),
    "decode": Entry("decode", "Ids to text, exactly."),
    "inspect": Entry("inspect", "Show how tokenizers cut a text, or what is in their vocabulary."),
    "convert": Entry("convert", "Write a tokenizer in another format."),
    "variants": Entry("variants", "List the split patterns."),
    "corpora": Entry("corpora", "The embedded corpora."),
    "init": Entry("init", "Write a suite to start from."),
    "doctor": Entry("doctor", "Say what this installation and machine can do."),
}


class LazyGroup(Group):
    """Commands by name; the help is written from the table, so that it imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"evalkit.cli.{COMMANDS[cmd_name].module}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


@click.group(cls=LazyGroup)
@click.version_option(__version__, prog_name="evalkit", message="%(prog)s %(version)s")
def cli() -> None:
    """Train, measure and gate tokenizers.

    \b
    evalkit run quickstart      a report on the text that travels with evalkit
    evalkit init suite.yaml     a suite of your own to start from
    evalkit COMMAND --help      what a command does, with examples

    Exit codes: 0 done, 1 a check failed, 2 could not judge or wrong usage, 130 interrupted.
    """
