"""The lint of a vocabulary: each verdict on vocabularies made for it, known truths of published ones, and the proofs
held against all short texts."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import numpy as np
import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_files import shared

import tokenizers_impl as ti
from evalkit.lint import lint, never_emitted
from evalkit.lint.contents import Contents, contents_of, kind_of
from evalkit.lint.judge import judged
from evalkit.lint.policies import blanks_policy, digits_policy, spellings
from evalkit.lint.tokens import tokens_of
from evalkit.lint.verdicts import (
    EDGE_SHADOWED,
    MERGE_SHADOWED,
    NOT_UTF8,
    PATTERN_DEAD,
    SPECIAL,
    Verdicts,
)
from evalkit.values import Undefined
from tokenizers_impl import BPETokenizer, engine
from tokenizers_impl.vocabulary import BYTES, NEVER_IN_TEXT

IMPOSSIBLE_BYTES = len(NEVER_IN_TEXT)


def merging(
    merges: Sequence[tuple[str | bytes, str | bytes]],
    extra: Sequence[str | bytes] = (),
    pattern: str = "gpt2",
    **more: object,
) -> BPETokenizer:
    """All bytes, a token for each merge from 256 on, then ``extra`` tokens that no merge makes."""
    pairs = [(_raw(a), _raw(b)) for a, b in merges]
    tokens = [*BYTES, *dict.fromkeys(a + b for a, b in pairs), *map(_raw, extra)]
    return BPETokenizer(dict(enumerate(tokens)), pairs, (), pattern, **more)  # type: ignore[arg-type]


def ranked(tokens: Sequence[str | bytes], pattern: str = "gpt2") -> BPETokenizer:
    return BPETokenizer.from_ranks({token: i for i, token in enumerate([*BYTES, *map(_raw, tokens)])}, {}, pattern)


def _raw(token: str | bytes) -> bytes:
    return token.encode() if isinstance(token, str) else token


def judge(tokenizer: BPETokenizer) -> Verdicts:
    return judged(tokens_of(tokenizer))


def contents(tokenizer: BPETokenizer) -> Contents:
    return contents_of(tokens_of(tokenizer))


def proved(tokenizer: BPETokenizer) -> dict[bytes, str]:
    """The dead tokens and their kinds, without the bytes that are in no text; all others have a witness that gives
    them."""
    found = judge(tokenizer)
    check_witnesses(tokenizer, found)
    assert not found.unproven
    return {tokenizer.vocab[i]: one.kind for i, one in found.dead.items() if tokenizer.vocab[i] not in NEVER_IN_TEXT}


def check_witnesses(tokenizer: BPETokenizer, found: Verdicts) -> None:
    assert found.reachable + len(found.dead) + len(found.unproven) == tokenizer.vocab_size
    asked = [(i, text) for i in tokenizer.vocab if (text := found.witness(i)) is not None]
    assert len(asked) == found.reachable
    ids, ends = tokenizer.encode_ordinary_batch([text for _, text in asked], 1)
    for number, (token_id, text) in enumerate(asked):
        assert token_id in ids[ends[number] : ends[number + 1]], (token_id, text)


# ── each verdict ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_special_token_is_never_data() -> None:
    tokenizer = BPETokenizer(dict(enumerate(BYTES)), (), ["<s>"])
    assert proved(tokenizer) == {b"<s>": SPECIAL}
    assert never_emitted(tokenizer) == {256, *(byte[0] for byte in NEVER_IN_TEXT)}


@pytest.mark.parametrize(
    ("token", "at"), [(b"a\xc0", 1), (b"\xe4a", 1), (b"\xed\xa0", 1), (b"\xf4\x90", 1), (b"\x80\x80\x80\x80", 3)]
)
def test_bytes_that_no_text_has(token: bytes, at: int) -> None:
    tokenizer = ranked([token])
    certificate = judge(tokenizer).dead[256]
    assert (certificate.kind, certificate.at) == (NOT_UTF8, at)
    assert f"{token[at]:02X}" in certificate.why


@pytest.mark.parametrize(
    ("pattern", "token", "at"),
    [
        ("gpt2", "a1", 1),
        ("gpt2", " a b", 2),
        ("gpt2", "  a", 2),
        ("gpt2", "'sa", 2),
        ("gpt2", "中1", 3),
        ("gpt2", "1中".encode()[:-1], 1),  # what Han stands for begins no number
        ("digit1", "12", 1),
        ("digits3", "1234", 3),
        ("cl100k", "'sa", 2),  # a contraction is tried before a sign that leads a word
        ("cl100k", "a\n", 1),
        ("llama3", "a'b", 1),
        ("o200k", "aB", 1),
        ("o200k", "a'sb", 3),
        ("zh_char", "中文", 3),
        ("zh_run", "中a", 3),
        (r"[a-z]+|\p{N}", "12", 1),
        (r"[a-z]+|\p{N}", "a!", 1),
    ],
)
def test_what_the_pattern_cuts(pattern: str, token: str | bytes, at: int) -> None:
    tokenizer = ranked([token], pattern)
    certificate = judge(tokenizer).dead[256]
    assert (certificate.kind, certificate.at) == (PATTERN_DEAD, at)
    assert proved(tokenizer) == {_raw(token): PATTERN_DEAD}


@pytest.mark.parametrize(
    ("pattern", "token"),
    [
        ("gpt2", "'ll"),
        ("gpt2", "'l"),  # within ''ll nothing, but '! takes both
        ("gpt2", "\n\n"),
        ("cl100k", "!\n"),
        ("cl100k", b"\n!" + b"\n"),
        ("llama3", "\n "),  # cut after the newline, unless another one follows
        ("o200k", " I'"),
        ("o200k", "\n//"),
        ("o200k", "亚洲AV"),
        ("digits3", " 123"),
        ("zh_run", "中文"),
        ("bytes_only", "a 1\n中"),
        (r"[a-z]+|\p{N}", "!!"),  # what isn't matched is a pretoken
    ],
)
def test_tokens_that_only_look_cut(pattern: str, token: str | bytes) -> None:
    """Each is cut in some context, and whole in another, which is found."""
    raw = _raw(token)
    pairs = [(raw[:i], raw[i : i + 1]) for i in range(1, len(raw))]
    tokenizer = merging(pairs, pattern=pattern)
    found = judge(tokenizer)
    check_witnesses(tokenizer, found)
    if raw == b"\n!\n":
        assert found.dead[tokenizer.vocab_size - 1].kind == PATTERN_DEAD
    else:
        assert found.witness(tokenizer.vocab_size - 1) is not None


def test_a_token_that_merging_never_makes() -> None:
    assert proved(merging([("b", "c"), ("a", "b")], ["abc"])) == {b"abc": MERGE_SHADOWED}
    # In itself `ab` goes first, so that `a` and `bc` never meet.
    tokenizer = merging([("a", "b"), ("b", "c"), ("a", "bc")])
    assert proved(tokenizer) == {b"abc": MERGE_SHADOWED}
    certificate = judge(tokenizer).dead[258]
    assert certificate.ids == (256, ord("c"))
    assert "‹ab› ‹c›" in certificate.why


def test_a_vocabulary_that_looks_pretokens_up_has_fewer_dead() -> None:
    merges = [("a", "b"), ("b", "c"), ("a", "bc")]
    assert proved(merging(merges, ignore_merges=True)) == {}
    # Merging `a` with `bc` gives ` abc` never, and no pretoken is only a part of a character.
    half = "é".encode()[:1]
    assert proved(merging([], ["xyz", b"y" + half], ignore_merges=True)) == {b"y" + half: MERGE_SHADOWED}
    # A pretoken of a line end and a blank: not in this pattern, so that it is never looked up.
    assert proved(merging([], ["\n "], "llama3", ignore_merges=True)) == {b"\n ": MERGE_SHADOWED}


def test_a_first_byte_whose_characters_are_all_merged() -> None:
    """Every character that begins with C3 is a token, and nothing else can come after C3."""
    merges = [(b"\xc3", bytes([byte])) for byte in range(0x80, 0xC0)]
    assert proved(merging(merges)) == {b"\xc3": EDGE_SHADOWED}
    assert "each of the 64 tokens" in judge(merging(merges)).dead[0xC3].why
    assert proved(merging(merges[1:])) == {}
    # Where the second byte merges with what follows, before the first can take it, C3 stays alone.
    earlier = [(b"\x80", b"a"), *merges]
    tokenizer = merging(earlier)
    assert proved(tokenizer) == {}
    assert judge(tokenizer).witness(0xC3) == b"\xc3\x80a".decode()


def test_an_end_that_only_the_pattern_forbids() -> None:
    """A small letter before a capital is cut by this pattern, and all small letters merge otherwise."""
    half = "б".encode()[:1]
    small = [(half, bytes([byte])) for byte in range(0x80, 0xC0) if (half + bytes([byte])).decode().islower()]
    tokenizer = merging([*small, ("о", half)], pattern="o200k")
    token = "о".encode() + half
    last = next(i for i, raw in tokenizer.vocab.items() if raw == token)
    certificate = judge(tokenizer).dead[last]
    assert certificate.kind == EDGE_SHADOWED
    for text in map(chr, [*range(0x400, 0x430), *range(0x430, 0x460)]):
        for before, after in itertools.product(("", "а", "А", " "), ("", "а", "А", "!")):
            assert last not in tokenizer.encode_ordinary(f"{before}о{text}{after}")


def test_a_token_that_only_a_few_pretokens_have() -> None:
    """Under this pattern `'l` stands in `'ll` alone."""
    alone = ranked(["'l"])
    assert proved(alone) == {}
    assert judge(alone).witness(256) == "'ll"
    both = ranked(["'l", "'ll"])
    assert proved(both) == {b"'l": EDGE_SHADOWED}
    assert "‹'ll›" in judge(both).dead[256].why
    assert proved(ranked(["xy", "xyz"], r"xyz|[^x]")) == {b"xy": EDGE_SHADOWED}
    assert proved(ranked(["xy", "xyz"], r"xyz|xy|[^x]")) == {}


def test_words_of_a_list() -> None:
    tokenizer = BPETokenizer(
        dict(enumerate([*BYTES, "中".encode(), "国".encode(), "中国".encode(), "国中".encode(), "国人".encode()])),
        [],
        (),
        "zh",
        lexicon=["中国", "中国人"],
        ignore_merges=True,
    )
    assert proved(tokenizer) == {"国中".encode(): PATTERN_DEAD, "国人".encode(): EDGE_SHADOWED}


@pytest.mark.parametrize("variant", [v.name for v in ti.variants()])
def test_every_token_of_a_trained_vocabulary_is_found(variant: str) -> None:
    text = "They can't wait 12345 days,\n\n  naïve café 在北京大学 在北京 для всех 🙂🙃 don't I'll AV\n//x\n" * 4
    tokenizer = ti.train(text + text.upper(), variant, 700, ["<s>"], min_frequency=1)
    assert proved(tokenizer) == {b"<s>": SPECIAL}


# ── held against all short texts ────────────────────────────────────────────────────────────────────────────────────

LETTERS = ("a", "s", "'", "A", "1", "é", "中", "\n", " ", "!", "/")
SHORT = ["".join(one) for n in range(1, 4) for one in itertools.product(LETTERS, repeat=n)]
PATTERNS = [
    *(v.name for v in ti.variants()),
    r"[a-z]+|\p{N}",
    r"\s+(?=\S)|[^\s]{1,2}",
    r"a*+b?|\n+|.",
    r"(?>a|as)!|\p{L}{2}|.",
    r"(?:a(?!s)|.)+?",
    "a*",
]


def _random_tokenizer(seed: int, pattern: str) -> BPETokenizer:
    choice = random.Random(seed)
    tokens = [bytes([byte]) for letter in LETTERS for byte in letter.encode()]
    merges: list[tuple[bytes, bytes]] = []
    for _ in range(choice.choice([4, 12, 40])):
        pair = choice.choice(tokens), choice.choice(tokens)
        if len(pair[0] + pair[1]) <= 7 and pair not in merges:
            merges.append(pair)
            tokens.append(pair[0] + pair[1])
    whole = ["".join(choice.choice(LETTERS) for _ in range(choice.randrange(1, 4))).encode() for _ in range(4)]
    tokens += [token[choice.randrange(2) :] or token for token in whole]
    vocab = dict(enumerate(dict.fromkeys([*BYTES, *tokens])))
    lexicon = choice.choice([["中中"], ["中中中"]]) if pattern == "zh" else None
    return BPETokenizer(vocab, merges, (), pattern, lexicon=lexicon, ignore_merges=choice.random() < 0.3)


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=examples(3), deadline=None)
@given(seed=st.integers(0, 2**32), by_rank=st.booleans())
def test_no_short_text_gives_what_is_proved_dead(pattern: str, seed: int, by_rank: bool) -> None:
    tokenizer = _random_tokenizer(seed, pattern)
    if by_rank and tokenizer.lexicon is None:
        tokens = list(tokenizer.vocab.values())
        random.Random(seed).shuffle(tokens)
        tokenizer = BPETokenizer.from_ranks({token: i for i, token in enumerate(tokens)}, {}, pattern)
    found = judge(tokenizer)
    check_witnesses(tokenizer, found)
    ids, _ = tokenizer.encode_ordinary_batch(SHORT, 1)
    given_by_texts = set(np.unique(ids).tolist())
    assert not given_by_texts & set(found.dead)
    # Nothing is left open by a registered pattern here, and nothing that a short text shows by any other.
    assert not given_by_texts & set(found.unproven)
    assert not found.unproven or pattern not in {v.name for v in ti.variants()}


def test_a_pattern_that_can_match_nothing_proves_nothing() -> None:
    found = judge(ranked(["1a"], "a*"))
    assert 256 not in found.dead


# ── the core and its reference ──────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=examples(20), deadline=None)
@given(st.lists(st.binary(max_size=60), max_size=8), st.integers(0, 2**32))
def test_both_engines_merge_bytes_alike(pretokens: list[bytes], seed: int) -> None:
    native = _random_tokenizer(seed, "gpt2")
    with engine.use("reference"):
        reference = _random_tokenizer(seed, "gpt2")
    mixed = [*pretokens, *native.vocab.values()]
    for one, other in zip(
        native.engine_encoder.merge_batch(mixed), reference.engine_encoder.merge_batch(mixed), strict=True
    ):
        assert one.tolist() == other.tolist()
        assert one.dtype == other.dtype


def test_the_verdicts_are_the_references() -> None:
    native = judge(_random_tokenizer(3, "cl100k"))
    with engine.use("reference"):
        reference = judge(_random_tokenizer(3, "cl100k"))
    assert (native.dead, native.witnesses) == (reference.dead, reference.witnesses)


# ── published vocabularies ──────────────────────────────────────────────────────────────────────────────────────────

KNOWN = {
    # not UTF-8 alone, distinct texts, ids without a token, dead besides specials and impossible bytes
    "gpt2": (344, 49_923, (), {}),
    "cl100k_base": (773, 99_557, ((100_256, 100_256), (100_261, 100_275)), {}),
    "o200k_base": (1_562, 198_795, ((199_998, 199_998), (200_000, 200_017)), {"о\\xd0": EDGE_SHADOWED}),
}


@pytest.mark.skipif(engine.name() != "native", reason="the reference takes minutes for these")
@pytest.mark.parametrize("name", KNOWN)
def test_known_truths_of_published_vocabularies(name: str) -> None:
    tokenizer = ti.from_tiktoken(name)
    not_utf8, distinct, gaps, dead = KNOWN[name]
    facts = contents(tokenizer)
    assert facts.duplicates == ()
    assert (facts.not_utf8, facts.distinct_texts, facts.gaps) == (not_utf8, distinct, gaps)
    assert sum(facts.kinds.values()) == sum(facts.scripts.values()) == facts.size - len(facts.special_tokens)
    found = judge(tokenizer)
    check_witnesses(tokenizer, found)
    assert found.unproven == {}
    assert found.by_kind()[NOT_UTF8] == IMPOSSIBLE_BYTES
    others = {i for i, one in found.dead.items() if one.kind not in (SPECIAL, NOT_UTF8)}
    shown = {tokenizer.vocab[i].decode("utf-8", "backslashreplace"): found.dead[i].kind for i in others}
    assert shown == dead
    for letter in map(chr, range(0x400, 0x460)):  # all that could complete the one that is dead
        for before, after in itertools.product(("", "и", " ", "И", "пр"), ("", "в", "В", " ", "ми")):
            assert not others & set(tokenizer.encode_ordinary(f"{before}о{letter}{after}"))


@pytest.mark.parametrize("path", ["deepseek/deepseek_v4_tokenizer.json", "olmo/dolma2_tokenizer.json"])
def test_vocabularies_of_others_are_healthy(path: str) -> None:
    tokenizer = ti.from_huggingface(shared(f"vocabs/{path}"))
    found = judge(tokenizer)
    check_witnesses(tokenizer, found)
    assert found.unproven == {}
    assert set(found.by_kind()) == {SPECIAL, NOT_UTF8}


def test_a_vocabulary_that_is_larger_than_its_pattern() -> None:
    """Qwen's ranks have numbers of full-width digits, and letters with marks, which its pattern cuts."""
    tokenizer = ti.load(shared("vocabs/qwen/qwen.tiktoken"), pattern="qwen2")
    found = judge(tokenizer)
    check_witnesses(tokenizer, found)
    assert found.unproven == {}
    assert found.by_kind() == {NOT_UTF8: IMPOSSIBLE_BYTES, PATTERN_DEAD: 1_679}
    dead = [i for i, one in found.dead.items() if one.kind == PATTERN_DEAD]
    some = [(i, tokenizer.vocab[i].decode("utf-8", "ignore")) for i in dead]
    contexts = list(itertools.product(("", "a", " ", "1", "'", "！"), ("", "a", " ", "1", "s", "\n")))
    texts = [before + text + after for _, text in some for before, after in contexts]
    ids, _ = tokenizer.encode_ordinary_batch(texts, 1)
    assert not set(np.unique(ids).tolist()) & set(dead)


