"""Encoding: native == reference, serial == batch == parallel, on trained, foreign and rank vocabularies."""

from __future__ import annotations

import itertools
import pickle
import random

import pytest
from budget import examples
from engines import ENGINES, native
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from tokenizers_impl import engine
from tokenizers_impl.vocabulary import BYTES

TEXT = (
    "The tide table hung by the door. Nobody read the tide table, for the tide told them itself.\n\n"
    "它是一张旧的潮汐表。没有人看潮汐表，因为潮水自己会说话。 1234567 12:30 €5,00\n"
    "    def tide(self):\n        return self.table['tide'] + 1\r\n"
) * 3

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
words = ["tide", " the", "<s>", "<s><t>", "<t>", "表", " ", "\n", "'", "1", "é"]
pieces = st.lists(st.sampled_from(words)).map("".join)


def on(engine_name: str, build):
    with engine.use(engine_name):
        return build()


@pytest.fixture(scope="module")
def trained() -> dict[str, ti.BPETokenizer]:
    native()
    return {
        name: on(name, lambda: ti.train(TEXT, vocab_size=420, special_tokens=["<s>", "<s><t>"])) for name in ENGINES
    }


def test_both_engines_build_the_same(trained) -> None:
    assert trained["native"].fingerprint == trained["reference"].fingerprint
    assert {trained[name].engine for name in ENGINES} == set(ENGINES)


@settings(max_examples=examples(200), deadline=None)
@given(text=st.one_of(texts, pieces))
def test_native_is_reference(trained, text: str) -> None:
    fast, slow = trained["native"], trained["reference"]
    ids = fast.encode_ordinary(text)
    assert ids == slow.encode_ordinary(text)
    assert fast.decode_bytes(ids) == text.encode()
    assert fast.count(text) == len(ids)
    assert b"".join(fast.tokens(text)) == text.encode()
    for allowed in ("all", {"<s>"}, set()):
        assert fast.encode(text, allowed, ()) == slow.encode(text, allowed, ())


@settings(max_examples=examples(50), deadline=None)
@given(some=st.lists(st.one_of(texts, pieces)), threads=st.integers(1, 5))
def test_batch_is_serial(trained, some: list[str], threads: int) -> None:
    tok = trained["native"]
    assert tok.encode_batch(some, threads, "all") == [tok.encode(text, "all") for text in some]
    ids, offsets = tok.encode_ordinary_batch(some, threads)
    assert [ids[a:b].tolist() for a, b in itertools.pairwise(offsets)] == [tok.encode_ordinary(text) for text in some]


@pytest.mark.parametrize("variant", ti.variants(), ids=lambda variant: variant.name)
def test_one_text_in_parallel_is_serial(variant) -> None:
    native()
    text = TEXT * 1500  # several blocks for each thread
    tok = ti.train(TEXT, variant.name, 400)
    serial = tok.encode_ordinary(text)
    for threads in (1, 2, 3, 7):
        assert tok.encode_parallel(text, threads).tolist() == serial


def test_many_texts_in_parallel_are_serial() -> None:
    native()
    rng = random.Random(17)
    tok = ti.train(TEXT, vocab_size=400)
    some = ["".join(rng.choices(TEXT, k=rng.randrange(3_000))) for _ in range(300)]
    serial = [tok.encode_ordinary(text) for text in some]
    for threads in (1, 2, 3, 7):
        assert tok.encode_batch(some, threads) == serial


def test_long_pretokens_are_not_quadratic(trained) -> None:
    # The heap's path in both engines, and the same ids; a quadratic one would not end.
    for letter in ("a", " ", "\n", "表", "!"):
        text = letter * 20_000
        assert trained["native"].encode_ordinary(text) == trained["reference"].encode_ordinary(text)
    assert len(trained["native"].encode_ordinary("e" * 3_000_000)) > 0


def foreign(rng: random.Random) -> tuple[dict[int, bytes], list[tuple[bytes, bytes]]]:
    """A merge list as somebody else might have it: parts that come later, tokens that merging can't reach."""
    tokens = [b"a", b"b", b"c"]
    for _ in range(rng.randrange(1, 12)):
        tokens.append(rng.choice(tokens) + rng.choice(tokens))
    pairs = {(x, y) for x in tokens for y in tokens if x + y in tokens}
    merges = rng.sample(sorted(pairs), rng.randrange(len(pairs) + 1))
    rest = sorted({token for token in tokens if len(token) > 1})
    return dict(enumerate(BYTES)) | {300 + i: token for i, token in enumerate(rest)}, merges


