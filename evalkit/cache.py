"""Trained tokenizers, kept by the content of everything that decided them.

An entry is a file in evalkit's own format, named by its key. Nothing is ever wrong because of the cache: an
entry that can't be read, or isn't what its checksum says, is reported and trained again; a folder that can't
be written is reported and does without.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tokenizers_impl import BPETokenizer, TokenizerError, formats
from tokenizers_impl.atomic import write_text
from tokenizers_impl.cachedir import cache_root


def default_folder() -> Path:
    """Where trained tokenizers are kept unless someone says otherwise."""
    return cache_root() / "tokenizers"


def content_key(content: Mapping[str, Any]) -> str:
    """SHA-256 of a description made of plain values."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def read_checked(path: Path) -> dict[str, Any] | None:
    """What :func:`write_checked` wrote; None for no file, and for one that isn't what was written."""
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return content if content.pop("checksum") == content_key(content) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write_checked(path: Path, content: Mapping[str, Any]) -> None:
    """Keeps plain values with their checksum. A folder that can't be written is done without: whatever is kept so is
    worked out again in a moment."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps({**content, "checksum": content_key(content)}, ensure_ascii=False) + "\n")
    except OSError:
        pass


class TokenizerCache:
    """``folder`` of ``None`` switches it off. ``notes`` collects what went wrong, one sentence each."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.notes: list[str] = []

    def path(self, key: str) -> Path | None:
        return None if self.folder is None else self.folder / f"{key}.json"

    def get(self, key: str) -> BPETokenizer | None:
        """The tokenizer of that key, or None where there is none that can be trusted."""
        path = self.path(key)
        try:
            if path is None or not path.exists():
                return None
            return formats.load(path)
        except FileNotFoundError:  # another process removed it meanwhile
            return None
        except (TokenizerError, OSError) as error:
            self.notes.append(f"a cached tokenizer can't be used and is trained again: {error}")
            return None

    def put(self, key: str, tokenizer: BPETokenizer) -> None:
        """Keeps the tokenizer. Two processes may do so at once: both write the same, and each write is
        whole."""
        path = self.path(key)
        if path is None:
            return
        try:
            formats.save(tokenizer, path)
        except OSError as error:
            self.folder = None  # say it once
            self.notes.append(
                f"trained tokenizers are not kept, since {path.parent} can't be written "
                f"({error.strerror or error}); EVALKIT_CACHE_DIR names another folder"
            )
