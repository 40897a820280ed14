"""``evalkit decode``."""

from __future__ import annotations

from pathlib import Path

import click

from evalkit.cli import streams
from evalkit.cli.base import Command, FilePath, OneOf, Settings
from evalkit.cli.encode import FORMATS, named, read_input
from evalkit.cli.same_files import refuse_equal_paths, tokenizer_inputs
from evalkit.cli.tokenizers import NORMALIZER, TOKENIZER, VARIANT, Rule, opened

EXAMPLES = """
echo 31373 995 | evalkit decode --tokenizer gpt2
evalkit decode --tokenizer tok train.npy --out train.txt
evalkit encode -t gpt2 a.txt | evalkit decode -t gpt2 | cmp - a.txt
"""


@click.command("decode", cls=Command, examples=EXAMPLES)
@click.argument("file", metavar="[FILE]", type=FilePath(), required=False)
@TOKENIZER
@click.option(
    "--format", "format_name", type=OneOf(FORMATS), help="What the ids are in. Default: by FILE's ending, else text."
)
@click.option("--out", metavar="FILE", type=FilePath(), help="Where to write; else (or for -) standard output.")
@VARIANT
@NORMALIZER
@click.pass_obj
def command(
    settings: Settings,
    file: Path | None,
    tokenizer: str,
    format_name: str | None,
    out: Path | None,
    variant: str | None,
    normalizer: Rule,
) -> None:
    """Ids to text, exactly.

    FILE (or standard input, also as -) holds ids in a format of `evalkit encode`. What is written are the
    bytes of the tokens and nothing else, whole characters or not.
    """
    from evalkit import ids_io
    from evalkit.ids_writer import format_of
    from tokenizers_impl.atomic import write_bytes

    out, file = named(out), named(file)
    refuse_equal_paths({"--out": out}, [("FILE", file), *tokenizer_inputs(tokenizer)])
    tok = opened(settings, tokenizer, variant=variant, normalizer=normalizer)
    data, name = read_input(file)
    ids = ids_io.load_ids(data, format_name or format_of(file), tok.max_id, name)
    text = ids_io.decode_ids(tok, ids, name)
    if out is None:
        streams.show_bytes(text)
        return
    write_bytes(out, text)
    if not settings.quiet:
        streams.say(f"{len(text):,} bytes in {out}, from {len(ids):,} ids")
