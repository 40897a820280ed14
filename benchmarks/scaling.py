"""Counting and encoding with one thread and with more."""

from __future__ import annotations

import sys

from benchmarks import cli
from benchmarks.engines import OURS
from benchmarks.harness import Case, Job, equal_to


def cases(options: cli.Options) -> list[Case]:
    many = max(2, options.threads)
    found = []
    for text in options.texts:
        arguments = {
            "path": str(text.path),
            "limit": options.limit,
            "files": {"published": "cl100k_base"},
            "passes": options.passes,
        }
        jobs = [
            Job(OURS, "benchmarks.work:scaling", arguments | {"threads": threads}, f"threads={threads}")
            for threads in (1, many)
        ]
        size = min(text.bytes, options.limit or text.bytes)
        judge = equal_to(jobs[0].name)
        found.append(Case({"text": text.name}, size, jobs, judge, baseline=jobs[1].name))
    return found


BENCHMARK = cli.Benchmark(
    "scaling",
    "Counting pretokens of cl100k, and encoding by it, with one thread and with more. The ratio is the gain. The "
    "answers must be the same.",
    cases,
    (OURS,),
)

if __name__ == "__main__":
    sys.exit(cli.main([BENCHMARK]))
