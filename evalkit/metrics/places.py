"""Where token boundaries fall in the text: in words as they stand there, in characters, in numbers."""

from __future__ import annotations

import math

import numpy as np

from evalkit.columns import Ints, computed
from evalkit.counts import Placed
from evalkit.metrics.registry import Cell, Outcome, Ratio, Whole, metric
from evalkit.values import Undefined

_IN_CONTEXT = "in context, by the named segmenter; boundaries at a word's ends don't count"
_STRR = "supported: Nayeem et al. 2025 (2510.09947): figures of bare words mislead"
_OF_TYPES = "a type's figure depends on how often it occurs, and rare types on which documents there are"


def _placed(cell: Cell) -> Placed | Undefined:
    return cell.tokenizer.placed


def _over_words(cell: Cell, part: str, *, rate: bool) -> Outcome:
    placed, words = _placed(cell), cell.corpus.words
    if isinstance(words, Undefined):
        return words
    if isinstance(placed, Undefined):
        return placed
    found: Ints | Undefined = getattr(placed, part)
    return found if isinstance(found, Undefined) else Ratio(found, words, rate=rate)


@metric(
    unit="tokens/word",
    higher_is_better=False,
    definition="mean number of tokens that overlap a word-like segment, in context, by the named segmenter",
    evidence="contested",
    citation="contested, as fertility is: Ali et al. 2024, Tokenizer Choice For LLM Training (2310.08754)",
    needs=("words",),
    against=("segmenter",),
    version=3,  # documents without a part don't count: of fewer than 8 that have one, there is no interval
)
def tokens_per_word(cell: Cell) -> Outcome:
    """Σ over words of the tokens that overlap them / Σ words. A token that crosses words counts for each of them;
    tokens of blanks and signs alone count for none, so that 1 is the floor (``fertility`` counts them).

    >>> from evalkit.metrics.example import example
    >>> tokens_per_word(example(words=[2, 3], word_tokens=[2, 6])).micro("tokens/word").value
    1.6
    """
    return _over_words(cell, "word_tokens", rate=False)


@metric(
    unit="ratio",
    higher_is_better=False,
    definition=f"words that are cut into two tokens or more / words: a token boundary strictly inside, {_IN_CONTEXT}",
    evidence="contested",
    citation="contested: Rust et al. 2021, How Good is Your Tokenizer? (2012.15613); Ali et al. 2024 (2310.08754)",
    needs=("words",),
    against=("segmenter",),
    version=4,  # documents without a part don't count: of fewer than 8 that have one, there is no interval
)
def continued_words(cell: Cell) -> Outcome:
    """Σ words that are cut / Σ words.

    >>> from evalkit.metrics.example import example
    >>> continued_words(example(words=[2, 3], cut_words=[0, 2])).micro("ratio").value
    0.4
    """
    return _over_words(cell, "cut_words", rate=True)


@metric(
    unit="ratio",
    higher_is_better=True,
    definition=f"words that are one token / words: one token overlaps it, {_IN_CONTEXT}; 1 − continued_words",
    evidence="supported",
    citation=_STRR,
    needs=("words",),
    against=("segmenter",),
    version=4,  # documents without a part don't count: of fewer than 8 that have one, there is no interval
)
def strr_tokens(cell: Cell) -> Outcome:
    """Σ words that no boundary cuts / Σ words: the single-token retention rate over running text.

    >>> from evalkit.metrics.example import example
    >>> strr_tokens(example(words=[2, 3], cut_words=[0, 2])).micro("ratio").value
    0.6
    """
    cut = _over_words(cell, "cut_words", rate=True)
    if not isinstance(cut, Ratio):
        return cut
    return Ratio(computed(np.subtract, cut.denominators, cut.numerators), cut.denominators, rate=True)


@metric(
    unit="ratio",
    higher_is_better=True,
    definition=(
        "mean over word types of the share of a type's occurrences that are one token, in context, by the named "
        "segmenter; a type is a distinct string"
    ),
    evidence="supported",
    citation=_STRR,
    aggregations=("micro",),
    no_interval=_OF_TYPES,
    needs=("words", "types"),
    against=("segmenter",),
    version=2,  # words may end in a mark, and are words whatever stands before
)
def strr_types(cell: Cell) -> Outcome:
    """The single-token retention rate over the vocabulary of the text.

    Two types are always one token, a third is in 3 of 4 places, a fourth never is:

    >>> from evalkit.counts import WordTypes
    >>> from evalkit.metrics.example import example
    >>> import numpy as np
    >>> strr_types(example(types=WordTypes(4, 2, 3, np.array([[3, 4, 1]]))))
    Whole(value=0.6875, n=2)
    """
    types = cell.tokenizer.types
    if isinstance(types, Undefined):
        return types
    if types.types == 0:
        return Undefined("there are no words")
    mixed = math.fsum(n * (whole / of) for whole, of, n in types.mixed.tolist())
    return Whole((types.whole + mixed) / types.types, cell.corpus.documents)


