"""native == reference for pretokens: every code point, every short string over a nasty alphabet, random text."""

from __future__ import annotations

import itertools
import pickle
import random
from collections.abc import Iterable
from functools import cache

import pytest
from budget import examples
from engines import CUTS, ENGINES, native, reference, variant_of
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from tokenizers_impl import engine, unicode_data
from tokenizers_impl.registry import RIGHT_TO_LEFT, VARIANTS
from tokenizers_impl.training import truncate

WORDS = ["中文", "文字", "一二三四五六七八", "我们", "〇一", "們的"]

# Every class that a pattern can tell apart, and the letters that patterns name.
ALPHABET = [
    *"sStTrReEvVmMlLdDaZ", "ſ", "K", "'", "’", " ", "\t", "\n", "\r", "\x0b", "\x1c", "\x85", "\xa0", "\u2028",
    "\u200b", "\u3000", "\ufeff", "1", "9", "٣", "Ⅷ", "²", "〇", "中", "文", "字", "一", "𠮷", "々", "⺀",
    "é", "É", "ǅ", "ʰ", "א", "か", "\u0301", "\u0903", "\u20dd", "!", "/", "_", "-", "。", "€", "😀", "\0", "\u00ad",
    "\u0378", "\ue000", "\U0010ffff",
]  # fmt: skip

CONTEXTS = ("{}", "a{}a", "1{}1", "!{}!", " {}")


def splitters(cut: str) -> tuple[object, object]:
    variant, direction = variant_of(cut)
    lexicon = WORDS if VARIANTS[variant].uses_lexicon else None
    arguments = (variant, lexicon, direction == RIGHT_TO_LEFT)
    return native().Splitter(*arguments), reference().Splitter(*arguments)


def assert_same(fast, slow, text: str) -> None:
    got, expected = fast.split(text), slow.split(text)
    if got != expected:
        at = next(i for i, (a, b) in enumerate(zip(got, expected, strict=False)) if a != b)
        pytest.fail(f"pretoken {at}: native {got[at : at + 3]!r}, reference {expected[at : at + 3]!r}")
    assert "".join(got) == text


CODE_POINTS = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]

# One cut for each rule of the core; with a larger budget, all of them.
EVERY_RULE = CUTS if examples(1) > 1 else ["gpt2", "zh_char", "cl100k", "o200k", "o200k right_to_left"]


def in_context(code_points: Iterable[str]) -> str:
    """All contexts of all of them in one text, since a call for each would take minutes. What ends one context and
    what begins the next never stand in one pretoken, but where a pattern cuts nothing."""
    return "".join(f"\n{c}\na{c}a1{c}1!{c}! {c}\x01" for c in code_points)


def in_short(code_points: Iterable[str]) -> str:
    """As few contexts as tell apart whatever a pattern does. No pattern joins the number at the end to a letter."""
    return "".join(f"a{c}!{c}Aa!{c}! {c} 1 {c}1{c}1" for c in code_points)


def lengths(pretokens: Iterable[str]) -> tuple[int, ...]:
    return tuple(map(len, pretokens))


def representatives(table: dict[int, str]) -> str:
    """Of all code points: the table has no more than one for a run of them whose class is one, but for those whose
    letter a pattern names. To ask it for each would take longer than all the rest."""
    signs = []
    for first, last, category, *_ in unicode_data.runs():
        if first < 0x180:
            signs += [table[c] for c in range(first, last + 1)]
        elif category != "Cs":
            signs.append(table[first] * (last - first + 1))
    return "".join(signs)


@cache
def one_of_each_class() -> list[str]:
    """The first code point of each class that any pattern can tell apart, and all of ASCII."""
    found: dict[object, str] = {}
    for first, _, *kind in unicode_data.runs():
        if kind[0] != "Cs":
            found.setdefault(tuple(kind), chr(first))
    return sorted({*found.values(), *map(chr, range(0x80))})


@cache
def borders_and_some() -> list[str]:
    """The code points on both sides of each place where the class changes, and a random one out of each 256; or all,
    with a budget of 20."""
    if examples(1) >= 20:
        return CODE_POINTS
    rng = random.Random(5)
    chosen = {c for first, last, *_ in unicode_data.runs() for c in (first, last)}
    chosen.update(rng.randrange(start, start + 256) for start in range(0, 0x110000, 256))
    return [chr(c) for c in sorted(chosen) if not 0xD800 <= c < 0xE000]


@pytest.mark.parametrize("variant", EVERY_RULE)
def test_every_code_point(variant: str) -> None:
    """The reference cuts every text as it cuts the text with each code point replaced by its representative (that is
    how it works). So it cuts those, and the core has to cut each code point as the reference its representative."""
    fast, slow = splitters(variant)
    if variant == "bytes_only":
        assert fast.split("".join(CODE_POINTS)) == ["".join(CODE_POINTS)]
        return
    replaced = representatives(slow._table)
    assert len(replaced) == len(CODE_POINTS)
    signs = sorted(set(replaced))
    expected = {sign: lengths(slow.split(in_short(sign))) for sign in signs}
    assert lengths(slow.split(in_short(signs))) == tuple(itertools.chain.from_iterable(expected.values()))
    between = list(itertools.product("aA1! \n", ["a", "Aa", "1", "!", " ", "\n"]))
    kinds = {tuple(lengths(slow.split(before + sign + after)) for before, after in between) for sign in signs}
    assert len(set(expected.values())) >= len(kinds)
    for start in range(0, len(CODE_POINTS), 100_000):
        wanted = itertools.chain.from_iterable(map(expected.__getitem__, replaced[start : start + 100_000]))
        got = lengths(fast.split(in_short(CODE_POINTS[start : start + 100_000])))
        assert got == tuple(wanted), f"from {CODE_POINTS[start]!r} on"


