"""The sections of the report that are tables of figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from evalkit.bases import against
from evalkit.lossless import CHECK
from evalkit.report import domains, seen
from evalkit.report.figures import (
    CHINESE,
    ENGLISH,
    band,
    band_of_language,
    best,
    candidates,
    is_at_home,
    is_large,
    shown_corpora,
)
from evalkit.report.table import table
from evalkit.report.text import code, count, figure, listing, percent, plain, size
from evalkit.results import CheckRecord, CorpusRecord, Results, Row

COLUMNS_PER_TABLE = 11  # corpora side by side; more are shown in a further table

HOME = "†"

UNSURE = "°"
OF_SOME_DOCUMENTS = ("utf8_split_rate", "digit_boundary_f1")
WIDE = 0.5
"""An interval of a share that is wider says little more than that it is a share."""

CHECK_TITLES = {
    "serial_equals_parallel": "serial = parallel",
    "byte_audit": "byte audit",
    "round_trip": "round trip",
}


PASSED = "passed"
ALIKE = 4
"""So many tokenizers with the same verdicts are one line."""


class Notes:
    """Reasons under a table, each once, by number."""

    def __init__(self) -> None:
        self._reasons: dict[str, int] = {}

    def mark(self, reason: str) -> str:
        number = self._reasons.setdefault(reason, len(self._reasons) + 1)
        return f"undefined ({number})"

    def text(self) -> str:
        return "\n".join(f"({number}) {plain(reason)}  " for reason, number in self._reasons.items())

    @property
    def only(self) -> str | None:
        """The one reason, where there is one only."""
        return next(iter(self._reasons)) if len(self._reasons) == 1 else None


def tokenizers(results: Results) -> str:
    """Who was measured."""
    rows = []
    for t in results.tokenizers:
        what = t.kind if t.variant is None or t.variant == t.kind else f"{t.kind} ({t.variant})"
        asked = "–" if t.asked_vocab_size is None else count(t.asked_vocab_size)
        stopped = plain(t.stopped) if t.stopped else "–"
        rows.append(
            [
                code(t.name),
                plain(what),
                plain(", ".join(t.trained_on)) or "–",
                stopped,
                code(t.fingerprint[:12]) if t.fingerprint else "–",
                asked,
                count(t.vocab_size),
                "–" if t.max_id is None else count(t.max_id + 1),
            ]
        )
    headers = [
        "tokenizer", "kind", "trained on", "training", "fingerprint", "size asked", "vocab_size", "largest id + 1",
    ]  # fmt: skip
    by_note: dict[str, list[str]] = {}
    for t in results.tokenizers:
        for note in t.notes:
            if note != f"training {t.stopped}":  # it has its column
                by_note.setdefault(note, []).append(t.name)
    notes = [f"- {listing([code(name) for name in names], 20)}: {plain(note)}" for note, names in by_note.items()]
    gaps = [t.name for t in results.tokenizers if t.max_id is not None and t.max_id + 1 != t.vocab_size]
    if gaps:
        names = listing([code(name) for name in gaps], 12)
        notes.append(
            f"- Ids of {names} have gaps: a model needs a row for each id up to the largest, which is more than there "
            "are tokens."
        )
    return _paragraphs(table(headers, rows, left=5), "\n".join(notes))


def corpora(results: Results) -> str:
    """What they were measured on."""
    rows = [
        [
            plain(c.name),
            plain(c.language),
            plain(c.domain),
            "held out" if c.split == "eval" else "whole",
            code(c.sha256[:12]) if c.sha256 else "–",
            count(c.documents),
            size(c.bytes),
            count(c.chars),
            count(c.words) if c.words is not None else "undefined",
        ]
        for c in results.corpora
    ]
    headers = ["corpus", "language", "domain", "measured", "SHA-256", "documents", "bytes", "code points", "words"]
    notes = [f"- {plain(c.name)}: {plain(note)}" for c in results.corpora for note in c.notes]
    return _paragraphs(table(headers, rows, left=5), "\n".join(notes))


def figures(
    results: Results,
    metric: str,
    *,
    aggregation: str = "micro",
    bands: bool = False,
    corpora: Sequence[CorpusRecord] | None = None,
) -> str:
    """One metric: a row a tokenizer, a column a corpus, the best in bold. Empty where it wasn't asked for."""
    chosen = [t.name for t in results.tokenizers]
    if not any(row.metric == metric for row in results.rows):
        return ""
    notes = Notes()
    parts = []
    corpora, empty = _with_figures(
        results, (metric, aggregation), shown_corpora(results) if corpora is None else corpora
    )
    for start in range(0, len(corpora), COLUMNS_PER_TABLE):
        part = corpora[start : start + COLUMNS_PER_TABLE]
        parts.append(_figures(results, (metric, aggregation), chosen, part, notes, bands))
    defined = any(row.metric == metric and row.value is not None for row in results.rows)
    if not defined and notes.only:
        return f"Undefined everywhere: {plain(notes.only)}."
    legend = ""
    if bands and (found := [b for b in (ENGLISH, CHINESE) if b in map(band, corpora)]):
        structured = [c.name for c in corpora if domains.kind(c.domain) == domains.STRUCTURED]
        legend = f"Reference bands, from practice: {'; '.join(b.text for b in found)}."
        legend += _readings(results, metric)
        if structured:
            names = plain(listing(structured, 12))
            legend += f" No band holds for {names}: structured text differs by 30–50 %."
    unknown = domains.advice(filter(band_of_language, corpora)) if bands else ""
    says = definition(results, metric, corpora) if aggregation != "macro" else ""
    home = f"{HOME} in-domain: trained on another part of that corpus." if any(HOME in part for part in parts) else ""
    unsure = ""
    if any(UNSURE in part for part in parts):
        unsure = (
            f"{UNSURE} hardly an estimate: what it is made of stands in few documents, and its interval is missing "
            f"or wider than {WIDE}."
        )
    return _paragraphs(says, *parts, home, *seen.note(*parts), unsure, notes.text(), empty, legend, unknown)


