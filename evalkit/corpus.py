"""A corpus: documents that can be read again and again, the part held out, and the sample.

What belongs to which side depends on the text of a document alone, never on its place, so that every copy of
a text is on one side and adding files moves nothing. No list of documents is ever held: each pass reads the
files.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from evalkit.embedded import EmbeddedCorpus, embedded_corpus, sha256_of
from evalkit.errors import UserError
from evalkit.readers import Cut, check_cut, read_documents
from evalkit.sources import Source, find_sources, hash_sources
from evalkit.suite_schema import CorpusSpec, SampleSpec
from tokenizers_impl.deferred import dataclass

Split = Literal["all", "train", "eval"]

DEFAULT_FRACTION = 0.1
FEW_DOCUMENTS = 10
_BLOCKS = 100  # about so many blocks for a text of a few documents: enough for 10 % to be several of them
_LARGEST_BLOCK = 65_536


@dataclass(frozen=True)
class CorpusStats:
    """The size of a split; ``dropped_empty`` counts the documents of no characters in the files behind it."""

    documents: int
    bytes: int
    chars: int
    dropped_empty: int


def document_hash(text: str) -> bytes:
    """The SHA-256 of a document's UTF-8 bytes: what a document is known by."""
    return hashlib.sha256(text.encode("utf-8")).digest()


def is_held_out(text: str, fraction: float) -> bool:
    """Whether a document belongs to the part that is measured and never trained on."""
    return int.from_bytes(document_hash(text)[:8], "big") / 2**64 < fraction


class _Documents:
    """The documents of some sources, without empty ones, or a sample of them."""

    def __init__(self, sources: list[Source], cut: Cut, notes: list[str], *, keep_lines: bool) -> None:
        self.sources = sources
        self.dropped_empty = 0
        self._cut = cut
        self._notes = notes
        self._keep_lines = keep_lines
        self._chosen: npt.NDArray[np.bool_] | None = None

    def __iter__(self) -> Iterator[str]:
        if self._chosen is None:
            yield from self._every()
            return
        try:
            for text, chosen in zip(self._every(), self._chosen, strict=True):
                if chosen:
                    yield text
        except ValueError:
            names = ", ".join(source.name for source in self.sources[:3])
            raise UserError(f"{names}: the files changed while they were read") from None

    def refuse_nothing(self) -> None:
        """An error where there is no document at all."""
        if next(iter(self), None) is None:
            names = ", ".join(source.name for source in self.sources[:3])
            raise UserError(f"no documents in {names}: every one of them is empty")

    def _every(self) -> Iterator[str]:
        dropped = 0
        for source in self.sources:
            for number, text in enumerate(read_documents(source, self._cut, self._notes), 1):
                if text:
                    yield text
                elif self._keep_lines:
                    raise UserError(
                        f"{source.name}: document {number} is empty; dropping it would part the lines of a "
                        "parallel corpus from their partners"
                    )
                else:
                    dropped += 1
        self.dropped_empty = dropped

    def sample(self, spec: SampleSpec, seed: int) -> None:
        """Keeps a sample, and notes what it is.

        Every document gets a key from the seed, its text and how many copies of that text came before; the
        documents of the smallest keys are kept, until there are enough of them or one more would pass the
        number of bytes (but always one). So which texts are chosen doesn't depend on the order of files or
        documents, a copy counts like any other document, and a larger sample contains the smaller one. Takes
        16 bytes a document, and some 50 while it sorts.
        """
        hashes, sizes = array("Q"), array("Q")
        for text in self._every():
            data = text.encode("utf-8")
            hashes.append(int.from_bytes(hashlib.sha256(data).digest()[:8], "big"))
            sizes.append(len(data))
        order = np.argsort(_sample_keys(np.array(hashes, dtype=np.uint64), seed), kind="stable")
        if spec.documents is not None:
            kept = spec.documents
        else:
            total = np.cumsum(np.array(sizes, dtype=np.uint64)[order])
            kept = max(1, int(np.searchsorted(total, spec.bytes or 0, side="right")))
        if kept >= len(hashes):
            return
        chosen = np.zeros(len(hashes), dtype=np.bool_)
        chosen[order[:kept]] = True
        self._chosen = chosen
        names = ", ".join(source.name for source in self.sources[:3])
        self._notes.append(f"a sample of {kept} of {len(hashes)} documents of {names}, seed {seed}")


