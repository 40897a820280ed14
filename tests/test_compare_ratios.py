"""``evalkit compare`` on figures that are no ratio of tokens: paired by document through ``counts.npz``."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from budget import examples
from report_example import results as few_results

from evalkit.compare import Change, compare, open_side
from evalkit.counts import CorpusCounts, Ints, Placed, TokenizerCounts
from evalkit.metrics import METRICS
from evalkit.metrics.example import example
from evalkit.paired import Paired
from evalkit.results import CorpusRecord, Results
from evalkit.results_files import load_counts, save_counts
from evalkit.rows import metric_records, rows
from evalkit.stats import Interval, compare_ratios, quantile, ratio_interval
from evalkit.values import Undefined

N = 80
METRIC_NAMES = (
    "bytes_per_token", "chars_per_token", "fertility", "tokens_per_word", "continued_words", "strr_tokens", "unk_rate",
    "utf8_split_rate", "digit_boundary_f1", "premium",
)  # fmt: skip


def _share(random: np.random.Generator, of: Ints, rate: float) -> Ints:
    return random.binomial(of, rate).astype(np.int64)


def _corpus(name: str, language: str, more: float, order: Sequence[int]) -> CorpusCounts:
    """``more``: how much more is cut than on the other side, on the very same documents."""
    random = np.random.default_rng(len(name))
    hashes = random.integers(0, 2**63, N).astype(np.uint64)
    sizes = np.exp(random.normal(6, 0.8, N)).astype(np.int64) + 60
    words, multibyte, places = sizes // 5, sizes // 9, sizes // 20
    tokens, cut, unknown = sizes // 4, _share(random, words, 0.2), _share(random, sizes // 4, 0.02)
    split, cuts = _share(random, multibyte, 0.1), _share(random, places, 0.8)
    hits = _share(random, cuts, 0.7)
    random = np.random.default_rng(len(name) + 1)  # what is drawn before must not depend on ``more``
    extra = _share(random, cut, more)
    placed = Placed(
        word_tokens=words + 2 * cut + extra,
        cut_words=cut + extra,
        cut_characters=split + _share(random, split, more),
        number_cuts=cuts,
        number_hits=hits - _share(random, hits, more),
    )
    at = list(order)
    cell = example(bytes=sizes.tolist(), tokens=sizes.tolist(), unknown=[0] * N)
    counted: TokenizerCounts = replace(
        cell.tokenizer,
        name="a",
        tokens=(tokens + extra)[at],
        unknown=(unknown + _share(random, unknown, more))[at],
        placed=Placed(**{key: value[at] for key, value in vars(placed).items()}),
    )
    return replace(
        cell.corpus,
        name=name,
        sha256=name * 4,
        language=language,
        parallel="lines",
        hashes=hashes[at],
        bytes=sizes[at],
        chars=(sizes - multibyte)[at],
        words=words[at],
        multibyte=multibyte[at],
        number_places=places[at],
        tokenizers={"a": counted},
    )


def _results(more: float, order: Sequence[int] = tuple(range(N))) -> Results:
    corpora = (_corpus("english", "en", more, order), _corpus("german", "de", more, order))
    metrics = [METRICS[name] for name in METRIC_NAMES]
    like = few_results()
    return replace(
        like,
        suite=replace(like.suite, reference=None, reference_language="en"),
        tokenizers=(replace(like.tokenizers[0], name="a", aliases=(), fingerprint="a"),),
        corpora=tuple(
            CorpusRecord(
                c.name, "all", "prose", c.language, N, int(c.bytes.sum()), int(c.chars.sum()), None, None, c.segmenter,
                c.sha256, 0, (), c.parallel, c.documents_sha256,
            )
            for c in corpora
        ),
        rows=tuple(rows(corpora, metrics, {}, None, {})),
        metrics=metric_records(metrics),
        comparisons=(), ranks=(), matches=(), differences=(), overlaps=(),
        counts=corpora,
    )  # fmt: skip


def _write(folder: Path, results: Results, leave_out: str = "") -> Path:
    folder.mkdir()
    (folder / "results.json").write_text(results.to_json(), encoding="utf-8")
    file = io.BytesIO()
    save_counts(file, results.counts)
    with np.load(io.BytesIO(file.getvalue())) as stored:
        kept = {key: stored[key] for key in stored.files if not leave_out or leave_out not in key}
    np.savez(folder / "counts.npz", **kept)
    return folder


def _changes(first: Path, second: Path) -> dict[tuple[str, str], Change]:
    return {(c.corpus, c.metric): c for c in compare(open_side(first), open_side(second)).changes}


def test_every_ratio_over_documents_is_paired_whatever_their_order(tmp_path: Path) -> None:
    before = _write(tmp_path / "before", _results(0))
    changes = _changes(before, _write(tmp_path / "after", _results(0.1, tuple(range(N))[::-1])))
    assert {metric for _, metric in changes} == set(METRIC_NAMES)
    assert all(change.paired for change in changes.values())
    assert all(changes["english", name].separable for name in ("continued_words", "strr_tokens", "utf8_split_rate"))
    assert ("english", "premium") not in changes  # its own language is 1 on both sides


def test_the_change_of_a_rate_is_the_jackknife_of_the_difference(tmp_path: Path) -> None:
    old, new = _results(0), _results(0.1)
    changes = _changes(_write(tmp_path / "before", old), _write(tmp_path / "after", new))
    change = changes["english", "continued_words"]
    words = old.counts[0].words
    cuts = [side.counts[0].tokenizers["a"].placed for side in (old, new)]
    assert not isinstance(words, Undefined)
    one, two = (placed.cut_words for placed in cuts if isinstance(placed, Placed))
    assert not isinstance(one, Undefined)
    assert not isinstance(two, Undefined)
    assert change.change == pytest.approx(two.sum() / words.sum() - one.sum() / words.sum())
    total = words.sum()
    left = [(two.sum() - b - one.sum() + a) / (total - w) for a, b, w in zip(one, two, words, strict=True)]
    error = math.sqrt((N - 1) / N * float(((np.array(left) - np.mean(left)) ** 2).sum()))
    assert change.low is not None
    assert change.high is not None
    assert (change.low + change.high) / 2 == pytest.approx(change.change, abs=1e-8)
    half = (change.high - change.low) / 2
    assert quantile(0.95, N - 1) * error <= half * (1 + 1e-9) <= quantile(0.95, 10) * error


def _rare(cut: int) -> Results:
    """Eight documents have a character of several bytes; of those of the first, half of all, ``cut`` are cut."""
    found = _results(0)
    corpora = []
    for corpus in found.counts:
        own = corpus.tokenizers["a"]
        assert isinstance(own.placed, Placed)
        has, cuts = np.zeros(N, dtype=np.int64), np.zeros(N, dtype=np.int64)
        has[:8], has[0], cuts[0] = 1, 7, cut
        counted = replace(own, placed=replace(own.placed, cut_characters=cuts))
        corpora.append(replace(corpus, multibyte=has, tokenizers={"a": counted}))
    figures = tuple(rows(corpora, [METRICS["utf8_split_rate"]], {}, None, {}))
    return replace(found, rows=figures, counts=tuple(corpora))


def test_shares_differ_by_no_more_than_1(tmp_path: Path) -> None:
    change = _changes(_write(tmp_path / "before", _rare(0)), _write(tmp_path / "after", _rare(7)))
    one = change["english", "utf8_split_rate"]
    assert (one.paired, one.change, one.low, one.high, one.separable) == (True, 0.5, -1.0, 1.0, False)


def test_pairing_sees_what_the_intervals_of_both_sides_do_not(tmp_path: Path) -> None:
    """2 % more cut words in every document: far less than documents differ."""
    old, new = _results(0), _results(0.02)
    before = _write(tmp_path / "before", old)
    paired = _changes(before, _write(tmp_path / "after", new))["german", "utf8_split_rate"]
    bare = _write(tmp_path / "bare", new)
    (bare / "counts.npz").unlink()
    unpaired = _changes(before, bare)["german", "utf8_split_rate"]
    assert (paired.paired, unpaired.paired) == (True, False)
    ends = [paired.low, paired.high, unpaired.low, unpaired.high]
    assert None not in ends
    low, high, wide_low, wide_high = (end or 0.0 for end in ends)
    assert high - low < (wide_high - wide_low) / 3
    assert not unpaired.separable


@pytest.mark.parametrize(
    ("left_out", "metrics"),
    [
        ("/unknown/", {"unk_rate"}),
        ("/multibyte", {"utf8_split_rate"}),
        ("/cut_words/", {"continued_words", "strr_tokens"}),
        ("/number_hits/", {"digit_boundary_f1"}),
    ],
)
def test_what_an_earlier_version_did_not_store_is_not_paired(left_out: str, metrics: set[str], tmp_path: Path) -> None:
    before = _write(tmp_path / "before", _results(0), left_out)
    changes = _changes(before, _write(tmp_path / "after", _results(0.1)))
    assert {metric for (_, metric), change in changes.items() if not change.paired} == metrics


def test_a_users_own_metric_is_not_run_again(tmp_path: Path) -> None:
    sides = []
    for number, more in enumerate((0, 0.1)):
        found = _results(more)
        own = tuple(replace(m, source="mine.py") if m.name == "utf8_split_rate" else m for m in found.metrics)
        sides.append(_write(tmp_path / str(number), replace(found, metrics=own)))
    changes = _changes(*sides)
    assert not changes["english", "utf8_split_rate"].paired
    assert changes["english", "continued_words"].paired


def test_counts_come_back_as_they_were_stored(tmp_path: Path) -> None:
    corpus = _results(0.1).counts[0]
    placed = corpus.tokenizers["a"].placed
    assert isinstance(placed, Placed)
    large = replace(placed, word_tokens=np.full(N, 2**40))
    stored_as = replace(corpus, tokenizers={"a": replace(corpus.tokenizers["a"], placed=large)})
    file = tmp_path / "counts.npz"
    with file.open("wb") as out:
        save_counts(out, [stored_as])
    found = load_counts(file)[corpus.name]
    for key, value in vars(large).items():
        assert found.parts[key]["a"].tolist() == value.tolist()
        assert (found.parts[key]["a"] * 1000).dtype == np.int64
    assert found.parts["unknown"]["a"].tolist() == corpus.tokenizers["a"].unknown.tolist()
    assert not isinstance(corpus.multibyte, Undefined)
    assert found.of_text["multibyte"].tolist() == corpus.multibyte.tolist()


def test_of_ratios_that_cannot_be_bounded_it_is_said_why() -> None:
    few, many = np.array([3, 4]), np.arange(10, 30)
    assert "too few" in compare_ratios((few, few), (few + 1, few), few, 0.95, logarithmic=True).reason
    one = np.eye(1, 20, 3, dtype=np.int64)[0]
    assert "one document" in compare_ratios((one, many), (2 * one, many), many, 0.95, logarithmic=True).reason
    assert "one document" in compare_ratios((many, one), (many, one), many, 0.95, logarithmic=False).reason
    same = compare_ratios((many, many), (2 * many, many), many, 0.95, logarithmic=True)
    assert same.change == pytest.approx(math.log(2))
    assert same.low is None
    assert same.p == pytest.approx(2.0**-19, rel=1e-4)


def test_words_that_are_one_token_and_words_that_are_cut_are_one_test(tmp_path: Path) -> None:
    """Each is 1 less the other: two tests of one thing would make all others harder to pass."""
    before, after = (_write(tmp_path / str(more), _results(more)) for more in (0, 0.1))
    both = _changes(before, after)
    cut, kept = (both["english", name] for name in ("continued_words", "strr_tokens"))
    assert cut.change == pytest.approx(-kept.change)
    assert cut.p_holm == kept.p_holm
    paired = Paired(open_side(before), open_side(after))
    sides = [side.results for side in paired.sides]
    for name in ("continued_words", "strr_tokens", "utf8_split_rate"):
        one, two = (side.row("english", "a", name) for side in sides)
        assert one is not None
        assert two is not None
        assert paired.ratio(one, two) is not None
    assert len(paired.adjusted()) == 2


def _with_zeros(part: Sequence[int], documents: int = 100) -> Ints:
    return np.array([*part, *[0] * (documents - len(part))], dtype=np.int64)


@pytest.mark.parametrize(("having", "p"), [(2, None), (7, None), (8, 2.0**-7), (20, 2.0**-19)])
@pytest.mark.parametrize("logarithmic", [False, True])
def test_documents_without_a_part_in_a_ratio_are_no_evidence(having: int, p: float | None, logarithmic: bool) -> None:
    """Of 100 documents so many have a number, and all of those are cut otherwise."""
    numbers, lengths = _with_zeros([2] * having), np.full(100, 50)
    before, after = (_with_zeros([share] * having) for share in (1, 2))
    found = compare_ratios((before, numbers), (after, numbers), lengths, 0.95, logarithmic=logarithmic)
    assert found.p == (None if p is None else pytest.approx(p, rel=1e-4))
    assert ("too few documents" in found.reason) == (p is None)
    assert p is not None or f"({having} of 100 have a part in it" in found.reason


def test_a_document_with_a_part_on_one_side_alone_has_no_sign() -> None:
    """Numbers may be cut nowhere on one side: then there is nothing that the other side's ratio could be held to."""
    one, two = (_with_zeros([2] * 9), _with_zeros([2] * 9)), (_with_zeros([0] * 9), _with_zeros([2] * 30))
    found = compare_ratios(one, two, np.full(100, 50), 0.95, logarithmic=False)
    assert (found.change, found.p) == (-1.0, pytest.approx(2.0**-8, rel=1e-4))


