"""What a tokenizer is, beside what it does: its vocabulary, merges, special tokens and split pattern, fixed when it is
built, and the fingerprint of them all."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenizers_impl import engine
from tokenizers_impl.errors import TokenizerError, shorten
from tokenizers_impl.records import TrainingRecord
from tokenizers_impl.registry import LEFT_TO_RIGHT, RIGHT_TO_LEFT, check_direction, get_variant
from tokenizers_impl.splitters import make_splitter
from tokenizers_impl.vocabulary import TokenView

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tokenizers_impl import _native


class TokenizerFacts:
    """The base of :class:`tokenizers_impl.tokenizer.BPETokenizer`, which builds it and encodes."""

    _encoder: _native.Encoder
    _merges: tuple[tuple[bytes, bytes], ...] | None
    _ignore_merges: bool
    _foreign: bool

    def _setup(
        self,
        vocabulary: _native.Vocabulary,
        specials: dict[str, int],
        pattern: str,
        lexicon: Collection[str] | None,
        direction: str,
        training: TrainingRecord | None,
    ) -> None:
        self._variant = get_variant(pattern)
        self._right_to_left = check_direction(self._variant, direction)
        if self._variant.uses_lexicon and lexicon is None:
            raise TokenizerError(f"the variant {shorten(pattern)} needs a word list; pass lexicon=")
        if lexicon is not None and not self._variant.uses_lexicon:
            raise TokenizerError(f"the variant {shorten(pattern)} takes no word list; zh does")
        self._lexicon = tuple(sorted(set(lexicon))) if lexicon is not None else None
        self._engine = engine.active()
        self._engine_name = engine.name()
        self._splitter = make_splitter(self._engine, self._variant, self._lexicon, self._right_to_left)
        self._ordinary = TokenView(vocabulary)
        self._specials = specials
        self._special_sets: dict[frozenset[str], _native.Specials] = {}
        self.training = training
        """How it was trained (seconds and peak memory by stage, why it stopped), or None where it was imported."""
        self.origin: str | None = None
        """The published encoding it was made from, such as ``cl100k_base``. A label: no id depends on it, and it
        is no part of the fingerprint."""
        self.source: Path | None = None
        """The file it was imported from, by which its upstream can be built; None where it has no upstream or is
        known by :attr:`origin`. Kept in pickles, not in files."""
        self.notes: tuple[str, ...] = ()
        """What the importer left out or changed in meaning, each a sentence. Kept in pickles, not in files."""

    @functools.cached_property
    def vocab(self) -> dict[int, bytes]:
        """Bytes by id, special tokens included, in order of id."""
        whole = dict(self._ordinary.items()) | {token_id: text.encode() for text, token_id in self._specials.items()}
        return dict(sorted(whole.items()))

    @functools.cached_property
    def merges(self) -> tuple[tuple[bytes, bytes], ...]:
        """The merges in order of rank. For a vocabulary of ranks: the pair that builds each token from its bytes;
        a token that merging can't build has none."""
        if self._merges is not None:
            return self._merges
        tokens = dict(self._ordinary.items())
        return tuple((tokens[left], tokens[right]) for left, right, _ in self._encoder.merges())

    @property
    def has_ranks(self) -> bool:
        """Whether neighbours merge by the rank of their joined bytes (tiktoken's rule) rather than by a merge list."""
        return self._merges is None

    @property
    def ignore_merges(self) -> bool:
        """Whether a pretoken that is a token is that token even where merging gives something else."""
        return self._ignore_merges

    @property
    def foreign(self) -> bool:
        """Whether it was built with what only vocabularies of others may have."""
        return self._foreign

    @property
    def special_tokens(self) -> dict[str, int]:
        """Ids by text."""
        return dict(self._specials)

    @property
    def vocab_size(self) -> int:
        """All entries: 256 bytes, merges, specials. Gaps between ids don't count; see :attr:`max_id`."""
        return len(self._ordinary) + len(self._specials)

    @property
    def max_id(self) -> int:
        """The largest id; larger than ``vocab_size - 1`` where ids have gaps."""
        return max(self._ordinary.largest, max(self._specials.values(), default=0))

    @property
    def variant(self) -> str:
        """The name of the split pattern; one's own pattern is its name."""
        return self._variant.name

    @property
    def pattern(self) -> str:
        """The split pattern itself."""
        return self._variant.pattern

    @property
    def direction(self) -> str:
        """``right_to_left`` where groups of digits are counted from the right end of a number."""
        return RIGHT_TO_LEFT if self._right_to_left else LEFT_TO_RIGHT

    @property
    def pattern_engine(self) -> str:
        """What cuts texts: ``hand-written``, ``general`` (one's own patterns) or ``reference``."""
        return self._splitter.engine

    @property
    def streams(self) -> bool:
        """Whether ids are certain before the text has ended. Where they are not, encoding in pieces holds the whole
        document, and one text is encoded on one thread: so with ``bytes_only``, and with one's own patterns, about
        which nothing is proved."""
        return self._splitter.streams

    @property
    def lexicon(self) -> tuple[str, ...] | None:
        """The frozen word list of a ``zh`` tokenizer, sorted; None elsewhere."""
        return self._lexicon

    @property
    def engine(self) -> str:
        """``native`` or ``reference``."""
        return self._engine_name

    @property
    def engine_module(self) -> Any:
        """The engine itself, which :attr:`engine_splitter` and :attr:`engine_encoder` belong to."""
        return self._engine

    @property
    def engine_splitter(self) -> Any:
        """The engine's ``Splitter``, for building a ``Scorer`` over tokenizers of equal :attr:`splitter_key`."""
        return self._splitter

    @property
    def engine_encoder(self) -> Any:
        """The engine's ``Encoder``, for building a ``Scorer``."""
        return self._encoder

    @property
    def engine_vocabulary(self) -> Any:
        """The engine's ``Vocabulary`` of all tokens but the special ones: their bytes without an object for each."""
        return self._ordinary.vocabulary

    @property
    def token_lengths(self) -> NDArray[np.int64]:
        """How many bytes each id from 0 to the largest has; 0 for special tokens and for ids that aren't used."""
        import numpy as np

        vocabulary = self.engine_vocabulary
        lengths = np.zeros(self._ordinary.largest + 1, dtype=np.int64)
        lengths[vocabulary.ids()] = vocabulary.lengths()
        return lengths

    @functools.cached_property
    def fingerprint(self) -> str:
        """SHA-256 over everything that decides an id: equal fingerprints give equal ids for every text."""
        merges: Any = "ranks" if self.has_ranks else [[a.hex(), b.hex()] for a, b in self.merges]
        content = {
            "pattern": self.pattern,
            "variant_version": self._variant.version,
            "unicode": self._engine.unicode_version(),
            "lexicon": self._lexicon,
            "merges": merges,
            "special_tokens": sorted(self._specials.items()),
        }
        if self._ignore_merges and not self.has_ranks:  # left out elsewhere, as it was before there was the choice
            content["ignore_merges"] = True
        if self._right_to_left:
            content["direction"] = self.direction
        canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
        # The vocabulary is the last of the sorted keys, and by far the largest: written as JSON would write it.
        parts = (canonical[:-1].encode(), b',"vocab":[', self.engine_vocabulary.listed(), b"]}")
        return hashlib.sha256(b"".join(parts)).hexdigest()

    @functools.cached_property
    def splitter_key(self) -> str:
        """Equal for two tokenizers that cut every text into the same pretokens; such are scored in one pass."""
        words = json.dumps(self._lexicon)
        direction = f" {self.direction}" if self._right_to_left else ""
        return f"{self.pattern}{direction} {hashlib.sha256(words.encode()).hexdigest()[:16]}"

    def __repr__(self) -> str:
        short = self.fingerprint[:12]
        return f"BPETokenizer({shorten(self.variant)}, vocab_size={self.vocab_size}, fingerprint={short!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TokenizerFacts) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)
