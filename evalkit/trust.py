"""Whether a suite's own Python may run. A suite is data that people pass around; code that it names runs with the
rights of whoever runs it, and so only when they say so: ``--trust``, or ``trust: true`` in their own configuration.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from evalkit.errors import UserError, nearest
from evalkit.yaml_loader import parse_yaml

KEYS = ("trust",)
VARIABLE = "EVALKIT_CONFIG"


def config_file() -> Path:
    """The user's own configuration: ``$EVALKIT_CONFIG``, else ``evalkit/config.yaml`` in the system's folder for
    such files. It need not be there."""
    if given := os.environ.get(VARIABLE):
        return Path(given)
    if sys.platform == "win32":
        folder = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return folder / "evalkit" / "config.yaml"


def configured() -> bool:
    """What the user's configuration says of trust; not, where there is none. Raises ``UserError`` for one that isn't
    what it should be: a word that is misread there would run code, or refuse it, against their will."""
    path = config_file()
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UserError(f"your configuration {path} can't be read: {error.strerror or error}") from None
    value = parse_yaml(data, str(path)).value if data.strip() else {}
    if not isinstance(value, Mapping):
        raise UserError(f"{path}: expected a mapping such as trust: true")
    for key in value:
        if key not in KEYS:
            hint = nearest(str(key), KEYS)
            raise UserError(f"{path}: unknown key {key!r}{f' ({hint})' if hint else ''}; the key here is trust")
    trust = value.get("trust", False)
    if not isinstance(trust, bool):
        raise UserError(f"{path}: trust: expected true or false, found {trust!r}")
    return trust


def require(code: Mapping[str, str], source: str, trust: bool) -> None:
    """Raises ``UserError`` unless the suite ``source`` may run its ``code``, by its place in the file."""
    if code and not trust and not configured():
        (place, name), *others = code.items()
        more = f" (and {len(others)} more)" if others else ""
        raise UserError(
            f"{source}: {place}: {name}{more} is Python that the suite brings, and would run with your rights. If you "
            f"know it, run again with --trust, or write trust: true into your own {config_file()}"
        )
