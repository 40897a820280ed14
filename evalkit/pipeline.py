"""From a suite to its results: the only module that knows the order.

suite → corpora → tokenizers → counts → figures → results → report
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, replace
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path

from evalkit import cost, vocabularies
from evalkit import rows as tables
from evalkit.batches import Limits
from evalkit.build import BuiltTokenizer, build_tokenizers, by_name, forget_upstreams
from evalkit.cache import TokenizerCache, default_folder
from evalkit.cautions import cautions
from evalkit.comparisons import comparison_records, rank_records
from evalkit.corpus import Corpus, open_corpus
from evalkit.counters import specials_of
from evalkit.counts import CorpusCounts
from evalkit.environment import environment
from evalkit.errors import UserError
from evalkit.explained import explained
from evalkit.fair_records import SeenRecord
from evalkit.fronts import front_records
from evalkit.ladder import ladder_records
from evalkit.losses import loss_records
from evalkit.lossless import lossy
from evalkit.matched import MatchedSizes, matched_records, matched_sizes
from evalkit.measure import measure_corpus
from evalkit.metrics import Metric, chosen_metrics, chosen_pairs
from evalkit.metrics.registry import Need
from evalkit.mismatch import loss_pairs, trained, truncations
from evalkit.output import check_folder, write_folder
from evalkit.own_code import staying
from evalkit.pairs import pair_metric_records, pair_records, tokenizer_pair_records
from evalkit.parallel import check_lines
from evalkit.placing import EVERYTHING
from evalkit.ranked import set_aside
from evalkit.repeats import distinct_documents
from evalkit.results import CorpusRecord, Results, SuiteRecord, TokenizerRecord
from evalkit.seen_text import SeenText, seen_text
from evalkit.squares import Square, cut_records, find_squares, square_cuts
from evalkit.stability import Stability, retrain, stability_records
from evalkit.suite import Suite
from evalkit.training_usage import training_usage_records
from evalkit.trust import require
from evalkit.values import Undefined
from tokenizers_impl import BPETokenizer, engine
from tokenizers_impl.arguments import default_threads
from tokenizers_impl.deferred import dataclass
from tokenizers_impl.training import truncate

Progress = Callable[[str, int, int], None]

TIMING_SECONDS = 5.0  # of the whole run, shared by all its cells
CELL_SECONDS = 0.05  # some hundred kilobytes, five times: more made the speeds no steadier


@dataclass(frozen=True)
class Options:
    """How to run, as against what: nothing here changes a figure.

    ``out``: the report's folder, None for none. ``only``: a glob over the tokenizers' names, or over the
    corpora's where no tokenizer matches. ``threads``: None for all processors. ``cache``: whether trained
    tokenizers are kept and reused. ``formats``: None for those of the suite. ``progress`` gets (stage, done,
    total), total 0 where it isn't known, and may raise to stop. ``trust``: whether the suite's own Python may run.
    """

    out: Path | None = None
    only: str | None = None
    threads: int | None = None
    cache: bool = True
    formats: Sequence[str] | None = None
    progress: Progress | None = None
    trust: bool = False


def run_suite(suite: Suite, options: Options | None = None) -> Results:
    """Runs a suite and, where ``options.out`` says so, writes the report.

    Raises :class:`UserError` for whatever its author can mend; the old report is then as it was.
    """
    options = options or Options()
    if options.out is not None:
        check_folder(options.out)
    clock = _Clock()
    metrics = metrics_of(suite, options.trust)
    chosen, measured = select(suite, options.only)
    with clock("corpora"):
        corpora = open_corpora(suite)
    with clock("tokenizers"):
        tokenizers = build(chosen, corpora, options, usage=True)
        forget_upstreams(tokenizers)
        matched = matched_sizes(tokenizers)
        squares = find_squares(tuple(map(_tokenizer_record, tokenizers)), measured)
    with clock("vocabularies"):
        vocabularies.vocabulary_records(tokenizers, lint_folder(options))
        engine.active().release_memory()
    with clock("measuring"):
        where = [corpora[name] for name in measured]
        seconds = TIMING_SECONDS if any(metric.timing for metric in metrics) else 0.0
        counts = measure(
            where,
            tokenizers,
            options,
            timing_seconds=seconds,
            matched=matched,
            squares=squares,
            needs=needs_of(metrics, chosen_pairs(suite.measure.metrics)),
        )
    stability = Stability()
    if suite.measure.stability:
        with clock("training again"):
            stability = train_again(chosen, corpora, tokenizers, measured, options, matched)
    with clock("explaining"):
        counts = explained(counts, tokenizers)
    with clock("overlap"):
        seen = seen_text(corpora, tokenizers, counts, options.progress)
    with clock("figures"):
        results = assemble(suite, corpora, tokenizers, counts, metrics, options, seen, stability, matched)
    results = clock.stamp(results)
    if options.out is not None:
        formats = suite.report.formats if options.formats is None else options.formats
        saved = {t.name: t.tokenizer for t in tokenizers if t.trained_on}
        write_folder(options.out, results, saved, formats, plots=suite.report.plots)
    return results


# ── the stages ──────────────────────────────────────────────────────────────────────────────────────────────


def select(suite: Suite, only: str | None) -> tuple[Suite, tuple[str, ...]]:
    """The suite with the tokenizers that match the glob ``only``, and the corpora to measure.

    Where no tokenizer matches, the glob is one over corpora: all tokenizers are measured on those. What is
    held out stays what the whole suite holds out, so that figures don't depend on the selection.
    """
    every = tuple(suite.corpora)
    if only is None:
        return suite, every
    tokenizers = tuple(
        spec for spec in suite.tokenizers if any(fnmatchcase(name, only) for name in (spec.name, *spec.size_names()))
    )
    if tokenizers:
        return suite.model_copy(update={"tokenizers": tokenizers}), every
    if corpora := tuple(name for name in every if fnmatchcase(name, only)):
        return suite, corpora
    names = ", ".join([*(spec.name for spec in suite.tokenizers), *every])
    raise UserError(f"nothing in the suite matches --only {only!r}; its names are {names}")


@staying()
def metrics_of(suite: Suite, trust: bool) -> list[Metric]:
    """The suite's metrics. Its own Python is loaded only where the user trusts it."""
    require(suite.code(), suite.source, trust)
    return chosen_metrics(suite.measure.metrics, suite.base_dir)


