"""Text to ids and back through the command line: every byte, every format, every bad place."""

from __future__ import annotations

import io
import json
import os
import random
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from budget import examples
from commandline import evalkit
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from evalkit.encode_stream import decode_utf8, encode_blocks
from evalkit.errors import UserError
from evalkit.ids_writer import FORMATS

END = "<|endoftext|>"
TEXTS = {
    "nothing": b"",
    "a letter": b"a",
    "no line end": b"low lower",
    "a line end": b"low lower\n",
    "Windows": b"low\r\nlower\r\n",
    "old Mac": b"low\rlower\r",
    "blanks": b"  \n\n\t \n",
    "byte order mark": b"\xef\xbb\xbflow",
    "NUL": b"low\0er",
    "letters": "naïve 北京 🙂 e\u0301".encode(),
    "special": b"low<|endoftext|>lower<|endoftext|><|end|><|endoftext|>",
}


@pytest.fixture(scope="module")
def tokenizer() -> ti.BPETokenizer:
    return ti.train("low lower lowest newest\n" * 20, vocab_size=290, special_tokens=[END, "<|end|>", "<|end|>of"])


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tokenizer: ti.BPETokenizer) -> None:
    monkeypatch.chdir(tmp_path)
    tokenizer.save(Path("tok/evalkit.json"))


@pytest.mark.parametrize("special", ["atomic", "text"])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", TEXTS)
def test_bytes_in_are_bytes_out(name: str, format: str, special: str, tokenizer: ti.BPETokenizer) -> None:
    data = TEXTS[name]
    encoded = evalkit("encode", "-t", "tok", "--format", format, "--special", special, "--quiet", stdin=data)
    assert (encoded.code, encoded.err) == (0, "")
    decoded = evalkit("decode", "-t", "tok", "--format", format, "-", stdin=encoded.stdout)
    assert (decoded.code, decoded.err) == (0, "")
    assert decoded.stdout == data
    text = data.decode()
    expected = tokenizer.encode(text, "all") if special == "atomic" else tokenizer.encode_ordinary(text)
    assert read(encoded.stdout, format) == expected


def read(content: bytes, format: str) -> list[int]:
    """The ids, read without evalkit."""
    if format == "text":
        assert content.endswith(b"\n")
        return list(map(int, content.split()))
    if format == "jsonl":
        return list(json.loads(content))
    found = np.load(io.BytesIO(content)) if format == "npy" else np.frombuffer(content, dtype="<u2")
    assert found.dtype == np.dtype("<u2")
    return [int(number) for number in found]


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.sampled_from(["low", " ", "\n", "<", "<|end|>", END, "<|end|>of", "|>", "北", "x"]), max_size=12))
def test_specials_are_found_as_the_library_finds_them(tokenizer: ti.BPETokenizer, parts: list[str]) -> None:
    text = "".join(parts)
    blocks = [bytes([byte]) for byte in text.encode()]
    assert list(chain.from_iterable(encode_blocks(tokenizer, blocks))) == tokenizer.encode(text, "all")
    assert list(chain.from_iterable(encode_blocks(tokenizer, blocks, "text"))) == tokenizer.encode_ordinary(text)
    special = next((at for at in range(len(text)) if text.startswith(("<|end|>", END), at)), None)
    if special is None:
        list(encode_blocks(tokenizer, blocks, "error"))
    else:
        place = rf"byte {len(text[:special].encode())} \(line {text[:special].count(chr(10)) + 1}\)"
        with pytest.raises(UserError, match=place):
            list(encode_blocks(tokenizer, blocks, "error"))


def test_special_error_names_the_place() -> None:
    done = evalkit("encode", "-t", "tok", "--special", "error", stdin=f"é\nlow{END}".encode())
    assert done.code == 2
    assert f"standard input: byte 6 (line 2) begins the special token '{END}'" in done.err
    assert evalkit("encode", "-t", "tok", "--special", "error", stdin=b"low").code == 0


def test_not_utf8_names_the_byte() -> None:
    Path("a.txt").write_bytes(b"low\ncaf\xe9")
    done = evalkit("encode", "-t", "tok", "a.txt")
    assert done.code == 2
    assert "a.txt: not UTF-8: byte 7 (line 2) is 0xe9" in done.err
    assert done.stdout == b""


