"""The answer of a comparison of two results: each tokenizer over all corpora, and the changes that hold."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.compare import PAIRED, Change, Differences, Outcome
from tokenizers_impl.deferred import dataclass


@dataclass(frozen=True)
class TokenizerSummary:
    """A tokenizer over all corpora, by one figure, ``metric``.

    ``corpora``: on how many it was compared, of which it is equal on ``equal``; ``outcomes``: how many of the others
    came out so. ``largest``: of its separable changes, or of all where none is; None where it is equal
    everywhere. ``opposite``: where it is better on some corpora and worse on others, the largest the other way.
    ``others``: separable changes of figures that aren't made of the tokens as this one is. ``lossy``: the sides, A and
    B, that lose text of any of the corpora.
    """

    tokenizer: str
    metric: str
    corpora: int
    equal: int
    outcomes: dict[Outcome, int]
    largest: Change | None
    opposite: Change | None
    others: int
    lossy: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """``better``, ``worse``, ``mixed``, ``differs``, ``not separable``, ``not judged`` or ``equal``."""
        if self.outcomes.get("better") and self.outcomes.get("worse"):
            return "mixed"
        order: tuple[Outcome, ...] = ("better", "worse", "differs", "not separable", "not judged")
        return next((one for one in order if self.outcomes.get(one)), "equal")


def over_corpora(found: Differences) -> list[TokenizerSummary]:
    """One of each tokenizer that was compared, by the first figure of its tokens; where there is none, by the first
    figure that has a better side. Empty where there is none either."""
    metric = _headline(found)
    if metric is None:
        return []
    names = (tokenizer.name for tokenizer in found.first.results.tokenizers)
    return [summary for name in names if (summary := _summary(found, name, metric)) is not None]


def separable(changes: Sequence[Change]) -> list[Change]:
    """Those that can be told from chance, the largest first."""
    return sorted((change for change in changes if change.separable), key=lambda change: -change.size)


def _headline(found: Differences) -> str | None:
    compared = {change.metric for change in found.changes} | {metric for _, _, metric in found.alike}
    directed = [m.name for m in found.first.results.metrics if m.higher_is_better is not None]
    return next((name for name in (*PAIRED, *directed) if name in compared), None)


def _summary(found: Differences, tokenizer: str, metric: str) -> TokenizerSummary | None:
    mine = [change for change in found.changes if change.tokenizer == tokenizer]
    by_metric = [change for change in mine if change.metric == metric]
    equal = sum(key[1:] == (tokenizer, metric) for key in found.alike)
    if not by_metric and not equal:
        return None
    outcomes: dict[Outcome, int] = {}
    for change in by_metric:
        outcomes[change.outcome] = outcomes.get(change.outcome, 0) + 1
    moving = PAIRED if metric in PAIRED else {metric: 1}
    held = separable(by_metric)
    largest = max(held or by_metric, key=lambda change: change.size, default=None)
    ways = {"better", "worse"} - {largest.outcome if largest else ""}
    return TokenizerSummary(
        tokenizer=tokenizer,
        metric=metric,
        corpora=equal + len(by_metric),
        equal=equal,
        outcomes=outcomes,
        largest=largest,
        opposite=next((change for change in held if change.outcome in ways), None) if len(ways) == 1 else None,
        others=sum(bool(change.separable) for change in mine if change.metric not in moving),
        lossy=tuple(side for side in "AB" if any(side in change.lossy for change in by_metric)),
    )
