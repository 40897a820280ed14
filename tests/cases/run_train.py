"""Runners about training."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

import tokenizers_impl as ti
from cases.model import Here, runner
from cases.processes import run_python
from cases.texts import Text, text_of, words
from evalkit.cli import main
from evalkit.corpus import open_corpus
from evalkit.errors import UserError
from evalkit.suite_schema import CorpusSpec
from tokenizers_impl import TokenizerError, engine


def merge_texts(tok: ti.BPETokenizer) -> list[list[str]]:
    return [[left.decode(), right.decode()] for left, right in tok.merges]


def every_training(
    folder: Path, documents: Sequence[str], vocab_size: int, workers: Sequence[int] = (1, 2, 5)
) -> Iterator[tuple[str, ti.BPETokenizer]]:
    """(how, the tokenizer): from texts in any order, from a generator, from files, on so many threads."""
    files = []
    for number, text in enumerate(documents):
        files.append(folder / f"{number}.txt")
        files[-1].write_text(text, encoding="utf-8", newline="")
    sources: dict[str, Callable[[], object]] = {
        "texts": lambda: list(documents),
        "texts from the last": lambda: list(reversed(documents)),
        "a generator": lambda: (text for text in documents),
        "files": lambda: files,
        "files from the last": lambda: files[::-1],
        "texts and files": lambda: [*documents[:1], *files[1:]],
    }
    for threads in workers:
        for how, source in sources.items():
            yield f"{how}, {threads} threads", ti.train(source(), "gpt2", vocab_size, (), 1, "bytes", threads)


@runner
def train_threads(here: Here, documents: list[str], workers: list[int], vocab_size: int, merges: int) -> None:
    """The same merges however the documents come and however many threads count them; so too by the other rule."""
    expected = ti.train(documents, "gpt2", vocab_size, (), 1, "bytes", 1)
    assert len(expected.merges) == merges
    for how, tok in every_training(here.folder, documents, vocab_size, workers):
        assert tok == expected, how
    others = [ti.train(documents, "gpt2", vocab_size, (), 1, "huggingface", threads) for threads in workers]
    assert len(others[0].merges) == merges
    assert all(tok == others[0] for tok in others)


@runner
def first_merges(here: Here, documents: list[str], merges: list[list[object]]) -> None:
    """The first merges with their counts, and the same merges on every way to train."""
    core = engine.active()
    counter = core.Counter(core.Splitter("gpt2"), [], 2)
    counter.add_texts(documents)
    found = core.learn_merges(counter, len(merges), 1, "bytes")
    assert [[left.decode(), right.decode(), count] for left, right, count in found] == merges
    for how, tok in every_training(here.folder, documents, 256 + len(merges)):
        assert merge_texts(tok) == [merge[:2] for merge in merges], how


@runner
def nothing_to_train(here: Here, sources: list[list[str]]) -> None:
    """No text is an error that says so."""
    empty = here.folder / "empty.txt"
    empty.write_bytes(b"")
    for source in [*sources, empty, [empty], iter(()), "", ["<|end|>"]]:
        with pytest.raises(TokenizerError, match="there is no text to train on"):
            ti.train(source, vocab_size=300, special_tokens=["<|end|>"])


@runner
def nothing_to_train_by_command(here: Here, content: str) -> None:
    """The command says so in one paragraph, and that it could not judge."""
    path = here.folder / "a.txt"
    path.write_text(content, encoding="utf-8", newline="")
    out = here.folder / "tok"
    code = main(["train", "--variant", "gpt2", "--vocab-size", "300", "--out", str(out), str(path)])
    assert code == 2
    assert not out.exists()


@runner
def nothing_to_train_in_a_suite(here: Here, content: str, says: str) -> None:
    """A corpus of empty lines is refused when it is opened."""
    (here.folder / "a.txt").write_text(content, encoding="utf-8", newline="")
    spec = CorpusSpec.model_validate({"files": ["a.txt"], "document": "line"})
    with pytest.raises(UserError, match=says):
        open_corpus("c", spec, base_dir=here.folder, seed=1, trained_on=True)


@runner
def white_space_to_train(here: Here, documents: list[str], merges: list[list[str]]) -> None:
    """White space is text: these merges and no more, from texts and from files."""
    for how, tok in every_training(here.folder, documents, 300):
        assert merge_texts(tok) == merges, how
        assert tok.training is not None
        assert tok.training.stopped == f"stopped at {256 + len(merges)} of 300: no pair is left"


@runner
def no_hole(here: Here, specials: list[str], documents: list[str], vocab_size: int) -> None:
    """Ids without hole or double, no merge that makes a special token, and ids that come back."""
    tok = ti.train(documents, "gpt2", vocab_size, specials, 1)
    assert list(tok.vocab) == list(range(tok.vocab_size))
    assert len(set(tok.vocab.values())) == tok.vocab_size
    learned = {left + right for left, right in tok.merges}
    assert not learned & {text.encode() for text in specials}
    for text in documents:
        assert tok.decode(tok.encode(text, "all")) == text == tok.decode(tok.encode_ordinary(text))
        assert not set(tok.encode_ordinary(text)) & set(tok.special_tokens.values())


@runner
def used_up(here: Here, text: str, merges: list[list[str]]) -> None:
    """A used-up generator is an error, what isn't text too; a plain text is one document, not its letters."""
    gone = (one for one in [text])
    list(gone)
    with pytest.raises(TokenizerError, match="there is no text to train on"):
        ti.train(gone, vocab_size=300)
    for wrong in ([1, 2], [b"abab"], [None], [[text]]):
        with pytest.raises(TypeError, match="a source holds texts"):
            ti.train(wrong, vocab_size=300)
    whole = ti.train(text, vocab_size=300, min_frequency=1)
    assert merge_texts(whole)[: len(merges)] == merges
    assert whole == ti.train([text], vocab_size=300, min_frequency=1)
    with pytest.raises(TypeError, match="list of texts"):
        ti.train(text, vocab_size=300, special_tokens="<s>")
    with pytest.raises(TypeError, match="pieces of text"):
        list(whole.encode_iterable(text))


