"""The ladder: at every size exactly the tokens of the tokenizer cut to that size, on both engines."""

from __future__ import annotations

import random

import numpy as np
import pytest
from budget import examples
from engines import ENGINES, native, reference
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from evalkit.embedded import embedded_corpora, embedded_corpus
from tokenizers_impl import TokenizerError, engine
from tokenizers_impl.ladder import Ladder, ladder
from tokenizers_impl.tokenizer import BPETokenizer
from tokenizers_impl.training import truncate
from tokenizers_impl.vocabulary import BYTES

VARIANTS = [variant.name for variant in ti.variants()]
SPECIALS = ["<|endoftext|>"]


def check(tok: BPETokenizer, text: str, rungs: Ladder, sizes: list[int]) -> None:
    """The definition: encode by the tokenizer of each size."""
    for size in sizes:
        ids = np.array(truncate(tok, size).encode_ordinary(text), dtype=np.int64)
        counts = rungs.id_counts(size)
        assert rungs.at(size) == len(ids), size
        np.testing.assert_array_equal(counts, np.bincount(ids, minlength=len(counts)), err_msg=f"{size}")
        rung = size - int(rungs.sizes[0])
        assert rungs.used[rung] == np.count_nonzero(counts)
        assert rungs.rarer_than(3)[rung] == np.count_nonzero((counts > 0) & (counts < 3))


def every(tok: BPETokenizer) -> list[int]:
    return list(range(256 + len(tok.special_tokens), tok.vocab_size + 1))


def text_of(name: str, limit: int) -> str:
    return "".join(file.path.read_text(encoding="utf-8") for file in embedded_corpus(name).files)[:limit]


@pytest.mark.parametrize("engine_name", ENGINES)
@settings(max_examples=examples(25), deadline=None)
@given(data=st.data())
def test_every_size_of_random_corpora(engine_name: str, data: st.DataObject) -> None:
    texts = st.one_of(st.text("ab", max_size=60), st.text("aé中1 '\n", max_size=40), st.text(max_size=30))
    train_text, text = data.draw(texts), data.draw(texts)
    variant = data.draw(st.sampled_from(VARIANTS))
    with engine.use(engine_name):
        tok = ti.train(train_text + "x", variant, 290, SPECIALS, min_frequency=1)
        rungs = ladder(tok, text)
        assert rungs.bytes == len(text.encode())
        assert rungs.sizes.tolist() == every(tok)
        check(tok, text, rungs, every(tok))


@pytest.mark.parametrize("variant", VARIANTS)
def test_embedded_corpora(variant: str) -> None:
    """Held-out text of every corpus under one tokenizer trained on a mix; the reference agrees."""
    names = list(embedded_corpora())
    texts = {name: text_of(name, 12_000) for name in names}
    tok = ti.train([text[:8_000] for text in texts.values()], variant, 1000)
    rng = random.Random(3)
    for text in texts.values():
        held_out = text[8_000:]
        rungs = ladder(tok, held_out)
        check(tok, held_out, rungs, [*rng.sample(every(tok), 2), 256, tok.vocab_size])
        # The reference walks through whole pretokens at each merge.
        held_out = held_out[:500] if variant == "bytes_only" else held_out
        counter = native().Counter(tok.engine_splitter, [], 1)
        counter.add_texts([held_out])
        pairs = [tuple(pair) for pair in rungs.parts.tolist()]
        other = reference().Counter(reference().Splitter("gpt2"), [], 1)
        other.add_items(counter.items())
        np.testing.assert_array_equal(
            native().replay_merges(counter, pairs)[1], reference().replay_merges(other, pairs)[1]
        )


def test_sources_are_alike(tmp_path) -> None:
    tok = ti.train(text_of("stories", 30_000), "gpt2", 600, SPECIALS)
    text = text_of("stories", 40_000)[30_000:]
    path = tmp_path / "held_out.txt"
    path.write_text(text, encoding="utf-8", newline="")
    counter = native().Counter(tok.engine_splitter, [], 2)
    counter.add_texts([text])
    scorer = native().Scorer(tok.engine_splitter, [tok.engine_encoder], 2)
    scorer.add([text])
    expected = ladder(tok, text)
    for source in (path, [text], counter, dict(counter.items()), scorer.counter()):
        found = ladder(tok, source, threads=2)
        np.testing.assert_array_equal(found.tokens, expected.tokens)
        assert (found.bytes, found.pretokens) == (expected.bytes, expected.pretokens)
    with engine.use("reference"):
        slow = ti.load(tok.save(tmp_path / "tok.json"))
        scorer = engine.active().Scorer(slow.engine_splitter, [slow.engine_encoder], 1)
        scorer.add([text])
        np.testing.assert_array_equal(ladder(slow, scorer.counter()).tokens, expected.tokens)


