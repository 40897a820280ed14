"""The 2 × 2 of domain and size: what is lost on foreign text with a small vocabulary, and to which of the
two."""

from __future__ import annotations

from evalkit.report.table import table
from evalkit.report.text import code, count, listing, plain, signed_percent
from evalkit.results import Results
from evalkit.squares import SHOWN, Square, find_squares
from tokenizers_impl.deferred import dataclass

# suite name → what was published about the same question
PUBLISHED = {
    "tinystories-vs-owt": (
        "Published for the same question, on other text and at other sizes, and so not to be compared digit "
        "by digit: TinyStories text with a TinyStories 10k vocabulary 4.18 bytes/token; OpenWebText with an "
        "OpenWebText 32k vocabulary 4.60; OpenWebText with the TinyStories 10k vocabulary 3.27. Its step "
        "from 32k to 10k mixes size with domain, which the table above takes apart."
    )
}


@dataclass(frozen=True)
class Drop:
    """bytes_per_token on ``corpus``: from the large vocabulary at home to the small one from abroad.

    ``domain_part``: the mean of what the domain makes at the two sizes, with both tokenizers at the same size each
    time; ``size_part``: the rest, which is size alone. Where all sizes are those asked for, both are the mean over the
    two orders of taking the two steps. None where the two were not measured at one size.
    """

    corpus: str
    start: float
    end: float
    size_part: float | None
    domain_part: float | None


def find(results: Results) -> list[Square]:
    """The 2 × 2s of the results."""
    return find_squares(results.tokenizers, {corpus.name for corpus in results.corpora})


def drop(results: Results, square: Square, corpus: str) -> Drop | None:
    """The split of the drop on one of the two corpora; None where a figure is missing."""
    abroad = next(name for name in square.corpora if name != corpus)
    small, large = square.sizes
    cut = {(c.tokenizer, c.size): c.bytes_per_token for c in results.cuts if c.corpus == corpus}

    def value(trained_on: str, asked: int) -> float | None:
        row = results.row(corpus, square.cells[trained_on, asked].name, "bytes_per_token")
        return None if row is None else row.value

    def at_common(trained_on: str, asked: int) -> float | None:
        t, size = square.cells[trained_on, asked], square.common(asked)
        return value(trained_on, asked) if t.vocab_size == size else cut.get((t.name, size))

    start, end = value(corpus, large), value(abroad, small)
    if start is None or end is None or value(corpus, small) is None or value(abroad, large) is None:
        return None
    steps = []
    for asked in square.sizes:
        here, there = at_common(corpus, asked), at_common(abroad, asked)
        if here is None or there is None:
            return Drop(corpus, start, end, None, None)
        steps.append(there - here)
    domain_part = sum(steps) / 2
    return Drop(corpus, start, end, end - start - domain_part, domain_part)


def section(results: Results) -> str:
    """The tables, the splits, and what was published."""
    squares = find(results)
    parts = []
    for square in squares[:SHOWN]:
        title = f"### {plain(square.corpora[0])} and {plain(square.corpora[1])}\n\n" if len(squares) > 1 else ""
        parts.append(title + _square(results, square))
    if len(squares) > SHOWN:
        parts.append(f"… and {len(squares) - SHOWN} more pairs of corpora with two sizes each.")
    if squares and (published := PUBLISHED.get(results.suite.name)):
        parts.append(published)
    return "\n\n".join(parts)


def _square(results: Results, square: Square) -> str:
    parts = [_table(results, square)]
    drops = [found for corpus in square.corpora if (found := drop(results, square, corpus))]
    if drops:
        parts.append("\n".join(_words(found, square) for found in drops))
    if note := _sizes(square):
        parts.append(note)
    return "\n\n".join(parts)


def _table(results: Results, square: Square) -> str:
    rows = []
    for (trained_on, asked), t in square.cells.items():
        figures = []
        for corpus in square.corpora:
            row = results.row(corpus, t.name, "bytes_per_token")
            home = " (home)" if corpus == trained_on else ""
            figures.append("–" if row is None or row.value is None else f"{row.value:.2f}{home}")
        rows.append([code(t.name), plain(trained_on), f"{asked:,}", f"{t.vocab_size:,}", *figures])
    columns = ["tokenizer", "trained on", "size asked", "vocab_size"]
    return table([*columns, *(f"bytes/token on {plain(c)}" for c in square.corpora)], rows, left=2)


def _words(found: Drop, square: Square) -> str:
    total = found.end - found.start
    text = (
        f"- On **{plain(found.corpus)}**, from the large vocabulary at home to the small one from abroad: "
        f"{found.start:.2f} → {found.end:.2f} bytes/token ({signed_percent(total / found.start)}). "
    )
    if found.size_part is None or found.domain_part is None:
        return (
            f"{text}What size and what domain make of it can't be told: training stopped at different sizes, and they "
            "were not measured at one."
        )
    parts = f"makes {_signed(found.size_part)} and domain {_signed(found.domain_part)}"
    if not square.cuts():
        return f"{text}Of the {_signed(total)}, size {parts} (each the mean over the two orders of the steps)."
    abroad = next(name for name in square.corpora if name != found.corpus)
    ends = ((found.corpus, square.sizes[1]), (abroad, square.sizes[0]))
    reached = " → ".join(count(square.cells[cell].vocab_size) for cell in ends)
    return f"{text}Of the {_signed(total)}, size ({reached} entries) {parts}."


def _signed(value: float) -> str:
    return f"{'−' if value < 0 else '+'}{abs(value):.2f}"


def _sizes(square: Square) -> str:
    """What training that stopped early means for the parts."""
    early = [t for (_, asked), t in square.cells.items() if t.vocab_size != asked]
    if not early:
        return ""
    text = f"Training stopped early for {listing([code(t.name) for t in early], len(early))}. "
    if square.cuts():
        at = " and ".join(count(size) for size in dict.fromkeys(map(square.common, square.sizes)))
        mean = "; the mean of both" if " " in at else ""
        return (
            f"{text}Domain is taken at equal sizes, the larger of two vocabularies cut to the smaller ({at} "
            f"entries{mean}). Size is the rest: it is that of the sizes reached."
        )
    return f"{text}The sizes are those reached."
