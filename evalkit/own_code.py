"""Python that a suite brings (``module:function``): found from the suite's folder first, its mistakes told as its own.

Whether it may run at all is asked before, by :mod:`evalkit.trust`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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


def _module(name: str, folder: Path) -> Any:
    with _importing_from(folder):
        return importlib.import_module(name)


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Modules are sought in the suite's folder first, during an import."""
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def told(error: BaseException) -> str:
    """An exception of the user's code in one line, not too long."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # such as a __str__ of their own that raises
        text = ""
    if len(text) > LONGEST_MESSAGE:
        text = f"{text[: LONGEST_MESSAGE - 1]}…"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
