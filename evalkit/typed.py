"""Values of JSON as the types of records say they are. What is something else is damage, told by its place."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from tokenizers_impl.errors import shorten

Record = TypeVar("Record")
Reader = Callable[[Any, str], Any]

_NAMES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", NoneType: "null"}


def record_of(kind: type[Record], value: Any, where: str = "") -> Record:
    """A record of that kind; keys that it doesn't know are left out: a later version may have them. A field of bytes
    is their hexadecimal digits under the key ``bytes``. Raises ``ValueError`` that names the place."""
    hint: Any = kind
    found: Record = reader(hint)(value, where)
    return found


@functools.cache
def reader(hint: Any) -> Reader:
    """What makes a value of that type from one of JSON."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return _finite
    if hint is bytes:
        return _bytes
    if origin is Literal:  # its kind is enough: a later version may have more of them
        return _scalar(frozenset(map(type, arguments)))
    if hint in _NAMES:
        return _scalar(frozenset([hint]))
    if origin in (UnionType, Union):
        rest = [one for one in arguments if one is not NoneType]
        if all(one in _NAMES for one in arguments):
            return _scalar(frozenset(arguments))
        inside = reader(rest[0])
        return lambda value, where: None if value is None else inside(value, where)
    if origin is tuple:
        return _tuple(arguments)
    if origin in (dict, Mapping):
        return _mapping(arguments[1])
    if is_dataclass(hint):
        return _record(hint)
    raise TypeError(f"{hint} has no form in JSON")


def _scalar(kinds: frozenset[type]) -> Reader:
    # JSON has one kind of number, and writes 1.0 as 1 where somebody edits it; true is none.
    accepted = kinds | {int} if float in kinds else kinds
    expected = " or ".join(_NAMES[kind] for kind in _NAMES if kind in kinds and (kind is not int or float not in kinds))

    def read(value: Any, where: str) -> Any:
        kind = type(value)
        if kind not in accepted or (kind is float and not math.isfinite(value)):
            raise ValueError(f"{where} is {shorten(value)}; expected {expected}")
        return value

    return read


def _finite(value: Any, where: str) -> Any:
    """Whatever it is, without the numbers that JSON doesn't have but Python's reader takes."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        _finite(item, f"{where}[{key!r}]")
    return _NUMBER(value, where) if isinstance(value, float) else value


def _bytes(value: Any, where: str) -> bytes:
    try:
        return bytes.fromhex(value)
    except (TypeError, ValueError):
        raise ValueError(f"{where} is {shorten(value)}; expected bytes in hexadecimal digits") from None


def _tuple(kinds: tuple[Any, ...]) -> Reader:
    many = kinds[1:] == (...,)
    readers = [reader(kind) for kind in kinds if kind is not ...]
    expected = "a list" if many else f"a list of {len(readers)}"

    def read(value: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or not (many or len(value) == len(readers)):
            raise ValueError(f"{where} is {shorten(value)}; expected {expected}")
        each = zip(readers * len(value) if many else readers, value, strict=True)
        return tuple(one(item, f"{where}[{number}]") for number, (one, item) in enumerate(each))

    return read


def _mapping(kind: Any) -> Reader:
    inside = reader(kind)

    def read(value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValueError(f"{where} is {shorten(value)}; expected keys with values")
        return {key: inside(item, f"{where}[{key!r}]") for key, item in value.items()}

    return read


def _record(kind: Any) -> Reader:
    hints = get_type_hints(kind)
    parts = [
        ("bytes" if hints[one.name] is bytes else one.name, one.name, reader(hints[one.name]), _has_default(one))
        for one in fields(kind)
        if one.compare  # what isn't compared isn't stored
    ]

    def read(value: Any, where: str) -> Any:
        if not isinstance(value, dict):
            raise ValueError(f"{where} is {shorten(value)}; expected keys with values")
        found = {}
        for key, name, inside, optional in parts:
            if key in value:
                found[name] = inside(value[key], f"{where}.{key}" if where else key)
            elif not optional:
                raise ValueError(f"{where or 'it'} has no {key!r}")
        return kind(**found)

    return read


_NUMBER = _scalar(frozenset([float]))


def _has_default(one: Any) -> bool:
    return one.default is not MISSING or one.default_factory is not MISSING
