"""The gate: a museum of encoders that are wrong, each caught by the check meant for it; and sound ones pass."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tokenizers_impl as ti
from evalkit.errors import UserError
from evalkit.gate import GateOptions, GateReport, Verdict, adversarial, peers, run_gate
from evalkit.gate.cases import Case, read_case, write_case
from evalkit.gate.documents import Plan, Texts
from evalkit.gate.paths import Setting, cut_specials, first_difference, get_way, pack, random_cuts
from evalkit.gate.rerun import rerun, rerun_file
from evalkit.gate.run import check_all, comparisons
from evalkit.gate.verdicts import CONSISTENCY, Coverage, chosen_checks, exit_code
from evalkit.suite import load_suite, parse_suite
from evalkit.suite_schema import CONSISTENCY_CHECKS
from tokenizers_impl import BPETokenizer

SPECIALS = ("<s>", "<s>>", "<|end|>")
STORY = "The low lower lowest newer newest wide widest thing is lower than the newest. "


@pytest.fixture(scope="module")
def tok() -> BPETokenizer:
    text = STORY * 20 + "aaaa bbb don't 12345 é\u0301 中文字 \r\n\r\n  x\n" * 10
    return ti.train(text, "gpt2", 340, SPECIALS)


class Naive:
    """A tokenizer in which every path goes through ``encode_ordinary``, so that one mistake there is on all of
    them, and a mistake elsewhere is on one alone. What isn't said here is the sound tokenizer's."""

    def __init__(self, sound: BPETokenizer) -> None:
        self.sound = sound

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sound, name)

    def encode_ordinary(self, text: str) -> list[int]:
        return self.sound.encode_ordinary(text)

    def encode(self, text: str, allowed_special: Any = frozenset(), disallowed_special: Any = "all") -> list[int]:
        if allowed_special != "all":
            if disallowed_special == "all" and any(special in text for special in self.special_tokens):
                raise ValueError("a special token")
            return self.encode_ordinary(text)
        ids: list[int] = []
        for piece, special in cut_specials(text, list(self.special_tokens)):
            ids += [self.special_tokens[piece]] if special else self.encode_ordinary(piece)
        return ids

    def encode_batch(self, texts: Sequence[str], threads: int | None = None, **specials: Any) -> list[list[int]]:
        return [self.encode(text, **specials) for text in texts]

    def encode_ordinary_batch(self, texts: Sequence[str], threads: int | None = None) -> tuple[Any, Any]:
        return pack([self.encode_ordinary(text) for text in texts])

    def encode_parallel(self, text: str, threads: int | None = None) -> Any:
        return np.array(self.encode_ordinary(text), dtype=np.int64)

    def encode_iterable(self, chunks: Iterable[str], **specials: Any) -> Iterator[int]:
        yield from self.encode("".join(chunks), **specials)

    def count(self, text: str) -> int:
        return len(self.encode_ordinary(text))


# ── the museum ──────────────────────────────────────────────────────────────────────────────────────────────


class PieceByPiece(Naive):
    def encode_iterable(self, chunks: Iterable[str], **specials: Any) -> Iterator[int]:
        for chunk in chunks:
            yield from self.encode(chunk, **specials)


class LongestMatch(Naive):
    """The longest token that fits, again and again, instead of merging by rank."""

    def encode_ordinary(self, text: str) -> list[int]:
        known = {token: i for i, token in self.vocab.items() if i not in self.special_tokens.values()}
        ids = []
        for pretoken in self.pretokenize(text):
            raw = pretoken.encode()
            while raw:
                size = next(n for n in range(len(raw), 0, -1) if raw[:n] in known)
                ids.append(known[raw[:size]])
                raw = raw[size:]
        return ids


class TokenByToken(Naive):
    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        return "".join(self.sound.decode([i], errors) for i in ids)


class Swapped(Naive):
    """Two ids changed places in the encoder, and in the decoder too, so that everything comes back."""

    def __init__(self, sound: BPETokenizer) -> None:
        super().__init__(sound)
        self.one, self.other = sound.encode_ordinary(" the")[0], sound.encode_ordinary(" low")[0]
        assert self.one != self.other

    def swap(self, ids: Iterable[int]) -> list[int]:
        return [{self.one: self.other, self.other: self.one}.get(i, i) for i in ids]

    def encode_ordinary(self, text: str) -> list[int]:
        return self.swap(self.sound.encode_ordinary(text))

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        return self.sound.decode_bytes(self.swap(ids))

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        return self.sound.decode(self.swap(ids), errors)


class OtherIds(Naive):
    """The right number of ids on threads, and other ones."""

    def encode_ordinary_batch(self, texts: Sequence[str], threads: int | None = None) -> tuple[Any, Any]:
        flat, offsets = super().encode_ordinary_batch(texts)
        return np.where(flat == 32, 33, flat), offsets


class NoFinalNewline(Naive):
    def encode_ordinary(self, text: str) -> list[int]:
        return self.sound.encode_ordinary(text.removesuffix("\n"))


class Droppings(Naive):
    """What has no letter of ASCII or Latin-1 is skipped, as with ``errors="ignore"``."""

    def encode_ordinary(self, text: str) -> list[int]:
        return self.sound.encode_ordinary(text.encode("latin-1", "ignore").decode("latin-1"))


class Folded(Naive):
    def encode_ordinary(self, text: str) -> list[int]:
        return self.sound.encode_ordinary(text.replace("\r\n", "\n"))


class Normalised(Naive):
    def encode_ordinary(self, text: str) -> list[int]:
        return self.sound.encode_ordinary(unicodedata.normalize("NFC", text))


class AddedBegin(Naive):
    def encode_ordinary(self, text: str) -> list[int]:
        return [self.special_tokens["<s>"], *self.sound.encode_ordinary(text)]


class SpecialsInPretokens(Naive):
    """Pretokens are cut first, and a special token is seen only where it is one."""

    def encode(self, text: str, allowed_special: Any = frozenset(), disallowed_special: Any = "all") -> list[int]:
        if allowed_special != "all":
            return super().encode(text, allowed_special, disallowed_special)
        ids: list[int] = []
        for pretoken in self.pretokenize(text):
            special = self.special_tokens.get(pretoken)
            ids += [special] if special is not None else self.encode_ordinary(pretoken)
        return ids


class ShorterFirst(Naive):
    def encode(self, text: str, allowed_special: Any = frozenset(), disallowed_special: Any = "all") -> list[int]:
        if allowed_special != "all":
            return super().encode(text, allowed_special, disallowed_special)
        ids: list[int] = []
        while text:
            found = sorted((text.find(s), len(s), s) for s in self.special_tokens if s in text)
            at, _, special = found[0] if found else (len(text), 0, "")
            ids += self.encode_ordinary(text[:at])
            ids += [self.special_tokens[special]] if special else []
            text = text[at + len(special) :]
        return ids


class CutAnywhere(Naive):
    """For the threads, the text is cut where a character starts."""

    def encode_parallel(self, text: str, threads: int | None = None) -> Any:
        size = max(1, len(text) // 8)
        parts = [text[start : start + size] for start in range(0, len(text), size)]
        return np.array([i for part in parts for i in self.encode_ordinary(part)], dtype=np.int64)


class SplitCharacters(Naive):
    """The batch is right, its count says one more for long texts."""

    def count(self, text: str) -> int:
        return super().count(text) + (len(text) > 20)


class CutOffInFile(Naive):
    """The file holds all but the last merges."""

    def save(self, path: Path, format: str = "evalkit") -> Path:
        whole = self.sound
        ordinary = {i: t for i, t in whole.vocab.items() if i not in whole.special_tokens.values()}
        return BPETokenizer(ordinary, whole.merges[:-3], whole.special_tokens, whole.variant).save(path, format)


class Forgetful(Naive):
    """A shared buffer that another thread has overwritten: the last text of a batch gets the ids of the first."""

    def encode_batch(self, texts: Sequence[str], threads: int | None = None, **specials: Any) -> list[list[int]]:
        rows = super().encode_batch(texts, threads, **specials)
        return [*rows[:-1], rows[0]] if len(rows) > 3 else rows


class Raises(Naive):
    def encode_ordinary(self, text: str) -> list[int]:
        if "中" in text:
            raise OverflowError("too wide")
        return self.sound.encode_ordinary(text)


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
    (Folded, "round_trip", "text lost", 2),
    (Normalised, "round_trip", "text lost", 2),
    (AddedBegin, "plain_text", "the special token '<s>'", 0),
    (SpecialsInPretokens, "specials", "ids changed", 4),
    (ShorterFirst, "specials", "ids changed", 4),
    (CutAnywhere, "chunked", "ids changed", 4),
    (SplitCharacters, "count", "only counts changed", 21),
    (CutOffInFile, "save_load", "another fingerprint", 0),
    (Forgetful, "batch", "text lost", 1),
    (Raises, "round_trip", "OverflowError: too wide", 1),
]


def texts_of(*texts: str) -> list[Texts]:
    return [Texts.of("text", texts), Texts.of("generated", adversarial.generate(1, 15_000, SPECIALS), 5)]


def gate(
    tokenizer: Any, folder: Path, checks: Sequence[str] = tuple(CONSISTENCY), texts: list[Texts] | None = None
) -> list[tuple[Verdict, Case | None]]:
    found = {"it": comparisons(tokenizer, Setting(1, 2), checks, folder, 4000)}
    plan = Plan(None, 1, 1)
    some = texts if texts is not None else texts_of(STORY, STORY * 3, "a<s>b", "one\r\ntwo\n", "")
    return check_all({"it": tokenizer}, some, found, checks, plan, 1)[1]


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
    assert {v.check for v in verdicts} == set(CONSISTENCY)
    assert {(v.check, v.outcome, v.detail) for v in verdicts if v.outcome != "pass"} == {
        ("upstream", "not_measured", "it comes from no other library")
    }
    assert all(v.documents and v.bytes for v in verdicts if v.outcome == "pass")


def test_a_mistake_on_one_path_blames_that_path_alone(tok: BPETokenizer, tmp_path: Path) -> None:
    failed = {v.check for v, _ in gate(PieceByPiece(tok), tmp_path) if v.outcome == "fail"}
    assert failed == {"streamed", "specials"}
    verdict = next(v for v, _ in gate(OtherIds(tok), tmp_path, ["threads"]) if v.outcome == "fail")
    assert "so do 2 threads" in verdict.detail


def test_a_divergence_says_where(tok: BPETokenizer, tmp_path: Path) -> None:
    verdict = next(v for v, _ in gate(Swapped(tok), tmp_path, ["reference"]) if v.outcome == "fail")
    found = verdict.divergence
    assert found is not None
    assert (found.kind, found.byte, found.document) == ("text lost", 0, 0)
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
    found = {"it": [peers.of_equivalent(tok, "the right one")]}
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
    assert "1 documents differ" in verdicts[0].detail
    assert "Unicode version: 16.0.0 doesn't assign U+0378" in verdicts[0].detail

    class Wrong(Older):
        def encode_ordinary(self, text: str) -> list[int]:
            return tokenizer.encode_ordinary(text.replace("\u0378", "\u03b1"))[::-1]

    monkeypatch.setattr(peers.tiktoken_adapter, "upstream", lambda _: Wrong())
    verdicts = [v for v, _ in gate(tokenizer, tmp_path, ["upstream"], [Texts.of("text", ["ax\u0378 b"])])]
    assert [v.outcome for v in verdicts] == ["fail"]


# ── parts ───────────────────────────────────────────────────────────────────────────────────────────────────


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
    assert first_difference(pack([[1, 2], [3]]), pack([[1], [2, 3]])) == 0
    assert first_difference(pack([[1], [2]]), pack([[1], [2], []])) == 1
    assert first_difference(pack([]), pack([])) is None


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
    texts = [Texts.of(name, [f"{name} {n} " * 100 for n in range(400)]) for name in ("a", "b")]
    plan = Plan(0.000001, 1, 1)
    plan._room = lambda: 200_000.0  # type: ignore[method-assign]
    found = {"it": comparisons(tok, Setting(1, 2), ["batch"], tmp_path, 100)}
    coverage, pairs = check_all({"it": tok}, texts, found, ["batch"], plan, 1)
    assert [(one.stopped, 0 < one.documents < 400) for one in coverage] == [(True, True)] * 2
    assert [verdict.outcome for verdict, _ in pairs] == ["pass"] * 2


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


# ── whole suites ────────────────────────────────────────────────────────────────────────────────────────────

SUITE = """
version: 1
name: small
seed: 3
corpora:
  a: {files: [a.txt], separator: "\\n"}
  b: {files: [b.txt], separator: "\\n"}
