"""A file that is one document, too long to be held: in parts, cut where no pretoken, word or number is cut.

A document takes some seven times its size while it is measured. The place is before a blank that stands alone between
two characters that are no blanks: every registered split pattern but ``bytes_only`` begins a pretoken there, whatever
comes before, and so do words. Tokens and words of the parts sum to those of the file; only pairs of neighbours across a
cut are not counted, and the parts are documents of their own to everything that is over documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

LARGEST = 1 << 25
"""Characters of a document from which it is cut: some 200 MB are held at a time."""

_PLACE = re.compile(r"\S (?=\S)")
_WINDOW = 1 << 12


def in_parts(blocks: Iterable[str], largest: int = LARGEST) -> Iterator[str]:
    """The joined blocks, as they are or in parts of at least about ``largest`` characters. One part is always given.

    >>> list(in_parts(["ab  c", "d efg h i"], 8))
    ['ab  cd efg h', ' i']
    """
    held: list[str] = []
    size, full = 0, largest
    for block in blocks:
        held.append(block)
        size += len(block)
        if size < full:
            continue
        text = "".join(held)
        at = _last_place(text)
        if at is not None:
            yield text[:at]
            text = text[at:]
        held, size = [text], len(text)
        # Where there is no place, one is looked for again when there is half as much again: else it would be quadratic.
        full = max(largest, size + size // 2)
    yield "".join(held)


def _last_place(text: str) -> int | None:
    """Before the last blank between two characters that aren't; None where there is none."""
    end, window = len(text), _WINDOW
    while end > 0:
        start = max(0, end - window)
        places = [match.start() + 1 for match in _PLACE.finditer(text, start, min(len(text), end + 2))]
        if places:
            return places[-1]
        end, window = start, window * 2
    return None
