"""Files of tokenizers: what is written loads to the same ids, and what is damaged says where."""

from __future__ import annotations

import base64
import errno
import json
import os
import pickle
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from tokenizers_impl import BPETokenizer, TokenizerError, atomic, formats
from tokenizers_impl.formats import gpt2, limits, own, tiktoken_ranks
from tokenizers_impl.vocabulary import BYTES

TEXT = "low low low low low lower lower newest newest newest widest 北京是中国的首都。北京大学。 # # ## 10 100\n" * 3
SPECIALS = ["<|endoftext|>", "<|结束|>"]
PROBES = [TEXT, "", "newer <|endoftext|> lowest 北京 ### \x00\x80é🙂 \n\n  x", "".join(map(chr, range(300)))]


@pytest.fixture(scope="module")
def trained() -> BPETokenizer:
    return ti.train(TEXT, vocab_size=330, special_tokens=SPECIALS)


def ranks_of(tokenizer: BPETokenizer) -> BPETokenizer:
    special_ids = set(tokenizer.special_tokens.values())
    ranks = {token: i for i, token in tokenizer.vocab.items() if i not in special_ids}
    return BPETokenizer.from_ranks(ranks, tokenizer.special_tokens, tokenizer.variant)


def same_ids(one: BPETokenizer, two: BPETokenizer) -> None:
    for text in PROBES:
        assert one.encode_ordinary(text) == two.encode_ordinary(text)
        assert one.encode(text, allowed_special="all") == two.encode(text, allowed_special="all")
    assert one.vocab == two.vocab
    assert one.special_tokens == two.special_tokens


# ── what is written loads again ─────────────────────────────────────────────────────────────────────────────


def test_every_format_is_listed_and_an_unknown_one_is_answered_with_the_nearest(trained, tmp_path) -> None:
    assert formats.format_names()[:3] == ("evalkit", "tiktoken", "gpt2")
    with pytest.raises(TokenizerError, match=r"unknown format 'tiktokn' \(did you mean 'tiktoken'"):
        trained.save(tmp_path / "x", format="tiktokn")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["evalkit", "gpt2"])
def test_a_merge_list_keeps_its_fingerprint(trained, tmp_path, name: str) -> None:
    path = trained.save(tmp_path / "tok", format=name)
    loaded = ti.load(path)
    assert loaded.fingerprint == trained.fingerprint
    same_ids(loaded, trained)
    assert ti.load(tmp_path / "tok") == trained  # the folder


def test_own_format_keeps_the_training_record_and_the_origin(trained, tmp_path) -> None:
    loaded = ti.load(trained.save(tmp_path / "a" / "b.json"))
    assert loaded.training == trained.training
    ranks = ranks_of(trained)
    ranks.origin = "some published one"
    again = ti.load(ranks.save(tmp_path / "ranks.json"))
    assert again.has_ranks
    assert (again.fingerprint, again.origin) == (ranks.fingerprint, "some published one")
    assert pickle.loads(pickle.dumps(again)).origin == "some published one"


def test_own_format_is_the_same_bytes_each_time_and_can_be_read(trained, tmp_path) -> None:
    path = trained.save(tmp_path)
    assert path == tmp_path / "evalkit.json"
    first = path.read_bytes()
    ti.load(path).save(path)
    assert path.read_bytes() == first
    assert b"\r" not in first
    content = json.loads(first)
    assert content["format"] == "evalkit-tokenizer"
    assert content["variant"]["pattern"] == trained.pattern
    assert content["unicode"] == "16.0.0"
    assert " lowest"[:4] in content["vocab"][1][1]


def test_own_format_keeps_a_word_list(tmp_path) -> None:
    tok = ti.train(TEXT, "zh", 320, lexicon=["北京", "中国", "首都", "大学"])
    loaded = ti.load(tok.save(tmp_path))
    assert loaded.lexicon == ("中国", "北京", "大学", "首都")
    assert loaded == tok
    same_ids(loaded, tok)


