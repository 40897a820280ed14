"""A small tokenizer.json and ways to change it, for the tests of that format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tokenizers_impl as ti
from tokenizers_impl.formats import hf_upstream
from tokenizers_impl.formats.gpt2 import byte_characters

BYTE_IDS = {character: byte for byte, character in enumerate(byte_characters())}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
NO_REGEX = BYTE_LEVEL | {"use_regex": False}


def document(vocab: dict[str, int] | None = None, merges: Any = (), added: Any = (), **changes: Any) -> dict[str, Any]:
    """A tokenizer.json of the 256 bytes and ``vocab``; ``added`` is (text, id, flags)."""
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "vocab": BYTE_IDS | (vocab or {}),
        "merges": list(merges),
    }
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    whole = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": token_id, "content": text} | plain | flags for text, token_id, flags in added],
        "normalizer": None,
        "pre_tokenizer": BYTE_LEVEL,
        "post_processor": None,
        "decoder": BYTE_LEVEL,
        "model": model | changes.pop("model", {}),
    }
    return whole | changes


def split(regex: str, behavior: str = "Isolated", invert: bool = False, kind: str = "Regex") -> dict[str, Any]:
    return {"type": "Split", "pattern": {kind: regex}, "behavior": behavior, "invert": invert}


def sequence(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "pretokenizers": list(parts)}


def write(folder: Path, content: Any) -> Path:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(content))
    return path


def opened(folder: Path, content: Any, **options: Any) -> ti.BPETokenizer:
    return ti.from_huggingface(write(folder, content), **options)


def assert_equal_to_upstream(tokenizer: ti.BPETokenizer, *texts: str) -> None:
    encoding = hf_upstream.upstream(tokenizer)
    assert encoding is not None
    for text in texts:
        assert hf_upstream.difference(tokenizer, encoding, text) is None, text


TOY = document({"ab": 256, "abc": 257, "<s>": 258}, ["a b", "ab c"], [("<s>", 258, {})])
