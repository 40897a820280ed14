"""A tokenizer that a model was trained with: it can't be replaced without training the embedding again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import tokenizers_impl as ti
from evalkit.build import BuiltTokenizer
from evalkit.gate.verdicts import NO_FINGERPRINT, Outcome, Verdict
from evalkit.suite import Suite
from evalkit.vocab_diff import compare_vocabularies
from tokenizers_impl import BaselineTokenizer, BPETokenizer

CHECK = "frozen"
_FINGERPRINT = re.compile(r"[0-9a-fA-F]{6,64}\Z")
SHORTEST = 12
"""Digits of a fingerprint, as reports print it, that stand for the whole; so many are enough for no two to be alike by
chance."""


def check_frozen(suite: Suite, known: Mapping[str, BuiltTokenizer]) -> Iterator[Verdict]:
    """One verdict for each tokenizer that the suite says is frozen. ``known``: all of them by name."""
    for name, what in suite.gate.frozen.items():
        chosen = name or next((n for n, one in known.items() if one.kind != "baseline"), "")
        yield _judge(suite, chosen, what, known.get(chosen))


def _judge(suite: Suite, name: str, what: str, built: BuiltTokenizer | None) -> Verdict:
    def verdict(outcome: Outcome, detail: str) -> Verdict:
        return Verdict(CHECK, name, None, outcome, detail)

    if built is None:
        return verdict("missing", "it was not built")
    tokenizer = built.tokenizer
    if isinstance(tokenizer, BaselineTokenizer):
        return verdict("missing", "it is a baseline, and has no embedding rows")
    if tokenizer.fingerprint is None:
        return verdict("missing", NO_FINGERPRINT)
    path = suite.resolve(what)
    if what == tokenizer.fingerprint:
        return verdict("pass", f"its fingerprint is {what[:SHORTEST]}")
    if _FINGERPRINT.match(what) and not path.exists():
        if len(what) < SHORTEST:
            return verdict("missing", f"{what} is no file; a fingerprint takes its first {SHORTEST} digits or more")
        if tokenizer.fingerprint.startswith(what.lower()):
            return verdict("pass", f"its fingerprint is {tokenizer.fingerprint[: len(what)]}")
        return verdict("fail", f"its fingerprint is {tokenizer.fingerprint[: len(what)]}, not {what}")
    if not isinstance(tokenizer, BPETokenizer):
        return verdict("missing", f"only its fingerprint can be frozen, which is {tokenizer.fingerprint}")
    try:
        frozen = ti.load(path)
    except (ti.TokenizerError, OSError) as error:
        return verdict("missing", f"the frozen tokenizer {what} can't be loaded: {error}")
    if frozen.fingerprint == tokenizer.fingerprint:
        return verdict("pass", f"it is {what}, fingerprint {frozen.fingerprint[:12]}")
    found = compare_vocabularies(frozen, tokenizer, (what, name))
    parts = [f"it is not {what}: {found.cost}"]
    if found.patterns[0] != found.patterns[1]:
        parts.append(f"the split pattern was {found.patterns[0]} and is {found.patterns[1]}")
    if found.merges.difference is not None:
        parts.append(f"of {found.merges.first:,} merges the first {found.merges.common:,} are the same")
    if found.specials.gone or found.specials.moved:
        lost = [*found.specials.gone, *(text for text, _, _ in found.specials.moved)]
        parts.append(f"special tokens gone or moved: {', '.join(lost[:5])}")
    return verdict("fail", "; ".join(parts))
