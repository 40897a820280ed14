"""The order of a gate: corpora, tokenizers, every check on every pair, figures, baseline."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalkit import pipeline
from evalkit.build import BuiltTokenizer, by_name
from evalkit.corpus import Corpus, open_corpus
from evalkit.errors import UserError
from evalkit.gate import adversarial, caches, peers, saved
from evalkit.gate.baseline import (
    Baseline,
    baseline_of,
    check_replaceable,
    compare,
    documents_unknown,
    read_baseline,
    write_baseline,
)
from evalkit.gate.cases import Case, write_case
from evalkit.gate.consistency import Cell
from evalkit.gate.copies import Copy
from evalkit.gate.documents import Document, Plan, Texts
from evalkit.gate.frozen import check_frozen
from evalkit.gate.judging import Patience
from evalkit.gate.paths import Setting
from evalkit.gate.processes import Processes
from evalkit.gate.properties import Tokens
from evalkit.gate.thresholds import judge_thresholds, named
from evalkit.gate.training import TRAINED_BYTES, Room, check_training
from evalkit.gate.verdicts import FAILED, Coverage, GateReport, Verdict, chosen_checks
from evalkit.metrics import METRICS, chosen_metrics
from evalkit.own_code import staying
from evalkit.results import Results
from evalkit.suite import Suite
from evalkit.suite_schema import CorpusSpec
from evalkit.trust import require
from tokenizers_impl import BaselineTokenizer, engine
from tokenizers_impl.arguments import default_threads
from tokenizers_impl.deferred import dataclass

Progress = Callable[[str, int, int], None]

HOSTILE = "hostile"
HOSTILE_WEIGHT = 5
GENERATED_BYTES = 60_000
GENERATED_LEAST = 10_000
OVER_BUDGET, OVER_SECONDS = 1.2, 0.5  # beyond which it is said why
WHOLE_SHARES = 3
"""So many tokenizers get the slow comparisons' shares in full; more of them share what these would have had."""

Comparisons = Mapping[str, Sequence[peers.Found]]


@dataclass(frozen=True)
class GateOptions:
    """How to gate. ``baseline``: None for that of the suite, if it names one. ``seed``: None for that of the
    suite. ``budget``: seconds for the consistency checks; with one, a seeded share of every corpus is
    checked. ``failures``: the folder for the files that run a failure again; it is made for the first.
    ``trust``: whether the suite's own Python may run.
    """

    baseline: Path | None = None
    update_baseline: bool = False
    seed: int | None = None
    budget: float | None = None
    threads: int | None = None
    cache: bool = True
    failures: Path = Path("gate-failures")
    trust: bool = False


