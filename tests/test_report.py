"""The report: its tables keep their shape whatever a token holds, and a small one stays word for word."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_example import NASTY, results

import tokenizers_impl as ti
from evalkit.cautions import cautions
from evalkit.embedded import embedded_corpora
from evalkit.report.domains import OTHER, PROSE, STRUCTURED, kind
from evalkit.report.figures import band, best, candidates
from evalkit.report.markdown import render
from evalkit.report.table import table
from evalkit.report.text import code, piece, plain, readable
from evalkit.results import Results, Row
from evalkit.seen_text import SeenText

GOLDEN = Path(__file__).parent / "goldens" / "report.md"


def _columns(line: str) -> int:
    """Cells of a table's line as a code host counts them: a pipe after a backslash is no border."""
    return len(re.split(r"(?<!\\)\|", line.strip())) - 2


def _tables(markdown: str) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for line in markdown.splitlines():
        if line.startswith("|"):
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [lines for lines in found if lines]


# ── tables and tokens ───────────────────────────────────────────────────────────────────────────────────────


def test_nasty_tokens_keep_the_columns() -> None:
    shown = table(["token", "times"], [[piece(raw), "1"] for raw in NASTY])
    lines = shown.splitlines()
    assert len(lines) == 2 + len(NASTY)
    assert {_columns(line) for line in lines} == {2}
    assert all(line.isprintable() for line in lines)


def test_every_table_of_a_report_keeps_its_columns() -> None:
    tables = _tables(render(results()))
    assert len(tables) > 10
    for lines in tables:
        assert len({_columns(line) for line in lines}) == 1, lines[0]


def test_columns_are_aligned_in_a_terminal_too() -> None:
    lines = table(["a", "b"], [["中文", "1"], ["x", "1,000"]]).splitlines()
    assert lines == [
        "| a    |     b |",
        "| :--- | ----: |",
        "| 中文 |     1 |",
        "| x    | 1,000 |",
    ]


def test_a_short_row_is_refused() -> None:
    with pytest.raises(ValueError, match="as many cells"):
        table(["a", "b"], [["1"]])


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b" the", "␣the"),
        (b"\n\t\r", r"\n\t\r"),
        (b"\xe4\xb8", r"\xe4\xb8"),
        ("中".encode(), "中"),
        (b"\\n", r"\\n"),  # a backslash and an n are not a line end
        ("\u200d\ufeff\x00".encode(), r"\u{200d}\u{feff}\u{0}"),
        ("\u0301".encode(), "◌\u0301"),
        ("\u2028".encode(), r"\u{2028}"),
        (b"x" * 50, "x" * 39 + "…"),
    ],
)
def test_tokens_are_readable(raw: bytes, shown: str) -> None:
    assert readable(raw) == shown


@pytest.mark.parametrize("text", ["`", "``", "a`b``c", "`x`", "```", ""])
def test_code_spans_end_where_they_should(text: str) -> None:
    span = code(text)
    fence = re.match("`+", span)
    assert fence is not None
    assert fence.group() not in span[len(fence.group()) : -len(fence.group())].split(" ")
    assert span.endswith(fence.group())
    assert text in span


def test_text_from_elsewhere_is_no_markup() -> None:
    assert plain("<img src=x> *a* `b` [c](d) __e__ f_g\nh") == (r"&lt;img src=x> \*a\* \`b\` \[c\](d) \_\_e\_\_ f_g h")


