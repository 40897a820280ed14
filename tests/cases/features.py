"""What a check may wait for, and whether it is there."""

from __future__ import annotations

from collections.abc import Callable

import tokenizers_impl as ti

FEATURES: dict[str, Callable[[], bool]] = {
    "pattern": lambda: _takes_patterns(),
}


def _takes_patterns() -> bool:
    try:
        return ti.pretokenize("ab c", r"\p{L}+|\P{L}+") == ["ab", " ", "c"]
    except ValueError:
        return False