def run_gate(suite: Suite, options: GateOptions | None = None, progress: Progress | None = None) -> GateReport:
    """Runs every check of a suite. ``progress`` gets (stage, done, total), and may raise to stop.

    Raises :class:`evalkit.errors.UserError` for what the suite's author can mend, a baseline that isn't there among it.
    """
    options = options or GateOptions()
    require(suite.code(), suite.source, options.trust)
    started = time.perf_counter()
    place = baseline_path(suite, options)
    if place is not None and options.update_baseline:
        check_replaceable(place)
    old = read_baseline(place) if place is not None and not options.update_baseline else None
    checks = chosen_checks(suite.gate.consistency)
    seed = suite.seed if options.seed is None else options.seed
    running = pipeline.Options(threads=options.threads, cache=options.cache, progress=progress)
    corpora = pipeline.open_corpora(suite)
    tokenizers = pipeline.build(suite, corpora, running)
    gated = [built for built in tokenizers if not isinstance(built.tokenizer, BaselineTokenizer)]
    notes = [stale] if (stale := engine.stale()) is not None else []
    notes += [f"{b.name} is a baseline and has no paths to compare" for b in tokenizers if b not in gated]
    setting = Setting(seed, max(2, options.threads or default_threads()))
    plan = Plan(options.budget, max(1, len(gated)), seed)
    texts = _texts(corpora, gated, plan, suite)
    # The tokenizers share the reference's time already, so that its share must not be divided among them once more.
    for_reference = int(plan.reference_share(sum(one.weight for one in texts)) / _part(len(gated)))
    with staying(), tempfile.TemporaryDirectory(prefix="evalkit-gate-") as folder, Processes() as processes:
        found = {
            built.name: comparisons(
                built.tokenizer,
                setting,
                checks,
                Path(folder) / str(number),
                for_reference,
                processes,
                suite.gate.consistency is not None,
            )
            + _equivalents(suite, built, tokenizers)
            for number, built in enumerate(gated)
        }
        trained = []
        if "training" in checks:
            room = Room(plan.trained(TRAINED_BYTES[engine.name()]), plan.training_until())
            trained = list(check_training(suite, corpora, tokenizers, Path(folder), seed, room))
        once = plan.seconds
        coverage, pairs = check_all({b.name: b.tokenizer for b in gated}, texts, found, checks, plan, seed, progress)
    notes += _over_budget(plan, once, len(gated), len(coverage))
    verdicts = [*_filed(pairs, suite, gated, options.failures), *trained, *_not_compared(suite, tokenizers)]
    verdicts += check_frozen(suite, by_name(tokenizers))
    results = None
    try:
        results = _results(suite, corpora, tokenizers, running, old is not None or options.update_baseline)
    except UserError as error:  # what the checks found is not lost for it
        verdicts += _no_figures(suite, gated, old is not None or options.update_baseline, error)
    if results is not None:
        aliases = {alias: built.name for built in tokenizers for alias in built.aliases}
        verdicts += judge_thresholds(suite.gate.thresholds, results.rows, aliases)
    if old is not None and results is not None:
        verdicts += compare(old, baseline_of(results))
        notes += documents_unknown(old)
    report = GateReport(
        suite.name, seed, tuple(verdicts), tuple(coverage), tuple(notes), 0.0, tuple(b.name for b in tokenizers)
    )
    if options.update_baseline and place is not None:
        report = _update(report, None if results is None else baseline_of(results), place)
    return replace(report, seconds=time.perf_counter() - started)


def comparisons(
    tokenizer: Any,
    setting: Setting,
    checks: Sequence[str],
    folder: Path,
    reference_share: int,
    processes: Processes,
    every_format: bool = True,
) -> list[peers.Found]:
    """Everything that a tokenizer's ids are compared with, for the checks that are asked for."""
    found = [one for one in peers.of_ways(tokenizer, setting) if one.check in checks]
    if "reference" in checks:
        found += peers.of_reference(tokenizer, reference_share)
    if "upstream" in checks:
        found += peers.of_upstream(tokenizer)
    if "save_load" in checks:
        found += saved.of_saved(tokenizer, folder, every_format)
    if "cache" in checks or "processes" in checks:
        copy = Copy(tokenizer)
        found += (
            caches.of_caches(tokenizer, setting, copy) if "cache" in checks else []
        )  # first: its copy is a cold one
        found += processes.of(tokenizer, copy) if "processes" in checks else []
    return found


def check_all(
    tokenizers: Mapping[str, Any],
    texts: Sequence[Texts],
    found: Comparisons,
    checks: Sequence[str],
    plan: Plan,
    seed: int,
    progress: Progress | None = None,
) -> tuple[list[Coverage], list[tuple[Verdict, Case | None]]]:
    """Every tokenizer on every corpus, which is read once; under a budget, its beginning once before that."""
    plan.share_out(texts)
    part = _part(len(tokenizers))
    tokens = {name: Tokens(tokenizer) for name, tokenizer in tokenizers.items()}
    patience = Patience.of_budget(plan.budget)
    begun = []
    for one in texts:
        size = plan.bytes_of(one)
        cells = [
            Cell(
                name,
                tokenizer,
                one.name,
                found[name],
                checks,
                of_bytes=size,
                seed=seed,
                weight=one.weight * part,
                tokens=tokens[name],
                patience=patience,
            )
            for name, tokenizer in tokenizers.items()
        ]
        least = plan.least(one)
        for cell in cells:
            cell.add(least)
        begun.append((one, cells, least))
        if progress is not None and plan.budget is not None:
            progress("gate, a little of each corpus", len(begun), len(texts))
    # What is made to break encoders comes first, lest the time be over when its turn comes, and what is largest last,
    # where the end of a share is missed the least.
    ordered = sorted(begun, key=lambda some: (-some[0].weight, plan.bytes_of(some[0])))
    plan.start_clock([one for one, _, _ in ordered])
    found_of: dict[str, tuple[Coverage, list[tuple[Verdict, Case | None]]]] = {}
    for one, cells, least in ordered:
        covered = _check_share(one, cells, least, plan, progress)
        found_of[one.name] = covered, [pair for cell in cells for pair in cell.finish()]
    every = [found_of[one.name] for one in texts]
    return [covered for covered, _ in every], [pair for _, some in every for pair in some]