# ── the report ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_report_is_the_golden_one() -> None:
    """Run with EVALKIT_UPDATE_GOLDENS=1 to write it anew, and read the difference."""
    text = render(results())
    if os.environ.get("EVALKIT_UPDATE_GOLDENS"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(text, encoding="utf-8", newline="\n")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_it_opens_with_the_verdict() -> None:
    lines = render(results()).splitlines()
    assert lines[:4] == ["# by-hand", "", "## Verdict", ""]
    assert lines[4].startswith("Fewer tokens for the same text are cheaper; that is no better model")
    assert lines[4].endswith("(evidence that `bytes_per_token` goes with better models: contested).")
    assert lines[6].startswith("- Over all 2 corpora, each counting alike, `published` is nearest to the best of each")
    assert lines[7].startswith("- Whether own tokenizers need fewer tokens than published ones on other documents")
    assert "`small` on stories" in lines[8]


def test_what_is_known_of_models_by_a_metric_stands_with_its_figures() -> None:
    """The fault of before: in the folded list of the method alone."""
    text = render(results())
    assert "code points of the raw text / tokens; special tokens are not added; more is better. Evidence that" in text
    bytes_per_token = next(line for line in text.splitlines() if line.startswith("`bytes_per_token`: "))
    assert bytes_per_token.endswith(" Evidence that it matters: contested.")
    speed = next(line for line in text.splitlines() if line.startswith("`encode_mb_per_s`: "))
    assert "Evidence" not in speed
    rows = tuple(row for row in results().rows if row.metric == "fertility")
    metrics = tuple(m for m in results().metrics if m.name == "fertility")
    assert "Fewer tokens" not in render(replace(results(), rows=rows, metrics=metrics, matches=()))


def test_undefined_is_said_with_its_reason() -> None:
    text = render(results())
    section = text.split("## Fertility")[1].split("\n## ")[0]
    assert "No figures of zh: no dictionary." in section
    assert "| zh" not in section
    rows = tuple(
        replace(row, value=1.5, undefined_reason=None)
        if (row.corpus, row.tokenizer, row.metric) == ("zh", "small", "fertility")
        else row
        for row in results().rows
    )
    some = replace(results(), rows=rows)  # one of three has it: the column stays
    section = render(some).split("## Fertility")[1].split("\n## ")[0]
    assert "undefined (1)" in section
    assert "(1) no dictionary" in section


def test_a_failed_check_is_the_first_thing_said() -> None:
    spoiled = replace(
        results().checks[0],
        passed=False,
        detail="serial and batch differ in document 3 from id 7 on",
        divergence={"document": 3, "at": 7, "left": (1, 2), "right": (3,), "ways": ("serial", "batch")},
    )
    checks = (spoiled, *results().checks[1:])
    found = replace(
        results(),
        checks=checks,
        warnings=cautions(results().corpora, results().tokenizers, results().rows, checks),
    )
    text = render(found)
    assert text.splitlines()[4] == "**Do not use `small`: a check failed.**"
    assert "**FAILED** on stories" in text
    assert "ids `1 2` against `3`" in text
    assert "failed for small on stories" in found.warnings[0]


def _with_rows(change: dict[tuple[str, str, str], float]) -> Results:
    def changed(row: Row) -> Row:
        key = (row.corpus, row.tokenizer, row.metric)
        return replace(row, value=change[key]) if key in change and row.aggregation == "micro" else row

    return replace(results(), rows=tuple(map(changed, results().rows)))


def test_the_lossy_and_baselines_are_never_best() -> None:
    assert best(results(), "stories", "bytes_per_token") == {"small"}
    lossy = _with_rows({("stories", "small", "round_trip_rate"): 0.5})
    assert "small" not in best(lossy, "stories", "bytes_per_token")
    unknown = _with_rows({("stories", "small", "unk_rate"): 0.1})
    assert "small" not in best(unknown, "stories", "bytes_per_token")
    tokenizers = tuple(replace(t, kind="baseline") if t.name == "small" else t for t in results().tokenizers)
    baseline = replace(results(), tokenizers=tokenizers)
    assert [row.tokenizer for row in candidates(baseline, "stories", "bytes_per_token")] == [
        "published",
        "large",
    ]


def test_less_is_better_where_it_is() -> None:
    assert best(results(), "stories", "fertility") == {"small"}
    assert best(results(), "stories", "vocab_utilization") == set()  # neither way is better


def test_bands_are_for_prose_of_their_language() -> None:
    stories, zh = results().corpora
    english = band(stories)
    chinese = band(zh)
    assert english is not None
    assert chinese is not None
    assert [english.reads(v) for v in (3.4, 3.7, 4.2, 5.1)] == [
        "wasteful",
        "between the bands",
        "reasonable",
        "oversized or mismatched",
    ]
    assert [chinese.reads(v) for v in (0.9, 1.1, 1.5)] == [
        "nearly character by character",
        "outside the usual range",
        "normal",
    ]
    assert band(replace(stories, domain="logs")) is None
    assert band(replace(stories, language="de")) is None
    for corpus in (stories, zh):
        for domain in ("csv_numbers", "unspecified", "kitchen"):
            assert band(replace(corpus, domain=domain)) is None


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (
            "csv csv_numbers yaml yaml_config config markdown_tables tables latex latex_math math urls urls_hex hex "
            "numbers xml html toml ini json logs web-logs sql code structured markup hostile JSONL",
            STRUCTURED,
        ),
        (
            "prose english_prose stories tinystories web openwebtext news chinese japanese korean social_emoji chat "
            "sentences Books legal",
            PROSE,
        ),
        ("unspecified kitchen texts", OTHER),
    ],
)
def test_domains_are_known_by_their_parts(names: str, expected: str) -> None:
    assert {name: kind(name) for name in names.split()} == dict.fromkeys(names.split(), expected)


