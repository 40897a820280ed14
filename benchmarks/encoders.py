"""Every engine's way to encode and to count, behind one face: this runs in the process of a job.

What is timed is the engine's own call with its own result; turning that into one array of ids, for checking, is not.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import texts
from benchmarks.harness import Outcome

Call = Callable[[], Any]


class Encoder:
    """A vocabulary is given as files: ``evalkit`` (our format), ``ranks`` (.tiktoken), ``huggingface``
    (tokenizer.json), and ``published``, the name of tiktoken's encoding or None."""

    def __init__(self, files: dict[str, str | None], threads: int) -> None:
        self.threads = threads

    def encode_text(self, text: str) -> Any:
        raise NotImplementedError

    def encode_documents(self, documents: list[str]) -> Any:
        raise NotImplementedError

    def count_text(self, text: str) -> int:
        raise NotImplementedError

    def count_documents(self, documents: list[str]) -> int:
        raise NotImplementedError

    def ids(self, result: Any) -> Any:
        """The result as one array."""
        return np.fromiter(itertools.chain.from_iterable(result), dtype=np.uint32)


class Evalkit(Encoder):
    def __init__(self, files: dict[str, str | None], threads: int) -> None:
        import tokenizers_impl as ti

        super().__init__(files, threads)
        published = files["published"]
        self.tokenizer = ti.from_tiktoken(published) if published else ti.load(files["evalkit"] or "")

    def encode_text(self, text: str) -> Any:
        return self.tokenizer.encode_ordinary_numpy(text, self.threads)

    def encode_documents(self, documents: list[str]) -> Any:
        return self.tokenizer.encode_ordinary_batch(documents, self.threads)

    def count_text(self, text: str) -> int:
        return self.tokenizer.count(text, self.threads)

    def count_documents(self, documents: list[str]) -> int:
        return int(self.tokenizer.count_batch(documents, self.threads).sum())

    def ids(self, result: Any) -> Any:
        return result[0] if isinstance(result, tuple) else result


class Tiktoken(Encoder):
    def __init__(self, files: dict[str, str | None], threads: int) -> None:
        import tiktoken

        from tokenizers_impl import from_tiktoken, load, tiktoken_adapter

        super().__init__(files, threads)
        if files["published"]:
            encoding = tiktoken_adapter.upstream(from_tiktoken(files["published"]))
            assert encoding is not None
            self.encoding = encoding
        else:
            # A trained vocabulary's merges are what tiktoken makes of its tokens in the order of their ids.
            tokenizer = load(files["evalkit"] or "")
            specials = tokenizer.special_tokens
            ranks = {token: i for i, token in tokenizer.vocab.items() if i not in specials.values()}
            self.encoding = tiktoken.Encoding(
                "own", pat_str=tokenizer.pattern, mergeable_ranks=ranks, special_tokens=specials
            )

    def encode_text(self, text: str) -> Any:
        return self.encoding.encode_to_numpy(text, disallowed_special=())

    def encode_documents(self, documents: list[str]) -> Any:
        return self.encoding.encode_ordinary_batch(documents, num_threads=self.threads)

    def count_text(self, text: str) -> int:
        return len(self.encoding.encode_ordinary(text))

    def count_documents(self, documents: list[str]) -> int:
        return sum(map(len, self.encode_documents(documents)))

    def ids(self, result: Any) -> Any:
        return result if isinstance(result, np.ndarray) else super().ids(result)


class Gigatoken(Encoder):
    def __init__(self, files: dict[str, str | None], threads: int) -> None:
        import awkward  # noqa: F401 (the first batch would import it within the time)
        import gigatoken

        super().__init__(files, threads)
        if files["published"]:
            pattern = files["published"].removesuffix("_base")
            self.tokenizer = gigatoken.Tokenizer.from_tiktoken(files["ranks"], pattern, {})
        else:
            self.tokenizer = gigatoken.Tokenizer(files["huggingface"])

    def encode_text(self, text: str) -> Any:
        return self.tokenizer.encode(text)

    def encode_documents(self, documents: list[str]) -> Any:
        return self.tokenizer.encode_batch(documents)

    def count_text(self, text: str) -> int:
        return len(self.tokenizer.encode(text))

    def count_documents(self, documents: list[str]) -> int:
        import awkward

        return int(awkward.count(self.tokenizer.encode_batch(documents)))

    def ids(self, result: Any) -> Any:
        if isinstance(result, np.ndarray):
            return result
        import awkward

        return awkward.to_numpy(awkward.flatten(result))


class HuggingFace(Encoder):
    """In batches, of which nothing but the ids is kept: its encodings take some hundred bytes a token."""

    def __init__(self, files: dict[str, str | None], threads: int) -> None:
        import tokenizers

        super().__init__(files, threads)
        self.tokenizer = tokenizers.Tokenizer.from_file(files["huggingface"] or "")

    def encode_documents(self, documents: list[str]) -> Any:
        rows = []
        for start in range(0, len(documents), 512):
            batch = self.tokenizer.encode_batch_fast(documents[start : start + 512], add_special_tokens=False)
            rows += [encoding.ids for encoding in batch]
        return rows


