"""Line-aligned corpora: how a suite names them, what a language costs, and what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import terminal_report
from evalkit.changes import unpaired
from evalkit.embedded import embedded_corpus
from evalkit.errors import UserError
from evalkit.metrics import Jackknifed, get_metric
from evalkit.metrics.example import example
from evalkit.metrics.languages import NOT_SETTLED, gini, over_languages
from evalkit.pipeline import Options, run_suite
from evalkit.report import languages
from evalkit.report.figures import candidates
from evalkit.report.languages import LOSSY, sentence
from evalkit.report.markdown import render
from evalkit.results import Results, Row
from evalkit.stats import Interval
from evalkit.suite import Suite, load_suite, parse_suite
from evalkit.values import Undefined, Value

HEAD = "version: 1\nname: t\n"
TAIL = "tokenizers:\n  - {name: bytes, baseline: bytes}\n  - {name: chars, baseline: chars}\n"


def suite_of(corpora: str, more: str = "") -> Suite:
    return parse_suite(f"{HEAD}corpora:\n{corpora}{TAIL}{more}", name="suite.yaml")


# ── in a suite ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_embedded_corpus_is_one_for_each_language() -> None:
    suite = suite_of("  l: {builtin: parallel}\n  web: {builtin: web}\n")
    languages = embedded_corpus("parallel").languages
    assert list(suite.corpora) == [*(f"l-{language}" for language in languages), "web"]
    assert {spec.parallel for name, spec in suite.corpora.items() if name != "web"} == {"l"}
    assert suite.corpora["l-de"].language == "de"
    assert suite.corpora["web"].parallel is None


def test_or_the_one_that_is_named() -> None:
    suite = suite_of("  de: {builtin: parallel, language: de}\n  en: {builtin: parallel, language: en, parallel: g}\n")
    assert [(spec.language, spec.parallel) for spec in suite.corpora.values()] == [("de", "parallel"), ("en", "g")]
    alone = suite_of("  de: {builtin: parallel, language: de, parallel: false}\n")
    assert alone.corpora["de"].parallel is None


@pytest.mark.parametrize(
    ("corpora", "more", "problem"),
    [
        ("  a: {builtin: parallel, language: dee}\n", "", "no language of parallel 'dee' (did you mean 'de'"),
        ("  a: {builtin: parallel, sample: {documents: 3}}\n", "", "would lose their partners"),
        ("  a: {builtin: parallel, language: de, eval: {fraction: 0.5}}\n", "", "would lose their partners"),
        ("  a: {builtin: parallel}\n  a-de: {builtin: web}\n", "", "the name 'a-de' is taken"),
        ("  a: {builtin: web}\n", "measure: {reference_language: de}\n", "no corpus has parallel: GROUP"),
        ("  a: {builtin: parallel}\n", "measure: {reference_language: sv}\n", "no parallel corpus is in 'sv'"),
    ],
)
def test_what_is_refused(corpora: str, more: str, problem: str) -> None:
    with pytest.raises(UserError) as error:
        suite_of(corpora, more)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def write_suite(folder: Path, more: str = "", **texts: str) -> Suite:
    lines = []
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        language = name.replace("_", "-")
        lines.append(f"  {name}: {{files: [{name}.txt], document: line, language: {language}, parallel: g}}\n")
    (folder / "suite.yaml").write_text(f"{HEAD}corpora:\n{''.join(lines)}{TAIL}{more}", encoding="utf-8")
    return load_suite(folder / "suite.yaml")


def run(suite: Suite, **options: Any) -> Results:
    return run_suite(suite, Options(cache=False, **options))


def test_other_numbers_of_lines_are_refused(tmp_path: Path) -> None:
    suite = write_suite(tmp_path, en="a\nb\nc\n", de="a\nb\n")
    with pytest.raises(UserError, match="en has 3, de has 2"):
        run(suite)


def test_premiums_of_own_files(tmp_path: Path) -> None:
    results = run(write_suite(tmp_path, en="ab\ncd\n", ru="аб\nвгд\n", zh="中\n文\n"))
    premium = {
        (r.corpus, r.tokenizer): r.value for r in results.rows if (r.metric, r.aggregation) == ("premium", "micro")
    }
    assert premium == {
        ("en", "bytes"): 1.0,
        ("ru", "bytes"): 2.5,
        ("zh", "bytes"): 1.5,
        ("en", "chars"): 1.0,
        ("ru", "chars"): 1.25,
        ("zh", "chars"): 0.5,
    }
    report = render(results)
    assert ": dearest" not in report  # baselines are no choice
    assert "## Languages" in report


LINES = [f"{'word ' * (n * 7 % 23 + 1)}end of line {n}" for n in range(24)]


@pytest.mark.parametrize(("shift", "expected"), [(0, False), (5, True)])
def test_lines_that_may_not_say_the_same_are_a_caution(tmp_path: Path, shift: int, expected: bool) -> None:
    other = [line.replace("word", "слово") for line in LINES[shift:] + LINES[:shift]]
    results = run(write_suite(tmp_path, en="\n".join(LINES), ru="\n".join(other)))
    said = [text for text in results.warnings if "may not say the same" in text]
    assert bool(said) == expected
    if expected:
        assert re.search(r"on ru \(\d\.\d times\) the mean of the lines' premiums", said[0])


def test_another_reference_language(tmp_path: Path) -> None:
    results = run(write_suite(tmp_path, "measure: {reference_language: ru}\n", en_GB="ab\ncd\n", ru="аб\nвгд\n"))
    row = results.row("en_GB", "bytes", "premium")
    assert row is not None
    assert row.value == 0.4
    assert results.suite.reference_language == "ru"


def test_en_means_any_english_where_nothing_is_just_en(tmp_path: Path) -> None:
    results = run(write_suite(tmp_path, en_GB="ab\ncd\n", ru="аб\nвгд\n"))
    row = results.row("ru", "bytes", "premium")
    assert row is not None
    assert row.value == 2.5


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ({"de": "ab\nc\n", "ru": "аб\nв\n"}, "nothing in en"),
        ({"en_GB": "ab\nc\n", "en_US": "ab\nc\n"}, "several corpora in en"),
        ({"en": "ab\nc\n"}, "no other corpus"),
        ({"en": "ab\n", "ru": "аб\n"}, "only one line"),
        ({"en": "ab\nc\n", "und": "аб\nв\n"}, "und doesn't say its language"),
    ],
)
def test_undefined_says_why(tmp_path: Path, texts: dict[str, str], reason: str) -> None:
    results = run(write_suite(tmp_path, **texts))
    row, gini_row = (results.row(next(iter(texts)), "bytes", metric) for metric in ("premium", "gini_premium"))
    assert row is not None
    assert reason in (row.undefined_reason or "")
    assert gini_row is not None
    assert gini_row.undefined_reason == row.undefined_reason
    assert f"undefined, {row.undefined_reason}" in render(results).replace("\\", "")


def test_a_language_twice_leaves_both_undefined(tmp_path: Path) -> None:
    suite = write_suite(tmp_path, en="ab\ncd\n", ru="аб\nвг\n", de="ef\ngh\n")
    text = (tmp_path / "suite.yaml").read_text(encoding="utf-8").replace("language: de", "language: ru")
    (tmp_path / "suite.yaml").write_text(text, encoding="utf-8")
    results = run(load_suite(tmp_path / suite.source.rpartition("/")[2]))
    reasons = {r.undefined_reason for r in results.rows if r.metric in ("premium", "gini_premium")}
    assert reasons == {"the group g has several corpora in ru: ru and de"}


def test_parallel_text_files_are_lines_unless_they_say_otherwise(tmp_path: Path) -> None:
    suite = write_suite(tmp_path, en="a\nb\nc\n", de="a\nb\n")
    path = tmp_path / "suite.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(", document: line", ""), encoding="utf-8")
    with pytest.raises(UserError, match="en has 3, de has 2"):
        run(load_suite(path))
    path.write_text(text.replace("document: line", "document: file"), encoding="utf-8")
    with pytest.raises(UserError, match="write document: line"):
        load_suite(path)
    assert suite.corpora["en"].document == "line"


def _published(folder: Path, language: str = "en", **texts: str) -> Results:
    """Under gpt2, against ``language``."""
    write_suite(folder, f"measure: {{reference_language: {language}}}\n", **texts)
    path = folder / "suite.yaml"
    text = path.read_text(encoding="utf-8").replace("tokenizers:\n", "tokenizers:\n  - {name: gpt2, tiktoken: gpt2}\n")
    path.write_text(text, encoding="utf-8")
    return run(load_suite(path))


def _dearest(results: Results) -> tuple[str, str]:
    """The verdict's, if there were a table besides, and the section's."""
    apart = replace(results, corpora=(*results.corpora, replace(results.corpora[0], name="x", parallel=None)))
    said = sentence(apart).split(", is ")[1].split("; the ")[0]
    (line,) = [line for line in languages.section(results).splitlines() if ": dearest" in line]
    return said, line.split(": dearest ")[1].split("; Gini")[0]


@pytest.mark.parametrize(
    ("language", "said", "shown"),
    [
        ("en", "en with `gpt2` (1.00", "en 1.00, fr 0.67 and de 0.33"),
        ("fr", "en with `gpt2` (1.50", "en 1.50, fr 1.00 and de 0.50"),
    ],
)
def test_the_reference_language_is_the_dearest_where_it_is(
    tmp_path: Path, language: str, said: str, shown: str
) -> None:
    texts = {"en": "hello hello hello\n" * 3, "de": "hello\n" * 3, "fr": "hello hello\n" * 3}
    found = _dearest(_published(tmp_path, language, **texts))
    assert found[0].startswith(f"{said}, Gini ")
    assert found[1].startswith(shown)


def test_what_cannot_be_told_from_parity_is_not_the_dearest_without_a_doubt(tmp_path: Path) -> None:
    words = [3 + n % 5 for n in range(40)]
    near = [n + (-1, 0, 1)[k % 3] for k, n in enumerate(words)]
    english, german, french = ("\n".join("hello " * n for n in some) for some in (words, near, [2 * n for n in words]))
    results = _published(tmp_path, en=english, de=german, fr=french)
    assert _dearest(results)[0].startswith("fr with `gpt2` (")
    assert "not separable" not in sentence(results)
    row = results.row("de", "gpt2", "premium")
    assert row is not None
    assert row.low is not None
    assert row.high is not None
    assert row.low < 1 < row.high
    for value, first, other in ((1.01, "de with `gpt2` (1.01", "en"), (0.99, "en with `gpt2` (1.00", "de")):
        rows = tuple(replace(one, value=value) if one is row else one for one in results.rows)
        two = replace(results, rows=rows, corpora=tuple(c for c in results.corpora if c.name != "fr"))
        said, shown = _dearest(two)
        assert said.startswith(f"{first}, not separable from {other}")
        assert f"de {value:.2f} ({row.low:.2f}–{row.high:.2f}) ≈" in shown
        assert "en 1.00 ≈" not in shown
        assert "≈: not separable from en, by its interval." in languages.section(two)


def test_the_same_in_both_languages_is_not_dearer(tmp_path: Path) -> None:
    said, shown = _dearest(_published(tmp_path, en="hello there\n" * 9, de="hello there\n" * 9))
    assert said.startswith("de with `gpt2` (1.00, not separable from en")
    assert shown.startswith("de 1.00 ≈ and en 1.00")


def test_text_that_is_not_parallel_has_no_premium() -> None:
    for name in ("premium", "gini_premium"):
        outcome = get_metric(name).compute(example())
        assert isinstance(outcome, Undefined)
        assert "line-aligned" in outcome.reason


# ── the report ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_languages_have_a_section_and_leave_the_other_tables_alone() -> None:
    corpora = "  l: {builtin: parallel}\n  web: {builtin: web}\n"
    published = "  - {name: gpt2, tiktoken: gpt2}\n  - {name: cl100k, tiktoken: cl100k_base}\n"
    results = run(parse_suite(f"{HEAD}corpora:\n{corpora}tokenizers:\n{published}"))
    report = render(results)
    sections = dict(part.split("\n", 1) for part in report.split("\n## ")[1:])
    assert "l-th" not in sections["Bytes per token"]
    assert "l-th" not in sections["Verdict"]
    assert "in times the tokens of en, is " in sections["Verdict"]
    assert "th with `gpt2` (6.96, Gini " in sections["Verdict"]
    assert "the 18 line-aligned corpora of l stand in the section [Languages](#languages) only." in sections["Verdict"]
    several = [replace(t, name=f"{t.name}{n}") for n in range(2) for t in results.tokenizers]
    rows = [replace(row, tokenizer=f"{row.tokenizer}{n}") for n in range(2) for row in results.rows]
    many = replace(results, tokenizers=tuple(several), rows=tuple(rows))
    assert ", the least and the most of 4 tokenizers; the 18" in sentence(many)
    unmeasured = replace(results, rows=tuple(row for row in results.rows if row.metric != "premium"))
    assert "(`premium`) was not measured, so that the 18" in sentence(unmeasured)
    assert sentence(replace(results, corpora=tuple(c for c in results.corpora if c.parallel))) == ""
    assert sections["Languages"].count("\n| ") == 2 * (2 + 18 + 1)
    assert "`gpt2`: dearest th 6.96" in sections["Languages"]
    assert "‡" not in sections["Languages"]
    twelve = replace(results, corpora=tuple(replace(c, documents=12) for c in results.corpora))
    assert "Group l, 12‡ lines" in languages.section(twelve)
    assert "\n\n‡ 8 to 59 documents" in languages.section(twelve)
    english = results.row("l-en", "gpt2", "premium")
    thai = results.row("l-th", "gpt2", "premium")
    assert english is not None
    assert (english.value, english.low) == (1.0, None)  # the same in every line
    assert thai is not None
    assert thai.low is not None
    assert thai.high is not None
    assert thai.value is not None
    assert thai.low < thai.value < thai.high
    assert {c.parallel for c in results.corpora} == {"l", None}


def test_what_leaves_the_languages_out_says_so_and_their_group_has_a_line_of_its_own() -> None:
    corpora = "".join(f"  l-{of}: {{builtin: parallel, language: {of}, parallel: l}}\n" for of in ("en", "fr", "th"))
    published = "".join(f"  - {{name: {n}, tiktoken: {t}}}\n" for n, t in (("old", "gpt2"), ("new", "o200k_base")))
    published += "  - {name: middle, tiktoken: cl100k_base}\n"
    others = "  web: {builtin: web}\n  stories: {builtin: stories}\n"
    results = run(parse_suite(f"{HEAD}corpora:\n{corpora}{others}tokenizers:\n{published}"))
    verdict = render(results).split("## Verdict\n")[1].split("\n## ")[0]
    assert "- Over all 2 corpora outside the group l, each counting alike, `" in verdict
    assert "- `new` packs the most text into a token on every corpus outside the group l.\n" in verdict
    tokens = {(r.corpus, r.tokenizer): int(r.value or 0) for r in results.rows if r.metric == "tokens"}
    assert tokens["l-en", "old"] < tokens["l-en", "new"]  # so that without these words the sentence would be false
    sums = {name: sum(tokens[f"l-{of}", name] for of in ("en", "fr", "th")) for name in ("old", "new", "middle")}
    more = (sums["middle"] / sums["new"] - 1) * 100
    assert (
        f"- On the 3 line-aligned corpora of l together `new` needs the fewest tokens ({sums['new']:,}; `middle` "
        f"{more:.1f} % more); of each by itself, it is `new` on l-fr and l-th and `old` on l-en. The lead is not "
        "separable from chance on l-en.\n"
    ) in verdict
    alone = replace(results, corpora=tuple(c for c in results.corpora if c.parallel))
    assert "outside the group" not in render(alone)


def test_premiums_stand_beside_the_tokens() -> None:
    corpora = "".join(f"  l-{of}: {{builtin: parallel, language: {of}, parallel: l}}\n" for of in ("en", "fr", "zh"))
    published = "  - {name: gpt2, tiktoken: gpt2}\n  - {name: cl100k, tiktoken: cl100k_base}\n"
    results = run(
        parse_suite(f"{HEAD}corpora:\n{corpora}tokenizers:\n{published}  - {{name: bytes, baseline: bytes}}\n")
    )
    text = languages.section(results).split("A premium is against the tokenizer's own tokens of en")[1]
    rows = {line.split("|")[1].strip(): [c.strip() for c in line.split("|")[3:-1]] for line in text.splitlines()[4:8]}
    tokens = {(r.corpus, r.tokenizer): int(r.value or 0) for r in results.rows if r.metric == "tokens"}
    for of in ("en", "fr", "zh"):
        found = [tokens[f"l-{of}", name] for name in ("gpt2", "cl100k", "bytes")]
        least = min(found[:2])
        assert rows[of] == [f"**{n:,}**" if n == least else f"{n:,}" for n in found]
    sums = [sum(tokens[f"l-{of}", name] for of in ("en", "fr", "zh")) for name in ("gpt2", "cl100k", "bytes")]
    assert rows["all"] == [f"{sums[0]:,}", f"**{sums[1]:,}**", f"{sums[2]:,}"]
    unmeasured = replace(results, rows=tuple(row for row in results.rows if row.metric != "tokens"))
    assert "own tokens of" not in languages.section(unmeasured)


@pytest.mark.parametrize("lost", ["l-fr", "l-en"])
def test_who_loses_text_is_marked_and_not_praised(lost: str) -> None:
    corpora = "".join(f"  l-{of}: {{builtin: parallel, language: {of}, parallel: l}}\n" for of in ("en", "fr", "th"))
    corpora += "  web: {builtin: web}\n"
    published = "  - {name: gpt2, tiktoken: gpt2}\n  - {name: cl100k, tiktoken: cl100k_base}\n"
    results = run(parse_suite(f"{HEAD}corpora:\n{corpora}tokenizers:\n{published}"))
    assert LOSSY not in languages.section(results)

    def lossy(row: Row) -> Row:
        key = (row.corpus, row.tokenizer, row.metric)
        return replace(row, value=0.5) if key == (lost, "cl100k", "unk_rate") else row

    found = replace(results, rows=tuple(map(lossy, results.rows)))
    said, shown = sentence(found), languages.section(found)
    assert "with `cl100k`" not in said
    assert "left out: `cl100k`, which loses text there." in said
    assert "- `cl100k`: loses text of 1 of the 3, so that none is called dearest." in shown
    premiums, tokens = (
        {line.split("|")[1].strip(): line.count(LOSSY) for line in part.splitlines() if line.startswith("| ")}
        for part in shown.split("A premium is against")
    )
    assert {key for key, n in tokens.items() if n} == {lost.removeprefix("l-"), "all"}
    of_reference = lost == "l-en"
    assert premiums == {"language": 0, ":-------": 0, "th": of_reference, "fr": 1, "en": of_reference, "Gini": 1}
    assert [row.tokenizer for row in candidates(found, "l-th", "premium")] == ["cl100k", "gpt2"][of_reference:]
    assert [row.tokenizer for row in candidates(found, "l-th", "gini_premium")] == ["gpt2"]
    assert len(candidates(found, "l-th", "bytes_per_token")) == 2


# ── Gini ────────────────────────────────────────────────────────────────────────────────────────────────────


def naive_gini(values: list[int]) -> float:
    total = sum(values)
    pairs = sum(abs(one - other) for one in values for other in values)
    return pairs / (2 * len(values) * total) if total else 0.0


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=12))
def test_gini_is_the_mean_absolute_difference(values: list[int]) -> None:
    found = float(gini(np.array([values], dtype=np.float64))[0])
    assert found == pytest.approx(naive_gini(values), abs=1e-12)
    assert -1e-12 <= found <= 1 - 1 / len(values) + 1e-12


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(st.tuples(*[st.integers(1, 50)] * 3), min_size=2, max_size=20))
def test_both_metrics_equal_the_naive_ones(lines: list[tuple[int, int, int]]) -> None:
    own, german, english = (list(column) for column in zip(*lines, strict=True))
    cell = example(
        bytes=own, tokens=own, unknown=own, other_languages={"de": german, "en": english}, reference_language="en"
    )
    premium = get_metric("premium").values(cell)["micro"]
    assert isinstance(premium, Value)
    assert premium.value == pytest.approx(sum(own) / sum(english))
    outcome = get_metric("gini_premium").compute(cell)
    assert isinstance(outcome, Jackknifed)
    assert outcome.value == pytest.approx(naive_gini([sum(own), sum(german), sum(english)]))
    for number in range(len(lines)):
        rest = [lines[place] for place in range(len(lines)) if place != number]
        without = naive_gini([sum(column) for column in zip(*rest, strict=True)])
        assert outcome.left_out[number] == pytest.approx(without)


def test_gini_has_an_interval_from_eight_lines_on() -> None:
    metric = get_metric("gini_premium")

    def cell(lines: int) -> Any:
        own = [4 + n % 3 for n in range(lines)]
        return example(bytes=own, tokens=own, unknown=own, other_languages={"en": [2 + n % 2 for n in range(lines)]})

    (few,) = metric.values(cell(7), 0.95).values()
    (some,) = metric.values(cell(80), 0.95).values()
    assert isinstance(few, Value)
    assert few.low is None
    assert isinstance(some, Value)
    assert some.low is not None
    assert some.high is not None
    assert some.low < some.value < some.high


def test_gini_of_languages_that_cost_alike_has_no_interval_and_no_verdict() -> None:
    """Of 64 lines one differs by a token in each language: below 0 it can't be, and chance alone makes it."""
    lines = [[9 + (n == at) for n in range(64)] for at in range(4)]
    names = dict(zip(("en", "de", "fr"), lines[1:], strict=True))
    cell = example(bytes=lines[0], tokens=lines[0], unknown=lines[0], other_languages=names)
    (found,) = get_metric("gini_premium").values(cell, 0.95).values()
    assert isinstance(found, Value)
    assert (found.low, found.high) == (None, None)
    row = Row("x", "all", "", "", "t", "gini_premium", "micro", 0.01, None, None, "gini", 64, False, "supported", None)
    change = unpaired(row, replace(row, value=0.02))
    assert (change.outcome, NOT_SETTLED in change.reason) == ("not judged", True)
    assert NOT_SETTLED not in unpaired(replace(row, n=5), replace(row, n=5, value=0.02)).reason


