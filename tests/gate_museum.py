"""A museum of encoders that are wrong, each in one way that was seen somewhere."""

from __future__ import annotations

import os
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evalkit.gate import adversarial
from evalkit.gate.cases import Case
from evalkit.gate.documents import Plan, Texts
from evalkit.gate.ids import Ids
from evalkit.gate.paths import Setting, cut_specials
from evalkit.gate.processes import Processes
from evalkit.gate.run import check_all, comparisons
from evalkit.gate.verdicts import CONSISTENCY, Verdict
from tokenizers_impl import BPETokenizer

SPECIALS = ("<s>", "<s>>", "<|end|>")
STORY = "The low lower lowest newer newest wide widest thing is lower than the newest. "


class Naive:
    """A tokenizer in which every path goes through ``encode_ordinary``, so that one mistake there is on all of
    them, and a mistake elsewhere is on one alone. What isn't said here is the sound tokenizer's."""

    def __init__(self, sound: BPETokenizer) -> None:
        self.sound = sound

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sound, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.sound,)

    def encode_ordinary(self, text: str) -> list[int]:
        return self.sound.encode_ordinary(text)

    def encode(self, text: str, allowed_special: Any = frozenset(), disallowed_special: Any = "all") -> list[int]:
        allowed = [one for one in self.special_tokens if allowed_special == "all" or one in allowed_special]
        refused = [one for one in self.special_tokens if one not in allowed] if disallowed_special == "all" else []
        if any(special in text for special in refused):
            raise ValueError("a special token")
        ids: list[int] = []
        for piece, special in cut_specials(text, allowed):
            ids += [self.special_tokens[piece]] if special else self.encode_ordinary(piece)
        return ids

    def encode_batch(self, texts: Sequence[str], threads: int | None = None, **specials: Any) -> list[list[int]]:
        return [self.encode(text, **specials) for text in texts]

    def encode_ordinary_batch(self, texts: Sequence[str], threads: int | None = None) -> tuple[Any, Any]:
        return Ids.of([self.encode_ordinary(text) for text in texts]).flat

    def encode_parallel(self, text: str, threads: int | None = None) -> Any:
        return np.array(self.encode_ordinary(text), dtype=np.int64)

    def encode_iterable(self, chunks: Iterable[str], **specials: Any) -> Iterator[int]:
        yield from self.encode("".join(chunks), **specials)

    def count(self, text: str) -> int:
        return len(self.encode_ordinary(text))


# ── the museum ──────────────────────────────────────────────────────────────────────────────────────────────


class PieceByPiece(Naive):
    def encode_iterable(self, chunks: Iterable[str], **specials: Any) -> Iterator[int]:
        for chunk in chunks:
            yield from self.encode(chunk, **specials)


class LongestMatch(Naive):
    """The longest token that fits, again and again, instead of merging by rank."""

    def encode_ordinary(self, text: str) -> list[int]:
        known = {token: i for i, token in self.vocab.items() if i not in self.special_tokens.values()}
        ids = []
        for pretoken in self.pretokenize(text):
            raw = pretoken.encode()
            while raw:
                size = next(n for n in range(len(raw), 0, -1) if raw[:n] in known)
                ids.append(known[raw[:size]])
                raw = raw[size:]
        return ids


class TokenByToken(Naive):
    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        return "".join(self.sound.decode([i], errors) for i in ids)


class Swapped(Naive):
    """Two ids changed places in the encoder, and in the decoder too, so that everything comes back."""

    def __init__(self, sound: BPETokenizer) -> None:
        super().__init__(sound)
        self.one, self.other = sound.encode_ordinary(" the")[0], sound.encode_ordinary(" low")[0]
        assert self.one != self.other

    def swap(self, ids: Iterable[int]) -> list[int]:
        return [{self.one: self.other, self.other: self.one}.get(i, i) for i in ids]

    def encode_ordinary(self, text: str) -> list[int]:
        return self.swap(self.sound.encode_ordinary(text))

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        return self.sound.decode_bytes(self.swap(ids))

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        return self.sound.decode(self.swap(ids), errors)


