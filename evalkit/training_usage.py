"""How often each token of a tokenizer that is trained here occurs in its own training text.

A token that a merge made may hardly be left: later merges take it up. What the finished tokenizer makes of its training
text is the text's ladder (:mod:`tokenizers_impl.ladder`), which has every rung in it. It is counted from the pretokens
that training has counted anyway, and kept beside the trained tokenizer: a pass of its own over the text took nearly as
long as training. Only a tokenizer that was kept without it takes one, once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evalkit.cache import read_checked, write_checked
from evalkit.fair_records import TokenCount
from evalkit.values import Undefined
from evalkit.vocabularies import rare_ids
from evalkit.vocabulary_records import RARE, TrainingUsageRecord, VocabularyRecord
from tokenizers_impl import BPETokenizer, TokenizerError
from tokenizers_impl.arguments import threads_or_all
from tokenizers_impl.ladder import Ladder, ladder, ladder_of_counts
from tokenizers_impl.training import Source, count_source

if TYPE_CHECKING:
    from evalkit.build import BuiltTokenizer

CODE_VERSION = 1
"""Rises when the same tokenizer and text give other counts."""

EXAMPLES = 12

Progress = Callable[[str, int, int], None]

_ARRAYS = ("byte_counts", "made")


class UsageOfText:
    """The ladder of one tokenizer's training text. Called in training (``counted`` of :func:`tokenizers_impl.train`) it
    takes it from the pretokens that are at hand then. ``tokenizer_file``: beside which it is kept; None is nowhere."""

    def __init__(self, tokenizer_file: Path | None) -> None:
        self._path = None if tokenizer_file is None else tokenizer_file.with_suffix(f".usage-{CODE_VERSION}.json")
        self._found: Ladder | None = None

    def __call__(self, tokenizer: BPETokenizer, counter: Any) -> None:
        self._found = ladder(tokenizer, counter)

    def of(
        self, tokenizer: BPETokenizer, texts: Callable[[], Source], threads: int | None, progress: Progress | None
    ) -> Ladder:
        """What was found in training, else what is kept, else what a pass over the ``texts`` gives."""
        if self._found is None and (kept := self._kept(tokenizer)) is not None:
            return kept
        found = self._found or count(tokenizer, texts(), threads, progress)
        if self._path is not None:
            arrays = {name: getattr(found, name).tolist() for name in _ARRAYS}
            write_checked(self._path, arrays | {"pretokens": found.pretokens})
        return found

    def _kept(self, tokenizer: BPETokenizer) -> Ladder | None:
        """None for nothing, and for what isn't of this tokenizer."""
        content = None if self._path is None else read_checked(self._path)
        if content is None:
            return None
        try:
            byte_counts, made = (np.array(content[name], dtype=np.int64) for name in _ARRAYS)
            return ladder_of_counts(tokenizer, byte_counts, made, content["pretokens"])
        except (TokenizerError, KeyError, TypeError, ValueError):
            return None


def count(tokenizer: BPETokenizer, texts: Source, threads: int | None, progress: Progress | None) -> Ladder:
    """The ladder of a training text. Special tokens in it are boundaries, as they are in training."""
    specials = list(tokenizer.special_tokens)
    counter = tokenizer.engine_module.Counter(tokenizer.engine_splitter, specials, threads_or_all(threads))
    count_source(counter, texts, progress)
    return ladder(tokenizer, counter, progress=progress)


# ── what results keep ───────────────────────────────────────────────────────────────────────────────────────


def training_usage_records(
    built: Sequence[BuiltTokenizer], lint: Sequence[VocabularyRecord]
) -> Iterator[TrainingUsageRecord]:
    """One of every tokenizer; none at all where the tokenizers were built without these counts. ``lint``: what is known
    of the vocabularies, for what text can give."""
    if any(one.trained_on and one.training_text is None for one in built):
        return
    never = {record.tokenizer: record.never_ids for record in lint}
    for one in built:
        if one.training_text is None or not isinstance(one.tokenizer, BPETokenizer):
            yield TrainingUsageRecord(one.name, _unknown(one).reason)
        else:
            yield _record(one.name, one.tokenizer, one.training_text, never.get(one.name, ()))


def _unknown(one: BuiltTokenizer) -> Undefined:
    if one.kind == "baseline":
        return Undefined("baselines have no merges that were trained")
    return Undefined("trained elsewhere, on a text that isn't known here")


def _record(name: str, tokenizer: BPETokenizer, found: Ladder, never: Sequence[int]) -> TrainingUsageRecord:
    counts = found.id_counts(tokenizer.vocab_size)  # up to the largest ordinary id of the largest rung
    times = np.pad(counts, (0, max(0, 1 + max(tokenizer.vocab) - len(counts))))
    impossible = {i for i in {*never, *tokenizer.special_tokens.values()} if not times[i]}
    possible = tokenizer.vocab_size - len(impossible)
    rare = {i: token for i, token in tokenizer.vocab.items() if i not in impossible and times[i] <= RARE}
    single = times[[i for i, token in rare.items() if len(token) == 1]]
    others = sorted((int(times[i]), i) for i, token in rare.items() if len(token) > 1)
    return TrainingUsageRecord(
        tokenizer=name,
        bytes=found.bytes,
        tokens=int(times.sum()),
        possible=possible,
        rare=rare_ids(times, possible),
        rare_bytes=tuple(np.bincount(single, minlength=RARE + 1).tolist()),
        rarest=tuple(TokenCount(rare[i], count) for count, i in others[:EXAMPLES]),
    )
