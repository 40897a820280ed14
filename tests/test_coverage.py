"""How often 95 % intervals hold the truth: simulated corpora, and documents drawn from real ones.

The interval is computed for all simulated corpora at once, which a test holds to the one that reports have. The ranges
leave no room for the simulation's own noise: 20,000 corpora have a standard error of 0.15 percentage points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray

from evalkit.embedded import embedded_corpora
from evalkit.metrics import Jackknifed
from evalkit.metrics.languages import gini, over_languages
from evalkit.stats import Interval, compare_two, jackknife_interval, mean_interval, quantile, ratio_interval
from tokenizers_impl import train

Floats = NDArray[np.float64]
Generator = np.random.Generator
Corpora = tuple[Floats, Floats, Floats, float]
"""Numerators, denominators and lengths, shape (corpora, documents), and the true ratio."""

NUMBER = 20_000
PROMISED = (93.0, 97.0)


@lru_cache(maxsize=1)
def _quantiles() -> tuple[Floats, Floats]:
    logarithms = np.linspace(0, math.log(1e5), 2000)
    return logarithms, np.array([quantile(0.95, math.exp(one)) for one in logarithms])


def _intervals(tops: Floats, bottoms: Floats, lengths: Floats) -> tuple[Floats, Floats]:
    """``ratio_interval`` of every row, and ``compare_two`` where ``lengths`` aren't the denominators."""
    n = tops.shape[1]
    top, bottom = tops.sum(1, keepdims=True), bottoms.sum(1, keepdims=True)
    value = (top / bottom)[:, 0]
    logarithmic = tops.max(1) < top[:, 0]
    with np.errstate(divide="ignore"):
        logs = np.log1p(-(tops / top)) - np.log1p(-(bottoms / bottom))
    plain = top / bottom * (bottoms / bottom - tops / top) / (1 - bottoms / bottom)
    deviations = np.where(logarithmic[:, None], logs, plain)
    squares = (deviations - deviations.mean(1, keepdims=True)) ** 2
    second = squares.sum(1)
    excess = (squares**2).sum(1) / second**2 - 1 / n
    weights = lengths**1.5
    design = weights.sum(1) ** 2 / (weights**2).sum(1)
    df = np.maximum(1, np.minimum(np.minimum(2 / excess, design), n - 1))
    half = np.interp(np.log(df), *_quantiles()) * np.sqrt(second * (n - 1) / n)
    grown = np.exp(np.minimum(half, 700))
    low = np.where(logarithmic, value / grown, np.maximum(0, value - half))
    return low, np.where(logarithmic, value * grown, value + half)


