"""Encoding a text that arrives in pieces, and decoding ids that do, with the result of doing it at once.

``StreamEncoder`` keeps back what a later piece could still change and emits the rest. Everything a later piece can
change lies in the last two pretokens of what has arrived: no pattern looks behind, and what a match inspects past
its own end lies within the next pretoken and the first code point of the one after (``encode_open`` of the engines
has this rule, and what ``zh`` needs beside it). Special tokens are located first; where the end of the buffer could
be the start of one, the rest waits.
"""

from __future__ import annotations

import codecs
from collections.abc import Collection, Iterable, Iterator, Set
from typing import TYPE_CHECKING, Literal

from tokenizers_impl.specials import special_pattern

if TYPE_CHECKING:
    from tokenizers_impl.decoding import Decoding
    from tokenizers_impl.tokenizer import BPETokenizer


class StreamEncoder:
    """Takes pieces of a text and gives ids as soon as they are certain; in the end, the ids of the joined text.

    Memory is that of the text that is still open: a few pretokens as a rule, all of a pretoken that goes on and on,
    and the whole document for a pattern about which nothing is proved.

    Raises ``ValueError`` for a disallowed special token, as ``encode`` does; ids of the text before it may have been
    given by then.
    """

    def __init__(
        self,
        tokenizer: BPETokenizer,
        allowed_special: Literal["all"] | Set[str] = frozenset(),
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> None:
        self._tokenizer = tokenizer
        self._allowed, self._refused = tokenizer.special_policy(allowed_special, disallowed_special)
        self._find_allowed = special_pattern(self._allowed)
        self._find_refused = special_pattern(self._refused)
        self._open_starts = _proper_prefixes(self._allowed)
        self._longest = max(map(len, self._allowed), default=0)
        self._tail = ""  # of what has been searched for disallowed specials
        self._surrogate = ""  # a high one at the end of a piece: its other half may come
        self._buffer = ""
        self._pieces: list[str] = []  # that come after it; joined one by one, they would all be copied for each
        self._size = 0  # of both
        self._scan_at = 0

    def feed(self, piece: str) -> list[int]:
        """The ids that have become certain."""
        from tokenizers_impl.arguments import well_formed

        piece = self._surrogate + piece
        self._surrogate = ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            piece, self._surrogate = piece[:-1], piece[-1]
        piece = well_formed(piece)
        if not piece:
            return []
        self._refuse(piece)
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size < self._scan_at:
            return []
        self._join()
        ids = self._advance()
        self._size = len(self._buffer)
        # One code point at a time, a long pretoken would be scanned anew for each: wait until it has grown by an
        # eighth, so that all scans together cost a constant number of them.
        self._scan_at = len(self._buffer) + len(self._buffer) // 8
        return ids

    def flush(self) -> list[int]:
        """The ids of what was kept back, as the text has ended. The encoder is then as new."""
        if self._surrogate:
            self._refuse("\ufffd")
            self._pieces.append("\ufffd")
        self._join()
        text = self._buffer
        self._buffer = self._tail = self._surrogate = ""
        self._size = self._scan_at = 0
        return self._tokenizer.encode(text, self._allowed, ())

    def _join(self) -> None:
        self._buffer = "".join([self._buffer, *self._pieces])
        self._pieces.clear()

    def _refuse(self, piece: str) -> None:
        if self._find_refused is None:
            return
        seen = self._tail + piece
        if found := self._find_refused.search(seen):
            raise ValueError(self._tokenizer.refusal(found.group()))
        keep = max(map(len, self._refused)) - 1
        self._tail = seen[-keep:] if keep else ""

    def _advance(self) -> list[int]:
        ids: list[int] = []
        start = 0
        while True:
            found = self._find_allowed.search(self._buffer, start) if self._find_allowed else None
            open_at = self._open_place(start)
            if found is None or found.start() >= open_at:
                break
            # Nothing that comes later can lengthen this one: the end of the buffer would have to be its start.
            ids += self._tokenizer.encode_ordinary(self._buffer[start : found.start()])
            ids.append(self._tokenizer.special_tokens[found.group()])
            start = found.end()
        certain, rest = self._tokenizer.encode_open(self._buffer[start:open_at])
        self._buffer = rest + self._buffer[open_at:]
        return ids + certain

    def _open_place(self, start: int) -> int:
        """The first place from which the rest of the buffer could be the start of a special token, else its end."""
        end = len(self._buffer)
        for place in range(max(start, end - self._longest + 1), end):
            if self._buffer[place:] in self._open_starts:
                return place
        return end


def _proper_prefixes(texts: Collection[str]) -> frozenset[str]:
    return frozenset(text[:end] for text in texts for end in range(1, len(text)))


def encode_stream(
    tokenizer: BPETokenizer,
    pieces: Iterable[str],
    allowed_special: Literal["all"] | Set[str],
    disallowed_special: Literal["all"] | Collection[str],
) -> Iterator[int]:
    """The ids of the joined pieces, as they become certain."""
    if isinstance(pieces, str):
        raise TypeError("encode_iterable takes pieces of text; pass [text] for a single one")
    encoder = StreamEncoder(tokenizer, allowed_special, disallowed_special)
    for piece in pieces:
        yield from encoder.feed(piece)
    yield from encoder.flush()


def decode_stream(tokenizer: Decoding, ids: Iterable[int], errors: str) -> Iterator[str]:
    """The text of ids that arrive one by one, in whole characters: a character whose bytes span tokens comes with
    the last of them, and bytes that are no text come as ``errors`` says, as in one call of ``decode``."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors)
    for token_id in ids:
        if text := decoder.decode(tokenizer.decode_bytes([token_id])):
            yield text
    if text := decoder.decode(b"", final=True):
        yield text