def needs_of(metrics: Sequence[Metric], pairs: Sequence[str] = ()) -> frozenset[Need]:
    """What has to be measured for them, and for the figures of ``pairs``; for metrics of the user's own, which may look
    at all there is, everything."""
    if any(metric.source for metric in metrics):
        return EVERYTHING
    needs: set[Need] = {need for metric in metrics for need in metric.needs}
    return frozenset(needs | {"agreement"} if "agreement" in pairs else needs)


def open_corpora(suite: Suite) -> dict[str, Corpus]:
    """The corpora by name, each with its split."""
    held_out = suite.trained_on()
    corpora = {
        name: open_corpus(name, spec, base_dir=suite.base_dir, seed=suite.seed, trained_on=name in held_out)
        for name, spec in suite.corpora.items()
    }
    check_lines(corpora)
    return corpora


@staying()
def build(suite: Suite, corpora: Mapping[str, Corpus], options: Options, usage: bool = False) -> list[BuiltTokenizer]:
    """The tokenizers, trained or imported. ``usage``: whether the tokens of training texts are counted."""
    cache = TokenizerCache(default_folder() if options.cache else None)
    built = build_tokenizers(
        suite, corpora, threads=options.threads, cache=cache, progress=options.progress, usage=usage
    )
    engine.active().release_memory()
    return built


def train_again(
    suite: Suite,
    corpora: Mapping[str, Corpus],
    tokenizers: Sequence[BuiltTokenizer],
    measured: Sequence[str],
    options: Options,
    matched: MatchedSizes,
) -> Stability:
    """What ``measure: stability`` asks for, at the sizes ``matched`` and at those that regret is taken at too."""
    cache = TokenizerCache(default_folder() if options.cache else None)
    where = [corpora[name] for name in measured]
    of_regret = truncations(measured, trained(tokenizers)).values()
    cuts = list(dict.fromkeys([*matched.cuts(), *chain.from_iterable(of_regret)]))
    return retrain(
        suite, corpora, tokenizers, where, cuts, threads=options.threads, cache=cache, progress=options.progress
    )


