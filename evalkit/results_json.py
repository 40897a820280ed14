"""Parts of the results to and from the values of JSON."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from types import NoneType
from typing import Any, TypeVar

from evalkit.counts import Difference
from evalkit.fair_records import LossRecord, TokenCount
from evalkit.run_records import DifferenceRecord, Row
from evalkit.vocabulary_records import TrainingUsageRecord


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


Record = TypeVar("Record")


def records_of(kind: type[Record], items: Sequence[Mapping[str, Any]]) -> tuple[Record, ...]:
    """Records of one kind. Keys that this version doesn't know are left out: adding some is no change of the schema."""
    names = {f.name for f in fields(kind)}  # type: ignore[arg-type]
    found = []
    for item in items:
        known = {key: tuple(v) if isinstance(v, list) else v for key, v in item.items() if key in names}
        found.append(kind(**known))
    return tuple(found)


def rows_of(items: Sequence[Mapping[str, Any]]) -> tuple[Row, ...]:
    """Raises ``ValueError`` for a figure that is no number."""
    rows = records_of(Row, items)
    for row in rows:
        for name in ("value", "low", "high"):
            if not isinstance(getattr(row, name), (int, float, NoneType)):
                raise ValueError(f"{name} of {row.metric} of {row.tokenizer} is {getattr(row, name)!r}")
    return rows


def mapping_of(content: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Raises ``ValueError`` for what is no mapping."""
    found = content[key]
    if not isinstance(found, Mapping):
        raise ValueError(f"{key} is {type(found).__name__}")
    return found


def difference_of(item: Mapping[str, Any]) -> DifferenceRecord:
    """With its pieces of text as bytes again."""
    top = tuple(
        Difference(bytes.fromhex(row["bytes"]), row["occurrences"], row["first_tokens"], row["second_tokens"])
        for row in item["top"]
    )
    return records_of(DifferenceRecord, [{**item, "top": top}])[0]


def loss_of(item: Mapping[str, Any]) -> LossRecord:
    """With its tokens and its difference as what they were."""
    parsed = {
        "difference": difference_of(item["difference"]),
        "idle_top": _tokens(item["idle_top"]),
        "missing_top": _tokens(item["missing_top"]),
    }
    return records_of(LossRecord, [{**item, **parsed}])[0]


def training_usage_of(item: Mapping[str, Any]) -> TrainingUsageRecord:
    """With its tokens as what they were."""
    return records_of(TrainingUsageRecord, [{**item, "rarest": _tokens(item["rarest"])}])[0]


def _tokens(items: Sequence[Mapping[str, Any]]) -> tuple[TokenCount, ...]:
    return tuple(TokenCount(bytes.fromhex(one["bytes"]), one["times"]) for one in items)