def test_the_width_follows_the_vocabulary_and_is_said() -> None:
    Path("a.txt").write_bytes(b"hello world")
    narrow = evalkit("encode", "-t", "gpt2", "--out", "a.npy", "a.txt")
    assert (narrow.code, narrow.out, narrow.err) == (0, "", "2 ids as uint16 in a.npy, from 11 bytes\n")
    wide = evalkit("encode", "-t", "cl100k_base", "--out", "sub/a.bin", "a.txt")
    assert wide.err == f"2 ids as uint32 in {Path('sub/a.bin')}, from 11 bytes\n"
    assert np.load("a.npy").tolist() == [31373, 995]
    assert np.fromfile("sub/a.bin", dtype="<u4").tolist() == [15339, 1917]
    assert evalkit("decode", "-t", "gpt2", "a.npy").stdout == b"hello world"
    back = evalkit("decode", "-t", "cl100k_base", "sub/a.bin", "--out", "b.txt")
    assert (back.out, Path("b.txt").read_bytes()) == ("", b"hello world")
    assert "11 bytes in b.txt, from 2 ids" in back.err
    assert sorted(file.name for file in Path("sub").iterdir()) == ["a.bin"]


def test_numbers_are_not_for_a_terminal() -> None:
    done = evalkit("encode", "-t", "tok", "--format", "npy", terminal=True, stdin=b"low")
    assert done.code == 2
    assert "npy is not for a terminal" in done.err
    assert done.stdout == b""


