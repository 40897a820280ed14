"""Where the data that travels with evalkit is: the embedded corpora and the built-in suites.

The corpora live at the top of the source tree (``corpora/``), where people look for them, and are installed
as the package ``evalkit._corpora``, since a top-level package of that name would collide with another
project's. This module is the only one that knows about both places.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evalkit.errors import UserError, nearest
from tokenizers_impl.deferred import dataclass

MANIFEST = "manifest.yaml"


@dataclass(frozen=True)
class CorpusFile:
    """One text file of a corpus, and what it was when the manifest was written."""

    path: Path
    bytes: int
    sha256: str
    language: str | None = None
    """Its own, where the corpus is the same text in several languages."""


@dataclass(frozen=True)
class EmbeddedCorpus:
    """One entry of the manifest. Exactly one of ``separator``, ``field`` and ``document`` (``line``) is set.

    A corpus with ``languages`` is the same text in each of them, a file each, line by line.
    """

    name: str
    title: str
    language: str
    domain: str
    licence: str
    separator: str | None
    field: str | None
    files: tuple[CorpusFile, ...]
    documents: int
    bytes: int
    chars: int
    sha256: str
    generator: str
    document: str | None = None

    def __post_init__(self) -> None:
        if sum(cut is not None for cut in (self.separator, self.field, self.document)) != 1:
            raise ValueError(f"corpus {self.name!r} needs exactly one of 'separator', 'field' and 'document'")
        if not self.files:
            raise ValueError(f"corpus {self.name!r} has no files")

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that it can be had in, one at a time; empty for a corpus in one language."""
        return tuple(file.language for file in self.files if file.language is not None)

    def part(self, language: str | None) -> tuple[CorpusFile, ...]:
        """The files in ``language``, one of ``languages``; for any other, as of a corpus in one language, all."""
        return tuple(file for file in self.files if file.language == language) or self.files

    @property
    def readme(self) -> Path:
        return self.files[0].path.parent / "README.md"


def corpora_root() -> Path:
    """The folder of the embedded corpora: that of the evalkit that runs, as it is installed or in its source tree. What
    the import system knows by that name comes last, since it may be that of another checkout."""
    here = Path(__file__).resolve().parent
    spec = find_spec("evalkit._corpora")
    found = [Path(place) for place in (spec.submodule_search_locations or [])] if spec else []
    candidates = list(dict.fromkeys([here / "_corpora", here.parent / "corpora", *found]))
    for candidate in candidates:
        if (candidate / MANIFEST).is_file():
            return candidate
    raise UserError(
        "The embedded corpora are not installed: there is no manifest at "
        f"{' or '.join(str(candidate / MANIFEST) for candidate in candidates)}. Install evalkit again."
    )


def embedded_corpora() -> dict[str, EmbeddedCorpus]:
    """Every embedded corpus by name, in the order of the manifest."""
    return dict(_read(corpora_root() / MANIFEST))


def embedded_corpus(name: str) -> EmbeddedCorpus:
    """The embedded corpus called ``name``; an unknown name is answered with the nearest ones."""
    corpora = embedded_corpora()
    if name not in corpora:
        hint = nearest(name, corpora)
        raise UserError(
            f"There is no embedded corpus {name!r}{f': {hint}' if hint else '.'} "
            f"The embedded corpora are {', '.join(corpora)}."
        )
    return corpora[name]


def verify(corpus: EmbeddedCorpus) -> list[str]:
    """What is wrong with the corpus's files, one sentence each; empty when they are those of the manifest."""
    problems = []
    for file in corpus.files:
        try:
            data = file.path.read_bytes()
        except OSError as error:
            problems.append(f"{file.path} can't be read: {error.strerror or error}.")
            continue
        if len(data) != file.bytes:
            problems.append(f"{file.path} has {len(data):,} bytes where the manifest says {file.bytes:,}.")
        elif (found := hashlib.sha256(data).hexdigest()) != file.sha256:
            problems.append(f"{file.path} has SHA-256 {found} where the manifest says {file.sha256}.")
    return problems


def sha256_of(files: Sequence[CorpusFile]) -> str:
    """One hash for several files: that of their hashes."""
    return hashlib.sha256("".join(file.sha256 for file in files).encode()).hexdigest()


def suites_root() -> Path:
    """The folder of the built-in suites."""
    return Path(__file__).resolve().parent / "suites"


def builtin_suites() -> dict[str, Path]:
    """Every built-in suite's file by name, sorted."""
    return {path.stem: path for path in sorted(suites_root().glob("*.yaml"))}


@lru_cache(maxsize=4)
def _read(manifest: Path) -> dict[str, EmbeddedCorpus]:
    import yaml  # only here: where the built-in suites are is asked before anything else

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where PyYAML was built with libyaml
    content = yaml.load(manifest.read_text(encoding="utf-8"), loader)
    entries = [_corpus(manifest.parent, entry) for entry in content["corpora"]]
    return {entry.name: entry for entry in entries}


def _corpus(root: Path, entry: dict[str, Any]) -> EmbeddedCorpus:
    files = tuple(
        CorpusFile(root / file["path"], file["bytes"], file["sha256"], file.get("language")) for file in entry["files"]
    )
    return EmbeddedCorpus(
        name=entry["name"],
        title=entry["title"],
        language=entry["language"],
        domain=entry["domain"],
        licence=entry["licence"],
        separator=entry["documents"].get("separator"),
        field=entry["documents"].get("field"),
        document=entry["documents"].get("document"),
        files=files,
        documents=entry["count"],
        bytes=sum(file.bytes for file in files),
        chars=entry["chars"],
        sha256=sha256_of(files),
        generator=entry["generator"],
    )