# ── facts and policies ──────────────────────────────────────────────────────────────────────────────────────────────


def test_contents_by_hand() -> None:
    tokens = {
        300: b"ab",
        301: b" Abc",
        305: "�".encode(),
        306: "中".encode()[:2],
        307: "中".encode(),
        308: "я".encode(),
    }
    facts = contents(BPETokenizer(dict(enumerate(BYTES)) | tokens, (), {"<s>": 400}))
    assert facts.gaps == ((256, 299), (302, 304), (309, 399))
    assert facts.longest[0] == (301, b" Abc")
    assert facts.parts == ((306, b"\xe4\xb8"),)
    assert facts.not_utf8 == 128 + 1
    # The 129 that aren't whole characters all read as U+FFFD, and so does token 305.
    assert facts.distinct_texts == 128 + 5
    assert facts.replacement == ((305, "\ufffd".encode()),)
    assert facts.scripts == {"part of a character": 129, "Common": 128 - 52 + 1, "Latin": 54, "Han": 1, "Cyrillic": 1}
    assert facts.kinds["Latin letters"] == 52 + 2
    assert (facts.size, facts.max_id, facts.special_tokens) == (256 + 6 + 1, 400, {"<s>": 400})


@pytest.mark.parametrize(
    ("variant", "direction", "pretokens"),
    [
        ("gpt2", "left_to_right", "numbers whole"),
        ("digits3", "left_to_right", "groups of up to 3 from the left"),
        ("digits3", "right_to_left", "groups of up to 3 from the right"),
        ("digit1", "left_to_right", "every digit alone"),
        ("bytes_only", "left_to_right", "numbers whole"),
    ],
)
def test_digits_by_pattern(variant: str, direction: str, pretokens: str) -> None:
    tokenizer = BPETokenizer(dict(enumerate(BYTES)), (), (), variant, direction=direction)
    found = digits_policy(tokenizer)
    assert found.pretokens == pretokens
    assert found.tokens == "every digit alone"
    assert found.cuts[4] == ((1,) * 5, 1.0)
    assert found.whole == (10, 0, 0)


