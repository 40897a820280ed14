"""Tokenizers that a suite brings as Python: ``python: module:factory``.

The factory is called without arguments and gives an object with a way to encode and one to decode; see
``docs/gate.md``. What else the object has is used too, and what it gives is checked: ids are whole numbers from 0 to
the largest that its vocabulary has, where it says how many those are; a decode gives text or bytes. Anything else is
the plug-in's mistake, and told as that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from operator import index
from pathlib import Path
from typing import Any

from evalkit.errors import UserError
from evalkit.own_code import load_object, told
from tokenizers_impl import BaselineTokenizer, BPETokenizer, TokenizerError
from tokenizers_impl.arguments import well_formed
from tokenizers_impl.opaque import OpaqueTokenizer

ENCODE = ("encode_ordinary", "encode")
DECODE = ("decode_bytes", "decode")
BATCH = ("encode_ordinary_batch", "encode_batch")
"""Methods of a plug-in in the order in which they are looked for: the first that it has is called, with a text, ids or
a list of texts and nothing else."""

MAX_ID = (1 << 24) - 1
"""Of what is measured: ids are counted in a table of this many places, which is far more than any vocabulary has."""


def load_plugin(path: str, base_dir: Path, lossy: bool = False) -> BPETokenizer | BaselineTokenizer | OpaqueTokenizer:
    """The tokenizer that the factory ``module:factory`` makes; evalkit's own are taken as they are. Raises
    :class:`UserError` for what can't be loaded and for what is no tokenizer."""
    factory = load_object(path, base_dir, "the tokenizer")
    made = _called(f"the tokenizer python: {path} can't be made", factory)
    if isinstance(made, (BPETokenizer, BaselineTokenizer, OpaqueTokenizer)):
        return made
    return Plugin(made, path, base_dir, lossy)


