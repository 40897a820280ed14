"""The registry of split patterns: one table, each pattern written out.

A *variant* is a split pattern with a name. Two variants that differ in one part only (``gpt2``, ``digits3``,
``digit1``) exist so that comparing tokenizers trained with them compares that part and nothing else.

Patterns are written in the syntax of the ``regex`` package, with ``\\p{Han}`` meaning Script=Han. All classes
are those of the Unicode version in ``tokenizers_impl.unicode_data``, whatever version ``regex`` knows.
"""

from __future__ import annotations

import re

from tokenizers_impl.deferred import dataclass
from tokenizers_impl.errors import TokenizerError, shorten, suggestion

# The parts that the GPT-2 family shares.
_CONTRACTIONS = r"'(?:[sdmt]|ll|ve|re)"
_CONTRACTIONS_ANY_CASE = r"'(?i:[sdmt]|ll|ve|re)"
_OTHER = r" ?[^\s\p{L}\p{N}]+"
_BLANKS = r"\s+(?!\S)|\s+"

_GPT2_NUMBER = r" ?\p{N}+"


def _gpt2_with(number: str) -> str:
    return rf"{_CONTRACTIONS}| ?\p{{L}}+|{number}|{_OTHER}|{_BLANKS}"


def _chinese_with(han: str) -> str:
    """The GPT-2 pattern with Han taken out of letters, numbers (〇 is one) and the rest."""
    not_han = r"(?!\p{Han})"
    return (
        rf"{_CONTRACTIONS}|{han}| ?(?:{not_han}\p{{L}})+| ?(?:{not_han}\p{{N}})+"
        rf"| ?(?:{not_han}[^\s\p{{L}}\p{{N}}])+|{_BLANKS}"
    )


_O200K_SUFFIX = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"


def _classic_cl100k_with(number: str) -> str:
    return (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
        rf"{number}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|{_BLANKS}"
    )


DEFAULT = "gpt2"

LEFT_TO_RIGHT, RIGHT_TO_LEFT = DIRECTIONS = ("left_to_right", "right_to_left")


@dataclass(frozen=True)
class Variant:
    """A named split pattern.

    ``uses_lexicon``: the pattern's Han runs are further cut into words by longest match over a word list
    that belongs to the tokenizer (see ``tokenizers_impl.lexicon``).
    ``has_direction``: the pattern cuts numbers into groups of three, and they can be counted from the right end of
    each number as well (``right_to_left``: 1234567 is 1, 234, 567).
    ``version`` rises when the pretokens of any text change; it is part of every fingerprint.
    """

    name: str
    pattern: str
    purpose: str
    source: str
    version: int = 1
    uses_lexicon: bool = False
    has_direction: bool = False


VARIANTS: dict[str, Variant] = {}
_NAME = re.compile("[A-Za-z0-9_-]+")


def register(variant: Variant) -> Variant:
    """Adds a variant; a name that is taken is refused."""
    if variant.name in VARIANTS:
        raise TokenizerError(f"the variant {variant.name!r} is registered already")
    VARIANTS[variant.name] = variant
    return variant


def get_variant(pattern: str) -> Variant:
    """The variant of that name, or that splits as the regular expression does.

    What has only the characters ``A-Z a-z 0-9 _ -`` is a name, and an unknown one is an error that lists the nearest
    ones; a regular expression of these alone is written in a group, ``(?:abc)``. Anything else is a pattern in the
    syntax of :mod:`tokenizers_impl.patterns.parse`: one that is registered, in any known spelling, gives the
    registered variant; any other a variant of its own, whose name is the pattern.
    """
    if pattern in VARIANTS:
        return VARIANTS[pattern]
    if not isinstance(pattern, str):
        raise TypeError(f"a split pattern is a text (str), not {type(pattern).__name__}")
    if not pattern:
        raise TokenizerError(
            f"an empty split pattern cuts nothing: name a variant ({', '.join(VARIANTS)}) or give a regular expression"
        )
    if _NAME.fullmatch(pattern):
        hint = suggestion(pattern, VARIANTS)
        raise TokenizerError(
            f"unknown variant {shorten(pattern)}{hint}; the registered variants are {', '.join(VARIANTS)}. What has "
            "only letters, digits, _ and - is a name; a regular expression of these alone is written (?:…)"
        )
    from tokenizers_impl.patterns.spellings import registered_name

    known = registered_name(pattern)
    return Variant(pattern, pattern, "a pattern of one's own", "given") if known is None else VARIANTS[known]