def test_embedded_corpora_are_prose_or_structured() -> None:
    kinds = {c.name: kind(c.domain) for c in embedded_corpora().values()}
    assert OTHER not in kinds.values()
    assert {name for name, of in kinds.items() if of == PROSE} == {"chat", "parallel", "stories", "web", "zh"}


def test_structured_and_unknown_text_is_not_pooled_with_prose() -> None:
    stories, zh = results().corpora
    found = replace(results(), corpora=(replace(stories, domain="csv"), replace(zh, domain="unspecified")))
    sections = dict(part.split("\n", 1) for part in render(found).split("\n## ")[1:])
    assert "structured text (1) | other text (1)" in sections["At a glance"]
    assert "prose (" not in sections["At a glance"]
    for title in ("At a glance", "Code points per token"):
        assert "Whether zh (no domain) is prose isn't known" in sections[title]
        assert "write `domain: prose` or `domain: structured`" in sections[title]
        assert "or another value of `domain:` that says it, such as `domain: news`" in sections[title]
    assert "wasteful" not in sections["Code points per token"]


# ── what holds ──────────────────────────────────────────────────────────────────────────────────────────────


def _judged(**change: Any) -> Results:
    """The example as if its leads had been judged."""
    fields = {"undefined_reason": None, "documents": 40, "p": 0.001, "p_holm": 0.002, "separable": True} | change
    compared = tuple(
        replace(c, **fields, low=(c.ratio or 0) * 0.99, high=(c.ratio or 0) * 1.01) for c in results().comparisons
    )
    corpora = tuple(replace(c, documents=fields["documents"]) for c in results().corpora)
    return replace(results(), comparisons=compared, corpora=corpora)


def test_a_lead_that_holds_has_its_interval() -> None:
    text = render(_judged())
    assert "6.2 % fewer tokens than `published` (5.3–7.2 %)" in text
    assert "+6.7 % (5.6–7.7) |" in text
    assert "In brackets: 95 % intervals of the difference on the same documents, not adjusted" in text
    assert "not separable from chance" not in text
    assert re.search(r"\| +stories‡ \|", text)
    assert "‡ 8 to 59 documents" in text
    assert "- **stories‡**: `small`" in text
    # after the verdict, own tokenizers against published ones, the differences and the regret
    assert text.count("‡ 8 to 59 documents") == 4
    assert re.search(r"\| +on stories‡ \|", text)
    assert "‡" not in render(_judged(documents=60))


def test_what_would_be_found_is_of_named_pairs_with_the_best() -> None:
    """The least and the largest of those in the table, not a middle nor those of other pairs."""

    def said(detectable: dict[tuple[str, str], float]) -> str:
        compared = tuple(
            replace(c, detectable=detectable.get((c.first, c.second))) if c.corpus == "stories" else c
            for c in _judged().comparisons
        )
        lines = render(replace(_judged(), comparisons=compared)).splitlines()
        return next(line for line in lines if line.startswith("- **stories** (40"))

    text = said({("small", "large"): 0.0023, ("small", "published"): 0.042, ("large", "published"): 0.9})
    assert "four times out of five is a difference from `small` of 0.23 % for `large` to 4.2 % for `published`." in text
    text = said({("small", "large"): 0.5, ("small", "published"): 0.042})
    assert "of 4.2 % for `published` to 50.0 % for `large`." in text
    assert "a difference from `small` of 50.0 % for `large`." in said({("small", "large"): 0.5})
    assert "four times" not in said({})


def test_a_lead_that_does_not_hold_is_none() -> None:
    text = render(_judged(separable=False, p=0.4, p_holm=1.0))
    assert "fewer tokens than `published` (5.3–7.2 %): not separable from it among 3 pairs, nor from `large`" in text
    assert "The lead is not separable from chance on stories and zh." in text
    assert "+6.7 % (5.6–7.7) ≈ |" in text
    assert "than `published` (−1.00 to 1.00 %): not separable from it among 3 pairs, nor from `small`" in text
    assert text.count("over all pairs of a corpus (3 here; the more pairs, the clearer a difference has to be)") == 1
    assert "all pairs of tokenizers on that corpus (3 here;" in text


def test_the_best_of_resamples_is_no_test_where_the_lead_is_not_separable() -> None:
    """The fault of before: "the best in 100.0 %" beside ≈ without a word."""

    def said(found: Results) -> str:
        return next(line for line in render(found).splitlines() if "the best in resampled documents is" in line)

    unsure = said(_judged(separable=False, p=0.03, p_holm=0.09))
    assert "`published` in 10.0 % (no test, and not adjusted for the 3 pairs as the verdict is)" in unsure
    assert "no test" not in said(_judged())
    assert "no test" not in said(_judged(separable=None))


