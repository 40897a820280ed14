"""Fair comparison and domain mismatch: one vocabulary size, fronts, the matrix, and which tokens carry a loss."""

from __future__ import annotations

import doctest
import importlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from budget import examples
from engines import ENGINES

import tokenizers_impl as ti
from evalkit import pipeline
from evalkit.build import BuiltTokenizer
from evalkit.fair_records import FrontRecord, MatchedRecord
from evalkit.fronts import front, front_records, front_together, widths
from evalkit.losses import SHOWN
from evalkit.matched import matched_sizes, why_not_cut
from evalkit.pipeline import Options, run_suite
from evalkit.report import matched as matched_report
from evalkit.report.markdown import render
from evalkit.results import Results, parse_results
from evalkit.stats import compare_two, holm
from evalkit.suite import Suite, load_suite
from evalkit.suite_schema import SelectSpec
from tokenizers_impl import BaselineTokenizer, BPETokenizer, engine
from tokenizers_impl.training import truncate

SUITE = """
version: 1
name: fair
seed: 5
corpora:
  stories: {files: [stories.txt], document: line, language: en, eval: {fraction: 0.3}}
  logs: {files: [logs.txt], document: line, language: en, eval: {fraction: 0.3}}
  zh: {files: [zh.txt], document: line, language: zh, eval: {fraction: 0.3}}
tokenizers:
  - {name: stories, variant: gpt2, train_on: stories, vocab_size: [280, 320], special_tokens: ["<|end|>"]}
  - {name: logs, variant: gpt2, train_on: logs, vocab_size: 300}
  - {name: words, variant: zh, train_on: zh, vocab_size: 300}
  - {name: other, variant: zh, train_on: stories, vocab_size: 300}
  - {name: ranks, file: ranks.json}
  - {name: floor, baseline: bytes}
measure: {metrics: [bytes_per_token, tokens, regret, unk_rate, round_trip_rate]}
"""


WHO = ("stories", "logs", "other", "ranks")  # those that have 300 entries at least


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    names = ("Tim", "Ann", "Bo", "Eve")
    stories = [
        f"A fox called {names[n % 4]} had {n} apples, {n * 7} pears and a {'red ' * (n % 3)}hat." for n in range(80)
    ]
    logs = [f"2024-01-{n % 28 + 1:02d} 10:{n % 60:02d}:07 INFO worker-{n % 5} took {n * 13} ms" for n in range(80)]
    zh = [f"我们去{'上海' if n % 2 else '北京'}看朋友，第{n}次。" for n in range(80)]
    for name, lines in (("stories", stories), ("logs", logs), ("zh", zh)):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8")
    whole = ti.train([*stories, *logs], "gpt2", 340)
    _as_ranks(whole).save(tmp_path / "ranks.json", format="evalkit")
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    return load_suite(tmp_path / "suite.yaml")


def _as_ranks(tokenizer: BPETokenizer) -> BPETokenizer:
    return BPETokenizer.from_ranks({token: i for i, token in tokenizer.vocab.items()}, {}, tokenizer.variant)


def _run(suite: Suite) -> Results:
    return run_suite(suite, Options(cache=False))


@pytest.mark.parametrize(
    "module",
    ["fronts", "matched", "losses", "stability", "report.few", "report.matched", "report.mismatch", "report.summary"],
)
def test_the_examples_in_the_docstrings_are_right(module: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(f"evalkit.{module}"))
    assert failed == 0


