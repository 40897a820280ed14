"""Figures that are against something else (words by another segmenter, another reference, another language) are not
compared, by ``evalkit compare`` and by the gate."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from report_example import results as few_results

from evalkit.bases import OWN, Basis, against, bases
from evalkit.compare import Differences, Side, compare
from evalkit.counts import CorpusCounts, WordTypes
from evalkit.gate.baseline import baseline_of, read_baseline, write_baseline
from evalkit.gate.baseline import compare as compare_baselines
from evalkit.metrics import METRICS, Cell
from evalkit.metrics.example import example
from evalkit.metrics.registry import ints
from evalkit.mismatch import Trained
from evalkit.report.compared import markdown
from evalkit.results import CorpusRecord, MetricRecord, Results
from evalkit.rows import match_records, metric_records, rows
from evalkit.values import Undefined

OF_WORDS = {"fertility", "tokens_per_word", "continued_words", "strr_tokens", "strr_types", "context_consistency"}
NAMES = ("a", "b")
HOMES = {"a": "prose", "b": "lines-de"}
LANGUAGES = {"lines-en": "en", "lines-de": "de"}
DEFINED = (*sorted(OF_WORDS), "bytes_per_token", "tokens", "normalized_length", "regret", "premium", "gini_premium")
TYPES = WordTypes(4, 2, 3, np.array([[3, 4, 1]]))


def _corpus(name: str, more: int) -> CorpusCounts:
    """``more`` tokens in a document of tokenizers that aren't at home there."""
    cell = example(bytes=[20, 30], words=[4, 6], types=TYPES)
    counted = {
        tokenizer: replace(cell.tokenizer, name=tokenizer, tokens=ints(9 + k + more * (HOMES[tokenizer] != name), 14))
        for k, tokenizer in enumerate(NAMES)
    }
    return replace(
        cell.corpus,
        name=name,
        language=LANGUAGES.get(name, "en"),
        sha256=name * 3,
        parallel="lines" if name in LANGUAGES else None,
        tokenizers=counted,
    )


def _results(more: int = 0, language: str = "en") -> Results:
    corpora = tuple(_corpus(name, more) for name in ("prose", *LANGUAGES))
    metrics = [METRICS[name] for name in DEFINED]
    known = {name: Trained(name, "gpt2", 300, (home,)) for name, home in HOMES.items()}
    like = few_results()
    return replace(
        like,
        suite=replace(like.suite, reference="b", reference_language=language),
        tokenizers=tuple(replace(like.tokenizers[0], name=name, aliases=(), fingerprint=name * 64) for name in NAMES),
        corpora=tuple(
            CorpusRecord(
                c.name, "all", "prose", c.language, 2, 50, 50, 10, None, c.segmenter, c.sha256, 0, (), c.parallel,
                c.documents_sha256,
            )
            for c in corpora
        ),
        rows=tuple(rows(corpora, metrics, known, "b", {}, language=language)),
        metrics=metric_records(metrics),
        matches=tuple(match_records(corpora, known)),
        comparisons=(),
        ranks=(),
        differences=(),
        overlaps=(),
        counts=corpora,
    )  # fmt: skip


def _compare(one: Results, two: Results) -> Differences:
    return compare(Side("A", one, {}), Side("B", two, {}))


def _held(found: Differences) -> set[str]:
    return {change.metric for change in found.changes} | {metric for _, _, metric in found.alike}


def _other_segmenter(results: Results) -> Results:
    return replace(results, corpora=tuple(replace(c, segmenter="another 2.0") for c in results.corpora))


def _other_reference(results: Results) -> Results:
    return replace(results, suite=replace(results.suite, reference="a"))


def _retrained_reference(results: Results) -> Results:
    known = (replace(t, fingerprint="c" * 64) if t.name == "b" else t for t in results.tokenizers)
    return replace(results, tokenizers=tuple(known))


def _other_language(results: Results) -> Results:
    return replace(results, suite=replace(results.suite, reference_language="de"))


def _one_more_language(results: Results) -> Results:
    more = replace(results.corpora[-1], name="lines-fr", language="fr", sha256="f" * 64)
    return replace(results, corpora=(*results.corpora, more))


def _other_home(results: Results) -> Results:
    return replace(results, matches=tuple(replace(m, size=200) for m in results.matches))


