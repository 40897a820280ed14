"""What a vocabulary costs a model: arithmetic by hand, the published table of the law, and the report's section."""

from __future__ import annotations

import doctest
from dataclasses import replace

import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import cost
from evalkit.pipeline import Options, run_suite
from evalkit.report import cost as section
from evalkit.report import figures
from evalkit.report.markdown import render
from evalkit.results import Results, parse_results
from evalkit.suite import parse_suite
from evalkit.suite_schema import SelectSpec
from evalkit.values import Undefined

HEAD = "version: 1\nname: t\ncorpora:\n  web: {builtin: web}\n"
TOKENIZERS = """\
tokenizers:
  - {name: own, variant: gpt2, train_on: web, vocab_size: [300, 400]}
  - {name: gpt2, tiktoken: gpt2}
  - {name: floor, baseline: bytes}
"""


def run(select: str, metrics: str = "[bytes_per_token]") -> Results:
    more = f"measure: {{metrics: {metrics}}}\n{select}"
    return run_suite(parse_suite(f"{HEAD}{TOKENIZERS}{more}"), Options(cache=False))


@pytest.fixture(scope="module")
def results() -> Results:
    return run("select: {d_model: 64, n_layers: 3, context: 100, candidates: [own, gpt2]}\n")


def test_the_examples_in_the_docstrings_are_right() -> None:
    for module, least in ((cost, 6), (section, 1)):
        failed, tried = doctest.testmod(module)
        assert failed == 0
        assert tried >= least


def test_worked_out_by_hand() -> None:
    model = cost.Model(d_model=4, n_layers=2, context=10, tied=False)
    assert model.other_parameters == 12 * 2 * 16
    assert model.embedding_parameters(300) == 2 * 300 * 4
    assert replace(model, tied=True).embedding_parameters(300) == 300 * 4
    assert model.training_flops(300) == 6 * (384 + 1200) + 6 * 2 * 10 * 4
    assert model.cache_bytes == 2 * 2 * 4 * 2


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(1, 64), st.integers(1, 12), st.integers(1, 512), st.integers(257, 5000), st.booleans())
def test_parameters_are_those_of_the_matrices(d: int, layers: int, context: int, rows: int, tied: bool) -> None:
    """One matrix after another, as a model would allocate them."""
    shapes = [(rows, d)] * (1 if tied else 2)
    for _ in range(layers):
        shapes += [(d, d)] * 4 + [(d, 4 * d), (4 * d, d)]  # query, key, value, output; up, down
    model = cost.Model(d, layers, context, tied)
    assert sum(a * b for a, b in shapes) == model.other_parameters + model.embedding_parameters(rows)
    multiplied = sum(a * b for a, b in shapes) - (0 if tied else rows * d)  # the input side is a look-up
    # Over a causal context a token attends to half of it on the average; scores and sums are 2 · d each.
    forward = 2 * multiplied + layers * 2 * 2 * d * context / 2
    assert model.training_flops(rows) == 3 * forward


# Table 1 of Tao et al. 2024: parameters besides the vocabulary, width, thousands of entries by the three approaches.
PUBLISHED = [
    (3e9, 3200, (39, 43, 37)),
    (7e9, 4096, (62, 67, 60)),
    (13e9, 5120, (83, 91, 81)),
    (30e9, 6048, (142, 154, 142)),
    (70e9, 8192, (212, 231, 218)),
]


@pytest.mark.parametrize(("parameters", "width", "thousands"), PUBLISHED)
def test_the_law_gives_its_published_table(parameters: float, width: int, thousands: tuple[int, ...]) -> None:
    found = [law(int(parameters), width) / 1000 for law in cost.TAO.values()]
    assert found == pytest.approx(thousands, abs=0.51)


@settings(max_examples=examples(50), deadline=None)
@given(st.integers(10**7, 10**11))
def test_the_third_approach_is_where_the_loss_is_smallest(parameters: int) -> None:
    budget = (parameters / cost._N_OF_C) ** 2 / 1e15
    n = parameters / 1e6

    def loss(v: float) -> float:
        return cost._A2 / v**cost._ALPHA2 + cost._B / (budget / (6 * (n + v))) ** cost._BETA

    found = cost.tao_parametric(parameters, 1)
    assert not isinstance(found, Undefined)
    best = found / 1e6
    assert loss(best) <= min(loss(best * 1.01), loss(best / 1.01))