# ── one size ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ENGINES)
def test_one_size_is_what_cut_tokenizers_give(suite: Suite, name: str) -> None:
    with engine.use(name):
        results = _run(suite)
        corpora = pipeline.open_corpora(suite)
        built = {one.name: one.tokenizer for one in pipeline.build(suite, corpora, Options(cache=False))}
        found = {(one.corpus, one.size, one.tokenizer): one for one in results.matched}
        smallest = min(
            one.vocab_size for one in built.values() if isinstance(one, BPETokenizer) and one.vocab_size > 280
        )
        assert {size for _, size, _ in found} == {smallest, 300}
        assert smallest < 300  # words stopped early
        assert {who for _, size, who in found if size == 300} == set(WHO)
        for corpus in ("stories", "logs", "zh"):
            texts = list(corpora[corpus].documents("eval"))
            cut = {}
            for who in WHO:
                tokenizer = built[who]
                assert isinstance(tokenizer, BPETokenizer)
                cut[who] = [len(truncate(tokenizer, 300).encode_ordinary(text)) for text in texts]
            assert {who: found[corpus, 300, who].tokens for who in cut} == {who: sum(n) for who, n in cut.items()}
            _tested_as_all_are(corpus, texts, cut, found)
        assert found["logs", 300, "stories"].cut_from == 320
        assert found["logs", 300, "ranks"].cut_from == 340
        assert found["logs", 300, "logs"].cut_from is None


def _tested_as_all_are(
    corpus: str,
    texts: Sequence[str],
    cut: dict[str, list[int]],
    found: dict[tuple[str, int, str], MatchedRecord],
) -> None:
    best = min(cut, key=lambda who: sum(cut[who]))
    sizes = np.array([len(text.encode()) for text in texts])
    names = list(cut)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    compared = {pair: compare_two(np.array(cut[pair[0]]), np.array(cut[pair[1]]), sizes, 0.95) for pair in pairs}
    judged = [pair for pair in pairs if compared[pair].p is not None]
    adjusted = dict(zip(judged, holm([compared[pair].p or 0 for pair in judged]), strict=True))
    for who in names:
        one = found[corpus, 300, who]
        if who == best:
            assert (one.more, one.separable) == (0, None)
            continue
        assert one.more == pytest.approx(sum(cut[who]) / sum(cut[best]) - 1)
        pair = (who, best) if (who, best) in compared else (best, who)
        if compared[pair].identical:
            assert one.separable is False
        elif pair in adjusted:
            assert one.separable == (adjusted[pair] <= 0.05)
            direct = compare_two(np.array(cut[who]), np.array(cut[best]), sizes, 0.95)
            assert direct.low is not None
            assert one.more_low == pytest.approx(direct.low - 1, abs=1e-7)
            assert one.more_low <= one.more <= (one.more_high or 0)


def _built(name: str, tokenizer: BPETokenizer | BaselineTokenizer, kind: str = "file") -> BuiltTokenizer:
    return BuiltTokenizer(name, kind, tokenizer, "gpt2")


TEXT = "low lower lowest new newer newest wide wider widest " * 9


def test_which_sizes() -> None:
    small, large = ti.train(TEXT, "gpt2", 265), ti.train(TEXT, "gpt2", 275)
    assert matched_sizes([_built("a", small), _built("b", small)]).members == {}
    assert matched_sizes([_built("a", small)]).members == {}
    assert matched_sizes([]).cuts() == []
    found = matched_sizes(
        [_built("a", small), _built("b", large), _built("floor", BaselineTokenizer("bytes"), "baseline")]
    )
    assert found.members == {265: {"a": 265, "b": 275}}
    assert found.cuts() == [("b", 265)]
    # rungs don't stand beside their largest
    ladder = [_built("b@270", truncate(large, 270)), _built("b", large), _built("a", small)]
    assert matched_sizes(ladder).members == {265: {"b": 275, "a": 265}}
    # … and theirs is not the smallest size, as docs/statistics.md says
    lower = [_built("b@260", truncate(large, 260)), _built("b", large), _built("a", small)]
    assert matched_sizes(lower).members == {265: {"b": 275, "a": 265}}
    # what most have is no size to cut to where it is the largest, nor one that only one tokenizer can have
    largest = [_built("a", small), _built("b", large), _built("c", large)]
    assert list(matched_sizes(largest).members) == [265]
    # the smallest, and the most common
    several = [_built("a", small), *(_built(n, truncate(large, 272)) for n in "bc"), _built("d", large)]
    assert list(matched_sizes(several).members) == [265, 272]


