"""The baselines: bytes, chars and words."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from tokenizers_impl import BaselineTokenizer, TokenizerError, unicode_data
from tokenizers_impl.baselines import _words

TEXTS = st.text() | st.text(st.sampled_from(" \n\tab中🙂\u00a0\u3000\x1c\x85"))


def test_bytes() -> None:
    tok = BaselineTokenizer("bytes")
    assert tok.encode("é🙂") == list("é🙂".encode())
    assert (tok.vocab_size, tok.max_id, tok.unk_id, tok.special_tokens) == (256, 255, None, {})


def test_chars() -> None:
    tok = BaselineTokenizer("chars")
    assert tok.encode("é🙂\U0010ffff") == [0xE9, 0x1F642, 0x10FFFF]
    assert (tok.vocab_size, tok.max_id, tok.unk_id) == (1_112_064, 0x10FFFF, None)
    with pytest.raises(KeyError, match="id 55296 is not in the vocabulary"):
        tok.decode([0xD800])


def test_words_are_the_most_frequent_ties_by_bytes() -> None:
    tok = BaselineTokenizer.fit(["b a b", "a b c c\nc a"], 5)
    assert tok.words == (" a", " b", " c", "\n")
    assert (tok.vocab_size, tok.max_id, tok.unk_id, tok.unknown_ids) == (5, 4, 0, {0})
    assert tok.encode("x b\n c") == [0, 2, 4, 3]
    assert tok.decode([0, 2, 4, 3]) == "\ufffd b\n c"
    assert tok.tokens(" b x") == [b" b", "\ufffd".encode()]


def test_the_order_of_texts_doesnt_matter() -> None:
    texts = ["one two", "two three", "three four", "one"]
    assert BaselineTokenizer.fit(texts, 4) == BaselineTokenizer.fit(reversed(texts), 4)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the cat  sat", ["the", " cat", " ", " sat"]),
        (" a\n\nb ", [" a", "\n\n", "b", " "]),
        ("a\tb\x1cc", ["a", "\t", "b\x1cc"]),  # U+001C is white space for re, not in the split patterns
        ("a\u3000b\u00a0 c", ["a", "\u3000", "b", "\u00a0", " c"]),
        ("", []),
    ],
)
def test_what_a_word_is(text: str, words: list[str]) -> None:
    assert _words(text) == words


def test_white_space_is_that_of_the_split_patterns() -> None:
    for code_point in range(0x110000):
        character = chr(code_point)
        if unicode_data.is_space(code_point) or character.isspace():
            assert (_words("a" + character + "a") != ["a" + character + "a"]) == unicode_data.is_space(code_point)


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(TEXTS, max_size=4), st.sampled_from(["bytes", "chars", "words"]))
def test_every_way_to_encode_agrees(texts: list[str], kind: str) -> None:
    known = [*texts, "a"]
    tok = BaselineTokenizer.fit(known, 10**6) if kind == "words" else BaselineTokenizer(kind)
    rows = [tok.encode_ordinary(text) for text in texts]
    flat, offsets = tok.encode_ordinary_batch(texts, threads=3)
    assert (flat.dtype, offsets.dtype) == (np.uint32, np.int64)
    assert [flat[a:b].tolist() for a, b in itertools.pairwise(offsets)] == rows
    assert tok.encode_batch(texts) == rows
    for text, ids in zip(texts, rows, strict=True):
        assert tok.encode(text) == ids
        assert tok.count(text) == len(ids)
        assert tok.decode_bytes(ids) == b"".join(tok.tokens(text)) == text.encode()
        assert tok.decode(ids) == text
        assert all(0 <= token_id <= tok.max_id for token_id in ids)


def test_surrogates_are_treated_as_everywhere_else() -> None:
    for kind in ("bytes", "chars"):
        tok = BaselineTokenizer(kind)
        assert tok.decode(tok.encode("a\ud800b")) == "a\ufffdb"
        assert tok.decode(tok.encode("\ud83d\ude42")) == "🙂"
        assert tok.count("\ud83d\ude42") == len(tok.encode("\ud83d\ude42"))


def test_fingerprints_tell_baselines_apart_and_survive_a_pickle() -> None:
    toks = [BaselineTokenizer("bytes"), BaselineTokenizer("chars"), BaselineTokenizer.fit(["a b"], 3)]
    toks.append(BaselineTokenizer.fit(["a c"], 3))
    assert len({tok.fingerprint for tok in toks}) == 4
    for tok in toks:
        assert pickle.loads(pickle.dumps(tok)) == tok
    assert ti.train("aa aa", vocab_size=257) != toks[0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BaselineTokenizer("byte"), r"unknown baseline 'byte' \(did you mean 'bytes'\?\)"),
        (lambda: BaselineTokenizer("words"), "'words' needs its vocabulary: train it with fit"),
        (lambda: BaselineTokenizer("bytes", ["a"]), "'bytes' takes no words"),
        (lambda: BaselineTokenizer("words", ["a", "a"]), "each is given once"),
        (lambda: BaselineTokenizer("words", [""]), "not empty"),
        (lambda: BaselineTokenizer.fit([], 10), "there is no text to take words from"),
        (lambda: BaselineTokenizer.fit(["a"], 1), "vocab_size 1 is too small"),
    ],
)
def test_refused(make, message: str) -> None:
    with pytest.raises(TokenizerError, match=message):
        make()


@pytest.mark.parametrize("text", [" " * 300_000, "\n" * 300_000 + "a", "\n\n\na" * 80_000, "x" * 300_000])
def test_long_runs_take_linear_time(text: str) -> None:
    assert "".join(_words(text)) == text
