"""Which figures of two results may be held against each other: what is refused, and what is left out and said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from evalkit.bases import Basis, bases, others
from evalkit.errors import UserError
from evalkit.metrics.registry import Against
from evalkit.paired import Side
from evalkit.report.text import listing
from evalkit.results import CorpusRecord, Results, TokenizerRecord


class LeftOut:
    """Figures that are against something else on the other side: by the reason, (metric, corpus)."""

    def __init__(self, one: Results, two: Results) -> None:
        self._sides = bases(one), bases(two)
        self._found: dict[str, list[tuple[str, str]]] = {}

    def is_other(self, corpus: str, tokenizer: str, metric: str) -> bool:
        """Whether that figure is one; it is told by :meth:`notes` then."""
        reasons = [_reason(*other) for other in others(metric, *(side[tokenizer][corpus] for side in self._sides))]
        for reason in reasons:
            self._found.setdefault(reason, []).append((metric, corpus))
        return bool(reasons)

    def notes(self) -> Iterator[str]:
        """What was left out and why, as sentences."""
        for reason, found in self._found.items():
            metrics, corpora = (list(dict.fromkeys(names)) for names in zip(*found, strict=True))
            are = "is" if len(metrics) == 1 else "are"
            yield f"{listing(metrics, len(metrics))} {are} left out on {listing(corpora)}: {reason}."


def _reason(kind: Against, before: Basis, after: Basis) -> str:
    sides = f"{before.name} on one side and {after.name} on the other"
    if kind == "segmenter":
        return f"the segmenter is another, {sides}"
    if kind == "home":  # of each tokenizer another one
        return "the tokenizer trained there is another, or the size that both are cut to"
    if kind == "group":
        return f"the languages of its group are others, {sides}"
    if kind == "reference_language":
        same = f"the text in the language that premiums are against, {before.name}, is another on the other side"
        return same if before.name == after.name else f"premiums are against {sides}"
    same = f"the reference {before.name} is another tokenizer on the other side"
    return same if before.name == after.name else f"the reference is {sides}"


def refuse_the_incomparable(first: Side, second: Side) -> None:
    """Raises ``UserError`` where the texts, the versions of a metric or the confidence aren't the same."""
    one, two = first.results, second.results
    differences = []
    if one.suite.confidence != two.suite.confidence:
        differences.append(
            f"the confidence is {one.suite.confidence:g} in one and {two.suite.confidence:g} in the other"
        )
    versions = {m.name: m.version for m in two.metrics}
    for m in one.metrics:
        if (other := versions.get(m.name, m.version)) != m.version:
            differences.append(f"the metric {m.name} is version {m.version} in one and {other} in the other")
    others = {c.name: c for c in two.corpora}
    for corpus in one.corpora:
        if corpus.name in others:
            differences += _other_text(corpus, others[corpus.name])
    if differences:
        raise UserError(f"{first.where} and {second.where} can't be compared: {'; '.join(differences)}")


CHOICE = "choice of documents (by sample, seed or split)"
_CALLED = {
    "sha256": "SHA-256",
    "split": "split",
    "documents": "number of documents",
    "documents_sha256": CHOICE,
    "bytes": "size",
}


def other_text(one: object, two: object) -> tuple[str, Any, Any] | None:
    """By what a corpus of results, or of a baseline, is another text there, and its values: the first difference alone,
    since the others follow from it. What one side doesn't know is no difference."""
    for key in _CALLED:
        before, after = getattr(one, key), getattr(two, key)
        if before is not None and after is not None and before != after:
            return key, before, after
    return None


def _other_text(one: CorpusRecord, two: CorpusRecord) -> Iterator[str]:
    if (other := other_text(one, two)) is not None:
        key, *values = other
        before, after = (value[:12] if isinstance(value, str) else f"{value:,}" for value in values)
        yield f"the corpus {one.name} is another text: its {_CALLED[key]} is {before} in one and {after} in the other"


def documents_unknown(first: Side, second: Side) -> Iterator[str]:
    """Where neither results nor counts tell whether the same documents were measured, as sentences."""
    sides = first, second
    records = [{c.name: c for c in side.results.corpora} for side in sides]
    shared = [name for name in records[0] if name in records[1] and not all(name in side.counts for side in sides)]
    for side, known in zip(sides, records, strict=True):
        if unknown := [name for name in shared if known[name].documents_sha256 is None]:
            yield (
                f"{side.where} is of an earlier version and doesn't say which documents of {listing(unknown)} were "
                "measured: another choice of as many documents and bytes would not be noticed."
            )


def only_in_one(first: Side, second: Side) -> Iterator[str]:
    """What one side has alone, as sentences."""
    kinds: tuple[tuple[str, Callable[[Results], Sequence[CorpusRecord | TokenizerRecord]]], ...] = (
        ("corpora", lambda r: r.corpora),
        ("tokenizers", lambda r: r.tokenizers),
    )
    for what, records in kinds:
        here, there = (list(dict.fromkeys(r.name for r in records(side.results))) for side in (first, second))
        for side, own, other in ((first, here, there), (second, there, here)):
            if only := [name for name in own if name not in other]:
                yield f"Only in {side.where}, of the {what}: {', '.join(only)}."
