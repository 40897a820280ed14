"""The ladder: a held-out text's tokens at every vocabulary size, beside one training."""

from __future__ import annotations

import sys

from benchmarks import cli
from benchmarks.engines import OURS
from benchmarks.harness import Answers, Case, Job


def judge(answers: Answers) -> dict[str, str]:
    return {
        name: "at some size it isn't what the tokenizer of that size counts"
        for name, answer in answers.items()
        if not answer["same"]
    }


def cases(options: cli.Options) -> list[Case]:
    ratios = {"ladder ÷ training": ("ladder", "train"), "training and ladder ÷ training": ("both", "train")}
    found = []
    for text in options.texts:
        arguments = {"path": str(text.path), "vocab": options.vocab, "passes": 1, "threads": options.threads}
        job = Job(OURS, "benchmarks.work:ladder", arguments)
        labels = {"text": text.name, "vocab": f"{options.vocab:,}"}
        found.append(Case(labels, text.bytes, [job], judge, ratios=ratios))
    return found


BENCHMARK = cli.Benchmark(
    "ladder",
    "The tokens of the last tenth of a text at every vocabulary size, after a training on the rest. Three sizes must "
    "have the tokens that a tokenizer cut to them counts.",
    cases,
    (OURS,),
    speed=False,
)

if __name__ == "__main__":
    sys.exit(cli.main([BENCHMARK]))
