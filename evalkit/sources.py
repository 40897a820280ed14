"""What a suite's ``files:`` mean: patterns to a sorted list of sources, and the opening of each.

A source is one file, folder entry or URL, with the format and the compression that its name tells. Nothing is
guessed from content. Everything that can go wrong with a file is a ``UserError`` that names it.
"""

from __future__ import annotations

import bz2
import glob
import gzip
import hashlib
import lzma
import os
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import IO, Any

from evalkit.errors import UserError, nearest
from tokenizers_impl.deferred import dataclass

EXTRA = "evalkit[files]"
BLOCK_BYTES = 1 << 20

_COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
_FORMATS = {
    ".txt": "text",
    ".md": "text",
    ".text": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
_READ_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError)


@dataclass(frozen=True)
class Source:
    """One file: ``name`` stands in messages, ``location`` is a path or a URL.

    ``format`` is ``text``, ``jsonl``, ``csv``, ``tsv``, ``parquet``, or empty where the ending isn't known.
    """

    name: str
    location: str
    format: str
    compression: str = ""

    @property
    def is_url(self) -> bool:
        return _is_url(self.location)

    @property
    def identity(self) -> str:
        """The same for two names of one file."""
        return self.location if self.is_url else os.path.realpath(self.location)

    def blocks(self, size: int = BLOCK_BYTES) -> Iterator[bytes]:
        """The decompressed content in blocks, holding one of them at a time."""
        with reading(self), self.open_raw() as raw:
            yield from _decompressed(raw, self, size)

    @contextmanager
    def open_raw(self) -> Iterator[IO[bytes]]:
        """The file as it is stored."""
        with reading(self):
            file: IO[bytes]
            if self.is_url:
                file = _fsspec(self.name).open(self.location, "rb").open()
            else:
                file = Path(self.location).open("rb")  # noqa: SIM115
        try:
            yield file
        finally:
            file.close()


@contextmanager
def reading(source: Source) -> Iterator[None]:
    """Turns whatever goes wrong with a file into an error that names it."""
    try:
        yield
    except UserError:
        raise
    except _READ_ERRORS as error:
        raise UserError(_unreadable(source, error)) from None
    except Exception as error:
        # File systems behind fsspec and decompressors from elsewhere raise types of their own.
        if source.is_url or source.compression == ".zst":
            raise UserError(_unreadable(source, error)) from None
        raise


def _unreadable(source: Source, error: BaseException) -> str:
    if isinstance(error, PermissionError):
        return f"{source.name}: the file can't be read: permission denied"
    if source.compression and not isinstance(error, FileNotFoundError):
        reason = "it ends too early" if isinstance(error, EOFError) else str(error) or type(error).__name__
        return f"{source.name}: the file is no whole {source.compression} file: {reason}"
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return f"{source.name}: the file can't be read: {reason}"


def hash_sources(sources: Iterable[Source]) -> str:
    """The SHA-256 of the files' contents as stored, in order: for one file, what ``sha256sum`` says."""
    digest = hashlib.sha256()
    for source in sources:
        with reading(source), source.open_raw() as file:
            while block := file.read(BLOCK_BYTES):
                digest.update(block)
    return digest.hexdigest()


def find_sources(patterns: Iterable[str], base_dir: Path, notes: list[str]) -> list[Source]:
    """The sources that the patterns name, in the order of the patterns and sorted within each.

    A folder stands for all files below it. What is passed over (hidden files, links to folders, a file that
    two patterns name) is said in ``notes``.
    """
    found: dict[str, Source] = {}
    for pattern in patterns:
        for source in _expand(pattern, base_dir, notes):
            if found.setdefault(source.identity, source) is not source:
                notes.append(f"{source.name} is named twice in 'files' and read once")
    return list(found.values())


def _is_url(text: str) -> bool:
    return "://" in text


def _expand(pattern: str, base_dir: Path, notes: list[str]) -> list[Source]:
    if _is_url(pattern):
        return [_source(url, url) for url in _expand_url(pattern)]
    if "\0" in pattern:
        raise UserError(f"{pattern!r} is no file name")
    path = base_dir / Path(pattern).expanduser()
    if path.is_dir():
        return _folder(path, pattern, notes)
    if path.exists():
        return [_file(path, pattern)]
    if glob.has_magic(pattern):
        matches = sorted(glob.glob(str(Path(pattern).expanduser()), root_dir=base_dir, recursive=True))
        files = [_file(base_dir / name, name) for name in matches if not (base_dir / name).is_dir()]
        if not files:
            raise UserError(f"no file matches {pattern!r} (looked in {base_dir})")
        return files
    raise UserError(_missing(path, pattern))


def dangling(path: Path) -> str:
    """What there is to say of a link to something that isn't there, after its name; '' of anything else."""
    if not path.is_symlink() or path.exists():
        return ""
    return f"is a link to something that isn't there ({os.readlink(path)})"


