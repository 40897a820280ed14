"""Metrics of the user's own: from a suite (``python: module:function``) and from installed packages.

Such a metric is a function under :func:`own_metric`. It is a metric like the others then: it has rows, intervals where
its outcome has them, thresholds and baselines. It is kept out of the register, so that one suite's metrics are not
another's.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from evalkit.errors import UserError, nearest
from evalkit.metrics.own_outcomes import checked, read_only
from evalkit.metrics.pairs import PAIR_METRICS
from evalkit.metrics.registry import METRICS, Aggregation, Cell, Evidence, Metric, Outcome
from evalkit.own_code import load_object, told

GROUP = "evalkit.metrics"
"""The entry-point group of installed metrics. An entry point has its metric's name."""

PREFIX = "python:"


def own_metric(
    *,
    unit: str,
    higher_is_better: bool | None,
    definition: str,
    evidence: Evidence = "none",
    citation: str = "",
    version: int = 1,
    timing: bool = False,
    aggregations: tuple[Aggregation, ...] = ("micro", "macro"),
    no_interval: str = "",
) -> Callable[[Callable[[Cell], Outcome]], Metric]:
    """Makes a metric of a function, under the function's name. ``aggregations``: those of its outcome, ``micro`` and
    ``macro`` for a Ratio, ``sum`` for a Total, else ``micro``. Raises ``ValueError`` for a unit or definition that is
    empty, a direction that is none of True, False and None, and aggregations that are a text.

    >>> from evalkit.metrics import Ratio
    >>> @own_metric(unit="chars/byte", higher_is_better=None, definition="code points / bytes of the raw text")
    ... def chars_per_byte(cell):
    ...     return Ratio(cell.corpus.chars, cell.corpus.bytes)
    >>> from evalkit.metrics.example import example
    >>> chars_per_byte.values(example(bytes=[8, 12], chars=[8, 10]))["micro"].value
    0.9
    """
    for what, text in (("unit", unit), ("definition", definition)):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"own_metric: {what} is {text!r}; expected a text that is not empty")
    if not any(higher_is_better is one for one in (True, False, None)):
        raise ValueError(f"own_metric: higher_is_better is {higher_is_better!r}; expected True, False or None")
    given: object = aggregations
    if isinstance(given, str):  # ("micro") is no tuple
        raise ValueError(f'own_metric: aggregations is "{given}"; expected a tuple, such as ("{given}",)')

    def make(compute: Callable[[Cell], Outcome]) -> Metric:
        return Metric(
            compute.__name__,
            unit,
            higher_is_better,
            definition,
            evidence,
            citation,
            version,
            timing,
            tuple(aggregations),
            compute,
            no_interval,
        )

    return make


def installed_names() -> list[str]:
    """The names of the metrics that installed packages bring, without loading any."""
    return [point.name for point in importlib.metadata.entry_points(group=GROUP)]


def chosen_pairs(names: Sequence[str] | None) -> list[str]:
    """Which figures of pairs a suite asks for."""
    every = names is None or "all" in names
    return [name for name in PAIR_METRICS if every or name in (names or ())]


def chosen_metrics(names: Sequence[str] | None, base_dir: Path) -> list[Metric]:
    """The metrics of a suite, in its order; ``None`` and ``all`` are all of ours and all installed ones. ``base_dir``:
    the suite's folder, where its own modules may lie. Whether its code may run is asked before (``evalkit.trust``).

    Raises :class:`UserError` for a name that isn't there or is there twice, and for what can't be loaded.
    """
    found: dict[str, Metric] = {}
    for name in ("all",) if names is None else names:
        if name == "all":
            some = [*METRICS.values(), *map(_installed, installed_names())]
        elif name.startswith(PREFIX):
            some = [load(name.removeprefix(PREFIX), base_dir)]
        elif name in PAIR_METRICS:  # no figure of a cell: see ``evalkit.pairs``
            some = []
        elif name in METRICS:
            some = [METRICS[name]]
        else:
            some = [_installed(name)]
        for one in some:
            before = found.setdefault(one.name, one)
            if before is not one and before.source != one.source:
                raise UserError(f"two metrics have the name {one.name!r}: {_whose(before)} and {_whose(one)}")
    return list(found.values())


def load(path: str, base_dir: Path) -> Metric:
    """The metric ``module:function``, found from the suite's folder first. Raises :class:`UserError`."""
    found = load_object(path, base_dir, "the metric", Metric)
    return _checked(found, f"python: {path}")


def _installed(name: str) -> Metric:
    points = [point for point in importlib.metadata.entry_points(group=GROUP) if point.name == name]
    if not points:
        near = nearest(name, [*METRICS, *installed_names()])
        raise UserError(f"There is no metric {name!r}{f': {near}' if near else '.'}")
    owners = [point.dist.name if point.dist is not None else point.value for point in points]
    if len(points) > 1:
        raise UserError(f"the packages {' and '.join(owners)} both bring a metric {name!r}: uninstall one of them")
    source = f"package {owners[0]}"
    try:
        found = points[0].load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise UserError(f"the metric {name!r} of the {source} can't be loaded: {told(error)}") from error
    loaded = _checked(found, source)
    if loaded.name != name:
        raise UserError(
            f"the entry point {name!r} of the {source} is the metric {loaded.name!r}: they must be one name"
        )
    return loaded


def _checked(found: object, source: str) -> Metric:
    if not isinstance(found, Metric):
        raise UserError(
            f"{source} is not a metric but a {type(found).__name__}: put @evalkit.metrics.own_metric(unit=…, "
            "higher_is_better=…, definition=…) over the function"
        )
    if found.name in METRICS or found.name in PAIR_METRICS:
        raise UserError(f"{source} has the name of one of evalkit's own metrics, {found.name!r}: give it another")
    return replace(found, compute=_guarded(found, source), source=source)


def _guarded(metric: Metric, source: str) -> Callable[[Cell], Outcome]:
    """The function, with whatever it does wrong told as the metric's mistake, at the corpus and the tokenizer."""

    def compute(cell: Cell) -> Outcome:
        where = f"the metric {metric.name} ({source}) on {cell.corpus.name} with {cell.tokenizer.name}"
        try:
            outcome: object = metric.compute(read_only(cell))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit too, which would end evalkit with the metric's own code
            raise UserError(f"{where} failed: {told(error)}") from error
        try:
            return checked(metric, outcome, cell.corpus.documents)
        except ValueError as problem:
            raise UserError(f"{where} {problem}") from None

    return compute


def _whose(metric: Metric) -> str:
    return metric.source or "evalkit's own"
