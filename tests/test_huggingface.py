"""tokenizer.json: what is honoured gives the ids of ``tokenizers``, and everything else is refused by name."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers as upstream_library
from budget import examples
from hf_documents import BYTE_LEVEL, NO_REGEX, TOY, assert_equal_to_upstream, document, opened, sequence, split, write
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from tokenizers_impl import TokenizerError, engine
from tokenizers_impl.formats import hf_compose, hf_split
from tokenizers_impl.formats.gpt2 import byte_characters
from tokenizers_impl.formats.limits import JsonValue
from tokenizers_impl.training import truncate

TEXTS = ("", "abc", "ab<s>abcab", "x <s>", "I can't  wait\n\n 123abc", "é 一二 🙂 \x00", "<s><s> <s")


# ── what is honoured ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("engine_name", ["native", "reference"])
@pytest.mark.parametrize(
    "content",
    [
        TOY,
        document({"ab": 256}, [["a", "b"]]),
        document({"ab": 256}, ["#version: 0.2", "a b"]),
        document({"abc": 256}, [], model={"ignore_merges": True}),
        document({"abc": 256}, [], model={"ignore_merges": False}),
        document({"ab": 300}, ["a b"], [("<s>", 257, {}), ("<t>", 258, {"special": False})]),
        document({"ab": 256}, ["a b"], [("<s>", 257, {}), ("<s><t>", 258, {}), ("t>", 259, {})]),
        document({"ab": 256}, ["a b"], [("  ", 257, {"special": False, "normalized": True}), ("<s>", 258, {})]),
        document({"ĠĠ": 256}, ["Ġ Ġ"], [("  ", 257, {"special": False, "normalized": True})]),
        document({"ab": 256}, ["a b"], pre_tokenizer=sequence(split(hf_split.GPT2), NO_REGEX)),
        document({"ab": 256}, ["a b"], pre_tokenizer=sequence(split(hf_split.GPT2, "Removed", True), NO_REGEX)),
        document({"ab": 256}, ["a b"], pre_tokenizer=sequence(split(hf_split.GPT2, "Isolated", True), NO_REGEX)),
        document({"ab": 256}, ["a b"], pre_tokenizer=sequence(sequence(BYTE_LEVEL))),
        document({"ab": 256}, ["a b"], pre_tokenizer={k: v for k, v in BYTE_LEVEL.items() if k != "use_regex"}),
        document({"ab": 256}, ["a b"], normalizer={"type": "Sequence", "normalizers": []}),
        document(
            {"ab": 256},
            ["a b"],
            model={
                "continuing_subword_prefix": "",
                "end_of_word_suffix": "",
                "dropout": 0.0,
                "byte_fallback": True,
                "unk_token": "<unk>",
                "fuse_unk": True,
            },
        ),
        {"model": TOY["model"], "pre_tokenizer": BYTE_LEVEL, "version": "1.0"},
    ],
)
def test_toys_give_the_ids_of_tokenizers(tmp_path: Path, engine_name: str, content: dict[str, Any]) -> None:
    with engine.use(engine_name):
        tokenizer = opened(tmp_path, content)
    assert_equal_to_upstream(tokenizer, *TEXTS, "abcd abc", "<s><t>", "    x  ", "<s>  t>")
    for text in TEXTS:
        assert tokenizer.decode(tokenizer.encode(text, allowed_special="all")) == text


def test_a_file_is_loaded_by_what_it_is(tmp_path: Path) -> None:
    path = write(tmp_path, TOY)
    assert ti.load(path) == ti.load(tmp_path) == ti.from_huggingface(path) == ti.from_huggingface(tmp_path)
    with pytest.raises(TokenizerError, match="says its split pattern"):
        ti.load(path, pattern="gpt2")


def test_ignore_merges_is_part_of_what_a_tokenizer_is(tmp_path: Path) -> None:
    whole = opened(tmp_path, document({"abc": 256}, [], model={"ignore_merges": True}))
    merged = opened(tmp_path, document({"abc": 256}, []))
    assert (whole.encode("abc"), whole.encode("abcd")) == ([256], [97, 98, 99, 100])
    assert merged.encode("abc") == [97, 98, 99]
    assert whole.fingerprint != merged.fingerprint
    again = ti.load(whole.save(tmp_path / "own"))
    assert again == whole == pickle.loads(pickle.dumps(whole))
    assert again.encode("abc") == [256]
    assert "ignore_merges" not in merged.save(tmp_path / "other").read_text()
    with pytest.raises(TokenizerError, match=r"these files can't say that whole pretokens are looked up first"):
        whole.save(tmp_path / "gpt2", format="gpt2")
    assert ti.load(whole.save(tmp_path / "hf", format="huggingface")) == whole
    assert not whole.foreign


def test_what_only_foreign_vocabularies_have_survives(tmp_path: Path) -> None:
    content = document({"ĠĠ": 256, "  ": 257}, ["Ġ Ġ"], [("  ", 257, {"special": False})])
    del content["model"]["vocab"][byte_characters()[0xFF]]
    tokenizer = opened(tmp_path, content)
    assert tokenizer.encode_ordinary("a   b") == [97, 256, 32, 98]
    assert tokenizer.encode("a   b", allowed_special="all") == [97, 257, 32, 98]
    assert 0xFF not in tokenizer.vocab
    assert ti.load(tokenizer.save(tmp_path / "own")) == tokenizer == pickle.loads(pickle.dumps(tokenizer))
    assert ti.load(tokenizer.save(tmp_path / "hf", format="huggingface")) == tokenizer
    with pytest.raises(TokenizerError, match="these files can't say that bytes are missing"):
        tokenizer.save(tmp_path / "gpt2", format="gpt2")
    assert truncate(tokenizer, 257).foreign
    with pytest.raises(TokenizerError, match="1 of the 256 single bytes"):
        ti.BPETokenizer({i: t for i, t in tokenizer.vocab.items() if i < 256}, [])


def test_what_is_left_out_is_noted(tmp_path: Path) -> None:
    template = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [258], "tokens": ["<s>"]}},
    }
    roberta = {
        "type": "RobertaProcessing",
        "sep": ["</s>", 2],
        "cls": ["<s>", 0],
        "trim_offsets": True,
        "add_prefix_space": False,
    }
    tokenizer = opened(
        tmp_path,
        TOY
        | {
            "truncation": {"direction": "Right", "max_length": 1, "strategy": "LongestFirst", "stride": 0},
            "padding": {
                "strategy": {"Fixed": 9},
                "direction": "Right",
                "pad_to_multiple_of": None,
                "pad_id": 0,
                "pad_type_id": 0,
                "pad_token": "!",
            },
            "decoder": None,
            "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}]},
            "post_processor": {"type": "Sequence", "processors": [BYTE_LEVEL, template, roberta]},
        },
        normalizer="ignore",
    )
    notes = "\n".join(tokenizer.notes)
    for said in ("truncation", "padding", "no decoder", "NFC", "<s>, </s>; ids here are those of add_special_tokens"):
        assert said in notes
    assert pickle.loads(pickle.dumps(tokenizer)).notes == tokenizer.notes
    assert_equal_to_upstream(tokenizer, *TEXTS)
    assert opened(tmp_path, TOY).notes == ()


def test_a_literal_that_looks_like_a_pattern_is_noted_and_taken_literally(tmp_path: Path) -> None:
    notes: list[str] = []
    step = hf_split._split(JsonValue(split(r"\s+", kind="String"), tmp_path, "pre_tokenizer"), notes)
    assert re.compile(step.regex).fullmatch(r"\s+")
    assert "looks like a regular expression" in notes[0]
    plain: list[str] = []
    hf_split._split(JsonValue(split(" ", kind="String"), tmp_path, "pre_tokenizer"), plain)
    assert plain == []


# ── what is refused ─────────────────────────────────────────────────────────────────────────────────────────────────


def changed(**keys: Any) -> Callable[[], dict[str, Any]]:
    """The toy with values at ``a__b__0`` replaced; ``...`` takes the key out."""

    def make() -> dict[str, Any]:
        content = copy.deepcopy(TOY)
        for path, value in keys.items():
            at: Any = content
            *way, last = [int(key) if key.isdigit() else key for key in path.split("__")]
            for key in way:
                at = at[key]
            if value is ...:
                del at[last]
            else:
                at[last] = value
        return content

    return make


def added(*tokens: tuple[str, int, dict[str, Any]], **rest: Any) -> Callable[[], dict[str, Any]]:
    return lambda: document({"ab": 256}, ["a b"], tokens, **rest)


def pre(*parts: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    return lambda: TOY | {"pre_tokenizer": sequence(*parts)}


DAMAGED: list[tuple[str, Callable[[], Any], str]] = [
    ("a list", list, "not a tokenizer|expected an object"),
    ("no model", changed(model=...), "the key 'model' is missing"),
    ("unknown part", changed(frobnicate=1), "unknown key 'frobnicate'"),
    ("other version", changed(version="2.0"), "version: version '2.0' is not known"),
    ("model of words", changed(model__type="WordPiece"), "model.type: only BPE is byte-level, not 'WordPiece'"),
    ("model without merges", changed(model__merges=...), "model: the key 'merges' is missing"),
    ("unknown model key", changed(model__ignore_merge=True), "model: unknown key 'ignore_merge'.*ignore_merges"),
    ("dropout", changed(model__dropout=0.1), "model.dropout: dropout encodes at random"),
    ("dropout as text", changed(model__dropout="0.1"), "model.dropout: expected a number"),
    ("prefix", changed(model__continuing_subword_prefix="##"), "model.continuing_subword_prefix: '##' would"),
    ("suffix", changed(model__end_of_word_suffix="</w>"), "model.end_of_word_suffix: '</w>' would"),
    (
        "bytes only as fallback",
        lambda: document({"<0x00>": 256, "▁a": 257}, [], model={"byte_fallback": True}),
        "model.byte_fallback: its tokens are characters",
    ),
    ("flag as number", changed(model__byte_fallback=1), "model.byte_fallback: expected true or false"),
    ("ignore_merges as text", changed(model__ignore_merges="no"), "model.ignore_merges: expected true or false"),
    ("vocab as list", changed(model__vocab=[]), "model.vocab: expected an object, got a list"),
    ("id as text", changed(model__vocab__ab="256"), "model.vocab.ab: expected an integer, got a text"),
    ("id below zero", changed(model__vocab__ab=-1), "model.vocab.ab: -1 is not between"),
    ("id twice", changed(model__vocab__ab=257), "model.vocab.abc: id 257 is b'ab' already"),
    ("a special's id", changed(model__vocab__ab=258), "model.vocab.ab: id 258 is '<s>' already"),
    ("not a byte", lambda: document({"▁a": 256}), "model.vocab.▁a: the character '▁' stands for no byte"),
    ("empty token", lambda: document({"": 256}), "id 256 has no bytes"),
    ("bytes missing", changed(model__vocab__a=..., model__merges=[]), "1 of the 256 single bytes are not in"),
    ("merges as object", changed(model__merges={}), "model.merges: expected a list"),
    ("merge as number", changed(model__merges__1=3), r"model.merges\[1\]: expected a text, got an integer"),
    ("a pair among texts", changed(model__merges__1=["ab", "c"]), r"model.merges\[1\]: a pair among texts"),
    ("a text among pairs", changed(model__merges=[["a", "b"], "ab c"]), r"model.merges\[1\]: a text among pairs"),
    ("three parts", changed(model__merges=[["a", "b", "c"]]), r"model.merges\[0\]: expected two tokens, got 3"),
    ("numbers in a pair", changed(model__merges=[["a", 1]]), r"model.merges\[0\]\[1\]: expected a text"),
    ("null among pairs", changed(model__merges=[["a", "b"], None]), r"model.merges\[1\]: expected a list, got null"),
    (
        "a token with a blank",
        changed(model__merges__1="a  b"),
        r"model.merges\[1\]: expected two tokens with one blank",
    ),
    ("one token", changed(model__merges__1="ab"), r"model.merges\[1\]: expected two tokens with one blank"),
    ("unknown left", changed(model__merges__1="xy c"), r"model.merges\[1\]: its left part 'xy' is not in model.vocab"),
    ("unknown right", changed(model__merges__1="a xy"), r"model.merges\[1\]: its right part 'xy' is not in"),
    ("unknown result", changed(model__merges__1="a c"), r"model.merges\[1\]: its result 'ac' is not in model.vocab"),
    ("merge twice", changed(model__merges=["a b", "ab c", "a b"]), r"model.merges\[2\]: .*'a' and 'b' .*\[0\] already"),
    (
        "a merge makes a special",
        lambda: document({"ab": 256}, ["a b"], [("ab", 256, {})]),
        r"model.merges\[0\]: its result 'ab' is an added token",
    ),
    ("added as object", changed(added_tokens={}), "added_tokens: expected a list"),
    ("added without id", changed(added_tokens__0__id=...), r"added_tokens\[0\]: the key 'id' is missing"),
    ("added of no text", added(("", 257, {})), r"added_tokens\[0\].content: an empty added token"),
    ("added of long text", added(("x" * 2000, 257, {})), r"added_tokens\[0\].content: .*2,000 characters"),
    ("added twice", added(("<s>", 257, {}), ("<s>", 257, {})), r"added_tokens\[1\].content: '<s>' is listed twice"),
    ("id of its own", added(("<s>", 300, {})), r"added_tokens\[0\].id: the file says 300 .*tokenizers gives it 257"),
    ("other id", changed(added_tokens__0__id=300), r"added_tokens\[0\].id: .*gives it 258, which the vocabulary says"),
    ("unknown flag", added(("<s>", 257, {"lstripp": True})), r"added_tokens\[0\]: unknown key 'lstripp'.*lstrip"),
    ("lstrip", added(("<s>", 257, {"lstrip": True})), r"added_tokens\[0\].lstrip: '<s>' swallows the blanks before"),
    ("rstrip", added(("<s>", 257, {"rstrip": True})), r"added_tokens\[0\].rstrip: '<s>' swallows the blanks after"),
    ("single_word", added(("ab", 256, {"single_word": True})), r"added_tokens\[0\].single_word: 'ab' is found between"),
    (
        "two passes, contained",
        added(("b>", 257, {}), ("<b>", 258, {"normalized": True})),
        r"added_tokens\[1\].content: '<b>' can overlap",
    ),
    ("two passes, ends", added(("b>c", 257, {}), ("<b", 258, {"normalized": True})), "'<b' can overlap an added token"),
    ("two passes, begins", added(("<b", 257, {}), ("<b>", 258, {"normalized": True})), "'<b>' can overlap"),
    (
        "a special spelled as a word",
        lambda: document({"Ġfoo": 256}, [], [("Ġfoo", 256, {})], model={"ignore_merges": True}),
        r"added_tokens\[0\].content: with ignore_merges, the ordinary text ' foo' is spelled like",
    ),
    (
        "NFC",
        changed(normalizer={"type": "NFC"}),
        'normalizer: the normalizer NFC changes the text.*normalizer="ignore"',
    ),
    (
        "lower case",
        changed(normalizer={"type": "Lowercase"}),
        "normalizer: the normalizer 'Lowercase' changes the text",
    ),
    (
        "in a row",
        changed(normalizer={"type": "Sequence", "normalizers": [{"type": "Strip"}]}),
        r"normalizer.normalizers\[0\]: the normalizer 'Strip'",
    ),
    ("normalizer of no type", changed(normalizer={}), "normalizer: the key 'type' is missing"),
    ("no pre-tokenizer", changed(pre_tokenizer=None), "pre_tokenizer: there is none"),
    ("no ByteLevel", pre(split(hf_split.GPT2)), "pre_tokenizer: ByteLevel is missing"),
    ("ByteLevel twice", pre(BYTE_LEVEL, BYTE_LEVEL), r"pre_tokenizer.pretokenizers\[1\]: 'ByteLevel' after ByteLevel"),
    ("prefix blank", pre(BYTE_LEVEL | {"add_prefix_space": True}), r"\[0\].add_prefix_space: a blank put before"),
    ("prefix unsaid", pre({"type": "ByteLevel"}), r"\[0\]: the key 'add_prefix_space' is missing"),
    (
        "offsets unsaid",
        pre({"type": "ByteLevel", "add_prefix_space": False}),
        r"\[0\]: the key 'trim_offsets' is missing",
    ),
    ("unknown split key", pre(split("a") | {"invertt": True}, NO_REGEX), r"\[0\]: unknown key 'invertt'"),
    ("no such behaviour", pre(split("a", "isolated"), NO_REGEX), r"\[0\].behavior: 'isolated' is not known"),
    ("removed", pre(split("a", "Removed"), NO_REGEX), r"\[0\].behavior: Removed drops the text"),
    ("removed, inverted", pre(split("a", "Removed", True), NO_REGEX), r"\[0\].behavior: Removed with invert drops"),
    ("empty matches", pre(split(r"(?=(\d{3})+(?!\d))", "Isolated"), NO_REGEX), "can match an empty text"),
    ("optional", pre(split("a?", "Isolated"), NO_REGEX), "can match an empty text"),
    ("merged", pre(split("a", "MergedWithPrevious"), NO_REGEX), r"\[0\].behavior: MergedWithPrevious joins"),
    ("merged with next", pre(split("a", "MergedWithNext"), NO_REGEX), r"\[0\].behavior: MergedWithNext joins"),
    ("contiguous", pre(split("a", "Contiguous"), NO_REGEX), r"\[0\].behavior: Contiguous joins"),
    ("two patterns", pre(split("a") | {"pattern": {"Regex": "a", "String": "a"}}, NO_REGEX), "either Regex or String"),
    ("empty pattern", pre(split(""), NO_REGEX), r"\[0\].pattern.Regex: an empty pattern"),
    ("two patterns that clash", pre(split(hf_split.GPT2), BYTE_LEVEL), "the splits can't be put into one pattern"),
    ("Metaspace", pre({"type": "Metaspace"}, NO_REGEX), r"\[0\]: the pre-tokenizer Metaspace writes blanks"),
    ("Whitespace", pre({"type": "Whitespace"}, NO_REGEX), r"\[0\]: the pre-tokenizer Whitespace drops blanks"),
    ("unknown pre-tokenizer", pre({"type": "Magic"}, NO_REGEX), r"\[0\]: the pre-tokenizer 'Magic' is not known"),
    ("unknown post-processor", changed(post_processor={"type": "Magic"}), "post_processor: the post-processor 'Magic'"),
    (
        "text twice",
        changed(
            post_processor={
                "type": "TemplateProcessing",
                "single": [{"Sequence": {"id": "A", "type_id": 0}}] * 2,
                "pair": [],
                "special_tokens": {},
            }
        ),
        "post_processor.single: the template holds the text 2 times",
    ),
    ("other decoder", changed(decoder={"type": "WordPiece"}), "decoder: the decoder 'WordPiece'"),
    ("truncation as text", changed(truncation="yes"), "truncation: expected an object"),
]


@pytest.mark.parametrize(("what", "make", "message"), DAMAGED, ids=[what for what, *_ in DAMAGED])
def test_what_cannot_be_honoured_is_refused_with_its_key(
    tmp_path: Path, what: str, make: Callable[[], Any], message: str
) -> None:
    path = write(tmp_path, make())
    with pytest.raises(TokenizerError, match=message) as caught:
        ti.from_huggingface(path)
    assert str(path) in str(caught.value)


def test_every_refusal_of_a_pre_tokenizer_is_tried() -> None:
    tried = str([make() for _, make, _ in DAMAGED])
    assert sum(name in tried for name in hf_split._DROPPING) >= 2
    for behavior in ("Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"):
        assert behavior in tried


@pytest.mark.parametrize("text", ["", "{", '{"model": ', "[" * 100_000, '{"model": {"model": ' * 5000, "\x00"])
def test_a_file_that_is_no_json_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(text)
    with pytest.raises(TokenizerError, match=re.escape(str(path))):
        ti.from_huggingface(path)
    with pytest.raises(FileNotFoundError):
        ti.from_huggingface(tmp_path / "none.json")


def test_only_a_unicode_form_can_be_ignored(tmp_path: Path) -> None:
    for refused in ({"type": "Lowercase"}, {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "NFD"}]}):
        with pytest.raises(TokenizerError, match=r"normalizer"):
            opened(tmp_path, TOY | {"normalizer": refused}, normalizer="ignore")
    angstrom = document({}, [], [("\u212b", 256, {})], normalizer={"type": "NFC"})
    with pytest.raises(TokenizerError, match=r"added_tokens\[0\].content: .* is not in NFC"):
        opened(tmp_path, angstrom, normalizer="ignore")
    with pytest.raises(ValueError, match="'refuse' or 'ignore'"):
        opened(tmp_path, TOY, normalizer="maybe")


@hypothesis_settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_damage_anywhere_is_an_error_or_harmless(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Any value replaced by any other gives a TokenizerError or a tokenizer, never anything else."""
    content = copy.deepcopy(TOY | {"post_processor": BYTE_LEVEL, "normalizer": {"type": "NFC"}})
    at: Any = content
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = data.draw(st.sampled_from(keys))
        inner = at[key]
        if not isinstance(inner, (dict, list)) or not inner or data.draw(st.booleans()):
            break
        at = inner
    at[key] = data.draw(
        st.sampled_from([None, True, 0, -1, 2**40, 0.5, "", "a", "\ud800", [], {}, [[]], {"type": "x"}])
    )
    path = tmp_path_factory.getbasetemp() / "changed.json"
    path.write_text(json.dumps(content))
    try:
        ti.from_huggingface(path, normalizer="ignore").encode("abc <s>", allowed_special="all")
    except TokenizerError as error:
        message = str(error)
    else:
        return
    assert str(path) in message


