"""From a suite's tokenizer entries and its opened corpora to tokenizers."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Literal

import tokenizers_impl as ti
from evalkit import mixing
from evalkit.cache import TokenizerCache, content_key
from evalkit.corpus import Corpus
from evalkit.errors import UserError
from evalkit.plugins import MAX_ID, load_plugin
from evalkit.suite import Suite
from evalkit.suite_schema import TokenizerSpec, TrainOn
from evalkit.training_usage import UsageOfText
from tokenizers_impl import (
    BaselineTokenizer,
    BPETokenizer,
    TokenizerError,
    TrainingRecord,
    engine,
    lexicon,
    tiktoken_adapter,
)
from tokenizers_impl.deferred import dataclass
from tokenizers_impl.formats.limits import decode, read_file
from tokenizers_impl.ladder import Ladder
from tokenizers_impl.opaque import OpaqueTokenizer
from tokenizers_impl.registry import LEFT_TO_RIGHT, VARIANTS
from tokenizers_impl.training import truncate
from tokenizers_impl.unicode_data import is_han

CODE_VERSION = 1
"""Rises when training, or the choice of what is trained on, gives something else for the same suite."""

WORDS_VOCAB_SIZE = 50_000
"""The size of the vocabulary of ``baseline: words``."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class BuiltTokenizer:
    """A tokenizer with its place in the suite."""

    name: str
    kind: str
    """``bpe`` (trained here), ``tiktoken``, ``huggingface``, ``sentencepiece``, ``file``, ``python`` or
    ``baseline``."""
    tokenizer: BPETokenizer | BaselineTokenizer | OpaqueTokenizer
    variant: str | None = None
    asked_vocab_size: int | None = None
    trained_on: tuple[str, ...] = ()
    training: TrainingRecord | None = None
    notes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    """Other names of the same tokenizer: the largest rung of a ladder is the bare name, and ``name@size``
    too."""
    undefined: Mapping[str, str] = field(default_factory=dict)
    """Rungs that training didn't reach, with the reason."""
    training_text: Ladder | None = field(default=None, repr=False, compare=False)
    """Its training text under every size of the largest rung, where that was asked for."""


def by_name(built: Sequence[BuiltTokenizer]) -> dict[str, BuiltTokenizer]:
    """Every tokenizer under each of its names. Rungs that don't exist are not in it: see ``undefined``."""
    return {name: one for one in built for name in (one.name, *one.aliases)}


def build_tokenizers(
    suite: Suite,
    corpora: Mapping[str, Corpus],
    *,
    threads: int | None = None,
    cache: TokenizerCache | None = None,
    progress: Progress | None = None,
    usage: bool = False,
) -> list[BuiltTokenizer]:
    """The suite's tokenizers in its order, the rungs of a ladder before its largest. Trained ones come from
    the cache where their text and parameters are the same; ``cache`` of ``None`` is none. ``usage``: whether the
    tokens of the training texts are counted.

    Raises :class:`UserError` naming the entry.
    """
    work = _Work(suite, corpora, threads, cache or TokenizerCache(None), progress, usage)
    built: list[BuiltTokenizer] = []
    ahead = _load_ahead(work)
    for number, spec in enumerate(suite.tokenizers):
        where = f"tokenizers[{number}]"
        try:
            made = ahead[number].result() if number in ahead else _BUILDERS[spec.kind](work, spec)
            for one in made:
                _check_ids(one)
            built += made
        except UserError as error:
            raise UserError(f"{where} ({spec.name!r}): {error}", where=error.where or where) from None
        except (TokenizerError, FileNotFoundError) as error:
            raise UserError(f"{where} ({spec.name!r}): {error}", where=where) from error
    return built


def _check_ids(built: BuiltTokenizer) -> None:
    if not isinstance(built.tokenizer, BPETokenizer):
        return  # a baseline's are small, and a plug-in's are looked at as they come
    largest = int(built.tokenizer.engine_vocabulary.ids()[-1])
    if largest > MAX_ID:
        raise UserError(f"its largest id is {largest:,}, and ids are counted in a table of those up to {MAX_ID:,}")


def forget_upstreams(built: Sequence[BuiltTokenizer]) -> None:
    """Lets go of the upstream tokenizers that imports were checked against; only a gate asks them more."""
    tiktoken_adapter.forget_upstreams()
    if any(one.kind == "huggingface" for one in built):
        from tokenizers_impl.formats import hf_upstream

        hf_upstream.forget_upstreams()


