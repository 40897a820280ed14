"""Tokens that the engine holds: the same from the core and from the reference, and from any way to build them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from budget import examples
from engines import ENGINES
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from tokenizers_impl import engine
from tokenizers_impl.formats import tiktoken_ranks
from tokenizers_impl.training import truncate
from tokenizers_impl.vocabulary import BYTES, TokenView

RANKS = {byte: i for i, byte in enumerate(BYTES)} | {b"ab": 300, b"abc": 301, b" a": 305}


def on(name: str, make: Callable[[], ti.BPETokenizer]) -> ti.BPETokenizer:
    with engine.use(name):
        return make()


def _both(data: bytes) -> list[list[tuple[int, bytes]] | None]:
    found = []
    for name in ENGINES:
        with engine.use(name) as module:
            made = module.Vocabulary.parse_ranks(data)
            found.append(None if made is None else made.items())
    return found


LINES = st.tuples(
    st.sampled_from([b"YQ==", b"YWI=", b"YWJj", b"YR==", b"YQ", b"====", b"", b"Y-==", b"YWJjZA==", b"AAAA"]),
    st.sampled_from([b" ", b"", b"  ", b"\t"]),
    st.sampled_from([b"0", b"1", b"7", b"07", b"+1", b"1_0", b"-1", b"2147483647", b"2147483648", b"", b"x", b"1\r"]),
)


@given(st.lists(LINES, max_size=4), st.sampled_from([b"", b"\n", b"\n\n"]))
@settings(max_examples=examples(400), deadline=None)
def test_a_ranks_file_is_read_alike(lines: list[tuple[bytes, bytes, bytes]], end: bytes) -> None:
    one, other = _both(b"\n".join(b"".join(line) for line in lines) + end)
    assert one == other


@given(st.dictionaries(st.binary(min_size=1, max_size=20), st.integers(0, 2**31 - 1), max_size=30))
@settings(max_examples=examples(100), deadline=None)
def test_what_is_written_is_read(ranks: dict[bytes, int]) -> None:
    by_rank = {rank: token for token, rank in ranks.items()}
    expected = sorted(by_rank.items())
    for found in _both(tiktoken_ranks.dumps({token: rank for rank, token in by_rank.items()})):
        assert found == (expected or None)


@pytest.mark.parametrize("name", ENGINES)
def test_a_vocabulary_says_what_it_holds(name: str) -> None:
    with engine.use(name) as module:
        made = module.Vocabulary([(9, b"abc"), (0, b"a"), (4, b"de"), (5, b"b")])
        assert len(made) == 4
        assert made.items() == [(0, b"a"), (4, b"de"), (5, b"b"), (9, b"abc")]
        assert made.get(4) == b"de"
        assert made.get(1) is None
        assert made.ids().tolist() == [0, 4, 5, 9]
        assert made.lengths().tolist() == [1, 2, 1, 3]
        assert made.listed() == b'[0,"61"],[4,"6465"],[5,"62"],[9,"616263"]'
        assert made.first(1).items() == [(0, b"a"), (4, b"de"), (5, b"b")]
        assert made.decoder([(7, b"<s>")]).decode([4, 7, 0]) == b"de<s>a"
        other = module.Vocabulary([(0, b"abc"), (1, b"x"), (2, b"<s>")])
        numbers = module.token_numbers([made, other], [[], [b"<s>", b"none"]])
        assert [some.tolist() for some in numbers] == [[0, 1, 2, 3], [3, 4]]


@pytest.mark.parametrize("name", ENGINES)
def test_a_tokenizer_of_a_file_is_the_one_of_its_ranks(name: str) -> None:
    data = tiktoken_ranks.dumps(RANKS)
    with engine.use(name):
        made = ti.BPETokenizer.from_ranks(RANKS, {"<s>": 310}, "gpt2")
        read = ti.BPETokenizer.from_ranks_file(data, {"<s>": 310}, "gpt2")
        assert read is not None
        assert read.fingerprint == made.fingerprint
        assert read.vocab == made.vocab == {i: t for t, i in RANKS.items()} | {310: b"<s>"}
        assert read.merges == made.merges
        assert read.max_id == 310
        assert read.vocab_size == len(RANKS) + 1
        assert read.encode_ordinary("abcab a") == [301, 300, 305]
        assert read.decode([301, 310]) == "abc<s>"
        assert read.token_lengths[[97, 300, 301, 304]].tolist() == [1, 2, 3, 0]
        assert pickle.loads(pickle.dumps(read)).fingerprint == made.fingerprint
        assert truncate(read, len(RANKS)).vocab == {i: t for t, i in RANKS.items() if i != 305} | {310: b"<s>"}
        assert ti.BPETokenizer.from_ranks_file(b"\n" + data, {}, "gpt2") is None
        assert ti.BPETokenizer.from_ranks_file(data[7:], {}, "gpt2") is None  # without the first byte


def test_fingerprints_are_those_of_both_engines() -> None:
    one, other = (on(name, lambda: ti.BPETokenizer.from_ranks(RANKS, {"<s>": 310}, "gpt2")) for name in ENGINES)
    assert one.fingerprint == other.fingerprint


def test_a_view_is_the_mapping_of_its_tokens() -> None:
    view = TokenView(engine.active().Vocabulary([(2, b"b"), (0, b"a"), (700, b"ab")]))
    assert dict(view) == {0: b"a", 2: b"b", 700: b"ab"} == dict(view.items())
    assert list(view) == [0, 2, 700]
    assert view.largest == 700
    assert 1 not in view
    assert view.get(-1) is None
    assert view.get(2**40) is None
    assert pickle.loads(pickle.dumps(view)) == dict(view)


def test_caches_can_be_freed_at_any_time(tmp_path: Path) -> None:
    tok = ti.BPETokenizer.from_ranks(RANKS, {}, "gpt2")
    before = tok.encode_ordinary("ab abc ab")
    tok.forget()
    assert tok.encode_ordinary("ab abc ab") == before
    assert np.array_equal(tok.encode_ordinary_batch(["ab abc ab"], 2)[0], np.array(before))


def test_a_token_that_merging_cannot_build_has_every_cut_as_a_pair() -> None:
    ranks = RANKS | {b"xyz": 400, b"yz": 401, b"wxyz": 402}
    fast, slow = (on(name, lambda: ti.BPETokenizer.from_ranks(ranks, {}, "gpt2")) for name in ENGINES)
    for text in ("xyz wxyz", "axyzb", "wwxyz", "yzx xyzxyz"):
        assert fast.encode_ordinary(text) == slow.encode_ordinary(text)
    assert fast.merges == slow.merges
