"""What a reader of the results should beware of, as plain sentences; they are part of the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evalkit.corpus import IN_BLOCKS
from evalkit.fair_records import StabilityRecord
from evalkit.lint.verdicts import NOT_UTF8, SPECIAL
from evalkit.lossless import CHECK, lossy
from evalkit.ranked import set_aside
from evalkit.report.text import size
from evalkit.results import CheckRecord, CorpusRecord, Row, TokenizerRecord
from evalkit.seen_text import SeenText
from evalkit.stats import FEWEST
from evalkit.vocabulary_records import VocabularyRecord
from tokenizers_impl.records import NO_PAIR

CHINESE = frozenset(("zh", "cmn", "lzh", "yue", "wuu", "hak", "hsn", "gan", "nan"))
WITHOUT_BLANKS = CHINESE | {"ja", "th", "lo", "km", "my"}
FEW_DOCUMENTS = 60
SMALL_BYTES = 1_000_000
IDLE = 0.01
"""A share of entries that can't occur from which it is worth a word."""
ALIGNED = 1.15
"""Times a premium of the whole text that the mean of its lines' premiums may be. Lines that say the same are long and
short together: of 36 languages against English (XQuAD, help pages, the embedded sentences), under two vocabularies, it
was 1.02 at most. With the lines of one shuffled it was 1.16 to 1.42, over 2.9 where headings stand among paragraphs;
where all lines are of nearly one length it stays at 1.03 to 1.06, which this can't tell from aligned ones."""
_AS_THE_SUITE_SAYS = ("regret", "normalized_length", "premium", "gini_premium", "utf8_split_rate", "digit_boundary_f1")


def cautions(
    corpora: Sequence[CorpusRecord],
    tokenizers: Sequence[TokenizerRecord],
    rows: Sequence[Row],
    checks: Sequence[CheckRecord],
    seen: Sequence[SeenText] = (),
    stability: Sequence[StabilityRecord] = (),
    contradicted: Mapping[str, Sequence[int]] | None = None,
    lint: Sequence[VocabularyRecord] = (),
    distinct: Mapping[str, int] | None = None,
) -> tuple[str, ...]:
    """All of them, the gravest first. ``contradicted``: ids that were proved never to occur and did, by tokenizer.
    ``lint``: what is known of the vocabularies. ``distinct``: documents that aren't the same, of corpora in which a
    good part are repeats (:func:`evalkit.repeats.distinct_documents`)."""
    return (
        *_failed(checks),
        *_lossy(rows, checks),
        *_contradicted(contradicted or {}),
        *_seen(seen),
        *_repeated(corpora, distinct or {}),
        *_in_blocks(corpora),
        *_small(corpora, distinct or {}),
        *_aligned(corpora, rows),
        *_untried(stability),
        *_segmented(corpora),
        *_in_domain(corpora, tokenizers),
        *_stopped(tokenizers),
        *_same(tokenizers),
        *_sizes(tokenizers),
        *_across_words(tokenizers),
        *_idle(lint),
        *_undefined(rows, tokenizers),
        *_special_text(corpora),
        *_partly_checked(checks),
    )


def _names(names: Sequence[str], limit: int = 8) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def _documents(count: int) -> str:
    return f"{count:,} {'document' if count == 1 else 'documents'}"


def _failed(checks: Sequence[CheckRecord]) -> Iterator[str]:
    for check in checks:
        if check.passed is False and check.name != CHECK:
            what = check.name.replace("_", " ")
            yield (
                f"The check '{what}' failed for {check.tokenizer} on {check.corpus}: {check.detail}. Its "
                "figures are not to be used."
            )


def _lossy(rows: Sequence[Row], checks: Sequence[CheckRecord]) -> Iterator[str]:
    lost: dict[str, list[str]] = {}
    for corpus, tokenizer in lossy(rows, checks):
        lost.setdefault(tokenizer, []).append(corpus)
    for name, corpora in lost.items():
        yield (
            f"{name} loses text on {_names(corpora)}: what it drops or replaces reads as better compression, "
            "so it is never called the best there."
        )


