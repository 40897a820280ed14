"""One line a tokenizer over all corpora: how far it is from the best, at its own size and at that of others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from evalkit.report import domains, matched, seen
from evalkit.report.comparisons import METRIC, by_noise_alone
from evalkit.report.figures import candidates, outside, shown_corpora
from evalkit.report.table import table
from evalkit.report.text import code, count, percent, plain
from evalkit.results import CorpusRecord, Results

FEWEST_CORPORA = 2
FEWEST_TOKENIZERS = 3


def mean_excess(ratios: Sequence[float]) -> float | None:
    """The geometric mean of ratios of tokens, less 1; None for none.

    >>> round(mean_excess([1.0, 1.21]), 3)
    0.1
    """
    return math.expm1(math.fsum(map(math.log, ratios)) / len(ratios)) if ratios else None


def sentence(results: Results) -> str:
    """Who is nearest to the best over all corpora, as it is and at one size; empty where little is to sum up."""
    corpora, ratios, names = _compared(results)
    first = min(names, key=lambda n: _order(ratios, corpora, n), default="")
    if not first or any(first not in of for of in ratios.values() if of):
        return ""
    mean = mean_excess([of[first] for of in ratios.values() if of])
    text = (
        f"Over all {len(corpora)} corpora{outside(results)}, each counting alike, {_marked_name(results, first)} is "
        f"nearest to the best of each: {_percent(mean)} tokens in the mean"
    )
    here = {t.name for t in results.tokenizers if t.trained_on}
    own = [n for n in sorted(names, key=lambda n: _order(ratios, corpora, n)) if n in here]
    own = [n for n in own if all(n in of for of in ratios.values() if of)]
    if own and first not in here:
        excess = {n: mean_excess([of[n] for of in ratios.values() if of]) for n in own}
        text += f"; of those trained here {_marked_name(results, own[0])} ({_percent(excess[own[0]])})"
    size = max(matched.sizes(results), default=None)
    if size is None:
        return f"{text}."
    cut = {n: found for n in names if (found := _excess_at_one_size(results, n, size, corpora)) is not None}
    if not cut:
        return f"{text}."
    nearest = min(cut, key=lambda n: cut[n])
    return f"{text}; at {count(size)} entries each, {_marked_name(results, nearest)} ({_percent(cut[nearest])})."


def _marked_name(results: Results, name: str) -> str:
    return f"{code(name)}{seen.mark(results, name, *(c.name for c in shown_corpora(results)))}"


def _compared(results: Results) -> tuple[Sequence[CorpusRecord], dict[str, dict[str, float]], list[str]]:
    """The corpora, by each of them the tokens against the best, and the tokenizers; none where there are few."""
    corpora = shown_corpora(results)
    ratios = {c.name: _to_best(results, c.name) for c in corpora}
    names = [t.name for t in results.tokenizers if any(t.name in of for of in ratios.values())]
    few = len(corpora) < FEWEST_CORPORA or len(names) < FEWEST_TOKENIZERS
    return corpora, ratios, [] if few else names


def section(results: Results) -> str:
    """Empty where there is little to sum up."""
    corpora, ratios, names = _compared(results)
    if not names:
        return ""
    kinds = (domains.PROSE, domains.STRUCTURED, domains.OTHER)
    by_kind = [(kind, [c for c in corpora if domains.kind(c.domain) == kind]) for kind in kinds]
    groups = [(kind, part) for kind, part in by_kind if part]
    size = max(matched.sizes(results), default=None)
    rows = []
    for name in sorted(names, key=lambda n: _order(ratios, corpora, n)):
        sizes = {t.name: t.vocab_size for t in results.tokenizers}
        cells = [_mean(ratios, part, name) for _, part in groups]
        if size is not None:
            cells.append(_percent(_excess_at_one_size(results, name, size, corpora)))
        rows.append(
            [
                _marked_name(results, name),
                count(sizes[name]),
                *cells,
                _firsts(results, ratios, name),
                _worst(ratios, name),
            ]
        )
    headers = ["tokenizer", "entries", *(f"{title} ({len(part)})" for title, part in groups)]
    if size is not None:
        headers.append(f"all, at {count(size)} entries")
    headers += ["best or as good", "farthest from the best"]
    text = (
        "How many more tokens than the best of each corpus, as the mean over corpora (geometric; each counts alike), "
        "structured text apart since it behaves otherwise. `best or as good`: on how many corpora nothing is separably "
        "better, of those where that can be judged. It is a way into the tables below, and no test."
    )
    shown = table(headers, rows)
    return "\n\n".join(part for part in (text, shown, *seen.note(shown), domains.advice(corpora)) if part)


def _to_best(results: Results, corpus: str) -> dict[str, float]:
    """By tokenizer, its tokens / those of the best; empty where nothing can be compared."""
    rows = [row for row in candidates(results, corpus, METRIC) if row.value]
    if len(rows) < FEWEST_CORPORA:
        return {}
    best = rows[0].value or 0
    return {row.tokenizer: best / (row.value or 1) for row in rows}


def _order(ratios: dict[str, dict[str, float]], corpora: Sequence[CorpusRecord], name: str) -> tuple[bool, float]:
    found = [ratios[c.name][name] for c in corpora if name in ratios[c.name]]
    complete = all(name in of for of in ratios.values() if of)
    return not complete, mean_excess(found) or 0.0


def _mean(ratios: dict[str, dict[str, float]], corpora: Sequence[CorpusRecord], name: str) -> str:
    """A mean over other corpora than its neighbours' would not be comparable, and so there is none."""
    wanted = [ratios[c.name] for c in corpora if ratios[c.name]]
    if not wanted or any(name not in of for of in wanted):
        return "–"
    return _percent(mean_excess([of[name] for of in wanted]))


