"""Training: merges equal the naive definition; threads, files and order don't matter; what is refused and said."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
from budget import examples
from engines import ENGINES, native
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from tokenizers_impl import engine

TOY = "low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3


def naive(texts: list[str], variant: str, count: int, min_frequency: int) -> list[tuple[bytes, bytes]]:
    """The definition: count all pairs anew before every merge."""
    words = [[bytes([b]) for b in p.encode()] for text in texts for p in ti.pretokenize(text, variant)]
    merges = []
    while len(merges) < count:
        counts: dict[tuple[bytes, bytes], int] = {}
        for word in words:
            for pair in itertools.pairwise(word):
                counts[pair] = counts.get(pair, 0) + 1
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        if counts[best] < min_frequency:
            break
        merges.append(best)
        for word in words:
            i = 0
            while i < len(word) - 1:
                if (word[i], word[i + 1]) == best:
                    word[i : i + 2] = [word[i] + word[i + 1]]
                i += 1
    return merges


@pytest.mark.parametrize("engine_name", ENGINES)
def test_the_toy(engine_name: str) -> None:
    with engine.use(engine_name):
        tok = ti.train(TOY.split(), vocab_size=258)
    assert tok.merges == ((b"s", b"t"), (b"e", b"st"))


@settings(max_examples=examples(150), deadline=None)
@given(
    texts=st.lists(
        st.one_of(
            st.text("ab", max_size=40),
            st.text("abc ", max_size=40),
            st.text("aé中1 \n", max_size=30),
            st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
        ),
        min_size=1,
        max_size=6,
    ),
    min_frequency=st.integers(1, 3),
)
def test_merges_are_the_definition(texts: list[str], min_frequency: int) -> None:
    native()
    if not any(texts):
        return
    expected = naive(texts, "gpt2", 60, min_frequency)
    for engine_name in ENGINES:
        with engine.use(engine_name):
            tok = ti.train(texts, vocab_size=316, min_frequency=min_frequency)
        assert list(tok.merges) == expected, engine_name


def test_runs_of_one_letter_count_every_position() -> None:
    # (k, k) stands at 4 places of the two runs and (m, n) at 3; not overlapping, it would be 2 against 3.
    texts = ["kkk", "kkk", "mn", "mn", "mn"]
    for engine_name in ENGINES:
        with engine.use(engine_name):
            assert ti.train(texts, vocab_size=258).merges == ((b"k", b"k"), (b"m", b"n"))


def corpus(size: int = 300) -> list[str]:
    rng = random.Random(3)
    words = ["".join(rng.choices("etaoin", k=rng.randrange(1, 9))) for _ in range(400)]
    words += ["中文", "文字", "12345", "don't", "é", "🐕", "\n\n", "   "]
    return [" ".join(rng.choices(words, k=rng.randrange(200))) for _ in range(size)]


@pytest.mark.parametrize("variant", ti.variants(), ids=lambda variant: variant.name)
def test_threads_files_and_order_do_not_matter(variant, tmp_path: Path) -> None:
    native()
    # Where nothing is cut, the reference writes every text anew for every merge: a minute for 300 of them.
    texts = corpus(30 if variant.name == "bytes_only" else 300)
    with engine.use("reference"):
        expected = ti.train(texts, variant.name, 500, ["<|endoftext|>"])
    assert expected.training.vocab_size == 500
    for threads in (1, 2, 3, 7):
        shuffled = random.Random(threads).sample(texts, len(texts))
        assert ti.train(shuffled, variant.name, 500, ["<|endoftext|>"], threads=threads) == expected
    one = tmp_path / "one.txt"
    one.write_bytes("<|endoftext|>".join(texts).encode())
    files = []
    for number in range(7):
        files.append(tmp_path / f"{number}.txt")
        files[-1].write_bytes("<|endoftext|>".join(texts[number::7]).encode())
    for threads in (1, 2, 3, 7):
        for source in (one, files, files[::-1], [files[0], *texts[1::7], *files[2:]]):
            assert ti.train(source, variant.name, 500, ["<|endoftext|>"], threads=threads) == expected
    paths = []
    for threads in (1, 7):
        tok = ti.train(one, variant.name, 500, ["<|endoftext|>"], threads=threads)
        paths.append(tok.save(tmp_path / f"tok{threads}.tiktoken", "tiktoken") if variant.name != "zh" else one)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_a_large_file_is_cut_safely(tmp_path: Path) -> None:
    """Several blocks a thread: no pretoken is cut in two and no special token overlooked at a block's edge."""
    native()
    rng = random.Random(11)
    words = [" the", " tide", "\n", "\n\n", "  ", "1234567", "'ll", "<|end of text|>", " <|x|>", "é", "。", "!"]
    text = "".join(rng.choices(words, k=3_000_000))
    path = tmp_path / "large.txt"
    path.write_bytes(text.encode())
    specials = ["<|end of text|>", " <|x|>"]
    core = native()
    for variant in ("gpt2", "cl100k", "o200k"):
        splitter = core.Splitter(variant)
        counters = [core.Counter(splitter, specials, threads) for threads in (1, 2, 7)]
        counters[0].add_texts([text])
        counters[1].add_file(str(path))
        counters[2].add_file(str(path))
        items = [counter.items() for counter in counters]
        assert items[0] == items[1] == items[2]
        expected = sum(len(t) for t in text.replace(specials[0], "").replace(specials[1], "").encode().split(b"\0"))
        assert [counter.bytes for counter in counters] == [expected] * 3


