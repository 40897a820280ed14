"""The jobs that only we do: counting pretokens, scoring, the ladder, hard texts. Run in the process of a job."""

from __future__ import annotations

import collections
import hashlib
import json
import multiprocessing
import pickle
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import tokenizers_impl as ti
from benchmarks import SEPARATOR, texts
from benchmarks.harness import Outcome
from tokenizers_impl import engine
from tokenizers_impl.ladder import ladder as climb
from tokenizers_impl.training import truncate

SAMPLE = 300_000


def prepare(path: str, folder: str, vocab: int, ranks: bool) -> Outcome:
    """Trains a vocabulary of our own and writes it in every format that a peer reads, and the ranks of cl100k_base."""
    out = Path(folder)
    own = ti.train(Path(path), "gpt2", vocab, [SEPARATOR])
    own.save(out / "own")
    own.save(out / "own.json", format="huggingface")
    if ranks:
        ti.from_tiktoken("cl100k_base").save(out / "cl100k_base.tiktoken", format="tiktoken")
    return Outcome({}, own.vocab_size)


def count(path: str, variant: str, threads: int, passes: int) -> Outcome:
    """Pretokens of a file with their counts."""
    core = engine.active()
    seconds = []
    for _ in range(passes):
        counter = core.Counter(core.Splitter(variant), [], threads)
        start = time.perf_counter()
        counter.add_file(path)
        seconds.append(time.perf_counter() - start)
    sample = core.Counter(core.Splitter(variant), [], threads)
    sample.add_texts([texts.read(path, SAMPLE)])
    answer = {"pretokens": counter.pretokens, "distinct": counter.distinct, "sample": _items_hash(sample.items())}
    return Outcome({"count": seconds}, answer)


def count_plainly(path: str, variant: str) -> Outcome:
    """The same for the beginning of the file, by the reference."""
    with engine.use("reference"):
        split = collections.Counter(ti.pretokenize(texts.read(path, SAMPLE), variant))
    return Outcome({}, {"sample": _items_hash([(text.encode(), times) for text, times in split.items()])})