def _part(tokenizers: int) -> float:
    """Of the slow comparisons' shares, what one of so many tokenizers gets."""
    return min(1.0, WHOLE_SHARES / max(1, tokenizers))


def _check_share(
    texts: Texts, cells: Sequence[Cell], least: Sequence[Document], plan: Plan, progress: Progress | None
) -> Coverage:
    """Checks what the plan gives a corpus. ``least``: what was checked of it already."""
    size = plan.bytes_of(texts)
    documents = cut = done = 0
    first = {document.number: document for document in least}
    for batch in plan.batches(texts, {number for number, document in first.items() if not document.cut}):
        for cell in cells:
            cell.add(batch)
        documents += len(batch)
        cut += sum(document.cut for document in batch)
        done += sum(document.bytes for document in batch)
        for document in batch:
            first.pop(document.number, None)  # its beginning is in this
        if progress is not None:
            progress(f"gate {texts.name}", done, size)
    documents, cut = documents + len(first), cut + sum(one.cut for one in first.values())
    done += sum(one.bytes for one in first.values())
    return Coverage(texts.name, documents, texts.count, done, texts.bytes, texts.name in plan.stopped, cut)


# ── parts ───────────────────────────────────────────────────────────────────────────────────────────────────


def _texts(corpora: Mapping[str, Corpus], gated: Sequence[BuiltTokenizer], plan: Plan, suite: Suite) -> list[Texts]:
    """The suite's corpora whole (both sides of a split), the hostile one, and generated text."""
    every = dict(corpora)
    if not any(corpus.spec.builtin == HOSTILE for corpus in every.values()):
        spec = CorpusSpec(builtin=HOSTILE)
        name = HOSTILE if HOSTILE not in every else f"embedded {HOSTILE}"
        every[name] = open_corpus(name, spec, base_dir=suite.base_dir, seed=suite.seed, trained_on=False)
    specials = [special for built in gated for special in list(built.tokenizer.special_tokens)[:20]]
    made = adversarial.generate(plan.seed, plan.generated(GENERATED_BYTES, GENERATED_LEAST), specials)
    found = [_corpus_texts(name, corpus) for name, corpus in every.items()]
    return [*found, Texts.of(adversarial.CORPUS, made, HOSTILE_WEIGHT)]


def _corpus_texts(name: str, corpus: Corpus) -> Texts:
    stats = corpus.stats("all")
    weight = HOSTILE_WEIGHT if corpus.spec.builtin == HOSTILE else 1
    return Texts(name, stats.documents, stats.bytes, lambda: corpus.documents("all"), weight)


def _equivalents(suite: Suite, built: BuiltTokenizer, tokenizers: Sequence[BuiltTokenizer]) -> list[peers.Found]:
    """The others of the groups in which ``built`` is the first."""
    known = by_name(tokenizers)
    return [
        found
        for group in suite.gate.equivalent
        if group[0] in known and known[group[0]] is built
        for name in group[1:]
        if name in known
        for found in peers.of_equivalent(built.tokenizer, known[name].tokenizer, name)
    ]


def _not_compared(suite: Suite, tokenizers: Sequence[BuiltTokenizer]) -> Iterator[Verdict]:
    """Groups that can't be compared: a rung that training didn't reach, or a first that is a baseline."""
    known = by_name(tokenizers)
    undefined = {name: reason for built in tokenizers for name, reason in built.undefined.items()}
    for group in suite.gate.equivalent:
        for name in group:
            if name not in known:
                reason = f"there is no {name}: {undefined.get(name, 'it was not built')}"
                yield Verdict("equivalent", group[0], None, "missing", reason)
        if group[0] in known and isinstance(known[group[0]].tokenizer, BaselineTokenizer):
            reason = f"{group[0]} is a baseline; put a tokenizer that is none first"
            yield Verdict("equivalent", group[0], None, "missing", reason)


