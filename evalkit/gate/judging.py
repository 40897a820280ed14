"""What is wrong with one text, asked again and again while it shrinks to the smallest that still shows it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from evalkit.gate.adversarial import shrink, shrink_list
from evalkit.gate.divergence import Divergence, compare_counts, compare_ids
from evalkit.gate.ids import Ids, first_difference
from evalkit.gate.paths import Truth, serial, some_of, with_specials
from evalkit.gate.peers import Comparison
from evalkit.gate.properties import Problem, Property
from tokenizers_impl.deferred import dataclass

SHRINK_BUDGET = 10_000_000
# A bound for encoders that are slow themselves, such as by a pattern that tries too much: there the number of code
# points says nothing. It is reached by nothing else, so that the smallest text doesn't depend on the machine.
SHRINK_SECONDS = 20.0
SHRINK_SHARE, SHRINK_LEAST = 0.3, 3.0
"""Of a budget, and seconds at least: for shrinking all of a gate's failures. What comes later is shown as it is."""

SHOWN_ALIKE = 6
TRUTHS: dict[Truth, str] = {
    "ordinary": "document by document",
    "joined": "the text as a whole",
    "specials": "cut out by hand",
    "some specials": "some cut out by hand",
    "specials as text": "document by document",
}


@dataclass
class Patience:
    """Seconds that are left for shrinking all of a gate's failures; None for as many as it takes."""

    left: float | None = None

    @classmethod
    def of_budget(cls, budget: float | None) -> Patience:
        return cls(None if budget is None else max(SHRINK_LEAST, budget * SHRINK_SHARE))


def describe(error: BaseException) -> str:
    """An error of an encoder as a phrase. A panic of the compiled core is no ``Exception`` but a failure like
    any other; whoever wants to stop is let through."""
    if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError)):
        raise error
    return f"{type(error).__name__}: {error}"


def truth_of(tokenizer: Any, truth: Truth, texts: Sequence[str]) -> Ids:
    """The ids that a way has to give."""
    if truth == "specials":
        return Ids.of([with_specials(tokenizer, text) for text in texts])
    if truth == "some specials":
        some = some_of(tokenizer.special_tokens)
        return Ids.of([with_specials(tokenizer, text, some) for text in texts])
    return serial(tokenizer, texts)


def difference(tokenizer: Any, what: Comparison, *texts: str) -> Problem | None:
    """Where ``what`` parts from the truth on these texts, encoded in one call."""
    ways = TRUTHS[what.truth], what.name
    try:
        ids = truth_of(tokenizer, what.truth, texts)
        found = what.encode(texts)
    except BaseException as error:
        return describe(error)
    expected = ids.lengths() if what.counts else ids
    number = first_difference(expected, found)
    if number is None:
        return None
    if number >= len(texts):
        return f"a number of results that isn't that of texts: {len(found):,} for {len(texts):,}"
    left, right = expected.row(number), found.row(number) if number < len(found) else []
    if what.counts:
        return compare_counts(texts[number], left[0], right[0] if right else 0, ways)
    return compare_ids(tokenizer, texts[number], left, right, ways, what.vocab)


def violation(tokenizer: Any, what: Property, text: str) -> Problem | None:
    """How a property doesn't hold for a text."""
    try:
        ids = truth_of(tokenizer, "specials" if what.specials else "ordinary", [text]).row(0)
        return what.problem(tokenizer, text, ids)
    except BaseException as error:
        return describe(error)


def _unexcused(tokenizer: Any, what: Comparison, texts: list[str]) -> Problem | None:
    found = difference(tokenizer, what, *texts)
    if found is not None and what.excuse is not None and len(texts) == 1 and what.excuse(texts[0]):
        return None
    return found


def _raises(tokenizer: Any, texts: Sequence[str]) -> str | None:
    try:
        serial(tokenizer, texts)
    except BaseException as error:
        return f"encode_ordinary raised {describe(error)}"
    return None


def _likeness(problem: Problem) -> str:
    """What has to stay the same while a text shrinks: its kind of failure."""
    return problem.kind if isinstance(problem, Divergence) else problem.split(":")[0][:40]


def smallest(
    judge: Callable[[list[str]], Problem | None],
    texts: Sequence[str],
    cost: int = 1,
    patience: Patience | None = None,
) -> tuple[list[str], Problem] | None:
    """The smallest text (or texts, where it takes several together) that is wrong in the same way as
    ``texts``, and how. None where ``texts`` aren't wrong when asked again. ``cost`` divides the budget. ``patience``:
    what is left of it is shortened by what this takes."""
    patience = patience or Patience()
    seconds = SHRINK_SECONDS if patience.left is None else min(SHRINK_SECONDS, patience.left)
    began = time.monotonic()
    try:
        return _smallest(judge, texts, cost, began + seconds)
    finally:
        if patience.left is not None:
            patience.left = max(0.0, patience.left - (time.monotonic() - began))


def _smallest(
    judge: Callable[[list[str]], Problem | None], texts: Sequence[str], cost: int, until: float
) -> tuple[list[str], Problem] | None:
    first = judge(list(texts))
    if first is None:
        return None
    budget = SHRINK_BUDGET // cost

    def fails(some: list[str]) -> bool:
        if time.monotonic() > until:  # what is left by then is shown as it is
            return False
        found = judge(some)
        return found is not None and _likeness(found) == _likeness(first)

    left = list(texts)
    if len(left) > 1:
        left = shrink_list(left, fails, budget)
    if len(left) == 1:
        left = [shrink(left[0], lambda text: fails([text]), budget)]
    found = judge(left)
    return (left, found) if found is not None else (list(texts), first)


def judge_of(tokenizer: Any, what: Comparison | Property) -> Callable[[list[str]], Problem | None]:
    """What asks whether some texts are wrong."""
    if isinstance(what, Property):
        return lambda texts: next((v for text in texts if (v := violation(tokenizer, what, text)) is not None), None)
    return lambda texts: _unexcused(tokenizer, what, texts)


def raises(tokenizer: Any) -> Callable[[list[str]], Problem | None]:
    """What asks whether the serial encode itself raises."""
    return lambda texts: _raises(tokenizer, texts)


def alike(tokenizer: Any, truth: Truth, others: Sequence[Comparison], texts: Sequence[str]) -> str:
    """Which ways give the same ids for some texts, a group of equal ones after the other, the truth's first: where many
    agree against the truth, it is the truth that is wrong. One that raises is left out."""
    groups = [(truth_of(tokenizer, truth, texts), [TRUTHS[truth]])]
    for one in others:
        try:
            ids = one.encode(texts)
            group = next((names for known, names in groups if known.same(ids)), None)
        except BaseException as error:
            describe(error)  # lets through whoever wants to stop
            continue
        if group is None:
            groups.append((ids, [one.name]))
        else:
            group.append(one.name)
    return " | ".join(_joined(names) for _, names in groups)


def _joined(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN_ALIKE} more" if len(names) > SHOWN_ALIKE else ""
    return " = ".join(names[:SHOWN_ALIKE]) + more


def numbered(problem: Problem, number: int | None, byte: int | None) -> Problem:
    """The problem with the number of its document, and the place there."""
    return problem if isinstance(problem, str) else replace(problem, document=number, document_byte=byte)


def byte_of(problem: Problem | None) -> int | None:
    """Where a problem is in its text; None where nothing says that, as with a count."""
    if isinstance(problem, Divergence) and problem.kind != "only counts changed":
        return problem.byte
    return None
