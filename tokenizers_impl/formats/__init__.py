"""Files of tokenizers, read and written.

| format | files | keeps |
|---|---|---|
| ``evalkit`` | one ``.json`` (``evalkit.json`` in a folder) | everything, with a checksum |
| ``tiktoken`` | ``.tiktoken`` ranks and a side file | vocabularies whose merges follow their ids |
| ``gpt2`` | ``vocab.json``, ``merges.txt`` and a side file | everything but a word list |
| ``huggingface`` | ``tokenizer.json`` | everything but a word list and digit groups from the right |

``load`` goes by what the file says it is and never tries one reader after another.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tokenizers_impl.errors import TokenizerError, shorten, suggestion
from tokenizers_impl.formats import gpt2, own, tiktoken_ranks
from tokenizers_impl.formats.limits import parse_json, read_file

if TYPE_CHECKING:
    from tokenizers_impl.tokenizer import BPETokenizer

_HUGGINGFACE = "tokenizer.json"
FOREIGN_FILES = ("*.model", "*.model.v*", "tekken*.json")
"""What others publish and ``load`` doesn't read, but names: models of SentencePiece, Mistral's tekken."""


def _save_huggingface(tokenizer: BPETokenizer, path: Path) -> Path:
    from tokenizers_impl.formats import hf_export  # with its judge, which nothing else needs

    return hf_export.save(tokenizer, path)


_WRITERS: dict[str, Callable[[BPETokenizer, Path], Path]] = {
    "evalkit": own.save,
    "tiktoken": tiktoken_ranks.save,
    "gpt2": gpt2.save,
    "huggingface": _save_huggingface,
}


_TARGETS: dict[str, Callable[[Path], list[Path]]] = {
    "evalkit": own.targets,
    "tiktoken": tiktoken_ranks.targets,
    "gpt2": gpt2.targets,
}


def format_names() -> tuple[str, ...]:
    """The formats that ``save`` writes."""
    return tuple(_WRITERS)


def targets(path: str | os.PathLike[str], format: str) -> list[Path]:
    """The files that saving in a format writes."""
    if format == "huggingface":
        from tokenizers_impl.formats import hf_export

        return hf_export.targets(Path(path))
    return _TARGETS[format](Path(path))


def save(tokenizer: BPETokenizer, path: str | os.PathLike[str], format: str = "evalkit") -> Path:
    """Writes ``tokenizer``, each file atomically; returns the path to load it from. A format that can't hold
    the tokenizer exactly refuses before anything is written."""
    if format not in _WRITERS:
        hint = suggestion(format, _WRITERS)
        raise TokenizerError(f"unknown format {format!r}{hint}; there are {', '.join(_WRITERS)}")
    return _WRITERS[format](tokenizer, Path(path))


def load(
    path: str | os.PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    normalizer: Literal["refuse", "ignore"] = "refuse",
) -> BPETokenizer:
    """The tokenizer in a file or folder that one of the formats above wrote. ``pattern`` and
    ``special_tokens`` are for files of others, which don't say them: ``.tiktoken`` ranks, or ``vocab.json``
    with ``merges.txt``. ``normalizer`` is what becomes of one in a ``tokenizer.json``
    (:func:`tokenizers_impl.from_huggingface`); other files have none.

    Raises :class:`TokenizerError` naming file and place for whatever is wrong with it, ``FileNotFoundError``
    where there is none.
    """
    place = Path(path)
    if place.is_dir():
        return _load_folder(place, pattern, special_tokens, normalizer)
    if place.suffix == tiktoken_ranks.SUFFIX:
        return tiktoken_ranks.load(place, pattern, special_tokens)
    data = read_file(place)
    if any(place.match(name) for name in FOREIGN_FILES if ".model" in name):
        raise TokenizerError(f"{place} {_what_model_file(data)}")
    if place.suffix != ".json":
        raise TokenizerError(f"{place} is neither .json nor .tiktoken; those are the files that load reads")
    document = parse_json(data, place)
    if own.is_own(document):
        if pattern is not None or special_tokens is not None:
            raise TokenizerError(f"{place} says its split pattern and special tokens itself: leave both out")
        return own.load(document)
    if _is_huggingface(document.raw):
        from tokenizers_impl.formats.huggingface import from_huggingface

        if pattern is not None or special_tokens is not None:
            raise TokenizerError(f"{place} says its split pattern and special tokens itself: leave both out")
        return from_huggingface(place, normalizer=normalizer)
    raise TokenizerError(f"{place}: {_what_it_is(document.raw)}")


def files_of(path: Path) -> list[Path]:
    """The files there are of a tokenizer that is read from a file or a folder; other files of the folder are not."""
    if not path.is_dir():
        return [one for one in (path, tiktoken_ranks.side_path(path)) if one.is_file()]
    names = (own.FILE_NAME, f"*{tiktoken_ranks.SUFFIX}", _HUGGINGFACE, gpt2.VOCAB, gpt2.MERGES, gpt2.SIDE)
    found = [one for name in names for one in sorted(path.glob(name)) if one.is_file()]
    sides = [tiktoken_ranks.side_path(one) for one in found if one.suffix == tiktoken_ranks.SUFFIX]
    return [*found, *(one for one in sides if one.is_file())]


def from_files(
    vocab_path: str | os.PathLike[str],
    merges_path: str | os.PathLike[str],
    special_tokens: Mapping[str, int] | Iterable[str] = (),
    pattern: str = "gpt2",
) -> BPETokenizer:
    """A vocabulary and its merges: GPT-2's ``vocab.json`` with ``merges.txt``, or two JSON files of integers,
    a list of byte lists by id and a list of pairs of byte lists."""
    return gpt2.from_files(Path(vocab_path), Path(merges_path), special_tokens, pattern)


def _load_folder(
    folder: Path,
    pattern: str | None,
    special_tokens: Mapping[str, int] | None,
    normalizer: Literal["refuse", "ignore"],
) -> BPETokenizer:
    """evalkit's own file is complete and goes first; of the others there must be exactly one."""
    if (folder / own.FILE_NAME).exists():
        return load(folder / own.FILE_NAME, pattern=pattern, special_tokens=special_tokens)
    found = sorted(folder.glob(f"*{tiktoken_ranks.SUFFIX}"))
    if (folder / _HUGGINGFACE).exists():
        found.append(folder / _HUGGINGFACE)
    if (folder / gpt2.VOCAB).exists() and (folder / gpt2.MERGES).exists():
        found.append(folder / gpt2.VOCAB)
    if not found:
        if others := sorted(path for name in FOREIGN_FILES for path in folder.glob(name)):
            return load(others[0])  # which says why it can't be read
        raise TokenizerError(
            f"{folder} holds no tokenizer: neither {own.FILE_NAME}, nor a {tiktoken_ranks.SUFFIX} file, nor "
            f"{_HUGGINGFACE}, nor {gpt2.VOCAB} with {gpt2.MERGES}"
        )
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise TokenizerError(f"{folder} holds more than one tokenizer ({names}): give the path of one")
    if found[0].name == gpt2.VOCAB:
        return gpt2.load_folder(folder, pattern, special_tokens)
    return load(found[0], pattern=pattern, special_tokens=special_tokens, normalizer=normalizer)


