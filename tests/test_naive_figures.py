"""Every metric of a tokenizer on a corpus, micro and macro, against plain Python over random documents."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from test_measure import Built, Corpus
from test_places import DOCUMENTS, LIMITS, TRAINING, Naive

import tokenizers_impl as ti
from evalkit.measure import measure_corpus
from evalkit.metrics import METRICS
from evalkit.metrics.vocabulary import vocabulary_overlap
from evalkit.mismatch import Trained
from evalkit.rows import rows
from evalkit.values import Undefined
from tokenizers_impl import BaselineTokenizer
from tokenizers_impl.training import truncate

ELSEWHERE = {"premium", "gini_premium"}  # of several corpora: test_languages.py
OTHER_TRAINING = " a dog ran 55 55 555 dogs, dog, ran ran\n" * 3


@functools.cache
def _built() -> dict[str, Built]:
    found = [
        Built("home", ti.train(TRAINING, "gpt2", 280, ["<|endoftext|>"])),
        Built("away", ti.train(OTHER_TRAINING, "gpt2", 265)),
        Built("large", ti.train(TRAINING + OTHER_TRAINING, "gpt2", 290)),
        Built("one", ti.train(TRAINING, "bytes_only", 300)),
        Built("words", BaselineTokenizer.fit([TRAINING], 12), kind="baseline", variant=None),
    ]
    return {one.name: one for one in found}


KNOWN = {
    "home": Trained("home", "gpt2", 280, ("corpus",)),
    "away": Trained("away", "gpt2", 265, ("elsewhere",)),
    "large": Trained("large", "gpt2", 290, ("corpus", "elsewhere")),
}
# By the definition: both at the smaller of the two sizes, which training to that size would have given.
MATCHES = {"home": (280, 280), "away": (265, 265), "large": (280, 280)}
CUTS = [("home", 265), ("large", 280)]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _ratio(parts: Sequence[tuple[float, float]]) -> dict[str, float]:
    """Of numerators and denominators by document: the ratio of the sums, and the mean of the ratios that there are."""
    some = [above / below for above, below in parts if below]
    if not some:
        return {}
    return {"micro": sum(above for above, _ in parts) / sum(below for _, below in parts), "macro": _mean(some)}


def _at(name: str, size: int) -> Any:
    tokenizer = _built()[name].tokenizer
    return tokenizer if tokenizer.vocab_size == size else truncate(tokenizer, size)


def _expected(name: str, texts: Sequence[str]) -> dict[str, dict[str, float]]:
    tokenizer = _built()[name].tokenizer
    ids = [tokenizer.encode_ordinary(text) for text in texts]
    tokens = [len(one) for one in ids]
    reference = [len(_built()["away"].tokenizer.encode_ordinary(text)) for text in texts]
    unknown = [sum(i == tokenizer.unk_id for i in one) if name == "words" else 0 for one in ids]
    kept = [tokenizer.decode_bytes(one) == text.encode() for one, text in zip(ids, texts, strict=True)]
    distinct = {i for one in ids for i in one}
    found = {
        "bytes_per_token": _ratio([(len(t.encode()), n) for t, n in zip(texts, tokens, strict=True)]),
        "chars_per_token": _ratio([(len(t), n) for t, n in zip(texts, tokens, strict=True)]),
        "tokens": {"sum": sum(tokens)},
        "fertility": _ratio([(n, len(t.split())) for t, n in zip(texts, tokens, strict=True)]),
        "normalized_length": _ratio(list(zip(tokens, reference, strict=True))),
        "unk_rate": _ratio(list(zip(unknown, tokens, strict=True))),
        "round_trip_rate": {"micro": sum(kept) / len(kept)},
        "vocab_utilization": {"micro": len(distinct) / (tokenizer.vocab_size - len(tokenizer.special_tokens))},
    }
    if name in MATCHES:
        own, ideal = (_at(one, size) for one, size in zip((name, "home"), MATCHES[name], strict=True))
        counts = [(len(own.encode_ordinary(t)), len(ideal.encode_ordinary(t))) for t in texts]
        found["regret"] = {
            "micro": sum(a for a, _ in counts) / sum(b for _, b in counts) - 1,
            "macro": _mean([a / b - 1 for a, b in counts]),
        }
    if name != "words":  # which has no places
        found |= _placed(tokenizer, texts)
    return found


def _placed(tokenizer: Any, texts: Sequence[str]) -> dict[str, dict[str, float]]:
    def naive(some: Sequence[str]) -> dict[str, float]:
        words = [_words(text) for text in some]
        return Naive(some, [tokenizer.tokens(text) for text in some], words).figures(tokenizer.vocab_size)

    documents = [naive([text]) for text in texts]
    found: dict[str, dict[str, float]] = {}
    for metric, value in naive(texts).items():
        found[metric] = {"micro": value}
        if "macro" in METRICS[metric].aggregations:
            found[metric]["macro"] = _mean([one[metric] for one in documents if metric in one])
    if "digit_boundary_f1" in found:
        # A document whose numbers have no place may have boundaries in them all the same, which are wrong ones.
        parts = [Naive([text], [tokenizer.tokens(text)], [[]]).numbers() for text in texts]
        found["digit_boundary_f1"] |= _ratio([(2 * hits, cuts + places) for hits, cuts, places in parts])
    return found


def _words(text: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for word in text.split():
        at = text.index(word, start)
        start = at + len(word)
        spans.append((len(text[:at].encode()), len(text[:start].encode())))
    return spans


@given(DOCUMENTS)
@settings(max_examples=examples(12), deadline=None)
def test_every_figure_is_the_naive_one(texts: list[str]) -> None:
    texts = [text for text in texts if text] or ["the cat"]
    corpus = Corpus(texts, name="corpus", segmenter="whitespace")
    assert all(_built()[name].tokenizer.vocab_size == one.size for name, one in KNOWN.items())
    cuts = {(name, size): _at(name, size) for name, size in CUTS}
    counts = measure_corpus(corpus, list(_built().values()), limits=LIMITS, threads=2, truncated=cuts)
    metrics = [m for m in METRICS.values() if not m.timing and m.name not in ELSEWHERE]
    expected = {name: _expected(name, texts) for name in _built()}
    found = list(rows([counts], metrics, KNOWN, "away", {}))
    assert {(row.tokenizer, row.metric) for row in found} == {(n, m.name) for n in _built() for m in metrics}
    for row in found:
        value = expected[row.tokenizer].get(row.metric, {}).get(row.aggregation)
        where = (row.tokenizer, row.metric, row.aggregation, row.undefined_reason)
        if row.tokenizer == "words" and row.metric not in expected["words"] and row.metric != "regret":
            continue  # of its ids and places, which it has only where no word is unknown: test_places.py
        if value is None:
            assert row.value is None, where
        else:
            assert row.value == pytest.approx(value, rel=1e-9, abs=1e-12), where


TOKENS = st.frozensets(st.binary(min_size=1, max_size=2), min_size=1, max_size=12)


@given(TOKENS, TOKENS)
@settings(max_examples=examples(50), deadline=None)
def test_overlap_is_the_naive_one(first: frozenset[bytes], second: frozenset[bytes]) -> None:
    found = vocabulary_overlap(first, second)
    assert not isinstance(found, Undefined)
    both = [token for token in first if token in second]
    assert found.jaccard == len(both) / len([*first, *(token for token in second if token not in first)])
    assert (found.first_in_second, found.second_in_first) == (len(both) / len(first), len(both) / len(second))
