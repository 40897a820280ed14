"""``pretokenize``: how a variant cuts a text, without a tokenizer."""

from __future__ import annotations

import functools
from collections.abc import Collection
from typing import Any

from tokenizers_impl import engine
from tokenizers_impl.errors import TokenizerError
from tokenizers_impl.registry import check_direction, get_variant
from tokenizers_impl.tokenizer import well_formed


@functools.lru_cache(maxsize=64)
def _splitter(core: Any, variant: str, lexicon: tuple[str, ...] | None, right_to_left: bool) -> Any:
    return core.Splitter(variant, list(lexicon) if lexicon is not None else None, right_to_left)


def pretokenize(
    text: str,
    variant: str = "gpt2",
    lexicon: Collection[str] | None = None,
    *,
    direction: str = "left_to_right",
) -> list[str]:
    """The pretokens of ``text``; they join to it.

    ``zh`` cuts Han runs by the words of ``lexicon``; without one there are none, and each Han character stands alone.

    >>> pretokenize("I can't wait 100 days")
    ['I', ' can', "'t", ' wait', ' 100', ' days']
    >>> pretokenize("在2024年", variant="zh_run")
    ['在', '2024', '年']
    >>> pretokenize("about 1234567", variant="digits3", direction="right_to_left")
    ['about', ' 1', '234', '567']
    """
    chosen = get_variant(variant)
    right_to_left = check_direction(chosen, direction)
    words = tuple(sorted(set(lexicon))) if lexicon is not None else () if chosen.uses_lexicon else None
    try:
        splitter = _splitter(engine.active(), chosen.name, words, right_to_left)
    except ValueError as error:
        raise TokenizerError(str(error)) from None
    pieces: list[str] = splitter.split(well_formed(text))
    return pieces
