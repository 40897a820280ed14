"""What figures are against beside the text and their own tokenizer (``Metric.against``): figures that are against
different things aren't held against each other. Two segmenters, say, count other words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import get_args

from evalkit.metrics import METRICS
from evalkit.metrics.registry import Against
from evalkit.results import CorpusRecord, Results
from tokenizers_impl.deferred import dataclass

OWN: frozenset[Against] = frozenset(("segmenter", "reference"))
"""What a metric of the user's own may be against, for all that is known: cells hold words and the reference."""

LANGUAGE = "en"
"""The language that premiums are against where results don't say it."""

CALLED: dict[Against, str] = {
    "segmenter": "the segmenter",
    "reference": "the reference",
    "reference_language": "the language that premiums are against",
    "group": "the group of languages",
    "home": "the tokenizer trained there",
}


@dataclass(frozen=True)
class Basis:
    """One thing that figures are against. ``identity``: what tells it from another of its name; None where that isn't
    known."""

    name: str
    identity: str | None = None

    def is_other(self, than: Basis) -> bool:
        """Whether the two are surely not the same."""
        unknown = self.identity is None or than.identity is None
        return self.name != than.name or not (unknown or self.identity == than.identity)


Bases = Mapping[Against, Basis]


def against(metric: str) -> frozenset[Against]:
    """What the metric of that name is against."""
    return METRICS[metric].against if metric in METRICS else OWN


def is_of_group(metric: str) -> bool:
    """Whether it is one figure of a group of parallel corpora."""
    return "group" in against(metric)


def bases(results: Results) -> dict[str, dict[str, dict[Against, Basis]]]:
    """By tokenizer and corpus."""
    home = {
        (one.tokenizer, one.corpus): Basis(f"{one.ideal} at {one.size:,} entries", str(one.ideal_tokens))
        for one in results.matches
        if one.ideal != one.tokenizer  # its own: the figure is 0 by definition
    }
    reference = _reference(results)
    of_corpora = {one.name: _of_corpus(one, results) for one in results.corpora}
    found: dict[str, dict[str, dict[Against, Basis]]] = {}
    for tokenizer in results.tokenizers:
        there = found[tokenizer.name] = {}
        for corpus, some in of_corpora.items():
            there[corpus] = some | {"reference": reference}
            if (tokenizer.name, corpus) in home:
                there[corpus]["home"] = home[tokenizer.name, corpus]
    return found


def others(metric: str, before: Bases, after: Bases) -> Iterator[tuple[Against, Basis, Basis]]:
    """What the metric is against and isn't the same on both sides. What one side doesn't know, such as a file of an
    earlier version, is no difference."""
    for kind in get_args(Against):
        if kind in against(metric) and kind in before and kind in after and before[kind].is_other(after[kind]):
            yield kind, before[kind], after[kind]


def _reference(results: Results) -> Basis:
    name = results.suite.reference
    known = {alias: one.fingerprint for one in results.tokenizers for alias in (one.name, *one.aliases)}
    return Basis(str(name), known.get(name or ""))


def _of_corpus(corpus: CorpusRecord, results: Results) -> dict[Against, Basis]:
    found: dict[Against, Basis] = {"segmenter": Basis(corpus.segmenter)}
    if corpus.parallel is not None:
        members = [one for one in results.corpora if one.parallel == corpus.parallel]
        language = results.suite.reference_language or LANGUAGE
        texts = [one.sha256 for one in members if one.language.split("-")[0] == language.split("-")[0]]
        found["reference_language"] = Basis(language, " ".join(sorted(texts)))
        found["group"] = Basis(f"{len(members)} corpora", " ".join(sorted(one.sha256 for one in members)))
    return found