class OtherIds(Naive):
    """The right number of ids on threads, and other ones."""

    def encode_ordinary_batch(self, texts: Sequence[str], threads: int | None = None) -> tuple[Any, Any]:
        flat, offsets = super().encode_ordinary_batch(texts)
        return np.where(flat == 32, 33, flat), offsets


class NoFinalNewline(Naive):
    def encode_ordinary(self, text: str) -> list[int]:
        return self.sound.encode_ordinary(text.removesuffix("\n"))


class Droppings(Naive):
    """What has no letter of ASCII or Latin-1 is skipped, as with ``errors="ignore"``."""

    def encode_ordinary(self, text: str) -> list[int]:
        return self.sound.encode_ordinary(text.encode("latin-1", "ignore").decode("latin-1"))


class InvalidDropped(Naive):
    """Half a surrogate pair, which is no text, is left out instead of becoming U+FFFD."""

    def encode_ordinary(self, text: str) -> list[int]:
        return self.sound.encode_ordinary(text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore"))


class Folded(Naive):
    def encode_ordinary(self, text: str) -> list[int]:
        return self.sound.encode_ordinary(text.replace("\r\n", "\n"))


class Normalised(Naive):
    def encode_ordinary(self, text: str) -> list[int]:
        return self.sound.encode_ordinary(unicodedata.normalize("NFC", text))


class AddedBegin(Naive):
    def encode_ordinary(self, text: str) -> list[int]:
        return [self.special_tokens["<s>"], *self.sound.encode_ordinary(text)]


class SpecialsInPretokens(Naive):
    """Pretokens are cut first, and a special token is seen only where it is one."""

    def encode(self, text: str, allowed_special: Any = frozenset(), disallowed_special: Any = "all") -> list[int]:
        if allowed_special != "all":
            return super().encode(text, allowed_special, disallowed_special)
        ids: list[int] = []
        for pretoken in self.pretokenize(text):
            special = self.special_tokens.get(pretoken)
            ids += [special] if special is not None else self.encode_ordinary(pretoken)
        return ids


class ShorterFirst(Naive):
    def encode(self, text: str, allowed_special: Any = frozenset(), disallowed_special: Any = "all") -> list[int]:
        if allowed_special != "all":
            return super().encode(text, allowed_special, disallowed_special)
        ids: list[int] = []
        while text:
            found = sorted((text.find(s), len(s), s) for s in self.special_tokens if s in text)
            at, _, special = found[0] if found else (len(text), 0, "")
            ids += self.encode_ordinary(text[:at])
            ids += [self.special_tokens[special]] if special else []
            text = text[at + len(special) :]
        return ids


class CutAnywhere(Naive):
    """For the threads, the text is cut where a character starts."""

    def encode_parallel(self, text: str, threads: int | None = None) -> Any:
        size = max(1, len(text) // 8)
        parts = [text[start : start + size] for start in range(0, len(text), size)]
        return np.array([i for part in parts for i in self.encode_ordinary(part)], dtype=np.int64)


class NextStartStays(Naive):
    """A splitter for threads of two mistakes: where the end of a block was moved to a boundary, the next one starts
    as if it hadn't been; and any start of a character is taken for a boundary."""

    def encode_parallel(self, text: str, threads: int | None = None) -> Any:
        raw, size = text.encode("utf-8", "replace"), 5
        ids: list[int] = []
        for start in range(0, len(raw), size):
            end = min(start + size, len(raw))
            while end < len(raw) and raw[end] & 0xC0 == 0x80:
                end += 1
            ids += self.encode_ordinary(raw[start:end].decode("utf-8", "replace"))
        return np.array(ids, dtype=np.int64)


class InCore(Naive):
    """A mistake inside the core, below what a tokenizer's methods show."""

    @property
    def engine_encoder(self) -> Any:
        return self

    def encode_blocks(self, text: str, size: int, threads: int, specials: Any = None) -> Any:
        return self.sound.engine_encoder.encode_blocks(text, size, threads, specials)

    def encode_with_cache(self, texts: list[str], first: int, second: int) -> Any:
        return self.sound.engine_encoder.encode_with_cache(texts, first, second)


class CutsWordsInCore(InCore):
    """A blank is taken for a place to cut at, whatever stands beside it; seen in texts of two blocks or more."""

    def encode_blocks(self, text: str, size: int, threads: int, specials: Any = None) -> Any:
        if specials is not None:
            return super().encode_blocks(text, size, threads, specials)
        ids: list[int] = []
        while len(text) > 2 * size:
            at = text.find(" ", size) + 1
            at = at if at else len(text)
            ids, text = ids + self.encode_ordinary(text[:at]), text[at:]
        return np.array(ids + self.encode_ordinary(text), dtype=np.int64)


class CutsSpecialsInCore(InCore):
    """A text is cut without a look at the special tokens that span the place."""

    def encode_blocks(self, text: str, size: int, threads: int, specials: Any = None) -> Any:
        ids: list[int] = []
        while text:
            at = self.engine_splitter.safe_cut(text, size)
            ids += self.encode(text[:at], allowed_special="all" if specials else (), disallowed_special=())
            text = text[at:]
        return np.array(ids, dtype=np.int64)


class OldIdsInFullCache(InCore):
    """A full cache gives a new pretoken the place of an old one, whose ids stay there."""

    def encode_with_cache(self, texts: list[str], first: int, second: int) -> Any:
        slots: dict[int, tuple[str, list[int]]] = {}
        rows = []
        for text in texts:
            rows.append([])
            for pretoken in self.pretokenize(text):
                slot = len(pretoken) % 5
                if slots.get(slot, ("",))[0] != pretoken:
                    old = slots.get(slot, ("", self.sound.encode_ordinary(pretoken)))[1]
                    slots[slot] = pretoken, old
                rows[-1] += slots[slot][1]
        return Ids.of(rows).flat


class SplitCharacters(Naive):
    """The batch is right, its count says one more for long texts."""

    def count(self, text: str) -> int:
        return super().count(text) + (len(text) > 20)


class CutOffInFile(Naive):
    """The file holds all but the last merges."""

    def save(self, path: Path, format: str = "evalkit") -> Path:
        whole = self.sound
        ordinary = {i: t for i, t in whole.vocab.items() if i not in whole.special_tokens.values()}
        return BPETokenizer(ordinary, whole.merges[:-3], whole.special_tokens, whole.variant).save(path, format)


class Forgetful(Naive):
    """A shared buffer that another thread has overwritten: the last text of a batch gets the ids of the first."""

    def encode_batch(self, texts: Sequence[str], threads: int | None = None, **specials: Any) -> list[list[int]]:
        rows = super().encode_batch(texts, threads, **specials)
        return [*rows[:-1], rows[0]] if len(rows) > 3 else rows


class RacingThreads(Naive):
    """Threads that write to one buffer: of a run on more than one, now and then two neighbouring ids have changed
    places. A simulation; the real thing shows itself as seldom."""

    def encode_ordinary_batch(self, texts: Sequence[str], threads: int | None = None) -> tuple[Any, Any]:
        flat, offsets = super().encode_ordinary_batch(texts)
        flat = flat.copy()
        if (threads or 2) > 1:
            for at in range(6, len(flat) - 1, 7):
                flat[[at, at + 1]] = flat[[at + 1, at]]
        return flat, offsets


class ReplacedInFile(Naive):
    """The file holds the tokens as text, in which half a character is U+FFFD."""

    def save(self, path: Path, format: str = "evalkit") -> Path:
        whole = self.sound
        special_ids = set(whole.special_tokens.values())
        ordinary, used = {}, set()
        for token_id, token in whole.vocab.items():
            if token_id in special_ids:
                continue
            text = token.decode("utf-8", "replace").encode() if len(token) > 1 else token
            while text in used:  # two halves have become one text, which no file takes
                text += "\ufffd".encode()
            used.add(text)
            ordinary[token_id] = text
        merges = [(a, b) for a, b in whole.merges if {a, b, a + b} <= used]
        return BPETokenizer(ordinary, merges, whole.special_tokens, whole.variant).save(path, format)


class StaleCache(Naive):
    """What was encoded once is remembered by its first letters alone."""

    def __init__(self, sound: BPETokenizer) -> None:
        super().__init__(sound)
        self.seen: dict[str, list[int]] = {}

    def encode_ordinary(self, text: str) -> list[int]:
        if len(text) < 60:
            return self.sound.encode_ordinary(text)
        return self.seen.setdefault(text[:60], self.sound.encode_ordinary(text))


class PickledWithoutMerges(Naive):
    """What arrives in another process is the vocabulary without its last merges."""

    def __reduce__(self) -> tuple[Any, ...]:
        whole = self.sound
        ordinary = {i: t for i, t in whole.vocab.items() if i not in whole.special_tokens.values()}
        return Naive, (BPETokenizer(ordinary, whole.merges[:-30], whole.special_tokens, whole.variant),)


class OtherProcess(Naive):
    """In a process that isn't the one in which it was made, everything is one id less."""

    def __init__(self, sound: BPETokenizer, process: int | None = None) -> None:
        super().__init__(sound)
        self.process = process or os.getpid()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.sound, self.process)

    def encode_ordinary(self, text: str) -> list[int]:
        ids = self.sound.encode_ordinary(text)
        return ids if os.getpid() == self.process else ids[1:]


class DiesElsewhere(OtherProcess):
    """In another process, it ends that."""

    def encode_ordinary(self, text: str) -> list[int]:
        if os.getpid() != self.process:
            os._exit(7)
        return self.sound.encode_ordinary(text)


class HangsElsewhere(OtherProcess):
    """A lock that some thread held when the process was forked."""

    def encode_ordinary(self, text: str) -> list[int]:
        while os.getpid() != self.process:
            time.sleep(0.05)
        return self.sound.encode_ordinary(text)


class ShuffledBatch(Naive):
    """The results of a larger batch come in another order."""

    def encode_batch(self, texts: Sequence[str], threads: int | None = None, **specials: Any) -> list[list[int]]:
        found = super().encode_batch(texts, threads, **specials)
        return found[::-1] if len(found) > 3 else found


class LongBatch(Naive):
    """One result too many."""

    def encode_batch(self, texts: Sequence[str], threads: int | None = None, **specials: Any) -> list[list[int]]:
        return [*super().encode_batch(texts, threads, **specials), []]


class TakesAnySpecial(Naive):
    """A special token that isn't allowed is text."""

    def encode(self, text: str, allowed_special: Any = frozenset(), disallowed_special: Any = "all") -> list[int]:
        return super().encode(text, allowed_special, ())


class Raises(Naive):
    def encode_ordinary(self, text: str) -> list[int]:
        if "中" in text:
            raise OverflowError("too wide")
        return self.sound.encode_ordinary(text)


def texts_of(*texts: str) -> list[Texts]:
    return [Texts.of("text", texts), Texts.of("generated", adversarial.generate(1, 15_000, SPECIALS), 5)]


def gate(
    tokenizer: Any,
    folder: Path,
    checks: Sequence[str] = tuple(CONSISTENCY),
    texts: list[Texts] | None = None,
    answer_seconds: float = 60.0,
) -> list[tuple[Verdict, Case | None]]:
    plan = Plan(None, 1, 1)
    some = texts if texts is not None else texts_of(STORY, STORY * 3, "a<s>b", "one\r\ntwo\n", "")
    with Processes(answer_seconds) as processes:
        found = {"it": comparisons(tokenizer, Setting(1, 2), checks, folder, 4000, processes)}
        return check_all({"it": tokenizer}, some, found, checks, plan, 1)[1]
