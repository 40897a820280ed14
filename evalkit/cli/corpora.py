"""``evalkit corpora``: list, verify, fetch."""

from __future__ import annotations

import click

from evalkit.cli import streams, terminal
from evalkit.cli.base import Command, Group, Settings
from evalkit.errors import nearest


@click.group("corpora", cls=Group)
def command() -> None:
    """The embedded corpora."""


@command.command("list", cls=Command, examples="evalkit corpora list")
def list_command() -> None:
    """List the embedded corpora.

    Use one in a suite as `name: {builtin: NAME}`. They are small, and reports that use them say so.
    """
    from evalkit.embedded import embedded_corpora

    rows = [
        [c.name, c.language, c.domain, f"{c.documents:,}", f"{c.bytes:,}", c.licence, c.title]
        for c in embedded_corpora().values()
    ]
    headers = ["name", "language", "domain", "documents", "bytes", "licence", "title"]
    terminal.show_table(headers, rows)


@command.command("verify", cls=Command, examples="evalkit corpora verify\nevalkit corpora verify stories zh")
@click.argument("names", metavar="[NAME…]", nargs=-1)
@click.pass_obj
def verify_command(settings: Settings, names: tuple[str, ...]) -> int:
    """Check the embedded corpora's files against the manifest.

    Sizes and SHA-256 of the named ones, or of all. Ends with 2 if a file is not what it was.
    """
    from evalkit.embedded import embedded_corpora, embedded_corpus, verify

    chosen = [embedded_corpus(name) for name in names] if names else list(embedded_corpora().values())
    damaged = 0
    for corpus in chosen:
        problems = verify(corpus)
        damaged += bool(problems)
        streams.show(f"{corpus.name}: {' '.join(problems) or f'as the manifest says ({corpus.sha256[:12]})'}")
    if damaged:
        streams.say(f"error: {damaged} of {len(chosen)} corpora are damaged: install evalkit again")
    return 2 if damaged else 0


@command.command("fetch", cls=Command, examples="evalkit corpora fetch stories")
@click.argument("name")
def fetch_command(name: str) -> None:
    """Fetch a corpus; the embedded ones are there already.

    Fetching others is not in this version: a suite reads them from your own files.
    """
    from evalkit.embedded import embedded_corpora

    corpora = embedded_corpora()
    if name in corpora:
        streams.show(f"{name} is embedded and needs no fetching: {corpora[name].files[0].path.parent}")
        return
    hint = nearest(name, corpora)
    raise click.UsageError(
        f"there is no embedded corpus {name!r}{f' ({hint})' if hint else ''}, and fetching others is not in "
        f"this version of evalkit; the embedded ones are {', '.join(corpora)}",
        click.get_current_context(),
    )
