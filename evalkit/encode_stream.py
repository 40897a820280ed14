"""A UTF-8 text of any length to ids, in blocks: memory is that of a block, whatever the text's size.

The ids are those of the whole text at once (:class:`tokenizers_impl.streaming.StreamEncoder`), and errors name the
byte and the line in the whole text.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from evalkit.errors import UserError
from tokenizers_impl import BPETokenizer
from tokenizers_impl.specials import special_pattern
from tokenizers_impl.streaming import StreamEncoder

BLOCK_BYTES = 1 << 22

SPECIAL = ("atomic", "text", "error")


def encode_blocks(
    tokenizer: BPETokenizer,
    blocks: Iterable[bytes],
    special: str = "atomic",
    *,
    name: str = "the text",
    invalid_utf8: str = "error",
) -> Iterator[list[int]]:
    """The ids of a text that comes in blocks of bytes, in lists as they become certain.

    The texts of special tokens become their ids (``atomic``), are ordinary text (``text``), or are refused
    (``error``). ``invalid_utf8`` is that of :func:`decode_blocks`.

    Raises :class:`UserError` naming the byte of what is not UTF-8 or not allowed.
    """
    encoder = StreamEncoder(tokenizer, "all" if special == "atomic" else frozenset(), ())
    guard = _SpecialGuard(tokenizer.special_tokens, name) if special == "error" else None
    for text in decode_blocks(blocks, name, invalid_utf8):
        if guard is not None:
            guard.check(text)
        yield encoder.feed(text)
    yield encoder.flush()


def decode_blocks(blocks: Iterable[bytes], name: str, invalid_utf8: str = "error") -> Iterator[str]:
    """The text of blocks of UTF-8, of which each may end inside a character. What is not UTF-8 is an error that names
    the byte and line, or with ``invalid_utf8="replace"`` U+FFFD, as a suite's corpus with that key reads it."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace" if invalid_utf8 == "replace" else "strict")
    offset = lines = 0
    for block, final in _last_marked(blocks):
        held = decoder.getstate()[0]
        try:
            text = decoder.decode(block, final)
        except UnicodeDecodeError as error:
            data = held + block
            at = offset - len(held) + error.start
            line = lines + data.count(b"\n", 0, error.start) + 1
            utf16 = at == 0 and data[:1] in (b"\xfe", b"\xff")
            hint = "; it looks like UTF-16, save it as UTF-8" if utf16 else ""
            raise UserError(
                f"{name}: not UTF-8: byte {at} (line {line}) is 0x{data[error.start]:02x} ({error.reason}){hint}"
            ) from None
        offset += len(block)
        lines += block.count(b"\n")
        yield text


def _last_marked(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each block with whether it is the last; an empty one at the end where there is none."""
    waiting: bytes | None = None
    for block in blocks:
        if waiting is not None:
            yield waiting, False
        waiting = block
    yield (waiting or b""), True


class _SpecialGuard:
    """Finds the text of a special token, also one that blocks cut in two."""

    def __init__(self, special_tokens: Iterable[str], name: str) -> None:
        texts = list(special_tokens)
        self._pattern = special_pattern(texts)
        self._keep = max(map(len, texts), default=1) - 1
        self._name = name
        self._tail = ""
        self._bytes = self._lines = 0  # before the tail

    def check(self, text: str) -> None:
        seen = self._tail + text
        if self._pattern is not None and (match := self._pattern.search(seen)):
            before = seen[: match.start()]
            raise UserError(
                f"{self._name}: byte {self._bytes + len(before.encode())} (line "
                f"{self._lines + before.count(chr(10)) + 1}) begins the special token {match.group()!r}; "
                "--special atomic encodes it as that token, --special text as ordinary text"
            )
        cut = max(0, len(seen) - self._keep)
        self._bytes += len(seen[:cut].encode())
        self._lines += seen.count("\n", 0, cut)
        self._tail = seen[cut:]


def decode_utf8(data: bytes, name: str, invalid_utf8: str = "error") -> str:
    """The text of a file called ``name``; :func:`decode_blocks` says what becomes of what is not UTF-8."""
    return "".join(decode_blocks([data], name, invalid_utf8))
