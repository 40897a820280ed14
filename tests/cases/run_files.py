"""Runners about files of others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import tokenizers_impl as ti
from cases.model import Here, runner
from cases.paths import check_text, merging, read, toy
from cases.run_split import trained
from tokenizers_impl import TokenizerError
from tokenizers_impl.formats.gpt2 import to_characters


def _vocab(extra: Sequence[str]) -> dict[str, int]:
    """GPT-2's vocab.json: the bytes under their characters, then these tokens, written in them too."""
    vocab = {to_characters(bytes([i])): i for i in range(256)}
    return vocab | {text: 256 + i for i, text in enumerate(text for text in extra if text not in vocab)}


@runner
def merges_file(here: Here, lines: list[str], extra: list[str], merges: list[list[str]], vocab_size: int) -> None:
    """A list of merges with any line ends, and with the last one or without, is the same list."""
    vocab = here.folder / "vocab.json"
    vocab.write_text(json.dumps(_vocab(extra)), encoding="utf-8")
    for line_end in ("\n", "\r\n"):
        for last in ("", line_end):
            path = here.folder / "merges.txt"
            path.write_text(line_end.join(lines) + last, encoding="utf-8", newline="")
            tok = ti.BPETokenizer.from_files(vocab, path)
            assert [[left.decode(), right.decode()] for left, right in tok.merges] == merges
            assert tok.vocab_size == vocab_size
            check_text(tok, "abc", [tok.vocab_size - 1], None)
            check_text(read(tok.save(here.folder / "copy", format="gpt2"), "gpt2"), "abc", [257], None)


@runner
def merge_twice(here: Here, extra: list[str], merges: list[list[str]], text: str, if_first: list[str]) -> None:
    """A merge that is there twice is refused, with its parts and both its numbers."""
    says = r"merge 3, b'a' \+ b'b', stands at 1 already"
    pairs = [(left.encode(), right.encode()) for left, right in merges]
    vocab = {i: bytes([i]) for i in range(256)} | {256 + i: one.encode() for i, one in enumerate(extra)}
    with pytest.raises(TokenizerError, match=says):
        ti.BPETokenizer(vocab, pairs)
    files = here.folder / "vocab.json", here.folder / "merges.txt"
    files[0].write_text(json.dumps(_vocab(extra)), encoding="utf-8")
    files[1].write_text("\n".join(map(" ".join, merges)), encoding="utf-8")
    with pytest.raises(TokenizerError, match=says):
        ti.BPETokenizer.from_files(*files)
    files[0].write_text(json.dumps([list(token) for token in vocab.values()]), encoding="utf-8")
    files[1].write_text(json.dumps([[list(a), list(b)] for a, b in pairs]), encoding="utf-8")
    with pytest.raises(TokenizerError, match=says):
        ti.BPETokenizer.from_files(*files)
    once = ti.BPETokenizer(vocab, pairs[:2])
    assert once.tokenize(text) == if_first


# ── tokenizer.json ──────────────────────────────────────────────────────────────────────────────────────────

_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def _document(
    extra: Sequence[str] = (),
    merges: Sequence[Any] = (),
    pre_tokenizer: Mapping[str, Any] = _BYTE_LEVEL,
    specials: Sequence[tuple[str, int]] = (),
    **model: Any,
) -> dict[str, Any]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": number, "content": text} | flags for text, number in specials],
        "normalizer": None,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": _vocab(extra),
            "merges": list(merges),
        }
        | model,
    }


def _import(folder: Path, document: Mapping[str, Any]) -> ti.BPETokenizer:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return ti.from_huggingface(path)  # type: ignore[attr-defined,no-any-return]


@runner
def empty_special_huggingface(here: Here, special_id: int) -> None:
    """An empty added token is refused."""
    with pytest.raises(TokenizerError, match=r"empty|no text"):
        _import(here.folder, _document(specials=[("", special_id)]))


def _split(pattern: Mapping[str, str]) -> dict[str, Any]:
    split = {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, _BYTE_LEVEL | {"use_regex": False}]}


@runner
def split_of_huggingface(
    here: Here, pattern: Mapping[str, str], text: str, pieces: list[str], says: bool = False
) -> None:
    """A split by a text or by a pattern, as the file says; a text that looks like a pattern is noted."""
    tok = _import(here.folder, _document(pre_tokenizer=_split(pattern)))
    assert tok.pretokenize(text) == pieces
    check_text(tok, text, list(text.encode()), None)
    assert any("\\s+" in note for note in tok.notes) == says


@runner
def byte_level_of_huggingface(here: Here, text: str, with_regex: list[str], without: list[str]) -> None:
    """``use_regex`` says whether the byte level splits too."""
    assert _import(here.folder, _document()).pretokenize(text) == with_regex
    whole = _document(pre_tokenizer=_BYTE_LEVEL | {"use_regex": False})
    assert _import(here.folder, whole).pretokenize(text) == without


@runner
def merges_of_huggingface(here: Here, vocab: list[str], pairs: list[list[str]], text: str, tokens: int) -> None:
    """Merges as pairs and as strings mean the same. The file writes tokens in GPT-2's characters, so that a blank
    parts two of them and is in none."""
    for merges in (pairs, [" ".join(pair) for pair in pairs]):
        whole = _BYTE_LEVEL | {"use_regex": False}
        tok = _import(here.folder, _document(vocab, merges, pre_tokenizer=whole))
        assert len(tok.encode(text)) == tokens
        assert tok.decode(tok.encode(text)) == text


@runner
def bad_merges_of_huggingface(here: Here, vocab: list[str], bad: list[list[Any]]) -> None:
    """Merges that can't be read are errors that name one."""
    for merges in bad:
        with pytest.raises(TokenizerError, match="merge"):
            _import(here.folder, _document(vocab, merges))


@runner
def merge_twice_in_huggingface(here: Here, vocab: list[str], merges: list[list[str]]) -> None:
    """A merge that is there twice is refused by name."""
    for written in (merges, [" ".join(pair) for pair in merges]):
        with pytest.raises(TokenizerError, match=r"merge.*'?a'?.*'?b'?"):
            _import(here.folder, _document(vocab, written))


@runner
def whole_pieces_by_huggingface(here: Here, extra: Sequence[str], texts: list[str], looked_up: list[list[int]]) -> None:
    """Ranks with a token that no merge makes keep its ids in a tokenizer.json, which says so to its readers."""
    path = toy(extra).save(here.folder / "tokenizer.json", format="huggingface")
    assert json.loads(Path(path).read_text(encoding="utf-8"))["model"]["ignore_merges"] is True
    tok = read(path, "huggingface")
    for text, ids in zip(texts, looked_up, strict=True):
        check_text(tok, text, ids, None)
    merged = trained("ab abc abc").save(here.folder / "other.json", format="huggingface")
    assert read(merged, "huggingface").tokenize("abc") == trained("ab abc abc").tokenize("abc")
    assert merging([["a", "b"]]).encode("ab") == [256]