def _percent(excess: float | None) -> str:
    return "–" if excess is None else f"+{percent(abs(excess))}"


def _excess_at_one_size(results: Results, name: str, size: int, corpora: Sequence[CorpusRecord]) -> float | None:
    shown = {c.name for c in corpora}
    at_size = [one for one in results.matched if one.size == size and one.corpus in shown]
    mine = [one.more for one in at_size if one.tokenizer == name and one.more is not None]
    if len(mine) < len({one.corpus for one in at_size}) or not mine:
        return None
    return mean_excess([1 + more for more in mine])


def _firsts(results: Results, ratios: dict[str, dict[str, float]], name: str) -> str:
    """On how many corpora nothing is separably better. What can't be judged is neither won nor lost."""
    compared = [corpus for corpus, of in ratios.items() if name in of]
    verdicts = [_is_as_good(results, corpus, ratios[corpus], name) for corpus in compared]
    judged = len(verdicts) - verdicts.count(None)
    if not judged:
        return "none judged"
    text = f"{verdicts.count(True)} of {judged}{' judged' if judged < len(compared) else ''}"
    noise = [floor for corpus in compared if (floor := _noise_alone(results, corpus, ratios[corpus], name)) is not None]
    return f"{text} ({len(noise)} by training noise alone, up to {percent(max(noise))})" if noise else text


def _noise_alone(results: Results, corpus: str, ratios: Mapping[str, float], name: str) -> float | None:
    """The floor, where that is the one reason that the best isn't separably better."""
    found = results.comparison(corpus, name, min(ratios, key=lambda n: ratios[n])) if ratios[name] != 1 else None
    return found.noise_floor if found is not None and by_noise_alone(results, found) else None


def _is_as_good(results: Results, corpus: str, ratios: Mapping[str, float], name: str) -> bool | None:
    """None where that can't be judged: of one that needs the fewest tokens, where nothing was held against it."""
    leader = min(ratios, key=lambda n: ratios[n])
    others = [other for other in ratios if other != leader] if ratios[name] == 1 else [name]
    found = [results.comparison(corpus, other, leader) for other in others]
    separable = [one.separable for one in found if one is not None and one.separable is not None]
    if not separable:
        return None
    return ratios[name] == 1 or not separable[0]


def _worst(ratios: dict[str, dict[str, float]], name: str) -> str:
    found = [(of[name], corpus) for corpus, of in ratios.items() if name in of]
    ratio, corpus = max(found, key=lambda one: one[0])
    return "–" if ratio == 1 else f"{plain(corpus)} +{percent(ratio - 1)}"
