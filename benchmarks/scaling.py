"""Counting and encoding with one thread and with more, and in processes that share nothing."""

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
        apart = arguments | {"processes": many}
        jobs.append(Job(OURS, "benchmarks.work:scaling_apart", apart, f"processes={many}"))
        size = min(text.bytes, options.limit or text.bytes)
        judge = equal_to(jobs[0].name)
        found.append(Case({"text": text.name}, size, jobs, judge, baseline=jobs[1].name))
    return found


BENCHMARK = cli.Benchmark(
    "scaling",
    "Counting pretokens of cl100k, encoding by it and counting tokens alone, with one thread and with more: the ratio "
    "of one thread is the gain. Processes of one thread each, which share nothing, do all of it at the same time. "
    "Their time is divided by their number, and is what the machine allows. The answers must be the same.",
    cases,
    (OURS,),
)

if __name__ == "__main__":
    sys.exit(cli.main([BENCHMARK]))
