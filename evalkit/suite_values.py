"""The kinds of values that a suite file holds, each with one check and one wording.

Every check is a function from a raw value to a clean one, used as a pydantic ``BeforeValidator``; a wrong
value raises ``expected(...)``, so that no message of pydantic's own reaches the user. Nothing is converted
silently: a whole number is an ``int`` and nothing else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from evalkit.errors import nearest
from evalkit.yaml_loader import number_hint

PROBLEM = "evalkit_problem"
"""The error type of everything raised here; ``ctx['message']`` is the text, ``ctx['key']`` a key inside."""


def problem(message: str, key: str | int | None = None) -> PydanticCustomError:
    """An error in our words, at the place that pydantic is looking at, or at ``key`` inside it."""
    return PydanticCustomError(PROBLEM, "{message}", {"message": message, "key": key})


def describe(value: object) -> str:
    """A raw value as a message names it.

    >>> describe(True), describe("x"), describe([1]), describe({})
    ('true', "the text 'x'", 'a list', 'a mapping')
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {value if len(value) <= 60 else value[:60] + '…'!r}"
    return "a mapping" if isinstance(value, dict) else "a list" if isinstance(value, list) else repr(value)


def suggest(name: object, choices: Iterable[str]) -> str:
    """The nearest names in brackets, ready to be put behind the wrong one, or an empty string."""
    phrase = nearest(name, choices) if isinstance(name, str) else ""
    return f" ({phrase})" if phrase else ""


def expected(what: str, value: object, hint: str = "") -> PydanticCustomError:
    """'expected …, found …', with what to write instead where that is known."""
    return problem(f"expected {what}, found {describe(value)}{f' ({hint})' if hint else ''}")


