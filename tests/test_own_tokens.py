"""Premiums and Gini coefficients in ``evalkit compare``: better or worse only where the tokens themselves moved so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from report_example import results as few_results

from evalkit.compare import Change, Differences, Side, compare
from evalkit.counts import CorpusCounts
from evalkit.fair_records import StabilityRecord
from evalkit.metrics import METRICS
from evalkit.metrics.example import example
from evalkit.report.compared import markdown, verdict
from evalkit.results import CorpusRecord, Results
from evalkit.results_files import StoredCounts
from evalkit.rows import metric_records, rows

LINES = 60
MEASURED = ("bytes_per_token", "tokens", "premium", "gini_premium")


def _corpus(language: str, factor: float) -> CorpusCounts:
    random = np.random.default_rng(sum(map(ord, language)))
    hashes = random.integers(0, 2**63, LINES).astype(np.uint64)
    sizes = np.exp(random.normal(5, 0.3, LINES)).astype(np.int64) + 60
    rate = {"en": 0.25, "de": 0.5, "hi": 1.5}[language]
    tokens = sizes * rate * np.exp(random.normal(0, 0.05, LINES))
    wobble = np.exp(random.normal(0, 0.01, LINES)) if factor != 1 else 1.0
    cell = example(bytes=sizes.tolist(), tokens=np.rint(tokens * factor * wobble).astype(int).tolist())
    return replace(
        cell.corpus,
        name=f"lines-{language}",
        sha256=language * 8,
        language=language,
        parallel="lines",
        hashes=hashes,
        tokenizers={"a": replace(cell.tokenizer, name="a")},
    )


def _side(factors: Mapping[str, float], measured: tuple[str, ...] = MEASURED, *, counts: bool = True) -> Side:
    corpora = tuple(_corpus(language, factors.get(language, 1)) for language in ("en", "de", "hi"))
    metrics = [METRICS[name] for name in measured]
    like = few_results()
    results: Results = replace(
        like,
        suite=replace(like.suite, reference=None, reference_language="en"),
        tokenizers=(replace(like.tokenizers[0], name="a", aliases=(), fingerprint=str(factors)),),
        corpora=tuple(
            CorpusRecord(
                c.name, "all", "prose", c.language, LINES, int(c.bytes.sum()), 0, None, None, c.segmenter, c.sha256,
                0, (), c.parallel,
            )
            for c in corpora
        ),
        rows=tuple(rows(corpora, metrics, {}, None, {})),
        metrics=metric_records(metrics),
        comparisons=(), ranks=(), matches=(), differences=(), overlaps=(), counts=corpora,
    )  # fmt: skip
    stored = {
        c.name: StoredCounts(c.hashes, c.bytes, c.chars, None, {"a": c.tokenizers["a"].tokens}, {}, {}) for c in corpora
    }
    return Side("there", results, stored if counts else {})


def _by(found: Differences) -> dict[tuple[str, str], Change]:
    return {(c.corpus, c.metric): c for c in found.changes}


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize(("factor", "went"), [(1.4, "rose"), (0.7, "fell")])
def test_a_premium_that_the_reference_language_moved_has_no_verdict(factor: float, went: str, counts: bool) -> None:
    """The fault of before: where English alone took more tokens, all other languages were "better"."""
    found = _compare({}, {"en": factor}, counts=counts)
    changes = _by(found)
    for name in ("lines-de", "lines-hi"):
        change = changes[name, "premium"]
        assert change.separable
        assert (change.change < 0) == (factor > 1)
        unpaired = "" if counts else ", unpaired"
        assert verdict(change) == f"differs{unpaired}: the tokens of en {went}"
    assert changes["lines-en", "bytes_per_token"].outcome == ("worse" if factor > 1 else "better")
    assert "only where the language's own tokens" in markdown(found)


@pytest.mark.parametrize("measured", [MEASURED, ("premium",)])
@pytest.mark.parametrize(("factor", "outcome"), [(0.8, "better"), (1.2, "worse")])
def test_a_premium_that_its_own_tokens_moved_has_one(factor: float, outcome: str, measured: tuple[str, ...]) -> None:
    change = _by(_compare({}, {"hi": factor}, measured))["lines-hi", "premium"]
    assert (change.outcome, change.neither) == (outcome, "")


def test_without_counts_and_figures_of_tokens_it_cannot_be_told() -> None:
    change = _by(_compare({}, {"hi": 0.5}, ("premium",), counts=False))["lines-hi", "premium"]
    assert verdict(change) == "differs, unpaired: its own tokens didn't fall separably"


def test_both_may_move_one_way_and_the_reference_language_further() -> None:
    """German takes more tokens too, and its premium falls all the same."""
    changes = _by(_compare({}, {"en": 1.5, "de": 1.1}))
    assert changes["lines-de", "bytes_per_token"].outcome == "worse"
    assert verdict(changes["lines-de", "premium"]) == "differs: the tokens of en rose"


def test_tokens_that_move_by_less_than_training_makes_did_not_move() -> None:
    first, second = _side({}), _side({"hi": 0.8})
    noise = (StabilityRecord("lines-hi", "a", 5, (300,) * 5, (4.0,) * 5, 0.3, 0.1, None),)
    second = replace(second, results=replace(second.results, stability=noise))
    assert verdict(_by(compare(first, second))["lines-hi", "premium"]).startswith("differs: its own tokens")


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize(
    ("factors", "said"),
    [
        ({"hi": 0.5}, "better"),
        ({"hi": 2.5}, "worse"),
        ({"en": 2, "de": 2}, "differs: the tokens of all its languages together rose"),
        ({"en": 0.4, "de": 0.4}, "differs: the tokens of all its languages together fell"),
    ],
)
def test_a_gini_coefficient_has_a_verdict_by_all_tokens_of_the_group(
    factors: dict[str, float], said: str, counts: bool
) -> None:
    change = _by(_compare({}, factors, counts=counts))["lines", "gini_premium"]
    assert change.separable
    assert verdict(change).replace(", unpaired", "") == said


def _compare(
    one: Mapping[str, float], two: Mapping[str, float], measured: tuple[str, ...] = MEASURED, *, counts: bool = True
) -> Differences:
    return compare(_side(one, measured, counts=counts), _side(two, measured, counts=counts))
