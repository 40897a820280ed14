"""The pure-Python engine: the oracle that the compiled core is compared with, and the fallback without it.

Same classes as ``tokenizers_impl._native`` (see ``_native.pyi``), in code that is obvious rather than fast.
How texts are split is in ``tokenizers_impl.reference_splitter``.
"""

from __future__ import annotations

import heapq
from collections import Counter as Multiset
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tokenizers_impl import unicode_data
from tokenizers_impl.engine import API_VERSION as API_VERSION
from tokenizers_impl.lexicon import MAX_WORD, cut_han_run, learn_lexicon
from tokenizers_impl.reference_merges import learn_merges as learn_merges
from tokenizers_impl.reference_merges import replay_merges as replay_merges
from tokenizers_impl.reference_places import Marks as Marks
from tokenizers_impl.reference_places import Places as Places
from tokenizers_impl.reference_places import count_words as count_words
from tokenizers_impl.reference_places import pair_counts
from tokenizers_impl.reference_places import segmenter_version as segmenter_version
from tokenizers_impl.reference_places import words as words
from tokenizers_impl.reference_splitter import Splitter as Splitter
from tokenizers_impl.reference_splitter import groups_joined
from tokenizers_impl.reference_vocabulary import Vocabulary as Vocabulary
from tokenizers_impl.reference_vocabulary import token_numbers as token_numbers
from tokenizers_impl.specials import special_pattern

Progress = Callable[[str, int, int], None]

# The pretokens at the end of a text that more text could change. One is too few: `'` + `l` becomes `'ll`, and `it`
# before `'` + `s` was certain only when `s` had come.
HELD_PRETOKENS = 2


def unicode_version() -> str:
    return unicode_data.UNICODE_VERSION


def release_memory() -> None:
    """There is nothing to give back."""


class Specials:
    """A set of special tokens, located leftmost-longest."""

    def __init__(self, tokens: list[tuple[str, int]]) -> None:
        self.ids = dict(tokens)
        self._pattern = special_pattern(self.ids)

    def find_first(self, text: str) -> str | None:
        match = self._pattern.search(text) if self._pattern else None
        return match.group() if match else None

    def cut(self, text: str) -> Iterator[tuple[str, bool]]:
        """(piece, whether it is a special token), in order; empty pieces are left out."""
        end = 0
        for match in self._pattern.finditer(text) if self._pattern else ():
            if match.start() > end:
                yield text[end : match.start()], False
            yield match.group(), True
            end = match.end()
        if end < len(text):
            yield text[end:], False


class Counter:
    """The multiset of a training text's pretokens."""

    def __init__(self, splitter: Splitter, specials: list[str], threads: int) -> None:
        self._splitter = splitter
        self._specials = Specials([(text, 0) for text in specials])
        self._counts: Multiset[bytes] = Multiset()
        self.bytes = 0

    def add_texts(self, texts: list[str], progress: Progress | None = None) -> None:
        for done, text in enumerate(texts):
            if progress and done % 100 == 0:
                progress("count", done, len(texts))
            for piece, special in self._specials.cut(text):
                if not special:
                    self.bytes += len(piece.encode())
                    self._counts.update(pretoken.encode() for pretoken in self._splitter.split(piece))

    def add_file(self, path: str, progress: Progress | None = None) -> None:
        try:
            text = Path(path).read_bytes().decode()
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}: not UTF-8 at byte {error.start}") from None
        self.add_texts([text.removeprefix("\ufeff")], progress)

    def add_items(self, items: list[tuple[bytes, int]]) -> None:
        for pretoken, count in items:
            self._counts[pretoken] += count
            self.bytes += len(pretoken) * count

    def split_han_words(self, lexicon: list[str]) -> None:
        words = frozenset(lexicon)
        counts: Multiset[bytes] = Multiset()
        for pretoken, count in self._counts.items():
            run = pretoken.decode()
            for word in cut_han_run(run, words) if unicode_data.is_han(ord(run[0])) else (run,):
                counts[word.encode()] += count
        self._counts = counts

    def learn_lexicon(self) -> list[str]:
        runs = {}
        for pretoken, count in self._counts.items():
            run = pretoken.decode(errors="replace")  # U+FFFD isn't Han
            if run and count and all(unicode_data.is_han(ord(character)) for character in run):
                runs[run] = count
        return learn_lexicon(runs)

    def items(self) -> list[tuple[bytes, int]]:
        return sorted(self._counts.items())

    @property
    def pretokens(self) -> int:
        return sum(self._counts.values())

    @property
    def distinct(self) -> int:
        return len(self._counts)


