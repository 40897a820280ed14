"""Every engine's way to train, behind one face: from a file to a saved tokenizer. Runs in the process of a job.

Nothing but the engine itself is imported before its peak of memory has been read, least of all numpy and our package.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import SEPARATOR
from benchmarks.engines import ENGINES
from benchmarks.harness import Outcome
from benchmarks.worker import peak_bytes

if TYPE_CHECKING:
    from tokenizers_impl import BPETokenizer

Merges = Sequence[tuple[bytes, bytes]]
PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""GPT-2's. Written out, since asking the registry would load our package."""
HELD_OUT = 1_000_000


@dataclass
class Trained:
    """What an engine learned: its merges where it tells them, or all its tokens in order of rank."""

    merges: Merges | None = None
    tokens: Sequence[bytes] | None = None


def _blocks(path: str) -> Iterator[str]:
    """For those that take texts, not files: pieces of some megabytes, cut after lines."""
    with open(path, encoding="utf-8", newline="") as file:
        while lines := file.readlines(1 << 22):
            yield "".join(lines)


def _evalkit(path: str, vocab: int, out: Path, tie_break: str = "bytes") -> Callable[[], Trained]:
    from tokenizers_impl import train

    tokenizer = train(Path(path), "gpt2", vocab, [SEPARATOR], tie_break=tie_break)
    tokenizer.save(out / "tokenizer")
    return lambda: Trained(tokenizer.merges)


def _huggingface(path: str, vocab: int, out: Path) -> Callable[[], Trained]:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab,
        min_frequency=2,
        special_tokens=[SEPARATOR],
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train([path], trainer)
    tokenizer.save(str(out / "tokenizer.json"))
    return lambda: Trained(_merges_of_json(out / "tokenizer.json"))


def _gigabpe(path: str, vocab: int, out: Path) -> Callable[[], Trained]:
    import gigabpe

    gigabpe.train_tokenizer(
        [path],
        vocab,
        str(out / "tokenizer.json"),
        min_frequency=2,
        pretokenizer="bytelevel",
        special_tokens=[SEPARATOR],
    )
    return lambda: Trained(_merges_of_json(out / "tokenizer.json"))


def _gigatoken(path: str, vocab: int, out: Path) -> Callable[[], Trained]:
    import gigatoken

    source = gigatoken.TextFileSource([path], separator=SEPARATOR.encode())
    _, merges = gigatoken.train_bpe(source, vocab, [SEPARATOR])
    return lambda: Trained([(bytes(a), bytes(b)) for a, b in merges])


def _rustbpe(path: str, vocab: int, out: Path) -> Callable[[], Trained]:
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(_blocks(path), vocab - 1, pattern=PATTERN)
    return lambda: Trained(tokens=[bytes(token) for token, _ in tokenizer.get_mergeable_ranks()])


def _ffbpe(path: str, vocab: int, out: Path) -> Callable[[], Trained]:
    import ffbpe

    model = ffbpe.train_bpe(_blocks(path), vocab_size=vocab, special_tokens=[SEPARATOR])
    model.save_pretrained(str(out / "ffbpe"))
    ids = {token: i for token, i in model.vocab.items() if token != SEPARATOR.encode()}
    return lambda: Trained(tokens=sorted(ids, key=ids.__getitem__))


def _bpeasy(path: str, vocab: int, out: Path) -> Callable[[], Trained]:
    import bpeasy

    ranks = bpeasy.train_bpe_stream(_blocks(path), PATTERN, 128, vocab - 1, 64)
    bpeasy.save_vocab_to_tiktoken(ranks, str(out / "bpeasy.tiktoken"), [SEPARATOR])
    return lambda: Trained(tokens=sorted(ranks, key=ranks.__getitem__))


TRAINERS: dict[str, Callable[[str, int, Path], Callable[[], Trained]]] = {
    "evalkit": _evalkit,
    "evalkit huggingface": functools.partial(_evalkit, tie_break="huggingface"),
    "gigabpe": _gigabpe,
    "gigatoken": _gigatoken,
    "ffbpe": _ffbpe,
    "rustbpe": _rustbpe,
    "bpeasy": _bpeasy,
    "tokenizers": _huggingface,
}
"""Each trains, saves what it has a function to save with, and returns what gives the vocabulary for checking."""


