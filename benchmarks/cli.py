"""The command line of a benchmark: options, the folder for what is generated, and the run."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import report, texts
from benchmarks.engines import ENGINES, OURS
from benchmarks.harness import Case, Job, JobFailed, Result, Row, RunJob, in_own_process, processors, run_case
from benchmarks.texts import TextFile
from tokenizers_impl import engine

Files = dict[str, str | None]


@dataclass
class Options:
    folder: Path
    """For what is made during the run."""
    texts: list[TextFile]
    vocab: int = report.DEFAULT_VOCAB
    rounds: int = 3
    passes: int = 4
    limit: int | None = None
    """How much of each text is encoded, in bytes."""
    threads: int = 1
    engines: Sequence[str] | None = None
    vocabularies: Sequence[str] = ("cl100k", "own")
    quick: bool = False
    run: RunJob = in_own_process
    _prepared: set[Path] = field(default_factory=set)

    def own(self, text: TextFile) -> str:
        """A vocabulary trained on the text, as a file of our format."""
        return str(self._prepare(text) / "own")

    def _prepare(self, text: TextFile) -> Path:
        folder = self.folder / f"{text.sha256[:12]}-{self.vocab}"
        if folder not in self._prepared:
            folder.mkdir()
            arguments = {
                "path": str(text.path),
                "folder": str(folder),
                "vocab": self.vocab,
                "ranks": "cl100k" in self.vocabularies,
            }
            self.run(Job(OURS, "benchmarks.work:prepare", arguments))
            self._prepared.add(folder)
        return folder

    def files(self, text: TextFile) -> dict[str, Files]:
        """The vocabularies that are asked for, cl100k_base and one of our own trained on the text, as files that every
        engine can read."""
        folder = self._prepare(text)
        own, own_json = str(folder / "own"), str(folder / "own.json")
        ranks = str(folder / "cl100k_base.tiktoken")
        both: dict[str, Files] = {
            "cl100k": {"published": "cl100k_base", "ranks": ranks, "evalkit": None, "huggingface": None},
            "own": {"published": None, "ranks": None, "evalkit": own, "huggingface": own_json},
        }
        return {name: both[name] for name in self.vocabularies}


@dataclass
class Benchmark:
    """A module's ``BENCHMARK``: its name, what it makes of the options, and how its table is to be read."""

    name: str
    about: str
    cases: Callable[[Options], list[Case]]
    engines: Sequence[str]
    speed: bool = True
    """Whether MB/s means something, or the time alone."""
    measures: bool = True
    """Whether the times are shown, or only the ratios within a job."""


def run(benchmark: Benchmark, options: Options, say: Callable[[str], None] = lambda _: None) -> list[Result]:
    results = []
    for case in benchmark.cases(options):
        result = run_case(case, options.rounds, options.run, say)
        result.rows += not_installed(benchmark.engines, options.engines)
        results.append(result)
    return results


def installed(names: Sequence[str], wanted: Sequence[str] | None) -> list[str]:
    """Those of the engines that are asked for and can be measured."""
    return [name for name in names if (wanted is None or name in wanted) and ENGINES[name].installed]


def not_installed(names: Sequence[str], wanted: Sequence[str] | None) -> list[Row]:
    asked = [name for name in names if wanted is None or name in wanted]
    return [Row(name, name, "not installed") for name in asked if not ENGINES[name].installed]