def _with_figures(
    results: Results, key: tuple[str, str], corpora: Sequence[CorpusRecord]
) -> tuple[Sequence[CorpusRecord], str]:
    """The corpora that have the figure of any tokenizer, and for each reason why the others have none a sentence; all,
    where none has it."""
    full, reasons = [], dict[str, list[str]]()
    for corpus in corpora:
        found = [row for t in results.tokenizers if (row := results.row(corpus.name, t.name, *key)) is not None]
        why = {row.undefined_reason for row in found}
        if len(why) == 1 and (reason := why.pop()) is not None:
            reasons.setdefault(reason, []).append(corpus.name)
        else:
            full.append(corpus)
    if not full:
        return corpora, ""
    said = [f"No figures of {plain(listing(names, 12))}: {plain(reason)}." for reason, names in reasons.items()]
    return full, " ".join(said)


def _readings(results: Results, metric: str) -> str:
    """What the best figure of each corpus means by its band."""
    found = []
    for corpus in shown_corpora(results):
        rows, limits = candidates(results, corpus.name, metric), band(corpus)
        if rows and limits is not None and rows[0].value is not None:
            found.append(f"{plain(corpus.name)} {figure(rows[0])}, {limits.reads(rows[0].value)}")
    return f" By them the best figures are: {'; '.join(found)}." if found else ""


def fertility(results: Results) -> str:
    """Tokens per word; of Chinese, with the figure that practice has a band for beside it."""
    chinese = [c for c in shown_corpora(results) if band(c) is CHINESE]
    found = []
    for corpus in chinese:
        rows = [row for row in candidates(results, corpus.name, "chars_per_token") if row.value is not None]
        if rows:
            read = [f"{code(row.tokenizer)} {figure(row)} ({CHINESE.reads(row.value or 0)})" for row in rows]
            found.append(f"on {plain(corpus.name)} {listing(read, 12)}")
    beside = f"{CHINESE.text}. Here {'; '.join(found)}." if found else ""
    shown = figures(results, "fertility")
    return _paragraphs(shown, beside) if shown else ""


def definition(results: Results, metric: str, corpora: Sequence[CorpusRecord] | None = None) -> str:
    """What the figures of a metric are, in a sentence, and whether it is known to matter; those of words name what cut
    them on each of the corpora."""
    found = next((m for m in results.metrics if m.name == metric), None)
    if found is None:
        return ""
    better = {True: "; more is better", False: "; less is better", None: ""}[found.higher_is_better]
    # A metric of one's own may be of words, for all that is known: its unit says so.
    of_words = found.unit.endswith("/word") if found.source else "segmenter" in against(metric)
    words = f" Words by {segmented(results.corpora if corpora is None else corpora)}." if of_words else ""
    evidence = "" if found.timing else f" Evidence that it matters: {found.evidence}."
    return f"{code(metric)}: {plain(found.definition)}{better}.{words}{evidence}"


