"""Encoding to arrays, counting and decoding: each way gives what ``encode_ordinary`` of each text gives."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest
from budget import examples
from engines import ENGINES, native
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from tokenizers_impl import engine
from tokenizers_impl.arguments import well_formed
from tokenizers_impl.vocabulary import BYTES

TEXT = (
    "The tide table hung by the door. Nobody read the tide table, for the tide told them itself.\n\n"
    "它是一张旧的潮汐表。没有人看潮汐表，因为潮水自己会说话。 1234567 12:30 €5,00 antidisestablishmentarianism\n"
    "    def tide(self):\n        return self.table['tide'] + 1\r\n"
) * 3


@pytest.fixture(scope="module")
def trained() -> dict[str, ti.BPETokenizer]:
    native()
    made = {}
    for name in ENGINES:
        with engine.use(name):
            made[name] = ti.train(TEXT, vocab_size=420, special_tokens=["<s>", "<s><t>"])
    return made


@pytest.mark.parametrize("engine_name", ENGINES)
def test_arrays_keep_their_ids_while_the_memory_of_others_is_used_again(engine_name: str, trained) -> None:
    """Of a megabyte and more, which the core keeps when an array is let go; pieces of an array keep all of it."""
    tok = trained[engine_name]
    texts = [TEXT * 2500, TEXT[::-1] * 2500, TEXT * 2400] if engine_name == "native" else [TEXT, TEXT[::-1]]
    expected = [np.array(tok.encode_ordinary(text), dtype=np.uint32) for text in texts]
    assert engine_name != "native" or all(ids.nbytes > 1 << 20 for ids in expected)
    rng = random.Random(5)
    held: list[tuple[np.ndarray, int, int]] = []
    for _ in range(25):
        number = rng.randrange(len(texts))
        array = tok.encode_ordinary_numpy(texts[number], rng.choice([1, 2]))
        assert np.array_equal(array, expected[number])
        assert array.flags.writeable
        start = rng.randrange(len(array))
        held.append((array[start:], number, start))
        del array
        if len(held) > 3:
            held.pop(rng.randrange(len(held)))
        for piece, of, first in held:
            assert np.array_equal(piece, expected[of][first:])


@pytest.mark.parametrize("engine_name", ENGINES)
def test_every_way_is_the_list(engine_name: str, trained) -> None:
    tok = trained[engine_name]
    rng = random.Random(3)
    some = ["", "<s>", *("".join(rng.choices(TEXT, k=rng.randrange(300))) for _ in range(40)), TEXT * 2]
    each = [tok.encode_ordinary(text) for text in some]
    lengths = [len(ids) for ids in each]
    for threads in (None, 1, 2, 3, 7):
        counts = tok.count_batch(some, threads)
        assert counts.dtype == np.int64
        assert counts.tolist() == lengths == [tok.count(text, threads) for text in some]
        for text, ids in zip(some, each, strict=True):
            array = tok.encode_ordinary_numpy(text, threads)
            assert array.dtype == np.uint32
            assert array.tolist() == ids
            assert tok.decode_bytes(array) == text.encode()
    assert tok.decode_batch(each) == some
    assert tok.count_batch([]).tolist() == []


@pytest.mark.parametrize("engine_name", ENGINES)
def test_arrays_know_special_tokens(engine_name: str, trained) -> None:
    tok = trained[engine_name]
    text = "tide<s><t> table<s>" * 5
    for allowed, disallowed in (("all", "all"), (set(), ()), ({"<s>"}, ())):
        expected = tok.encode(text, allowed, disallowed)
        assert tok.encode_to_numpy(text, 2, allowed, disallowed).tolist() == expected
    assert tok.decode(tok.encode_to_numpy(text, allowed_special="all")) == text
    with pytest.raises(ValueError, match="<s>"):
        tok.encode_to_numpy(text)
    with pytest.raises(ValueError, match="<s>"):
        tok.encode_batch(["a", "\ud800<s>"])


@pytest.mark.parametrize("engine_name", ENGINES)
def test_lone_surrogates_are_replaced_in_arrays(engine_name: str, trained) -> None:
    tok = trained[engine_name]
    text, expected = "a\ud83db \ud83d\udc15 <s>", "a\ufffdb 🐕 <s>"
    ids = tok.encode_ordinary(expected)
    assert tok.encode_ordinary_numpy(text).tolist() == ids
    assert tok.encode_to_numpy(text, disallowed_special=()).tolist() == ids
    assert tok.count_batch(["x", text]).tolist() == [1, len(ids)]


def test_one_huge_text_among_small_ones(trained) -> None:
    tok = trained["native"]
    some = ["tide", TEXT * 700, "", "table <s>"] + ["door"] * 50 + [TEXT * 300]
    each = [tok.encode(text, "all") for text in some]
    for threads in (1, 2, 7):
        assert tok.encode_batch(some, threads, "all") == each
        assert tok.count_batch(some, threads).tolist() == [tok.count(text) for text in some]


BLOCK = 1 << 16
"""The core cuts a text that is not ASCII into blocks of so many characters."""
WIDEST = {"one byte": "é", "two bytes": "中", "four bytes": "🐕"}
"""Python holds a text in characters of one width, as the widest of them needs."""


def _long_text(kind: str, widest: str) -> str:
    if kind == "words":
        words = ("naïve ", "text, ", widest + " ", "1234 ", "\n", "don't ", "<s>", "<s><t>", "<")
        return "".join(random.Random(5).choices(words, k=BLOCK))
    if kind == "no place to cut":
        return widest * (2 * BLOCK + 7_000)
    # A special token over the end of the first block, at every shift.
    ends = f"a {widest}<s><t>" * 3
    filler = widest + "bc " * (BLOCK // 3)
    return filler[: BLOCK - {"special 1": 4, "special 2": 6, "special 3": 11}[kind]] + ends + " d" * BLOCK


@pytest.mark.parametrize("kind", ["words", "no place to cut", "special 1", "special 2", "special 3"])
@pytest.mark.parametrize("width", WIDEST)
def test_long_texts_are_what_their_blocks_hide(width: str, kind: str, trained) -> None:
    text = _long_text(kind, WIDEST[width])
    assert len(text) > 2 * BLOCK
    held = sys.getsizeof(text)
    tokenizer = trained["native"]
    arrays = [tokenizer.encode_ordinary_numpy(text, threads) for threads in (1, 2, 3)]
    counts = [tokenizer.count(text, threads) for threads in (1, 2, 3)]
    with_specials = tokenizer.encode_to_numpy(text, allowed_special="all")
    assert sys.getsizeof(text) == held, "the text has had its UTF-8 made, and keeps it"
    expected = tokenizer.encode_ordinary(text)
    assert [array.tolist() for array in arrays] == [expected] * 3
    assert counts == [len(expected)] * 3
    assert with_specials.tolist() == tokenizer.encode(text, allowed_special="all")
    # Now that Python has its UTF-8.
    assert tokenizer.count(text) == len(expected)
    broken = text + "\ud800" + text[:50]
    assert tokenizer.count(broken) == len(tokenizer.encode_ordinary(broken))


class Quoted(str):
    """A subclass, which Python holds in another place."""


def test_a_text_of_a_subclass_is_the_text(trained) -> None:
    tokenizer = trained["native"]
    for widest in ("e", *WIDEST.values()):
        text = f"the tide {widest} table " * 50
        expected = tokenizer.encode_ordinary(text)
        assert tokenizer.encode_ordinary_numpy(Quoted(text)).tolist() == expected
        assert tokenizer.count_batch([Quoted(text), text]).tolist() == [len(expected)] * 2


@settings(max_examples=examples(60), deadline=None)
@given(
    texts=st.lists(st.text(st.sampled_from("ab 1\n'éÿ中字—🐕𝒳\ud800"), max_size=60), max_size=8),
    size=st.integers(1, 40),
)
def test_texts_of_every_width_are_the_references(texts: list[str], size: int, trained) -> None:
    arrays, counts, blocks = [], [], []
    for tok in trained.values():
        ids, offsets = tok.encode_ordinary_batch(texts, 2)
        arrays.append((ids.tolist(), offsets.tolist()))
        counts.append(tok.count_batch(texts, 2).tolist())
        blocks.append([tok._encoder.encode_blocks(well_formed(t), size, 2).tolist() for t in texts])
    assert arrays[0] == arrays[1]
    assert counts[0] == counts[1] == np.diff(arrays[0][1]).tolist()
    assert blocks[0] == blocks[1]
    assert list(itertools.chain(*blocks[0])) == arrays[0][0]


@pytest.mark.parametrize("engine_name", ENGINES)
@pytest.mark.parametrize("kind", [list, tuple, np.uint16, np.int32, np.int64, np.uint32, np.uint64])
def test_ids_in_any_form_are_decoded(engine_name: str, kind, trained) -> None:
    tok = trained[engine_name]
    ids = tok.encode_ordinary(TEXT)
    given = kind(ids) if kind in (list, tuple) else np.array(ids, dtype=kind)
    assert tok.decode_bytes(given) == TEXT.encode()
    assert tok.decode(given[::2]) == tok.decode(ids[::2])
    assert tok.decode(given[:0]) == ""
    if kind in (list, tuple):
        assert tok.decode(iter(given)) == TEXT


@pytest.mark.parametrize("engine_name", ENGINES)
@pytest.mark.parametrize("unknown", [-1, 420, 65_535, 2**32 - 1, 2**32, 2**63 - 1, 2**70])
def test_unknown_ids_are_named(engine_name: str, unknown: int, trained) -> None:
    tok = trained[engine_name]
    for some in ([1, unknown, 2], (unknown,)):
        with pytest.raises(KeyError, match=f"id {unknown} is not in the vocabulary"):
            tok.decode_bytes(some)
    if unknown < 2**63:
        with pytest.raises(KeyError, match=f"id {unknown} is not in the vocabulary"):
            tok.decode(np.array([1, unknown]))


def test_ids_are_one_row_of_integers(trained) -> None:
    for wrong in (np.array([1.5]), np.array([[1], [2]])):
        with pytest.raises(TypeError, match="one-dimensional array of integers"):
            trained["native"].decode_bytes(wrong)


def test_long_lists_hold_plain_integers(trained) -> None:
    tok = trained["native"]
    ids = tok.encode(TEXT * 50 + "<s>", "all")
    assert ids[-1] == tok.special_tokens["<s>"]
    assert {type(i) for i in ids} == {int}
    assert ids == tok.encode_to_numpy(TEXT * 50 + "<s>", allowed_special="all").tolist()


def in_child(tok: ti.BPETokenizer, expected: list[int], answers) -> None:
    answers.put(tok.encode_ordinary(TEXT) == expected and tok.encode_ordinary_numpy(TEXT * 99, 3).size)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_while_other_threads_encode(trained) -> None:
    tok = trained["native"]
    expected = tok.encode_ordinary(TEXT)
    size = tok.encode_ordinary_numpy(TEXT * 99, 3).size
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            tok.encode_ordinary(TEXT * 20)

    others = [threading.Thread(target=busy) for _ in range(3)]
    for other in others:
        other.start()
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    try:
        for _ in range(5):
            child = context.Process(target=in_child, args=(tok, expected, answers))
            child.start()
            assert answers.get(timeout=60) == size
            child.join(60)
            assert child.exitcode == 0
    finally:
        stop.set()
        for other in others:
            other.join()


def test_threads_share_a_tokenizer(trained) -> None:
    tok = trained["native"]
    rng = random.Random(9)
    some = ["".join(rng.choices(TEXT, k=2000)) for _ in range(50)]
    expected = [tok.encode_ordinary(text) for text in some]
    wrong = []

    def work() -> None:
        for text, ids in zip(some * 5, expected * 5, strict=True):
            if tok.encode_ordinary(text) != ids or tok.count(text) != len(ids):
                wrong.append(text)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def _longest_pause_of_others(work: Callable[[], object]) -> float:
    """While it is done, the longest time in which another thread could not run, as a share of all the time."""
    pauses, done = [0.0], threading.Event()

    def look() -> None:
        last = time.perf_counter()
        while not done.is_set():
            time.sleep(0.001)
            now = time.perf_counter()
            pauses.append(now - last)
            last = now

    other = threading.Thread(target=look)
    other.start()
    start = time.perf_counter()
    work()
    took = time.perf_counter() - start
    done.set()
    other.join()
    return max(pauses) / took


def test_the_interpreter_is_free_until_all_threads_are_done() -> None:
    native()
    tok = ti.BPETokenizer(dict(enumerate(BYTES)) | {256: b"ab"}, [(b"a", b"b")], pattern="bytes_only")
    # The calling thread is done with the first text when the other one has hardly begun with the second, which no
    # thread can help with.
    texts = ["ab" * 60_000, "ab" * 500_000]
    for way in (tok.count_batch, tok.encode_ordinary_batch):
        shares = sorted(_longest_pause_of_others(lambda way=way: way(texts, threads=3)) for _ in range(5))
        assert shares[2] < 0.5, shares  # the median, since a busy machine makes pauses of its own


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer raises a signal here")
@pytest.mark.parametrize("way", ["encode_ordinary_numpy", "encode_ordinary", "count", "count_batch"])
def test_a_long_call_is_interrupted(way: str, trained) -> None:
    tok = trained["native"]
    text = "".join(random.Random(1).choices(TEXT, k=100_000)) * 200
    given = [text] if way == "count_batch" else text

    def again_and_again() -> None:  # since a fast machine may be done before the signal comes
        while time.perf_counter() - start < 30:
            getattr(tok, way)(given)

    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        start = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(KeyboardInterrupt):
            again_and_again()
        assert time.perf_counter() - start < 30
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