def _items_hash(items: list[tuple[bytes, int]]) -> str:
    lines = sorted(f"{key.hex()} {times}" for key, times in items)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def score(path: str, limit: int | None, own: str, many: int, passes: int, threads: int, apart: bool) -> Outcome:
    """``many`` tokenizers that share a pattern on one text in documents, in one pass each: one vocabulary cut to sizes,
    or ``apart``, each trained on another part of the text. The answer is their token counts, by the scorer and by
    counting each."""
    largest = ti.load(own)
    text = texts.read(path, limit)
    if apart:
        part = len(text) // 8
        parts = [text[part * i : part * (i + 1)] for i in range(many - 1)]
        tokenizers = [largest, *(ti.train(one, "gpt2", largest.vocab_size, threads=threads) for one in parts)]
    else:
        floor = 256 + len(largest.special_tokens)
        sizes = [largest.vocab_size - (largest.vocab_size - floor) * i // 9 for i in range(many)]
        tokenizers = [truncate(largest, size) for size in sizes]
    documents = texts.documents(text)
    seconds = []
    for _ in range(passes):
        encoders = [tokenizer.engine_encoder for tokenizer in tokenizers]
        start = time.perf_counter()
        scorer = engine.active().Scorer(tokenizers[0].engine_splitter, encoders, threads)
        rows = scorer.add(documents)
        seconds.append(time.perf_counter() - start)
    totals = rows.sum(axis=0).tolist()[1:]
    counted = [sum(map(tokenizer.count, documents)) for tokenizer in (tokenizers[0], tokenizers[-1])]
    return Outcome({"score": seconds}, {"same": [totals[0], totals[-1]] == counted, "largest": totals[0]})


def ladder(path: str, vocab: int, passes: int, threads: int) -> Outcome:
    """One training, and the ladder of a held-out text; the last tenth of the file is held out."""
    text = Path(path).read_text(encoding="utf-8")
    cut = text.rfind("\n", 0, len(text) * 9 // 10) + 1
    train_text, held_out = text[:cut], text[cut:].replace(SEPARATOR, "")
    seconds: dict[str, list[float]] = {"train": [], "ladder": []}
    for _ in range(passes):
        start = time.perf_counter()
        tokenizer = ti.train(train_text, "gpt2", vocab, [SEPARATOR], threads=threads)
        trained = time.perf_counter()
        rungs = climb(tokenizer, held_out, threads=threads)
        seconds["train"].append(trained - start)
        seconds["ladder"].append(time.perf_counter() - trained)
    seconds["both"] = [a + b for a, b in zip(seconds["train"], seconds["ladder"], strict=True)]
    sizes = (257, (257 + tokenizer.vocab_size) // 2, tokenizer.vocab_size)
    same = all(rungs.at(size) == truncate(tokenizer, size).count(held_out) for size in sizes)
    return Outcome(seconds, {"same": same})


# ── texts that are hard ─────────────────────────────────────────────────────────────────────────────────────


def _letters(size: int) -> str:
    return (
        np.random.PCG64(7)
        .random_raw(size // 8 + 1)
        .tobytes()
        .translate(bytes(97 + i % 26 for i in range(256)))[:size]
        .decode()
    )


def _han_run(size: int) -> str:
    places = np.random.PCG64(8).random_raw(size // 3 + 1) % np.uint64(6000)
    return "".join(chr(0x4E00 + place) for place in places.tolist())[: size // 3]


HARD: dict[str, Callable[[int], str]] = {
    "one letter": lambda size: "a" * size,
    "blanks": lambda size: " " * size,
    "newlines": lambda size: "\n" * size,
    "random letters": _letters,
    "one Han run": _han_run,
}


def pathological(variant: str, size: int, vocab: int, passes: int) -> Outcome:
    """Seconds of prose and of each hard text, half and whole, from a cold cache each time."""
    prose = texts.generate("english", size)
    tokenizer = _tokenizer_of(variant, vocab)
    cold = pickle.dumps(tokenizer)
    seconds: dict[str, list[float]] = {}
    wrong = []
    cases = {"prose": prose}
    for name, make in HARD.items():  # one after the other, so that what else the machine does is with both of them
        cases |= {f"{name}, half": make(size // 2), name: make(size)}
    for _ in range(passes):
        for name, text in cases.items():
            fresh: ti.BPETokenizer = pickle.loads(cold)
            start = time.perf_counter()
            ids = fresh.encode_ordinary(text)
            seconds.setdefault(name, []).append(time.perf_counter() - start)
            if not seconds[name][1:] and fresh.decode_bytes(ids) != text.encode():
                wrong.append(f"{name}: the tokens don't join to the text")
    with engine.use("reference"):
        plain: ti.BPETokenizer = pickle.loads(cold)
    for name, make in HARD.items():
        if plain.encode_ordinary(make(600)) != tokenizer.encode_ordinary(make(600)):
            wrong.append(f"{name}: not the reference's ids")
    return Outcome(seconds, {"wrong": wrong})


def _tokenizer_of(variant: str, vocab: int) -> ti.BPETokenizer:
    published = {"gpt2": "gpt2", "cl100k": "cl100k_base", "o200k": "o200k_base"}
    if variant in published and vocab > 10_000:
        return ti.from_tiktoken(published[variant])
    text = "".join(texts.generate(kind, 60 * vocab) for kind in texts.KINDS)
    return ti.train(text, variant, vocab)


def scaling(path: str, limit: int | None, files: dict[str, str | None], threads: int, passes: int) -> Outcome:
    """Counting, encoding one text and encoding documents with a number of threads; the first encoding is cold."""
    return _scaled(path, limit, files, threads, passes, lambda: None)


def scaling_apart(path: str, limit: int | None, files: dict[str, str | None], processes: int, passes: int) -> Outcome:
    """The same by processes of one thread each, all at the same time: what the machine allows, as they share nothing.
    Each does all of the work, so that a time is the slowest one's, divided by their number."""
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(processes, timeout=600)
    with ProcessPoolExecutor(processes, context, _meet_at, (barrier,)) as pool:
        # Each waits for the others, so that each process takes one of these.
        jobs = [pool.submit(_scaled_with_others, path, limit, files, passes) for _ in range(processes)]
        outcomes = [job.result() for job in jobs]
    seconds = {
        name: [max(times) / processes for times in zip(*(one.seconds[name] for one in outcomes), strict=True)]
        for name in outcomes[0].seconds
    }
    answers = [one.answer for one in outcomes]
    same = all(answer == answers[0] for answer in answers)
    peaks = [one.peak_bytes for one in outcomes]
    peak = None if None in peaks else sum(filter(None, peaks))
    return Outcome(seconds, answers[0] if same else {"processes that disagree": answers}, peak)


_barrier: threading.Barrier | None = None


def _meet_at(barrier: threading.Barrier) -> None:
    global _barrier
    _barrier = barrier


def _scaled_with_others(path: str, limit: int | None, files: dict[str, str | None], passes: int) -> Outcome:
    from benchmarks.worker import peak_bytes

    assert _barrier is not None
    try:
        outcome = _scaled(path, limit, files, 1, passes, _barrier.wait)
    except BaseException:
        _barrier.abort()  # the others would wait for this one
        raise
    outcome.peak_bytes = peak_bytes()
    return outcome


def _scaled(
    path: str,
    limit: int | None,
    files: dict[str, str | None],
    threads: int,
    passes: int,
    meet: Callable[[], object],
) -> Outcome:
    """``meet`` is called before each pass, outside of its time."""
    from benchmarks.encoders import Evalkit, ids_hash, timed

    text = texts.read(path, limit)
    documents = texts.documents(text)
    core = engine.active()

    def count_pretokens() -> tuple[int, int]:
        counter = core.Counter(core.Splitter("cl100k"), [], threads)
        counter.add_texts([text])
        return counter.pretokens, counter.distinct

    seconds: dict[str, list[float]] = {}
    answer: dict[str, Any] = {}
    encoder = Evalkit(files, threads)
    for name, call in (
        ("count", count_pretokens),
        ("encode one text", lambda: encoder.encode_text(text)),
        ("encode documents", lambda: encoder.encode_documents(documents)),
        ("count documents", lambda: encoder.count_documents(documents)),
    ):
        times, result = timed(call, passes + 1, meet)
        seconds[name] = times["repeated"]
        counted = name.startswith("count")
        answer[name] = result if counted else ids_hash(encoder.ids(result))
    return Outcome(seconds, json.loads(json.dumps(answer)))
