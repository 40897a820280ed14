"""Where results were made: versions, engine, machine, threads, commit. None of it enters a digest."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import subprocess
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from tokenizers_impl import engine

# What a figure can depend on. Those that aren't installed are left out.
PACKAGES = ("evalkit", "numpy", "regex", "tiktoken", "tokenizers", "sentencepiece", "jieba")


def environment(threads: int) -> dict[str, Any]:
    """The block of ``results.json``. ``commit`` is there in a git checkout only."""
    found: dict[str, Any] = {
        "versions": {"python": platform.python_version()} | _packages(),
        "engine": {"name": engine.name(), "reason": engine.reason()},
        "unicode": engine.active().unicode_version(),
        "segmenter": _segmenter(),
        "machine": {
            "system": f"{platform.system()} {platform.release()}",
            "architecture": platform.machine(),
            "processors": os.cpu_count(),
        },
        "threads": threads,
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }
    if commit := _commit(Path(__file__).resolve().parent.parent):
        found["commit"] = commit
    return found


def _packages() -> dict[str, str]:
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = _version(importlib.metadata.distribution(name))
        except importlib.metadata.PackageNotFoundError:
            continue
    if "evalkit" not in versions:
        from evalkit import __version__

        versions["evalkit"] = __version__
    return versions


def _version(package: importlib.metadata.Distribution) -> str:
    """``package.version`` reads the whole description with it, which takes ten times as long."""
    head = (package.read_text("METADATA") or "").partition("\n\n")[0]
    found = re.search(r"^Version: (.+)$", head, re.MULTILINE)
    return found[1].strip() if found else package.version


def _segmenter() -> str | None:
    try:
        version: str = engine.active().segmenter_version()
    except NotImplementedError:
        return None
    return version


def _commit(source: Path) -> str | None:
    """The commit of the source tree, marked where files differ from it; None outside a checkout."""
    if not (source / ".git").exists():
        return None
    try:
        commit = _git(source, "rev-parse", "HEAD")
        changed = _git(source, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{commit} (with changes)" if changed else commit


def _git(source: Path, *arguments: str) -> str:
    command = ["git", "-C", str(source), *arguments]
    done = subprocess.run(command, capture_output=True, timeout=10, check=True)
    return done.stdout.decode("utf-8", "replace").strip()  # names of files in any encoding, whatever the locale
