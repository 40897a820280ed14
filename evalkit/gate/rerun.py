"""Runs a failure again from its file: ``python -m evalkit.gate.rerun gate-failures/1.json``."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evalkit import pipeline
from evalkit.build import by_name
from evalkit.errors import UserError
from evalkit.gate import peers
from evalkit.gate.cases import Case, read_case
from evalkit.gate.divergence import Divergence
from evalkit.gate.judging import judge_of, raises
from evalkit.gate.paths import Setting
from evalkit.gate.processes import Processes
from evalkit.gate.properties import Property, properties_of
from evalkit.gate.run import comparisons
from evalkit.gate.verdicts import FAILED, NOT_JUDGED, PASSED, Outcome, Verdict
from evalkit.suite import load_suite
from evalkit.trust import require
from tokenizers_impl.arguments import default_threads

TRUST = "--trust"


def rerun(case: Case, tokenizer: Any, others: dict[str, Any] | None = None) -> Verdict:
    """The verdict of one failure's check on its texts alone. ``others``: the suite's tokenizers by name, for
    those that have to be equivalent. Raises ``UserError`` where there is no such way any more."""
    texts = list(case.texts)
    with tempfile.TemporaryDirectory(prefix="evalkit-gate-") as folder, Processes() as processes:
        size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
        setting = Setting(case.seed, max(2, default_threads()))
        found = comparisons(tokenizer, setting, [case.check], Path(folder), max(1, size), processes)
        for name, other in (others or {}).items():
            found += peers.of_equivalent(tokenizer, other, name)
        compared = [one for one in found if isinstance(one, peers.Comparison)]
        every: list[peers.Comparison | Property] = [*compared, *properties_of(tokenizer)]
        known = {(one.check, one.name): one for one in every}
        problem = raises(tokenizer)(texts)
        if problem is None:
            what = known.get((case.check, case.way))
            if what is None:
                raise UserError(f"{case.tokenizer} has no way {case.way!r} for the check {case.check} any more")
            problem = judge_of(tokenizer, what)(texts)
    divergence = problem if isinstance(problem, Divergence) else None
    phrase = divergence.phrase if divergence is not None else problem
    detail = f"{case.way}: {phrase}" if phrase else f"{case.way}: nothing is wrong with this text"
    outcome: Outcome = "fail" if problem is not None else "pass"
    return Verdict(case.check, case.tokenizer, case.corpus, outcome, detail, divergence, len(texts), size, size)


def rerun_file(path: Path, trust: bool = False) -> tuple[Verdict, str | None]:
    """The same from a file, with the tokenizer of its suite; and what has changed since, if anything. ``trust``:
    whether the suite's own Python may run."""
    case = read_case(path)
    if case.suite is None:
        raise UserError(f"{path} doesn't say which suite it came from (it was read from standard input)")
    suite = load_suite(Path(case.suite))
    require(suite.code(), suite.source, trust)
    built = by_name(pipeline.build(suite, pipeline.open_corpora(suite), pipeline.Options()))
    if case.tokenizer not in built:
        raise UserError(f"{path}: the suite {case.suite} has no tokenizer {case.tokenizer!r} any more")
    tokenizer = built[case.tokenizer].tokenizer
    changed = None
    if tokenizer.fingerprint != case.fingerprint:
        changed = f"{case.tokenizer} is not the tokenizer that failed: its fingerprint is another"
    return rerun(case, tokenizer, {name: one.tokenizer for name, one in built.items()}), changed


def main(arguments: Sequence[str]) -> int:
    from evalkit.gate import render

    files = [one for one in arguments if one != TRUST]
    if len(files) != 1 or files[0].startswith("--"):
        print(f"usage: python -m evalkit.gate.rerun [{TRUST}] FILE", file=sys.stderr)
        return NOT_JUDGED
    try:
        verdict, changed = rerun_file(Path(files[0]), TRUST in arguments)
    except UserError as error:
        print(error, file=sys.stderr)
        return NOT_JUDGED
    if changed is not None:
        print(changed, file=sys.stderr)
    print(render.verdict_text(verdict))
    return FAILED if verdict.outcome == "fail" else PASSED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
