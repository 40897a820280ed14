"""The first lines of a report: what is best where, and by how much, in words."""

from __future__ import annotations

from collections import Counter

from evalkit.report.figures import candidates, is_at_home
from evalkit.report.text import code, figure, listing, percent, plain
from evalkit.results import Results, Row

METRIC = "bytes_per_token"


def verdict(results: Results) -> str:
    """The section's text: one paragraph on the whole, then one line a corpus."""
    failed = results.failed_checks
    opening = [_checks(results)]
    if failed:
        names = sorted({check.tokenizer for check in failed})
        opening.insert(0, f"**Do not use {listing([code(name) for name in names])}: a check failed.**")
    lines = [line for corpus in results.corpora if (line := _corpus(results, corpus.name))]
    whole = _whole(results)
    parts = [" ".join([whole, *opening]).strip()]
    if lines:
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _whole(results: Results) -> str:
    leaders = {}
    for corpus in results.corpora:
        rows = candidates(results, corpus.name, METRIC)
        if rows:
            leaders[corpus.name] = rows[0].tokenizer
    if not leaders:
        return "No tokenizer could be compared on any corpus."
    many = Counter(leaders.values())
    if len(results.tokenizers) == 1:
        return f"One tokenizer was measured on {_corpora(len(results.corpora))}, and nothing is compared."
    top, wins = many.most_common(1)[0]
    rest = [f"{code(name)} on {n}" for name, n in many.most_common()[1:]]
    others = f"; {listing(rest)}" if rest else ""
    return (
        f"{code(top)} packs the most text into a token on {wins} of {_corpora(len(leaders))}{others}. "
        + _caveat(results, top)
    ).strip()


def _caveat(results: Results, top: str) -> str:
    sizes = {t.name: t.vocab_size for t in results.tokenizers if t.kind != "baseline" and t.vocab_size}
    if top not in sizes or len(set(sizes.values())) == 1:
        return ""
    if sizes[top] == max(sizes.values()):
        return f"It also has the largest vocabulary ({sizes[top]:,}), which costs parameters."
    return f"Its vocabulary has {sizes[top]:,} entries; the largest compared has {max(sizes.values()):,}."


def _corpora(n: int) -> str:
    return f"{n} {'corpus' if n == 1 else 'corpora'}"


def _checks(results: Results) -> str:
    made = [check for check in results.checks if check.passed is not None]
    bad = [check for check in made if not check.passed]
    if not made:
        return "No consistency check could be made."
    if not bad:
        return f"All {len(made):,} consistency checks passed (serial = parallel, byte audit, round trip)."
    return f"{len(bad):,} of {len(made):,} consistency checks failed; see Checks."


def _corpus(results: Results, corpus: str) -> str:
    rows = candidates(results, corpus, METRIC)
    if len(rows) < 2:
        return ""
    first, second = rows[0], rows[1]
    what = f"{_named(results, first)}, {figure(first)} {first.unit}"
    line = f"- **{plain(corpus)}**: {what}; {_lead(first, second)}"
    trained = {t.name for t in results.tokenizers if t.trained_on}
    own = next((row for row in rows if row.tokenizer in trained), None)
    if own is not None and first.tokenizer not in trained:
        share = (first.value or 0) / (own.value or 1) - 1
        line += f"; best trained here: {_named(results, own)}, {figure(own)} ({percent(share)} more tokens)"
    return f"{line}."


def _named(results: Results, row: Row) -> str:
    home = any(t.name == row.tokenizer and is_at_home(t, row.corpus) for t in results.tokenizers)
    return f"{code(row.tokenizer)}{' (in-domain)' if home else ''}"


def _lead(first: Row, second: Row) -> str:
    assert first.value is not None
    assert second.value is not None
    fewer = 1 - second.value / first.value  # the bytes are the same, so this is a share of the tokens
    if fewer < 0.0005:
        return f"no fewer tokens than {code(second.tokenizer)}"
    close = ", too close to call without an interval" if fewer < 0.01 else ""
    return f"{percent(fewer)} fewer tokens than {code(second.tokenizer)}{close}"