def test_costs_of_a_suite(results: Results) -> None:
    assert [one.tokenizer for one in results.costs] == ["own", "gpt2"]
    for one in results.costs:
        row = results.row("web", one.tokenizer, "bytes_per_token")
        assert row is not None
        assert row.value is not None
        rows = {"own": 400, "gpt2": 50257}[one.tokenizer]
        assert one.rows == rows
        assert one.embedding_parameters == 2 * 64 * rows
        assert one.training_flops_per_byte == pytest.approx(
            (6 * (12 * 3 * 64 * 64 + rows * 64) + 6 * 3 * 100 * 64) / row.value
        )
        assert one.cache_bytes_per_byte == pytest.approx(2 * 3 * 64 * 2 / row.value)
        assert one.context_bytes == pytest.approx(100 * row.value)
    assert [one.approach for one in results.optima] == list(cost.TAO)


def test_without_candidates_all_but_baselines() -> None:
    found = run("select: {d_model: 64, n_layers: 3, context: 100, tied: true}\n")
    assert [one.tokenizer for one in found.costs] == ["own@300", "own", "gpt2"]
    assert {one.embedding_parameters for one in found.costs} == {300 * 64, 400 * 64, 50257 * 64}
    select = SelectSpec(d_model=64, n_layers=3, context=100)
    assert [t.name for t in cost.candidates(select, found.tokenizers)] == ["own@300", "own", "gpt2"]
    some = SelectSpec(d_model=64, n_layers=3, context=100, candidates=("own", "own@300"))
    assert [t.name for t in cost.candidates(some, found.tokenizers)] == ["own@300", "own"]


def test_they_are_stored_and_read_again(results: Results) -> None:
    again = parse_results(results.to_json())
    assert again.costs == results.costs
    assert again.optima == results.optima
    assert again.digest == results.digest
    assert again.model is not None
    assert again.model.d_model == 64


def test_the_section(results: Results) -> None:
    report = render(results)
    assert "## What a vocabulary costs" in report
    assert "input and output embedding not tied" in report
    assert report.count("\n| web    | `") >= 2
    assert "Assumptions:" in report
    assert "Kaplan et al. 2020" in report
    assert "Tao et al. 2024 gives" in report


def test_the_least_is_in_the_verdict(results: Results) -> None:
    flops = {one.tokenizer: one.training_flops_per_byte or 0 for one in results.costs}
    least = min(flops, key=lambda name: flops[name])
    said = f"takes the least training with `{least}` on every corpus"
    assert said in render(results).split("## ")[1]
    row = results.row("web", least, "bytes_per_token")
    assert row is not None
    unknown = replace(row, metric="unk_rate", value=0.5, low=None, high=None)
    lossy = replace(results, rows=(*results.rows, unknown))
    assert section.sentence(lossy) == ""  # one is left, and no choice


def test_many_corpora_stand_side_by_side(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "LARGE", 1)
    flops = {one.tokenizer: one.training_flops_per_byte or 0 for one in results.costs}
    least = min(flops, key=lambda name: flops[name])
    text = render(results).split("## What a vocabulary costs")[1].split("\n## ")[0]
    assert text.count("| web") == 0  # a column, and no rows of its own
    for name, value in flops.items():
        line = [line for line in text.splitlines() if line.startswith(f"| `{name}`")][-1]
        assert line.strip("|").split("|")[1].strip() == (
            f"**{section.amount(value)}**" if name == least else section.amount(value)
        )


def test_without_select_there_is_none() -> None:
    found = run("")
    assert (found.model, found.costs, found.optima) == (None, (), ())
    assert "What a vocabulary costs" not in render(found)


def test_without_bytes_per_token_it_says_so() -> None:
    found = run("select: {d_model: 64, n_layers: 3, context: 100}\n", "[tokens]")
    assert {one.undefined_reason for one in found.costs} == {"bytes_per_token was not measured (measure: metrics)"}
    assert all(one.context_bytes is None for one in found.costs)
    assert "undefined, bytes_per_token was not measured" in render(found).replace("\\", "")


def test_the_law_says_nothing_outside_its_range() -> None:
    small = list(cost.optimum_records(SelectSpec(d_model=8, n_layers=1, context=100)))
    assert [one.vocab_size for one in small] == [None] * len(cost.TAO)
    assert all("fewer than there are bytes (256)" in (one.undefined_reason or "") for one in small[:2])
    ends = cost.tao_parametric(10**30, 512)
    assert isinstance(ends, Undefined)
    assert "no minimum in the range" in ends.reason
    usual = list(cost.optimum_records(SelectSpec(d_model=2048, n_layers=24, context=4096)))
    assert all(one.vocab_size and one.undefined_reason is None for one in usual)


def test_the_section_says_why_the_law_says_nothing(results: Results) -> None:
    laws = [
        replace(results.optima[0], vocab_size=300),
        replace(results.optima[1], vocab_size=None, undefined_reason="no"),
    ]
    report = render(replace(results, optima=tuple(laws)))
    assert "300 (iso-FLOPs); undefined by derivative: no. It was fitted" in report
    report = render(replace(results, optima=tuple(laws[1:])))
    assert "in proportion: undefined by derivative: no." in report
