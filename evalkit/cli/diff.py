"""``evalkit diff``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalkit.cli import streams
from evalkit.cli.base import Command, FilePath, Settings
from evalkit.cli.same_files import refuse_equal_paths, suite_inputs, tokenizer_inputs
from evalkit.errors import UserError

if TYPE_CHECKING:
    from evalkit.corpus import Corpus
    from evalkit.suite import Suite

EXAMPLES = """
evalkit diff gpt2 cl100k_base
evalkit diff evalkit-report/mine/tokenizers/web tokenizers/production --suite suite.yaml
evalkit diff old.json new.json --check --json diff.json
"""


@click.command("diff", cls=Command, examples=EXAMPLES)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--suite", metavar="SUITE", help="Encode the text of this suite's corpora with both.")
@click.option("--text", metavar="FILE", type=FilePath(), help="Encode this file with both.")
@click.option("--check", is_flag=True, help="End with 1 if they aren't the same tokenizer.")
@click.option("--json", "json_file", metavar="FILE", type=FilePath(), help="Write it as JSON, too.")
@click.pass_obj
def command(
    settings: Settings,
    first: str,
    second: str,
    suite: str | None,
    text: Path | None,
    check: bool,
    json_file: Path | None,
) -> int:
    """Say whether one vocabulary can replace another.

    A and B are tokenizers' files or folders, encodings of tiktoken's, or names in evalkit-report. Shows which ids
    keep their bytes, moved, are gone or new, what becomes of special tokens and of the order of merges, and how
    much text encodes alike.

    Ends with 0 if it could be judged, with 1 under --check if anything differs.
    """
    from evalkit.tokenizer_names import open_tokenizer
    from evalkit.vocab_diff import as_text, compare_vocabularies
    from tokenizers_impl.atomic import write_text

    loaded = None if suite is None else _suite(suite)
    read = [] if loaded is None else [("--suite", loaded.path), *suite_inputs(loaded)]
    refuse_equal_paths({"--json": json_file}, [("--text", text), *tokenizer_inputs(first, second), *read])
    texts = {name: corpus.documents() for name, corpus in _corpora(loaded).items()}
    if text is not None:
        texts[str(text)] = iter([_read(text)])
    found = compare_vocabularies(open_tokenizer(first), open_tokenizer(second), (first, second), texts)
    if json_file is not None:
        write_text(json_file, json.dumps(found.as_dict(), indent=1, ensure_ascii=False) + "\n")
    streams.show(as_text(found))
    return 1 if check and not found.identical else 0


def _suite(name: str) -> Suite:
    from evalkit.cli.run import open_suite

    return open_suite(name, ())


def _corpora(suite: Suite | None) -> dict[str, Corpus]:
    if suite is None:
        return {}
    from evalkit.pipeline import open_corpora

    return open_corpora(suite)


def _read(path: Path) -> str:
    from evalkit.readers import BOM, DROPPED

    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8: byte {error.start:,}") from None
    if text.startswith(BOM):
        streams.say(f"note: {DROPPED.format(path)}")
    return text.removeprefix(BOM)
