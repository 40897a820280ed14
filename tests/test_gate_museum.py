"""The gate against a museum of encoders that are wrong, each caught by the check meant for it; and sound ones pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from gate_museum import (
    SPECIALS,
    STORY,
    AddedBegin,
    CutAnywhere,
    CutOffInFile,
    CutsSpecialsInCore,
    CutsWordsInCore,
    DiesElsewhere,
    Droppings,
    Folded,
    Forgetful,
    HangsElsewhere,
    InvalidDropped,
    LongBatch,
    LongestMatch,
    Naive,
    NextStartStays,
    NoFinalNewline,
    Normalised,
    OldIdsInFullCache,
    OtherIds,
    OtherProcess,
    PickledWithoutMerges,
    PieceByPiece,
    RacingThreads,
    Raises,
    ReplacedInFile,
    ShorterFirst,
    ShuffledBatch,
    SpecialsInPretokens,
    SplitCharacters,
    StaleCache,
    Swapped,
    TakesAnySpecial,
    TokenByToken,
    gate,
    texts_of,
)

import tokenizers_impl as ti
from evalkit.gate import peers
from evalkit.gate.cases import read_case, write_case
from evalkit.gate.documents import Plan, Texts
from evalkit.gate.rerun import rerun
from evalkit.gate.run import check_all
from evalkit.gate.verdicts import CONSISTENCY, exit_code
from tokenizers_impl import BPETokenizer


@pytest.fixture(scope="module")
def tok() -> BPETokenizer:
    text = STORY * 20 + "aaaa bbb don't 12345 é\u0301 中文字 \r\n\r\n  x\n" * 10
    return ti.train(text, "gpt2", 340, SPECIALS)


MUSEUM: list[tuple[Callable[[BPETokenizer], Any], str, str, int]] = [
    # fault, the check meant for it, what its divergence or detail says, the longest smallest text
    (PieceByPiece, "streamed", "ids changed", 4),
    (LongestMatch, "reference", "ids changed", 12),
    (TokenByToken, "round_trip", "text lost by decode", 2),
    (Swapped, "reference", "text lost by document by document", 4),
    (Swapped, "byte_audit", "text lost", 4),
    (OtherIds, "threads", "text lost", 1),
    (NoFinalNewline, "round_trip", "text lost", 1),
    (Droppings, "round_trip", "text lost", 1),
    (Droppings, "byte_audit", "text lost", 1),
    (InvalidDropped, "round_trip", "text lost", 1),
    (Folded, "round_trip", "text lost", 2),
    (Normalised, "round_trip", "text lost", 2),
    (AddedBegin, "plain_text", "the special token '<s>'", 0),
    (SpecialsInPretokens, "specials", "ids changed", 4),
    (ShorterFirst, "specials", "ids changed", 4),
    (CutAnywhere, "chunked", "ids changed", 4),
    (NextStartStays, "chunked", "text lost by parallel", 7),
    (CutsWordsInCore, "chunked", "in the smallest blocks: ids changed", 3),
    (CutsSpecialsInCore, "specials", "in the smallest blocks, all allowed: ids changed", 3),
    (OldIdsInFullCache, "cache", "overflowing, of 256 bytes: text lost", 16),
    (SplitCharacters, "count", "only counts changed", 21),
    (CutOffInFile, "save_load", "another fingerprint", 0),
    (Forgetful, "batch", "text lost", 1),
    (RacingThreads, "threads", "text lost", 12),
    (ReplacedInFile, "save_load", "another vocabulary", 0),
    (StaleCache, "cache", "text lost", 70),
    (PickledWithoutMerges, "processes", "pickled: ids changed", 12),
    (OtherProcess, "processes", "text lost", 1),
    (DiesElsewhere, "processes", "ended with code 7", 1),
    (Raises, "round_trip", "OverflowError: too wide, for the text '\\u4e2d'", 1),
    (ShuffledBatch, "batch", "it takes 4 texts in one call", 80),
    (LongBatch, "batch", "a number of results that isn't that of texts: 2 for 1, for the text ''", 0),
    (TakesAnySpecial, "specials", "and didn't raise, for the text '<s>'", 3),
]


@pytest.mark.parametrize(
    ("fault", "check", "says", "longest"), MUSEUM, ids=[f"{fault.__name__}-{check}" for fault, check, *_ in MUSEUM]
)
def test_every_fault_is_caught_by_the_check_meant_for_it(
    fault: Any, check: str, says: str, longest: int, tok: BPETokenizer, tmp_path: Path
) -> None:
    tokenizer = fault(tok)
    failed = [(v, case) for v, case in gate(tokenizer, tmp_path, [check]) if v.outcome == "fail"]
    assert failed, f"{fault.__name__} passed {check}"
    verdict, case = failed[-1]
    assert says in verdict.detail
    assert exit_code([verdict]) == 1
    if case is not None:
        assert len(case.texts) > 1 or len(case.texts[0]) <= longest, case.texts
        saved = read_case(write_case(case, tmp_path / "case.json"))
        assert saved == case
        assert rerun(saved, tokenizer).outcome == "fail"
        assert rerun(saved, tok).outcome == "pass"


@pytest.mark.parametrize("variant", ["sound", "naive"])
def test_a_sound_tokenizer_passes_everything(variant: str, tok: BPETokenizer, tmp_path: Path) -> None:
    verdicts = [v for v, _ in gate(tok if variant == "sound" else Naive(tok), tmp_path)]
    assert {v.check for v in verdicts} == set(CONSISTENCY) - {"training"}  # which takes a suite
    assert {(v.check, v.outcome, v.detail) for v in verdicts if v.outcome != "pass"} == {
        ("upstream", "not_measured", "it comes from no other library")
    }
    assert all(v.documents and v.bytes for v in verdicts if v.outcome == "pass")


def test_a_mistake_on_one_path_blames_that_path_alone(tok: BPETokenizer, tmp_path: Path) -> None:
    failed = {v.check for v, _ in gate(PieceByPiece(tok), tmp_path) if v.outcome == "fail"}
    assert failed == {"streamed", "specials"}
    verdict = next(v for v, _ in gate(OtherIds(tok), tmp_path, ["batch", "threads"]) if v.outcome == "fail")
    assert "failed as well: 2 threads" in verdict.detail
    right, _, wrong = verdict.detail.partition("agree on it: ")[2].partition(";")[0].partition(" | ")
    assert right.startswith("document by document = batch")
    assert wrong == "1 thread = 2 threads"


def test_where_all_agree_against_the_truth_that_is_seen(tok: BPETokenizer, tmp_path: Path) -> None:
    class AloneWrong(Naive):
        def encode_batch(self, texts: Sequence[str], threads: int | None = None, **specials: Any) -> list[list[int]]:
            return tok.encode_batch(list(texts), threads, **specials)

        def encode_ordinary_batch(self, texts: Sequence[str], threads: int | None = None) -> tuple[Any, Any]:
            return tok.encode_ordinary_batch(list(texts), threads)

        def encode_ordinary(self, text: str) -> list[int]:
            return tok.encode_ordinary(text.replace("low", "wol"))

    verdict = next(v for v, _ in gate(AloneWrong(tok), tmp_path, ["batch", "threads"]) if v.outcome == "fail")
    assert "agree on it: document by document | batch = batches of seven" in verdict.detail


def test_a_divergence_says_where(tok: BPETokenizer, tmp_path: Path) -> None:
    verdict = next(v for v, _ in gate(Swapped(tok), tmp_path, ["reference"]) if v.outcome == "fail")
    found = verdict.divergence
    assert found is not None
    assert (found.kind, found.byte, found.document) == ("text lost", 0, 0)
    assert found.document_byte == min(STORY.index(" the"), STORY.index(" low"))
    assert f"first in document 0 at byte {found.document_byte}" in verdict.detail
    assert (found.left.count, found.right.count) == (1, 1)
    assert found.text in (" the", " low")
    assert found.pretoken == found.text
    assert found.right.tokens == (found.text.encode(),)
    assert found.left.ids == (Swapped(tok).encode_ordinary(found.text)[0],)


def test_two_swapped_ids_are_seen_by_the_equal_tokenizer(tok: BPETokenizer, tmp_path: Path) -> None:
    """Swapped everywhere, in the vocabulary as well, the tokenizer agrees with itself on every path."""
    one, other = tok.encode_ordinary(" the")[0], tok.encode_ordinary(" low")[0]
    places = {one: other, other: one}
    ordinary = {places.get(i, i): t for i, t in tok.vocab.items() if i not in tok.special_tokens.values()}
    swapped = BPETokenizer(ordinary, tok.merges, tok.special_tokens, tok.variant)
    assert {v.outcome for v, _ in gate(swapped, tmp_path)} == {"pass", "not_measured"}
    found = {"it": peers.of_equivalent(swapped, tok, "the right one")}
    pairs = check_all({"it": swapped}, texts_of(STORY), found, (), Plan(None, 1, 1), 1)[1]
    verdict, case = pairs[0]
    assert (verdict.check, verdict.outcome) == ("equivalent", "fail")
    assert verdict.detail.startswith("the right one: ids changed: 1 on both sides")
    assert case is not None
    assert case.texts[0] in (" the", " low")


def test_a_failure_of_texts_together_keeps_them_together(tok: BPETokenizer, tmp_path: Path) -> None:
    pairs = gate(Forgetful(tok), tmp_path, ["batch"])
    case = next(case for v, case in pairs if v.outcome == "fail" and case is not None)
    assert len(case.texts) == 4


def test_what_a_tokenizer_lacks_is_not_measured(tok: BPETokenizer, tmp_path: Path) -> None:
    plain = ti.train(STORY * 5, "gpt2", 300)
    outcomes = {v.check: v for v, _ in gate(plain, tmp_path) if v.corpus == "text"}
    for check in ("specials", "plain_text"):
        assert outcomes[check].outcome == "not_measured"
        assert outcomes[check].detail == "it has no special tokens"
    assert exit_code(outcomes.values()) == 0


def test_differences_by_unicode_version_are_listed_and_no_fault(tmp_path: Path, monkeypatch: Any) -> None:
    tokenizer = ti.from_tiktoken("gpt2")
    pairs = gate(tokenizer, tmp_path, ["upstream"])
    assert {v.outcome for v, _ in pairs} == {"pass"}

    class Older:  # takes U+0378, which Unicode 16 doesn't assign, for a letter
        def encode_ordinary(self, text: str) -> list[int]:
            return (
                tokenizer.encode_ordinary(text.replace("\u0378", "\u03b1"))
                if "x" in text
                else [*tokenizer.encode_ordinary(text)]
            )

        def encode(self, text: str, **_: Any) -> list[int]:
            return tokenizer.encode(text.replace("\u0378", "\u03b1"), allowed_special="all")

    monkeypatch.setattr(peers.tiktoken_adapter, "upstream", lambda _: Older())
    verdicts = [v for v, _ in gate(tokenizer, tmp_path, ["upstream"], [Texts.of("text", ["ax\u0378", "fine"])])]
    assert [v.outcome for v in verdicts] == ["pass"]
    assert "1 document differs" in verdicts[0].detail
    assert "Unicode version: 16.0.0 doesn't assign U+0378" in verdicts[0].detail

    class Wrong(Older):
        def encode_ordinary(self, text: str) -> list[int]:
            return tokenizer.encode_ordinary(text.replace("\u0378", "\u03b1"))[::-1]

    monkeypatch.setattr(peers.tiktoken_adapter, "upstream", lambda _: Wrong())
    verdicts = [v for v, _ in gate(tokenizer, tmp_path, ["upstream"], [Texts.of("text", ["ax\u0378 b"])])]
    assert [v.outcome for v in verdicts] == ["fail"]


def test_a_process_that_gives_no_answer_has_failed(tok: BPETokenizer, tmp_path: Path) -> None:
    texts = [Texts.of("text", [STORY])]
    failed = [v for v, _ in gate(HangsElsewhere(tok), tmp_path, ["processes"], texts, 0.3) if v.outcome == "fail"]
    assert [v.check for v in failed] == ["processes"]
    assert "gave no answer" in failed[0].detail
