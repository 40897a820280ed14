"""Texts of the data that can't be written down."""

from __future__ import annotations

import functools
import random
import string
from typing import Any

Text = str | dict[str, Any]


def text_of(value: Text) -> str:
    """The text that a value of the data means."""
    if isinstance(value, str):
        return value
    if "code_points" in value:
        return "".join(map(chr, value["code_points"]))
    if "letters" in value:
        return letters(value["letters"], value["seed"], value.get("skip", 0))
    return value["repeat"] * value["times"] + value.get("then", "")


@functools.cache
def letters(number: int, seed: int, skip: int = 0) -> str:
    """So many letters of the row that a seed gives, from the place ``skip`` on."""
    source = random.Random(seed)
    return "".join(source.choice(string.ascii_lowercase) for _ in range(skip + number))[skip:]


def words(number: int, size: int, seed: int = 4) -> str:
    """About ``size`` characters of ``number`` different words of six letters, on one line."""
    source = random.Random(seed)
    known = ["".join(source.choice(string.ascii_lowercase) for _ in range(6)) for _ in range(number)]
    return " ".join(source.choices(known, k=size // 7))
