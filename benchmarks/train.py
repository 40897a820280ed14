"""Training, from a file to a saved tokenizer: byte level, GPT-2 pattern, one special token."""

from __future__ import annotations

import sys
from typing import Any

from benchmarks import cli, training
from benchmarks.engines import OURS
from benchmarks.harness import Answers, Case, Job

BY_LINES, BY_DOCUMENTS, PLAIN = "expected by lines", "expected by documents", "plain trainer"
TOLERANCE = 0.005
REFERENCE_BYTES = 100_000


def jobs_of(trainers: list[str], path: str, vocab: int, measure: str) -> list[Job]:
    jobs = []
    for trainer in trainers:
        engine, _, label = trainer.partition(" ")
        arguments = {"trainer": trainer, "path": path, "vocab": vocab, "name": measure}
        jobs.append(Job(engine, "benchmarks.training:measure", arguments, label))
    return jobs


def expectations(path: str, vocab: int) -> list[Job]:
    """What the merges must be, where a peer promises Hugging Face's rule."""
    both = ((BY_LINES, True), (BY_DOCUMENTS, False))
    function, arguments = "benchmarks.training:expected", {"path": path, "vocab": vocab}
    return [Job(OURS, function, arguments | {"lines": lines}, name, timed=False) for name, lines in both]


def judge(answers: Answers) -> dict[str, str]:
    """The same merges where the same rule is promised; elsewhere the size that was asked for, and a text's tokens
    within half a per cent of ours."""
    wrong: dict[str, str] = {}
    by_lines, by_documents = answers.get(f"{OURS} {BY_LINES}"), answers.get(f"{OURS} {BY_DOCUMENTS}")
    if by_lines is None or by_documents is None:
        return dict.fromkeys(answers, "there is nothing to check it by: our own trainer gave no answer")
    # Hugging Face's own trainer is what its rule means. Where it learns other merges than ours, ours are wrong.
    theirs: dict[str, Any] = answers.get("tokenizers") or by_lines
    if theirs["hash"] != by_lines["hash"]:
        wrong[f"{OURS} huggingface"] = "tokenizers learns other merges"
    if "gigabpe" in answers and answers["gigabpe"]["hash"] != theirs["hash"]:
        wrong["gigabpe"] = "not the merges of tokenizers"
    for name, kind in (("gigatoken", "hash"), (f"{OURS} huggingface", "without_mark")):
        if name in answers and answers[name]["hash"] != by_documents[kind]:
            wrong.setdefault(name, "not the merges of Hugging Face's rule on these documents")
    if not answers.get(f"{OURS} {PLAIN}", True):
        wrong[OURS] = "the plain trainer learns other merges from the beginning of the text"
    for name in (OURS, "rustbpe", "ffbpe", "bpeasy"):
        if name in answers and (found := _unlike(answers[name], by_documents)):
            wrong.setdefault(name, found)
    return wrong


def _unlike(answer: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if answer["merges"] != expected["merges"]:
        return f"{answer['merges']:,} merges, not {expected['merges']:,}"
    ours = expected["tokens_of_the_end"]
    off = abs(answer["tokens_of_the_end"] / ours - 1) if ours else 0.0
    return f"{off:.2%} off our tokens of the text's end" if off > TOLERANCE else None


def cases(options: cli.Options) -> list[Case]:
    trainers = [
        name for name in training.TRAINERS if name.split()[0] in cli.installed(BENCHMARK.engines, options.engines)
    ]
    found = []
    for text in options.texts:
        path = str(text.path)
        arguments = {"path": path, "vocab": 500, "size": REFERENCE_BYTES}
        plain = Job(OURS, "benchmarks.training:reference", arguments, PLAIN, timed=False)
        jobs = [*jobs_of(trainers, path, options.vocab, "train"), *expectations(path, options.vocab), plain]
        found.append(Case({"text": text.name, "vocab": f"{options.vocab:,}"}, text.bytes, jobs, judge))
    return found


BENCHMARK = cli.Benchmark(
    "train",
    "Training from file to saved tokenizer. tokenizers, gigabpe and gigatoken must learn the merges of Hugging Face's "
    "rule; rustbpe, ffbpe and bpeasy, whose ties fall otherwise, as many merges and the same number of tokens within "
    "0.5 %.",
    cases,
    (OURS, "gigabpe", "gigatoken", "ffbpe", "rustbpe", "bpeasy", "tokenizers"),
)

if __name__ == "__main__":
    sys.exit(cli.main([BENCHMARK]))
