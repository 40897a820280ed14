"""The user's cache folder: one place for rebuilt vocabularies and trained tokenizers."""

from __future__ import annotations

import os
import sys
from pathlib import Path

VARIABLE = "EVALKIT_CACHE_DIR"


def cache_root() -> Path:
    """``EVALKIT_CACHE_DIR``, else the system's usual place. Nothing is created. Absolute: code of the user's may change
    the working directory between two uses."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen).expanduser().absolute()
    if chosen := os.environ.get("XDG_CACHE_HOME"):
        return Path(chosen) / "evalkit"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "evalkit"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "evalkit" / "Cache"
    return Path.home() / ".cache" / "evalkit"
