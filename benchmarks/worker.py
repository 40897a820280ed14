"""The process of one job: reads it as JSON from standard input, writes its outcome as a line of JSON."""

from __future__ import annotations

import dataclasses
import importlib
import json
import re
import sys
from pathlib import Path

from benchmarks.harness import RESULT, Outcome


def peak_bytes() -> int | None:
    """The most memory this process has held. Linux's getrusage counts the parent's from before ``exec`` as well, so
    that the process's own status is read first."""
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    except OSError:
        found = None
    if found:
        return int(found[1]) * 1024
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def main() -> None:
    request = json.load(sys.stdin)
    module, _, name = request["function"].partition(":")
    outcome: Outcome = getattr(importlib.import_module(module), name)(**request["arguments"])
    outcome.peak_bytes = outcome.peak_bytes or peak_bytes()
    print(RESULT + json.dumps(dataclasses.asdict(outcome)), flush=True)


if __name__ == "__main__":
    main()
