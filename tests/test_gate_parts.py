"""The parts of the gate: seeds, shrinking, budgets, cases, exit codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gate_museum import SPECIALS, STORY

import tokenizers_impl as ti
from evalkit.errors import UserError
from evalkit.gate import Coverage, Verdict, adversarial
from evalkit.gate.cases import Case, read_case, write_case
from evalkit.gate.documents import LATE_CHARACTERS, Plan, Texts
from evalkit.gate.ids import Ids, first_difference
from evalkit.gate.paths import Setting, get_way, hard_cuts, random_cuts
from evalkit.gate.processes import Processes
from evalkit.gate.run import check_all, comparisons
from evalkit.gate.verdicts import CONSISTENCY, chosen_checks, exit_code
from evalkit.suite_gate import CONSISTENCY_CHECKS
from tokenizers_impl import BPETokenizer


@pytest.fixture(scope="module")
def tok() -> BPETokenizer:
    return ti.train(STORY * 20, "gpt2", 300, SPECIALS)


def test_the_suite_knows_the_checks() -> None:
    assert tuple(CONSISTENCY) == CONSISTENCY_CHECKS
    assert chosen_checks(["reference", "batch"]) == ("batch", "reference")
    assert chosen_checks(None) == CONSISTENCY_CHECKS
    with pytest.raises(UserError, match="no check 'nothing'"):
        chosen_checks(["nothing"])


def test_seeds_are_reproducible() -> None:
    assert adversarial.generate(7, 5000) == adversarial.generate(7, 5000)
    assert adversarial.generate(7, 5000) != adversarial.generate(8, 5000)
    assert adversarial.generate(7, 900, ["<x>"]) == adversarial.generate(7, 5000, ["<x>"])[: len(
        adversarial.generate(7, 900, ["<x>"])
    )]  # fmt: skip
    assert random_cuts("some text\U0001f642", 3) == random_cuts("some text\U0001f642", 3)


def test_generated_text_has_everything() -> None:
    text = "".join(adversarial.generate(2, 200_000, SPECIALS))
    for group in (adversarial.BLANKS, adversarial.MARKS, adversarial.BORDERS, adversarial.CONTROLS):
        assert not set(group) - set(text)
    for one in (*adversarial.EMOJI, *SPECIALS, "\r\n", "\ud83d"):
        assert one in text
    assert len(set(adversarial.digits()) & set(text)) > len(adversarial.digits()) // 2
    assert len(adversarial.digits()) > 650


def test_cuts_join_to_the_text() -> None:
    for text in adversarial.generate(3, 3000):
        assert "".join(random_cuts(text, 1)) == text
        assert "".join(hard_cuts(text, SPECIALS)) == text
    assert hard_cuts("") == []
    assert hard_cuts("e\u0301 12 don't\r\n\n", ()) == ["e", "\u0301 1", "2 don", "'t\r", "\n", "\n"]
    assert hard_cuts("<s><s>", ("<s>",)) == ["<", "s", "><", "s", ">"]


def test_shrinking_is_minimal() -> None:
    text = "x" * 1000 + "ab" + "y" * 1000 + "c"
    assert adversarial.shrink(text, lambda t: "ab" in t and "c" in t) == "abc"
    assert adversarial.shrink("abc", lambda t: True) == ""
    assert adversarial.shrink_list(list("abcdef"), lambda some: {"b", "e"} <= set(some)) == ["b", "e"]
    assert len(adversarial.shrink(text, lambda t: "ab" in t, budget=10)) == len(text)


def test_ways_have_names() -> None:
    assert get_way("3 threads").name == "3 threads"
    assert get_way("batch").check == "batch"
    with pytest.raises(UserError, match="did you mean 'batch'"):
        get_way("bach")


def test_first_difference_sees_lengths() -> None:
    assert first_difference(Ids.of([[1, 2], [3]]), Ids.of([[1], [2, 3]])) == 0
    assert first_difference(Ids.of([[1], [2]]), Ids.of([[1], [2], []])) == 1
    assert first_difference(Ids.of([]), Ids.of([])) is None


def test_a_budget_takes_a_seeded_share_and_says_so() -> None:
    texts = [Texts.of("big", [f"document {n} " * 50 for n in range(5000)]), Texts.of("small", ["a", "b"])]

    def chosen(seed: int) -> list[list[int]]:
        plan = Plan(1.0, 4, seed)
        plan.share_out(texts)
        return [[one.number for one in plan.documents(some)] for some in texts]

    big, small = chosen(1)
    assert small == [0, 1]
    assert 20 < len(big) < 2500
    assert chosen(1) == [big, small]
    assert chosen(2)[0] != big


def test_a_budget_takes_one_document_at_least() -> None:
    texts = [Texts.of("big", ["word " * 100_000, "other " * 100_000])]
    plan = Plan(0.000001, 1, 1)
    plan.share_out(texts)
    assert len(list(plan.documents(texts[0]))) == 1


def test_when_time_runs_out_every_corpus_has_been_looked_at(tok: BPETokenizer, tmp_path: Path) -> None:
    texts = [Texts.of(name, [f"{name} {n} " * 200 for n in range(400)]) for name in ("a", "b")]
    plan = Plan(0.000001, 1, 1)
    plan._room = lambda: 200_000.0  # type: ignore[method-assign]
    found = {"it": comparisons(tok, Setting(1, 2), ["batch"], tmp_path, 100, Processes())}
    coverage, pairs = check_all({"it": tok}, texts, found, ["batch"], plan, 1)
    assert [(one.stopped, one.documents, one.bytes) for one in coverage] == [(True, 1, LATE_CHARACTERS)] * 2
    assert [verdict.outcome for verdict, _ in pairs] == ["pass"] * 2


def test_a_budget_bounds_training_again_and_counts_what_comes_before_the_texts() -> None:
    assert Plan(None, 1, 1).trained(5_000_000) == 5_000_000
    assert Plan(2.0, 1, 1).trained(5_000_000) < 1_000_000
    assert Plan(100.0, 1, 1).trained(5_000_000) == 5_000_000
    texts = [Texts.of("a", ["one", "two"])]
    plan = Plan(2.0, 1, 1)
    plan._began -= 1000
    plan.share_out(texts)
    assert not plan.late(texts[0])  # a part of the budget is left for texts
    plan._deadlines["a"] -= 1
    assert plan.late(texts[0])


def test_exit_codes() -> None:
    def code(*outcomes: Any) -> int:
        return exit_code(Verdict("batch", "t", "c", one, "why") for one in outcomes)

    assert code("pass", "not_measured") == 0
    assert code("pass", "fail", "missing") == 1
    assert code("pass", "missing") == code("pass", "incomparable") == 2
    assert code() == code("not_measured") == 2


def test_a_verdict_needs_its_reason() -> None:
    with pytest.raises(ValueError, match="needs its reason"):
        Verdict("batch", "t", "c", "missing")
    with pytest.raises(ValueError, match="no check"):
        Verdict("bach", "t", "c", "pass")


def test_a_damaged_case_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    with pytest.raises(UserError, match="can't be read"):
        read_case(path)
    for content, says in (
        ("{", "not JSON"),
        ("[]", "not a failure"),
        ('{"format": "evalkit-gate-failure"}', "version"),
    ):
        path.write_text(content)
        with pytest.raises(UserError, match=says):
            read_case(path)


def test_halves_of_surrogate_pairs_survive_the_file(tmp_path: Path) -> None:
    case = Case("t", "c", "batch", "batch", ("\ud83d", "é\x00"), 1, "why")
    assert read_case(write_case(case, tmp_path / "1.json")) == case


def test_coverage_has_a_share_of_nothing() -> None:
    assert Coverage("empty", 0, 0, 0, 0).share == 1.0
