"""Which tokenizers are explained, from what, and how the report says so."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from report_example import results as example
from test_measure import Built, Corpus

import tokenizers_impl as ti
from evalkit import why
from evalkit.batches import Limits
from evalkit.counts import CorpusCounts, Explainable, PairDifferences
from evalkit.explained import ELSEWHERE, LEADER, OWN, Contestant, contestants_of, explained, pairs_to_explain
from evalkit.measure import measure_corpus
from evalkit.report import explained as report
from evalkit.results import DifferenceRecord, Results, TokenizerRecord

TEXTS = ["low lower lowest 1234", "newer newest 99 low low", "the widest 1234567 lower"]
OTHER = ["12 34 1234 5678", "low", "é é 1234"]


# ── which ───────────────────────────────────────────────────────────────────────────────────────────────────


def _one(name: str, *tokens: int, own: bool = True, size: int = 1000) -> Contestant:
    return Contestant(name, own, size, tokens, name.rpartition("@")[0] or name)


def test_the_leader_and_the_nearest_that_differs() -> None:
    some = [_one("worst", 300), _one("second", 110), _one("first", 100), _one("alike", 100), _one("third", 120)]
    assert pairs_to_explain(some) == {("first", "second"): LEADER}
    assert pairs_to_explain([_one("a", 5, 5), _one("b", 5, 5)]) == {}
    assert pairs_to_explain([_one("a", 5, 5)]) == pairs_to_explain([]) == {}
    assert pairs_to_explain([_one("a", 5, 5), _one("b", 5, 6)]) == {("a", "b"): LEADER}


def test_every_corpus_counts_alike() -> None:
    # In sum `long` needs fewer tokens; on two of three corpora it needs twice as many.
    some = [_one("long", 10_000, 20, 20), _one("short", 11_000, 10, 10), _one("between", 10_900, 15, 15)]
    assert pairs_to_explain(some) == {("short", "between"): LEADER}


def test_size_explains_enough_by_itself() -> None:
    large, far = _one("large", 50, own=False, size=100_000), _one("far", 60, own=False, size=40_000)
    small, other = _one("small", 100, size=8000), _one("other", 90, size=8000)
    assert pairs_to_explain([large, small, other]) == {("other", "small"): LEADER}
    assert pairs_to_explain([large, far, small, other]) == {("other", "small"): LEADER}
    assert pairs_to_explain([large, small]) == {("large", "small"): LEADER}, "the only pair there is"
    near = _one("near", 55, own=False, size=60_000)
    assert pairs_to_explain([large, near, small, other]) == {("large", "near"): LEADER, ("other", "small"): OWN}


def test_own_ones_against_those_from_elsewhere() -> None:
    own = [_one("best", 100), _one("next", 105)]
    published = [_one("p", 90, own=False), _one("q", 80, own=False)]
    assert pairs_to_explain([*own, *published]) == {
        ("q", "p"): LEADER,
        ("q", "best"): ELSEWHERE,
        ("best", "next"): OWN,
    }
    assert pairs_to_explain([*own, published[0]]) == {("p", "best"): LEADER, ("best", "next"): OWN}
    assert pairs_to_explain([*own, _one("p", 103, own=False)]) == {("best", "p"): LEADER, ("best", "next"): OWN}


def test_of_own_ones_a_pair_that_differs_in_one_thing_goes_before_a_nearer_one() -> None:
    best = replace(_one("best", 100), pattern="zh", text=("a", "b"))
    near = replace(_one("near", 101), pattern="cl100k", text=("a",))
    pattern = replace(_one("pattern", 120), pattern="gpt2", text=("a", "b"))
    text = replace(_one("text", 110), pattern="zh", text=("a",))
    ahead = [_one("p", 90, own=False), _one("q", 80, own=False)]
    assert pairs_to_explain([*ahead, best, near, pattern, text])["best", "text"] == OWN
    assert pairs_to_explain([*ahead, best, near, pattern])["best", "pattern"] == OWN
    assert pairs_to_explain([*ahead, best, near])["best", "near"] == OWN


def test_the_report_says_in_what_own_ones_differ() -> None:
    def said(variant: str, trained_on: tuple[str, ...]) -> str:
        found = example()
        own = [replace(t, variant="zh", trained_on=("zh",)) for t in found.tokenizers[:2]]
        own[1] = replace(own[1], variant=variant, trained_on=trained_on)
        differences = tuple(replace(d, chosen=OWN) for d in found.differences)
        text = report.section(replace(found, tokenizers=(*own, *found.tokenizers[2:]), differences=differences))
        return next(line for line in text.splitlines() if line.startswith("- `"))

    assert said("zh", ("zh",)).endswith("and `large` the nearest to it.")
    assert said("gpt2", ("zh",)).endswith("the nearest to it of those that differ in the split pattern alone.")
    assert said("zh", ("stories",)).endswith("the nearest to it of those that differ in the training text alone.")
    both = said("gpt2", ("stories",))
    assert both.endswith("the nearest to it; they differ in the split pattern and the training text.")


def test_rungs_of_one_ladder_are_no_pair() -> None:
    some = [_one("a@600", 120, size=600), _one("a", 100), _one("b", 150)]
    assert pairs_to_explain(some) == {("a", "b"): LEADER}
    assert pairs_to_explain(some[:2]) == {}


@pytest.mark.parametrize("seed", range(200))
def test_as_the_definition_says(seed: int) -> None:
    chance = random.Random(seed)
    some = [
        _one(
            f"t{k}", *chance.choices((100, 120, 150), k=2), own=chance.random() < 0.5, size=chance.choice((1, 2, 3, 9))
        )
        for k in range(chance.randrange(2, 7))
    ]
    product = {one.name: math.prod(one.tokens) for one in some}
    differ = [(a, b) for a in some for b in some if a.tokens != b.tokens]
    like = [(a, b) for a, b in differ if max(a.size, b.size) <= 2 * min(a.size, b.size)]
    found = pairs_to_explain(some)
    allowed: dict[str, set[tuple[str, str]]] = {}
    for role, pairs in (
        (LEADER, like or differ),
        (ELSEWHERE, [(a, b) for a, b in like if a.own != b.own]),
        (OWN, [(a, b) for a, b in like if a.own and b.own]),
    ):
        least = min((product[a.name] for a, _ in pairs), default=None)
        of_best = [(a, b) for a, b in pairs if product[a.name] == least]
        allowed[role] = {
            (a.name, b.name)
            for a, b in of_best
            if product[b.name] == min(product[c.name] for d, c in of_best if d is a)
        }
    assert all(pair in allowed[role] for pair, role in found.items())
    assert {role for role in allowed if allowed[role]} - set(found.values()) <= {ELSEWHERE, OWN}
    for role in (ELSEWHERE, OWN):
        assert not allowed[role] or allowed[role] & set(found)
    assert (LEADER in found.values()) == bool(differ)


# ── from what ───────────────────────────────────────────────────────────────────────────────────────────────


def _tokenizers() -> list[Built]:
    text = "\n".join(TEXTS) * 3
    return [
        Built("small", ti.train(text, "gpt2", 262), trained_on=("x",)),
        Built("large", ti.train(text, "gpt2", 290), trained_on=("x",)),
        Built("digits", ti.train(text, "digit1", 280), trained_on=("x",)),
        Built("copy", ti.train(text, "gpt2", 290), trained_on=("x",)),
        Built("floor", ti.BaselineTokenizer("bytes"), kind="baseline"),
    ]


def _counts(tokenizers: list[Built], *corpora: Corpus) -> list[CorpusCounts]:
    limits = Limits(timing_seconds=0.001)
    return [measure_corpus(corpus, tokenizers, limits=limits) for corpus in corpora]


def test_pairs_of_one_pattern_are_counted_on_the_whole_split() -> None:
    tokenizers = [one for one in _tokenizers() if one.name != "digits"]
    counts = _counts(tokenizers, Corpus(TEXTS, "one"), Corpus(OTHER, "two"))
    found = explained(counts, tokenizers)
    assert all(corpus.explainable == Explainable() for corpus in found)
    for corpus, texts in zip(found, (TEXTS, OTHER), strict=True):
        (pair,) = corpus.differences
        assert (pair.first, pair.second, pair.pieces, pair.chosen) == ("large", "small", "pretokens", LEADER)
        assert pair.first_total == sum(len(tokenizers[1].tokenizer.encode_ordinary(text)) for text in texts)
        assert pair.second_total == sum(len(tokenizers[0].tokenizer.encode_ordinary(text)) for text in texts)
        assert pair.second_total - pair.first_total == sum(row.second_tokens - row.first_tokens for row in pair.top)
        for row in pair.top:
            times = sum(ti.pretokenize(text).count(row.piece.decode()) for text in texts)
            of_pair = [len(tokenizers[k].tokenizer.encode_ordinary(row.piece.decode())) * times for k in (1, 0)]
            assert [row.occurrences, row.first_tokens, row.second_tokens] == [times, *of_pair]


def test_pairs_of_two_patterns_are_counted_on_the_sample() -> None:
    tokenizers = [one for one in _tokenizers() if one.name in ("digits", "small")]
    (corpus,) = explained(_counts(tokenizers, Corpus(TEXTS)), tokenizers)
    (pair,) = corpus.differences
    by_name = {one.name: one.tokenizer for one in tokenizers}
    names = pair.first, pair.second
    expected = why.by_words((names[0], by_name[names[0]]), (names[1], by_name[names[1]]), TEXTS)
    assert pair == replace(expected, chosen=LEADER)
    assert pair.pieces == "words"
    assert pair.first_total < pair.second_total


def test_pairs_that_were_not_looked_at_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizers = _tokenizers()[:2]
    counts = _counts(tokenizers, Corpus(TEXTS))
    unseen = [replace(counts[0], explainable=Explainable((), counts[0].explainable.sample))]
    assert explained(unseen, tokenizers)[0].differences == ()
    monkeypatch.setattr(why, "INSIDE", 0)
    assert _counts(tokenizers, Corpus(TEXTS))[0].explainable.inside == ()


def test_the_pairs_that_are_looked_at_are_those_with_the_fewest_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(why, "INSIDE", 2)
    totals = {"a": 5, "b": 4, "c": 3, "d": 3, "far": 1}
    sizes = {"a": 10, "b": 10, "c": 10, "d": 10, "far": 30}
    found = why.pairs_inside({"x": ["a", "b", "c", "d"], "y": ["far"]}, totals, sizes)
    assert found == [("x", ("b", "c")), ("x", ("b", "d"))]
    assert why.pairs_inside({"x": ["a", "far"]}, totals, sizes) == [("x", ("a", "far"))]


def test_who_is_compared() -> None:
    tokenizers = _tokenizers()
    one, two = _counts(tokenizers, Corpus(TEXTS, "one"), Corpus(OTHER, "two", parallel="group"))
    every = contestants_of([one, two], tokenizers)
    assert [c.name for c in every] == ["small", "large", "digits", "copy"]
    assert every[0].tokens == (int(one.tokenizers["small"].tokens.sum()),), "languages of a group count for little"
    assert len(contestants_of([two], tokenizers)[0].tokens) == 1
    lossy = replace(one.tokenizers["large"], unknown=np.ones(3, dtype=np.int64))
    broken = replace(one.tokenizers["copy"], round_trips=2)
    damaged = replace(one, tokenizers={**one.tokenizers, "large": lossy, "copy": broken})
    assert [c.name for c in contestants_of([damaged], tokenizers)] == ["small", "digits"]
    assert [c.name for c in contestants_of([damaged], tokenizers[1:])] == ["digits", "large", "copy"]


def test_a_pair_turned_round() -> None:
    pair = PairDifferences("a", "b", "words", 9, 5, 7, (why.Difference(b"x", 1, 2, 4),), LEADER)
    assert pair.turned() == PairDifferences("b", "a", "words", 9, 7, 5, (why.Difference(b"x", 1, 4, 2),), LEADER)
    assert pair.turned().turned() == pair


# ── the report ──────────────────────────────────────────────────────────────────────────────────────────────


def _record(corpus: str, pair: tuple[str, str], chosen: str, tokens: tuple[int, int]) -> DifferenceRecord:
    like = example().differences[0]
    return replace(
        like, corpus=corpus, first=pair[0], second=pair[1], chosen=chosen, first_total=tokens[0], second_total=tokens[1]
    )


def _with(*differences: DifferenceRecord) -> Results:
    about: list[TokenizerRecord] = [replace(t, vocab_size=300) for t in example().tokenizers]
    return replace(example(), tokenizers=tuple(about), differences=differences)


def test_the_report_says_which_pairs_and_why() -> None:
    first = _record("zh", ("published", "large"), LEADER, (100, 120))
    again = replace(first, corpus="stories", second_total=110)
    own = _record("zh", ("large", "small"), OWN, (100, 101))
    text = report.section(_with(again, own, first))
    assert text.startswith(
        "- `published` against `large`: `published` needs the fewest tokens over all corpora, each counting alike, and "
        "`large` is the nearest to it.\n"
        "- `large` against `small`: `large` is the best of those trained here, and `small` the nearest to it of those "
        "that differ in the training text alone.\n"
    )
    heads = [line for line in text.splitlines() if line.startswith("###")]
    assert heads == [
        "### zh: `published` against `large`",
        "### stories: `published` against `large`",
        "### zh: `large` against `small`",
    ]
    assert "Both of a pair are within a factor of two in size" in text
    other = report.section(_with(_record("zh", ("large", "published"), ELSEWHERE, (100, 120))))
    assert "of those trained here and those from elsewhere, `large` is the best" in other
    far = replace(_with(first), tokenizers=example().tokenizers)
    assert "size alone may explain most of it" in report.section(far)


def test_each_pair_has_its_share_of_the_tables() -> None:
    leader = [_record("zh", ("published", "large"), LEADER, (1000, 1000 + 10 * k)) for k in (9, 5, 7)]
    own = [_record("stories", ("large", "small"), OWN, (1000, 1000 + 10 * k)) for k in (2, 1)]
    results = _with(*own, *leader)
    assert report.pairs_to_explain(results, 3) == [leader[0], leader[2], own[0]]
    assert report.pairs_to_explain(results, 8) == [leader[0], leader[2], leader[1], *own]


def test_a_few_tokens_need_no_table() -> None:
    slight, telling = (_record("zh", ("published", "large"), LEADER, (1000, n)) for n in (1001, 1010))
    assert report.pairs_to_explain(_with(slight, telling), 8) == [telling]
    assert report.pairs_to_explain(_with(slight), 8) == [slight]


def test_results_of_before_have_no_reasons() -> None:
    text = report.section(_with(replace(example().differences[0], chosen="")))
    assert text.startswith("The pairs that differ most on each corpus.\n")


def test_fewer_tokens_than_times_are_explained() -> None:
    """Where patterns differ: the comma of `, and` may be a part of the token that ends in the next word."""
    pair = example().differences[0]
    joined = replace(pair.top[0], occurrences=10, first_tokens=2, second_tokens=10)
    sentence = "A text with fewer tokens than times is joined to what follows it, for which the token counts."
    for pieces, first, said in (("words", 2, True), ("runs", 2, True), ("words", 10, False), ("pretokens", 2, False)):
        shown = report.section(_with(replace(pair, pieces=pieces, top=(replace(joined, first_tokens=first),))))
        assert (sentence in shown) is said
