"""The interface of the compiled core. `tokenizers_impl.reference` has the same classes in plain Python.

Texts are Python strings without lone surrogates; pretokens and tokens are bytes. `progress`, where taken, is
called about ten times a second from the calling thread with (stage, done, total) and may raise to stop the work.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

API_VERSION: int
SOURCES: str

Progress = Callable[[str, int, int], None]

def unicode_version() -> str: ...
def release_memory() -> None:
    """Gives memory that is kept for later use back to the system, where it can be asked to."""

class Splitter:
    """Cuts a text into pretokens. `kind` is a registered variant's name; `lexicon` only with `zh`, `right_to_left`
    only where digits are grouped."""

    def __init__(self, kind: str, lexicon: list[str] | None = None, right_to_left: bool = False) -> None: ...
    @staticmethod
    def general(
        pattern: str, classes: list[tuple[int, int]], sets: list[list[int]], nodes: list[tuple[str, int, int]]
    ) -> Splitter:
        """A splitter for any pattern, from its `tokenizers_impl.patterns.program.Program`."""
    def split(self, text: str) -> list[str]: ...
    def safe_cut(self, text: str, at: int) -> int:
        """A place from `at` on where cutting the text in two changes no pretoken, by what stands beside it alone; its
        length where there is none. Places are code points. Where a core decides by less than all of the text, it may
        pass over places that the reference finds."""
    @property
    def engine(self) -> str:
        """ "hand-written", "general" or, in the reference, "reference"."""
    @property
    def streams(self) -> bool:
        """Whether pretokens are certain before the text has ended, so that it can be encoded in pieces."""

class Specials:
    """A set of special tokens, located leftmost-longest."""

    def __init__(self, tokens: list[tuple[str, int]]) -> None: ...
    def find_first(self, text: str) -> str | None: ...

class Counter:
    """The multiset of a training text's pretokens; specials are hard boundaries and are not counted."""

    def __init__(self, splitter: Splitter, specials: list[str], threads: int) -> None: ...
    def add_texts(self, texts: list[str], progress: Progress | None = None) -> None: ...
    def add_file(self, path: str, progress: Progress | None = None) -> None: ...
    def add_items(self, items: list[tuple[bytes, int]]) -> None: ...
    def split_han_words(self, lexicon: list[str]) -> None: ...
    def learn_lexicon(self) -> list[str]:
        """The list of `tokenizers_impl.lexicon.learn_lexicon` for the pretokens that are Han from end to end."""
    def items(self) -> list[tuple[bytes, int]]: ...
    @property
    def bytes(self) -> int: ...
    @property
    def pretokens(self) -> int: ...
    @property
    def distinct(self) -> int: ...

def learn_merges(
    counter: Counter,
    max_merges: int,
    min_frequency: int,
    tie_break: str,
    progress: Progress | None = None,
) -> list[tuple[bytes, bytes, int]]:
    """The merges in order, each with the count of the pair when it was merged."""

