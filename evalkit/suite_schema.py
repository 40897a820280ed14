"""The suite file as types: every key, its kind of value, and what one part can check alone.

What needs two parts of the file (a tokenizer trained on a corpus) is checked in ``evalkit.suite``.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from evalkit.errors import nearest
from evalkit.suite_gate import GateSpec
from evalkit.suite_part import Part, exactly_one
from evalkit.suite_values import (
    Boolean,
    Bytes,
    Count,
    FilePattern,
    Files,
    Fraction,
    Group,
    Language,
    Name,
    PythonName,
    Reference,
    Seed,
    Sha256,
    Text,
    check_count,
    check_list,
    check_python,
    describe,
    expected,
    list_of,
    mapping,
    one_of,
    problem,
)
from tokenizers_impl.errors import TokenizerError
from tokenizers_impl.registry import VARIANTS, get_variant
from tokenizers_impl.vocabulary import LARGEST_KEPT_ID

SEGMENTERS = ("auto", "icu4x", "uax29", "jieba", "whitespace")
BASELINES = ("bytes", "chars", "words")
INVALID_UTF8 = ("error", "replace")
FORMATS = ("md", "html", "json", "csv")
KINDS = ("variant", "pattern", "tiktoken", "huggingface", "sentencepiece", "baseline", "python", "file")
TRAINED_KINDS = ("variant", "pattern")
OPAQUE_KINDS = ("sentencepiece", "python")
TRAINING_KEYS = (
    "train_on",
    "vocab_size",
    "special_tokens",
    "min_frequency",
    "tie_break",
    "direction",
    "lexicon",
)
BASE_ALPHABET = 256
MOST_TRAININGS = 50


class EvalSpec(Part):
    """What is measured and never trained on: files of its own, or a fraction by document hash."""

    files: Files | None = None
    fraction: Fraction | None = None

    @model_validator(mode="after")
    def _one(self) -> EvalSpec:
        exactly_one(self, ("files", "fraction"))
        return self


class SampleSpec(Part):
    """At most so many documents, or so many bytes of whole documents."""

    documents: Count | None = None
    bytes: Bytes | None = None

    @model_validator(mode="after")
    def _one(self) -> SampleSpec:
        exactly_one(self, ("documents", "bytes"))
        return self


class CorpusSpec(Part):
    """One corpus: where its text is, and how the text is cut into documents."""

    files: Files | None = None
    builtin: Reference | None = None
    separator: Text | None = None
    document: Annotated[str, one_of("the extent of a document", ("file", "line"))] | None = None
    field: Text | None = None
    language: Language | None = None
    domain: Text | None = None
    eval: EvalSpec | None = None
    sample: SampleSpec | None = None
    parallel: Group = None
    segmenter: Annotated[str, one_of("a segmenter", SEGMENTERS)] = "auto"
    invalid_utf8: Annotated[str, one_of("a policy", INVALID_UTF8)] = "error"
    sha256: Sha256 | None = None

    @model_validator(mode="after")
    def _consistent(self) -> CorpusSpec:
        cuts = self.given("separator", "document", "field")
        if exactly_one(self, ("files", "builtin")) == "builtin" and cuts:
            raise problem("an embedded corpus brings its own cut into documents; remove this key", cuts[0])
        if len(cuts) > 1:
            raise problem(f"expected at most one of separator, document, field; {cuts[0]} is there", cuts[1])
        if self.parallel is not None:
            self._keeps_lines_together()
        return self

    def _keeps_lines_together(self) -> None:
        """Line i must stay line i in every corpus of the group, which choosing by hash would break, and which nobody
        can check where a file is one document."""
        if self.document == "file":
            raise problem(
                "line i of a parallel corpus says the same as line i of the others, so that its documents are lines: "
                "write document: line, or leave it out",
                "document",
            )
        if self.sample is not None:
            raise problem("a parallel corpus can't be sampled: its lines would lose their partners", "sample")
        if self.eval is not None and self.eval.fraction is not None:
            raise problem(
                "a parallel corpus can't hold out a fraction: its lines would lose their partners; "
                "give eval: {files: […]}",
                "eval",
            )


class TrainOn(BaseModel):
    """What a tokenizer is trained on: all of some corpora, or a mix by shares of bytes (which sum to one)."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    corpora: tuple[str, ...]
    shares: tuple[float, ...] | None = None


def _train_on(value: Any) -> TrainOn:
    what = "the name of a corpus, a list of names, or a mapping of names to shares"
    if isinstance(value, TrainOn):
        return value
    if isinstance(value, str) and value:
        return TrainOn(corpora=(value,))
    if isinstance(value, list):
        names = check_list("names of corpora", unique=True)(value)
        for item in names:
            if not isinstance(item, str) or not item:
                raise expected(what, item)
        return TrainOn(corpora=names)
    if isinstance(value, dict):
        return _shares(mapping(value, "corpora to shares"))
    raise expected(what, value)


