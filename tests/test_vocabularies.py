"""The lint in results and reports: kept records, what corpora used, and the section."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from report_example import counts, results

import tokenizers_impl as ti
from evalkit import vocabularies
from evalkit.cautions import cautions
from evalkit.counts import CorpusCounts
from evalkit.metrics import get_metric
from evalkit.metrics.example import example
from evalkit.report.markdown import render
from evalkit.report.vocabularies import section
from evalkit.results import parse_results
from evalkit.vocabularies import contradicted, corrected, usage_records, vocabulary_records, with_never_emitted
from evalkit.vocabulary_records import UsageRecord, VocabularyRecord
from tokenizers_impl.vocabulary import BYTES


class Built:
    """A tokenizer under a name, as measuring has it."""

    kind, variant, trained_on = "bpe", "gpt2", ()

    def __init__(self, name: str, tokenizer: object) -> None:
        self.name, self.tokenizer = name, tokenizer


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabularies, "_known", {})


def odd() -> ti.BPETokenizer:
    """One token that the pattern cuts, one that merging never makes, a special one, a hole, damage."""
    tokens = {256: b"ab", 257: b"a1", 259: b"abc", 260: "\ufffd".encode()}
    return ti.BPETokenizer(dict(enumerate(BYTES)) | tokens, [(b"a", b"b")], {"<s>": 261})


def test_a_record_by_hand() -> None:
    (found,) = vocabulary_records([Built("odd", odd())], None)  # type: ignore[list-item]
    assert found.tokenizer == "odd"
    assert (found.entries, found.holes, found.duplicates, found.damaged, found.unproven) == (261, 1, 0, 1, 0)
    assert found.never == {"special": 1, "not-utf8": 13, "pattern-dead": 1, "merge-shadowed": 2}
    assert {257, 259, 260, 261, 0xC0, 0xFF} < set(found.never_ids)
    assert len(found.never_ids) == 17
    assert found.proofs[0].startswith("'a1' 257 (pattern-dead): ")
    assert (found.not_utf8, found.distinct_texts) == (128, 128 + 4)
    assert (found.words, found.distinct_words) == (52 + 2, 26 + 2)
    assert (found.digits_pattern, found.digits_tokens) == ("numbers whole", "every digit alone")


def test_what_is_not_known_is_undefined() -> None:
    (found,) = vocabulary_records([Built("floor", ti.BaselineTokenizer("bytes"))], None)  # type: ignore[list-item]
    assert found.undefined_reason is not None
    assert "BaselineTokenizer" in found.undefined_reason
    assert (found.entries, found.unproven, found.never_ids) == (None, None, ())


def test_records_are_kept_by_fingerprint_and_never_trusted_blindly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = [Built("odd", odd())]
    fresh = vocabulary_records(built, tmp_path)  # type: ignore[arg-type]
    (file,) = tmp_path.iterdir()
    assert file.name.startswith(odd().fingerprint)
    calls = []

    def examined(tokenizer: ti.BPETokenizer) -> VocabularyRecord:
        calls.append(tokenizer)
        return examine(tokenizer)

    examine = vocabularies._examined
    monkeypatch.setattr(vocabularies, "_examined", examined)
    vocabularies._known.clear()
    assert vocabulary_records(built, tmp_path) == fresh  # type: ignore[arg-type]
    assert not calls, "it was read"
    for damage in (
        lambda text: text.replace('"entries": 261', '"entries": 262'),
        lambda text: text[:50],
        lambda text: "[]",
        lambda text: json.dumps(json.loads(text) | {"more": 1}),
    ):
        whole = file.read_text(encoding="utf-8")
        file.write_text(damage(whole), encoding="utf-8")
        vocabularies._known.clear()
        assert vocabulary_records(built, tmp_path) == fresh  # type: ignore[arg-type]
        assert len(calls) == 1, "it was looked at again"
        calls.clear()
        file.write_text(whole, encoding="utf-8")


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    (found,) = vocabulary_records([Built("odd", odd())], tmp_path / "file")  # type: ignore[list-item]
    assert found.entries == 261


# ── used ────────────────────────────────────────────────────────────────────────────────────────────────────


def _corpus(name: str, ids: list[int], never: set[int] | None, documents: int = 0) -> CorpusCounts:
    cell = example(id_counts=ids, vocab_size=6, special_ids=[5])
    found = frozenset(never) if never is not None else None
    counted = replace(cell.tokenizer, never_ids=found, special_text_documents=documents)
    return replace(cell.corpus, name=name, tokenizers={"example": counted})


def test_usage_by_hand() -> None:
    one, other = _corpus("one", [3, 11, 0, 1], {2, 5}, 1), _corpus("other", [7, 0, 0, 0, 2], {2, 5}, 2)
    # Of 6 entries 4 are possible. In `one` ids 0, 1 and 3 occur, 11 times being too often to be rare.
    assert usage_records([one]) == [
        UsageRecord("one", "example", 4, 3, (1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0), 1),
    ]
    every = usage_records([one, other])
    assert [r.corpus for r in every] == ["one", "other", None]
    assert every[1] == UsageRecord("other", "example", 4, 2, (2, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0), 2)
    assert every[2] == UsageRecord(None, "example", 4, 4, (0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1), 3)


def test_usage_is_left_out_where_nobody_looked() -> None:
    assert usage_records([_corpus("one", [3, 1], None)]) == []


def test_what_was_proved_never_to_occur_and_did_is_a_warning() -> None:
    corpora = [_corpus("one", [3, 1], None), _corpus("two", [2, 0, 4], None)]
    record = VocabularyRecord("example", never_ids=(1, 3, 5))
    wrong = contradicted(corpora, [record])
    assert wrong == {"example": (1,)}
    known = with_never_emitted(corpora, [record])
    assert {corpus.tokenizers["example"].never_ids for corpus in known} == {frozenset({3, 5})}
    assert [(r.corpus, r.possible, r.used) for r in usage_records(known)] == [
        ("one", 4, 2),
        ("two", 4, 2),
        (None, 4, 3),
    ]
    assert [r.possible for r in usage_records([_corpus("one", [3, 1], {1, 5})])] == [5]
    (warning,) = cautions((), (), (), (), contradicted=wrong)
    assert warning.startswith("Id 1 of example came out of the text")
    assert "report it" in warning
    assert contradicted([_corpus("one", [3], None)], [record]) == {}


def test_a_wrong_proof_leaves_the_records() -> None:
    built = [Built("odd", odd())]
    records = vocabulary_records(built, None)  # type: ignore[arg-type]
    (found,) = corrected(records, built, {"odd": (259,)})  # type: ignore[arg-type]
    assert set(records[0].never_ids) - set(found.never_ids) == {259}
    assert sum(found.never.values()) == sum(records[0].never.values()) - 1
    assert len(found.proofs) == len(records[0].proofs) - 1
    assert corrected(records, built, {}) == records  # type: ignore[arg-type]


def test_utilization_leaves_out_what_never_occurs() -> None:
    record = VocabularyRecord("small", never_ids=(0xC0, 298, 299))
    (corpus,) = with_never_emitted(counts()[:1], [record, VocabularyRecord("large", "unknown")])
    assert corpus.tokenizers["small"].never_ids == {0xC0, 298, 299}
    assert corpus.tokenizers["large"].never_ids is None
    cell = replace(example(), tokenizer=corpus.tokenizers["small"])
    assert get_metric("vocab_utilization").values(cell)["micro"].value == 90 / (300 - 3)  # type: ignore[union-attr]


# ── the report ──────────────────────────────────────────────────────────────────────────────────────────────


def _with_lint() -> object:
    records = vocabulary_records(
        [Built("small", odd()), Built("large", ti.BaselineTokenizer("bytes"))],  # type: ignore[list-item]
        None,
    )
    rare = (100, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    return replace(results(), vocabularies=records, usage=(UsageRecord("stories", "small", 200, 100, rare, 0),))


def test_results_keep_the_records() -> None:
    whole = _with_lint()
    again = parse_results(whole.to_json())  # type: ignore[attr-defined]
    assert again.vocabularies == whole.vocabularies  # type: ignore[attr-defined]
    assert again.usage == whole.usage  # type: ignore[attr-defined]
    assert again.digest == whole.digest  # type: ignore[attr-defined]


def test_the_section() -> None:
    text = render(_with_lint())  # type: ignore[arg-type]
    shown = text.split("## Vocabularies\n")[1].split("\n## ")[0]
    row = next(line for line in shown.splitlines() if line.startswith("| `small`"))
    cells = [cell.strip() for cell in row.split("|")[1:-1]]
    assert cells[1:3] == ["Latin 21 %", "numbers whole, cut further: every digit alone"]
    assert cells[3:7] == ["261", "17", "3", "128"]
    assert cells[-2:] == ["50.0 %", "5.0 %"]
    assert "- `small`: 1 pattern-dead, the split pattern cuts inside them in every text." in shown
    assert "‹a› with ‹1› after it" in shown
    assert "- `large`: undefined, the tokens and merges of a BaselineTokenizer" in shown
    assert section(results()) == ""


def test_a_digest_does_not_depend_on_what_was_kept(tmp_path: Path) -> None:
    built = [Built("odd", odd())]
    first = replace(results(), vocabularies=vocabulary_records(built, tmp_path))  # type: ignore[arg-type]
    vocabularies._known.clear()
    assert replace(results(), vocabularies=vocabulary_records(built, tmp_path)).digest == first.digest  # type: ignore[arg-type]


def test_id_counts_of_all_corpora_are_added_by_id() -> None:
    one, other = _corpus("one", [0, 5], {5}), _corpus("other", [0, 5, 0, 1], {5})
    together = usage_records([one, other])[-1]
    assert together.rare == (3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1)
    assert sum(together.rare) == together.possible
    assert together.used == 2