def test_identical_is_said() -> None:
    same = tuple(replace(c, ratio=1.0, identical=True, separable=False) for c in results().comparisons)
    text = render(replace(results(), comparisons=same))
    assert "as many tokens as `published` in every document" in text
    assert "nan" not in text


def test_results_without_comparisons_are_reported() -> None:
    text = render(replace(results(), comparisons=(), ranks=()))
    assert "6.2 % fewer tokens than `published`." in text
    assert "## Which differences hold" not in text


def test_intervals_have_a_table_of_their_own() -> None:
    rows = tuple(
        replace(r, low=(r.value or 0) * 0.9, high=(r.value or 0) * 1.1) if r.metric == "bytes_per_token" else r
        for r in results().rows
        if r.value is not None
    )
    text = render(replace(results(), rows=rows))
    assert "95 % intervals of these figures" in text
    assert "| 3.60–4.40 | 1.20–1.47 |" in text


# ── cautions ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        "Small corpora: stories (2 documents, 60 B), zh (2 documents, 60 B)",
        "small on stories; large on zh",
        "Training stopped early for large (400 of 900)",
        "Vocabulary sizes are not matched: from 300 (small) to 1,000 (published)",
        "Undefined: fertility for small, large, published: no dictionary",
        "special token: stories (1), zh (1)",
    ],
)
def test_what_to_beware_of(text: str) -> None:
    assert any(text in line for line in results().warnings)


def test_a_rung_that_was_not_reached_is_told_once() -> None:
    """That of a ladder whose training stopped early, which has a line of its own."""
    assert any(row.tokenizer == "large@900" and row.undefined_reason for row in results().rows)
    assert not any("large@900" in line for line in results().warnings)


def test_min_frequency_is_no_advice_to_who_has_it() -> None:
    """As training says it when it has made every pair, with ``min_frequency: 1``."""
    trained = ti.train("low lower lowest", "gpt2", 400, min_frequency=1)
    assert trained.training is not None
    done = tuple(
        replace(t, name="all", stopped=trained.training.stopped) if t.name == "large" else t
        for t in results().tokenizers
    )
    (said,) = [line for line in cautions((), done, (), ()) if "stopped early" in line]
    assert said.startswith("Training stopped early for all (400 of 900): no pair is left,")
    assert "min_frequency" not in said
    assert "frequent enough" not in said
    both = [line for line in cautions((), (*done, *results().tokenizers), (), ()) if "stopped early" in line]
    assert [line.partition(":")[0].rpartition(" for ")[2] for line in both] == [
        "large (400 of 900)",
        "all (400 of 900)",
    ]


def test_one_document_is_said_as_one() -> None:
    found = results()
    corpora = (replace(found.corpora[0], documents=1), *found.corpora[1:])
    seen = SeenText("stories", "owt", ("small",), documents=1, of_documents=1, bytes=5, of_bytes=10)
    lines = " ".join(cautions(corpora, found.tokenizers, found.rows, found.checks, (seen,)))
    assert "Small corpora: stories (1 document, 60 B), zh (2 documents" in lines
    assert "1 of 1 document of stories (50.0 % of its bytes) stands word for word in" in lines


def test_loss_partial_checks_and_twins_are_said() -> None:
    found = _with_rows({("stories", "small", "round_trip_rate"): 0.5})
    checks = (replace(results().checks[0], bytes=15), *results().checks[1:])
    twins = tuple(replace(t, fingerprint="same") for t in results().tokenizers)
    lines = " ".join(cautions(found.corpora, twins, found.rows, checks))
    assert "small loses text on stories" in lines
    assert "25.0 % of stories" in lines
    assert "(equal fingerprints): small, large, published" in lines


@pytest.mark.parametrize(
    ("segmenter", "language", "expected"),
    [
        ("jieba 0.42.1", "de", "cut by jieba"),
        ("jieba 0.42.1", "und", "cut by jieba"),
        ("jieba 0.42.1", "zh-Hant", ""),
        ("whitespace", "ja", "cut at blanks"),
        ("whitespace", "zh", "cut at blanks"),
        ("whitespace", "th", "cut at blanks"),
        ("whitespace", "en", ""),
    ],
)
def test_words_by_a_segmenter_for_other_languages_are_a_caution(segmenter: str, language: str, expected: str) -> None:
    corpora = [replace(results().corpora[0], segmenter=segmenter, language=language, words=10)]
    found = [line for line in cautions(corpora, (), (), ()) if "The words of" in line]
    assert [expected in line for line in found] == ([True] if expected else [])
