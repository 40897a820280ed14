"""Python in a process of its own, with the modules that the tests see."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence


def run_python(
    arguments: Sequence[str],
    *,
    seconds: float,
    variables: Mapping[str, str | None] | None = None,
    engine: str = "native",
) -> str:
    """What it writes to standard output. ``variables``: None takes one away. Fails the test where it doesn't end
    well, or not in time."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environment["EVALKIT_ENGINE"] = "reference" if engine == "reference" else ""
    for name, value in (variables or {}).items():
        environment.pop(name, None)
        if value is not None:
            environment[name] = value
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, timeout=seconds, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    return done.stdout.decode("utf-8")