def test_what_cannot_be_cut_says_why() -> None:
    whole = ti.train(TEXT, "gpt2", 270)
    assert why_not_cut(whole) is None
    assert why_not_cut(_as_ranks(whole)) is None
    assert why_not_cut(BaselineTokenizer("bytes")) == "it is no byte-level BPE"
    ranks = {token: i for i, token in whole.vocab.items()} | {b"zqzqzq": 270}
    unmade = BPETokenizer.from_ranks(ranks, {"<|s|>": 271}, "gpt2")
    assert why_not_cut(unmade) == "1 of its tokens are not made of two earlier ones, so that sizes don't nest in it"
    ignoring = BPETokenizer(whole.vocab, whole.merges, {}, "gpt2", ignore_merges=True)
    assert "ignores them" in (why_not_cut(ignoring) or "")
    small = ti.train(TEXT, "gpt2", 262)
    found = matched_sizes([_built("small", small), _built("unmade", unmade), _built("whole", whole)])
    assert found.members == {262: {"small": 262, "whole": 270}}
    assert list(found.unfit[262]) == ["unmade"]


def test_sizes_that_special_tokens_part_are_one() -> None:
    words = " ".join(f"w{n} x{n * 7}" for n in range(2000))
    one, two = ti.train(words, "gpt2", 1500, min_frequency=1), ti.train(words, "gpt2", 1501, ["<|a|>"], min_frequency=1)
    assert matched_sizes([_built("a", one), _built("b", two)]).members == {}


def test_published_vocabularies_nest() -> None:
    try:
        tokenizer = ti.from_tiktoken("gpt2")
    except ti.TokenizerError as error:
        pytest.skip(f"gpt2's ranks are not here: {error}")
    assert why_not_cut(tokenizer) is None


def test_the_report_says_who_leads_at_one_size(suite: Suite) -> None:
    results = _run(suite)
    text = render(results)
    section = _section(text, "At one vocabulary size")
    last = section.split("### 300 entries\n")[1]
    assert last.count("**") == 2 * 3  # one best a corpus
    verdict = _section(text, "Verdict")
    assert "At one size, 300 entries with the larger ones cut to it, it is" in verdict
    assert "the table at one vocabulary size" in _section(text, "Beware")
    best = matched_report.leaders(results, 300)
    assert set(best) == {"stories", "logs", "zh"}
    unfit = MatchedRecord("logs", 300, "ranks", None, None, undefined_reason="it is no byte-level BPE")
    kept = tuple(one for one in results.matched if one.tokenizer != "ranks")
    shown = matched_report.section(replace(results, matched=(*kept, unfit)))
    assert "- `ranks` can't be cut: it is no byte-level BPE." in shown
    assert matched_report.section(replace(results, matched=())) == ""
    assert matched_report.sentence(replace(results, matched=())) == ""


def _section(text: str, title: str) -> str:
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


# ── fronts ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_front_is_what_nothing_beats() -> None:
    random = np.random.default_rng(43)
    for _ in range(examples(200)):
        n = int(random.integers(1, 15))
        points = [
            (int(random.integers(256, 262)), float(random.integers(1, 6)), str(random.choice(list("abc"))))
            for _ in range(n)
        ]
        found = front(points)
        for rows, value, name in points:
            # whatever stands on the front is beaten by none; whatever doesn't is beaten or equalled by one that does
            beaten = any(r <= rows and v >= value and (r, v) != (rows, value) for r, v, _ in points)
            if (rows, value, name) in found:
                assert not beaten
            else:
                assert any(r <= rows and v >= value for r, v, _ in found)
        assert found == sorted(found)