def choose_variant(variant: str | None, pattern: str | None) -> Variant:
    """The variant of two arguments of which one at most is given."""
    if variant is not None and pattern is not None:
        raise TokenizerError(
            f"both variant ({shorten(variant)}) and pattern ({shorten(pattern)}) are given; pass one of them"
        )
    given = pattern if variant is None else variant
    return get_variant(DEFAULT if given is None else given)


def check_direction(variant: Variant, direction: str) -> bool:
    """Whether digits are grouped from the right; raises for an unknown direction, and where there are no groups."""
    if direction not in DIRECTIONS:
        raise TokenizerError(f"unknown direction {direction!r}; there is {' and '.join(DIRECTIONS)}")
    if direction == RIGHT_TO_LEFT and not variant.has_direction:
        able = ", ".join(one.name for one in VARIANTS.values() if one.has_direction)
        raise TokenizerError(
            f"the variant {shorten(variant.name)} has no groups of digits that could be counted from the right; "
            f"{able} have"
        )
    return direction == RIGHT_TO_LEFT


def variants() -> tuple[Variant, ...]:
    """All registered variants, in the order of registration."""
    return tuple(VARIANTS.values())


register(
    Variant(
        "gpt2",
        _gpt2_with(_GPT2_NUMBER),
        "the baseline: a blank joins the word after it, numbers stay whole",
        "GPT-2 (Radford et al. 2019), in the equivalent form that tiktoken uses",
    )
)
register(
    Variant(
        "digits3",
        _gpt2_with(r" ?\p{N}{1,3}"),
        "gpt2 with numbers cut into groups of one to three digits, from the left",
        "digit policy of cl100k in the GPT-2 pattern",
        has_direction=True,
    )
)
register(
    Variant(
        "digit1",
        _gpt2_with(r" ?\p{N}"),
        "gpt2 with every digit alone",
        "digit policy of PaLM and Llama in the GPT-2 pattern",
    )
)
register(
    Variant(
        "zh",
        _chinese_with(r"\p{Han}+"),
        "Chinese-aware: Han runs stand alone and are cut into words by longest match over a frozen word list",
        "evalkit",
        uses_lexicon=True,
    )
)
register(
    Variant(
        "zh_char",
        _chinese_with(r"\p{Han}"),
        "every Han character alone: shows what words buy",
        "evalkit",
    )
)
register(
    Variant(
        "zh_run",
        _chinese_with(r"\p{Han}+"),
        "Han runs whole: shows what words buy",
        "evalkit",
    )
)
register(
    Variant(
        "cl100k",
        rf"{_CONTRACTIONS_ANY_CASE}|[^\r\n\p{{L}}\p{{N}}]?+\p{{L}}++|\p{{N}}{{1,3}}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++\Z|\s*[\r\n]|\s+(?!\S)|\s",
        "GPT-3.5/4: any case of contractions, one sign may lead a word, digits in threes",
        "tiktoken 0.14, cl100k_base (its form with the blanks at the end of the text as one pretoken)",
        has_direction=True,
    )
)
register(
    Variant(
        "o200k",
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_O200K_SUFFIX}"
        rf"|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_O200K_SUFFIX}"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        "GPT-4o: words are cut where the case turns, contractions stay with their word",
        "tiktoken 0.14, o200k_base",
        has_direction=True,
    )
)
register(
    Variant(
        "llama3",
        _classic_cl100k_with(r"\p{N}{1,3}"),
        "cl100k as it was first published: blanks at the end of the text are cut after their last newline",
        "Llama 3 (Meta), tokenizer.model's split pattern; cl100k_base before tiktoken 0.8 is the same",
        has_direction=True,
    )
)
register(
    Variant(
        "qwen2",
        _classic_cl100k_with(r"\p{N}"),
        "llama3 with every digit alone",
        "Qwen2 and Qwen2.5 (Alibaba), tokenizer.json",
    )
)
register(
    Variant(
        "bytes_only",
        r"(?s:.+)",
        "no split pattern: the whole text is one pretoken, and merges cross everything",
        "evalkit",
    )
)
