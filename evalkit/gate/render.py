"""A report of a gate as text: a table for the terminal, Markdown for a summary, JUnit XML for a CI system."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from tabulate import tabulate

from evalkit.gate.divergence import Divergence, Run
from evalkit.gate.verdicts import CHECKS, FAILED, PASSED, Coverage, GateReport, Outcome, Verdict
from evalkit.report.text import code, percent, plain, readable

WORDS = {
    "pass": "pass",
    "fail": "FAIL",
    "missing": "missing",
    "incomparable": "incomparable",
    "not_measured": "not measured",
}
SEVERITY: tuple[Outcome, ...] = ("fail", "incomparable", "missing", "not_measured", "pass")
_SHORT = {"not_measured": "–", "pass": "ok"}
_TEXT_LIMIT = 200
_PER_TABLE = 8


def terminal(report: GateReport) -> str:
    """Everything for the terminal: the table, what failed and why, what was covered, the outcome."""
    parts = [table(report)]
    for verdict in problems(report):
        parts.append("\n".join(_problem(verdict)))
    parts.append("\n".join(_footer(report)))
    return "\n\n".join(filter(None, parts)) + "\n"


def table(report: GateReport) -> str:
    """A row for each tokenizer, a column for each check; over all corpora, the worst outcome counts."""
    checks = [check for check in CHECKS if any(v.check == check for v in report.verdicts)]
    tables = []
    for start in range(0, len(checks), _PER_TABLE):
        columns = checks[start : start + _PER_TABLE]
        rows = [[name, *(_cell(report, name, check) for check in columns)] for name in names(report)]
        tables.append(tabulate(rows, ["tokenizer", *columns], tablefmt="simple", disable_numparse=True))
    return "\n\n".join(tables)


def names(report: GateReport) -> list[str]:
    """The tokenizers in the order of the suite, then whatever else there are verdicts of."""
    return list(dict.fromkeys([*report.tokenizers, *(verdict.tokenizer for verdict in report.verdicts)]))


def problems(report: GateReport) -> list[Verdict]:
    """What keeps the gate from passing, the gravest first."""
    return [verdict for outcome in SEVERITY[:3] for verdict in report.of(outcome)]


def _cell(report: GateReport, tokenizer: str, check: str) -> str:
    found = Counter(v.outcome for v in report.verdicts if (v.tokenizer, v.check) == (tokenizer, check))
    if not found:
        return ""
    worst = next(outcome for outcome in SEVERITY if found[outcome])
    judged = found.total() - found["not_measured"]
    word = _SHORT.get(worst, WORDS[worst])
    if worst == "not_measured" and judged:
        word = _SHORT["pass"]
    return f"{word} {found[worst]}/{found.total()}" if worst in ("fail", "missing", "incomparable") else word


def _where(verdict: Verdict) -> str:
    return f"{verdict.tokenizer} on {verdict.corpus}" if verdict.corpus else verdict.tokenizer


def verdict_text(verdict: Verdict) -> str:
    """One verdict with everything it holds."""
    return "\n".join(_problem(verdict))


def _problem(verdict: Verdict) -> Iterator[str]:
    yield f"{WORDS[verdict.outcome]}: {verdict.check}, {_where(verdict)}"
    yield f"  {verdict.detail}"
    if verdict.divergence is not None:
        yield from (f"  {line}" for line in divergence_lines(verdict.divergence))
    if verdict.case is not None:
        yield f"  run it again: python -m evalkit.gate.rerun {verdict.case}"


def divergence_lines(found: Divergence) -> Iterator[str]:
    """Text, place and both runs, one thing a line."""
    whole = len(found.text)
    size = f", {whole:,} code points" if whole > _TEXT_LIMIT else ""
    yield f"text: {_window(found)!a}{size}"
    if found.kind == "only counts changed":
        yield f"{found.left.way}: {found.left.count:,}; {found.right.way}: {found.right.count:,}"
        return
    place = f"byte {found.byte:,}"
    if found.pretoken is not None:
        place += f", in the pretoken {found.pretoken[:_TEXT_LIMIT]!a}"
    yield place
    for run in (found.left, found.right):
        yield f"{run.way}: {_run(run)}"


def _window(found: Divergence) -> str:
    """The text, of a long one the part in which the two differ."""
    if len(found.text) <= _TEXT_LIMIT:
        return found.text
    at = len(found.text.encode("utf-8", "surrogatepass")[: found.byte].decode("utf-8", "ignore"))
    start = max(0, at - _TEXT_LIMIT // 2)
    return found.text[start : start + _TEXT_LIMIT]


def _run(run: Run) -> str:
    if not run.ids and not run.tokens:
        return "nothing more"
    shown = [readable(token) if token is not None else "not in the vocabulary" for token in run.tokens]
    if not run.ids:
        return " ".join(shown)
    return " ".join(f"{token_id} ({token})" for token_id, token in zip(run.ids, shown, strict=True))


def _footer(report: GateReport) -> Iterator[str]:
    partly = [one for one in report.coverage if one.bytes < one.of_bytes or one.stopped]
    for one in partly:
        yield f"covered: {coverage_phrase(one)}"
    if tried := tried_phrase(report):
        yield f"tried: {tried}"
    for note in report.notes:
        yield f"note: {note}"
    counts = Counter(verdict.outcome for verdict in report.verdicts)
    listed = ", ".join(f"{counts[o]:,} {WORDS[o]}" for o in reversed(SEVERITY) if counts[o])
    yield f"{outcome_phrase(report)} ({listed or 'no verdicts'}; seed {report.seed}, {report.seconds:.1f} s)"


def coverage_phrase(one: Coverage) -> str:
    """
    >>> coverage_phrase(Coverage("web", 3, 10, 250, 1000))
    'web: 3 of 10 documents, 250 of 1,000 bytes (25.0 %)'
    """
    noun = "document" if one.of_documents == 1 else "documents"
    cut = f" ({one.cut:,} in part)" if one.cut else ""
    text = (
        f"{one.corpus}: {one.documents:,} of {one.of_documents:,} {noun}{cut}, {one.bytes:,} of {one.of_bytes:,} "
        f"bytes ({_share(one.share)})"
    )
    return f"{text}; the time ran out" if one.stopped else text


def tried_phrase(report: GateReport) -> str:
    """On how much of the text that was covered each check that takes a share was tried, over all tokenizers and
    corpora; empty where every check saw everything."""
    covered: dict[str | None, int] = {one.corpus: one.bytes for one in report.coverage}
    parts = []
    for check in CHECKS:
        found = [v for v in report.verdicts if v.check == check and v.corpus in covered and v.bytes]
        seen = sum(min(v.bytes, covered[v.corpus]) for v in found)
        whole = sum(covered[v.corpus] for v in found)
        if seen < whole:
            parts.append(f"{check} {seen:,} bytes ({_share(seen / whole)})")
    return f"a share by the slower checks: {', '.join(parts)}" if parts else ""


def _share(share: float) -> str:
    """Few digits, but never 0 % of what isn't nothing."""
    return percent(share, 1 if share >= 0.001 or not share else 4)


