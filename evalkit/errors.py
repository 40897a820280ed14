"""What goes wrong because of what someone asked for, said in a way they can act on."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class UserError(Exception):
    """A mistake in the input, not in evalkit: the command line prints it without a traceback.

    The message is one readable paragraph. ``where`` names the place, such as ``tokenizers[2].vocab_size``.
    """

    def __init__(self, message: str, *, where: str | None = None) -> None:
        super().__init__(message)
        self.where = where


def nearest(name: str, choices: Iterable[str]) -> str:
    """The phrase ``did you mean 'stories' or 'sql'?`` for a mistyped name, or ``''`` if nothing is close."""
    originals = {choice.lower(): choice for choice in choices}  # case is the commonest slip of all
    close = [f"'{originals[match]}'" for match in get_close_matches(name.lower(), originals, n=3)]
    if not close:
        return ""
    return f"did you mean {' or '.join([', '.join(close[:-1]), close[-1]] if close[1:] else close)}?"
