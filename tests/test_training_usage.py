"""How often tokens occur in the text they were trained on: against encoding it, kept, in results and in the report."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from report_example import results as example

import tokenizers_impl as ti
from evalkit import training_usage
from evalkit.build import BuiltTokenizer, build_tokenizers
from evalkit.cache import TokenizerCache
from evalkit.corpus import open_corpus
from evalkit.fair_records import TokenCount
from evalkit.pipeline import Options, run_suite
from evalkit.report.vocabularies import section
from evalkit.results import parse_results
from evalkit.suite import parse_suite
from evalkit.training_usage import UsageOfText, count, training_usage_records
from evalkit.vocabularies import vocabulary_records
from evalkit.vocabulary_records import TrainingUsageRecord
from tokenizers_impl import BPETokenizer
from tokenizers_impl.training import truncate

SPECIALS = ("<s>", "<|endoftext|>")
WORDS = [
    "low", " lower", " lowest", " newest", "\n", "  ", " 1234567", "12", "'ll", "é", "北京", "中国的首都",
    "<s>", "<|endoftext|>", "<", "|>", "\U0001f469\u200d\U0001f680", "aaaaa", "\r\n", "\u0301",
]  # fmt: skip


def texts_of(seed: int, number: int = 60) -> list[str]:
    chance = random.Random(seed)
    return ["".join(chance.choices(WORDS, k=chance.randrange(30))) for _ in range(number)]


def naive(tokenizer: BPETokenizer, texts: Sequence[str]) -> Counter[int]:
    """Every document encoded, special tokens too, and these left out again."""
    special = set(tokenizer.special_tokens.values())
    ids = Counter(i for text in texts for i in tokenizer.encode(text, allowed_special="all"))
    return Counter({i: n for i, n in ids.items() if i not in special})


def built(name: str, tokenizer: object, **rest: object) -> BuiltTokenizer:
    return BuiltTokenizer(name, "bpe", tokenizer, trained_on=("x",), **rest)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "how",
    [
        {"variant": "gpt2"},
        {"variant": "digits3", "special_tokens": SPECIALS},
        {"variant": "digits3", "direction": "right_to_left", "special_tokens": SPECIALS, "tie_break": "huggingface"},
        {"variant": "zh", "special_tokens": SPECIALS[:1], "min_frequency": 1},
        {"variant": "zh", "lexicon": ["北京", "首都"]},
        {"pattern": r"\p{L}+|\p{N}|[^\p{L}\p{N}]+", "special_tokens": SPECIALS},
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_as_encoding_every_document_gives(how: dict[str, object], seed: int) -> None:
    texts = texts_of(seed)
    taken = UsageOfText(None)
    tokenizer = ti.train(texts, vocab_size=330, counted=taken, **how)  # type: ignore[arg-type]

    def never_read() -> list[str]:
        raise AssertionError("it was counted in training")

    found = taken.of(tokenizer, never_read, None, None)
    again = count(tokenizer, iter(texts), 1, None)
    floor = 256 + len(tokenizer.special_tokens)
    for size in (floor, (floor + tokenizer.vocab_size) // 2, tokenizer.vocab_size):
        expected = naive(truncate(tokenizer, size), texts)
        for counted in (found, again):
            counts = counted.id_counts(size)
            assert {i: n for i, n in enumerate(counts.tolist()) if n} == expected
    lint = vocabulary_records([built("t", tokenizer)], None)
    (record,) = training_usage_records([built("t", tokenizer, training_text=found)], lint)
    _check_record(record, tokenizer, naive(tokenizer, texts), set(lint[0].never_ids))


def _check_record(
    record: TrainingUsageRecord, tokenizer: BPETokenizer, expected: Counter[int], never: set[int]
) -> None:
    possible = [i for i in tokenizer.vocab if i not in never]
    rare = [i for i in possible if expected[i] <= 10]
    assert record.undefined_reason is None
    assert record.tokens == expected.total()
    assert record.bytes == sum(n * len(tokenizer.vocab[i]) for i, n in expected.items())
    assert record.possible == len(possible)
    by_times = Counter(expected[i] for i in rare)
    assert record.rare == tuple(by_times[n] for n in range(11))
    by_times = Counter(expected[i] for i in rare if len(tokenizer.vocab[i]) == 1)
    assert record.rare_bytes == tuple(by_times[n] for n in range(11))
    merged = sorted((expected[i], i) for i in rare if len(tokenizer.vocab[i]) > 1)
    assert record.rarest == tuple(TokenCount(tokenizer.vocab[i], n) for n, i in merged[: training_usage.EXAMPLES])


def test_a_token_that_later_merges_take_up_by_hand() -> None:
    # "lo" is made 12 times, 9 of them for "low"; "ow" never, as "lo" comes first.
    text = "low " * 9 + "lo " * 3 + "<s>" + "lo<s>"
    taken = UsageOfText(None)
    tokenizer = ti.train(text.replace(" ", "\n"), "gpt2", 259, ["<s>"], counted=taken)
    assert [left + right for left, right in tokenizer.merges] == [b"lo", b"low"]
    record = _records([built("t", tokenizer, training_text=taken.of(tokenizer, list, None, None))])[0]
    assert (record.bytes, record.tokens) == (9 * 4 + 3 * 3 + 2, 9 + 4 + 12)
    assert record.rarest == (TokenCount(b"lo", 4), TokenCount(b"low", 9))
    # Of 259 entries 13 bytes and the special token never come; 'l', 'o', 'w' are all taken up; '\n' occurs 12 times.
    assert record.possible == 259 - 14
    assert record.rare == (256 - 13 - 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0)
    assert record.rare_bytes == (256 - 13 - 1, *[0] * 10)
    # Where both occur equally often, "ow" is made first and then wholly taken up.
    gone = ti.train("low\n" * 9, "gpt2", 258)
    assert gone.merges == ((b"o", b"w"), (b"l", b"ow"))
    eaten = _records([built("t", gone, training_text=count(gone, "low\n" * 9, None, None))])[0]
    assert eaten.rarest == (TokenCount(b"ow", 0), TokenCount(b"low", 9))


def _records(tokenizers: list[BuiltTokenizer]) -> list[TrainingUsageRecord]:
    return list(training_usage_records(tokenizers, vocabulary_records(tokenizers, None)))


# ── kept ────────────────────────────────────────────────────────────────────────────────────────────────────

SUITE = """
version: 1
name: small
corpora:
  a: {files: [a.txt], separator: "\\n"}
  b: {files: [b.txt], separator: "\\n"}
