"""Corpora: what is on which side, which documents a sample holds, and what a corpus is refused for."""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import corpus as corpus_module
from evalkit.corpus import (
    Corpus,
    CorpusStats,
    cut_at_line_ends,
    document_hash,
    is_held_out,
    open_corpus,
)
from evalkit.embedded import CorpusFile, EmbeddedCorpus, embedded_corpora
from evalkit.errors import UserError
from evalkit.suite_schema import CorpusSpec

SEPARATOR = "<|x|>"


def make(folder: Path, trained_on: bool = False, seed: int = 1, **spec: Any) -> Corpus:
    return open_corpus("text", CorpusSpec.model_validate(spec), base_dir=folder, seed=seed, trained_on=trained_on)


def write(folder: Path, name: str, documents: list[str]) -> None:
    (folder / name).write_bytes(SEPARATOR.join(documents).encode())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """300 documents in two files, some of them twice, and two empty ones."""
    generator = random.Random(5)
    documents = [f"document {number} é\r\n" + "x" * generator.randrange(50) for number in range(300)]
    write(tmp_path, "a.txt", [*documents[:150], "", documents[0], documents[1]])
    write(tmp_path, "b.txt", [*documents[150:], documents[2], ""])
    write(tmp_path, "valid.txt", ["held", "out", "", "v"])
    return tmp_path


BOTH: dict[str, Any] = {"files": ["a.txt", "b.txt"], "separator": SEPARATOR}


def test_documents_are_exact_and_can_be_read_again(folder: Path) -> None:
    corpus = make(folder, **BOTH)
    texts = [text for name in BOTH["files"] for text in (folder / name).read_bytes().decode().split(SEPARATOR) if text]
    assert list(corpus.documents()) == texts
    assert list(corpus.documents("all")) == texts
    size = sum(len(text.encode()) for text in texts)
    assert corpus.stats() == CorpusStats(303, size, sum(map(len, texts)), dropped_empty=2)
    assert corpus.files == ["a.txt", "b.txt"]
    assert corpus.notes == []


def test_what_is_known_without_a_word(folder: Path) -> None:
    corpus = make(folder, **BOTH)
    assert (corpus.name, corpus.language, corpus.domain, corpus.segmenter) == (
        "text",
        "und",
        "unspecified",
        "auto",
    )
    corpus = make(folder, **BOTH, language="en", domain="stories", segmenter="uax29")
    assert (corpus.language, corpus.domain, corpus.segmenter) == ("en", "stories", "uax29")


def test_the_hash_of_a_document() -> None:
    assert document_hash("é") == hashlib.sha256("é".encode()).digest()
    assert is_held_out("x", 0.999999) or not is_held_out("x", 0.000001)
    first = int(hashlib.sha256(b"x").hexdigest()[:16], 16)
    assert is_held_out("x", (first + 2**20) / 2**64)
    assert not is_held_out("x", (first - 2**20) / 2**64)


# the split


def test_never_trained_on_is_measured_whole(folder: Path) -> None:
    corpus = make(folder, **BOTH)
    assert corpus.split_name == "all"
    for split in ("train", "eval"):
        with pytest.raises(ValueError, match="nothing of it is held out"):
            corpus.documents(split)  # type: ignore[arg-type]


def test_a_tenth_is_held_out_by_hash_whatever_the_seed(folder: Path) -> None:
    corpus = make(folder, trained_on=True, **BOTH)
    assert corpus.split_name == "eval"
    everything, train, held_out = (list(corpus.documents(split)) for split in ("all", "train", "eval"))
    assert held_out == [text for text in everything if is_held_out(text, 0.1)]
    assert train == [text for text in everything if not is_held_out(text, 0.1)]
    assert 10 < len(held_out) < 60
    assert set(train).isdisjoint(held_out)
    other = make(folder, trained_on=True, seed=9, files=["b.txt", "a.txt"], separator=SEPARATOR)
    assert sorted(other.documents("eval")) == sorted(held_out)
    assert corpus.stats() == corpus.stats("eval")
    assert corpus.stats("train").documents + corpus.stats().documents == 303


@pytest.mark.parametrize("trained_on", [True, False])
def test_a_fraction(folder: Path, trained_on: bool) -> None:
    corpus = make(folder, trained_on=trained_on, **BOTH, eval={"fraction": 0.5})
    assert corpus.split_name == "eval"
    assert list(corpus.documents("eval")) == [text for text in corpus.documents() if is_held_out(text, 0.5)]