def test_fronts_of_a_suite(suite: Suite) -> None:
    results = _run(suite)
    for corpus in ("stories", "logs", "zh"):
        points = [one for one in results.fronts if one.corpus == corpus]
        assert points
        for one in points:
            assert one.parameters == {str(d): one.rows * d for d in (768, 2048, 4096)}
            for ladder in results.ladders:
                if ladder.corpus == corpus:
                    better = [
                        v for size, v in zip(ladder.sizes, ladder.bytes_per_token, strict=True) if size <= one.rows
                    ]
                    assert all((v or 0) <= one.bytes_per_token for v in better)
        row = results.row(corpus, "ranks", "bytes_per_token")
        assert row is not None
        covered = [one for one in points if one.rows <= 340 and one.bytes_per_token >= (row.value or 0)]
        assert covered
    assert not any(one.tokenizer == "floor" for one in results.fronts)
    section = _section(render(results), "What an embedding of each size buys")
    assert "d = 2048" in section
    assert "- On a front somewhere:" in section
    together = "- One choice for all 3 corpora together (geometric mean of bytes per token; each counts alike): "
    assert together in section
    alone = matched_report.fronts(replace(results, fronts=tuple(f for f in results.fronts if f.corpus == "zh")))
    assert "together" not in alone


def test_the_front_of_one_choice_for_all(suite: Suite) -> None:
    """No single corpus is best under the middling one, and all together are."""
    results = _run(suite)
    (one,) = [t for t in results.tokenizers if t.name == "ranks"]
    tokenizers = [replace(one, name=name, max_id=299) for name in ("a", "b", "middling", "half")]
    row = next(r for r in results.rows if (r.metric, r.aggregation) == ("bytes_per_token", "micro") and r.value)
    values = {"a": (4.0, 1.0), "b": (1.0, 4.0), "middling": (3.0, 3.0), "half": (9.0, None)}
    rows = [
        replace(row, corpus=corpus, tokenizer=name, value=value)
        for name, both in values.items()
        for corpus, value in zip(("stories", "logs"), both, strict=True)
        if value is not None
    ]
    ((size, mean, name),) = front_together((), rows, tokenizers, (), ["stories", "logs"])
    assert (size, mean, name) == (300, pytest.approx(3.0), "middling")
    records = [FrontRecord("stories", "half", 300, 9.0, {"8": 2400}), FrontRecord("logs", "b", 300, 4.0, {"8": 2400})]
    found = replace(
        results,
        tokenizers=tuple(tokenizers),
        rows=tuple(rows),
        ladders=(),
        fronts=tuple(records),
        corpora=results.corpora[:2],
    )
    text = matched_report.fronts(found)
    assert "- On no single corpus, whatever the budget: `a` and `middling`." in text
    assert "alike): `middling` with 512 entries." in text
    assert "- On a front somewhere: `b` (1 of 2) and `half` (1 of 2)." in text
    assert "are equal" not in text


def test_an_equal_stands_on_the_same_fronts(suite: Suite) -> None:
    """The records name one of them; which is only a matter of its name. A vocabulary without merges is anybody's."""
    results = _run(suite)
    (one,) = [t for t in results.tokenizers if t.name == "ranks"]
    sizes = {"twin": 300, "a": 300, "other": 300, "none": 200}
    tokenizers = [replace(one, name=name, max_id=size - 1) for name, size in sizes.items()]
    row = next(r for r in results.rows if (r.metric, r.aggregation) == ("bytes_per_token", "micro") and r.value)
    values = {"twin": 4.0, "a": 4.0, "other": 3.0, "none": 1.0}
    rows = [replace(row, corpus="stories", tokenizer=name, value=value) for name, value in values.items()]
    found = replace(
        results,
        tokenizers=tuple(tokenizers),
        rows=tuple(rows),
        ladders=(),
        fronts=tuple(front_records((), rows, tokenizers, ())),
        corpora=results.corpora[:1],
    )
    text = matched_report.fronts(found)
    assert "- On a front somewhere: `twin` and `a` (equal; 1 of 1).\n- Where several are equal" in text
    assert "- On no single corpus, whatever the budget: `other` and `none`." in text
    assert "buys nothing more on any corpus of a table than the one before has no line there" in text


