"""Dataclasses whose methods are made when they are first needed.

The standard decorator writes the text of six functions for every class and has it compiled: for a hundred classes, of
which a command uses a few, that took a third of importing evalkit. Here reading the fields is left to it. ``__init__``
is compiled for the first instance; comparing, hashing and showing go by the list of the fields.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True):
        """``dataclasses.dataclass``, of whose options there are these two, without its signature (``inspect``) before
        the first instance.

        >>> @dataclass(frozen=True)
        ... class Point:
        ...     x: int
        ...     y: int = 0
        >>> Point(1), Point(1) == Point(1, 0), dataclasses.replace(Point(1), y=2)
        (Point(x=1, y=0), True, Point(x=1, y=2))
        """
        return _made(cls, frozen, eq) if cls is not None else lambda cls: _made(cls, frozen, eq)


def _made(cls: type, frozen: bool, eq: bool) -> type:
    undocumented = not cls.__doc__
    if undocumented:  # the standard decorator would make a text of the signature, which takes longest of all
        cls.__doc__ = cls.__name__
    cls = dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    fields = dataclasses.fields(cls)
    if undocumented:
        cls.__doc__ = f"{cls.__name__}({', '.join(field.name for field in fields)})"
    methods: dict[str, Any] = {"__init__": _first_init(cls, frozen), "__repr__": _repr(fields)}
    if eq:
        methods |= _comparing(fields, frozen)
    if frozen:
        methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    for name, method in methods.items():
        if name not in cls.__dict__:  # what the class has itself stays
            setattr(cls, name, method)
    return cls


def _first_init(cls: type, frozen: bool) -> Callable[..., None]:
    def __init__(self: Any, *given: Any, **named: Any) -> None:
        made = _init(cls, frozen)
        cls.__init__ = made  # type: ignore[misc]
        made(self, *given, **named)

    return __init__


def _init(cls: type, frozen: bool) -> Callable[..., None]:
    names: dict[str, Any] = {"_set": object.__setattr__, "_absent": object()}
    parameters, lines = ["self"], []
    for field in dataclasses.fields(cls):
        assert not field.kw_only, f"{cls.__name__}.{field.name}: kw_only isn't supported here"
        parameter = value = field.name
        if field.default_factory is not dataclasses.MISSING:
            names[f"_make_{field.name}"] = field.default_factory
            made = f"_make_{field.name}()"
            parameter += "=_absent"
            value = f"{made} if {value} is _absent else {value}" if field.init else made
        elif not field.init:
            continue
        elif field.default is not dataclasses.MISSING:
            names[f"_default_{field.name}"] = field.default
            parameter += f"=_default_{field.name}"
        if field.init:
            parameters.append(parameter)
        lines.append(f"_set(self, {field.name!r}, {value})" if frozen else f"self.{field.name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines or ["pass"]), names)
    init: Callable[..., None] = names["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"  # as errors name it
    return init


def _values(fields: tuple[dataclasses.Field[Any], ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Gives the values that an instance is compared by."""
    names = [field.name for field in fields if field.compare]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


def _comparing(fields: tuple[dataclasses.Field[Any], ...], frozen: bool) -> dict[str, Any]:
    values = _values(fields)

    def __eq__(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _repr(fields: tuple[dataclasses.Field[Any], ...]) -> Callable[[Any], str]:
    @recursive_repr()
    def __repr__(self: Any) -> str:
        shown = (f"{field.name}={getattr(self, field.name)!r}" for field in fields if field.repr)
        return f"{self.__class__.__qualname__}({', '.join(shown)})"

    return __repr__


def _refuse_to_set(self: Any, name: str, value: Any) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
