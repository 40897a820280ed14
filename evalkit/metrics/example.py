"""A cell written out by hand, for the examples in the docstrings and for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evalkit.counts import CorpusCounts, Neighbours, Placed, Timing, TokenizerCounts, WordTypes
from evalkit.metrics.registry import NO_PARALLEL, Cell, Matched, Parallel, ints
from evalkit.values import Undefined


def example(
    *,
    bytes: Sequence[int] = (8, 12),
    chars: Sequence[int] = (8, 10),
    words: Sequence[int] | None = (2, 3),
    tokens: Sequence[int] = (2, 6),
    unknown: Sequence[int] = (0, 0),
    id_counts: Sequence[int] = (3, 4, 0, 1),
    vocab_size: int = 5,
    special_ids: Sequence[int] = (4,),
    never_ids: Sequence[int] | None = None,
    round_trips: int = 2,
    reference_tokens: Sequence[int] | None = None,
    ideal_tokens: Sequence[int] | None = None,
    timing: Timing | None = None,
    word_tokens: Sequence[int] = (2, 6),
    cut_words: Sequence[int] = (0, 2),
    multibyte: Sequence[int] = (0, 2),
    cut_characters: Sequence[int] = (0, 1),
    number_places: Sequence[int] = (1, 0),
    number_cuts: Sequence[int] = (1, 1),
    number_hits: Sequence[int] = (1, 0),
    types: WordTypes | None = None,
    pairs: Sequence[tuple[int, int]] | Sequence[list[int]] = (),
    firsts: Sequence[tuple[int, int]] | Sequence[list[int]] = (),
    other_languages: Mapping[str, Sequence[int]] | None = None,
    reference_language: str | None = None,
) -> Cell:
    """One corpus of a few documents under one tokenizer; lists are per document. What is None is
    Undefined. ``other_languages``: the tokens of the same lines in them; the corpus itself is ``example``."""

    def counts(name: str, counted: Sequence[int]) -> TokenizerCounts:
        return TokenizerCounts(
            name=name,
            vocab_size=vocab_size,
            special_ids=frozenset(special_ids),
            never_ids=None if never_ids is None else frozenset(never_ids),
            tokens=ints(*counted),
            unknown=ints(*unknown),
            pretokens=Undefined("not counted in the example"),
            id_counts=ints(*id_counts),
            round_trips=round_trips,
            round_trip_documents=len(bytes),
            special_text_documents=0,
            timing=timing or Undefined("not timed"),
            placed=Placed(
                *(ints(*some) for some in (word_tokens, cut_words, cut_characters, number_cuts, number_hits))
            ),
            types=types or Undefined("no types in the example"),
            neighbours=Neighbours(*(np.array(some, dtype=np.int64).reshape(len(some), 2) for some in (pairs, firsts))),
        )

    own = counts("example", tokens)
    corpus = CorpusCounts(
        name="example",
        split="all",
        domain="prose",
        language="en",
        segmenter="hand count",
        sha256="",
        hashes=np.zeros(len(bytes), dtype=np.uint64),
        bytes=ints(*bytes),
        chars=ints(*chars),
        words=ints(*words) if words is not None else Undefined("no segmenter"),
        tokenizers={"example": own},
        multibyte=ints(*multibyte),
        number_places=ints(*number_places),
    )
    return Cell(
        corpus,
        own,
        counts("reference", reference_tokens) if reference_tokens else Undefined("no reference is named"),
        Matched("ideal", vocab_size, ints(*tokens), ints(*ideal_tokens))
        if ideal_tokens
        else Undefined("nothing was trained on this corpus"),
        Parallel(
            "example group",
            {"example": ints(*tokens), **{name: ints(*some) for name, some in other_languages.items()}},
            reference_language or "example",
        )
        if other_languages
        else NO_PARALLEL,
    )