OTHERS = [
    (_other_segmenter, OF_WORDS, "on prose, lines-en and lines-de: the segmenter is another, hand count on one side"),
    (_other_reference, {"normalized_length"}, "the reference is b on one side and a on the other"),
    (_retrained_reference, {"normalized_length"}, "the reference b is another tokenizer on the other side"),
    (_other_language, {"premium"}, "premiums are against en on one side and de on the other"),
    (_one_more_language, {"gini_premium"}, "its group are others, 2 corpora on one side and 3 corpora on the other"),
    (_other_home, {"regret"}, "the tokenizer trained there is another, or the size that both are cut to"),
]


GATED = [
    (_other_segmenter, OF_WORDS, "the segmenter was hand count and is another 2.0: "),
    (_other_reference, {"normalized_length"}, "the reference was b and is a: "),
    (_retrained_reference, {"normalized_length"}, "the reference b is another: "),
    (_other_language, {"premium"}, "the language that premiums are against was en and is de: "),
    (_one_more_language, {"gini_premium"}, "the group of languages was 2 corpora and is 3 corpora: "),
    (_other_home, {"regret"}, "at 300 entries and is "),
]


@pytest.mark.parametrize(("change", "metrics", "said"), OTHERS)
@pytest.mark.parametrize("more", [0, 1])
def test_what_is_against_something_else_is_left_out_and_said(
    more: int, change: Callable[[Results], Results], metrics: set[str], said: str
) -> None:
    """The fault of before: by the unit, so that shares of words were judged under two segmenters while the note said
    that they were left out; and no language was looked at."""
    found = _compare(_results(), change(_results(more)))
    held = set(DEFINED) - _held(found)
    if metrics == {"regret"}:  # of a tokenizer at home it is 0 by definition, against whomever
        assert {(c, t) for c, t, metric in found.alike if metric == "regret"} == {("prose", "a"), ("lines-de", "b")}
        held = metrics - {c.metric for c in found.changes}
    assert held == metrics
    (note,) = (note for note in found.notes if "left out" in note)
    assert said in note
    assert all(metric in note for metric in metrics)


def test_nothing_is_left_out_where_all_is_the_same() -> None:
    found = _compare(_results(), _results(1))
    assert _held(found) == set(DEFINED)
    assert not any("left out" in note for note in found.notes)
    unknown = tuple(replace(t, fingerprint=None) for t in _results().tokenizers)
    assert "normalized_length" in _held(_compare(_results(), replace(_results(1), tokenizers=unknown)))


def test_a_figure_of_a_group_counts_once() -> None:
    """The fault of before: once for each corpus of the group, in the list, the counts and the notes."""
    found = _compare(_results(), _results(1))
    (change,) = (c for c in found.changes if c.metric == "gini_premium")
    assert (change.corpus, change.tokenizer) == ("lines", "b")
    assert [key for key in found.alike if key[2] == "gini_premium"] == [("lines", "a", "gini_premium")]
    same = _compare(_results(), _results())
    assert [key for key in same.alike if key[2] == "gini_premium"] == [("lines", t, "gini_premium") for t in NAMES]
    lost = tuple(
        replace(row, value=None, low=None, high=None, undefined_reason="lost") if row.metric == "gini_premium" else row
        for row in _results().rows
    )
    notes = _compare(_results(), replace(_results(), rows=lost)).notes
    assert notes[:-1] == tuple(f"gini_premium of {name} on lines is undefined on one side: lost." for name in NAMES)


def test_a_length_against_another_reference_is_no_change_of_the_tokenizer() -> None:
    """The fault of before: a tokenizer that was equal everywhere was "worse" where the reference had got better."""
    better = _results()
    corpora = tuple(
        replace(c, tokenizers=c.tokenizers | {"b": replace(c.tokenizers["b"], tokens=c.tokenizers["b"].tokens - 3)})
        for c in better.counts
    )
    metrics = [METRICS[name] for name in DEFINED]
    table = tuple(rows(corpora, metrics, {}, "b", {}))
    found = _compare(_results(), _retrained_reference(replace(better, rows=table)))
    assert {c.tokenizer for c in found.changes} == {"b"}
    text = markdown(found)
    assert text.count("normalized_length") == 1
    assert "- normalized_length is left out" in text


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if not metric.timing])
def test_every_metric_says_what_it_is_against(name: str) -> None:
    """By taking it away: what has no figure without it is against it."""
    gone = Undefined("taken away")
    whole = example(
        types=TYPES,
        reference_tokens=[3, 4],
        ideal_tokens=[2, 5],
        other_languages={"en": [2, 4]},
        reference_language="en",
    )
    without: dict[str, Cell] = {
        "segmenter": replace(
            whole, corpus=replace(whole.corpus, words=gone), tokenizer=replace(whole.tokenizer, types=gone)
        ),
        "reference": replace(whole, reference=gone),
        "home": replace(whole, matched=gone),
        "parallel": replace(whole, parallel=gone),
    }
    compute = METRICS[name].compute
    needed = {key for key, cell in without.items() if compute(cell) == gone and compute(whole) != gone}
    said = {"parallel" if kind in ("reference_language", "group") else kind for kind in against(name)}
    assert said == needed


