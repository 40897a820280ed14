"""native == reference for pretokens: every code point, every short string over a nasty alphabet, random text."""

from __future__ import annotations

import itertools
import random

import pytest
from budget import examples
from engines import native, reference
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenizers_impl import unicode_data
from tokenizers_impl.registry import VARIANTS

WORDS = ["中文", "文字", "一二三四五六七八", "我们", "〇一", "們的"]

# Every class that a pattern can tell apart, and the letters that patterns name.
ALPHABET = [
    *"sStTrReEvVmMlLdDaZ", "ſ", "K", "'", "’", " ", "\t", "\n", "\r", "\x0b", "\x1c", "\x85", "\xa0", "\u2028",
    "\u200b", "\u3000", "\ufeff", "1", "9", "٣", "Ⅷ", "²", "〇", "中", "文", "字", "一", "𠮷", "々", "⺀",
    "é", "É", "ǅ", "ʰ", "א", "か", "\u0301", "\u0903", "\u20dd", "!", "/", "_", "-", "。", "€", "😀", "\0", "\u00ad",
    "\u0378", "\ue000", "\U0010ffff",
]  # fmt: skip

CONTEXTS = ("{}", "a{}a", "1{}1", "!{}!", " {}")


def splitters(variant: str) -> tuple[object, object]:
    lexicon = WORDS if VARIANTS[variant].uses_lexicon else None
    return native().Splitter(variant, lexicon), reference().Splitter(variant, lexicon)


def assert_same(fast, slow, text: str) -> None:
    got, expected = fast.split(text), slow.split(text)
    if got != expected:
        at = next(i for i, (a, b) in enumerate(zip(got, expected, strict=False)) if a != b)
        pytest.fail(f"pretoken {at}: native {got[at : at + 3]!r}, reference {expected[at : at + 3]!r}")
    assert "".join(got) == text


CODE_POINTS = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def in_context(code_points: list[str]) -> str:
    """All contexts of all of them in one text: a call for each would take minutes."""
    return "\n\x01".join(context.format(c) for c in code_points for context in CONTEXTS)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_code_point(variant: str) -> None:
    """The reference cuts every text as it cuts the text with each code point replaced by its representative (that
    is how it works). So the core has to do the same, and equal the reference on the representatives."""
    fast, slow = splitters(variant)
    for start in range(0, len(CODE_POINTS), 100_000):
        some = CODE_POINTS[start : start + 100_000]
        text = in_context(some)
        replaced = text.translate(slow._table)
        assert list(map(len, fast.split(text))) == list(map(len, fast.split(replaced)))
    assert_same(fast, slow, in_context(sorted(set(slow._table.values()))))


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_code_point_by_the_reference_itself(variant: str) -> None:
    """The same without the detour: one code point in twenty, or all of them with a budget of 20."""
    fast, slow = splitters(variant)
    every = 20 // min(20, examples(1))
    for start in range(0, len(CODE_POINTS), 100_000):
        assert_same(fast, slow, in_context(CODE_POINTS[start + start // 100_000 : start + 100_000 : every]))


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_class_alone_in_every_context(variant: str) -> None:
    fast, slow = splitters(variant)
    seen = set()
    for c in itertools.chain(range(0xD800), range(0xE000, 0x110000)):
        kind = (unicode_data.category(c), unicode_data.is_space(c), unicode_data.is_han(c), c < 0x80 and c)
        if kind not in seen:
            seen.add(kind)
            for context in CONTEXTS:
                assert_same(fast, slow, context.format(chr(c)))


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_string_of_three(variant: str) -> None:
    fast, slow = splitters(variant)
    assert len(set(ALPHABET)) >= 60
    for text in itertools.product(ALPHABET, repeat=3):
        text = "".join(text)
        assert fast.split(text) == slow.split(text), repr(text)


@pytest.mark.parametrize("variant", VARIANTS)
def test_random_text(variant: str) -> None:
    fast, slow = splitters(variant)
    rng = random.Random(17)
    for _ in range(examples(2_000)):
        length = rng.randrange(60)
        letters = rng.sample(ALPHABET, rng.randrange(1, 12))
        text = "".join(rng.choice(letters) if rng.random() < 0.9 else chr(rng.randrange(0xD800)) for _ in range(length))
        assert fast.split(text) == slow.split(text), repr(text)


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=examples(100), deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text(variant: str, text: str) -> None:
    fast, slow = splitters(variant)
    assert_same(fast, slow, text)