def test_ids_may_have_gaps_and_bytes_other_ids(tmp_path) -> None:
    vocab = {1000 - i: byte for i, byte in enumerate(BYTES)} | {5: b"ab", 7: b"abc"}
    tok = BPETokenizer(vocab, [(b"a", b"b"), (b"ab", b"c")], {"<s>": 3000})
    for name in formats.format_names()[:3]:
        same_ids(ti.load(tok.save(tmp_path / name, format=name)), tok)


def test_tiktoken_file_is_what_tiktoken_reads(trained, tmp_path, monkeypatch) -> None:
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe

    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    path = trained.save(tmp_path / "tok.tiktoken", format="tiktoken")
    assert path == tmp_path / "tok.tiktoken"
    ranks = load_tiktoken_bpe(str(path))
    encoding = tiktoken.Encoding(
        "t", pat_str=trained.pattern, mergeable_ranks=ranks, special_tokens=trained.special_tokens
    )
    loaded = ti.load(path)
    same_ids(loaded, trained)
    for text in PROBES:
        assert encoding.encode(text, allowed_special="all") == trained.encode(text, allowed_special="all")


def test_tiktoken_file_without_its_side_file_needs_the_pattern(trained, tmp_path) -> None:
    path = trained.save(tmp_path, format="tiktoken")
    tiktoken_ranks.side_path(path).unlink()
    with pytest.raises(TokenizerError, match=r"tokenizer\.tiktoken doesn't say how text is split.*pattern="):
        ti.load(path)
    same_ids(formats.load(path, pattern="gpt2", special_tokens=trained.special_tokens), trained)


@pytest.mark.parametrize("name", ["tiktoken", "gpt2"])
def test_special_tokens_beside_a_side_file_must_be_the_ones_it_says(trained, tmp_path, name: str) -> None:
    place = trained.save(tmp_path / "tok", format=name)
    assert formats.load(place, special_tokens=trained.special_tokens) == formats.load(place)
    for other in ({"<|pad|>": 5000}, {}, trained.special_tokens | {"<|pad|>": 5000}):
        with pytest.raises(TokenizerError, match=r"json says the special tokens are \{.*, not \{.*: leave them out"):
            formats.load(place, special_tokens=other)


def test_tiktoken_lines_in_any_order_blank_lines_and_crlf(trained, tmp_path) -> None:
    ranks = {token: i for i, token in trained.vocab.items() if i not in (256, 257)}
    lines = tiktoken_ranks.dumps(ranks).splitlines()
    path = tmp_path / "x.tiktoken"
    path.write_bytes(b"\r\n".join([*reversed(lines), b"", b""]))
    same_ids(formats.load(path, pattern="gpt2", special_tokens=trained.special_tokens), trained)


def test_ranks_as_a_merge_list_and_back(trained, tmp_path) -> None:
    ranks = ranks_of(trained)
    loaded = ti.load(ranks.save(tmp_path, format="gpt2"))
    assert not loaded.has_ranks
    assert loaded == trained


@settings(max_examples=examples(25), deadline=None)
@given(st.text(min_size=1, max_size=200), st.text(max_size=60), st.sampled_from(["gpt2", "o200k", "zh_char"]))
def test_any_trained_tokenizer_survives_every_format(tmp_path_factory, text: str, probe: str, variant: str) -> None:
    tok = ti.train(text * 3, variant, 300, ["<s>"])
    folder = tmp_path_factory.mktemp("any")
    for name in formats.format_names()[:3]:
        loaded = ti.load(tok.save(folder / name, format=name))
        for one in (text, probe, text + probe):
            assert loaded.encode_ordinary(one) == tok.encode_ordinary(one)


# ── what a format can't hold is refused before anything is written ──────────────────────────────────────────

