"""Generates ``code.txt``: a snapshot of this project's own source, one file a document.

Frozen on purpose: baselines would move with every commit otherwise. So a ``--check`` that fails says only
that the source has moved on; run it without to take a new snapshot.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

if __name__ == "__main__" and not __package__:  # run as a file, not with -m
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from corpora._generate import SEPARATOR, main, text_file

ROOT = Path(__file__).resolve().parents[2]
SIZE = 400_000
PATTERNS = [
    "corpora/*.py",
    "corpora/*/generate.py",
    "evalkit/**/*.py",
    "native/src/**/*.rs",
    "tests/**/*.py",
    "tokenizers_impl/**/*.py",
]
COMMENT = {".py": "#", ".rs": "//"}


def chosen() -> list[Path]:
    """As many files as fit, by the hash of their path: a fair selection that new files hardly change."""
    found = {
        path.relative_to(ROOT).as_posix(): path
        for pattern in PATTERNS
        for path in ROOT.glob(pattern)
        if "__pycache__" not in path.parts
    }
    room, names = SIZE, []
    for name in sorted(found, key=lambda name: hashlib.sha256(name.encode()).digest()):
        size = found[name].stat().st_size
        if 0 < size <= room:
            room -= size
            names.append(name)
    return [found[name] for name in sorted(names)]


def document(path: Path) -> str:
    text = path.read_text(encoding="utf-8").rstrip("\n")
    return f"{COMMENT[path.suffix]} {path.relative_to(ROOT).as_posix()}\n{text}"


def build() -> dict[str, bytes]:
    documents = [document(path) for path in chosen()]
    # A file that quotes the separator line would fall apart into two documents.
    return {"code.txt": text_file([text for text in documents if SEPARATOR not in text])}


if __name__ == "__main__":
    raise SystemExit(main(__file__, build))
