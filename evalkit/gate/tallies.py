"""What one comparison or property has seen of a corpus so far, and how that is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evalkit.gate.documents import Document
from evalkit.gate.peers import Comparison, Found, Unavailable
from evalkit.gate.properties import Problem, Property
from tokenizers_impl.arguments import well_formed


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
    waiting: Document | None = None
    """Of the documents that the share left out, the one that would come next."""


def share_of(tally: Tally, documents: Sequence[Document], share: int, of_bytes: int) -> list[Document]:
    """The documents of a share, those of the smallest places; a longer one than the share is cut."""
    chosen = []
    used = tally.bytes
    for one in documents:
        short = one
        if one.bytes > share:
            text = one.text[:share]
            short = Document(one.number, text, len(well_formed(text).encode()), one.place)
        if one.place < share / of_bytes and used < 2 * share:
            chosen.append(short)
            used += short.bytes
        elif tally.waiting is None or one.place < tally.waiting.place:
            tally.waiting = short
    return chosen


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
