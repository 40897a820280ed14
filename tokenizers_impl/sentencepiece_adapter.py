"""Models of SentencePiece, encoded and decoded by its own library.

evalkit's own tokenizers are byte-level BPE. A SentencePiece model is something else: it normalises the text first,
marks blanks by U+2581, and may have one unknown id for all that it doesn't know. It is therefore taken as it is: what
it gives is measured and gated, and where a text doesn't come back, that is reported.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokenizers_impl.arguments import default_threads, well_formed
from tokenizers_impl.errors import TokenizerError
from tokenizers_impl.formats.limits import read_file
from tokenizers_impl.opaque import OpaqueTokenizer

MARK = "\u2581"  # how a piece writes a blank


def is_installed() -> bool:
    return importlib.util.find_spec("sentencepiece") is not None


def from_sentencepiece(path: str | Path, lossy: bool = False) -> SentencePieceTokenizer:
    """The tokenizer of a model's file. Raises :class:`TokenizerError` for a file that is none, and where the package
    sentencepiece is missing."""
    path = Path(path)
    if not is_installed():
        raise TokenizerError(
            f"{path}: a SentencePiece model needs the package sentencepiece: pip install 'evalkit[sentencepiece]'"
        )
    if path.is_dir():
        raise TokenizerError(f"{path} is a folder; expected the file of a SentencePiece model")
    return SentencePieceTokenizer(read_file(path), str(path), lossy)


class SentencePieceTokenizer(OpaqueTokenizer):
    """``model``: the bytes of the model's file. Special tokens are its control symbols, which no text gives; symbols
    that its user defined are found in every text, as the library does."""

    def __init__(self, model: bytes, source: str, lossy: bool = False) -> None:
        self.source, self.lossy, self._model = source, lossy, model
        self._processor = processor(model, source)
        size = self.vocab_size = int(self._processor.get_piece_size())
        controls = [i for i in range(size) if self._processor.is_control(i)]
        self.special_tokens = {self._processor.id_to_piece(i): i for i in controls}
        self.unknown_ids = frozenset(i for i in range(size) if self._processor.is_unknown(i))
        self.fingerprint = hashlib.sha256(b"sentencepiece\n" + model).hexdigest()

    def __reduce__(self) -> tuple[type[SentencePieceTokenizer], tuple[bytes, str, bool]]:
        return SentencePieceTokenizer, (self._model, self.source, self.lossy)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SentencePieceTokenizer) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def encode_ordinary(self, text: str) -> list[int]:
        ids: list[int] = self._processor.encode(well_formed(text), out_type=int)
        return ids

    def encode_ordinary_batch(
        self, texts: Sequence[str], threads: int | None = None
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """All ids one after the other, and ``len(texts) + 1`` offsets into them; on the library's own threads."""
        rows = self._rows(texts, threads)
        offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        return np.fromiter((i for row in rows for i in row), dtype=np.uint32, count=int(offsets[-1])), offsets

    def encode_batch(self, texts: Sequence[str], threads: int | None = None, **specials: Any) -> list[list[int]]:
        """The ids of each text. What may be a special token changes nothing: no text gives a control symbol."""
        return self._rows(texts, threads)

    def _rows(self, texts: Sequence[str], threads: int | None) -> list[list[int]]:
        given = [well_formed(text) for text in texts]
        rows: list[list[int]] = self._processor.encode(given, out_type=int, num_threads=threads or default_threads())
        return rows

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        if not len(ids):  # for which older versions give a text
            return b""
        try:
            found: bytes = self._processor.decode([int(i) for i in ids], out_type=bytes)
        except IndexError:
            size = self.vocab_size or 0
            wrong = next(i for i in ids if not 0 <= i < size)
            raise KeyError(f"id {wrong} is not in the vocabulary ({size} entries)") from None
        return found

    def shown(self, token_id: int) -> bytes:
        """A piece as the model writes it, with blanks for U+2581."""
        piece: str = self._processor.id_to_piece(token_id)
        return piece.replace(MARK, " ").encode()


def processor(model: bytes, source: str) -> Any:
    """The library's own object, new. Raises :class:`TokenizerError` for what is no model."""
    import sentencepiece

    try:
        return sentencepiece.SentencePieceProcessor(model_proto=model)
    except (RuntimeError, OSError, ValueError) as error:
        raise TokenizerError(f"{source} is no SentencePiece model, as the library says: {error}") from None


class ByPieces:
    """The library itself on a model, another way: the pieces of a text, then the id of each. It has the method by which
    upstreams are compared."""

    def __init__(self, tokenizer: SentencePieceTokenizer) -> None:
        self._processor = processor(tokenizer._model, tokenizer.source)
        self.name = f"sentencepiece {metadata.version('sentencepiece')}, by pieces"

    def encode_ordinary(self, text: str) -> list[int]:
        pieces = self._processor.encode(well_formed(text), out_type=str)
        return [int(self._processor.piece_to_id(piece)) for piece in pieces]