def test_no_interval_of_gini_goes_beyond_0_and_1() -> None:
    """One of two languages costs all in one line, and less than a tenth in all others."""
    one, two = [2] * 11 + [90], [9] * 11 + [90]
    outcome = over_languages([np.array(one), np.array(two)])
    assert isinstance(outcome, Jackknifed)
    found = replace(outcome, by_chance=0.0).micro_interval(0.999)
    assert isinstance(found, Interval)
    assert found.low == 0.0
    assert found.high == 1.0


def test_coverage_of_the_gini_interval() -> None:
    """600 draws of 64 lines in 6 languages: the interval holds the population's figure about 95 times in 100."""
    generator = np.random.default_rng(5)
    rates = np.array([1.0, 1.2, 1.5, 2.0, 2.6, 4.0])
    metric = get_metric("gini_premium")
    true = naive_gini([int(rate * 10**6) for rate in rates])
    held = 0
    for _ in range(600):
        lengths = generator.lognormal(2.5, 0.5, 64)[:, None]
        tokens = np.maximum(1, generator.poisson(lengths * rates * generator.gamma(20, 1 / 20, (64, 6))))
        names = ["example", "en", "a", "b", "c", "d"]
        columns = dict(zip(names, tokens.T.tolist(), strict=True))
        own = columns.pop("example")
        (found,) = metric.values(example(bytes=own, tokens=own, unknown=own, other_languages=columns), 0.95).values()
        assert isinstance(found, Value)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= true <= found.high
    assert 0.92 <= held / 600 <= 0.98


