"""Which engine serves: the compiled core, or the pure-Python reference where the core could not be built.

Everything else in this package asks for ``engine.active()`` and never imports either engine by name, so that
the two are interchangeable, in tests as well.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from tokenizers_impl.errors import TokenizerError, suggestion

# Rises with every change of the core's interface: a module left over from an older build is then refused.
API_VERSION = 14
VARIABLE = "EVALKIT_ENGINE"
"""In the environment: ``reference`` asks for the reference although there is a core."""

_forced: ModuleType | None = None
_loaded: tuple[ModuleType, str, str] | None = None


def _load() -> tuple[ModuleType, str, str]:
    """(module, its name, why it was chosen)."""
    asked = os.environ.get(VARIABLE, "")
    if asked not in ("", "native", "reference"):
        hint = suggestion(asked, ("native", "reference"))
        raise TokenizerError(f"{VARIABLE} is {asked!r}{hint}; it is native or reference, or not set")
    if asked == "reference":
        return _reference(), "reference", f"{VARIABLE}=reference asks for it"
    try:
        # `from tokenizers_impl import _native` would report a missing module as a circular import.
        module = importlib.import_module("tokenizers_impl._native")
    except ImportError as error:
        return _reference(), "reference", f"the compiled core could not be imported: {error}"
    found = getattr(module, "API_VERSION", None)
    if found != API_VERSION:
        return (
            _reference(),
            "reference",
            f"the compiled core has interface version {found}, this package needs {API_VERSION}: install again",
        )
    return module, "native", f"the compiled core, {os.path.basename(module.__file__ or '')}"


def _reference() -> ModuleType:
    return importlib.import_module("tokenizers_impl.reference")


def _state() -> tuple[ModuleType, str, str]:
    global _loaded
    if _loaded is None:
        _loaded = _load()
    return _loaded


def stale() -> str | None:
    """In a checkout, why the compiled core in use isn't that of the sources beside it; None where it is, where there
    are none, and on the reference."""
    native = Path(__file__).resolve().parent.parent / "native"
    if name() != "native" or not (native / "Cargo.toml").is_file():
        return None
    found, there = getattr(active(), "SOURCES", "unknown"), _sources(native)
    if found == there:
        return None
    return f"the compiled core was built from other sources ({found}) than those in {native} ({there}): install again"


def _sources(native: Path) -> str:
    """The checksum that ``native/build.rs`` gives the core."""
    files = {path.relative_to(native).as_posix(): path for path in (native / "src").rglob("*.rs")}
    files["Cargo.toml"] = native / "Cargo.toml"
    total = 0
    for path in sorted(files):
        total = zlib.crc32(files[path].read_bytes(), zlib.crc32(path.encode(), total))
    return f"{total:08x}"


def active() -> ModuleType:
    """The engine module in use; it has the interface of ``_native.pyi``."""
    return _forced if _forced is not None else _state()[0]


def name() -> str:
    """``native`` or ``reference``."""
    if _forced is not None:
        return "reference" if _forced.__name__.endswith("reference") else "native"
    return _state()[1]


def reason() -> str:
    """Why that engine is in use, as a phrase for people."""
    return _state()[2]


@contextlib.contextmanager
def use(engine_name: str) -> Iterator[ModuleType]:
    """Inside the block, new tokenizers are built on the named engine (for checks that compare the two)."""
    global _forced
    before = _forced
    if engine_name == "reference":
        _forced = _reference()
    elif engine_name == "native":
        if _state()[1] != "native":
            raise RuntimeError(f"the compiled core is not available: {_state()[2]}")
        _forced = _state()[0]
    else:
        raise ValueError(f"unknown engine {engine_name!r}; it is 'native' or 'reference'")
    try:
        yield _forced
    finally:
        _forced = before
