"""All benchmarks, one after the other."""

from __future__ import annotations

import sys

from benchmarks import cli, count, encode, ladder, latency, pathological, scaling, score, train

BENCHMARKS = [module.BENCHMARK for module in (train, count, encode, score, ladder, latency, pathological, scaling)]

if __name__ == "__main__":
    sys.exit(cli.main(BENCHMARKS))
