"""The verdicts of a gate, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Literal

from evalkit.errors import UserError
from evalkit.gate.divergence import Divergence
from tokenizers_impl.deferred import dataclass

Outcome = Literal["pass", "fail", "missing", "incomparable", "not_measured"]

PASSED, FAILED, NOT_JUDGED = 0, 1, 2
"""Exit codes."""

CONSISTENCY = {
    "batch": "encode_batch, in several shapes, gives the ids of document by document",
    "threads": "any number of threads gives the same ids",
    "chunked": "one long text, cut for the threads, gives the ids of the text as a whole",
    "streamed": "a text that arrives in pieces gives the ids of the joined text",
    "processes": "a pickled tokenizer, and one in another process, however started, gives the same ids",
    "cache": "what was encoded before changes no id, be the cache cold, warm or overflowing",
    "count": "count and the measuring pass give the number of ids",
    "reference": "the pure-Python reference gives the same ids",
    "upstream": "the library that the tokenizer comes from gives the same ids",
    "specials": "special tokens are found leftmost and longest, the same on every path, and only when allowed",
    "plain_text": "plain text never yields the id of a special token",
    "round_trip": "the ids decode to the text",
    "byte_audit": "the bytes of the tokens join to the text, and nothing is left over",
    "save_load": "a tokenizer saved in any format that can hold it loads to an equal one and gives equal ids",
    "training": "training again, on other threads, in another order and from other files, gives an identical file",
}
"""What ``gate: consistency`` of a suite selects from. Checks with a key of their own in the suite
(``equivalent``, ``threshold``) and those of a baseline always run."""

NO_FINGERPRINT = "it has no fingerprint; a plug-in has one if its object has a text `fingerprint`"

OTHERS = {
    "equivalent": "two tokenizers of the suite give the same ids",
    "frozen": "a tokenizer is still the one that the suite says it must be",
    "threshold": "a figure keeps its bounds",
    "fingerprint": "the tokenizer is the one of the baseline",
    "baseline": "a figure is not worse than in the baseline",
    "gate": "the gate can be run as the suite asks",
}

CHECKS = CONSISTENCY | OTHERS


@dataclass(frozen=True)
class Verdict:
    """What one check says of one tokenizer on one corpus (None: of the tokenizer as such).

    ``detail`` is a phrase: how it failed, why it wasn't judged, or what a pass covered. ``documents`` and
    ``bytes`` are what was checked, of ``of_bytes``; both 0 where a check isn't about text. ``case`` is the
    file that runs a failure again.
    """

    check: str
    tokenizer: str
    corpus: str | None
    outcome: Outcome
    detail: str = ""
    divergence: Divergence | None = None
    documents: int = 0
    bytes: int = 0
    of_bytes: int = 0
    case: str | None = None
    what: str = ""
    """What tells it from others of the same check, tokenizer and corpus, whatever its outcome: a threshold's bound."""

    def __post_init__(self) -> None:
        if self.check not in CHECKS:
            raise ValueError(f"there is no check {self.check!r}; there are {', '.join(CHECKS)}")
        if self.outcome != "pass" and not self.detail:
            raise ValueError(f"{self.check} of {self.tokenizer}: the outcome {self.outcome} needs its reason")


@dataclass(frozen=True)
class Coverage:
    """How much of a corpus went through the gate. ``stopped``: the time ran out before the share was done. ``cut``: of
    so many of the documents only the beginning."""

    corpus: str
    documents: int
    of_documents: int
    bytes: int
    of_bytes: int
    stopped: bool = False
    cut: int = 0

    @property
    def share(self) -> float:
        return self.bytes / self.of_bytes if self.of_bytes else 1.0


@dataclass(frozen=True)
class GateReport:
    """Everything a gate found, in the order of the suite."""

    suite: str
    seed: int
    verdicts: tuple[Verdict, ...]
    coverage: tuple[Coverage, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    tokenizers: tuple[str, ...] = field(default=())

    def of(self, outcome: Outcome) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.outcome == outcome]

    @property
    def exit_code(self) -> int:
        return exit_code(self.verdicts)

    @property
    def passed(self) -> bool:
        return self.exit_code == PASSED


def exit_code(verdicts: Iterable[Verdict]) -> int:
    """1 with any failure; else 2 where something could not be judged or nothing was; else 0.

    >>> exit_code([])
    2
    """
    outcomes = {verdict.outcome for verdict in verdicts}
    if "fail" in outcomes:
        return FAILED
    if outcomes & {"missing", "incomparable"} or "pass" not in outcomes:
        return NOT_JUDGED
    return PASSED


def not_run(suite: str, problem: str, seed: int = 0) -> GateReport:
    """What there is to say of a gate that could not be run: that, and why."""
    return GateReport(suite, seed, (Verdict("gate", suite, None, "missing", problem),), tokenizers=(suite,))


def chosen_checks(consistency: Iterable[str] | None) -> tuple[str, ...]:
    """The consistency checks of a suite's list, in our order; all of them for None."""
    if consistency is None:
        return tuple(CONSISTENCY)
    wanted = set(consistency)
    if unknown := sorted(wanted - set(CONSISTENCY)):
        raise UserError(f"there is no check {unknown[0]!r}; the checks are {', '.join(CONSISTENCY)}")
    return tuple(name for name in CONSISTENCY if name in wanted)