def test_files_of_its_own(folder: Path) -> None:
    corpus = make(folder, trained_on=True, **BOTH, eval={"files": "valid.txt"})
    assert corpus.split_name == "eval"
    assert list(corpus.documents("eval")) == ["held", "out", "v"]
    assert len(list(corpus.documents("train"))) == 303
    assert list(corpus.documents()) == [*corpus.documents("train"), *corpus.documents("eval")]
    assert corpus.stats().dropped_empty == 1
    assert corpus.stats("train").dropped_empty == 2
    assert corpus.files == ["a.txt", "b.txt", "valid.txt"]
    contents = b"".join((folder / name).read_bytes() for name in corpus.files)
    assert corpus.sha256 == hashlib.sha256(contents).hexdigest()


def test_measured_files_that_are_trained_on(folder: Path) -> None:
    with pytest.raises(UserError, match=r"corpus 'text': a\.txt is both in files and in eval: files"):
        make(folder, **BOTH, eval={"files": "a.txt"})


def test_a_few_documents_are_cut_at_line_ends(tmp_path: Path) -> None:
    text = "".join(f"line {number}\r\n" for number in range(1000))
    (tmp_path / "a.txt").write_bytes(text.encode())
    corpus = make(tmp_path, trained_on=True, files="a.txt")
    train, held_out = list(corpus.documents("train")), list(corpus.documents("eval"))
    assert list(corpus.documents()) == [text]
    assert all(block.endswith("\r\n") for block in train + held_out)
    assert sorted("".join(train + held_out).splitlines()) == sorted(text.splitlines())
    assert all(is_held_out(block, 0.1) for block in held_out)
    assert not any(is_held_out(block, 0.1) for block in train)
    assert len(corpus.notes) == 1
    assert corpus.notes[0].startswith("only 1 document: the text is cut into blocks at line ends")


def test_ten_documents_are_enough(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", [f"document {number}\n" for number in range(9)])
    assert make(tmp_path, True, files="a.txt", separator=SEPARATOR, eval={"fraction": 0.5}).notes
    write(tmp_path, "a.txt", [f"document {number}\n" for number in range(10)])
    assert not make(tmp_path, True, files="a.txt", separator=SEPARATOR, eval={"fraction": 0.5}).notes


NOTHING_LEFT = [
    (["one line"], {}, "nothing is left to measure when 0.1"),
    (["one text"] * 50, {}, "nothing is left to measure when 0.1"),
    (["same"] * 50, {"eval": {"fraction": 0.999999999}}, "nothing is left to train on"),
]


@pytest.mark.parametrize(("documents", "more", "message"), NOTHING_LEFT)
def test_nothing_left(tmp_path: Path, documents: list[str], more: dict[str, Any], message: str) -> None:
    write(tmp_path, "a.txt", documents)
    with pytest.raises(UserError, match="^corpus 'text': " + message):
        make(tmp_path, True, files="a.txt", separator=SEPARATOR, **more)


@settings(max_examples=examples(200), deadline=None)
@given(st.text("ab\r\n\x0b\u2028", max_size=40), st.integers(1, 10))
def test_blocks_are_whole_lines_and_lose_nothing(text: str, size: int) -> None:
    blocks = list(cut_at_line_ends(text, size))
    assert "".join(blocks) == text
    assert all(block.endswith("\n") and len(block) >= size for block in blocks[:-1])
    for block in blocks:  # no longer than needed: without its last line it would be too short
        *lines, _ = re.findall(r"[^\n]*\n|[^\n]+", block)
        assert len("".join(lines)) < size


# the sample


def test_a_sample_of_documents(folder: Path) -> None:
    corpus = make(folder, **BOTH, sample={"documents": 40})
    sample = list(corpus.documents())
    everything = list(make(folder, **BOTH).documents())
    assert len(sample) == 40
    assert not Counter(sample) - Counter(everything)
    assert [text for text in everything if text in set(sample)][:3] == sample[:3]
    assert corpus.notes == ["a sample of 40 of 303 documents of a.txt, b.txt, seed 1"]
    assert list(corpus.documents()) == sample
    assert corpus.stats().documents == 40
    assert list(make(folder, **BOTH, seed=2, sample={"documents": 40}).documents()) != sample
    larger = Counter(make(folder, **BOTH, sample={"documents": 80}).documents())
    assert not Counter(sample) - larger


def test_a_sample_does_not_depend_on_the_order_of_files(folder: Path) -> None:
    turned = {"files": ["b.txt", "a.txt"], "separator": SEPARATOR}
    for sample in ({"documents": 40}, {"bytes": "2kB"}):
        first = sorted(make(folder, **BOTH, sample=sample).documents())
        assert sorted(make(folder, **turned, sample=sample).documents()) == first


def test_a_sample_of_bytes(folder: Path) -> None:
    corpus = make(folder, **BOTH, sample={"bytes": 2000})
    assert 1900 < corpus.stats().bytes <= 2000
    assert make(folder, **BOTH, sample={"bytes": 1}).stats().documents == 1


def test_a_sample_of_more_than_there_is(folder: Path) -> None:
    for sample in ({"documents": 1000}, {"bytes": "1GB"}):
        corpus = make(folder, **BOTH, sample=sample)
        assert corpus.stats().documents == 303
        assert corpus.notes == []


def test_copies_are_sampled_like_other_documents(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", ["same"] * 500 + [f"other {number}" for number in range(500)])
    for seed in range(3):
        sample = make(tmp_path, seed=seed, files="a.txt", separator=SEPARATOR, sample={"documents": 200})
        assert 70 < Counter(sample.documents())["same"] < 130


def test_a_sample_is_drawn_before_the_split(folder: Path) -> None:
    corpus = make(folder, True, **BOTH, sample={"documents": 100})
    assert corpus.stats("train").documents + corpus.stats("eval").documents == 100
    corpus = make(folder, True, **BOTH, eval={"files": "valid.txt"}, sample={"documents": 2})
    assert corpus.stats("train").documents == 2
    assert corpus.stats("eval").documents == 2
    assert corpus.notes[1] == "a sample of 2 of 3 documents of valid.txt, seed 1"


def test_files_that_change_under_a_sample(folder: Path) -> None:
    corpus = make(folder, **BOTH, sample={"documents": 40})
    write(folder, "b.txt", ["short"])
    with pytest.raises(UserError, match=r"a\.txt, b\.txt: the files changed"):
        list(corpus.documents())


# what is refused

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"files": "c.txt"}, r"corpus 'text': there is no file 'c\.txt' in .*did you mean"),
    ({"files": ["a.txt", "empty.txt"]}, r"corpus 'text': empty\.txt: the file is empty"),
    ({"files": "separators.txt", "separator": SEPARATOR}, r"corpus 'text': no documents in separators\.txt"),
    ({"files": "a.log"}, r"corpus 'text': a\.log: the ending tells no format"),
    (
        {"files": "a.txt", "sha256": "0" * 64},
        r"corpus 'text': the SHA-256 of a\.txt is [0-9a-f]{64}, and the",
    ),
    ({"files": "a.txt", "eval": {"files": "no.txt"}}, r"corpus 'text': there is no file 'no\.txt'"),
    (
        {"files": "a.txt", "eval": {"files": "separators.txt"}, "separator": SEPARATOR},
        "no documents in separators",
    ),
    ({"files": "latin.txt"}, r"corpus 'text': latin\.txt: not UTF-8: byte 3 is 0xe9"),
]


