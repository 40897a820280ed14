"""The statistics of a large run: every pair of many tokenizers on many documents, from counts to verdicts."""

from __future__ import annotations

import math
import sys
import time
from typing import Any

import numpy as np

from benchmarks import cli
from benchmarks.engines import OURS
from benchmarks.harness import Answers, Case, Job, Outcome

DOCUMENTS = 100_000
TOKENIZERS = 8
CHECKED = 300  # documents on which the obvious way is taken as well


def judge(answers: Answers) -> dict[str, str]:
    return {name: answer["wrong"] for name, answer in answers.items() if answer["wrong"]}


def measure(documents: int, tokenizers: int, passes: int) -> Outcome:
    """Seconds of all paired comparisons with Holm's correction, of the interval of each figure, and of the shares of
    resamples in which each is the best."""
    from evalkit.stats import best_shares, compare_pairs, holm, ratio_interval

    tokens, sizes = _counts(documents, tokenizers)
    seconds: dict[str, list[float]] = {}
    for _ in range(passes):
        start = time.perf_counter()
        found = compare_pairs(tokens, sizes, 0.95)
        holm([one.p for one in found.values() if one.p is not None])
        compared = time.perf_counter()
        for array in tokens:
            ratio_interval(sizes, array, 0.95)
        bounded = time.perf_counter()
        best_shares(tokens, 17)
        ended = time.perf_counter()
        for name, took in (
            ("all pairs, Holm", compared - start),
            ("intervals", bounded - compared),
            ("rank shares", ended - bounded),
            ("all of it", ended - start),
        ):
            seconds.setdefault(name, []).append(took)
    return Outcome(seconds, {"wrong": _wrong()})


def _counts(documents: int, tokenizers: int) -> tuple[list[Any], Any]:
    random = np.random.default_rng(17)
    sizes = np.exp(random.normal(6, 1, documents)).astype(np.int64) + 20
    rates = [0.25 * (1 + 0.01 * k) * np.exp(random.normal(0, 0.05, documents)) for k in range(tokenizers)]
    return [np.rint(sizes * rate).astype(np.int64) + 1 for rate in rates], sizes


def _wrong() -> str:
    """What differs from leaving out one document after the other, in plain Python; empty where nothing does."""
    from evalkit.stats import compare_pairs, quantile
    from evalkit.stats.intervals import design_degrees_of_freedom

    tokens, sizes = _counts(CHECKED, 3)
    for (i, j), one in compare_pairs(tokens, sizes, 0.95).items():
        first, second = tokens[i].tolist(), tokens[j].tolist()
        a, b = sum(first), sum(second)
        without = [math.log((a - x) / (b - y)) for x, y in zip(first, second, strict=True)]
        mean = math.fsum(without) / CHECKED
        squares = [(x - mean) ** 2 for x in without]
        error = math.sqrt((CHECKED - 1) / CHECKED * math.fsum(squares))
        excess = math.fsum(s * s for s in squares) / math.fsum(squares) ** 2 - 1 / CHECKED
        df = min(2 / excess, design_degrees_of_freedom(sizes), CHECKED - 1)
        low = a / b * math.exp(-quantile(0.95, df) * error)
        if one.low is None or abs(one.low / low - 1) > 1e-6:
            return f"the interval of the pair {i}, {j} begins at {one.low}, and by the obvious way at {low}"
    return ""


def cases(options: cli.Options) -> list[Case]:
    documents = DOCUMENTS // 100 if options.quick else DOCUMENTS
    arguments = {"documents": documents, "tokenizers": TOKENIZERS, "passes": options.passes}
    job = Job(OURS, "benchmarks.statistics:measure", arguments)
    return [Case({"documents": f"{documents:,}", "tokenizers": str(TOKENIZERS)}, documents, [job], judge)]


BENCHMARK = cli.Benchmark(
    "statistics",
    f"{DOCUMENTS:,} documents × {TOKENIZERS} tokenizers: all {math.comb(TOKENIZERS, 2)} paired comparisons, the "
    "intervals, and who is the best how often. Compared with the obvious way on few documents first.",
    cases,
    (OURS,),
    speed=False,
)

if __name__ == "__main__":
    sys.exit(cli.main([BENCHMARK]))
