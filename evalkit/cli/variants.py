"""``evalkit variants``."""

from __future__ import annotations

import click

from evalkit.cli import terminal
from evalkit.cli.base import Command

EXAMPLES = """
evalkit variants
evalkit variants | grep digits
"""


@click.command("variants", cls=Command, examples=EXAMPLES)
def command() -> None:
    """List the split patterns.

    Each with its pattern, what it is for, where it comes from, and its version, which rises when any text is
    cut in another way. On a terminal the patterns are folded; elsewhere each is on one line.
    """
    from tokenizers_impl.registry import variants

    rows = [[found.name, str(found.version), found.purpose, found.source, found.pattern] for found in variants()]
    terminal.show_table(["name", "version", "purpose", "source", "pattern"], rows)
