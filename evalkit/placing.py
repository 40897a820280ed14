"""Tokens against the text: the part of a pass over a corpus that needs their places.

Whatever made the tokens, all that is needed of them is where they begin; the core then looks at each word once for all
tokenizers. Totals are exact whatever the memory; word types and neighbours are given up where they would take too much
of it, and are Undefined then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from evalkit.columns import Table
from evalkit.counts import NOT_ASKED, Agreement, Ints, Neighbours, Placed, WordTypes
from evalkit.metrics.registry import Need
from evalkit.runs import Runs
from evalkit.segmenters import WordCounter
from evalkit.values import Undefined
from tokenizers_impl import engine
from tokenizers_impl.deferred import dataclass

EVERYTHING: frozenset[Need] = frozenset({"words", "types", "characters", "numbers", "neighbours", "agreement"})
_OF_PLACES: frozenset[Need] = EVERYTHING - {"neighbours"}
_OF_TEXTS, _OF_TOKENIZERS = 3, 5  # columns, as `Places.add` has them

TYPES_LOST = Undefined("there are more word types than memory is set aside for (512 MiB)")
PAIRS_LOST = Undefined("there are more pairs of neighbouring pretokens than memory is set aside for (512 MiB)")
MOST_PAIRS = 5_000_000  # of a tokenizer whose ids are counted here: some 500 MB

Tokenizer = Any


T = TypeVar("T")


def _unless(reason: Undefined | None, found: T) -> T | Undefined:
    return found if reason is None else reason


def needs_places(needs: frozenset[Need]) -> bool:
    return bool(needs & _OF_PLACES)


@dataclass
class Alone:
    """The places and neighbours of a tokenizer that is encoded document by document.

    ``refused``: why its tokens can't be placed, once that is known.
    """

    tokenizer: Tokenizer
    needs: frozenset[Need]
    refused: Undefined | None = None
    _lengths: dict[int, int] = field(default_factory=dict)
    _batch: list[Ints] = field(default_factory=list)
    _documents: int = 0
    _pairs: dict[tuple[int, int], int] = field(default_factory=dict)
    _firsts: dict[int, int] = field(default_factory=dict)
    _pairs_lost: bool = False

    def __post_init__(self) -> None:
        if not hasattr(self.tokenizer, "token_bytes"):
            self.refused = Undefined("its tokens aren't known as bytes, and can't be placed in the text")

    def add(self, ids: Ints, raw: bytes) -> None:
        """The ids of the next document, whose UTF-8 is ``raw``."""
        if "neighbours" in self.needs and not self._pairs_lost:
            self._count_pairs(ids)
        if self.refused is None and needs_places(self.needs):
            self._place(ids, raw)
        self._documents += 1

    def _place(self, ids: Ints, raw: bytes) -> None:
        values, places = np.unique(ids, return_inverse=True)
        lengths = np.array([self._length(token_id) for token_id in values.tolist()], dtype=np.int64)[places]
        # As many bytes could still be others.
        if int(lengths.sum()) != len(raw) or (lengths < 1).any() or self.tokenizer.decode_bytes(ids.tolist()) != raw:
            self.refused = Undefined(f"its tokens don't join to the text (first in document {self._documents})")
            return
        self._batch.append(lengths)

    def _length(self, token_id: int) -> int:
        if token_id not in self._lengths:
            self._lengths[token_id] = len(self.tokenizer.token_bytes(token_id))
        return self._lengths[token_id]

    def _count_pairs(self, ids: Ints) -> None:
        if len(ids) < 2:
            return
        two = np.stack([ids[:-1], ids[1:]], axis=1)
        for counts, found in ((self._pairs, two), (self._firsts, ids[:-1])):
            values, numbers = np.unique(found, axis=0, return_counts=True)
            keys: Iterable[Any] = map(tuple, values.tolist()) if values.ndim > 1 else values.tolist()
            for key, number in zip(keys, numbers.tolist(), strict=True):
                counts[key] = counts.get(key, 0) + number
        if len(self._pairs) > MOST_PAIRS:
            self._pairs, self._firsts, self._pairs_lost = {}, {}, True

    def marks(self, texts: Sequence[str], raw: Sequence[bytes]) -> Any:
        """Where the tokens begin in the documents since the last call; of one that was refused, one token a document,
        of which nothing is used."""
        lengths = self._batch
        if self.refused is not None:
            lengths = [np.array([len(one)] if one else [], dtype=np.int64) for one in raw]
        self._batch = []
        offsets = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum([len(some) for some in lengths], out=offsets[1:])
        flat = np.concatenate([*lengths, np.zeros(0, dtype=np.int64)])
        return engine.active().Marks.of_lengths(list(texts), flat, offsets)

    def neighbours(self) -> Neighbours | Undefined:
        if "neighbours" not in self.needs:
            return NOT_ASKED
        if self._pairs_lost:
            return Undefined(f"there are more than {MOST_PAIRS:,} pairs of neighbouring ids")
        return Neighbours(*(_histogram(counts.values()) for counts in (self._pairs, self._firsts)))


def _histogram(counts: Iterable[int]) -> Ints:
    values, numbers = np.unique(np.fromiter(counts, dtype=np.int64), return_counts=True)
    return np.stack([values, numbers], axis=1)


def grouped_neighbours(scorer: Any, needs: frozenset[Need], number: int) -> list[Neighbours | Undefined]:
    """Of the first ``number`` tokenizers of a scorer."""
    if "neighbours" not in needs:
        return [NOT_ASKED] * number
    found = scorer.pair_counts() if number else []
    return [PAIRS_LOST] * number if found is None else [Neighbours(*one) for one in found]


class Placing:
    """What is found for tokenizers over a pass: of ``groups`` of names, each a scorer's, and of those that stand
    ``alone``, in this order.

    One scorer finds the figures of its own tokenizers, pretoken by pretoken, unless words are somebody else's. All else
    is found from where tokens begin (marks), of whatever make. So it is with several scorers: each would look at every
    new pretoken and at all words that reach over some, which costs more than looking at all words once.
    """

    def __init__(
        self,
        groups: Sequence[Sequence[str]],
        alone: Sequence[str],
        needs: frozenset[Need],
        words: WordCounter,
        threads: int,
    ) -> None:
        self.groups, self.alone = [list(names) for names in groups], list(alone)
        self.names = [name for names in (*self.groups, self.alone) for name in names]
        self.needs, self._words = needs, words
        self._no_words: Undefined | None = None
        if isinstance(words.count, Undefined):
            self._no_words = words.count
        elif not needs & {"words", "types"}:
            self._no_words = NOT_ASKED
        self._wanted: list[str] = [name for name in ("types", "characters", "numbers") if name in needs]
        if self._no_words is not None and "types" in self._wanted:
            self._wanted.remove("types")
        self._compared = "agreement" in needs and len(self.names) > 1
        self._by_scorer = len(self.groups) == 1 and (self._no_words is not None or words.find is None)
        # It has all of them, and counts what they share itself.
        self._shared_by_scorer = self._compared and self._by_scorer and not self.alone
        places = engine.active().Places
        wanted = [*self._wanted, "shared"] if self._compared and not self._by_scorer else self._wanted
        self._places = places(len(self.alone if self._by_scorer else self.names), threads, wanted)
        apart = self._compared and self._by_scorer and not self._shared_by_scorer
        self._shared = places(len(self.names), threads, ["shared"]) if apart else self._places
        # Those of the scorer, then those by marks.
        self._tables = Table(), Table()
        # Every two of the names have a column. (A count of every document would take more than all other figures.)
        self._both = Runs(len(self.names) * (len(self.names) - 1) // 2)

    def of_scorer(self, tokenizers: int) -> dict[str, Any]:
        """What a scorer is asked for, of the first ``tokenizers`` of its own."""
        if not self._by_scorer:
            return {"marks": tokenizers}
        wanted = [*self._wanted, "shared"] if self._shared_by_scorer else self._wanted
        marks = tokenizers if self._shared is not self._places else 0
        return {"marks": marks, "placed": (tokenizers, wanted, self._no_words is None)}

    def add(self, texts: list[str], found: Sequence[tuple[Ints, Ints, Any]], alone: Sequence[Any]) -> None:
        """``found``: each group's rows, what each two of it share, and marks; ``alone``: the marks of each tokenizer
        that stands alone."""
        marks = [*(marks for *_, marks in found), *alone]
        both = found[0][1] if self._by_scorer else None
        if self._by_scorer:
            self._tables[0].extend(found[0][0])
        if self.alone or not self._by_scorer:
            given = self._words.ranges(texts) if self._no_words is None else None
            some = list(alone) if self._by_scorer else marks
            rows, of_marks = self._places.add(texts, some, words=self._no_words is None, given=given)
            # The scorer has the figures of texts already.
            self._tables[1].extend(rows[:, _OF_TEXTS:] if self._by_scorer else rows)
            both = of_marks if both is None else both
        if self._shared is not self._places:
            both = self._shared.add(texts, marks, words=False)[1]
        if self._compared:
            assert both is not None
            self._both.add(both)

    @property
    def counts_words(self) -> bool:
        return self._no_words is None

    def finish(self, scorers: Sequence[Any], refused: Mapping[str, Undefined]) -> Places:
        """``scorers``: of the groups. ``refused``: tokenizers whose tokens can't be placed, with the reason."""
        columns = self._columns()
        placed: dict[str, Placed | Undefined] = {}
        for number, name in enumerate(self.names):
            start = _OF_TEXTS + _OF_TOKENIZERS * number
            placed[name] = _unless(refused.get(name), self._placed(columns[start : start + _OF_TOKENIZERS]))
        types = self._types(scorers)
        return Places(
            words=_unless(self._no_words, columns[0]),
            multibyte=self._asked("characters", columns[1]),
            number_places=self._asked("numbers", columns[2]),
            placed=placed,
            types={name: _unless(refused.get(name), found) for name, found in zip(self.names, types, strict=True)},
            shared=self._both if self._compared else None,
            names=self.names,
            refused=refused,
        )

    def _columns(self) -> list[Ints]:
        """The figures of texts, then those of every tokenizer."""
        by_scorer = len(self.names) - len(self.alone) if self._by_scorer else 0
        widths = [_OF_TOKENIZERS * by_scorer, _OF_TOKENIZERS * (len(self.names) - by_scorer)]
        widths[0 if self._by_scorer else 1] += _OF_TEXTS
        return [column for table, width in zip(self._tables, widths, strict=True) for column in table.finish(width)]

    def _asked(self, need: Need, found: Ints) -> Ints | Undefined:
        return found if need in self.needs else NOT_ASKED

    def _placed(self, parts: Sequence[Ints]) -> Placed:
        no_words = self._no_words
        return Placed(
            word_tokens=_unless(no_words, parts[0]),
            cut_words=_unless(no_words, parts[1]),
            cut_characters=self._asked("characters", parts[2]),
            number_cuts=self._asked("numbers", parts[3]),
            number_hits=self._asked("numbers", parts[4]),
        )

    def _types(self, scorers: Sequence[Any]) -> Sequence[WordTypes | Undefined]:
        if self._no_words is not None or "types" not in self.needs:
            return [NOT_ASKED if self._no_words is None else self._no_words] * len(self.names)
        sources: list[tuple[Any, int]] = [(self._places, len(self.names))]
        if self._by_scorer:
            sources = [(scorers[0], len(self.names) - len(self.alone)), (self._places, len(self.alone))]
        all_types: list[WordTypes | Undefined] = []
        for source, tokenizers in sources:
            found = source.types() if tokenizers else []
            all_types += [TYPES_LOST] * tokenizers if found is None else [WordTypes(*one) for one in found]
        return all_types


@dataclass(frozen=True)
class Places:
    """What a pass found. ``shared``: boundaries that two of the ``names`` have both, by pair (by the first, then the
    second), None where they weren't counted."""

    words: Ints | Undefined
    multibyte: Ints | Undefined
    number_places: Ints | Undefined
    placed: Mapping[str, Placed | Undefined]
    types: Mapping[str, WordTypes | Undefined]
    shared: Runs | None
    names: Sequence[str]
    refused: Mapping[str, Undefined]

    def agreements(self, compared: Sequence[str]) -> tuple[Agreement, ...]:
        """Of each two of these tokenizers, in their order."""
        if self.shared is None:
            return ()
        columns = {frozenset(pair): number for number, pair in enumerate(combinations(self.names, 2))}
        sums, run = self.shared.sums(), self.shared.run
        found = []
        for first, second in combinations(compared, 2):
            refused = next((self.refused[name] for name in (first, second) if name in self.refused), None)
            both = sums[:, columns[frozenset((first, second))]].copy()
            found.append(Agreement(first, second, _unless(refused, both), run))
        return tuple(found)
