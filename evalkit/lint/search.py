"""Asking the encoder: which of many texts give a token, and what merging makes of bytes."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from evalkit.lint.alphabet import Alphabet
from evalkit.lint.language import Language
from tokenizers_impl import BPETokenizer

BATCH = 4_096
AFTER = ("", " ", "a", "!", "\n", "1", "中")
"""Texts to follow a pretoken: some patterns look at what comes next."""
PER_CONTEXT = 48
"""Texts that are tried for one context of classes, at most."""


def found_in(tokenizer: BPETokenizer, asked: Sequence[tuple[int, str]]) -> dict[int, str]:
    """Of (id, text): the first text of each id in whose ids it is."""
    found: dict[int, str] = {}
    for start in range(0, len(asked), BATCH):
        part = asked[start : start + BATCH]
        ids, offsets = tokenizer.encode_ordinary_batch([text for _, text in part], 1)
        wanted = np.repeat(np.array([token_id for token_id, _ in part], dtype=np.int64), np.diff(offsets))
        hits = np.searchsorted(offsets, np.flatnonzero(ids == wanted), side="right") - 1
        for place in dict.fromkeys(hits.tolist()):
            found.setdefault(*part[place])
    return found


def first_witness(tokenizer: BPETokenizer, token_id: int, texts: Iterable[str]) -> str | None:
    """The first of the texts that gives the token."""
    remaining = iter(texts)
    size = 16  # most are found at once
    while part := [(token_id, text) for text in itertools.islice(remaining, size)]:
        if found := found_in(tokenizer, part):
            return found[token_id]
        size = BATCH
    return None


def merged(tokenizer: BPETokenizer, pretokens: list[bytes]) -> list[tuple[int, ...]]:
    """What merging alone makes of each."""
    ids, offsets = tokenizer.engine_encoder.merge_batch(pretokens)
    flat, ends = ids.tolist(), offsets.tolist()
    return [tuple(flat[start:end]) for start, end in itertools.pairwise(ends)]


def in_contexts(language: Language, text: str) -> Iterator[str]:
    """Texts in which ``text`` may stand inside a pretoken, by the language of the pattern: nearest first."""
    alphabet = language.alphabet
    contexts = language.contexts(alphabet.masks(text.encode()))
    for before, following in contexts:
        for after in AFTER:
            for left, right in itertools.islice(_spellings(alphabet, before, following), PER_CONTEXT):
                yield left + text + right + after


def around(alphabet: Alphabet, text: str) -> Iterator[str]:
    """``text`` between any two characters that stand for a class, and further ones of one class after it."""
    some = ["", *(character for members in alphabet.characters for character in members)]
    for left, right in itertools.product(some, some):
        yield left + text + right
    for left, right, last in itertools.product(some, some, some):
        if right and last:
            yield left + text + right + last


def _spellings(alphabet: Alphabet, before: Sequence[int], after: Sequence[int]) -> Iterator[tuple[str, str]]:
    choices = [alphabet.characters[name] for name in (*before, *after)]
    for chosen in itertools.product(*choices):
        yield "".join(chosen[: len(before)]), "".join(chosen[len(before) :])
