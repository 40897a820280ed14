"""``ladder``: how many tokens a text has at every vocabulary size, from one pass over its pretokens.

The vocabularies of one training nest: that of 8,000 entries is the beginning of that of 32,000. So the merges are
carried out one after the other on the text's pretokens, and after each the count is exactly what encoding by the
tokenizer of that size would give (:func:`tokenizers_impl.training.truncate`).
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from tokenizers_impl.arguments import default_threads
from tokenizers_impl.deferred import dataclass
from tokenizers_impl.errors import TokenizerError
from tokenizers_impl.tokenizer import BPETokenizer
from tokenizers_impl.training import Progress, Source, count_source
from tokenizers_impl.vocabulary import BYTES

if TYPE_CHECKING:
    from tokenizers_impl import _native

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ladder:
    """A text under every size of a tokenizer, from its bytes and special tokens alone to the whole.

    ``tokens[i]`` is for ``sizes[i]``; both have one entry more than there are merges. ``made[k]``: how often merge k
    makes its token, all later merges undone. ``bytes`` and ``pretokens`` are those of the text.
    """

    sizes: Ints
    tokens: Ints
    made: Ints
    bytes: int
    pretokens: int
    byte_counts: Ints
    """How often each of the 256 bytes occurs."""
    parts: Ints
    """Shape (merges, 2): what each merge joins, where bytes are their own numbers and merge k makes 256 + k."""
    ids: Ints
    """The tokenizer's id of each of these numbers; -1 for a byte that its vocabulary leaves out."""

    def at(self, size: int) -> int:
        """The tokens at one vocabulary size. Raises ``KeyError`` for a size that the tokenizer can't be cut to."""
        return int(self.tokens[self._rung(size)])

    def _rung(self, size: int) -> int:
        rung = size - int(self.sizes[0])
        if not 0 <= rung < len(self.sizes):
            raise KeyError(f"the ladder has the sizes {self.sizes[0]:,} to {self.sizes[-1]:,}, not {size:,}")
        return rung

    @property
    def bytes_per_token(self) -> NDArray[np.float64]:
        """For each size; NaN where there is no token, which is where there is no text."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.bytes / self.tokens, dtype=np.float64)

    def id_counts(self, size: int) -> Ints:
        """How often each id from 0 to the tokenizer's largest occurs at a vocabulary size."""
        rung = self._rung(size)
        counts = np.concatenate([self.byte_counts, self.made])
        counts[len(BYTES) + rung :] = 0
        # A merge takes as many of its left and of its right token as it makes.
        np.subtract.at(counts, self.parts[:rung], self.made[:rung, None])
        known = self.ids >= 0
        by_id = np.zeros(int(self.ids.max(initial=-1)) + 1, dtype=np.int64)
        by_id[self.ids[known]] = counts[known]
        return by_id

    @functools.cached_property
    def used(self) -> Ints:
        """How many ids occur, for each size."""
        return self._ids_where(lambda counts: counts > 0)

    def rarer_than(self, times: int) -> Ints:
        """How many ids occur, but less than ``times`` times, for each size."""
        return self._ids_where(lambda counts: (counts > 0) & (counts < times))

    def _ids_where(self, holds: Callable[[Ints], NDArray[np.bool_]]) -> Ints:
        """For each size, how many ids have a count of which ``holds`` is true."""
        # Each merge takes something from its two parts. In the order of parts, and of merges within a part, the sum of
        # what has been taken from a part says what is left of it.
        part, taken = self.parts.ravel(), np.repeat(self.made, 2)
        merge = np.repeat(np.arange(len(self.made)), 2)
        order = np.argsort(part, kind="stable")
        part, taken, merge = part[order], taken[order], merge[order]
        total = np.cumsum(taken)
        begins = np.flatnonzero(np.diff(part, prepend=-1))
        of_others = (total - taken)[begins].repeat(np.diff(begins, append=len(part)))
        left = np.concatenate([self.byte_counts, self.made])[part] - (total - of_others)
        changes = np.zeros(len(self.sizes), dtype=np.int64)
        changes[0] = np.count_nonzero(holds(self.byte_counts))
        changes[1:] += holds(self.made)
        np.add.at(changes, 1 + merge, holds(left).astype(np.int64) - holds(left + taken))
        return np.cumsum(changes)