@runner
def large_counts(here: Here, counts: Mapping[str, int], merges: list[list[object]]) -> None:
    """A table of counts that don't fit into 32 bits."""
    core = engine.active()
    counter = core.Counter(core.Splitter("gpt2"), [], 2)
    counter.add_items([(text.encode(), count) for text, count in counts.items()])
    found = core.learn_merges(counter, len(merges), 1, "bytes")
    assert [[left.decode(), right.decode(), count] for left, right, count in found] == merges


@runner
def nothing_dropped(here: Here, lines: list[Text], learned: list[str]) -> None:
    """Every byte is seen, whatever the length of a line, and what stands only in the longest is learned."""
    texts = [text_of(line) for line in lines]
    path = here.folder / "a.txt"
    path.write_text("\n".join(texts), encoding="utf-8", newline="")
    spec = {"files": ["a.txt"], "document": "line", "eval": {"files": ["b.txt"]}}
    (here.folder / "b.txt").write_bytes(b"x")
    corpus = open_corpus("c", CorpusSpec.model_validate(spec), base_dir=here.folder, seed=1, trained_on=True)
    size = path.stat().st_size
    for source, seen in (
        (path, size),
        (texts, size - 1),
        (corpus.documents("train"), size - 1),
        (texts[1], len(texts[1])),
    ):
        tok = ti.train(source, vocab_size=280)
        assert tok.training is not None
        assert tok.training.bytes == seen
        assert {text.encode() for text in learned} <= set(tok.vocab.values())
        assert tok.decode(tok.encode(texts[1])) == texts[1]
    assert corpus.stats("train").bytes == size - 1


# ── large files ─────────────────────────────────────────────────────────────────────────────────────────────

