"""The parts of the gate: seeds, shrinking, budgets, cases, exit codes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from gate_museum import SPECIALS, STORY

import tokenizers_impl as ti
from evalkit.errors import UserError
from evalkit.gate import Coverage, Verdict, adversarial
from evalkit.gate.cases import Case, read_case, write_case
from evalkit.gate.consistency import Cell
from evalkit.gate.documents import FEW, LEAST_AMONG, LEAST_CHARACTERS, Document, Plan, Texts, cut_to, document
from evalkit.gate.ids import Ids, first_difference
from evalkit.gate.judging import SHRINK_LEAST, Patience, smallest
from evalkit.gate.paths import Setting, get_way, hard_cuts, random_cuts
from evalkit.gate.peers import Comparison
from evalkit.gate.processes import Processes
from evalkit.gate.render import coverage_phrase
from evalkit.gate.run import check_all, comparisons
from evalkit.gate.tallies import Tally, share_of
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
    assert first_difference(Ids.of([[1], [2]]), Ids.of([[1], [2], []])) == 2
    assert first_difference(Ids.of([]), Ids.of([[1]])) == 0
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
    [one] = plan.documents(texts[0])
    assert one.cut
    assert one.bytes == len(one.text) <= LEAST_CHARACTERS


def test_long_documents_are_cut_to_their_share_and_that_is_said() -> None:
    """The fault of before: what a share held was checked whole, were it megabytes for a budget of a second."""
    long = "A line of text.\r\n" * 200_000
    texts = [
        Texts.of("one", [long]),
        Texts.of("many", [f"{n} {long}" for n in range(20)]),
        Texts.of("small", ["a", "b"]),
    ]
    plan = Plan(1.0, 4, 1)
    plan.share_out(texts)
    one, many, small = (list(plan.documents(some)) for some in texts)
    assert [len(one), len(small)] == [1, 2]
    assert 10_000 < one[0].bytes <= plan.bytes_of(texts[0])
    assert one[0].text.endswith(".\r\n")
    assert 3 <= len(many) <= 15
    assert all(document.cut and document.bytes <= plan.bytes_of(texts[1]) / FEW for document in many)
    assert not any(document.cut for document in small)


def test_a_beginning_is_whole_characters_and_lines() -> None:
    def bytes_of(text: str, size: int) -> tuple[str, int, bool]:
        cut = cut_to(document(0, text, 1), size)
        return cut.text, cut.bytes, cut.cut

    assert bytes_of("äöü", 3) == ("ä", 2, True)
    assert bytes_of("äö", 1) == ("ä", 2, True)
    assert bytes_of("one two\r\nthree", 12) == ("one two\r\n", 9, True)
    assert bytes_of("one\r\n", 6) == ("one\r\n", 5, False)


def test_every_corpus_is_looked_at_before_any_share() -> None:
    texts = [Texts.of("a", ["", "", "x" * 10_000, "y" * 10_000]), Texts.of("empty", []), Texts.of("blank", ["", ""])]
    texts.append(Texts.of("short", [f"{n} " * 20 for n in range(10, 60)]))
    plan = Plan(1.0, 1, 1)
    [first], second, third, short = (plan.least(one) for one in texts)
    assert (first.number in (2, 3), first.cut, len(first.text), first.place) == (True, True, LEAST_CHARACTERS, 0.0)
    assert (second, third) == ([], [])
    assert 2 <= len(short) < LEAST_AMONG
    assert [one.number for one in short] == sorted({one.number for one in short})
    assert sum(len(one.text) for one in short) == LEAST_CHARACTERS
    assert Plan(None, 1, 1).least(texts[0]) == []


def test_coverage_is_what_went_through_each_document_once(
    tok: BPETokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long documents in part, in order of what is hardest; what came first of all isn't counted again."""
    monkeypatch.setattr(Plan, "_room", lambda plan: 30_000.0)
    texts = [
        Texts.of("long", [f"{n} lower newest. " * 5_000 for n in range(3)]),
        Texts.of("short", [f"low {n}" for n in range(200)]),
        Texts.of("hard", ["low lower. " * 2_000], 5),
    ]
    seen: dict[str, dict[int, str]] = {one.name: {} for one in texts}
    order = []

    def add(cell: Cell, documents: Sequence[Document]) -> None:
        order.append(cell.corpus)
        for one in documents:
            assert one.number not in seen[cell.corpus] or one.text.startswith(seen[cell.corpus][one.number])
            seen[cell.corpus][one.number] = one.text

    monkeypatch.setattr(Cell, "add", add)
    coverage, _ = check_all({"it": tok}, texts, {"it": []}, ["batch"], Plan(1000.0, 1, 1), 1)
    assert [one.corpus for one in coverage] == ["long", "short", "hard"]
    assert [one.documents for one in coverage] == [3, 200, 1]
    assert [one.cut for one in coverage] == [3, 0, 1]
    assert [one.bytes for one in coverage] == [sum(len(text) for text in seen[one.name].values()) for one in texts]
    assert not any(one.stopped for one in coverage)
    assert list(dict.fromkeys(order[:3])) == ["long", "short", "hard"]
    assert list(dict.fromkeys(order[3:])) == ["hard", "short", "long"]
    assert coverage_phrase(coverage[2]).startswith("hard: 1 of 1 document (1 in part), ")
    assert coverage_phrase(Coverage("web", 1, 9, 1, 100_000)).endswith("1 of 100,000 bytes (0.0010 %)")