def _missing(path: Path, pattern: str) -> str:
    if link := dangling(path):
        return f"{pattern!r} {link}"
    folder = path.parent
    if not folder.is_dir():
        return f"there is no file {pattern!r}: the folder {str(folder)!r} doesn't exist"
    hint = nearest(path.name, sorted(entry.name for entry in folder.iterdir()))
    return f"there is no file {pattern!r} in {str(folder)!r}{f' ({hint})' if hint else ''}"


def _folder(folder: Path, name: str, notes: list[str]) -> list[Source]:
    files: list[Path] = []
    hidden = links = 0
    for place, folders, names in os.walk(folder):
        hidden += sum(entry.startswith(".") for entry in (*folders, *names))
        links += sum(os.path.islink(os.path.join(place, entry)) for entry in folders)
        folders[:] = [entry for entry in folders if not entry.startswith(".")]
        files += [Path(place, entry) for entry in names if not entry.startswith(".")]
    if hidden:
        notes.append(f"{hidden} hidden {'entry' if hidden == 1 else 'entries'} of the folder {name!r} skipped")
    if links:
        notes.append(f"{links} linked {'folder' if links == 1 else 'folders'} in {name!r} not followed")
    if not files:
        raise UserError(f"the folder {name!r} holds no files")
    files.sort(key=lambda file: file.relative_to(folder).parts)
    return [_file(file, str(PurePosixPath(name) / file.relative_to(folder).as_posix())) for file in files]


def _file(path: Path, name: str) -> Source:
    try:
        status = path.stat()
    except OSError as error:
        raise UserError(f"{name}: the file can't be read: {error.strerror or error}") from None
    if not stat.S_ISREG(status.st_mode):  # a pipe can be read only once, and documents are read several times
        raise UserError(f"{name}: not a regular file")
    if status.st_size == 0:
        raise UserError(f"{name}: the file is empty")
    return _source(name, str(path))


def _source(name: str, location: str) -> Source:
    path = PurePosixPath(location.split("?")[0].lower()) if _is_url(location) else Path(location.lower())
    compression = path.suffix if path.suffix in _COMPRESSIONS else ""
    suffix = path.with_suffix("").suffix if compression else path.suffix
    return Source(name, location, _FORMATS.get(suffix, ""), compression)


def _fsspec(name: str) -> Any:
    try:
        return import_module("fsspec")
    except ImportError:
        raise UserError(f"{name}: reading a URL needs fsspec; install {EXTRA}") from None


def _expand_url(pattern: str) -> list[str]:
    fsspec = _fsspec(pattern)
    if not glob.has_magic(pattern.split("?")[0]):
        return [pattern]
    try:
        system, path = fsspec.core.url_to_fs(pattern)
        found = sorted(str(system.unstrip_protocol(match)) for match in system.glob(path))
    except Exception as error:
        raise UserError(f"{pattern}: can't be listed: {str(error) or type(error).__name__}") from None
    if not found:
        raise UserError(f"no file matches {pattern!r}")
    return found


def _decompressed(raw: IO[bytes], source: Source, size: int) -> Iterator[bytes]:
    if source.compression == ".zst":
        yield from _zstandard_blocks(raw, source, size)
        return
    file: Any = raw
    if source.compression == ".gz":
        file = gzip.GzipFile(fileobj=raw, mode="rb")
    elif source.compression == ".bz2":
        file = bz2.BZ2File(raw, "rb")
    elif source.compression == ".xz":
        file = lzma.LZMAFile(raw, "rb")  # noqa: SIM115
    with file:
        while block := file.read(size):
            yield block


def _zstandard_blocks(raw: IO[bytes], source: Source, size: int) -> Iterator[bytes]:
    """All frames of a file. The streams that both packages offer end silently where a file is cut off, or
    after its first frame; hence the loop over their decompressors, which say whether a frame is complete."""
    new = _zstandard_decompressor(source)
    frame: Any = None
    while data := raw.read(min(size, 1 << 16)):  # a small piece can grow a thousandfold
        while data:
            frame = frame or new()
            if block := frame.decompress(data):
                yield block
            data = frame.unused_data if frame.eof else b""
            if frame.eof:
                frame = None
    if frame is not None:
        raise EOFError


def _zstandard_decompressor(source: Source) -> Callable[[], Any]:
    """Python 3.14 has it; before, the package ``zstandard`` does."""
    try:
        decompressor: Callable[[], Any] = import_module("compression.zstd").ZstdDecompressor
        return decompressor
    except ImportError:
        pass
    try:
        package = import_module("zstandard")
    except ImportError:
        raise UserError(f"{source.name}: reading .zst needs the package zstandard; install {EXTRA}") from None
    return lambda: package.ZstdDecompressor().decompressobj()
