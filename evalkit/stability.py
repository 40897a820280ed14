"""Training again on parts of the text, to see how much of a difference between own tokenizers training alone makes.

``measure: {stability: 5}`` trains every own tokenizer five times more, each time without another fifth of its
documents, and measures them on every corpus. What the fifths vary by is the noise of training
(:mod:`evalkit.stats.noise`). Two tokenizers that are trained on the same corpus leave out the same documents, so that a
difference between them is judged by how that difference varies.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

import numpy as np

from evalkit.batches import Limits, batches
from evalkit.build import BuiltTokenizer, Recipe, recipe
from evalkit.cache import TokenizerCache, content_key
from evalkit.corpus import Corpus, document_hash
from evalkit.fair_records import StabilityRecord
from evalkit.stats.intervals import NOTHING
from evalkit.stats.noise import Noise, training_noise
from evalkit.suite import Suite
from evalkit.values import Undefined
from tokenizers_impl import BPETokenizer, TokenizerError, engine
from tokenizers_impl.arguments import default_threads
from tokenizers_impl.deferred import dataclass
from tokenizers_impl.training import truncate

CODE_VERSION = 1
"""Rises when the same suite gives other groups."""

_NO_TOKENS = Undefined("a retrained tokenizer has no tokens there")

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Stability:
    """``tokens``: by corpus and tokenizer, the tokens of the corpus under each retraining, in the order of the groups.
    ``sizes``: their vocabularies' sizes. ``undefined``: why a tokenizer could not be trained again."""

    trainings: int = 0
    tokens: Mapping[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    sizes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)

    def noise(self, corpus: str, first: str, second: str, confidence: float) -> Noise | Undefined | None:
        """Of the ratio of two tokenizers' tokens; of one that wasn't trained here it is the other's alone. None where
        neither was trained again, ``Undefined`` where one of them should have been and couldn't."""
        sides = [self.tokens.get((corpus, name)) for name in (first, second)]
        for name in (first, second):
            if name in self.undefined:
                return Undefined(f"{name} could not be trained again: {self.undefined[name]}")
        if all(side is None for side in sides):
            return None
        if any(side is not None and 0 in side for side in sides):
            return _NO_TOKENS
        logarithms = [[0.0] * self.trainings if side is None else [math.log(n) for n in side] for side in sides]
        return _noise([a - b for a, b in zip(*logarithms, strict=True)], confidence)


def _noise(logarithms: Sequence[float], confidence: float) -> Noise | Undefined:
    if max(logarithms) - min(logarithms) <= NOTHING:
        return Undefined("nothing varies between its trainings")
    return training_noise(logarithms, confidence)


def group_of(text: str, seed: int, groups: int) -> int:
    """The group of a document: by its text and the seed alone, so that all copies of a text are in one group, and the
    order of documents changes nothing."""
    digest = hashlib.sha256(f"stability:{seed}:".encode() + document_hash(text)).digest()
    return int.from_bytes(digest[:8], "big") % groups


def retrain(
    suite: Suite,
    corpora: Mapping[str, Corpus],
    built: Sequence[BuiltTokenizer],
    measured: Sequence[Corpus],
    cuts: Sequence[tuple[str, int]] = (),
    *,
    threads: int | None = None,
    cache: TokenizerCache | None = None,
    progress: Progress | None = None,
) -> Stability:
    """Trains every own tokenizer again, as often as ``measure: stability`` says (never where it isn't given), and
    counts the tokens of the corpora ``measured`` under each. Rungs of a ladder are cut from its retrained largest, as
    they are themselves, and so are those of ``cuts`` (name, size), which go by :func:`cut_name`. Retrained tokenizers
    are cached as others are."""
    groups = suite.measure.stability
    if not groups:
        return Stability()
    cache = cache or TokenizerCache(None)
    again: dict[str, list[BPETokenizer]] = {}
    undefined: dict[str, str] = {}
    for spec in suite.tokenizers:
        rungs = {
            one.name: one.tokenizer.vocab_size
            for one in built
            if one.name == spec.name or one.name in spec.size_names()
        }
        if spec.train_on is None or not rungs:
            continue
        rungs |= {cut_name(name, size): size for name, size in cuts if name in rungs}
        how = recipe(suite, corpora, spec)
        try:
            found = [
                _without(how, k, groups, suite.seed, threads, cache, _named(progress, spec.name, k, groups))
                for k in range(groups)
            ]
        except _NoGroup as error:
            undefined |= dict.fromkeys(rungs, str(error))
            continue
        for name, size in rungs.items():
            again[name] = [truncate(one, min(size or one.vocab_size, one.vocab_size)) for one in found]
    sizes = {name: tuple(one.vocab_size for one in ones) for name, ones in again.items()}
    tokens: dict[tuple[str, str], tuple[int, ...]] = {}
    for corpus in measured:
        if progress:
            progress(f"measure retrained tokenizers on {corpus.name}", 0, 0)
        for name, counted in _count(corpus, again, threads or default_threads()).items():
            tokens[corpus.name, name] = counted
    return Stability(groups, tokens, sizes, undefined)


