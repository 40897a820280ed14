"""The lint of a suite's tokenizers, kept by fingerprint, and what the corpora used of each vocabulary."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from evalkit.cache import read_checked, write_checked
from evalkit.counts import BuiltLike, CorpusCounts, Ints, TokenizerCounts
from evalkit.lint import LINT_VERSION, examine
from evalkit.lint.verdicts import NOT_UTF8, SPECIAL
from evalkit.values import Undefined
from evalkit.vocabulary_records import RARE, UsageRecord, VocabularyRecord
from tokenizers_impl import BPETokenizer
from tokenizers_impl.cachedir import cache_root

PROOFS = 12
"""Proofs that are stored, of all; ``evalkit inspect --json`` writes every one."""

_known: dict[str, VocabularyRecord] = {}  # of this process, by fingerprint


def default_folder() -> Path:
    """Where the lint of a vocabulary is kept unless someone says otherwise."""
    return cache_root() / "lint"


def vocabulary_records(built: Sequence[BuiltLike], folder: Path | None) -> tuple[VocabularyRecord, ...]:
    """One of each tokenizer, from ``folder`` where they are known there; None keeps nothing."""
    return tuple(replace(_record(one.tokenizer, folder), tokenizer=one.name) for one in built)


def _record(tokenizer: Any, folder: Path | None) -> VocabularyRecord:
    if not isinstance(tokenizer, BPETokenizer):
        kind = type(tokenizer).__name__
        return VocabularyRecord("", f"the tokens and merges of a {kind} aren't known here; those of byte-level BPE are")
    key = tokenizer.fingerprint
    if key not in _known:
        path = None if folder is None else folder / f"{key}-{LINT_VERSION}.json"
        found = None if path is None else _read(path)
        if found is None:
            found = _examined(tokenizer)
            if path is not None:
                _write(path, found)
        _known[key] = found
    return _known[key]


def _examined(tokenizer: BPETokenizer) -> VocabularyRecord:
    from evalkit.lint.as_text import token

    found = examine(tokenizer)
    contents, verdicts = found.contents, found.verdicts
    told = [i for i, one in verdicts.dead.items() if one.kind not in (SPECIAL, NOT_UTF8)]
    return VocabularyRecord(
        tokenizer="",
        entries=contents.size,
        holes=sum(last - first + 1 for first, last in contents.gaps),
        duplicates=len(contents.duplicates),
        not_utf8=contents.not_utf8,
        distinct_texts=contents.distinct_texts,
        damaged=len(contents.replacement),
        scripts=contents.scripts,
        longest=tuple(token(*one) for one in contents.longest[:3]),
        digits_pattern=found.digits.pretokens,
        digits_tokens=found.digits.tokens,
        longest_blanks=found.blanks.longest[0],
        words=found.spellings.words,
        distinct_words=found.spellings.distinct,
        never=verdicts.by_kind(),
        never_ids=tuple(sorted(verdicts.never)),
        proofs=tuple(
            f"{token(i, verdicts.tokens[i])} ({verdicts.dead[i].kind}): {verdicts.dead[i].why}" for i in told[:PROOFS]
        ),
        unproven=len(verdicts.unproven),
    )


# ── kept ────────────────────────────────────────────────────────────────────────────────────────────────────


def _read(path: Path) -> VocabularyRecord | None:
    """The record in a file; None for none, and for one that isn't what was written."""
    content = read_checked(path)
    if content is None:
        return None
    try:
        known: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in content.items()}
        return VocabularyRecord(**known)
    except TypeError:
        return None


def _write(path: Path, record: VocabularyRecord) -> None:
    write_checked(path, json.loads(json.dumps(asdict(record))))


# ── used ────────────────────────────────────────────────────────────────────────────────────────────────────


def with_never_emitted(counts: Sequence[CorpusCounts], records: Sequence[VocabularyRecord]) -> list[CorpusCounts]:
    """The counts, with the ids of each tokenizer that no text can give; not those that a text gave nevertheless."""
    wrong = contradicted(counts, records)
    never = {
        r.tokenizer: frozenset(r.never_ids).difference(wrong.get(r.tokenizer, ()))
        for r in records
        if r.undefined_reason is None
    }

    def known(corpus: CorpusCounts) -> Mapping[str, TokenizerCounts]:
        return {
            name: replace(counted, never_ids=never[name]) if name in never else counted
            for name, counted in corpus.tokenizers.items()
        }

    return [replace(corpus, tokenizers=known(corpus)) for corpus in counts]


