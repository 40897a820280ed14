"""What counts in a pass over a corpus: tokenizers that share a scorer, tokenizers alone, texts of special tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from evalkit import placing, why
from evalkit.columns import Table
from evalkit.counts import BuiltLike, Difference, Ints, Key, PairDifferences
from evalkit.metrics.registry import Need
from evalkit.placing import Placing
from tokenizers_impl import BPETokenizer, engine

END_OF_TEXT = "<|endoftext|>"  # looked for in every corpus, whatever the tokenizers' own special tokens are


class Group:
    """Tokenizers over one splitter. ``keys``: a tokenizer's name, or (name, size) of a truncated one."""

    def __init__(self, threads: int, needs: frozenset[Need]) -> None:
        self.threads, self.needs = threads, needs
        self.keys: list[Key] = []
        self.tokenizers: list[BPETokenizer] = []
        self.counts = Table()  # pretokens, then the tokens of each
        self.placing: Placing | None = None
        self._scorer: Any = None

    @property
    def names(self) -> list[str]:
        return [key for key in self.keys if isinstance(key, str)]

    def join(self, key: Key, tokenizer: BPETokenizer) -> None:
        self.keys.append(key)
        self.tokenizers.append(tokenizer)

    @property
    def scorer(self) -> Any:
        if self._scorer is None:
            encoders = [tokenizer.engine_encoder for tokenizer in self.tokenizers]
            named = len(self.names)  # they are the first
            placed = {} if self.placing is None or not named else self.placing.of_scorer(named)
            self._scorer = engine.active().Scorer(
                self.tokenizers[0].engine_splitter,
                encoders,
                self.threads,
                pairs=named if "neighbours" in self.needs else 0,
                **placed,
            )
        return self._scorer

    def add(self, texts: list[str]) -> tuple[Ints, Ints, Any]:
        """Returns the figures of where tokens of those with a name stand, the boundaries that each two of them share,
        and where tokens begin."""
        rows, placed, both, marks = self.scorer.add_placed(texts)
        self.counts.extend(rows)
        return placed, both, marks

    def table(self) -> list[Ints]:
        """Columns: pretokens, then the tokens of each."""
        return self.counts.finish(1 + len(self.tokenizers))

    def differences(self, pair: tuple[Key, Key], totals: tuple[int, int], size: int) -> PairDifferences:
        """``pair``: two of the keys; ``totals``: of their tokens; ``size``: bytes of the text."""
        first, second = self.keys.index(pair[0]), self.keys.index(pair[1])
        top = tuple(
            Difference(piece, n, n * one, n * two)
            for piece, n, one, two in self.scorer.differences(first, second, why.TOP)
        )
        one, two = (key if isinstance(key, str) else key[0] for key in pair)
        return PairDifferences(one, two, "pretokens", size, *totals, top)


class Alone:
    """A tokenizer of another make: encoded document by document."""

    def __init__(self, built: BuiltLike, needs: frozenset[Need]) -> None:
        self.tokenizer = built.tokenizer
        self.places = placing.Alone(built.tokenizer, needs)
        self.counts = Table()  # tokens, unknown ids
        self.id_counts: dict[int, int] = {}
        self._unknown_ids: frozenset[int] = frozenset(getattr(built.tokenizer, "unknown_ids", ()))

    def add(self, texts: Sequence[str], raw: Sequence[bytes]) -> None:
        found = np.zeros((len(texts), 2), dtype=np.int64)
        for row, text, one in zip(found, texts, raw, strict=True):
            ids = np.asarray(self.tokenizer.encode_ordinary(text), dtype=np.int64)
            self.places.add(ids, one)
            values, counts = np.unique(ids, return_counts=True)
            unknown = 0
            for token_id, count in zip(values.tolist(), counts.tolist(), strict=True):
                self.id_counts[token_id] = self.id_counts.get(token_id, 0) + count
                unknown += count if token_id in self._unknown_ids else 0
            row[:] = len(ids), unknown
        self.counts.extend(found)

    def table(self) -> list[Ints]:
        """Columns: tokens, and those that are unknown."""
        return self.counts.finish(2)

    def ids(self) -> Ints:
        counts = np.zeros(max(self.id_counts, default=-1) + 1, dtype=np.int64)
        for token_id, count in self.id_counts.items():
            counts[token_id] = count
        return counts


class SpecialText:
    """Documents that hold the text of special tokens, by tokenizer and for any of them."""

    def __init__(self, tokenizers: Sequence[BuiltLike]) -> None:
        self._by_name = {b.name: tuple(specials_of(b.tokenizer)) for b in tokenizers}
        every = sorted({text for texts in self._by_name.values() for text in texts} | {END_OF_TEXT})
        self._any = engine.active().Specials([(text, 0) for text in every if text])
        self.documents = 0
        self.by_name = dict.fromkeys(self._by_name, 0)

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            if self._any.find_first(text) is None:
                continue
            self.documents += 1
            for name, specials in self._by_name.items():
                self.by_name[name] += any(special in text for special in specials)


def specials_of(tokenizer: object) -> dict[str, int]:
    """Ids of the special tokens by text; empty for a tokenizer that has none or doesn't tell."""
    return dict(getattr(tokenizer, "special_tokens", None) or {})