tokenizers:
  - {name: t, variant: gpt2, train_on: a, vocab_size: [260, 280], special_tokens: ["<s>"]}
  - {name: mix, variant: zh, train_on: {a: 0.5, b: 0.5}, vocab_size: 270}
  - {name: early, variant: gpt2, train_on: a, vocab_size: [270, 90000]}
  - {name: published, tiktoken: gpt2}
  - {name: floor, baseline: bytes}
measure: {metrics: [tokens]}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, seed in (("a", 1), ("b", 2)):
        lines = [text.replace("\n", " ").replace("\r", "") for text in texts_of(seed, 120)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8", newline="\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _build(cache: TokenizerCache | None, usage: bool = True) -> list[BuiltTokenizer]:
    suite = parse_suite(SUITE)
    corpora = {
        name: open_corpus(name, spec, base_dir=suite.base_dir, seed=suite.seed, trained_on=True)
        for name, spec in suite.corpora.items()
    }
    return build_tokenizers(suite, corpora, cache=cache, usage=usage)


def test_it_is_kept_beside_the_tokenizer_and_never_trusted_blindly(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes = []

    def counting(tokenizer: BPETokenizer, *rest: object) -> object:
        passes.append(tokenizer.variant)
        return plain_count(tokenizer, *rest)  # type: ignore[arg-type]

    plain_count: Callable[..., object] = training_usage.count
    monkeypatch.setattr(training_usage, "count", counting)
    cache = TokenizerCache(folder / "cache")
    fresh = _records(_build(cache))
    assert [r.tokenizer for r in fresh] == ["t@260", "t", "mix", "early@270", "early", "published", "floor"]
    files = sorted((folder / "cache").glob("*.usage-*.json"))
    assert len(files) == 3
    assert _records(_build(cache)) == fresh
    assert not passes, "neither the first time, in training, nor the second"
    assert all(one.training_text is None for one in _build(cache, usage=False))
    whole = {file: file.read_text(encoding="utf-8") for file in files}
    other = whole[files[1]]
    for damage in (
        lambda text: text.replace('"pretokens": ', '"pretokens": 1'),
        lambda text: text[:50],
        lambda text: "[]",
        lambda text: other,  # of a tokenizer with other merges
        lambda text: json.dumps({"checksum": json.loads(text)["checksum"]}),
    ):
        files[0].write_text(damage(whole[files[0]]), encoding="utf-8")
        assert _records(_build(cache)) == fresh
        assert len(passes) == 1, "it was counted again"
        passes.clear()
        assert files[0].read_text(encoding="utf-8") == whole[files[0]], "and kept again"
    assert _records(_build(None)) == fresh


def test_a_tokenizer_that_was_kept_without_it_is_counted_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = _records(_build(None))
    cache = TokenizerCache(folder / "cache")
    assert _records(_build(cache, usage=False)) == []
    assert not list((folder / "cache").glob("*usage*"))
    assert _records(_build(cache)) == fresh
    monkeypatch.setattr(training_usage, "count", None)
    assert _records(_build(cache)) == fresh


# ── results ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_in_the_results_of_a_run(folder: Path) -> None:
    suite = parse_suite(SUITE)
    results = run_suite(suite, Options(cache=False))
    found = {one.tokenizer: one for one in results.training_usage}
    corpus = open_corpus("a", suite.corpora["a"], base_dir=suite.base_dir, seed=suite.seed, trained_on=True)
    texts = list(corpus.documents("train"))
    never = {one.tokenizer: set(one.never_ids) for one in results.vocabularies}
    for name, size in (("t@260", 260), ("t", 280)):
        tokenizer = truncate(ti.train(texts, "gpt2", 280, ["<s>"]), size)
        _check_record(found[name], tokenizer, naive(tokenizer, texts), never[name])
    for name, why in (("published", "trained elsewhere"), ("floor", "baseline")):
        assert why in (found[name].undefined_reason or "")
        assert (found[name].tokens, found[name].possible, found[name].rare) == (None, None, ())
    again = parse_results(results.to_json())
    assert again.training_usage == results.training_usage
    assert again.digest == results.digest


def test_the_section() -> None:
    taken = UsageOfText(None)
    tokenizer = ti.train("low\n" * 9 + "lo\n" * 3, "gpt2", 258, counted=taken)
    own = built("small", tokenizer, training_text=taken.of(tokenizer, list, None, None))
    others = [
        BuiltTokenizer("large", "file", tokenizer),
        BuiltTokenizer("published", "tiktoken", tokenizer),
        BuiltTokenizer("floor", "baseline", ti.BaselineTokenizer("bytes")),
    ]
    lint = vocabulary_records([own, *others], None)
    usage = tuple(training_usage_records([own, *others], lint))
    text = section(replace(example(), vocabularies=lint, training_usage=usage))
    shown = text.split("### Tokens that training hardly saw\n")[1]
    row = next(line for line in shown.splitlines() if line.startswith("| `small`"))
    cells = [cell.strip() for cell in row.split("|")[1:-1]]
    assert cells[1:] == ["45 B", "24", "244 (99.6 %)", "242", "242", "`lo` 3, `low` 9"]
    assert "- `large` and `published`: undefined, trained elsewhere, on a text that isn't known here." in shown
    assert "- `floor`: undefined, baselines have no merges that were trained." in shown
    unknown = tuple(training_usage_records(others, lint))
    assert "hardly saw" not in section(replace(example(), vocabularies=lint, training_usage=unknown))
