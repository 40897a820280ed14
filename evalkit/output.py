"""Writes the folder of a report: whole, or not at all."""

from __future__ import annotations

import ctypes
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evalkit.errors import UserError
from evalkit.results import Results
from evalkit.results_files import save_counts, to_csv

FORMATS = ("md", "html", "json", "csv")
MARKER = "results.json"  # every report has it, and its beginning tells it from another program's
_OURS = frozenset((MARKER, "report.md", "report.html", "results.csv", "counts.npz", "plots", "tokenizers"))
_MARKER_BEGINS = '{\n  "schema_version": '


def check_folder(folder: Path) -> None:
    """Raises ``UserError`` unless ``folder`` can be (re)placed: it isn't there, is empty, or holds a report.

    Asked before a run, so that nobody waits for a report that can't be written.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UserError(f"{folder} is not a folder; the report needs one of its own")
    if folder.is_dir() and any(folder.iterdir()) and not _is_report(folder):
        raise UserError(
            f"{folder} holds something that is not an evalkit report, and a report replaces its folder: "
            "choose another with --out"
        )
    if folder.is_dir() and (others := sorted(path.name for path in folder.iterdir() if path.name not in _OURS)):
        raise UserError(
            f"{folder} holds a report and also {', '.join(others[:3])}{' and more' if others[3:] else ''}, which a new "
            "report would remove with the folder: move it away, or choose another with --out"
        )


def _is_report(folder: Path) -> bool:
    if (folder / ".git").exists():  # a checkout is never replaced, whatever lies in it
        return False
    try:
        with (folder / MARKER).open(encoding="utf-8") as file:
            return file.read(len(_MARKER_BEGINS)) == _MARKER_BEGINS
    except (OSError, UnicodeDecodeError):
        return False


def write_folder(
    folder: Path,
    results: Results,
    tokenizers: Mapping[str, Any],
    formats: Sequence[str] = FORMATS,
    *,
    plots: bool = True,
) -> Path:
    """Writes report, results, counts and tokenizers into ``folder``; returns it.

    Everything is written to a new folder beside it, which takes its place at the end, so that a run that
    fails or is killed leaves the old report as it was. ``results.json`` and ``counts.npz`` are always
    written: they are what the others can be made from again.
    """
    check_folder(folder)
    parent = folder.absolute().parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".new", dir=parent))
    except OSError as error:
        raise UserError(f"the report can't be written to {folder}: {error.strerror or error}") from None
    try:
        _fill(fresh, results, tokenizers, formats, plots)
        fresh.chmod(0o777 & ~_umask())  # mkdtemp makes it private
        _replace(folder.absolute(), fresh)
    except OSError as error:
        raise UserError(f"the report can't be written to {folder}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return folder


def _fill(folder: Path, results: Results, tokenizers: Mapping[str, Any], formats: Sequence[str], plots: bool) -> None:
    _write(folder / "results.json", results.to_json())
    with (folder / "counts.npz").open("wb") as file:
        save_counts(file, results.counts)
    if "csv" in formats:
        _write(folder / "results.csv", to_csv(results.rows))
    if "md" in formats:
        from evalkit.report.markdown import render

        _write(folder / "report.md", render(results))
    if "html" in formats and (module := _optional("evalkit.report.html")):
        _write(folder / "report.html", module.render(results))
    if plots and (module := _optional("evalkit.report.plots")):
        drawings: Mapping[str, str] = module.render(results)
        for name, svg in drawings.items():
            (folder / "plots").mkdir(exist_ok=True)
            _write(folder / "plots" / name, svg)
    for name, tokenizer in tokenizers.items():
        save: Callable[..., Any] | None = getattr(tokenizer, "save", None)
        if save is not None:
            place = folder / "tokenizers" / name
            place.mkdir(parents=True, exist_ok=True)
            save(place / "evalkit.json")


def _optional(module: str) -> Any:
    """A renderer that this installation may do without."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return None


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _replace(folder: Path, fresh: Path) -> None:
    """Puts ``fresh`` in the place of ``folder``. Where the system can't exchange two folders in one step, the
    old one steps aside, and comes back if the new one can't take its place."""
    if not folder.exists():
        fresh.rename(folder)
        return
    if _exchange(fresh, folder):
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".old", dir=folder.parent))
    old = aside / "report"
    folder.rename(old)
    try:
        fresh.rename(folder)
    except BaseException:
        old.rename(folder)
        raise
    finally:
        if folder.exists():
            shutil.rmtree(aside, ignore_errors=True)


def _exchange(first: Path, second: Path) -> bool:
    """Exchanges two folders in one step (Linux: ``renameat2``); False, and nothing done, where that can't
    be."""
    if sys.platform != "linux":
        return False
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):  # an older or another C library
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return bool(renameat2(here, os.fsencode(first), here, os.fsencode(second), exchange) == 0)