def cut_name(name: str, size: int) -> str:
    """What a tokenizer cut to a size is called among :class:`Stability`'s."""
    return f"{name}@{size}"


class _NoGroup(Exception):
    """There is nothing to leave out, or nothing left to train on."""


def _named(progress: Progress | None, name: str, k: int, groups: int) -> Progress | None:
    if progress is None:
        return None
    report = progress
    return lambda stage, done, total: report(f"train {name} again, {k + 1} of {groups}: {stage}", done, total)


def _without(
    how: Recipe, k: int, groups: int, seed: int, threads: int | None, cache: TokenizerCache, progress: Progress | None
) -> BPETokenizer:
    """The tokenizer of the text without group ``k``."""
    key = content_key({**how.description, "stability": [CODE_VERSION, k, groups, seed]})
    tokenizer = cache.get(key)
    if tokenizer is None:
        texts = _Left(how.texts(), k, groups, seed)
        try:
            tokenizer = how.train(texts, threads, progress)
        except TokenizerError as error:
            raise _NoGroup(f"without part {k + 1} of {groups} of its text: {error}") from None
        if not texts.left_out:
            raise _NoGroup(f"its training text has too few documents for {groups} groups")
        cache.put(key, tokenizer)
    return tokenizer


class _Left(Iterable[str]):
    """The texts that are not in a group."""

    def __init__(self, texts: Iterator[str], k: int, groups: int, seed: int) -> None:
        self._texts, self._k, self._groups, self._seed = texts, k, groups, seed
        self.left_out = 0

    def __iter__(self) -> Iterator[str]:
        for text in self._texts:
            if group_of(text, self._seed, self._groups) == self._k:
                self.left_out += 1
            else:
                yield text


def _count(corpus: Corpus, again: Mapping[str, Sequence[BPETokenizer]], threads: int) -> dict[str, tuple[int, ...]]:
    """The tokens of a corpus under every retrained tokenizer, in one pass over its text."""
    groups: dict[str, list[tuple[str, int, BPETokenizer]]] = {}
    for name, ones in again.items():
        for k, one in enumerate(ones):
            groups.setdefault(one.splitter_key, []).append((name, k, one))
    core = engine.active()
    scorers = {
        key: core.Scorer(members[0][2].engine_splitter, [one.engine_encoder for _, _, one in members], threads)
        for key, members in groups.items()
    }
    totals = {key: np.zeros(len(members), dtype=np.int64) for key, members in groups.items()}
    for batch in batches(corpus.documents(corpus.split_name), Limits()):
        for key, scorer in scorers.items():
            totals[key] += scorer.add(batch.texts)[:, 1:].sum(axis=0)
    found: dict[str, list[int]] = {name: [0] * len(ones) for name, ones in again.items()}
    for key, members in groups.items():
        for (name, k, _), total in zip(members, totals[key].tolist(), strict=True):
            found[name][k] = total
    return {name: tuple(numbers) for name, numbers in found.items()}


def stability_records(
    stability: Stability, corpora: Sequence[tuple[str, int]], names: Sequence[str], confidence: float
) -> Iterator[StabilityRecord]:
    """What results keep: of each tokenizer on each corpus (name, bytes). None where nothing was trained again."""
    for corpus, size in corpora:
        for name in names:
            tokens = stability.tokens.get((corpus, name))
            if tokens is not None:
                noise = _noise([math.log(n) for n in tokens], confidence) if all(tokens) else _NO_TOKENS
                yield StabilityRecord(
                    corpus=corpus,
                    tokenizer=name,
                    trainings=stability.trainings,
                    vocab_sizes=stability.sizes[name],
                    bytes_per_token=tuple(size / n if n else None for n in tokens),
                    error=noise.error if isinstance(noise, Noise) else None,
                    floor=noise.floor if isinstance(noise, Noise) else None,
                    undefined_reason=noise.reason if isinstance(noise, Undefined) else None,
                )
            elif name in stability.undefined:
                reason = stability.undefined[name]
                yield StabilityRecord(corpus, name, stability.trainings, (), (), None, None, reason)
