"""Records of results about the tokenizers' vocabularies, and about what corpora used of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from evalkit.fair_records import TokenCount
from tokenizers_impl.deferred import dataclass

RARE = 10
"""An embedding row that was trained so many times or fewer is hardly trained."""


@dataclass(frozen=True)
class VocabularyRecord:
    """What the lint says of one tokenizer (``evalkit.lint``); everything is None or empty where it is undefined.

    ``holes``: ids without a token. ``duplicates``: ids with the bytes of another. ``not_utf8``: tokens that are
    no whole characters. ``distinct_texts``: of the ordinary tokens, each decoded alone. ``damaged``: tokens
    with U+FFFD. ``scripts``: tokens by script. ``longest``: the longest tokens, readable. ``digits_pattern``
    and ``digits_tokens``: how the pattern cuts numbers, and how the tokens do after merging.
    ``longest_blanks``: the longest run of blanks that is one token. ``words`` and ``distinct_words``: tokens
    that are words, and these without regard to case and to the blank before them. ``never``: tokens that no
    text gives, by why; ``never_ids``: all of them; ``proofs``: the first of those that are neither special nor
    impossible bytes, each with its proof. ``unproven``: tokens that were neither found in a text nor proved to
    be in none.
    """

    tokenizer: str
    undefined_reason: str | None = None
    entries: int | None = None
    holes: int | None = None
    duplicates: int | None = None
    not_utf8: int | None = None
    distinct_texts: int | None = None
    damaged: int | None = None
    scripts: Mapping[str, int] = field(default_factory=dict)
    longest: tuple[str, ...] = ()
    digits_pattern: str | None = None
    digits_tokens: str | None = None
    longest_blanks: int | None = None
    words: int | None = None
    distinct_words: int | None = None
    never: Mapping[str, int] = field(default_factory=dict)
    never_ids: tuple[int, ...] = ()
    proofs: tuple[str, ...] = ()
    unproven: int | None = None


@dataclass(frozen=True)
class UsageRecord:
    """What a measured corpus used of a vocabulary; ``corpus`` None is all measured corpora together.

    ``possible``: ids that text can give. ``used``: those that occurred. ``rare``: how many of the possible occurred 0,
    1, … 10 times. ``special_text_documents``: documents that hold the text of a special token, as data.
    """

    corpus: str | None
    tokenizer: str
    possible: int
    used: int
    rare: tuple[int, ...]
    special_text_documents: int


@dataclass(frozen=True)
class TrainingUsageRecord:
    """What the text that a tokenizer was trained on uses of its vocabulary, as the finished tokenizer encodes it:
    special tokens are boundaries there, as they were in training.

    ``bytes`` and ``tokens``: of that text. ``possible``: ids that text can give. ``rare``: how many of these occur
    0, 1, … 10 times; ``rare_bytes``: those of them that are single bytes. ``rarest``: some of the other rare ones:
    those that occur least, and of these the first made. Without figures for ``undefined_reason``.
    """

    tokenizer: str
    undefined_reason: str | None = None
    bytes: int | None = None
    tokens: int | None = None
    possible: int | None = None
    rare: tuple[int, ...] = ()
    rare_bytes: tuple[int, ...] = ()
    rarest: tuple[TokenCount, ...] = ()
