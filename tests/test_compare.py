"""``evalkit compare``: paired where it can be, marked where it can't, refused where it may not."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commandline import evalkit
from report_example import counts as few_counts
from report_example import results as few_results

from evalkit.change_summary import over_corpora
from evalkit.compare import Change, Differences, compare, open_side
from evalkit.comparisons import comparison_records
from evalkit.counts import CorpusCounts
from evalkit.errors import UserError
from evalkit.fair_records import StabilityRecord
from evalkit.metrics import METRICS
from evalkit.metrics.example import example
from evalkit.report.compared import answers, markdown, notes, shown, verdict
from evalkit.results import CorpusRecord, Results
from evalkit.results_files import save_counts
from evalkit.rows import metric_records, rows
from evalkit.stats import compare_ratios, compare_two, holm, quantile, ratio_interval
from evalkit.stats.intervals import Interval

N = 80
NAMES = ("a", "b", "same")
SHOWN = ("bytes_per_token", "tokens", "unk_rate", "fertility", "normalized_length", "vocab_utilization")


def _corpus(name: str, factors: Sequence[float], order: Sequence[int]) -> CorpusCounts:
    random = np.random.default_rng(len(name))
    sizes = np.exp(random.normal(6, 0.8, N)).astype(np.int64) + 30
    words = sizes // 5
    hashes = random.integers(0, 2**63, N).astype(np.uint64)
    rates = 0.25 * np.exp(random.normal(0, 0.05, (len(NAMES), N)))
    wobble = np.exp(random.normal(0, 0.01, (len(NAMES), N)))
    cell = example(bytes=sizes.tolist(), tokens=sizes.tolist(), unknown=[0] * N, round_trips=N)
    counted = {}
    for k, tokenizer in enumerate(NAMES):
        change = 1.0 if factors[k] == 1 else factors[k] * wobble[k]
        tokens = np.rint(sizes * rates[k] * change).astype(np.int64)
        counted[tokenizer] = replace(cell.tokenizer, name=tokenizer, tokens=tokens[list(order)])
    place = list(order)
    return replace(
        cell.corpus,
        name=name,
        sha256=name * 8,
        hashes=hashes[place],
        bytes=sizes[place],
        chars=sizes[place],
        words=words[place],
        tokenizers=counted,
    )


def _results(factors: Sequence[float] = (1, 1, 1), order: Sequence[int] = tuple(range(N))) -> Results:
    corpora = tuple(_corpus(name, factors, order) for name in ("x", "yy"))
    metrics = [METRICS[name] for name in SHOWN]
    like = few_results()
    return replace(
        like,
        suite=replace(like.suite, reference="same"),
        tokenizers=tuple(replace(like.tokenizers[0], name=name, aliases=(), fingerprint=name) for name in NAMES),
        corpora=tuple(
            CorpusRecord(
                c.name, "all", "prose", "en", N, int(c.bytes.sum()), int(c.chars.sum()), None, None, c.segmenter,
                c.sha256, 0, (), documents_sha256=c.documents_sha256,
            )
            for c in corpora
        ),
        rows=tuple(rows(corpora, metrics, {}, "same", {})),
        metrics=metric_records(metrics),
        comparisons=tuple(comparison_records(corpora, NAMES, 0.95)),
        ranks=(),
        matches=(),
        differences=(),
        overlaps=(),
        counts=corpora,
    )  # fmt: skip


def _write(folder: Path, results: Results, *, counts: bool = True) -> Path:
    folder.mkdir()
    (folder / "results.json").write_text(results.to_json(), encoding="utf-8")
    if counts:
        file = io.BytesIO()
        save_counts(file, results.counts)
        (folder / "counts.npz").write_bytes(file.getvalue())
    return folder


def _compare(first: Path, second: Path) -> Differences:
    return compare(open_side(first), open_side(second))


@pytest.fixture
def before(tmp_path: Path) -> Path:
    return _write(tmp_path / "before", _results())


@pytest.fixture
def after(tmp_path: Path) -> Path:
    """``a`` needs 3 % more tokens, ``b`` as many but for noise, ``same`` as many in every document; and the
    documents stand in another order."""
    return _write(tmp_path / "after", _results((1.03, 1.0001, 1), tuple(range(N))[::-1]))


def _by(found: Differences) -> dict[tuple[str, str, str], Change]:
    return {(c.corpus, c.tokenizer, c.metric): c for c in found.changes}


def test_paired_by_document_whatever_their_order(before: Path, after: Path) -> None:
    found = _compare(before, after)
    changes = _by(found)
    a = changes["x", "a", "bytes_per_token"]
    old, new = _results().counts[0], _results((1.03, 1.0001, 1)).counts[0]
    expected = compare_two(new.tokenizers["a"].tokens, old.tokenizers["a"].tokens, old.bytes, 0.95)
    assert a.paired
    assert a.separable
    assert expected.ratio is not None
    assert expected.low is not None
    assert expected.high is not None
    assert a.change == pytest.approx(1 / expected.ratio - 1)
    assert (a.low, a.high) == pytest.approx((1 / expected.high - 1, 1 / expected.low - 1), abs=1e-8)
    tokens = changes["x", "a", "tokens"]
    assert (tokens.low, tokens.high) == pytest.approx((expected.low - 1, expected.high - 1), abs=1e-8)
    assert changes["x", "b", "bytes_per_token"].separable is False
    assert verdict(a) == verdict(tokens) == "worse"
    assert {c.tokenizer for c in found.changes} == {"a", "b"}  # `same` is equal everywhere
    assert found.equal > 0
    assert found.notes == ()


def test_holm_is_over_each_pair_of_token_counts_once(before: Path, after: Path) -> None:
    changes = [c for c in _compare(before, after).changes if c.metric == "bytes_per_token"]
    old, new = _results(), _results((1.03, 1.0001, 1))
    p_values = [
        compare_two(two.tokenizers[name].tokens, one.tokenizers[name].tokens, one.bytes, 0.95).p or 0
        for one, two in zip(old.counts, new.counts, strict=True)
        for name in ("a", "b")
    ]
    assert [c.p_holm for c in changes] == pytest.approx(holm(p_values), rel=1e-4)


def test_length_against_a_reference_is_paired_with_the_reference_too_where_that_changed(
    before: Path, after: Path, tmp_path: Path
) -> None:
    assert _by(_compare(before, after))["x", "a", "normalized_length"].paired
    both = _results(), _results((1.03, 1, 1.02))
    other = _write(tmp_path / "other", both[1])
    change = _by(_compare(before, other))["x", "a", "normalized_length"]
    sides = [(c.tokenizers["a"].tokens, c.tokenizers["same"].tokens) for c in (results.counts[0] for results in both)]
    expected = compare_ratios(*sides, both[0].counts[0].bytes, 0.95, logarithmic=True)
    assert expected.low is not None
    assert expected.high is not None
    assert change.paired
    assert (change.low, change.high) == pytest.approx((math.expm1(expected.low), math.expm1(expected.high)), abs=1e-8)
    # It moves apart from the tokens then, so that it is listed, and no note says that it isn't.
    found = _compare(before, other)
    assert "normalized_length" in {c.metric for c in shown(found)}
    (hidden,) = (note for note in notes(found) if note.startswith("Not shown, since"))
    assert "normalized_length" not in hidden
    assert "normalized_length" in next(n for n in notes(_compare(before, after)) if n.startswith("Not shown, since"))


def test_unpaired_by_the_intervals_of_both(before: Path, tmp_path: Path) -> None:
    new = _results((1.03, 1, 1))
    bare = _write(tmp_path / "bare", new, counts=False)
    found = _compare(before, bare)
    change = _by(found)["x", "a", "bytes_per_token"]
    assert not change.paired
    assert f"no counts.npz beside {bare}" in found.notes[0]
    ends = []
    for results in (_results(), new):
        corpus = results.counts[0]
        interval = ratio_interval(corpus.bytes, corpus.tokenizers["a"].tokens, 0.95)
        assert isinstance(interval, Interval)
        value = int(corpus.bytes.sum()) / int(corpus.tokenizers["a"].tokens.sum())
        ends.append((np.log(value), np.log(interval.low), np.log(interval.high)))
    (v1, l1, h1), (v2, l2, h2) = ends
    low = v2 - v1 - np.sqrt((v2 - l2) ** 2 + (h1 - v1) ** 2)
    high = v2 - v1 + np.sqrt((h2 - v2) ** 2 + (v1 - l1) ** 2)
    assert (change.low, change.high) == pytest.approx((np.exp(low) - 1, np.exp(high) - 1), abs=1e-6)
    assert verdict(change) in ("worse, unpaired", "not separable, unpaired")
    assert _by(found)["x", "a", "tokens"].separable is None  # a sum has no interval of its own


def test_other_documents_in_the_counts_are_not_paired(before: Path, tmp_path: Path) -> None:
    new = _results((1.03, 1, 1))
    changed = replace(new.counts[0], hashes=new.counts[0].hashes + np.uint64(1))
    other = _write(tmp_path / "other", replace(new, counts=(changed, new.counts[1])))
    changes = _by(_compare(before, other))
    assert not changes["x", "a", "bytes_per_token"].paired
    assert changes["yy", "a", "bytes_per_token"].paired
    assert any("Unpaired on x" in note for note in _compare(before, other).notes)


def test_equal_results_have_no_changes(before: Path) -> None:
    found = _compare(before, before / "results.json")
    assert found.changes == ()
    assert found.equal == 2 * 3 * len(SHOWN)
    assert "0 figures differ, 36 are equal" in markdown(found)


def test_too_few_documents_are_not_judged(tmp_path: Path) -> None:
    sides = []
    for k, name in enumerate(("one", "two")):
        measured = few_counts()
        tokens = measured[0].tokenizers["small"].tokens + k
        small = replace(measured[0].tokenizers["small"], tokens=tokens)
        corpora = (replace(measured[0], tokenizers={**measured[0].tokenizers, "small": small}), measured[1])
        table = rows(corpora, [METRICS["bytes_per_token"]], {}, "published", {})
        sides.append(_write(tmp_path / name, replace(few_results(), rows=tuple(table), counts=corpora)))
    (change,) = _compare(*sides).changes
    assert (change.separable, change.low, change.paired) == (None, None, True)
    assert "too few documents (2;" in markdown(_compare(*sides))


# ── what is refused, and what is left out ───────────────────────────────────────────────────────────────────


def _metric(change: dict[str, Any]) -> Callable[[Results], Results]:
    return lambda r: replace(r, metrics=(replace(r.metrics[0], **change), *r.metrics[1:]))


def _first_corpus(change: dict[str, Any]) -> Callable[[Results], Results]:
    return lambda r: replace(r, corpora=(replace(r.corpora[0], **change), *r.corpora[1:]))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_first_corpus({"sha256": "f" * 64}), "the corpus x is another text: its SHA-256 is xxxxxxxx in one and ffff"),
        (_first_corpus({"split": "eval"}), "its split is all in one and eval in the other"),
        (
            _first_corpus({"documents_sha256": "f" * 64, "bytes": 7}),
            "another text: its choice of documents (by sample, seed or split) is b495516cde73 in one and ffffffffffff",
        ),
        (_first_corpus({"bytes": 7}), "its size is 40,317 in one and 7 in the other"),
        (_first_corpus({"documents": 81}), "its number of documents is 80 in one and 81 in the other"),
        (_metric({"version": 2}), "the metric bytes_per_token is version 1 in one and 2 in the other"),
        (
            lambda r: replace(r, suite=replace(r.suite, confidence=0.9)),
            "the confidence is 0.95 in one and 0.9 in the other",
        ),
        (lambda r: replace(r, schema_version=2), "schema version 2, and this evalkit reads version 1"),
        (
            lambda r: replace(r, tokenizers=tuple(replace(t, name=t.name * 2) for t in r.tokenizers)),
            "no corpus, tokenizer and metric in common",
        ),
        (
            lambda r: replace(r, corpora=tuple(replace(c, name=c.name * 3) for c in r.corpora)),
            "no corpus, tokenizer and metric in common",
        ),
        (lambda r: replace(r, rows=()), "nothing to compare: "),
    ],
)
def test_what_is_no_comparison_is_refused_by_name(
    change: Callable[[Results], Results], said: str, before: Path, tmp_path: Path
) -> None:
    other = _write(tmp_path / "other", change(_results()))
    with pytest.raises(UserError, match=re.escape(said)):
        _compare(before, other)
    done = evalkit("compare", before, other)
    assert done.code == 2
    assert done.out == ""
    assert said in " ".join(done.err.split())


@pytest.mark.parametrize("counts", [True, False])
def test_results_of_before_that_do_not_say_which_documents_are_compared_with_a_note(
    counts: bool, before: Path, tmp_path: Path
) -> None:
    """Where both have counts these tell, and there is nothing to note."""
    new = _results((1.03, 1, 1))
    corpora = (replace(new.corpora[0], documents_sha256=None), new.corpora[1])
    old = _write(tmp_path / "old", replace(new, corpora=corpora), counts=counts)
    assert '"documents_sha256": null' not in (old / "results.json").read_text(encoding="utf-8")
    told = f"{old} is of an earlier version and doesn't say which documents of x were measured"
    for found in (_compare(before, old), _compare(old, before)):
        assert {(c.corpus, c.tokenizer) for c in found.changes} == {("x", "a"), ("yy", "a")}
        noted = [note for note in found.notes if "earlier version" in note]
        assert [note[: len(told)] for note in noted] == ([] if counts else [told])


def test_what_only_one_side_has_is_said(before: Path, tmp_path: Path) -> None:
    new = _results((1.03, 1, 1))
    part = replace(new, tokenizers=new.tokenizers[:1], corpora=new.corpora[1:])
    found = _compare(before, _write(tmp_path / "part", part))
    assert f"Only in {before}, of the corpora: x." in found.notes
    assert f"Only in {before}, of the tokenizers: b, same." in found.notes
    assert {(c.corpus, c.tokenizer) for c in found.changes} == {("yy", "a")}


def test_words_of_another_segmenter_and_lengths_of_another_reference_are_left_out(before: Path, tmp_path: Path) -> None:
    new = _results((1.03, 1, 1))
    corpora = tuple(replace(c, segmenter="another 2.0") for c in new.corpora)
    found = _compare(
        before, _write(tmp_path / "n", replace(new, corpora=corpora, suite=replace(new.suite, reference="b")))
    )
    assert {c.metric for c in found.changes} == {"bytes_per_token", "tokens"}
    assert any("the segmenter is another" in note for note in found.notes)
    assert any("the reference is same on one side and b on the other" in note for note in found.notes)


def test_undefined_on_one_side_is_no_change(before: Path, tmp_path: Path) -> None:
    new = _results((1.03, 1, 1))
    lost = tuple(
        replace(r, value=None, low=None, high=None, undefined_reason="lost") if r.metric == "unk_rate" else r
        for r in new.rows
    )
    found = _compare(before, _write(tmp_path / "n", replace(new, rows=lost)))
    assert "unk_rate of a on x is undefined on one side: lost." in found.notes
    assert not any(c.metric == "unk_rate" for c in found.changes)


# ── the command ─────────────────────────────────────────────────────────────────────────────────────────────


def test_the_command_answers_first(before: Path, after: Path) -> None:
    done = evalkit("compare", before, after / "results.json")
    assert (done.code, done.err) == (0, "")
    parts = [part.splitlines() for part in done.out.rstrip("\n").split("\n\n")]
    head, answers, title, listed, verdicts, turned, notes = parts
    assert head[0].startswith(f"A: {before} (by-hand, digest ")
    assert re.split(" {2,}", answers[0]) == ["tokenizer", "over all corpora", "largest change"]
    by_name = {line.split()[0]: re.split(" {2,}", line)[1:] for line in answers[1:]}
    assert by_name["a"][0] == "worse on 2 of 2 corpora"
    assert re.fullmatch(r"bytes_per_token on x \S+ → \S+, −\d\.\d % \(−\d\.\d % to −\d\.\d %\)", by_name["a"][1])
    assert by_name["b"][0] == "not separable on 2 of 2 corpora"
    assert by_name["same"] == ["equal on 2 of 2 corpora", "–"]
    assert title == ["Changes that can be told from chance, the largest first:"]
    assert [line.split()[:3] for line in listed[1:]] == [["x", "a", "bytes_per_token"], ["yy", "a", "bytes_per_token"]]
    assert all(line.endswith("worse") for line in listed[1:])
    assert verdicts == ["Verdicts between tokenizers that aren't the same in A and B:"]
    assert [line.split()[:3] for line in turned[1:]] == [["yy", "a", "b"], ["yy", "a", "same"]]
    assert notes[0] == "Not listed: 2 not separable (--all shows every figure)."
    assert notes[1].startswith("Not shown, since they change with the tokens")


def test_the_command_shows_everything_where_asked(before: Path, after: Path) -> None:
    done = evalkit("compare", before, after, "--all")
    assert done.code == 0
    lines = done.out.splitlines()
    (a,) = [line for line in lines if re.match(r"x +a +bytes_per_token", line)]
    assert a.endswith("worse")
    assert re.search(r" −\d\.\d % +−\d\.\d % to −\d\.\d % ", a)
    (b,) = [line for line in lines if re.match(r"x +b +bytes_per_token", line)]
    assert b.endswith("not separable")
    assert re.search(r"^x +a +tokens", done.out, flags=re.M)
    assert "Not shown" not in done.out
    assert "Not listed" not in done.out
    assert "largest change" not in done.out
    found = _compare(before, after)
    assert sum(bool(re.match(r"(x|yy) ", line)) for line in lines) == len(found.changes) + len(found.verdicts)


def test_equal_results_have_a_short_answer(before: Path) -> None:
    done = evalkit("compare", before, before)
    assert done.code == 0
    assert done.out.count("equal on 2 of 2 corpora") == 3
    assert "told from chance, the largest" not in done.out
    assert "Not listed" not in done.out


def _change(
    tokenizer: str, corpus: str, change: float, separable: bool | None, metric: str = "bytes_per_token"
) -> Change:
    relative = metric != "unk_rate"
    end = 1 + change if relative else 0.5 + change
    return Change(
        corpus, tokenizer, metric, "x", 1.0 if relative else 0.5, end, metric != "unk_rate", relative, change,
        change - 0.01, change + 0.01, paired=True, separable=separable,
    )  # fmt: skip


def _of(before: Path, changes: Sequence[Change], alike: Sequence[tuple[str, str, str]] = ()) -> Differences:
    side = open_side(before)
    return Differences(side, side, tuple(changes), tuple(alike), ())


def test_tokenizers_over_all_corpora(before: Path) -> None:
    changes = [
        _change("a", "c1", 0.02, True),
        _change("a", "c2", -0.05, True),
        _change("a", "c3", -0.30, False),
        _change("a", "c1", -0.02, True, "tokens"),  # moves with the first, and is no other figure
        _change("a", "c1", 0.2, True, "unk_rate"),
        _change("b", "c1", 0.001, False),
        _change("b", "c2", -0.002, None),
    ]
    one, two, same = over_corpora(_of(before, changes, [("c2", "b", "tokens"), ("c1", "same", "bytes_per_token")]))
    assert (one.verdict, one.corpora, one.equal, one.others) == ("mixed", 3, 0, 1)
    assert one.outcomes == {"better": 1, "worse": 1, "not separable": 1}
    assert one.largest is changes[1], "the largest that is separable"
    assert one.opposite is changes[0]
    assert two.opposite is same.opposite is None
    assert (two.verdict, two.outcomes, two.equal) == ("not separable", {"not separable": 1, "not judged": 1}, 0)
    assert two.largest is changes[-1], "the largest, as none is separable"
    assert (same.verdict, same.corpora, same.equal, same.largest) == ("equal", 1, 1, None)
    cells = {row[0]: row[1:] for row in answers(_of(before, changes))}
    assert cells["a"][0] == (
        "mixed: better on 1 of 3 corpora, worse on 1, not separable on 1; 1 other figure changed separably"
    )
    assert cells["a"][1] == (
        "bytes_per_token on c2 1.00 → 0.95, −5.0 % (−6.0 % to −4.0 %); "
        "bytes_per_token on c1 1.00 → 1.02, +2.0 % (+1.0 % to +3.0 %)"
    )
    assert cells["b"][0] == "not separable on 1 of 2 corpora, not judged on 1"


def test_without_figures_of_tokens_another_one_decides(before: Path) -> None:
    (one,) = over_corpora(_of(before, [_change("a", "c1", 0.2, True, "unk_rate")]))
    assert (one.metric, one.verdict, one.others) == ("unk_rate", "worse", 0)
    assert over_corpora(_of(before, [])) == []
    unknown = replace(_change("a", "c1", 0.2, True), metric="undirected", higher_is_better=None)
    assert over_corpora(_of(before, [unknown])) == []
    assert verdict(unknown) == "differs"


def test_the_largest_changes_are_listed_and_the_others_counted(before: Path) -> None:
    sizes = [0.01 * (k + 1) * (-1) ** k for k in range(40)]
    np.random.default_rng(3).shuffle(sizes)
    changes = [_change("a", f"c{k}", size, True) for k, size in enumerate(sizes)]
    changes += [_change("b", "c", 0.9, False), _change("b", "d", 0.9, None), _change("b", "e", 0.9, None)]
    found = _of(before, changes)
    listed = shown(found)
    assert len(listed) == 30
    log_sizes = sorted((abs(math.log1p(size)) for size in sizes), reverse=True)
    assert [abs(math.log1p(change.change)) for change in listed] == pytest.approx(log_sizes[:30])
    assert notes(found)[0] == (
        "Not listed: 10 smaller separable changes, 1 not separable and 2 not judged (--all shows every figure)."
    )
    assert shown(found, every=True) == changes
    few = _of(before, changes[:30])
    assert len(shown(few)) == 30
    assert not any(note.startswith("Not listed") for note in notes(few))


def test_the_command_on_a_terminal_and_as_markdown(before: Path, after: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for every in (False, True):
        done = evalkit("compare", before, after, "--markdown", *(["--all"] if every else []))
        found = _compare(before, after)
        assert done.out.rstrip("\n") == markdown(found, every)
        tables = [line for line in done.out.splitlines() if line.startswith("|")]
        turned = 2 + len(found.verdicts)
        assert len(tables) == turned + (2 + len(found.changes) if every else 2 + 3 + 2 + 2)
        assert len({line.count("|") for line in tables}) == (2 if every else 3)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm-256color")
    done = evalkit("compare", before, after, terminal=True)
    assert done.code == 0
    assert "not separable" in " ".join(done.out.split())


@pytest.mark.parametrize("content", ["", "{}", json.dumps({"schema_version": 1})])
def test_what_is_no_result_is_refused(content: str, before: Path, tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(content, encoding="utf-8")
    done = evalkit("compare", before, tmp_path)
    assert done.code == 2
    assert done.err.startswith("error: ")
    done = evalkit("compare", before, tmp_path / "missing")
    assert done.code == 2
    assert "can't be read" in done.err


def test_a_change_must_be_larger_than_training_makes(tmp_path: Path, before: Path) -> None:
    changed = _results((1.03, 1.0001, 1), tuple(range(N))[::-1])

    def trained_again(error: float) -> tuple[StabilityRecord, ...]:
        return tuple(StabilityRecord(c, "a", 5, (300,) * 5, (4.0,) * 5, error, 0.1, None) for c in ("x", "yy"))

    quiet = _write(tmp_path / "quiet", replace(changed, stability=trained_again(0.001)))
    noisy = _write(tmp_path / "noisy", replace(changed, stability=trained_again(0.02)))
    firm, lost = (_by(_compare(before, after))["x", "a", "bytes_per_token"] for after in (quiet, noisy))
    assert firm.noise_floor == pytest.approx(math.expm1(quantile(0.95, 4) * 0.001), rel=1e-5)
    assert (firm.separable, firm.within_noise) == (True, False)
    assert (lost.separable, lost.within_noise) == (False, True)
    assert (lost.p_holm, lost.low) == (firm.p_holm, firm.low)
    assert verdict(lost) == "not separable"
    # of both sides the errors add as squares
    both = _write(tmp_path / "both", replace(_results(), stability=trained_again(0.0003)))
    found = _by(_compare(both, quiet))["x", "a", "bytes_per_token"].noise_floor
    assert found == pytest.approx(math.expm1(quantile(0.95, 4) * math.hypot(0.001, 0.0003)), rel=1e-4)
    assert "a change must also be larger than what that makes" in markdown(_compare(before, quiet))
    other = _by(_compare(before, quiet))["x", "b", "bytes_per_token"]
    assert other.noise_floor is None