def test_metrics_of_ones_own_may_be_against_words_and_the_reference() -> None:
    assert against("somebody's") == OWN
    own = MetricRecord("vowels", "vowels", None, "…", "none", "", 1, False, source="python: own:vowels")

    def with_own(results: Results) -> Results:
        some = (replace(r, metric="vowels") for r in results.rows if r.metric == "bytes_per_token")
        return replace(results, metrics=(*results.metrics, own), rows=(*results.rows, *some))

    one, two = with_own(_results()), with_own(_results(1))
    assert "vowels" in _held(_compare(one, two))
    assert "vowels" in _held(_compare(one, _other_language(two)))
    assert "vowels" not in _held(_compare(one, _other_segmenter(two)))
    assert "vowels" not in _held(_compare(one, _other_reference(two)))


def test_bases_are_those_that_there_are() -> None:
    found = bases(_results())
    assert set(found["a"]["lines-de"]) == {"segmenter", "reference", "reference_language", "group", "home"}
    assert set(found["a"]["prose"]) == {"segmenter", "reference"}


def test_a_reference_is_known_by_its_other_names() -> None:
    results = _results()
    known = tuple(replace(t, aliases=(f"{t.name}@300",)) for t in results.tokenizers)
    named = replace(results, suite=replace(results.suite, reference="b@300"), tokenizers=known)
    assert bases(named)["a"]["prose"]["reference"] == Basis("b@300", "b" * 64)


@pytest.mark.parametrize(("change", "metrics", "said"), GATED)
def test_a_gate_calls_what_is_against_something_else_incomparable(
    change: Callable[[Results], Results], metrics: set[str], said: str, tmp_path: Path
) -> None:
    """The fault of before: "worse", under another segmenter, of the same text by the same tokenizer."""
    old = read_baseline(write_baseline(baseline_of(_results()), tmp_path / "baseline.json"))
    assert old == baseline_of(_results())
    assert {v.outcome for v in compare_baselines(old, baseline_of(_results()))} == {"pass"}
    verdicts = [v for v in compare_baselines(old, baseline_of(change(_results()))) if v.check == "baseline"]
    found = [v for v in verdicts if v.outcome != "pass"]
    assert {v.outcome for v in found} - {"missing"} == {"incomparable"}  # missing: a corpus that is new
    details = [v.detail for v in found if v.outcome == "incomparable"]
    assert all(said in detail for detail in details)
    assert {key.split()[0] for detail in details for key in detail.rpartition(": ")[2].split("; ")} == metrics


def test_a_baseline_of_an_earlier_version_is_judged_as_before(tmp_path: Path) -> None:
    path = write_baseline(baseline_of(_results()), tmp_path / "baseline.json")
    content = json.loads(path.read_text())
    assert content["bases"]["a"]["prose"]["reference"] == {"name": "b", "identity": "b" * 64}
    del content["bases"]
    path.write_text(json.dumps(content))
    verdicts = compare_baselines(read_baseline(path), baseline_of(_other_segmenter(_results())))
    assert {v.outcome for v in verdicts} == {"pass"}


def test_figures_that_got_worse_fail_beside_those_that_are_incomparable() -> None:
    old = baseline_of(_results())
    worse = replace(
        _results(),
        rows=tuple(
            replace(r, value=r.value / 2) if r.metric == "bytes_per_token" and r.value else r for r in _results().rows
        ),
    )
    (one, *_) = (v for v in compare_baselines(old, baseline_of(_other_segmenter(worse))) if v.check == "baseline")
    assert one.outcome == "fail"
    assert "worse: bytes_per_token micro" in one.detail
    assert "the segmenter was hand count and is another 2.0: " in one.detail
