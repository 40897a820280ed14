"""What a tokenizer is compared with besides itself: the reference, its upstream, its saved form, an equal one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import metadata
from typing import Any
from unicodedata import category, unidata_version

from evalkit.gate.ids import Ids
from evalkit.gate.paths import Setting, Truth, Way, serial, ways
from tokenizers_impl import BPETokenizer, engine, tiktoken_adapter, unicode_data
from tokenizers_impl.arguments import well_formed
from tokenizers_impl.deferred import dataclass
from tokenizers_impl.formats import hf_upstream
from tokenizers_impl.opaque import OpaqueTokenizer
from tokenizers_impl.sentencepiece_adapter import ByPieces, SentencePieceTokenizer

UPSTREAM_SHARE = 4_000_000
EQUIVALENT_SHARE = 20_000_000
PRIVATE_USE = "\ue000"
FIRST_IN_UNICODE_16 = "\U000105c0"  # TODHRI LETTER A


@dataclass(frozen=True)
class Comparison:
    """One encoder that has to give a tokenizer's ids; see :class:`evalkit.gate.paths.Way` for the fields that
    it shares.

    ``vocab``: bytes by id, where they aren't the tokenizer's own. ``excuse`` says of a text on which the two
    differ why that is no fault, or None if it is one. ``cost``: how much slower it is than an ordinary
    encode, about.
    """

    check: str
    name: str
    encode: Callable[[Sequence[str]], Ids]
    truth: Truth = "ordinary"
    share: int | None = None
    counts: bool = False
    vocab: Mapping[int, bytes] | None = None
    excuse: Callable[[str], str | None] | None = None
    cost: int = 1


@dataclass(frozen=True)
class Unavailable:
    """A check that can't be made, and why, as a phrase."""

    check: str
    reason: str


@dataclass(frozen=True)
class Mismatch:
    """A check that failed before any text was encoded."""

    check: str
    reason: str


Found = Comparison | Unavailable | Mismatch


def of_ways(tokenizer: Any, setting: Setting) -> list[Found]:
    """The tokenizer's own ways to encode."""
    return [_of_way(tokenizer, one, setting) for one in ways(setting.threads)]


_LACKS = {
    "encode_batch": "it has no batch",
    "encode_ordinary_batch": "it has no batch on a number of threads",
    "encode_parallel": "it has no way to encode one text on several threads",
    "encode_iterable": "it takes no text in pieces",
    "engine_encoder": "its encoder isn't evalkit's",
    "count": "it has no count of its own",
}


def _of_way(tokenizer: Any, one: Way, setting: Setting) -> Found:
    if one.check == "specials" and not tokenizer.special_tokens:
        return Unavailable(one.check, "it has no special tokens")
    if one.check == "specials" and isinstance(tokenizer, OpaqueTokenizer):
        return Unavailable(one.check, "which special tokens it finds in a text isn't known here")
    if not hasattr(tokenizer, one.needs):
        return Unavailable(one.check, _LACKS.get(one.needs, f"it has no {one.needs}"))
    return Comparison(
        one.check,
        one.name,
        lambda texts: one.encode(tokenizer, texts, setting),
        one.truth,
        one.share,
        one.counts,
    )


def of_reference(tokenizer: Any, share: int) -> list[Found]:
    """The same tokenizer on the pure-Python engine, on ``share`` bytes of each corpus."""
    if isinstance(tokenizer, OpaqueTokenizer):
        return [Unavailable("reference", "its rules aren't known here, so that there is no reference of it")]
    if tokenizer.engine == "reference":
        return [Unavailable("reference", f"the reference is what encodes here: {engine.reason()}")]
    with engine.use("reference"):
        other = rebuilt(tokenizer)
    return [
        Comparison(
            "reference",
            "the reference",
            lambda texts: serial(other, texts),
            share=share,
            vocab=other.vocab,
            cost=20,
        )
    ]


def rebuilt(tokenizer: Any) -> BPETokenizer:
    """The tokenizer built anew from what it says of itself, on the engine in use."""
    specials = tokenizer.special_tokens
    special_ids = set(specials.values())
    ordinary = {i: token for i, token in tokenizer.vocab.items() if i not in special_ids}
    if tokenizer.has_ranks:
        ranks = {token: i for i, token in ordinary.items()}
        return BPETokenizer.from_ranks(ranks, specials, tokenizer.variant, tokenizer.direction)
    return BPETokenizer(
        ordinary,
        tokenizer.merges,
        specials,
        tokenizer.variant,
        lexicon=tokenizer.lexicon,
        direction=tokenizer.direction,
        ignore_merges=tokenizer.ignore_merges,
        foreign=tokenizer.foreign,
    )


