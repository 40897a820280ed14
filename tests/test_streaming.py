"""Streaming equals doing it at once: every cut in two and three, one code point at a time, cuts inside specials."""

from __future__ import annotations

import itertools
import random

import pytest
from budget import examples
from engines import CUTS, ENGINES, variant_of
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from tokenizers_impl import engine
from tokenizers_impl.registry import VARIANTS
from tokenizers_impl.streaming import StreamEncoder

SPECIALS = ["<a>", "<a><b>", "<a><b><c>", "<", " <|x y|> ", "'"]
NASTY = [
    "", "a", "it's", "it'll", "IT'S", "' 's ''ll", "A中BCD", "u \n\t\nv", "a\r\n b", "a  b   c ",
    "  \n  \n", "x \u3000 y", "1234567", " 12 345", "١٢٣٤", "a1!b2?", "don\u2019t", "it'ſ", "ab\u0301c",
    "中文字典文字", "我们的中文字典", "a中1文!", "<a><b>", "<a><b><c>", "<a<a>", "<a><b", "x <|x y|> z", "hi!\n\n\na",
    "//\r\n/a", "HelloWorld's", "ÀéǅʰאMix", "🐕🐕", "\x00\x1c\x85", " \u200b \ufeff", "a-b_c/d", "!\na",
    "\n\n!", "0x1F", "𠮷野家一二三四五六七八九十",
]  # fmt: skip
LEXICON = ["中文", "中文字典", "文字", "我们", "一二三四五六七八", "二三", "野家"]


@pytest.fixture(scope="module")
def tokenizers() -> dict[tuple[str, str], ti.BPETokenizer]:
    text = " ".join(NASTY) * 3
    made = {}
    for cut in CUTS:
        name, direction = variant_of(cut)
        lexicon = LEXICON if VARIANTS[name].uses_lexicon else None
        for engine_name in ENGINES:
            with engine.use(engine_name):
                made[cut, engine_name] = ti.train(text, name, 330, SPECIALS[:3], lexicon=lexicon, direction=direction)
    return made


def streamed(tok: ti.BPETokenizer, pieces: list[str]) -> list[int]:
    return list(tok.encode_iterable(pieces, "all"))


def cuts(text: str, number: int):
    for places in itertools.combinations_with_replacement(range(len(text) + 1), number - 1):
        edges = [0, *places, len(text)]
        yield [text[a:b] for a, b in itertools.pairwise(edges)]


@pytest.mark.parametrize("engine_name", ENGINES)
@pytest.mark.parametrize("variant", CUTS)
def test_every_cut_in_two_and_three(tokenizers, variant: str, engine_name: str) -> None:
    tok = tokenizers[variant, engine_name]
    for text in NASTY:
        expected = tok.encode(text, "all")
        parts = 3 if engine_name == "native" or len(text) < 9 else 2
        for pieces in itertools.chain(cuts(text, 2), cuts(text, parts), [list(text)]):
            assert streamed(tok, pieces) == expected, pieces


@pytest.mark.parametrize("variant", CUTS)
@settings(max_examples=examples(100), deadline=None)
@given(data=st.data())
def test_any_text_in_any_pieces(tokenizers, variant: str, data: st.DataObject) -> None:
    tok = tokenizers[variant, "native"]
    piece = st.one_of(st.text(max_size=6), st.sampled_from(NASTY), st.sampled_from(["'", "<", " ", "\n", "1", "中"]))
    pieces = data.draw(st.lists(piece, max_size=12))
    assert streamed(tok, pieces) == tok.encode("".join(pieces), "all")


@pytest.mark.parametrize("variant", CUTS)
def test_random_cuts_of_long_text(tokenizers, variant: str) -> None:
    tok = tokenizers[variant, "native"]
    rng = random.Random(17)
    for _ in range(examples(20)):
        text = "".join(rng.choices([*NASTY, " the", " tide", "\n", "  "], k=400))
        places = sorted(rng.choices(range(len(text) + 1), k=rng.choice([3, 40, 900])))
        pieces = [text[a:b] for a, b in itertools.pairwise([0, *places, len(text)])]
        assert streamed(tok, pieces) == tok.encode(text, "all")