def test_a_share_of_few_long_documents_among_short_ones_is_filled() -> None:
    """The fault of before: a share by documents alone, of which the short ones are most, held a tenth of its bytes."""
    texts = ["short"] * 300 + ["long " * 10_000] * 4
    documents = [document(number, text + str(number), 1) for number, text in enumerate(texts)]
    whole = sum(one.bytes for one in documents)
    tally = Tally(Comparison("batch", "batch", lambda texts: Ids.of([]), share=2_000))
    chosen = share_of(tally, documents, 2_000, whole)
    assert 2_000 <= sum(one.bytes for one in chosen) <= 2_500
    halves = [share_of(Tally(tally.what), some, 2_000, whole) for some in (documents[:302], documents[302:])]
    assert all(900 <= sum(one.bytes for one in half) <= 1_600 for half in halves)
    assert [len(one.text) for one in share_of(Tally(tally.what), documents[-1:], 2_000, 10**6)] == [2_000]


def test_shrinking_has_an_end_where_time_has_one() -> None:
    asked = []

    def judge(texts: list[str]) -> str | None:
        asked.append(texts)
        return "wrong" if "x" in texts[0] else None

    assert smallest(judge, ["aaxaa"]) == (["x"], "wrong")
    out = Patience(0.0)
    asked.clear()
    assert smallest(judge, ["aaxaa"], patience=out) == (["aaxaa"], "wrong")
    assert len(asked) == 2
    some = Patience.of_budget(1.0)
    assert some.left == SHRINK_LEAST
    assert smallest(judge, ["aaxaa"], patience=some) == (["x"], "wrong")
    assert 0 < (some.left or 0) < SHRINK_LEAST
    assert Patience.of_budget(None).left is None


def test_when_time_runs_out_every_corpus_has_been_looked_at(tok: BPETokenizer, tmp_path: Path) -> None:
    texts = [Texts.of(name, [f"{name} {n} " * 200 for n in range(400)]) for name in ("a", "b")]
    plan = Plan(0.000001, 1, 1)
    plan._room = lambda: 200_000.0  # type: ignore[method-assign]
    found = {"it": comparisons(tok, Setting(1, 2), ["batch"], tmp_path, 100, Processes())}
    coverage, pairs = check_all({"it": tok}, texts, found, ["batch"], plan, 1)
    assert [(one.stopped, one.documents, one.bytes) for one in coverage] == [(True, 1, LEAST_CHARACTERS)] * 2
    assert [verdict.outcome for verdict, _ in pairs] == ["pass"] * 2


def test_a_budget_bounds_training_again_and_counts_what_comes_before_the_texts() -> None:
    assert Plan(None, 1, 1).trained(5_000_000) == 5_000_000
    assert Plan(2.0, 1, 1).trained(5_000_000) < 1_000_000
    assert Plan(100.0, 1, 1).trained(5_000_000) == 5_000_000
    texts = [Texts.of("a", ["one", "two"])]
    plan = Plan(2.0, 1, 1)
    plan._began -= 1000
    plan.share_out(texts)
    plan.start_clock(texts)
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


def test_an_excuse_in_one_batch_is_none_for_the_next(tok: BPETokenizer) -> None:
    def encode(texts: Sequence[str]) -> Ids:
        rows = [tok.encode_ordinary(text) for text in texts]
        if texts[0] == "odd" or len(texts) > 1:  # the latter only when they come together
            rows[0] = [*rows[0], 1]
        return Ids.of(rows)

    theirs = Comparison("upstream", "theirs", encode, excuse=lambda text: "known" if text == "odd" else None)
    cell = Cell("it", tok, "some", [theirs], ["upstream"], of_bytes=7)
    cell.add([document(0, "odd", 0)])
    cell.add([document(1, "ab", 0), document(2, "cd", 0)])
    (verdict, _), *_ = cell.finish()
    assert (verdict.check, verdict.outcome) == ("upstream", "fail")
