"""Cases as they stand in the data, and the register of the functions that run them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines import ENGINES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Check:
    """One call of a runner, on these engines, with these arguments."""

    run: str
    engines: tuple[str, ...]
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Case:
    id: str
    source: str
    what: str
    kind: str
    """The file that it stands in."""
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class Here:
    """What a runner may need besides its arguments: the engine that is in use, and an empty folder."""

    engine: str
    folder: Path


RUNNERS: dict[str, Callable[..., None]] = {}


def runner(function: Callable[..., None]) -> Callable[..., None]:
    """Registers a function under its name. It takes :class:`Here` and the arguments of the data."""
    if function.__name__ in RUNNERS:
        raise ValueError(f"there is a runner {function.__name__!r} already")
    RUNNERS[function.__name__] = function
    return function


def load_cases() -> list[Case]:
    """All cases, by id."""
    cases = []
    for path in sorted(FOLDER.glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["case"]:
            checks = tuple(_check(dict(check)) for check in entry.pop("check", ()))
            cases.append(Case(kind=path.stem, checks=checks, **entry))
    return sorted(cases, key=lambda case: case.id)


def _check(check: dict[str, Any]) -> Check:
    return Check(check.pop("run"), tuple(check.pop("engines", ENGINES)), check)
