"""The lint for people, and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from evalkit.inspection import visible
from evalkit.lint import Lint
from evalkit.lint.contents import Contents, ranges
from evalkit.lint.policies import Blanks, Digits, Spellings
from evalkit.lint.verdicts import KINDS, NOT_UTF8, SPECIAL, Verdicts
from tokenizers_impl import BPETokenizer

SHOWN = 8
"""Examples of each finding."""
SHOWN_PROOFS = 5
"""Proofs that are written out, of each kind."""
LONGEST_SHOWN = 40
"""Characters of a token."""


def lines(tokenizer: BPETokenizer, found: Lint) -> Iterator[str]:
    """Everything, a line each."""
    yield f"variant: {tokenizer.variant}"
    yield f"fingerprint: {tokenizer.fingerprint}"
    yield from _contents(tokenizer, found.contents)
    yield from _digits(found.digits)
    yield _blanks(found.blanks)
    yield _spellings(found.spellings)
    yield from verdict_lines(found.verdicts)


def _contents(tokenizer: BPETokenizer, found: Contents) -> Iterator[str]:
    yield f"entries: {found.size:,}; the largest id is {found.max_id:,}; {found.merges:,} merges"
    if tokenizer.training is not None:
        yield f"training: {tokenizer.training.stopped}"
    if found.lexicon_words is not None:
        yield f"word list: {found.lexicon_words:,} words"
    specials = [f"{text} ({token_id})" for text, token_id in found.special_tokens.items()]
    yield f"special tokens: {_some(specials, len(specials))}"
    yield f"tokens by content: {_counted(found.kinds)}"
    yield f"tokens by script: {_counted(found.scripts)}"
    longest = ", ".join(token(*item) for item in found.longest)
    yield f"longest tokens: {longest}"
    yield f"ids without a token: {ranges(found.gaps) or 'none'}"
    twice = [f"{a} and {token(b, raw)}" for a, b, raw in found.duplicates]
    yield f"the same bytes twice: {_some(twice, len(twice))}"
    bytes_alone = found.not_utf8 - len(found.parts)
    yield f"not whole characters: {found.not_utf8:,}, single bytes {bytes_alone:,}, longer {_tokens(found.parts)}"
    ordinary = found.size - len(found.special_tokens)
    yield f"distinct texts, each token decoded alone: {found.distinct_texts:,} of {ordinary:,}"
    yield f"with U+FFFD, from damaged text: {_tokens(found.replacement)}"


def _digits(found: Digits) -> Iterator[str]:
    yield f"numbers: the pattern takes {found.pretokens}; after merging: {found.tokens}"
    cuts = ", ".join(
        "+".join(map(str, cut)) + ("" if share == 1 else f" ({100 * share:.0f} %)") for cut, share in found.cuts
    )
    yield f"numbers of 1 to {len(found.cuts)} digits are mostly cut {cuts}"
    one, two, three = found.whole
    yield f"numbers that are one token: {one} of 10, {two} of 100, {three} of 1,000"


def _blanks(found: Blanks) -> str:
    blanks, tabs, newlines = found.longest
    runs = ", ".join(f"{length} → {count}" for length, count in found.runs)
    return (
        f"white space: {found.leading:,} of {found.ordinary:,} tokens are a blank and more, {found.after_newline:,} "
        f"have a newline beside something else; one token holds up to {blanks} blanks, {tabs} tabs, {newlines} "
        f"newlines; blanks before a word and their tokens: {runs}"
    )


def _spellings(found: Spellings) -> str:
    return (
        f"spellings: {found.words:,} tokens are words, {found.distinct:,} without regard to case and the blank before "
        f"them; {found.blank_pairs:,} have a twin with a blank, {found.case_pairs:,} one with a capital"
    )


def verdict_lines(found: Verdicts) -> Iterator[str]:
    """What can never be emitted, by kind, with proofs, and what neither was proved nor found."""
    yield f"never come out of a text: {len(found.dead):,} of {len(found.tokens):,}"
    for kind, count in found.by_kind().items():
        some = [(i, found.tokens[i]) for i, one in found.dead.items() if one.kind == kind]
        yield f"  {kind}, {KINDS[kind]}: {_tokens(some)}"
        if kind in (SPECIAL, NOT_UTF8):
            continue
        for token_id, raw in some[:SHOWN_PROOFS]:
            yield f"    {token(token_id, raw)}: {found.dead[token_id].why}"
        if count > SHOWN_PROOFS:
            yield f"    … {count - SHOWN_PROOFS:,} more; --json has them all"
    unproven = [(i, found.tokens[i]) for i in found.unproven]
    yield f"neither proved nor found in a text: {_tokens(unproven)}"


def _counted(counts: Mapping[str, int], limit: int = 16) -> str:
    shown = [f"{name} {count:,}" for name, count in list(counts.items())[:limit]]
    rest = sum(list(counts.values())[limit:])
    return ", ".join(shown) + (f", {len(counts) - limit} others {rest:,}" if rest else "")


def _tokens(tokens: Sequence[tuple[int, bytes]]) -> str:
    return _some([token(*item) for item in tokens[:SHOWN]], len(tokens))


def token(token_id: int, raw: bytes) -> str:
    """A token in quotes, and its id.

    >>> token(262, b" the")
    "' the' 262"
    """
    shown = visible(raw)
    if len(shown) > LONGEST_SHOWN:
        shown = f"{shown[: LONGEST_SHOWN - 1]}… ({len(raw)} bytes)"
    return f"'{shown}' {token_id}"


def _some(shown: Sequence[str], count: int) -> str:
    if not count:
        return "none"
    listed = ", ".join(shown[:SHOWN])
    return f"{count:,}: {listed}" + (", …" if count > SHOWN else "")


# ── for programs ────────────────────────────────────────────────────────────────────────────────────────────


def as_dict(tokenizer: BPETokenizer, found: Lint) -> dict[str, Any]:
    """For JSON. Tokens have their ``id``, ``text`` (what isn't UTF-8 as ``\\xNN``) and ``hex``."""
    content: dict[str, Any] = {"variant": tokenizer.variant, "fingerprint": tokenizer.fingerprint}
    facts = asdict(found.contents)
    for key in ("longest", "parts", "replacement"):
        facts[key] = [_token(*item) for item in getattr(found.contents, key)]
    facts["duplicates"] = [_token(a, raw) | {"again": b} for a, b, raw in found.contents.duplicates]
    content["contents"] = facts
    for key in ("digits", "blanks", "spellings"):
        content[key] = asdict(getattr(found, key))
    verdicts = found.verdicts
    content["reachable"] = verdicts.reachable
    content["never_emitted"] = [_token(i, verdicts.tokens[i]) | asdict(one) for i, one in verdicts.dead.items()]
    content["witnesses"] = [_token(i, verdicts.tokens[i]) | {"witness": text} for i, text in verdicts.witnesses.items()]
    content["unproven"] = [_token(i, verdicts.tokens[i]) | {"why": why} for i, why in verdicts.unproven.items()]
    return content


def _token(token_id: int, raw: bytes) -> dict[str, Any]:
    return {"id": token_id, "text": raw.decode("utf-8", "backslashreplace"), "hex": raw.hex()}
