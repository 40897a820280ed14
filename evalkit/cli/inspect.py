"""``evalkit inspect``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalkit.cli import streams, terminal
from evalkit.cli.base import Command, FilePath, OneOf, Settings, Text
from evalkit.errors import UserError

if TYPE_CHECKING:
    from evalkit.inspection import CutText, Vocabulary
    from tokenizers_impl import BPETokenizer

SHOWN = 8  # examples of each finding
BACKGROUNDS = ("black on bright_cyan", "black on bright_yellow")
SPECIAL_BACKGROUND = "bold white on magenta"

EXAMPLES = """
evalkit inspect -t gpt2 -t cl100k_base "It's 12345 o'clock"
evalkit inspect -t tok --file page.txt
evalkit inspect -t tok
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
@click.option("--variant", metavar="V", help="The split pattern, for a .tiktoken file that doesn't say it.")
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
) -> None:
    """Show how tokenizers cut a text, or what is in their vocabulary.

    With a text: its tokens, each on a ground of its own (with | between them where there are no colours), and
    their number. Without: the vocabulary's facts, and what looks wrong in it.
    """
    from evalkit.cli.encode import read_input
    from evalkit.encode_stream import decode_utf8
    from evalkit.tokenizer_names import open_tokenizer

    if text is not None and file is not None:
        raise click.UsageError("give a TEXT or --file, not both", click.get_current_context())
    tokenizers = [(name, open_tokenizer(name, variant=variant)) for name in names]
    if lexicon:
        _show_words(tokenizers)
    elif text is None and file is None:
        from evalkit.inspection import describe_vocabulary

        parts = [[f"{name}", *_facts(tok, describe_vocabulary(tok))] for name, tok in tokenizers]
        streams.show("\n\n".join("\n  ".join(lines) for lines in parts))
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


def _facts(tokenizer: BPETokenizer, found: Vocabulary) -> Iterator[str]:
    from evalkit.inspection import ranges

    yield f"variant: {tokenizer.variant}"
    yield f"fingerprint: {tokenizer.fingerprint}"
    yield f"entries: {found.size:,}; the largest id is {found.max_id:,}; {found.merges:,} merges"
    if tokenizer.training is not None:
        yield f"training: {tokenizer.training.stopped}"
    if found.lexicon_words is not None:
        yield f"word list: {found.lexicon_words:,} words"
    specials = [f"{text} ({token_id})" for text, token_id in found.special_tokens.items()]
    yield f"special tokens: {_some(specials, len(specials))}"
    yield "tokens by content: " + ", ".join(f"{kind} {count:,}" for kind, count in found.kinds.items())
    yield f"longest tokens: {_some(list(map(_token, found.longest)), len(found.longest), 10)}"
    yield f"ids without a token: {ranges(found.gaps) or 'none'}"
    yield f"parts of characters, longer than a byte: {_tokens(found.not_utf8)}"
    twice = [f"{a} and {b} {_token((b, token))}" for a, b, token in found.duplicates]
    yield f"the same bytes twice: {_some(twice, len(twice))}"
    yield f"never made by merging: {_tokens(found.unreachable)}"
    yield f"cut apart by the split pattern: {_tokens(found.cut_apart)}"
    yield f"with U+FFFD, from damaged text: {_tokens(found.replacement)}"


def _tokens(tokens: Sequence[tuple[int, bytes]]) -> str:
    return _some(list(map(_token, tokens[:SHOWN])), len(tokens))


def _token(item: tuple[int, bytes]) -> str:
    from evalkit.inspection import visible

    shown = visible(item[1])
    if len(shown) > 40:
        shown = f"{shown[:39]}… ({len(item[1])} bytes)"
    return f"'{shown}' {item[0]}"


def _some(shown: Sequence[str], count: int, limit: int = SHOWN) -> str:
    if not count:
        return "none"
    listed = ", ".join(shown[:limit])
    if count <= limit:
        return f"{count:,}: {listed}" if limit == SHOWN else listed
    return f"{count:,}: {listed}, …"


def _show_words(tokenizers: Sequence[tuple[str, BPETokenizer]]) -> None:
    for name, tok in tokenizers:
        if tok.lexicon is None:
            raise UserError(f"{name} has no word list: its variant is {tok.variant}, and zh has one")
        streams.show("\n".join(tok.lexicon))
