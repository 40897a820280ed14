"""Which tokenizers to explain, once all corpora are measured, and what their tokens differ by on each.

Whoever decides asks why the first is ahead of the second, whether a published one beats the best of their own, and what
sets their own best apart from the next. So these pairs are explained, and not those that differ most: that
the last needs more tokens than the first is no news, and mostly a matter of other languages or of size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from evalkit import why
from evalkit.counts import BuiltLike, CorpusCounts, PairDifferences
from evalkit.lossless import loses
from evalkit.ranked import set_aside
from evalkit.values import Undefined
from evalkit.why import Pair
from tokenizers_impl import BPETokenizer
from tokenizers_impl.deferred import dataclass

LEADER = "leader"
"""The one that needs the fewest tokens, and the nearest to it that needs other numbers."""
ELSEWHERE = "elsewhere"
"""One that is trained here and one that isn't: the better one of either, and the nearest to it of the others."""
OWN = "own"
"""Of those that are trained here the best, and the nearest to it of those that differ from it in one thing, the split
pattern or the training text; of all where none does."""


@dataclass(frozen=True)
class Contestant:
    """A tokenizer that may be chosen. ``tokens``: of the corpora that are compared, in their order; ``own``: trained
    here; ``ladder``: its name without a rung's size; ``pattern`` and ``text``: what it was trained with, and on."""

    name: str
    own: bool
    size: int
    tokens: tuple[int, ...]
    ladder: str
    pattern: str | None = None
    text: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """Less is better. Every corpus counts alike, however long it is."""
        return math.fsum(math.log(max(1, n)) for n in self.tokens)


def differ_in(one: Contestant, other: Contestant) -> int:
    """In how many things that a suite chooses."""
    return (one.pattern != other.pattern) + (one.text != other.text)


def pairs_to_explain(contestants: Sequence[Contestant]) -> dict[Pair, str]:
    """The pairs, the better one first, each with why it was chosen. They are of like size; where no two are, of any
    size, and then the leader's pair only.

    >>> some = [Contestant(n, n != "c", 300, (tokens,), n) for n, tokens in (("a", 120), ("b", 150), ("c", 100))]
    >>> pairs_to_explain(some)
    {('c', 'a'): 'leader', ('a', 'b'): 'own'}
    """
    known = {one.name: one for one in contestants}
    sizes = {one.name: one.size for one in contestants}
    pairs = [
        (one.name, other.name)
        for one, other in combinations(contestants, 2)
        if one.ladder != other.ladder and one.tokens != other.tokens
    ]
    like = [pair for pair in pairs if why.are_like(pair, sizes)]
    found: dict[Pair, str] = {}
    for chosen, among in (
        (LEADER, like or pairs),
        (ELSEWHERE, [pair for pair in like if known[pair[0]].own != known[pair[1]].own]),
        (OWN, [pair for pair in like if known[pair[0]].own and known[pair[1]].own]),
    ):
        if among:
            found.setdefault(_first(among, known, alone=chosen == OWN), chosen)
    return found


def _first(pairs: Sequence[Pair], known: Mapping[str, Contestant], *, alone: bool) -> Pair:
    """The best of all in the pairs, with the nearest of those that it is paired with; ``alone``: of those that differ
    in one thing, if any."""
    names = dict.fromkeys(name for pair in pairs for name in pair)
    best = min(names, key=lambda name: known[name].score)
    others = [other for pair in pairs if best in pair for other in pair if other != best]
    if alone:
        others = [name for name in others if differ_in(known[best], known[name]) <= 1] or others
    return best, min(others, key=lambda name: known[name].score)


def explained(counts: Sequence[CorpusCounts], tokenizers: Sequence[BuiltLike]) -> list[CorpusCounts]:
    """The counts with their ``differences``, and without what these were found from."""
    pairs = pairs_to_explain(contestants_of(counts, tokenizers))
    built = {one.name: one for one in tokenizers}
    return [
        replace(corpus, differences=tuple(_differences(corpus, pairs, built)), explainable=type(corpus.explainable)())
        for corpus in counts
    ]


def contestants_of(counts: Sequence[CorpusCounts], tokenizers: Sequence[BuiltLike]) -> list[Contestant]:
    """All but baselines, those that are set aside, and those that lose text where two others don't. Over the corpora
    that reports compare by: the languages of a parallel group are many and short, and count only where there is nothing
    else."""
    corpora = [corpus for corpus in counts if corpus.parallel is None] or list(counts)
    whole: list[Contestant] = []
    lossy: list[Contestant] = []
    aside = set_aside(tokenizers)
    for built in tokenizers:
        found = [corpus.tokenizers[built.name] for corpus in corpora if built.name in corpus.tokenizers]
        if built.kind == "baseline" or built.name in aside or not found:
            continue
        size = found[0].vocab_size
        tokens = tuple(int(one.tokens.sum()) for one in found)
        ladder = built.name.rpartition("@")[0] or built.name if built.trained_on else built.name
        one = Contestant(
            name=built.name,
            own=bool(built.trained_on),
            size=0 if isinstance(size, Undefined) else size,
            tokens=tokens,
            ladder=ladder,
            pattern=built.variant,
            text=tuple(built.trained_on),
        )
        (lossy if any(map(loses, found)) else whole).append(one)
    return whole if len(whole) > 1 else whole + lossy


def _differences(
    corpus: CorpusCounts, pairs: Mapping[Pair, str], built: Mapping[str, BuiltLike]
) -> Iterator[PairDifferences]:
    inside = {(one.first, one.second): one for one in corpus.explainable.inside}
    inside |= {(one.second, one.first): one.turned() for one in corpus.explainable.inside}
    for pair, chosen in pairs.items():
        if pair in inside:
            yield replace(inside[pair], chosen=chosen)
        elif not _cut_alike(built[pair[0]].tokenizer, built[pair[1]].tokenizer):
            first, second = ((name, built[name].tokenizer) for name in pair)
            yield replace(why.by_words(first, second, corpus.explainable.sample), chosen=chosen)


def _cut_alike(one: object, other: object) -> bool:
    """Whether they share a scorer: what isn't among its pairs is equal there, or was not looked at."""
    if not isinstance(one, BPETokenizer) or not isinstance(other, BPETokenizer):
        return False
    return one.splitter_key == other.splitter_key
