"""Figures of tokenizers on text that they were trained on, which flatter: their mark, and what it says."""

from __future__ import annotations

from evalkit.report.text import percent
from evalkit.results import Results

MARK = "¶"
SHARE = 0.01
"""Of the bytes of a corpus. Less of it can't move a figure by a per cent, even if what was seen cost nothing; *Beware*
names every document."""

FLATTERS = (
    f"{MARK} trained on {percent(SHARE, 0)} or more of the very text that is measured on a corpus, where its figures "
    "flatter"
)
SAYS = f"{FLATTERS}: see Beware."


def saw(results: Results, tokenizer: str, corpus: str) -> bool:
    """Whether a good part of the corpus stands in its training text."""
    found = [one.bytes / one.of_bytes for one in results.seen if one.corpus == corpus and tokenizer in one.tokenizers]
    return sum(found) >= SHARE


def mark(results: Results, tokenizer: str, *corpora: str) -> str:
    """The mark, where it saw any of them."""
    return MARK if any(saw(results, tokenizer, corpus) for corpus in corpora) else ""


def note(*parts: str) -> list[str]:
    """What the mark says, where one of the parts has it."""
    return [SAYS] if any(MARK in part for part in parts) else []