def parser(about: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--text", nargs="+", type=Path, default=[], metavar="FILE", help="UTF-8 files; by default text is generated")
    add("--megabytes", type=float, default=32.0, help="size of each generated text (default 32)")
    add("--kinds", nargs="+", choices=list(texts.KINDS), default=list(texts.KINDS), help="which texts to generate")
    add("--limit-mb", type=float, default=50.0, help="encode at most this much of each text (default 50)")
    add("--vocab", type=int, default=report.DEFAULT_VOCAB, help="entries of our own vocabulary (default 32000)")
    add("--vocabularies", nargs="+", choices=["cl100k", "own"], default=["cl100k", "own"], help="what to encode by")
    add("--engines", nargs="+", choices=list(ENGINES), help="measure these only (evalkit is always measured)")
    add("--rounds", type=int, default=3, help="how often each engine's process is run, in turn (default 3)")
    add("--passes", type=int, default=4, help="how often the work is done within a process (default 4)")
    add("--threads", type=int, default=processors(), help="default: all processors")
    add("--quick", action="store_true", help="little text and few repetitions: to see that everything runs")
    add("--json", type=Path, metavar="FILE", help="write the results there as well")
    add("--markdown", action="store_true", help=f"write the results into docs/{report.PAGE.name}")
    return parser


def options_of(arguments: argparse.Namespace, folder: Path) -> Options:
    quick = arguments.quick
    size = int(1e6 * (1 if quick and arguments.megabytes == 32.0 else arguments.megabytes))
    files = [TextFile.of(path) for path in arguments.text]
    files = files or [texts.generated_file(folder, kind, size) for kind in arguments.kinds]
    engines = None if arguments.engines is None else [OURS, *arguments.engines]
    return Options(
        folder,
        files,
        vocab=2_000 if quick and arguments.vocab == report.DEFAULT_VOCAB else arguments.vocab,
        rounds=1 if quick else arguments.rounds,
        passes=2 if quick else arguments.passes,
        limit=int(1e6 * arguments.limit_mb),
        threads=arguments.threads,
        engines=engines,
        vocabularies=arguments.vocabularies,
        quick=quick,
    )


def main(benchmarks: Sequence[Benchmark], argv: Sequence[str] | None = None) -> int:
    """Runs benchmarks, prints their tables; the exit status is 1 where an answer of ours was wrong."""
    arguments = parser("\n".join(f"{one.name}: {one.about}" for one in benchmarks)).parse_args(argv)
    missing = [str(path) for path in arguments.text if not path.is_file()]
    if missing:
        print(f"no such file: {', '.join(missing)}", file=sys.stderr)
        return 2
    if engine.name() != "native":
        print(f"the compiled core is what is measured, and it isn't there: {engine.reason()}", file=sys.stderr)
        return 2
    everything: dict[str, list[Result]] = {}
    with tempfile.TemporaryDirectory(prefix="evalkit-benchmarks-") as folder:
        options = options_of(arguments, Path(folder))
        for benchmark in benchmarks:
            print(f"== {benchmark.name}: {benchmark.about}", flush=True)
            try:
                everything[benchmark.name] = run(benchmark, options, _say)
            except JobFailed as error:
                print(f"{benchmark.name} could not be prepared: {error}", file=sys.stderr)
                return 1
            print(report.table(everything[benchmark.name], benchmark), "\n", flush=True)
        document = report.document(everything, options.texts, command_of(benchmarks, argv), options.vocab)
    if arguments.json:
        report.write_json(document, arguments.json)
    if arguments.markdown:
        report.write_markdown(document, everything, benchmarks)
    return int(any(row.engine == OURS and row.status != "measured" for row in _rows(everything)))


def command_of(benchmarks: Sequence[Benchmark], argv: Sequence[str] | None) -> str:
    """The command as it would be typed, with the names of files alone, and without where its results go."""
    module = "python -m benchmarks" + (f".{benchmarks[0].name}" if len(benchmarks) == 1 else "")
    words = list(sys.argv[1:] if argv is None else argv)
    if "--json" in words:
        place = words.index("--json")
        del words[place : place + 2]
    shown = [Path(word).name if "/" in word else word for word in words if word != "--markdown"]
    return " ".join([module, *shown])


def _rows(everything: dict[str, list[Result]]) -> list[Row]:
    return [row for results in everything.values() for result in results for row in result.rows]


def _say(what: str) -> None:
    print(f"   {what}", file=sys.stderr, flush=True)
