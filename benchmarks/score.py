"""Scoring a text under 1, 2, 4 and 8 tokenizers that share a split pattern, in one pass."""

from __future__ import annotations

import sys

from benchmarks import cli
from benchmarks.engines import OURS
from benchmarks.harness import Answers, Case, Job


def judge(answers: Answers) -> dict[str, str]:
    wrong: dict[str, str] = {}
    for name, answer in answers.items():
        if not answer["same"]:
            wrong[name] = "the scorer's tokens are not those that each tokenizer counts"
        elif answer["largest"] != next(iter(answers.values()))["largest"]:
            wrong[name] = "the largest tokenizer's tokens depend on the number of tokenizers"
    return wrong


def cases(options: cli.Options) -> list[Case]:
    found = []
    for text in options.texts:
        own = options.own(text)
        arguments = {"path": str(text.path), "limit": options.limit, "own": own}
        jobs = []
        for many in (1, 2, 4, 8):
            more = {"many": many, "passes": options.passes, "threads": options.threads}
            jobs.append(Job(OURS, "benchmarks.work:score", arguments | more, f"N={many}"))
        size = min(text.bytes, options.limit or text.bytes)
        found.append(Case({"text": text.name}, size, jobs, judge, f"{OURS} N=1"))
    return found


BENCHMARK = cli.Benchmark(
    "score",
    "N tokenizers that share a pattern (one vocabulary cut to N sizes) on one text. The tokens must be those that each "
    "counts by itself.",
    cases,
    (OURS,),
)

if __name__ == "__main__":
    sys.exit(cli.main([BENCHMARK]))
