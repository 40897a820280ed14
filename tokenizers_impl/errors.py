"""Errors of the tokenizer package, and the one way to suggest a name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class TokenizerError(ValueError):
    """Something about a tokenizer, its file or its input is wrong; the message is one readable paragraph."""


def nearest(name: str, choices: Iterable[str]) -> str:
    """A question that names the choices most like ``name``, or ``''`` where nothing is close.

    >>> nearest("gpt3", ["gpt2", "zh"])
    "did you mean 'gpt2'?"
    >>> nearest("xyz", ["gpt2", "zh"])
    ''
    """
    originals = {choice.lower(): choice for choice in choices}  # case is the commonest slip of all
    close = [f"'{originals[match]}'" for match in difflib.get_close_matches(name.lower(), originals, n=3)]
    if not close:
        return ""
    return f"did you mean {' or '.join([', '.join(close[:-1]), close[-1]] if close[1:] else close)}?"


def suggestion(name: str, choices: Iterable[str]) -> str:
    """:func:`nearest` as a part of a sentence: in brackets after a blank, or ``''``."""
    question = nearest(name, choices)
    return f" ({question})" if question else ""


def shorten(value: Any) -> str:
    """A value as a message shows it: whole patterns and vocabularies are no help in a sentence.

    >>> shorten("x" * 200)[-3:]
    'xx…'
    """
    shown = repr(value)
    return shown if len(shown) <= 80 else shown[:77] + "…"