VOCAB = dict(enumerate(BYTES))
REFUSED: list[tuple[str, str, Callable[[], BPETokenizer], str]] = [
    (
        "tiktoken",
        "zh",
        lambda: ti.train(TEXT, "zh", 300, lexicon=["北京"]),
        "zh .*as tiktoken: its word list",
    ),
    ("gpt2", "zh", lambda: ti.train(TEXT, "zh", 300, lexicon=["北京"]), "zh .*as gpt2: its word list"),
    (
        "tiktoken",
        "ids against the order of merges",
        lambda: BPETokenizer(VOCAB | {300: b"ab", 299: b"cd"}, [(b"a", b"b"), (b"c", b"d")]),
        "merge 2 makes id 299 after id 300",
    ),
    (
        "tiktoken",
        "a token that no merge makes",
        lambda: BPETokenizer(VOCAB | {256: b"ab", 257: b"xyz"}, [(b"a", b"b")]),
        "no merge makes token 257, b'xyz'",
    ),
    (
        "tiktoken",
        "two merges for one token",
        lambda: BPETokenizer(
            VOCAB | {256: b"ab", 257: b"bc", 258: b"abc"},
            [(b"a", b"b"), (b"b", b"c"), (b"ab", b"c"), (b"a", b"bc")],
        ),
        "merge 4 makes id 258 after id 258",
    ),
    (
        "tiktoken",
        "a pair that merging by rank never meets",
        lambda: BPETokenizer(
            VOCAB | {256: b"ab", 257: b"bc", 258: b"abc"}, [(b"a", b"b"), (b"b", b"c"), (b"a", b"bc")]
        ),
        r"b'abc' isn't built from b'a' and b'bc'",
    ),
    (
        "gpt2",
        "ranks that merging can't reach",
        lambda: BPETokenizer.from_ranks({t: i for i, t in VOCAB.items()} | {b"xyz": 256}, {}, "gpt2"),
        "merging never yields token 256, b'xyz'",
    ),
    (
        "gpt2",
        "a special that reads like a token",
        lambda: BPETokenizer(VOCAB | {256: b" a"}, [(b" ", b"a")], {"Ġa": 300}),
        "the special token 'Ġa' would be written like the ordinary token b' a'",
    ),
]


@pytest.mark.parametrize(("name", "what", "make", "message"), REFUSED, ids=[f"{n}: {w}" for n, w, *_ in REFUSED])
def test_refused_before_anything_is_written(tmp_path, name: str, what: str, make: Any, message: str) -> None:
    with pytest.raises(TokenizerError, match=message):
        make().save(tmp_path / "out", format=name)
    assert not list(tmp_path.iterdir())


# ── damaged files ───────────────────────────────────────────────────────────────────────────────────────────


def signed(content: dict[str, Any]) -> bytes:
    return json.dumps(content | {"sha256": own.checksum(content)}).encode()


def changed(**changes: Any) -> Callable[[bytes], bytes]:
    """The file with some keys changed (dots go inside) and a checksum that fits; None takes a key away."""

    def change(data: bytes) -> bytes:
        content = json.loads(data)
        for path, value in changes.items():
            *outer, last = path.split("__")
            place = content
            for key in outer:
                place = place[key]
            if value is ...:
                del place[last]
            else:
                place[last] = value
        return signed(content)

    return change


def infinite(data: bytes) -> bytes:
    """A number that is valid JSON and too large for a float."""
    seconds = changed(training__seconds={"count": float("inf")})(data)
    return seconds.replace(b"Infinity", b"1e999")


