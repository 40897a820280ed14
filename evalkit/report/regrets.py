"""Which regrets hold: what is said of them has the doubt that all comparisons have."""

from __future__ import annotations

from evalkit.report.comparisons import NOT_SEPARABLE, WITHIN_NOISE
from evalkit.report.text import percent
from evalkit.results import MatchRecord, Results

UNJUDGED = "?"

MARKS = (
    f"{NOT_SEPARABLE}: not separable from no difference, by that interval or by the test of the two at that size where "
    f"there is one; `{UNJUDGED}`: that can't be told; `{WITHIN_NOISE}`: not larger than what training alone makes."
)
"""What :func:`doubt` gives, for a legend."""


def doubt(results: Results, found: MatchRecord) -> str:
    """A mark where a regret may be none; empty where it holds."""
    if found.within_noise:
        return WITHIN_NOISE
    tested = _tested(results, found)
    if tested is False:
        return NOT_SEPARABLE
    row = results.row(found.corpus, found.tokenizer, "regret")
    if row is None or row.low is None or row.high is None:
        alike = row is not None and row.value == 0
        return "" if alike or tested else UNJUDGED
    return NOT_SEPARABLE if row.low <= 0 <= row.high else ""


def said(results: Results, found: MatchRecord) -> str:
    """The same in words, to stand behind how many more tokens that is; empty where it holds."""
    mark = doubt(results, found)
    if mark == WITHIN_NOISE:
        why = f"training on another text of the kind alone makes {_floor(found)}"
        return f": not separable from each other, since {why}"
    if mark == NOT_SEPARABLE:
        return ": not separable from each other"
    return "; whether that holds on other documents can't be told" if mark else ""


def _floor(found: MatchRecord) -> str:
    floor = found.noise_floor or 0.0
    return percent(floor, 1 if floor >= 0.01 else 2)


def _tested(results: Results, found: MatchRecord) -> bool | None:
    """The verdict on the two at the size of the match, which is corrected for the number of pairs; None where there is
    none: they were compared at other sizes, or neither was the best of those at that size."""
    sizes = {name: t.vocab_size for t in results.tokenizers for name in (t.name, *t.aliases)}
    pair = (found.tokenizer, found.ideal)
    own = results.comparison(found.corpus, *pair)
    if own is not None and all(sizes.get(name) == found.size for name in pair):
        return own.separable
    there = {one.tokenizer: one for one in results.matched if (one.corpus, one.size) == (found.corpus, found.size)}
    if any(name not in there for name in pair):
        return None
    one, other = (there[name] for name in pair)
    if one.more == 0:  # the others are held against it
        one, other = other, one
    return one.separable if other.more == 0 and one.more else None
