"""Blocks and caches of any size: wherever a text is cut and whatever a cache holds, the ids are the same."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from budget import examples
from engines import CUTS, ENGINES, native, variant_of
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from evalkit.gate import adversarial
from tokenizers_impl import engine

TEXT = "The tide table, don't touch 它是一张旧的潮汐表。没有人看, 1234567 of it!  \r\n\n x=1;\u0301é " * 9
SPECIALS = ["<s>", "<s> <t>", " tide"]
PARTS = ["tide", " the", "<s>", "<t>", " <t>", "表", "。", "，", " ", "\n", "'", "1", "é", "\u0301", "AB", "A", "."]
pieces = st.lists(st.sampled_from(PARTS), max_size=30).map("".join)
texts = st.one_of(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), pieces)


def trained(engine_name: str, cut: str = "gpt2") -> ti.BPETokenizer:
    native()
    variant, direction = variant_of(cut)
    with engine.use(engine_name):
        return ti.train(TEXT, variant, 380, SPECIALS, direction=direction)


@pytest.fixture(scope="module")
def both() -> dict[str, ti.BPETokenizer]:
    return {name: trained(name) for name in ENGINES}


@pytest.mark.parametrize("cut", CUTS)
def test_the_core_cuts_where_the_reference_finds_that_nothing_changes(cut: str) -> None:
    fast, slow = (trained(name, cut).engine_splitter for name in ("native", "reference"))
    rng = Random(3)
    found = 0
    for _ in range(examples(60)):
        text = "".join(rng.choices(PARTS, k=rng.randrange(9)))
        whole = slow.split(text)
        for at in range(len(text) + 2):
            place = fast.safe_cut(text, at)
            assert min(at, len(text)) <= place <= len(text)
            assert slow.safe_cut(text, at) <= place
            assert slow.split(text[:place]) + slow.split(text[place:]) == whole, (text, place)
            found += place < len(text)
    assert (found > 100) == fast.streams


def test_places_of_cuts_are_code_points() -> None:
    splitter = trained("native").engine_splitter
    assert splitter.safe_cut("ab cd", 0) == 2
    assert splitter.safe_cut("我们，他们。", 0) == 2
    assert splitter.safe_cut("我们，他们。", 3) == 5
    assert splitter.safe_cut("我们", 9) == 2
    assert splitter.safe_cut("", 0) == 0


@settings(max_examples=examples(150), deadline=None)
@given(text=texts, size=st.integers(1, 40), threads=st.integers(1, 3))
def test_blocks_of_any_size_give_the_same_ids(both: dict[str, ti.BPETokenizer], text: str, size: int, threads: int):
    for tok in both.values():
        encoder = tok.engine_encoder
        assert encoder.encode_blocks(text, size, threads).tolist() == tok.encode_ordinary(text)
        for some in (SPECIALS, SPECIALS[1:]):
            specials = tok.engine_module.Specials([(one, tok.special_tokens[one]) for one in some])
            expected = tok.encode(text, allowed_special=set(some), disallowed_special=())
            assert encoder.encode_blocks(text, size, threads, specials).tolist() == expected


@pytest.mark.parametrize("cut", CUTS)
def test_generated_text_in_the_smallest_blocks(cut: str) -> None:
    tok = trained("native", cut)
    encoder = tok.engine_encoder
    specials = tok.engine_module.Specials(list(tok.special_tokens.items()))
    for text in adversarial.generate(8, examples(40_000), SPECIALS):
        whole = text.encode("utf-8", "replace").decode()
        assert encoder.encode_blocks(whole, 1, 1).tolist() == tok.encode_ordinary(whole)
        assert encoder.encode_blocks(whole, 1, 1, specials).tolist() == tok.encode(whole, allowed_special="all")


@settings(max_examples=examples(60), deadline=None)
@given(
    some=st.lists(texts, max_size=12),
    first=st.sampled_from([0, 1, 256, 300, 1 << 12, 1 << 40]),
    second=st.sampled_from([0, 100, 1 << 12, 1 << 20]),
)
def test_a_cache_of_any_size_gives_the_same_ids(
    both: dict[str, ti.BPETokenizer], some: list[str], first: int, second: int
) -> None:
    for tok in both.values():
        encoder = tok.engine_encoder
        ids, offsets = encoder.encode_with_cache([*some, *some], first, second)
        rows = [ids[start:end].tolist() for start, end in pairwise(offsets)]
        assert rows == [tok.encode_ordinary(text) for text in [*some, *some]]
