"""``tokenizers`` beside us: exported files, real vocabularies, and the ties of its trainer."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import tokenizers as upstream_library
from budget import examples
from hf_documents import BYTE_LEVEL, TOY, assert_equal_to_upstream, opened
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from shared_files import shared

import tokenizers_impl as ti
from tokenizers_impl import TokenizerError, engine
from tokenizers_impl.formats import hf_export, hf_upstream
from tokenizers_impl.formats.gpt2 import from_characters

# ── export ──────────────────────────────────────────────────────────────────────────────────────────────────────────

STORY = "Once upon a time, 12345 cats can't sleep.\n\n  They'll   wait 在北京 for 67 days; naïve café 🙂.\n" * 5


def plain_variants() -> list[str]:
    return [v.name for v in ti.variants() if not v.uses_lexicon]


@pytest.mark.parametrize("variant", plain_variants())
def test_every_variant_is_exported_to_equal_ids(tmp_path: Path, variant: str) -> None:
    tokenizer = ti.train(STORY, variant, 340, ["<s>", "<|x|>", "<s><s>"])
    path = tokenizer.save(tmp_path / "tokenizer.json", format="huggingface")
    again = ti.from_huggingface(path)
    assert again == tokenizer
    assert again.notes == ()
    theirs = upstream_library.Tokenizer.from_file(str(path))
    assert theirs.get_vocab_size() == tokenizer.vocab_size

    @hypothesis_settings(max_examples=examples(100), deadline=None)
    @given(st.text() | st.text(st.sampled_from(list(" \n\r\tcatn't12一é<s>|x~\u3000"))))
    def check(text: str) -> None:
        text = text.encode("utf-8", "replace").decode()
        ours = tokenizer.encode(text, allowed_special="all")
        # What Unicode has since given a meaning may be cut otherwise there.
        if hf_upstream.unicode_version() == "16":
            assert theirs.encode(text, add_special_tokens=False).ids == ours
        assert theirs.decode(ours, skip_special_tokens=False) == text
        assert again.encode(text, allowed_special="all") == ours

    check()


def test_ids_with_gaps_are_kept(tmp_path: Path) -> None:
    vocab = {i + 7: bytes([i]) for i in range(256)} | {400: b"ab"}
    tokenizer = ti.BPETokenizer(vocab, [(b"a", b"b")], {"<s>": 300, "<t>": 1000})
    path = tokenizer.save(tmp_path, format="huggingface")
    assert path.name == "tokenizer.json"
    assert ti.load(tmp_path) == tokenizer
    theirs = upstream_library.Tokenizer.from_file(str(path))
    assert theirs.encode("ab<s>a<t>").ids == [400, 300, 104, 1000]


def test_ranks_are_exported_with_merges(tmp_path: Path) -> None:
    ranks = {bytes([i]): i for i in range(256)} | {b"ab": 256, b"abc": 257}
    plain = ti.BPETokenizer.from_ranks(ranks, {"<s>": 300}, "gpt2")
    whole = ti.BPETokenizer.from_ranks(ranks | {b"xyz": 258}, {"<s>": 300}, "gpt2")
    for tokenizer, ignore in ((plain, False), (whole, True)):
        path = tokenizer.save(tmp_path / "x.json", format="huggingface")
        assert json.loads(path.read_text())["model"]["ignore_merges"] is ignore
        again = ti.from_huggingface(path)
        assert again.ignore_merges is ignore
        for text in ("abc abcd xyz xyzz", "<s>xyz"):
            assert again.encode(text, allowed_special="all") == tokenizer.encode(text, allowed_special="all")


def test_what_the_file_cannot_hold_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    zh = ti.train("北京是中国的首都" * 3, "zh", 258)
    bytes_ = dict(enumerate(bytes([i]) for i in range(256)))
    like_a_word = ti.BPETokenizer(bytes_ | {256: b" a"}, [(b" ", b"a")], {"Ġa": 257})
    looked_up = ti.BPETokenizer.from_ranks({t: i for i, t in bytes_.items()} | {b"xyz": 256}, {"Ġx": 257}, "gpt2")
    for tokenizer, message in (
        (zh, "the word list of a zh tokenizer has no place"),
        (like_a_word, "the special token 'Ġa' would be written like the ordinary token b' a'"),
        (looked_up, "the text ' x' would be written like the special token 'Ġx'"),
    ):
        with pytest.raises(TokenizerError, match=f"can't be saved as huggingface: {message}"):
            tokenizer.save(tmp_path / "none", format="huggingface")
    assert not (tmp_path / "none").exists()


def test_digit_groups_from_the_right_are_refused(tmp_path: Path) -> None:
    tokenizer = ti.train("1234567 " * 9, "digits3", 258, direction="right_to_left")
    with pytest.raises(TokenizerError, match="can't be saved as huggingface: digit groups from the right"):
        tokenizer.save(tmp_path / "x", format="huggingface")
    assert not (tmp_path / "x").exists()


def test_an_export_that_would_change_ids_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bytes_ = dict(enumerate(bytes([i]) for i in range(256)))
    tokenizer = ti.BPETokenizer(bytes_ | {256: b"12"}, [(b"1", b"2")], pattern="digit1")
    monkeypatch.setattr(hf_export, "_pre_tokenizer", lambda tokenizer: BYTE_LEVEL)
    with pytest.raises(TokenizerError, match="tokenizers would give other ids for"):
        tokenizer.save(tmp_path / "x.json", format="huggingface")
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(TokenizerError, match="read back, it gives other ids for"):
        tokenizer.save(tmp_path / "x.json", format="huggingface")
    assert not list(tmp_path.iterdir())
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert ti.load(tokenizer.save(tmp_path / "y.json", format="huggingface")) == tokenizer


# ── upstream ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_upstream_is_asked_for_its_unicode_version() -> None:
    assert hf_upstream.unicode_version() in ("16", "17", "18")


def test_a_difference_is_told_from_another_unicode_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = opened(tmp_path, TOY)
    assert hf_upstream.tokenizer_check(tokenizer).status == "same"
    assert hf_upstream.upstream(pickle.loads(pickle.dumps(tokenizer))) is hf_upstream.upstream(tokenizer)

    class Other:
        def __init__(self, sign: str) -> None:
            self.sign = sign

        def encode_ordinary(self, text: str) -> list[int]:
            return [*tokenizer.encode_ordinary(text), *([0] if self.sign in text else [])]

        def encode(self, text: str, allowed_special: str) -> list[int]:
            return tokenizer.encode(text, allowed_special="all")

    texts = ["a", "a\u0378b"]
    monkeypatch.setattr(hf_upstream, "upstream", lambda tokenizer: Other("\u0378"))
    verdict = hf_upstream.tokenizer_check(tokenizer, texts)
    assert verdict.status == "unicode version"
    monkeypatch.setattr(hf_upstream, "upstream", lambda tokenizer: Other("b"))
    verdict = hf_upstream.tokenizer_check(tokenizer, texts)
    assert verdict.status == "different"
    assert "differs from tokenizers" in verdict.message


def test_without_the_file_or_the_library_nothing_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = opened(tmp_path, TOY)
    (tmp_path / "tokenizer.json").unlink()
    verdict = hf_upstream.tokenizer_check(tokenizer)
    assert (verdict.status, verdict.texts) == ("not compared", 0)
    assert "not at hand" in verdict.message
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert "is not installed" in hf_upstream.tokenizer_check(tokenizer).message


# ── the trainer's ties ──────────────────────────────────────────────────────────────────────────────────────────────


def their_merges(texts: list[str], vocab_size: int, min_frequency: int) -> list[tuple[bytes, bytes]]:
    theirs = upstream_library.Tokenizer(upstream_library.models.BPE())
    theirs.pre_tokenizer = upstream_library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = upstream_library.trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        initial_alphabet=upstream_library.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    theirs.train_from_iterator(texts, trainer)
    merges = json.loads(theirs.to_str())["model"]["merges"]
    return [(from_characters(left), from_characters(right)) for left, right in merges]


@hypothesis_settings(max_examples=examples(150), deadline=None)
@given(
    st.sampled_from(["ab", "abc ", "aé ", "abcdefgh   \n", "一二三a1", "\x00\x7fa \xad"]).flatmap(
        lambda letters: st.lists(st.text(st.sampled_from(letters), min_size=1, max_size=60), min_size=1, max_size=12)
    ),
    st.integers(1, 3),
)
def test_ties_are_broken_as_their_trainer_does(texts: list[str], min_frequency: int) -> None:
    theirs = their_merges(texts, 320, min_frequency)
    for name in ("native", "reference"):
        with engine.use(name):
            ours = ti.train(texts, "gpt2", 320, min_frequency=min_frequency, tie_break="huggingface")
        assert list(ours.merges) == theirs


def test_their_merges_on_real_text_from_strings_and_files(tmp_path: Path) -> None:
    folder = Path(__file__).resolve().parents[1] / "corpora"
    for number, path in enumerate(sorted(folder.glob("*/*.txt"))):
        text = path.read_text("utf-8")[:200_000]
        theirs = their_merges([text], 1200, 2)
        assert list(ti.train(text, "gpt2", 1200, tie_break="huggingface").merges) == theirs, path.parent.name
        copied = tmp_path / f"{number}.txt"
        copied.write_bytes(text.encode())
        assert list(ti.train(copied, "gpt2", 1200, tie_break="huggingface").merges) == theirs


# ── real vocabularies ───────────────────────────────────────────────────────────────────────────────────────────────

REAL = [
    "claude/anthropic_tokenizer.json",
    "olmo/gpt_neox_olmo_dolma_v1_5.json",
    "olmo/dolma2_tokenizer.json",
    "deepseek/deepseek_v4_tokenizer.json",
    "deepseek/deepseek_litellm_tokenizer.json",
]


def samples(size: int) -> Iterator[str]:
    """The beginnings of all shared corpora, of all domains."""
    for path in sorted(shared("corpora").glob("*/*")):
        with path.open("rb") as file:
            text = file.read(size).decode("utf-8", "ignore")
        lines = text.splitlines() if path.suffix == ".jsonl" else []
        for line in lines[:-1]:
            yield from (value for value in json.loads(line).values() if isinstance(value, str))
        if not lines:
            yield text


@pytest.mark.parametrize("name", REAL)
def test_real_vocabularies_give_the_ids_of_tokenizers(name: str) -> None:
    path = shared(f"vocabs/{name}")
    try:
        tokenizer = ti.from_huggingface(path, normalizer="ignore")
    except TokenizerError as error:
        if "registered variants" in str(error) or "no variant has the split pattern" in str(error):
            pytest.skip(f"its split pattern is not available yet: {error}")
        raise
    assert hf_upstream.tokenizer_check(tokenizer).status == "same"
    assert_equal_to_upstream(tokenizer, *samples(examples(10_000)))


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_published_ranks_are_exported_to_equal_ids(tmp_path: Path, name: str) -> None:
    tokenizer = ti.from_tiktoken(name)
    path = tokenizer.save(tmp_path / "tokenizer.json", format="huggingface")
    theirs = upstream_library.Tokenizer.from_file(str(path))
    again = ti.from_huggingface(path)
    for text in (STORY, *hf_upstream.texts_with_specials(tokenizer)):
        ours = tokenizer.encode(text, allowed_special="all")
        assert theirs.encode(text, add_special_tokens=False).ids == ours
        assert again.encode(text, allowed_special="all") == ours


def test_qwen_ranks_are_exported_to_equal_ids(tmp_path: Path) -> None:
    specials = {"<|endoftext|>": 151643, "<|im_start|>": 151644, "<|im_end|>": 151645}
    tokenizer = ti.load(shared("vocabs/qwen/qwen.tiktoken"), pattern="qwen2", special_tokens=specials)
    again = ti.from_huggingface(tokenizer.save(tmp_path / "tokenizer.json", format="huggingface"))
    assert again.variant == "qwen2"
    assert_equal_to_upstream(again, *samples(examples(3_000)))
    for text in samples(examples(3_000)):
        assert again.encode_ordinary(text) == tokenizer.encode_ordinary(text)