tokenizers:
  - {name: one, variant: gpt2, train_on: a, vocab_size: 300, special_tokens: ["<s>"]}
  - {name: two, variant: gpt2, train_on: a, vocab_size: 300, special_tokens: ["<s>"]}
  - {name: other, variant: digit1, train_on: b, vocab_size: [258, 260]}
  - {name: floor, baseline: bytes}
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.txt").write_text("\n".join(f"low lower {n} lowest" for n in range(60)), encoding="utf-8")
    (tmp_path / "b.txt").write_text("\n".join(f"newer {n} 新的 newest" for n in range(60)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def run(gate_part: str = "", **options: Any) -> GateReport:
    return run_gate(parse_suite(SUITE + (f"gate: {gate_part}\n" if gate_part else "")), GateOptions(**options))


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little generated text, for tests that are about something else."""
    monkeypatch.setattr("evalkit.gate.run.GENERATED_BYTES", 500)


def test_a_small_suite_passes(small: Path) -> None:
    seen: list[str] = []
    report = run_gate(parse_suite(SUITE), GateOptions(), lambda stage, done, total: seen.append(stage))
    assert report.exit_code == 0
    assert {v.corpus for v in report.verdicts} == {"a", "b", "hostile", "generated"}
    assert {v.tokenizer for v in report.verdicts} == {"one", "two", "other@258", "other"}
    assert report.notes == ("floor is a baseline and has no paths to compare",)
    assert not (small / "gate-failures").exists()
    assert {"gate a", "gate generated"} <= set(seen)
    assert all(one.share == 1.0 for one in report.coverage)


def test_the_suite_selects_checks(small: Path, light: None) -> None:
    report = run("{consistency: [batch, round_trip]}")
    assert {v.check for v in report.verdicts} == {"batch", "round_trip"}


def test_a_budget_is_covered_by_what_it_says(small: Path, light: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("evalkit.gate.documents", fromlist=["PACE"]).PACE, "native", 30_000)
    report = run("{consistency: [batch, reference]}", budget=1.0)
    hostile = next(one for one in report.coverage if one.corpus == "hostile")
    assert 0 < hostile.documents < hostile.of_documents
    assert 0 < hostile.share < 0.5 or hostile.documents == 1
    again = run("{consistency: [batch, reference]}", budget=1.0)
    assert [replace(one, stopped=False) for one in again.coverage if not one.stopped] == [
        replace(one, stopped=False) for one in report.coverage if not one.stopped
    ]


def test_equivalent_tokenizers(small: Path, light: None) -> None:
    report = run("{consistency: [count], equivalent: [[one, two]]}")
    assert report.exit_code == 0
    assert {v.tokenizer for v in report.verdicts if v.check == "equivalent"} == {"one"}
    report = run("{consistency: [count], equivalent: [[one, two, other]]}")
    failed = report.of("fail")
    assert {(v.check, v.tokenizer) for v in failed} == {("equivalent", "one")}
    assert all(v.detail.startswith("other: ids changed") for v in failed)
    assert report.exit_code == 1
    case = failed[0].case
    assert case == str(Path("gate-failures/1.json"))


def test_a_failure_is_run_again_from_its_file(small: Path, light: None) -> None:
    suite = small / "suite.yaml"
    suite.write_text(SUITE + "gate: {consistency: [count], equivalent: [[one, other]]}\n")
    report = run_gate(load_suite(suite), GateOptions(failures=small / "failures"))
    assert sorted(path.name for path in (small / "failures").iterdir()) == [
        f"{number}.json" for number in range(1, len(report.of("fail")) + 1)
    ]
    verdict, changed = rerun_file(small / "failures" / "1.json")
    assert (verdict.outcome, changed) == ("fail", None)
    suite.write_text(suite.read_text().replace("vocab_size: 300", "vocab_size: 262"))
    assert "fingerprint" in (rerun_file(small / "failures" / "1.json")[1] or "")


def test_coverage_has_a_share_of_nothing() -> None:
    assert Coverage("empty", 0, 0, 0, 0).share == 1.0
