"""Can one vocabulary replace another? What becomes of every id, of the special tokens, of the merges and of text.

A model's embedding has a row for each id. A row stays good for as long as its id stands for the same bytes; all
others have to be trained again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from tokenizers_impl.deferred import dataclass

SHOWN = 5


@dataclass(frozen=True)
class Rows:
    """What becomes of the first vocabulary's ids, special tokens among them. ``kept``: the id has the same bytes in
    the second. ``moved``: the bytes have another id there. ``gone``: they have none. ``new``: bytes that only the
    second has. ``examples``: a few ids of each but the kept, with their bytes and, for the moved, the id there."""

    of: int
    kept: int
    moved: int
    gone: int
    new: int
    examples: Mapping[str, tuple[tuple[int, bytes, int | None], ...]]

    @property
    def invalidated(self) -> float:
        """The share of the first one's rows that mean something else afterwards, or nothing."""
        return (self.of - self.kept) / self.of if self.of else 0.0


@dataclass(frozen=True)
class Specials:
    """Special tokens by text: the same on both sides, with another id, and those of one side alone."""

    same: tuple[str, ...]
    moved: tuple[tuple[str, int, int], ...]
    gone: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True)
class Merges:
    """The order of merges: how many at the start are the same, and the first that aren't, by their bytes."""

    first: int
    second: int
    common: int
    difference: tuple[tuple[bytes, bytes] | None, tuple[bytes, bytes] | None] | None


@dataclass(frozen=True)
class TextShare:
    """How much text encodes alike: documents and bytes to the same ids, and to the same tokens whatever their ids."""

    name: str
    documents: int
    bytes: int
    same_ids: int
    same_ids_bytes: int
    same_tokens: int
    first_tokens: int
    second_tokens: int


@dataclass(frozen=True)
class VocabDiff:
    """``identical``: equal fingerprints, or where they aren't comparable, nothing that differs."""

    first: str
    second: str
    sizes: tuple[int, int]
    fingerprints: tuple[str, str]
    patterns: tuple[str, str]
    rows: Rows
    specials: Specials
    merges: Merges
    texts: tuple[TextShare, ...] = ()

    @property
    def identical(self) -> bool:
        return self.fingerprints[0] == self.fingerprints[1]

    @property
    def cost(self) -> str:
        """What a swap would do to a model, as a sentence."""
        rows = self.rows
        if rows.kept == rows.of and rows.new == 0:
            return "every id keeps its bytes: no embedding row is invalidated"
        added = f"; {rows.new:,} new ones would have to be added" if rows.new else ""
        share = 100 * rows.invalidated
        shown = f"{share:.1f}" if 0.05 <= share < 99.95 or share in (0.0, 100.0) else f"{share:.3f}"
        return f"replacing it invalidates {shown} % of embedding rows ({rows.of - rows.kept:,} of {rows.of:,}){added}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON: bytes as text, with what isn't UTF-8 as ``\\xNN``, and in hexadecimal."""
        content: dict[str, Any] = _plain(asdict(self))
        content["identical"] = self.identical
        content["rows"]["invalidated"] = self.rows.invalidated
        content["cost"] = self.cost
        return content


def compare_vocabularies(
    first: Any, second: Any, names: tuple[str, str] = ("A", "B"), texts: Mapping[str, Iterable[str]] | None = None
) -> VocabDiff:
    """Everything about putting ``second`` in the place of ``first``. ``texts``: documents by the corpus's name."""
    return VocabDiff(
        *names,
        (first.vocab_size, second.vocab_size),
        (first.fingerprint, second.fingerprint),
        (_pattern(first), _pattern(second)),
        _rows(first.vocab, second.vocab),
        _specials(first.special_tokens, second.special_tokens),
        _merges(first.merges, second.merges),
        tuple(_text_share(name, documents, first, second) for name, documents in (texts or {}).items()),
    )


def _pattern(tokenizer: Any) -> str:
    variant: str = tokenizer.variant
    direction = getattr(tokenizer, "direction", "left_to_right")
    return variant if direction == "left_to_right" else f"{variant} {direction}"


def _rows(before: Mapping[int, bytes], after: Mapping[int, bytes]) -> Rows:
    places = {token: token_id for token_id, token in after.items()}
    known = set(before.values())
    moved = [(i, token, places[token]) for i, token in before.items() if token in places and after.get(i) != token]
    gone = [(i, token, None) for i, token in before.items() if token not in places]
    new = [(i, token, None) for i, token in after.items() if token not in known]
    examples = {"moved": tuple(moved[:SHOWN]), "gone": tuple(gone[:SHOWN]), "new": tuple(new[:SHOWN])}
    kept = sum(after.get(i) == token for i, token in before.items())
    return Rows(len(before), kept, len(moved), len(gone), len(new), examples)


def _specials(before: Mapping[str, int], after: Mapping[str, int]) -> Specials:
    return Specials(
        tuple(text for text, i in before.items() if after.get(text) == i),
        tuple((text, i, after[text]) for text, i in before.items() if text in after and after[text] != i),
        tuple(text for text in before if text not in after),
        tuple(text for text in after if text not in before),
    )


