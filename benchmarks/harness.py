"""What all benchmarks share: every engine in a process of its own, in rounds A B A B, checked before it is timed.

A benchmark makes cases. A case is one piece of work with one job for each engine that can do it, and a judge who looks
at the answers of all jobs. An engine whose answer is judged wrong has no time in the results, only the reason.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.engines import OURS

ROOT = Path(__file__).parent.parent


def processors() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class Job:
    """What one process does: ``function`` (``module:name``) with ``arguments``, and returns an :class:`Outcome`."""

    engine: str
    function: str
    arguments: dict[str, Any]
    label: str = ""
    """Tells apart two jobs of one engine."""
    timed: bool = True
    """False for a job that is there for its answer only; it runs once and is no row of the table."""

    @property
    def name(self) -> str:
        return f"{self.engine} {self.label}".strip()


@dataclass
class Outcome:
    """``seconds``: by the name of the measure, each time it was taken. ``answer``: what is checked."""

    seconds: dict[str, list[float]]
    answer: Any
    peak_bytes: int | None = None


Answers = dict[str, Any]
Judge = Callable[[Answers], dict[str, str]]
"""From the answers by job name to what is wrong with those that are wrong."""


@dataclass
class Case:
    labels: dict[str, str]
    bytes: int
    jobs: list[Job]
    judge: Judge
    baseline: str = OURS
    """The job that the others are divided by."""
    ratios: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Ratios within a job: their names, and which measure is divided by which."""
    notes: list[str] = field(default_factory=list)


@dataclass
class Measure:
    """Median, least and greatest of the rounds, in seconds, and the median of the rounds' ratios to the baseline."""

    median: float
    least: float
    greatest: float
    values: list[float]
    ratio: float | None = None


@dataclass
class Row:
    """One job's results. ``status`` is ``measured`` or says why there are none."""

    job: str
    engine: str
    status: str
    measures: dict[str, Measure] = field(default_factory=dict)
    ratios: dict[str, float] = field(default_factory=dict)
    peak_bytes: int | None = None


@dataclass
class Result:
    labels: dict[str, str]
    bytes: int
    rows: list[Row]
    baseline: str
    notes: list[str]


class JobFailed(Exception):
    """A job ended without an outcome; the message says how."""


RunJob = Callable[[Job], Outcome]


def in_own_process(job: Job) -> Outcome:
    request = json.dumps({"function": job.function, "arguments": job.arguments})
    command = [sys.executable, "-m", "benchmarks.worker"]
    done = subprocess.run(command, input=request, capture_output=True, text=True, cwd=ROOT, check=False)
    marked = [line for line in done.stdout.splitlines() if line.startswith(RESULT)]
    if done.returncode or not marked:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise JobFailed(said[-1].strip() if said else f"exit status {done.returncode}")
    return Outcome(**json.loads(marked[-1].removeprefix(RESULT)))


RESULT = "benchmark outcome: "
"""What the line with the outcome begins with; some libraries print lines of their own."""


def in_this_process(job: Job) -> Outcome:
    """For tests: no process is started, and memory isn't measured."""
    module, _, name = job.function.partition(":")
    outcome: Outcome = getattr(importlib.import_module(module), name)(**job.arguments)
    return Outcome(outcome.seconds, json.loads(json.dumps(outcome.answer)))


def run_case(
    case: Case, rounds: int, run: RunJob = in_own_process, say: Callable[[str], None] = lambda _: None
) -> Result:
    """Runs the jobs of a case in turn, ``rounds`` times, and judges their answers."""
    names = [job.name for job in case.jobs]
    if len(set(names)) != len(names):
        raise ValueError(f"two jobs have the same name: {names}")
    answers: Answers = {}
    wrong: dict[str, str] = {}
    outcomes: dict[str, list[Outcome]] = {name: [] for name in names}
    for number in range(rounds):
        for job in case.jobs:
            if job.name in wrong or (number and not job.timed):
                continue
            say(f"{' '.join(case.labels.values())}: {job.name}, round {number + 1} of {rounds}")
            try:
                outcome = run(job)
            except JobFailed as error:
                wrong[job.name] = f"failed: {error}"
                continue
            outcomes[job.name].append(outcome)
            if answers.setdefault(job.name, outcome.answer) != outcome.answer:
                wrong[job.name] = "its answer changed from one run to the next"
        if not number:  # what is judged wrong isn't run again
            wrong |= {name: reason for name, reason in case.judge(answers).items() if name not in wrong}
    rows = [_row(job, case, outcomes, wrong) for job in case.jobs if job.timed]
    notes = [f"{job.name}: {wrong[job.name]}" for job in case.jobs if not job.timed and job.name in wrong]
    return Result(case.labels, case.bytes, rows, case.baseline, case.notes + notes)


def _row(job: Job, case: Case, outcomes: dict[str, list[Outcome]], wrong: dict[str, str]) -> Row:
    reason = wrong.get(job.name)
    if reason is not None:
        failed = reason.startswith("failed: ")
        return Row(job.name, job.engine, reason if failed else f"no time, since the answer is wrong: {reason}")
    mine = outcomes[job.name]
    row = Row(job.name, job.engine, "measured")
    peaks = [outcome.peak_bytes for outcome in mine if outcome.peak_bytes is not None]
    row.peak_bytes = int(statistics.median(peaks)) if peaks else None
    theirs = outcomes.get(case.baseline, []) if case.baseline not in wrong else []
    for measure in mine[0].seconds:
        values = [statistics.median(outcome.seconds[measure]) for outcome in mine]
        base = [statistics.median(o.seconds[measure]) for o in theirs if measure in o.seconds]
        ratios = [value / other for value, other in zip(values, base, strict=False) if other]
        row.measures[measure] = Measure(
            statistics.median(values),
            min(values),
            max(values),
            values,
            statistics.median(ratios) if ratios else None,
        )
    for name, (over, under) in case.ratios.items():
        if over in row.measures and under in row.measures:
            pairs = zip(row.measures[over].values, row.measures[under].values, strict=True)
            row.ratios[name] = statistics.median(a / b for a, b in pairs)
    return row


# ── judges ──────────────────────────────────────────────────────────────────────────────────────────────────


def equal_to(*names: str) -> Judge:
    """All answers must be that of the first of these jobs that has one. Where none has, none is right."""

    def judge(answers: Answers) -> dict[str, str]:
        known = [name for name in names if name in answers]
        if not known:
            return dict.fromkeys(answers, f"there is nothing to check it by: {' and '.join(names)} gave no answer")
        expected = answers[known[0]]
        return {
            name: f"{_short(answer)}, where {known[0]} has {_short(expected)}"
            for name, answer in answers.items()
            if answer != expected
        }

    return judge


def all_of(*judges: Judge) -> Judge:
    def judge(answers: Answers) -> dict[str, str]:
        found: dict[str, str] = {}
        for one in judges:
            found = one(answers) | found
        return found

    return judge


def _short(answer: Any) -> str:
    shown = answer if isinstance(answer, str) else json.dumps(answer)
    return shown if len(shown) <= 60 else shown[:59] + "…"
