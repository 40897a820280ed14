"""Texts that are hard to split or to merge, for every variant: time per byte beside prose, and when they double."""

from __future__ import annotations

import sys

from benchmarks import cli, work
from benchmarks.engines import OURS
from benchmarks.harness import Answers, Case, Job
from tokenizers_impl import variants

SIZE = 1_000_000
QUICK = ("gpt2", "cl100k", "zh")


def judge(answers: Answers) -> dict[str, str]:
    return {name: "; ".join(answer["wrong"]) for name, answer in answers.items() if answer["wrong"]}


def cases(options: cli.Options) -> list[Case]:
    ratios = {name: (name, "prose") for name in work.HARD}
    ratios |= {f"{name} ×2": (name, f"{name}, half") for name in work.HARD}
    size = SIZE // 10 if options.quick else SIZE
    found = []
    for variant in QUICK if options.quick else [one.name for one in variants()]:
        arguments = {"variant": variant, "size": size, "vocab": options.vocab, "passes": options.passes}
        job = Job(OURS, "benchmarks.work:pathological", arguments)
        found.append(Case({"variant": variant}, size, [job], judge, ratios=ratios))
    return found


BENCHMARK = cli.Benchmark(
    "pathological",
    f"Encoding {SIZE // 1_000_000} MB of one letter, of blanks, of newlines, of random letters, of one Han run, from a "
    "cold cache: the time as a multiple of that of as much prose, and (×2) of that of half the text. The tokens must "
    "join to the text, and be the reference's on a short piece.",
    cases,
    (OURS,),
    measures=False,
)

if __name__ == "__main__":
    sys.exit(cli.main([BENCHMARK]))
