"""Outputs that would replace what is read, or one another, are refused before anything is done."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalkit.errors import UserError

if TYPE_CHECKING:
    from evalkit.suite import Suite

Read = Iterable[tuple[str, Path | None]]
"""What is read: what to call it, and where it is."""


def refuse_equal_paths(written: Mapping[str, Path | None], read: Read = ()) -> None:
    """Refuses, by the options' names, two outputs that are one file, of which the second would replace the first, and
    an output that would replace what is read. Devices and pipes take any number."""
    taken = {
        place: name
        for name, path in read
        if path is not None and path.is_file() and (place := _place(path)) is not None
    }
    for option, path in written.items():
        place = None if path is None else _place(path)
        if place is None:
            continue
        if place in taken:
            raise click.UsageError(
                f"{option} and {taken[place]} are the same file, {path}: give each its own", click.get_current_context()
            )
        taken[place] = option


def tokenizer_inputs(*names: str) -> Iterator[tuple[str, Path]]:
    """The files of tokenizers by their names on the command line. Raises ``UserError`` for a name that means
    nothing."""
    from evalkit.tokenizer_names import find_tokenizer
    from tokenizers_impl.formats import files_of
    from tokenizers_impl.tiktoken_adapter import ENCODINGS

    for name in names:
        if name not in ENCODINGS:
            for path in files_of(find_tokenizer(name)):
                yield f"a file of the tokenizer {name}", path


def suite_inputs(suite: Suite) -> Iterator[tuple[str, Path]]:
    """The files of a suite's corpora and tokenizers. One that isn't there is told by whoever opens it."""
    from evalkit.sources import find_sources
    from tokenizers_impl.formats import files_of

    for name, corpus in suite.corpora.items():
        for patterns in (corpus.files, corpus.eval and corpus.eval.files):
            with suppress(UserError, OSError):
                for source in find_sources(patterns or (), suite.base_dir, []):
                    if not source.is_url:
                        yield f"a file of the corpus {name}", Path(source.location)
    for spec in suite.tokenizers:
        for place in (spec.file, spec.huggingface, spec.sentencepiece, spec.lexicon):
            if place is not None:
                for path in files_of(suite.resolve(place)):
                    yield f"a file of the tokenizer {spec.name}", path
    for name, place in suite.gate.frozen.items():
        for path in files_of(suite.resolve(place)):
            yield f"a file of the frozen tokenizer {name}".rstrip(), path


def _place(path: Path) -> object:
    """The same for two names of one file, hard links and names in another case among them; None for a device or a
    pipe, which is never replaced, and for a folder."""
    try:
        there = os.stat(path)
    except OSError:
        return os.path.realpath(path)
    if not stat.S_ISREG(there.st_mode):
        return None
    return (there.st_dev, there.st_ino) if there.st_ino else os.path.realpath(path)  # some file systems number none