def _merges_of_json(path: Path) -> Merges:
    from tokenizers_impl.formats.gpt2 import from_characters

    merges = json.loads(path.read_text(encoding="utf-8"))["model"]["merges"]
    pairs = (merge if isinstance(merge, list) else merge.split(" ") for merge in merges)
    return [(from_characters(a), from_characters(b)) for a, b in pairs]


def merges_hash(merges: Merges, many: int) -> str:
    lines = (f"{a.hex()} {b.hex()}\n" for a, b in merges[:many])
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def measure(trainer: str, path: str, vocab: int, name: str = "train") -> Outcome:
    """The job of ``train``. ``name`` is that of the measure."""
    engine = ENGINES[trainer.split()[0]]
    for module in (engine.module, *(f"{engine.module}.{name}" for name in _ALSO.get(engine.name, ()))):
        importlib.import_module(module)  # before the clock starts
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        vocabulary = TRAINERS[trainer](path, vocab, Path(folder))
        seconds = time.perf_counter() - start
        peak = peak_bytes()  # what checking takes doesn't count
        return Outcome({name: [seconds]}, describe(vocabulary(), path, vocab), peak)


_ALSO = {"evalkit": ("training", "formats")}
"""Modules that a first call would import."""


def describe(trained: Trained, path: str, vocab: int) -> dict[str, Any]:
    """What is checked: the size, the hash of the merges, and the tokens of the text's end."""
    import tokenizers_impl as ti

    many = vocab - 256 - 1
    if trained.merges is not None:
        merges = list(trained.merges)[:many]
        bytes_first = dict(enumerate(bytes([byte]) for byte in range(256)))
        tokens = bytes_first | {256 + i: a + b for i, (a, b) in enumerate(merges)}
        tokenizer: BPETokenizer = ti.BPETokenizer(tokens, merges, pattern="gpt2", foreign=True)
        answer = {"merges": len(merges), "hash": merges_hash(merges, many)}
    else:
        ranks = {token: rank for rank, token in enumerate(trained.tokens or ())}
        tokenizer = ti.BPETokenizer.from_ranks(ranks, {}, "gpt2")
        answer = {"merges": len(ranks) - 256}
    with open(path, "rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - HELD_OUT))
        end = file.read().decode("utf-8", "ignore").replace(SEPARATOR, "")
    return answer | {"tokens_of_the_end": tokenizer.count(end)}


def expected(path: str, vocab: int, lines: bool) -> Outcome:
    """The answer that Hugging Face's rule gives, by our trainer. ``lines``: of a file whose lines are documents and
    in which a special token is text, which is how ``tokenizers`` reads it; otherwise the special ends documents.

    The peers take a byte order mark at a file's start for text. We don't: ``without_mark`` is the hash for us."""
    import tokenizers_impl as ti

    text = Path(path).read_bytes().decode()
    if lines:
        source, size, specials = list(_cut_lines(text)), vocab - 1, []
    else:
        source, size, specials = [text], vocab, [SEPARATOR]
    tokenizer = ti.train(source, "gpt2", size, specials, tie_break="huggingface")
    answer = describe(Trained(tokenizer.merges), path, vocab)
    if text.startswith("\ufeff") and not lines:
        tokenizer = ti.train(text[1:], "gpt2", size, specials, tie_break="huggingface")
    return Outcome({}, answer | {"without_mark": merges_hash(tokenizer.merges, vocab - 257)})


def _cut_lines(text: str) -> Iterator[str]:
    """Lines as Rust's ``lines`` has them when the newline is kept: cut after \\n alone."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start : end + 1]
        start = end + 1
    if start < len(text):
        yield text[start:]


def reference(path: str, vocab: int, size: int) -> Outcome:
    """Our trainer and the plain one on the beginning of the file; the answer is whether they agree."""
    import tokenizers_impl as ti
    from tokenizers_impl import engine

    with open(path, "rb") as file:
        text = file.read(size).decode("utf-8", "ignore")
    fast = ti.train(text, "gpt2", vocab, [SEPARATOR])
    with engine.use("reference"):
        plain = ti.train(text, "gpt2", vocab, [SEPARATOR])
    return Outcome({}, fast.merges == plain.merges)
