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
        size = min(text.bytes, options.limit or text.bytes)
        for vocabularies in ("cut from one", "trained apart"):
            jobs = []
            for many in (1, 2, 4, 8):
                more = {"many": many, "passes": options.passes, "threads": options.threads}
                more["apart"] = vocabularies == "trained apart"
                jobs.append(Job(OURS, "benchmarks.work:score", arguments | more, f"N={many}"))
            labels = {"text": text.name, "vocabularies": vocabularies}
            found.append(Case(labels, size, jobs, judge, f"{OURS} N=1"))
    return found


BENCHMARK = cli.Benchmark(
    "score",
    "N tokenizers that share a pattern on one text: one vocabulary cut to N sizes, whose ids nest, or each trained on "
    "another part of the text. The tokens must be those that each counts by itself.",
    cases,
    (OURS,),
)

if __name__ == "__main__":
    sys.exit(cli.main([BENCHMARK]))
