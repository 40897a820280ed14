"""All figures of several tokenizers on one text: the pass over it in the core, and everything as a run does it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks import cli, texts
from benchmarks.engines import OURS
from benchmarks.harness import Answers, Case, Job, Outcome

MANY = 8
BATCH_BYTES = 2_000_000
SAMPLE = 20_000  # characters on which the plain reference is asked as well
FIGURES_BYTES = 2_900_000


def judge(answers: Answers) -> dict[str, str]:
    return {name: answer["wrong"] for name, answer in answers.items() if answer["wrong"]}


def core(path: str, limit: int | None, own: str, many: int, passes: int, threads: int) -> Outcome:
    """Seconds of counting the text's pretokens, of scoring it under ``many`` tokenizers of one pattern, and of all that
    figures need: scores, neighbours, places of tokens, words with their types, characters, numbers and agreement."""
    tokenizers = _cut(own, many)
    batches = list(_batches(texts.documents(texts.read(path, limit))))
    seconds: dict[str, list[float]] = {"count once": [], "score": [], "all figures": []}
    for _ in range(passes):
        times = [time.perf_counter()]
        _count(tokenizers[0], batches, threads)
        times.append(time.perf_counter())
        _score(tokenizers, batches, threads)
        times.append(time.perf_counter())
        found = _everything(tokenizers, batches, threads)
        times.append(time.perf_counter())
        for taken, start, end in zip(seconds.values(), times, times[1:], strict=False):
            taken.append(end - start)
    wrong = ""
    counted = [sum(sum(map(one.count, some)) for some in batches) for one in (tokenizers[0], tokenizers[-1])]
    if [found[0], found[many - 1]] != counted:
        wrong = "the tokens are not those that each tokenizer counts"
    sample = [[texts.read(path, SAMPLE)]]
    if _everything(tokenizers[:2], sample, threads) != _plainly(tokenizers[:2], sample):
        wrong = "the figures are not those of the plain reference"
    return Outcome(seconds, {"wrong": wrong})


def _cut(own: str, many: int) -> list[Any]:
    import tokenizers_impl as ti
    from tokenizers_impl.training import truncate

    largest = ti.load(own)
    floor = 256 + len(largest.special_tokens)
    return [truncate(largest, largest.vocab_size - (largest.vocab_size - floor) * i // (many + 1)) for i in range(many)]


def _batches(documents: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document)
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _count(tokenizer: Any, batches: Sequence[list[str]], threads: int) -> None:
    from tokenizers_impl import engine

    counter = engine.active().Counter(tokenizer.engine_splitter, [], threads)
    for batch in batches:
        counter.add_texts(batch)


def _score(tokenizers: Sequence[Any], batches: Sequence[list[str]], threads: int) -> None:
    from tokenizers_impl import engine

    encoders = [one.engine_encoder for one in tokenizers]
    scorer = engine.active().Scorer(tokenizers[0].engine_splitter, encoders, threads)
    for batch in batches:
        scorer.add(batch)


KINDS = ["types", "characters", "numbers", "shared"]


def _everything(tokenizers: Sequence[Any], batches: Sequence[list[str]], threads: int) -> list[int]:
    """Tokens by tokenizer, and a few figures of each kind, as plain numbers."""
    from tokenizers_impl import engine

    many = len(tokenizers)
    encoders = [one.engine_encoder for one in tokenizers]
    placed = (many, KINDS, True)
    scorer = engine.active().Scorer(tokenizers[0].engine_splitter, encoders, threads, pairs=many, placed=placed)
    found = [scorer.add_placed(batch)[:3] for batch in batches]
    rows, tables, both = zip(*found, strict=True)
    return _numbers(rows, (tables, both), scorer, scorer)


def _plainly(tokenizers: Sequence[Any], batches: Sequence[list[str]]) -> list[int]:
    """The same by the reference, which has no segmenter: it is given the words of the core's."""
    import pickle

    import numpy as np

    from tokenizers_impl import engine

    with engine.use("native") as native:
        words = [[native.words(text) for text in batch] for batch in batches]
    pickled = pickle.dumps(list(tokenizers))
    with engine.use("reference") as reference:
        same = pickle.loads(pickled)
        many, encoders = len(same), [one.engine_encoder for one in same]
        scorer = reference.Scorer(same[0].engine_splitter, encoders, 1, marks=many, pairs=many)
        places = reference.Places(many, 1, KINDS)
        rows, tables, both = [], [], []
        for batch, of_batch in zip(batches, words, strict=True):
            some, marks = scorer.add_marked(batch)
            flat = np.array([pair for of_text in of_batch for pair in of_text], dtype=np.int64).reshape(-1, 2)
            given = flat, np.cumsum([0, *map(len, of_batch)])
            rows.append(some)
            table, shared = places.add(batch, [marks], given=given)
            tables.append(table)
            both.append(shared)
        return _numbers(rows, (tables, both), scorer, places)