def outcome_phrase(report: GateReport) -> str:
    """The outcome in a sentence."""
    if report.exit_code == PASSED:
        return f"{report.suite}: the gate passed"
    if report.exit_code == FAILED:
        return f"{report.suite}: the gate FAILED"
    if not report.of("pass") and not problems(report):
        return f"{report.suite}: nothing was judged"
    return f"{report.suite}: could not be judged whole"


# ── Markdown ────────────────────────────────────────────────────────────────────────────────────────────────


def summary(report: GateReport) -> str:
    """Markdown: the outcome, the problems with their texts, the table, what was covered."""
    sign = {PASSED: "✅", FAILED: "❌"}.get(report.exit_code, "⚠️")
    lines = [f"## {sign} {plain(outcome_phrase(report))}", ""]
    for verdict in problems(report):
        lines.append(
            f"- **{WORDS[verdict.outcome]}**: {verdict.check}, {plain(_where(verdict))}: {plain(verdict.detail)}"
        )
        if verdict.divergence is not None:
            lines += [f"  - {_spanned(line)}" for line in divergence_lines(verdict.divergence)]
        if verdict.case is not None:
            lines.append(f"  - run it again: {code(f'python -m evalkit.gate.rerun {verdict.case}')}")
    checks = [check for check in CHECKS if any(v.check == check for v in report.verdicts)]
    rows = [[plain(name), *(_cell(report, name, check) for check in checks)] for name in names(report)]
    lines += ["", tabulate(rows, ["tokenizer", *checks], tablefmt="github", disable_numparse=True), ""]
    lines += [f"- covered: {plain(coverage_phrase(one))}" for one in report.coverage]
    if tried := tried_phrase(report):
        lines.append(f"- tried: {plain(tried)}")
    lines += [f"- {plain(note)}" for note in report.notes]
    lines.append(f"- seed {report.seed}, {report.seconds:.1f} s")
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def _spanned(line: str) -> str:
    name, _, rest = line.partition(": ")
    return f"{plain(name)}: {code(rest)}" if rest else plain(line)


# ── JUnit ───────────────────────────────────────────────────────────────────────────────────────────────────


def junit(report: GateReport) -> str:
    """JUnit XML: a suite for each tokenizer, a case for each corpus and check. What couldn't be judged is an
    error, what wasn't measured is skipped."""
    root = ElementTree.Element("testsuites", name=_xml(report.suite))
    _count(root, report.verdicts)
    root.set("time", f"{report.seconds:.3f}")
    for name in names(report):
        verdicts = [verdict for verdict in report.verdicts if verdict.tokenizer == name]
        suite = ElementTree.SubElement(root, "testsuite", name=_xml(name))
        _count(suite, verdicts)
        for verdict in verdicts:
            _case(suite, report.suite, verdict)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _count(element: ElementTree.Element, verdicts: Sequence[Verdict]) -> None:
    found = Counter(verdict.outcome for verdict in verdicts)
    element.set("tests", str(len(verdicts)))
    element.set("failures", str(found["fail"]))
    element.set("errors", str(found["missing"] + found["incomparable"]))
    element.set("skipped", str(found["not_measured"]))


def _case(parent: ElementTree.Element, suite: str, verdict: Verdict) -> None:
    where = f"{suite}.{verdict.tokenizer}"
    name = f"{verdict.check} on {verdict.corpus}" if verdict.corpus else verdict.check
    name += f": {verdict.what}" if verdict.what else ""
    case = ElementTree.SubElement(parent, "testcase", classname=_xml(where), name=_xml(name))
    tag = {"fail": "failure", "missing": "error", "incomparable": "error", "not_measured": "skipped"}.get(
        verdict.outcome
    )
    if tag is None:
        return
    element = ElementTree.SubElement(case, tag, message=_xml(verdict.detail))
    if tag == "skipped":
        return
    element.set("type", verdict.divergence.kind if verdict.divergence is not None else verdict.outcome)
    element.text = _xml("\n".join(_problem(verdict)))


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _xml(text: str) -> str:
    """What XML can't hold, not even escaped, as ``\\x00``."""
    return _NOT_XML.sub(lambda match: ascii(match.group())[1:-1], text)
