"""What one comparison or property has seen of a corpus so far, and how that is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from evalkit.gate.documents import Document, cut_to
from evalkit.gate.peers import Comparison, Found, Unavailable
from evalkit.gate.properties import Problem, Property
from tokenizers_impl.deferred import dataclass

PARTS = 4
"""Documents that a share is of at least, where there are so many."""


@dataclass
class Failure:
    """``texts``: one, or several where it takes them together. ``byte``: where it is in the one document as it stands
    in its corpus, where that is known."""

    texts: list[str]
    number: int | None
    error: str | None = None
    problem: Problem | None = None
    byte: int | None = None


@dataclass
class Tally:
    """What one comparison or property has seen so far."""

    what: Comparison | Property
    documents: int = 0
    bytes: int = 0
    failure: Failure | None = None
    excuses: list[str] = field(default_factory=list)
    excused: int = 0
    passed: int = 0
    """Bytes of all documents that a share was taken of."""


def share_of(tally: Tally, documents: Sequence[Document], share: int, of_bytes: int) -> list[Document]:
    """The documents of a share: of every batch as large a part as the share is of ``of_bytes``, those of the smallest
    places first. One that is alone is cut to the share, one of several to a part of it, so that few long ones don't
    take the place of all others, nor leave it empty. Of the first batch it is one document at least."""
    tally.passed += sum(one.bytes for one in documents)
    target = share * min(1.0, tally.passed / of_bytes)
    most = share if len(documents) == 1 else max(1, share // PARTS)
    chosen: list[Document] = []
    used = tally.bytes
    for one in sorted(documents, key=lambda one: one.place):
        if used >= target and (chosen or tally.documents):
            break
        chosen.append(cut_to(one, most))
        used += chosen[-1].bytes
    return sorted(chosen, key=lambda one: one.number)


def reasons(blocked: Sequence[Found]) -> list[str]:
    """Why checks can't be made, each reason once."""
    return list(dict.fromkeys(one.reason for one in blocked if isinstance(one, Unavailable)))


def not_back(tally: Tally) -> str:
    """Why texts that don't come back are no failure, and how many they are."""
    assert isinstance(tally.what, Property)
    some = f"{tally.excused:,} of {tally.documents:,} document{'' if tally.documents == 1 else 's'}"
    return f"{tally.what.lossy}: {some} {'does' if tally.excused == 1 else 'do'} not come back from the ids"


def excused(tally: Tally) -> str:
    """Differences that are no fault, with the reasons; empty for none."""
    if not tally.excused:
        return ""
    documents = "1 document differs" if tally.excused == 1 else f"{tally.excused:,} documents differ"
    return f"{documents} from {tally.what.name}, no fault: {'; '.join(tally.excuses)}"