def segmented(corpora: Sequence[CorpusRecord]) -> str:
    """By what the words were cut; on which corpora, where not all by the same."""
    names: dict[str, list[str]] = {}
    for c in corpora:
        names.setdefault(c.segmenter, []).append(c.name)
    if len(names) == 1:
        return plain(next(iter(names)))
    return plain("; ".join(f"{segmenter} on {listing(on, len(on))}" for segmenter, on in names.items()))


def _figures(
    results: Results,
    key: tuple[str, str],
    names: Sequence[str],
    corpora: Sequence[CorpusRecord],
    notes: Notes,
    bands: bool,
) -> str:
    leaders = {c.name: best(results, c.name, *key) for c in corpora}
    of_text = not any(m.name == key[0] and m.timing for m in results.metrics)
    at_home = {(c.name, t.name) for t in results.tokenizers for c in corpora if of_text and is_at_home(t, c.name)}

    def shown(corpus: CorpusRecord, name: str) -> str:
        row = results.row(corpus.name, name, *key)
        if row is None:
            return "–"
        if row.undefined_reason is not None:
            return notes.mark(row.undefined_reason)
        text = figure(row) + (UNSURE if _is_unsure(row) else "") + (HOME if (corpus.name, name) in at_home else "")
        flatters = seen.mark(results, name, corpus.name) if of_text else ""
        return f"**{text}**{flatters}" if name in leaders[corpus.name] else f"{text}{flatters}"

    rows = [[code(name), *(shown(corpus, name) for corpus in corpora)] for name in names]
    if bands and any(map(band, corpora)):
        limits = [found.normal if (found := band(c)) else "–" for c in corpora]
        rows.append(["reference band", *limits])
    return table(["tokenizer", *(plain(c.name) for c in corpora)], rows)


def _is_unsure(row: Row) -> bool:
    """Of shares of what only some documents have: numbers, characters of several bytes."""
    if row.metric not in OF_SOME_DOCUMENTS:
        return False
    return row.low is None or row.high is None or row.high - row.low > WIDE


def overlaps(results: Results) -> str:
    """How alike the vocabularies are: Jaccard above the diagonal, the share of the row's tokens below."""
    names: dict[str, int] = {}
    for o in results.overlaps:
        names.setdefault(o.first, len(names))
        names.setdefault(o.second, len(names))
    if len(names) < 2:
        return ""
    cells = [["" for _ in names] for _ in names]
    for position in range(len(names)):
        cells[position][position] = "·"
    for o in results.overlaps:
        first, second = names[o.first], names[o.second]
        cells[first][second] = f"{percent(o.first_in_second, 0)} / {o.jaccard:.2f}"
        cells[second][first] = f"{percent(o.second_in_first, 0)} / {o.jaccard:.2f}"
    rows = [[f"{number + 1} {code(name)}", *cells[number]] for name, number in names.items()]
    text = (
        "In each cell: the share of the row's tokens that the column has too / the Jaccard index of the two. "
        "Over token bytes, special tokens left out; the 256 single bytes are in every byte-level vocabulary."
    )
    return _paragraphs(text, table(["tokenizer", *(str(n + 1) for n in range(len(names)))], rows))


def nearest_overlap(results: Results) -> str:
    """The two vocabularies that share most and the two that share least, by the Jaccard index."""
    return extremes({(o.first, o.second): o.jaccard for o in results.overlaps}, "Jaccard index")


def extremes(pairs: Mapping[tuple[str, str], float], unit: str) -> str:
    """The pairs of names with the highest and the lowest figure, in a sentence.

    >>> extremes({("a", "b"): 0.5, ("a", "c"): 0.25, ("b", "c"): 0.125}, "share")
    'Most alike: `a` and `b` (0.50); least: `b` and `c` (0.12); share.'
    """
    if len(pairs) < 2:
        return ""
    most, least = (choose(pairs, key=lambda pair: pairs[pair]) for choose in (max, min))
    said = [
        f"{word}: {code(a)} and {code(b)} ({pairs[a, b]:.2f})"
        for word, (a, b) in zip(("Most alike", "least"), (most, least), strict=True)
    ]
    return f"{'; '.join(said)}; {unit}."


