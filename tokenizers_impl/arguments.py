"""What callers pass in: texts and numbers of threads, checked, with errors that say what was expected."""

from __future__ import annotations

import os
from collections.abc import Sequence


def default_threads() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def threads_or_all(threads: int | None) -> int:
    """The number of threads that was asked for, checked; all processors where none was."""
    if threads is None:
        return default_threads()
    if isinstance(threads, bool) or not isinstance(threads, int):
        raise TypeError(f"threads is a whole number or None, not {type(threads).__name__}")
    if threads < 1:
        raise ValueError(f"threads is {threads}; it is at least 1, or None for all processors")
    return threads


def _hint(value: object) -> str:
    return "; decode it first, such as with .decode('utf-8')" if isinstance(value, bytes) else ""


def well_formed(text: str) -> str:
    """``text`` with surrogate pairs joined and lone surrogates turned into U+FFFD, as tiktoken does.

    Every path that encodes goes through here, so that all of them agree. A text without surrogates is
    returned as it is. Raises ``TypeError`` for what is no text.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected a text (str), got {type(text).__name__}{_hint(text)}")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def refuse_one_text(texts: Sequence[str]) -> None:
    if isinstance(texts, (str, bytes)):
        raise TypeError("expected a list of texts; a single text would be read letter by letter")