@pytest.mark.parametrize("format", FORMATS)
def test_a_text_of_many_blocks_is_the_text_at_once(
    tokenizer: ti.BPETokenizer, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalkit.encode_stream.BLOCK_BYTES", 997)
    rng = random.Random(5)
    words = ["low", "lower", "newest", "\n", "  ", "北京", END]
    data = " ".join(rng.choices(words, k=6_000)).encode()
    Path("a.txt").write_bytes(data)
    assert evalkit("encode", "-t", "tok", "--format", format, "--out", "ids", "a.txt").code == 0
    assert read(Path("ids").read_bytes(), format) == tokenizer.encode(data.decode(), "all")
    assert evalkit("encode", "-t", "tok", "--format", format, stdin=data).stdout == Path("ids").read_bytes()


def test_what_is_not_utf8_far_into_a_file(tokenizer: ti.BPETokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalkit.encode_stream.BLOCK_BYTES", 64)
    for length in range(120, 140):
        data = ("é\n" * 100).encode()[:length] + b"\xff rest" + b"x" * 500
        Path("a.txt").write_bytes(data)
        with pytest.raises(UnicodeDecodeError) as error:
            data.decode()
        done = evalkit("encode", "-t", "tok", "--out", "ids", "a.txt")
        assert done.code == 2
        at = error.value.start
        line = data.count(b"\n", 0, at) + 1
        assert f"a.txt: not UTF-8: byte {at} (line {line}) is 0x{data[at]:02x}" in done.err
        assert not Path("ids").exists()


def npy(array: object) -> bytes:
    file = io.BytesIO()
    np.save(file, np.asarray(array))
    return file.getvalue()


@pytest.mark.parametrize(
    ("format", "content", "said"),
    [
        ("text", b"97 98\n99 x1 7", "ids:2:4: 'x1' is not an id"),
        ("text", b"97 -1", "ids:1:4: '-1' is not an id"),
        ("text", b"97,98", "ids:1:1: '97,98' is not an id"),
        ("text", b"1_0", "'1_0' is not an id"),
        ("text", "٣".encode(), "ids:1:1: '٣' is not an id"),
        ("text", b"\xff", "ids:1:1: '\\xff' is not an id"),
        ("text", b"97 5000 98", "id 5000 (number 2 of 3) is not in the vocabulary, which has 271 entries and 270"),
        ("text", b"9" * 40, "ids:1:1: '" + "9" * 40 + "' is not an id"),
        ("jsonl", b"[97]\n\n[98, 1.0]", "ids:3: [1]: 1.0 is not an id"),
        ("jsonl", b"[true]", "ids:1: [0]: true is not an id"),
        ("jsonl", b"[-1]", "ids:1: [0]: -1 is not an id"),
        ("jsonl", b"[97", "ids:1: not valid JSON"),
        ("jsonl", b"97", "ids:1: expected a list of ids"),
        ("jsonl", b'{"ids": [97], "ids": [98]}', "ids:1: the object names 'ids' twice"),
        ("jsonl", b"[" + b"9" * 30 + b"]", "is not in the vocabulary"),
        ("npy", b"97", "ids: not an array of ids in NumPy's format"),
        ("npy", npy([97, 98])[:-3], "ids: not an array of ids in NumPy's format"),
        ("npy", npy([[97]]), "expected one dimension of whole numbers, found 2 dimensions of int64"),
        (
            "npy",
            npy([97, 98]) + b"junk",
            "ids: 4 bytes follow the array of 2 ids, which ends at byte 144; an .npy file",
        ),
        ("npy", npy([97.0]), "found 1 dimension of float64"),
        ("npy", npy([97, -3]), "number 2 is -3; ids are not negative"),
        ("npy", npy(np.array([2**64 - 1], dtype=np.uint64)), "is not in the vocabulary"),
        ("npy", npy(np.array([object()])), "ids: not an array of ids in NumPy's format"),
        ("bin", b"a\0b", "3 bytes are not a whole number of ids of 2 bytes (uint16"),
        ("bin", b"\xff\xff", "id 65535 (number 1 of 1) is not in the vocabulary"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*pickle.*")
def test_what_is_no_id_is_named(format: str, content: bytes, said: str) -> None:
    Path("ids").write_bytes(content)
    done = evalkit("decode", "-t", "tok", "--format", format, "ids", "--out", "text")
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1
    assert "fault of evalkit" not in done.err
    assert not Path("text").exists()


def test_json_lines_of_several_documents_are_joined() -> None:
    content = b'[108, 111]\r\n{"ids": [119], "id": 1}\n'
    assert evalkit("decode", "-t", "tok", "--format", "jsonl", stdin=content).stdout == b"low"


def test_half_a_character_comes_out_as_it_is() -> None:
    assert evalkit("decode", "-t", "tok", stdin=b"229 140").stdout == b"\xe5\x8c"


def test_names_of_tokenizers(tokenizer: ti.BPETokenizer) -> None:
    tokenizer.save(Path("evalkit-report/a/tokenizers/ours/evalkit.json"))
    tokenizer.save(Path("evalkit-report/a/tokenizers/twice/evalkit.json"))
    tokenizer.save(Path("evalkit-report/b/tokenizers/twice/evalkit.json"))
    Path("evalkit-report/a/results.json").write_text("{}", encoding="utf-8")
    expected = evalkit("encode", "-t", "tok", stdin=b"lower").stdout
    for name in ("ours", "evalkit-report/a/ours", "tok/evalkit.json", "./tok"):
        done = evalkit("encode", "-t", name, stdin=b"lower")
        assert (done.stdout, done.err) == (expected, "")
    several = evalkit("encode", "-t", "twice", stdin=b"lower")
    assert several.code == 2
    assert "'twice' is the name of several tokenizers" in several.err
    assert "(did you mean 'ours'?)" in evalkit("encode", "-t", "our", stdin=b"").err
    tokenizer.save(Path("gpt2/evalkit.json"))
    assert evalkit("encode", "-t", "gpt2", stdin=b"hello").out == "31373\n"
    assert evalkit("encode", "-t", "./gpt2", stdin=b"lower").stdout == expected


def test_the_functions_refuse_as_the_command_does(tokenizer: ti.BPETokenizer) -> None:
    with pytest.raises(UserError, match="a: not UTF-8: byte 0"):
        decode_utf8(b"\xff\xfea", "a")
    with pytest.raises(UserError, match="looks like UTF-16"):
        decode_utf8(b"\xff\xfea", "a")


def test_what_is_not_utf8_can_be_read_as_replaced(tokenizer: ti.BPETokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"low \xff lower \xe5\x8c newest\n" * 40
    Path("a.txt").write_bytes(data)
    expected = tokenizer.encode(data.decode("utf-8", "replace"), "all")
    for size in (1, 7, 1 << 20):
        monkeypatch.setattr("evalkit.encode_stream.BLOCK_BYTES", size)
        done = evalkit("encode", "-t", "tok", "--invalid-utf8", "replace", "a.txt")
        assert list(map(int, done.stdout.split())) == expected
    assert evalkit("encode", "-t", "tok", "a.txt").code == 2
    line = ("train", "--variant", "gpt2", "--vocab-size", "270", "--out", "lossy", "a.txt")
    assert evalkit(*line).code == 2
    assert evalkit(*line, "--invalid-utf8", "replace").code == 0
    assert ti.load("lossy") == ti.train(data.decode("utf-8", "replace"), vocab_size=270)


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there is no /dev/null here")
def test_a_pipe_gets_the_ids_and_stays_a_pipe(tokenizer: ti.BPETokenizer) -> None:
    os.mkfifo("pipe")
    Path("a.txt").write_text("low lower", encoding="utf-8")
    with ThreadPoolExecutor() as pool:
        reader = pool.submit(Path("pipe").read_bytes)
        assert evalkit("encode", "-t", "tok", "--out", "pipe", "--format", "npy", "a.txt").code == 0
        assert read(reader.result(timeout=60), "npy") == tokenizer.encode("low lower")
    assert Path("pipe").is_fifo()


def test_a_replaced_file_keeps_its_rights(tokenizer: ti.BPETokenizer) -> None:
    Path("a.txt").write_text("low", encoding="utf-8")
    Path("ids").write_text("old", encoding="utf-8")
    Path("ids").chmod(0o600)
    before = Path("ids").stat().st_mode
    assert evalkit("encode", "-t", "tok", "--out", "ids", "a.txt").code == 0
    assert Path("ids").stat().st_mode == before
