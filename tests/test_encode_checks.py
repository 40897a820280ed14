"""The checks of a run, which look at documents together, against looking at each alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from evalkit import encode_checks
from evalkit.auditor import Auditor
from evalkit.batches import Batch, Limits, batches
from evalkit.encode_checks import EncodeAudit, first_divergence

TOKENIZER = ti.train("a b ab abab xx yy xxyy " * 20, "gpt2", 280)
NUMBERS = 10  # of the first document

Spoil = Callable[[Any], Any]


class Spoiled:
    """A tokenizer, one of whose calls gives something else for some documents."""

    def __init__(self, **spoiled: Spoil) -> None:
        self._spoiled = spoiled
        self.encode_parallel = TOKENIZER.encode_parallel

    def _given(self, call: str, found: Any) -> Any:
        return self._spoiled[call](found) if call in self._spoiled else found

    def encode_ordinary(self, text: str) -> list[int]:
        ids: list[int] = self._given("serial", TOKENIZER.encode_ordinary(text))
        return ids

    def encode_ordinary_batch(self, texts: Sequence[str], threads: int | None = None) -> Any:
        return self._given("batch", TOKENIZER.encode_ordinary_batch(texts, threads))

    def decode_bytes(self, ids: Any) -> bytes:
        raw: bytes = self._given("decode", TOKENIZER.decode_bytes(ids))
        return raw

    def decode_bytes_batch(self, ids: Any, offsets: Any) -> list[bytes]:
        raw: list[bytes] = self._given("decode_batch", TOKENIZER.decode_bytes_batch(ids, offsets))
        return raw


def alone(tokenizer: Any, texts: Sequence[str]) -> tuple[Any, int, int | None]:
    """(the first divergence, round trips, the first document that is lost), document by document: serial and
    batch of each, and then serial and parallel of all of them joined, as a long document."""
    flat, offsets = tokenizer.encode_ordinary_batch(texts)
    divergence, back, lost = None, 0, None
    for number, text in enumerate(texts):
        part = flat[offsets[number] : offsets[number + 1]]
        found = first_divergence(tokenizer.encode_ordinary(text), part.tolist(), NUMBERS + number, encode_checks.WAYS)
        divergence = divergence or found
        try:
            same = tokenizer.decode_bytes(part) == text.encode()
        except (KeyError, ValueError):
            same = False
        back += same
        lost = NUMBERS + number if lost is None and not same else lost
    long = "".join(texts)
    parallel = tokenizer.encode_parallel(long, 2).tolist()
    found = first_divergence(tokenizer.encode_ordinary(long), parallel, NUMBERS, ("serial", "parallel"))
    return divergence or found, back, lost


def together(tokenizer: Any, texts: Sequence[str]) -> tuple[Any, int, int | None]:
    audit = EncodeAudit(tokenizer, 2)
    audit.add(texts, [text.encode() for text in texts], range(NUMBERS, NUMBERS + len(texts)))
    assert audit.documents == len(texts)
    return audit.divergence, audit.round_trips, audit.lost


def other_id(place: int) -> Spoil:
    def spoil(found: Any) -> Any:
        flat, offsets = found
        flat = flat.copy()
        if len(flat):
            flat[place % len(flat)] ^= 1
        return flat, offsets

    return spoil


def other_boundary(place: int) -> Spoil:
    """The same ids all in all, of which one is in another document."""

    def spoil(found: Any) -> Any:
        flat, offsets = found
        offsets = offsets.copy()
        if len(offsets) > 2:
            number = 1 + place % (len(offsets) - 2)
            offsets[number] = min(offsets[number] + 1, offsets[number + 1])
        return flat, offsets

    return spoil


def no_id(place: int) -> Spoil:
    def spoil(found: Any) -> Any:
        flat, offsets = found
        flat = flat.copy()
        if len(flat):
            flat[place % len(flat)] = 5000
        return flat, offsets

    return spoil


SPOILED: dict[str, Callable[[int], dict[str, Spoil]]] = {
    "nothing": lambda place: {},
    "an id of the batch": lambda place: {"batch": other_id(place)},
    "a boundary of the batch": lambda place: {"batch": other_boundary(place)},
    "an id that there isn't": lambda place: {"batch": no_id(place)},
    "an id that no array holds": lambda place: {"serial": lambda ids: [*ids[:-1], -1] if len(ids) == 2 else ids},
    "text": lambda place: {
        "decode": lambda raw: raw.replace(b"x", b""),
        "decode_batch": lambda raw: [one.replace(b"x", b"") for one in raw],
    },
    "text of one way to decode": lambda place: {"decode": lambda raw: raw.replace(b"x", b"")},
    "text of the other way": lambda place: {"decode_batch": lambda raw: raw[::-1]},
}


@pytest.mark.parametrize("what", SPOILED)
@settings(max_examples=examples(30), deadline=None)
@given(texts=st.lists(st.text("abxy \N{SNOWMAN}", max_size=12), min_size=1, max_size=9), place=st.integers(0, 100))
def test_together_is_as_alone(what: str, texts: list[str], place: int) -> None:
    tokenizer = Spoiled(**SPOILED[what](place))
    before, encode_checks.TOGETHER_BYTES = encode_checks.TOGETHER_BYTES, 12
    try:
        found = together(tokenizer, texts)
    finally:
        encode_checks.TOGETHER_BYTES = before
    assert found == alone(tokenizer, texts)
    assert together(tokenizer, texts) == found  # however many are looked at together


def test_the_spoiled_is_found() -> None:
    texts = ["a b", "ab", "xy", "xx yy"]
    for what, spoil in SPOILED.items():
        divergence, back, lost = together(Spoiled(**spoil(1)), texts)
        fine = (divergence, back, lost) == (None, len(texts), None)
        assert fine is (what in ("nothing", "text of the other way")), what


def test_who_cannot_decode_has_no_round_trip() -> None:
    def refuse(found: Any) -> Any:
        raise NotImplementedError("it can't decode")

    divergence, back, lost = together(Spoiled(decode=refuse), ["a b", "ab"])
    assert (divergence, back, lost) == (None, 0, NUMBERS)


def test_a_batch_of_another_number_of_documents() -> None:
    tokenizer = Spoiled(batch=lambda found: (found[0], found[1][:-1]))
    divergence, back, _ = together(tokenizer, ["a b", "ab", "xx"])
    assert divergence is not None
    assert divergence.document == NUMBERS
    assert back == 2


# ── which documents, and when ───────────────────────────────────────────────────────────────────────────────


class _Built:
    def __init__(self, name: str, tokenizer: Any) -> None:
        self.name, self.tokenizer, self.kind, self.trained_on = name, tokenizer, "bpe", ()


@pytest.mark.parametrize("threads", [1, 2])
def test_every_chosen_document_is_checked_once(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: dict[str, list[int]] = {"own": [], "other": []}

    def add(self: EncodeAudit, texts: Sequence[str], raw: Sequence[bytes], numbers: Sequence[int], stop: Any) -> None:
        assert [text.encode() for text in texts] == list(raw)
        name = "own" if self.tokenizer is TOKENIZER else "other"
        checked[name] += numbers

    monkeypatch.setattr(EncodeAudit, "add", add)
    monkeypatch.setattr("evalkit.auditor.TOGETHER_BYTES", 100)
    limits = Limits(batch_documents=3, checked_bytes=1000, sample_bytes=150)
    texts = [f"{'ab ' * (number % 7)}{number}" for number in range(200)]
    auditor = Auditor([_Built("own", TOKENIZER), _Built("other", Spoiled())], threads, limits)  # type: ignore[list-item]
    some: list[Batch] = list(batches(iter(texts), limits))
    with auditor.aside:
        for batch in some:
            auditor.add(batch)
        auditor.finish()
    assert checked["own"] == checked["other"] == sorted(set(checked["own"]))
    first = np.cumsum([len(text) for text in texts]).searchsorted(500)
    assert checked["own"][:first] == list(range(first)), "all documents of the first half of the budget"
    assert first < len(checked["own"]) < len(texts)
    assert auditor.sample == [texts[number] for number in checked["own"][: len(auditor.sample)]]
    assert 150 <= sum(auditor.sample_sizes) < 150 + 30
