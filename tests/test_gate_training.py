"""Training again: what comes out the same passes, and what depends on threads, order or files is caught."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import tokenizers_impl as ti
from evalkit.build import Recipe
from evalkit.gate.training import Room, again
from evalkit.gate.verdicts import Verdict
from tokenizers_impl import BPETokenizer

TEXTS = [f"low lower lowest {number} newest widest thing" for number in range(50)]
Train = Callable[[Iterable[str | Path], int], BPETokenizer]


def train(source: Iterable[str | Path], threads: int) -> BPETokenizer:
    return ti.train(source, "gpt2", 280, ["<s>"], threads=threads)


def verdict(how: Train, folder: Path, share: int = 10**6, texts: list[str] = TEXTS) -> Verdict:
    return again("t", Recipe(how, lambda: iter(texts)), train(texts, 2), Room(share), folder, 1)


def test_the_same_text_gives_the_same_file(tmp_path: Path) -> None:
    found = verdict(train, tmp_path)
    assert found.outcome == "pass"
    assert found.detail.startswith("all of the training text: 1 thread, 3 threads, documents backwards, 2 threads, 30 ")
    assert (found.documents, found.bytes) == (50, found.of_bytes)


def test_a_share_says_how_much_it_was(tmp_path: Path) -> None:
    found = verdict(train, tmp_path, 500)
    assert found.outcome == "pass"
    assert 0 < found.bytes < found.of_bytes
    assert f"{found.bytes:,} of {found.of_bytes:,} bytes" in found.detail
    long = verdict(train, tmp_path, 1000, ["low lower " * 1000, "newest wide " * 1000, "thing " * 1000])
    assert long.documents > 1
    assert long.bytes <= 1300


def by_threads(source: Iterable[str | Path], threads: int) -> BPETokenizer:
    return ti.train(source, "gpt2", 280 - (threads > 2), ["<s>"])


def by_files(source: Iterable[str | Path], threads: int) -> BPETokenizer:
    return train([one if isinstance(one, str) else one.read_text()[::-1] for one in source], threads)


def raises(source: Iterable[str | Path], threads: int) -> BPETokenizer:
    if threads > 1:
        raise OverflowError("too many")
    return train(source, threads)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        (by_threads, "3 threads, documents backwards: another tokenizer"),
        (by_files, "2 threads, 30 documents in files: another tokenizer"),
        (raises, "OverflowError: too many"),
    ],
)
def test_what_training_depends_on_is_caught(how: Train, says: str, tmp_path: Path) -> None:
    found = verdict(how, tmp_path)
    assert found.outcome == "fail"
    assert says in found.detail


def test_another_tokenizer_than_the_suites_is_caught(tmp_path: Path) -> None:
    found = again("t", Recipe(train, lambda: iter(TEXTS)), train(TEXTS[:20], 1), Room(10**6), tmp_path, 1)
    assert found.outcome == "fail"
    assert "another tokenizer than the suite's" in found.detail


def test_training_texts_are_read_as_long_as_there_is_time(tmp_path: Path) -> None:
    late = Room(10**6, until=0.0)
    found = again("t", Recipe(train, lambda: iter(TEXTS)), train(TEXTS, 1), late, tmp_path, 1)
    size = len(TEXTS[0])
    assert (found.outcome, found.documents, found.bytes) == ("pass", 1, size)
    assert f"{size} of the first {size} bytes of the training text, more of which there was no time" in found.detail
    whole = again("t", Recipe(train, lambda: iter(TEXTS[:1])), train(TEXTS[:1], 1), late, tmp_path, 1)
    assert whole.detail.startswith("all of the training text")
    assert [late.of(1).until <= time.monotonic(), Room(9).of(3), Room(9).without(Room(3))] == [True, Room(3), Room(6)]