@pytest.mark.parametrize("variant", CUTS)
def test_code_points_by_the_reference_itself(variant: str) -> None:
    """The same without the detour, in all contexts."""
    fast, slow = splitters(variant)
    some = borders_and_some()
    assert len(some) > 9_000
    for start in range(0, len(some), 100_000):
        assert_same(fast, slow, in_context(some[start : start + 100_000]))


@pytest.mark.parametrize("variant", CUTS)
def test_every_class_alone_in_every_context(variant: str) -> None:
    fast, slow = splitters(variant)
    for c in one_of_each_class():
        for context in CONTEXTS:
            assert_same(fast, slow, context.format(c))


@pytest.mark.parametrize("variant", CUTS)
def test_every_string_of_three(variant: str) -> None:
    """The reference cuts each string of representatives once, which are as many as it tells apart. Where it has a
    list of words, Han characters are their own representatives."""
    fast, slow = splitters(variant)
    assert len(set(ALPHABET)) >= 60
    words = slow.lexicon is not None
    signs = [c if words and unicode_data.is_han(ord(c)) else c.translate(slow._table) for c in ALPHABET]
    expected: dict[tuple[str, ...], tuple[int, ...]] = {}
    for letters, key in zip(itertools.product(ALPHABET, repeat=3), itertools.product(signs, repeat=3), strict=True):
        text = "".join(letters)
        if key not in expected:
            expected[key] = lengths(slow.split(text))
        pretokens = fast.split(text)
        assert lengths(pretokens) == expected[key], repr(text)
        assert "".join(pretokens) == text


@pytest.mark.parametrize("variant", CUTS)
def test_random_text(variant: str) -> None:
    fast, slow = splitters(variant)
    rng = random.Random(17)
    for _ in range(examples(2_000)):
        length = rng.randrange(60)
        letters = rng.sample(ALPHABET, rng.randrange(1, 12))
        text = "".join(rng.choice(letters) if rng.random() < 0.9 else chr(rng.randrange(0xD800)) for _ in range(length))
        assert fast.split(text) == slow.split(text), repr(text)


@pytest.mark.parametrize("variant", CUTS)
@settings(max_examples=examples(100), deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text(variant: str, text: str) -> None:
    fast, slow = splitters(variant)
    assert_same(fast, slow, text)


@pytest.mark.parametrize("engine_name", ENGINES)
def test_digits_from_the_right(engine_name: str) -> None:
    cases = {
        "digits3": {
            "a 1234567": "a| 1|234|567",
            "12345 123": "12|345| 123",
            "\u00bd1\u0663\u06634": "\u00bd1|\u0663\u06634",
        },
        "cl100k": {"x1234 1234": "x|1|234| |1|234", "-1000000": "-|1|000|000", "123456": "123|456"},
        "llama3": {"$1000.50": "$|1|000|.|50"},
        "o200k": {"1234's": "1|234|'s", "": ""},
    }
    with engine.use(engine_name):
        for variant, texts in cases.items():
            for text, expected in texts.items():
                pretokens = ti.pretokenize(text, variant, direction="right_to_left")
                assert "|".join(pretokens) == expected
        for variant in set(VARIANTS) - set(cases):
            with pytest.raises(ti.TokenizerError, match=f"'{variant}' has no groups of digits"):
                ti.pretokenize("1", variant, direction="right_to_left")
        with pytest.raises(
            ti.TokenizerError, match="unknown direction 'rtl'; there is left_to_right and right_to_left"
        ):
            ti.pretokenize("1", "digits3", direction="rtl")


def test_long_numbers_are_cut_in_linear_time() -> None:
    number = "1" * 1_000_000
    pretokens = ti.pretokenize(number, "cl100k", direction="right_to_left")
    assert (len(pretokens), pretokens[0], pretokens[-1]) == (333_334, "1", "111")


@pytest.mark.parametrize("engine_name", ENGINES)
def test_direction_is_part_of_what_a_tokenizer_is(engine_name: str, tmp_path) -> None:
    text = "1234567 1234567 890123 890123 1000 1000 " * 3
    with engine.use(engine_name):
        left = ti.train(text, "digits3", 300)
        right = ti.train(text, "digits3", 300, direction="right_to_left")
        assert right.direction == "right_to_left"
        assert left.fingerprint != right.fingerprint
        assert left.splitter_key != right.splitter_key
        assert right.encode_ordinary("1234567") != left.encode_ordinary("1234567")
        for copy in (ti.load(right.save(tmp_path / "t.json")), pickle.loads(pickle.dumps(right)), truncate(right, 262)):
            assert copy.direction == "right_to_left"
            assert copy.pretokenize("1234567") == ["1", "234", "567"]
        for name in ("gpt2", "tiktoken"):
            with pytest.raises(ti.TokenizerError, match="direction of digits, right_to_left, has no place"):
                right.save(tmp_path / name, format=name)
            assert not (tmp_path / name).exists()


@pytest.mark.parametrize("engine_name", ENGINES)
def test_bytes_only_is_one_pretoken(engine_name: str) -> None:
    with engine.use(engine_name):
        tok = ti.train(["ab c\nab c\n", "ab c\n"], "bytes_only", 260)
        assert tok.pretokenize("a b\n\nc") == ["a b\n\nc"]
        assert tok.pretokenize("") == []
        assert not tok.streams
        assert tok.encode_open("ab c\nab") == ([], "ab c\nab")
        long = "ab c\n" * 40_000
        assert tok.encode_parallel(long, 4).tolist() == tok.encode_ordinary(long)
        assert b"ab c\n" in tok.vocab.values()
