"""What a BPETokenizer accepts, refuses and says; on both engines."""

from __future__ import annotations

import hashlib
import json
import pickle

import numpy as np
import pytest
from engines import ENGINES

import tokenizers_impl as ti
from tokenizers_impl import engine
from tokenizers_impl.tokenizer import MOST_SPECIAL_SETS
from tokenizers_impl.vocabulary import BYTES

VOCAB = dict(enumerate(BYTES))


@pytest.fixture(params=ENGINES, autouse=True)
def each_engine(request):
    with engine.use(request.param):
        yield


@pytest.mark.parametrize("order", [["<|a|>", "<|a|><|b|>"], ["<|a|><|b|>", "<|a|>"]])
def test_specials_are_leftmost_longest(order) -> None:
    ids = {"<|a|>": 300, "<|a|><|b|>": 301}
    tok = ti.BPETokenizer(VOCAB, [], {text: ids[text] for text in order})
    assert tok.encode("<|a|><|b|><|a|>", allowed_special="all") == [301, 300]


def test_specials_are_found_before_pretokens() -> None:
    merges = [(b"u", b"s"), (b"e", b"r"), (b"us", b"er")]
    vocab = VOCAB | {256: b"us", 257: b"er", 258: b"user"}
    tok = ti.BPETokenizer(vocab, merges, {"<|e|>": 300})
    assert tok.encode("hi.<|e|>user", allowed_special="all") == [104, 105, 46, 300, 258]


def test_allowed_and_disallowed_have_the_meaning_of_tiktoken() -> None:
    tok = ti.BPETokenizer(VOCAB, [], {"<a>": 300, "<b>": 301})
    with pytest.raises(ValueError, match="special token '<a>'"):
        tok.encode("x<a>")
    with pytest.raises(ValueError, match="special token '<b>'"):
        tok.encode("x<a><b>", allowed_special={"<a>"})
    assert tok.encode("x<a>", allowed_special={"<a>"}) == [120, 300]
    assert tok.encode("<a><b>", allowed_special={"<a>"}, disallowed_special=()) == [300, *b"<b>"]
    assert tok.encode("<a>", disallowed_special=()) == list(b"<a>")
    with pytest.raises(ValueError, match="'zz'"):
        tok.encode("a zz", disallowed_special={"zz"})
    with pytest.raises(ValueError, match="special token '<a>'"):
        tok.encode_batch(["fine", "x<a>", "fine"])
    assert ti.BPETokenizer(VOCAB, []).encode("<a>") == list(b"<a>")


def test_selections_of_special_tokens_do_not_pile_up() -> None:
    tok = ti.BPETokenizer(VOCAB, [], {"<a>": 300})
    for number in range(200):
        assert tok.encode("<a>", allowed_special={"<a>"}, disallowed_special={f"<{number}>"}) == [300]
        with pytest.raises(ValueError, match="special token"):
            tok.encode(f"<{number}>", disallowed_special={f"<{number}>"})
    assert len(tok._special_sets) <= MOST_SPECIAL_SETS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((VOCAB, [], {"": 300}), "empty special token"),
        ((VOCAB, [], [""]), "empty special token"),
        ((VOCAB, [], ["a"]), "one ordinary token already"),
        ((VOCAB | {256: b"ab"}, [(b"a", b"b")], {"ab": 300}), "one ordinary token already"),
        ((VOCAB, [], {"<a>": 300, "<b>": 300}), "share an id"),
        ((VOCAB, [], ["<a>", "<a>"]), "listed twice"),
        ((VOCAB, [], {"<a>": 65}), "has id 65, which the vocabulary gives to b'A'"),
        ((VOCAB | {256: b"a"}, []), "have two ids, 97 and 256"),
        ((VOCAB | {256: b""}, []), "id 256 has no bytes"),
        ((VOCAB | {-1: b"ab"}, []), "id -1 of b'ab' is negative"),
        ((VOCAB | {2**31: b"ab"}, []), "id 2147483648 of b'ab' is larger than 2,147,483,647"),
        ((VOCAB | {2**70: b"ab"}, []), "is larger than 2,147,483,647"),
        (({i: VOCAB[i] for i in range(255)}, []), "1 of the 256 single bytes"),
        ((VOCAB, [(b"a", b"b")]), r"its result b'ab' is not in the vocabulary"),
        ((VOCAB | {256: b"ab"}, [(b"a", b"b"), (b"a", b"b")]), "merge 2, b'a' \\+ b'b', stands at 1 already"),
        ((VOCAB | {256: b"xab"}, [(b"xa", b"b")]), "its left part b'xa' is not"),
        ((VOCAB, [], (), "gpt3"), r"unknown variant 'gpt3' \(did you mean 'gpt2'\?\)"),
        ((VOCAB, [], (), "zh"), "needs a word list"),
    ],
)
def test_refused(arguments, message: str) -> None:
    with pytest.raises(ti.TokenizerError, match=message):
        ti.BPETokenizer(*arguments)


