"""The part of a suite file that is the gate's."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from evalkit.suite_part import Part
from evalkit.suite_values import FilePattern, Number, Reference, check_list, expected, list_of, mapping, one_of, problem

CONSISTENCY_CHECKS = (  # what they mean stands in evalkit.gate.verdicts
    "batch",
    "threads",
    "chunked",
    "streamed",
    "processes",
    "cache",
    "count",
    "reference",
    "upstream",
    "specials",
    "plain_text",
    "round_trip",
    "byte_audit",
    "save_load",
    "training",
)
BOUNDS = ("value", "low", "high", "interval")
AGGREGATIONS = ("micro", "macro", "sum")


class ThresholdSpec(Part):
    """A bound that one figure must keep. ``limit``: the ``min`` of a metric of which more is better, the ``max`` of one
    of which less is. No ``aggregation``: micro, or the only one that the metric has. ``bound``: whether the value
    itself must keep it, or an end of its interval: ``low``, ``high``, or that which is worse (``interval``: ``low`` for
    a ``min``, ``high`` for a ``max``)."""

    metric: Reference
    tokenizer: Reference
    corpus: Reference
    min: Number | None = None
    max: Number | None = None
    limit: Number | None = None
    aggregation: Annotated[str, one_of("an aggregation", AGGREGATIONS)] | None = None
    bound: Annotated[str, one_of("a bound", BOUNDS)] = "value"

    @model_validator(mode="after")
    def _bounds(self) -> ThresholdSpec:
        if self.limit is not None and self.given("min", "max"):
            raise problem("limit is min or max, by the metric's better side; give it alone", "limit")
        if self.min is None and self.max is None and self.limit is None:
            raise problem("expected min or max or both, or limit; found none of them")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise problem(f"min is {self.min:g}, greater than max, which is {self.max:g}", "min")
        return self


def _all_or(value: Any, what: str) -> Any:
    """``all`` is ``None``; anything else has to be a list."""
    if value == "all" or value is None:
        return None
    if isinstance(value, str):
        raise expected(f"all or a list of {what}", value)
    return check_list(what, unique=True)(value)


_Tokenizers = Annotated[tuple[Reference, ...], list_of("names of tokenizers", unique=True)]
_Check = Annotated[str, one_of("a check", CONSISTENCY_CHECKS)]


def _frozen(value: Any) -> dict[str, Any]:
    """A path alone, or paths by tokenizer."""
    if isinstance(value, str):
        return {"": value}
    return mapping(value, "tokenizers' files by the tokenizers' names")


class GateSpec(Part):
    """``consistency`` is ``None`` for every check. ``frozen``: by tokenizer, the file (or the fingerprint) of the one
    that it must still be; a path alone, under ``""``, is for a suite with one tokenizer."""

    consistency: Annotated[tuple[_Check, ...] | None, BeforeValidator(lambda value: _all_or(value, "checks"))] = None
    thresholds: Annotated[tuple[ThresholdSpec, ...], list_of("thresholds", empty=True)] = ()
    equivalent: Annotated[tuple[_Tokenizers, ...], list_of("groups of tokenizers", empty=True)] = ()
    baseline: FilePattern | None = None
    frozen: Annotated[dict[str, FilePattern], BeforeValidator(_frozen)] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _groups(self) -> GateSpec:
        for number, group in enumerate(self.equivalent):
            if len(group) < 2:
                raise problem(f"group {number + 1} has one tokenizer; equivalence takes two", "equivalent")
        return self
