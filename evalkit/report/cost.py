"""What each vocabulary costs the model of the suite's ``select:``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

from evalkit import cost
from evalkit.ranked import set_aside
from evalkit.report import seen
from evalkit.report.figures import is_large, is_lossless, outside, shown_corpora
from evalkit.report.sections import COLUMNS_PER_TABLE
from evalkit.report.table import table
from evalkit.report.text import best_by_corpus, code, count, listing, percent, plain
from evalkit.results import Results
from evalkit.selection_records import CostRecord

UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def sentence(results: Results) -> str:
    """Whose training takes the least for a byte of text, on each corpus; empty without ``select:`` or a choice."""
    leaders: dict[str, tuple[str, ...]] = {}
    for corpus in shown_corpora(results):
        found = _rivals(results, corpus.name)
        if len(found) > 1:
            leaders[corpus.name] = _least(found)
    if not leaders:
        return ""
    who = best_by_corpus(leaders, partial(seen.mark, results), outside(results))
    return (
        "For the model of `select:`, with the parameters of each vocabulary counted, a byte of text takes the least "
        f"training with {who} (no test; what a model learns from it "
        "isn't measured)."
    )


def _rivals(results: Results, corpus: str) -> dict[str, float]:
    """FLOPs of training by candidate, without those that lose text, since what is dropped costs nothing, or are set
    aside."""
    aside = set_aside(results.tokenizers)
    return {
        one.tokenizer: one.training_flops_per_byte
        for one in results.costs
        if one.corpus == corpus
        and one.training_flops_per_byte
        and one.tokenizer not in aside
        and is_lossless(results, corpus, one.tokenizer)
    }


def _least(flops: Mapping[str, float]) -> tuple[str, ...]:
    """Those that take the least."""
    return tuple(name for name, one in flops.items() if one == min(flops.values()))


def section(results: Results) -> str:
    """Parameters by tokenizer, costs by tokenizer and corpus, the law's optimum, the assumptions. Empty without
    ``select:``."""
    if results.model is None or not results.costs:
        return ""
    m = results.model
    intro = (
        f"For a model of {m.n_layers} layers, width {count(m.d_model)}, context {count(m.context)} tokens, input and "
        f"output embedding {'tied' if m.tied else 'not tied'}: what each candidate costs, by arithmetic."
    )
    parts = [intro, _parameters(results), _by_corpus(results), _optimum(results), _assumptions()]
    return "\n\n".join(part for part in parts if part)


def _parameters(results: Results) -> str:
    of_each: dict[str, CostRecord] = {}
    for one in results.costs:
        of_each.setdefault(one.tokenizer, one)
    rows = [
        [
            code(name),
            count(one.rows),
            amount(one.embedding_parameters),
            percent(one.embedding_parameters / (one.embedding_parameters + one.other_parameters)),
        ]
        for name, one in of_each.items()
    ]
    columns = ["tokenizer", "rows (largest id + 1)", "embedding parameters", "share of all"]
    other = amount(results.costs[0].other_parameters)
    return f"{table(columns, rows)}\n\nAll other parameters: {other}."


def _by_corpus(results: Results) -> str:
    names = [corpus.name for corpus in shown_corpora(results)]
    rows, reasons = [], {}
    for one in sorted(results.costs, key=lambda one: names.index(one.corpus) if one.corpus in names else -1):
        if one.corpus not in names:
            continue
        if one.undefined_reason is not None:
            reasons[one.tokenizer, one.undefined_reason] = one.corpus
            continue
        rows.append(
            [
                plain(one.corpus),
                code(one.tokenizer),
                f"{one.bytes_per_token:.2f}{seen.mark(results, one.tokenizer, one.corpus)}",
                amount(one.training_flops_per_byte or 0),
                amount(one.cache_bytes_per_byte or 0),
                amount(one.context_bytes or 0),
            ]
        )
    notes = [f"- {code(name)}: undefined, {plain(reason)}" for name, reason in reasons]
    if not rows:
        return "\n".join(notes)
    if is_large(results):
        return "\n\n".join([_side_by_side(results, names), *(["\n".join(notes)] if notes else [])])
    columns = [
        "corpus", "tokenizer", "bytes/token", "training FLOPs a byte", "cache bytes a byte", "context in bytes",
    ]  # fmt: skip
    shown = table(columns, rows, left=2)
    return "\n\n".join(part for part in [shown, *seen.note(shown), "\n".join(notes)] if part)


def _side_by_side(results: Results, names: Sequence[str]) -> str:
    """A column a corpus, of the one cost that weighs a large vocabulary against its shorter texts."""
    of = {(one.corpus, one.tokenizer): one.training_flops_per_byte for one in results.costs}
    parts = [
        "Training FLOPs for a byte of text; the least is bold. The cache takes "
        f"{amount(_cache(results))} bytes a token, and the context is counted in tokens, so that those two by the byte "
        "follow from the tables of bytes per token; all of it: `costs` in `results.json`."
    ]
    for start in range(0, len(names), COLUMNS_PER_TABLE):
        part = names[start : start + COLUMNS_PER_TABLE]
        least = {name: _least(_rivals(results, name)) for name in part}
        rows = []
        for tokenizer in dict.fromkeys(one.tokenizer for one in results.costs):
            cells = [(of.get((name, tokenizer)), least[name], seen.mark(results, tokenizer, name)) for name in part]
            shown = [
                "–" if not v else f"**{amount(v)}**{mark}" if tokenizer in best else f"{amount(v)}{mark}"
                for v, best, mark in cells
            ]
            rows.append([code(tokenizer), *shown])
        parts.append(table(["tokenizer", *map(plain, part)], rows))
    return "\n\n".join([*parts, *seen.note(*parts)])


def _cache(results: Results) -> int:
    assert results.model is not None
    m = results.model
    return cost.Model(m.d_model, m.n_layers, m.context, m.tied).cache_bytes


def _optimum(results: Results) -> str:
    found = [f"{count(one.vocab_size)} ({plain(one.approach)})" for one in results.optima if one.vocab_size is not None]
    reasons: dict[str, list[str]] = {}
    for one in results.optima:
        if one.undefined_reason is not None:
            reasons.setdefault(one.undefined_reason, []).append(plain(one.approach))
    unknown = "; ".join(f"undefined by {listing(names)}: {plain(reason)}" for reason, names in reasons.items())
    shown = "; ".join(part for part in (listing(found) if found else "", unknown) if part)
    if not shown:
        return ""
    return (
        "The vocabulary size that the law of Tao et al. 2024 gives for the "
        f"{amount(results.costs[0].other_parameters)} other parameters, trained on data in proportion: "
        f"{shown}. It was fitted on models of 33 M to 3 B parameters, mostly English text, one kind of "
        "tokenizer, and the vocabulary's parameters counted once; it knows nothing of the corpora here. Less data asks "
        "for a smaller vocabulary, more for a larger one."
    )


def _assumptions() -> str:
    """Those of ``evalkit.cost``, which has them in its docstring."""
    text = (cost.__doc__ or "").split("repeats:", 1)[1].strip()
    lines = [" ".join(item.split()) for item in re.split(r"^- ", text, flags=re.M) if item.strip()]
    return "Assumptions:\n\n" + "\n".join(f"- {plain(line.replace('``', ''))}" for line in lines)


def amount(number: float) -> str:
    """A number with three digits and its power of a thousand.

    >>> amount(131_072_000), amount(1_234), amount(12.3), amount(0)
    ('131 M', '1.23 k', '12.3', '0')
    """
    for factor, letter in UNITS:
        if number >= factor:
            return f"{_three(number / factor)} {letter}"
    return _three(number)


def _three(number: float) -> str:
    digits = 0 if number >= 100 or number == int(number) else 1 if number >= 10 else 2
    return f"{number:,.{digits}f}"