_MEASURED = """
import resource, sys
from pathlib import Path
import tokenizers_impl as ti
tok = ti.train(Path(sys.argv[1]), vocab_size=256 + int(sys.argv[2]), threads=2)
print(tok.fingerprint, tok.training.bytes, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@runner
def train_memory(here: Here, words: int, small_bytes: int, large_bytes: int, merges: int, may_grow_bytes: int) -> None:
    """A file many times as large, of one line, takes hardly more memory, each in a process of its own."""
    if sys.platform == "win32":
        pytest.skip("the peak of a process is read with the module resource")
    unit = 1 if sys.platform == "darwin" else 1024
    block = _words(words, small_bytes)
    path = here.folder / "line.txt"
    peaks = []
    for times in (1, large_bytes // small_bytes):
        with path.open("w", encoding="utf-8") as file:
            for _ in range(times):
                file.write(block)
        _, seen, peak = run_python(["-c", _MEASURED, str(path), str(merges)], seconds=300).split()
        assert int(seen) == path.stat().st_size
        peaks.append(int(peak) * unit)
    path.unlink()
    assert peaks[1] - peaks[0] < may_grow_bytes, peaks


def _words(number: int, size: int) -> str:
    return words(number, size) + " "


@runner
def train_in_blocks(here: Here, words: int, bytes: int, merges: int, line_every: int) -> None:
    """One huge line, and the same with line ends: whole, in parts that end at words, and from a file on any number
    of threads, the merges are the same."""
    text = _words(words, bytes)
    by_word = text.split(" ")
    lines = "\n".join(" ".join(by_word[i : i + line_every]) for i in range(0, len(by_word), line_every))
    source = random.Random(3)
    for content in (text, lines):
        path = here.folder / "a.txt"
        path.write_text(content, encoding="utf-8", newline="")
        expected = ti.train(content, vocab_size=256 + merges, threads=1)
        assert len(expected.merges) == merges
        parts, start = [], 0
        while start < len(content):
            end = content.find(" ", start + source.randrange(20_000))
            parts.append(content[start : end if end > 0 else len(content)])
            start += len(parts[-1])
        assert ti.train(parts, vocab_size=256 + merges) == expected
        for threads in (1, 2, 5):
            assert ti.train(path, vocab_size=256 + merges, threads=threads) == expected


@runner
def train_one_piece(here: Here, letters: str, size: int, merges: int) -> None:
    """A text without any blank, such as of a genome, is one piece, and trained on in moments all the same."""
    text = "".join(random.Random(2).choices(letters, k=size))
    tok = ti.train(text, vocab_size=256 + merges)
    assert len(tok.merges) == merges
    assert tok.training is not None
    assert (tok.training.bytes, tok.training.distinct_pretokens) == (size, 1)


# ── processes ───────────────────────────────────────────────────────────────────────────────────────────────

_FORKED = """
import os, sys, warnings
import tokenizers_impl as ti
warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of forking with threads, which is the point
texts = [f"text number {n} of some" for n in range(int(sys.argv[1]))] * 20
tok = ti.train(texts, vocab_size=300, threads=4)
before = tok.encode_batch(texts, 4)
child = os.fork()
if child == 0:
    same = tok.encode_batch(texts, 4) == before
    same = same and tok.encode_parallel(" ".join(texts), 4).tolist() == tok.encode(" ".join(texts))
    same = same and ti.train(texts, vocab_size=300, threads=4) == tok
    os._exit(0 if same else 3)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) or (0 if tok.encode_batch(texts, 4) == before else 4))
"""


@runner
def fork(here: Here, texts: int) -> None:
    """A forked child of a process that used threads does the same work, within a time limit."""
    if not hasattr(os, "fork"):
        pytest.skip("this system doesn't fork")
    for parallelism in (None, "true", "false"):
        variables = {"TOKENIZERS_PARALLELISM": parallelism}
        run_python(["-c", _FORKED, str(texts)], seconds=60, variables=variables, engine=here.engine)