@metric(
    unit="ratio",
    higher_is_better=True,
    definition=(
        "word types that are cut at the same places inside wherever they occur / word types, in context, by the named "
        "segmenter; types that occur once are among them"
    ),
    evidence="none",
    aggregations=("micro",),
    no_interval=_OF_TYPES,
    needs=("words", "types"),
    against=("segmenter",),
    version=2,  # words may end in a mark, and are words whatever stands before
)
def context_consistency(cell: Cell) -> Outcome:
    """Whether what a word is made of can be told without its context.

    >>> from evalkit.counts import WordTypes
    >>> from evalkit.metrics.example import example
    >>> import numpy as np
    >>> context_consistency(example(types=WordTypes(4, 2, 3, np.array([[3, 4, 1]]))))
    Whole(value=0.75, n=2)
    """
    types = cell.tokenizer.types
    if isinstance(types, Undefined):
        return types
    if types.types == 0:
        return Undefined("there are no words")
    return Whole(types.consistent / types.types, cell.corpus.documents)


@metric(
    unit="ratio",
    higher_is_better=False,
    definition="characters of two bytes or more that a token boundary cuts / characters of two bytes or more",
    evidence="none",
    needs=("characters",),
    version=3,  # documents without a part don't count: of fewer than 8 that have one, there is no interval
)
def utf8_split_rate(cell: Cell) -> Outcome:
    """Σ multibyte characters that are cut / Σ multibyte characters; a character is a code point.

    >>> from evalkit.metrics.example import example
    >>> utf8_split_rate(example(multibyte=[0, 8], cut_characters=[0, 2])).micro("ratio").value
    0.25
    >>> utf8_split_rate(example(multibyte=[0, 0], cut_characters=[0, 0]))
    Undefined(reason='the text is ASCII')
    """
    placed, multibyte = _placed(cell), cell.corpus.multibyte
    if isinstance(placed, Undefined):
        return placed
    if isinstance(multibyte, Undefined):
        return multibyte
    if isinstance(placed.cut_characters, Undefined):
        return placed.cut_characters
    if not multibyte.any():
        return Undefined("the text is ASCII")
    return Ratio(placed.cut_characters, multibyte, rate=True)


@metric(
    unit="F1",
    higher_is_better=True,
    definition=(
        "token boundaries inside runs of ASCII digits against the places between groups of three from the right "
        "(L − 3, L − 6, … of L digits): 2 · hits / (boundaries + places), over the split"
    ),
    evidence="supported",
    citation="supported: Singh & Strouse 2024, Tokenization counts (2402.14903): right-to-left groups help arithmetic",
    needs=("numbers",),
    version=3,  # documents without a part don't count: of fewer than 8 that have one, there is no interval
)
def digit_boundary_f1(cell: Cell) -> Outcome:
    """Σ 2 · hits / Σ (boundaries + places). Runs are the longest ones of 0 to 9, for which the finding is; a dot or a
    comma ends one. Numbers of three digits and fewer have no place, and their boundaries are wrong ones.

    1234567 cut as 123|456|7 has two boundaries, and none of them is one of the places 1|234|567; 12|345 has one,
    where it belongs:

    >>> from evalkit.metrics.example import example
    >>> digit_boundary_f1(example(number_places=[2, 1], number_cuts=[2, 1], number_hits=[0, 1])).micro("F1").value
    0.3333333333333333
    """
    placed, places = _placed(cell), cell.corpus.number_places
    if isinstance(placed, Undefined):
        return placed
    if isinstance(places, Undefined):
        return places
    if isinstance(placed.number_cuts, Undefined) or isinstance(placed.number_hits, Undefined):
        return Undefined("numbers were not looked at")
    if not places.any():
        return Undefined("no number has more than three digits")
    hits = computed(lambda some: 2 * some, placed.number_hits)
    # Twice a hit is the boundary and its place, of all boundaries and places: a part of them.
    return Ratio(hits, computed(np.add, placed.number_cuts, places), rate=True)
