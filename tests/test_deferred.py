"""Dataclasses whose methods are made late, against the standard ones."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from evalkit.values import Undefined
from tokenizers_impl import deferred

Decorator = Callable[..., Any]


class Sides:
    """The same classes under both decorators."""

    def __init__(self, dataclass: Decorator) -> None:
        @dataclass(frozen=True)
        class Point:
            """A point."""

            x: float
            y: float = 0.0
            names: tuple[str, ...] = dataclasses.field(default=(), repr=False)
            seen: list[int] = dataclasses.field(default_factory=list, compare=False)
            limit: ClassVar[int] = 3

        @dataclass
        class Growing:
            start: int
            grown: dict[str, int] = dataclasses.field(default_factory=dict)
            size: int = dataclasses.field(init=False)
            later: list[int] = dataclasses.field(init=False, default_factory=list)
            told: str = dataclasses.field(init=False, default="no")

            def __post_init__(self) -> None:
                self.size = self.start + len(self.grown)

        @dataclass(frozen=True)
        class Named(Point):
            name: str = "n"

            def __repr__(self) -> str:
                return f"<{self.name}>"

        @dataclass(frozen=True, eq=False)
        class Same:
            x: int

        @dataclass(frozen=True)
        class Empty:
            pass

        @dataclass(frozen=True)
        class One:
            x: float

        self.Point, self.Growing, self.Named, self.Same, self.Empty, self.One = Point, Growing, Named, Same, Empty, One


STANDARD, OURS = Sides(dataclasses.dataclass), Sides(deferred.dataclass)
NAN = float("nan")


def outcome(work: Callable[[Sides], Any], side: Sides) -> Any:
    try:
        found = work(side)
    except (TypeError, AttributeError, ValueError) as error:
        return type(error), str(error)
    return repr(found)


@pytest.mark.parametrize(
    "work",
    [
        lambda s: s.Point(1),
        lambda s: s.Point(1, 2, ("a",), [1]),
        lambda s: s.Point(x=1, seen=[2]).seen,
        lambda s: s.Point(),
        lambda s: s.Point(1, z=2),
        lambda s: s.Point(1, x=2),
        lambda s: s.Point(1, 2, (), [], 5),
        lambda s: s.Point(1).seen is s.Point(1).seen,
        lambda s: s.Point(1) == s.Point(1.0, seen=[7]),
        lambda s: s.Point(1) == s.Point(2),
        lambda s: s.Point(NAN) == s.Point(NAN),
        lambda s: s.One(NAN) == s.One(NAN),
        lambda s: s.Point(1) == s.Named(1),
        lambda s: s.Point(1).__eq__((1, 0.0, ())),
        lambda s: s.Point(1) != 1,
        lambda s: hash(s.Point(1)) == hash(s.Point(1.0, seen=[7])),
        lambda s: hash(s.Point(1, 2, ("a",))),
        lambda s: hash(s.One(1)),
        lambda s: hash(s.Point([])),
        lambda s: hash(s.Growing(1)),
        lambda s: setattr(s.Point(1), "x", 2),
        lambda s: setattr(s.Point(1), "other", 2),
        lambda s: delattr(s.Point(1), "x"),
        lambda s: delattr(s.Point(1), "other"),
        lambda s: vars(s.Growing(1, {"a": 1})),
        lambda s: s.Growing(1).told,
        lambda s: s.Growing(1, size=3),
        lambda s: s.Growing(1) == s.Growing(1),
        lambda s: s.Named(1, name="b"),
        lambda s: vars(s.Named(1, 2)),
        lambda s: s.Named(1) == s.Named(1),
        lambda s: s.Same(1) == s.Same(1),
        lambda s: (lambda one: one == one and hash(one) == hash(one))(s.Same(1)),
        lambda s: s.Empty(),
        lambda s: (s.Empty() == s.Empty(), hash(s.Empty())),
        lambda s: dataclasses.replace(s.Point(1), y=3),
        lambda s: dataclasses.replace(s.Growing(1), size=3),
        lambda s: dataclasses.asdict(s.Point(1, 2, ("a",))),
        lambda s: [field.name for field in dataclasses.fields(s.Named)],
        lambda s: dataclasses.is_dataclass(s.Point),
        lambda s: s.Point.__match_args__,
        lambda s: s.Point.__doc__,
        lambda s: copy.deepcopy(s.Point(1, 2, ("a",), [1])),
        lambda s: (lambda one: (one.seen.append(one), one)[1])(s.Point(1)),
    ],
)
def test_it_does_what_the_standard_one_does(work: Callable[[Sides], Any]) -> None:
    assert outcome(work, OURS) == outcome(work, STANDARD)


def test_pickled_into_a_process_that_has_no_instance_yet() -> None:
    code = "import pickle, sys; print(repr(pickle.loads(sys.stdin.buffer.read())))"
    told = Undefined("no text")
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(told), capture_output=True, check=True)
    assert done.stdout.decode().strip() == repr(told)


def test_what_is_not_supported_is_refused() -> None:
    @deferred.dataclass(frozen=True)
    class Keyword:
        x: int = dataclasses.field(kw_only=True)

    with pytest.raises(AssertionError, match="kw_only"):
        Keyword(x=1)


def test_nothing_is_compiled_before_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def noted(source: str, *names: dict[str, Any]) -> None:
        compiled.append(source)
        exec(source, *names)

    monkeypatch.setattr(deferred, "exec", noted, raising=False)
    monkeypatch.setattr(dataclasses, "exec", noted, raising=False)
    point = Sides(deferred.dataclass).Point
    assert not compiled
    assert point(1) != point(2)
    assert hash(point(1)) != hash(repr(point(1)))
    assert len(compiled) == 1
