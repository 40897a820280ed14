"""tiktoken's encodings as :class:`BPETokenizer`, and tiktoken itself as the judge of them.

The tokenizer runs on our engine with our split patterns; ``upstream`` gives the ``tiktoken.Encoding`` built
from the same ranks, without any download, and ``tokenizer_check`` compares the two id by id.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import types
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tokenizers_impl import engine, unicode_data, vocab_sources
from tokenizers_impl.atomic import write_bytes
from tokenizers_impl.cachedir import cache_root
from tokenizers_impl.deferred import dataclass
from tokenizers_impl.errors import TokenizerError, suggestion
from tokenizers_impl.tokenizer import BPETokenizer

if TYPE_CHECKING:
    from concurrent.futures import Future

    import tiktoken

_END, _END_OF_PROMPT = "<|endoftext|>", "<|endofprompt|>"
_FIM = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")
_PRIVATE_USE = "\ue000"


@dataclass(frozen=True)
class PublishedEncoding:
    """What tiktoken declares for one encoding; a test holds this table to the installed tiktoken's."""

    name: str
    ranks: str
    variant: str
    special_tokens: dict[str, int]


def _harmony() -> dict[str, int]:
    named = {
        199998: "<|startoftext|>",
        199999: _END,
        200002: "<|return|>",
        200003: "<|constrain|>",
        200005: "<|channel|>",
        200006: "<|start|>",
        200007: "<|end|>",
        200008: "<|message|>",
        200012: "<|call|>",
        200018: _END_OF_PROMPT,  # tiktoken takes <|reserved_200018|> for it as well; an id has one text here
    }
    return {named.get(token_id, f"<|reserved_{token_id}|>"): token_id for token_id in range(199998, 201088)}


ENCODINGS = {
    encoding.name: encoding
    for encoding in (
        PublishedEncoding("gpt2", "r50k_base", "gpt2", {_END: 50256}),
        PublishedEncoding("r50k_base", "r50k_base", "gpt2", {_END: 50256}),
        PublishedEncoding("p50k_base", "p50k_base", "gpt2", {_END: 50256}),
        PublishedEncoding(
            "p50k_edit",
            "p50k_base",
            "gpt2",
            {_END: 50256} | {text: 50281 + number for number, text in enumerate(_FIM)},
        ),
        PublishedEncoding(
            "cl100k_base",
            "cl100k_base",
            "cl100k",
            {_END: 100257, _END_OF_PROMPT: 100276} | {text: 100258 + number for number, text in enumerate(_FIM)},
        ),
        PublishedEncoding("o200k_base", "o200k_base", "o200k", {_END: 199999, _END_OF_PROMPT: 200018}),
        PublishedEncoding("o200k_harmony", "o200k_base", "o200k", _harmony()),
    )
}


def from_tiktoken(name: str, *, check: bool = False) -> BPETokenizer:
    """tiktoken's encoding of that name, on our engine. The ranks are found on this machine where possible and
    have the SHA-256 that tiktoken demands (see :mod:`tokenizers_impl.vocab_sources`). With ``check`` the
    result is compared with the installed tiktoken on some texts, which takes about a second: see
    :func:`tokenizer_check`.

    Raises :class:`TokenizerError` for an unknown name, for ranks that no source has, and where tiktoken
    differs.

    >>> from_tiktoken("gpt2").encode("hello world")
    [31373, 995]
    """
    if name not in ENCODINGS:
        raise TokenizerError(
            f"unknown tiktoken encoding {name!r}{suggestion(name, ENCODINGS)}; there are {', '.join(ENCODINGS)}"
        )
    begun = _ahead.pop(name, None)
    tokenizer = None if begun is None or begun.exception() else begun.result()
    if tokenizer is None or tokenizer.engine != engine.name():  # the engine may have been changed meanwhile
        tokenizer = _made(ENCODINGS[name], vocab_sources.load_ranks_file(ENCODINGS[name].ranks))
    if check and (verdict := tokenizer_check(tokenizer)).status == "different":
        raise TokenizerError(verdict.message)
    return tokenizer


def _made(encoding: PublishedEncoding, data: bytes) -> BPETokenizer:
    tokenizer = BPETokenizer.from_ranks_file(data, encoding.special_tokens, encoding.variant)
    assert tokenizer is not None, "a file with a known hash is as tiktoken writes them"
    tokenizer.origin = encoding.name
    return tokenizer


_ahead: dict[str, Future[BPETokenizer | None]] = {}
"""By name, what was begun and not asked for yet."""


def load_ahead(names: Iterable[str]) -> None:
    """Begins to load encodings that are going to be asked for, each on a thread; the next :func:`from_tiktoken` of that
    name waits for the thread. Names that are none are left out, and so is what isn't in evalkit's cache: a rebuilt or
    downloaded file is for whoever really asks."""
    from concurrent.futures import ThreadPoolExecutor

    wanted = [name for name in dict.fromkeys(names) if name in ENCODINGS and name not in _ahead]
    if wanted:
        pool = ThreadPoolExecutor(len(wanted), thread_name_prefix="evalkit-load")
        _ahead.update({name: pool.submit(_kept, ENCODINGS[name]) for name in wanted})
        pool.shutdown(wait=False)


