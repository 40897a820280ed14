"""Text that is not valid UTF-8: an error that names the place, or U+FFFD where the corpus says so, and counted."""

from __future__ import annotations

import importlib
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from evalkit.corpus import open_corpus
from evalkit.errors import UserError
from evalkit.readers import Cut, read_documents
from evalkit.sources import find_sources
from evalkit.suite_schema import CorpusSpec

LINE, FIELD, SEPARATOR = Cut(document="line"), Cut(field="text"), Cut(separator="<|x|>")


def read(folder: Path, name: str, cut: Cut, notes: list[str] | None = None, *, block_bytes: int = 1 << 20) -> list[str]:
    notes = [] if notes is None else notes
    found = find_sources([name], folder, notes)
    return [text for source in found for text in read_documents(source, cut, notes, block_bytes=block_bytes)]


# (file name, its content, the cut, the documents under ``replace``, the places replaced)
REPLACED: list[tuple[str, bytes, Cut, list[str], int]] = [
    ("a.txt", b"ab\xffcd", Cut(), ["ab\ufffdcd"], 1),
    ("a.txt", b"\xff", Cut(), ["\ufffd"], 1),
    ("a.txt", b"a\xe2\x82", Cut(), ["a\ufffd"], 1),  # cut off in the middle of a character
    ("a.txt", b"\xed\xa0\xbdx", Cut(), ["\ufffd\ufffd\ufffdx"], 3),  # a surrogate, as some write it
    ("a.txt", "\ufeff\ufffd".encode() + b"\xc3", Cut(), ["\ufffd\ufffd"], 1),  # one of the two was there
    ("a.txt", b"a\xf0\nb\xf0\x9f", LINE, ["a\ufffd", "b\ufffd"], 2),
    ("a.txt", b"a\x80<|x|>\x80", SEPARATOR, ["a\ufffd", "\ufffd"], 2),
    ("a.jsonl", b'{"text": "a\xff"}\n{"text": "\\ud83d\\ud83d\\udc15"}\n', FIELD, ["a\ufffd", "\ufffd\U0001f415"], 2),
    ("a.csv", b"text,n\na\xff,1\n", FIELD, ["a\ufffd"], 1),
]


@pytest.mark.parametrize(("name", "content", "cut", "documents", "places"), REPLACED)
def test_invalid_utf8_is_replaced_where_the_corpus_says_so(
    tmp_path: Path, name: str, content: bytes, cut: Cut, documents: list[str], places: int
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=r"not UTF-8|half of a surrogate pair"):
        read(tmp_path, name, cut)
    lossy = replace(cut, invalid_utf8="replace")
    for block_bytes in (*range(1, 9), 1 << 20):
        notes: list[str] = []
        assert read(tmp_path, name, lossy, notes, block_bytes=block_bytes) == documents
        assert read(tmp_path, name, lossy, notes, block_bytes=block_bytes) == documents
        counted = [note for note in notes if "invalid_utf8: replace" in note]
        assert len(counted) == 1
        assert counted[0].startswith(f"{name}: {places} place")


@given(st.binary(max_size=40), st.integers(1, 7))
@settings(max_examples=examples(300), deadline=None)
def test_replacing_is_what_python_does_in_one_piece(content: bytes, block_bytes: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "a.txt").write_bytes(b"x" + content)
        found = read(Path(name), "a.txt", Cut(invalid_utf8="replace"), block_bytes=block_bytes)
    assert found == ["x" + content.decode("utf-8", "replace")]


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
@pytest.mark.parametrize("block_bytes", [1, 2, 100])
def test_utf16_is_no_text_with_slips_in_it(tmp_path: Path, mark: bytes, block_bytes: int) -> None:
    (tmp_path / "a.txt").write_bytes(mark + b"a\0b\0")
    with pytest.raises(UserError, match="it looks like UTF-16"):
        read(tmp_path, "a.txt", Cut(invalid_utf8="replace"), block_bytes=block_bytes)


def test_invalid_utf8_in_parquet(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = importlib.import_module("pyarrow.parquet")
    raw = arrow.array([b"ok", b"a\xffb", None, b"c\xe4"], arrow.binary())
    column = arrow.Array.from_buffers(arrow.string(), 4, raw.buffers())
    parquet.write_table(arrow.table({"text": column.take(arrow.array([0, 1, 3]))}), tmp_path / "a.parquet")
    with pytest.raises(UserError, match=r"a\.parquet: row 2: the field 'text' is not UTF-8: byte 1 is 0xff"):
        read(tmp_path, "a.parquet", FIELD)
    notes: list[str] = []
    assert read(tmp_path, "a.parquet", replace(FIELD, invalid_utf8="replace"), notes) == ["ok", "a\ufffdb", "c\ufffd"]
    assert "2 places" in notes[0]


def test_training_measuring_and_streaming_see_the_same_text(tmp_path: Path) -> None:
    content = b"low lower \xff\xfelow\n" * 30
    (tmp_path / "a.txt").write_bytes(content)
    (tmp_path / "b.txt").write_bytes(b"lowest \xc3")
    spec = {"files": ["a.txt"], "eval": {"files": ["b.txt"]}, "invalid_utf8": "replace"}
    corpus = open_corpus("text", CorpusSpec.model_validate(spec), base_dir=tmp_path, seed=1, trained_on=True)
    (training,), (measured,) = (list(corpus.documents(split)) for split in ("train", "eval"))
    assert training == content.decode("utf-8", "replace")
    assert measured == "lowest \ufffd"
    assert corpus.stats().bytes == len(measured.encode())
    assert corpus.notes == [
        "a.txt: 60 places that are not valid UTF-8 read as U+FFFD (invalid_utf8: replace)",
        "b.txt: 1 place that is not valid UTF-8 read as U+FFFD (invalid_utf8: replace)",
    ]
    tok = ti.train(corpus.documents("train"), vocab_size=270)
    assert tok == ti.train(training, vocab_size=270)
    assert list(tok.encode_iterable([measured])) == tok.encode(measured)


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(ValueError, match="a policy, one of error, replace"):
        CorpusSpec.model_validate({"files": ["a.txt"], "invalid_utf8": "ignore"})
