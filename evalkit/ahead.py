"""Begins to load the vocabularies of a suite before anything else is done for it.

The core loads them without Python, which has as much to do meanwhile: to import what a run needs. The suite can't be
read as such yet, since that is half of what is imported, so that a look at its text has to do. Nothing but time
depends on what is seen there.
"""

from __future__ import annotations

import re
from pathlib import Path

from evalkit.embedded import builtin_suites
from tokenizers_impl.tiktoken_adapter import load_ahead

_NAMED = re.compile(r"""\btiktoken["']?\s*:\s*["']?(\w+)""")
_MAX_BYTES = 100_000


def read_ahead(suite: str) -> None:
    """Begins to load the encodings of tiktoken's that the suite's file names, as far as they are in evalkit's cache.
    Whatever is wrong with the file is left to :func:`evalkit.suite.load_suite`; what can be read only once (standard
    input, a pipe) too."""
    path = builtin_suites().get(suite) or Path(suite)
    try:
        if not path.is_file():
            return
        with path.open("rb") as file:
            text = file.read(_MAX_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return
    load_ahead(_NAMED.findall(text))
