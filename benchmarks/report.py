"""Results as a table, as JSON, and as the figures in ``docs/performance.md``."""

from __future__ import annotations

import dataclasses
import datetime
import json
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from benchmarks.engines import ENGINES
from benchmarks.harness import ROOT, Measure, Result, Row, processors

if TYPE_CHECKING:
    from benchmarks.cli import Benchmark
    from benchmarks.texts import TextFile

PAGE = ROOT / "docs" / "performance.md"
SCHEMA = 1
DEFAULT_VOCAB = 32_000
BEGIN, END = "<!-- figures: begin (python -m benchmarks --markdown) -->", "<!-- figures: end -->"


# ── table ───────────────────────────────────────────────────────────────────────────────────────────────────


def table(results: Sequence[Result], benchmark: Benchmark, style: str = "simple") -> str:
    """A line for each job and measure, with the ratio of its time to the baseline's."""
    lines: list[dict[str, str]] = []
    notes: list[str] = []
    for result in results:
        for row in result.rows:
            lines += _lines(result, row, benchmark)
        notes += [f"{', '.join(result.labels.values())}: {note}" for note in result.notes]
    columns = dict.fromkeys(column for line in lines for column in line)
    cells = [[line.get(column, "") for column in columns] for line in lines]
    text = tabulate(cells, headers=list(columns), tablefmt=style, disable_numparse=True)
    baselines = " or ".join(dict.fromkeys(result.baseline for result in results))
    legend = [f"ratio: the time divided by that of {baselines} in the same round, median of the rounds."]
    return "\n".join([text, "", *(legend if benchmark.measures else []), *dict.fromkeys(notes)])


def _lines(result: Result, row: Row, benchmark: Benchmark) -> list[dict[str, str]]:
    start = result.labels | {"engine": row.job}
    if row.status != "measured":
        return [start | {"measure": "", "median": row.status}]
    memory = {"peak MB": f"{row.peak_bytes / 1e6:.0f}"} if row.peak_bytes else {}
    lines = []
    if not benchmark.measures:
        return [start | {name: f"{ratio:.2f}" for name, ratio in row.ratios.items()}]
    for name, measure in row.measures.items():
        if name == "build":  # in the JSON only
            continue
        line = start | {"measure": name, "median": seconds(measure.median), "min–max": _spread(measure)}
        if benchmark.speed:
            line["MB/s"] = f"{result.bytes / measure.median / 1e6:.1f}"
        line["ratio"] = f"{measure.ratio:.2f}" if measure.ratio is not None else ""
        lines.append(line | memory)
    lines += [start | {"measure": name, "ratio": f"{ratio:.2f}"} for name, ratio in row.ratios.items()]
    return lines


def seconds(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def _spread(measure: Measure) -> str:
    return f"{seconds(measure.least)} – {seconds(measure.greatest)}"


# ── JSON ────────────────────────────────────────────────────────────────────────────────────────────────────


def document(
    results: dict[str, list[Result]], files: Iterable[TextFile], command: str, vocab: int = DEFAULT_VOCAB
) -> dict[str, Any]:
    """Everything that is needed to repeat a run and to compare with it."""
    return {
        "schema": SCHEMA,
        "command": command,
        "vocab": vocab,
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "commit": commit(),
        "machine": machine(),
        "versions": {name: engine.version for name, engine in ENGINES.items() if engine.installed},
        "texts": [{"name": file.name, "bytes": file.bytes, "sha256": file.sha256} for file in files],
        "benchmarks": {name: [dataclasses.asdict(one) for one in many] for name, many in results.items()},
    }


def write_json(document: dict[str, Any], path: Path) -> None:
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def commit() -> str:
    """The commit that was measured, marked where the tree had changes (other than what a benchmark wrote)."""
    git = shutil.which("git")
    if git is None:
        return "unknown"

    def told(*command: str) -> str:
        return subprocess.run([git, *command], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

    changed = told("status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude)docs/performance.md")
    return (told("rev-parse", "--short=12", "HEAD") or "unknown") + ("-dirty" if changed else "")


def machine() -> dict[str, Any]:
    return {
        "processor": _processor(),
        "processors": processors(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "rustc": rustc(),
    }


def _processor() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


def rustc() -> str:
    """The version of the compiler that is found now; normally the one that built the core."""
    program = shutil.which("rustc")
    if program is None:
        return "unknown"
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


# ── Markdown ────────────────────────────────────────────────────────────────────────────────────────────────


def write_markdown(
    document: dict[str, Any], results: dict[str, list[Result]], benchmarks: Sequence[Benchmark], page: Path = PAGE
) -> None:
    """Puts the figures between the page's markers. A benchmark that wasn't run keeps the block it has, and so do runs
    with another vocabulary."""
    text = page.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        sys.exit(f"{page.name} has no lines {BEGIN!r} and {END!r}")
    head, rest = text.split(BEGIN, 1)
    before, tail = rest.split(END, 1)
    blocks = dict(re.findall(r"^### ([^\n]+)\n(.*?)(?=^### |\Z)", before, re.MULTILINE | re.DOTALL))
    for benchmark in benchmarks:
        vocab = document.get("vocab", DEFAULT_VOCAB)
        title = benchmark.name + (f", vocabulary of {vocab:,}" if vocab != DEFAULT_VOCAB else "")
        blocks[title] = _block(document, results[benchmark.name], benchmark)
    body = "".join(f"### {name}\n\n{block.strip()}\n\n" for name, block in blocks.items())
    page.write_text(f"{head}{BEGIN}\n\n{body}{END}{tail}", encoding="utf-8")


def _block(document: dict[str, Any], results: list[Result], benchmark: Benchmark) -> str:
    machine = document["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    sizes = ", ".join(f"{text['name']} ({text['bytes']:,} bytes)" for text in document["texts"])
    return "\n".join(
        [
            f"{benchmark.about}",
            "",
            f"`{document['command']}` on {document['date']} at commit {document['commit']}; {machine['processor']}, "
            f"{machine['processors']} processors, {machine['system']}, Python {machine['python']}, {machine['rustc']}. "
            f"Texts: {sizes}. Versions: {versions}.",
            "",
            table(results, benchmark, "github"),
        ]
    )
