"""A metric whose figures change has another version, or results that can't be compared would be."""

from __future__ import annotations

import copy
import functools

import pytest
from engines import native
from metric_goldens import HOW, Content, measured, stored, timings, unversioned

from evalkit.metrics import METRICS, PAIR_METRICS


@functools.cache
def _now() -> Content:
    native()
    return measured()


def test_figures_only_change_with_the_version_of_their_metric() -> None:
    assert unversioned(stored(), _now()) == [], f"raise `version=` of these metrics, then run: {HOW}"


def test_the_stored_figures_are_those_of_this_tree() -> None:
    before, now = stored(), _now()
    assert before["input"] == now["input"], f"the input is another; after a look at what changed, run: {HOW}"
    assert before["versions"] == now["versions"], f"run: {HOW}"


def test_every_metric_is_stored_and_has_figures() -> None:
    found = stored()
    assert set(found["versions"]) == (set(METRICS) | set(PAIR_METRICS)) - timings()
    assert set(found["values"]) == set(found["versions"])
    for name, figures in found["values"].items():
        assert any(numbers[0] is not None for numbers in figures.values()), name


def _changed(name: str, *, version: int = 0, input: bool = False) -> Content:
    found = copy.deepcopy(stored())
    key = next(key for key, numbers in found["values"][name].items() if numbers[0])
    found["values"][name][key][0] *= 1.000001
    found["versions"][name] += version
    if input:
        found["input"]["corpora"]["thai"] = "another"
    return found


@pytest.mark.parametrize("name", ["fertility", "renyi_efficiency", "agreement"])
def test_a_changed_figure_is_seen_unless_its_version_or_the_input_changed(name: str) -> None:
    (message,) = unversioned(stored(), _changed(name))
    assert message.startswith(f"{name} (version ")
    assert unversioned(stored(), _changed(name, version=1)) == []
    assert unversioned(stored(), _changed(name, input=True)) == []
    gone = copy.deepcopy(stored())
    gone["values"][name].popitem()
    assert len(unversioned(stored(), gone)) == 1
