"""Measuring is compared with counting one document at a time, and finds what is wrong with a tokenizer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from engines import ENGINES

import tokenizers_impl as ti
from evalkit import why
from evalkit.batches import Limits
from evalkit.counts import CorpusCounts, Explainable
from evalkit.encode_checks import byte_audit, time_encoding
from evalkit.measure import measure_corpus
from evalkit.segmenters import word_counter
from evalkit.values import Undefined
from tokenizers_impl import BaselineTokenizer, engine
from tokenizers_impl.training import truncate

TEXTS = [
    "Once upon a time there was a hedgehog. It lived under an oak.\n\n",
    "x",
    "The price was 1,234,567 dollars — 世界 and naïve café 👩‍👩‍👧.",
    "<|endoftext|> is data here",
    "a" * 300 + " " * 200,
    "Once upon a time there was a hedgehog.",
]


@dataclass
class Corpus:
    texts: Sequence[str]
    name: str = "tiny"
    language: str = "en"
    domain: str = "prose"
    segmenter: str = "whitespace"
    sha256: str = "0" * 64
    split_name: str = "all"
    parallel: str | None = None

    def documents(self, split: Any) -> Iterator[str]:
        assert split == self.split_name
        return iter(self.texts)


@dataclass
class Built:
    name: str
    tokenizer: Any
    kind: str = "bpe"
    variant: str | None = "gpt2"
    trained_on: tuple[str, ...] = ()


@pytest.fixture(params=ENGINES)
def engine_name(request: pytest.FixtureRequest) -> Iterator[str]:
    with engine.use(request.param):
        yield request.param


def _tokenizers() -> list[Built]:
    text = "\n".join(TEXTS[:3]) * 3
    return [
        Built("gpt2", ti.train(text, "gpt2", 300, ["<|endoftext|>"])),
        Built("gpt2-small", ti.train(text, "gpt2", 280)),
        Built("digit1", ti.train(text, "digit1", 290)),
        Built("chars", BaselineTokenizer("chars"), kind="baseline", variant=None),
    ]


LIMITS = Limits(timing_seconds=0.001)


def _measure(corpus: Corpus, tokenizers: list[Built], **rest: Any) -> CorpusCounts:
    return measure_corpus(corpus, tokenizers, **{"limits": LIMITS, **rest})


@pytest.mark.usefixtures("engine_name")
def test_counts_are_those_of_one_document_at_a_time() -> None:
    tokenizers = _tokenizers()
    counts = _measure(Corpus(TEXTS), tokenizers, threads=2)
    assert counts.bytes.tolist() == [len(text.encode()) for text in TEXTS]
    assert counts.chars.tolist() == [len(text) for text in TEXTS]
    assert not isinstance(counts.words, Undefined)
    assert counts.words.tolist() == [len(text.split()) for text in TEXTS]
    assert list(counts.tokenizers) == [built.name for built in tokenizers]
    for built in tokenizers:
        found = counts.tokenizers[built.name]
        ids = [built.tokenizer.encode_ordinary(text) for text in TEXTS]
        assert found.tokens.tolist() == [len(one) for one in ids]
        flat = [token_id for one in ids for token_id in one]
        assert not isinstance(found.id_counts, Undefined)
        used = np.flatnonzero(found.id_counts)
        assert {int(i): int(found.id_counts[i]) for i in used} == {i: flat.count(i) for i in set(flat)}
        assert found.round_trips == len(TEXTS)
        assert found.unknown.sum() == 0
        assert all(check.passed is not False for check in found.checks)
        assert not isinstance(found.timing, Undefined)
    gpt2 = counts.tokenizers["gpt2"]
    assert not isinstance(gpt2.pretokens, Undefined)
    assert gpt2.pretokens.tolist() == [len(ti.pretokenize(text)) for text in TEXTS]
    assert all(check.passed for check in gpt2.checks)


@pytest.mark.usefixtures("engine_name")
def test_batches_and_threads_change_nothing() -> None:
    tokenizers = _tokenizers()
    first = _measure(Corpus(TEXTS), tokenizers, threads=1)
    small = replace(LIMITS, batch_documents=2, batch_bytes=50)
    second = _measure(Corpus(TEXTS), tokenizers, threads=3, limits=small)
    assert first.hashes.tolist() == second.hashes.tolist()
    for name, found in first.tokenizers.items():
        other = second.tokenizers[name]
        assert found.tokens.tolist() == other.tokens.tolist()
        assert np.array_equal(np.asarray(found.id_counts), np.asarray(other.id_counts))
        assert found.checks == other.checks
    assert first.explainable.inside == second.explainable.inside


def test_hashes_are_of_the_text() -> None:
    import hashlib

    counts = _measure(Corpus(["né"]), [])
    assert counts.hashes.dtype == np.uint64
    assert int(counts.hashes[0]) == int.from_bytes(hashlib.sha256("né".encode()).digest()[:8], "big")


def test_the_digest_of_documents_is_of_these_and_their_number() -> None:
    import hashlib

    texts = ["né", "low", "lower", "low"]
    digest = _measure(Corpus(texts), []).documents_sha256
    starts = sorted(hashlib.sha256(text.encode()).digest()[:8] for text in texts)
    assert digest == hashlib.sha256(b"".join(starts)).hexdigest()
    assert _measure(Corpus(texts[::-1]), []).documents_sha256 == digest
    for other in (["né", "low", "lower"], ["né", "low", "lower", "lower"], ["né", "low", "lower", "lo", "w"]):
        assert _measure(Corpus(other), []).documents_sha256 != digest


def test_special_text_is_counted_and_is_data() -> None:
    counts = _measure(Corpus(TEXTS), _tokenizers())
    assert counts.special_text_documents == 1
    assert counts.tokenizers["gpt2"].special_text_documents == 1
    assert counts.tokenizers["digit1"].special_text_documents == 0
    special = next(iter(counts.tokenizers["gpt2"].special_ids))
    id_counts = counts.tokenizers["gpt2"].id_counts
    assert not isinstance(id_counts, Undefined)
    assert special >= len(id_counts) or id_counts[special] == 0


def test_truncated_tokenizers_are_counted_too() -> None:
    built = _tokenizers()[0]
    cut = truncate(built.tokenizer, 270)
    counts = _measure(Corpus(TEXTS), [built], truncated={("gpt2", 270): cut})
    assert counts.truncated["gpt2", 270].tolist() == [len(cut.encode_ordinary(text)) for text in TEXTS]
    assert list(counts.tokenizers) == ["gpt2"]


def test_an_empty_corpus_has_empty_counts() -> None:
    counts = _measure(Corpus([]), _tokenizers())
    assert counts.documents == 0
    assert isinstance(counts.tokenizers["gpt2"].timing, Undefined)


def test_lone_surrogates_are_measured_as_they_are_encoded() -> None:
    counts = _measure(Corpus(["a\ud800b"]), _tokenizers())
    assert counts.bytes.tolist() == [len("a\ufffdb".encode())]
    assert counts.tokenizers["gpt2"].round_trips == 1


def test_names_are_given_once() -> None:
    with pytest.raises(ValueError, match="same name"):
        _measure(Corpus(TEXTS), [_tokenizers()[0]] * 2)


def test_progress_may_stop_it() -> None:
    class Stop(Exception):
        pass

    def progress(stage: str, done: int, total: int) -> None:
        assert (stage, total) == ("measure tiny", 0)
        raise Stop

    with pytest.raises(Stop):
        _measure(Corpus(TEXTS), _tokenizers(), progress=progress)


# ── what is wrong is found ──────────────────────────────────────────────────────────────────────────────────


class _Wrapped:
    """A tokenizer to spoil."""

    def __init__(self) -> None:
        self.inner = ti.train(TEXTS[0], "gpt2", 270)
        self.vocab_size = self.inner.vocab_size
        self.special_tokens: dict[str, int] = {}

    def encode_ordinary(self, text: str) -> list[int]:
        return self.inner.encode_ordinary(text)

    def encode_ordinary_batch(self, texts: Sequence[str], threads: int | None = None) -> Any:
        return self.inner.encode_ordinary_batch(texts, threads)

    def encode_parallel(self, text: str, threads: int | None = None) -> Any:
        return self.inner.encode_parallel(text, threads)

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        return self.inner.decode_bytes(ids)


class _OtherBatch(_Wrapped):
    def encode_ordinary_batch(self, texts: Sequence[str], threads: int | None = None) -> Any:
        flat, offsets = super().encode_ordinary_batch(texts, threads)
        flat = flat.copy()
        flat[offsets[2] + 3] = 65  # in document 2, the fourth id
        return flat, offsets


class _OtherParallel(_Wrapped):
    def encode_parallel(self, text: str, threads: int | None = None) -> Any:
        return super().encode_parallel(text, threads)[:-1]


class _Lossy(_Wrapped):
    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        return super().decode_bytes(ids).replace(b"x", b"")


class _Raises(_Wrapped):
    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        raise KeyError("id 7")


def _checks(tokenizer: Any) -> dict[str, Any]:
    counts = _measure(Corpus(TEXTS), [Built("spoiled", tokenizer, kind="python")])
    found = counts.tokenizers["spoiled"]
    return {check.name: check for check in found.checks} | {"timing": found.timing}


def test_the_unspoiled_passes() -> None:
    found = _checks(_Wrapped())
    assert found["serial_equals_parallel"].passed is True
    assert found["round_trip"].passed is True
    assert found["byte_audit"].passed is None  # its token bytes aren't known


def test_a_batch_that_differs_is_found_with_its_place() -> None:
    found = _checks(_OtherBatch())
    check = found["serial_equals_parallel"]
    assert check.passed is False
    assert check.divergence.document == 2
    assert check.divergence.at == 3
    assert check.divergence.right[0] == 65
    assert check.divergence.left[0] != 65
    assert check.divergence.ways == ("serial", "batch")
    assert isinstance(found["timing"], Undefined)  # a wrong encoder has no speed


def test_a_parallel_encode_that_differs_is_found() -> None:
    check = _checks(_OtherParallel())["serial_equals_parallel"]
    assert check.passed is False
    assert check.divergence.ways == ("serial", "parallel")
    assert check.divergence.right == ()


def test_lost_text_is_found_and_counted() -> None:
    check = _checks(_Lossy())["round_trip"]
    assert check.passed is False
    assert "2 of 6 documents" in check.detail
    assert "the first is 1" in check.detail
    assert "id 7" in _checks(_Raises())["round_trip"].detail


def test_one_way_to_encode_is_no_pass() -> None:
    class Only:
        def encode_ordinary(self, text: str) -> list[int]:
            return list(text.encode())

        def decode_bytes(self, ids: Sequence[int]) -> bytes:
            return bytes(ids)

    found = _checks(Only())
    assert found["serial_equals_parallel"].passed is None
    assert found["round_trip"].passed is True


def test_unknown_ids_are_counted_by_document() -> None:
    words = BaselineTokenizer.fit(["once upon a time"], 4)
    counts = _measure(Corpus(["once upon", "never once", "what else"]), [Built("w", words, "baseline", None)])
    found = counts.tokenizers["w"]
    unknown = [words.encode_ordinary(text).count(0) for text in ("once upon", "never once", "what else")]
    assert found.unknown.tolist() == unknown
    assert found.round_trips < 3


def test_the_byte_audit_sees_lost_bytes_and_broken_pretokens() -> None:
    lengths = np.array([1, 2])
    assert byte_audit(lengths, np.array([2, 1]), [], 1, 4).passed
    assert "3 bytes, the text 4" in byte_audit(lengths, np.array([1, 1]), [], 1, 4).detail
    assert "b'ab'" in byte_audit(lengths, np.array([2, 1]), [b"ab"], 1, 4).detail


def test_a_large_corpus_is_checked_in_part_and_the_part_is_said() -> None:
    texts = [f"document {number} of many" for number in range(2000)]
    total = sum(map(len, texts))
    counts = _measure(Corpus(texts), _tokenizers()[:1], limits=replace(LIMITS, checked_bytes=4000))
    check = counts.tokenizers["gpt2"].checks[0]
    assert check.of_bytes == total
    assert 2000 < check.bytes < total / 2
    assert check.documents == counts.tokenizers["gpt2"].round_trip_documents < 2000
    audit = counts.tokenizers["gpt2"].checks[1]
    assert audit.bytes == total  # the byte audit is of everything
    again = _measure(Corpus(texts), _tokenizers()[:1], threads=1, limits=replace(LIMITS, checked_bytes=4000))
    assert again.tokenizers["gpt2"].checks == counts.tokenizers["gpt2"].checks


# ── why two differ ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("engine_name")
def test_differences_of_one_pattern_are_of_pretokens() -> None:
    tokenizers = _tokenizers()
    counts = _measure(Corpus(TEXTS), tokenizers[:2])
    (pair,) = counts.explainable.inside
    assert (pair.first, pair.second, pair.pieces) == ("gpt2", "gpt2-small", "pretokens")
    first, second = tokenizers[0].tokenizer, tokenizers[1].tokenizer
    for row in pair.top:
        piece = row.piece.decode()
        occurrences = sum(ti.pretokenize(text).count(piece) for text in TEXTS)
        assert row.occurrences == occurrences
        assert row.first_tokens == occurrences * len(first.encode_ordinary(piece))
        assert row.second_tokens == occurrences * len(second.encode_ordinary(piece))
    weights = [abs(row.first_tokens - row.second_tokens) for row in pair.top]
    assert weights == sorted(weights, reverse=True)


@pytest.mark.usefixtures("engine_name")
def test_differences_of_two_patterns_count_every_token_once() -> None:
    first, second = _tokenizers()[0], _tokenizers()[2]
    pair = why.by_words((first.name, first.tokenizer), (second.name, second.tokenizer), TEXTS, limit=10_000)
    assert pair.first_total == sum(len(first.tokenizer.encode_ordinary(text)) for text in TEXTS)
    assert pair.second_total == sum(len(second.tokenizer.encode_ordinary(text)) for text in TEXTS)
    gap = sum(row.first_tokens - row.second_tokens for row in pair.top)
    assert gap == pair.first_total - pair.second_total
    for text in TEXTS:
        assert b"".join(why.pieces(text)) == text.encode()
    assert pair.pieces == ("runs" if engine.name() == "reference" else "words")  # which are other pieces


class Lossy:
    """Its ids are how many bytes their tokens have, whatever the text has."""

    def __init__(self, ids: dict[str, list[int]]) -> None:
        self._ids = ids

    def encode_ordinary(self, text: str) -> list[int]:
        return self._ids[text]

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        return b"?" * sum(ids)


def test_differences_of_tokenizers_whose_texts_do_not_come_back() -> None:
    texts = ["One two, three.", "", "four", " 5", "sechs und ß"]
    first = Lossy({"One two, three.": [0, 3, 4, 90], "four": [], " 5": [0, 0, 1], "sechs und ß": [5, 1, 1, 2, 40, 9]})
    second = Lossy({"One two, three.": [15], "four": [1, 1], " 5": [2], "sechs und ß": [0, 12]})
    tokens: dict[bytes, list[int]] = {}
    for text in filter(None, texts):
        pieces = why.pieces(text)
        where = [piece for piece in pieces for _ in piece]  # the piece of each byte
        for number, tokenizer in enumerate((first, second)):
            end = 0
            for size in tokenizer.encode_ordinary(text):
                end += size
                tokens.setdefault(where[min(max(end, 1), len(where)) - 1], [0, 0])[number] += 1
    found = why.by_words(("first", first), ("second", second), texts, limit=100)  # type: ignore[arg-type]
    assert (found.first_total, found.second_total) == (13, 6)
    assert found.sample_bytes == sum(map(len, map(str.encode, texts)))
    rows = {row.piece: [row.first_tokens, row.second_tokens] for row in found.top}
    assert rows == {piece: two for piece, two in tokens.items() if two[0] != two[1]}
    assert why.by_words(("first", first), ("second", second), [""]).top == ()  # type: ignore[arg-type]


def test_baselines_are_not_explained() -> None:
    tokenizers = _tokenizers()
    counts = _measure(Corpus(TEXTS), [tokenizers[0], tokenizers[3]])
    assert counts.explainable == Explainable()


# ── words and speed ─────────────────────────────────────────────────────────────────────────────────────────


def test_words_need_the_core_and_say_so() -> None:
    with engine.use("reference"):
        found = word_counter("auto", 1)
        assert isinstance(found.count, Undefined)
        assert "ICU4X" in found.count.reason
        counts = _measure(Corpus(TEXTS, segmenter="auto"), [])
        assert isinstance(counts.words, Undefined)


def test_words_of_the_core_are_named_with_their_data() -> None:
    with engine.use("native"):
        found = word_counter("auto", 2)
        assert not isinstance(found.count, Undefined)
        assert found.count(["The quick brown fox.", "我们去上海"]).tolist()[0] == 4
        assert "ICU4X" in found.name
        assert any(character.isdigit() for character in found.name)


def test_an_unknown_segmenter_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown segmenter"):
        word_counter("spaces", 1)


def test_timing_fits_its_budget_and_has_three_runs() -> None:
    class Counting:
        calls = 0

        def encode_ordinary(self, text: str) -> list[int]:
            self.calls += 1
            return [1]

    tokenizer = Counting()
    found = time_encoding(tokenizer, ["ab", "cd", "ef"], [2, 2, 2], pace=1e9, budget_seconds=0.0)
    assert not isinstance(found, Undefined)
    assert found.bytes == 2  # one document at least, and no second one at this pace
    assert len(found.nanoseconds) == tokenizer.calls == 3
    assert isinstance(time_encoding(tokenizer, [], [], 1.0, 1.0), Undefined)
