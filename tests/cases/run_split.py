"""Runners about split patterns and odd text."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

import tokenizers_impl as ti
from cases.model import Here, runner
from cases.paths import check_text, copies, published
from cases.texts import Text, text_of
from evalkit.corpus import cut_at_line_ends
from evalkit.errors import UserError
from evalkit.readers import Cut, read_documents
from evalkit.sources import find_sources
from tokenizers_impl import BaselineTokenizer, TokenizerError, engine
from tokenizers_impl.registry import VARIANTS

LEXICON = ("中文", "世界", "测试")


def trained(
    text: str, variant: str = "gpt2", lexicon: Sequence[str] | None = None, direction: str = "left_to_right"
) -> ti.BPETokenizer:
    """A small tokenizer of that variant, trained on the text."""
    if lexicon is None and ti.get_variant(variant).uses_lexicon:
        lexicon = LEXICON
    return ti.train([text, text], variant, 290, ["<|end|>"], lexicon=lexicon, direction=direction)


@runner
def pieces(here: Here, text: str, pieces: list[str], variant: str = "gpt2", lexicon: list[str] | None = None) -> None:
    """A variant cuts the text like this: without a tokenizer, in one, and in one that was saved and read."""
    assert ti.pretokenize(text, variant, lexicon) == pieces
    tok = trained(text, variant, lexicon)
    assert tok.pretokenize(text) == pieces
    check_text(tok, text, tok.encode_ordinary(text), here.folder)
    for name, copy in copies(tok, here.folder / "again"):
        assert copy.pretokenize(text) == pieces, name


@runner
def pieces_of_a_pattern(here: Here, pattern: str, text: str, pieces: list[str]) -> None:
    """A pattern of one's own cuts the text like this, also after a file."""
    assert ti.pretokenize(text, pattern) == pieces
    vocab = {i: bytes([i]) for i in range(256)}
    tok = ti.BPETokenizer(vocab, [], ["<|end|>"], pattern=pattern)
    assert tok.pretokenize(text) == pieces
    check_text(tok, text, list(text.encode()), here.folder)
    for name, copy in copies(tok, here.folder / "again"):
        assert copy.pretokenize(text) == pieces, name


@runner
def pattern_travels(here: Here, variant: str, not_as: str, texts: list[str], pieces: list[list[str]]) -> None:
    """The pattern is in the file; another one is refused."""
    tok = trained(" ".join(texts), variant)
    for text, expected in zip(texts, pieces, strict=True):
        assert ti.pretokenize(text, variant) == expected
        for name, copy in copies(tok, here.folder / text):
            assert copy.pretokenize(text) == expected, name
            assert copy.variant == variant
    for name in ("tiktoken", "gpt2"):
        place = here.folder / f"as-{name}"
        place.mkdir()
        path = tok.save(place, format=name)
        with pytest.raises(TokenizerError, match=f"{variant}.*not.*{not_as}"):
            ti.load(path, pattern=not_as)
    with pytest.raises(TokenizerError, match="says its split pattern"):
        ti.load(tok.save(here.folder / "own.json"), pattern=not_as)


@runner
def direction_travels(
    here: Here, variant: str, direction: str, formats: list[str], texts: list[str], pieces: list[list[str]]
) -> None:
    """From which end digits are grouped is in the file, of those formats that can hold it; others refuse."""
    tok = trained(" ".join(texts), variant, direction=direction)
    found = dict(copies(tok, here.folder))
    assert sorted(found) == sorted(formats)
    for text, expected in zip(texts, pieces, strict=True):
        assert ti.pretokenize(text, variant, direction=direction) == expected
        for name, copy in found.items():
            assert copy.pretokenize(text) == expected, name
        check_text(tok, text, tok.encode_ordinary(text), here.folder / text)


@runner
def white_space(here: Here, blanks: list[int], others: list[int]) -> None:
    """What is white space, by every variant that splits at it: a run of it is one piece, and a letter ends it."""
    for variant in VARIANTS:
        if ti.pretokenize("a b", variant) == ["a b"]:
            continue  # splits at nothing
        for code in blanks:
            found = ti.pretokenize(f"a{chr(code)}{chr(code)}1", variant)
            assert not any("a" in piece and chr(code) in piece for piece in found), (variant, hex(code))
            assert ti.pretokenize(f"!{chr(code)}"[1:] * 3, variant) == [chr(code) * 3], (variant, hex(code))
        for code in others:
            # White space is never in one piece with a sign behind it, and these are signs.
            assert ti.pretokenize(f"{chr(code)}!", variant) == [f"{chr(code)}!"], (variant, hex(code))


