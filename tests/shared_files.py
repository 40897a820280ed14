"""Files that stand beside the repository where it is developed; tests that want them are skipped elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "shared"


def shared(path: str) -> Path:
    """``../shared/<path>``; skips the test, with the reason, where it isn't there."""
    found = FOLDER / path
    if not found.exists():
        pytest.skip(f"there is no {path} in the folder 'shared' beside the repository")
    return found