def test_the_widths_are_those_of_the_suite() -> None:
    assert widths(None) == ((768, 2048, 4096), 1)
    chosen = {"d_model": 512, "n_layers": 2, "context": 64}
    assert widths(SelectSpec.model_validate(chosen)) == ((512,), 2)
    assert widths(SelectSpec.model_validate({**chosen, "tied": True})) == ((512,), 1)


# ── domain mismatch ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ENGINES)
def test_the_losses_are_those_of_the_texts(suite: Suite, name: str) -> None:
    with engine.use(name):
        results = _run(suite)
        corpora = pipeline.open_corpora(suite)
        built = {one.name: one.tokenizer for one in pipeline.build(suite, corpora, Options(cache=False))}
        found = {(one.corpus, one.tokenizer): one for one in results.losses}
        assert set(found) == {
            ("stories", "logs"), ("logs", "stories@280"), ("logs", "stories"), ("stories", "words"), ("zh", "other"),
        }  # fmt: skip
        one = found["logs", "stories"]
        own, ideal = built["stories"], built["logs"]
        assert isinstance(own, BPETokenizer)
        assert isinstance(ideal, BPETokenizer)
        assert (one.ideal, one.size) == ("logs", 300)
        texts = list(corpora["logs"].documents("eval"))
        home = list(corpora["stories"].documents("eval"))
        cut = truncate(own, 300)
        pieces = Counter(piece.encode() for text in texts for piece in ti.pretokenize(text, variant="gpt2"))
        extra = {
            piece: n * (len(cut.encode_ordinary(piece.decode())) - len(ideal.encode_ordinary(piece.decode())))
            for piece, n in pieces.items()
        }
        top = one.difference.top
        assert [abs(d.first_tokens - d.second_tokens) for d in top] == sorted(map(abs, extra.values()), reverse=True)[
            : len(top)
        ]
        assert all(extra[d.piece] == d.first_tokens - d.second_tokens for d in top)
        assert one.difference.first_total == sum(len(cut.encode_ordinary(text)) for text in texts)
        here = Counter(t for text in texts for t in own.tokens(text))
        at_home = Counter(t for text in home for t in own.tokens(text))
        needed = Counter(t for text in texts for t in ideal.tokens(text))
        special = {b"<|end|>"}
        assert one.entries == len(set(own.vocab.values()) - special) == 319
        assert one.used == len(here)
        assert one.idle == len(set(at_home) - set(here))
        assert [t.times for t in one.idle_top] == sorted((at_home[t] for t in set(at_home) - set(here)), reverse=True)[
            :SHOWN
        ]
        assert one.missing == len(set(needed) - set(own.vocab.values()))
        assert all(t.times == needed[t.token] and t.token not in own.vocab.values() for t in one.missing_top)
        # two word lists are two ways to cut: by words then, where there are some
        assert found["zh", "other"].difference.pieces == ("words" if engine.name() == "native" else "runs")


def test_matrix_and_losses_in_the_report(suite: Suite) -> None:
    results = _run(suite)
    text = render(results)
    matrix = _section(text, "Domain mismatch (regret)")
    assert "### Split pattern `gpt2`" in matrix
    assert matrix.count("home**") == 5  # stories and its rung, logs; words, other
    row = results.row("logs", "stories", "regret")
    assert row is not None
    assert row.low is not None
    assert f"; +{(row.value or 0) * 100:.1f} % ({row.low * 100:.1f}–" in matrix
    losses = _section(text, "Which tokens carry the loss")
    assert "### `stories` on logs" in losses
    assert "### `stories@280` on logs" not in losses
    assert "that are used at home never do" in losses
    assert parse_results(results.to_json()) == results


def test_records_read_back() -> None:
    point = FrontRecord("x", "a", 300, 2.5, {"768": 230400})
    assert point == replace(point)
