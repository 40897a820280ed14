"""GPT-2's two files, ``vocab.json`` and ``merges.txt``, and vocabularies as JSON lists of integers.

GPT-2 writes each byte as one printable character: what is printable stands for itself, the others are moved
to U+0100 and up (the blank is ``Ġ``). The two files don't say how text is split, so that saving adds a side
file, ``special_tokens.json``, with the variant, the special tokens and the checksums of both files; with it
the folder loads to an equal tokenizer.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenizers_impl.atomic import write_bytes
from tokenizers_impl.errors import TokenizerError, shorten
from tokenizers_impl.formats.limits import JsonValue, decode, parse_json, read_file
from tokenizers_impl.formats.own import check_header, check_holds_splitting, load_stated, splitting_content

if TYPE_CHECKING:
    from tokenizers_impl.tokenizer import BPETokenizer

VOCAB, MERGES, SIDE = "vocab.json", "merges.txt", "special_tokens.json"
SIDE_FORMAT, SIDE_VERSION = "evalkit-gpt2", 1
_HEADER = "#version: 0.2"
_FOREIGN = "that bytes are missing, or that special tokens are ordinary text as well"


@functools.cache
def byte_characters() -> tuple[str, ...]:
    """GPT-2's character for each byte."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    moved = iter(range(0x100, 0x200))
    return tuple(chr(byte) if byte in printable else chr(next(moved)) for byte in range(256))


@functools.cache
def _bytes_by_character() -> dict[str, int]:
    return {character: byte for byte, character in enumerate(byte_characters())}


def to_characters(token: bytes) -> str:
    """
    >>> to_characters(b" a\\n")
    'ĠaĊ'
    """
    characters = byte_characters()
    return "".join([characters[byte] for byte in token])


def from_characters(text: str) -> bytes:
    """Raises ``KeyError`` with the character that stands for no byte."""
    table = _bytes_by_character()
    return bytes([table[character] for character in text])


# ── writing ─────────────────────────────────────────────────────────────────────────────────────────────────


def targets(folder: Path) -> list[Path]:
    """What saving writes."""
    return [folder / VOCAB, folder / MERGES, folder / SIDE]


def save(tokenizer: BPETokenizer, folder: Path) -> Path:
    """Writes ``vocab.json``, ``merges.txt`` and ``special_tokens.json`` into ``folder``; returns it."""
    check_holds_splitting(tokenizer, "gpt2")
    special_ids = set(tokenizer.special_tokens.values())
    vocab = {to_characters(token): i for i, token in tokenizer.vocab.items() if i not in special_ids}
    for text, token_id in tokenizer.special_tokens.items():
        if text in vocab:
            raise TokenizerError(
                f"can't be saved as gpt2: the special token {text!r} would be written like the ordinary "
                f"token {from_characters(text)!r}"
            )
        vocab[text] = token_id
    if tokenizer.has_ranks:
        _check_merging_is_enough(tokenizer)
    elif tokenizer.ignore_merges or tokenizer.foreign:
        what = "that whole pretokens are looked up first" if tokenizer.ignore_merges else _FOREIGN
        raise TokenizerError(f"can't be saved as gpt2: these files can't say {what}; save it as huggingface or evalkit")
    lines = [f"{to_characters(left)} {to_characters(right)}" for left, right in tokenizer.merges]
    merges_text = "\n".join([_HEADER, *lines]) + "\n"
    by_id = dict(sorted(vocab.items(), key=lambda item: item[1]))
    files = {VOCAB: json.dumps(by_id, ensure_ascii=False).encode(), MERGES: merges_text.encode()}
    side: dict[str, Any] = {"format": SIDE_FORMAT, "version": SIDE_VERSION} | splitting_content(tokenizer)
    side["special_tokens"] = tokenizer.special_tokens
    side["files"] = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    files[SIDE] = (json.dumps(side, indent=1, ensure_ascii=False) + "\n").encode()
    for name, data in files.items():  # the side file last: its checksums tell a half-written folder
        write_bytes(folder / name, data)
    return folder


def _check_merging_is_enough(tokenizer: BPETokenizer) -> None:
    if found := first_unmerged(tokenizer):
        token_id, token = found
        raise TokenizerError(
            f"can't be saved as gpt2: merging never yields token {token_id}, {token!r}, which a list of merges "
            "can't express; save it as huggingface, tiktoken or evalkit"
        )


def first_unmerged(tokenizer: BPETokenizer) -> tuple[int, bytes] | None:
    """The first token (id, bytes) that merging its own bytes doesn't yield, so that it is found only where whole
    pretokens are looked up first. Without one, the merges alone give the same ids for every text. For ranks too:
    whenever two neighbours join to a token, all of lower rank inside it has been merged already, so that they are
    the pair that stands in the list."""
    from tokenizers_impl.tokenizer import BPETokenizer

    special_ids = set(tokenizer.special_tokens.values())
    ordinary = {i: token for i, token in tokenizer.vocab.items() if i not in special_ids}
    encode = BPETokenizer(ordinary, tokenizer.merges, foreign=True).engine_encoder.encode_pretoken
    return next(((i, token) for i, token in ordinary.items() if encode(token) != [i]), None)


# ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────


def load_folder(folder: Path, pattern: str | None, special_tokens: Mapping[str, int] | None) -> BPETokenizer:
    """A folder with both files; the side file, where there is one, says the rest."""
    side_path = folder / SIDE
    if not side_path.exists():
        if pattern is None:
            raise TokenizerError(
                f"{folder} has no {SIDE}, which says the split pattern and the special tokens: give pattern= "
                "and special_tokens="
            )
        return from_files(folder / VOCAB, folder / MERGES, special_tokens or (), pattern)
    side = parse_json(read_file(side_path), side_path)
    check_header(side, SIDE_FORMAT, SIDE_VERSION)
    content = side.members(("format", "version", "variant", "unicode", "special_tokens", "files"))
    sums = content["files"].members((VOCAB, MERGES))
    for name, stored in sums.items():
        if hashlib.sha256(read_file(folder / name)).hexdigest() != stored.text():
            raise TokenizerError(
                f"{folder / name} is not the file that {side_path} was written with (its checksum differs). "
                "Take another copy; if the change is meant, use from_files, which takes the special tokens "
                "as given"
            )
    variant, specials = load_stated(content, pattern, special_tokens, side_path)
    return from_files(folder / VOCAB, folder / MERGES, specials, variant)


def from_files(
    vocab_path: Path, merges_path: Path, special_tokens: Mapping[str, int] | Iterable[str], pattern: str
) -> BPETokenizer:
    """GPT-2's files when the vocabulary is an object; when it is a list: byte lists by id, and a list of
    pairs of byte lists."""
    from tokenizers_impl.tokenizer import BPETokenizer

    if isinstance(special_tokens, str):
        raise TypeError("special_tokens is a collection of texts; a single text would be read letter by letter")
    specials = dict(special_tokens) if isinstance(special_tokens, Mapping) else list(special_tokens)
    document = parse_json(read_file(vocab_path), vocab_path)
    if isinstance(document.raw, list):
        vocab = _listed_vocab(document)
        merges = _listed_merges(parse_json(read_file(merges_path), merges_path))
    else:
        vocab, fixed = _vocab(document, specials)
        if isinstance(specials, list) and fixed:
            free = max(vocab, default=-1) + 1
            loose = [text for text in specials if text not in fixed]
            specials = fixed | {text: free + i for i, text in enumerate(loose)}
        merges = _merges(merges_path)
    try:
        return BPETokenizer(vocab, merges, specials, pattern)
    except TokenizerError as error:
        raise TokenizerError(f"{vocab_path} with {merges_path.name}: {error}") from None


def _vocab(document: JsonValue, specials: Iterable[str]) -> tuple[dict[int, bytes], dict[str, int]]:
    """Bytes by id, and the ids of those special tokens that the file holds. These stand there as they are,
    not byte by byte."""
    known = set(specials)
    vocab: dict[int, bytes] = {}
    fixed: dict[str, int] = {}
    for text, token_id in document.ids_by_text().items():
        if token_id in vocab:
            document.at(text).fail(f"id {token_id} is {shorten(vocab[token_id])} already")
        if text in known:
            fixed[text] = token_id
            vocab[token_id] = text.encode()
            continue
        try:
            vocab[token_id] = from_characters(text)
        except KeyError as error:
            document.at(text).fail(
                f"the character {error.args[0]!r} stands for no byte in GPT-2's table; if this is a special "
                "token, name it in special_tokens"
            )
    return vocab, fixed


def _merges(path: Path) -> list[tuple[bytes, bytes]]:
    """The pairs of ``merges.txt``. Only a first line that starts with ``#version`` is a header: ``# #`` is a
    merge."""
    lines = decode(read_file(path), path).split("\n")
    if lines[-1] in ("", "\r"):
        lines.pop()
    merges = []
    for number, line in enumerate(lines, start=1):
        if number == 1 and line.startswith("#version"):
            continue
        parts = line.removesuffix("\r").split(" ")
        if parts == [""]:
            raise TokenizerError(f"{path}: line {number} is blank; every line is one merge")
        if len(parts) != 2 or not all(parts):
            raise TokenizerError(
                f"{path}: line {number}: expected two tokens with one blank between, got {shorten(line)}"
            )
        try:
            merges.append((from_characters(parts[0]), from_characters(parts[1])))
        except KeyError as error:
            raise TokenizerError(
                f"{path}: line {number}: the character {error.args[0]!r} stands for no byte in GPT-2's table"
            ) from None
    return merges


def _listed_vocab(document: JsonValue) -> dict[int, bytes]:
    """A list of byte lists; the place is the id, and null leaves an id out."""
    return {
        token_id: bytes(document.at(token_id).integers(0, 255))
        for token_id, token in enumerate(document.items())
        if token is not None
    }


def _listed_merges(document: JsonValue) -> list[tuple[bytes, bytes]]:
    merges = []
    for number in range(len(document.items())):
        pair = document.at(number)
        if len(pair.items()) != 2:
            pair.fail(f"expected two byte lists, got {len(pair.items())}")
        merges.append((bytes(pair.at(0).integers(0, 255)), bytes(pair.at(1).integers(0, 255))))
    return merges
