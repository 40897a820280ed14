"""Instructions of the core's paths on a fixed text: a check of speed that noise can't disturb.

    python -m benchmarks.instructions            compares with benchmarks/instructions.json; exit status 1 for more
    python -m benchmarks.instructions --update   writes that file anew

``native/examples/instructions.rs`` runs under callgrind. What a path takes is the difference between a run that does it
and one that only prepares it. The count depends on the compiler and on what processor it compiles or chooses code for,
so that it is compared only where these are those of the baseline.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabulate import tabulate

from benchmarks.harness import ROOT
from benchmarks.report import rustc

BASELINE = Path(__file__).with_name("instructions.json")
SCHEMA = 1
TOLERANCE = 0.03


@dataclass(frozen=True)
class Counted:
    """A path of the example; its instructions are those that ``passes`` has more than one pass less."""

    path: str
    passes: int = 1


PATHS = {
    "split gpt2": Counted("split-gpt2"),
    "split cl100k": Counted("split-cl100k"),
    "split o200k": Counted("split-o200k"),
    "count": Counted("count"),
    "train": Counted("train"),
    "encode, first": Counted("encode"),
    "encode, repeated": Counted("encode", 2),
    "count tokens, repeated": Counted("count-tokens", 2),
}


def surroundings() -> dict[str, str]:
    """What a count depends on beside the code."""
    try:
        flags = re.search(r"^flags\s*:.*\bavx2\b", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        flags = None
    return {
        "rustc": rustc(),
        "target": f"{platform.machine()} {platform.system()}",
        "avx2": "yes" if flags else "no",
        "text": _text_hash(),
    }


def _text_hash() -> str:
    """Of the files that the example's text is made of."""
    source = ROOT / "native" / "benches" / "fixture" / "mod.rs"
    digest = hashlib.sha256()
    for path in re.findall(r'include_str!\("([^"]+)"\)', source.read_text(encoding="utf-8")):
        digest.update((source.parent / path).read_bytes())
    return digest.hexdigest()


def build() -> Path:
    command = ["cargo", "build", "--quiet", "--release", "--example", "instructions", "--message-format", "json"]
    done = subprocess.run(
        [*command, "--manifest-path", str(ROOT / "native" / "Cargo.toml")], stdout=subprocess.PIPE, check=True
    )
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
    found = [message["executable"] for message in messages if message.get("executable")]
    return Path(found[-1])


def count(program: Path) -> dict[str, int]:
    runs: dict[tuple[str, int], int] = {}

    def of(path: str, passes: int) -> int:
        if (path, passes) not in runs:
            runs[path, passes] = _collected(program, path, passes)
        return runs[path, passes]

    return {name: of(one.path, one.passes) - of(one.path, one.passes - 1) for name, one in PATHS.items()}


def _collected(program: Path, path: str, passes: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
        command = [*valgrind, f"./{program.name}", path, str(passes)]
        done = subprocess.run(
            command, cwd=program.parent, env=_environment(), capture_output=True, text=True, check=False
        )
    found = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if done.returncode or found is None:
        raise SystemExit(f"callgrind failed on {path}:\n{done.stderr}")
    return int(found[1])


def _environment() -> dict[str, str]:
    """The same memory layout everywhere.

    Whether a vector that grows stays where it is or is copied elsewhere depends on what else the heap holds, be it the
    length of the program's own path: that made 4 % of a path. From this size on the system moves pages instead.
    """
    return {"PATH": os.environ.get("PATH", os.defpath), "MALLOC_MMAP_THRESHOLD_": str(1 << 16)}


def compare(counted: dict[str, int], baseline: dict[str, int]) -> tuple[str, bool]:
    """(a table, whether a path takes more than the tolerance allows)."""
    rows, more = [], False
    for name, now in counted.items():
        before = baseline.get(name)
        change = "new" if before is None else f"{now / before - 1:+.2%}"
        verdict = ""
        if before is not None and now > before * (1 + TOLERANCE):
            verdict, more = "more", True
        elif before is not None and now < before * (1 - TOLERANCE):
            verdict = "fewer: --update"
        rows.append([name, f"{now:,}", "" if before is None else f"{before:,}", change, verdict])
    headers = ["path", "instructions", "baseline", "change", ""]
    return tabulate(rows, headers, disable_numparse=True, colalign=("left", "right", "right", "right", "left")), more


def differing(here: dict[str, str], there: dict[str, Any]) -> list[str]:
    return [f"{name} is {here[name]}, was {there.get(name)}" for name in here if here[name] != there.get(name)]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the counts as the new baseline")
    arguments = parser.parse_args(argv)
    missing = [program for program in ("cargo", "valgrind") if shutil.which(program) is None]
    if missing:
        print(f"instructions not counted: no {' and no '.join(missing)} on this machine")
        return int(arguments.update)
    here = surroundings()
    stored = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.is_file() else {}
    other = differing(here, stored.get("surroundings", {}))
    if other and not arguments.update:
        print(f"instructions not compared: {'; '.join(other)}")
        # A changed text is a change of this tree, whose counts have to be taken anew; the rest is the machine's.
        return int(stored.get("surroundings", {}).get("text") != here["text"])
    counted = count(build())
    table, more = compare(counted, stored.get("instructions", {}))
    print(table)
    if arguments.update:
        document = {"schema": SCHEMA, "surroundings": here, "instructions": counted}
        BASELINE.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        return 0
    if more:
        print(f"more than {TOLERANCE:.0%} over the baseline; --update if that is meant")
    return int(more)


if __name__ == "__main__":
    sys.exit(main())
