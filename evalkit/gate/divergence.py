"""Where two ways to encode one text part, told so that it can be looked at: place, pretoken, ids, token bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tokenizers_impl.arguments import well_formed
from tokenizers_impl.deferred import dataclass
from tokenizers_impl.opaque import OpaqueTokenizer, Shown

Kind = Literal["ids changed", "only counts changed", "text lost"]

SHOWN_IDS = 8


@dataclass(frozen=True)
class Run:
    """What one way gave from the divergence on: a few ids, each with its bytes (None: not in the vocabulary).

    ``count``: how many ids it gave for the whole text. ``whole``: whether its ids hold the text byte by byte.
    """

    way: str
    count: int
    ids: tuple[int, ...] = ()
    tokens: tuple[bytes | None, ...] = ()
    whole: bool = True


@dataclass(frozen=True)
class Divergence:
    """The first difference of two ways on ``text``.

    ``text lost``: the ids of one of them don't hold the text (of a tokenizer whose tokens aren't known as bytes: don't
    decode to what the left ones do). ``ids changed``: both hold it, in other ids.
    ``only counts changed``: a number differs, with no ids to compare. ``byte``: where in the UTF-8 of
    ``text`` they part, which is in ``pretoken`` (None: there is none). ``document``: the number in its corpus
    of the document in which it was found, from 0, None where documents were joined; ``document_byte``: where they
    part in that, None where it isn't known.
    """

    kind: Kind
    text: str
    byte: int
    pretoken: str | None
    left: Run
    right: Run
    document: int | None = None
    document_byte: int | None = None

    @property
    def phrase(self) -> str:
        """The kind, with what tells more than it."""
        if self.kind == "only counts changed":
            return f"only counts changed: {self.left.count:,} and {self.right.count:,}"
        if self.kind == "text lost":
            lost = [run.way for run in (self.left, self.right) if not run.whole]
            return f"text lost by {' and '.join(lost)}"
        counts = (
            f"{self.left.count:,} on both sides"
            if self.left.count == self.right.count
            else f"{self.left.count:,} and {self.right.count:,} of them"
        )
        return f"ids changed: {counts}"


def compare_ids(
    tokenizer: Any,
    text: str,
    left: Sequence[int],
    right: Sequence[int],
    ways: tuple[str, str],
    right_vocab: Mapping[int, bytes] | None = None,
) -> Divergence | None:
    """The divergence of two runs of ids for ``text``, or None where they are the same. ``right_vocab``: where
    the right one isn't ``tokenizer``'s own."""
    if list(left) == list(right):
        return None
    vocab: Mapping[int, bytes] = tokenizer.vocab
    other = vocab if right_vocab is None else right_vocab
    at = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    raw = well_formed(text).encode()
    if isinstance(tokenizer, OpaqueTokenizer):
        byte = _equal_bytes(raw, tokenizer.decode_bytes(left[:at]))
        kept = right_vocab is not None or _decodes_alike(tokenizer, left, right)
        runs = (_run(ways[0], left, at, vocab), _run(ways[1], right, at, other, kept))
    else:
        byte = sum(len(vocab.get(i, b"")) for i in left[:at])
        holds = right_vocab is None or not isinstance(right_vocab, Shown)
        runs = (
            _run(ways[0], left, at, vocab, _holds(left, vocab, raw)),
            _run(ways[1], right, at, other, not holds or _holds(right, other, raw)),
        )
    kind: Kind = "ids changed" if runs[0].whole and runs[1].whole else "text lost"
    return Divergence(kind, text, min(byte, len(raw)), pretoken_at(tokenizer, text, byte), *runs)


def compare_counts(text: str, left: int, right: int, ways: tuple[str, str]) -> Divergence | None:
    """The divergence of a number of ids from the ids, or None."""
    if left == right:
        return None
    return Divergence("only counts changed", text, 0, None, Run(ways[0], left), Run(ways[1], right))


def compare_bytes(tokenizer: Any, text: str, ids: Sequence[int], back: bytes, way: str) -> Divergence | None:
    """The divergence of what came back from what went in, or None. Its left run is the text's own bytes."""
    raw = well_formed(text).encode()
    if raw == back:
        return None
    byte = _equal_bytes(raw, back)
    vocab: Mapping[int, bytes] = tokenizer.vocab
    at = seen = 0
    while at < len(ids) and seen + len(vocab.get(ids[at], b"")) <= byte:
        seen += len(vocab.get(ids[at], b""))
        at += 1
    text_run = Run("the text", len(ids), (), (raw[byte : byte + 16],))
    shown = tuple(ids[at : at + SHOWN_IDS])
    tokens = tuple(vocab.get(i) for i in shown)
    return Divergence(
        "text lost",
        text,
        byte,
        pretoken_at(tokenizer, text, byte),
        text_run,
        Run(way, len(ids), shown, tokens, whole=False),
    )


def pretoken_at(tokenizer: Any, text: str, byte: int) -> str | None:
    """The pretoken that holds a byte of the text's UTF-8; the last one for a place at the end."""
    pretokenize = getattr(tokenizer, "pretokenize", None)
    if pretokenize is None:
        return None
    end, piece = 0, None
    for piece in pretokenize(text):
        end += len(piece.encode())
        if byte < end:
            break
    return piece


def _run(way: str, ids: Sequence[int], at: int, vocab: Mapping[int, bytes], whole: bool = True) -> Run:
    shown = tuple(int(i) for i in ids[at : at + SHOWN_IDS])
    return Run(way, len(ids), shown, tuple(vocab.get(i) for i in shown), whole)


def _holds(ids: Sequence[int], vocab: Mapping[int, bytes], raw: bytes) -> bool:
    """Whether the tokens join to the text."""
    return b"".join(vocab.get(i, b"") for i in ids) == raw and all(i in vocab for i in ids)


def _decodes_alike(tokenizer: OpaqueTokenizer, left: Sequence[int], right: Sequence[int]) -> bool:
    """Of a tokenizer whose tokens aren't known as bytes: whether the right ids say what the left ones say."""
    try:
        return tokenizer.decode_bytes(left) == tokenizer.decode_bytes(right)
    except Exception:  # ids that are none
        return False


def _equal_bytes(one: bytes, other: bytes) -> int:
    """How many bytes the two have in common from the start."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
