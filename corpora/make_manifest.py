"""Writes ``manifest.yaml``, and the table in ``README.md``, from the corpora's folders.

A folder is a corpus when it holds a ``corpus.yaml``, which says what can't be counted: title, language,
domain, licence, how documents are cut, the files (by language, where they are the same text in several) and where they
come from. Everything else is measured here.
Run ``python corpora/make_manifest.py`` after a corpus has changed; ``--check`` exits 1 if that was forgotten.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

if __name__ == "__main__" and not __package__:  # run as a file, not with -m
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from corpora._generate import SEPARATOR, differing, write_atomically

HERE = Path(__file__).resolve().parent
LIMIT = 3_000_000
"""Bytes that all corpora may have together: they are part of every installation."""

BEGIN, END = "<!-- table: written by make_manifest.py -->\n", "<!-- end of table -->"
KEYS = {"title", "language", "domain", "licence", "documents", "files", "generator"}
HEAD = """\
# Written by make_manifest.py from the folders' corpus.yaml and text files: change those, not this file.
# count and chars are of the documents: separators and the frame of .jsonl are in neither.
"""


@dataclass(frozen=True)
class Entry:
    name: str
    said: dict[str, Any]
    files: list[tuple[str, bytes]]
    documents: list[str]
    languages: list[str]
    """Of the files, one each, where the corpus is the same text in several languages; else empty."""

    @property
    def bytes(self) -> int:
        return sum(len(data) for _, data in self.files)

    @property
    def chars(self) -> int:
        return sum(len(document) for document in self.documents)

    def yaml(self) -> str:
        """The entry of the manifest. Strings are written as JSON, which YAML reads in one way only."""
        cut = ", ".join(f"{key}: {quoted(value)}" for key, value in self.said["documents"].items())
        lines = [f"- name: {quoted(self.name)}"]
        lines += [f"  {key}: {quoted(self.said[key])}" for key in ("title", "language", "domain", "licence")]
        lines += [f"  generator: {quoted(self.said['generator'])}", f"  documents: {{{cut}}}"]
        lines += [f"  count: {len(self.documents)}", f"  chars: {self.chars}", "  files:"]
        for number, (path, data) in enumerate(self.files):
            digest = hashlib.sha256(data).hexdigest()
            language = f", language: {quoted(self.languages[number])}" if self.languages else ""
            lines.append(f"    - {{path: {quoted(path)}, bytes: {len(data)}, sha256: {quoted(digest)}{language}}}")
        return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def documents_in(name: str, data: bytes, cut: dict[str, str]) -> list[str]:
    """The documents of one file, after what no file may have: carriage returns, empty documents, copies."""
    text = data.decode("utf-8")
    if "\r" in text:
        raise ValueError(f"{name} holds a carriage return")
    if "field" in cut:
        documents = [json.loads(line)[cut["field"]] for line in text.removesuffix("\n").split("\n")]
    elif "document" in cut:
        documents = text.removesuffix("\n").split("\n")
    else:
        documents = text.split(cut["separator"])
    if not all(documents):
        raise ValueError(f"{name} holds an empty document")
    if len(set(documents)) != len(documents):
        raise ValueError(f"{name} holds a document twice")
    return documents


def read(folder: Path) -> Entry:
    said = yaml.safe_load((folder / "corpus.yaml").read_text(encoding="utf-8"))
    said.setdefault("documents", {"separator": SEPARATOR})
    said.setdefault("licence", "MIT")
    if wrong := set(said) ^ KEYS:
        raise ValueError(f"{folder.name}/corpus.yaml: missing or unknown: {', '.join(sorted(wrong))}")
    named = said["files"]
    languages = list(named) if isinstance(named, dict) else []
    chosen = list(named.values()) if isinstance(named, dict) else named
    files = [(f"{folder.name}/{file}", (folder / file).read_bytes()) for file in chosen]
    parts = [documents_in(name, data, said["documents"]) for name, data in files]
    if languages and len({len(part) for part in parts}) != 1:
        counts = ", ".join(f"{language} {len(part)}" for language, part in zip(languages, parts, strict=True))
        raise ValueError(f"{folder.name}: the languages have different numbers of lines: {counts}")
    return Entry(folder.name, said, files, [text for part in parts for text in part], languages)


def entries() -> list[Entry]:
    return [read(path.parent) for path in sorted(HERE.glob("*/corpus.yaml"))]


def table(corpora: list[Entry]) -> str:
    rows = ["| corpus | what it is for | language | documents | bytes |", "|---|---|---|--:|--:|"]
    rows += [
        f"| [`{entry.name}`]({entry.name}/README.md) | {entry.said['title']} | `{entry.said['language']}` "
        f"| {len(entry.documents):,} | {entry.bytes:,} |"
        for entry in corpora
    ]
    documents, size = sum(len(entry.documents) for entry in corpora), sum(entry.bytes for entry in corpora)
    return "\n".join([*rows, f"| all | | | {documents:,} | {size:,} |"]) + "\n"


def build() -> dict[str, bytes]:
    corpora = entries()
    if (total := sum(entry.bytes for entry in corpora)) > LIMIT:
        raise ValueError(f"the corpora have {total:,} bytes together; the limit is {LIMIT:,}")
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    before, _, rest = readme.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError("README.md has lost the marks around its table")
    manifest = HEAD + "version: 1\ncorpora:\n" + "".join(entry.yaml() for entry in corpora)
    return {
        "manifest.yaml": manifest.encode(),
        "README.md": f"{before}{BEGIN}{table(corpora)}{END}{after}".encode(),
    }


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print("usage: make_manifest.py [--check]", file=sys.stderr)
        return 2
    files = build()
    stale = differing(HERE, files)
    for name in stale:
        if arguments:
            print(f"{name} is stale: run python corpora/make_manifest.py", file=sys.stderr)
        else:
            write_atomically(HERE / name, files[name])
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
