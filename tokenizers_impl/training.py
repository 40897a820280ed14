"""``train``: from texts and files to a tokenizer."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tokenizers_impl import engine
from tokenizers_impl.arguments import threads_or_all, well_formed
from tokenizers_impl.errors import TokenizerError, shorten
from tokenizers_impl.records import NO_PAIR, TrainingRecord
from tokenizers_impl.registry import LEFT_TO_RIGHT, check_direction, choose_variant, get_variant
from tokenizers_impl.splitters import make_splitter
from tokenizers_impl.tokenizer import BPETokenizer
from tokenizers_impl.vocabulary import BYTES, LARGEST_ID

Source = str | os.PathLike[str] | Iterable["str | os.PathLike[str]"]
Progress = Callable[[str, int, int], None]

TIE_BREAKS = ("bytes", "huggingface")

# Texts are handed to the core in batches of about this many characters: enough for all threads, little memory.
_BATCH_CHARS = 16_000_000


def train(
    source: Source,
    variant: str | None = None,
    vocab_size: int = 10_000,
    special_tokens: Sequence[str] = (),
    min_frequency: int = 2,
    tie_break: str = "bytes",
    threads: int | None = None,
    *,
    pattern: str | None = None,
    lexicon: Collection[str] | None = None,
    direction: str = LEFT_TO_RIGHT,
    progress: Progress | None = None,
    counted: Callable[[BPETokenizer, Any], None] | None = None,
) -> BPETokenizer:
    """Trains a byte-level BPE tokenizer.

    ``source``: a ``str`` is text, a ``Path`` is a UTF-8 file, or an iterable of either; each text is a document,
    and no pretoken spans two. ``vocab_size`` counts everything: 256 bytes, specials, merges. ``min_frequency``:
    a pair that occurs less often is not merged. ``tie_break``: among equally frequent pairs, ``bytes`` takes the
    greatest pair of byte strings, ``huggingface`` the one that the trainer of ``tokenizers`` takes.
    ``special_tokens`` are hard boundaries: their text is never learned, and their ids follow the 256 bytes.
    ``variant``: the name of a split pattern, by default ``gpt2``; or ``pattern``: a name or a regular expression.
    ``lexicon``: words for ``zh``; by default they are learned from the text. ``direction``: from which end of a
    number its groups of three digits are counted.
    ``progress`` is called with (stage, done, total) from time to time and may raise to stop. ``counted`` is called with
    the tokenizer and the engine's ``Counter`` of its training text, before the latter is let go.

    The result is the same for any number of threads and any order of the documents. ``tokenizer.training`` says
    how it went.

    Raises :class:`TokenizerError` for a vocabulary too small, an unknown variant or tie-break, a special token
    that is empty or ordinary, and a source with no text in it; ``ValueError`` for a file that isn't UTF-8.

    >>> tok = train("low low low low low lower lower newest newest newest", vocab_size=260)
    >>> tok.merges[0]
    (b'o', b'w')
    """
    chosen = choose_variant(variant, pattern)
    right_to_left = check_direction(chosen, direction)
    specials = _check_arguments(vocab_size, special_tokens, min_frequency, tie_break)
    core = engine.active()
    seconds: dict[str, float] = {}
    memory: dict[str, int] = {}
    stage = _Stages(seconds, memory)

    # A zh tokenizer is counted by whole Han runs: the words are learned from these and then cut in the counts,
    # so that the text is read once only.
    splitter = make_splitter(core, get_variant("zh_run") if chosen.uses_lexicon else chosen, None, right_to_left)
    counter = core.Counter(splitter, specials, threads_or_all(threads))
    count_source(counter, source, progress)
    if counter.distinct == 0:
        raise TokenizerError("there is no text to train on: the source is empty, or holds special tokens only")
    pretokens, distinct = counter.pretokens, counter.distinct
    stage.end("count")

    words: list[str] | None = None
    if chosen.uses_lexicon:
        words = sorted(set(lexicon)) if lexicon is not None else counter.learn_lexicon()
        counter.split_han_words(words)
        stage.end("lexicon")
    elif lexicon is not None:
        raise TokenizerError(f"the variant {shorten(chosen.name)} takes no word list; zh does")

    room = vocab_size - len(BYTES) - len(specials)
    learned = core.learn_merges(counter, room, min_frequency, tie_break, progress)
    stage.end("merge")

    achieved = len(BYTES) + len(specials) + len(learned)
    record = TrainingRecord(
        asked_vocab_size=vocab_size,
        vocab_size=achieved,
        stopped=_why_stopped(achieved, vocab_size, min_frequency),
        min_frequency=min_frequency,
        tie_break=tie_break,
        bytes=counter.bytes,
        pretokens=pretokens,
        distinct_pretokens=distinct,
        lexicon_words=len(words) if words is not None else None,
        seconds=seconds,
        peak_memory_bytes=memory,
        engine=engine.name(),
    )
    merges = [(left, right) for left, right, _ in learned]
    first = len(BYTES) + len(specials)
    vocab = dict(enumerate(BYTES)) | {first + i: a + b for i, (a, b) in enumerate(merges)}
    ids = {text: len(BYTES) + i for i, text in enumerate(specials)}
    tokenizer = BPETokenizer(vocab, merges, ids, chosen.name, lexicon=words, direction=direction, training=record)
    if counted is not None:
        counted(tokenizer, counter)
    return tokenizer


def truncate(tokenizer: BPETokenizer, vocab_size: int) -> BPETokenizer:
    """The tokenizer that training to ``vocab_size`` would have given: all bytes and special tokens, and as
    many of the first merges as fit. Merges nest, so every id that is left means what it meant.

    Raises :class:`TokenizerError` for a size larger than the tokenizer's, or smaller than its bytes and
    specials.
    """
    specials = tokenizer.special_tokens
    special_ids = set(specials.values())
    if tokenizer.has_ranks:
        return _truncate_ranks(tokenizer, special_ids, vocab_size)
    ids = {token: i for i, token in tokenizer.vocab.items() if i not in special_ids}
    base = [byte for byte in BYTES if byte in ids]  # an imported vocabulary may lack those that no text has
    floor = len(base) + len(specials)
    _check_cut(tokenizer, floor, vocab_size)
    if vocab_size == tokenizer.vocab_size:
        return tokenizer
    room = vocab_size - floor
    # Two merges may make one token in an imported list; the trainer's never do.
    made: dict[bytes, None] = {}
    merges = []
    for left, right in tokenizer.merges:
        if left + right not in made and len(made) == room:
            break
        made[left + right] = None
        merges.append((left, right))
    vocab = {ids[token]: token for token in (*base, *made)}
    record = tokenizer.training
    if record is not None:
        stopped = f"cut to {vocab_size:,} of {tokenizer.vocab_size:,}"
        record = replace(record, asked_vocab_size=vocab_size, vocab_size=vocab_size, stopped=stopped)
    return BPETokenizer(
        vocab,
        merges,
        specials,
        tokenizer.variant,
        lexicon=tokenizer.lexicon,
        direction=tokenizer.direction,
        training=record,
        ignore_merges=tokenizer.ignore_merges,
        foreign=tokenizer.foreign,
    )


def _check_cut(tokenizer: BPETokenizer, floor: int, vocab_size: int) -> None:
    if not floor <= vocab_size <= tokenizer.vocab_size:
        raise TokenizerError(
            f"a tokenizer of {tokenizer.vocab_size:,} entries can be cut to sizes from {floor:,} (bytes and "
            f"special tokens) to its own, not to {vocab_size:,}"
        )


def _truncate_ranks(tokenizer: BPETokenizer, special_ids: Collection[int], vocab_size: int) -> BPETokenizer:
    """A vocabulary of ranks always has all bytes; its first ids are its first merges."""
    floor = len(BYTES) + len(special_ids)
    _check_cut(tokenizer, floor, vocab_size)
    if vocab_size == tokenizer.vocab_size:
        return tokenizer
    return tokenizer.with_first_ranks(vocab_size - floor)


def _check_arguments(vocab_size: int, special_tokens: Sequence[str], min_frequency: int, tie_break: str) -> list[str]:
    if isinstance(special_tokens, str):
        raise TypeError("special_tokens is a list of texts; a single text would be read letter by letter")
    if isinstance(special_tokens, Mapping):
        raise TypeError("special_tokens is a list of texts in training: their ids follow the 256 bytes, in order")
    specials = list(special_tokens)
    if wrong := [text for text in specials if not isinstance(text, str)]:
        raise TypeError(f"a special token is a text (str), not {type(wrong[0]).__name__}")
    for name, number in (("vocab_size", vocab_size), ("min_frequency", min_frequency)):
        if isinstance(number, bool) or not isinstance(number, int):
            raise TypeError(f"{name} is a whole number, not {type(number).__name__}")
        if number >= LARGEST_ID:
            raise TokenizerError(f"{name} {number:,} is too large: ids have 32 bits")
    if len(set(specials)) != len(specials):
        raise TokenizerError(f"a special token is listed twice: {specials}")
    for text in specials:
        if not text:
            raise TokenizerError("an empty special token would match everywhere; take it out of special_tokens")
        if len(text.encode()) == 1:
            raise TokenizerError(f"the special token {text!r} is a single byte, which is an ordinary token already")
    floor = len(BYTES) + len(specials)
    if vocab_size < floor:
        raise TokenizerError(
            f"vocab_size {vocab_size:,} is too small: {len(BYTES)} bytes and {len(specials)} special tokens "
            f"need at least {floor:,}"
        )
    if min_frequency < 1:
        raise TokenizerError(f"min_frequency is {min_frequency}; it is at least 1")
    if tie_break not in TIE_BREAKS:
        raise TokenizerError(f"unknown tie_break {tie_break!r}; there are {', '.join(TIE_BREAKS)}")
    return specials


def _why_stopped(achieved: int, asked: int, min_frequency: int) -> str:
    if achieved == asked:
        return f"reached {asked:,}"
    times = {1: NO_PAIR, 2: "no pair occurs twice"}.get(min_frequency, f"no pair occurs {min_frequency} times")
    return f"stopped at {achieved:,} of {asked:,}: {times}"


def _items(source: Source) -> Iterator[str | Path]:
    """The texts and files of a source."""
    if isinstance(source, bytes):
        raise TypeError("a source holds texts (str) and files (Path), not bytes; decode them first")
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    for item in source:
        if isinstance(item, str):
            yield item
        elif isinstance(item, os.PathLike):
            yield Path(item)
        else:
            raise TypeError(f"a source holds texts (str) and files (Path), not {type(item).__name__}")


def count_source(counter: Any, source: Source, progress: Progress | None) -> None:
    """Adds the texts and files of a source to an engine's ``Counter``."""
    batch: list[str] = []
    chars = 0
    for item in _items(source):
        if isinstance(item, Path):
            if not item.is_file():
                raise FileNotFoundError(f"no such file to train on: {item}")
            counter.add_file(str(item), progress)
            continue
        batch.append(well_formed(item))
        chars += len(item)
        if chars >= _BATCH_CHARS:
            counter.add_texts(batch, progress)
            batch, chars = [], 0
    if batch:
        counter.add_texts(batch, progress)


class _Stages:
    """Wall time and peak memory by stage."""

    def __init__(self, seconds: dict[str, float], memory: dict[str, int]) -> None:
        self._seconds, self._memory = seconds, memory
        self._start = time.perf_counter()

    def end(self, name: str) -> None:
        now = time.perf_counter()
        self._seconds[name] = now - self._start
        self._start = now
        if (peak := peak_memory()) is not None:
            self._memory[name] = peak


def peak_memory() -> int | None:
    """The process's peak resident set in bytes, or None where the system doesn't tell."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