def _contradicted(found: Mapping[str, Sequence[int]]) -> Iterator[str]:
    for name, ids in found.items():
        which, they = ("Id", "it was") if len(ids) == 1 else ("Ids", "they were")
        yield (
            f"{which} {_names([str(i) for i in ids])} of {name} came out of the text, and {they} proved never to. That "
            "proof is a mistake of evalkit: please report it, with the tokenizer and the id. What is said of tokens "
            "that never occur leaves such ids out."
        )


def _seen(seen: Sequence[SeenText]) -> Iterator[str]:
    for one in seen:
        whose = f"the training part of {one.training}" if one.training != one.corpus else "the files trained on"
        stand = "stands" if one.documents == 1 else "stand"
        yield (
            f"Trained on what is measured: {one.documents:,} of {_documents(one.of_documents)} of {one.corpus} "
            f"({one.bytes / one.of_bytes * 100:.1f} % of its bytes) {stand} word for word in {whose}, so that the "
            f"figures of {_names(one.tokenizers)} there flatter."
        )


def _repeated(corpora: Sequence[CorpusRecord], distinct: Mapping[str, int]) -> Iterator[str]:
    found = [f"{c.name} ({distinct[c.name]:,} distinct of {c.documents:,})" for c in corpora if c.name in distinct]
    if found:
        yield (
            f"Documents that are there several times, word for word: {_names(found)}. Intervals and verdicts take "
            "every document as one of its own, so that there they are surer than the text allows: repeats are no "
            "evidence. Measure each document once."
        )


def _in_blocks(corpora: Sequence[CorpusRecord]) -> Iterator[str]:
    names = [c.name for c in corpora if any(IN_BLOCKS in note for note in c.notes)]
    if names:
        yield (
            f"Blocks of few texts: the documents of {_names(names)} are parts, cut so that something can be "
            "held out. Intervals and verdicts there speak of other parts of these texts, not of other texts."
        )


def _small(corpora: Sequence[CorpusRecord], distinct: Mapping[str, int]) -> Iterator[str]:
    documents = {c.name: distinct.get(c.name, c.documents) for c in corpora}
    small = [c for c in corpora if documents[c.name] < FEW_DOCUMENTS or c.bytes < SMALL_BYTES]
    if small:
        shown = [f"{c.name} ({_documents(c.documents)}, {size(c.bytes)})" for c in small]
        yield (
            f"Small corpora: {_names(shown, 4)}. They show how a tokenizer behaves; a choice that differs "
            "by a few per cent needs more text."
        )


def _aligned(corpora: Sequence[CorpusRecord], rows: Sequence[Row]) -> Iterator[str]:
    """Corpora that are declared to say the same line by line and, by the lengths of their lines, may not."""
    lines = {c.name: c.documents for c in corpora if c.parallel is not None and c.documents >= FEWEST}
    premiums: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        if row.metric == "premium" and row.value and row.corpus in lines:
            premiums.setdefault((row.corpus, row.tokenizer), {})[row.aggregation] = row.value
    least: dict[str, float] = {}  # of all tokenizers: one that hardly knows a language makes any lines look alike
    for (corpus, _), of in premiums.items():
        if "macro" in of and "micro" in of:
            ratio = of["macro"] / of["micro"]
            least[corpus] = min(ratio, least.get(corpus, ratio))
    for group in dict.fromkeys(c.parallel for c in corpora if c.name in least):
        apart = [c for c in corpora if c.parallel == group and least.get(c.name, 0) > ALIGNED]
        if apart:
            shown = _names([f"{c.name} ({least[c.name]:.1f} times)" for c in apart])
            yield (
                f"Lines of {group} may not say the same as those of the reference language: on {shown} the mean of the "
                "lines' premiums is far above the premium of the whole text, as where lines are out of order or cut in "
                f"other places (where they say the same, it is hardly ever over {ALIGNED} times). Compare them before "
                "you trust premiums and Gini coefficients of the group."
            )


