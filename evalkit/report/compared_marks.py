"""The marks of reports in a comparison: intervals over few documents, and figures on text that was trained on."""

from __future__ import annotations

from evalkit.bases import LANGUAGE, is_of_group
from evalkit.changes import Change
from evalkit.compare import Differences
from evalkit.own_tokens import is_of_languages
from evalkit.pair_verdicts import VerdictChange
from evalkit.report import few, seen
from evalkit.results import CorpusRecord


class Marks:
    """Those of one comparison. What is marked on either side is of that side alone; the documents are the same."""

    def __init__(self, found: Differences) -> None:
        self._sides = found.first.results, found.second.results
        self._corpora = found.first.results.corpora

    def few(self, change: Change) -> str:
        """Behind the corpus of a change that has an interval."""
        about = self._about(change)
        return few.mark(about[0].documents) if about and change.low is not None else ""

    def seen(self, change: Change) -> tuple[str, str]:
        """Behind the figures of A and of B."""
        names = [one.name for one in self._about(change)]
        first, second = (seen.mark(results, change.tokenizer, *names) for results in self._sides)
        return first, second

    def few_of_pair(self, change: VerdictChange) -> str:
        """Behind the corpus of a verdict between two tokenizers."""
        judged = any(one.low is not None for one in (change.before, change.after))
        return few.mark(change.before.documents) if judged else ""

    def seen_of_pair(self, change: VerdictChange) -> tuple[str, str]:
        """Behind the difference in A and in B, where either of the two saw the text."""
        one = change.before
        first, second = (
            seen.mark(results, one.first, one.corpus) or seen.mark(results, one.second, one.corpus)
            for results in self._sides
        )
        return first, second

    def notes(self, text: str) -> list[str]:
        """What the marks in a text mean, as paragraphs."""
        found = few.note(one.documents for one in self._corpora) if few.FEW in text else []
        return [*found, f"{seen.FLATTERS}: see Beware in that side's report."] if seen.MARK in text else found

    def _about(self, change: Change) -> list[CorpusRecord]:
        """The corpora that a figure is of, the one of the change first: all of the group, or the one that a premium is
        against, too."""
        if is_of_group(change.metric):
            return [one for one in self._corpora if one.parallel == change.corpus]
        own = [one for one in self._corpora if one.name == change.corpus]
        if not own or not is_of_languages(change.metric):
            return own
        language = self._sides[0].suite.reference_language or LANGUAGE
        group = [one for one in self._corpora if one.parallel == own[0].parallel]
        return [*own, *(one for one in group if one.language.split("-")[0] == language.split("-")[0])]
