"""The domain-mismatch matrix, and which tokens carry the loss."""

from __future__ import annotations

from evalkit.fair_records import LossRecord, TokenCount
from evalkit.report import few, regrets, seen
from evalkit.report.comparisons import span
from evalkit.report.figures import is_at_home
from evalkit.report.table import table
from evalkit.report.text import code, count, listing, percent, piece, plain, signed_percent
from evalkit.results import CorpusRecord, Results, TokenizerRecord

COLUMNS = 5  # corpora side by side; the cells are wide
LOSSES = 6
PIECES = 8


def section(results: Results) -> str:
    """Trained on × measured on, by split pattern: bytes per token, regret and its interval; cells at home marked."""
    trained = [t for t in results.tokenizers if t.trained_on]
    matches = {(m.corpus, m.tokenizer): m for m in results.matches}
    held = {name for _, name in matches}
    parts = []
    documents: list[int] = []
    for variant in dict.fromkeys(t.variant for t in trained):
        mine = [t for t in trained if t.variant == variant and t.name in held]
        shown = [c for c in results.corpora if any((c.name, t.name) in matches for t in mine)]
        if len(mine) < 2:
            continue
        parts.append(f"### Split pattern {code(variant or '')}")
        documents += [c.documents for c in shown]
        for start in range(0, len(shown), COLUMNS):
            part = shown[start : start + COLUMNS]
            rows = [
                [
                    code(t.name),
                    plain(listing(list(t.trained_on), 3)),
                    count(t.vocab_size),
                    *(_cell(results, c, t) for c in part),
                ]
                for t in mine
            ]
            columns = ["tokenizer", "trained on", "size", *(f"on {plain(c.name)}{few.mark(c.documents)}" for c in part)]
            parts.append(table(columns, rows, left=2))
    if not parts:
        return ""
    text = (
        "Bytes per token; then how many more tokens (regret) than the tokenizer of the same split pattern that was "
        "trained on that corpus alone, both cut to the smaller of their two sizes, with the interval over documents. "
        f"{regrets.MARKS} "
        "`home`: it is that tokenizer; `in the mix`: the corpus was part of its training text. What each was held "
        "against: `matches` in `results.json`."
    )
    return "\n\n".join([text, *few.note(documents), *seen.note(*parts), *parts])


def _who(tokenizer: TokenizerRecord) -> list[str]:
    return [code(tokenizer.name), plain(listing(list(tokenizer.trained_on), 3)), count(tokenizer.vocab_size)]


def _cell(results: Results, corpus: CorpusRecord, tokenizer: TokenizerRecord) -> str:
    figure, regret = (results.row(corpus.name, tokenizer.name, metric) for metric in ("bytes_per_token", "regret"))
    shown = "" if figure is None or figure.value is None else f"{figure.value:.2f}"
    found = next((m for m in results.matches if (m.corpus, m.tokenizer) == (corpus.name, tokenizer.name)), None)
    shown += seen.mark(results, tokenizer.name, corpus.name) if shown else ""
    if found is None or regret is None or regret.value is None:
        return shown or "–"
    if found.ideal == tokenizer.name:
        return f"**{shown} home**"
    text = signed_percent(regret.value)
    if regret.low is not None and regret.high is not None:
        text += f" ({span(regret.low, regret.high, regret.value)[:-2]})"
    if mark := regrets.doubt(results, found):
        text += f" {mark}"
    where = " in the mix" if is_at_home(tokenizer, corpus.name) else ""
    return f"{shown}; {text}{where}"


def losses(results: Results) -> str:
    """The greatest losses away from home, each with the tokens that carry it."""
    chosen = _chosen(results)
    if not chosen:
        return ""
    text = (
        "The greatest regrets, one for each corpus and training text: the pretokens that broke most, both tokenizers "
        "at one size, and the tokens that lie idle or are missing, both at their own sizes."
    )
    return "\n\n".join([text, *(_loss(results, one) for one in chosen)])


def _chosen(results: Results) -> list[LossRecord]:
    """The greatest first, of those trained on one corpus; one of each pair of corpora, the largest tokenizer."""
    trained_on = {t.name: t.trained_on for t in results.tokenizers}

    def extra(one: LossRecord) -> float:
        return one.difference.first_total / max(1, one.difference.second_total) - 1

    found: dict[tuple[str, tuple[str, ...]], LossRecord] = {}
    for one in results.losses:
        home = trained_on.get(one.tokenizer, ())
        if len(home) != 1 or extra(one) <= 0:
            continue
        best = found.get((one.corpus, home))
        if best is None or (one.size, extra(one)) > (best.size, extra(best)):
            found[one.corpus, home] = one
    return sorted(found.values(), key=extra, reverse=True)[:LOSSES]


def _loss(results: Results, one: LossRecord) -> str:
    pair = one.difference
    held = (one.corpus, one.tokenizer, one.ideal)
    found = next((m for m in results.matches if (m.corpus, m.tokenizer, m.ideal) == held), None)
    doubt = "" if found is None else regrets.said(results, found)
    more = pair.first_total / max(1, pair.second_total) - 1
    head = (
        f"### {code(one.tokenizer)} on {plain(one.corpus)}\n\n"
        f"At {count(one.size)} entries it needs {percent(more)} more tokens than {code(one.ideal)} "
        f"({count(pair.first_total)} against {count(pair.second_total)}){doubt}."
    )
    lines = [f"- Of its {count(one.entries)} entries {count(one.used)} occur there."]
    if one.idle:
        lines[0] = lines[0][:-1] + (
            f"; {count(one.idle)} that are used at home never do, such as {_tokens(one.idle_top)}."
        )
    if one.missing:
        lines.append(
            f"- {count(one.missing)} tokens that {code(one.ideal)} uses there are missing in it, the most frequent: "
            f"{_tokens(one.missing_top)}."
        )
    rows = [
        [
            piece(row.piece),
            count(row.occurrences),
            count(row.first_tokens),
            count(row.second_tokens),
            f"{row.first_tokens - row.second_tokens:+,}".replace("-", "−"),
        ]
        for row in [row for row in pair.top if row.first_tokens > row.second_tokens][:PIECES]
    ]
    what = "pretoken" if pair.pieces == "pretokens" else "text"
    columns = [what, "times", "its tokens", f"of {plain(one.ideal)}", "more"]
    return "\n\n".join([head, "\n".join(lines), table(columns, rows)] if rows else [head, "\n".join(lines)])


def _tokens(top: tuple[TokenCount, ...]) -> str:
    return ", ".join(f"{piece(one.token)} ({count(one.times)})" for one in top[:PIECES])
