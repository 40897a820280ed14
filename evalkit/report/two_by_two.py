"""The 2 × 2 of domain and size: what is lost on foreign text with a small vocabulary, and to which of the
two."""

from __future__ import annotations

from itertools import combinations

from evalkit.report.table import table
from evalkit.report.text import code, plain, signed_percent
from evalkit.results import Results, TokenizerRecord
from tokenizers_impl.deferred import dataclass

SHOWN = 3

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
class TwoByTwo:
    """Four tokenizers of one variant by (corpus they were trained on, size asked for)."""

    corpora: tuple[str, str]
    sizes: tuple[int, int]
    cells: dict[tuple[str, int], TokenizerRecord]


@dataclass(frozen=True)
class Drop:
    """bytes_per_token on ``corpus``: from the large vocabulary at home to the small one from abroad.

    The size part and the domain part are each the mean over the two orders of taking the two steps, so that
    they sum to the whole drop.
    """

    corpus: str
    start: float
    end: float
    size_part: float
    domain_part: float


def find(results: Results) -> list[TwoByTwo]:
    """The 2 × 2s in a suite: of each split pattern and two measured corpora, where there are tokenizers of two equal
    sizes asked for on both; of more sizes the smallest and the largest."""
    measured = {corpus.name for corpus in results.corpora}
    by_variant: dict[str | None, dict[tuple[str, int], TokenizerRecord]] = {}
    for t in results.tokenizers:
        if len(t.trained_on) == 1 and t.trained_on[0] in measured and t.asked_vocab_size is not None:
            by_variant.setdefault(t.variant, {}).setdefault((t.trained_on[0], t.asked_vocab_size), t)
    found = []
    for cells in by_variant.values():
        for one, other in combinations(dict.fromkeys(corpus for corpus, _ in cells), 2):
            sizes = sorted({size for corpus, size in cells if corpus == one and (other, size) in cells})
            if len(sizes) > 1:
                ends = (sizes[0], sizes[-1])
                four = {(corpus, size): cells[corpus, size] for corpus in (one, other) for size in ends}
                found.append(TwoByTwo((one, other), ends, four))
    return found


def drop(results: Results, square: TwoByTwo, corpus: str) -> Drop | None:
    """The split of the drop on one of the two corpora; None where a figure is missing."""
    abroad = next(name for name in square.corpora if name != corpus)
    small, large = square.sizes

    def value(trained_on: str, size: int) -> float | None:
        row = results.row(corpus, square.cells[trained_on, size].name, "bytes_per_token")
        return None if row is None else row.value

    start, end = value(corpus, large), value(abroad, small)
    small_home, large_abroad = value(corpus, small), value(abroad, large)
    if start is None or end is None or small_home is None or large_abroad is None:
        return None
    size_part = ((small_home - start) + (end - large_abroad)) / 2
    domain_part = ((end - small_home) + (large_abroad - start)) / 2
    return Drop(corpus, start, end, size_part, domain_part)


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


def _square(results: Results, square: TwoByTwo) -> str:
    parts = [_table(results, square)]
    drops = [found for corpus in square.corpora if (found := drop(results, square, corpus))]
    if drops:
        parts.append("\n".join(_words(found) for found in drops))
    if note := _sizes(square):
        parts.append(note)
    return "\n\n".join(parts)


def _table(results: Results, square: TwoByTwo) -> str:
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


def _words(found: Drop) -> str:
    total = found.end - found.start
    return (
        f"- On **{plain(found.corpus)}**, from the large vocabulary at home to the small one from abroad: "
        f"{found.start:.2f} → {found.end:.2f} bytes/token ({signed_percent(total / found.start)}). Of the "
        f"{_signed(total)}, size makes {_signed(found.size_part)} and domain {_signed(found.domain_part)} "
        "(each the mean over the two orders of the steps)."
    )


def _signed(value: float) -> str:
    return f"{'−' if value < 0 else '+'}{abs(value):.2f}"


def _sizes(square: TwoByTwo) -> str:
    small, large = square.sizes
    reached = {cell: t.vocab_size for cell, t in square.cells.items()}
    same = [c for c in square.corpora if reached[c, small] == reached[c, large]]
    if same:
        return (
            f"Both sizes stopped at the same vocabulary for {plain(' and '.join(same))}: there the "
            "training text was too small for the sizes asked for, and the size part says less than its name."
        )
    if any(t.vocab_size != t.asked_vocab_size for t in square.cells.values()):
        return "Where training stopped early, the size part is that of the sizes reached."
    return ""