DEEP = 100_000
OWN_DAMAGE: list[tuple[str, Callable[[bytes], bytes], str]] = [
    ("empty", lambda d: b"", "is empty"),
    ("truncated", lambda d: d[: len(d) // 2], r"not valid JSON: line \d+, column \d+: .*cut short"),
    ("truncated after a backslash", lambda d: d[: d.index(rb"\u") + 1], "cut short"),
    ("truncated in an escape", lambda d: d[: d.index(rb"\u") + 3], "cut short"),
    ("truncated before the last of an escape", lambda d: d[: d.index(rb"\u") + 5], "cut short"),
    ("truncated at the end", lambda d: d[:-3], "cut short"),
    (
        "one letter changed",
        lambda d: d.replace(b"low", b"lox", 1),
        "checksum doesn't match.*damaged or edited",
    ),
    ("not UTF-8", lambda d: d.replace(b"gpt2", b"gpt\xff", 1), "not UTF-8: line 5, byte"),
    ("not JSON", lambda d: b"hello", "not valid JSON: line 1, column 1"),
    ("a list", lambda d: b"[1]", "expected a JSON object"),
    ("nested lists", lambda d: b"[" * DEEP + b"]" * DEEP, "nested deeper than 64"),
    ("nested lists, cut", lambda d: b"[" * DEEP, "nested deeper than 64"),
    ("nested objects", lambda d: b'{"a":' * DEEP + b"1" + b"}" * DEEP, "nested deeper than 64"),
    ("nested in a key", lambda d: d[:-3] + b',"x":' + b"[" * DEEP + b"]" * DEEP + b"}", "nested deeper"),
    ("brackets in a text", lambda d: b'{"format": "' + b"[" * DEEP + b'"}', '"format" is'),
    ("quotes in an open text", lambda d: b'{"' + b'\\"' * DEEP, "Unterminated.*cut short"),
    (
        "a key twice",
        lambda d: d.replace(b'"version": 1,', b'"version": 1, "version": 1,', 1),
        "'version' is given twice",
    ),
    ("NaN", lambda d: d.replace(b'"version": 1', b'"version": NaN', 1), "NaN is not a JSON value"),
    ("a long number", lambda d: d.replace(b'"version": 1', b'"version": ' + b"9" * 5000, 1), "version|limit"),
    ("newer", changed(version=2), "version 2 was made by a newer evalkit.*upgrade"),
    ("version as text", changed(version="1"), "version: expected an integer, got a text"),
    ("version true", changed(version=True), "version: expected an integer, got true or false"),
    ("another format", changed(format="x"), "\"format\" is 'x'"),
    ("a key missing", changed(merges=...), "the key 'merges' is missing"),
    ("an unknown key", changed(mergers=1), r"unknown key 'mergers' \(did you mean 'merges'"),
    ("variant as text", changed(variant="gpt2"), "variant: expected an object, got a text"),
    ("unknown variant", changed(variant__name="gpt3"), "variant.name: unknown variant 'gpt3'"),
    ("older variant", changed(variant__version=9), "variant: the variant 'gpt2' was version 9"),
    ("another pattern", changed(variant__pattern="."), r"variant: .*with the pattern '\.'"),
    ("another Unicode", changed(unicode="15.0.0"), "unicode: the tokenizer was made with Unicode '15.0.0'"),
    ("lexicon for gpt2", changed(lexicon=["北京"]), "takes no word list"),
    ("a word that is none", changed(variant__name="zh", lexicon=[1]), "variant: |lexicon"),
    ("specials as a list", changed(special_tokens=["a"]), "special_tokens: expected an object, got a list"),
    (
        "a special's id",
        changed(special_tokens={"<s>": "1"}),
        "special_tokens.<s>: expected an integer, got a text",
    ),
    ("a special's negative id", changed(special_tokens={"<s>": -1}), "special_tokens.<s>: -1 is not between"),
    ("half a surrogate", changed(origin="\ud800"), "origin: .*half a surrogate"),
    ("vocab of numbers", changed(vocab=[[0, [1]]]), r"vocab\[0\]\[1\]\[0\]: expected a text, got an integer"),
    (
        "a wide character",
        changed(vocab=[[0, ["a", "Ā"]]]),
        r"vocab\[0\]\[1\]\[1\]: a character beyond U\+00FF",
    ),
    ("a run without tokens", changed(vocab=[[0]]), r"vocab\[0\]: expected \[first id, \[tokens\]\]"),
    ("an id twice", changed(vocab=[[0, ["a", "b"]], [1, ["c"]]]), r"vocab\[1\]: id 1 is given twice"),
    (
        "bytes missing",
        changed(vocab=[[0, ["a"]]], merges=[]),
        "255 of the 256 single bytes are not in the vocabulary",
    ),
    ("an odd number of merge ids", changed(merges=[97]), "merges: 1 ids don't make pairs"),
    (
        "a merge of nothing",
        changed(merges=[97, 98, 97, 99999]),
        r"merges\[3\]: id 99999 is not in the vocabulary",
    ),
    ("a merge without result", changed(merges=[0, 0]), "merge 1, .*its result .* is not in the vocabulary"),
    ("merges as text", changed(merges="rank"), 'merges: expected a list of ids or "ranks"'),
    ("merge ids as decimals", changed(merges=[1.0, 2.0]), r"merges\[0\]: expected an integer, got a decimal"),
    ("merge ids as true", changed(merges=[True, 2]), r"merges\[0\]: expected an integer, got true or false"),
    ("training without size", changed(training__vocab_size=...), "training: the key 'vocab_size' is missing"),
    ("training of infinite time", infinite, r"training\.seconds\.count: inf is not a finite number"),
    (
        "training's stage as text",
        changed(training__seconds={"count": "1"}),
        "training.seconds.count: expected a number",
    ),
    (
        "Hugging Face's",
        lambda d: b'{"version": "1.0", "model": {"type": "BPE"}}',
        "model: the key 'vocab' is missing",
    ),
    ("a side file", lambda d: b'{"format": "evalkit-gpt2"}', "this is a side file"),
    ("a vocabulary alone", lambda d: b'{"a": 1}', "a vocabulary without its merges"),
]


@pytest.mark.parametrize(("what", "damage", "message"), OWN_DAMAGE, ids=[what for what, *_ in OWN_DAMAGE])
def test_a_damaged_own_file_says_where(trained, tmp_path, what: str, damage: Any, message: str) -> None:
    path = trained.save(tmp_path / "damaged.json")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(TokenizerError, match=message) as caught:
        ti.load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000


@settings(max_examples=examples(150), deadline=None)
@given(st.data())
def test_no_damage_is_taken_for_a_tokenizer_or_ends_in_another_error(trained, tmp_path_factory, data) -> None:
    whole = own.dumps(trained).encode()
    place = data.draw(st.integers(0, len(whole) - 1))
    damaged = data.draw(
        st.sampled_from(
            [
                whole[:place],
                whole[:place] + whole[place + 1 :],
                whole[:place] + data.draw(st.binary(min_size=1, max_size=3)) + whole[place + 1 :],
            ]
        )
    )
    path = tmp_path_factory.mktemp("damage") / "x.json"
    path.write_bytes(damaged)
    try:
        assert ti.load(path) == trained  # a change of layout: the checksum is over the content
    except TokenizerError as error:
        message = str(error)
        assert message.startswith(str(path))


def line(token: bytes, rank: object) -> bytes:
    return base64.b64encode(token) + f" {rank}".encode()


RANK_DAMAGE: list[tuple[str, bytes, str]] = [
    ("one column", b"YQ==", "line 258: expected base64, a blank and a rank"),
    ("three columns", b"YQ== 1 2", "line 258: expected base64, a blank and a rank"),
    ("not base64", b"Y%Q== 300", "line 258: 'Y%Q==' is not base64"),
    ("base64 cut short", b"YWI 300", "line 258: 'YWI' is not base64"),
    ("stray bits", b"YR== 300", "line 258: 'YR==' is not base64"),
    ("no bytes", b"= 300", "line 258: the token has no bytes"),
    ("rank as a word", line(b"ab", "x"), "line 258: the rank 'x' is not a plain integer"),
    ("rank with an underscore", line(b"ab", "3_0"), "line 258: the rank '3_0' is not a plain integer"),
    ("rank with a sign", line(b"ab", "+300"), "is not a plain integer"),
    ("rank with a zero in front", line(b"ab", "0300"), "is not a plain integer"),
    ("rank below zero", line(b"ab", -1), "is not a plain integer"),
    ("rank too large", line(b"ab", 2**31), "line 258: the rank is larger than"),
    ("rank much too large", line(b"ab", "9" * 5000), "line 258: the rank is larger than"),
    ("token twice", line(b"a", 300), "line 258: the token b'a' has rank 97 already"),
    ("rank twice", line(b"ab", 97), "line 258: rank 97 is on line 98 already"),
]


@pytest.mark.parametrize(("what", "added", "message"), RANK_DAMAGE, ids=[what for what, *_ in RANK_DAMAGE])
def test_a_damaged_ranks_file_names_the_line(tmp_path, what: str, added: bytes, message: str) -> None:
    path = tmp_path / "x.tiktoken"
    lines = [line(byte, i) for i, byte in enumerate(BYTES)]
    path.write_bytes(b"\n".join([*lines, line(b"th", 256), added, line(b"he", 258)]) + b"\n")
    with pytest.raises(TokenizerError, match=message) as caught:
        formats.load(path, pattern="gpt2")
    assert str(caught.value).count(str(path)) == 1


def test_a_ranks_file_without_a_byte(tmp_path) -> None:
    path = tmp_path / "x.tiktoken"
    path.write_bytes(b"\n".join(line(byte, i) for i, byte in enumerate(BYTES[1:])))
    with pytest.raises(TokenizerError, match=r"x\.tiktoken: 1 of the 256 single bytes are not"):
        formats.load(path, pattern="gpt2")


@pytest.mark.parametrize("name", ["tiktoken", "gpt2"])
def test_a_file_that_its_side_file_doesnt_belong_to(trained, tmp_path, name: str) -> None:
    trained.save(tmp_path, format=name)
    other = ti.train("other text other text", vocab_size=260)
    victim = "tokenizer.tiktoken" if name == "tiktoken" else "merges.txt"
    other.save(tmp_path / "other", format=name)
    (tmp_path / victim).write_bytes((tmp_path / "other" / victim).read_bytes())
    with pytest.raises(TokenizerError, match=r"is not the file that .* was written with"):
        ti.load(tmp_path)


# ── GPT-2's files and lists of integers ─────────────────────────────────────────────────────────────────────


def gpt2_files(folder: Path, merges: bytes, vocab: dict[str, int] | None = None) -> tuple[Path, Path]:
    if vocab is None:
        vocab = {gpt2.to_characters(byte): i for i, byte in enumerate(BYTES)} | {
            "ab": 256,
            "##": 257,
            "Ġ#": 258,
        }
    (folder / "vocab.json").write_text(json.dumps(vocab), encoding="utf-8")
    (folder / "merges.txt").write_bytes(merges)
    return folder / "vocab.json", folder / "merges.txt"


@pytest.mark.parametrize(
    ("merges", "expected"),
    [
        (b"#version: 0.2\na b\n# #\n", [(b"a", b"b"), (b"#", b"#")]),
        (b"# #\na b\n", [(b"#", b"#"), (b"a", b"b")]),
        (b"a b\n# #", [(b"a", b"b"), (b"#", b"#")]),
        (b"#version: 0.2\r\na b\r\n# #\r\n", [(b"a", b"b"), (b"#", b"#")]),
        ("#version\nĠ #\n".encode(), [(b" ", b"#")]),
        (b"#version: 0.2\n", []),
    ],
    ids=["header", "no header, a merge of #", "no final newline", "CRLF", "blank", "no merges"],
)
def test_merges_file(tmp_path, merges: bytes, expected: list[tuple[bytes, bytes]]) -> None:
    tok = BPETokenizer.from_files(*gpt2_files(tmp_path, merges))
    assert list(tok.merges) == expected


@pytest.mark.parametrize(
    ("merges", "message"),
    [
        (b"#version: 0.2\n\na b\n", "line 2 is blank"),
        (b"a b\n\n", "line 2 is blank"),
        (b"a b\n#version: 0.2\n", "line 2, '#version:|merge 2|line 2"),
        (b"a\n", "line 1: expected two tokens"),
        (b"a b c\n", "line 1: expected two tokens"),
        (b"a  b\n", "line 1: expected two tokens"),
        (b"a b \n", "line 1: expected two tokens"),
        ("a 北\n".encode(), "line 1: the character '北' stands for no byte"),
        (b"a b\na \xff\n", "not UTF-8: line 2"),
        (b"a b\na b\n", r"merge 2, b'a' \+ b'b', stands at 1 already"),
        (b"a c\n", "its result b'ac' is not in the vocabulary"),
    ],
)
def test_a_damaged_merges_file_names_the_line(tmp_path, merges: bytes, message: str) -> None:
    with pytest.raises(TokenizerError, match=message) as caught:
        BPETokenizer.from_files(*gpt2_files(tmp_path, merges))
    assert "merges.txt" in str(caught.value)


@pytest.mark.parametrize(
    ("vocab", "message"),
    [
        ({"a": 0, "b": 0}, "vocab.json: b: id 0 is b'a' already"),
        ({"a": "0"}, "vocab.json: a: expected an integer, got a text"),
        ({"北": 0}, "vocab.json: 北: the character '北' stands for no byte.*name it in special_tokens"),
        ({"a": 2**31}, "vocab.json: a: .* is not between"),
        ({"a": 0}, "vocab.json with merges.txt: 255 of the 256 single bytes"),
    ],
)
def test_a_damaged_vocab_file_names_the_key(tmp_path, vocab: dict[str, Any], message: str) -> None:
    with pytest.raises(TokenizerError, match=message):
        BPETokenizer.from_files(*gpt2_files(tmp_path, b"#version: 0.2\n", vocab))


def test_specials_of_a_vocab_file_keep_their_ids(trained, tmp_path) -> None:
    trained.save(tmp_path, format="gpt2")
    files = tmp_path / "vocab.json", tmp_path / "merges.txt"
    assert BPETokenizer.from_files(*files, SPECIALS) == trained
    assert BPETokenizer.from_files(*files, trained.special_tokens) == trained
    more = BPETokenizer.from_files(*files, [*SPECIALS, "<new>"])
    assert more.special_tokens == trained.special_tokens | {"<new>": trained.max_id + 1}
    (tmp_path / "special_tokens.json").unlink()
    with pytest.raises(TokenizerError, match=r"has no special_tokens\.json.*give pattern="):
        ti.load(tmp_path)
    assert formats.load(tmp_path, pattern="gpt2", special_tokens=trained.special_tokens) == trained
    with pytest.raises(TypeError, match="read letter by letter"):
        BPETokenizer.from_files(*files, "<s>")


def test_lists_of_integers(trained, tmp_path) -> None:
    vocab: list[Any] = [None] * (trained.max_id + 1)
    for token_id, token in trained.vocab.items():
        vocab[token_id] = list(token)
    merges = [[list(left), list(right)] for left, right in trained.merges]
    (tmp_path / "v.json").write_text(json.dumps(vocab), encoding="utf-8")
    (tmp_path / "m.json").write_text(json.dumps(merges), encoding="utf-8")
    assert BPETokenizer.from_files(tmp_path / "v.json", tmp_path / "m.json", SPECIALS) == trained


@pytest.mark.parametrize(
    ("vocab", "merges", "message"),
    [
        ([[256]], [], r"v\.json: \[0\]\[0\]: 256 is not between 0 and 255"),
        (["a"], [], r"v\.json: \[0\]: expected a list, got a text"),
        ([[97], [98]], [[[97]]], r"m\.json: \[0\]: expected two byte lists, got 1"),
        ([[97], [98]], [[[97], [-1]]], r"m\.json: \[0\]\[1\]\[0\]: -1 is not between"),
        ([[97], [98]], {"a": 1}, r"m\.json: expected a list, got an object"),
        ("text", [], r"v\.json: expected an object, got a text"),
    ],
)
def test_damaged_lists_name_the_place(tmp_path, vocab: Any, merges: Any, message: str) -> None:
    (tmp_path / "v.json").write_text(json.dumps(vocab), encoding="utf-8")
    (tmp_path / "m.json").write_text(json.dumps(merges), encoding="utf-8")
    with pytest.raises(TokenizerError, match=message):
        BPETokenizer.from_files(tmp_path / "v.json", tmp_path / "m.json")


@given(st.binary(max_size=50))
def test_byte_characters_are_gpt2s(data: bytes) -> None:
    assert gpt2.from_characters(gpt2.to_characters(data)) == data
    assert all(c.isprintable() and not c.isspace() for c in gpt2.to_characters(data))


# ── which file it is ────────────────────────────────────────────────────────────────────────────────────────


def test_a_folder_of_several_and_of_none(trained, tmp_path) -> None:
    with pytest.raises(TokenizerError, match=r"holds no tokenizer: neither evalkit\.json"):
        ti.load(tmp_path)
    trained.save(tmp_path, format="tiktoken")
    trained.save(tmp_path, format="gpt2")
    with pytest.raises(TokenizerError, match=r"more than one tokenizer \(tokenizer.tiktoken, vocab.json\)"):
        ti.load(tmp_path)
    trained.save(tmp_path)
    assert ti.load(tmp_path) == trained


def test_missing_and_unreadable(tmp_path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no such file: .*nothing\.json"):
        ti.load(tmp_path / "nothing.json")
    (tmp_path / "x.txt").write_text("hello", encoding="utf-8")
    with pytest.raises(TokenizerError, match=r"x\.txt is neither \.json nor \.tiktoken"):
        ti.load(tmp_path / "x.txt")


def test_a_file_too_large_is_not_read(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", 10)
    (tmp_path / "x.json").write_text("x" * 11, encoding="utf-8")
    with pytest.raises(TokenizerError, match=r"x\.json has 11 bytes; no tokenizer file is larger than 10"):
        ti.load(tmp_path / "x.json")


# ── atomic writing ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch) -> None:
    path = atomic.write_text(tmp_path / "a" / "x.txt", "old\n")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        atomic.write_text(path, "new\n")
    assert path.read_bytes() == b"old\n"
    assert [p.name for p in path.parent.iterdir()] == ["x.txt"]


def test_a_full_disk_is_told_with_the_file_that_did_not_fit(tmp_path, monkeypatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"x\.txt"):
        atomic.write_text(tmp_path / "x.txt", "new\n")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "there").mkdir()
    with pytest.raises(OSError, match=r"x\.txt"):
        atomic.write_text(tmp_path / "there" / "new" / "deep" / "x.txt", "new\n")
    assert [(path.name, list(path.iterdir())) for path in tmp_path.iterdir()] == [("there", [])]


def test_a_folder_in_which_another_wrote_meanwhile_stays(tmp_path) -> None:
    def fail() -> None:
        with atomic.writing(tmp_path / "new" / "x.txt"):
            (tmp_path / "new" / "other").touch()
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["other"]


@pytest.mark.skipif(sys.platform == "win32", reason="rights and links are POSIX's here")
def test_rights_and_links_are_those_of_any_file(tmp_path) -> None:
    (tmp_path / "plain").write_text("x", encoding="utf-8")
    target = atomic.write_bytes(tmp_path / "real", b"1")
    assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    (tmp_path / "link").symlink_to(target)
    atomic.write_bytes(tmp_path / "link", b"2")
    assert (tmp_path / "link").is_symlink()
    assert target.read_bytes() == b"2"


def test_a_long_name(tmp_path) -> None:
    path = tmp_path / ("x" * 250)
    assert atomic.write_bytes(path, b"1").read_bytes() == b"1"


def test_replace_dir(tmp_path, monkeypatch) -> None:
    for name in ("new", "newer", "newest"):
        atomic.write_text(tmp_path / name / "f", name)
    target = atomic.replace_dir(tmp_path / "new", tmp_path / "deep" / "target")
    atomic.replace_dir(tmp_path / "newer", target)
    assert (target / "f").read_text(encoding="utf-8") == "newer"
    rename, calls = os.rename, []

    def second_fails(source: Any, place: Any) -> None:
        calls.append(source)
        if len(calls) == 2:
            raise OSError("no")
        rename(source, place)

    monkeypatch.setattr(os, "rename", second_fails)
    with pytest.raises(OSError, match="no"):
        atomic.replace_dir(tmp_path / "newest", target)
    assert (target / "f").read_text(encoding="utf-8") == "newer"
    assert [p.name for p in target.parent.iterdir()] == ["target"]