def test_special_tokens_are_no_text() -> None:
    with pytest.raises(TypeError, match="letter by letter"):
        ti.BPETokenizer(VOCAB, [], "<s>")


def test_listed_specials_take_the_id_of_their_bytes() -> None:
    tok = ti.BPETokenizer(VOCAB | {256: b"<s>"}, [], ["<s>", "<t>"])
    assert tok.special_tokens == {"<s>": 256, "<t>": 257}
    assert tok.encode_ordinary("<s>") == list(b"<s>")
    assert tok.vocab_size == 258
    assert tok.vocab[257] == b"<t>"


def test_gaps_between_ids_are_kept() -> None:
    tok = ti.BPETokenizer(VOCAB | {300: b"ab"}, [(b"a", b"b")], {"<s>": 400})
    assert (tok.vocab_size, tok.max_id) == (258, 400)
    assert tok.encode("ab<s>", allowed_special="all") == [300, 400]
    with pytest.raises(KeyError, match="id 299 is not in the vocabulary"):
        tok.decode([300, 299])


def test_the_largest_ids_take_no_table_of_all_that_are_smaller() -> None:
    largest = 2**31 - 1
    tok = ti.BPETokenizer(VOCAB | {largest - 1: b"ab"}, [(b"a", b"b")], {"<s>": largest})
    ids = [largest - 1, 99, largest]
    assert tok.encode("abc<s>", allowed_special="all") == ids
    assert (tok.max_id, tok.decode(ids), tok.decode_bytes(ids[:2])) == (largest, "abc<s>", b"abc")
    assert pickle.loads(pickle.dumps(tok)) == tok
    with pytest.raises(KeyError, match="id 2147483645 is not in the vocabulary"):
        tok.decode([largest - 2])


def test_decoding_joins_bytes_first() -> None:
    tok = ti.BPETokenizer(VOCAB, [])
    assert tok.decode("🐕 ok".encode()) == "🐕 ok"
    assert tok.decode([0xF0, 0x9F]) == "\ufffd"
    assert tok.decode_bytes([0xF0, 0x9F]) == b"\xf0\x9f"
    with pytest.raises(UnicodeDecodeError):
        tok.decode([0xF0], errors="strict")
    assert tok.tokenize("é") == ["\\xc3", "\\xa9"]


def test_fingerprints_tell_apart_what_can_encode_differently() -> None:
    made = [
        ti.BPETokenizer(VOCAB, []),
        ti.BPETokenizer(VOCAB, [], ["<s>"]),
        ti.BPETokenizer(VOCAB, [], pattern="digit1"),
        ti.BPETokenizer(VOCAB | {256: b"ab"}, [(b"a", b"b")]),
        ti.BPETokenizer(VOCAB | {256: b"ab"}, []),
        ti.BPETokenizer(VOCAB | {257: b"ab"}, [(b"a", b"b")]),
        ti.BPETokenizer(VOCAB, [], pattern="zh", lexicon=["中文"]),
        ti.BPETokenizer(VOCAB, [], pattern="zh", lexicon=["中文", "文字"]),
        ti.BPETokenizer(VOCAB, [], pattern="zh_run"),
    ]
    assert len({tok.fingerprint for tok in made}) == len(made)
    assert ti.BPETokenizer(VOCAB, [], pattern="zh", lexicon=["中文"]) == made[6]
    assert "gpt2" in repr(made[0])


def test_zh_cuts_by_the_longest_word() -> None:
    assert ti.pretokenize("我们爱中文字典2024年", "zh", ["我们", "中文", "中文字典", "文字"]) == [
        "我们", "爱", "中文字典", "2024", "年",
    ]  # fmt: skip
    with pytest.raises(ti.TokenizerError, match="abc"):
        ti.pretokenize("x", "zh", ["abc"])


