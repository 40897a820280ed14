"""What ``evalkit compare`` says first: in what the two results were made otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from report_example import results as few_results

from evalkit.compare import Differences
from evalkit.made_otherwise import made_otherwise
from evalkit.paired import Side
from evalkit.report.compared import headline, markdown
from evalkit.results import Results

NAMES = ("small", "large")
OTHER = "other tokens, though all this is the same (variant, size, names of the training text)"


def _suite(**changes: Any) -> Callable[[Results], Results]:
    return lambda results: replace(results, suite=replace(results.suite, **changes))


def _own(**changes: Any) -> Callable[[Results], Results]:
    def changed(results: Results) -> Results:
        found = (replace(t, **changes) if t.name in NAMES else t for t in results.tokenizers)
        return replace(results, tokenizers=tuple(found))

    return changed


def _versions(results: Results) -> Results:
    versions = {"python": "3.99", "evalkit": "0.2.0", "tiktoken": "9"}
    return replace(results, environment={**results.environment, "versions": versions})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_suite(seed=18), "seed: 17 → 18"),
        (_suite(reference="small"), "reference: published → small"),
        (_suite(reference_language="de"), "reference language: none → de"),
        (_versions, "version of evalkit: 0.1.0 → 0.2.0"),  # of the others nothing is known on one side
        (_own(variant="digits3", splitter="another"), "variant of small and large: gpt2 → digits3"),
        (_own(trained_on=("web",), fingerprint="f"), "training text of small: stories → web"),
        (_own(special_tokens=()), "special tokens of small and large: <|endoftext|> → none"),
        (_own(vocab_size=2000, asked_vocab_size=3000), "vocabulary of small: 300 → 2,000"),
        (_own(asked_vocab_size=3000), "vocabulary asked for of small: 300 → 3,000"),
        (_own(fingerprint="f"), f"small and large: {OTHER}"),
    ],
)
def test_what_is_behind_the_changes_is_said(change: Callable[[Results], Results], said: str) -> None:
    lines = _headline(few_results(), change(few_results()))
    told = [line.removeprefix("What differs: ") for line in lines if line.startswith("What differs: ")]
    assert told[0] == said
    assert not any("asked for" in line for line in told if "asked for" not in said), "it follows from the vocabulary"
    assert lines.index(f"What differs: {said}") == 2, "right after A and B"
    assert f"What differs: {said.split(':')[0]}" in markdown(_found(few_results(), change(few_results())))


def test_of_equal_results_nothing_is_said_and_of_others_that_it_is_not_on_record() -> None:
    assert not any("What differs" in line for line in _headline(few_results(), few_results()))
    fewer = replace(few_results(), tokenizers=few_results().tokenizers[1:])
    assert "What differs: nothing on record of what both have" in _headline(few_results(), fewer)


def test_patterns_are_cut_and_told_apart_by_their_digest() -> None:
    one, two = (_own(splitter=f"{'x' * 90} {digest}")(few_results()) for digest in ("a" * 16, "b" * 16))
    (line,) = (line for line in _headline(one, two) if line.startswith("What differs"))
    assert line.startswith("What differs: split pattern of small and large: xxxxx")
    assert line.endswith("b" * 16)
    assert "a" * 16 in line
    assert "x" * 60 not in line


def test_what_is_not_known_on_one_side_is_no_difference() -> None:
    unknown = _own(splitter=None, fingerprint=None)(few_results())
    assert made_otherwise(_own(splitter="x", fingerprint="f")(few_results()), unknown) == ()


def _found(one: Results, two: Results) -> Differences:
    return Differences(Side("A", one, {}), Side("B", two, {}), (), (), (), made_otherwise(one, two))


def _headline(one: Results, two: Results) -> list[str]:
    return headline(_found(one, two))
