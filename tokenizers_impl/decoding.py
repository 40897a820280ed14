"""Ids back to bytes and text: what :class:`tokenizers_impl.tokenizer.BPETokenizer` does with them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tokenizers_impl.tokenizer_facts import TokenizerFacts
from tokenizers_impl.vocabulary import LARGEST_ID

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tokenizers_impl import _native


class Decoding(TokenizerFacts):
    @functools.cached_property
    def _decoder(self) -> _native.Decoder:
        return self._ordinary.vocabulary.decoder(
            [(token_id, text.encode()) for text, token_id in self._specials.items()]
        )

    def decode_bytes(self, ids: Iterable[int] | NDArray[np.integer[Any]]) -> bytes:
        """The joined bytes of the ids, a list or an array of integers. Raises ``KeyError`` naming the first id that
        the vocabulary doesn't have."""
        plain = _plain_ids(ids)
        try:
            return self._decoder.decode(plain)
        except KeyError as error:
            unknown = error.args[0]
        except OverflowError:
            unknown = next(i for i in plain if not 0 <= i < LARGEST_ID)
        raise self._no_such_id(unknown)

    def decode_bytes_batch(self, ids: NDArray[np.uint32], offsets: NDArray[np.int64]) -> list[bytes]:
        """``decode_bytes`` of each text, from what ``encode_ordinary_batch`` returns. Raises ``ValueError`` for offsets
        that don't lie in the ids."""
        try:
            return self._decoder.decode_batch(ids, offsets)
        except KeyError as error:
            unknown = error.args[0]
        except IndexError as error:
            start, end = error.args
            raise ValueError(f"there are {len(ids)} ids, and the offsets ask for {start} to {end}") from None
        raise self._no_such_id(unknown)

    def _no_such_id(self, unknown: int) -> KeyError:
        return KeyError(f"id {unknown} is not in the vocabulary ({self.vocab_size} entries, largest id {self.max_id})")

    def decode(self, ids: Iterable[int] | NDArray[np.integer[Any]], errors: str = "replace") -> str:
        """The text of the ids: their bytes are joined first, so that a character may span tokens. ``errors`` is
        that of ``bytes.decode``."""
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_batch(
        self, batch: Iterable[Iterable[int] | NDArray[np.integer[Any]]], errors: str = "replace"
    ) -> list[str]:
        """``decode`` of each of the lists or arrays."""
        return [self.decode(ids, errors) for ids in batch]

    def decode_iterable(self, ids: Iterable[int], errors: str = "replace") -> Iterator[str]:
        """The text of ids that arrive one by one, never half a character; joined, it is ``decode`` of them all."""
        from tokenizers_impl.streaming import decode_stream

        return decode_stream(self, ids, errors)


def _plain_ids(ids: Iterable[int] | NDArray[np.integer[Any]]) -> NDArray[np.uint32] | list[int]:
    """What the engine takes. An array with an id that it can't hold becomes a list, to be refused like one."""
    if isinstance(ids, list):
        return ids
    import numpy as np

    if not isinstance(ids, np.ndarray):
        return list(ids)
    if ids.ndim != 1 or (ids.size and ids.dtype.kind not in "iu"):
        raise TypeError(f"ids are a one-dimensional array of integers, not {ids.ndim}-dimensional of {ids.dtype}")
    fits = ids.dtype == np.uint32 or not ids.size or np.can_cast(ids.dtype, np.uint32)
    if not fits and not 0 <= ids.min() <= ids.max() < LARGEST_ID:
        return [int(i) for i in ids]
    return np.ascontiguousarray(ids, dtype=np.uint32)
