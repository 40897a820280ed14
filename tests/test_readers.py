"""Files to documents: exact text whatever the blocks, and otherwise an error that names the place."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import importlib
import json
import lzma
import os
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import readers, sources
from evalkit.errors import UserError
from evalkit.readers import Cut, read_documents, split_blocks, split_lines
from evalkit.sources import find_sources, hash_sources

WHOLE = Cut()


def read(
    folder: Path, name: str, cut: Cut = WHOLE, notes: list[str] | None = None, *, block_bytes: int = 1 << 20
) -> list[str]:
    notes = [] if notes is None else notes
    found = find_sources([name], folder, notes)
    return [text for source in found for text in read_documents(source, cut, notes, block_bytes=block_bytes)]


LINE, FILE, FIELD = Cut(document="line"), Cut(document="file"), Cut(field="text")
SEPARATOR = Cut(separator="<|x|>")

# (file name, its content, the cut, the documents)
READ: list[tuple[str, str, Cut, list[str]]] = [
    ("a.txt", " a\r\nb \n", Cut(), [" a\r\nb \n"]),
    ("a.md", "# t\n", Cut(), ["# t\n"]),
    ("a.text", "t", FILE, ["t"]),
    ("A.TXT", "t", Cut(), ["t"]),
    (
        "a.txt",
        "a\nb\r\nc\rd\n\n e\u2028f\x0bg\x85h\x0ci",
        LINE,
        ["a", "b", "c\rd", "", " e\u2028f\x0bg\x85h\x0ci"],
    ),
    ("a.txt", "a\n", LINE, ["a"]),
    ("a.txt", "a\r", LINE, ["a\r"]),
    ("a.txt", "\n\n", LINE, ["", ""]),
    ("a.txt", "a<|x|>\nb\n<|x|><|x|>c<|x|>", SEPARATOR, ["a", "\nb\n", "", "c", ""]),
    ("a.txt", "no separator\r\n", SEPARATOR, ["no separator\r\n"]),
    ("a.txt", "a<|x|b|><|x|>", SEPARATOR, ["a<|x|b|>", ""]),
    ("a.log", "a\nb", LINE, ["a", "b"]),
    ("a.json", '[{"a": 1}]', FILE, ['[{"a": 1}]']),
    ("a.jsonl", '{"text": "a\\n"}\r\n\n{"x": 1, "text": ""}', FIELD, ["a\n", ""]),
    ("a.ndjson", '{"text": "\\ud83d\\ude00 \u2028"}\n', FIELD, ["😀 \u2028"]),
    ("a.jsonl", '{"x": {"text": "b", "text": "c"}, "y": 1, "y": 2, "text": "a"}', FIELD, ["a"]),
    ("a.jsonl", '{"text": "a"}\n[1]\n', LINE, ['{"text": "a"}', "[1]"]),
    ("a.csv", 'id,text\r\n1,"a, ""b""\r\nc"\r\n\r\n2,d\n', FIELD, ['a, "b"\r\nc', "d"]),
    ("a.csv", "text\n" + "x" * 200_000, FIELD, ["x" * 200_000]),
    ("a.tsv", 'id\ttext\n1\ta,b\n2\t"c\td"\n', FIELD, ["a,b", "c\td"]),
    ("a.csv", "id,text\n1,a\n", FILE, ["id,text\n1,a\n"]),
]


@pytest.mark.parametrize(("name", "content", "cut", "documents"), READ)
@pytest.mark.parametrize("block_bytes", [1, 2, 3, 7, 1 << 20])
def test_read(tmp_path: Path, name: str, content: str, cut: Cut, documents: list[str], block_bytes: int) -> None:
    if len(content) > 10_000 and block_bytes < 7:
        return
    (tmp_path / name).write_bytes(content.encode())
    assert read(tmp_path, name, cut, block_bytes=block_bytes) == documents


PACKERS: list[tuple[str, Callable[[bytes], bytes]]] = [
    (".gz", gzip.compress),
    (".bz2", bz2.compress),
    (".xz", lzma.compress),
]


@pytest.mark.parametrize(("suffix", "pack"), PACKERS, ids=[suffix for suffix, _ in PACKERS])
def test_compressed(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    (tmp_path / f"a.txt{suffix}").write_bytes(pack("é\n".encode()) + pack(b"two members"))
    assert read(tmp_path, f"a.txt{suffix}") == ["é\ntwo members"]
    (tmp_path / f"b.jsonl{suffix}").write_bytes(pack(b'{"text": "x"}'))
    assert read(tmp_path, f"b.jsonl{suffix}", FIELD) == ["x"]


@pytest.mark.parametrize(("suffix", "pack"), PACKERS, ids=[suffix for suffix, _ in PACKERS])
@pytest.mark.parametrize("damage", ["cut", "other"])
def test_damaged(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes], damage: str) -> None:
    packed = pack(os.urandom(4000).hex().encode())
    (tmp_path / f"a.txt{suffix}").write_bytes(packed[:-20] if damage == "cut" else b"plain text, not packed")
    with pytest.raises(UserError, match=rf"^a\.txt{suffix}: the file is no whole {suffix} file: "):
        read(tmp_path, f"a.txt{suffix}", block_bytes=1000)


def test_zstandard(tmp_path: Path) -> None:
    pack = pytest.importorskip("zstandard").ZstdCompressor().compress
    (tmp_path / "a.txt.zst").write_bytes(pack(b"one ") + pack(b"two"))
    assert read(tmp_path, "a.txt.zst", block_bytes=3) == ["one two"]
    (tmp_path / "a.txt.zst").write_bytes(pack(os.urandom(4000).hex().encode())[:-5])
    with pytest.raises(UserError, match=r"no whole \.zst file: it ends too early"):
        read(tmp_path, "a.txt.zst")
    (tmp_path / "a.txt.zst").write_bytes(b"plain text")
    with pytest.raises(UserError, match=r"no whole \.zst file"):
        read(tmp_path, "a.txt.zst")


def test_parquet(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = importlib.import_module("pyarrow.parquet")
    texts = [f"row {number}\r\n" for number in range(3000)]
    parquet.write_table(arrow.table({"id": list(range(3000)), "text": texts}), tmp_path / "a.parquet")
    assert read(tmp_path, "a.parquet", FIELD) == texts
    with pytest.raises(UserError, match=r"a\.parquet: there is no field 'txt' \(did you mean 'text'\?\)"):
        read(tmp_path, "a.parquet", Cut(field="txt"))
    with pytest.raises(UserError, match="row 1: the field 'id' must be text, found int"):
        read(tmp_path, "a.parquet", Cut(field="id"))
    parquet.write_table(arrow.table({"text": ["a", None]}), tmp_path / "b.parquet")
    with pytest.raises(UserError, match="row 2: the field 'text' must be text, found nothing"):
        read(tmp_path, "b.parquet", FIELD)
    twice = arrow.Table.from_arrays([arrow.array(["a"]), arrow.array(["b"])], names=["text", "text"])
    parquet.write_table(twice, tmp_path / "t.parquet")
    with pytest.raises(UserError, match="two columns are named 'text'"):
        read(tmp_path, "t.parquet", FIELD)
    (tmp_path / "c.parquet").write_bytes(b"no parquet")
    with pytest.raises(UserError, match="not a parquet file"):
        read(tmp_path, "c.parquet", FIELD)


MISSING = [
    ("a.txt.zst", "zstandard", Cut()),
    ("a.parquet", "pyarrow", FIELD),
    ("s3://x/a.txt", "fsspec", Cut()),
]


@pytest.mark.parametrize(("name", "package", "cut"), MISSING)
def test_a_package_that_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, package: str, cut: Cut
) -> None:
    def none(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(sources, "import_module", none)
    monkeypatch.setattr(readers, "import_module", none)
    if "://" not in name:
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(UserError, match=rf"{package}; install evalkit\[files\]") as caught:
        read(tmp_path, name, cut)
    assert name in str(caught.value)


# (file name, its content, the cut, the message)
WRONG: list[tuple[str, bytes, Cut, str]] = [
    ("a.txt", b"", Cut(), "a.txt: the file is empty"),
    ("a.txt", b"ab\xffcd", Cut(), "a.txt: not UTF-8: byte 2 is 0xff (invalid start byte)"),
    (
        "a.txt",
        "é".encode() * 9 + b"\xc3",
        Cut(),
        "a.txt: not UTF-8: byte 18 is 0xc3 (unexpected end of data)",
    ),
    ("a.txt", b"abc\xe2\x82x", LINE, "a.txt: not UTF-8: byte 3 is 0xe2 (invalid continuation byte)"),
    ("a.txt", b"a\xed\xa0\xbd", SEPARATOR, "a.txt: not UTF-8: byte 1 is 0xed"),
    ("a.txt", b"\xff\xfea\x00", Cut(), "byte 0 is 0xff (invalid start byte); it looks like UTF-16"),
    ("a.txt.gz", gzip.compress(b"abc\xff", mtime=0), Cut(), "byte 3 of the unpacked text is 0xff"),
    ("a.txt.gz", gzip.compress(b"", mtime=0), Cut(), "a.txt.gz: the file is empty"),
    ("a.bin", b"x", Cut(), "a.bin: the ending tells no format; say separator or document"),
    ("a", b"x", Cut(), "a: the ending tells no format"),
    ("a.txt", b"x", FIELD, "a.txt: field is for .jsonl"),
    ("a.json", b"[]", FIELD, "a.json: field is for .jsonl"),
    ("a.jsonl", b"{}", Cut(), "a.jsonl: say which field holds the text"),
    ("a.csv", b"a", Cut(), "a.csv: say which field holds the text"),
    ("a.parquet", b"a", FILE, "a.parquet: a parquet file needs field"),
    ("a.parquet.gz", b"a", FIELD, "a.parquet.gz: a parquet file is compressed inside"),
    (
        "a.jsonl",
        b'{"text": "a"}\n{"txt": 1, "id": 2}',
        FIELD,
        "a.jsonl:2: there is no field 'text' (did you mean 'txt'",
    ),
    ("a.jsonl", b"{}", FIELD, "a.jsonl:1: there is no field 'text'; the fields are none"),
    ("a.jsonl", b'{"text":"x"}\n{"text":"a","text":"b"}', FIELD, "a.jsonl:2: the object names 'text' twice"),
    ("a.jsonl", b'{"te\\u0078t":"a","x":1,"text":"a"}', FIELD, "a.jsonl:1: the object names 'text' twice"),
    (
        "a.jsonl",
        b'{"text": "a"}\n\n{"text": 1}',
        FIELD,
        "a.jsonl:3: the field 'text' must be text, found a number",
    ),
    ("a.jsonl", b'{"text": null}', FIELD, "a.jsonl:1: the field 'text' must be text, found null"),
    ("a.jsonl", b'{"text": ["a"]}', FIELD, "a.jsonl:1: the field 'text' must be text, found a list"),
    ("a.jsonl", b'["a"]', FIELD, "a.jsonl:1: expected an object with the field 'text', found a list"),
    ("a.jsonl", b'"a"', FIELD, "a.jsonl:1: expected an object with the field 'text', found a text"),
    ("a.jsonl", b'{"text": "a"\n', FIELD, "a.jsonl:1:13: not valid JSON: "),
    ("a.jsonl", b'{"text": "a"}\n{"text": "b\t"}', FIELD, "a.jsonl:2:12: not valid JSON: "),
    (
        "a.jsonl",
        b'{"text": "ab\\ud83d"}',
        FIELD,
        "a.jsonl:1: the field 'text' holds half of a surrogate pair (\\ud83d at",
    ),
    ("a.jsonl", b'{"text": "a", "n": ' + b"9" * 5000 + b"}", FIELD, "a.jsonl:1: JSON that can't be read"),
    ("a.jsonl", b"[" * 200_000, FIELD, "a.jsonl:1: JSON that can't be read"),
    (
        "a.csv",
        b"id,txt\n1,a\n",
        FIELD,
        "a.csv:1: there is no field 'text' (did you mean 'txt'?); the fields are id",
    ),
    ("a.csv", b"text,text\n1,a\n", FIELD, "a.csv:1: the header names 'text' twice"),
    ("a.csv", b"id,text\n1,a\n2\n", FIELD, "a.csv:3: the row has 1 fields, the header 2"),
    ("a.csv", b"id,text\n1,a,b\n", FIELD, "a.csv:2: the row has 3 fields, the header 2"),
    ("a.csv", b'id,text\n1,"a\n', FIELD, "a.csv:2: not valid CSV: "),
    ("a.csv", b'id,text\n1,"a"b\n', FIELD, "a.csv:2: not valid CSV: "),
]


@pytest.mark.parametrize(("name", "content", "cut", "message"), WRONG)
@pytest.mark.parametrize("block_bytes", [1, 5, 1 << 20])
def test_wrong(tmp_path: Path, name: str, content: bytes, cut: Cut, message: str, block_bytes: int) -> None:
    if len(content) > 10_000 and block_bytes < 1 << 20:
        return
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError) as caught:
        read(tmp_path, name, cut, block_bytes=block_bytes)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("block_bytes", [1, 2, 3, 100])
def test_one_byte_order_mark_is_dropped_and_noted(tmp_path: Path, block_bytes: int) -> None:
    (tmp_path / "a.txt").write_bytes("\ufeff\ufeffa\ufeff".encode())
    notes: list[str] = []
    for _ in range(2):
        assert read(tmp_path, "a.txt", Cut(), notes, block_bytes=block_bytes) == ["\ufeffa\ufeff"]
    assert notes == ["a.txt starts with a byte order mark, which was dropped"]


# finding


def names(folder: Path, *patterns: str, notes: list[str] | None = None) -> list[str]:
    return [source.name for source in find_sources(patterns, folder, [] if notes is None else notes)]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("b.txt", "a.txt", ".hidden.txt", "sub/c.txt", "sub/.git/d.txt", "sub.txt", "[1].txt"):
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    return tmp_path


def test_finding(tree: Path) -> None:
    assert names(tree, "data/b.txt", "data/a.txt") == ["data/b.txt", "data/a.txt"]
    assert names(tree, "data/*.txt") == ["data/[1].txt", "data/a.txt", "data/b.txt", "data/sub.txt"]
    assert names(tree, "data/**/c.txt") == ["data/sub/c.txt"]
    assert names(tree, "data/[1].txt") == ["data/[1].txt"]
    assert names(tree, str(tree / "data" / "a.*")) == [str(tree / "data" / "a.txt")]
    assert names(tree / "data" / "sub", "../a.txt") == ["../a.txt"]


def test_a_folder(tree: Path) -> None:
    notes: list[str] = []
    expected = ["data/[1].txt", "data/a.txt", "data/b.txt", "data/sub/c.txt", "data/sub.txt"]
    assert names(tree, "data", notes=notes) == expected
    assert notes == ["2 hidden entries of the folder 'data' skipped"]
    (tree / "data" / "link").symlink_to(tree / "data" / "sub")
    names(tree, "data", notes=notes)
    assert "1 linked folder in 'data' not followed" in notes


def test_a_folder_whose_name_looks_like_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "[x]").mkdir()
    (tmp_path / "[x]" / "a.txt").write_text("a", encoding="utf-8")
    assert names(tmp_path / "[x]", "*.txt") == ["a.txt"]


def test_a_file_named_twice(tree: Path) -> None:
    notes: list[str] = []
    (tree / "data" / "z.txt").symlink_to(tree / "data" / "a.txt")
    assert names(tree, "data/a.txt", "data/[az].txt", notes=notes) == ["data/a.txt"]
    assert notes == [f"data/{name}.txt is named twice in 'files' and read once" for name in "az"]


NOT_FOUND = [
    ("data/aa.txt", r"there is no file 'data/aa\.txt' in .*data' \(did you mean 'a\.txt'"),
    ("dta/a.txt", r"there is no file 'dta/a\.txt': the folder '.*dta' doesn't exist"),
    ("data/*.csv", r"no file matches 'data/\*\.csv' \(looked in "),
    ("data/su?", r"no file matches 'data/su\?'"),
    ("a\0b", "is no file name"),
    ("empty", "the folder 'empty' holds no files"),
    ("empty.txt", r"empty\.txt: the file is empty"),
    ("pipe", "pipe: not a regular file"),
    ("link", r"^'link' is a link to something that isn't there \(nowhere\)$"),
]


@pytest.mark.parametrize(("pattern", "message"), NOT_FOUND)
def test_not_found(tree: Path, pattern: str, message: str) -> None:
    (tree / "empty").mkdir()
    (tree / "empty.txt").touch()
    os.mkfifo(tree / "pipe")
    (tree / "link").symlink_to("nowhere")
    with pytest.raises(UserError, match=message):
        names(tree, pattern)


def test_a_file_that_may_not_be_read(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, mode: str) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UserError, match=r"data/a\.txt: the file can't be read: permission denied"):
        read(tree, "data/a.txt")


def test_urls() -> None:
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    system.pipe({"/x/a.txt": b"one", "/x/b.txt.gz": gzip.compress(b"two"), "/x/c.md": b"three"})
    try:
        assert read(Path(), "memory://x/a.txt") == ["one"]
        assert read(Path(), "memory://x/*.txt*") == ["one", "two"]
        with pytest.raises(UserError, match=r"memory://x/d\.txt: the file can't be read"):
            read(Path(), "memory://x/d.txt")
        with pytest.raises(UserError, match=r"no file matches 'memory://x/\*\.csv'"):
            read(Path(), "memory://x/*.csv")
        with pytest.raises(UserError, match=r"nosuch://x/a\.txt: the file can't be read: Protocol not known"):
            read(Path(), "nosuch://x/a.txt")
    finally:
        system.rm("/x", recursive=True)


def test_hash_is_that_of_the_contents(tree: Path) -> None:
    found = find_sources(["data/a.txt", "data/b.txt"], tree, [])
    assert hash_sources(found) == hashlib.sha256(b"a.txtb.txt").hexdigest()


# whatever the blocks


def chunks(text: str, ends: list[int]) -> Iterator[str]:
    places = sorted({0, len(text), *(end % (len(text) + 1) for end in ends)})
    return (text[a:b] for a, b in pairwise(places))


# Few letters, so that separators overlap themselves and their beginnings are everywhere.
_text = st.text("ab\r\n|", max_size=60)
_ends = st.lists(st.integers(0, 1000), max_size=20)


@settings(max_examples=examples(300), deadline=None)
@given(_text, st.text("ab|", min_size=1, max_size=4), _ends)
def test_separators_cut_anywhere(text: str, separator: str, ends: list[int]) -> None:
    assert list(split_blocks(chunks(text, ends), separator)) == text.split(separator)


@settings(max_examples=examples(300), deadline=None)
@given(_text, _ends)
def test_lines_cut_anywhere(text: str, ends: list[int]) -> None:
    lines = [
        line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line
        for line in re.findall(r"[^\n]*\n|[^\n]+", text)
    ]
    assert list(split_lines(chunks(text, ends))) == lines


_any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@settings(max_examples=examples(60), deadline=None)
@given(documents=st.lists(_any_text, min_size=1, max_size=6), size=st.integers(1, 40))
def test_every_block_size_gives_the_same_documents(
    tmp_path_factory: pytest.TempPathFactory, documents: list[str], size: int
) -> None:
    folder = tmp_path_factory.mktemp("blocks")
    documents = [text.replace("<|", "").lstrip("\ufeff") for text in documents]
    (folder / "a.txt").write_bytes(("x" + "<|x|>".join(documents)).encode())
    assert read(folder, "a.txt", SEPARATOR, block_bytes=size) == ["x" + documents[0], *documents[1:]]
    for ascii_only in (True, False):
        lines = [json.dumps({"text": text}, ensure_ascii=ascii_only) for text in documents]
        (folder / "a.jsonl").write_bytes("\n".join(lines).encode())
        assert read(folder, "a.jsonl", FIELD, block_bytes=size) == documents


@settings(max_examples=examples(100), deadline=None)
@given(content=st.binary(min_size=1, max_size=40), size=st.integers(1, 8))
def test_invalid_bytes_are_placed_exactly(tmp_path_factory: pytest.TempPathFactory, content: bytes, size: int) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    (folder / "a.txt").write_bytes(content)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        with pytest.raises(UserError, match=f"byte {error.start} is 0x{content[error.start]:02x}"):
            read(folder, "a.txt", block_bytes=size)
    else:
        assert read(folder, "a.txt", block_bytes=size) == [text.removeprefix("\ufeff")]


def test_a_long_document_is_not_scanned_again_for_every_block() -> None:
    blocks = (("x" * 1000) for _ in range(20_000))  # 20 MB without a separator: quadratic would take minutes
    assert [len(text) for text in split_blocks(blocks, "<|x|>")] == [20_000_000]


def test_documents_are_given_before_the_file_is_read_to_its_end() -> None:
    def blocks() -> Iterator[str]:
        yield "one<|x|>two<|"
        pytest.fail("read too far")

    assert next(split_blocks(blocks(), "<|x|>")) == "one"
