"""The marks of few documents and of text that was trained on, in ``evalkit compare`` as in reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from report_example import results as few_results

from evalkit.changes import Change
from evalkit.compare import Differences
from evalkit.fair_records import SeenRecord
from evalkit.pair_verdicts import VerdictChange
from evalkit.paired import Side
from evalkit.report import seen
from evalkit.report.compared import answers, markdown, notes, rows, verdict_rows
from evalkit.report.few import FEW
from evalkit.report.seen import MARK
from evalkit.results import ComparisonRecord, Results

CORPORA = {"web": ("en", None), "lines-en": ("en", "lines"), "lines-de": ("de", "lines")}


def _results(saw: Sequence[str] = (), *, documents: int = 12) -> Results:
    like = few_results()
    return replace(
        like,
        corpora=tuple(
            replace(like.corpora[0], name=name, documents=documents, language=language, parallel=group)
            for name, (language, group) in CORPORA.items()
        ),
        seen=tuple(SeenRecord(name, "text", ("small",), 1, 12, 50, 100, ()) for name in saw),
    )


def _change(corpus: str, metric: str = "bytes_per_token", low: float | None = 0.01) -> Change:
    return Change(
        corpus, "small", metric, "x", 1.0, 1.1, True, True, 0.1, low, None if low is None else 0.2, paired=True,
        separable=True,
    )  # fmt: skip


def _found(
    changes: Sequence[Change], first: Results, second: Results, verdicts: Sequence[VerdictChange] = ()
) -> Differences:
    return Differences(Side("A", first, {}), Side("B", second, {}), tuple(changes), (), (), (), tuple(verdicts))


def test_intervals_over_few_documents_are_marked_and_explained() -> None:
    """The fault of before: the mark stood in reports alone, and compare gave such intervals without a word."""
    changes = [_change("web")]
    found = _found(changes, _results(), _results())
    assert rows(found, changes)[0][0] == f"web{FEW}"
    assert answers(found)[0][2].startswith(f"bytes_per_token on web{FEW} 1.00 → 1.10")
    assert notes(found)[-1].startswith(f"{FEW} 8 to 59 documents")
    assert f"| web{FEW}" in markdown(found)


@pytest.mark.parametrize(("documents", "low"), [(60, 0.01), (12, None)])
def test_others_are_not(documents: int, low: float | None) -> None:
    found = _found([_change("web", low=low)], _results(documents=documents), _results(documents=documents))
    assert FEW not in markdown(found)
    assert MARK not in markdown(found)


def test_figures_on_text_that_was_trained_on_are_marked_on_the_side_that_saw_it() -> None:
    changes = [_change("web")]
    found = _found(changes, _results(), _results(["web"]))
    assert rows(found, changes)[0][3:5] == ["1.00", f"1.10{MARK}"]
    assert f"1.00 → 1.10{MARK}, +10.0 %" in answers(found)[0][2]
    assert notes(found)[-1] == f"{seen.FLATTERS}: see Beware in that side's report."
    found = _found(changes, _results(["web"]), _results(["lines-en"]))
    assert rows(found, changes)[0][3:5] == [f"1.00{MARK}", "1.10"]


@pytest.mark.parametrize(
    ("corpus", "metric", "saw", "marked"),
    [
        ("lines-de", "premium", "lines-en", True),  # what it is against
        ("lines-de", "premium", "web", False),
        ("lines-de", "bytes_per_token", "lines-en", False),
        ("lines", "gini_premium", "lines-de", True),
        ("lines", "gini_premium", "web", False),
    ],
)
def test_figures_over_languages_are_of_several_corpora(corpus: str, metric: str, saw: str, marked: bool) -> None:
    changes = [_change(corpus, metric)]
    found = _found(changes, _results([saw]), _results([saw]))
    (row,) = rows(found, changes)
    assert row[0] == f"{corpus}{FEW}"
    assert [figure.endswith(MARK) for figure in row[3:5]] == [marked, marked]


def test_verdicts_between_tokenizers_have_the_marks_too() -> None:
    before = ComparisonRecord("web", "large", "small", 12, 0.9, 0.8, 0.95, 0.01, 0.01, True, False, None, None)
    turned = VerdictChange(before, replace(before, separable=False), (1, 2))
    found = _found([], _results(["web"]), _results(), [turned])
    assert verdict_rows(found) == [
        [f"web{FEW}", "large", "small", f"−10.0 %{MARK}, separable (1 pair)", "−10.0 %, not separable (2 pairs)"]
    ]
    said = " ".join(notes(found))
    assert FEW in said
    assert MARK in said
