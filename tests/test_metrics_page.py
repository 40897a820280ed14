"""docs/metrics.md says what the register says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_page_is_the_register_s() -> None:
    spec = importlib.util.spec_from_file_location("metrics_page", ROOT / "tools/metrics_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE == ROOT / "docs/metrics.md"
    assert module.PAGE.read_text(encoding="utf-8") == module.page(), "run: python tools/metrics_page.py"
