"""Which documents of a pass are checked, and when: beside the counting, some together."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import field

from evalkit.batches import Batch, Limits, Share, beginning
from evalkit.beside import Beside
from evalkit.counts import BuiltLike
from evalkit.encode_checks import EncodeAudit
from tokenizers_impl import BPETokenizer, engine
from tokenizers_impl.deferred import dataclass

TOGETHER_BYTES = 250_000
"""Documents that are checked in one go. What encoding keeps to be faster is let go after each, or the caches of all
tokenizers and threads together would be most of the memory; so of ever fewer documents a batch, each by itself would
take twice the time."""

TOGETHER_DOCUMENTS = 10_000


@dataclass
class Chosen:
    """Documents to check: their texts, UTF-8 and numbers in the split."""

    texts: list[str] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    size: int = 0

    def add(self, text: str, raw: bytes, number: int) -> None:
        self.texts.append(text)
        self.raw.append(raw)
        self.numbers.append(number)
        self.size += len(raw)


class Auditor:
    """Checks documents under every tokenizer while they are counted.

    Our own tokenizers are checked on another thread, since that work is half of it where there is little text, and
    mostly on one thread. Others needn't be made for being asked by two threads.

    ``threads``: of each check; with 1 there is no other thread. To be used as a context, which ends the thread.
    """

    def __init__(self, tokenizers: Sequence[BuiltLike], threads: int, limits: Limits) -> None:
        self.audits: Mapping[str, EncodeAudit] = {
            built.name: EncodeAudit(built.tokenizer, max(2, threads)) for built in tokenizers
        }
        own = {built.name for built in tokenizers if isinstance(built.tokenizer, BPETokenizer)}
        self._own = [audit for name, audit in self.audits.items() if name in own]
        self._others = [audit for name, audit in self.audits.items() if name not in own]
        self.sample: list[str] = []
        """Some of the checked documents, of ``limits.sample_bytes`` together."""
        self.sample_sizes: list[int] = []
        self._limits = limits
        self._share = Share(limits.checked_bytes)
        self._room = limits.sample_bytes
        self._chosen = Chosen()
        self.aside = Beside(threads > 1)

    def add(self, batch: Batch) -> None:
        """Chooses of the next documents, and checks them sooner or later. Raises what a check raises."""
        for place in self._share.take(batch):
            text = beginning(batch.texts[place], self._limits.checked_bytes)
            raw = batch.raw[place] if text is batch.texts[place] else text.encode()
            self._chosen.add(text, raw, batch.first + place)
        if self._chosen.size >= TOGETHER_BYTES or len(self._chosen.texts) >= TOGETHER_DOCUMENTS:
            self._check()

    def finish(self) -> None:
        """All that was chosen is checked then."""
        self._check()
        self.aside.finish()

    def _check(self) -> None:
        chosen, self._chosen = self._chosen, Chosen()
        if not chosen.texts:
            return
        self._keep_sample(chosen)
        self.aside.do(lambda stop: _check(chosen, self._own, stop))
        _check(chosen, self._others)

    def _keep_sample(self, chosen: Chosen) -> None:
        for text, raw in zip(chosen.texts, chosen.raw, strict=True):
            if self._room <= 0:
                break
            self.sample.append(text)
            self.sample_sizes.append(len(raw))
            self._room -= len(raw)


def _check(chosen: Chosen, audits: Sequence[EncodeAudit], stop: threading.Event | None = None) -> None:
    for audit in audits:
        audit.add(chosen.texts, chosen.raw, chosen.numbers, stop)
    engine.active().release_memory()
