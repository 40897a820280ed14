"""``evalkit train``."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalkit.cli import streams
from evalkit.cli.base import Command, FilePath, OneOf, Settings, Text, WholeNumber
from evalkit.cli.progress import progress_bar
from evalkit.cli.same_files import refuse_equal_paths
from evalkit.errors import UserError

if TYPE_CHECKING:
    from tokenizers_impl import BPETokenizer

# Files that hold more than their text: training on them as they are would learn their syntax.
NOT_TEXT = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".gz", ".bz2", ".xz", ".zst", ".zip")

TIE_BREAKS = ("bytes", "huggingface")

EXAMPLES = """
evalkit train --variant gpt2 --vocab-size 10000 --out tok data.txt
evalkit train --variant zh --vocab-size 16000 --out tok --special '<|endoftext|>' zh/*.txt
cat *.md | evalkit train --variant cl100k --vocab-size 2000 --out tok -
"""


@click.command("train", cls=Command, examples=EXAMPLES)
@click.argument("files", metavar="FILE…", nargs=-1, required=True)
@click.option("--variant", metavar="V", required=True, help="The split pattern; `evalkit variants` lists them.")
@click.option("--vocab-size", type=WholeNumber(), required=True, help="All entries: 256 bytes, specials, merges.")
@click.option("--out", metavar="DIR", type=FilePath(), required=True, help="The tokenizer's folder.")
@click.option(
    "--special",
    "specials",
    metavar="TEXT",
    type=Text(),
    multiple=True,
    help="A special token: never learned, a hard boundary. Can be repeated.",
)
@click.option(
    "--min-frequency",
    type=WholeNumber(),
    default=2,
    show_default=True,
    help="Pairs that occur less often are not merged.",
)
@click.option(
    "--tie-break",
    type=OneOf(TIE_BREAKS),
    default="bytes",
    show_default=True,
    help="Which of equally frequent pairs goes first: the greater bytes, or the one that Hugging Face's trainer takes.",
)
@click.option(
    "--invalid-utf8",
    type=OneOf(("error", "replace")),
    default="error",
    show_default=True,
    help="What to do where the text is not UTF-8: say which byte it is, or read U+FFFD.",
)
@click.option("--threads", type=WholeNumber(), help="Default: all processors. The result is the same.")
@click.option("--lexicon", metavar="FILE", type=FilePath(), help="Words for zh, one a line; else they are learned.")
@click.pass_obj
def command(
    settings: Settings,
    files: tuple[str, ...],
    variant: str,
    vocab_size: int,
    out: Path,
    specials: tuple[str, ...],
    min_frequency: int,
    tie_break: str,
    threads: int | None,
    lexicon: Path | None,
    invalid_utf8: str,
) -> None:
    """Train a tokenizer on text files.

    FILE is UTF-8 text, one document each (texts of special tokens are boundaries too); - is standard input.
    The tokenizer is written to DIR/evalkit.json when all is done.
    """
    import tokenizers_impl as ti
    from evalkit.build import read_words
    from tokenizers_impl.formats import own

    if out.exists() and not out.is_dir():
        raise UserError(f"{out} is not a folder; the tokenizer needs one")
    target = out / own.FILE_NAME
    refuse_equal_paths(
        {"--out": target}, [*((f"FILE {name}", Path(name)) for name in files if name != "-"), ("--lexicon", lexicon)]
    )
    if not own.may_replace(target):
        raise UserError(
            f"{target} is not a tokenizer of evalkit, and training would replace it: choose another --out, or move it "
            "away"
        )
    ti.get_variant(variant)  # a mistyped name is known before the text is read
    words = None if lexicon is None else read_words(lexicon)
    sources = list(_sources(files, invalid_utf8, lambda text: None if settings.quiet else streams.say(f"note: {text}")))
    with progress_bar(settings) as progress:
        try:
            tokenizer = ti.train(
                sources,
                variant,
                vocab_size,
                specials,
                min_frequency,
                tie_break,
                threads,
                lexicon=words,
                progress=progress,
            )
        except ti.TokenizerError:
            raise
        except ValueError as error:  # a file that isn't UTF-8; the message names it and the byte
            raise UserError(str(error)) from None
    path = tokenizer.save(target)
    if not settings.quiet:
        streams.show("\n".join(_summary(tokenizer, path)))


def _sources(files: Sequence[str], invalid_utf8: str, note: Callable[[str], None]) -> Iterator[str | Path]:
    """The files, each checked before training begins; the text of standard input for ``-``. ``note`` gets what is worth
    knowing."""
    from evalkit.encode_stream import decode_utf8
    from evalkit.readers import BOM, DROPPED

    if files.count("-") > 1:
        raise UserError("standard input can be read only once, and - stands twice among the files")
    from evalkit.sources import dangling

    seen: dict[str, str] = {}
    for name in files:
        if name == "-":
            if not (data := streams.read_standard_input()):
                raise UserError("standard input is empty")
            _refuse_utf16(data, "standard input")
            if data.startswith(codecs.BOM_UTF8):
                note(DROPPED.format("standard input"))
            yield decode_utf8(data, "standard input", invalid_utf8).removeprefix(BOM)
            continue
        path = Path(name)
        if name and (link := dangling(path)):
            raise UserError(f"{name!r} {link}")
        if not name or not path.exists():
            raise UserError(f"there is no file {name!r} to train on")
        if not path.is_file():
            what = "a folder" if path.is_dir() else "not a regular file"
            raise UserError(f"{name} is {what}; name the files to train on")
        if path.suffix.lower() in NOT_TEXT:
            raise UserError(
                f"{name}: train reads plain text, and {path.suffix} is not; a suite reads it (`evalkit init` "
                "writes one), or unpack the text first"
            )
        if path.stat().st_size == 0:
            raise UserError(f"{name}: the file is empty")
        place = os.path.realpath(path)
        if place in seen:
            raise UserError(f"{name} is the same file as {seen[place]}, and its text would count twice; name it once")
        seen[place] = name
        with path.open("rb") as file:
            start = file.read(4)
        _refuse_utf16(start, name)
        if start.startswith(codecs.BOM_UTF8):
            note(DROPPED.format(name))
        if invalid_utf8 == "replace":  # the core reads files itself, and strictly
            yield decode_utf8(path.read_bytes(), name, invalid_utf8).removeprefix(BOM)
        else:
            yield path


def _refuse_utf16(data: bytes, name: str) -> None:
    """Told by its byte order mark before training, which would name the first byte alone."""
    marks = {codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}
    for mark, encoding in marks.items():
        if data.startswith(mark):
            shown = " ".join(f"{byte:02X}" for byte in mark)
            raise UserError(
                f"{name} begins with {shown}, the byte order mark of {encoding}, and train reads UTF-8: convert it, "
                f"such as by iconv -f {encoding} -t UTF-8"
            )


def _summary(tokenizer: BPETokenizer, path: Path) -> Iterator[str]:
    record = tokenizer.training
    assert record is not None
    yield (f"{tokenizer.variant}: {tokenizer.vocab_size:,} of {record.asked_vocab_size:,} entries ({record.stopped})")
    words = "" if record.lexicon_words is None else f", {record.lexicon_words:,} words in the word list"
    yield (
        f"text: {record.bytes:,} bytes, {record.pretokens:,} pretokens, {record.distinct_pretokens:,} distinct{words}"
    )
    for stage, seconds in record.seconds.items():
        peak = record.peak_memory_bytes.get(stage)
        memory = "" if peak is None else f", peak memory {peak / 1e6:,.0f} MB"
        yield f"{stage}: {seconds:.2f} s{memory}"
    total = sum(record.seconds.values())
    rate = f" ({record.bytes / 1e6 / total:.1f} MB/s)" if total else ""
    yield f"in all: {total:.2f} s{rate}, engine {record.engine}"
    yield f"tokenizer: {path} ({tokenizer.fingerprint[:12]})"
