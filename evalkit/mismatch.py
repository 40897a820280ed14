"""The domain-mismatch matrix: which tokenizer is at home on a corpus, and at which size two are compared.

A tokenizer *is at home* on the one corpus that it was trained on, alone. Its loss elsewhere (``regret``) is
against the tokenizer of the same variant that is at home there, both at the smaller of the two achieved
sizes. Merges nest, so cutting the larger one gives the tokenizer that training to the smaller size would have
given.
"""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.counts import BuiltLike, CorpusCounts, Ints, Key
from evalkit.metrics import Matched
from evalkit.values import Undefined
from tokenizers_impl.deferred import dataclass


@dataclass(frozen=True)
class Trained:
    """What the plan needs to know of a tokenizer. ``corpora``: what it was trained on; none if imported."""

    name: str
    variant: str
    size: int
    corpora: tuple[str, ...]

    def is_at_home(self, corpus: str) -> bool:
        return self.corpora == (corpus,)


@dataclass(frozen=True)
class Match:
    """A tokenizer, its partner at home on the corpus, and the common size."""

    own: Trained
    ideal: Trained
    size: int

    @property
    def sides(self) -> tuple[Trained, Trained]:
        return self.own, self.ideal

    def cut(self) -> list[tuple[str, int]]:
        """(name, size) of what has to be truncated."""
        return [(one.name, self.size) for one in self.sides if one.size > self.size]


def trained(tokenizers: Sequence[BuiltLike]) -> dict[str, Trained]:
    """The tokenizers that were trained here, by name, in the order given."""
    found = {}
    for built in tokenizers:
        corpora, variant = tuple(built.trained_on or ()), built.variant
        size = getattr(built.tokenizer, "vocab_size", None)
        if corpora and variant and isinstance(size, int):
            found[built.name] = Trained(built.name, variant, size, corpora)
    return found


def match(name: str, corpus: str, tokenizers: dict[str, Trained]) -> Match | Undefined:
    """The partner of the tokenizer ``name`` on ``corpus``, or why there is none.

    Of several at home there, the smallest that is at least as large is taken, else the largest.

    >>> known = {t.name: t for t in (Trained("a", "gpt2", 900, ("x",)), Trained("b", "gpt2", 800, ("y",)))}
    >>> match("a", "y", known).cut()
    [('a', 800)]
    >>> match("a", "z", known)
    Undefined(reason='no tokenizer of the variant gpt2 was trained on this corpus alone')
    """
    if name not in tokenizers:
        return Undefined("regret is between tokenizers that are trained here, and this one was not")
    own = tokenizers[name]
    if own.is_at_home(corpus):
        return Match(own, own, own.size)
    at_home = [t for t in tokenizers.values() if t.variant == own.variant and t.is_at_home(corpus)]
    if not at_home:
        return Undefined(f"no tokenizer of the variant {own.variant} was trained on this corpus alone")
    larger = [t for t in at_home if t.size >= own.size]
    ideal = min(larger, key=lambda t: t.size) if larger else max(at_home, key=lambda t: t.size)
    return Match(own, ideal, min(own.size, ideal.size))


def truncations(corpora: Sequence[str], tokenizers: dict[str, Trained]) -> dict[str, list[tuple[str, int]]]:
    """By corpus, the (name, size) of the tokenizers to cut, each once."""
    needed = {}
    for corpus in corpora:
        cuts: dict[tuple[str, int], None] = {}
        for name in tokenizers:
            found = match(name, corpus, tokenizers)
            if isinstance(found, Match):
                cuts.update(dict.fromkeys(found.cut()))
        needed[corpus] = list(cuts)
    return needed


def loss_pairs(corpus: str, tokenizers: dict[str, Trained]) -> list[tuple[Key, Key]]:
    """The two sides of each match on a corpus, those of a tokenizer at home left out: names, or (name, size) of what
    was cut."""
    pairs = []
    for name in tokenizers:
        found = match(name, corpus, tokenizers)
        if isinstance(found, Match) and found.own != found.ideal:
            own, ideal = (
                one.name if one.size == found.size else (one.name, found.size) for one in (found.own, found.ideal)
            )
            pairs.append((own, ideal))
    return pairs


def matched(counts: CorpusCounts, found: Match | Undefined) -> Matched | Undefined:
    """The tokens of both sides of a match, from what was measured."""
    if isinstance(found, Undefined):
        return found

    own, ideal = (_tokens(counts, one, found.size) for one in (found.own, found.ideal))
    if isinstance(own, Undefined):
        return own
    if isinstance(ideal, Undefined):
        return ideal
    return Matched(found.ideal.name, found.size, own, ideal)


def _tokens(counts: CorpusCounts, one: Trained, size: int) -> Ints | Undefined:
    if one.size == size:
        return counts.tokenizers[one.name].tokens
    if (one.name, size) in counts.truncated:
        return counts.truncated[one.name, size]
    return Undefined(f"{one.name} could not be cut to {size:,} entries")
