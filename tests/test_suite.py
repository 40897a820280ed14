"""The suite file: the whole of it is taken, and every way to get it wrong is answered in one paragraph."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError

from evalkit import suite as suite_module
from evalkit.embedded import CorpusFile, EmbeddedCorpus
from evalkit.errors import UserError
from evalkit.metrics import metric_names
from evalkit.suite import Suite, apply_corpus_files, load_suite, parse_suite
from evalkit.suite_schema import SuiteFile, TrainOn
from evalkit.suite_values import parse_bytes

METRICS = ["bytes_per_token", "fertility", "tokens"]

# Every key of the suite file; each row of WRONG changes one place of it.
SUITE = """\
version: 1
name: tinystories-vs-owt
seed: 17
corpora:
  tinystories:
    files: [data/TinyStories-train.txt]
    separator: "<|endoftext|>"
    language: en
    domain: stories
    eval: {files: [data/TinyStories-valid.txt]}
    sample: {documents: 22000}
    parallel: false
    segmenter: auto
    sha256: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789ABCDEF
  owt: {files: owt/*.jsonl.zst, field: text, eval: {fraction: 0.05}, sample: {bytes: 50MB}}
  zh-news: {files: [a.txt, b/], document: line, language: zh-Hant, parallel: news, invalid_utf8: replace}
  embedded-json: {builtin: json}
tokenizers:
  - {name: ts-10k, variant: gpt2, train_on: tinystories, vocab_size: 10000, special_tokens: ["<|endoftext|>"]}
  - {name: owt-32k, variant: gpt2, train_on: owt, vocab_size: [8000, 16000, 32000], min_frequency: 1}
  - {name: mix, variant: zh, train_on: {tinystories: 7, owt: 3}, vocab_size: 16000, lexicon: words.txt}
  - {name: both, variant: digits3, train_on: [tinystories, owt], vocab_size: 300, direction: right_to_left}
  - {name: mine, pattern: "\\\\S+|\\\\s+", train_on: owt, vocab_size: 300, tie_break: huggingface}
  - {name: cl100k, tiktoken: cl100k_base}
  - {name: qwen, huggingface: path/to/tokenizer.json, normalizer: ignore}
  - {name: t5, sentencepiece: path/to/spiece.model, lossy: true}
  - {name: floor, baseline: bytes}
  - {name: ours, python: "my_pkg.tok:load"}
  - {name: saved, file: out/tokenizers/x}
measure:
  metrics: [bytes_per_token, fertility]
  confidence: 0.95
  reference: cl100k
select: {d_model: 2048, n_layers: 24, context: 4096, tied: false, candidates: [owt-32k, owt-32k@8000]}
gate:
  consistency: [batch, threads]
  thresholds: [{metric: bytes_per_token, tokenizer: owt-32k, corpus: owt, min: 4.2, max: 9, aggregation: micro, bound: value}]
  equivalent: [[cl100k, ours]]
  baseline: reports/baselines/tinystories-vs-owt.json
  frozen: {owt-32k: reports/baselines/owt-32k.json}
report: {formats: [md, html], plots: true}
"""  # noqa: E501

SMALL = """\
version: 1
name: small
corpora: {text: {files: a.txt}}
tokenizers: [{name: floor, baseline: chars}]
"""


@pytest.fixture(autouse=True)
def embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EmbeddedCorpus(
        name="json",
        title="JSON",
        language="en",
        domain="structured",
        licence="CC0",
        separator="\n\n",
        field=None,
        files=(CorpusFile(Path("json.txt"), 1, "0" * 64),),
        documents=1,
        bytes=1,
        chars=1,
        sha256="0" * 64,
        generator="none",
    )
    monkeypatch.setattr(suite_module, "embedded_corpora", lambda: {"json": entry})


def parse(text: str) -> Suite:
    return parse_suite(text, name="suite.yaml", metrics=METRICS)


def test_the_whole_file() -> None:
    suite = parse(SUITE)
    tokenizers = {spec.name: spec for spec in suite.tokenizers}
    assert suite.seed == 17
    assert suite.corpora["owt"].files == ("owt/*.jsonl.zst",)
    assert suite.corpora["owt"].sample is not None
    assert suite.corpora["owt"].sample.bytes == 50_000_000
    assert suite.corpora["tinystories"].sha256 == "0123456789abcdef" * 4
    assert suite.corpora["tinystories"].parallel is None
    assert suite.corpora["zh-news"].parallel == "news"
    assert tokenizers["ts-10k"].sizes == (10_000,)
    assert not tokenizers["ts-10k"].is_ladder
    assert tokenizers["owt-32k"].sizes == (8000, 16000, 32000)
    assert tokenizers["owt-32k"].size_names()["owt-32k@16000"] == 16000
    assert tokenizers["mix"].train_on == TrainOn(corpora=("tinystories", "owt"), shares=(0.7, 0.3))
    assert tokenizers["both"].train_on == TrainOn(corpora=("tinystories", "owt"))
    assert tokenizers["mine"].pattern == r"\S+|\s+"
    assert [spec.kind for spec in suite.tokenizers][4:] == [
        "pattern",
        "tiktoken",
        "huggingface",
        "sentencepiece",
        "baseline",
        "python",
        "file",
    ]
    assert suite.trained_on() == {"tinystories", "owt"}
    assert suite.measure.metrics == ("bytes_per_token", "fertility")
    assert suite.gate.consistency == ("batch", "threads")
    assert suite.tokenizer_names()["owt-32k@8000"] is tokenizers["owt-32k"]
    assert suite.sha256 == hashlib.sha256(SUITE.encode()).hexdigest()


def test_defaults() -> None:
    suite = parse(SMALL)
    assert suite.seed == 0
    assert suite.measure.metrics is None
    assert suite.measure.confidence == 0.95
    assert suite.gate.consistency is None
    assert suite.select is None
    assert suite.report.formats == ("md", "html", "json", "csv")
    assert suite.corpora["text"].segmenter == "auto"


def test_every_key_is_in_the_example() -> None:
    """A key that is added to the schema has to be tried here too."""
    keys, given = set(), set()
    pending: list[BaseModel] = [
        parse(SUITE),
        parse(f"{SMALL}measure: {{stability: 5}}\n"),
        parse(SUITE.replace("confidence: 0.95", "reference_language: zh")),
        parse(SUITE.replace("min: 4.2, max: 9", "limit: 4.2")),
    ]
    while pending:
        part = pending.pop()
        kind = SuiteFile if isinstance(part, SuiteFile) else type(part)
        keys |= {f"{kind.__name__}.{key}" for key in kind.model_fields}
        given |= {f"{kind.__name__}.{key}" for key in part.model_fields_set}
        for key in kind.model_fields:
            value = getattr(part, key)
            values = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else [value]
            pending += [inner for inner in values if isinstance(inner, BaseModel)]
    assert keys - given == set()


# (what stands in SUITE, what stands there instead, fragments of the message; the first is its beginning)
WRONG: list[tuple[str, str, list[str]]] = [
    # the top
    ("version: 1\n", "", ["suite.yaml:1:1: ", "the key 'version' is missing"]),
    ("version: 1", "version: 2", ["suite.yaml:1:10: version: expected 1", "found the number 2"]),
    ("version: 1", "version: '1'", ["suite.yaml:1:10: version: ", "found the text '1'"]),
    ("version: 1", "version: true", ["suite.yaml:1:10: version: ", "found true"]),
    ("seed: 17", "sed: 17", ["suite.yaml:3:1: sed: unknown key", "did you mean 'seed'?"]),
    ("seed: 17", "seed: 1_7", ["suite.yaml:3:7: seed: expected a whole number", "'1_7'", "write 17"]),
    ("seed: 17", "seed: 017", ["suite.yaml:3:7: seed: ", "octal", "write 17"]),
    ("seed: 17", "seed: 2e4", ["suite.yaml:3:7: seed: ", "found the number 20000.0", "write 20000"]),
    ("seed: 17", "seed: 1.5", ["suite.yaml:3:7: seed: ", "found the number 1.5"]),
    ("seed: 17", "seed: true", ["suite.yaml:3:7: seed: ", "found true"]),
    ("seed: 17", "seed: -1", ["suite.yaml:3:7: seed: ", "at least 0", "found the number -1"]),
    ("seed: 17", "seed: '17'", ["suite.yaml:3:7: seed: ", "without quotes"]),
    ("seed: 17", "seed: [17]", ["suite.yaml:3:7: seed: ", "found a list"]),
    ("seed: 17", "seed:", ["suite.yaml:3:6: seed: ", "there is no value"]),
    ("name: tinystories-vs-owt", "name: a/b", ["suite.yaml:2:7: name: 'a/b' can't be a name", "letters"]),
    ("name: tinystories-vs-owt", "name: 2024", ["suite.yaml:2:7: name: ", "the number 2024", "in quotes"]),
    ("name: tinystories-vs-owt", "name: ''", ["suite.yaml:2:7: name: ", "empty text"]),
    ("name: tinystories-vs-owt", "name: ..", ["suite.yaml:2:7: name: '..' can't be a name"]),
    ("name: tinystories-vs-owt", "name: COM1", ["suite.yaml:2:7: name: 'COM1' can't be a name", "Windows"]),
    ("name: tinystories-vs-owt", "name: " + "x" * 81, ["suite.yaml:2:7: name: ", "at most 80"]),
    # corpora
    ("  embedded-json: {builtin", "  a b: {builtin", ["suite.yaml:17:3: corpora.a b: 'a b' can't be a name"]),
    ("  embedded-json: {builtin", "  OWT: {builtin", ["suite.yaml:17:3: corpora.OWT: ", "only in case"]),
    ("  embedded-json: {builtin", "  owt: {builtin", ["suite.yaml:17:3: corpora.owt: ", "twice", "line 15"]),
    ("{builtin: json}", "{builtin: jso}", ["suite.yaml:17:28: corpora.embedded-json.builtin: ", "'json'"]),
    ("{builtin: json}", "{}", ["suite.yaml:17:18: corpora.embedded-json: ", "files, builtin", "none"]),
    ("{builtin: json}", "json", ["suite.yaml:17:18: corpora.embedded-json: expected a mapping", "'json'"]),
    ("{builtin: json}", "{builtin: json, files: a}", ["suite.yaml:17:", "files and builtin"]),
    ("{builtin: json}", "{builtin: json, field: a}", ["suite.yaml:17:34: ", "brings its own cut"]),
    ("files: [data/TinyStories-train.txt]", "file: [a]", ["suite.yaml:6:5: ", "did you mean 'files'"]),
    ("files: [data/TinyStories-train.txt]", "files: []", ["suite.yaml:6:12: ", "found an empty list"]),
    ("files: [data/TinyStories-train.txt]", "files: [a, 3]", ["suite.yaml:6:16: ", "files[1]", "quotes"]),
    (
        "files: [data/TinyStories-train.txt]",
        "files: [a, a]",
        ["suite.yaml:6:16: ", "'a' is in the list twice"],
    ),
    ('separator: "<|endoftext|>"', 'separator: ""', ["suite.yaml:7:16: ", "separator", "empty text"]),
    ("language: en", "language: ''", ["suite.yaml:8:15: ", "language", "empty"]),
    ("language: en", "language: English language", ["suite.yaml:8:15: ", "a language code such as en"]),
    ("language: en", "language: true", ["suite.yaml:8:15: ", "language", "found true", "quotes"]),
    ("language: en", "document: file", ["suite.yaml:8:5: ", "at most one of separator, document, field"]),
    (
        "document: line",
        "document: lines",
        ["suite.yaml:16:43: ", "one of file, line", "did you mean 'line'?"],
    ),
    ("parallel: false", "parallel: true", ["suite.yaml:12:15: ", "name of a group", "found true"]),
    ("parallel: false", "parallel: g", ["suite.yaml:11:5: ", "parallel corpus can't be sampled"]),
    ("parallel: news", "parallel: g, eval: {fraction: 0.1}", ["suite.yaml:16:", "can't hold out a fraction"]),
    ("segmenter: auto", "segmenter: icu", ["suite.yaml:13:16: ", "one of auto, icu4x", "'icu4x'"]),
    ("sha256: 0", "sha256: x", ["suite.yaml:14:13: ", "64 hexadecimal digits"]),
    ("{fraction: 0.05}", "{fraction: 1}", ["suite.yaml:15:", "eval.fraction", "between 0 and 1"]),
    ("{fraction: 0.05}", "{fraction: 0}", ["suite.yaml:15:", "eval.fraction", "between 0 and 1"]),
    ("{fraction: 0.05}", "{fraction: 5%}", ["suite.yaml:15:", "expected a number, found the text '5%'"]),
    ("{fraction: 0.05}", "{}", ["suite.yaml:15:", "owt.eval: expected exactly one of files, fraction"]),
    ("{fraction: 0.05}", "{fraction: 0.1, files: a}", ["suite.yaml:15:", "found files and fraction"]),
    ("{bytes: 50MB}", "{bytes: 50XB}", ["suite.yaml:15:", "sample.bytes", "'50XB'", "units are"]),
    ("{bytes: 50MB}", "{bytes: 50_000}", ["suite.yaml:15:", "sample.bytes", "write 50000"]),
    ("{bytes: 50MB}", "{bytes: 5e7}", ["suite.yaml:15:", "sample.bytes", "write 50000000"]),
    ("{bytes: 50MB}", "{bytes: 0}", ["suite.yaml:15:", "sample.bytes", "at least one byte"]),
    ("{bytes: 50MB}", "{byte: 1}", ["suite.yaml:15:", "sample.byte: unknown key", "'bytes'"]),
    ("{bytes: 50MB}", "{bytes: 1, documents: 1}", ["suite.yaml:15:", "documents and bytes"]),
    ("{documents: 22000}", "{documents: 22_000}", ["suite.yaml:11:25: ", "write 22000"]),
    ("{documents: 22000}", "{documents: 0}", ["suite.yaml:11:25: ", "at least 1"]),
    # tokenizers
    ("name: ts-10k, ", "", ["suite.yaml:19:5: tokenizers[0]: the key 'name' is missing"]),
    ("name: ts-10k", "name: owt-32k", ["suite.yaml:20:12: tokenizers[1].name: ", "taken"]),
    ("name: ts-10k", "name: OWT-32k", ["suite.yaml:20:12: tokenizers[1].name: ", "only in case"]),
    ("name: cl100k", "name: owt-32k@8000", ["suite.yaml:24:12: tokenizers[5].name: ", "that of a size"]),
    ("variant: gpt2", "variant: gtp2", ["suite.yaml:19:29: tokenizers[0].variant: ", "did you mean 'gpt2'?"]),
    ("variant: gpt2", "varient: gpt2", ["suite.yaml:19:20: tokenizers[0].varient: ", "'variant'"]),
    ("variant: gpt2", "variant: 1", ["suite.yaml:19:29: tokenizers[0].variant: ", "the number 1"]),
    ("variant: gpt2, ", "", ["suite.yaml:19:5: tokenizers[0]: ", "expected exactly one of variant, pattern"]),
    ("variant: gpt2", "variant: gpt2, file: x", ["suite.yaml:19:", "found variant and file"]),
    ("train_on: tinystories, ", "", ["suite.yaml:19:5: tokenizers[0]: ", "train_on is missing"]),
    ("vocab_size: 10000, ", "", ["suite.yaml:19:5: tokenizers[0]: ", "vocab_size is missing"]),
    (
        "train_on: tinystories",
        "train_on: tinystorys",
        ["suite.yaml:19:45: ", "no corpus 'tinystorys'", "'tiny"],
    ),
    (
        "train_on: tinystories",
        "train_on: 3",
        ["suite.yaml:19:45: ", "train_on: expected the name of a corpus"],
    ),
    ("[tinystories, owt]", "[tinystories, own]", ["suite.yaml:22:60: tokenizers[3].train_on[1]: ", "'owt'"]),
    ("[tinystories, owt]", "[owt, owt]", ["suite.yaml:22:52: ", "train_on[1]", "'owt' is in the list twice"]),
    ("[tinystories, owt]", "[]", ["suite.yaml:22:46: ", "train_on", "empty list"]),
    ("[tinystories, owt]", "[3]", ["suite.yaml:22:46: ", "train_on", "the number 3"]),
    ("[tinystories, owt]", "zh-news", ["suite.yaml:22:46: ", "'zh-news' is parallel"]),
    (
        "{tinystories: 7",
        "{tinystory: 7",
        ["suite.yaml:21:41: tokenizers[2].train_on.tinystory: ", "'tinystor"],
    ),
    ("{tinystories: 7", "{tinystories: 0", ["suite.yaml:21:41: ", "a share greater than 0", "number 0"]),
    ("{tinystories: 7", "{tinystories: -1", ["suite.yaml:21:41: ", "a share greater than 0"]),
    ("{tinystories: 7", "{tinystories: 1e308", ["suite.yaml:21:41: ", "a share of at most 1e+300"]),
    ("{tinystories: 7", "{tinystories: x", ["suite.yaml:21:41: ", "a share greater than 0", "'x'"]),
    ("{tinystories: 7, owt: 3}", "{}", ["suite.yaml:21:40: ", "train_on", "an empty one"]),
    ("vocab_size: 10000", "vocab_size: 1e4", ["suite.yaml:19:70: tokenizers[0].vocab_size: ", "write 10000"]),
    (
        "vocab_size: 10000",
        "vocab_size: 257",
        ["suite.yaml:19:58: ", "at least 258", "1 special token", "257"],
    ),
    ("vocab_size: 10000", "vocab_size: true", ["suite.yaml:19:70: ", "whole number", "found true"]),
    ("vocab_size: 10000", "vocab_size: {a: 1}", ["suite.yaml:19:70: ", "whole number", "found a mapping"]),
    ("[8000, 16000, 32000]", "[]", ["suite.yaml:20:63: ", "vocab_size: ", "empty list"]),
    ("[8000, 16000, 32000]", "[8000, 8000]", ["suite.yaml:20:70: ", "vocab_size[1]: ", "ascending"]),
    ("[8000, 16000, 32000]", "[9000, 8000]", ["suite.yaml:20:70: ", "8000 comes after 9000"]),
    ("[8000, 16000, 32000]", "[8_000]", ["suite.yaml:20:64: ", "vocab_size[0]: ", "write 8000"]),
    ("[8000, 16000, 32000]", "[256, 300]", ["suite.yaml:20:51: ", "at least 257", "found 256"]),
    ('["<|endoftext|>"]', '[""]', ["suite.yaml:19:", "special_tokens[0]: ", "empty text"]),
    ('["<|endoftext|>"]', "[a, a]", ["suite.yaml:19:", "special_tokens[1]: ", "'a' is in the list twice"]),
    ('["<|endoftext|>"]', "a", ["suite.yaml:19:", "special_tokens: expected a list"]),
    ("min_frequency: 1", "min_frequency: 0", ["suite.yaml:20:", "min_frequency", "at least 1"]),
    ("tie_break: huggingface", "tie_break: bites", ["suite.yaml:23:", "tie_break", "did you mean 'bytes'?"]),
    ("variant: digits3", "variant: gpt2", ["suite.yaml:22:", "direction", "only the variants with groups of digits"]),
    ('pattern: "\\\\S+', 'pattern: "\\\\w+', ["suite.yaml", "pattern", "character 1", "word characters"]),
    ("direction: right_to_left", "direction: rtl", ["suite.yaml:22:", "one of left_to_right"]),
    ("variant: zh,", "variant: zh_run,", ["suite.yaml:21:", "lexicon", "variants with a word list"]),
    (
        "cl100k_base",
        "cl100k_base, vocab_size: 300",
        ["suite.yaml:24:", "vocab_size: only a tokenizer that is"],
    ),
    ("cl100k_base", "''", ["suite.yaml:24:30: ", "tiktoken", "empty text"]),
    (
        "baseline: bytes",
        "baseline: byte",
        ["suite.yaml:27:29: ", "one of bytes, chars", "did you mean 'bytes'?"],
    ),
    ('"my_pkg.tok:load"', "my_pkg.tok.load", ["suite.yaml:28:26: ", "module:function"]),
    # measure, select, gate, report
    ("[bytes_per_token, fertility]", "[fertilty]", ["suite.yaml:31:13: measure.metrics[0]: ", "'fertility'"]),
    ("[bytes_per_token, fertility]", "some", ["suite.yaml:31:12: ", "all or a list of metrics"]),
    ("[bytes_per_token, fertility]", "[]", ["suite.yaml:31:12: ", "empty list"]),
    ("[bytes_per_token, fertility]", "[tokens, tokens]", ["suite.yaml:31:21: ", "twice"]),
    ("confidence: 0.95", "confidence: 95", ["suite.yaml:32:15: ", "between 0 and 1", "the number 95"]),
    ("confidence: 0.95", "confidence: high", ["suite.yaml:32:15: ", "expected a number", "'high'"]),
    ("reference: cl100k", "reference: cl100", ["suite.yaml:33:14: ", "no tokenizer 'cl100'", "'cl100k'"]),
    ("d_model: 2048, ", "", ["suite.yaml:34:1: select: the key 'd_model' is missing"]),
    ("tied: false", "tied: no", ["suite.yaml:34:", "select.tied", "true or false", "'no'"]),
    ("owt-32k@8000]", "owt-32k@9000]", ["suite.yaml:34:", "candidates[1]", "'owt-32k@8000'"]),
    ("consistency: [batch, threads]", "consistency: [batsh]", ["suite.yaml:36:17: ", "'batch'"]),
    ("consistency: [batch, threads]", "consistency: none", ["suite.yaml:36:16: ", "all or a list of checks"]),
    ("tokenizer: owt-32k, corpus", "tokenizer: owt, corpus", ["suite.yaml:37:", "no tokenizer 'owt'"]),
    (
        "corpus: owt, min",
        "corpus: web, min",
        ["suite.yaml:37:", "thresholds[0].corpus: there is no corpus 'web'"],
    ),
    ("metric: bytes_per_token", "metric: bytes_per_tok", ["suite.yaml:37:", "'bytes_per_token'"]),
    ("min: 4.2, max: 9", "max: high", ["suite.yaml:37:", "thresholds[0].max: expected a number"]),
    ("min: 4.2, max: 9", "min: 10, max: 9", ["suite.yaml:37:", "min is 10, greater than max, which is 9"]),
    ("min: 4.2, max: 9", "min: 4.2, limit: 9", ["suite.yaml:37:", "thresholds[0].limit: limit is min or max"]),
    (", min: 4.2, max: 9", "", ["suite.yaml:37:16: gate.thresholds[0]: expected min or max"]),
    ("[[cl100k, ours]]", "[[cl100k, our]]", ["suite.yaml:38:25: gate.equivalent[0][1]: ", "'ours'"]),
    ("[[cl100k, ours]]", "[[cl100k]]", ["suite.yaml:38:", "gate.equivalent", "equivalence takes two"]),
    ("[[cl100k, ours]]", "[[ours, ours]]", ["suite.yaml:38:23: ", "'ours' is in the list twice"]),
    ("[[cl100k, ours]]", "[cl100k, ours]", ["suite.yaml:38:16: ", "expected a list of names of tokenizers"]),
    ("[md, html]", "[mdd, html]", ["suite.yaml:41:20: report.formats[0]: ", "did you mean 'md'?"]),
    ("plots: true", "plots: yes", ["suite.yaml:41:", "report.plots", "true or false", "'yes'"]),
    (
        "report: {formats: [md, html], plots: true}",
        "report: all",
        ["suite.yaml:41:9: ", "expected a mapping"],
    ),
]


@pytest.mark.parametrize(("old", "new", "fragments"), WRONG, ids=[f"{new[:40]}" for _, new, _ in WRONG])
def test_wrong(old: str, new: str, fragments: list[str]) -> None:
    assert old in SUITE
    with pytest.raises(UserError) as caught:
        parse(SUITE.replace(old, new, 1))
    message = str(caught.value)
    assert message.startswith(fragments[0]), message
    assert all(fragment in message for fragment in fragments), message
    assert "\n" not in message
    assert "pydantic" not in message.lower()


EMPTY = [
    ("corpora: {text: {files: a.txt}}", "corpora: {}", "corpora: expected a mapping"),
    ("corpora: {text: {files: a.txt}}", "corpora: [a]", "corpora: expected a mapping of names"),
    ("tokenizers: [{name: floor, baseline: chars}]", "tokenizers: []", "tokenizers: expected a list"),
    (
        "tokenizers: [{name: floor, baseline: chars}]",
        "tokenizers: [floor]",
        "tokenizers[0]: expected a mapping",
    ),
    ("tokenizers: [{name: floor, baseline: chars}]", "", "the key 'tokenizers' is missing"),
]


@pytest.mark.parametrize(("old", "new", "fragment"), EMPTY)
def test_a_suite_without_its_main_parts(old: str, new: str, fragment: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(SMALL.replace(old, new))
    assert fragment in str(caught.value)


def test_the_first_problem_of_the_file_is_told_and_the_others_are_counted() -> None:
    text = SUITE.replace("plots: true", "plots: 1").replace("d_model: 2048", "d_model: x")
    with pytest.raises(UserError) as caught:
        parse(text.replace("confidence: 0.95", "confidence: 2"))
    message = str(caught.value)
    assert message.startswith("suite.yaml:32:15: measure.confidence: ")
    assert message.endswith("(and 2 more problems)")


def test_language_no_is_norwegian() -> None:
    suite = parse(SMALL.replace("{files: a.txt}", "{files: a.txt, language: no}"))
    assert suite.corpora["text"].language == "no"


def test_a_suite_is_frozen() -> None:
    suite = parse(SMALL)
    with pytest.raises(ValidationError):
        suite.seed = 3  # type: ignore[misc]
    with pytest.raises(ValidationError):
        suite.tokenizers[0].name = "x"  # type: ignore[misc]


def test_metrics_are_those_of_the_registry() -> None:
    every = SMALL + f"measure: {{metrics: [{', '.join(metric_names())}]}}\n"
    assert parse_suite(every).measure.metrics == tuple(metric_names())
    with pytest.raises(UserError, match=r"measure\.metrics\[0\]: there is no metric 'anything'"):
        parse_suite(SMALL + "measure: {metrics: [anything]}\n")


BYTES = [(5, 5), ("5B", 5), ("2k", 2000), ("2 kB", 2000), ("1.5MB", 1_500_000), ("1GiB", 2**30)]


@pytest.mark.parametrize(("text", "number"), BYTES)
def test_bytes(text: object, number: int) -> None:
    assert parse_bytes(text) == number


# loading


def test_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(SMALL, encoding="utf-8")
    for source in (path, str(path)):
        suite = load_suite(source, metrics=METRICS)
        assert suite.path == path
        assert suite.base_dir == tmp_path
        assert suite.resolve("a/b.txt") == tmp_path / "a" / "b.txt"
        assert suite.resolve("/a/b.txt") == Path("/a/b.txt")


def test_errors_name_the_path(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text("version: 2\n", encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_suite(path)
    assert str(caught.value).startswith(f"{path}:1:")


def test_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite = load_suite("-", stdin=io.BytesIO(SMALL.encode()), metrics=METRICS)
    assert suite.path is None
    assert suite.base_dir == tmp_path
    with pytest.raises(UserError, match=r"^<stdin>: the file is empty"):
        load_suite("-", stdin=io.BytesIO(b""))


def test_from_a_builtin_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "quickstart.yaml"
    path.write_text(SMALL, encoding="utf-8")
    monkeypatch.setattr(suite_module, "builtin_suites", lambda: {"quickstart": path})
    assert load_suite("quickstart", metrics=METRICS).path == path
    with pytest.raises(UserError) as caught:
        load_suite("quickstrat")
    assert "did you mean 'quickstart'?" in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "my-suite.yaml").write_text(SMALL, encoding="utf-8")
    with pytest.raises(UserError, match=r"no suite file .*did you mean 'my-suite.yaml'\?"):
        load_suite(tmp_path / "my-siute.yaml")
    with pytest.raises(UserError, match="nor a folder"):
        load_suite(tmp_path / "nowhere" / "suite.yaml")
    with pytest.raises(UserError, match="is a folder"):
        load_suite(tmp_path)
    with pytest.raises(UserError, match="can't be read"):
        load_suite("a\0b")


# the user's own files


def test_own_files_replace_those_of_the_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite = parse(SUITE)
    changed = apply_corpus_files(suite, {"embedded-json": ["a.txt"], "owt": [tmp_path / "b.jsonl.gz"]})
    corpus = changed.corpora["embedded-json"]
    assert corpus.builtin is None
    assert corpus.files == (str(tmp_path / "a.txt"),)
    assert corpus.separator == "<|endoftext|>"
    assert (corpus.language, corpus.domain) == ("en", "structured")
    owt = changed.corpora["owt"]
    assert owt.field == "text"
    assert owt.separator is None
    assert owt.sample == suite.corpora["owt"].sample
    assert owt.eval == suite.corpora["owt"].eval
    assert suite.corpora["embedded-json"].builtin == "json"
    assert changed.sha256 == suite.sha256


def test_evaluation_files_belong_to_the_old_files() -> None:
    changed = apply_corpus_files(parse(SUITE), {"tinystories": ["s3://x/y.txt"]})
    assert changed.corpora["tinystories"].eval is None
    assert changed.corpora["tinystories"].sha256 is None
    assert changed.corpora["tinystories"].files == ("s3://x/y.txt",)


def test_own_files_for_nothing() -> None:
    with pytest.raises(UserError, match=r"no corpus 'tinystorie' \(did you mean 'tinystories'\?\)"):
        apply_corpus_files(parse(SUITE), {"tinystorie": ["a.txt"]})
    with pytest.raises(UserError, match="no files were given"):
        apply_corpus_files(parse(SUITE), {"owt": []})