def _is_huggingface(content: object) -> bool:
    return isinstance(content, dict) and isinstance(content.get("model"), dict)


def _what_model_file(data: bytes) -> str:
    """What a ``.model`` file is: SentencePiece's is binary; some publish tiktoken's ranks under that name."""
    if re.match(rb"[A-Za-z0-9+/]+={0,2} [0-9]+\r?\n", data):
        return (
            f"holds ranks as tiktoken writes them: copy it to a name that ends in {tiktoken_ranks.SUFFIX}, and name "
            "its split pattern"
        )
    return (
        "is a SentencePiece model, which is no byte-level BPE: a suite measures and gates it as `sentencepiece: FILE`; "
        f"where it was published with a {_HUGGINGFACE} of byte-level BPE, that can be loaded here"
    )


def _what_it_is(content: object) -> str:
    if isinstance(content, dict):
        if isinstance(content.get("vocab"), list) and isinstance(content.get("config"), dict):
            return f"this is a tekken file of Mistral's, which this version doesn't read; load its {_HUGGINGFACE}"
        if content.get("format") in (tiktoken_ranks.SIDE_FORMAT, gpt2.SIDE_FORMAT):
            return "this is a side file; give the .tiktoken file or the folder"
        if "format" not in content and content and all(type(value) is int for value in content.values()):
            return f"this is a vocabulary without its merges; give the folder, which holds {gpt2.MERGES} as well"
        found = shorten(content.get("format"))
        return f'this is not a tokenizer of evalkit: "format" is {found}, not {own.FORMAT!r}'
    return "this is not a tokenizer of evalkit: expected a JSON object"