def _kept(encoding: PublishedEncoding) -> BPETokenizer | None:
    data = vocab_sources.kept_ranks_file(encoding.ranks)
    return None if data is None else _made(encoding, data)


# ── tiktoken as the judge ───────────────────────────────────────────────────────────────────────────────────


def upstream(tokenizer: BPETokenizer) -> tiktoken.Encoding | None:
    """The ``tiktoken.Encoding`` that ``tokenizer`` is to agree with, or None where it comes from elsewhere or
    tiktoken isn't installed. Built from the tokenizer's own ranks, once a process; nothing is downloaded."""
    if tokenizer.origin not in ENCODINGS or not tokenizer.has_ranks:
        return None
    key = (tokenizer.origin, tokenizer.fingerprint)
    if key not in _upstreams:
        special_ids = set(tokenizer.special_tokens.values())
        ranks = {token: i for i, token in tokenizer.vocab.items() if i not in special_ids}
        _upstreams[key] = _encoding(tokenizer.origin, ranks)
    return _upstreams[key]


_upstreams: dict[tuple[str, str], tiktoken.Encoding | None] = {}


def forget_upstreams() -> None:
    """Lets go of what :func:`upstream` made, some 80 MB each: for whoever has checked, and then works on for long."""
    _upstreams.clear()


def _encoding(name: str, ranks: dict[bytes, int]) -> tiktoken.Encoding | None:
    try:
        import tiktoken
    except ImportError:
        return None
    declared = declaration(name, ranks)
    ours = ENCODINGS[name].special_tokens
    return tiktoken.Encoding(
        name,
        pat_str=declared["pat_str"],
        mergeable_ranks=ranks,
        special_tokens={text: i for text, i in declared["special_tokens"].items() if text in ours},
    )


def declaration(name: str, ranks: dict[bytes, int]) -> dict[str, Any]:
    """What the installed tiktoken declares for the encoding: its constructor, run in a copy of its module in
    which loading a file gives ``ranks``, so that neither the network nor tiktoken's cache is touched. Its
    ``demanded`` holds the SHA-256 of the files that it would have loaded."""
    import tiktoken_ext.openai_public as public

    demanded: dict[str, str] = {}

    def load_tiktoken_bpe(url: str, expected_hash: str | None = None) -> dict[bytes, int]:
        demanded[url] = expected_hash or ""
        return ranks

    def data_gym_to_mergeable_bpe_ranks(
        vocab_bpe_file: str, encoder_json_file: str, **options: Any
    ) -> dict[bytes, int]:
        demanded[encoder_json_file] = options.get("encoder_json_hash") or ""
        return ranks

    namespace = dict(vars(public))
    for key, value in vars(public).items():
        if isinstance(value, types.FunctionType) and value.__module__ == public.__name__:
            namespace[key] = types.FunctionType(value.__code__, namespace, key, value.__defaults__)
    namespace["load_tiktoken_bpe"] = load_tiktoken_bpe
    namespace["data_gym_to_mergeable_bpe_ranks"] = data_gym_to_mergeable_bpe_ranks
    found: dict[str, Any] = namespace[public.ENCODING_CONSTRUCTORS[name].__name__]()
    return found | {"demanded": demanded}


Status = Literal["same", "unicode version", "different", "not compared"]


@dataclass(frozen=True)
class UpstreamVerdict:
    """How a tokenizer compares with its upstream. Only ``different`` is a fault; ``unicode version`` says
    that the two disagree on code points alone that our Unicode version doesn't assign."""

    status: Status
    message: str
    texts: int


PROBES = (
    "",
    " ",
    "hello world",
    "I can't, we'LL, they\u2019ve; 'S 'tis O'Neil's \u017f'\u017f",
    "12345678 3.14159 1,234,567 \u0663\u0664\u0665\u0666 \u216b\u00bd x\u00b2",
    "line one\n\nline two\r\n\tindented  \n   \n",
    "blanks at the end   ",
    "blanks then a newline   \n",
    "\u00a0\u2003\u3000wide\u2028blanks\x1c\x1d\x85",
    "def f(x):\n        return {'a': x ** 2}  # ok?\n\n\n",
    "/usr/local/bin --flag=value https://example.org/a?b=c#d\n//\n",
    "CamelCaseWords HTTPServer iPhone XMLHttpRequest \u01c4ungla",
    "na\u00efve caf\u00e9 e\u0301clair Z\u0334\u0321\u0353a\u0335lgo",
    "\u5317\u4eac\u662f\u4e2d\u56fd\u7684\u9996\u90fd\u3002\u4eba\u53e321893095\u4eba\u3007\u3005",
    "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8 \ud55c\uad6d\uc5b4 \u0e44\u0e17\u0e22",
    "\u0627\u0644\u0639\u0631\u0628\u064a\u0629 \u0939\u093f\u0928\u094d\u0926\u0940 \u05e2\u05d1\u05e8\u05d9\u05ea",
    "\U0001f642\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea \U0001d4d0\U00020000",
    "<|endoftext|> as text, <|endofprompt|> too",
    "a" * 500 + " " * 300 + "!" * 200,
    "\x00\x01\x7f\ufffd\ufeff",
)
"""Texts for ``tokenizer_check``: each turns on something in which splitters differ."""