def _filed(
    pairs: Sequence[tuple[Verdict, Case | None]], suite: Suite, gated: Sequence[BuiltTokenizer], folder: Path
) -> Iterator[Verdict]:
    """The verdicts; a failure's file is written."""
    prints = {built.name: built.tokenizer.fingerprint for built in gated}
    number = 0
    for verdict, case in pairs:
        if case is None:
            yield verdict
            continue
        number += 1
        whole = replace(case, suite=_source(suite), fingerprint=prints.get(case.tokenizer))
        try:
            yield replace(verdict, case=str(write_case(whole, folder / f"{number}.json")))
        except OSError as error:  # the verdict is what matters
            reason = f"{verdict.detail}; what runs it again could not be written to {folder}: {error.strerror or error}"
            yield replace(verdict, detail=reason)


def _source(suite: Suite) -> str | None:
    return str(suite.path.absolute()) if suite.path is not None else None


@staying()
def _results(
    suite: Suite,
    corpora: Mapping[str, Corpus],
    tokenizers: Sequence[BuiltTokenizer],
    running: pipeline.Options,
    baseline: bool,
) -> Results | None:
    """The figures that thresholds and baseline are about, as ``evalkit run`` computes them; None where there
    are neither."""
    if not suite.gate.thresholds and not baseline:
        return None
    known = {metric.name: metric for metric in chosen_metrics([*METRICS, *_others(suite)], suite.base_dir)}
    asked = [known[threshold.metric] for threshold in suite.gate.thresholds]
    names = list(corpora) if baseline else list(dict.fromkeys(t.corpus for t in suite.gate.thresholds))
    seconds = pipeline.TIMING_SECONDS if any(metric.timing for metric in asked) else 0.0
    chosen = list(known.values()) if baseline else list(dict.fromkeys(asked))
    counts = pipeline.measure(
        [corpora[name] for name in names],
        tokenizers,
        running,
        timing_seconds=seconds,
        needs=pipeline.needs_of(chosen),
    )
    return pipeline.assemble(suite, corpora, tokenizers, counts, chosen, running)


def _others(suite: Suite) -> list[str]:
    """The metrics that are not evalkit's own: those that the suite measures, and those that thresholds name."""
    own = [name for name in suite.measure.metrics or () if name not in METRICS and name != "all"]
    names = {name.rpartition(":")[2].rpartition(".")[2] for name in own}
    return [*own, *(t.metric for t in suite.gate.thresholds if t.metric not in METRICS and t.metric not in names)]


def baseline_path(suite: Suite, options: GateOptions) -> Path | None:
    """The baseline that is compared with, or written: the options', else the suite's."""
    if options.baseline is not None:
        return options.baseline
    if suite.gate.baseline is not None:
        return suite.resolve(suite.gate.baseline)
    return Path(f"{suite.name}-baseline.json") if options.update_baseline else None


def _no_figures(suite: Suite, gated: Sequence[BuiltTokenizer], baseline: bool, error: UserError) -> Iterator[Verdict]:
    """What needs figures, where these can't be had."""
    for one in suite.gate.thresholds:
        reason = f"{one.metric} is not there: {error}"
        yield Verdict("threshold", one.tokenizer, one.corpus, "missing", reason, what=named(one))
    if baseline:
        for built in gated:
            yield Verdict("baseline", built.name, None, "missing", f"there are no figures: {error}")


def _over_budget(plan: Plan, once: float, tokenizers: int, corpora: int) -> Iterator[str]:
    """Why the checks took longer than they were given, where they did."""
    if plan.budget is not None and (seconds := plan.seconds) > plan.budget * OVER_BUDGET + OVER_SECONDS:
        yield (
            f"the checks took {seconds:.1f} s, more than the budget of {plan.budget:g} s: {once:.1f} s are for what "
            "every tokenizer needs once (saved and loaded, copied, started in other processes, trained again), and "
            f"{plan.until_shares - once:.1f} s for the beginning of every corpus ({corpora}) with every tokenizer "
            f"({tokenizers}); both are checked whatever the time"
        )


def _update(report: GateReport, new: Baseline | None, place: Path) -> GateReport:
    if report.exit_code == FAILED:
        note = f"the baseline {place} was not written, since the gate failed"
    elif new is None:
        note = f"the baseline {place} was not written, since there are no figures"
    else:
        try:
            note = f"the baseline was written to {write_baseline(new, place)}"
        except UserError as error:  # what the checks found is not lost for it
            failed = Verdict("gate", report.suite, None, "missing", str(error))
            return replace(report, verdicts=(*report.verdicts, failed))
    return replace(report, notes=(*report.notes, note))