# ── several splits as one ───────────────────────────────────────────────────────────────────────────────────────────

DEEPSEEK = (
    r"\p{N}{1,3}",
    "[一-龥\u3040-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
)
SPLITS = [
    DEEPSEEK,
    (r"\p{N}", hf_split.GPT2),
    (r"\p{N}+", hf_split.GPT2),
    ("[a-k]+", hf_split.GPT2),
    (r"\s+", hf_split.GPT2),
    ("a", "[^b]", hf_split.GPT2),
]


@pytest.mark.parametrize("regexes", SPLITS, ids=lambda regexes: regexes[0])
@hypothesis_settings(max_examples=examples(200), deadline=None)
@given(text=st.text(st.sampled_from("ab's \u017f\u212atT\n\r12５½一あー.!?é\u0301$\u3000")))
def test_one_pattern_cuts_as_several_in_a_row(regexes: tuple[str, ...], text: str) -> None:
    pre_tokenizers, regex = upstream_library.pre_tokenizers, upstream_library.Regex
    one = pre_tokenizers.Split(regex(hf_compose.one_after_the_other(list(regexes))), "isolated")
    several = pre_tokenizers.Sequence([pre_tokenizers.Split(regex(each), "isolated") for each in regexes])
    assert one.pre_tokenize_str(text) == several.pre_tokenize_str(text)


@pytest.mark.parametrize(
    ("regexes", "message"),
    [
        (["a|b", "c"], "is not a run of one class"),
        ([r"\s", "(?<=a)b"], "is more than is understood here"),
        (["[a&&b]+", "c"], "is more than is understood here"),
        ([r"\s", r"a\b"], "is more than is understood here"),
        (["[s-t]", "(?i:'s)"], "without regard to case"),
    ],
)
def test_patterns_that_cannot_be_composed(regexes: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        hf_compose.one_after_the_other(regexes)