def measure(
    corpora: Sequence[Corpus],
    tokenizers: Sequence[BuiltTokenizer],
    options: Options,
    *,
    timing_seconds: float = TIMING_SECONDS,
    matched: MatchedSizes | None = None,
    squares: Sequence[Square] = (),
    needs: frozenset[Need] = EVERYTHING,
) -> list[CorpusCounts]:
    """The counts of every corpus, with the truncated tokenizers that regret, the tables at one size and
    the 2 × 2s need.
    ``timing_seconds``: for all timings together; whoever needs no speeds asks for 0, which leaves three short runs
    each. ``needs``: of the metrics (:func:`needs_of`)."""
    built = by_name(tokenizers)
    at_home = trained(tokenizers)
    needed = truncations([corpus.name for corpus in corpora], at_home)
    cells = max(1, len(corpora) * len(tokenizers))
    limits = Limits(timing_seconds=min(CELL_SECONDS, timing_seconds / cells))
    cut: dict[tuple[str, int], BPETokenizer] = {}
    cuts = (matched or MatchedSizes()).cuts()
    for where, keys in needed.items():
        needed[where] = list(dict.fromkeys([*keys, *cuts, *square_cuts(squares, where)]))
    for name, size in dict.fromkeys(key for keys in needed.values() for key in keys):
        whole = built[name].tokenizer
        if isinstance(whole, BPETokenizer):
            cut[name, size] = truncate(whole, size)
    counts = [
        measure_corpus(
            corpus,
            tokenizers,
            threads=options.threads,
            progress=options.progress,
            truncated={key: cut[key] for key in needed[corpus.name] if key in cut},
            losses=loss_pairs(corpus.name, at_home),
            limits=limits,
            needs=needs,
        )
        for corpus in corpora
    ]
    lint = vocabularies.vocabulary_records(tokenizers, lint_folder(options))
    return vocabularies.with_never_emitted(counts, lint)


def lint_folder(options: Options) -> Path | None:
    """Where the lint of vocabularies is kept."""
    return vocabularies.default_folder() if options.cache else None