def _load_ahead(work: _Work) -> dict[int, Future[list[BuiltTokenizer]]]:
    """Vocabularies that are only read are read side by side, while others are trained: most of that time the core
    works without Python. By their numbers; an error waits for whoever asks for the result."""
    numbers = [number for number, spec in enumerate(work.suite.tokenizers) if spec.kind in ("tiktoken", "huggingface")]
    if work.threads == 1 or len(numbers) < 2:
        return {}
    pool = ThreadPoolExecutor(len(numbers), thread_name_prefix="evalkit-load")
    specs = {number: work.suite.tokenizers[number] for number in numbers}
    found = {number: pool.submit(_BUILDERS[spec.kind], work, spec) for number, spec in specs.items()}
    pool.shutdown(wait=False)
    return found


@dataclass(frozen=True)
class _Work:
    suite: Suite
    corpora: Mapping[str, Corpus]
    threads: int | None
    cache: TokenizerCache
    progress: Progress | None
    usage: bool = False

    def progress_of(self, name: str) -> Progress | None:
        report = self.progress
        if report is None:
            return None
        return lambda stage, done, total: report(f"train {name}: {stage}", done, total)


# ── trained here ────────────────────────────────────────────────────────────────────────────────────────────


def _trained(work: _Work, spec: TokenizerSpec) -> list[BuiltTokenizer]:
    pattern = spec.variant or spec.pattern
    if spec.train_on is None or pattern is None:
        raise UserError("a tokenizer that is trained here needs a variant or pattern, and train_on")
    variant = ti.get_variant(pattern)
    notes: list[str] = []
    words = _lexicon(work.suite, spec, notes)
    key = content_key(_description(work, spec, variant, words))
    seen = len(work.cache.notes)
    tokenizer = work.cache.get(key)
    usage = UsageOfText(work.cache.path(key)) if work.usage else None
    if tokenizer is None:
        texts = _training_texts(work, spec.train_on, notes)
        tokenizer = _train(spec, variant, words, texts, work.threads, work.progress_of(spec.name), usage)
        work.cache.put(key, tokenizer)
    elif spec.train_on.shares is not None:
        notes += mixing.describe_shares(spec.train_on)
    notes += work.cache.notes[seen:]
    if spec.pattern is not None:
        same = f"it is the variant {variant.name}; " if variant.name in VARIANTS else ""
        notes.append(f"own split pattern: {same}texts are cut by the {tokenizer.pattern_engine} engine")
    rungs = _rungs(spec, tokenizer, _label(tokenizer), tuple(notes))
    if usage is None:
        return rungs
    train_on = spec.train_on
    text = usage.of(tokenizer, lambda: _training_texts(work, train_on, []), work.threads, work.progress_of(spec.name))
    return [replace(rung, training_text=text) for rung in rungs]


def _train(
    spec: TokenizerSpec,
    variant: ti.Variant,
    words: Sequence[str] | None,
    source: Iterable[str | Path],
    threads: int | None,
    progress: Progress | None = None,
    counted: Callable[[BPETokenizer, Any], None] | None = None,
) -> BPETokenizer:
    return ti.train(
        source,
        variant.name,
        spec.sizes[-1],
        spec.special_tokens,
        spec.min_frequency,
        spec.tie_break,
        threads,
        lexicon=words,
        direction=spec.direction,
        progress=progress,
        counted=counted,
    )


@dataclass(frozen=True)
class Recipe:
    """How a suite's tokenizer is trained, for training it again: ``train`` takes a source, threads and progress;
    ``texts`` starts a new pass over its text; ``description`` is everything that decides the tokenizer."""

    train: Callable[..., BPETokenizer]
    texts: Callable[[], Iterator[str]]
    description: Mapping[str, Any] = field(default_factory=dict)


def recipe(suite: Suite, corpora: Mapping[str, Corpus], spec: TokenizerSpec) -> Recipe:
    """The recipe of an entry that is trained here."""
    assert spec.train_on is not None
    train_on, variant = spec.train_on, ti.get_variant(spec.variant or spec.pattern or "")
    work = _Work(suite, corpora, None, TokenizerCache(None), None)
    words = _lexicon(suite, spec, [])
    return Recipe(
        lambda source, threads, progress=None: _train(spec, variant, words, source, threads, progress),
        lambda: _training_texts(work, train_on, []),
        _description(work, spec, variant, words),
    )


def _label(tokenizer: BPETokenizer) -> str:
    """The variant's name; with another direction of digits it is another variant to every comparison."""
    right_to_left = tokenizer.direction != LEFT_TO_RIGHT
    return f"{tokenizer.variant} {tokenizer.direction}" if right_to_left else tokenizer.variant


