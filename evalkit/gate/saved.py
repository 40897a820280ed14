"""The tokenizer written to a file and read again, in every format that can hold it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evalkit.gate.paths import serial
from evalkit.gate.peers import Comparison, Found, Mismatch, Unavailable
from tokenizers_impl import TokenizerError, formats

SHARE = 20_000
LARGE = 40_000
SLOW = ("tiktoken", "gpt2", "huggingface")
"""Formats that take seconds for a vocabulary larger than ``LARGE``; who asks for the check by name gets them."""


def of_saved(tokenizer: Any, folder: Path, every_format: bool = True) -> list[Found]:
    """A comparison for each format; a format that says it can't hold the tokenizer is not measured."""
    if not hasattr(tokenizer, "save"):
        return [Unavailable("save_load", "it can't be saved")]
    size = tokenizer.vocab_size
    names = [name for name in formats.format_names() if every_format or size <= LARGE or name not in SLOW]
    found = [_of_format(tokenizer, folder / name, name) for name in names]
    if left := [name for name in formats.format_names() if name not in names]:
        reason = f"not as {', '.join(left)}, slow for {size:,} entries: list save_load under consistency for these"
        found.append(Unavailable("save_load", reason))
    return found


def _of_format(tokenizer: Any, place: Path, format_name: str) -> Found:
    place.mkdir(parents=True, exist_ok=True)
    try:
        path = tokenizer.save(place, format=format_name)
    except TokenizerError as error:
        if format_name == "evalkit":  # which holds everything
            return Mismatch("save_load", f"it can't be saved as {format_name}: {error}")
        return Unavailable("save_load", f"not as {format_name}: {error}")
    try:
        other = formats.load(path)
    except (TokenizerError, OSError, ValueError) as error:
        return Mismatch("save_load", f"saved as {format_name}, it can't be loaded: {error}")
    if (changed := _changed(tokenizer, other)) is not None:
        return Mismatch("save_load", f"saved as {format_name} and loaded, it has {changed}")
    return Comparison(
        "save_load", f"saved as {format_name}", lambda texts: serial(other, texts), share=SHARE, vocab=other.vocab
    )


def _changed(tokenizer: Any, other: Any) -> str | None:
    """What the loaded one has that the saved one hadn't. A format may keep a vocabulary of ranks as merges or the
    other way round: same ids, another fingerprint, so that this goes by what the two are made of."""
    before: dict[int, bytes] = tokenizer.vocab
    after: dict[int, bytes] = other.vocab
    if before != after:
        changed = [i for i in {**before, **after} if before.get(i) != after.get(i)]
        some = ", ".join(f"{i} ({before.get(i)!r}, loaded as {after.get(i)!r})" for i in changed[:3])
        return f"another vocabulary: {len(changed):,} ids differ, {some}"
    if tokenizer.special_tokens != other.special_tokens:
        return "other special tokens"
    for what in ("variant", "direction", "lexicon"):
        if getattr(tokenizer, what) != getattr(other, what):
            return f"another {what}"
    rule = ("has_ranks", "ignore_merges")
    same_rule = all(getattr(tokenizer, one) == getattr(other, one) for one in rule)
    # What a fingerprint is made of, compared without making it, which takes longer than all the rest.
    if same_rule and not tokenizer.has_ranks and tuple(tokenizer.merges) != tuple(other.merges):
        return "other merges, and so another fingerprint"
    return None
