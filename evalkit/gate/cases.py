"""A failure as a file: enough to run it again, on its own."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evalkit.errors import UserError
from tokenizers_impl.atomic import write_text
from tokenizers_impl.deferred import dataclass

FORMAT, VERSION = "evalkit-gate-failure", 1


@dataclass(frozen=True)
class Case:
    """One failure. ``texts``: one, or several where it takes them together. ``way``: the way to encode, or
    the property, that failed."""

    tokenizer: str
    corpus: str
    check: str
    way: str
    texts: tuple[str, ...]
    seed: int
    detail: str
    suite: str | None = None
    fingerprint: str | None = None


def write_case(case: Case, path: Path) -> Path:
    """Writes the file; half of a surrogate pair, which UTF-8 can't hold, is escaped like all else beyond
    ASCII."""
    content = {"format": FORMAT, "version": VERSION} | asdict(case)
    return write_text(path, json.dumps(content, indent=1) + "\n")


def read_case(path: Path) -> Case:
    """The failure in a file. Raises ``UserError``."""
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is not JSON: {error}") from None
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise UserError(f"{path} is not a failure of evalkit gate")
    if (version := content.pop("version", None)) != VERSION:
        raise UserError(f"{path} has format version {version}; this evalkit reads {VERSION}")
    try:
        return Case(**{**content, "texts": tuple(content["texts"])})
    except (KeyError, TypeError) as error:
        raise UserError(f"{path} is damaged: {error}") from None
