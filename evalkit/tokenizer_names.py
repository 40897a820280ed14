"""What a tokenizer is called on the command line: an encoding of tiktoken's, a file, a folder, or a name in a
report's folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import tokenizers_impl as ti
from evalkit.errors import UserError, nearest
from tokenizers_impl import BPETokenizer
from tokenizers_impl.formats import FOREIGN_FILES
from tokenizers_impl.tiktoken_adapter import ENCODINGS

REPORTS = Path("evalkit-report")
"""Where ``evalkit run`` writes by default, one folder a suite."""


def open_tokenizer(
    name: str,
    *,
    variant: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    normalizer: Literal["refuse", "ignore"] = "refuse",
) -> BPETokenizer:
    """The tokenizer called ``name``, in this order: tiktoken's encoding of that name, the file or folder at
    that path, ``NAME`` or ``FOLDER/NAME`` of a tokenizer in the folder of a report.

    A text that is the name of an encoding means that; write ``./gpt2`` for a folder of the same name.
    ``variant`` and ``special_tokens`` are for files that don't say them; ``normalizer`` is what becomes of that of a
    ``tokenizer.json``, where it has one. Raises ``UserError`` for a name that
    means nothing, with the nearest ones, or more than one thing.
    """
    if name in ENCODINGS:
        if variant is not None or special_tokens:
            raise UserError(f"{name} has a split pattern and special tokens of its own: leave both out")
        return ti.from_tiktoken(name)
    path = find_tokenizer(name)
    try:
        return ti.load(path, pattern=variant, special_tokens=special_tokens or None, normalizer=normalizer)
    except ti.TokenizerError as error:
        if "give pattern=" in str(error):
            raise UserError(f"{path} doesn't say how text is split: name the split pattern with --variant") from None
        raise


def find_tokenizer(name: str) -> Path:
    """The path that ``name`` stands for."""
    path = Path(name).expanduser()
    if name and (path.is_file() or _holds_tokenizer(path)):
        return path
    if name and (inside := path.parent / "tokenizers" / path.name).is_dir() and path.parent != Path():
        return inside
    in_reports = _in_reports()
    found = in_reports.get(name, [])
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(
            f"{name!r} is the name of several tokenizers: give the path of one of {', '.join(map(str, found))}"
        )
    if path.is_dir() and name:
        return path  # loading says what it lacks
    names = [*ENCODINGS, *in_reports]
    hint = nearest(name, names)
    raise UserError(
        f"there is no tokenizer {name!r}{f' ({hint})' if hint else ''}: it is neither a file or folder, nor one "
        f"of {', '.join(names)}"
    )


def _holds_tokenizer(path: Path) -> bool:
    return (
        path.is_dir()
        and any(any(path.glob(name)) for name in ("*.json", *FOREIGN_FILES))
        and not (path / "results.json").exists()
    )


def _in_reports() -> dict[str, list[Path]]:
    """The trained tokenizers in the reports of the working directory."""
    found: dict[str, list[Path]] = {}
    for place in sorted(REPORTS.glob("*/tokenizers/*")):
        if place.is_dir():
            found.setdefault(place.name, []).append(place)
    return found
