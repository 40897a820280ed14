"""``pretokenize``: how a variant cuts a text, without a tokenizer."""

from __future__ import annotations

import functools
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from tokenizers_impl import engine
from tokenizers_impl.arguments import well_formed
from tokenizers_impl.registry import LEFT_TO_RIGHT, Variant, check_direction, choose_variant
from tokenizers_impl.splitters import make_splitter

if TYPE_CHECKING:
    from tokenizers_impl import _native


@functools.lru_cache(maxsize=64)
def _splitter(core: Any, variant: Variant, lexicon: tuple[str, ...] | None, right_to_left: bool) -> _native.Splitter:
    return make_splitter(core, variant, lexicon, right_to_left)


def pretokenize(
    text: str,
    variant: str | None = None,
    lexicon: Collection[str] | None = None,
    *,
    pattern: str | None = None,
    direction: str = LEFT_TO_RIGHT,
) -> list[str]:
    """The pretokens of ``text``; they join to it.

    ``variant``: the name of a registered variant, by default ``gpt2``. ``pattern``: a name or a regular expression
    (:mod:`tokenizers_impl.patterns.parse` says which), instead; what it doesn't match is a pretoken of its own.

    ``zh`` cuts Han runs by the words of ``lexicon``; without one there are none, and each Han character stands alone.

    >>> pretokenize("I can't wait 100 days")
    ['I', ' can', "'t", ' wait', ' 100', ' days']
    >>> pretokenize("在2024年", variant="zh_run")
    ['在', '2024', '年']
    >>> pretokenize("about 1234567", variant="digits3", direction="right_to_left")
    ['about', ' 1', '234', '567']
    >>> pretokenize("a=1;b=22", pattern=r"[a-z]+|\\p{N}")
    ['a', '=', '1', ';', 'b', '=', '2', '2']
    """
    chosen = choose_variant(variant, pattern)
    right_to_left = check_direction(chosen, direction)
    words = tuple(sorted(set(lexicon))) if lexicon is not None else () if chosen.uses_lexicon else None
    return _splitter(engine.active(), chosen, words, right_to_left).split(well_formed(text))
