"""What goes wrong because of what someone asked for, said in a way they can act on."""

from __future__ import annotations

from tokenizers_impl.errors import nearest

__all__ = ["NO_INPUT", "UserError", "nearest"]

NO_INPUT = "standard input is closed: name a file, or give it something to read"


class UserError(Exception):
    """A mistake in the input, not in evalkit: the command line prints it without a traceback.

    The message is one readable paragraph. ``where`` names the place, such as ``tokenizers[2].vocab_size``.
    """

    def __init__(self, message: str, *, where: str | None = None) -> None:
        super().__init__(message)
        self.where = where