def _text(what: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if not isinstance(value, str):
            number_or_boolean = isinstance(value, (bool, int, float))
            raise expected(what, value, "put it in quotes" if number_or_boolean else "")
        if not value:
            raise problem(f"expected {what}, found an empty text")
        return value

    return check


def _whole(minimum: int | None = None, maximum: int | None = None) -> Callable[[Any], int]:
    what = "a whole number"
    if minimum is not None:
        what += f" of at least {minimum}"
    if maximum is not None:
        what += f" and at most {maximum}"

    def check(value: Any) -> int:
        if type(value) is not int:
            raise expected(what, value, number_hint(value))
        if (minimum is not None and value < minimum) or (maximum is not None and value > maximum):
            raise expected(what, value)
        return value

    return check


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise expected("a number", value, number_hint(value))
    if not math.isfinite(value):
        raise expected("a finite number", value)
    return float(value)


def _fraction(value: Any) -> float:
    number = _number(value)
    if not 0 < number < 1:
        raise expected("a number between 0 and 1, both excluded", value)
    return number


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise expected("true or false", value, "YAML 1.2 knows no other spelling" if value in _YES_NO else "")
    return value


_YES_NO = ("yes", "no", "on", "off", "Yes", "No", "On", "Off", "YES", "NO", "ON", "OFF")


def one_of(what: str, choices: tuple[str, ...]) -> BeforeValidator:
    """A text out of a few."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            hint = nearest(value, choices) if isinstance(value, str) else ""
            raise expected(f"{what}, one of {', '.join(choices)}", value, hint)
        return value

    return BeforeValidator(check)


def check_list(
    what: str, *, single: bool = False, unique: bool = False, empty: bool = False
) -> Callable[[Any], tuple[Any, ...]]:
    """A list; with ``single``, a lone text stands for a list of one; without ``empty`` it holds something."""

    def check(value: Any) -> tuple[Any, ...]:
        if single and isinstance(value, str):
            return (value,)
        if not isinstance(value, (list, tuple)):
            raise expected(f"a list of {what}", value)
        if not value and not empty:
            raise problem(f"expected a list of {what}, found an empty list")
        if unique:
            for number, item in enumerate(value):
                if item in value[:number]:
                    raise problem(f"{item!r} is in the list twice", number)
        return tuple(value)

    return check


def list_of(what: str, *, single: bool = False, unique: bool = False, empty: bool = False) -> BeforeValidator:
    """``check_list`` as a part of a type."""
    return BeforeValidator(check_list(what, single=single, unique=unique, empty=empty))


_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9@._-]*[A-Za-z0-9@_-])?\Z")
_WINDOWS = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?\Z", re.IGNORECASE)
NAME_RULE = (
    "names become folder names: letters a-z and A-Z, digits and - _ . @, starting with a letter or digit, "
    "not ending with a dot, at most 80 signs"
)


def check_name(value: Any) -> str:
    """A name of a corpus, a tokenizer or a suite: safe as a folder name on every system."""
    text = _text("a name")(value)
    if not _NAME.match(text) or len(text) > 80:
        raise problem(f"{text[:100]!r} can't be a name ({NAME_RULE})")
    if _WINDOWS.match(text):
        raise problem(f"{text!r} can't be a name (Windows keeps it for a device)")
    return text


def _language(value: Any) -> str:
    text = _text("a language code such as en or zh-Hant")(value)
    if not re.match(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*\Z", text):
        raise expected("a language code such as en or zh-Hant", value)
    return text


def _sha256(value: Any) -> str:
    if not isinstance(value, str) or not re.match(r"[0-9a-fA-F]{64}\Z", value):
        raise expected("a SHA-256 of 64 hexadecimal digits", value)
    return value.lower()


_UNITS = {"": 1, "b": 1, "k": 10**3, "kb": 10**3, "m": 10**6, "mb": 10**6, "g": 10**9, "gb": 10**9}
_UNITS |= {"kib": 2**10, "mib": 2**20, "gib": 2**30}


def parse_bytes(value: Any) -> int:
    """A number of bytes: a whole number, or a number with a unit (kB, MB, GB are powers of ten).

    >>> parse_bytes(1000), parse_bytes("50MB"), parse_bytes("1.5 kB"), parse_bytes("1KiB")
    (1000, 50000000, 1500, 1024)
    """
    what = "a number of bytes such as 2000000 or 50MB"
    if isinstance(value, str):
        match = re.match(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)\Z", value, re.ASCII)
        unit = match[2].lower() if match else "?"
        if match is None or unit not in _UNITS or number_hint(value):
            raise expected(what, value, number_hint(value) or "the units are kB, MB, GB, KiB, MiB, GiB")
        amount = int(float(match[1]) * _UNITS[unit]) if "." in match[1] else int(match[1]) * _UNITS[unit]
    elif type(value) is int:
        amount = value
    else:
        raise expected(what, value, number_hint(value))
    if amount < 1:
        raise expected("at least one byte", value)
    return amount


def _group(value: Any) -> str | None:
    if value is False:
        return None
    if not isinstance(value, str):
        raise expected("false or the name of a group of parallel corpora", value)
    return check_name(value)


def check_python(value: Any) -> str:
    """The path of a function, ``module:function``."""
    if not isinstance(value, str) or not re.match(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*\Z", value):
        raise expected("module:function, such as my_pkg.tok:load", value)
    return value


def mapping(value: Any, what: str) -> dict[str, Any]:
    """A mapping with at least one entry."""
    if not isinstance(value, dict):
        raise expected(f"a mapping of {what}", value)
    if not value:
        raise problem(f"expected a mapping of {what}, found an empty one")
    return value


Text = Annotated[str, BeforeValidator(_text("a text"))]
Name = Annotated[str, BeforeValidator(check_name)]
Reference = Annotated[str, BeforeValidator(_text("a name"))]
"""A name that must be that of something else in the file: checked when the whole file is read."""
FilePattern = Annotated[str, BeforeValidator(_text("a file, folder, pattern or URL"))]
Files = Annotated[tuple[FilePattern, ...], list_of("files", single=True, unique=True)]
Language = Annotated[str, BeforeValidator(_language)]
Sha256 = Annotated[str, BeforeValidator(_sha256)]
Bytes = Annotated[int, BeforeValidator(parse_bytes)]
check_count = _whole(1)
Count = Annotated[int, BeforeValidator(check_count)]
Seed = Annotated[int, BeforeValidator(_whole(0, 2**64 - 1))]
Number = Annotated[float, BeforeValidator(_number)]
Fraction = Annotated[float, BeforeValidator(_fraction)]
Boolean = Annotated[bool, BeforeValidator(_boolean)]
Group = Annotated[str | None, BeforeValidator(_group)]
PythonName = Annotated[str, BeforeValidator(check_python)]
