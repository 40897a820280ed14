"""Two results side by side: what changed, with intervals, and whether it can be told from chance.

Where both have their ``counts.npz`` and its documents are the same, ratios of sums over documents are compared on these
documents (paired): those that are made of the tokens by one test of the tokens, others each by its own. Other figures
that have intervals are compared through them, which for the same text is cautious (unpaired). What can't be compared is
refused, never approximated.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from evalkit.bases import is_of_group
from evalkit.changes import PAIRED, Change, Outcome, of_ratios, of_tokens, unpaired
from evalkit.comparable import LeftOut, documents_unknown, only_in_one, refuse_the_incomparable
from evalkit.errors import UserError
from evalkit.lossless import WITHOUT_LOSS
from evalkit.made_otherwise import MadeOtherwise, made_otherwise
from evalkit.own_tokens import is_of_languages, with_own_tokens
from evalkit.pair_verdicts import VerdictChange, pair_verdicts
from evalkit.paired import Paired, Side, corrected
from evalkit.report.figures import is_of_whole_text
from evalkit.results import CorpusRecord, Results, Row, TokenizerRecord, load_results
from evalkit.results_files import load_counts
from tokenizers_impl.deferred import dataclass

__all__ = ["PAIRED", "Change", "Differences", "Outcome", "Side", "compare", "open_side"]


@dataclass(frozen=True)
class Differences:
    """``alike``: corpus, tokenizer and metric of figures that are the same on both sides. ``notes``: what was left out,
    and why. ``made_otherwise``: what of the suites and tokenizers isn't the same. ``verdicts``: those between two
    tokenizers of either side that the other side has otherwise."""

    first: Side
    second: Side
    changes: tuple[Change, ...]
    alike: tuple[tuple[str, str, str], ...]
    notes: tuple[str, ...]
    made_otherwise: tuple[MadeOtherwise, ...] = ()
    verdicts: tuple[VerdictChange, ...] = ()

    @property
    def equal(self) -> int:
        return len(self.alike)


def open_side(path: Path) -> Side:
    """Results in a folder or a file, with the counts beside them. Raises ``UserError``."""
    results = load_results(path)
    beside = (path if path.is_dir() else path.parent) / "counts.npz"
    return Side(str(path), results, load_counts(beside) if beside.is_file() else {})


def compare(first: Side, second: Side) -> Differences:
    """All figures that both have: corpora and tokenizers by name, micro and sums, no timings.

    Raises ``UserError`` where they are no figures of the same thing.
    """
    one, two = first.results, second.results
    notes = list(only_in_one(first, second))
    refuse_the_incomparable(first, second)
    metrics = _metrics(one, two)
    keys = [
        (corpus, tokenizer.name, metric)
        for corpus in one.corpora
        for tokenizer in one.tokenizers
        for metric in metrics
        if corpus.name in _names(two.corpora) and tokenizer.name in _names(two.tokenizers)
    ]
    if not keys:
        raise UserError(
            f"nothing to compare: {first.where} and {second.where} have no corpus, tokenizer and metric in common"
        )
    left_out = LeftOut(one, two)
    paired = Paired(first, second)
    changes: list[Change] = []
    alike: list[tuple[str, str, str]] = []
    of_groups: set[tuple[str, str, str]] = set()
    for record, tokenizer, metric in keys:
        corpus, told = record.name, record.name
        rows = [_row(side.results, corpus, tokenizer, metric) for side in (first, second)]
        before, after = rows
        if before is None or after is None or (before.value is None and after.value is None):
            continue
        if left_out.is_other(corpus, tokenizer, metric):
            continue
        if record.parallel is not None and is_of_group(metric):
            # One figure, that each corpus of the group has; it counts once.
            told = record.parallel
            if (told, tokenizer, metric) in of_groups:
                continue
            of_groups.add((told, tokenizer, metric))
        if before.value is None or after.value is None:
            reason = before.undefined_reason or after.undefined_reason
            notes.append(f"{metric} of {tokenizer} on {told} is undefined on one side: {reason}.")
            continue
        if is_of_languages(metric):
            _test_languages(paired, one, record, tokenizer)
        compared = paired.of(corpus, tokenizer) if metric in PAIRED else None
        if metric == "normalized_length" and not paired.is_identical(corpus, one.suite.reference):
            compared = None
        if before.value == after.value and (compared is None or compared.identical):
            alike.append((told, tokenizer, metric))
            continue
        if compared is not None:
            change = of_tokens(before, after, compared)
        elif (own := paired.ratio(before, after)) is not None:
            change = of_ratios(before, after, own)
        else:
            change = unpaired(before, after)
        changes.append(replace(change, corpus=told, lossy=_lossy((first, second), record, tokenizer, metric)))
    notes += [*left_out.notes(), *paired.notes, *documents_unknown(first, second)]
    if not changes and not alike:
        why = "".join(f" {note}" for note in notes)
        raise UserError(f"nothing to compare: {first.where} and {second.where} have no figure in common.{why}")
    judged = corrected(changes, paired, one.suite.confidence)
    judged = with_own_tokens(judged, paired, one.suite.confidence)
    return Differences(
        first, second, judged, tuple(alike), tuple(notes), made_otherwise(one, two), pair_verdicts(one, two)
    )


def _names(records: Iterable[CorpusRecord | TokenizerRecord]) -> set[str]:
    return {record.name for record in records}


def _test_languages(paired: Paired, results: Results, corpus: CorpusRecord, tokenizer: str) -> None:
    """The tokens of its group, whether a figure of them was measured or not: they have a part in verdicts."""
    for member in results.corpora:
        if corpus.parallel is not None and member.parallel == corpus.parallel:
            paired.of(member.name, tokenizer)


def _lossy(sides: tuple[Side, Side], corpus: CorpusRecord, tokenizer: str, metric: str) -> tuple[str, ...]:
    """The sides on which text that a figure is of is lost. Of how much is lost, less is better all the same."""
    if metric in WITHOUT_LOSS:
        return ()
    named = zip("AB", (side.results for side in sides), strict=True)
    return tuple(side for side, found in named if not is_of_whole_text(found, corpus, tokenizer, metric))


def _row(results: Results, corpus: str, tokenizer: str, metric: str) -> Row | None:
    return results.row(corpus, tokenizer, metric) or results.row(corpus, tokenizer, metric, "sum")


def _metrics(one: Results, two: Results) -> list[str]:
    return [m.name for m in one.metrics if not m.timing and m.name in {other.name for other in two.metrics}]