@pytest.mark.parametrize(("spec", "message"), REFUSED)
def test_refused(folder: Path, spec: dict[str, Any], message: str) -> None:
    (folder / "empty.txt").touch()
    write(folder, "separators.txt", ["", "", ""])
    write(folder, "a.log", ["x"])
    (folder / "latin.txt").write_bytes(b"caf\xe9")
    with pytest.raises(UserError, match=message):
        make(folder, **spec)


def test_a_checked_hash(folder: Path) -> None:
    digest = hashlib.sha256((folder / "a.txt").read_bytes()).hexdigest()
    assert make(folder, files="a.txt", sha256=digest.upper()).sha256 == digest


def test_an_empty_line_would_part_parallel_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\n\nthree\n")
    corpus = make(tmp_path, files="a.txt", document="line", parallel="group")
    assert corpus.parallel == "group"
    with pytest.raises(UserError, match=r"a\.txt: document 2 is empty"):
        list(corpus.documents())


def test_embedded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EmbeddedCorpus(
        name="web",
        title="Web",
        language="en",
        domain="web",
        licence="CC0",
        separator=SEPARATOR,
        field=None,
        files=(CorpusFile(folder / "a.txt", 1, "0" * 64), CorpusFile(folder / "b.txt", 1, "0" * 64)),
        documents=303,
        bytes=1,
        chars=1,
        sha256="1" * 64,
        generator="none",
    )
    monkeypatch.setattr(corpus_module, "embedded_corpus", {"web": entry}.__getitem__)
    corpus = make(Path(), builtin="web")
    assert (corpus.language, corpus.domain, corpus.sha256) == ("en", "web", "1" * 64)
    assert list(corpus.documents()) == list(make(folder, **BOTH).documents())
    assert make(Path(), builtin="web", domain="other").domain == "other"
    assert make(Path(), True, builtin="web").split_name == "eval"


@pytest.mark.parametrize("name", embedded_corpora())
def test_what_the_manifest_says_is_what_is_read(name: str) -> None:
    entry = embedded_corpora()[name]
    stats = make(Path(), builtin=name).stats()
    assert (stats.documents, stats.chars) == (entry.documents, entry.chars)
    assert make(Path(), True, builtin=name).stats().documents > 0
