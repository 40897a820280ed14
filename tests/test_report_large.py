"""What a large report leaves out, folds away or says in one line, and what it must not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_example import results

from evalkit.cautions import cautions
from evalkit.report import explained, figures, ladders, places, sections, summary
from evalkit.report.markdown import render
from evalkit.results import CheckRecord, DifferenceRecord, LadderRecord, Results, Row
from evalkit.vocabulary_records import VocabularyRecord


def _section(text: str, title: str) -> str:
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


def _renamed(found: Results, variant: str | None, *names: str) -> Results:
    tokenizers = tuple(replace(t, variant=variant) if t.name in names else t for t in found.tokenizers)
    return replace(found, tokenizers=tokenizers)


def _share(corpus: str, tokenizer: str, value: float | None, low: float | None, high: float | None) -> Row:
    row = next(row for row in results().rows if row.metric == "unk_rate" and row.aggregation == "micro")
    reason = "the text is ASCII" if value is None else None
    return replace(
        row, corpus=corpus, tokenizer=tokenizer, metric="utf8_split_rate", value=value, low=low, high=high,
        undefined_reason=reason,
    )  # fmt: skip


# ── figures ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_column_without_a_figure_is_a_sentence() -> None:
    names = [t.name for t in results().tokenizers]
    rows = [_share("stories", name, None, None, None) for name in names]
    rows += [_share("zh", name, 0.5, 0.4, 0.6) for name in names]
    text = sections.figures(replace(results(), rows=(*results().rows, *rows)), "utf8_split_rate")
    assert "No figures of stories: the text is ASCII." in text
    assert "stories |" not in text
    assert text.count("50.0 %") == len(names)
    assert sections.UNSURE not in text


def test_without_any_figure_the_reason_is_all() -> None:
    rows = [_share(c.name, t.name, None, None, None) for c in results().corpora for t in results().tokenizers]
    text = sections.figures(replace(results(), rows=(*results().rows, *rows)), "utf8_split_rate")
    assert text == "Undefined everywhere: the text is ASCII."


def test_shares_that_are_no_estimate_are_marked() -> None:
    rows = [
        _share("zh", "small", 0.5, None, None),
        _share("zh", "large", 0.5, 0.1, 0.9),
        _share("zh", "published", 0.5, 0.45, 0.55),
    ]
    text = sections.figures(replace(results(), rows=(*results().rows, *rows)), "utf8_split_rate")
    cells = {line.split("`")[1]: line.split("|")[3].strip() for line in text.splitlines() if line.startswith("| `")}
    assert "50.0 %°" in cells["small"]
    assert "°" in cells["large"]
    assert "°" not in cells["published"]
    assert "hardly an estimate" in text


# ── checks ──────────────────────────────────────────────────────────────────────────────────────────────────


def _many(found: Results, extra: int) -> Results:
    """With so many tokenizers more, all like the last."""
    last = found.tokenizers[-1]
    names = [f"more-{k}" for k in range(extra)]
    checks = [replace(c, tokenizer=name) for name in names for c in found.checks if c.tokenizer == last.name]
    tokenizers = (*found.tokenizers, *(replace(last, name=name) for name in names))
    return replace(found, tokenizers=tokenizers, checks=(*found.checks, *checks))


def test_checks_that_all_pass_are_one_line() -> None:
    few, many = results(), _many(results(), 3)
    assert "| `small`" in sections.checks(few)
    text = sections.checks(many)
    assert text.startswith("All tokenizers: serial = parallel passed (4 documents); byte audit passed (4 documents);")
    assert "|" not in text


def test_a_failed_check_keeps_its_line() -> None:
    many = _many(results(), 3)
    failed = tuple(
        replace(c, passed=False, detail="ids differ")
        if (c.tokenizer, c.corpus, c.name) == ("small", "zh", "serial_equals_parallel")
        else c
        for c in many.checks
    )
    text = sections.checks(replace(many, checks=failed))
    assert "5 of 6 tokenizers: serial = parallel passed" in text
    assert "| `small`" in text
    assert "**FAILED** on zh" in text
    assert "- **small on zh**: serial = parallel: ids differ" in text
    every: tuple[CheckRecord, ...] = tuple(replace(c, passed=False) for c in many.checks)
    assert "tokenizers:" not in sections.checks(replace(many, checks=every))


# ── what is folded, and how speeds are told ─────────────────────────────────────────────────────────────────


def test_side_tables_are_folded_in_a_large_report(monkeypatch: pytest.MonkeyPatch) -> None:
    titles = ("Vocabulary overlap", "Vocabulary utilisation", "Length against published")
    small = render(results())
    assert not any("<details>" in _section(small, title) for title in titles)
    monkeypatch.setattr(figures, "LARGE", 2)
    large = render(results())
    for title in titles:
        assert "<details>" in _section(large, title)
        table = _section(small, title).strip()
        assert table in _section(large, title)  # nothing of it is lost
    assert "Most alike: `small` and `large` (0.67); least: `large` and `published` (0.27)" in large


def test_speeds_of_many_corpora_are_their_median(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tuple(
        replace(row, value=5.0 if row.corpus == "zh" else 9.0) if row.metric == "encode_mb_per_s" and row.value else row
        for row in results().rows
    )
    found = replace(results(), rows=rows)
    assert "median" not in sections.speed(found).split("|", 1)[1]
    monkeypatch.setattr(figures, "LARGE", 2)
    line = next(line for line in sections.speed(found).splitlines() if line.startswith("| `small`"))
    assert [cell.strip() for cell in line.strip("|").split("|")] == ["`small`", "7.0", "5.0 (zh)"]


def _pair(corpus: str, first: int, second: int) -> DifferenceRecord:
    return replace(results().differences[0], corpus=corpus, first_total=first, second_total=second)


def test_a_difference_by_runs_is_not_called_one_by_words() -> None:
    pair = _pair("stories", 100, 150)
    found = {
        kind: explained.section(replace(results(), differences=(replace(pair, pieces=kind),)))
        for kind in ("words", "runs")
    }
    assert "counts for the word or sign it ends in, on" in found["words"]
    assert "counts for the run of letters, digits and what isn't ASCII it ends in (the pure-Python" in found["runs"]


def test_pairs_that_need_no_explanation_come_last() -> None:
    obvious, telling = _pair("zh", 100, 300), _pair("stories", 100, 150)
    both = replace(results(), differences=(obvious, telling))
    assert explained.pairs_to_explain(both, 8) == [telling]
    assert explained.pairs_to_explain(replace(both, differences=(obvious,)), 8) == [obvious]
    assert "1 more table: `differences` in `results.json`" in render(both)


# ── ladders ─────────────────────────────────────────────────────────────────────────────────────────────────


def _ladder(tokenizer: str, corpus: str, tokens: tuple[int, ...]) -> LadderRecord:
    sizes = (256, 512, 1024)
    per_token = tuple(1000 / n for n in tokens)
    return LadderRecord(
        corpus=corpus,
        tokenizer=tokenizer,
        bytes=1000,
        sizes=sizes,
        tokens=tokens,
        bytes_per_token=per_token,
        used=sizes,
    )


def test_ladders_at_home_come_first_and_idle_ones_give_way(monkeypatch: pytest.MonkeyPatch) -> None:
    abroad, idle, home = (1000, 800, 600), (1000, 999, 998), (1000, 500, 300)
    found = [_ladder("large", "stories", abroad), _ladder("large", "other", idle), _ladder("large", "zh", home)]
    rung = replace(results().tokenizers[1], name="large@300", aliases=())
    many = replace(results(), ladders=tuple(found), tokenizers=(*results().tokenizers, rung))

    def corpora() -> list[str]:
        return [line.split("|")[2].strip() for line in ladders.section(many).splitlines() if line.startswith("| `")]

    assert corpora() == ["zh", "stories", "other"]
    monkeypatch.setattr(ladders, "ROWS", 2)
    assert corpora() == ["zh", "stories"]
    assert "Left out: 1 on text of which no entry after the first 512 saves 5 %" in ladders.section(many)


# ── vocabularies without a pattern, and idle entries ────────────────────────────────────────────────────────


def test_the_nearest_to_the_best_has_a_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "FEWEST_TOKENIZERS", 2)
    order = [line.split("`")[1] for line in summary.section(results()).splitlines() if line.startswith("| `")]
    assert order[0] == "published"
    assert "of those trained here" in summary.sentence(results())
    without = _renamed(results(), "bytes_only", "published")
    assert f"`{order[1]}` is nearest to the best" in summary.sentence(without)
    assert "published" not in summary.section(without)


def test_a_vocabulary_without_a_pattern_is_a_caution() -> None:
    def said(found: Results) -> bool:
        lines = cautions(found.corpora, found.tokenizers, found.rows, found.checks)
        return any("small has no split pattern" in line for line in lines)

    assert not said(results())
    assert said(_renamed(results(), "bytes_only", "small"))
    alone = replace(results(), tokenizers=results().tokenizers[:1])
    assert not said(_renamed(alone, "bytes_only", "small"))  # nothing to choose among


@pytest.mark.parametrize(("idle", "expected"), [(5, False), (10, True)])
def test_entries_that_cannot_occur_are_a_caution(idle: int, expected: bool) -> None:
    lint = VocabularyRecord("small", entries=1000, never={"special": 500, "not-utf8": 13, "edge-shadowed": idle})
    found = results()
    lines = cautions(found.corpora, found.tokenizers, found.rows, found.checks, lint=[lint])
    assert (
        any("Entries that no text gives, proved one by one: small (10 of 1,000, 1.0 %)" in x for x in lines) == expected
    )


# ── what a good figure may hide ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("metric", "said"), list(places.READ_BESIDE.items()))
def test_figures_that_bytes_do_well_in_say_so(metric: str, said: str) -> None:
    assert metric in places.TABLES
    rows = [
        replace(_share("zh", t.name, 0.5, 0.45, 0.55), metric=metric) for t in results().tokenizers
    ]  # any figures will do
    assert said in places.section(replace(results(), rows=(*results().rows, *rows)))
    assert said not in places.section(results())


def test_a_character_in_bytes_is_not_called_a_character() -> None:
    read = figures.CHINESE.reads
    assert [read(value) for value in (0.37, 0.8, 1.5)] == [
        "characters are cut into bytes", "nearly character by character", "normal",
    ]  # fmt: skip


def test_a_share_of_characters_says_in_how_many_documents_they_stand() -> None:
    found = results()
    documents = tuple(replace(c, documents=9, bytes=1060, chars=1000) for c in found.corpora)
    row = next(r for r in found.rows if (r.metric, r.aggregation) == ("bytes_per_token", "macro"))

    def said(stories: int, zh: int) -> str:
        rows = [
            replace(row, corpus=corpus, metric="utf8_split_rate", aggregation=aggregation, value=1.0, n=n)
            for corpus, n in (("stories", stories), ("zh", zh))
            for aggregation in ("micro", "macro")
        ]
        return places.section(replace(found, corpora=documents, rows=(*found.rows, *rows)))

    text = said(1, 9)
    assert text.endswith("several bytes: on stories in 1 of 9 (at most 60 characters).")
    assert "Documents that have" not in said(9, 9)
