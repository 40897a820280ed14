"""Runs stored results again, and says whether the same came out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalkit import pipeline
from evalkit.errors import UserError
from evalkit.results import Results, Row, load_results
from evalkit.suite import Suite, apply_corpus_files, load_suite, parse_suite
from tokenizers_impl.deferred import dataclass

SHOWN = 10
_KEY = ("corpus", "tokenizer", "metric", "aggregation")
_LEFT_OUT = {"tokenizers": ("train_seconds", "notes")}


@dataclass(frozen=True)
class Verification:
    """``same``: the digests are equal: that in the file, that of what stands in it, and the new one. ``differences``:
    the first ones, as sentences, and ``more`` of them that aren't shown; ``environment``: what ran it then and now,
    where that isn't the same."""

    same: bool
    stored: str
    now: str
    differences: tuple[str, ...] = ()
    more: int = 0
    environment: tuple[str, ...] = ()


def verify(path: Path, options: pipeline.Options | None = None, suite: str | None = None) -> Verification:
    """The results in a file or folder against a new run of their suite. ``suite``: where the suite is, where the
    stored text isn't to be used with the working directory's files.

    Raises ``UserError`` for what can't be run again: results without their suite's text, another schema version,
    files that aren't there.
    """
    old = load_results(path)
    stored = _stored_digest(path)
    options = options or pipeline.Options()
    chosen = suite_of(old, suite)
    names = pipeline.Options(
        only=old.suite.only,
        threads=options.threads,
        cache=options.cache,
        progress=options.progress,
        trust=options.trust,
    )
    new = _as_known_to(old, pipeline.run_suite(chosen, names))
    if stored == new.digest == old.digest:
        return Verification(True, stored, new.digest)
    found = list(differences(old, new))
    if stored == new.digest:  # what is read is the figures, not the digest
        found.insert(0, "the file was changed: its digest is that of the new run, but what stands in it has another")
        stored = old.digest
    elif not found:
        found = [
            "the digest in the file is not that of what stands in it: the file was changed, or another evalkit wrote it"
        ]
    about = tuple(_environment(old.environment, new.environment))
    return Verification(False, stored, new.digest, tuple(found[:SHOWN]), max(0, len(found) - SHOWN), about)


def _as_known_to(old: Results, new: Results) -> Results:
    """Without the digests of documents that results of an earlier version don't have: what they say can be the same."""
    unknown = {one.name for one in old.corpora if one.documents_sha256 is None}
    corpora = (replace(one, documents_sha256=None) if one.name in unknown else one for one in new.corpora)
    return replace(new, corpora=tuple(corpora))


def suite_of(results: Results, given: str | None = None) -> Suite:
    """The suite that results came from: the one that is given, the built-in or the file that they name, if it is
    still the same, else the text that they hold, with files sought from the working directory."""
    record = results.suite
    if given is not None:
        suite = load_suite(given)
        if suite.sha256 != record.sha256:
            hashes = f"its SHA-256 is {suite.sha256[:12]}, theirs {record.sha256[:12]}"
            raise UserError(f"{given} is not the suite of these results: {hashes}")
    else:
        suite = _found(results)
    files: dict[str, list[str | Path]] = {}
    for one in record.corpus_files:
        name, _, path = one.partition("=")
        files.setdefault(name, []).append(path)
    return apply_corpus_files(suite, files) if files else suite


def _found(results: Results) -> Suite:
    record = results.suite
    if record.source not in (None, "-"):
        try:
            suite = load_suite(record.source)
        except UserError:
            suite = None
        if suite is not None and suite.sha256 == record.sha256:
            return suite
    if record.text is None:
        raise UserError(
            f"the results don't hold the text of their suite {record.name}: an older evalkit wrote them. "
            "Name its file with --suite"
        )
    suite = parse_suite(record.text, name=record.source or "-")
    if suite.sha256 != record.sha256:
        raise UserError(f"the text of the suite {record.name} in the results is damaged: it has another SHA-256")
    return suite


def differences(old: Results, new: Results) -> Iterator[str]:
    """What isn't the same, the causes before what follows from them."""
    before, after = (json.loads(one.to_json()) for one in (old, new))
    for part in ("suite", "corpora", "tokenizers"):
        yield from _of_part(part, before[part], after[part])
    timed = {metric.name for metric in (*old.metrics, *new.metrics) if metric.timing}
    yield from _of_rows([r for r in old.rows if r.metric not in timed], [r for r in new.rows if r.metric not in timed])
    compared = {"suite", "corpora", "tokenizers", "rows", "environment", "timings", "digest"}
    yield from (f"{part} differ" for part in before if part not in compared and before[part] != after.get(part))


def _of_part(part: str, before: Any, after: Any) -> Iterator[str]:
    if part == "suite":
        for key in ("name", "sha256", "seed", "reference", "confidence"):
            if before[key] != after[key]:
                yield f"suite: {key} was {_short(before[key])} and is {_short(after[key])}"
        return
    then, now = ({one["name"]: one for one in some} for some in (before, after))
    for name in {**then, **now}:
        what = part.removesuffix("s") if part == "tokenizers" else "corpus"
        if name not in then or name not in now:
            yield f"{what} {name}: only {'now' if name in now else 'then'}"
            continue
        for key, value in then[name].items():
            if key not in _LEFT_OUT.get(part, ()) and value != now[name].get(key):
                yield f"{what} {name}: {key} was {_short(value)} and is {_short(now[name].get(key))}"


def _of_rows(before: list[Row], after: list[Row]) -> Iterator[str]:
    then, now = ({tuple(getattr(row, key) for key in _KEY): row for row in some} for some in (before, after))
    for key in {**then, **now}:
        name = "{2} ({3}) of {1} on {0}".format(*key)
        if key not in then or key not in now:
            yield f"{name}: only {'now' if key in now else 'then'}"
        elif then[key] != now[key]:
            changed = [
                f"{field} was {_short(getattr(then[key], field))} and is {_short(getattr(now[key], field))}"
                for field in then[key].__dataclass_fields__
                if getattr(then[key], field) != getattr(now[key], field)
            ]
            yield f"{name}: {', '.join(changed)}"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{text[:12]}…" if len(text) == 64 and isinstance(value, str) else text[:60]


def _environment(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for key in ("versions", "engine", "unicode"):
        then, now = before.get(key), after.get(key)
        if isinstance(then, Mapping) and isinstance(now, Mapping):
            for name in {**then, **now}:
                if then.get(name) != now.get(name):
                    yield f"{name}: {then.get(name)} then, {now.get(name)} now"
        elif then != now:
            yield f"{key}: {then} then, {now} now"


def _stored_digest(path: Path) -> str:
    file = path / "results.json" if path.is_dir() else path
    digest = json.loads(file.read_text(encoding="utf-8")).get("digest")
    if not isinstance(digest, str):
        raise UserError(f"{file} has no digest to compare with")
    return digest