class Plugin(OpaqueTokenizer):
    """An object of the user's own with the face of a tokenizer. Its copy in another process is made by the factory
    there, as it would be in the user's own processes."""

    def __init__(self, made: Any, path: str, base_dir: Path, lossy: bool = False) -> None:
        self.source, self.lossy = f"python: {path}", lossy
        self._made, self._path, self._base_dir = made, path, base_dir
        self._encode = self._method(ENCODE)
        self._decode = self._method(DECODE)
        if (batch := self._found(BATCH)) is not None:
            self.encode_batch: Callable[..., list[list[int]]] = self._batch_with(batch)
        if (stream := self._found(("encode_iterable",))) is not None:
            self.encode_iterable: Callable[..., list[int]] = self._stream_with(stream)
        if (token_bytes := self._found(("token_bytes",))) is not None:
            self.token_bytes: Callable[[int], bytes] = self._bytes_with(token_bytes)
        self.vocab_size = self._said("vocab_size", "a whole number", int)
        self._max_id = self._largest_id()
        self.fingerprint = self._said("fingerprint", "a text", str)
        self.special_tokens = dict(self._said("special_tokens", "a dict of ids by text", dict) or {})
        self.unknown_ids = frozenset(self._said("unknown_ids", "a set of ids", set, frozenset, list, tuple) or ())
        for name, ids in (("special_tokens", self.special_tokens.values()), ("unknown_ids", self.unknown_ids)):
            for one in ids:
                if isinstance(one, bool) or not hasattr(one, "__index__") or one < 0:
                    raise UserError(f"{self.source}: its {name} have {one!r} as an id; ids are whole numbers from 0 on")

    @property
    def max_id(self) -> int | None:
        return self._max_id

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, Path, bool]]:
        return load_plugin, (self._path, self._base_dir, self.lossy)

    # ── what the object has ─────────────────────────────────────────────────────────────────────────────────

    def _found(self, names: Sequence[str]) -> Callable[..., Any] | None:
        methods = (getattr(self._made, name, None) for name in names)
        return next((method for method in methods if callable(method)), None)

    def _method(self, names: Sequence[str]) -> Callable[..., Any]:
        found = self._found(names)
        if found is None:
            kind = type(self._made).__name__
            raise UserError(f"{self.source} made a {kind}, which is no tokenizer: it has neither {' nor '.join(names)}")
        return found

    def _said(self, name: str, what: str, *kinds: type) -> Any:
        """What the object says of itself; None where it says nothing."""
        value = getattr(self._made, name, None)
        if value is None or callable(value):  # a method of that name is another library's own affair
            return None
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise UserError(f"{self.source}: its {name} is a {type(value).__name__}; expected {what}")
        return value

    def _largest_id(self) -> int | None:
        """What the object says, whose ids have holes then; else they have none, where it says how many there are."""
        size, largest = self.vocab_size, self._said("max_id", "a whole number", int)
        if size is not None and size < 1:
            raise UserError(f"{self.source}: its vocab_size is {size}; a vocabulary has 1 entry or more")
        if largest is None:
            return None if size is None else size - 1
        if largest < (least := (size or 1) - 1):
            entries = "" if size is None else f", with a vocab_size of {size:,}"
            raise UserError(f"{self.source}: its max_id is {largest:,}; expected at least {least:,}{entries}")
        return int(largest)

    # ── what it gives ───────────────────────────────────────────────────────────────────────────────────────

    def encode_ordinary(self, text: str) -> list[int]:
        return self._ids("encode", self._call("encode", self._encode, well_formed(text)))

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        found = self._call("decode", self._decode, [int(i) for i in ids])
        if isinstance(found, str):
            return well_formed(found).encode()
        if not isinstance(found, bytes):
            raise TokenizerError(f"{self.source}: decode gave a {type(found).__name__}; expected text or bytes")
        return found

    def _bytes_with(self, token_bytes: Callable[..., Any]) -> Callable[[int], bytes]:
        def checked(token_id: int) -> bytes:
            found = self._call("token_bytes", token_bytes, token_id)
            if not isinstance(found, bytes):
                raise TokenizerError(f"{self.source}: token_bytes gave a {type(found).__name__}; expected bytes")
            return found

        return checked

    def _batch_with(self, batch: Callable[..., Any]) -> Callable[..., list[list[int]]]:
        def encode_batch(texts: Sequence[str], threads: int | None = None, **specials: Any) -> list[list[int]]:
            rows = self._call("encode_batch", batch, [well_formed(text) for text in texts])
            return [self._ids("encode_batch", row) for row in _rows(rows)]

        return encode_batch

    def _stream_with(self, stream: Callable[..., Any]) -> Callable[..., list[int]]:
        def encode_iterable(pieces: Iterable[str], **specials: Any) -> list[int]:
            some = list(pieces)
            whole = "".join(some)
            if (text := well_formed(whole)) is not whole:  # halves of surrogate pairs are nothing to ask others for
                some = [text]
            return self._ids("encode_iterable", self._call("encode_iterable", lambda: list(stream(iter(some)))))

        return encode_iterable

    def _call(self, what: str, method: Callable[..., Any], *given: Any) -> Any:
        return _called(f"{self.source}: {what} failed", method, *given, kind=TokenizerError)

    def _ids(self, what: str, found: Any) -> list[int]:
        try:
            given = list(_listed(found))
            ids = list(map(index, given))
        except TypeError:
            raise TokenizerError(
                f"{self.source}: {what} gave a {type(found).__name__}; expected a list of ids, which are whole numbers"
            ) from None
        if bool in set(map(type, given)):  # whole numbers to Python
            raise TokenizerError(f"{self.source}: {what} gave True or False for an id; ids are whole numbers")
        if ids and min(ids) < 0:
            raise TokenizerError(f"{self.source}: {what} gave the id {min(ids)}; ids are 0 or more")
        if ids and max(ids) > MAX_ID:
            raise TokenizerError(f"{self.source}: {what} gave the id {max(ids):,}; the largest is {MAX_ID:,}")
        # An id that there isn't would make every figure of the vocabulary wrong: its use, its cost, its rows.
        if ids and self._max_id is not None and max(ids) > self._max_id:
            said = "" if self.vocab_size is None else f", for its vocab_size is {self.vocab_size:,}"
            raise TokenizerError(
                f"{self.source}: {what} gave the id {max(ids):,}; the largest is {self._max_id:,}{said} "
                "(where ids have holes, max_id says how far they go)"
            )
        return ids


def _listed(found: Any) -> Any:
    return found.tolist() if hasattr(found, "tolist") else found


def _rows(found: Any) -> Any:
    """The ids of each text. All in one array, with where each text's begin and the last one's end in another, is what a
    batch of evalkit's own tokenizers gives, and so whatever passes its calls on to one."""
    if isinstance(found, tuple) and len(found) == 2 and all(getattr(one, "ndim", 0) == 1 for one in found):
        flat, ends = (one.tolist() for one in found)
        if ends and ends == sorted(ends) and (ends[0], ends[-1]) == (0, len(flat)):
            return [flat[start:end] for start, end in pairwise(ends)]
    return _listed(found)


def _called(problem: str, method: Callable[..., Any], *given: Any, kind: type[Exception] = UserError) -> Any:
    """What the user's code gives; what it raises is its mistake, whatever it is."""
    try:
        return method(*given)
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # SystemExit too, which would end evalkit with that code, and panics
        raise kind(f"{problem}: {told(error)}") from error
