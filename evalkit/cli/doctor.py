"""``evalkit doctor``."""

from __future__ import annotations

import click

from evalkit.cli import streams, terminal
from evalkit.cli.base import Command

EXAMPLES = """
evalkit doctor
EVALKIT_REQUIRE_NATIVE=1 evalkit doctor
"""


@click.command("doctor", cls=Command, examples=EXAMPLES)
def command() -> int:
    """Say what this installation and machine can do.

    Which engine serves and why, what is imported from where, versions, vocabularies, cache, memory. Ends with
    2 if something needed is broken; with EVALKIT_REQUIRE_NATIVE=1, the compiled core is needed.
    """
    from evalkit.doctor import examine

    coloured = terminal.is_terminal()
    broken = 0
    for finding in examine():
        broken += finding.state == "broken"
        mark = {"ok": "ok    ", "note": "note  ", "broken": "BROKEN"}[finding.state]
        line = f"{mark}  {finding.topic}: {finding.value}"
        if coloured and finding.state != "ok":
            from rich.text import Text

            style = "bold red" if finding.state == "broken" else "yellow"
            terminal.show_rich(terminal.console(), Text(line, style=style), soft_wrap=True)
        else:
            streams.show(line)
    if broken:
        streams.say(f"error: {broken} {'thing is' if broken == 1 else 'things are'} broken")
    return 2 if broken else 0
