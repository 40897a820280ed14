"""``evalkit convert``."""

from __future__ import annotations

from pathlib import Path

import click

from evalkit.cli import streams
from evalkit.cli.base import Command, FilePath, Settings, Text, not_in_this_version
from evalkit.cli.same_files import refuse_equal_paths, tokenizer_inputs
from evalkit.cli.tokenizers import NORMALIZER, VARIANT, Rule, opened

EXAMPLES = """
evalkit convert tok out --format gpt2
evalkit convert cl100k_base cl100k_base.tiktoken --format tiktoken
evalkit convert ranks.tiktoken tok --format evalkit --variant cl100k --special '<|endoftext|>=100257'
"""


@click.command("convert", cls=Command, examples=EXAMPLES)
@click.argument("source", metavar="SRC")
@click.argument("target", metavar="DST", type=FilePath())
@click.option("--format", "format_name", metavar="F", required=True, help="evalkit, tiktoken, gpt2 or huggingface.")
@VARIANT
@NORMALIZER
@click.option(
    "--special",
    "specials",
    metavar="TEXT=ID",
    type=Text(),
    multiple=True,
    help="A special token, for a file that doesn't say it. Can be repeated.",
)
@click.pass_obj
def command(
    settings: Settings,
    source: str,
    target: Path,
    format_name: str,
    variant: str | None,
    normalizer: Rule,
    specials: tuple[str, ...],
) -> None:
    """Write a tokenizer in another format.

    SRC is a tokenizer's file or folder, an encoding of tiktoken's, or a name in evalkit-report. DST is a
    folder, or a file with the format's ending. A format that would change an id refuses, and nothing is
    written.
    """
    from tokenizers_impl.formats import format_names, save, targets

    if format_name == "sentencepiece":
        raise not_in_this_version(f"--format {format_name}")
    specials_by_text = _special_tokens(specials)
    if format_name in format_names():  # another is refused below, with the nearest
        for place in targets(target, format_name):
            refuse_equal_paths({f"DST {place.name}": place}, tokenizer_inputs(source))
    tokenizer = opened(settings, source, variant=variant, special_tokens=specials_by_text, normalizer=normalizer)
    path = save(tokenizer, target, format_name)
    if not settings.quiet:
        streams.show(f"{path}: {tokenizer.vocab_size:,} entries")


def _special_tokens(given: tuple[str, ...]) -> dict[str, int]:
    found: dict[str, int] = {}
    for item in given:
        text, _, token_id = item.rpartition("=")
        if not text or not (token_id.isascii() and token_id.isdecimal()):
            raise click.BadParameter(
                f"expected TEXT=ID, found {item!r}", click.get_current_context(), param_hint="--special"
            )
        found[text] = int(token_id)
    return found