def ladder(
    tokenizer: BPETokenizer,
    source: Source | Mapping[bytes, int] | _native.Counter,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Ladder:
    """The tokens of a text at every vocabulary size that the tokenizer can be cut to.

    ``source``: texts and files as for :func:`tokenizers_impl.train`, measured as data (text that looks like a special
    token is ordinary text); or pretokens with their counts; or a ``Counter`` of the tokenizer's engine that has
    counted by the tokenizer's own pattern. ``progress`` is called with (stage, done, total) from time to time and may
    raise to stop.

    Needs a tokenizer whose merges nest, each joining bytes and tokens of earlier merges, as all do that are trained
    here. Raises :class:`TokenizerError` for others: vocabularies of ranks, lists of others in which a part comes after
    its whole or a token can be made in two ways, and those that ignore merges for whole pretokens.

    >>> from tokenizers_impl import train
    >>> tok = train("low low low low low lower lower newest newest newest", vocab_size=260)
    >>> rungs = ladder(tok, "the lowest")
    >>> dict(zip(rungs.sizes.tolist(), rungs.tokens.tolist()))
    {256: 10, 257: 9, 258: 8, 259: 7, 260: 7}
    """
    nested = _nested(tokenizer)
    core = tokenizer.engine_module
    if isinstance(source, core.Counter):
        counter: Any = source
    else:
        counter = core.Counter(tokenizer.engine_splitter, [], threads or default_threads())
        if isinstance(source, Mapping):
            counter.add_items(list(source.items()))
        else:
            count_source(counter, cast(Source, source), progress)
    try:
        byte_counts, made = core.replay_merges(counter, nested.pairs, progress)
    except ValueError as error:
        raise TokenizerError(str(error)) from None
    return ladder_of_counts(tokenizer, byte_counts, made, counter.pretokens)


def ladder_of_counts(tokenizer: BPETokenizer, byte_counts: Ints, made: Ints, pretokens: int) -> Ladder:
    """The ladder that these counts of one are all of, the rest being the tokenizer's: for whoever stores them.

    Raises :class:`TokenizerError` as :func:`ladder` does, and for counts of another number of bytes or merges.
    """
    nested = _nested(tokenizer)
    if (len(byte_counts), len(made)) != (len(BYTES), len(nested.pairs)):
        raise TokenizerError(
            f"these are no counts of a ladder of this tokenizer: {len(byte_counts):,} bytes and {len(made):,} merges, "
            f"and not {len(BYTES):,} and {len(nested.pairs):,}"
        )
    size = int(byte_counts.sum())
    tokens = np.full(len(made) + 1, size, dtype=np.int64)
    tokens[1:] -= np.cumsum(made)
    return Ladder(
        sizes=nested.sizes,
        tokens=tokens,
        made=made,
        bytes=size,
        pretokens=pretokens,
        byte_counts=byte_counts,
        parts=nested.parts,
        ids=nested.ids,
    )


@dataclass(frozen=True, eq=False)
class _Nested:
    """What the ladders of a tokenizer have in common, whatever the text; the arrays are shared by all of them."""

    pairs: list[tuple[int, int]]
    parts: Ints
    ids: Ints
    sizes: Ints


_known: weakref.WeakKeyDictionary[BPETokenizer, _Nested] = weakref.WeakKeyDictionary()


def _nested(tokenizer: BPETokenizer) -> _Nested:
    found = _known.get(tokenizer)
    if found is None:
        pairs, ids = nested_merges(tokenizer)
        # As in `truncate`; an imported vocabulary may hold tokens that no merge makes.
        floor = sum(token_id >= 0 for token_id in ids[: len(BYTES)]) + len(tokenizer.special_tokens)
        found = _Nested(
            pairs,
            np.array(pairs, dtype=np.int64).reshape(-1, 2),
            np.array(ids, dtype=np.int64),
            np.arange(floor, floor + len(pairs) + 1, dtype=np.int64),
        )
        for array in (found.parts, found.ids, found.sizes):
            array.flags.writeable = False
        _known[tokenizer] = found
    return found


def nested_merges(tokenizer: BPETokenizer) -> tuple[list[tuple[int, int]], list[int]]:
    """The merges as pairs of numbers, where bytes are their own numbers and merge k makes 256 + k, and the id of each
    number (-1 for a byte that the vocabulary leaves out). Raises :class:`TokenizerError` where merges don't nest."""
    if tokenizer.has_ranks:
        raise TokenizerError(
            "a ladder needs a list of merges; in this vocabulary neighbours merge by the rank of their joined bytes"
        )
    if tokenizer.ignore_merges:
        raise TokenizerError(
            "a ladder follows the merges, and this tokenizer ignores them where a pretoken is a token as a whole"
        )
    numbers = {byte: number for number, byte in enumerate(BYTES)}
    pairs = []
    for k, (left, right) in enumerate(tokenizer.merges, start=1):
        for part in (left, right):
            if part not in numbers:
                raise TokenizerError(
                    f"the merges don't nest, so that sizes can't be read off them: merge {k:,}, {left!r} + {right!r}, "
                    f"needs {part!r}, which no merge before it makes"
                )
        if left + right in numbers:
            raise TokenizerError(
                f"merge {k:,}, {left!r} + {right!r}, makes a token that an earlier merge makes; a ladder needs one way "
                "to each token"
            )
        pairs.append((numbers[left], numbers[right]))
        numbers[left + right] = len(numbers)
    special_ids = set(tokenizer.special_tokens.values())
    ids = {token: i for i, token in tokenizer.vocab.items() if i not in special_ids}
    return pairs, [ids.get(token, -1) for token in numbers]
