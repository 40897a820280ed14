"""One call on a string of 60 characters, from Python."""

from __future__ import annotations

import sys

from benchmarks import cli, encoders
from benchmarks.engines import OURS
from benchmarks.harness import Case, Job, equal_to

TEXT = "The ferry to the island leaves at 7:45, unless it's foggy :)"
CALLS = 5_000


def cases(options: cli.Options) -> list[Case]:
    engines = cli.installed(BENCHMARK.engines, options.engines)
    found = []
    for vocabulary, files in options.files(options.texts[0]).items():
        jobs = []
        for engine in encoders.ENCODERS:
            wanted = engine in engines
            published = files["published"] is not None
            if not encoders.can_be_called(engine, published) or not (wanted or engine == "tiktoken"):
                continue
            calls = CALLS // 10 if options.quick else CALLS
            arguments = {"engine": engine, "files": files, "text": TEXT, "calls": calls, "passes": 5}
            jobs.append(Job(engine, "benchmarks.encoders:measure_latency", arguments, timed=wanted))
        found.append(Case({"vocabulary": vocabulary}, len(TEXT), jobs, equal_to("tiktoken")))
    return found


BENCHMARK = cli.Benchmark(
    "latency",
    f"One call of encode on a string of {len(TEXT)} characters, the same each time: the mean of {CALLS:,} calls.",
    cases,
    (OURS, "tiktoken", "gigatoken", "tokenizers", "quicktok", "bpe_openai"),
    speed=False,
)

if __name__ == "__main__":
    sys.exit(cli.main([BENCHMARK]))