def test_digits_by_merges() -> None:
    some = merging([("1", "2"), ("3", "4")])
    found = digits_policy(some)
    assert found.tokens.startswith("as the merges have it")
    assert found.whole == (10, 2, 0)
    pairs = [(str(a), str(b)) for a in range(10) for b in range(10)]
    assert digits_policy(merging(pairs, pattern=r"\p{N}{2}|.")).tokens == "groups of up to 2 from the left"


def test_blanks_and_spellings_by_hand() -> None:
    merges = [(" ", " "), ("  ", "  "), (" ", "a"), ("\n", "\n"), ("a", "b"), ("A", "b"), (" ", "ab"), ("\t", "\t")]
    tokenizer = merging(merges, ["x\n"])
    blanks = blanks_policy(tokens_of(tokenizer))
    assert (blanks.leading, blanks.ordinary, blanks.longest, blanks.after_newline) == (2, 265, (4, 2, 2), 1)
    assert dict(blanks.runs)[1] == 1
    assert dict(blanks.runs)[4] == 3  # two blanks, one, and the one before the word, which has no token with it
    found = spellings(tokens_of(tokenizer))
    assert (found.words, found.distinct) == (52 + 4, 26 + 1)
    assert (found.blank_pairs, found.case_pairs) == (2, 26 + 1)


@pytest.mark.parametrize(
    ("token", "kind"),
    [
        (" the", "Latin letters"),
        ("é", "Latin letters"),
        ("привет", "other letters"),
        ("कि", "other letters"),
        ("中文", "Han"),
        (" 12", "digits"),
        ("  \n", "white space"),
        (" ", "white space"),
        ("};", "signs"),
        ("\x00", "control characters"),
        ("a1", "mixed"),
        ("\u0301", "marks"),
    ],
)
def test_kinds_of_content(token: str, kind: str) -> None:
    assert kind_of(token.encode()) == kind


def test_a_tokenizer_of_another_make_is_undefined() -> None:
    for found in (lint(ti.BaselineTokenizer("bytes")), never_emitted(object())):
        assert isinstance(found, Undefined)
    assert isinstance(lint(object()), Undefined)
