"""One tokenizer on one corpus: every comparison and property, batch by batch, and the verdicts at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from evalkit.gate.cases import Case
from evalkit.gate.divergence import Divergence
from evalkit.gate.documents import Document
from evalkit.gate.ids import Ids, first_difference
from evalkit.gate.judging import (
    Patience,
    alike,
    byte_of,
    describe,
    difference,
    judge_of,
    numbered,
    raises,
    smallest,
    truth_of,
)
from evalkit.gate.paths import SERIAL_BYTES, Truth, serial
from evalkit.gate.peers import Comparison, Found, Mismatch
from evalkit.gate.properties import NO_BYTES, PROPERTIES, Problem, Property, Tokens, properties_of
from evalkit.gate.tallies import Failure, Tally, excused, not_back, reasons, share_of
from evalkit.gate.verdicts import Verdict
from tokenizers_impl.arguments import well_formed
from tokenizers_impl.opaque import OpaqueTokenizer

SPLICED_BYTES = 6_000
"""Of each corpus: documents into which special tokens are put."""

ROTATED_BYTES = 300_000
ROTATIONS = 2
"""A joined text that has few cuts for the threads is cut from other starts too, where they fall elsewhere."""

SHOWN_EXCUSES = 3
SHOWN_CHARACTERS = 200


class Cell:
    """``checks``: the consistency checks to make. ``of_bytes``: the size of what is going to be added. ``weight``: how
    many times as much of this corpus as of others goes through the slow comparisons, less than 1 where many
    tokenizers share the time.

    What all else is held against is ``encode_ordinary``, document by document. Of a large corpus it is asked for a
    share (``SERIAL_BYTES``); beyond that, a batch on one thread stands for it, which on the share had to give the
    same.
    """

    def __init__(
        self,
        name: str,
        tokenizer: Any,
        corpus: str,
        found: Sequence[Found],
        checks: Sequence[str],
        *,
        of_bytes: int,
        seed: int = 0,
        weight: float = 1,
        tokens: Tokens | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.name, self.tokenizer, self.corpus = name, tokenizer, corpus
        self.checks, self.of_bytes, self.seed, self.weight = checks, of_bytes, seed, weight
        wanted = [one for one in found if one.check in checks or one.check == "equivalent"]
        self._blocked = [one for one in wanted if not isinstance(one, Comparison)]
        self._comparisons = [Tally(one) for one in wanted if isinstance(one, Comparison)]
        self._properties = [Tally(one) for one in properties_of(tokenizer) if one.check in checks]
        self._spliced = 0
        self._alone = 0
        """Bytes of documents that were encoded one by one."""
        self._tokens = tokens or Tokens(tokenizer)
        self._patience = patience
        self._error: Failure | None = None
        self._shrunk: tuple[list[str], Problem] | None = None
        """The smallest text for ``_error``, which is that of every check."""

    # ── adding text ─────────────────────────────────────────────────────────────────────────────────────────

    def add(self, documents: Sequence[Document]) -> None:
        """Checks some documents, a batch."""
        if not documents or self._error is not None:
            return
        try:
            ordinary, alone = self._ordinary(documents)
        except BaseException as error:
            self._error = _find_error(self.tokenizer, documents, describe(error))
            return
        self._alone += alone
        truth: dict[Truth, tuple[list[Document], Ids]] = {"ordinary": (list(documents), ordinary)}
        spliced: list[Document] | None = None
        for tally in self._open([*self._comparisons, *self._properties]):
            kind = _truth_of(tally.what)
            if kind not in truth:
                if kind == "joined":
                    truth[kind] = self._joined(documents)
                else:
                    spliced = list(self._with_specials(documents)) if spliced is None else spliced
                    truth[kind] = spliced, truth_of(self.tokenizer, kind, [one.text for one in spliced])
            if isinstance(tally.what, Comparison):
                self._compare(tally, *truth[kind])
            else:
                self._hold(tally, *truth[kind])
        self._spliced += sum(one.bytes for one in spliced or ())

    def _ordinary(self, documents: Sequence[Document]) -> tuple[Ids, int]:
        """The truth, and of how many bytes it is document by document. A batch would hide what ``encode_ordinary``
        does to a document by itself, so that this is asked for a share of every corpus, and counts there."""
        texts = [one.text for one in documents]
        size = sum(one.bytes for one in documents)
        batch = getattr(self.tokenizer, "encode_ordinary_batch", None)
        if batch is None or self.of_bytes <= SERIAL_BYTES:
            return serial(self.tokenizer, texts), size
        quick = Ids.of_arrays(*batch(texts, threads=1))
        chosen = [i for i, one in enumerate(documents) if one.place < SERIAL_BYTES / self.of_bytes]
        if not chosen and self._alone == 0:
            chosen = [min(range(len(documents)), key=lambda i: documents[i].place)]
        alone = serial(self.tokenizer, [texts[i] for i in chosen])
        if len(quick) == len(texts) and all(quick.row(i) == alone.row(at) for at, i in enumerate(chosen)):
            return quick, sum(documents[i].bytes for i in chosen)
        return serial(self.tokenizer, texts), size

    @staticmethod
    def _open(tallies: Sequence[Tally]) -> Iterator[Tally]:
        return (tally for tally in tallies if tally.failure is None)

    def _joined(self, documents: Sequence[Document]) -> tuple[list[Document], Ids]:
        """The documents as one text, and a short one from other starts as well, where its cuts fall elsewhere."""
        whole = "".join(one.text for one in documents)
        size = sum(one.bytes for one in documents)
        first = documents[0]
        found = [Document(first.number, whole, size, first.place)]
        if size <= ROTATED_BYTES:
            random = Random(self.seed)
            for _ in range(ROTATIONS):
                part = whole[random.randint(0, len(whole) // 4) :]
                found.append(Document(first.number, part, len(well_formed(part).encode()), first.place))
        return found, self._ordinary(found)[0]

    def _with_specials(self, documents: Sequence[Document]) -> Iterator[Document]:
        """Documents that hold special tokens already, and some into which they are put."""
        specials = list(self.tokenizer.special_tokens)
        room = SPLICED_BYTES * self.weight - self._spliced
        for one in documents:
            if room <= 0 or not specials:
                return
            text = one.text
            if len(text) > 4000 or not any(special in text for special in specials):
                random = Random(int(one.place * 2**64) ^ self.seed)
                text = text[:4000]
                for _ in range(random.randint(1, 3)):
                    at = random.randint(0, len(text))
                    text = text[:at] + random.choice(specials) + text[at:]
            size = len(well_formed(text).encode())
            room -= size
            yield Document(one.number, text, size, one.place)

    def _compare(self, tally: Tally, documents: list[Document], ids: Ids) -> None:
        assert isinstance(tally.what, Comparison)
        share, truth = tally.what.share, tally.what.truth
        if share is not None and truth == "joined":
            if tally.bytes >= share * self.weight:
                return
        elif share is not None:
            of_bytes = self.of_bytes
            if truth != "ordinary":
                of_bytes = min(of_bytes, int(SPLICED_BYTES * self.weight))
            if share * self.weight < of_bytes:
                chosen = share_of(tally, documents, int(share * self.weight), of_bytes)
                places = {id(one): place for place, one in enumerate(documents)}
                if all(id(one) in places for one in chosen):
                    ids = Ids.of([ids.row(places[id(one)]) for one in chosen])
                else:  # a long one was cut
                    ids = truth_of(self.tokenizer, truth, [one.text for one in chosen])
                documents = chosen
        if documents:
            self._compare_all(tally, documents, ids)

    def _hold(self, tally: Tally, documents: Sequence[Document], ids: Ids) -> None:
        """A property, document by document on a share, and on the rest at once where it can be seen at once."""
        what = tally.what
        assert isinstance(what, Property)
        room = what.share * self.weight
        left = list(enumerate(documents))
        if what.sampled and self.of_bytes > room:
            left = [(place, one) for place, one in left if one.place < room / self.of_bytes]
        if not left:
            return
        tally.documents += len(left)
        tally.bytes += sum(one.bytes for _, one in left)
        if what.whole is not None and self.of_bytes > room:
            texts = [one.text for one in documents]
            try:
                holds = what.whole(self._tokens, texts, ids)
            except BaseException as error:
                describe(error)  # lets through whoever wants to stop
                holds = False
            if holds:
                left = [(place, one) for place, one in left if one.place < room / self.of_bytes and one.bytes < room]
        for place, one in left:
            try:
                problem = what.problem(self.tokenizer, one.text, ids.row(place))
            except BaseException as error:
                problem = describe(error)
            if problem is not None and what.lossy and isinstance(problem, Divergence):
                tally.excused += 1
            elif problem is not None:
                byte = byte_of(problem) if _truth_of(what) == "ordinary" else None
                tally.failure = Failure([one.text], one.number, problem=problem, byte=byte)
                return

    def _compare_all(self, tally: Tally, documents: list[Document], ids: Ids) -> None:
        what = tally.what
        assert isinstance(what, Comparison)
        tally.documents += len(documents)
        tally.bytes += sum(one.bytes for one in documents)
        texts = [one.text for one in documents]
        expected = ids.lengths() if what.counts else ids
        try:
            if first_difference(expected, what.encode(texts)) is None:
                return
            error = None
        except BaseException as raised:
            error = describe(raised)
        known, before = len(tally.excuses), tally.excused
        for one in documents:
            found = difference(self.tokenizer, what, one.text)
            if found is None:
                continue
            excuse = what.excuse(one.text) if what.excuse is not None else None
            if excuse is None:
                error = found if isinstance(found, str) else None
                byte = byte_of(found) if what.truth == "ordinary" else None
                tally.failure = Failure([one.text], one.number, error, byte=byte)
                return
            tally.excused += 1
            if len(tally.excuses) < SHOWN_EXCUSES and excuse not in tally.excuses:
                tally.excuses.append(excuse)
        if tally.excused == before or (error is not None and len(tally.excuses) == known == 0):
            tally.failure = Failure(texts, None, error)

    # ── what it comes to ────────────────────────────────────────────────────────────────────────────────────

    def finish(self) -> Iterator[tuple[Verdict, Case | None]]:
        """The verdicts, a failed one with what runs it again."""
        own = [check for check in self.checks if check != "training"]  # which is about no corpus
        checks = [*own, *(["equivalent"] if self._of("equivalent", self._comparisons) else [])]
        for check in checks:
            yield self._verdict(check)

    def _of(self, check: str, tallies: Sequence[Tally]) -> list[Tally]:
        return [tally for tally in tallies if tally.what.check == check]

    def _verdict(self, check: str) -> tuple[Verdict, Case | None]:
        if self._error is not None:
            return self._failed(check, Tally(PROPERTIES[1], failure=self._error), [])
        tallies = [*self._of(check, self._comparisons), *self._of(check, self._properties)]
        blocked = [one for one in self._blocked if one.check == check]
        for one in blocked:
            if isinstance(one, Mismatch):
                return Verdict(check, self.name, self.corpus, "fail", one.reason), None
        for tally in tallies:
            if tally.failure is not None:
                return self._failed(check, tally, tallies)
        if not any(tally.documents for tally in tallies):
            reason = "; ".join(reasons(blocked)) or self._nothing(check)
            return Verdict(check, self.name, self.corpus, "not_measured", reason), None
        most = max(tallies, key=lambda tally: tally.bytes)
        if any(tally.excused and isinstance(tally.what, Property) for tally in tallies):
            # A text that is lost on purpose is no failure, and no pass either.
            told = "; ".join(not_back(tally) for tally in tallies if tally.excused)
            covered = most.documents, most.bytes, self.of_bytes
            return Verdict(check, self.name, self.corpus, "not_measured", told, None, *covered), None
        detail = "; ".join(filter(None, (self._covered(tallies), *map(excused, tallies), *reasons(blocked))))
        size = min(most.bytes, self.of_bytes) if check not in ("specials", "chunked") else most.bytes
        return Verdict(check, self.name, self.corpus, "pass", detail, None, most.documents, size, self.of_bytes), None

    def _nothing(self, check: str) -> str:
        if check in ("specials", "plain_text") and not self.tokenizer.special_tokens:
            return "it has no special tokens"
        if check == "byte_audit" and isinstance(self.tokenizer, OpaqueTokenizer):
            return NO_BYTES
        return "there was no text to check"

    def _covered(self, tallies: Sequence[Tally]) -> str:
        """The ways that were tried, each with its bytes, and of how many of these the truth is document by
        document where that isn't all."""
        parts = [f"{tally.what.name} ({tally.bytes:,} bytes)" for tally in tallies if tally.documents]
        compared = [tally.bytes for tally in tallies if _truth_of(tally.what) == "ordinary"]
        if self._alone < max(compared, default=0):
            parts.append(f"document by document on {self._alone:,} bytes, on one thread beyond")
        return ", ".join(parts)

    def _agreement(self, what: Comparison, texts: Sequence[str]) -> str:
        """Which ways agree with which on the smallest texts, over all checks. Other processes are asked only where one
        is what failed, since an answer may take long to fail to come."""
        if what.counts:
            right = [t.what.name for t in self._of(what.check, self._comparisons) if t.failure is None and t.documents]
            return f"right are {', '.join(right)}" if right else ""
        asked = [
            t.what
            for t in self._comparisons
            if isinstance(t.what, Comparison)
            and t.what.truth == what.truth
            and not t.what.counts
            and (t.what.check != "processes" or t.what is what)
        ]
        try:
            return f"agree on it: {alike(self.tokenizer, what.truth, asked, texts)}"
        except BaseException as error:
            return f"the truth itself raises: {describe(error)}"

    def _failed(self, check: str, tally: Tally, tallies: Sequence[Tally]) -> tuple[Verdict, Case | None]:
        failure, what = tally.failure, tally.what
        assert failure is not None
        judge = raises(self.tokenizer) if self._error is not None else judge_of(self.tokenizer, what)
        shrunk = self._shrunk
        if shrunk is None:
            cost = what.cost if isinstance(what, Comparison) else 1
            shrunk = smallest(judge, failure.texts, cost, self._patience)
        if self._error is not None:
            self._shrunk = shrunk
        if shrunk is None:
            reason = failure.error or failure.problem or "different ids"
            phrase = reason if isinstance(reason, str) else reason.phrase
            shrunk = failure.texts, f"{phrase} (not every time)"
        texts, problem = shrunk[0], numbered(shrunk[1], failure.number, failure.byte)
        divergence = problem if isinstance(problem, Divergence) else None
        reason = problem.phrase if isinstance(problem, Divergence) else problem
        if divergence is None:  # which would show it
            reason = f"{reason}, for {_shown(texts)}"
        others = [t.what.name for t in tallies if t.failure is not None and t is not tally]
        parts = [f"{what.name}: {reason}"]
        parts += [f"it takes {len(texts):,} texts in one call"] if len(texts) > 1 and divergence is not None else []
        parts += [f"failed as well: {', '.join(others)}"] if others else []
        if self._error is None and isinstance(what, Comparison):
            parts.append(self._agreement(what, texts))
        if failure.number is not None:
            place = "" if failure.byte is None else f" at byte {failure.byte:,}"
            parts.append(f"first in document {failure.number}{place}")
        detail = "; ".join(filter(None, parts))
        case = Case(self.name, self.corpus, check, what.name, tuple(texts), self.seed, detail)
        tested = max([tally, *tallies], key=lambda one: one.bytes)
        return (
            Verdict(
                check,
                self.name,
                self.corpus,
                "fail",
                detail,
                divergence,
                tested.documents,
                min(tested.bytes, self.of_bytes),
                self.of_bytes,
            ),
            case,
        )


def _shown(texts: Sequence[str]) -> str:
    """The text, or the first of several, so that it can be read in any log."""
    text = texts[0] if texts else ""
    size = "" if len(text) <= SHOWN_CHARACTERS else f", {len(text):,} code points"
    more = f" and {len(texts) - 1:,} more texts together" if len(texts) > 1 else ""
    return f"the text {text[:SHOWN_CHARACTERS]!a}{size}{more}"


def _truth_of(what: Comparison | Property) -> Truth:
    if isinstance(what, Comparison):
        return what.truth
    return "specials" if what.specials else "ordinary"


def _find_error(tokenizer: Any, documents: Sequence[Document], error: str) -> Failure:
    for one in documents:
        if (found := raises(tokenizer)([one.text])) is not None:
            return Failure([one.text], one.number, problem=found)
    return Failure([one.text for one in documents], None, error)