def tokenizer_check(tokenizer: BPETokenizer, texts: Sequence[str] = PROBES) -> UpstreamVerdict:
    """Whether ``tokenizer`` and the tiktoken encoding it comes from give the same ids for ``texts``, as data
    and with special tokens allowed. The message of a difference names the first text and both runs of ids. A text
    on which tiktoken itself fails is not compared, and the message says so."""
    known = _known(tokenizer, texts)
    if known is not None and (said := known.read()) is not None:
        return UpstreamVerdict("same", said, len(texts))
    encoding = upstream(tokenizer)
    if encoding is None:
        return UpstreamVerdict("not compared", "no tiktoken encoding belongs to this tokenizer", 0)
    from importlib import metadata

    name, version = tokenizer.origin, metadata.version("tiktoken")
    only_unicode: str | None = None
    failed: list[str] = []
    for text in texts:
        try:
            found = _difference(tokenizer, encoding, text)
        except UpstreamError as error:
            failed.append(f"; it fails itself on {_short(text)}: {error}")
            continue
        if found is None:
            continue
        replaced = "".join(c if unicode_data.is_assigned(ord(c)) else _PRIVATE_USE for c in text)
        if replaced == text or _difference(tokenizer, encoding, replaced) is not None:
            ours, theirs = found
            return UpstreamVerdict(
                "different",
                f"{name} differs from tiktoken {version} on {_short(text)}: here {_short(ours)}, "
                f"there {_short(theirs)}",
                len(texts),
            )
        only_unicode = only_unicode or text
    if only_unicode is not None:
        return UpstreamVerdict(
            "unicode version",
            f"{name} differs from tiktoken {version} only on code points that Unicode "
            f"{unicode_data.UNICODE_VERSION} doesn't assign, first on {_short(only_unicode)}",
            len(texts),
        )
    compared = len(texts) - len(failed)
    message = f"{name} gives tiktoken {version}'s ids for {compared} texts{''.join(failed[:1])}"
    if known is not None and not failed:
        known.write(message)
    return UpstreamVerdict("same" if compared else "not compared", message, compared)


@dataclass(frozen=True)
class _Known:
    """That two tokenizers agree on some texts, found out before: building tiktoken's takes longer than our own. Kept
    by everything that it depends on, the very file of the core among it; a disagreement is never kept."""

    path: Path

    def read(self) -> str | None:
        try:
            return self.path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return None

    def write(self, message: str) -> None:
        # A cache that can't be written costs time, not correctness.
        with contextlib.suppress(OSError, RuntimeError):
            write_bytes(self.path, message.encode())


def _known(tokenizer: BPETokenizer, texts: Sequence[str]) -> _Known | None:
    """None where it can't be known: not tiktoken's, tiktoken not here, or an engine that no file stands for."""
    core = getattr(tokenizer.engine_module, "__file__", None)
    if tokenizer.origin not in ENCODINGS or tokenizer.engine != "native" or core is None:
        return None
    from importlib import metadata  # slow to import, and not needed to load a vocabulary

    try:
        there, version = os.stat(core), metadata.version("tiktoken")
    except (OSError, metadata.PackageNotFoundError):
        return None
    content = [tokenizer.origin, tokenizer.fingerprint, version, core, there.st_size, there.st_mtime_ns, [*texts]]
    key = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    return _Known(cache_root() / "agrees" / f"{key}.txt")


class UpstreamError(Exception):
    """tiktoken gave no ids at all."""


def _upstream_ids(encode: Callable[[], list[int]]) -> list[int]:
    try:
        return encode()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic in Rust is no Exception; a million blanks give one
        raise UpstreamError(f"{type(error).__name__}: {error}") from None


def _difference(tokenizer: BPETokenizer, encoding: tiktoken.Encoding, text: str) -> tuple[list[int], list[int]] | None:
    """(our ids, tiktoken's) where they differ."""
    ours, theirs = tokenizer.encode_ordinary(text), _upstream_ids(lambda: encoding.encode_ordinary(text))
    if ours != theirs:
        return ours, theirs
    ours = tokenizer.encode(text, allowed_special="all")
    theirs = _upstream_ids(lambda: encoding.encode(text, allowed_special="all"))
    return (ours, theirs) if ours != theirs else None


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 200 else shown[:199] + "…"
