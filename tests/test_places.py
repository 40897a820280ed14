"""Figures that need the text and the tokens' places: cases worked out by hand, naive implementations from whole
documents' ids, and both engines alike."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
import regex
from budget import examples
from engines import native, reference
from hypothesis import given, settings
from hypothesis import strategies as st
from test_measure import Built, Corpus

import tokenizers_impl as ti
from evalkit.batches import Limits
from evalkit.counts import CorpusCounts, WordTypes
from evalkit.measure import measure_corpus
from evalkit.metrics import METRICS, Cell, get_metric
from evalkit.metrics.example import example
from evalkit.metrics.registry import ints
from evalkit.pairs import boundaries_of_either, tokenizer_pair_records
from evalkit.placing import EVERYTHING
from evalkit.segmenters import word_counter
from evalkit.stats import Interval, ratio_interval
from evalkit.values import Undefined, Value
from tokenizers_impl import BaselineTokenizer, engine
from tokenizers_impl.training import truncate

TYPES = WordTypes(4, 2, 3, np.array([[3, 4, 1]]))

# metric → (the cell's counts, the figures worked out by hand)
CASES: dict[str, tuple[dict[str, Any], dict[str, float]]] = {
    # 8 / 5; (2/2 + 6/3) / 2
    "tokens_per_word": ({"words": [2, 3], "word_tokens": [2, 6]}, {"micro": 1.6, "macro": 1.5}),
    # 2 / 5; (0/2 + 2/3) / 2
    "continued_words": ({"words": [2, 3], "cut_words": [0, 2]}, {"micro": 0.4, "macro": 1 / 3}),
    "strr_tokens": ({"words": [2, 3], "cut_words": [0, 2]}, {"micro": 0.6, "macro": 2 / 3}),
    # 1 + 1 + 3/4 + 0 over 4 types
    "strr_types": ({"types": TYPES}, {"micro": 0.6875}),
    "context_consistency": ({"types": TYPES}, {"micro": 0.75}),
    # 3 / 12; (1/2 + 2/10) / 2
    "utf8_split_rate": ({"multibyte": [2, 10], "cut_characters": [1, 2]}, {"micro": 0.25, "macro": 0.35}),
    # 2 · 3 / (4 + 5); documents 2 · 2 / (2 + 3) and 2 · 1 / (2 + 2)
    "digit_boundary_f1": (
        {"number_places": [3, 2], "number_cuts": [2, 2], "number_hits": [2, 1]},
        {"micro": 6 / 9, "macro": 0.65},
    ),
    # 1/2 · 1 + 2 · 1/4 · 2
    "unigram_entropy": ({"id_counts": [2, 1, 0, 1]}, {"micro": 1.5}),
    "unigram_bits_per_byte": ({"id_counts": [2, 1, 0, 1], "tokens": [1, 3], "bytes": [2, 10]}, {"micro": 0.5}),
    # pairs a b, a c, b a twice: 1.5 bits; first ids a twice, b twice: 1 bit
    "bigram_entropy": ({"pairs": [(1, 2), (2, 1)], "firsts": [(2, 2)]}, {"micro": 0.5}),
    "bigram_bits_per_byte": (
        {"pairs": [(1, 2), (2, 1)], "firsts": [(2, 2)], "tokens": [2, 4], "bytes": [2, 10]},
        {"micro": 0.25},
    ),
    # four of sixteen, equally often: 2 bits of 4
    "renyi_efficiency": ({"id_counts": [2, 2, 0, 2, 2], "vocab_size": 16}, {"micro": 0.5}),
}
_FILES = ("places", "entropy")


@pytest.mark.parametrize("name", CASES)
def test_a_case_worked_out_by_hand(name: str) -> None:
    counts, expected = CASES[name]
    found = get_metric(name).values(example(**counts))
    assert set(found) == set(expected)
    for aggregation, value in found.items():
        assert isinstance(value, Value)
        assert value.value == pytest.approx(expected[aggregation], rel=1e-12)
        assert (value.unit, value.n) == (METRICS[name].unit, 2)


def test_every_metric_of_these_files_has_a_case() -> None:
    assert {n for n, m in METRICS.items() if m.compute.__module__.rsplit(".", 1)[-1] in _FILES} == set(CASES)


def test_unequal_use_is_less_efficient() -> None:
    # p = 3/4, 1/4: log2((3/4)^2.5 + (1/4)^2.5) / −1.5 of log2 2
    found = METRICS["renyi_efficiency"].values(example(id_counts=[3, 1], vocab_size=2))["micro"]
    assert isinstance(found, Value)
    assert found.value == pytest.approx(math.log2(0.75**2.5 + 0.25**2.5) / -1.5)


@pytest.mark.parametrize(
    ("name", "counts", "reason"),
    [
        ("tokens_per_word", {"words": None}, "no segmenter"),
        ("continued_words", {"words": [0, 0], "cut_words": [0, 0]}, "denominator is 0"),
        ("strr_types", {"types": WordTypes(0, 0, 0, np.zeros((0, 3), dtype=np.int64))}, "no words"),
        ("context_consistency", {}, "no types"),
        ("utf8_split_rate", {"multibyte": [0, 0]}, "ASCII"),
        ("digit_boundary_f1", {"number_places": [0, 0]}, "more than three digits"),
        ("unigram_entropy", {"id_counts": [0]}, "no tokens"),
        ("bigram_entropy", {}, "two tokens"),
        ("renyi_efficiency", {"id_counts": [1], "vocab_size": 1}, "one entry"),
    ],
)
def test_undefined_has_a_reason(name: str, counts: dict[str, Any], reason: str) -> None:
    for value in get_metric(name).values(example(**counts)).values():
        assert isinstance(value, Undefined)
        assert reason in value.reason


# ── naive implementations, from the ids of whole documents ──────────────────────────────────────────────────


@dataclass
class Naive:
    """One tokenizer on some documents, by the definitions."""

    texts: Sequence[str]
    tokens: Sequence[Sequence[bytes]]
    words: Sequence[Sequence[tuple[int, int]]]

    def __post_init__(self) -> None:
        for text, tokens in zip(self.texts, self.tokens, strict=True):
            assert b"".join(tokens) == text.encode()
        self.spans = []
        for tokens in self.tokens:
            ends = [sum(map(len, tokens[: i + 1])) for i in range(len(tokens))]
            self.spans.append(list(zip([0, *ends[:-1]], ends, strict=True)) if tokens else [])

    def overlapping(self, number: int, start: int, end: int) -> int:
        return sum(a < end and b > start for a, b in self.spans[number])

    def cuts(self, number: int, start: int, end: int) -> tuple[int, ...]:
        return tuple(a - start for a, _ in self.spans[number] if start < a < end)

    def of_words(self) -> list[tuple[bytes, int, tuple[int, ...]]]:
        return [
            (self.texts[n].encode()[a:b], self.overlapping(n, a, b), self.cuts(n, a, b))
            for n in range(len(self.texts))
            for a, b in self.words[n]
        ]

    def figures(self, vocab_size: int | None) -> dict[str, float]:
        found: dict[str, float] = {}
        words = self.of_words()
        if words:
            found["tokens_per_word"] = sum(n for _, n, _ in words) / len(words)
            found["continued_words"] = sum(n > 1 for _, n, _ in words) / len(words)
            found["strr_tokens"] = sum(n == 1 for _, n, _ in words) / len(words)
            types = {word: [(n, cuts) for other, n, cuts in words if other == word] for word, _, _ in words}
            shares = [sum(n == 1 for n, _ in some) / len(some) for some in types.values()]
            found["strr_types"] = sum(shares) / len(types)
            found["context_consistency"] = sum(len({c for _, c in some}) == 1 for some in types.values()) / len(types)
        cut, of = self.characters()
        if of:
            found["utf8_split_rate"] = cut / of
        hits, cuts, places = self.numbers()
        if places:
            found["digit_boundary_f1"] = 2 * hits / (cuts + places)
        return found | self.entropies(vocab_size)

    def characters(self) -> tuple[int, int]:
        cut = of = 0
        for number, text in enumerate(self.texts):
            for place, character in enumerate(text):
                start, size = len(text[:place].encode()), len(character.encode())
                of += size > 1
                cut += bool(self.cuts(number, start, start + size))
        return cut, of

    def numbers(self) -> tuple[int, int, int]:
        hits = cuts = places = 0
        for number, text in enumerate(self.texts):
            for match in regex.finditer(rb"[0-9]+", text.encode()):
                start, end = match.span()
                wanted = {place for place in range(1, end - start) if (end - start - place) % 3 == 0}
                made = set(self.cuts(number, start, end))
                hits, cuts, places = hits + len(wanted & made), cuts + len(made), places + len(wanted)
        return hits, cuts, places

    def entropies(self, vocab_size: int | None) -> dict[str, float]:
        ids = Counter(token for tokens in self.tokens for token in tokens)
        size = sum(len(text.encode()) for text in self.texts)
        total = sum(ids.values())
        if not total:
            return {}
        found = {"unigram_entropy": _entropy(ids)}
        found["unigram_bits_per_byte"] = found["unigram_entropy"] * total / size
        if vocab_size:
            power = sum((n / total) ** 2.5 for n in ids.values())
            found["renyi_efficiency"] = math.log2(power) / (1 - 2.5) / math.log2(vocab_size)
        pairs = Counter(pair for tokens in self.tokens for pair in pairwise(tokens))
        if pairs:
            # Σ over first tokens of p(first) · H(second | first)
            of_first: dict[bytes, Counter[bytes]] = {}
            for (first, second), n in pairs.items():
                of_first.setdefault(first, Counter())[second] += n
            all_pairs = sum(pairs.values())
            found["bigram_entropy"] = sum(sum(c.values()) / all_pairs * _entropy(c) for c in of_first.values())
            found["bigram_bits_per_byte"] = found["bigram_entropy"] * total / size
        return found

    def boundaries(self) -> list[set[int]]:
        """By document, those inside it."""
        return [{a for a, _ in spans if a} for spans in self.spans]


def _entropy(counts: Counter[Any]) -> float:
    total = sum(counts.values())
    return -sum(n / total * math.log2(n / total) for n in counts.values())


PIECES = st.sampled_from(
    [
        *(" the", " cat", "cat", " sat", "s", "'s", "1", "12345", "3.14", " 1234567", "é", "naïve", "世界", "我们"),
        *("\n", "\n\n", " ", ", ", "ไทย", "e\u0301", "don’t", " Cat", "7" * 80, "a" * 70, "<|endoftext|>", "😀"),
    ]
)
DOCUMENTS = st.lists(st.lists(PIECES, max_size=9).map("".join), max_size=5)
TRAINING = " the cat sat 123 1234 cats naïve 世界 don’t, the cat sat\n" * 3


def _tokenizers() -> list[Built]:
    gpt2 = ti.train(TRAINING, "gpt2", 300)
    return [
        Built("gpt2", gpt2),
        Built("small", truncate(gpt2, 270)),
        Built("digits3", ti.train(TRAINING, "digits3", 290)),
        Built("one", ti.train(TRAINING, "bytes_only", 300)),  # its tokens cross words
        Built("chars", BaselineTokenizer("chars"), kind="baseline"),
        Built("bytes", BaselineTokenizer("bytes"), kind="baseline"),
    ]


@functools.cache
def built_on(engine_name: str) -> list[Built]:
    with engine.use(engine_name):
        return _tokenizers()


LIMITS = Limits(timing_seconds=0.0, batch_documents=2, batch_bytes=60)


def measured(texts: Sequence[str], segmenter: str, built: list[Built] | None = None, **rest: Any) -> CorpusCounts:
    corpus = Corpus([text for text in texts if text], segmenter=segmenter)
    return measure_corpus(corpus, built or built_on("native"), **{"limits": LIMITS, "threads": 2, **rest})


def _check_against_naive(texts: Sequence[str], segmenter: str, all_built: list[Built]) -> None:
    texts = [text for text in texts if text]
    counts = measured(texts, segmenter, all_built)
    if segmenter == "whitespace":
        words = [[(len(t[:a].encode()), len(t[:b].encode())) for a, b in _split(t)] for t in texts]
    else:
        words = [native().words(text) for text in texts]
    names = [name for name, m in METRICS.items() if m.compute.__module__.rsplit(".", 1)[-1] in _FILES]
    naive = {b.name: Naive(texts, [b.tokenizer.tokens(text) for text in texts], words) for b in all_built}
    for built in all_built:
        expected = naive[built.name].figures(built.tokenizer.vocab_size)
        cell = Cell(counts, counts.tokenizers[built.name], Undefined("-"), Undefined("-"))
        for name in names:
            found = METRICS[name].values(cell, 0.95)["micro"]
            if name not in expected:
                assert isinstance(found, Undefined), name
                continue
            assert isinstance(found, Value), (name, found)
            assert found.value == pytest.approx(expected[name], rel=1e-9, abs=1e-12), (name, built.name)
            assert METRICS[name].no_interval == "" or found.low is None
    compared = [b.name for b in all_built if b.kind != "baseline"]
    check_agreements(counts, {name: naive[name].boundaries() for name in compared})


def check_agreements(counts: CorpusCounts, naive: dict[str, list[set[int]]]) -> None:
    """``naive``: by tokenizer and document, the boundaries inside it."""
    assert [(a.first, a.second) for a in counts.agreements] == list(combinations(naive, 2))
    records = list(tokenizer_pair_records([counts], 0.9))
    for pair, record in zip(counts.agreements, records, strict=True):
        documents = list(zip(naive[pair.first], naive[pair.second], strict=True))
        runs = [documents[start : start + pair.run] for start in range(0, len(documents), pair.run)]
        shared = [sum(len(one & other) for one, other in run) for run in runs]
        union = [sum(len(one | other) for one, other in run) for run in runs]
        assert np.asarray(pair.shared).tolist() == shared
        assert np.asarray(boundaries_of_either(counts, pair)).tolist() == union
        assert (record.shared, record.union, record.n) == (sum(shared), sum(union), len(documents))
        assert record.value == (sum(shared) / sum(union) if any(union) else None)
        found = ratio_interval(ints(*shared), ints(*union), 0.9, rate=True)
        ends = (found.low, found.high) if isinstance(found, Interval) else (None, None)
        assert (record.low, record.high) == ends


def _split(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in regex.finditer(r"\S+", text)]


@given(DOCUMENTS)
@settings(max_examples=examples(12), deadline=None)
def test_every_figure_is_the_naive_one(texts: list[str]) -> None:
    _check_against_naive(texts, "auto", built_on("native"))


@given(DOCUMENTS)
@settings(max_examples=examples(6), deadline=None)
def test_every_figure_is_the_naive_one_in_the_reference(texts: list[str]) -> None:
    with engine.use("reference"):
        _check_against_naive(texts, "whitespace", built_on("reference"))


def test_tokens_that_cross_words_count_for_each() -> None:
    counts = measured(["the cat sat the cat sat the cat sat"], "auto")
    one = counts.tokenizers["one"]
    assert not isinstance(one.placed, Undefined)
    assert not isinstance(one.placed.word_tokens, Undefined)
    assert int(one.placed.word_tokens[0]) > int(one.tokens[0])


# ── the two engines ─────────────────────────────────────────────────────────────────────────────────────────


@given(DOCUMENTS, st.integers(1, 3), st.lists(st.integers(1, 9), min_size=1, max_size=40))
@settings(max_examples=examples(30), deadline=None)
def test_places_are_the_reference_s(texts: list[str], threads: int, cycle: list[int]) -> None:
    found = []
    ranges = [[(len(t[:a].encode()), len(t[:b].encode())) for a, b in _split(t)] for t in texts]
    flat = np.array([pair for some in ranges for pair in some], dtype=np.int64).reshape(-1, 2)
    words = (flat, np.cumsum([0, *map(len, ranges)]))
    for core in (native(), reference()):
        places = core.Places(2, threads, ["types", "characters", "numbers", "shared"])
        marks = [_marks(core, texts, cycle), _marks(core, texts, cycle[::-1])]
        tables = [*places.add(texts, marks, given=words), *places.add(texts, marks, words=False)]
        types = [(*some[:3], some[3].tolist()) for some in places.types()]
        starts = [one.places(0) for one in marks]
        found.append(([table.tolist() for table in tables], [table.shape for table in tables], types, starts))
    assert found[0] == found[1]


def _marks(core: Any, texts: Sequence[str], cycle: Sequence[int]) -> Any:
    lengths = []
    for text in texts:
        rest, some = len(text.encode()), []
        while rest:
            some.append(min(rest, cycle[len(some) % len(cycle)]))
            rest -= some[-1]
        lengths.append(some)
    flat = np.array([length for some in lengths for length in some], dtype=np.int64)
    return core.Marks.of_lengths(list(texts), flat, np.cumsum([0, *map(len, lengths)]))


@given(DOCUMENTS)
@settings(max_examples=examples(20), deadline=None)
def test_marks_and_neighbours_are_the_reference_s(texts: list[str]) -> None:
    found = []
    for name in ("native", "reference"):
        with engine.use(name) as core:
            tokenizers = [built.tokenizer for built in built_on(name)[:2]]
            encoders = [tokenizer.engine_encoder for tokenizer in tokenizers]
            scorer = core.Scorer(tokenizers[0].engine_splitter, encoders, 2, marks=2, pairs=2)
            table, marks = scorer.add_marked(texts)
            pairs = [[some.tolist() for some in two] for two in scorer.pair_counts()]
            found.append((table.tolist(), [marks.places(0), marks.places(1)], pairs))
    assert found[0] == found[1]


EVERY_KIND = ["types", "characters", "numbers", "shared"]


def listed(types: Any) -> Any:
    return types and [(*some, rows.tolist()) for *some, rows in types]


@given(DOCUMENTS)
@settings(max_examples=examples(40), deadline=None)
def test_a_scorer_places_tokens_as_their_marks_do(texts: list[str]) -> None:
    core = native()
    tokenizers = [built.tokenizer for built in built_on("native")[:2]]
    encoders = [tokenizer.engine_encoder for tokenizer in tokenizers]
    scorer = core.Scorer(tokenizers[0].engine_splitter, encoders, 2, marks=2, placed=(2, EVERY_KIND, True))
    rows, placed, both, marks = scorer.add_placed(texts)
    places = core.Places(2, 1, EVERY_KIND)
    assert [placed.tolist(), both.tolist()] == [table.tolist() for table in places.add(texts, [marks])]
    assert listed(scorer.types()) == listed(places.types())
    plain = core.Scorer(tokenizers[0].engine_splitter, encoders, 1)
    assert rows.tolist() == plain.add(texts).tolist()
    assert [table.shape for table in plain.add_placed(texts)[1:3]] == [(0, 0), (0, 0)]


@given(DOCUMENTS)
@settings(max_examples=examples(20), deadline=None)
def test_places_of_a_scorer_are_the_reference_s(texts: list[str]) -> None:
    found = []
    for name in ("native", "reference"):
        with engine.use(name) as core:
            tokenizers = [built.tokenizer for built in built_on(name)[:2]]
            encoders = [tokenizer.engine_encoder for tokenizer in tokenizers]
            placed = (2, EVERY_KIND[1:], False)
            scorer = core.Scorer(tokenizers[0].engine_splitter, encoders, 2, placed=placed)
            *tables, _ = scorer.add_placed(texts)
            found.append(([table.tolist() for table in tables], scorer.types()))
            with pytest.raises(ValueError, match="as many"):
                core.Scorer(tokenizers[0].engine_splitter, encoders, 2, marks=1, placed=placed)
    assert found[0] == found[1]


@given(DOCUMENTS)
@settings(max_examples=examples(20), deadline=None)
def test_figures_are_the_same_whoever_is_measured_beside(texts: list[str]) -> None:
    """One scorer has both, or each is in one of its own, or one is given its words."""
    every = built_on("native")
    both = [every[0], Built("cut", truncate(every[0].tokenizer, 270))]
    other = next(built for built in every if built.tokenizer.splitter_key != both[0].tokenizer.splitter_key)
    together = measure_corpus(Corpus(texts), both, limits=LIMITS)
    beside = measure_corpus(Corpus(texts), [*both, other], limits=LIMITS)
    for built in both:
        one, two = (some.tokenizers[built.name] for some in (together, beside))
        assert repr(one.placed) == repr(two.placed)
        assert repr(one.types) == repr(two.types)
        assert repr(one.neighbours) == repr(two.neighbours)
    assert repr(together.words) == repr(beside.words)
    assert repr(together.agreements[0]) in map(repr, beside.agreements)


@pytest.mark.parametrize("core", [native(), reference()], ids=["native", "reference"])
def test_what_does_not_fit_is_refused(core: Any) -> None:
    lengths = np.array([2, 1], dtype=np.int64)
    with pytest.raises(ValueError, match="lengths"):
        core.Marks.of_lengths(["ab"], lengths, np.array([0, 2]))
    marks = core.Marks.of_lengths(["abc"], lengths, np.array([0, 2]))
    assert marks.places(0) == [[0, 2]]
    with pytest.raises(ValueError, match="other texts"):
        core.Places(2, 1, []).add(["abc"], [marks])
    with pytest.raises(ValueError, match="nonsense"):
        core.Places(1, 1, ["nonsense"])
    for start, end in ((2, 2), (0, 4)):
        words = np.array([[start, end]]), np.array([0, 1])
        with pytest.raises(ValueError, match="ranges"):
            core.Places(1, 1, []).add(["abc"], [marks], given=words)


# ── what can't be had, and what isn't asked for ─────────────────────────────────────────────────────────────


def test_tokens_that_do_not_join_to_the_text_have_no_places() -> None:
    words = BaselineTokenizer.fit(["the cat"], 3)
    built = [Built("gpt2", built_on("native")[0].tokenizer), Built("words", words, kind="words")]
    counts = measure_corpus(Corpus(["the cat", "the dog", "the"], segmenter="whitespace"), built, limits=LIMITS)
    placed = counts.tokenizers["words"].placed
    assert isinstance(placed, Undefined)
    assert "document 1" in placed.reason
    assert isinstance(counts.tokenizers["words"].types, Undefined)
    assert not isinstance(counts.tokenizers["words"].neighbours, Undefined)
    (pair,) = counts.agreements
    assert pair.shared == placed
    (record,) = tokenizer_pair_records([counts])
    assert (record.value, record.low, record.high, record.shared, record.union) == (None,) * 5
    assert record.undefined_reason == placed.reason
    assert not isinstance(counts.tokenizers["gpt2"].placed, Undefined)


def test_a_tokenizer_that_tells_no_bytes_has_no_places() -> None:
    class Silent:
        special_tokens: dict[str, int] = {}  # noqa: RUF012

        def encode_ordinary(self, text: str) -> list[int]:
            return list(text.encode())

        def decode_bytes(self, ids: Sequence[int]) -> bytes:
            return bytes(ids)

    counts = measure_corpus(Corpus(["ab"], segmenter="whitespace"), [Built("x", Silent())], limits=LIMITS)
    placed = counts.tokenizers["x"].placed
    assert isinstance(placed, Undefined)
    assert "bytes" in placed.reason


def test_without_a_segmenter_only_words_are_undefined() -> None:
    with engine.use("reference"):
        built = [Built("bytes", BaselineTokenizer("bytes"))]
        counts = measure_corpus(Corpus(["né 1234"], segmenter="auto"), built, limits=LIMITS)
    assert isinstance(counts.words, Undefined)
    placed = counts.tokenizers["bytes"].placed
    assert not isinstance(placed, Undefined)
    assert isinstance(placed.word_tokens, Undefined)
    assert np.asarray(placed.cut_characters).tolist() == [1]
    assert np.asarray(placed.number_cuts).tolist() == [3]


@pytest.mark.parametrize("need", sorted(EVERYTHING))
def test_what_is_not_asked_for_is_notmeasured(need: Any) -> None:
    counts = measured(["the cat 12345 é"], "auto", needs=frozenset({need}))
    assert not isinstance(counts.words, Undefined)  # always counted
    for name, metric in METRICS.items():
        if metric.compute.__module__.rsplit(".", 1)[-1] not in _FILES:
            continue
        cell = Cell(counts, counts.tokenizers["gpt2"], Undefined("-"), Undefined("-"))
        found = metric.values(cell)["micro"]
        missing = isinstance(found, Undefined) and "asked for" in found.reason
        there = {need, "words"} if need == "types" else {need}  # types are found among words
        assert missing == (not metric.needs <= there), name
    assert bool(counts.agreements) == (need == "agreement")


def test_nothing_asked_for_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.active(), "Places", None)
    counts = measured(["the cat 12345 é"], "auto", needs=frozenset())
    assert np.asarray(counts.words).tolist() == [4]


def test_word_types_have_a_bound_on_memory() -> None:
    text = " ".join(f"word{n}" for n in range(50))
    places = native().Places(1, 2, ["types"], 1)
    places.add([text], [_marks(native(), [text], [3])])
    assert places.types() is None


def test_words_of_a_segmenter_are_where_they_stand() -> None:
    counter = word_counter("whitespace", 1)
    found = counter.ranges(["né  a", "", " b"])
    assert found is not None
    assert found[0].tolist() == [[0, 3], [5, 6], [1, 2]]
    assert found[1].tolist() == [0, 2, 2, 3]
    assert word_counter("auto", 1).ranges(["a"]) is None