LARGEST_SHARE = 1e300
"""So that any shares have a sum."""


def _shares(value: dict[str, Any]) -> TrainOn:
    for name, share in value.items():
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share < float("inf"):
            raise problem(f"expected a share greater than 0, found {describe(share)}", name)
        if share > LARGEST_SHARE:
            raise problem(f"expected a share of at most {LARGEST_SHARE:g}, found {describe(share)}", name)
    total = sum(value.values())
    return TrainOn(corpora=tuple(value), shares=tuple(share / total for share in value.values()))


def _variant(value: Any) -> str:
    if not isinstance(value, str) or value not in VARIANTS:
        hint = nearest(value, VARIANTS) if isinstance(value, str) else ""
        raise expected(f"a variant, one of {', '.join(VARIANTS)}", value, hint)
    return value


def _pattern(value: Any) -> str:
    """A regular expression that can be matched exactly, or a variant's name."""
    if not isinstance(value, str) or not value:
        raise expected("a split pattern: a regular expression", value)
    try:
        get_variant(value)
    except TokenizerError as error:
        raise problem(str(error)) from None
    return value


def _sizes(value: Any) -> int | tuple[int, ...]:
    """One size, or the ascending sizes of a ladder."""
    if not isinstance(value, (list, tuple)):
        return check_count(value)
    sizes = check_list("sizes")(value)
    for number, size in enumerate(sizes):
        try:
            check_count(size)
        except PydanticCustomError as error:
            raise problem(str(error), number) from None
        if number and size <= sizes[number - 1]:
            raise problem(f"expected ascending sizes, each once; {size} comes after {sizes[number - 1]}", number)
    return sizes