@pytest.mark.parametrize("wrong", [None, b"abc", 5, ["a"]])
def test_what_is_no_text_is_named(wrong: object) -> None:
    tok = ti.BPETokenizer(VOCAB, [], {"<s>": 300})
    expected = f"expected a text \\(str\\), got {type(wrong).__name__}"
    calls = [tok.encode, tok.encode_ordinary, tok.count, tok.pretokenize, ti.pretokenize]
    for call in [*calls, lambda text: tok.encode_batch([text]), lambda text: tok.encode_ordinary_numpy(text)]:
        with pytest.raises(TypeError, match=expected):
            call(wrong)


def test_one_text_is_no_batch() -> None:
    tok = ti.BPETokenizer(VOCAB, [])
    for call in (tok.encode_batch, tok.encode_ordinary_batch):
        with pytest.raises(TypeError, match="letter by letter"):
            call("abc")


@pytest.mark.parametrize(("threads", "error"), [(0, ValueError), (-1, ValueError), ("2", TypeError), (True, TypeError)])
def test_threads_are_checked(threads: object, error: type[Exception]) -> None:
    tok = ti.BPETokenizer(VOCAB, [])
    for call in (tok.encode_batch, tok.encode_ordinary_batch):
        with pytest.raises(error, match="threads is"):
            call(["a"], threads)
    with pytest.raises(error, match="threads is"):
        ti.train("ab ab", vocab_size=257, threads=threads)


@pytest.mark.parametrize(
    ("token_id", "error"),
    [("5", TypeError), (5.5, TypeError), (None, TypeError), (-1, ValueError), (2**31, ValueError)],
)
def test_ids_of_specials_are_checked(token_id: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="'<s>'"):
        ti.BPETokenizer(VOCAB, [], {"<s>": token_id})
    with pytest.raises(error, match="'<s>'"):
        ti.BPETokenizer.from_ranks({token: i for i, token in VOCAB.items()}, {"<s>": token_id}, "gpt2")


@pytest.mark.parametrize("direction", ["left_to_right", "right_to_left"])
def test_the_fingerprint_is_that_of_the_whole_as_json(direction: str) -> None:
    tok = ti.train("low lower 12345 lowest", "digits3", 262, ["<|a|>"], min_frequency=1, direction=direction)
    special = set(tok.special_tokens.values())
    content = {
        "pattern": tok.pattern,
        "variant_version": ti.get_variant("digits3").version,
        "unicode": tok.engine_module.unicode_version(),
        "lexicon": None,
        "vocab": [[i, token.hex()] for i, token in tok.vocab.items() if i not in special],
        "merges": [[a.hex(), b.hex()] for a, b in tok.merges],
        "special_tokens": sorted(tok.special_tokens.items()),
    }
    if direction == "right_to_left":
        content["direction"] = direction
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    assert tok.fingerprint == hashlib.sha256(text.encode()).hexdigest()


def test_decoded_in_one_go() -> None:
    tok = ti.BPETokenizer(VOCAB | {256: b"ab"}, [(b"a", b"b")], {"<a>": 300})
    texts = ["abc", "", "\N{SNOWMAN}ab", "<a>"]
    ids, offsets = tok.encode_ordinary_batch(texts)
    assert tok.decode_bytes_batch(ids, offsets) == [text.encode() for text in texts]
    assert tok.decode_bytes_batch(ids, offsets[1:3]) == [b""]
    assert tok.decode_bytes_batch(ids, offsets[:1]) == []
    some = np.array([300, 256], dtype=np.uint32)
    assert tok.decode_bytes_batch(some, np.array([0, 1, 2])) == [b"<a>", b"ab"]
    with pytest.raises(KeyError, match="id 299 is not in the vocabulary"):
        tok.decode_bytes_batch(np.array([97, 299], dtype=np.uint32), np.array([0, 1, 2]))
    for wrong in ([0, 3], [-1, 1], [2, 1]):
        with pytest.raises(ValueError, match=f"2 ids, and the offsets ask for {wrong[0]} to {wrong[1]}"):
            tok.decode_bytes_batch(some, np.array(wrong))
