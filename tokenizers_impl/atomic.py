"""Writing files so that a reader sees the old content or the new, whole, and never half of either."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

NO_ROOM = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A new file that takes the place of ``path`` at the end of the block, and not at all if the block raises.

    Its folder is made where needed, and taken away again if the block raises. A link is followed, so that the
    file it points at is replaced and the link stays. A file that is replaced hands on its rights. Two writers
    may race: the last one wins, whole. A device or a pipe can't be replaced: it gets the bytes, at the end of
    the block.
    """
    try:
        there = os.stat(path)
    except OSError:
        there = None
    if there is not None and not stat.S_ISREG(there.st_mode) and not stat.S_ISDIR(there.st_mode):
        with tempfile.SpooledTemporaryFile(max_size=1 << 24) as spooled:
            yield spooled  # type: ignore[misc]
            spooled.seek(0)
            with _full_named(path), open(path, "wb", buffering=0) as special, contextlib.closing(spooled):
                shutil.copyfileobj(spooled, special)
        return
    target = Path(os.path.realpath(path))
    temporary = _beside(target)
    made = [folder for folder in target.parents if not folder.exists()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # os.open rather than tempfile: the file gets the rights that the user's umask gives any other file.
        with _named(path):
            descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        with _full_named(path), open(descriptor, "w+b") as file:
            if there is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), stat.S_IMODE(there.st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        with _named(path):
            os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        with contextlib.suppress(OSError):  # what isn't empty is somebody's by now
            for folder in made:
                folder.rmdir()
        raise


def write_bytes(path: str | os.PathLike[str], data: bytes) -> Path:
    """Writes ``data`` to ``path`` as :func:`writing` does; returns the path."""
    with writing(path) as file:
        file.write(data)
    return Path(path)


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Writes ``text`` as UTF-8, its line ends as they are."""
    return write_bytes(path, text.encode())


def replace_dir(new: str | os.PathLike[str], target: str | os.PathLike[str]) -> Path:
    """Moves the finished folder ``new`` to ``target`` (on the same file system) and removes what stood there.

    Folders can't be exchanged in one step everywhere, so the old one is renamed first. If the second rename
    fails the old one is put back; it is deleted only when the new one is in place.
    """
    place = Path(os.path.realpath(target))
    place.parent.mkdir(parents=True, exist_ok=True)
    if not os.path.lexists(place):
        os.rename(new, place)
        return Path(target)
    old = _beside(place)
    os.rename(place, old)
    try:
        os.rename(new, place)
    except BaseException:
        os.rename(old, place)
        raise
    shutil.rmtree(old, ignore_errors=True)
    return Path(target)


@contextlib.contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Errors about the temporary file name the one that was asked for: nobody knows the other name."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


@contextlib.contextmanager
def _full_named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Errors about a place with no room name the file that didn't fit: the system says of none."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno not in NO_ROOM:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def _beside(target: Path) -> Path:
    """A free name in the same folder, since a rename is atomic only within a file system. Names near the
    system's limit must still fit, hence the cut."""
    return target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