class Toktok(Encoder):
    def __init__(self, files: dict[str, str | None], threads: int) -> None:
        import toktok

        super().__init__(files, threads)
        self.count_batch, self.name = toktok.batch_count, files["published"]
        self.count_batch(["a"], self.name)  # the vocabulary is loaded by the first call

    def count_text(self, text: str) -> int:
        return int(self.count_batch([text], self.name)[0])

    def count_documents(self, documents: list[str]) -> int:
        return int(sum(self.count_batch(documents, self.name)))


class Quicktok(Encoder):
    def __init__(self, files: dict[str, str | None], threads: int) -> None:
        import quicktok

        super().__init__(files, threads)
        self.encoding = quicktok.get_encoding(files["published"])

    def encode_text(self, text: str) -> Any:
        return self.encoding.encode_batch([text], self.threads)

    def encode_documents(self, documents: list[str]) -> Any:
        return self.encoding.encode_batch(documents, self.threads)

    def count_text(self, text: str) -> int:
        return int(self.encoding.count(text))

    def count_documents(self, documents: list[str]) -> int:
        return len(self.encode_documents(documents)[0])

    def ids(self, result: Any) -> Any:
        return np.asarray(result[0])


class BpeOpenai(Encoder):
    def __init__(self, files: dict[str, str | None], threads: int) -> None:
        import bpe_openai

        super().__init__(files, threads)
        self.encoding = bpe_openai.get_encoding(files["published"])

    def encode_documents(self, documents: list[str]) -> Any:
        return [self.encoding.encode_ordinary(document) for document in documents]


ENCODERS: dict[str, type[Encoder]] = {
    "evalkit": Evalkit,
    "tiktoken": Tiktoken,
    "gigatoken": Gigatoken,
    "tokenizers": HuggingFace,
    "toktok": Toktok,
    "quicktok": Quicktok,
    "bpe_openai": BpeOpenai,
}


def can(engine: str, work: str, published: bool) -> bool:
    """Whether an engine does a work (the name of a method) with a published vocabulary, or with one of our own."""
    only = {"tokenizers": False, "toktok": True, "quicktok": True, "bpe_openai": True}
    kind = ENCODERS[engine]
    return getattr(kind, work) is not getattr(Encoder, work) and only.get(engine, published) == published


def can_be_called(engine: str, published: bool) -> bool:
    """Whether an engine has a call that encodes one short text."""
    return engine != "toktok" and can(engine, "encode_documents", published)


def ids_hash(ids: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(ids, dtype="<u4").tobytes()).hexdigest()


def timed(call: Call, passes: int, before: Callable[[], object] = lambda: None) -> tuple[dict[str, list[float]], Any]:
    """(seconds of the first call and of the repeated ones, the last result). The result before is given back within
    the time, as it is where calls follow each other; ``before`` is called outside of it."""
    times, result = [], None
    for _ in range(passes):
        before()
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return {"first": times[:1]} | ({"repeated": times[1:]} if passes > 1 else {}), result


def measure(
    engine: str, work: str, files: dict[str, str | None], path: str, limit: int | None, passes: int, threads: int
) -> Outcome:
    """The job of ``encode``: builds the encoder and does one work several times, from a cold cache."""
    text = texts.read(path, limit)
    start = time.perf_counter()
    encoder = ENCODERS[engine](files, threads)
    build = time.perf_counter() - start
    data = texts.documents(text) if work.endswith("_documents") else text
    seconds, result = timed(lambda: getattr(encoder, work)(data), passes)
    seconds["build"] = [build]
    if work.startswith("count_"):
        return Outcome(seconds, {"tokens": int(result)})
    ids = encoder.ids(result)
    return Outcome(seconds, {"tokens": len(ids), "ids": ids_hash(ids)})


def measure_latency(engine: str, files: dict[str, str | None], text: str, calls: int, passes: int) -> Outcome:
    """The job of ``latency``: the time of one call on a short text, as a mean of many calls in a loop."""
    encoder: Any = ENCODERS[engine](files, 1)
    inner = getattr(encoder, "tokenizer", None) or encoder.encoding
    ways: dict[str, Any] = {"encode": inner.encode}
    if hasattr(inner, "encode_ordinary"):
        ways["encode_ordinary"] = inner.encode_ordinary
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    answer = {}
    for way, call in ways.items():
        ids = call(text)
        answer[way] = [int(i) for i in getattr(ids, "ids", ids)]
    for _ in range(passes):
        for way, call in ways.items():
            start = time.perf_counter()
            for _ in itertools.repeat(None, calls):
                call(text)
            seconds[way].append((time.perf_counter() - start) / calls)
    return Outcome(seconds, {"ids": answer["encode"], "same": len({str(ids) for ids in answer.values()}) == 1})
