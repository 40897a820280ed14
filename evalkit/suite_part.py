"""What every part of a suite file is: a strict mapping with manners."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from evalkit.suite_values import expected, problem, suggest


class Part(BaseModel):
    """A mapping of the suite file: strict, immutable, and with manners about unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, value: Any) -> Any:
        if isinstance(value, cls):
            return value
        known = tuple(cls.model_fields)
        if not isinstance(value, dict):
            raise expected(f"a mapping with keys such as {', '.join(known[:4])}", value)
        for key in value:
            if key not in known:
                raise problem(f"unknown key{suggest(key, known)}; the keys here are {', '.join(known)}", key)
        return value

    def given(self, *keys: str) -> list[str]:
        """Which of these keys stand in the file."""
        return [key for key in keys if key in self.model_fields_set]


def exactly_one(part: Part, keys: tuple[str, ...]) -> str:
    found = part.given(*keys)
    if not found:
        raise problem(f"expected exactly one of {', '.join(keys)}, found none of them")
    if len(found) > 1:
        raise problem(f"expected exactly one of {', '.join(keys)}, found {' and '.join(found)}", found[1])
    return found[0]
