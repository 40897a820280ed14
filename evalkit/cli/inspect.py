"""``evalkit inspect``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalkit.cli import streams, terminal
from evalkit.cli.base import Command, FilePath, OneOf, Settings, Text
from evalkit.cli.same_files import refuse_equal_paths, tokenizer_inputs
from evalkit.cli.tokenizers import NORMALIZER, VARIANT, Rule, opened
from evalkit.errors import UserError

if TYPE_CHECKING:
    from evalkit.inspection import CutText
    from tokenizers_impl import BPETokenizer

BACKGROUNDS = ("black on bright_cyan", "black on bright_yellow")
SPECIAL_BACKGROUND = "bold white on magenta"

EXAMPLES = """
evalkit inspect -t gpt2 -t cl100k_base "It's 12345 o'clock"
evalkit inspect -t tok --file page.txt
evalkit inspect -t tok --json lint.json
"""


@click.command("inspect", cls=Command, examples=EXAMPLES)
@click.argument("text", metavar="[TEXT]", type=Text(), required=False)
@click.option(
    "-t",
    "--tokenizer",
    "names",
    metavar="T",
    multiple=True,
    required=True,
    help="A tokenizer's file or folder, an encoding of tiktoken's, or a name in evalkit-report. Repeat to compare.",
)
@click.option("--file", metavar="F", type=FilePath(), help="The text of a file; - is standard input.")
@click.option(
    "--special",
    type=OneOf(("atomic", "text")),
    default="atomic",
    show_default=True,
    help="What the text of a special token is.",
)
@click.option("--ids", "with_ids", is_flag=True, help="The ids as well.")
@click.option("--lexicon", is_flag=True, help="Print the word list of a zh tokenizer, one word a line.")
@VARIANT
@NORMALIZER
@click.option(
    "--json", "json_file", metavar="FILE", type=FilePath(), help="Write the lint as JSON, too; without a TEXT."
)
@click.pass_obj
def command(
    settings: Settings,
    text: str | None,
    names: tuple[str, ...],
    file: Path | None,
    special: str,
    with_ids: bool,
    lexicon: bool,
    variant: str | None,
    normalizer: Rule,
    json_file: Path | None,
) -> None:
    """Show how tokenizers cut a text, or what is in their vocabulary.

    With a text: its tokens, each on a ground of its own (with | between them where there are no colours), and
    their number. Without: the vocabulary's lint. What it holds, how it treats numbers and blanks, and which tokens no
    text can ever give, each with the proof.
    """
    from evalkit.cli.encode import read_input
    from evalkit.encode_stream import decode_utf8

    if text is not None and file is not None:
        raise click.UsageError("give a TEXT or --file, not both", click.get_current_context())
    if json_file is not None and (text is not None or file is not None or lexicon):
        raise click.UsageError(
            "--json is for the lint of a vocabulary: leave the text out", click.get_current_context()
        )
    refuse_equal_paths({"--json": json_file}, tokenizer_inputs(*names))
    tokenizers = [(name, opened(settings, name, variant=variant, normalizer=normalizer)) for name in names]
    if lexicon:
        _show_words(tokenizers)
    elif text is None and file is None:
        _show_vocabularies(tokenizers, json_file)
    else:
        if file is not None:
            data, where = read_input(file)
            text = decode_utf8(data, where)
        _show_cuts(tokenizers, text or "", special, with_ids)


# ── a text ──────────────────────────────────────────────────────────────────────────────────────────────────


def _show_cuts(tokenizers: Sequence[tuple[str, BPETokenizer]], text: str, special: str, with_ids: bool) -> None:
    from evalkit.inspection import cut_text, with_bars

    screen: Any = terminal.console() if terminal.is_terminal() else None
    in_colour = screen is not None and screen.color_system is not None and not screen.no_color
    fewest = None
    cuts = [(name, cut_text(tok, text, special=special)) for name, tok in tokenizers]
    if len(cuts) > 1:
        fewest = min(len(cut.tokens) for _, cut in cuts)
    for number, (name, cut) in enumerate(cuts):
        before = "\n" if number else ""
        streams.show(before + _headline(name, cut, fewest))
        if in_colour:
            terminal.show_rich(screen, _coloured(cut), soft_wrap=True)
        else:
            streams.show(with_bars(cut))
        if with_ids:
            streams.show(" ".join(map(str, cut.ids)))


def _headline(name: str, cut: CutText, fewest: int | None) -> str:
    tokens = len(cut.tokens)
    line = f"{name}: {tokens:,} {'token' if tokens == 1 else 'tokens'}, {cut.bytes:,} bytes"
    if cut.bytes_per_token is not None:
        line += f", {cut.bytes_per_token:.2f} bytes/token"
    if fewest and tokens > fewest:
        line += f", {tokens / fewest - 1:+.1%}"
    return line


def _coloured(cut: CutText) -> Any:
    from rich.text import Text as RichText

    from evalkit.inspection import visible

    shown = RichText()
    for number, (token_id, token) in enumerate(zip(cut.ids, cut.tokens, strict=True)):
        style = SPECIAL_BACKGROUND if token_id in cut.special else BACKGROUNDS[number % 2]
        shown.append(visible(token), style=style)
        if b"\n" in token and number < len(cut.tokens) - 1:
            shown.append("\n")
    return shown


# ── a vocabulary ────────────────────────────────────────────────────────────────────────────────────────────


def _show_vocabularies(tokenizers: Sequence[tuple[str, BPETokenizer]], json_file: Path | None) -> None:
    from evalkit.lint import examine
    from evalkit.lint.as_text import as_dict, lines
    from tokenizers_impl.atomic import write_text

    found = [(name, tok, examine(tok)) for name, tok in tokenizers]
    parts = [[name, *lines(tok, one)] for name, tok, one in found]
    streams.show("\n\n".join("\n  ".join(part) for part in parts))
    if json_file is not None:
        content = [{"tokenizer": name} | as_dict(tok, one) for name, tok, one in found]
        write_text(json_file, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _show_words(tokenizers: Sequence[tuple[str, BPETokenizer]]) -> None:
    for name, tok in tokenizers:
        if tok.lexicon is None:
            raise UserError(f"{name} has no word list: its variant is {tok.variant}, and zh has one")
        streams.show("\n".join(tok.lexicon))
