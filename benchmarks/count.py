"""Counting a file's pretokens. The peers have no such call; for them it is a training with a single merge."""

from __future__ import annotations

import sys

from benchmarks import cli, train
from benchmarks.engines import OURS
from benchmarks.harness import Answers, Case, Job

PLAIN = "reference"
ONE_MERGE = 256 + 1 + 1


def judge(answers: Answers) -> dict[str, str]:
    """Ours: the pretokens of the text's beginning are the reference's, and all threads find the same totals. Peers: the
    one merge is the right one."""
    wrong = train.judge(answers) if f"{OURS} {train.BY_LINES}" in answers else {}
    ours = {name: answer for name, answer in answers.items() if "pretokens" in answer}
    expected = answers.get(f"{OURS} {PLAIN}")
    for name, answer in ours.items():
        if expected is None or answer["sample"] != expected["sample"]:
            wrong[name] = "not the reference's pretokens at the beginning of the text"
        elif answer != next(iter(ours.values())):
            wrong[name] = "another number of threads counts otherwise"
    return wrong


def cases(options: cli.Options) -> list[Case]:
    peers = [name for name in cli.installed(BENCHMARK.engines, options.engines) if name != OURS]
    found = []
    for text in options.texts:
        path = str(text.path)
        for variant in ("gpt2", "cl100k"):
            arguments = {"path": path, "variant": variant}
            jobs = [Job(OURS, "benchmarks.work:count_plainly", arguments, PLAIN, timed=False)]
            for threads in sorted({1, options.threads}, reverse=True):
                more = {"threads": threads, "passes": options.passes}
                jobs.append(Job(OURS, "benchmarks.work:count", arguments | more, f"threads={threads}"))
            if variant == "gpt2" and peers:
                jobs += train.jobs_of(peers, path, ONE_MERGE, "count") + train.expectations(path, ONE_MERGE)
            baseline = f"{OURS} threads={options.threads}"
            found.append(Case({"text": text.name, "pattern": variant}, text.bytes, jobs, judge, baseline))
    return found


BENCHMARK = cli.Benchmark(
    "count",
    "Counting the pretokens of a file. The peers have no call for it; theirs is a training with a single merge.",
    cases,
    (OURS, "gigabpe", "gigatoken", "tokenizers"),
)

if __name__ == "__main__":
    sys.exit(cli.main([BENCHMARK]))
