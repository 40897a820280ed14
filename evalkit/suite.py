"""Reads a suite file: finds it, checks it whole, and says what is wrong in one paragraph.

The order is fixed: YAML (``evalkit.yaml_loader``), each part for itself (``evalkit.suite_schema``), then what
one part says about another. The first problem in the file is the one reported, as
``suite.yaml:12:17: tokenizers[2].vocab_size: expected a whole number, found the text '1_000' (write 1000)``.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

from pydantic import ValidationError

from evalkit.embedded import builtin_suites, embedded_corpora
from evalkit.errors import NO_INPUT, UserError
from evalkit.metrics import installed_names, metric_names, pair_metric_names
from evalkit.parallel import expanded, language_of
from evalkit.suite_schema import PYTHON, CorpusSpec, SuiteFile, TokenizerSpec
from evalkit.suite_values import PROBLEM, suggest
from evalkit.yaml_loader import MAX_BYTES, KeyPath, YamlDocument, format_path, parse_yaml

STANDARD_INPUT = "<stdin>"
END_OF_TEXT = "<|endoftext|>"


class Suite(SuiteFile):
    """A checked suite, and where it came from.

    ``path`` is ``None`` for standard input; ``sha256`` is that of the file as it was read; relative paths in
    the suite are relative to ``base_dir``, the file's folder (the working directory for standard input). ``source``:
    what it was called, ``text``: what stood in it, ``corpus_files``: ``NAME=PATH`` of corpora that were read from
    other files than its own.
    """

    path: Path | None = None
    sha256: str = ""
    base_dir: Path = Path()
    source: str = "-"
    text: str = ""
    corpus_files: tuple[str, ...] = ()

    def resolve(self, path: str) -> Path:
        """A path of the suite file as a path that can be opened."""
        return self.base_dir / Path(path).expanduser()

    def tokenizer_names(self) -> dict[str, TokenizerSpec]:
        """All names of tokenizers: each its own (meaning the largest size), and ``name@size`` of a rung."""
        names = {spec.name: spec for spec in self.tokenizers}
        for spec in self.tokenizers:
            names.update(dict.fromkeys(spec.size_names(), spec))
        return names

    def code(self) -> dict[str, str]:
        """The Python that the suite brings, by its place in the file; it runs only where the user trusts it."""
        metrics = {
            f"measure.metrics[{number}]": name
            for number, name in enumerate(self.measure.metrics or ())
            if name.startswith(PYTHON)
        }
        tokenizers = {
            f"tokenizers[{number}]": f"{PYTHON}{spec.python}"
            for number, spec in enumerate(self.tokenizers)
            if spec.python is not None
        }
        return {**tokenizers, **metrics}

    def trained_on(self) -> set[str]:
        """The corpora that some tokenizer is trained on, and which therefore must hold something out."""
        return {name for spec in self.tokenizers if spec.train_on for name in spec.train_on.corpora}


def load_suite(source: str | Path, *, stdin: IO[bytes] | None = None, metrics: Sequence[str] | None = None) -> Suite:
    """The suite of a file, of a built-in name, or of standard input (``-``); else a ``UserError``.

    A text that is the name of a built-in suite means that suite; write ``./quickstart`` for a file of the
    same name. ``metrics`` are the known metric names, those of ``evalkit.metrics`` by default.
    """
    if source == "-":
        if stdin is None and sys.stdin is None:  # as daemons are started
            raise UserError(NO_INPUT)
        data = (stdin or sys.stdin.buffer).read(MAX_BYTES + 1)
        return _load(data, None, metrics)
    path = builtin_suites().get(source) if isinstance(source, str) else None
    path = path or Path(source).expanduser()
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(_no_such_suite(path)) from None
    except IsADirectoryError:
        raise UserError(f"{path} is a folder; a suite is a YAML file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UserError(f"the suite {str(path)!r} can't be read: {reason}") from None
    return _load(data, path, metrics)


def parse_suite(text: str | bytes, *, name: str = STANDARD_INPUT, metrics: Sequence[str] | None = None) -> Suite:
    """The suite of a text, relative to the working directory; ``name`` stands in the messages."""
    data = text.encode("utf-8") if isinstance(text, str) else text
    return _build(data, parse_yaml(data, name), None, metrics)


def apply_corpus_files(suite: Suite, files: Mapping[str, Sequence[str | Path]]) -> Suite:
    """The suite with some corpora read from the user's own files instead of those that it names.

    The built-in suites travel with small corpora; whoever has the real ones says so. Text files hold
    documents between ``<|endoftext|>``, as the published ones do, or a line each where the corpus is parallel; others
    have a field ``text``. Language and
    domain stay, as do the sample and a fraction held out; evaluation files and a SHA-256 belonged to the old
    files and don't.
    """
    corpora = dict(suite.corpora)
    for name, paths in files.items():
        if name not in corpora:
            hint = suggest(name, corpora)
            raise UserError(
                f"the suite {suite.name} has no corpus {name!r}{hint}; its corpora are {', '.join(corpora)}"
            )
        if not paths:
            raise UserError(f"no files were given for the corpus {name!r}")
        corpora[name] = _with_files(corpora[name], [str(path) for path in paths])
    given = tuple(f"{name}={path}" for name, paths in files.items() for path in paths)
    return suite.model_copy(update={"corpora": corpora, "corpus_files": given})


_FIELD_SUFFIXES = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")


def _with_files(spec: CorpusSpec, paths: list[str]) -> CorpusSpec:
    absolute = [path if "://" in path else str(Path(path).expanduser().absolute()) for path in paths]
    kept: dict[str, Any] = {
        key: getattr(spec, key) for key in ("language", "domain", "sample", "parallel", "segmenter", "invalid_utf8")
    }
    if spec.builtin is not None:
        entry = embedded_corpora()[spec.builtin]
        kept["language"] = kept["language"] or entry.language
        kept["domain"] = kept["domain"] or entry.domain
    if spec.eval is not None and spec.eval.fraction is not None:
        kept["eval"] = spec.eval
    has_field = all(any(suffix in Path(path).suffixes for suffix in _FIELD_SUFFIXES) for path in absolute)
    lines = {"document": "line"} if spec.parallel is not None else {"separator": END_OF_TEXT}
    cut = {"field": "text"} if has_field else lines
    given = {key: value for key, value in kept.items() if value is not None}
    return CorpusSpec.model_validate({"files": absolute, **cut, **given})


def _no_such_suite(path: Path) -> str:
    folder = path.parent
    beside = sorted(file.name for file in folder.glob("*.y*ml")) if folder.is_dir() else []
    builtin = list(builtin_suites())
    found = suggest(path.name, [*beside, *builtin])
    where = "" if folder.is_dir() else f", nor a folder {str(folder)!r}"
    return (
        f"there is no suite file {str(path)!r}{where}{found}; "
        f"the built-in suites are {', '.join(builtin) or 'not installed'}"
    )


def _load(data: bytes, path: Path | None, metrics: Sequence[str] | None) -> Suite:
    return _build(data, parse_yaml(data, str(path) if path else STANDARD_INPUT), path, metrics)


def _build(data: bytes, document: YamlDocument, path: Path | None, metrics: Sequence[str] | None) -> Suite:
    try:
        file = SuiteFile.model_validate(document.value)
    except ValidationError as error:
        raise UserError(_explain(error, document)) from None
    suite = Suite.model_construct(
        _fields_set=set(file.model_fields_set),
        **{key: getattr(file, key) for key in SuiteFile.model_fields},
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        base_dir=path.absolute().parent if path else Path.cwd(),
        source=_source(path),
        text=data.decode("utf-8", "replace"),
    )
    suite = suite.model_copy(update={"corpora": expanded(suite.corpora)})
    _CrossCheck(suite, document).run(metric_names() if metrics is None else metrics)
    return suite


def _source(path: Path | None) -> str:
    if path is None:
        return "-"
    return next((name for name, place in builtin_suites().items() if place == path), str(path))


def _explain(error: ValidationError, document: YamlDocument) -> str:
    """The first problem in the order of the file, in our words, and how many more there are."""
    found = []
    for item in error.errors(include_url=False, include_input=False):
        path: KeyPath = tuple(part for part in item["loc"] if part != "[key]")
        context = item.get("ctx", {})
        if item["type"] == PROBLEM:
            key = context["key"]
            at_key = key is not None or item["loc"][-1:] == ("[key]",)
            path, message = (path if key is None else (*path, key)), context["message"]
        elif item["type"] == "missing":
            at_key, message = True, f"the key {path[-1]!r} is missing"
            path = path[:-1]
        else:  # no other type is left once every value has a check of its own; kept readable all the same
            at_key, message = False, item["msg"]
        found.append((document.position(path, key=at_key), path, at_key, message))
    found.sort(key=lambda entry: entry[0])
    _, path, at_key, message = found[0]
    others = len(found) - 1
    more = f" (and {others} more {'problem' if others == 1 else 'problems'})" if others else ""
    shown = format_path(document.nearest_path(path))
    return f"{document.where(path, key=at_key)}: {shown + ': ' if shown else ''}{message}{more}"


class _CrossCheck:
    """What one part of the file says about another."""

    def __init__(self, suite: Suite, document: YamlDocument) -> None:
        self.suite = suite
        self.document = document

    def run(self, metrics: Sequence[str]) -> None:
        self._names(("corpora", name) for name in self.suite.corpora)
        self._names(("tokenizers", number, "name") for number in range(len(self.suite.tokenizers)))
        self._rungs()
        self._builtin()
        self._training()
        self._references()
        self._metrics(metrics)

    def _refuse(self, path: KeyPath, message: str, *, key: bool = False) -> NoReturn:
        path = self.document.nearest_path(path)
        raise UserError(f"{self.document.where(path, key=key)}: {format_path(path)}: {message}")

    def _known(self, path: KeyPath, name: str, what: str, names: Iterable[str]) -> None:
        if name not in (names := list(names)):
            hint = suggest(name, names)
            message = f"there is no {what} {name!r}{hint}; the names are {', '.join(names)}"
            self._refuse(path, message, key=path[-1] == name)

    def _names(self, paths: Iterator[KeyPath]) -> None:
        """Names are folder names, and some file systems take ``A`` and ``a`` for the same."""
        seen: dict[str, str] = {}
        for path in paths:
            is_key = path[0] == "corpora"
            name = str(path[1]) if is_key else self.suite.tokenizers[int(path[1])].name
            if (other := seen.setdefault(name.casefold(), name)) != name:
                self._refuse(path, f"{name!r} differs from {other!r} only in case", key=is_key)
            elif not is_key and sum(spec.name == name for spec in self.suite.tokenizers[: int(path[1])]):
                self._refuse(path, f"the name {name!r} is taken by a tokenizer above")

    def _rungs(self) -> None:
        own = {spec.name.casefold(): number for number, spec in enumerate(self.suite.tokenizers)}
        for spec in self.suite.tokenizers:
            for name in spec.size_names():
                if (number := own.get(name.casefold())) is not None:
                    self._refuse(
                        ("tokenizers", number, "name"),
                        f"the name {name!r} is that of a size of the tokenizer {spec.name!r}",
                    )

    def _builtin(self) -> None:
        for name, spec in self.suite.corpora.items():
            if spec.builtin is not None:
                path = ("corpora", name, "builtin")
                self._known(path, spec.builtin, "embedded corpus", embedded_corpora())
                if languages := embedded_corpora()[spec.builtin].languages:
                    self._translation(name, spec, languages)

    def _translation(self, name: str, spec: CorpusSpec, languages: Sequence[str]) -> None:
        """An embedded corpus in several languages: the language is one of them, and its lines stay together."""
        assert spec.language is not None
        self._known(("corpora", name, "language"), spec.language, f"language of {spec.builtin}", languages)
        if spec.sample is not None or (spec.eval is not None and spec.eval.fraction is not None):
            key = "sample" if spec.sample is not None else "eval"
            self._refuse(
                ("corpora", name, key), f"lines of {spec.builtin} would lose their partners in other languages"
            )

    def _training(self) -> None:
        for number, spec in enumerate(self.suite.tokenizers):
            if spec.train_on is None:
                continue
            for place, name in enumerate(spec.train_on.corpora):
                path: KeyPath = ("tokenizers", number, "train_on")
                part = name if spec.train_on.shares else place
                self._known((*path, part), name, "corpus", self.suite.corpora)
                corpus = self.suite.corpora[name]
                if corpus.parallel is not None and corpus.eval is None:
                    self._refuse(
                        path,
                        f"the corpus {name!r} is parallel, so nothing of it can be held out by document "
                        "hash; give it eval: {files: […]} or train on another",
                    )

    def _references(self) -> None:
        suite, names = self.suite, self.suite.tokenizer_names()
        if suite.measure.reference is not None:
            self._known(("measure", "reference"), suite.measure.reference, "tokenizer", names)
        if "reference_language" in suite.measure.model_fields_set:
            self._reference_language(suite.measure.reference_language)
        for number, name in enumerate(suite.select.candidates if suite.select else ()):
            self._known(("select", "candidates", number), name, "tokenizer", names)
        for number, threshold in enumerate(suite.gate.thresholds):
            path = ("gate", "thresholds", number)
            self._known((*path, "tokenizer"), threshold.tokenizer, "tokenizer", names)
            self._known((*path, "corpus"), threshold.corpus, "corpus", suite.corpora)
        several = sum(spec.baseline is None for spec in suite.tokenizers) > 1
        for name in suite.gate.frozen:
            if name:
                self._known(("gate", "frozen", name), name, "tokenizer", names)
            elif several:
                self._refuse(("gate", "frozen"), "the suite has several tokenizers; write frozen: {NAME: FILE}")
        for number, group in enumerate(suite.gate.equivalent):
            for place, name in enumerate(group):
                self._known(("gate", "equivalent", number, place), name, "tokenizer", names)

    def _reference_language(self, language: str) -> None:
        path = ("measure", "reference_language")
        parallel = [spec for spec in self.suite.corpora.values() if spec.parallel is not None]
        if not parallel:
            self._refuse(path, "premiums are of line-aligned text, and no corpus has parallel: GROUP")
        languages = dict.fromkeys(language_of(spec) for spec in parallel)
        if not any(language in (one, one.split("-")[0]) for one in languages):
            self._refuse(path, f"no parallel corpus is in {language!r}; their languages are {', '.join(languages)}")

    def _metrics(self, known: Sequence[str]) -> None:
        """Installed metrics are only looked for where a name isn't one of ours."""
        asked, pairs = self.suite.measure.metrics or (), pair_metric_names()
        own = [name.rpartition(":")[2].rpartition(".")[2] for name in asked if name.startswith(PYTHON)]
        for number, name in enumerate(asked):
            if name != "all" and not name.startswith(PYTHON) and name not in (*known, *pairs):
                self._known(("measure", "metrics", number), name, "metric", [*known, *pairs, *installed_names()])
        for number, threshold in enumerate(self.suite.gate.thresholds):
            name, path = threshold.metric, ("gate", "thresholds", number, "metric")
            if name in pairs:
                self._refuse(path, f"{name} is a figure of a pair, and a threshold is on one corpus and tokenizer")
            if name not in known and name not in own:
                self._known(path, name, "metric", [*known, *own, *installed_names()])
