"""Iso-parameter fronts: what an embedding of so many parameters buys, and with whose vocabulary.

A vocabulary of V entries costs V · d parameters for each embedding matrix of a model of width d, so that at one width
the order by parameters is the order by size. Tokenizers that are trained here stand at every size of their ladder,
published ones at their own.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

from evalkit.fair_records import FrontRecord
from evalkit.ranked import set_aside
from evalkit.results import LadderRecord, Row, TokenizerRecord
from evalkit.suite_schema import SelectSpec

WIDTHS = (768, 2048, 4096)
"""Of models small, middling and large, where the suite names none (``select: d_model``)."""


def widths(select: SelectSpec | None) -> tuple[tuple[int, ...], int]:
    """The widths to show, and how many embedding matrices there are."""
    if select is None:
        return WIDTHS, 1
    return (select.d_model,), 1 if select.tied else 2


def front(points: Sequence[tuple[int, float, str]]) -> list[tuple[int, float, str]]:
    """Those of (rows, bytes per token, name) that no other equals or beats with as few rows; ascending.

    >>> front([(300, 2.0, "a"), (400, 1.9, "b"), (400, 2.5, "a"), (500, 2.5, "c")])
    [(300, 2.0, 'a'), (400, 2.5, 'a')]
    """
    found: list[tuple[int, float, str]] = []
    for point in sorted(points, key=lambda one: (one[0], -one[1], one[2])):
        if not found or point[1] > found[-1][1]:
            found.append(point)
    return found


def front_records(
    ladders: Sequence[LadderRecord],
    rows: Sequence[Row],
    tokenizers: Sequence[TokenizerRecord],
    lossy: Collection[tuple[str, str]],
    select: SelectSpec | None = None,
) -> Iterator[FrontRecord]:
    """The front of every corpus on which there is more than one tokenizer. Baselines are left out, and so is what loses
    text there (``lossy``: corpus and tokenizer) or is set aside (:mod:`evalkit.ranked`)."""
    shown, matrices = widths(select)
    for corpus in dict.fromkeys(row.corpus for row in rows):
        points = _points(corpus, ladders, rows, tokenizers, lossy)
        if len({name for _, _, name in points}) > 1:
            for size, value, name in front(points):
                yield FrontRecord(corpus, name, size, value, {str(d): size * d * matrices for d in shown})


def on_fronts(
    ladders: Sequence[LadderRecord],
    rows: Sequence[Row],
    tokenizers: Sequence[TokenizerRecord],
    lossy: Collection[tuple[str, str]],
    corpora: Sequence[str],
) -> dict[str, dict[str, tuple[int, ...]]]:
    """By tokenizer and corpus: the sizes at which it stands on the front or equals the one that does, of which the
    records name one only."""
    found: dict[str, dict[str, tuple[int, ...]]] = {}
    for corpus in corpora:
        points = _points(corpus, ladders, rows, tokenizers, lossy)
        # One byte a token is what any vocabulary has that nothing was merged for yet.
        best = {(size, value) for size, value, _ in front(points) if value > 1}
        for size, value, name in sorted(points):
            if (size, value) in best:
                of_name = found.setdefault(name, {})
                of_name[corpus] = (*of_name.get(corpus, ()), size)
    return found


def front_together(
    ladders: Sequence[LadderRecord],
    rows: Sequence[Row],
    tokenizers: Sequence[TokenizerRecord],
    lossy: Collection[tuple[str, str]],
    corpora: Sequence[str],
) -> list[tuple[int, float, str]]:
    """The front of one choice for all these corpora, by the geometric mean of its bytes per token on each, which
    counts every corpus alike. Only what has a figure on all of them."""
    found: dict[tuple[int, str], list[float]] = {}
    for corpus in corpora:
        for size, value, name in _points(corpus, ladders, rows, tokenizers, lossy):
            found.setdefault((size, name), []).append(value)
    return front(
        [
            (size, math.exp(math.fsum(map(math.log, values)) / len(values)), name)
            for (size, name), values in found.items()
            if len(values) == len(corpora)
        ]
    )


def _points(
    corpus: str,
    ladders: Sequence[LadderRecord],
    rows: Sequence[Row],
    tokenizers: Sequence[TokenizerRecord],
    lossy: Collection[tuple[str, str]],
) -> list[tuple[int, float, str]]:
    aside = set_aside(tokenizers)
    points = [
        (size, value, one.tokenizer)
        for one in ladders
        if one.corpus == corpus and one.tokenizer not in aside and (corpus, one.tokenizer) not in lossy
        for size, value in zip(one.sizes, one.bytes_per_token, strict=True)
        if value is not None
    ]
    return [*points, *_published(corpus, rows, {t.name: t for t in tokenizers if t.name not in aside}, lossy)]


def _published(
    corpus: str, rows: Sequence[Row], known: Mapping[str, TokenizerRecord], lossy: Collection[tuple[str, str]]
) -> Iterator[tuple[int, float, str]]:
    for row in rows:
        wanted = row.corpus == corpus and row.metric == "bytes_per_token" and row.aggregation == "micro"
        tokenizer = known.get(row.tokenizer)
        if not wanted or tokenizer is None or row.value is None or (corpus, row.tokenizer) in lossy:
            continue
        if not tokenizer.trained_on and tokenizer.kind != "baseline" and tokenizer.max_id is not None:
            yield tokenizer.max_id + 1, row.value, row.tokenizer
