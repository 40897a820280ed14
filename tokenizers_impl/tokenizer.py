"""``BPETokenizer``: a vocabulary, its merges, its special tokens and its split pattern, on whichever engine serves.

NumPy is imported where arrays are made: a vocabulary is loaded and used without, in less time than NumPy takes to come.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from tokenizers_impl import engine
from tokenizers_impl.arguments import refuse_one_text, threads_or_all, well_formed
from tokenizers_impl.decoding import Decoding
from tokenizers_impl.errors import TokenizerError
from tokenizers_impl.records import TrainingRecord
from tokenizers_impl.registry import LEFT_TO_RIGHT
from tokenizers_impl.vocabulary import (
    BYTES,
    NEVER_IN_TEXT,
    Merges,
    SpecialTokens,
    TokenView,
    Vocab,
    check_merges,
    check_vocabulary,
    special_ids,
    stand_ins,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tokenizers_impl import _native


T = TypeVar("T")


MOST_SPECIAL_SETS = 64  # kept: selections of special tokens that calls allow or refuse

# What an engine raises for a lone surrogate, or for what is no text at all: the second try, with `well_formed`, mends
# the one and names the other. Looking at every text first would cost more than encoding a short one.
NOT_WELL_FORMED = (UnicodeEncodeError, TypeError, AttributeError)


class BPETokenizer(Decoding):
    """A byte-level BPE tokenizer. Immutable: every property is fixed when it is built.

    ``vocab``: bytes by id, all 256 single bytes among them; ids may have gaps. It may hold the special tokens
    or leave them out. ``merges``: pairs of token bytes, the first merged first. ``special_tokens``: ids by text,
    or the texts alone (each then keeps the id that ``vocab`` has for its bytes, or gets the next free one).
    ``pattern``: the name of a registered variant, or a regular expression (:mod:`tokenizers_impl.patterns.parse` says
    which can be matched exactly; what one doesn't match is a pretoken of its own). ``lexicon``: the words of ``zh``.
    ``direction``: from which end of a number its groups of three digits are counted, ``left_to_right`` or
    ``right_to_left``. ``ignore_merges``: a pretoken that is a token is that token, whatever the merges make of it.
    ``foreign``: for vocabularies of others, which may leave out the 13 bytes that no UTF-8 text has, and have special
    tokens whose text is an ordinary token.

    Raises :class:`TokenizerError` for a vocabulary that could lose text, a merge whose parts or whole aren't in
    the vocabulary, a merge listed twice, an empty special token, and one that ordinary text already yields as
    one token.

    >>> tok = BPETokenizer(dict(enumerate(BYTES)) | {256: b"ab"}, [(b"a", b"b")], {"<s>": 257})
    >>> tok.encode("ab<s>c", allowed_special="all")
    [256, 257, 99]
    """

    def __init__(
        self,
        vocab: Vocab,
        merges: Merges,
        special_tokens: SpecialTokens = (),
        pattern: str = "gpt2",
        *,
        lexicon: Collection[str] | None = None,
        direction: str = LEFT_TO_RIGHT,
        training: TrainingRecord | None = None,
        ignore_merges: bool = False,
        foreign: bool = False,
    ) -> None:
        ordinary = dict(vocab.items())
        specials = special_ids(ordinary, merges, special_tokens)
        for token_id in specials.values():
            ordinary.pop(token_id, None)
        ids = check_vocabulary(ordinary, NEVER_IN_TEXT if foreign else frozenset())
        triples = check_merges(merges, ids)
        self._setup(engine.active().Vocabulary(list(ordinary.items())), specials, pattern, lexicon, direction, training)
        self._merges: tuple[tuple[bytes, bytes], ...] | None = tuple((a, b) for a, b in merges)
        self._ignore_merges, self._foreign = ignore_merges, foreign
        tokens = [*ordinary.items(), *stand_ins(ordinary, ids)]
        self._encoder: _native.Encoder = engine.active().Encoder(self._splitter, tokens, triples, ignore_merges)
        if not foreign:
            self._check_specials_are_not_words()

    @classmethod
    def from_ranks(
        cls,
        ranks: Mapping[bytes, int],
        special_tokens: Mapping[str, int],
        pattern: str,
        direction: str = LEFT_TO_RIGHT,
    ) -> BPETokenizer:
        """A vocabulary in which the id is the rank, as in a ``.tiktoken`` file: two neighbours merge when their
        joined bytes are a token, and a pretoken that is a token is that token."""
        ordinary = {token_id: token for token, token_id in ranks.items()}
        if len(ordinary) != len(ranks):
            raise TokenizerError("two tokens have the same rank; each needs its own")
        check_vocabulary(ordinary)
        vocabulary = engine.active().Vocabulary(list(ordinary.items()))
        return cls._from_vocabulary(vocabulary, special_tokens, pattern, direction)

    @classmethod
    def from_ranks_file(
        cls, data: bytes, special_tokens: Mapping[str, int], pattern: str, direction: str = LEFT_TO_RIGHT
    ) -> BPETokenizer | None:
        """:meth:`from_ranks` of the content of a ``.tiktoken`` file, without an object for each token. None for a file
        that isn't exactly as tiktoken writes them, or lacks a byte: :mod:`tokenizers_impl.formats.tiktoken_ranks` has
        the words for what is wrong with it."""
        vocabulary = engine.active().Vocabulary.parse_ranks(data)
        if vocabulary is None or sum(len(token) == 1 for _, token in vocabulary.first(0).items()) < len(BYTES):
            return None
        return cls._from_vocabulary(vocabulary, special_tokens, pattern, direction)

    def with_first_ranks(self, room: int) -> BPETokenizer:
        """Of a vocabulary of ranks: all its bytes and special tokens, and the first ``room`` other tokens."""
        assert self.has_ranks
        return self._from_vocabulary(
            self._ordinary.vocabulary.first(room), self._specials, self.variant, self.direction
        )

    @classmethod
    def _from_vocabulary(
        cls, vocabulary: _native.Vocabulary, special_tokens: Mapping[str, int], pattern: str, direction: str
    ) -> BPETokenizer:
        """By rank, of tokens that are known to be sound."""
        self = cls.__new__(cls)
        specials = special_ids(TokenView(vocabulary), (), special_tokens)
        self._setup(vocabulary, specials, pattern, None, direction, None)
        self._merges = None
        self._ignore_merges, self._foreign = True, False
        self._encoder = vocabulary.encoder(self._splitter)
        self._check_specials_are_not_words()
        return self

    def _check_specials_are_not_words(self) -> None:
        for special in self._specials:
            if len(self._encoder.encode_ordinary(special)) == 1:
                raise TokenizerError(
                    f"the special token {special!r} is one ordinary token already, so that plain text would be "
                    "taken for it; choose a text that no ordinary token has"
                )

    # ── text to ids ─────────────────────────────────────────────────────────────────────────────────────

    def encode(
        self,
        text: str,
        allowed_special: Literal["all"] | Set[str] = frozenset(),
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> list[int]:
        """The ids of ``text``. Both arguments have tiktoken's meaning: text equal to an allowed special token
        becomes its id; text equal to a disallowed one (by default, every one that isn't allowed) raises
        ``ValueError``; what is neither is ordinary text.

        Special tokens are located first, leftmost and longest.
        """
        allowed = self._allowed([text], allowed_special, disallowed_special)
        try:
            return self._encoder.encode(text, allowed) if allowed else self._encoder.encode_ordinary(text)
        except NOT_WELL_FORMED:
            return self.encode(well_formed(text), allowed_special, disallowed_special)

    def encode_ordinary(self, text: str) -> list[int]:
        """The ids of ``text`` as data: text that looks like a special token is ordinary text."""
        try:
            return self._encoder.encode_ordinary(text)
        except NOT_WELL_FORMED:
            return self._encoder.encode_ordinary(well_formed(text))

    def encode_batch(
        self,
        texts: Sequence[str],
        threads: int | None = None,
        allowed_special: Literal["all"] | Set[str] = frozenset(),
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> list[list[int]]:
        """``encode`` of each text, on ``threads`` threads (default: all processors)."""
        refuse_one_text(texts)
        allowed = self._allowed(texts, allowed_special, disallowed_special)
        return _rows(*self._on_all(self._encoder.encode_batch, texts, threads_or_all(threads), allowed))

    def encode_ordinary_batch(
        self, texts: Sequence[str], threads: int | None = None
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """``encode_ordinary`` of all texts as one array of ids and ``len(texts) + 1`` offsets into it. A long text
        among short ones is cut for the threads as well."""
        refuse_one_text(texts)
        return self._on_all(self._encoder.encode_batch, texts, threads_or_all(threads), None)

    def encode_to_numpy(
        self,
        text: str,
        threads: int | None = None,
        allowed_special: Literal["all"] | Set[str] = frozenset(),
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> NDArray[np.uint32]:
        """``encode`` as an array: for a long text the list would take several times as long to make as the ids, and
        ten times the memory. On ``threads`` threads (default: all processors)."""
        allowed = self._allowed([text], allowed_special, disallowed_special)
        return self._on_one(self._encoder.encode_array, text, threads_or_all(threads), allowed)

    def encode_ordinary_numpy(self, text: str, threads: int | None = None) -> NDArray[np.uint32]:
        """``encode_ordinary`` as an array, as ``encode_to_numpy`` is; the text is cut for the threads where no
        pretoken can span the cut."""
        return self._on_one(self._encoder.encode_array, text, threads_or_all(threads), None)

    def encode_parallel(self, text: str, threads: int | None = None) -> NDArray[np.uint32]:
        """Another name of :meth:`encode_ordinary_numpy`."""
        return self.encode_ordinary_numpy(text, threads)

    def encode_iterable(
        self,
        chunks: Iterable[str],
        allowed_special: Literal["all"] | Set[str] = frozenset(),
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> Iterator[int]:
        """The ids of the joined chunks, one by one; the same as ``encode`` of the joined text however it is cut."""
        from tokenizers_impl.streaming import encode_stream

        return encode_stream(self, chunks, allowed_special, disallowed_special)

    def encode_open(self, text: str) -> tuple[list[int], str]:
        """The ordinary ids that no continuation of ``text`` can change, and the text that they leave over; for
        encoding in pieces (:class:`tokenizers_impl.streaming.StreamEncoder`)."""
        return self._encoder.encode_open(text)

    def count(self, text: str, threads: int | None = None) -> int:
        """``len(encode_ordinary(text))`` without making the ids."""
        return self._on_one(self._encoder.count, text, threads_or_all(threads))

    def count_batch(self, texts: Sequence[str], threads: int | None = None) -> NDArray[np.int64]:
        """``count`` of each text, on ``threads`` threads (default: all processors)."""
        return self._on_all(self._encoder.count_batch, texts, threads_or_all(threads))

    def forget(self) -> None:
        """Frees what is kept to encode faster (up to 16 MiB for each thread that a call had); results don't depend on
        it."""
        self._encoder.forget()

    @staticmethod
    def _on_one(work: Callable[..., T], text: str, *rest: Any) -> T:
        # The engine refuses lone surrogates. Looking for them first would read every text twice.
        try:
            return work(text, *rest)
        except NOT_WELL_FORMED:
            return work(well_formed(text), *rest)

    @staticmethod
    def _on_all(work: Callable[..., T], texts: Sequence[str], *rest: Any) -> T:
        try:
            return work(texts, *rest)
        except NOT_WELL_FORMED:
            return work([well_formed(text) for text in texts], *rest)

    def pretokenize(self, text: str) -> list[str]:
        """The pretokens of ``text``; they join to it."""
        return self._splitter.split(well_formed(text))

    def _allowed(
        self,
        texts: Iterable[str],
        allowed_special: Literal["all"] | Set[str],
        disallowed_special: Literal["all"] | Collection[str],
    ) -> Any:
        """The engine's set of allowed specials, or None where there are none; raises for a disallowed one."""
        if disallowed_special == "all" and not allowed_special:
            allowed, refused = None, self._all_specials
        else:
            some, others = self.special_policy(allowed_special, disallowed_special)
            allowed, refused = self._special_set(some), self._special_set(others)
        if refused is not None:
            for text in texts:
                try:
                    found = refused.find_first(text)
                except NOT_WELL_FORMED:
                    found = refused.find_first(well_formed(text))
                if found is not None:
                    raise ValueError(self.refusal(found))
        return allowed

    @functools.cached_property
    def _all_specials(self) -> Any:
        return self._special_set(frozenset(self._specials))

    def special_policy(
        self, allowed_special: Literal["all"] | Set[str], disallowed_special: Literal["all"] | Collection[str]
    ) -> tuple[frozenset[str], frozenset[str]]:
        """(the texts that become special tokens, the texts that are refused), by tiktoken's two arguments."""
        known = frozenset(self._specials)
        allowed = known if allowed_special == "all" else known & frozenset(allowed_special)
        refused = known - allowed if disallowed_special == "all" else frozenset(disallowed_special)
        return allowed, refused

    @staticmethod
    def refusal(special: str) -> str:
        """What to tell somebody whose text contains a disallowed special token."""
        return (
            f"the text contains the special token {special!r}. To encode it as that token, pass "
            f"allowed_special={{{special!r}, …}}; to encode it as plain text, pass disallowed_special=() "
            "or use encode_ordinary"
        )

    def _special_set(self, texts: frozenset[str]) -> Any:
        if not texts:
            return None
        found = self._special_sets.get(texts)
        if found is None:
            if len(self._special_sets) >= MOST_SPECIAL_SETS:  # of a caller that asks for others at every call
                self._special_sets.clear()
            # Texts that are no special token of ours may be disallowed as well: their id is never asked for.
            items = [(text, self._specials.get(text, 0)) for text in sorted(texts) if text]
            found = self._special_sets[texts] = self._engine.Specials(items)
        return found

    def tokens(self, text: str) -> list[bytes]:
        """The bytes of each token of ``text``."""
        return [self._ordinary[token_id] for token_id in self.encode_ordinary(text)]

    def tokenize(self, text: str) -> list[str]:
        """The tokens of ``text`` in readable form; bytes that aren't text alone appear as ``\\xNN``."""
        return [token.decode("utf-8", "backslashreplace") for token in self.tokens(text)]

    # ── files ───────────────────────────────────────────────────────────────────────────────────────────

    def save(self, path: str | os.PathLike[str], format: str = "evalkit") -> Path:
        """Writes the tokenizer, atomically; returns the path. See :mod:`tokenizers_impl.formats`."""
        from tokenizers_impl import formats

        return formats.save(self, Path(path), format)

    @classmethod
    def from_files(
        cls,
        vocab_path: str | os.PathLike[str],
        merges_path: str | os.PathLike[str],
        special_tokens: SpecialTokens = (),
        pattern: str = "gpt2",
    ) -> BPETokenizer:
        """A vocabulary file and a merges file; see :mod:`tokenizers_impl.formats`."""
        from tokenizers_impl import formats

        return formats.from_files(Path(vocab_path), Path(merges_path), special_tokens, pattern)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by content, so that a process pool can take it whatever engine serves there."""
        labels = {"origin": self.origin, "source": self.source, "notes": self.notes}
        if self.has_ranks:
            ranks = {token: token_id for token_id, token in self._ordinary.items()}
            return BPETokenizer.from_ranks, (ranks, self._specials, self.variant, self.direction), labels
        rest = {
            "lexicon": self._lexicon,
            "direction": self.direction,
            "training": self.training,
            "ignore_merges": self._ignore_merges,
            "foreign": self._foreign,
        }
        arguments = (dict(self._ordinary.items()), self.merges, self._specials, self.variant)
        return _rebuild, (arguments, rest), labels


def _rebuild(arguments: tuple[Any, ...], rest: dict[str, Any]) -> BPETokenizer:
    return BPETokenizer(*arguments, **rest)


def _rows(ids: NDArray[np.uint32], offsets: NDArray[np.int64]) -> list[list[int]]:
    flat = ids.tolist()
    return [flat[start:end] for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]
