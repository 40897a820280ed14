"""``tokenizers`` as the judge of what was imported from a ``tokenizer.json``, and of what is exported to one.

Its ``encode`` always finds added tokens, so that text as data needs a second tokenizer, of the same file without
them. Only ``tokenizers`` is asked here; nothing is downloaded.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any, Literal

from tokenizers_impl import unicode_data
from tokenizers_impl.formats.limits import parse_json, read_file
from tokenizers_impl.tiktoken_adapter import PROBES, UpstreamVerdict

if TYPE_CHECKING:
    from pathlib import Path

    from tokenizers_impl.tokenizer import BPETokenizer

_PRIVATE_USE = "\ue000"

# A letter that came with each version of Unicode.
_NEW_LETTERS = {"16": "\u1c89", "17": "\u0c5c", "18": "\u0558"}


class HuggingfaceEncoding:
    """A ``tokenizers.Tokenizer`` with the two methods by which upstreams are compared, those of
    ``tiktoken.Encoding``."""

    def __init__(self, content: dict[str, Any]) -> None:
        from tokenizers import Tokenizer

        # What the importer leaves out with a note is left out here too, so that it doesn't count as a difference.
        content = content | dict.fromkeys(("truncation", "padding", "normalizer", "post_processor"))
        self._whole = Tokenizer.from_str(json.dumps(content))
        added = {token["content"] for token in content.get("added_tokens") or ()}
        vocab = {text: i for text, i in content["model"]["vocab"].items() if text not in added}
        content = content | {"added_tokens": [], "model": content["model"] | {"vocab": vocab}}
        self._plain = Tokenizer.from_str(json.dumps(content))

    def encode_ordinary(self, text: str) -> list[int]:
        ids: list[int] = self._plain.encode(text, add_special_tokens=False).ids
        return ids

    def encode(self, text: str, *, allowed_special: Literal["all"] = "all") -> list[int]:
        """With all added tokens found; ``tokenizers`` has no other way."""
        if allowed_special != "all":
            raise ValueError("tokenizers finds all added tokens or none; allowed_special is 'all' here")
        ids: list[int] = self._whole.encode(text, add_special_tokens=False).ids
        return ids


def is_installed() -> bool:
    try:
        import tokenizers  # noqa: F401
    except ImportError:
        return False
    return True


def upstream(tokenizer: BPETokenizer) -> HuggingfaceEncoding | None:
    """``tokenizers`` on the file that ``tokenizer`` was imported from, or None where it comes from elsewhere, the file
    is gone, or ``tokenizers`` isn't installed. Made once a process."""
    if tokenizer.source is None or not is_installed() or not tokenizer.source.is_file():
        return None
    return _upstream(tokenizer.source, tokenizer.fingerprint)


def forget_upstreams() -> None:
    """Lets go of what :func:`upstream` made: for whoever has checked, and then works on for long."""
    _upstream.cache_clear()


@functools.lru_cache(maxsize=32)
def _upstream(path: Path, fingerprint: str) -> HuggingfaceEncoding:
    return HuggingfaceEncoding(parse_json(read_file(path), path).mapping())


def unicode_version() -> str:
    """The version of Unicode by which ``tokenizers`` splits, found by asking it for letters."""
    from tokenizers import Regex, pre_tokenizers

    split = pre_tokenizers.Split(Regex(r"\p{L}+"), "isolated")
    known = [name for name, letter in _NEW_LETTERS.items() if len(split.pre_tokenize_str(f"a{letter}a")) == 1]
    return known[-1] if known else "15 or older"


def knows_unicode_16() -> bool:
    return unicode_version() in _NEW_LETTERS


def tokenizer_check(tokenizer: BPETokenizer, texts: Sequence[str] = PROBES) -> UpstreamVerdict:
    """Whether ``tokenizer`` and ``tokenizers`` on its file give the same ids for ``texts`` and for its special tokens
    among them, as data and with special tokens allowed. The message of a difference names the first text."""
    encoding = upstream(tokenizer)
    if encoding is None:
        why = "tokenizers is not installed" if not is_installed() else "its tokenizer.json is not at hand"
        return UpstreamVerdict("not compared", f"not compared with tokenizers: {why}", 0)
    name, version = tokenizer.origin, metadata.version("tokenizers")
    texts = [*texts, *texts_with_specials(tokenizer)]
    only_unicode: str | None = None
    for text in texts:
        found = difference(tokenizer, encoding, text)
        if found is None:
            continue
        replaced = "".join(c if unicode_data.is_assigned(ord(c)) else _PRIVATE_USE for c in text)
        if replaced == text or difference(tokenizer, encoding, replaced) is not None:
            ours, theirs = found
            return UpstreamVerdict(
                "different",
                f"{name} differs from tokenizers {version} on {_short(text)}: here {_short(ours)}, there "
                f"{_short(theirs)}",
                len(texts),
            )
        only_unicode = only_unicode or text
    if only_unicode is not None:
        return UpstreamVerdict(
            "unicode version",
            f"{name} differs from tokenizers {version} (Unicode {unicode_version()}) only on code points that Unicode "
            f"{unicode_data.UNICODE_VERSION} doesn't assign, first on {_short(only_unicode)}",
            len(texts),
        )
    return UpstreamVerdict("same", f"{name} gives tokenizers {version}'s ids for {len(texts)} texts", len(texts))


def texts_with_specials(tokenizer: BPETokenizer, limit: int = 100) -> list[str]:
    """Texts in which special tokens touch words, signs, blanks and one another."""
    specials = sorted(tokenizer.special_tokens)[:limit]
    if not specials:
        return []
    first = specials[0]
    return [f"hi.{s}user {s}{s}\n {first}{s}  {s[:-1]}{s}12" for s in specials]


def difference(tokenizer: BPETokenizer, encoding: HuggingfaceEncoding, text: str) -> tuple[list[int], list[int]] | None:
    """(our ids, those of ``tokenizers``) where they differ."""
    ours, theirs = tokenizer.encode_ordinary(text), encoding.encode_ordinary(text)
    if ours != theirs:
        return ours, theirs
    ours = tokenizer.encode(text, allowed_special="all")
    theirs = encoding.encode(text, allowed_special="all")
    return (ours, theirs) if ours != theirs else None


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 200 else shown[:199] + "…"
