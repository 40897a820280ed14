"""All benchmarks, one after the other."""

from __future__ import annotations

import sys

from benchmarks import (
    cli,
    count,
    encode,
    ladder,
    latency,
    measure,
    pathological,
    scaling,
    score,
    statistics,
    train,
    whole,
)

MODULES = (train, count, encode, score, measure, whole, ladder, latency, pathological, scaling, statistics)
BENCHMARKS = [module.BENCHMARK for module in MODULES]

if __name__ == "__main__":
    sys.exit(cli.main(BENCHMARKS))
