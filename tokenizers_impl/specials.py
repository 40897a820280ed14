"""The one rule by which special tokens are found in a text: leftmost, and of those that start there the longest."""

from __future__ import annotations

import re
from collections.abc import Collection


def special_pattern(texts: Collection[str]) -> re.Pattern[str] | None:
    """A pattern whose leftmost match is the longest special token there; None where there are none.

    >>> special_pattern({"<a>", "<a><b>"}).search("x<a><b>").group()
    '<a><b>'
    """
    # An alternation takes the first alternative that matches, so the longest have to stand first.
    longest_first = sorted((text for text in texts if text), key=lambda text: (-len(text), text))
    return re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