class Encoder:
    """BPE over one splitter: inside a pretoken, the pair of lowest rank is merged first, the leftmost of equals."""

    def __init__(
        self,
        splitter: Splitter,
        tokens: list[tuple[int, bytes]],
        merges: list[tuple[int, int, int]],
        whole_pretokens: bool,
    ) -> None:
        self._splitter = splitter
        self._ids = {token: token_id for token_id, token in tokens}
        self._tokens = dict(tokens)
        self._merges = {(left, right): (rank, new) for rank, (left, right, new) in enumerate(merges)}
        self._whole = whole_pretokens
        self._cache: dict[str, list[int]] = {}

    @classmethod
    def from_ranks(cls, splitter: Splitter, tokens: list[tuple[int, bytes]]) -> Encoder:
        """tiktoken's rule: two neighbours merge when their joined bytes are a token, whose id is the rank."""
        encoder = cls(splitter, tokens, [], True)
        encoder._merges = _ByRank(encoder._ids, encoder._tokens)
        return encoder

    def merges(self) -> list[tuple[int, int, int]]:
        """(left, right, new) in order of rank. For ranks: the pair by which each token is built from its bytes."""
        if not isinstance(self._merges, _ByRank):
            return [(left, right, new) for (left, right), (_, new) in self._merges.items()]
        found = []
        for token_id, token in sorted(self._tokens.items()):
            if len(token) > 1 and (parts := self._merge_all(token, below=token_id)) and len(parts) == 2:
                found.append((parts[0], parts[1], token_id))
        return found

    def forget(self) -> None:
        self._cache = {}

    def count_merges(self) -> int:
        return len(self.merges())

    def encode_pretoken(self, pretoken: bytes) -> list[int]:
        if self._whole and (whole := self._ids.get(pretoken)) is not None:
            return [whole]
        return self._merge_all(pretoken)

    def merge_batch(self, pretokens: list[bytes]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        return _flat([self._merge_all(pretoken) for pretoken in pretokens])

    def _merge_all(self, pretoken: bytes, below: float = float("inf")) -> list[int]:
        """A heap of candidate pairs over a linked list, so that a pretoken of any length stays O(n log n)."""
        ids: list[int | None] = [self._ids[bytes([byte])] for byte in pretoken]
        following = [*range(1, len(ids)), -1]
        preceding = list(range(-1, len(ids) - 1))
        heap: list[tuple[int, int, int, int, int]] = []

        def offer(at: int) -> None:
            to = following[at] if at >= 0 else -1
            if to >= 0:
                left, right = ids[at], ids[to]
                assert left is not None
                assert right is not None
                found = self._merges.get((left, right))
                if found is not None and found[0] < below:
                    heapq.heappush(heap, (found[0], at, left, right, found[1]))

        for at in range(len(ids)):
            offer(at)
        while heap:
            _, at, left, right, new = heapq.heappop(heap)
            to = following[at]
            if ids[at] != left or to < 0 or ids[to] != right:
                continue  # one of the two has been merged in the meantime
            ids[at], ids[to] = new, None
            following[at] = following[to]
            if following[to] >= 0:
                preceding[following[to]] = at
            offer(preceding[at])
            offer(at)
        return [token_id for token_id in ids if token_id is not None]

    def encode_ordinary(self, text: str) -> list[int]:
        ids: list[int] = []
        for pretoken in self._splitter.split(text):
            found = self._cache.get(pretoken)
            if found is None:
                found = self.encode_pretoken(pretoken.encode())
                if len(self._cache) < 1_000_000:
                    self._cache[pretoken] = found
            ids += found
        return ids

    def encode(self, text: str, specials: Specials) -> list[int]:
        ids: list[int] = []
        for piece, special in specials.cut(text):
            if special:
                ids.append(specials.ids[piece])
            else:
                ids += self.encode_ordinary(piece)
        return ids

    def encode_open(self, text: str) -> tuple[list[int], str]:
        """The ids that no continuation of the text can change, and the text that they leave over."""
        if not self._splitter.streams:
            return [], text
        pretokens = self._splitter.split(text)
        certain = max(0, len(pretokens) - HELD_PRETOKENS)
        if self._splitter.right_to_left:
            # One more digit shifts all groups of its number.
            while certain and groups_joined(pretokens[certain - 1], pretokens[certain]):
                certain -= 1
        if self._splitter.lexicon is not None:
            # Longest match looks at MAX_WORD characters: a word that starts nearer to the end may still grow.
            start = len(text)
            for number in range(len(pretokens) - 1, -1, -1):
                start -= len(pretokens[number])
                if start + MAX_WORD > len(text):
                    certain = min(certain, number)
        ids = [i for pretoken in pretokens[:certain] for i in self.encode_pretoken(pretoken.encode())]
        return ids, "".join(pretokens[certain:])

    def count(self, text: str, threads: int) -> int:
        return len(self.encode_ordinary(text))

    def count_batch(self, texts: list[str], threads: int) -> NDArray[np.int64]:
        return np.array([len(self.encode_ordinary(text)) for text in texts], dtype=np.int64)

    def encode_batch(
        self, texts: list[str], threads: int, specials: Specials | None = None
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        return _flat([self.encode(t, specials) if specials else self.encode_ordinary(t) for t in texts])

    def encode_blocks(self, text: str, size: int, threads: int, specials: Specials | None = None) -> NDArray[np.uint32]:
        ids: list[int] = []
        for piece, special in specials.cut(text) if specials else [(text, False)]:
            if special and specials:
                ids.append(specials.ids[piece])
                continue
            while piece:
                cut = self._splitter.safe_cut(piece, size)
                ids += self.encode_ordinary(piece[:cut])
                piece = piece[cut:]
        return np.array(ids, dtype=np.uint32)

    def encode_with_cache(
        self, texts: list[str], first: int, second: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """What is remembered here is a dictionary, which needs no budget for so few texts."""
        kept, self._cache = self._cache, {}
        try:
            return self.encode_batch(texts, 1)
        finally:
            self._cache = kept

    def encode_array(self, text: str, threads: int, specials: Specials | None = None) -> NDArray[np.uint32]:
        return self.encode_batch([text], threads, specials)[0]


def _flat(rows: list[list[int]]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return np.fromiter((i for row in rows for i in row), dtype=np.uint32, count=int(offsets[-1])), offsets


class Decoder:
    """The bytes of tokens by id."""

    def __init__(self, tokens: list[tuple[int, bytes]]) -> None:
        self._tokens = dict(tokens)

    def decode(self, ids: NDArray[np.uint32] | list[int]) -> bytes:
        return b"".join([self._tokens[token_id] for token_id in (ids if isinstance(ids, list) else ids.tolist())])

    def decode_batch(self, ids: NDArray[np.uint32], offsets: NDArray[np.int64]) -> list[bytes]:
        found = []
        for start, end in pairwise(offsets.tolist()):
            if not 0 <= start <= end <= len(ids):
                raise IndexError(start, end)
            found.append(self.decode(ids[start:end]))
        return found


class _ByRank(dict[tuple[int, int], tuple[int, int]]):
    """The merge table of a vocabulary that has ranks and no merges."""

    def __init__(self, ids: dict[bytes, int], tokens: dict[int, bytes]) -> None:
        super().__init__()
        self._ids, self._tokens = ids, tokens

    def get(self, pair, default=None):  # type: ignore[no-untyped-def]
        new = self._ids.get(self._tokens[pair[0]] + self._tokens[pair[1]])
        return default if new is None else (new, new)


class Scorer:
    """Scores texts under several encoders that share a splitter."""

    def __init__(
        self,
        splitter: Splitter,
        encoders: list[Encoder],
        threads: int,
        marks: int = 0,
        pairs: int = 0,
        placed: tuple[int, list[str], bool] | None = None,
    ) -> None:
        self._splitter = splitter
        self._encoders = encoders
        self._marks, self._pairs = marks, pairs
        number, wanted, self._words = placed or (0, [], False)
        number = min(number, len(encoders))
        if marks and placed and number != min(marks, len(encoders)):
            raise ValueError("places and marks are asked for of as many tokenizers, or one of them of none")
        self._placed = Places(number, threads, wanted) if placed else None
        self._marked = max(marks, number)
        # By encoder, for whom neighbours are counted: the ids of each text.
        self._documents: list[list[list[int]]] = [[] for _ in encoders[:pairs]]
        self._counts: Multiset[str] = Multiset()
        self._ids: dict[str, list[list[int]]] = {}
        self._lengths: dict[str, NDArray[np.int64]] = {}

    def add(self, texts: list[str]) -> NDArray[np.int64]:
        rows = np.zeros((len(texts), 1 + len(self._encoders)), dtype=np.int64)
        for row, text in zip(rows, texts, strict=True):
            pretokens = self._splitter.split(text)
            self._counts.update(pretokens)
            row[0] = len(pretokens)
            for pretoken in pretokens:
                if pretoken not in self._ids:
                    found = [encoder.encode_pretoken(pretoken.encode()) for encoder in self._encoders]
                    self._ids[pretoken] = found
                    self._lengths[pretoken] = np.array([len(ids) for ids in found], dtype=np.int64)
                row[1:] += self._lengths[pretoken]
            for number, documents in enumerate(self._documents):
                documents.append([i for pretoken in pretokens for i in self._ids[pretoken][number]])
        return rows

    def add_placed(self, texts: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Marks]:
        rows, marks = self.add_marked(texts)
        placed = both = np.zeros((0, 0), dtype=np.int64)
        if self._placed is not None:
            placed, both = self._placed.add(texts, [marks], words=self._words)
        return rows, placed, both, marks

    def types(self) -> list[tuple[int, int, int, NDArray[np.int64]]] | None:
        return self._placed.types() if self._placed is not None and self._words else None

    def add_marked(self, texts: list[str]) -> tuple[NDArray[np.int64], Marks]:
        rows = self.add(texts)
        starts = []
        for number, encoder in enumerate(self._encoders[: self._marked]):
            of_texts = []
            for text in texts:
                ids = [i for pretoken in self._splitter.split(text) for i in self._ids[pretoken][number]]
                ends = np.cumsum([len(encoder._tokens[i]) for i in ids]).tolist()
                of_texts.append([0, *ends[:-1]] if ids else [])
            starts.append(of_texts)
        return rows, Marks(starts)

    def pair_counts(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]] | None:
        return [pair_counts(documents) for documents in self._documents] if self._pairs else None

    def id_counts(self, encoder: int) -> NDArray[np.int64]:
        size = max(self._encoders[encoder]._tokens) + 1
        counts = np.zeros(size, dtype=np.int64)
        for pretoken, ids in self._ids.items():
            np.add.at(counts, ids[encoder], self._counts[pretoken])
        return counts

    def broken(self) -> list[tuple[bytes, int]]:
        return [
            (pretoken.encode(), index)
            for pretoken, ids in self._ids.items()
            for index, encoder in enumerate(self._encoders)
            if b"".join(encoder._tokens[i] for i in ids[index]) != pretoken.encode()
        ]

    def differences(self, first: int, second: int, limit: int) -> list[tuple[bytes, int, int, int]]:
        rows = [
            (pretoken.encode(), self._counts[pretoken], len(ids[first]), len(ids[second]))
            for pretoken, ids in self._ids.items()
            if len(ids[first]) != len(ids[second])
        ]
        rows.sort(key=lambda row: (-abs(row[1] * (row[2] - row[3])), row[0]))
        return rows[:limit]

    def counter(self) -> Counter:
        counter = Counter(self._splitter, [], 1)
        counter.add_items([(pretoken.encode(), count) for pretoken, count in self._counts.items()])
        return counter

    @property
    def pruned(self) -> int:
        return 0

    @property
    def distinct(self) -> int:
        return len(self._ids)
