"""Every metric on embedded text, stored with its version: a figure that changes must come with another version.

``python tests/metric_goldens.py`` writes the file anew, and refuses where a metric gives something else for the same
input under the same version. Where the input is another (corpora, tokenizers, segmenter), everything may change.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evalkit.metrics import METRICS, PAIR_METRICS
from evalkit.pipeline import Options, run_suite
from evalkit.results import Results
from evalkit.suite import parse_suite

FILE = Path(__file__).parent / "goldens" / "metrics.json"
HOW = "python tests/metric_goldens.py"

# Line-aligned languages with and without blanks and with combining marks; numbers; an own vocabulary at home and
# abroad; one with unknown words.
SUITE = """
version: 1
name: metric-goldens
seed: 17
corpora:
  english: {builtin: parallel, language: en}
  hindi: {builtin: parallel, language: hi}
  thai: {builtin: parallel, language: th}
  numbers: {builtin: numbers, eval: {fraction: 0.5}}
  hostile: {builtin: hostile}
  stories: {builtin: stories, eval: {fraction: 0.1}}
tokenizers:
  - {name: stories, variant: gpt2, train_on: stories, vocab_size: 700}
  - {name: numbers, variant: gpt2, train_on: numbers, vocab_size: 500}
  - {name: words, baseline: words}
measure: {metrics: all, reference: stories}
"""

Content = dict[str, Any]


def measured() -> Content:
    """What the metrics of this tree give."""
    found = run_suite(parse_suite(SUITE), Options(threads=1, cache=False))
    versions = {name: metric.version for name, metric in (METRICS | PAIR_METRICS).items() if name not in timings()}
    values: dict[str, dict[str, list[float | None]]] = {name: {} for name in versions}
    for metric, key, *numbers in _figures(found):
        values[metric][key] = [None if number is None else float(f"{number:.9g}") for number in numbers]
    return {"input": _input(found), "versions": versions, "values": values}


def timings() -> set[str]:
    """Metrics that differ from run to run."""
    return {name for name, metric in METRICS.items() if metric.timing}


def _figures(found: Results) -> Iterator[tuple[Any, ...]]:
    for row in found.rows:
        if row.metric not in timings():
            key = f"{row.corpus} {row.tokenizer} {row.aggregation}"
            yield row.metric, key, row.value, row.low, row.high
    for pair in (*found.pairs, *found.corpus_pairs):
        record = asdict(pair)
        beside = [record[key] for key in ("corpus", "tokenizer") if key in record]
        yield pair.metric, " ".join([*beside, pair.first, pair.second]), pair.value
    for overlap in found.overlaps:
        numbers = (overlap.jaccard, overlap.first_in_second, overlap.second_in_first)
        yield "vocab_overlap", f"{overlap.first} {overlap.second}", *numbers


def _input(found: Results) -> Content:
    return {
        "corpora": {one.name: f"{one.sha256[:16]} {one.documents} {one.segmenter}" for one in found.corpora},
        "tokenizers": {one.name: (one.fingerprint or "")[:16] for one in found.tokenizers},
    }


def stored() -> Content:
    found: Content = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def unversioned(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Metrics that give something else for the same input under the same version, each with its first figure."""
    if before["input"] != now["input"]:
        return []
    found = []
    for name, version in now["versions"].items():
        if before["versions"].get(name) != version:
            continue
        old, new = before["values"][name], now["values"][name]
        other = [key for key in sorted({*old, *new}) if not _same(old.get(key), new.get(key))]
        if other:
            found.append(f"{name} (version {version}), {other[0]}: {old.get(other[0])} is now {new.get(other[0])}")
    return found


def _same(one: list[float | None] | None, other: list[float | None] | None) -> bool:
    """To a few units in the ninth digit, in which processors and libraries may differ."""
    if one is None or other is None or len(one) != len(other):
        return one is other
    pairs = zip(one, other, strict=True)
    return all(a is b if a is None or b is None else abs(a - b) <= 5e-9 * max(abs(a), abs(b)) for a, b in pairs)


def main() -> int:
    now = measured()
    if FILE.exists() and (wrong := unversioned(stored(), now)):
        shown = "\n  ".join(["these figures changed, so raise `version=` of their metrics first:", *wrong])
        sys.stderr.write(f"{shown}\n")
        return 1
    lines = [f"{json.dumps(name)}: {json.dumps(some)}" for name, some in now["values"].items()]
    head = json.dumps({"input": now["input"], "versions": now["versions"]}, indent=1)
    FILE.write_text(head[:-2] + ',\n "values": {\n  ' + ",\n  ".join(lines) + "\n }\n}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