def assemble(
    suite: Suite,
    corpora: Mapping[str, Corpus],
    tokenizers: Sequence[BuiltTokenizer],
    counts: Sequence[CorpusCounts],
    metrics: Sequence[Metric],
    options: Options,
    seen: Sequence[SeenText] = (),
    stability: Stability | None = None,
    matched: MatchedSizes | None = None,
) -> Results:
    """The figures, and the records of what they are about. ``seen``: what was measured and trained on;
    ``stability``: what training again gave; ``matched``: the sizes that tokenizers are compared at."""
    aside = ThreadPoolExecutor(1)  # the core and git do it, while the interpreter computes the figures
    every = {built.name: built.tokenizer for built in tokenizers}
    overlaps = aside.submit(lambda: tuple(tables.overlap_records(every)))
    machine = aside.submit(environment, options.threads or default_threads())
    aside.shutdown(wait=False)
    stability, matched = stability or Stability(), matched or MatchedSizes()
    at_home = trained(tokenizers)
    unreached = {name: reason for built in tokenizers for name, reason in built.undefined.items()}
    reference = suite.measure.reference
    known = by_name(tokenizers)
    if reference in known:
        reference = known[reference].name
    confidence = suite.measure.confidence
    language = suite.measure.reference_language
    rows = tuple(tables.rows(counts, metrics, at_home, reference, unreached, confidence, language))
    pairs = chosen_pairs(suite.measure.metrics)
    compared = [built.name for built in tokenizers if built.kind != "baseline"]
    ranked = [name for name in compared if name not in set_aside(tokenizers)]
    checks = tuple(tables.check_records(counts))
    about_tokenizers = tuple(map(_tokenizer_record, tokenizers))
    ladders = tuple(ladder_records(counts, tokenizers))
    about_corpora = tuple(_corpus_record(corpora[c.name], c) for c in counts)
    again = tuple(stability_records(stability, [(c.name, c.bytes) for c in about_corpora], compared, confidence))
    lint = vocabularies.vocabulary_records(tokenizers, lint_folder(options))
    wrong = vocabularies.contradicted(counts, lint)
    linted = vocabularies.corrected(lint, tokenizers, wrong)
    return Results(
        suite=SuiteRecord(
            suite.name,
            suite.sha256,
            suite.seed,
            reference,
            confidence,
            suite.source,
            suite.text,
            options.only,
            suite.corpus_files,
            suite.measure.reference_language,
            tuple(name for name in suite.measure.metrics or () if name != "all"),
        ),
        environment=machine.result(),
        tokenizers=about_tokenizers,
        corpora=about_corpora,
        rows=rows,
        metrics=tables.metric_records(metrics) + pair_metric_records(pairs),
        checks=checks,
        overlaps=overlaps.result(),
        corpus_pairs=tuple(pair_records(counts, compared)) if "domain_divergence" in pairs else (),
        pairs=tuple(tokenizer_pair_records(counts, confidence)),
        losses=tuple(loss_records(counts, at_home, every)),
        matched=tuple(matched_records(counts, matched, confidence, stability)),
        cuts=tuple(cut_records(counts, find_squares(about_tokenizers, [c.name for c in about_corpora]))),
        matches=tuple(tables.match_records(counts, at_home, stability, confidence)),
        differences=tuple(tables.difference_records(counts)),
        comparisons=tuple(comparison_records(counts, compared, confidence, stability)),
        ranks=tuple(rank_records(counts, ranked, suite.seed)),
        ladders=ladders,
        model=cost.model_of(suite.select) if suite.select else None,
        costs=tuple(cost.cost_records(suite.select, about_tokenizers, rows)) if suite.select else (),
        optima=tuple(cost.optimum_records(suite.select)) if suite.select else (),
        fronts=tuple(front_records(ladders, rows, about_tokenizers, lossy(rows, checks), suite.select)),
        stability=again,
        seen=tuple(SeenRecord(**asdict(one)) for one in seen),
        vocabularies=linted,
        usage=tuple(vocabularies.usage_records(counts)),
        training_usage=tuple(training_usage_records(tokenizers, linted)),
        warnings=cautions(
            about_corpora, about_tokenizers, rows, checks, seen, again, wrong, linted, distinct_documents(counts)
        ),
        counts=tuple(counts),
    )


# ── their parts ─────────────────────────────────────────────────────────────────────────────────────────────


def _tokenizer_record(built: BuiltTokenizer) -> TokenizerRecord:
    tokenizer, training = built.tokenizer, built.training
    trained_here = bool(built.trained_on)
    return TokenizerRecord(
        name=built.name,
        kind=built.kind,
        variant=built.variant,
        vocab_size=tokenizer.vocab_size,
        max_id=getattr(tokenizer, "max_id", None),
        asked_vocab_size=built.asked_vocab_size,
        fingerprint=tokenizer.fingerprint,
        trained_on=tuple(built.trained_on),
        stopped=training.stopped if training is not None and trained_here else None,
        splitter=getattr(tokenizer, "splitter_key", None),
        special_tokens=tuple(specials_of(tokenizer)),
        aliases=tuple(built.aliases),
        notes=tuple(built.notes),
        train_seconds=sum(training.seconds.values()) if training is not None and trained_here else None,
    )


def _corpus_record(corpus: Corpus, counts: CorpusCounts) -> CorpusRecord:
    words = counts.words
    return CorpusRecord(
        name=counts.name,
        split=counts.split,
        domain=counts.domain,
        language=counts.language,
        documents=counts.documents,
        bytes=int(counts.bytes.sum()),
        chars=int(counts.chars.sum()),
        words=None if isinstance(words, Undefined) else int(words.sum()),
        words_undefined=words.reason if isinstance(words, Undefined) else None,
        segmenter=counts.segmenter,
        sha256=counts.sha256,
        special_text_documents=counts.special_text_documents,
        notes=tuple(corpus.notes),
        parallel=counts.parallel,
        documents_sha256=counts.documents_sha256,
    )


class _Clock:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        start = time.perf_counter()
        with staying():
            yield
        self.seconds[stage] = round(time.perf_counter() - start, 3)

    def stamp(self, results: Results) -> Results:
        return replace(results, timings=self.seconds)
