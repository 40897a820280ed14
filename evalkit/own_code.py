"""Python that a suite brings (``module:function``): found from the suite's folder first, its mistakes told as its own.

Whether it may run at all is asked before, by :mod:`evalkit.trust`.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from evalkit.errors import UserError, nearest

LONGEST_MESSAGE = 300
"""Code points of an exception's text that are shown."""


def load_object(path: str, base_dir: Path, what: str, near: type | None = None) -> Any:
    """What ``module:name`` is, ``what`` being what to call it in an error. ``near``: names of such things are what a
    wrong name is likened to; of callables where it is None. Raises :class:`UserError`."""
    module_name, _, attribute = path.partition(":")
    try:
        found = _module(module_name, base_dir)
    except ModuleNotFoundError as error:
        missing = f"there is no module {error.name!r}, neither installed nor in {base_dir}"
        raise UserError(f"{what} python: {path} can't be loaded: {missing}") from None
    except UserError as error:
        raise UserError(f"{what} python: {path} can't be loaded: {error}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit too, which would end evalkit with the module's own code
        raise UserError(f"{what} python: {path} can't be loaded: {told(error)}") from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            alike = callable if near is None else near.__instancecheck__
            hint = nearest(part, [name for name, value in vars(found).items() if alike(value)])
            problem = f"{module_name} has no {part!r}{f' ({hint})' if hint else ''}"
            raise UserError(f"{what} python: {path} can't be loaded: {problem}")
        found = getattr(found, part)
    return found


_OF_SUITES: set[str] = set()
"""The first parts of the names of modules that were imported from a suite's folder."""


def _module(name: str, folder: Path) -> Any:
    first = name.partition(".")[0]
    with _importing_from(folder):
        own = PathFinder.find_spec(first, [str(folder)])
        there = getattr(sys.modules.get(first), "__file__", None)
        if own is not None and own.origin is not None and first in sys.modules and not _same(there, own.origin):
            if first not in _OF_SUITES:
                raise UserError(
                    f"the module {first!r} is {there or 'a part of Python'} already, and not {own.origin}: rename yours"
                )
            # Another suite's, of the same name: without this, that suite's code would be taken for this one's.
            for other in [one for one in sys.modules if one.partition(".")[0] == first]:
                del sys.modules[other]
        found = importlib.import_module(name)
        if own is not None:
            _OF_SUITES.add(first)
        return found


def _same(file: str | None, other: str) -> bool:
    return file is not None and os.path.realpath(file) == os.path.realpath(other)


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Modules are sought in the suite's folder first, during an import."""
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))


@contextmanager
def staying() -> Iterator[None]:
    """The working directory is what it was at the end of the block, or of the function that this decorates: code of the
    user's may change it, and where a report goes is a matter of where the command was given."""
    try:
        before = os.getcwd()
    except FileNotFoundError:  # deleted, which is no reason not to run
        yield
        return
    try:
        yield
    finally:
        os.chdir(before)


def told(error: BaseException) -> str:
    """An exception of the user's code in one line, not too long."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # such as a __str__ of their own that raises
        text = ""
    if len(text) > LONGEST_MESSAGE:
        text = f"{text[: LONGEST_MESSAGE - 1]}…"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
