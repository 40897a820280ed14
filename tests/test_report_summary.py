"""The summary over corpora, and how a long report is cut."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from report_example import results

from evalkit.fair_records import MatchedRecord
from evalkit.report import figures, markdown
from evalkit.report.markdown import render
from evalkit.report.matched import sentence
from evalkit.report.summary import mean_excess, section
from evalkit.report.verdict import verdict
from evalkit.results import Results, TokenizerRecord


def _section(text: str, title: str) -> str:
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


def _cells(text: str, name: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.startswith(f"| `{name}`"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def _value(found: Results, corpus: str, name: str) -> float:
    row = found.row(corpus, name, "bytes_per_token")
    assert row is not None
    assert row.value is not None
    return row.value


def test_the_mean_is_geometric() -> None:
    assert mean_excess([]) is None
    assert mean_excess([1.0, 1.0]) == 0
    assert mean_excess([2.0, 0.5]) == pytest.approx(0)


def test_the_summary_is_what_the_tables_say() -> None:
    found = results()
    text = section(found)
    names = ("small", "large", "published")
    best = {c.name: max(_value(found, c.name, n) for n in names) for c in found.corpora}
    for name in names:
        ratios = [best[c.name] / _value(found, c.name, name) for c in found.corpora]
        expected = math.prod(ratios) ** (1 / len(ratios)) - 1
        cells = _cells(text, name)
        assert cells[2] == f"+{expected * 100:.1f} %"
        worst = max(ratios)
        corpus = found.corpora[ratios.index(worst)].name
        assert cells[-1] == ("–" if worst == 1 else f"{corpus} +{(worst - 1) * 100:.1f} %")
    order = [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")]
    assert order == sorted(
        order, key=lambda n: sum(math.log(best[c.name] / _value(found, c.name, n)) for c in found.corpora)
    )


def test_no_mean_over_fewer_corpora_than_the_others() -> None:
    found = results()
    rows = tuple(
        replace(row, value=None, low=None, high=None, undefined_reason="not measured")
        if (row.corpus, row.tokenizer, row.metric) == (found.corpora[0].name, "large", "bytes_per_token")
        else row
        for row in found.rows
    )
    text = section(replace(found, rows=rows))
    assert _cells(text, "large")[2] == "–"
    assert _cells(text, "small")[2] != "–"


def _judged(separable: dict[str, bool | None]) -> Results:
    """All pairs of a corpus, as it is given."""
    found = results()
    comparisons = tuple(replace(c, separable=separable[c.corpus], identical=False) for c in found.comparisons)
    return replace(found, comparisons=comparisons)


def test_what_cannot_be_judged_is_neither_won_nor_lost() -> None:
    found = section(_judged({"stories": True, "zh": None}))
    best = max(("small", "large", "published"), key=lambda name: _value(results(), "stories", name))
    for name in ("small", "large", "published"):
        assert _cells(found, name)[3] == f"{int(name == best)} of 1 judged"
    found = section(_judged({"stories": False, "zh": False}))
    assert [_cells(found, name)[3] for name in ("small", "large", "published")] == ["2 of 2"] * 3
    found = section(_judged({"stories": None, "zh": None}))
    assert [_cells(found, name)[3] for name in ("small", "large", "published")] == ["none judged"] * 3


def test_the_best_trained_here_names_what_it_cannot_be_told_from() -> None:
    def said(separable: bool | None) -> str:
        judged = _judged({"stories": separable, "zh": separable})
        better = {"published": 5.0, "large": 4.0, "small": 3.9}
        rows = tuple(
            replace(row, value=better[row.tokenizer]) if row.metric == "bytes_per_token" and row.value else row
            for row in judged.rows
        )
        return verdict(replace(judged, rows=rows))

    assert "; of those trained here not separable from `small`." in said(False)
    assert "of those trained here not separable" not in said(True)
    assert "of those trained here not separable" not in said(None)


def test_little_is_not_summed_up() -> None:
    found = results()
    assert section(replace(found, corpora=found.corpora[:1])) == ""
    two: tuple[TokenizerRecord, ...] = found.tokenizers[:2]
    assert section(replace(found, tokenizers=two)) == ""
    assert "At a glance" in render(found)


def test_a_long_report_says_what_is_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Sections: [" not in render(results())
    monkeypatch.setattr(markdown, "LONG", 100)
    text = render(results())
    line = next(line for line in text.splitlines() if line.startswith("Sections: ["))
    assert "[Which differences hold](#which-differences-hold)" in line
    assert line.count("](#") == text.count("\n## ")
    assert text.index("## Beware") < text.index(line) < text.index("## Tokenizers")


def test_large_tables_are_not_repeated_as_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Macro, the mean" in _section(render(results()), "Bytes per token")
    monkeypatch.setattr(figures, "LARGE", 2)
    section_text = _section(render(results()), "Bytes per token")
    assert "Macro, the mean" not in section_text
    assert "in `results.csv`" in section_text


def test_a_note_of_several_is_said_once() -> None:
    found = results()
    tokenizers = tuple(replace(t, notes=("trained on a mix",)) for t in found.tokenizers)
    text = _section(render(replace(found, tokenizers=tokenizers)), "Tokenizers")
    assert text.count("trained on a mix") == 1


# ── ties in the verdict ─────────────────────────────────────────────────────────────────────────────────────


def _at_one_size(more: float, separable: bool | None) -> Results:
    found = results()
    matched = tuple(
        MatchedRecord(c.name, 300, name, 15, 4.0, more=0.0 if name == "small" else more, separable=judged)
        for c in found.corpora
        for name, judged in (("small", None), ("large", separable))
    )
    return replace(found, matched=matched)


@pytest.mark.parametrize(
    ("more", "separable", "said"),
    [
        (0.0, None, "it is `small` and `large` (equal) on every corpus."),
        (0.0, False, "it is `small` and `large` (equal) on every corpus."),
        (0.1, None, "it is `small` on every corpus (whether that holds on other documents can't be told on stories"),
        (0.1, False, "it is `small` on every corpus (not separable from the next on stories and zh)."),
        (0.1, True, "it is `small` on every corpus."),
    ],
)
def test_a_tie_at_one_size_is_no_win(more: float, separable: bool | None, said: str) -> None:
    assert said in sentence(_at_one_size(more, separable))


def test_who_is_not_separable_at_one_size_is_named_where_it_is_not_the_next() -> None:
    found = results()
    outcomes = {"large": (0.1, True), "published": (0.2, False)}
    best = [MatchedRecord(c.name, 300, "small", 15, 4.0, more=0.0) for c in found.corpora]
    others = [
        MatchedRecord(c.name, 300, name, 15, 4.0, more=more, separable=separable)
        for c in found.corpora
        for name, (more, separable) in reversed(outcomes.items())
    ]
    said = sentence(replace(found, matched=(*best, *others)))
    assert said.endswith("on every corpus (not separable from `published` on stories and zh).")
    last = replace(others[-1], separable=False)
    said = sentence(replace(found, matched=(*best, *others[:-1], last)))
    assert said.endswith("(not separable from `published` on stories; not separable from the next on zh).")


@pytest.mark.parametrize(
    ("sizes", "leaders", "said"),
    [
        ((600, 600, 300), ("small", "large"), "`small` and `large` also have the largest vocabulary (600), which"),
        ((600, 600, 300), ("small", "small"), "`small` also has the largest vocabulary (600, as `large` has), which"),
        ((600, 600, 600), ("small", "large"), ""),
        (
            (600, 500, 300),
            ("small", "large"),
            "`small` has 600 entries and `large` 500; the largest vocabulary",
        ),
        ((500, 600, 300), ("small", "small"), "`small` has 500 entries; the largest vocabulary compared has 600."),
    ],
)
def test_the_vocabularies_of_all_that_lead_on_as_many_corpora_are_told(
    sizes: tuple[int, ...], leaders: tuple[str, ...], said: str
) -> None:
    found = results()
    lead = dict(zip(("stories", "zh"), leaders, strict=True))
    rows = tuple(
        replace(row, value=9.0 if lead[row.corpus] == row.tokenizer else 4.0)
        if (row.metric, row.aggregation) == ("bytes_per_token", "micro") and row.value is not None
        else row
        for row in found.rows
    )
    tokenizers = tuple(replace(t, vocab_size=size) for t, size in zip(found.tokenizers, sizes, strict=True))
    text = verdict(replace(found, rows=rows, tokenizers=tokenizers))
    assert f"- {said}" in text
    assert ("largest vocabulary" in text) == bool(said)


def test_a_tie_is_no_win_in_the_verdict() -> None:
    found = results()  # on zh, large and published need as many tokens
    assert "`large` and `published` (equal) on zh" in verdict(found)
    same = tuple(
        replace(row, value=5.0 if row.tokenizer == "published" else 4.0)
        if (row.metric, row.aggregation) == ("bytes_per_token", "micro") and row.value is not None
        else row
        for row in found.rows
    )
    text = verdict(replace(found, rows=same))
    assert "`published` packs the most text into a token on every corpus." in text
    assert "best trained here: `small` (in-domain) and `large` (equal), 4.00" in text


def test_without_bytes_per_token_there_is_no_verdict() -> None:
    found = results()
    rows = tuple(row for row in found.rows if row.metric == "fertility")
    text = verdict(replace(found, rows=rows))
    assert "3 tokenizers were measured on 2 corpora; `bytes_per_token` was not measured, so that there is no" in text
    one = replace(found, tokenizers=found.tokenizers[:1])
    assert "One tokenizer was measured on 2 corpora; there is nothing to compare." in verdict(one)


# ── training noise ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("p_holm", "floor", "alone"), [(0.001, 0.5, True), (0.2, 0.5, False), (0.001, 0.1, False)])
def test_training_noise_is_said_where_it_alone_is_why(p_holm: float, floor: float, alone: bool) -> None:
    """On stories ``large`` needs 20 % more tokens than ``small``, and 12.5 % more than ``published``."""
    found = results()
    within = floor > 0.2
    comparisons = tuple(
        replace(c, separable=not within, p_holm=p_holm, noise_floor=floor, low=1.01, high=1.02)
        if {c.first, c.second} == {"small", "large"} and c.corpus == "stories"
        else replace(c, separable=c.corpus == "stories", p_holm=0.001)
        for c in found.comparisons
    )
    noisy = replace(found, comparisons=comparisons)
    line = next(line for line in verdict(noisy).splitlines() if line.startswith("- **stories"))
    assert ("not separable from `large` (by training noise alone, 50.0 %)" in line) == alone
    assert ("not separable from `large`" in line) == within
    assert ("(1 by training noise alone, up to 50.0 %)" in _cells(section(noisy), "large")[-2]) == alone
    assert "noise" not in _cells(section(noisy), "small")[-2]
    lead = replace(noisy, tokenizers=tuple(t for t in noisy.tokenizers if t.name != "published"))
    assert ("lead is not larger than what training alone makes on stories (50.0 %)" in verdict(lead)) == alone
    assert ("lead is not separable from chance on stories" in verdict(lead)) == (within and not alone)
