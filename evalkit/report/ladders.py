"""What a larger vocabulary buys: bytes per token by size, from the ladders."""

from __future__ import annotations

from evalkit.report.table import table
from evalkit.report.text import code, percent, plain
from evalkit.results import LadderRecord, Results, TokenizerRecord

SIZES_PER_TABLE = 8  # powers of two side by side; of more, the largest
ROWS = 24
FIRST = 512
LEAST = 0.05
"""A ladder that saves less between its first rung and its last is of text that the vocabulary isn't for."""


def section(results: Results) -> str:
    """Tokenizers with a list of sizes on every corpus, others where they are at home alone."""
    known = {t.name: t for t in results.tokenizers}
    chosen = [
        found
        for found in results.ladders
        if found.tokenizer in known
        and (_has_rungs(results, found.tokenizer) or _at_home(known[found.tokenizer], found))
    ]
    if not chosen:
        return ""
    told = chosen
    if len(chosen) > ROWS:
        told = [found for found in chosen if _gains(found)] or chosen
    told = sorted(told, key=lambda found: found.corpus not in known[found.tokenizer].trained_on)
    powers = sorted({size for found in chosen for size in found.sizes if size & (size - 1) == 0 and size > 256})
    powers = powers[-SIZES_PER_TABLE:]
    rows = [_row(found, powers) for found in told[:ROWS]]
    columns = ["tokenizer", "corpus", *(f"{size:,}" for size in powers), "whole", "last doubling"]
    text = (
        "Bytes per token at each vocabulary size, exact: merges nest, so that one training gives every smaller size. "
        "`whole`: at the tokenizer's own size. `last doubling`: the share of the tokens that its second half of "
        "entries saves."
    )
    more, idle = len(told) - len(rows), len(chosen) - len(told)
    rest = f"\n\n… and {more} more. " if more > 0 else "\n\n"
    if idle:
        rest += f"Left out: {idle} on text of which no entry after the first {FIRST} saves {percent(LEAST, 0)} of it. "
    rest += "All corpora, at more sizes and with the number of ids in use: `ladders` in `results.json`."
    return f"{text}\n\n{table(columns, rows, left=2)}{rest}"


def _gains(found: LadderRecord) -> bool:
    tokens = [n for size, n in zip(found.sizes, found.tokens, strict=True) if size >= FIRST]
    return len(tokens) < 2 or tokens[-1] <= (1 - LEAST) * tokens[0]


def _has_rungs(results: Results, name: str) -> bool:
    return any(other.startswith(f"{name}@") for t in results.tokenizers for other in (t.name, *t.aliases))


def _at_home(tokenizer: TokenizerRecord, found: LadderRecord) -> bool:
    return tokenizer.trained_on == (found.corpus,)


def _row(found: LadderRecord, powers: list[int]) -> list[str]:
    by_size = dict(zip(found.sizes, found.bytes_per_token, strict=True))
    tokens = dict(zip(found.sizes, found.tokens, strict=True))
    highest = found.sizes[-1]

    def shown(size: int) -> str:
        value = by_size.get(size)
        return "–" if value is None else f"{value:.2f}"

    half = tokens.get(highest // 2)
    saved = percent(1 - tokens[highest] / half) if half else "–"
    whole = f"{shown(highest)} ({highest:,})"
    return [code(found.tokenizer), plain(found.corpus), *map(shown, powers), whole, saved]
