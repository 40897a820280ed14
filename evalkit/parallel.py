"""Corpora that say the same line by line: their groups, what is asked of them, and the language others are held
against.

A group is the corpora with one name under ``parallel``. An embedded corpus with several languages is a group by
itself: named without a language it becomes one corpus for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalkit.corpus import Corpus
from evalkit.counts import CorpusCounts
from evalkit.embedded import EmbeddedCorpus, embedded_corpora
from evalkit.errors import UserError
from evalkit.metrics import NO_PARALLEL, Parallel
from evalkit.suite_schema import CorpusSpec
from evalkit.values import Undefined

UNDECLARED = "und"
"""The language of a corpus that doesn't say it (BCP 47: undetermined)."""

FEWEST_LINES = 2
"""Of a group: one line is no text to compare languages on, and most likely a file that wasn't cut."""


def _embedded(spec: CorpusSpec) -> EmbeddedCorpus | None:
    """The embedded corpus that it names; the manifest isn't read for a suite that names none."""
    return None if spec.builtin is None else embedded_corpora().get(spec.builtin)


def expanded(corpora: Mapping[str, CorpusSpec]) -> dict[str, CorpusSpec]:
    """The corpora with each embedded one of several languages as what it stands for: ``NAME-LANGUAGE`` for every
    language, or the one language that is named. All are in the group ``parallel``, or, of an entry that stands for
    several, in one of the entry's name. What is wrong otherwise is left as it is, to be refused with its place.
    """
    found: dict[str, CorpusSpec] = {}
    for name, spec in corpora.items():
        entry = _embedded(spec)
        if entry is None or not entry.languages:
            parts = {name: spec}
        elif spec.language is not None:
            group = spec.parallel or (None if "parallel" in spec.model_fields_set else entry.name)
            parts = {name: spec.model_copy(update={"parallel": group})}
        else:
            group = spec.parallel or name
            parts = {
                f"{name}-{language}": spec.model_copy(update={"language": language, "parallel": group})
                for language in entry.languages
            }
        for part, its_spec in parts.items():
            if part in found or (part != name and part in corpora):
                raise UserError(
                    f"corpora.{name}: the embedded corpus {spec.builtin!r} becomes a corpus for each of its languages, "
                    f"and the name {part!r} is taken by another; give one of the two another name, or a language"
                )
            found[part] = its_spec
    return found


def language_of(spec: CorpusSpec) -> str:
    """Its language: the suite's word for it, else the embedded corpus's own."""
    entry = _embedded(spec)
    return spec.language or (entry.language if entry else UNDECLARED)


def check_lines(corpora: Mapping[str, Corpus]) -> None:
    """Raises ``UserError`` where two corpora of a group have different numbers of lines: then line *i* of the one
    can't be line *i* of the other."""
    groups: dict[str, list[Corpus]] = {}
    for corpus in corpora.values():
        if corpus.parallel is not None:
            groups.setdefault(corpus.parallel, []).append(corpus)
    for group, members in groups.items():
        if len(members) < 2:
            continue
        counts = {corpus.name: corpus.stats().documents for corpus in members}
        if len(set(counts.values())) > 1:
            shown = ", ".join(f"{name} has {count:,}" for name, count in counts.items())
            raise UserError(
                f"the corpora of the group parallel: {group} have different numbers of documents, so that document i "
                f"of one isn't document i of the other: {shown}. Text files are cut into lines (document: line) "
                "unless the suite says otherwise; give each the same lines, or take parallel from those that aren't "
                "translations"
            )


def reference_corpus(members: Sequence[CorpusCounts], language: str) -> CorpusCounts | Undefined:
    """The one of a group's corpora that is in ``language``, or why none is it. ``en`` also means ``en-GB``, where
    nothing is just ``en``."""
    exact = [corpus for corpus in members if corpus.language == language]
    found = exact or [corpus for corpus in members if corpus.language.split("-")[0] == language]
    group = members[0].parallel
    if not found:
        languages = ", ".join(sorted({corpus.language for corpus in members}))
        return Undefined(
            f"the group {group} has nothing in {language}, the language that premiums are against (it has "
            f"{languages}); name another with measure: reference_language"
        )
    if len(found) > 1:
        names = " and ".join(corpus.name for corpus in found)
        return Undefined(f"the group {group} has several corpora in {language}: {names}")
    return found[0]


def parallel_of(
    corpus: CorpusCounts, corpora: Sequence[CorpusCounts], tokenizer: str, language: str
) -> Parallel | Undefined:
    """The tokens of the corpus's group under one tokenizer, line by line; Undefined for text that isn't parallel, and
    for a group that no figure over languages can be made of: every such figure is then undefined for that reason."""
    if corpus.parallel is None:
        return NO_PARALLEL
    members = [other for other in corpora if other.parallel == corpus.parallel]
    if len(members) < 2:
        return Undefined(f"the group {corpus.parallel} has no other corpus in this run")
    if len({other.documents for other in members}) > 1:
        return Undefined(f"the corpora of the group {corpus.parallel} have different numbers of documents")
    if corpus.documents < FEWEST_LINES:
        return Undefined(f"the group {corpus.parallel} has only one line")
    if (problem := _languages_problem(members)) is not None:
        return problem
    reference = reference_corpus(members, language)
    if isinstance(reference, Undefined):
        return reference
    tokens = {other.name: other.tokenizers[tokenizer].tokens for other in members}
    return Parallel(corpus.parallel, tokens, reference.name)


def _languages_problem(members: Sequence[CorpusCounts]) -> Undefined | None:
    """A figure over languages takes corpora that each say theirs, and another."""
    group = members[0].parallel
    if unsaid := [corpus.name for corpus in members if corpus.language == UNDECLARED]:
        return Undefined(f"of the group {group}, {' and '.join(unsaid)} doesn't say its language (language: …)")
    by_language: dict[str, list[str]] = {}
    for corpus in members:
        by_language.setdefault(corpus.language, []).append(corpus.name)
    for language, names in by_language.items():
        if len(names) > 1:
            return Undefined(f"the group {group} has several corpora in {language}: {' and '.join(names)}")
    return None
