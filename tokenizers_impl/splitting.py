"""``pretokenize``: how a variant cuts a text, without a tokenizer."""

from __future__ import annotations

import functools
from collections.abc import Collection
from typing import Any

from tokenizers_impl import engine
from tokenizers_impl.errors import TokenizerError
from tokenizers_impl.registry import get_variant
from tokenizers_impl.tokenizer import well_formed


@functools.lru_cache(maxsize=64)
def _splitter(core: Any, variant: str, lexicon: tuple[str, ...] | None) -> Any:
    return core.Splitter(variant, list(lexicon) if lexicon is not None else None)


def pretokenize(text: str, variant: str = "gpt2", lexicon: Collection[str] | None = None) -> list[str]:
    """The pretokens of ``text``; they join to it.

    ``zh`` cuts Han runs by the words of ``lexicon``; without one there are none, and each Han character stands alone.

    >>> pretokenize("I can't wait 100 days")
    ['I', ' can', "'t", ' wait', ' 100', ' days']
    >>> pretokenize("在2024年", variant="zh_run")
    ['在', '2024', '年']
    """
    chosen = get_variant(variant)
    words = tuple(sorted(set(lexicon))) if lexicon is not None else () if chosen.uses_lexicon else None
    try:
        splitter = _splitter(engine.active(), variant, words)
    except ValueError as error:
        raise TokenizerError(str(error)) from None
    pieces: list[str] = splitter.split(well_formed(text))
    return pieces