def test_special_text_is_data_and_nothing_is_nothing() -> None:
    tok = ti.train("a<|endoftext|>b" * 9, "gpt2", 270, SPECIALS)
    check(tok, "a<|endoftext|>b", ladder(tok, "a<|endoftext|>b"), every(tok))
    nothing = ladder(tok, [])
    assert set(nothing.tokens.tolist()) == {0}
    assert np.isnan(nothing.bytes_per_token).all()


def test_sizes_that_are_not_there() -> None:
    tok = ti.train("low lower lowest", "gpt2", 262)
    rungs = ladder(tok, "low")
    for size in (255, tok.vocab_size + 1):
        with pytest.raises(KeyError, match=f"not {size}"):
            rungs.at(size)
        with pytest.raises(KeyError, match=f"not {size}"):
            rungs.id_counts(size)


def test_what_does_not_nest_is_refused() -> None:
    bytes_ = dict(enumerate(BYTES))
    abc = bytes_ | {256: b"ab", 257: b"abc"}
    late = BPETokenizer(abc, [(b"ab", b"c"), (b"a", b"b")])
    with pytest.raises(TokenizerError, match="merge 1, b'ab' \\+ b'c', needs b'ab', which no merge before it makes"):
        ladder(late, "abc")
    two_ways = BPETokenizer(abc | {258: b"bc"}, [(b"a", b"b"), (b"b", b"c"), (b"ab", b"c"), (b"a", b"bc")])
    with pytest.raises(TokenizerError, match="makes a token that an earlier merge makes"):
        ladder(two_ways, "abc")
    whole = BPETokenizer(abc, [(b"a", b"b"), (b"ab", b"c")], ignore_merges=True)
    with pytest.raises(TokenizerError, match="ignores them"):
        ladder(whole, "abc")
    ranks = BPETokenizer.from_ranks({byte: i for i, byte in enumerate(BYTES)} | {b"ab": 256}, {}, "gpt2")
    with pytest.raises(TokenizerError, match="by the rank"):
        ladder(ranks, "abc")


def test_ids_of_others_in_any_order() -> None:
    """An imported vocabulary has its own ids, may leave out bytes that no text has, and hold what no merge makes."""
    order = [byte for byte in reversed(BYTES) if byte not in (b"\xc0", b"\xff")]
    vocab = {3 * i: byte for i, byte in enumerate(order)} | {1: b"ab", 2: b"abc", 4: b"never"}
    tok = BPETokenizer(vocab, [(b"a", b"b"), (b"ab", b"c")], {"<s>": 9999}, foreign=True)
    rungs = ladder(tok, "abcab b")
    assert rungs.sizes.tolist() == [255, 256, 257]
    check(tok, "abcab b", rungs, [255, 256])
    assert rungs.tokens.tolist() == [7, 5, 4]
    assert rungs.id_counts(257)[[1, 2]].tolist() == [1, 1]


@pytest.mark.parametrize("engine_name", ENGINES)
def test_the_engines_check_the_list_themselves(engine_name: str) -> None:
    with engine.use(engine_name) as core:
        counter = core.Counter(core.Splitter("gpt2"), [], 1)
        counter.add_texts(["abc"])
        with pytest.raises(ValueError, match="merge 2 has a part"):
            core.replay_merges(counter, [(97, 98), (257, 99)])
        with pytest.raises(ValueError, match="merge 2 has the pair"):
            core.replay_merges(counter, [(97, 98), (97, 98)])


def test_a_counter_can_be_used_after_training_on_it() -> None:
    counter = native().Counter(native().Splitter("gpt2"), [], 2)
    counter.add_texts([text_of("web", 20_000)])
    before = counter.items()
    merges = native().learn_merges(counter, 200, 2, "bytes")
    assert counter.items() == before
    assert native().learn_merges(counter, 200, 2, "bytes") == merges
    counter.add_texts(["one more"])
    counter.add_items([(b" more", 2)])
    assert dict(counter.items()) == dict(before) | {
        key: dict(before).get(key, 0) + n for key, n in ((b"one", 1), (b" more", 3))
    }
