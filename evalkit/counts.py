"""What measuring yields: integers only, from which every metric is computed.

Arrays are per document, in the order of the corpus, and narrow where they were measured (``evalkit.columns``). Nothing
here is a ratio or a float, so that two runs on the same text are equal exactly.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from evalkit.columns import Ints as Ints
from evalkit.values import Undefined
from tokenizers_impl.deferred import dataclass

if TYPE_CHECKING:
    from tokenizers_impl.ladder import Ladder

Hashes = NDArray[np.uint64]
Key = str | tuple[str, int]
"""A tokenizer by its name, or one cut to a size by (name, size)."""


class CorpusLike(Protocol):
    """What measuring needs to know of a corpus (``evalkit.corpus.Corpus`` has it)."""

    @property
    def name(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def domain(self) -> str: ...
    @property
    def segmenter(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def split_name(self) -> str: ...
    def documents(self, split: Any) -> Iterator[str]: ...


class TokenizerLike(Protocol):
    """Text to ids as data, and back to bytes."""

    def encode_ordinary(self, text: str) -> list[int]: ...
    def decode_bytes(self, ids: Sequence[int]) -> bytes: ...


class BuiltLike(Protocol):
    """A tokenizer with its place in the suite (``evalkit.build.BuiltTokenizer`` has it)."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def tokenizer(self) -> TokenizerLike: ...
    @property
    def variant(self) -> str | None: ...
    @property
    def trained_on(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Divergence:
    """The first place where two ways to encode one document differ.

    ``document``: its number in the split, from 0. ``at``: the position in the ids. ``left`` and ``right``:
    the ids from there on, a few of each. ``ways``: the names of the two, such as ``("serial", "batch")``.
    """

    document: int
    at: int
    left: tuple[int, ...]
    right: tuple[int, ...]
    ways: tuple[str, str]


@dataclass(frozen=True)
class Check:
    """The verdict of one check on one corpus and tokenizer.

    ``passed`` is None where the check could not be made, ``detail`` then says why; where it failed,
    ``detail`` says how. ``documents`` and ``bytes`` are what was checked, of ``of_bytes`` in the split.
    """

    name: str
    passed: bool | None
    documents: int
    bytes: int
    of_bytes: int
    detail: str = ""
    divergence: Divergence | None = None


@dataclass(frozen=True)
class Timing:
    """Repeated encodes of ``bytes`` bytes of text on one thread, in nanoseconds each."""

    bytes: int
    nanoseconds: tuple[int, ...]


@dataclass(frozen=True)
class Difference:
    """A piece of text on which two tokenizers differ: ``occurrences`` times, and the tokens of all of
    these."""

    piece: bytes
    occurrences: int
    first_tokens: int
    second_tokens: int


@dataclass(frozen=True)
class PairDifferences:
    """The pieces that carry most of the difference in tokens between two tokenizers on one corpus.

    ``pieces``: ``pretokens`` where both have the same split pattern, with the whole split counted; ``words``
    otherwise, on the first ``sample_bytes`` bytes that were kept, or ``runs`` of letters, digits and what isn't ASCII
    where the engine finds no words. ``first_total`` and ``second_total``: tokens of the text that was looked at.
    ``chosen``: why these two (``evalkit.explained``); empty where nobody chose.
    """

    first: str
    second: str
    pieces: Literal["pretokens", "words", "runs"]
    sample_bytes: int
    first_total: int
    second_total: int
    top: tuple[Difference, ...]
    chosen: str = ""

    def turned(self) -> PairDifferences:
        """The same with the second first."""
        top = (Difference(row.piece, row.occurrences, row.second_tokens, row.first_tokens) for row in self.top)
        names, totals = (self.second, self.first), (self.second_total, self.first_total)
        return PairDifferences(*names, self.pieces, self.sample_bytes, *totals, tuple(top), self.chosen)


@dataclass(frozen=True)
class Explainable:
    """What is kept of a pass over a corpus until it is known which tokenizers are to be explained: ``inside``, pairs of
    one split pattern over the whole split, and a ``sample`` of the text for all others."""

    inside: tuple[PairDifferences, ...] = ()
    sample: tuple[str, ...] = ()


NOT_ASKED = Undefined("no metric that needs it was asked for")


@dataclass(frozen=True)
class Placed:
    """Where a tokenizer's tokens stand in the text, per document.

    ``word_tokens``: for each word, the tokens that overlap it, summed; ``cut_words``: words with a token boundary
    strictly inside. ``cut_characters``: characters of several bytes with a boundary inside. ``number_cuts``:
    boundaries inside runs of ASCII digits; ``number_hits``: those between groups of three from the right.
    """

    word_tokens: Ints | Undefined = NOT_ASKED
    cut_words: Ints | Undefined = NOT_ASKED
    cut_characters: Ints | Undefined = NOT_ASKED
    number_cuts: Ints | Undefined = NOT_ASKED
    number_hits: Ints | Undefined = NOT_ASKED


@dataclass(frozen=True)
class WordTypes:
    """Distinct words (byte strings) of a split under a tokenizer: all of them; those that are one token wherever
    they occur; those that are cut at the same places wherever they occur. ``mixed``: of those that are one token in
    some places only, rows of (occurrences that are, occurrences, how many such types)."""

    types: int
    whole: int
    consistent: int
    mixed: Ints


@dataclass(frozen=True)
class Neighbours:
    """Pairs of neighbouring ids inside documents: how many occur how often, and how many ids come first in a pair how
    often; rows of (count, how many), by count."""

    pairs: Ints
    firsts: Ints


@dataclass(frozen=True)
class Agreement:
    """Two tokenizers on one corpus: the boundaries inside documents that both have, by run of ``run`` documents (of
    one, unless there are very many: :mod:`evalkit.runs`). Of those whose tokens can't be placed, Undefined."""

    first: str
    second: str
    shared: Ints | Undefined
    run: int = 1


@dataclass(frozen=True)
class TokenizerCounts:
    """One tokenizer on one corpus.

    ``tokens``, ``unknown`` (unknown ids) and ``pretokens``: per document. ``id_counts``: how often each id
    from 0 on occurred. ``special_ids``: those of special tokens, which text as data never yields. ``round_trips`` of
    ``round_trip_documents`` documents decoded to their own bytes. ``special_text_documents``: documents that
    hold the text of one of its special tokens, which was measured as data. ``never_ids``: all ids that are proved
    never to occur, special ones among them; None where nobody looked.
    """

    name: str
    vocab_size: int | Undefined
    special_ids: frozenset[int]
    tokens: Ints
    unknown: Ints
    pretokens: Ints | Undefined
    id_counts: Ints | Undefined
    round_trips: int | Undefined
    round_trip_documents: int
    special_text_documents: int
    checks: tuple[Check, ...] = ()
    timing: Timing | Undefined = field(default_factory=lambda: Undefined("not timed"))
    never_ids: frozenset[int] | None = None
    placed: Placed | Undefined = NOT_ASKED
    types: WordTypes | Undefined = NOT_ASKED
    neighbours: Neighbours | Undefined = NOT_ASKED


@dataclass(frozen=True)
class CorpusCounts:
    """One corpus under every tokenizer. ``hashes``: the first 8 bytes of the SHA-256 of each document,
    big-endian.

    ``differences``: the pairs that were explained, which is done when all corpora are measured; ``explainable``: what
    it is done from. ``truncated``: tokens per document of tokenizers cut to another's size, by (name, size); they are
    needed for regret and tables at one size, and have no rows of their own. ``losses``: what those that were trained
    elsewhere need more tokens for than the one that is at home, both at one size. ``ladders``: the corpus under
    every size of a tokenizer, by its name.
    ``parallel``: the group of corpora that say the same line by line, where it is in one. ``multibyte``: characters of
    several bytes, and ``number_places``: places between groups of three digits from the right, per document.
    """

    name: str
    split: str
    domain: str
    language: str
    segmenter: str
    sha256: str
    hashes: Hashes
    bytes: Ints
    chars: Ints
    words: Ints | Undefined
    tokenizers: Mapping[str, TokenizerCounts]
    truncated: Mapping[tuple[str, int], Ints] = field(default_factory=dict)
    differences: tuple[PairDifferences, ...] = ()
    explainable: Explainable = field(default_factory=Explainable, repr=False)
    losses: tuple[PairDifferences, ...] = ()
    ladders: Mapping[str, Ladder] = field(default_factory=dict)
    special_text_documents: int = 0
    parallel: str | None = None
    multibyte: Ints | Undefined = NOT_ASKED
    number_places: Ints | Undefined = NOT_ASKED
    agreements: tuple[Agreement, ...] = ()

    @property
    def documents(self) -> int:
        return len(self.bytes)

    @property
    def documents_sha256(self) -> str:
        """SHA-256 over ``hashes`` in ascending order: which documents these are, and how often each. In no order of
        theirs, since figures are sums over documents, which two results are paired over in no order either."""
        return hashlib.sha256(np.sort(self.hashes).astype(">u8").tobytes()).hexdigest()
