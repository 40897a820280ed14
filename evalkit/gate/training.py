"""Training a suite's tokenizers again: other threads, another order, other files, and an identical file each time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evalkit.build import BuiltTokenizer, Recipe, by_name, recipe
from evalkit.corpus import Corpus
from evalkit.gate.documents import Document, document
from evalkit.gate.verdicts import Verdict
from evalkit.suite import Suite
from tokenizers_impl import BPETokenizer, TokenizerError
from tokenizers_impl.arguments import well_formed
from tokenizers_impl.deferred import dataclass
from tokenizers_impl.formats import own

TRAINED_BYTES = {"native": 3_000_000, "reference": 30_000}
"""Bytes of training text for all of a suite's tokenizers together, by engine, where there is no budget."""

FILES = 30
CHECK = "training"


@dataclass(frozen=True)
class Room:
    """For all of a suite's tokenizers together: ``bytes`` of training text, which are read ``until`` then, as
    :func:`time.monotonic` has it."""

    bytes: int
    until: float = math.inf

    def of(self, tokenizers: int) -> Room:
        """The part of one, of so many that are left."""
        now = time.monotonic()
        return Room(self.bytes // tokenizers, now + max(0.0, self.until - now) / tokenizers)

    def without(self, used: Room) -> Room:
        return Room(self.bytes - used.bytes, self.until)


def check_training(
    suite: Suite, corpora: Mapping[str, Corpus], built: Sequence[BuiltTokenizer], folder: Path, seed: int, room: Room
) -> Iterator[Verdict]:
    """One verdict for each tokenizer that the suite trains; what it doesn't train is not measured."""
    known = by_name(built)
    specs = [spec for spec in suite.tokenizers if spec.train_on is not None and spec.name in known]
    for number, spec in enumerate(specs):
        part = room.of(len(specs) - number)
        room = room.without(part)
        place = folder / f"training-{specs.index(spec)}"
        place.mkdir(parents=True, exist_ok=True)
        tokenizer = known[spec.name].tokenizer
        assert isinstance(tokenizer, BPETokenizer)
        yield again(spec.name, recipe(suite, corpora, spec), tokenizer, part, place, seed)
    trained = {spec.name for spec in specs}
    for one in built:
        if one.name not in trained and one.kind != "baseline":
            reason = "it was cut from a larger one" if one.trained_on else "the suite doesn't train it"
            yield Verdict(CHECK, one.name, None, "not_measured", reason)


def again(name: str, how: Recipe, tokenizer: BPETokenizer, room: Room, folder: Path, seed: int) -> Verdict:
    """Trains on a share of the text in several ways; where the share is all of it, ``tokenizer`` has to come out."""
    documents, of_documents, of_bytes, everything = _share(how.texts(), room, seed)
    texts = [one.text for one in documents]
    size = sum(one.bytes for one in documents)
    specials = list(tokenizer.special_tokens)

    def verdict(outcome: Any, detail: str) -> Verdict:
        return Verdict(CHECK, name, None, outcome, detail, None, len(texts), size, of_bytes)

    try:
        first = _file(how.train(texts, 1))
    except TokenizerError as error:
        return verdict("not_measured", f"{size:,} bytes of the text can't be trained on: {error}")
    if everything and len(texts) == of_documents and size == of_bytes and first != _file(tokenizer):
        return verdict("fail", "trained again on the same text, it is another tokenizer than the suite's")
    ways: dict[str, Callable[[], BPETokenizer]] = {
        "3 threads, documents backwards": lambda: how.train(texts[::-1], 3),
        f"2 threads, {min(len(texts), FILES)} documents in files": lambda: how.train(_files(texts, folder), 2),
    }
    if specials:
        separator = f"documents joined by {specials[0]!r}, 7 threads"
        ways[separator] = lambda: how.train([specials[0].join(texts)], 7)
    for way, train in ways.items():
        try:
            other = _file(train())
        except Exception as error:
            return verdict("fail", f"{way}: {type(error).__name__}: {error}")
        if other != first:
            return verdict("fail", f"{way}: another tokenizer than on one thread: {_difference(first, other)}")
    part = f"{size:,} of {of_bytes:,} bytes of the training text"
    if not everything:
        part = f"{size:,} of the first {of_bytes:,} bytes of the training text, more of which there was no time to read"
    elif size == of_bytes:
        part = "all of the training text"
    return verdict("pass", f"{part}: 1 thread, {', '.join(ways)} give an identical file")


def _share(texts: Iterator[str], room: Room, seed: int) -> tuple[list[Document], int, int, bool]:
    """Documents by hash, of about ``room.bytes`` together; how many were read, their bytes, and whether these are all.
    Few long ones are cut, since one alone would be no order."""
    share = room.bytes
    everything = True
    kept: list[Document] = []
    number = size = held = 0
    for number, text in enumerate(texts, start=1):
        one = document(number, text, seed)
        kept.append(one)
        size += one.bytes
        held += one.bytes
        if size > share and held > 4 * share:  # only the smallest places can be chosen in the end
            kept = _smallest(kept, share)
            held = sum(one.bytes for one in kept)
        if time.monotonic() > room.until:
            everything = next(texts, None) is None
            break
    return (kept if size <= share else _smallest(kept, share)), number, size, everything


def _smallest(documents: Sequence[Document], share: int) -> list[Document]:
    """Those of the smallest places, in their order."""
    chosen: list[Document] = []
    room = share
    for one in sorted(documents, key=lambda one: one.place):
        text = one.text if one.bytes <= share // 4 else one.text[: share // 4]
        chosen.append(
            one if text is one.text else Document(one.number, text, len(well_formed(text).encode()), one.place)
        )
        room -= chosen[-1].bytes
        if room <= 0:
            break
    return sorted(chosen, key=lambda one: one.number)


def _files(texts: Sequence[str], folder: Path) -> list[str | Path]:
    """The first documents as files, the others as they are."""
    found: list[str | Path] = list(texts[FILES:])
    for number, text in enumerate(texts[:FILES]):
        path = folder / f"{number}.txt"
        path.write_bytes(well_formed(text).encode())
        found.append(path)
    return found


def _file(tokenizer: BPETokenizer) -> str:
    """What the tokenizer's file holds, but for how long training took."""
    record, tokenizer.training = tokenizer.training, None
    try:
        return own.dumps(tokenizer)
    finally:
        tokenizer.training = record


def _difference(first: str, other: str) -> str:
    """The first line of the two files that differs, by its key."""
    for one, two in zip(first.splitlines(), other.splitlines(), strict=False):
        if one != two and not one.startswith('"sha256"'):
            at = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
            return f"{one.split(':')[0]} from character {at:,}: {one[at : at + 40]!r} and {two[at : at + 40]!r}"
    return "their lengths"