def _untried(stability: Sequence[StabilityRecord]) -> Iterator[str]:
    """What was to be trained again and couldn't."""
    reasons: dict[str, list[str]] = {}
    for one in stability:
        if not one.vocab_sizes and one.undefined_reason:
            reasons.setdefault(one.undefined_reason, []).append(one.tokenizer)
    for reason, names in reasons.items():
        yield (
            "Training noise was asked for (measure: stability) and is not known for "
            f"{_names(list(dict.fromkeys(names)))}: {reason}. So a difference may be one that training alone makes."
        )


def _segmented(corpora: Sequence[CorpusRecord]) -> Iterator[str]:
    """Words that a segmenter made of a language it isn't for."""
    for c in corpora:
        primary = c.language.split("-")[0].lower()
        if c.words is None:
            continue
        if c.segmenter.startswith("jieba") and primary not in CHINESE:
            yield (
                f"The words of {c.name} were cut by jieba, which knows Chinese, and its language is {c.language}: the "
                "figures per word are not to be trusted (segmenter: auto)."
            )
        if c.segmenter == "whitespace" and primary in WITHOUT_BLANKS:
            yield (
                f"The words of {c.name} were cut at blanks, which its language ({c.language}) doesn't put between "
                "words: the figures per word are of whole sentences (segmenter: auto)."
            )


def _in_domain(corpora: Sequence[CorpusRecord], tokenizers: Sequence[TokenizerRecord]) -> Iterator[str]:
    measured = {c.name for c in corpora}
    groups: dict[tuple[str, ...], list[str]] = {}
    for tokenizer in tokenizers:
        if home := tuple(name for name in tokenizer.trained_on if name in measured):
            groups.setdefault(home, []).append(tokenizer.name)
    if groups:
        shown = [f"{_names(names, 3)} on {_names(home, 3)}" for home, names in groups.items()]
        yield (
            "In-domain: what was measured is held-out text of the same corpora as the training text for "
            f"{'; '.join(shown)}. Expect less on other text."
        )


def _same(tokenizers: Sequence[TokenizerRecord]) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for tokenizer in tokenizers:
        if tokenizer.fingerprint is not None:
            groups.setdefault(tokenizer.fingerprint, []).append(tokenizer.name)
    for names in groups.values():
        if len(names) > 1:
            yield f"The same tokenizer under several names (equal fingerprints): {_names(names)}."


def _is_short(tokenizer: TokenizerRecord) -> bool:
    """Whether its training stopped before the size that was asked for."""
    asked, size = tokenizer.asked_vocab_size, tokenizer.vocab_size
    return bool(tokenizer.trained_on and asked and size and size < asked)


def _stopped(tokenizers: Sequence[TokenizerRecord]) -> Iterator[str]:
    rare: list[str] = []
    none: list[str] = []
    for t in tokenizers:
        if _is_short(t):
            # min_frequency: 1 has nothing more to give where every pretoken is one token.
            exhausted = (t.stopped or "").endswith(NO_PAIR)
            (none if exhausted else rare).append(f"{t.name} ({t.vocab_size:,} of {t.asked_vocab_size:,})")
    if rare:
        yield (
            f"Training stopped early for {_names(rare)}: no pair was left that is frequent enough. They are "
            "measured at the size they reached; more training text, or min_frequency: 1, gives a larger one."
        )
    if none:
        yield (
            f"Training stopped early for {_names(none)}: {NO_PAIR}, every piece of the training text being one token. "
            "They are measured at the size they reached; only more training text gives a larger one."
        )


