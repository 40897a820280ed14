"""How commands take tokenizers: the options that say how one is read, and what reading it has to tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import click

from evalkit.cli import streams
from evalkit.cli.base import OneOf, Settings

if TYPE_CHECKING:
    from tokenizers_impl import BPETokenizer

Rule = Literal["refuse", "ignore"]

TOKENIZER = click.option(
    "-t",
    "--tokenizer",
    metavar="T",
    required=True,
    help="A tokenizer's file or folder, an encoding of tiktoken's, or a name in evalkit-report.",
)
VARIANT = click.option("--variant", metavar="V", help="The split pattern, for a file that doesn't say it.")
NORMALIZER = click.option(
    "--normalizer",
    type=OneOf(("refuse", "ignore")),
    default="refuse",
    show_default=True,
    help="What to do with the Unicode normal form (NFC and its like) of a tokenizer.json: refuse it, or leave it out.",
)


def opened(
    settings: Settings,
    name: str,
    *,
    variant: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    normalizer: Rule = "refuse",
) -> BPETokenizer:
    """The tokenizer called ``name``; what its file says and isn't done is a note."""
    from evalkit.tokenizer_names import open_tokenizer

    tokenizer = open_tokenizer(name, variant=variant, special_tokens=special_tokens, normalizer=normalizer)
    if not settings.quiet:
        for note in tokenizer.notes:
            streams.say(f"note: {name}: {note}")
    return tokenizer