def _numbers(rows: Sequence[Any], tables: tuple[Sequence[Any], Sequence[Any]], scorer: Any, places: Any) -> list[int]:
    tokens = sum(some[:, 1:].sum(axis=0) for some in rows)
    sums = [sum(int((table * (1 + _columns(table))).sum()) for table in some) for some in tables]
    types = sum(whole + 3 * same for _, whole, same, _ in places.types())
    pairs = sum(int((some * some).sum()) for two in scorer.pair_counts() or () for some in two)
    return [*map(int, tokens), *sums, types, pairs]


def _columns(table: Any) -> Any:
    import numpy as np

    return np.arange(table.shape[1])


@dataclass
class _Corpus:
    path: str
    limit: int
    name: str = "text"
    language: str = "en"
    domain: str = "prose"
    segmenter: str = "auto"
    sha256: str = ""
    split_name: str = "all"

    def documents(self, split: Any) -> Iterator[str]:
        return iter(texts.documents(texts.read(self.path, self.limit)))


def figures(path: str, limit: int, own: str, passes: int, threads: int) -> Outcome:
    """Seconds of all metrics with their intervals of three tokenizers, as ``evalkit run`` computes them, once they are
    loaded; speeds aren't timed. The memory is that of the whole process."""
    from evalkit.batches import Limits
    from evalkit.measure import measure_corpus
    from evalkit.metrics import METRICS
    from evalkit.rows import rows

    tokenizers = dict(zip(("own", "half", "quarter"), _cut(own, 3), strict=True))
    built = [
        SimpleNamespace(name=name, tokenizer=one, kind="bpe", variant="gpt2", trained_on=())
        for name, one in tokenizers.items()
    ]
    metrics = [metric for metric in METRICS.values() if not metric.timing]
    seconds: list[float] = []
    table: list[Any] = []
    for _ in range(passes):
        start = time.perf_counter()
        counts = measure_corpus(_Corpus(path, limit), built, threads=threads, limits=Limits(timing_seconds=0))
        table = list(rows([counts], metrics, {}, None, {}))
        seconds.append(time.perf_counter() - start)
    tokens = {row.tokenizer: row.value for row in table if row.metric == "tokens"}
    text = texts.documents(texts.read(path, limit))
    same = all(tokens[name] == sum(map(one.count, text)) for name, one in tokenizers.items())
    return Outcome({"all metrics": seconds}, {"wrong": "" if same else "the tokens are others"})


def cases(options: cli.Options) -> list[Case]:
    found = []
    for text in options.texts:
        own = options.own(text)
        size = min(text.bytes, options.limit or text.bytes)
        shared = {"path": str(text.path), "own": own, "passes": options.passes, "threads": options.threads}
        job = Job(OURS, "benchmarks.measure:core", {**shared, "limit": options.limit, "many": MANY}, f"N={MANY}")
        ratios = {"all figures / count": ("all figures", "count once"), "all figures / score": ("all figures", "score")}
        found.append(Case({"text": text.name, "what": "the pass"}, size, [job], judge, job.name, ratios))
        some = min(size, FIGURES_BYTES)
        job = Job(OURS, "benchmarks.measure:figures", {**shared, "limit": some}, "N=3")
        found.append(Case({"text": Path(text.name).name, "what": "figures"}, some, [job], judge, job.name))
    return found


BENCHMARK = cli.Benchmark(
    "measure",
    f"all that figures need of {MANY} tokenizers that share a pattern, against counting the text once; and all metrics "
    "with intervals of three. Tokens must be those that each counts, figures those of the plain reference on a sample.",
    cases,
    (OURS,),
)

if __name__ == "__main__":
    sys.exit(cli.main([BENCHMARK]))
