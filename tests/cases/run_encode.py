"""Runners about encoding and decoding."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

import pytest

import tokenizers_impl as ti
from cases.model import Here, runner
from cases.paths import check_text, copies, merging, published, read, toy
from cases.texts import Text, letters, text_of
from evalkit.errors import UserError
from evalkit.lint.judge import judged
from evalkit.lint.tokens import tokens_of
from evalkit.lint.verdicts import PATTERN_DEAD
from evalkit.readers import Cut, read_documents
from evalkit.sources import find_sources
from evalkit.suite import parse_suite
from tokenizers_impl import TokenizerError, engine
from tokenizers_impl.tiktoken_adapter import tokenizer_check


@runner
def encode(
    here: Here,
    text: str,
    ids: list[int],
    tiktoken: str | None = None,
    extra: Sequence[str] = (),
    specials: Mapping[str, int] | None = None,
    special: bool = False,
    pieces: list[str] | None = None,
    parts: Sequence[str] = (),
    differs: Sequence[list[int]] = (),
    below: int | None = None,
) -> None:
    """A text has these ids on every path, and gives them back."""
    tok = published(tiktoken) if tiktoken else toy(extra, specials)
    check_text(tok, text, ids, None if tiktoken else here.folder, special=special)
    if pieces is not None:
        assert tok.pretokenize(text) == pieces
    if parts:
        assert "".join(parts) == text
        assert [i for part in parts for i in tok.encode(part, "all")] == ids
    assert ids not in differs
    assert below is None or max(ids) < below


@runner
def default_refuses_special(here: Here, tiktoken: str, text: str, tokens_if_allowed: int) -> None:
    """By default, a text that holds a special token is an error, which says what to do."""
    tok = published(tiktoken)
    for work in (tok.encode, lambda one: tok.encode_batch([one]), lambda one: list(tok.encode_iterable([one]))):
        with pytest.raises(ValueError, match="encode_ordinary"):
            work(text)
    assert len(tok.encode(text, "all")) == tokens_if_allowed


@runner
def empty_special(here: Here, special_id: int, text: str) -> None:
    """An empty special token is refused wherever it could come in."""
    empty = {"": special_id}
    vocab = {i: bytes([i]) for i in range(256)}
    plain = toy(["ab"]).save(here.folder / "plain.tiktoken", format="tiktoken")
    plain.with_name(plain.name + ".json").unlink()
    folder = merging([["a", "b"]]).save(here.folder, format="gpt2")
    builders: list[Callable[[], object]] = [
        lambda: ti.BPETokenizer(vocab, [], empty),
        lambda: ti.BPETokenizer(vocab, [], [""]),
        lambda: toy(["ab"], empty),
        lambda: ti.train(text, vocab_size=300, special_tokens=[""]),
        lambda: ti.load(plain, pattern="gpt2", special_tokens=empty),
        lambda: ti.BPETokenizer.from_files(folder / "vocab.json", folder / "merges.txt", empty),
    ]
    for build in builders:
        with pytest.raises(TokenizerError, match="empty special token"):
            build()
    suite = "version: 1\nname: c\ncorpora: {c: {files: a}}\ntokenizers: [{name: t, variant: gpt2, train_on: c, "
    with pytest.raises(UserError, match=r"tokenizers\[0\]\.special_tokens\[0\]"):
        parse_suite(suite + 'vocab_size: 300, special_tokens: [""]}]\n')


@runner
def kept_by_formats(
    here: Here,
    merges: Sequence[Sequence[str]],
    specials: Sequence[str],
    text: str,
    ids: list[int],
    formats: Sequence[str],
) -> None:
    """These formats hold the tokenizer, special tokens included."""
    tok = merging(merges, specials)
    assert tok.encode(text, "all") == ids
    for name in formats:
        place = here.folder / name
        place.mkdir()
        copy = read(tok.save(place, format=name), name)
        assert copy.special_tokens == tok.special_tokens
        check_text(copy, text, ids, None, special=True)
        check_text(copy, text, tok.encode_ordinary(text), None)
        with pytest.raises(ValueError, match="special token"):
            copy.encode(text)


@runner
def naive_cuts(
    here: Here,
    text: str,
    right_cuts: list[int],
    tokens_by_character: int,
    tiktoken: str | None = None,
    extra: Sequence[str] = (),
) -> None:
    """Encoding the parts for themselves is right at these cuts only; streaming is right at all of them."""
    tok = published(tiktoken) if tiktoken else toy(extra)
    ids = tok.encode(text)
    check_text(tok, text, ids, None)
    naive = {cut: tok.encode(text[:cut]) + tok.encode(text[cut:]) for cut in range(1, len(text))}
    assert [cut for cut, found in naive.items() if found == ids] == right_cuts
    assert sum(len(tok.encode(character)) for character in text) == tokens_by_character


@runner
def file_in_pieces(here: Here, tiktoken: str, text: Text, tokens: int, sizes: list[int], naive: list[int]) -> None:
    """A file gives its ids whatever the buffer that it is read with."""
    tok = published(tiktoken)
    whole = text_of(text)
    ids = tok.encode(whole)
    assert len(ids) == tokens
    path = here.folder / "text.txt"
    path.write_text(whole, encoding="utf-8", newline="")
    (source,) = find_sources(["text.txt"], here.folder, [])
    for size, wrong in zip(sizes, naive, strict=True):
        with path.open(encoding="utf-8", newline="") as file:
            buffers = list(iter(partial(file.read, size), ""))
        assert list(tok.encode_iterable(buffers)) == ids
        assert sum(map(tok.count, buffers)) == wrong
        (document,) = read_documents(source, Cut(), [], block_bytes=size)
        assert tok.encode(document) == ids


@runner
def decode_one_by_one(here: Here, tiktoken: str, ids: list[int], text: str, silent: int, naive_bytes: int) -> None:
    """Of a character in several tokens nothing comes before the last of them."""
    tok = published(tiktoken)
    fed: list[int] = []
    heard: list[tuple[int, str]] = []

    def one_by_one() -> object:
        for token_id in ids:
            fed.append(token_id)
            yield token_id

    for piece in tok.decode_iterable(one_by_one()):
        heard.append((len(fed), piece))
    assert "".join(piece for _, piece in heard) == text
    assert heard[0][0] == silent + 1
    assert not any("\ufffd" in piece for _, piece in heard)
    naive = "".join(tok.decode([token_id]) for token_id in ids)
    assert len(naive.encode()) == naive_bytes


# ── long texts ──────────────────────────────────────────────────────────────────────────────────────────────


@runner
def long_text(here: Here, tiktoken: str, text: Text, tokens: int | None = None, same_as: Sequence[Text] = ()) -> None:
    """A very long text has so many tokens, or those of its parts, and every path agrees."""
    tok = published(tiktoken)
    whole = text_of(text)
    ids = tok.encode_ordinary(whole)
    if tokens is not None:
        assert len(ids) == tokens
    if same_as:
        assert ids == [i for part in same_as for i in tok.encode_ordinary(text_of(part))]
    assert tok.encode(whole) == ids
    assert tok.count(whole) == len(ids)
    assert tok.encode_batch(["x", whole], 2)[1] == ids
    assert tok.encode_parallel(whole, 3).tolist() == ids
    assert list(tok.encode_iterable(whole[i : i + 50_000] for i in range(0, len(whole), 50_000))) == ids
    assert tok.decode_bytes(ids) == whole.encode()


@runner
def upstream_fails(here: Here, tiktoken: str, text: Text) -> None:
    """A text on which the library itself fails is no difference, and doesn't end the run."""
    verdict = tokenizer_check(published(tiktoken), ["a b", text_of(text)])
    assert verdict.status == "same"


