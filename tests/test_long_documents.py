"""Files that are one document, too long to be held."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from budget import examples
from engines import CUTS, variant_of
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from evalkit import long_documents, readers
from evalkit.corpus import open_corpus
from evalkit.long_documents import in_parts
from evalkit.suite_schema import CorpusSpec
from tokenizers_impl import engine

TEXT = st.text(st.sampled_from("ab1 ,'\n\u3000\u5317é\u0301\u0e01s"), max_size=60)


@given(TEXT, st.integers(1, 9), st.integers(1, 30))
@settings(max_examples=examples(300), deadline=None)
def test_parts_join_to_the_text_and_no_pretoken_or_word_is_cut(text: str, block: int, largest: int) -> None:
    blocks = [text[at : at + block] for at in range(0, len(text), block)]
    parts = list(in_parts(blocks, largest))
    assert "".join(parts) == text
    for cut in CUTS:
        variant, direction = variant_of(cut)
        if variant not in ("bytes_only", "zh"):  # zh needs a word list, and is zh_run before that
            apart = [ti.pretokenize(part, variant, direction=direction) for part in parts]
            assert [one for some in apart for one in some] == ti.pretokenize(text, variant, direction=direction), cut
    words = [part.encode()[a:b] for part in parts for a, b in engine.active().words(part)]
    assert words == [text.encode()[a:b] for a, b in engine.active().words(text)]


def test_a_text_without_a_place_is_one_part_and_is_not_joined_again_and_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[int] = []
    found = long_documents._last_place

    def looking(text: str) -> int | None:
        looked.append(len(text))
        return found(text)

    monkeypatch.setattr(long_documents, "_last_place", looking)
    assert list(in_parts(["a" * 10] * 1000, 20)) == ["a" * 10_000]
    assert len(looked) < 20
    assert sum(looked) < 40_000


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(readers, "LARGEST", 1_000_000)
    monkeypatch.setattr(readers, "in_parts", lambda blocks: in_parts(blocks, 1_000_000))
    path = tmp_path / "long.txt"
    path.write_text("some words, a line\n" * 800_000, encoding="utf-8")
    return path


def test_a_long_file_is_parts_and_the_report_says_so(file: Path) -> None:
    corpus = open_corpus("long", CorpusSpec(files=(str(file),)), base_dir=file.parent, seed=1, trained_on=False)
    parts = list(corpus.documents())
    assert "".join(parts) == file.read_text(encoding="utf-8")
    assert len(parts) > 1
    (note,) = corpus.notes
    assert f"it is taken in {len(parts)} parts" in note
    list(corpus.documents())
    assert corpus.notes == [note]


def test_no_more_than_a_part_is_held(file: Path) -> None:
    corpus = open_corpus("long", CorpusSpec(files=(str(file),)), base_dir=file.parent, seed=1, trained_on=False)
    tracemalloc.start()
    try:
        assert sum(map(len, corpus.documents())) == file.stat().st_size
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # A block of 1 MiB that is read and decoded, what is held, and what is given; the file has 15 MB.
    assert peak < 7 * 2**20