def test_special_tokens_that_are_prefixes_of_one_another(tokenizers) -> None:
    vocab = dict(enumerate(bytes([b]) for b in range(256)))
    texts = ["<a>", "<a><b>", "b><c", " <|x y|> "]
    tok = ti.BPETokenizer(vocab, [], {text: 300 + i for i, text in enumerate(texts)})
    for text in ["<a><b>", "<a><b", "<a><<a>b><c", "<a><b><c>", "<a> <|x y|> <a", "b><", "<", ""]:
        for pieces in itertools.chain(cuts(text, 2), cuts(text, 3), [list(text)]):
            assert streamed(tok, pieces) == tok.encode(text, "all"), pieces
            assert list(tok.encode_iterable(pieces, {"<a>"}, ())) == tok.encode(text, {"<a>"}, ())


def test_a_disallowed_special_is_refused_however_it_is_cut(tokenizers) -> None:
    tok = tokenizers["gpt2", "native"]
    for pieces in cuts("x<a>y", 3):
        with pytest.raises(ValueError, match="'<a>'"):
            list(tok.encode_iterable(pieces))
    with pytest.raises(TypeError, match="pieces of text"):
        tok.encode_iterable("abc").__next__()


def test_surrogates_in_two_pieces() -> None:
    tok = ti.train("🐕 ok", vocab_size=256)
    for pieces in (
        ["\ud83d", "\udc15 ok"],
        ["a\ud83d", "b"],
        ["\ud83d"],
        ["\udc15", "\ud83d"],
        ["\ud83d\ud83d", "\udc15"],
    ):
        assert list(tok.encode_iterable(pieces)) == tok.encode("".join(pieces)), pieces


def test_text_is_given_as_soon_as_it_is_certain(tokenizers) -> None:
    for variant in CUTS:
        tok = tokenizers[variant, "native"]
        assert tok.streams == (variant != "bytes_only")
        if not tok.streams:
            continue
        encoder = StreamEncoder(tok)
        given = []
        for number in range(2000):
            given += encoder.feed(f" word {number}, 中文 and 文字\n")
            assert encoder._size < 80
        assert given + encoder.flush() == tok.encode("".join(f" word {n}, 中文 and 文字\n" for n in range(2000)))


def test_a_long_pretoken_in_tiny_pieces_is_not_quadratic(tokenizers) -> None:
    tok = tokenizers["gpt2", "native"]
    encoder = StreamEncoder(tok)
    scans = copied = 0
    advance = encoder._advance

    def counted() -> list[int]:
        nonlocal scans
        scans += 1
        return advance()

    encoder._advance = counted
    buffer = encoder._buffer
    for _ in range(20_000):
        encoder.feed("a")
        if encoder._buffer is not buffer:  # what is kept is another text now, all of it copied
            buffer = encoder._buffer
            copied += len(buffer)
    assert scans < 150
    assert copied < 20 * 20_000
    assert encoder.flush() == tok.encode("a" * 20_000)


@pytest.mark.parametrize("engine_name", ENGINES)
def test_an_encoder_can_be_used_again(tokenizers, engine_name: str) -> None:
    tok = tokenizers["gpt2", engine_name]
    encoder = StreamEncoder(tok, "all")
    for text in ("it's <a>", "<a", "", "again"):
        assert encoder.feed(text) + encoder.flush() == tok.encode(text, "all")


@settings(max_examples=examples(300), deadline=None)
@given(
    data=st.lists(
        st.one_of(
            st.binary(max_size=4),
            st.text(max_size=4).map(lambda t: t.encode("utf-8", "replace")),
            st.sampled_from([b"\xf0\x9f", b"\x90\x95", b"\xe4\xb8", b"\xad", b"\xed\xa0\x80", b"\xff"]),
        )
    ).map(b"".join),
    errors=st.sampled_from(["replace", "ignore", "backslashreplace"]),
)
def test_decoding_in_pieces_is_decoding_at_once(data: bytes, errors: str) -> None:
    tok = ti.BPETokenizer(dict(enumerate(bytes([b]) for b in range(256))), [])
    assert "".join(tok.decode_iterable(data, errors)) == tok.decode(data, errors)


def test_decoding_never_gives_half_a_character() -> None:
    tok = ti.BPETokenizer(dict(enumerate(bytes([b]) for b in range(256))), [])
    assert list(tok.decode_iterable("🐕 ok".encode())) == ["🐕", " ", "o", "k"]
    assert list(tok.decode_iterable(b"a\xf0\x9f")) == ["a", "\ufffd"]
    with pytest.raises(UnicodeDecodeError):
        list(tok.decode_iterable(b"\xf0", errors="strict"))