@runner
def engines_agree(here: Here, up_to: int) -> None:
    """Both engines cut every code point alike, in several neighbourhoods."""
    for variant in VARIANTS:
        lexicon = LEXICON if ti.get_variant(variant).uses_lexicon else None
        for start in range(0, up_to, 0x400):
            codes = [c for c in range(start, start + 0x400) if not 0xD800 <= c < 0xE000]
            text = "".join(f"a{chr(c)}b {chr(c)} 1{chr(c)}{chr(c)}!'{chr(c)}s" for c in codes)
            with engine.use("native"):
                fast = ti.pretokenize(text, variant, lexicon)
            with engine.use("reference"):
                assert ti.pretokenize(text, variant, lexicon) == fast, (variant, hex(start))


# ── odd text ────────────────────────────────────────────────────────────────────────────────────────────────


@runner
def surrogates(here: Here, text: Text, same_as: str, ids: list[int]) -> None:
    """A text with surrogates is the text without them, on every path that takes one."""
    odd = text_of(text)
    check_text(published("cl100k_base"), odd, ids, None)
    assert published("cl100k_base").encode(same_as) == ids
    for variant in VARIANTS:
        tok = trained(same_as, variant)
        assert trained(odd, variant) == tok
        assert tok.pretokenize(odd) == tok.pretokenize(same_as)
        assert ti.pretokenize(odd, variant) == ti.pretokenize(same_as, variant)
        assert tok.tokens(odd) == tok.tokens(same_as)
        assert tok.tokenize(odd) == tok.tokenize(same_as)
        check_text(tok, odd, tok.encode_ordinary(same_as), None)
        check_text(tok, f"<|end|>{odd}<|end|>", tok.encode(f"<|end|>{same_as}<|end|>", "all"), None, special=True)
    for kind in ("bytes", "chars", "words"):
        base = BaselineTokenizer.fit([odd], 10) if kind == "words" else BaselineTokenizer(kind)
        assert base.encode(odd) == base.encode(same_as)
        assert base.count(odd) == len(base.encode(odd))


@runner
def surrogates_in_json(here: Here, escaped: str, text: str | None = None, replaced: str | None = None) -> None:
    """An escaped pair is its character; half of one is an error with its place, or replaced where that is said."""
    (here.folder / "a.jsonl").write_bytes(b'{"text": "x"}\n{"text": %s}\n' % escaped.encode())
    (source,) = find_sources(["a.jsonl"], here.folder, [])
    if text is not None:
        assert list(read_documents(source, Cut(field="text"), [])) == ["x", text]
        return
    with pytest.raises(UserError, match=r"a\.jsonl:2: the field 'text' holds half of a surrogate pair"):
        list(read_documents(source, Cut(field="text"), []))
    notes: list[str] = []
    lossy = Cut(field="text", invalid_utf8="replace")
    assert list(read_documents(source, lossy, notes)) == ["x", replaced]
    assert "1 place" in notes[0]


@runner
def lines(here: Here, text: str, documents: list[str], wrong: int) -> None:
    """Lines of a text file, of JSON lines and of CSV, and blocks cut at line ends, end at line feeds only."""
    assert len(text.splitlines()) == wrong
    by_name = {
        "a.txt": text,
        "b.txt": text.replace("\n", "\r\n") + "\r\n",
        "c.jsonl": "\n".join(json.dumps({"text": one}, ensure_ascii=False) for one in documents),
        "d.csv": "\n".join(["text", *documents]),
        "e.tsv": "\n".join(["n\ttext", *(f"1\t{one}" for one in documents)]),
    }
    for name, content in by_name.items():
        (here.folder / name).write_text(content, encoding="utf-8", newline="")
        (source,) = find_sources([name], here.folder, [])
        cut = Cut(document="line") if name.endswith(".txt") else Cut(field="text")
        for block_bytes in (1, 2, 3, 1 << 20):
            assert list(read_documents(source, cut, [], block_bytes=block_bytes)) == documents, name
    assert [block.removesuffix("\n") for block in cut_at_line_ends(text, 1)] == documents


@runner
def round_trip(here: Here, text: str, chars: int, bytes: int, tokens: int | None = None) -> None:
    """Every variant keeps the text, and so does training on it."""
    assert (len(text), len(text.encode())) == (chars, bytes)
    tok = published("cl100k_base")
    if tokens is not None:
        assert tok.count(text) == tokens
    check_text(tok, text, tok.encode(text), None)
    for variant in VARIANTS:
        tok = trained(text, variant)
        check_text(tok, text, tok.encode(text), None)
        assert b"".join(tok.tokens(text)) == text.encode()


@runner
def byte_order_marks(here: Here, content: str, text: str) -> None:
    """One byte order mark at the start of a file is dropped, and noted; others are text."""
    (here.folder / "a.txt").write_text(content, encoding="utf-8", newline="")
    (source,) = find_sources(["a.txt"], here.folder, [])
    for block_bytes in (1, 2, 3, 4, 1 << 20):
        notes: list[str] = []
        assert list(read_documents(source, Cut(), notes, block_bytes=block_bytes)) == [text]
        assert notes == ["a.txt starts with a byte order mark, which was dropped"]
