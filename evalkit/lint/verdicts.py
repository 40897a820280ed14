"""What is said of each token: that some text gives it, that none can and why, or that neither was shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field

from tokenizers_impl.deferred import dataclass

SPECIAL = "special"
NOT_UTF8 = "not-utf8"
PATTERN_DEAD = "pattern-dead"
MERGE_SHADOWED = "merge-shadowed"
EDGE_SHADOWED = "edge-shadowed"

KINDS = {
    SPECIAL: "special tokens: text as data never gives them",
    NOT_UTF8: "bytes that no UTF-8 text has",
    PATTERN_DEAD: "the split pattern cuts inside them in every text",
    MERGE_SHADOWED: "their own bytes merge to other tokens, whatever stands around them",
    EDGE_SHADOWED: "whatever can stand beside them in a pretoken merges with them",
}
"""Why a token can never be emitted, in the order in which it is looked for."""


@dataclass(frozen=True)
class Certificate:
    """A proof that no text as data gives a token.

    ``kind``: one of ``KINDS``. ``why``: the proof in a sentence. ``at``: the place in the token's bytes where the
    pattern cuts, or of the first impossible byte. ``ids``: what merging makes of its bytes instead.
    """

    kind: str
    why: str
    at: int | None = None
    ids: tuple[int, ...] = ()


@dataclass(frozen=True)
class Verdicts:
    """One verdict for every id of a vocabulary: it is in ``dead``, in ``unproven`` (with what was tried), or
    reachable. ``witnesses``: texts that give reachable tokens, where that isn't the token's own text. ``tokens``: the
    bytes by id."""

    tokens: Mapping[int, bytes]
    dead: Mapping[int, Certificate]
    witnesses: Mapping[int, str]
    unproven: Mapping[int, str] = field(default_factory=dict)

    def witness(self, token_id: int) -> str | None:
        """A text in whose ids the token is, or None where there is none or none was found."""
        if token_id in self.dead or token_id in self.unproven:
            return None
        return self.witnesses.get(token_id) or self.tokens[token_id].decode()

    @property
    def reachable(self) -> int:
        return len(self.tokens) - len(self.dead) - len(self.unproven)

    @property
    def never(self) -> frozenset[int]:
        """The ids that no text as data gives, special tokens among them."""
        return frozenset(self.dead)

    def by_kind(self) -> dict[str, int]:
        """How many are dead of each kind, in the order of ``KINDS``; kinds without any are left out."""
        counts = Counter(certificate.kind for certificate in self.dead.values())
        return {kind: counts[kind] for kind in KINDS if counts[kind]}
