"""Tokenizers at one vocabulary size: a larger vocabulary compresses more, whatever else it does.

Merges nest: the first entries of a vocabulary are the vocabulary that training to that size would have given. So the
larger ones of a suite are cut to the size of the smaller ones, and are measured in the same pass. That holds for
those that are trained here, and for imported ones whose every token is made by two earlier ones; others can't be cut,
and it is said why.

Cutting an imported vocabulary takes its ids for the order in which its merges were learned, as the published ones of
this kind have them. It says what that training text and split pattern give at this size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from evalkit.counts import BuiltLike, CorpusCounts, Ints
from evalkit.fair_records import MatchedRecord
from evalkit.ranked import set_aside
from evalkit.stability import Stability, cut_name
from evalkit.stats import Comparison, canonical, compare_pairs, holm, ratio_interval
from evalkit.stats.intervals import Interval
from evalkit.stats.noise import Noise
from tokenizers_impl import BPETokenizer, TokenizerError
from tokenizers_impl.deferred import dataclass
from tokenizers_impl.ladder import nested_merges
from tokenizers_impl.vocabulary import BYTES

SIZES = 2
"""At most so many sizes: the smallest of all, and the one that most tokenizers have, where several have one."""

NEAR = 0.001
"""Sizes that differ by less than that share are taken for one: what two special tokens make."""


@dataclass(frozen=True)
class MatchedSizes:
    """``members``: by size, the tokenizers that stand in its table, in the suite's order, with their own sizes.
    ``unfit``: those that could have but can't be cut, with the reason. ``aside``: those that none is held against
    (:mod:`evalkit.ranked`)."""

    members: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    unfit: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    aside: frozenset[str] = frozenset()

    def cuts(self) -> list[tuple[str, int]]:
        """(name, size) of what has to be cut."""
        return [(name, size) for size, members in self.members.items() for name, own in members.items() if own > size]


def why_not_cut(tokenizer: object) -> str | None:
    """Why a tokenizer can't be cut to a smaller size; None where it can."""
    if not isinstance(tokenizer, BPETokenizer):
        return "it is no byte-level BPE"
    if tokenizer.has_ranks:
        longer = tokenizer.vocab_size - len(tokenizer.special_tokens) - len(BYTES)
        if missing := longer - tokenizer.engine_encoder.count_merges():
            return f"{missing:,} of its tokens are not made of two earlier ones, so that sizes don't nest in it"
        return None
    try:
        nested_merges(tokenizer)
    except TokenizerError as error:
        return str(error)
    return None


def matched_sizes(tokenizers: Sequence[BuiltLike]) -> MatchedSizes:
    """The sizes to compare at, for a suite whose tokenizers differ in size; none where they don't, or where only one
    can be cut. Rungs of a ladder are the same merges as its largest: they don't stand beside it, nor is their size
    one to cut to. Neither are baselines considered."""
    rungs = _rungs(tokenizers)
    sizes = {
        one.name: one.tokenizer.vocab_size
        for one in tokenizers
        if isinstance(one.tokenizer, BPETokenizer) and one.kind != "baseline" and one.name not in rungs
    }
    if len(sizes) < 2 or _near(min(sizes.values()), max(sizes.values())):
        return MatchedSizes()
    reasons: dict[str, str | None] = {}
    by_name = {one.name: one.tokenizer for one in tokenizers}
    members: dict[int, dict[str, int]] = {}
    unfit: dict[int, dict[str, str]] = {}
    for size in _chosen(sizes):
        fit: dict[str, int] = {}
        for name, own in sizes.items():
            if own < size and not _near(own, size):
                continue
            if own > size and not _near(own, size):
                if name not in reasons:
                    reasons[name] = why_not_cut(by_name[name])
                if (reason := reasons[name]) is not None:
                    unfit.setdefault(size, {})[name] = reason
                    continue
                fit[name] = own
            else:
                fit[name] = size if _near(own, size) else own
        if len(fit) > 1:
            members[size] = fit
    return MatchedSizes(members, {size: unfit.get(size, {}) for size in members}, set_aside(tokenizers))


def _rungs(tokenizers: Sequence[BuiltLike]) -> set[str]:
    names = {one.name for one in tokenizers}
    return {name for name in names if "@" in name and name.rpartition("@")[0] in names}


def _near(one: int, other: int) -> bool:
    return abs(one - other) <= NEAR * max(one, other)


