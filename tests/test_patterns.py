"""Patterns of one's own: both engines, tiktoken and the hand-written splitters agree; the rest is refused by name."""

from __future__ import annotations

import itertools
import random
import re
import sys
import time
from pathlib import Path

import pytest
import tiktoken
from budget import examples
from engines import ENGINES, native, reference
from hypothesis import given, settings
from hypothesis import strategies as st
from test_pretokens import ALPHABET

import tokenizers_impl as ti
from tokenizers_impl import engine, reference_splitter
from tokenizers_impl.patterns.program import compile_pattern
from tokenizers_impl.patterns.spellings import SPELLINGS
from tokenizers_impl.registry import VARIANTS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DATA = tomllib.loads((Path(__file__).parent / "patterns.toml").read_text(encoding="utf-8"))
PATTERNS = [case["regex"] for case in DATA["pattern"]]
LIKE_TIKTOKEN = [case["regex"] for case in DATA["pattern"] if "not_tiktoken" not in case]
WITHOUT_WORDS = [name for name, variant in VARIANTS.items() if not variant.uses_lexicon]

# Characters that these patterns tell apart, in few: so that short strings meet every branch.
DENSE = ["s", "t", "e", "r", "a", "b", "1", "\u0663", " ", "\n", "'", "!", "S", "\u017f", "\u4e2d", "\u00e9", "\u0301"]


def general(core, pattern: str):
    program = compile_pattern(pattern)
    return core.Splitter.general(program.pattern, program.classes, program.sets, program.nodes)


def texts(seed: int, number: int, longest: int = 24) -> list[str]:
    rng = random.Random(seed)
    found = []
    for _ in range(number):
        letters = rng.sample(ALPHABET, rng.randrange(1, 9)) if rng.random() < 0.4 else DENSE
        found.append("".join(rng.choices(letters, k=rng.randrange(longest))))
    return found


SHORT = ["".join(text) for length in (0, 1, 2) for text in itertools.product(DENSE, repeat=length)]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_engines_agree(pattern: str) -> None:
    fast, slow = general(native(), pattern), general(reference(), pattern)
    for text in [*SHORT, *ALPHABET, *texts(1, examples(700)), "".join(ALPHABET), "stste" * 40]:
        assert fast.split(text) == slow.split(text), repr(text)
        assert "".join(fast.split(text)) == text


