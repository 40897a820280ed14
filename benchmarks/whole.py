"""``evalkit run`` as a user starts it: a suite of three published tokenizers, from the shell to the written report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import cli, texts
from benchmarks.engines import OURS
from benchmarks.harness import Answers, Case, Job, Outcome
from benchmarks.measure import FIGURES_BYTES

BEYOND = "beyond start-up"
PUBLISHED = ("gpt2", "cl100k_base", "o200k_base")
START_UP = f"""
import gc, os, sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
from evalkit.ahead import read_ahead

read_ahead(sys.argv[1])
import evalkit.cli.run, evalkit.output, evalkit.pipeline
import tokenizers_impl as ti

for name in {PUBLISHED!r}:
    ti.from_tiktoken(name).count("loaded")
gc.freeze()
"""
"""What has to be there before anything of a run is measured: the modules, and the tokenizers. In the order of a run,
which begins and ends as here (``evalkit.__main__``, ``evalkit.cli.run``)."""


def judge(answers: Answers) -> dict[str, str]:
    return {name: answer["wrong"] for name, answer in answers.items() if answer["wrong"]}


def run(path: str, limit: int, passes: int) -> Outcome:
    """Seconds of starting up alone and of a whole run, in turn, and the difference. All metrics with their intervals,
    lines as documents; the cache and the compiled modules are warm, as from the second run on. The memory is the most
    that any of these processes took."""
    seconds: dict[str, list[float]] = {"start-up": [], "whole run": [], BEYOND: []}
    with tempfile.TemporaryDirectory(prefix="evalkit-benchmarks-") as folder:
        home = Path(folder)
        environment = {
            **{key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"},
            "PYTHONPYCACHEPREFIX": str(home / "modules"),
        }
        text = texts.read(path, limit).removeprefix("\ufeff").replace("\r", "")  # neither is of a document
        (home / "text.txt").write_text(text, encoding="utf-8", newline="")
        suite = home / "suite.yaml"
        suite.write_text(json.dumps(_suite(home / "text.txt")), encoding="utf-8")  # JSON is YAML
        start_up = [sys.executable, "-c", START_UP, str(suite)]
        whole = [sys.executable, "-m", "evalkit", "run", str(suite), "--out", str(home / "report")]
        for warm in (start_up, whole):
            _seconds(warm, environment)
        for _ in range(passes):
            least, all_of_it = _seconds(start_up, environment), _seconds(whole, environment)
            seconds["start-up"].append(least)
            seconds["whole run"].append(all_of_it)
            seconds[BEYOND].append(all_of_it - least)
        wrong = _wrong(home / "report", text)
    return Outcome(seconds, {"wrong": wrong}, _peak_of_children())


def _suite(text: Path) -> dict[str, object]:
    return {
        "version": 1,
        "name": "whole",
        "corpora": {"text": {"files": str(text), "document": "line"}},
        "tokenizers": [{"name": name, "tiktoken": name} for name in PUBLISHED],
        "measure": {"metrics": "all", "reference": PUBLISHED[1]},
    }


def _seconds(command: list[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[1:3])} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return time.perf_counter() - start


def _wrong(report: Path, text: str) -> str:
    """What is wrong with the run's tokens, by encoding the lines."""
    import tokenizers_impl as ti
    from evalkit.results import load_results

    results = load_results(report)
    for name in PUBLISHED:
        tokenizer = ti.from_tiktoken(name)
        expected = sum(map(len, tokenizer.encode_batch([line for line in text.split("\n") if line])))
        row = results.row("text", name, "tokens", "sum")
        if row is None or row.value != expected:
            return f"the tokens of {name} are {row and row.value}, where encoding each line gives {expected}"
    return ""


def _peak_of_children() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def cases(options: cli.Options) -> list[Case]:
    found = []
    for text in options.texts:
        some = min(text.bytes, FIGURES_BYTES)
        arguments = {"path": str(text.path), "limit": some, "passes": options.passes}
        job = Job(OURS, "benchmarks.whole:run", arguments, f"N={len(PUBLISHED)}")
        found.append(Case({"text": text.name}, some, [job], judge, job.name))
    return found


BENCHMARK = cli.Benchmark(
    "whole",
    f"`evalkit run` from the shell to the written report: {', '.join(PUBLISHED)} on {FIGURES_BYTES / 1e6:.1f} MB, all "
    "metrics and intervals, each line a document. Start-up is a process that imports what a run needs and loads these "
    "three, as a run begins. Tokens must be those of encoding each line.",
    cases,
    (OURS,),
    speed=False,
)

if __name__ == "__main__":
    sys.exit(cli.main([BENCHMARK]))
