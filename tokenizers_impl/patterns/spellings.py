"""Other ways in which the registered patterns are written, so that they run on the hand-written splitters.

A spelling that parses to the very same nodes needs no entry; those here differ in form and not in what they match,
which the tests show by running both.
"""

from __future__ import annotations

from functools import cache

from tokenizers_impl.patterns.nodes import Node
from tokenizers_impl.patterns.parse import parse
from tokenizers_impl.registry import VARIANTS

_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"

SPELLINGS = {
    # GPT-2's own, which Hugging Face's ByteLevel has too; and tiktoken's since 0.8.
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": "gpt2",
    # cl100k_base by the possessive quantifiers that tiktoken gave it one after the other.
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+": "llama3",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+": "llama3",
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?+\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]++[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+": "llama3",
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?+\p{{L}}++|\p{{N}}{{1,3}}+| ?[^\s\p{{L}}\p{{N}}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s": "cl100k",
    # Qwen2 with the same quantifiers.
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?+\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]++[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+": "qwen2",
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+": "qwen2",
    r"(?s:.)+": "bytes_only",
    r"[\s\S]+": "bytes_only",
}


@cache
def _by_node() -> dict[Node, str]:
    # zh and zh_run have one pattern, and it is zh_run's: zh cuts on by a word list.
    known = {parse(variant.pattern): name for name, variant in VARIANTS.items() if not variant.uses_lexicon}
    return known | {parse(spelling): name for spelling, name in SPELLINGS.items()}


def registered_name(pattern: str) -> str | None:
    """The variant that a pattern is, or None. Raises :class:`~tokenizers_impl.patterns.parse.PatternError`."""
    return SPELLINGS.get(pattern) or _by_node().get(parse(pattern))