@runner
def growth(
    here: Here,
    variants: Sequence[str],
    unit: str = "",
    times: int = 0,
    letters: int = 0,
    direction: str = "left_to_right",
) -> None:
    """Four times the text takes about four times the time; sixteen times would be its square. Of the processor's time,
    and the least of some tries, since a busy machine only ever adds."""
    for variant in variants:
        lexicon = ["中文"] if ti.get_variant(variant).uses_lexicon else None
        corpus = [unit * 40 or _letters(5000), "the tale of the old fox"]
        tok = ti.train(corpus, variant, 300, lexicon=lexicon, min_frequency=1, direction=direction)
        texts = [unit * (n * times) + "x" if unit else _letters(n * letters) for n in (1, 4)]
        for work in (tok.encode_ordinary, tok.count, partial(_streamed, tok)):
            small = large = math.inf
            for _ in range(8):
                small, large = (min(t, _seconds(work, text)) for t, text in zip((small, large), texts, strict=True))
                if large < 10 * small + 0.1:
                    break
            else:
                pytest.fail(f"{variant}: {small:.3f} s, then {large:.3f} s for four times the text")


def _streamed(tok: ti.BPETokenizer, text: str) -> list[int]:
    return list(tok.encode_iterable([text]))


def _letters(number: int) -> str:
    return letters(number, 1)