def checks(results: Results) -> str:
    """Verdicts by tokenizer, and what failed."""
    order: list[str] = [name for name in CHECK_TITLES if any(c.name == name for c in results.checks)]
    order += sorted({c.name for c in results.checks} - set(order))
    rows = []
    for tokenizer in results.tokenizers:
        mine = [c for c in results.checks if c.tokenizer == tokenizer.name]
        rows.append([code(tokenizer.name), *(_verdict([c for c in mine if c.name == n]) for n in order)])
    failed = [
        f"- **{plain(c.tokenizer)} on {plain(c.corpus)}**: {_failure(c)}" for c in results.checks if c.passed is False
    ]
    not_made = {(c.tokenizer, c.name): c.detail for c in results.checks if c.passed is None}
    unmade = [
        f"- {code(name)}, {CHECK_TITLES.get(check, check)}: not made, {plain(why)}"
        for (name, check), why in not_made.items()
    ]
    headers = ["tokenizer", *(CHECK_TITLES.get(name, name) for name in order)]
    same = max((tuple(row[1:]) for row in rows), key=[tuple(row[1:]) for row in rows].count, default=())
    alike = [row[0] for row in rows if tuple(row[1:]) == same]
    said = ""
    if len(alike) >= ALIKE and all(cell.startswith(PASSED) for cell in same):
        # A column of the same words for every tokenizer would hide what differs.
        others = [row for row in rows if tuple(row[1:]) != same]
        rows = others
        who = "All tokenizers" if not others else f"{len(alike)} of {len(results.tokenizers)} tokenizers"
        verdicts = [f"{title} {verdict}" for title, verdict in zip(headers[1:], same, strict=True)]
        said = f"{who}: {'; '.join(verdicts)}.{' The others:' if others else ''}"
    shown = table(headers, rows, left=len(headers)) if rows else ""
    return _paragraphs(said, shown, "\n".join([*failed, *unmade]))


def _verdict(checks: Sequence[CheckRecord]) -> str:
    made = [c for c in checks if c.passed is not None]
    if not made:
        return "not made"
    bad = [c.corpus for c in made if not c.passed]
    if bad:
        # What loses text may do so by design, as a word list does; wrong ids never are.
        what = "loses text" if checks[0].name == CHECK else "**FAILED**"
        return f"{what} on {plain(listing(bad, 3))}"
    documents = sum(c.documents for c in made)
    return f"{PASSED} ({documents:,} documents)"


def _failure(check: CheckRecord) -> str:
    text = f"{CHECK_TITLES.get(check.name, check.name)}: {plain(check.detail)}"
    if check.divergence:
        left, right = check.divergence["left"], check.divergence["right"]
        text += f": ids {code(' '.join(map(str, left)))} against {code(' '.join(map(str, right)))}"
    return text


def speed(results: Results) -> str:
    """MB/s, and which engine they are of; of many corpora, what lies in the middle and the slowest."""
    shown = _speeds(results) if is_large(results) else figures(results, "encode_mb_per_s")
    if not shown:
        return ""
    engine = results.environment.get("engine", {})
    name = engine.get("name", "unknown") if isinstance(engine, dict) else str(engine)
    text = f"Engine: {plain(name)}."
    if name == "reference":
        text += " The reference engine is plain Python and no measure of speed."
    return _paragraphs(text, shown)


def _speeds(results: Results) -> str:
    names = [c.name for c in shown_corpora(results)]
    rows = []
    for t in results.tokenizers:
        found = [row for name in names if (row := results.row(name, t.name, "encode_mb_per_s")) is not None]
        timed = {row.corpus: row.value for row in found if row.value is not None}
        if timed:
            slowest = min(timed, key=lambda name: timed[name])
            middle = f"{median(timed.values()):.1f}"
            rows.append([code(t.name), middle, f"{timed[slowest]:.1f} ({plain(slowest)})"])
    if not rows:
        return ""
    says = definition(results, "encode_mb_per_s")
    rest = "Each corpus: in `results.csv`. A busy machine makes single figures many times slower."
    return _paragraphs(says, table(["tokenizer", "median of the corpora, MB/s", "slowest, MB/s"], rows), rest)


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(part.rstrip() for part in parts if part.strip())