def of_upstream(tokenizer: Any) -> list[Found]:
    """The library that the tokenizer comes from, as data and with all special tokens allowed."""
    if isinstance(tokenizer, SentencePieceTokenizer):
        return [_of_library(ByPieces(tokenizer))]
    if getattr(tokenizer, "origin", None) is None:
        return [Unavailable("upstream", "it comes from no other library")]
    encoding: Any
    knows_16: Callable[[], bool]
    if (encoding := tiktoken_adapter.upstream(tokenizer)) is not None:
        name, knows_16 = f"tiktoken {metadata.version('tiktoken')}", knows_unicode_16
    elif (encoding := hf_upstream.upstream(tokenizer)) is not None:
        name, knows_16 = f"tokenizers {metadata.version('tokenizers')}", hf_upstream.knows_unicode_16
    else:
        return [Unavailable("upstream", "the library that it comes from, or its file there, is not at hand")]

    def as_data(text: str) -> list[int]:
        ids: list[int] = _guarded(encoding.encode_ordinary, text)
        return ids

    def allowed(text: str) -> list[int]:
        ids: list[int] = _guarded(lambda one: encoding.encode(one, allowed_special="all"), text)
        return ids

    def ours_allowed(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(text, allowed_special="all")
        return ids

    return [
        Comparison(
            "upstream",
            name,
            lambda texts: Ids.of(map(as_data, texts)),
            share=UPSTREAM_SHARE,
            excuse=_Excuse(tokenizer.encode_ordinary, as_data, knows_16),
        ),
        Comparison(
            "upstream",
            f"{name}, all allowed",
            lambda texts: Ids.of(map(allowed, texts)),
            truth="specials",
            excuse=_Excuse(ours_allowed, allowed, knows_16),
        ),
    ]


def _of_library(library: Any) -> Comparison:
    """The library that encodes already, on the same file in another way."""
    return Comparison(
        "upstream",
        library.name,
        lambda texts: Ids.of(map(library.encode_ordinary, texts)),
        share=UPSTREAM_SHARE,
    )


class UpstreamError(Exception):
    """The other library gave no ids at all."""


def _guarded(encode: Callable[[str], Any], text: str) -> Any:
    try:
        return encode(text)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic in Rust is no Exception
        raise UpstreamError(f"{type(error).__name__}: {error}") from None


@dataclass(frozen=True)
class _Excuse:
    """Why a difference from upstream is none of ours: it fails itself, or knows another Unicode version."""

    ours: Callable[[str], list[int]]
    theirs: Callable[[str], list[int]]
    knows_16: Callable[[], bool]

    def __call__(self, text: str) -> str | None:
        try:
            self.theirs(text)
        except UpstreamError as error:
            return f"not compared, since upstream fails itself: {error}"
        text = well_formed(text)
        unknown = [c for c in text if not unicode_data.is_assigned(ord(c))]
        if self._agree_without(text, unknown):
            return f"Unicode version: {unicode_data.UNICODE_VERSION} doesn't assign {_named(unknown)}"
        if not self.knows_16():
            # Which version upstream has isn't known; what Python's own, older one lacks is the best guess.
            unknown += [c for c in text if category(c) == "Cn"]
            if self._agree_without(text, unknown):
                return f"Unicode version: newer than {unidata_version} are {_named(unknown)}, and upstream is older"
        return None

    def _agree_without(self, text: str, unknown: Sequence[str]) -> bool:
        if not unknown:
            return False
        replaced = text.translate({ord(c): PRIVATE_USE for c in unknown})
        return self.ours(replaced) == self.theirs(replaced)


@cache
def knows_unicode_16() -> bool:
    """Whether the installed tiktoken's patterns take a letter of Unicode 16.0 for one."""
    import tiktoken

    word = f"a{FIRST_IN_UNICODE_16}".encode()
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {word[:end]: 254 + end for end in range(2, len(word) + 1)}
    probe = tiktoken.Encoding("probe", pat_str=r"\p{L}+|\P{L}+", mergeable_ranks=ranks, special_tokens={})
    return len(probe.encode_ordinary(word.decode())) == 1


def _named(characters: Sequence[str]) -> str:
    some = sorted(set(characters))
    more = f" and {len(some) - 5} more" if len(some) > 5 else ""
    return ", ".join(f"U+{ord(c):04X}" for c in some[:5]) + more


def of_equivalent(tokenizer: Any, other: Any, name: str) -> list[Found]:
    """Another tokenizer of the suite that has to give the same ids: for text as data, and with special tokens allowed
    where both find them as evalkit does."""
    vocab = getattr(other, "vocab", None)
    plain = Comparison("equivalent", name, lambda texts: serial(other, texts), share=EQUIVALENT_SHARE, vocab=vocab)
    if not (isinstance(tokenizer, BPETokenizer) and isinstance(other, BPETokenizer) and tokenizer.special_tokens):
        return [plain]

    def allowed(texts: Sequence[str]) -> Ids:
        return Ids.of([other.encode(text, allowed_special="all") for text in texts])

    return [plain, Comparison("equivalent", f"{name}, all allowed", allowed, truth="specials", vocab=vocab)]
