"""``evalkit encode``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from evalkit.cli import streams
from evalkit.cli.base import Command, FilePath, OneOf, Settings, WholeNumber

FORMATS = ("text", "jsonl", "npy", "bin")
BINARY = ("npy", "bin")

EXAMPLES = """
echo 'hello world' | evalkit encode --tokenizer gpt2
evalkit encode --tokenizer tok --out train.npy train.txt
evalkit encode --tokenizer cl100k_base --special error --format jsonl prompt.txt
"""


@click.command("encode", cls=Command, examples=EXAMPLES)
@click.argument("file", metavar="[FILE]", type=FilePath(), required=False)
@click.option(
    "-t",
    "--tokenizer",
    metavar="T",
    required=True,
    help="A tokenizer's file or folder, an encoding of tiktoken's, or a name in evalkit-report.",
)
@click.option(
    "--special",
    type=OneOf(("atomic", "text", "error")),
    default="atomic",
    show_default=True,
    help="What the text of a special token is: its id, ordinary text, or an error.",
)
@click.option("--format", "format_name", type=OneOf(FORMATS), help="Default: by the ending of --out, else text.")
@click.option("--out", metavar="FILE", type=FilePath(), help="Where to write; else standard output.")
@click.option("--variant", metavar="V", help="The split pattern, for a .tiktoken file that doesn't say it.")
@click.option("--threads", type=WholeNumber(), help="Default: all processors. The ids are the same.")
@click.pass_obj
def command(
    settings: Settings,
    file: Path | None,
    tokenizer: str,
    special: str,
    format_name: str | None,
    out: Path | None,
    variant: str | None,
    threads: int | None,
) -> None:
    """Text to ids, exactly.

    The whole of FILE (or standard input, also as -) is one UTF-8 text, from its first byte to its last: no
    line end is added, removed or changed.

    text: ids with blanks between them. jsonl: a list. npy, bin: 16 bits an id where the tokenizer's largest
    id fits, else 32; bin is the bare numbers, little-endian.
    """
    from evalkit import ids_io
    from evalkit.tokenizer_names import open_tokenizer
    from tokenizers_impl.atomic import write_bytes

    chosen = format_name or ids_io.format_of(out)
    if chosen in BINARY and out is None and sys.stdout.isatty():
        raise click.UsageError(f"{chosen} is not for a terminal: name a file with --out", click.get_current_context())
    tok = open_tokenizer(tokenizer, variant=variant)
    data, name = read_input(file)
    text = ids_io.decode_utf8(data, name)
    ids = ids_io.encode_text(tok, text, special, name=name, threads=threads)
    content = ids_io.dump_ids(ids, chosen, tok.max_id)
    if out is None:
        streams.show_bytes(content)
    else:
        write_bytes(out, content)
    if not settings.quiet and (out is not None or chosen in BINARY):
        form = f" as {ids_io.dtype_for(tok.max_id).name}" if chosen in BINARY else ""
        place = "" if out is None else f" in {out}"
        streams.say(f"{len(ids):,} ids{form}{place}, from {len(data):,} bytes")


def read_input(file: Path | None) -> tuple[bytes, str]:
    """The content of a file, or of standard input, and what to call it."""
    if file is None or str(file) == "-":
        return streams.read_standard_input(), "standard input"
    return file.read_bytes(), str(file)