def _coverage(make: Callable[[Generator, int, int], Corpora], documents: int, number: int = NUMBER) -> float:
    """In per cent."""
    random = np.random.default_rng([documents, number])
    hits = done = 0
    while done < number:
        some = min(number - done, max(1, 2_000_000 // documents))
        tops, bottoms, lengths, truth = make(random, some, documents)
        low, high = _intervals(tops, bottoms, lengths)
        hits += int(((low <= truth) & (truth <= high)).sum())
        done += some
    return 100 * hits / number


def _lengths(random: Generator, number: int, n: int, sigma: float) -> tuple[Floats, Floats]:
    """Bytes of documents, lognormal, and what they were made of."""
    z = random.standard_normal((number, n))
    return np.maximum(np.rint(np.exp(sigma * z + 7)), 1), z


def compression(sigma: float, goes_with: float) -> Callable[[Generator, int, int], Corpora]:
    """Bytes per token: about 4, more or less by document, also by length (correlation ``goes_with``)."""

    def make(random: Generator, number: int, n: int) -> Corpora:
        size, z = _lengths(random, number, n, sigma)
        u = goes_with * z + math.sqrt(1 - goes_with**2) * random.standard_normal((number, n))
        tokens = size * 0.25 * np.exp(0.1 * u) + random.standard_normal((number, n)) * np.sqrt(size) / 2
        tokens = np.maximum(np.rint(tokens), 1)
        # The means of lognormal numbers.
        return size, tokens, tokens, 4 * math.exp(-(0.1**2) / 2 - 0.1 * sigma * goes_with)

    return make


def two(sigma: float) -> Callable[[Generator, int, int], Corpora]:
    """The tokens of two tokenizers whose rates vary by document."""

    def make(random: Generator, number: int, n: int) -> Corpora:
        size, _ = _lengths(random, number, n, sigma)
        first, second = (np.rint(size * 0.25 * np.exp(0.05 * random.standard_normal((number, n)))) for _ in range(2))
        return np.maximum(first, 1), np.maximum(second, 1), size, 1.0

    return make


def rate(share: float, silent: float) -> Callable[[Generator, int, int], Corpora]:
    """Words that are cut / words, of which a share of documents (``silent``) has none, as of numbers."""

    def make(random: Generator, number: int, n: int) -> Corpora:
        size, _ = _lengths(random, number, n, 0.8)
        words = np.where(random.random((number, n)) < silent, 0, np.ceil(size / 6)).astype(np.int64)
        words[:, :2] += 1  # never none at all
        cut = random.binomial(words, random.beta(20 * share, 20 * (1 - share), (number, n)))
        return cut.astype(np.float64), words.astype(np.float64), words.astype(np.float64), share

    return make


def rare(share: float) -> Callable[[Generator, int, int], Corpora]:
    """The same figure in nearly every document, and another one in a few: a vocabulary that spells a script in bytes,
    where a ``share`` of the documents has words of another script."""

    def make(random: Generator, number: int, n: int) -> Corpora:
        size, _ = _lengths(random, number, n, 0.5)
        other = np.where(random.random((number, n)) < share, random.uniform(0.05, 0.5, (number, n)), 0)
        tokens = np.rint(size * (1 - 0.6 * other) + random.uniform(-2, 2, (number, n)))
        return size, tokens, tokens, 1 / (1 - 0.6 * share * 0.275)

    return make


HOLDS = {
    "bytes per token, lengths alike": compression(0.5, 0.0),
    "bytes per token, lengths unequal": compression(1.0, 0.0),
    "bytes per token, lengths unequal, goes with them": compression(1.0, 0.3),
    "bytes per token, lengths very unequal, goes with them": compression(1.2, 0.2),
    "two tokenizers": two(1.0),
    "words that are cut": rate(0.2, 0.0),
    "few words that are cut": rate(0.02, 0.0),
    "two of three documents have none": rate(0.2, 0.67),
    "another script in every fifth document": rare(0.2),
}
FAILS = [  # documents, and what is found there: docs/statistics.md says so
    ("lengths extremely unequal, goes with them", compression(1.5, 0.5), 60, (88.5, 90.5)),
    ("another script in a tenth of the documents", rare(0.1), 60, (90.5, 92.5)),
    ("another script in one document of twenty", rare(0.05), 60, (86, 89)),
    ("another script in one document of fifty", rare(0.02), 60, (65, 70)),
    ("another script in one document of fifty", rare(0.02), 200, (88.5, 91)),
    ("another script in one document of fifty", rare(0.02), 1000, (93, 95)),
]


@pytest.mark.parametrize("documents", [60, 200, 1000])
@pytest.mark.parametrize("kind", HOLDS)
def test_coverage_is_what_is_promised(kind: str, documents: int) -> None:
    found = _coverage(HOLDS[kind], documents, NUMBER if documents < 1000 else NUMBER // 4)
    assert PROMISED[0] <= found <= PROMISED[1]


@pytest.mark.parametrize("documents", [8, 20, 30])
@pytest.mark.parametrize("kind", list(HOLDS)[:6])
def test_coverage_of_few_documents(kind: str, documents: int) -> None:
    assert 92 <= _coverage(HOLDS[kind], documents) <= 97.5


@pytest.mark.parametrize(("kind", "make", "documents", "expected"), FAILS)
def test_where_coverage_is_less(
    kind: str, make: Callable[[Generator, int, int], Corpora], documents: int, expected: tuple[float, float]
) -> None:
    """What makes the figure stands in few documents, of which a small corpus has none or one."""
    found = _coverage(make, documents, NUMBER if documents < 1000 else NUMBER // 4)
    assert expected[0] <= found <= expected[1], kind


@lru_cache(maxsize=1)
def _real() -> dict[str, tuple[Floats, Floats, Floats]]:
    """Bytes, and tokens under a vocabulary of stories and one of web pages, of the documents of embedded corpora."""
    documents = {}
    for name in ("stories", "web", "chat", "json", "sql", "logs"):
        corpus = embedded_corpora()[name]
        assert corpus.separator
        texts = [file.path.read_text(encoding="utf-8") for file in corpus.files]
        documents[name] = [one for text in texts for one in text.split(corpus.separator) if one]
    trained = [train(documents["stories"], vocab_size=1000), train(documents["web"], vocab_size=2000)]
    found = {}
    for name, texts in documents.items():
        sizes = np.array([len(text.encode()) for text in texts], dtype=np.float64)
        first, second = (np.array([len(one.encode_ordinary(t)) for t in texts], dtype=np.float64) for one in trained)
        found[name] = sizes, first, second
    return found


@pytest.mark.parametrize("corpus", ["stories", "chat", "json", "sql"])
def test_coverage_on_documents_drawn_from_real_ones(corpus: str) -> None:
    sizes, first, second = _real()[corpus]
    for tops, bottoms, lengths in ((sizes, first, first), (sizes, second, second), (first, second, sizes)):
        truth = float(tops.sum() / bottoms.sum())

        def draw(random: Generator, number: int, n: int, *, of: Corpora = (tops, bottoms, lengths, truth)) -> Corpora:
            drawn = random.integers(0, len(of[0]), (number, n))
            return of[0][drawn], of[1][drawn], of[2][drawn], of[3]

        for documents in (60, 200):
            assert PROMISED[0] <= _coverage(draw, documents) <= PROMISED[1]


def test_coverage_of_gini_over_languages() -> None:
    """A figure that is no ratio: 64 lines in 6 languages, with the jackknife over lines."""
    random, rates, lines = np.random.default_rng(5), np.array([1.0, 1.2, 1.5, 2.0, 2.6, 4.0]), 64
    truth = float(gini(rates[None])[0])
    hits = 0
    for number in range(NUMBER):
        lengths = random.lognormal(4, 0.5, lines)[:, None]
        tokens = np.maximum(1, random.poisson(lengths * rates * random.gamma(20, 1 / 20, (lines, 6))))
        totals = tokens.sum(0)
        left_out = gini((totals - tokens).astype(np.float64))
        value = float(gini(totals[None].astype(np.float64))[0])
        deviations = value - left_out
        squares = (deviations - deviations.mean()) ** 2
        second = float(squares.sum())
        weights = tokens.sum(1) ** 1.5
        design = float(weights.sum() ** 2 / (weights**2).sum())
        satterthwaite = 2 / (float((squares**2).sum()) / second**2 - 1 / lines)
        half = math.sqrt(second * (lines - 1) / lines) * float(
            np.interp(math.log(max(1.0, min(design, satterthwaite, lines - 1))), *_quantiles())
        )
        hits += abs(value - truth) <= half
        if number < 20:
            found = jackknife_interval(value, left_out, tokens.sum(1), 0.95)
            assert isinstance(found, Interval)
            assert (found.low, found.high) == pytest.approx((value - half, value + half), rel=1e-4)
    assert PROMISED[0] <= 100 * hits / NUMBER <= PROMISED[1]


def _gini(rates: Sequence[float], lines: int, number: int = 400) -> tuple[float, float]:
    """In per cent of the corpora: those in which the Gini coefficient has an interval, and those in which that is
    wrong. Each line says a little more or less in every language."""
    costs = np.asarray(rates, dtype=np.float64)
    random, truth = np.random.default_rng([lines, len(costs), 17]), float(gini(costs[None])[0])
    given = wrong = 0
    for _ in range(number):
        lengths = random.lognormal(4, 0.5, (lines, 1))
        tokens = np.maximum(1, random.poisson(lengths * costs * random.gamma(20, 1 / 20, (lines, len(costs)))))
        outcome = over_languages(list(tokens.T))
        assert isinstance(outcome, Jackknifed)
        found = outcome.micro_interval(0.95)
        if isinstance(found, Interval):
            given += 1
            wrong += not found.low <= truth <= found.high
    return 100 * given / number, 100 * wrong / number


NEAR_EQUAL = {
    "two alike": [1.0] * 2,
    "three alike": [1.0] * 3,
    "six alike": [1.0] * 6,
    "six, 0 to 5 % apart": np.linspace(1, 1.05, 6).tolist(),
    "all alike but one": [1.0, *[1.5] * 5],
    "two kinds of nine": [*[1.0] * 9, *[2.0] * 9],
}
APART = {"three": [1.0, 1.5, 2.0], "six": [1.0, 1.2, 1.5, 2.0, 2.6, 4.0], "eighteen": np.geomspace(1, 4, 18).tolist()}


@pytest.mark.parametrize("lines", [64, 200])
@pytest.mark.parametrize("kind", NEAR_EQUAL)
def test_languages_of_equal_cost_hardly_ever_get_a_wrong_interval_of_gini(kind: str, lines: int) -> None:
    """Without the rule it is wrong in 12 % (three alike) to all of the corpora."""
    given, wrong = _gini(NEAR_EQUAL[kind], lines)
    assert wrong <= 6  # 5 % and a standard error of this simulation
    assert len(NEAR_EQUAL[kind]) == 2 or given <= 15


@pytest.mark.parametrize("lines", [64, 200])
@pytest.mark.parametrize("kind", APART)
def test_languages_of_other_costs_have_an_interval_of_gini(kind: str, lines: int) -> None:
    given, wrong = _gini(APART[kind], lines)
    assert given >= 95
    assert wrong <= 7.5  # 5 %, and somewhat more than two standard errors of this simulation


@pytest.mark.parametrize("documents", [60, 200])
def test_coverage_of_means(documents: int) -> None:
    """Macro figures: documents' own ratios, with Student's interval."""
    random = np.random.default_rng(documents)
    ratios = 4 * np.exp(0.15 * random.standard_normal((NUMBER, documents)))
    truth = 4 * math.exp(0.15**2 / 2)
    half = quantile(0.95, documents - 1) * ratios.std(1, ddof=1) / math.sqrt(documents)
    found = 100 * float((np.abs(ratios.mean(1) - truth) <= half).mean())
    assert PROMISED[0] <= found <= PROMISED[1]
    one = mean_interval(ratios[0], 0.95)
    assert isinstance(one, Interval)
    assert (one.low, one.high) == pytest.approx((ratios[0].mean() - half[0], ratios[0].mean() + half[0]))


def test_what_is_simulated_is_what_reports_have() -> None:
    random = np.random.default_rng(3)
    for kind, make in HOLDS.items():
        tops, bottoms, lengths, _ = make(random, 25, 60)
        low, high = _intervals(tops, bottoms, lengths)
        for row in range(25):
            top, bottom, length = (one[row].astype(np.int64) for one in (tops, bottoms, lengths))
            if kind == "two tokenizers":
                compared = compare_two(top, bottom, length, 0.95)
                found = compared.low, compared.high
            else:
                interval = ratio_interval(top, bottom, 0.95)
                assert isinstance(interval, Interval)
                found = interval.low, interval.high
            assert (low[row], high[row]) == pytest.approx(found, rel=1e-4), kind