@pytest.mark.parametrize("pattern", LIKE_TIKTOKEN)
def test_tiktoken_agrees(pattern: str) -> None:
    """In a vocabulary that has every piece of the texts, each of tiktoken's pretokens is one token. What a pattern
    leaves out is lost there; here, each character of it is matched by one more alternative on both sides."""
    pattern = f"(?:{pattern})|(?s:.)" if not pattern.startswith("(?i)") else pattern + "|(?s:.)"
    some = [*texts(2, examples(150), 12), *SHORT[:: 7 // min(7, examples(1))]]
    pieces = {text[i:j].encode() for text in some for i in range(len(text)) for j in range(i + 1, len(text) + 1)}
    tokens = sorted({bytes([byte]) for byte in range(256)} | pieces)
    encoding = tiktoken.Encoding(
        "test", pat_str=pattern, mergeable_ranks={token: i for i, token in enumerate(tokens)}, special_tokens={}
    )
    ours = general(native(), pattern)
    for text in some:
        theirs = [tokens[i].decode() for i in encoding.encode_ordinary(text)]
        assert ours.split(text) == theirs, repr(text)


@pytest.mark.parametrize("variant", WITHOUT_WORDS)
def test_registered_patterns_give_the_same_by_the_general_engine(variant: str) -> None:
    by_hand = native().Splitter(variant)
    for core in (native(), reference()):
        splitter = general(core, VARIANTS[variant].pattern)
        for text in [*SHORT, *texts(3, examples(1_000), 40), "".join(ALPHABET)]:
            assert splitter.split(text) == by_hand.split(text), repr(text)
    everything = "\n\x01".join(
        f"a{chr(c)}1{chr(c)} {chr(c)}" for c in range(0, 0x110000, 7) if not 0xD800 <= c < 0xE000
    )
    assert general(native(), VARIANTS[variant].pattern).split(everything) == by_hand.split(everything)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_other_spellings_are_equal(spelling: str) -> None:
    name = SPELLINGS[spelling]
    assert ti.get_variant(spelling) is VARIANTS[name]
    assert ti.pretokenize("a b", pattern=spelling) == ti.pretokenize("a b", variant=name)
    by_hand, splitter = native().Splitter(name), general(native(), spelling)
    for text in [*SHORT, *texts(4, examples(3_000), 30), "".join(ALPHABET)]:
        assert splitter.split(text) == by_hand.split(text), repr(text)
    for text in itertools.product(ALPHABET, repeat=2):
        assert splitter.split("".join(text)) == by_hand.split("".join(text))


def test_registered_patterns_and_their_escapes_are_known() -> None:
    for name in WITHOUT_WORDS:
        assert ti.get_variant(VARIANTS[name].pattern) is VARIANTS[name]
    assert ti.get_variant(VARIANTS["llama3"].pattern.replace(r"\r\n", "\r\n")).name == "llama3"
    assert ti.get_variant(VARIANTS["zh"].pattern).name == "zh_run"
    from tiktoken_ext import openai_public

    assert ti.get_variant(openai_public.r50k_pat_str).name == "gpt2"
    with engine.use("native"):
        assert ti.pattern_engine("gpt2") == ti.pattern_engine(openai_public.r50k_pat_str) == "hand-written"
        assert ti.pattern_engine(r"\p{L}+|\P{L}+") == "general"
    with engine.use("reference"):
        assert ti.pattern_engine("gpt2") == ti.pattern_engine(r"\p{L}+|\P{L}+") == "reference"


@pytest.mark.parametrize("case", DATA["refused"], ids=lambda case: case["regex"])
def test_refused(case: dict) -> None:
    for engine_name in ENGINES:
        with engine.use(engine_name), pytest.raises(ti.TokenizerError, match=re.escape(case["says"])) as caught:
            ti.pretokenize("a", pattern=case["regex"])
        if "at" in case:
            assert f"character {case['at']} (" in str(caught.value) or f"character {case['at']}:" in str(caught.value)


def test_names_and_patterns_are_told_apart() -> None:
    with pytest.raises(ti.TokenizerError, match=r"unknown variant 'gtp2' \(did you mean 'gpt2'"):
        ti.pretokenize("a", pattern="gtp2")
    with pytest.raises(ti.TokenizerError, match="an empty split pattern"):
        ti.get_variant("")
    assert ti.pretokenize("xabx", pattern="(?:ab)") == ["x", "ab", "x"]
    with pytest.raises(ti.TokenizerError, match="both variant"):
        ti.pretokenize("a", "gpt2", pattern="gpt2")
    with pytest.raises(ti.TokenizerError, match="both variant"):
        ti.train("abab", "gpt2", 260, pattern=r"\s")
    with pytest.raises(ti.TokenizerError, match="has no groups of digits"):
        ti.pretokenize("1", pattern=r"\p{N}{1,3}|\P{N}", direction="right_to_left")


@pytest.mark.parametrize(
    ("pattern", "engine_name"),
    [
        *itertools.product([r"(?:a+)+b|c", r"(?:a|a)+b", r"(?:a|aa)+$"], ENGINES),
        # `regex` sees at once that there is no c.
        *itertools.product([r"(?:a*b?a*)c", r"(?:(?:a|b)+)+c"], ["native"]),
    ],
)
def test_a_catastrophic_pattern_is_an_error_soon(pattern: str, engine_name: str, monkeypatch) -> None:
    monkeypatch.setattr(reference_splitter, "MATCH_SECONDS", 0.5)
    text = "a" * 20_000 + "!"
    start = time.monotonic()
    with engine.use(engine_name), pytest.raises(ti.TokenizerError, match="takes too long on a text of") as caught:
        ti.pretokenize(text, pattern=pattern)
    assert time.monotonic() - start < 20
    assert pattern in str(caught.value)


def test_every_path_gives_the_error() -> None:
    bad = "a" * 5_000 + "!"
    with engine.use("native"):
        tok = ti.BPETokenizer(dict(enumerate(bytes([b]) for b in range(256))), [], {"<s>": 256}, pattern=r"(?:a+)+b|.")
        assert tok.encode_ordinary("aab!") == list(b"aab!")
        for path in (
            lambda: tok.encode(bad),
            lambda: tok.encode("<s>" + bad, allowed_special="all"),
            lambda: tok.encode_ordinary(bad),
            lambda: tok.encode_batch([bad, "a"] * 40, threads=2),
            lambda: tok.encode_parallel(bad, 2),
            lambda: list(tok.encode_iterable([bad, bad])),
            lambda: tok.count(bad),
            lambda: ti.train(["x" * 200_000, bad], pattern=r"(?:a+)+b|.", vocab_size=260, threads=2),
            lambda: native().Scorer(tok.engine_splitter, [tok.engine_encoder], 2).add([bad] * 40),
        ):
            with pytest.raises(ti.TokenizerError, match="takes too long"):
                path()
        assert tok.encode_ordinary("aab!") == list(b"aab!")


@pytest.mark.parametrize("engine_name", ENGINES)
def test_a_tokenizer_of_ones_own_pattern(engine_name: str, tmp_path) -> None:
    pattern = r"[a-z]+|\p{N}{1,2}"
    text = "red 1234 red; green-red 12 blue blue " * 5
    with engine.use(engine_name):
        tok = ti.train(text, pattern=pattern, vocab_size=275)
        assert (tok.variant, tok.pattern, tok.streams) == (pattern, pattern, False)
        assert tok.pretokenize("red; 123") == ["red", "; ", "12", "3"]
        assert tok.decode(tok.encode(text)) == text
        assert list(tok.encode_iterable([text[:50], text[50:]])) == tok.encode(text)
        assert tok.encode_open(text) == ([], text)
        assert tok.encode_parallel(text * 900, 3).tolist() == tok.encode_ordinary(text * 900)
        assert ti.load(tok.save(tmp_path / "own.json")) == tok
        same = ti.BPETokenizer(tok.vocab, tok.merges, (), pattern=pattern)
        assert same.fingerprint == tok.fingerprint
        assert same.splitter_key == tok.splitter_key
        spelled = ti.BPETokenizer(tok.vocab, tok.merges, (), pattern=next(iter(SPELLINGS)))
        assert spelled == ti.BPETokenizer(tok.vocab, tok.merges, (), pattern="gpt2")


ATOMS = [
    "s",
    "t",
    "[st]",
    "[^s]",
    r"\s",
    r"\S",
    r"\p{L}",
    r"\p{N}",
    ".",
    "(?i:s)",
    "'",
    "(?=t)",
    "(?!s)",
    "(?<=s)",
    "$",
]


def regexes() -> st.SearchStrategy[str]:
    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        joined = st.lists(inner, min_size=1, max_size=3).map("".join)
        either = st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})")
        quantifier = st.sampled_from(["?", "*", "+", "??", "*?", "+?", "?+", "*+", "++", "{2}", "{1,2}", "{0,2}?"])
        repeated = st.tuples(inner, quantifier).map(lambda pair: f"(?:{pair[0]}){pair[1]}")
        looks = st.tuples(st.sampled_from(["(?=", "(?!", "(?>"]), inner).map(lambda pair: f"{pair[0]}{pair[1]})")
        return joined | either | repeated | looks

    return st.recursive(st.sampled_from(ATOMS), grow, max_leaves=8)


@settings(max_examples=examples(400), deadline=None)
@given(pattern=regexes(), text=st.text(st.sampled_from([*"st S1'\n", "\u017f", "\u4e2d"]), max_size=14))
def test_any_pattern(pattern: str, text: str) -> None:
    try:
        fast, slow = general(native(), pattern), general(reference(), pattern)
    except ti.TokenizerError:
        return
    assert fast.split(text) == slow.split(text) == slow._pieces_with_gaps(text)
