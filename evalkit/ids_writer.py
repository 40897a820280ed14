"""Ids as files: text, JSON lines, ``.npy`` and ``.bin``.

| format | is |
|---|---|
| ``text`` | decimal ids with blanks between them, on one line |
| ``jsonl`` | a JSON list a line |
| ``npy`` | NumPy's format, one dimension |
| ``bin`` | the bare numbers, little-endian |

``npy`` and ``bin`` have 16 bits an id where the vocabulary's largest id fits, else 32. That is the vocabulary's
doing and not the text's, so that all files of one tokenizer are alike and a bare ``bin`` can be read back.

The first two do without NumPy, which takes as long to import as all else of encoding a short text.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import numpy as np

    from tokenizers_impl import BPETokenizer

FORMATS = ("text", "jsonl", "npy", "bin")
BINARY = ("npy", "bin")

_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".npy": "npy", ".bin": "bin"}


def format_of(path: Path | None) -> str:
    """The format that a file's name tells; ``text`` where it tells none.

    >>> format_of(Path("train.npy")), format_of(None)
    ('npy', 'text')
    """
    return _SUFFIXES.get(path.suffix.lower(), "text") if path is not None else "text"


def told_by(path: Path) -> str | None:
    """The format that a file's ending stands for; None for an ending that stands for none."""
    return _SUFFIXES.get(path.suffix.lower())


def dtype_for(max_id: int) -> np.dtype[Any]:
    """Little-endian uint16 where every id fits, else uint32.

    >>> dtype_for(65_535).name, dtype_for(65_536).name
    ('uint16', 'uint32')
    """
    import numpy as np

    return np.dtype("<u2") if max_id < 1 << 16 else np.dtype("<u4")


class IdsWriter:
    """Writes ids of ``tokenizer`` to a file as they come.

    ``file`` has to be seekable for ``npy``, whose first bytes say how many ids there are.
    """

    def __init__(self, file: BinaryIO, format: str, tokenizer: BPETokenizer) -> None:
        self._file, self._format = file, format
        self._separator = b""
        self.count = 0
        if format in BINARY:
            self._dtype = dtype_for(tokenizer.max_id)
        if format == "npy":
            # Longer than any number of ids needs: NumPy pads the header to a multiple of 64 bytes.
            self._header = _npy_header(self._dtype, 0)
            file.write(self._header)
        elif format == "jsonl":
            file.write(b"[")

    def write(self, ids: Sequence[int]) -> None:
        """Appends the ids."""
        if not ids:
            return
        self.count += len(ids)
        if self._format in BINARY:
            import numpy as np

            self._file.write(np.array(ids, dtype=self._dtype).tobytes())
            return
        between = " " if self._format == "text" else ", "
        self._file.write(self._separator + between.join(map(str, ids)).encode())
        self._separator = between.encode()

    def finish(self) -> None:
        """Writes what belongs at the end."""
        if self._format == "npy":
            header = _npy_header(self._dtype, self.count)
            assert len(header) == len(self._header)
            self._file.seek(0)
            self._file.write(header)
            self._file.seek(0, io.SEEK_END)
        elif self._format != "bin":
            self._file.write(b"]\n" if self._format == "jsonl" else b"\n")


def _npy_header(dtype: np.dtype[Any], count: int) -> bytes:
    import numpy as np

    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": dtype.str, "fortran_order": False, "shape": (count,)})
    return header.getvalue()