def _sample_keys(hashes: npt.NDArray[np.uint64], seed: int) -> npt.NDArray[np.uint64]:
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    index = np.arange(len(hashes), dtype=np.int64)
    starts = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    copies = np.empty(len(hashes), dtype=np.uint64)
    copies[order] = (index - np.maximum.accumulate(np.where(starts, index, 0))).astype(np.uint64)
    salt = _mix(np.array([seed], dtype=np.uint64))
    return _mix(_mix(hashes ^ salt) + copies)


def _mix(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """SplitMix64 (Steele, Lea, Flood 2014): one well-mixed number for each."""
    mixed: npt.NDArray[np.uint64] = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def cut_at_line_ends(text: str, size: int) -> Iterator[str]:
    r"""Blocks of whole lines, each of at least ``size`` characters but the last; joined they are the text.

    >>> list(cut_at_line_ends("a\nb\nc", 3))
    ['a\nb\n', 'c']
    """
    start = 0
    while start < len(text):
        end = text.find("\n", start + max(size, 1) - 1) + 1
        yield text[start : end or len(text)]
        start = end or len(text)


IN_BLOCKS = "the text is cut into blocks"
"""In the note of a corpus whose documents are so few that parts of them are held out."""


@dataclass(frozen=True)
class _Parts:
    """The iterators behind the three splits; without ``train``, there is no split."""

    all: Callable[[], Iterator[str]]
    train: Callable[[], Iterator[str]] | None = None
    eval: Callable[[], Iterator[str]] | None = None


class Corpus:
    """One corpus of a suite; see ``open_corpus``.

    ``documents`` starts a new pass over the files at every call. ``split_name`` is what is measured.
    ``files`` are the names of the files read (``files`` of the suite, then those of ``eval``), and ``sha256``
    is over their contents in this order (for an embedded corpus, what the manifest says). ``notes`` say what
    a reader of the report should know.
    """

    def __init__(self, name: str, spec: CorpusSpec, *, base_dir: Path, seed: int, trained_on: bool) -> None:
        self.name = name
        self.spec = spec
        self.notes: list[str] = []
        embedded = embedded_corpus(spec.builtin) if spec.builtin is not None else None
        self.language = spec.language or (embedded.language if embedded else "und")
        self.domain = spec.domain or (embedded.domain if embedded else "unspecified")
        self.segmenter = spec.segmenter
        self.parallel = spec.parallel
        with _naming(name):
            cut, sources = self._find(base_dir, embedded)
            self.files = [source.name for part in sources for source in part]
            self.sha256 = self._hash(sources, embedded)
            self._sets = [_Documents(part, cut, self.notes, keep_lines=spec.parallel is not None) for part in sources]
            for part in self._sets:
                part.refuse_nothing()
                if spec.sample is not None:
                    part.sample(spec.sample, seed)
            self._parts = self._split(trained_on)
        self.split_name: Split = "all" if self._parts.eval is None else "eval"
        self._stats: dict[Split, CorpusStats] = {}

    def documents(self, split: Split = "all") -> Iterator[str]:
        """The documents of a split, streamed; ``train`` and ``eval`` exist where something is held out."""
        chosen: Callable[[], Iterator[str]] | None = getattr(self._parts, split)
        if chosen is None:
            raise ValueError(f"the corpus {self.name!r} has no part {split!r}: nothing of it is held out")
        return chosen()

    def stats(self, split: Split | None = None) -> CorpusStats:
        """The size of a split (by default the one that is measured); takes a pass the first time."""
        split = split or self.split_name
        if split not in self._stats:
            documents = size = chars = 0
            for text in self.documents(split):
                documents += 1
                size += len(text.encode("utf-8"))
                chars += len(text)
            behind = {"all": self._sets, "train": self._sets[:1], "eval": self._sets[-1:]}[split]
            dropped = sum(part.dropped_empty for part in behind)
            self._stats[split] = CorpusStats(documents, size, chars, dropped)
        return self._stats[split]

    def _find(self, base_dir: Path, embedded: EmbeddedCorpus | None) -> tuple[Cut, list[list[Source]]]:
        """The files, and those of ``eval`` where there are any."""
        spec = self.spec
        cut = Cut(spec.separator, spec.document, spec.field, spec.invalid_utf8)
        patterns = [spec.files or ()]
        if embedded is not None:
            cut = Cut(embedded.separator, embedded.document, embedded.field, spec.invalid_utf8)
            patterns = [tuple(str(file.path) for file in embedded.part(spec.language))]
        if spec.eval is not None and spec.eval.files is not None:
            patterns.append(spec.eval.files)
        sources = [find_sources(part, base_dir, self.notes) for part in patterns]
        for source in (source for part in sources for source in part):
            check_cut(source, cut)
        if spec.parallel is not None and embedded is None and not spec.given("separator", "document", "field"):
            cut = replace(cut, document="line")  # what is parallel are lines; what isn't text was refused above
        training = {source.identity for source in sources[0]}
        for source in (source for part in sources[1:] for source in part):
            if source.identity in training:
                raise UserError(
                    f"{source.name} is both in files and in eval: files, so what is measured would be trained on"
                )
        return cut, sources

    def _hash(self, sources: list[list[Source]], embedded: EmbeddedCorpus | None) -> str:
        if embedded is not None and len(sources) == 1:
            part = embedded.part(self.spec.language)
            found = embedded.sha256 if part == embedded.files else sha256_of(part)
        else:
            found = hash_sources(source for part in sources for source in part)
        if self.spec.sha256 not in (None, found):
            raise UserError(
                f"the SHA-256 of {', '.join(self.files[:3])} is {found}, and the suite says "
                f"{self.spec.sha256}; the files are not those that the suite was written for"
            )
        return found

    def _split(self, trained_on: bool) -> _Parts:
        files = self._sets[0]
        if len(self._sets) == 2:
            held_out = self._sets[1]
            return _Parts(lambda: chain(files, held_out), lambda: iter(files), lambda: iter(held_out))
        if self.spec.eval is None and not trained_on:
            return _Parts(lambda: iter(files))
        fraction = self.spec.eval.fraction if self.spec.eval is not None else None
        return self._split_by_hash(files, DEFAULT_FRACTION if fraction is None else fraction)

    def _split_by_hash(self, files: _Documents, fraction: float) -> _Parts:
        pieces = self._pieces(files)

        def train() -> Iterator[str]:
            return (text for text in pieces() if not is_held_out(text, fraction))

        def held_out() -> Iterator[str]:
            return (text for text in pieces() if is_held_out(text, fraction))

        for part, purpose in ((train, "train on"), (held_out, "measure")):
            if next(part(), None) is None:
                raise UserError(
                    f"nothing is left to {purpose} when {fraction:g} of the text is held out by hash; it is "
                    "too small, or one text over and over: give eval: {files: […]} or another "
                    "eval: {fraction: …}"
                )
        return _Parts(lambda: iter(files), train, held_out)

    def _pieces(self, files: _Documents) -> Callable[[], Iterator[str]]:
        """Whole documents, or, of a text with only a few, blocks of lines."""
        lengths = [len(text) for text in islice(files, FEW_DOCUMENTS)]
        if len(lengths) == FEW_DOCUMENTS:
            return lambda: iter(files)
        size = min(_LARGEST_BLOCK, max(1, sum(lengths) // _BLOCKS))
        self.notes.append(
            f"only {len(lengths)} {'document' if len(lengths) == 1 else 'documents'}: {IN_BLOCKS}"
            f" at line ends, of at least {size} characters, and blocks are held out"
        )
        return lambda: (block for text in files for block in cut_at_line_ends(text, size))


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Puts the corpus in front of an error about one of its files."""
    try:
        yield
    except UserError as error:
        raise UserError(f"corpus {name!r}: {error}") from None


def open_corpus(name: str, spec: CorpusSpec, *, base_dir: Path, seed: int, trained_on: bool) -> Corpus:
    """A corpus that is there, matches its hash, holds text and has something on each side of its split.

    ``trained_on``: whether some tokenizer is trained on it; then part of it is held out even where the suite
    says nothing of ``eval``. The ``sample`` is drawn from ``files`` and from the files of ``eval``, each for
    itself, before anything is held out.
    """
    return Corpus(name, spec, base_dir=base_dir, seed=seed, trained_on=trained_on)