class TokenizerSpec(Part):
    """One tokenizer (or, with a list of sizes, a ladder of them): trained here, or from elsewhere."""

    name: Name
    variant: Annotated[str, BeforeValidator(_variant)] | None = None
    pattern: Annotated[str, BeforeValidator(_pattern)] | None = None
    tiktoken: Text | None = None
    huggingface: FilePattern | None = None
    normalizer: Annotated[str, one_of("a rule", ("refuse", "ignore"))] = "refuse"
    sentencepiece: FilePattern | None = None
    baseline: Annotated[str, one_of("a baseline", BASELINES)] | None = None
    python: PythonName | None = None
    file: FilePattern | None = None
    train_on: Annotated[TrainOn, BeforeValidator(_train_on)] | None = None
    vocab_size: Annotated[int | tuple[int, ...], BeforeValidator(_sizes)] | None = None
    special_tokens: Annotated[tuple[Text, ...], list_of("special tokens", unique=True, empty=True)] = ()
    min_frequency: Count = 2
    tie_break: Annotated[str, one_of("a rule", ("bytes", "huggingface"))] = "bytes"
    direction: Annotated[str, one_of("a direction", ("left_to_right", "right_to_left"))] = "left_to_right"
    lexicon: Text | None = None
    lossy: Boolean = False

    @model_validator(mode="after")
    def _consistent(self) -> TokenizerSpec:
        kind = exactly_one(self, KINDS)
        if self.given("normalizer") and kind != "huggingface":
            raise problem(f"only a tokenizer with huggingface has this key, not one with {kind}", "normalizer")
        if self.given("lossy") and kind not in OPAQUE_KINDS:
            having = " or ".join(OPAQUE_KINDS)
            raise problem(f"only a tokenizer with {having} has this key, not one with {kind}", "lossy")
        if kind not in TRAINED_KINDS:
            if extra := self.given(*TRAINING_KEYS):
                raise problem(f"only a tokenizer that is trained here has this key, not one with {kind}", extra[0])
            return self
        for key in ("train_on", "vocab_size"):
            if getattr(self, key) is None:
                raise problem(
                    f"a tokenizer with {kind} is trained here, so it needs train_on and vocab_size; {key} is missing"
                )
        self._check_sizes()
        if self.given("direction") and not (self.variant and VARIANTS[self.variant].has_direction):
            able = [name for name, variant in VARIANTS.items() if variant.has_direction]
            raise problem(f"only the variants with groups of digits have this key: {', '.join(able)}", "direction")
        if self.lexicon is not None and not (self.variant and VARIANTS[self.variant].uses_lexicon):
            users = [name for name, variant in VARIANTS.items() if variant.uses_lexicon]
            raise problem(f"only the variants with a word list have this key: {', '.join(users)}", "lexicon")
        return self

    def _check_sizes(self) -> None:
        specials = len(self.special_tokens)
        floor = BASE_ALPHABET + specials + 1
        if self.sizes[0] < floor:
            named = f"{specials} special token{'' if specials == 1 else 's'}"
            raise problem(
                f"expected at least {floor} (256 bytes, {named}, one merge), found {self.sizes[0]}",
                "vocab_size",
            )

        if self.sizes[-1] > LARGEST_KEPT_ID:
            raise problem(
                f"expected at most {LARGEST_KEPT_ID}, the largest id that a tokenizer's file can hold, found "
                f"{self.sizes[-1]}",
                "vocab_size",
            )

    @property
    def kind(self) -> str:
        """Which of ``KINDS`` this is."""
        return self.given(*KINDS)[0]

    @property
    def trained(self) -> bool:
        return self.kind in TRAINED_KINDS

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes asked for, ascending; none for a tokenizer from elsewhere."""
        return (self.vocab_size,) if isinstance(self.vocab_size, int) else self.vocab_size or ()

    @property
    def is_ladder(self) -> bool:
        """Whether the sizes were given as a list, so that each has a name of its own."""
        return isinstance(self.vocab_size, tuple)

    def size_names(self) -> dict[str, int]:
        """``name@size`` of every rung, in ascending order; empty when there is one size only."""
        return {f"{self.name}@{size}": size for size in self.sizes} if self.is_ladder else {}


def _trainings(value: Any) -> int:
    """0, or the number of parts that are left out in turn."""
    if type(value) is not int or value < 0 or value == 1 or value > MOST_TRAININGS:
        raise expected(
            f"0, or how often to train again: a whole number from 2 to {MOST_TRAININGS}", value, "5 is usual"
        )
    return value


PYTHON = "python:"  # before the path of a metric that is the suite's own code


def _metrics(value: Any) -> Any:
    """``all`` is ``None``, else a list: names, ``all`` among others, and ``python: module:function``, which becomes
    the text ``python:module:function``."""
    if value == "all" or value is None:
        return None
    if isinstance(value, str):
        raise expected("all or a list of metrics", value)
    if not isinstance(value, (list, tuple)):
        return check_list("metrics", unique=True)(value)
    return check_list("metrics", unique=True)([_metric_name(item, place) for place, item in enumerate(value)])


def _metric_name(item: Any, place: int) -> Any:
    own = item
    if isinstance(item, dict):
        if list(item) != ["python"]:
            raise problem("expected the name of a metric, or python: module:function", place)
        own = f"{PYTHON}{item['python']}"
    if isinstance(own, str) and own.startswith(PYTHON):
        try:
            check_python(own.removeprefix(PYTHON).strip())
        except PydanticCustomError as error:
            raise problem(str(error), place) from None
        own = f"{PYTHON}{own.removeprefix(PYTHON).strip()}"
    return own


class MeasureSpec(Part):
    """``metrics`` is ``None`` for all of them. ``reference``: the tokenizer that lengths are against;
    ``reference_language``: the language that premiums are against. ``stability``: how often own tokenizers are trained
    again on a part of their text, to see what training alone changes; 0 is never."""

    metrics: Annotated[tuple[Text, ...] | None, BeforeValidator(_metrics)] = None
    confidence: Fraction = 0.95
    reference: Reference | None = None
    stability: Annotated[int, BeforeValidator(_trainings)] = 0
    reference_language: Language = "en"


class SelectSpec(Part):
    """The model that the vocabulary is chosen for. No candidates: every tokenizer is one, but for baselines."""

    d_model: Count
    n_layers: Count
    context: Count
    tied: Boolean = False
    candidates: Annotated[tuple[Reference, ...], list_of("tokenizers", unique=True)] = ()


class ReportSpec(Part):
    formats: Annotated[
        tuple[Annotated[str, one_of("a format", FORMATS)], ...], list_of("formats", single=True, unique=True)
    ] = FORMATS
    plots: Boolean = True


def _version(value: Any) -> int:
    if type(value) is not int or value != 1:
        raise expected("1, the version of the suite format that this evalkit reads", value, "write 1")
    return value


def _corpora(value: Any) -> Any:
    return mapping(value, "names to corpora")


class SuiteFile(Part):
    """The whole file."""

    version: Annotated[int, BeforeValidator(_version)]
    name: Name
    seed: Seed = 0
    corpora: Annotated[dict[Name, CorpusSpec], BeforeValidator(_corpora)]
    tokenizers: Annotated[tuple[TokenizerSpec, ...], list_of("tokenizers")]
    measure: MeasureSpec = Field(default_factory=MeasureSpec)
    select: SelectSpec | None = None
    gate: GateSpec = Field(default_factory=GateSpec)
    report: ReportSpec = Field(default_factory=ReportSpec)