def replay_merges(
    counter: Counter, merges: list[tuple[int, int]], progress: Progress | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How often each of the 256 bytes occurs, and how often each merge makes its token when all are carried out in
    order; bytes are their own numbers, and merge k (from 0) makes 256 + k. ValueError for a part that no merge before
    makes, and for a pair listed twice."""

class Vocabulary:
    """Tokens by id, in order of id; ids may have gaps, and all are different, as no token is empty."""

    def __init__(self, tokens: list[tuple[int, bytes]]) -> None: ...
    @staticmethod
    def parse_ranks(data: bytes) -> Vocabulary | None:
        """Of a `.tiktoken` file that is exactly as tiktoken writes them, with no token and no rank twice; None for any
        other."""
    def __len__(self) -> int: ...
    def get(self, id: int) -> bytes | None: ...
    def ids(self) -> NDArray[np.uint32]: ...
    def lengths(self) -> NDArray[np.int64]:
        """How many bytes each token has."""
    def items(self) -> list[tuple[int, bytes]]: ...
    def first(self, room: int) -> Vocabulary:
        """All tokens of one byte, and the first `room` others."""
    def listed(self) -> bytes:
        """`[id,"hex"]` of every token, with commas between them."""
    def encoder(self, splitter: Splitter) -> Encoder:
        """`Encoder.from_ranks` of these tokens."""
    def decoder(self, specials: list[tuple[int, bytes]]) -> Decoder:
        """Of these tokens and some more."""

def token_numbers(vocabularies: list[Vocabulary], without: list[list[bytes]]) -> list[NDArray[np.uint32]]:
    """A number from 0 on for each token of each vocabulary, in order of id, but for those that are in its `without`:
    equal bytes have equal numbers."""

class Encoder:
    """BPE over one splitter. `merges` are (left id, right id, new id) in rank order."""

    def __init__(
        self,
        splitter: Splitter,
        tokens: list[tuple[int, bytes]],
        merges: list[tuple[int, int, int]],
        whole_pretokens: bool,
    ) -> None: ...
    @staticmethod
    def from_ranks(splitter: Splitter, tokens: list[tuple[int, bytes]]) -> Encoder:
        """tiktoken's rule: two neighbours merge when their joined bytes are a token, whose id is the rank."""
    def merges(self) -> list[tuple[int, int, int]]: ...
    def count_merges(self) -> int: ...
    def forget(self) -> None:
        """Frees what is kept to encode faster, up to 16 MiB for each thread that there was; it comes back with use."""
    def encode_ordinary(self, text: str) -> list[int]: ...
    def encode(self, text: str, specials: Specials) -> list[int]: ...
    def encode_open(self, text: str) -> tuple[list[int], str]:
        """The ids that no continuation of the text can change, and the text that they leave over."""
    def encode_pretoken(self, pretoken: bytes) -> list[int]: ...
    def merge_batch(self, pretokens: list[bytes]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """What merging alone makes of each pretoken, though a token be looked up whole: all ids one after the other,
        and len(pretokens) + 1 offsets into them. The bytes need not be whole characters."""
    def encode_array(self, text: str, threads: int, specials: Specials | None = None) -> NDArray[np.uint32]:
        """One text, cut for the threads at places that no pretoken of the pattern and no special token spans."""
    def encode_batch(
        self, texts: list[str], threads: int, specials: Specials | None = None
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """All ids one after the other, and len(texts) + 1 offsets into them. Long texts are cut, too."""
    def encode_blocks(self, text: str, size: int, threads: int, specials: Specials | None = None) -> NDArray[np.uint32]:
        """`encode_array`, which cuts long texts into blocks of 64 KiB, with blocks of about `size` bytes: what is wrong
        with a cut then shows on the smallest text. The ids depend on neither."""
    def encode_with_cache(
        self, texts: list[str], first: int, second: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """`encode_ordinary` of each text in turn, as `encode_batch` gives it, with a cache of its own: empty at first,
        and of at most so many bytes in its first level (for short pretokens of few ids) and in its second."""
    def count(self, text: str, threads: int) -> int: ...
    def count_batch(self, texts: list[str], threads: int) -> NDArray[np.int64]: ...

class Decoder:
    """The bytes of tokens, specials among them, by id."""

    def __init__(self, tokens: list[tuple[int, bytes]]) -> None: ...
    def decode(self, ids: NDArray[np.uint32] | list[int]) -> bytes:
        """The joined bytes; KeyError with the first id that has none."""
    def decode_batch(self, ids: NDArray[np.uint32], offsets: NDArray[np.int64]) -> list[bytes]:
        """The same of each part of the ids, from one offset to the next; IndexError for one that isn't in them."""

class Scorer:
    """Scores texts under several encoders that share a splitter, in one pass over each text. `marks` and `pairs`: under
    how many of them, the first ones, it says where tokens begin, and counts neighbours. `placed`: of how many it finds
    the figures of `Places`, what is wanted of these, and whether words are. (ValueError for another number than
    `marks`, if there are both.)"""

    def __init__(
        self,
        splitter: Splitter,
        encoders: list[Encoder],
        threads: int,
        marks: int = 0,
        pairs: int = 0,
        placed: tuple[int, list[str], bool] | None = None,
    ) -> None: ...
    def add(self, texts: list[str]) -> NDArray[np.int64]:
        """Per text: its pretokens, then its tokens under each encoder; shape (texts, 1 + encoders)."""
    def add_marked(self, texts: list[str]) -> tuple[NDArray[np.int64], Marks]:
        """The same, and where tokens begin in the texts."""
    def add_placed(self, texts: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Marks]:
        """The same, and between the two the rows of `Places.add` with the segmenter's words, and what two tokenizers
        share; without any columns where they aren't asked for."""
    def types(self) -> list[tuple[int, int, int, NDArray[np.int64]]] | None:
        """As `Places.types` of what is `placed`."""
    def pair_counts(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]] | None:
        """By encoder, the neighbouring ids inside texts: how many pairs occur how often, and how many ids come first
        in a pair how often; rows of (count, how many), by count. None where they aren't counted, or have been given up
        since they took more memory than they may."""
    def id_counts(self, encoder: int) -> NDArray[np.int64]:
        """How often each id from 0 to the largest occurred."""
    def broken(self) -> list[tuple[bytes, int]]:
        """(pretoken, encoder) wherever the token bytes do not join to the pretoken; empty when all is well."""
    def differences(self, first: int, second: int, limit: int) -> list[tuple[bytes, int, int, int]]:
        """The pretokens that carry most of the token difference between two encoders, most first:
        (pretoken, occurrences, tokens under the first, tokens under the second)."""
    def counter(self) -> Counter:
        """The pretokens of all texts, as if counted. ValueError where some have been let go."""
    @property
    def distinct(self) -> int:
        """The distinct pretokens that are held: all that were seen unless some have been let go."""
    @property
    def pruned(self) -> int:
        """How many times a rare pretoken was let go since the tables had reached 1 GiB. Rows and `id_counts` are exact
        all the same; `differences` no longer knows of it."""

class Marks:
    """Where tokens begin in some texts under some tokenizers."""

    @staticmethod
    def of_lengths(texts: list[str], lengths: NDArray[np.int64], offsets: NDArray[np.int64]) -> Marks:
        """Under one tokenizer, from the bytes of all its tokens and `len(texts) + 1` offsets into them. ValueError
        where they are not those of the texts."""
    def places(self, tokenizer: int) -> list[list[int]]:
        """The places of the bytes where tokens begin, by text, under one of the tokenizers."""

class Places:
    """Tokens against the text. `wanted`: any of "types" (of words), "characters", "numbers" and "shared". `budget`: the
    bytes that word types may take."""

    def __init__(self, tokenizers: int, threads: int, wanted: Sequence[str], budget: int | None = None) -> None: ...
    def add(
        self,
        texts: list[str],
        marks: list[Marks],
        words: bool = True,
        given: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Per text: its words, its characters of several bytes, and the places in its runs of ASCII digits between
        groups of three from the right; then for each tokenizer: tokens that overlap a word, summed over the words;
        words, and characters, that are cut; cuts in numbers; and those of them that are at such places. `marks` hold
        the tokenizers in order, in one or several. Words are the segmenter's, or `given` as ranges of bytes (n, 2) with
        `len(texts) + 1` offsets into them, or none with `words=False`.

        And per text, with "shared": the boundaries inside it that two tokenizers have both, by pair of them (by the
        first, then the second)."""
    def types(self) -> list[tuple[int, int, int, NDArray[np.int64]]] | None:
        """By tokenizer: word types; those that are one token wherever they occur; those that are always cut at the same
        places; and of those that are one token in some places only, rows of (occurrences that are, occurrences, types).
        None where they weren't wanted, or took more memory than they may."""

def words(text: str) -> list[tuple[int, int]]:
    """Byte ranges of the word-like segments: ICU4X dictionaries for scripts without blanks, UAX #29 elsewhere."""

def count_words(texts: list[str], threads: int) -> NDArray[np.int64]: ...
def segmenter_version() -> str: ...
