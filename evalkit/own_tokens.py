"""Changes of figures that hold languages against each other: better or worse only with the tokens.

A premium also falls where the reference language alone takes more tokens, and a Gini coefficient where the cheapest
languages do: nothing is better then. So such a change has a verdict only where the language's own tokens (of a Gini
coefficient: the group's) went the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evalkit.bases import LANGUAGE, against, is_of_group
from evalkit.changes import PAIRED, Change
from evalkit.paired import Paired, Side
from evalkit.results import CorpusRecord

_OF_ITSELF = ("bytes_per_token", "chars_per_token")
"""Figures that say how the tokens changed where they can't be paired: over what is the same on both sides, whatever the
segmenter and the reference are."""


def is_of_languages(metric: str) -> bool:
    """Whether it holds languages against each other."""
    return is_of_group(metric) or "reference_language" in against(metric)


def with_own_tokens(changes: Sequence[Change], paired: Paired, confidence: float) -> tuple[Change, ...]:
    """The same, with ``neither`` where a change of a figure over languages isn't one of their own tokens."""
    tokens = _Tokens(changes, paired, confidence)
    found = []
    for change in changes:
        if is_of_languages(change.metric) and change.outcome in ("better", "worse"):
            of_all = is_of_group(change.metric)
            change = replace(change, neither=tokens.of_group(change) if of_all else tokens.of_language(change))
        found.append(change)
    return tuple(found)


class _Tokens:
    def __init__(self, changes: Sequence[Change], paired: Paired, confidence: float) -> None:
        self._paired = paired
        self._adjusted = paired.adjusted()
        self._confidence = confidence
        self._corpora = {one.name: one for one in paired.sides[0].results.corpora}
        self._unpaired = {
            (c.corpus, c.tokenizer): _sign(c.change) * PAIRED[c.metric]
            for c in changes
            if c.metric in _OF_ITSELF and not c.paired and c.separable
        }

    def of_language(self, change: Change) -> str:
        """Why a premium's change has no verdict; empty where its own tokens went the same way."""
        way = _sign(change.change)
        if self._moved(change.corpus, change.tokenizer) == way:
            return ""
        suite = self._paired.sides[0].results.suite
        language = suite.reference_language or LANGUAGE
        members = self._group(self._corpora[change.corpus].parallel)
        reference = [one.name for one in members if one.language.split("-")[0] == language.split("-")[0]]
        if any(self._moved(name, change.tokenizer) == -way for name in reference):
            return f"the tokens of {language} {'fell' if way > 0 else 'rose'}"
        return f"its own tokens didn't {'rise' if way > 0 else 'fall'} separably"

    def of_group(self, change: Change) -> str:
        """The same of a figure of the group: all its tokens went that way, and those of a language separably."""
        way = _sign(change.change)
        names = [one.name for one in self._group(change.corpus)]
        sides = [[_total(side, name, change.tokenizer) for name in names] for side in self._paired.sides]
        before, after = (None if None in some else sum(t for t in some if t is not None) for some in sides)
        if before is not None and after is not None and _sign(after - before) == -way:
            return f"the tokens of all its languages together {'fell' if way > 0 else 'rose'}"
        moved = before is not None and after is not None and before != after
        if moved and any(self._moved(name, change.tokenizer) == way for name in names):
            return ""
        return f"its languages' own tokens didn't {'rise' if way > 0 else 'fall'} separably"

    def _group(self, group: str | None) -> list[CorpusRecord]:
        return [one for one in self._corpora.values() if one.parallel == group]

    def _moved(self, corpus: str, tokenizer: str) -> int:
        """1 where its tokens rose, -1 where they fell, 0 where neither can be told."""
        p_holm = self._adjusted.get((corpus, tokenizer))
        found = self._paired.moved(corpus, tokenizer, p_holm, self._confidence)
        return self._unpaired.get((corpus, tokenizer), 0) if found is None else found


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _total(side: Side, corpus: str, tokenizer: str) -> float | None:
    """Tokens; None where the results don't have them."""
    if corpus in side.counts and tokenizer in side.counts[corpus].tokens:
        return int(side.counts[corpus].tokens[tokenizer].sum())
    row = side.results.row(corpus, tokenizer, "tokens", "sum")
    if row is not None:
        return row.value
    row = side.results.row(corpus, tokenizer, "bytes_per_token")
    size = next((one.bytes for one in side.results.corpora if one.name == corpus), 0)
    return size / row.value if row is not None and row.value else None