def _rungs(spec: TokenizerSpec, tokenizer: BPETokenizer, variant: str, notes: tuple[str, ...]) -> list[BuiltTokenizer]:
    """The rungs of a ladder below the largest, each cut from it, then the largest under the bare name."""
    assert spec.train_on is not None
    achieved, largest = tokenizer.vocab_size, spec.sizes[-1]
    # Not of the rungs, which are as large as they were to be.
    early = (f"training {tokenizer.training.stopped}",) if achieved < largest and tokenizer.training else ()

    def one(name: str, size: int, made: BPETokenizer, more: tuple[str, ...] = (), **rest: Any) -> BuiltTokenizer:
        corpora = spec.train_on.corpora if spec.train_on else ()
        return BuiltTokenizer(name, "bpe", made, variant, size, corpora, made.training, (*notes, *more), **rest)

    rungs = [
        one(name, size, truncate(tokenizer, size))
        for name, size in spec.size_names().items()
        if size < largest and size <= achieved
    ]
    unreached = {
        name: f"training stopped at {achieved:,}, below {size:,}"
        for name, size in spec.size_names().items()
        if size > achieved
    }
    reached = tuple(name for name, size in spec.size_names().items() if size == largest == achieved)
    return [*rungs, one(spec.name, largest, tokenizer, early, aliases=reached, undefined=unreached)]


def _training_texts(work: _Work, train_on: TrainOn, notes: list[str]) -> Iterator[str]:
    """The documents of the train splits: all of them, or a mix."""
    chosen = [work.corpora[name] for name in train_on.corpora]
    if train_on.shares is None:
        return (text for corpus in chosen for text in corpus.documents("train"))
    mix = mixing.choose(chosen, train_on.shares, work.suite.seed)
    notes.append(mix.note)
    return mix.documents()


def _description(work: _Work, spec: TokenizerSpec, variant: ti.Variant, words: Sequence[str] | None) -> dict[str, Any]:
    """Everything that decides the tokenizer, for the cache's key. Which engine trains is not in it, since all
    engines give the same."""
    assert spec.train_on is not None
    learner = None
    if variant.uses_lexicon and words is None:
        learner = lexicon.LEARNER_VERSION
    description = {
        "code": CODE_VERSION,
        "corpora": [_text_of(work.corpora[name], work.suite.seed) for name in spec.train_on.corpora],
        "shares": spec.train_on.shares,
        "seed": work.suite.seed if spec.train_on.shares else None,
        "variant": [variant.name, variant.version, variant.pattern],
        "unicode": engine.active().unicode_version(),
        "vocab_size": spec.sizes[-1],
        "special_tokens": spec.special_tokens,
        "min_frequency": spec.min_frequency,
        "tie_break": spec.tie_break,
        "lexicon": sorted(set(words)) if words is not None else None,
        "lexicon_learner": learner,
    }
    if spec.direction != LEFT_TO_RIGHT:
        description["direction"] = spec.direction
    return description


def _text_of(corpus: Corpus, seed: int) -> dict[str, Any]:
    """What decides the text of a corpus's train split: its files, how they are cut, sampled and held out."""
    spec = corpus.spec
    held_out = spec.eval.model_dump(mode="json") if spec.eval else None
    return {
        "sha256": corpus.sha256,
        "builtin": spec.builtin is not None,
        "cut": [spec.separator, spec.document, spec.field, spec.invalid_utf8],
        "suffixes": sorted({Path(name).suffix for name in corpus.files}),
        "eval": "files" if spec.eval is not None and spec.eval.files else held_out,
        "sample": spec.sample.model_dump(mode="json") if spec.sample else None,
        "seed": seed if spec.sample else None,
    }


def _lexicon(suite: Suite, spec: TokenizerSpec, notes: list[str]) -> list[str] | None:
    """The words of ``lexicon: FILE`` (one a line) or ``lexicon: jieba``; None where they are learned or not
    used."""
    if spec.lexicon is None:
        return None
    if spec.lexicon == "jieba":
        found = importlib.util.find_spec("jieba")
        if found is None or not found.submodule_search_locations:
            raise UserError("lexicon: jieba needs the package jieba: pip install jieba")
        path = Path(next(iter(found.submodule_search_locations))) / "dict.txt"
        candidates = [line.split(" ")[0] for line in decode(read_file(path), path).split("\n")]
        words = [word for word in candidates if _is_han_word(word)]
        notes.append(f"the word list is jieba's: {len(words):,} words of 2 to {lexicon.MAX_WORD} Han characters")
        return words
    return read_words(suite.resolve(spec.lexicon))


