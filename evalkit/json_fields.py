"""JSON whose objects may name a field twice: Python keeps the last of them and loses the others without a word."""

from __future__ import annotations

import json
from typing import Any


class Repeating(dict[str, Any]):
    """An object that names some field more than once. ``repeated``: those names."""

    repeated: frozenset[str] = frozenset()


def loads(line: str | bytes) -> Any:
    """As ``json.loads``, but that an object that names a field twice is a :class:`Repeating`.

    >>> loads('{"text": "a", "text": "b"}').repeated
    frozenset({'text'})
    """
    if not isinstance(line, str) or line.startswith("\ufeff"):
        return json.loads(line, object_pairs_hook=_object)
    return _DECODER.decode(line)  # ``json.loads`` would make one for each line, which takes as long as a short line


def names_twice(record: dict[str, Any], field: str) -> bool:
    """Whether the object named the field more than once."""
    return isinstance(record, Repeating) and field in record.repeated


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    names = [name for name, _ in pairs]
    repeating = Repeating(found)
    repeating.repeated = frozenset(name for name in found if names.count(name) > 1)
    return repeating


_DECODER = json.JSONDecoder(object_pairs_hook=_object)
