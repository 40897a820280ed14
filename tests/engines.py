"""The two engines, for tests that compare them. A missing core fails the test: skipping would hide a broken build."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

from tokenizers_impl import engine, registry
from tokenizers_impl.registry import VARIANTS


def native() -> ModuleType:
    if engine._load()[1] != "native":
        pytest.fail(f"the compiled core is needed here: {engine.reason()}")
    return importlib.import_module("tokenizers_impl._native")


def reference() -> ModuleType:
    return importlib.import_module("tokenizers_impl.reference")


ENGINES = ("native", "reference")

RIGHT_TO_LEFT = " right_to_left"
CUTS = [*VARIANTS, *(name + RIGHT_TO_LEFT for name, variant in VARIANTS.items() if variant.has_direction)]
"""Every way in which a text is cut: the variants, and those with a direction in the other one too."""


def variant_of(cut: str) -> tuple[str, str]:
    """The variant and the direction of one of ``CUTS``."""
    name = cut.removesuffix(RIGHT_TO_LEFT)
    return name, registry.LEFT_TO_RIGHT if name == cut else registry.RIGHT_TO_LEFT