def _seconds(work: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    work(text)
    return time.process_time() - start


# ── vocabularies ────────────────────────────────────────────────────────────────────────────────────────────


@runner
def whole_pieces(
    here: Here, extra: Sequence[str], texts: list[str], looked_up: list[list[int]], merged: list[list[int]]
) -> None:
    """A token that merging doesn't make: with whole pieces looked up first, without, and by ranks; in files too."""
    vocab = {i: bytes([i]) for i in range(256)} | {256 + i: text.encode() for i, text in enumerate(extra)}
    expected = [
        (ti.BPETokenizer(vocab, [], ignore_merges=True), looked_up),
        (ti.BPETokenizer(vocab, [], ignore_merges=False), merged),
        (toy(extra), looked_up),
    ]
    for number, (tok, rows) in enumerate(expected):
        for text, ids in zip(texts, rows, strict=True):
            check_text(tok, text, ids, here.folder / f"{number}")


@runner
def unknown_ids(here: Here, tiktoken: str, unknown: list[int], known: list[int], vocab_size: int, max_id: int) -> None:
    """An id without a token is an error that names it, on every way back."""
    tok = published(tiktoken)
    assert (tok.vocab_size, tok.max_id) == (vocab_size, max_id)
    assert tok.decode(known)
    _refuse_ids(tok, unknown)


def _refuse_ids(tok: ti.BPETokenizer, unknown: Sequence[int]) -> None:
    for token_id in unknown:
        for work in (tok.decode, tok.decode_bytes, lambda ids: list(tok.decode_iterable(ids))):
            with pytest.raises(KeyError, match=f"id {token_id} is not in the vocabulary"):
                work([97, token_id])


@runner
def gaps_kept(
    here: Here,
    extra: Mapping[str, int],
    text: str,
    ids: list[int],
    unknown: list[int],
    formats: Sequence[str] = (),
) -> None:
    """Gaps between ids are no tokens, and stay where they are in every format."""
    tok = toy(extra)
    check_text(tok, text, ids, here.folder)
    for name, copy in copies(tok, here.folder):
        assert copy.vocab == tok.vocab, name
        assert (copy.vocab_size, copy.max_id) == (tok.vocab_size, tok.max_id)
        _refuse_ids(copy, unknown)
    held = [name for name, _ in copies(tok, here.folder / "again")]
    assert set(formats) | {"evalkit", "tiktoken", "gpt2"} <= set(held)


@runner
def lint(
    here: Here,
    cut_apart: list[str],
    extra: Sequence[str] = (),
    tiktoken: str | None = None,
) -> None:
    """Which tokens the lint proves to be cut apart by the split pattern, in every text."""
    found = judged(tokens_of(published(tiktoken) if tiktoken else toy(extra)))
    dead = [found.tokens[i].decode() for i, one in found.dead.items() if one.kind == PATTERN_DEAD]
    assert dead == cut_apart
    assert not found.unproven


@runner
def self_test(here: Here, tiktoken: str, failing: int) -> None:
    """How many tokens that are whole text don't encode to themselves when they stand alone."""
    tok = published(tiktoken)
    special = set(tok.special_tokens.values())
    found = 0
    tokens = [(i, token) for i, token in tok.vocab.items() if i not in special]
    for token_id, token in tokens if engine.name() == "native" else tokens[::40]:
        with suppress(UnicodeDecodeError):
            found += tok.encode_ordinary(token.decode()) != [token_id]
    assert found == failing
