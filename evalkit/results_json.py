"""Parts of the results as values of JSON, from which :mod:`evalkit.typed` makes them again."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import asdict, fields
from types import NoneType
from typing import Any

from evalkit.counts import Difference
from evalkit.fair_records import TokenCount


def plain(value: Any) -> Any:
    """What JSON can hold of a part of the results."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple or kind is list:
        return [plain(item) for item in value]
    if kind is Difference:
        row = asdict(value)
        piece = row.pop("piece")
        return _shown(piece) | row
    if kind is TokenCount:
        return _shown(value.token) | {"times": value.times}
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in _names(kind)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return value


_PLAIN = frozenset((str, int, float, bool, NoneType))  # most of all values: asked for first


@functools.cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _shown(piece: bytes) -> dict[str, Any]:
    return {"text": piece.decode("utf-8", "backslashreplace"), "bytes": piece.hex()}
