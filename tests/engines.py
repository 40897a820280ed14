"""The two engines, for tests that compare them. A missing core fails the test: skipping would hide a broken build."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

from tokenizers_impl import engine


def native() -> ModuleType:
    if engine._load()[1] != "native":
        pytest.fail(f"the compiled core is needed here: {engine.reason()}")
    return importlib.import_module("tokenizers_impl._native")


def reference() -> ModuleType:
    return importlib.import_module("tokenizers_impl.reference")


ENGINES = ("native", "reference")