def test_a_language_without_tokens_leaves_gini_undefined() -> None:
    cell = example(tokens=[4, 8], other_languages={"en": [0, 0]})
    assert isinstance(get_metric("gini_premium").compute(cell), Undefined)
    changed = replace(cell, parallel=Undefined("no"))
    assert isinstance(get_metric("gini_premium").compute(changed), Undefined)


@pytest.mark.parametrize("other", ["", "  web: {builtin: web}\n"])
def test_metrics_that_are_named_are_shown(other: str) -> None:
    names = "[gini_premium, tokens, tokens_per_word, continued_words]"
    suite = parse_suite(f"{HEAD}corpora:\n  l: {{builtin: parallel}}\n{other}{TAIL}measure: {{metrics: {names}}}\n")
    results = run(suite)
    report = render(results)
    section = report.split("\n## Other figures\n")[1].split("\n## ")[0]
    tables = dict(part.split("`", 1) for part in section.split("\n### `")[1:])
    assert list(tables) == ["gini_premium", "tokens", "tokens_per_word"]  # the others have their section
    gini = results.row("l-ar", "bytes", "gini_premium")
    assert gini is not None
    assert gini.value is not None
    assert f"| {gini.value:.2f} |" in tables["gini_premium"]
    corpus = "web" if other else "l-ar"
    tokens = results.row(corpus, "bytes", "tokens", "sum")
    assert tokens is not None
    assert f"{tokens.value:,}" in tables["tokens"]
    assert "In `results.csv` too" not in report
    first = replace(results, rows=tuple(row for row in results.rows if row.metric == "tokens"))
    assert f"{tokens.value:,}" in terminal_report.summary(first)
    assert f"{tokens.value:,}" in str(terminal_report.grids(first, "tokens", 100))


def test_all_metrics_name_none() -> None:
    results = run(suite_of("  web: {builtin: web}\n", "measure: {metrics: all}\n"))
    assert results.suite.asked_metrics == ()
    assert "## Other figures" not in render(results)