def read_words(path: Path) -> list[str]:
    """The words of a word list, one a line; blank lines are skipped. Raises :class:`UserError` naming the line
    of what is no word."""
    lines = [line.strip() for line in decode(read_file(path), path).split("\n")]
    for number, word in enumerate(lines, start=1):
        if word and not _is_han_word(word):
            raise UserError(f"{path}: line {number}: {word!r} is not a word of 2 to {lexicon.MAX_WORD} Han characters")
    return [word for word in lines if word]


def _is_han_word(word: str) -> bool:
    return 2 <= len(word) <= lexicon.MAX_WORD and all(is_han(ord(character)) for character in word)


# ── from elsewhere ──────────────────────────────────────────────────────────────────────────────────────────


def _tiktoken(work: _Work, spec: TokenizerSpec) -> list[BuiltTokenizer]:
    assert spec.tiktoken is not None
    tokenizer = ti.from_tiktoken(spec.tiktoken)
    verdict = tiktoken_adapter.tokenizer_check(tokenizer)
    if verdict.status == "different":
        raise UserError(verdict.message)
    notes = () if verdict.status == "same" else (verdict.message,)
    return [BuiltTokenizer(spec.name, "tiktoken", tokenizer, tokenizer.variant, notes=notes)]


def _huggingface(work: _Work, spec: TokenizerSpec) -> list[BuiltTokenizer]:
    from tokenizers_impl.formats import hf_upstream
    from tokenizers_impl.formats.huggingface import from_huggingface

    assert spec.huggingface is not None
    rule: Literal["refuse", "ignore"] = "ignore" if spec.normalizer == "ignore" else "refuse"
    tokenizer = from_huggingface(work.suite.resolve(spec.huggingface), normalizer=rule)
    verdict = hf_upstream.tokenizer_check(tokenizer)
    if verdict.status == "different":
        raise UserError(verdict.message)
    notes = tokenizer.notes if verdict.status == "same" else (*tokenizer.notes, verdict.message)
    return [BuiltTokenizer(spec.name, "huggingface", tokenizer, tokenizer.variant, notes=notes)]


def _sentencepiece(work: _Work, spec: TokenizerSpec) -> list[BuiltTokenizer]:
    from tokenizers_impl.sentencepiece_adapter import from_sentencepiece

    assert spec.sentencepiece is not None
    tokenizer = from_sentencepiece(work.suite.resolve(spec.sentencepiece), spec.lossy)
    return [BuiltTokenizer(spec.name, "sentencepiece", tokenizer)]


def _python(work: _Work, spec: TokenizerSpec) -> list[BuiltTokenizer]:
    """Whether the suite's code may run was asked before."""
    assert spec.python is not None
    tokenizer = load_plugin(spec.python, work.suite.base_dir, spec.lossy)
    variant = tokenizer.variant if isinstance(tokenizer, BPETokenizer) else None
    return [BuiltTokenizer(spec.name, "python", tokenizer, variant, notes=(f"made by {spec.python}",))]


def _file(work: _Work, spec: TokenizerSpec) -> list[BuiltTokenizer]:
    assert spec.file is not None
    tokenizer = ti.load(work.suite.resolve(spec.file))
    return [BuiltTokenizer(spec.name, "file", tokenizer, tokenizer.variant, training=tokenizer.training)]


def _baseline(work: _Work, spec: TokenizerSpec) -> list[BuiltTokenizer]:
    """``words`` takes its words from the parts that aren't measured. Where no corpus has one, it takes them
    from the measured text and says so, since hardly a word is unknown then."""
    assert spec.baseline is not None
    if spec.baseline != "words":
        return [BuiltTokenizer(spec.name, "baseline", BaselineTokenizer(spec.baseline))]
    split = [corpus for corpus in work.corpora.values() if corpus.split_name == "eval"]
    texts = (t for c in split or work.corpora.values() for t in c.documents("train" if split else "all"))
    tokenizer = BaselineTokenizer.fit(texts, WORDS_VOCAB_SIZE)
    names = [corpus.name for corpus in split or work.corpora.values()]
    what = "the part held for training" if split else "the measured text itself, so that few are unknown"
    note = f"the {tokenizer.vocab_size - 1:,} most frequent words of {', '.join(names)} ({what})"
    return [BuiltTokenizer(spec.name, "baseline", tokenizer, None, WORDS_VOCAB_SIZE, notes=(note,))]


_BUILDERS: dict[str, Callable[[_Work, TokenizerSpec], list[BuiltTokenizer]]] = {
    "variant": _trained,
    "pattern": _trained,
    "tiktoken": _tiktoken,
    "huggingface": _huggingface,
    "sentencepiece": _sentencepiece,
    "python": _python,
    "file": _file,
    "baseline": _baseline,
}
