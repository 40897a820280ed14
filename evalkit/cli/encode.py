"""``evalkit encode``."""

from __future__ import annotations

import codecs
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import click

from evalkit.cli import streams
from evalkit.cli.base import Command, FilePath, OneOf, Settings
from evalkit.cli.progress import Progress, progress_bar
from evalkit.cli.same_files import refuse_equal_paths, tokenizer_inputs
from evalkit.cli.tokenizers import NORMALIZER, TOKENIZER, VARIANT, Rule, opened

if TYPE_CHECKING:
    from evalkit.ids_writer import IdsWriter
    from tokenizers_impl import BPETokenizer

FORMATS = ("text", "jsonl", "npy", "bin")
BINARY = ("npy", "bin")

EXAMPLES = """
echo 'hello world' | evalkit encode --tokenizer gpt2
evalkit encode --tokenizer tok --out train.npy train.txt
evalkit encode --tokenizer cl100k_base --special error --format jsonl prompt.txt
"""


@click.command("encode", cls=Command, examples=EXAMPLES)
@click.argument("file", metavar="[FILE]", type=FilePath(), required=False)
@TOKENIZER
@click.option(
    "--special",
    type=OneOf(("atomic", "text", "error")),
    default="atomic",
    show_default=True,
    help="What the text of a special token is: its id, ordinary text, or an error.",
)
@click.option(
    "--invalid-utf8",
    type=OneOf(("error", "replace")),
    default="error",
    show_default=True,
    help="What to do where the text is not UTF-8: say which byte it is, or read U+FFFD.",
)
@click.option("--format", "format_name", type=OneOf(FORMATS), help="Default: by the ending of --out, else text.")
@click.option("--out", metavar="FILE", type=FilePath(), help="Where to write; else (or for -) standard output.")
@VARIANT
@NORMALIZER
@click.pass_obj
def command(
    settings: Settings,
    file: Path | None,
    tokenizer: str,
    special: str,
    invalid_utf8: str,
    format_name: str | None,
    out: Path | None,
    variant: str | None,
    normalizer: Rule,
) -> None:
    """Text to ids, exactly.

    The whole of FILE (or standard input, also as -) is one UTF-8 text, from its first byte to its last: no
    line end is added, removed or changed. It is read in blocks, so that it may be larger than memory.

    text: ids with blanks between them. jsonl: a list. npy, bin: 16 bits an id where the tokenizer's largest
    id fits, else 32; bin is the bare numbers, little-endian.
    """
    from evalkit import ids_writer

    out, file = named(out), named(file)
    chosen = format_name or ids_writer.format_of(out)
    if out is not None and (told := ids_writer.told_by(out)) not in (None, chosen):
        raise click.UsageError(
            f"--format {chosen} and the ending of {out}, which says {told}, are two formats: leave --format out, or "
            "give the file another ending",
            click.get_current_context(),
        )
    if chosen in BINARY and out is None and sys.stdout.isatty():
        raise click.UsageError(f"{chosen} is not for a terminal: name a file with --out", click.get_current_context())
    refuse_equal_paths({"--out": out}, [("FILE", file), *tokenizer_inputs(tokenizer)])
    tok = opened(settings, tokenizer, variant=variant, normalizer=normalizer)
    with open_output(out) as target, open_input(file) as source, progress_bar(settings) as progress:
        writer = ids_writer.IdsWriter(target, chosen, tok)
        size, marked = encode_all(tok, source, Reading(special, invalid_utf8), writer, progress)
        writer.finish()
    if marked and not settings.quiet:
        streams.say(f"note: {source.name} begins with a byte order mark (U+FEFF), which is text here and has ids")
    if not settings.quiet and (out is not None or chosen in BINARY):
        form = f" as {ids_writer.dtype_for(tok.max_id).name}" if chosen in BINARY else ""
        place = "" if out is None else f" in {out}"
        streams.say(f"{writer.count:,} ids{form}{place}, from {size:,} bytes")


def named(path: Path | None) -> Path | None:
    """The path of a file; None for ``-`` too, which is a standard stream."""
    return None if path is None or str(path) == "-" else path


class Reading(NamedTuple):
    """How the text is read: what the text of a special token is, and what is done where it is not UTF-8."""

    special: str
    invalid_utf8: str


def encode_all(
    tok: BPETokenizer, source: Input, how: Reading, writer: IdsWriter, progress: Progress | None
) -> tuple[int, bool]:
    """Encodes all of a source; returns how many bytes it had, and whether it begins with a byte order mark."""
    from evalkit.encode_stream import BLOCK_BYTES, encode_blocks

    done = 0
    marked = False

    def blocks() -> Iterator[bytes]:
        nonlocal done, marked
        while block := source.file.read(BLOCK_BYTES):
            marked = marked or (done == 0 and block.startswith(codecs.BOM_UTF8))
            done += len(block)
            yield block

    for ids in encode_blocks(tok, blocks(), how.special, name=source.name, invalid_utf8=how.invalid_utf8):
        writer.write(ids)
        if progress is not None:
            progress("encode", done, source.size)
    return done, marked


class Input(NamedTuple):
    """What is read: its bytes, what to call it, and how many there are (0 where that isn't known)."""

    file: BinaryIO
    name: str
    size: int


@contextmanager
def open_input(file: Path | None) -> Iterator[Input]:
    """A file, or standard input."""
    if (file := named(file)) is None:
        yield Input(streams.standard_input(), "standard input", 0)
        return
    with file.open("rb") as opened:
        yield Input(opened, str(file), os.fstat(opened.fileno()).st_size)


@contextmanager
def open_output(out: Path | None) -> Iterator[BinaryIO]:
    """The file that ``out`` names, whole or not at all; or standard output, once all of it is there."""
    from tokenizers_impl.atomic import writing

    if out is not None:
        with writing(out) as opened:
            yield opened
        return
    # Nothing half-written on a pipe either, and .npy has to go back to its beginning.
    with tempfile.SpooledTemporaryFile(max_size=1 << 24) as spooled:
        yield spooled  # type: ignore[misc]
        spooled.seek(0)
        while block := spooled.read(1 << 20):
            streams.show_bytes(block)


def read_input(file: Path | None) -> tuple[bytes, str]:
    """The content of a file, or of standard input, and what to call it."""
    if (file := named(file)) is None:
        return streams.read_standard_input(), "standard input"
    return file.read_bytes(), str(file)