def contradicted(counts: Sequence[CorpusCounts], records: Sequence[VocabularyRecord]) -> Mapping[str, tuple[int, ...]]:
    """By tokenizer, the ids that were proved never to occur and did; empty unless a proof is wrong."""
    found: dict[str, set[int]] = {}
    for record in records:
        never = np.array(record.never_ids, dtype=np.int64)
        for corpus in counts:
            counted = corpus.tokenizers.get(record.tokenizer)
            if counted is not None and not isinstance(counted.id_counts, Undefined):
                within = never[never < len(counted.id_counts)]
                found.setdefault(record.tokenizer, set()).update(within[counted.id_counts[within] > 0].tolist())
    return {name: tuple(sorted(ids)) for name, ids in found.items() if ids}


def corrected(
    records: Sequence[VocabularyRecord], built: Sequence[BuiltLike], wrong: Mapping[str, Sequence[int]]
) -> tuple[VocabularyRecord, ...]:
    """The records without what :func:`contradicted` found, which takes the lint of these tokenizers once more."""
    tokenizers = {one.name: one.tokenizer for one in built}
    return tuple(
        _without(record, tokenizers[record.tokenizer], wrong[record.tokenizer]) if record.tokenizer in wrong else record
        for record in records
    )


def _without(record: VocabularyRecord, tokenizer: Any, ids: Sequence[int]) -> VocabularyRecord:
    from evalkit.lint.as_text import token

    verdicts = examine(tokenizer).verdicts
    never = dict(record.never)
    for i in ids:
        if i in verdicts.dead and never.get(kind := verdicts.dead[i].kind):
            never[kind] -= 1
    starts = tuple(f"{token(i, verdicts.tokens[i])} (" for i in ids if i in verdicts.tokens)
    return replace(
        record,
        never={kind: number for kind, number in never.items() if number},
        never_ids=tuple(i for i in record.never_ids if i not in ids),
        proofs=tuple(proof for proof in record.proofs if not proof.startswith(starts)),
    )


def usage_records(counts: Sequence[CorpusCounts]) -> list[UsageRecord]:
    """For each tokenizer each corpus, and all of them together where there are several. Tokenizers of which it isn't
    known what can occur are left out."""
    found = []
    for name in dict.fromkeys(name for corpus in counts for name in corpus.tokenizers):
        together = _Used()
        alone = []
        for corpus in counts:
            if name in corpus.tokenizers and together.add(corpus.tokenizers[name]):
                used = _Used()
                used.add(corpus.tokenizers[name])
                alone.append(used.record(corpus.name, name))
        found += alone
        if len(alone) > 1:
            found.append(together.record(None, name))
    return found


class _Used:
    """How often each id occurred, in one corpus or more."""

    def __init__(self) -> None:
        self.times = np.zeros(0, dtype=np.int64)
        self.possible = 0
        self.documents = 0

    def add(self, counted: TokenizerCounts) -> bool:
        """Whether it is known what could occur."""
        size, times = counted.vocab_size, counted.id_counts
        if counted.never_ids is None or isinstance(times, Undefined) or isinstance(size, Undefined):
            return False
        never = np.array(sorted(counted.never_ids), dtype=np.int64)
        occurred = never[never < len(times)]
        occurred = occurred[times[occurred] > 0]  # wrong proofs, which are a warning of the results
        length = max(len(times), len(self.times))
        self.times = np.pad(self.times, (0, length - len(self.times))) + np.pad(times, (0, length - len(times)))
        self.possible = max(self.possible, size - len(never) + len(occurred))
        self.documents += counted.special_text_documents
        return True

    def record(self, corpus: str | None, name: str) -> UsageRecord:
        used = int((self.times > 0).sum())
        rare = rare_ids(self.times, self.possible)
        return UsageRecord(corpus, name, self.possible, used, rare, self.documents)


def rare_ids(times: Ints, possible: int) -> tuple[int, ...]:
    """How many of the possible ids occurred 0, 1, … :data:`RARE` times."""
    # Ids without a token never occur, so that what didn't occur is counted from what did.
    occurred = times[times > 0]
    rare = np.bincount(occurred[occurred <= RARE], minlength=RARE + 1)
    rare[0] = possible - len(occurred)
    return tuple(map(int, rare))