def _chosen(sizes: Mapping[str, int]) -> list[int]:
    """The smallest, and the one that most have (of equals the larger), where several have one; ascending. Every
    vocabulary that is cut takes time and memory.

    >>> _chosen({"a": 300, "b": 800, "c": 800, "d": 5000}), _chosen({"a": 300, "b": 800, "c": 900})
    ([300, 800], [300])
    """
    smallest, largest = min(sizes.values()), max(sizes.values())
    common = Counter(size for size in sizes.values() if size < largest)
    most = max(common.values())
    usual = max(size for size, number in common.items() if number == most) if most > 1 else smallest
    return sorted({smallest, usual})[:SIZES]


# ── figures ─────────────────────────────────────────────────────────────────────────────────────────────────


def matched_records(
    corpora: Sequence[CorpusCounts], matched: MatchedSizes, confidence: float, stability: Stability | None = None
) -> Iterator[MatchedRecord]:
    """Every tokenizer at every matched size on every corpus, each against the best of that size. Tested as
    comparisons always are: on the same documents, with Holm's correction over all pairs of the size and corpus, and
    against what training alone makes, where that is known."""
    for corpus in corpora:
        for size, members in matched.members.items():
            tokens = {name: _tokens(corpus, name, own, size) for name, own in members.items()}
            best = best_of({name: n for name, n in tokens.items() if name not in matched.aside} or tokens)
            for record in _compared(corpus, size, tokens, members, confidence, best):
                yield _beyond_noise(record, best, members, stability or Stability(), confidence)
            for name, reason in matched.unfit[size].items():
                yield MatchedRecord(corpus.name, size, name, None, None, undefined_reason=reason)


def _tokens(corpus: CorpusCounts, name: str, own: int, size: int) -> Ints:
    return corpus.truncated[name, size] if own > size else corpus.tokenizers[name].tokens


def _compared(
    corpus: CorpusCounts,
    size: int,
    tokens: Mapping[str, Ints],
    members: Mapping[str, int],
    confidence: float,
    leader: str,
) -> Iterator[MatchedRecord]:
    names = list(tokens)
    totals = {name: int(array.sum()) for name, array in tokens.items()}
    found = compare_pairs(list(tokens.values()), corpus.bytes, confidence)
    judged = [pair for pair, one in found.items() if one.p is not None]
    adjusted = dict(zip(judged, holm([found[pair].p or 0.0 for pair in judged]), strict=True))
    best = names.index(leader)
    for place, name in enumerate(names):
        interval = ratio_interval(corpus.bytes, tokens[name], confidence)
        bounds = (interval.low, interval.high) if isinstance(interval, Interval) else (None, None)
        pair = (min(place, best), max(place, best))
        against = None if place == best else found[pair]
        more, low, high = _more(against, turned=place > best)
        p_holm = adjusted.get(pair)
        separable = None if p_holm is None or place == best else p_holm <= canonical(1 - confidence)
        yield MatchedRecord(
            corpus=corpus.name,
            size=size,
            tokenizer=name,
            tokens=totals[name],
            bytes_per_token=int(corpus.bytes.sum()) / totals[name] if totals[name] else None,
            low=bounds[0],
            high=bounds[1],
            cut_from=members[name] if members[name] > size else None,
            more=0.0 if place == best else more,
            more_low=low,
            more_high=high,
            separable=False if against is not None and against.identical else separable,
            undefined_reason=None if totals[name] else "it has no tokens there",
        )


def best_of(tokens: Mapping[str, Ints]) -> str:
    """The name with the fewest tokens, but some; of equals the first."""
    totals = {name: int(array.sum()) for name, array in tokens.items()}
    return min((name for name in totals if totals[name]), key=lambda name: totals[name], default=next(iter(totals)))


def _beyond_noise(
    record: MatchedRecord, best: str, members: Mapping[str, int], stability: Stability, confidence: float
) -> MatchedRecord:
    def called(name: str) -> str:
        return cut_name(name, record.size) if members[name] > record.size else name

    if record.tokenizer == best or not record.more:
        return record
    noise = stability.noise(record.corpus, called(record.tokenizer), called(best), confidence)
    if not isinstance(noise, Noise):
        return record
    record = replace(record, noise_floor=noise.floor)
    return replace(record, separable=False) if record.separable and record.within_noise else record


def _more(found: Comparison | None, turned: bool) -> tuple[float | None, float | None, float | None]:
    """How many more tokens than the best, from the comparison of the two; ``turned``: the best comes first in it."""
    if found is None or not found.ratio:
        return None, None, None
    if turned:
        low, high = (None if end is None else canonical(1 / end - 1) for end in (found.high, found.low))
        return 1 / found.ratio - 1, low, high
    low, high = (None if end is None else canonical(end - 1) for end in (found.low, found.high))
    return found.ratio - 1, low, high