def _merges(before: Any, after: Any) -> Merges:
    common = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    if common == len(before) == len(after):
        return Merges(len(before), len(after), common, None)
    left = before[common] if common < len(before) else None
    right = after[common] if common < len(after) else None
    return Merges(len(before), len(after), common, (left, right))


def _text_share(name: str, documents: Iterable[str], first: Any, second: Any) -> TextShare:
    total = size = same = same_bytes = same_tokens = 0
    sums = [0, 0]
    to_first = _translation(second.vocab, first.vocab)
    for batch in _batches(documents):
        (ids, ends), (others, other_ends) = (one.encode_ordinary_batch(batch) for one in (first, second))
        translated = to_first[np.asarray(others)]
        sums[0] += len(ids)
        sums[1] += len(others)
        total += len(batch)
        for number, text in enumerate(batch):
            raw = len(text.encode("utf-8", "replace"))
            size += raw
            one = ids[ends[number] : ends[number + 1]]
            place = slice(other_ends[number], other_ends[number + 1])
            if np.array_equal(one, others[place]):
                same += 1
                same_bytes += raw
            same_tokens += np.array_equal(one, translated[place])
    return TextShare(name, total, size, same, same_bytes, same_tokens, sums[0], sums[1])


def _translation(vocab: Mapping[int, bytes], other: Mapping[int, bytes]) -> Any:
    """The id in ``other`` of each id's bytes, -1 for none."""
    places = {token: token_id for token_id, token in other.items()}
    table = np.full(max(vocab, default=-1) + 1, -1, dtype=np.int64)
    for token_id, token in vocab.items():
        table[token_id] = places.get(token, -1)
    return table


def _batches(documents: Iterable[str], size_of: int = 2_000_000) -> Iterable[list[str]]:
    batch: list[str] = []
    size = 0
    for text in documents:
        batch.append(text)
        size += len(text)
        if size >= size_of:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"text": value.decode("utf-8", "backslashreplace"), "hex": value.hex()}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


# ── for people ──────────────────────────────────────────────────────────────────────────────────────────────


def as_text(diff: VocabDiff) -> str:
    """What there is to say, most important first."""
    from tabulate import tabulate

    rows = diff.rows
    lines = [f"{diff.first} → {diff.second}: {'the same tokenizer' if diff.identical else diff.cost}", ""]

    def share(number: int) -> str:
        return f"{100 * number / rows.of:.1f} %" if rows.of else ""

    table: list[list[str]] = [["entries", f"{diff.sizes[0]:,} → {diff.sizes[1]:,}", ""]]
    for what, number in (("keep their id", rows.kept), ("moved", rows.moved), ("gone", rows.gone)):
        table.append([f"  {what}", f"{number:,}", share(number)])
    table.append(["  new", f"{rows.new:,}", ""])
    table.append(["split pattern", diff.patterns[0] if len(set(diff.patterns)) == 1 else " → ".join(diff.patterns), ""])
    table.append(["merges in the same order", f"the first {diff.merges.common:,} of {diff.merges.first:,}", ""])
    lines.append(tabulate(table, tablefmt="plain", disable_numparse=True))
    lines += _special_lines(diff.specials)
    if diff.merges.difference is not None:
        shown = [_merge(pair) for pair in diff.merges.difference]
        lines.append(f"first other merge: {shown[0]} → {shown[1]}")
    for what, some in rows.examples.items():
        if some:
            lines.append(f"{what}: {', '.join(_example(one) for one in some)}, …")
    for text in diff.texts:
        part = 100 * text.same_ids_bytes / text.bytes if text.bytes else 100.0
        noun = "document" if text.documents == 1 else "documents"
        lines.append(
            f"{text.name}: {text.same_ids:,} of {text.documents:,} {noun} ({part:.1f} % of {text.bytes:,} bytes) to "
            f"the same ids, {text.same_tokens:,} to the same tokens; "
            f"{text.first_tokens:,} → {text.second_tokens:,} tokens"
        )
    return "\n".join(lines)


def _special_lines(specials: Specials) -> Iterable[str]:
    for what, some in (("same", specials.same), ("gone", specials.gone), ("new", specials.new)):
        if some:
            yield f"special tokens {what}: {', '.join(some[:8])}{', …' if len(some) > 8 else ''}"
    if specials.moved:
        moved = ", ".join(f"{text} {one} → {other}" for text, one, other in specials.moved[:8])
        yield f"special tokens moved: {moved}"


def _merge(pair: tuple[bytes, bytes] | None) -> str:
    return "none" if pair is None else f"{_token(pair[0])} + {_token(pair[1])}"


def _token(token: bytes) -> str:
    return repr(token.decode("utf-8")) if _is_text(token) else repr(token)


def _is_text(token: bytes) -> bool:
    try:
        return token.decode("utf-8").isprintable()
    except UnicodeDecodeError:
        return False


def _example(one: tuple[int, bytes, int | None]) -> str:
    token_id, token, there = one
    return f"{token_id} {_token(token)}" + ("" if there is None else f" → {there}")