@pytest.mark.parametrize("engine_name", ENGINES)
def test_special_tokens_are_never_learned(engine_name: str) -> None:
    text = "ab<|endoftext|>ab<|endoftext|>" * 50
    with engine.use(engine_name):
        tok = ti.train(text, vocab_size=300, special_tokens=["<|endoftext|>"])
    assert tok.merges == ((b"a", b"b"),)
    assert tok.special_tokens == {"<|endoftext|>": 256}
    assert tok.vocab[257] == b"ab"
    assert tok.training.stopped == "stopped at 258 of 300: no pair occurs twice"
    assert tok.training.vocab_size == tok.vocab_size == 258


@pytest.mark.parametrize("engine_name", ENGINES)
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"vocab_size": 255}, ti.TokenizerError, "at least 256"),
        ({"vocab_size": 257, "special_tokens": ["<a>", "<b>"]}, ti.TokenizerError, "at least 258"),
        ({"special_tokens": [""]}, ti.TokenizerError, "empty special token"),
        ({"special_tokens": ["a"]}, ti.TokenizerError, "single byte"),
        ({"special_tokens": ["<a>", "<a>"]}, ti.TokenizerError, "listed twice"),
        ({"special_tokens": "<a>"}, TypeError, "letter by letter"),
        ({"special_tokens": {"<a>": 5}}, TypeError, "follow the 256 bytes"),
        ({"special_tokens": [1]}, TypeError, "not int"),
        ({"vocab_size": "300"}, TypeError, "vocab_size is a whole number"),
        ({"vocab_size": 2**70}, ti.TokenizerError, "too large"),
        ({"source": b"bytes"}, TypeError, "not bytes"),
        ({"min_frequency": 0}, ti.TokenizerError, "at least 1"),
        ({"tie_break": "alphabet"}, ti.TokenizerError, "unknown tie_break 'alphabet'"),
        ({"variant": "gpt-2"}, ti.TokenizerError, "did you mean 'gpt2'"),
        ({"lexicon": ["中文"]}, ti.TokenizerError, "takes no word list"),
        ({"source": ""}, ti.TokenizerError, "no text to train on"),
        ({"source": []}, ti.TokenizerError, "no text to train on"),
        ({"source": iter(())}, ti.TokenizerError, "no text to train on"),
        ({"source": [b"bytes"]}, TypeError, "not bytes"),
        ({"source": Path("nowhere.txt")}, FileNotFoundError, "nowhere.txt"),
    ],
)
def test_refused(engine_name: str, arguments: dict, error: type[Exception], message: str) -> None:
    with engine.use(engine_name), pytest.raises(error, match=message):
        ti.train(**({"source": TOY} | arguments))


@pytest.mark.parametrize("engine_name", ENGINES)
def test_a_file_that_is_not_utf8(engine_name: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(b"\xef\xbb\xbf" + b"good text\n" * 1000 + b"\xff rest")
    with engine.use(engine_name), pytest.raises(ValueError, match=r"bad\.txt: not UTF-8.*byte.* 10003"):
        ti.train(path)


@pytest.mark.parametrize("engine_name", ENGINES)
def test_a_byte_order_mark_is_dropped(engine_name: str, tmp_path: Path) -> None:
    path = tmp_path / "bom.txt"
    path.write_bytes(b"\xef\xbb\xbfab ab")
    with engine.use(engine_name):
        assert ti.train(path, vocab_size=300) == ti.train("ab ab", vocab_size=300)


@pytest.mark.parametrize("engine_name", ENGINES)
@pytest.mark.parametrize(("text", "merges"), [("   ", 2), ("\n\n\n", 2), ("a", 0)])
def test_tiny_corpora(engine_name: str, text: str, merges: int) -> None:
    with engine.use(engine_name):
        assert len(ti.train(text, vocab_size=300, min_frequency=1).merges) == merges


def test_progress_can_stop_training() -> None:
    class Stop(Exception):
        pass

    def stop(stage: str, done: int, total: int) -> None:
        raise Stop

    texts = ["".join(random.Random(n).choices("abcdefgh", k=20_000)) for n in range(300)]
    for engine_name in ENGINES:
        with engine.use(engine_name), pytest.raises(Stop):
            ti.train(texts, vocab_size=20_000, progress=stop)


def test_counts_beyond_32_bits() -> None:
    for name in ENGINES:
        with engine.use(name) as core:
            counter = core.Counter(core.Splitter("gpt2"), [], 1)
            counter.add_items([(b"the", 3_000_000_000), (b"thy", 3_000_000_000), (b"xy", 5)])
            merges = core.learn_merges(counter, 10, 1, "bytes")
            assert merges[:2] == [(b"t", b"h", 6_000_000_000), (b"th", b"y", 3_000_000_000)]


@pytest.mark.parametrize("engine_name", ENGINES)
def test_the_record_says_how_it_went(engine_name: str) -> None:
    with engine.use(engine_name):
        record = ti.train(TOY.split(), vocab_size=260).training
    assert record.stopped == "reached 260"
    assert (record.bytes, record.pretokens, record.distinct_pretokens) == (len("".join(TOY.split())), 16, 4)
    assert set(record.seconds) == {"count", "merge"}
    assert record.engine == engine_name
    assert ti.train(TOY, min_frequency=9, vocab_size=400).training.stopped.endswith("no pair occurs 9 times")
