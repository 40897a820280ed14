"""Published vocabularies against their own encoders on 5 MB of real text in every domain, where it is at hand."""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path

import pytest
import tiktoken
from shared_files import shared

import tokenizers_impl as ti
from tokenizers_impl.tiktoken_adapter import upstream

BYTES_A_FILE = 60_000
QWEN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


@cache
def texts(folder: Path) -> list[tuple[str, str]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.parent != folder)
    found = [(str(path.relative_to(folder)), path.read_bytes()[:BYTES_A_FILE]) for path in files]
    assert sum(len(data) for _, data in found) > 4_000_000
    return [(name, data.decode("utf-8", "ignore")) for name, data in found]


def differing(tok: ti.BPETokenizer, other: tiktoken.Encoding) -> list[str]:
    corpora = texts(shared("corpora"))
    serial = [tok.encode_ordinary(text) for _, text in corpora]
    ids, _ = tok.encode_ordinary_batch([text for _, text in corpora], 2)
    assert ids.tolist() == [token_id for one in serial for token_id in one]
    return [name for (name, text), one in zip(corpora, serial, strict=True) if one != other.encode_ordinary(text)]


@pytest.mark.parametrize("name", ["gpt2", "p50k_base", "cl100k_base", "o200k_base"])
def test_tiktoken(name: str) -> None:
    tok = ti.from_tiktoken(name)
    other = upstream(tok)
    assert other is not None
    assert differing(tok, other) == []


@pytest.mark.parametrize("file", ["qwen.tiktoken", "qwen3_6.tiktoken"])
def test_qwen(file: str) -> None:
    lines = shared(f"vocabs/qwen/{file}").read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
    tok = ti.BPETokenizer.from_ranks(ranks, {}, "qwen2")
    other = tiktoken.Encoding(file, pat_str=QWEN, mergeable_ranks=ranks, special_tokens={})
    assert differing(tok, other) == []
