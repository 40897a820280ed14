"""Errors of the tokenizer package, and the one way to suggest a name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class TokenizerError(ValueError):
    """Something about a tokenizer, its file or its input is wrong; the message is one readable paragraph."""


def nearest(name: str, choices: Iterable[str]) -> str:
    """A phrase naming the choices that look like ``name``, or an empty string.

    >>> nearest("gpt3", ["gpt2", "zh"])
    " (did you mean 'gpt2'?)"
    >>> nearest("xyz", ["gpt2", "zh"])
    ''
    """
    found = difflib.get_close_matches(name, list(choices), n=3, cutoff=0.6)
    return f" (did you mean {' or '.join(map(repr, found))}?)" if found else ""