def _sizes(tokenizers: Sequence[TokenizerRecord]) -> Iterator[str]:
    sizes = {t.name: t.vocab_size for t in tokenizers if t.kind != "baseline" and t.vocab_size}
    if len(set(sizes.values())) > 1:
        small, large = min(sizes, key=lambda n: sizes[n]), max(sizes, key=lambda n: sizes[n])
        yield (
            f"Vocabulary sizes are not matched: from {sizes[small]:,} ({small}) to {sizes[large]:,} "
            f"({large}). A "
            "larger vocabulary compresses more and costs more parameters; only regret and the table at one vocabulary "
            "size compare like with like."
        )


def _across_words(tokenizers: Sequence[TokenizerRecord]) -> Iterator[str]:
    aside = set_aside(tokenizers)
    names = [t.name for t in tokenizers if t.name in aside]
    if names:
        verb, whose = ("have", "their") if len(names) > 1 else ("has", "its")
        yield (
            f"{_names(names)} {verb} no split pattern: {whose} tokens reach over words and lines, so that whole "
            "phrases of the training text become one token. Text like that gets very short, which says nothing of "
            f"how well a model learns from it. So {'they are' if names[1:] else 'it is'} in the tables of figures, but "
            "never called the best, nor what the others are held against."
        )


def _idle(lint: Sequence[VocabularyRecord]) -> Iterator[str]:
    """Vocabularies of which a good part can't occur."""
    found = []
    for one in lint:
        idle = sum(n for kind, n in one.never.items() if kind not in (SPECIAL, NOT_UTF8))
        if one.entries and idle / one.entries >= IDLE:
            found.append(f"{one.tokenizer} ({idle:,} of {one.entries:,}, {idle / one.entries * 100:.1f} %)")
    if found:
        yield (
            f"Entries that no text gives, proved one by one: {_names(found)}. They cost parameters and are of no use; "
            "see Vocabularies."
        )


def _undefined(rows: Sequence[Row], tokenizers: Sequence[TokenizerRecord]) -> Iterator[str]:
    reasons: dict[str, list[Row]] = {}
    short, known = {t.name for t in tokenizers if _is_short(t)}, {t.name for t in tokenizers}
    for row in rows:
        if row.tokenizer not in known and row.tokenizer.rpartition("@")[0] in short:
            continue  # a rung that training didn't reach, which was said already
        # These are undefined wherever nothing was trained, named or declared, or there is nothing to cut: no news.
        if row.undefined_reason is not None and row.metric not in _AS_THE_SUITE_SAYS:
            reasons.setdefault(row.undefined_reason, []).append(row)
    for reason, found in reasons.items():
        metrics = list(dict.fromkeys(row.metric for row in found))
        names = list(dict.fromkeys(row.tokenizer for row in found))
        whose = f"{len(names)} tokenizers" if len(names) > 3 else _names(names)
        yield f"Undefined: {_names(metrics, 3)} for {whose}: {reason}."


def _special_text(corpora: Sequence[CorpusRecord]) -> Iterator[str]:
    found = [f"{c.name} ({c.special_text_documents:,})" for c in corpora if c.special_text_documents]
    if found:
        yield (
            f"Documents that hold the text of a special token: {_names(found)}. It is data and was measured "
            "as ordinary text."
        )


def _partly_checked(checks: Sequence[CheckRecord]) -> Iterator[str]:
    shares: dict[str, float] = {}
    for check in checks:
        if check.name == "serial_equals_parallel" and 0 < check.bytes < check.of_bytes:
            shares[check.corpus] = check.bytes / check.of_bytes
    if shares:
        least = min(shares, key=lambda corpus: shares[corpus])
        more = f" and more of {len(shares) - 1} others" if len(shares) > 1 else ""
        yield (
            "Serial = parallel and the round trip were checked on a share of the bytes, "
            f"{shares[least] * 100:.1f} % of {least}{more}; the byte audit covers all, and evalkit gate encodes all."
        )