def test_foreign_merge_lists() -> None:
    native()
    rng = random.Random(5)
    for _ in range(examples(200)):
        vocab, merges = foreign(rng)
        fast, slow = (on(name, lambda: ti.BPETokenizer(vocab, merges)) for name in ENGINES)  # noqa: B023
        for length in (1, 3, 9, 40, 70):
            text = "".join(rng.choices("abc", k=length))
            assert fast.encode_ordinary(text) == naive_merge(text, merges, vocab) == slow.encode_ordinary(text)


def naive_merge(text: str, merges, vocab) -> list[int]:
    ids = {token: token_id for token_id, token in vocab.items()}
    parts = [bytes([byte]) for byte in text.encode()]
    while found := [(merges.index(pair), at) for at, pair in enumerate(itertools.pairwise(parts)) if pair in merges]:
        _, at = min(found)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return [ids[part] for part in parts]


def test_rank_vocabularies() -> None:
    """tiktoken's own rule, written out; among them vocabularies whose tokens merging can't reach."""
    native()
    rng = random.Random(6)
    for _ in range(examples(200)):
        tokens = {b"a", b"b", b"c"}
        for _ in range(rng.randrange(1, 12)):
            tokens.add(b"".join(rng.choices(sorted(tokens), k=rng.randrange(2, 4))))
        longer = rng.sample(sorted(t for t in tokens if len(t) > 1), len(tokens) - 3)
        ranks = {byte: i for i, byte in enumerate(BYTES)} | {t: 256 + i for i, t in enumerate(longer)}
        fast, slow = (on(name, lambda: ti.BPETokenizer.from_ranks(ranks, {}, "gpt2")) for name in ENGINES)  # noqa: B023
        assert fast.fingerprint == slow.fingerprint
        assert fast.merges == slow.merges
        for length in (1, 2, 3, 9, 40, 70):
            text = "".join(rng.choices("abc", k=length))
            assert fast.encode_ordinary(text) == naive_ranks(text, ranks) == slow.encode_ordinary(text)


def naive_ranks(text: str, ranks: dict[bytes, int]) -> list[int]:
    if (whole := ranks.get(text.encode())) is not None:
        return [whole]
    parts = [bytes([byte]) for byte in text.encode()]
    while found := [(ranks[x + y], at) for at, (x, y) in enumerate(itertools.pairwise(parts)) if x + y in ranks]:
        _, at = min(found)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return [ranks[part] for part in parts]


def test_pickled_is_equal(trained) -> None:
    again = pickle.loads(pickle.dumps(trained["native"]))
    assert again == trained["native"]
    assert again.encode_ordinary(TEXT) == trained["native"].encode_ordinary(TEXT)
    ranks = {byte: i for i, byte in enumerate(BYTES)} | {b"ab": 256}
    tok = ti.BPETokenizer.from_ranks(ranks, {"<s>": 300}, "cl100k")
    assert pickle.loads(pickle.dumps(tok)) == tok


@pytest.mark.parametrize("engine_name", ENGINES)
def test_lone_surrogates_are_replaced_on_every_path(engine_name: str, trained) -> None:
    tok = trained[engine_name]
    text, expected = "a\ud83db \ud83d\udc15 <s>", "a\ufffdb 🐕 <s>"
    ids = tok.encode_ordinary(expected)
    assert tok.encode_ordinary(text) == ids
    assert tok.encode(text, set(), ()) == ids
    assert tok.encode_batch([text], None, set(), ()) == [ids]
    assert tok.encode_parallel(text).tolist() == ids
    assert tok.count(text) == len(ids)
    assert "".join(tok.pretokenize(text)) == expected
    assert list(tok.encode_iterable([text], set(), ())) == ids


@settings(max_examples=examples(30), deadline=None)
@given(some=st.lists(texts, max_size=8))
def test_scorer_counts_what_encoding_gives(trained, some: list[str]) -> None:
    tok = trained["native"]
    other = ti.train(TEXT, vocab_size=300)
    core = native()
    scorer = core.Scorer(tok._splitter, [tok._encoder, other._encoder], 2)
    rows = scorer.add(some)
    assert rows.tolist() == [[len(tok.pretokenize(text)), tok.count(text), other.count(text)] for text in some]
    assert scorer.broken() == []
    for number, one in enumerate((tok, other)):
        counts = scorer.id_counts(number)
        ids = [i for text in some for i in one.encode_ordinary(text)]
        assert {i: int(n) for i, n in enumerate(counts) if n} == {i: ids.count(i) for i in ids}
    seen = [pretoken for text in some for pretoken in tok.pretokenize(text)]
    assert scorer.distinct == len(set(seen))
    for pretoken, count, first, second in scorer.differences(0, 1, 1000):
        word = pretoken.decode()
        assert (count, first, second) == (seen.count(word), tok.count(word), other.count(word))
        assert first != second
