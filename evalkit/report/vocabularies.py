"""The vocabularies: what they hold, what no text can give, and what the corpora used of them."""

from __future__ import annotations

from collections.abc import Iterator

from evalkit.lint.contents import PART
from evalkit.lint.policies import LEARNED
from evalkit.lint.verdicts import KINDS, NOT_UTF8, SPECIAL
from evalkit.report.table import table
from evalkit.report.text import code, count, listing, percent, piece, plain, size
from evalkit.results import Results
from evalkit.vocabulary_records import RARE, TrainingUsageRecord, UsageRecord, VocabularyRecord
from tokenizers_impl import scripts

SCRIPTS = 3
SMALLEST_SHARE = 0.005  # less would read as none
NO_SCRIPT = (scripts.COMMON, scripts.MIXED, scripts.UNKNOWN, PART)
PROOFS = 4
"""Proofs of each tokenizer; the others are in ``results.json``."""
RAREST = 6


def section(results: Results) -> str:
    """A row a tokenizer, then what is notable, then what training saw of those that were trained here."""
    known = [v for v in results.vocabularies if v.undefined_reason is None]
    if not known:
        return ""
    together = _together(results)
    rows = [_row(v, together.get(v.tokenizer)) for v in known]
    headers = [
        "tokenizer", "scripts", "numbers", "entries", "never emitted", "of them only take up room",
        "not UTF-8 alone", "words / without case and blank", "longest run of blanks", "used in measured text",
        f"1 to {RARE} times there",
    ]  # fmt: skip
    text = (
        "`numbers`: what the split pattern makes of them, and what merging leaves of that. `never emitted`: proved, "
        "token by token, to come out of no text: special tokens (text is measured as data), bytes that no UTF-8 "
        "text has, and others, which only take up room. `used in measured text`: of the ids that text can give, those "
        "that occurred in all corpora measured here, which aren't the training text of a model, nor of the tokenizer. "
        "`evalkit inspect -t TOKENIZER` shows everything."
    )
    notes = [line for v in known for line in _notes(v)]
    unknown = [(v.tokenizer, v.undefined_reason) for v in results.vocabularies if v.undefined_reason]
    notes += [f"- {code(name)}: undefined, {plain(reason)}." for name, reason in unknown]
    parts = (text, table(headers, rows, left=3), "\n".join(notes), _in_training(results))
    return "\n\n".join(part for part in parts if part)


def _in_training(results: Results) -> str:
    """How often the training texts have each token; empty where none is known."""
    known = [one for one in results.training_usage if one.possible]
    if not known:
        return ""
    headers = [
        "tokenizer", "training text", "its tokens", f"seen ≤ {RARE} times", "of them never", "of them single bytes",
        "rarest of the others, times",
    ]  # fmt: skip
    text = (
        "Counted on the text that each was trained on, as the finished tokenizer encodes it: later merges take up what "
        "earlier ones made, so that a token may be hardly left. A model that reads text like that one hardly trains "
        "what is seldom seen there. Special tokens, and what is never emitted, are left out."
    )
    unknown: dict[str, list[str]] = {}
    for one in results.training_usage:
        if one.undefined_reason:
            unknown.setdefault(one.undefined_reason, []).append(code(one.tokenizer))
    notes = [f"- {listing(names)}: undefined, {plain(reason)}." for reason, names in unknown.items()]
    rows = table(headers, [_seen(one) for one in known])
    return "\n\n".join(["### Tokens that training hardly saw", text, rows, *(["\n".join(notes)] if notes else [])])


def _seen(one: TrainingUsageRecord) -> list[str]:
    rare, possible = sum(one.rare), one.possible or 1
    return [
        code(one.tokenizer),
        size(one.bytes or 0),
        count(one.tokens),
        f"{count(rare)} ({percent(rare / possible)})",
        count(one.rare[0]),
        count(sum(one.rare_bytes)),
        ", ".join(f"{piece(token.token)} {count(token.times)}" for token in one.rarest[:RAREST]) or "–",
    ]


def _together(results: Results) -> dict[str, UsageRecord]:
    """The use of each tokenizer by all corpora; the record of the one where there is no other."""
    found: dict[str, UsageRecord] = {}
    for record in results.usage:
        if record.corpus is None or record.tokenizer not in found:
            found[record.tokenizer] = record
    return found


def _row(v: VocabularyRecord, used: UsageRecord | None) -> list[str]:
    others = sum(n for kind, n in v.never.items() if kind not in (SPECIAL, NOT_UTF8))
    rare = "–" if used is None or not used.possible else percent((sum(used.rare) - used.rare[0]) / used.possible)
    return [
        code(v.tokenizer),
        plain(_scripts(v)),
        plain(_numbers(v)),
        count(v.entries),
        count(sum(v.never.values())),
        count(others),
        count(v.not_utf8),
        f"{count(v.words)} / {count(v.distinct_words)}",
        count(v.longest_blanks),
        "–" if used is None or not used.possible else percent(used.used / used.possible),
        rare,
    ]


def _scripts(v: VocabularyRecord) -> str:
    """The scripts that have the most tokens, with their shares."""
    entries = sum(v.scripts.values())
    real = [(name, n) for name, n in v.scripts.items() if name not in NO_SCRIPT][:SCRIPTS]
    shares = [(name, n / entries) for name, n in real if n / entries >= SMALLEST_SHARE]
    return ", ".join(f"{name} {percent(share, 0)}" for name, share in shares) or "–"


def _numbers(v: VocabularyRecord) -> str:
    """What the split pattern makes of a number, and what the merges make of that where it is something else."""
    pattern, tokens = v.digits_pattern or "", v.digits_tokens or ""
    if pattern == tokens:
        return pattern
    return f"{pattern}, cut further as learned" if tokens == LEARNED else f"{pattern}, cut further: {tokens}"


def _notes(v: VocabularyRecord) -> Iterator[str]:
    name = code(v.tokenizer)
    for kind, number in v.never.items():
        if kind not in (SPECIAL, NOT_UTF8):
            yield f"- {name}: {count(number)} {kind}, {plain(KINDS[kind])}."
    for proof in v.proofs[:PROOFS]:
        yield f"  - {plain(proof)}"
    if len(v.proofs) > PROOFS:
        yield "  - … and more, in `results.json`"
    if v.unproven:
        yield f"- {name}: {count(v.unproven)} tokens were neither found in a text nor proved to be in none."
    facts = []
    if v.holes:
        facts.append(f"{count(v.holes)} ids below the largest have no token")
    if v.duplicates:
        facts.append(f"{count(v.duplicates)} ids have the bytes of another")
    if v.damaged:
        facts.append(f"{count(v.damaged)} tokens have U+FFFD, from training text that was damaged")
    if facts:
        yield f"- {name}: {listing(facts)}."
