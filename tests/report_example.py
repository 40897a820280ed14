"""A small run written out by hand: two corpora, three tokenizers, everything that a report can show."""

from __future__ import annotations

from functools import cache

import numpy as np

from evalkit.cautions import cautions
from evalkit.comparisons import comparison_records
from evalkit.counts import Check, CorpusCounts, Difference, PairDifferences, Timing, TokenizerCounts
from evalkit.metrics import METRICS
from evalkit.metrics.registry import ints
from evalkit.mismatch import Trained
from evalkit.results import CorpusRecord, OverlapRecord, RankRecord, Results, SuiteRecord, TokenizerRecord
from evalkit.rows import check_records, difference_records, match_records, metric_records, rows
from evalkit.values import Undefined

# By name, so that a new metric changes neither the example nor the golden report.
SHOWN = (
    "bytes_per_token", "chars_per_token", "tokens", "normalized_length", "regret", "unk_rate",
    "round_trip_rate", "fertility", "encode_mb_per_s", "vocab_utilization",
)  # fmt: skip

# What used to break tables: pipes, backticks, line ends, HTML, bytes that are no text, invisible characters.
NASTY = (
    b" a|b", b"``", b"`", b"\n\n", b"<b>&amp;", b"\xff\xfe", b"\t|\r\n", "\u200b\u202e".encode(),
    "世界".encode(), b"\\|", b"   ", "a\u0301".encode(), b"x" * 200,
)  # fmt: skip


def _tokenizer(name: str, tokens: list[int], size: int, special_ids: frozenset[int]) -> TokenizerCounts:
    return TokenizerCounts(
        name=name,
        vocab_size=size,
        special_ids=special_ids,
        tokens=ints(*tokens),
        unknown=ints(*[0] * len(tokens)),
        pretokens=ints(*tokens),
        id_counts=ints(*[1] * 90),
        round_trips=len(tokens),
        round_trip_documents=len(tokens),
        special_text_documents=0,
        checks=(
            Check("serial_equals_parallel", True, len(tokens), 60, 60),
            Check("byte_audit", True, len(tokens), 60, 60),
            Check("round_trip", True, len(tokens), 60, 60),
        ),
        timing=Timing(60, (1000, 2000, 3000)),
    )


def _corpus(name: str, language: str, chars: list[int], tokens: dict[str, list[int]], *, words: bool) -> CorpusCounts:
    sizes = {"small": 300, "large": 400, "published": 1000}
    return CorpusCounts(
        name=name,
        split="eval",
        domain="prose",
        language=language,
        segmenter="hand count 1.0",
        sha256="ab" * 32,
        hashes=np.array([1, 2**64 - 1], dtype=np.uint64),
        bytes=ints(40, 20),
        chars=ints(*chars),
        words=ints(7, 3) if words else Undefined("no dictionary"),
        tokenizers={name: _tokenizer(name, found, sizes[name], frozenset({299})) for name, found in tokens.items()},
        truncated={("large", 300): ints(14, 6)},
        differences=(
            PairDifferences(
                "small",
                "large",
                "pretokens",
                60,
                sum(tokens["small"]),
                sum(tokens["large"]),
                tuple(Difference(piece, 2, 6, 4) for piece in NASTY),
            ),
        ),
        special_text_documents=1,
    )


def counts() -> tuple[CorpusCounts, ...]:
    stories = {"small": [10, 5], "large": [12, 6], "published": [11, 5]}
    zh = {"small": [30, 15], "large": [20, 10], "published": [21, 9]}
    return (
        _corpus("stories", "en", [40, 20], stories, words=True),
        _corpus("zh", "zh", [14, 7], zh, words=False),
    )


@cache
def results() -> Results:
    measured = counts()
    known = {
        "small": Trained("small", "gpt2", 300, ("stories",)),
        "large": Trained("large", "gpt2", 400, ("zh",)),
    }
    metrics = [METRICS[name] for name in SHOWN]
    table = tuple(rows(measured, metrics, known, "published", {"large@900": "training stopped at 400, below 900"}))
    checks = tuple(check_records(measured))
    about = tuple(_tokenizer_record(name) for name in ("small", "large", "published"))
    corpora = tuple(
        CorpusRecord(
            c.name, c.split, c.domain, c.language, 2, 60, int(c.chars.sum()),
            10 if c.name == "stories" else None, None if c.name == "stories" else "no dictionary",
            c.segmenter, c.sha256, c.special_text_documents, (), documents_sha256=c.documents_sha256,
        )
        for c in measured
    )  # fmt: skip
    return Results(
        suite=SuiteRecord("by-hand", "cd" * 32, 17, "published", 0.95),
        environment={
            "versions": {"evalkit": "0.1.0"},
            "engine": {"name": "native", "reason": "it is there"},
            "machine": {"processors": 2},
            "threads": 2,
        },
        tokenizers=about,
        corpora=corpora,
        rows=table,
        metrics=metric_records(metrics),
        checks=checks,
        overlaps=(
            OverlapRecord("small", "large", 280, 0.667, 0.933, 0.7),
            OverlapRecord("small", "published", 290, 0.287, 0.967, 0.29),
            OverlapRecord("large", "published", 300, 0.273, 0.75, 0.3),
        ),
        matches=tuple(match_records(measured, known)),
        differences=tuple(difference_records(measured)),
        comparisons=tuple(comparison_records(measured, ("small", "large", "published"), 0.95)),
        ranks=tuple(RankRecord("stories", name, share, 1000) for name, share in (("small", 0.9), ("published", 0.1))),
        warnings=cautions(corpora, about, table, checks),
        timings={"measuring": 1.25},
        counts=measured,
    )


def _tokenizer_record(name: str) -> TokenizerRecord:
    here = name != "published"
    return TokenizerRecord(
        name=name,
        kind="bpe" if here else "tiktoken",
        variant="gpt2",
        vocab_size={"small": 300, "large": 400, "published": 1000}[name],
        asked_vocab_size={"small": 300, "large": 900}.get(name),
        fingerprint=name,
        trained_on={"small": ("stories",), "large": ("zh",)}.get(name, ()),
        max_id={"small": 299, "large": 399, "published": 1023}[name],
        stopped={"small": "reached 300", "large": "stopped at 400 of 900: no pair occurs twice"}.get(name),
        splitter="gpt2",
        special_tokens=("<|endoftext|>",),
        aliases=("small@300",) if name == "small" else (),
        notes=(),
        train_seconds=0.5 if here else None,
    )