def test_against_a_side_that_never_varies_it_is_the_interval_of_the_other() -> None:
    random = np.random.default_rng(5)
    below = random.integers(50, 100, 60)
    above = random.binomial(below, 0.3)
    found = compare_ratios((below, below), (above, below), below, 0.95, logarithmic=True)
    alone = ratio_interval(above, below, 0.95)
    assert isinstance(alone, Interval)
    assert found.low is not None
    assert found.high is not None
    assert (math.exp(found.low), math.exp(found.high)) == pytest.approx((alone.low, alone.high))


@pytest.mark.parametrize(("documents", "sigma"), [(60, 0.5), (60, 1.0), (60, 1.2), (200, 1.0)])
def test_the_interval_of_a_paired_change_covers_what_it_promises(documents: int, sigma: float) -> None:
    """Words of which documents have their own share cut, on both sides alike, and a tenth more on the second."""
    random = np.random.default_rng([documents, int(sigma * 10)])
    number, hits = examples(1000), 0
    for _ in range(number):
        words = np.exp(random.normal(5, sigma, documents)).astype(np.int64) + 20
        own = np.minimum(random.lognormal(-0.045, 0.3, documents), 4)
        sides = [(random.binomial(words, rate * own).astype(np.int64), words) for rate in (0.15, 0.165)]
        found = compare_ratios(*sides, words, 0.95, logarithmic=True)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= math.log(1.1) <= found.high
    noise = 200 * math.sqrt(0.05 * 0.95 / number)  # two standard errors of the simulation, in per cent
    assert 93 - noise <= hits / number * 100 <= 97 + noise
