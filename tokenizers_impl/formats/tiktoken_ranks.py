"""``.tiktoken`` files: one token a line, its bytes in base64, a blank, its rank, which is its id.

The file knows neither split pattern nor special tokens. Saving puts both into a side file,
``<name>.tiktoken.json``, with the checksum of the ranks; loading without one needs ``pattern=``.
"""

from __future__ import annotations

import binascii
import hashlib
import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenizers_impl.atomic import write_bytes
from tokenizers_impl.errors import TokenizerError, shorten
from tokenizers_impl.formats.limits import MAX_ID, parse_json, read_file
from tokenizers_impl.formats.own import check_header, check_holds_splitting, load_stated, splitting_content

if TYPE_CHECKING:
    from tokenizers_impl.tokenizer import BPETokenizer

SUFFIX = ".tiktoken"
FILE_NAME = "tokenizer.tiktoken"
SIDE_FORMAT, SIDE_VERSION = "evalkit-tiktoken", 1

# Texts that are encoded both ways before a file is written, on top of the proof below.
_TEXTS = (
    "The quick brown fox can't jump over 12,345 lazy dogs.\n\n\tdef f(x):\n        return x ** 2  \n",
    "naïve café — 北京是中国的首都。 日本語のテキスト 한국어 Ελληνικά русский العربية 🙂aaaaaaaaaaaaaaaa",
)


def dumps(ranks: Mapping[bytes, int]) -> bytes:
    """The file's bytes, exactly as tiktoken writes them.

    >>> dumps({b"a": 0, b"ab": 1})
    b'YQ== 0\\nYWI= 1\\n'
    """
    encode = binascii.b2a_base64
    ordered = sorted(ranks.items(), key=lambda item: item[1])
    return b"".join([b"%b %d\n" % (encode(token, newline=False), rank) for token, rank in ordered])


def loads(data: bytes, path: Path) -> dict[bytes, int]:
    """Ranks by bytes. Lines may stand in any order and ids may have gaps; blank lines are skipped, as
    tiktoken does."""
    decode, encode = binascii.a2b_base64, binascii.b2a_base64
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(data.split(b"\n"), start=1):
        parts = line.split()
        try:
            text, digits = parts
            token, rank = decode(text), int(digits)
            # Decoding ignores what isn't base64, and int() takes +1 and 1_000; both must come out as they
            # went in.
            if encode(token, newline=False) != text or b"%d" % rank != digits or not token or not 0 <= rank <= MAX_ID:
                raise ValueError
        except ValueError:
            if not parts:
                continue
            _explain(line, number, path)
        if token in ranks:
            _fail(path, number, f"the token {shorten(token)} has rank {ranks[token]} already")
        ranks[token] = rank
    if len(set(ranks.values())) != len(ranks):
        _explain_twice(data, path)
    return ranks


def _fail(path: Path, number: int, message: str) -> None:
    raise TokenizerError(f"{path}: line {number}: {message}")


def _explain(line: bytes, number: int, path: Path) -> None:
    """The error of a line that couldn't be read."""
    parts = line.split()
    shown = repr(line[:60])[1:]
    if len(parts) != 2:
        _fail(path, number, f"expected base64, a blank and a rank, got {shown}")
    text, digits = parts
    if not digits.isdigit() or (len(digits) > 1 and digits.startswith(b"0")):
        _fail(
            path,
            number,
            f"the rank {digits[:60].decode('ascii', 'backslashreplace')!r} is not a plain integer",
        )
    if len(digits) > len(str(MAX_ID)) or int(digits) > MAX_ID:
        _fail(path, number, f"the rank is larger than {MAX_ID:,}")
    if text.strip(b"=") == b"":
        _fail(path, number, "the token has no bytes")
    _fail(path, number, f"{text[:60].decode('ascii', 'backslashreplace')!r} is not base64")


def _explain_twice(data: bytes, path: Path) -> None:
    seen: dict[bytes, int] = {}
    for number, line in enumerate(data.split(b"\n"), start=1):
        if parts := line.split():
            if parts[1] in seen:
                _fail(path, number, f"rank {int(parts[1])} is on line {seen[parts[1]]} already")
            seen[parts[1]] = number


def side_path(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def targets(path: Path) -> list[Path]:
    """What saving writes, the ranks first."""
    ranks = path if path.suffix == SUFFIX else path / FILE_NAME
    return [ranks, side_path(ranks)]


def save(tokenizer: BPETokenizer, path: Path) -> Path:
    """Writes the ranks (``tokenizer.tiktoken`` where ``path`` is a folder) and the side file; returns the
    path of the ranks. Nothing is written for a tokenizer whose ids would change."""
    target, side_target = targets(path)
    special_ids = set(tokenizer.special_tokens.values())
    ranks = {token: i for i, token in tokenizer.vocab.items() if i not in special_ids}
    check_holds_splitting(tokenizer, "tiktoken")
    if not tokenizer.has_ranks:
        _check_merges_as_ranks(tokenizer, ranks)
    data = dumps(ranks)
    side: dict[str, Any] = {"format": SIDE_FORMAT, "version": SIDE_VERSION} | splitting_content(tokenizer)
    side["special_tokens"] = tokenizer.special_tokens
    side["ranks_sha256"] = hashlib.sha256(data).hexdigest()
    write_bytes(target, data)
    write_bytes(side_target, (json.dumps(side, indent=1, ensure_ascii=False) + "\n").encode())
    return target


def _check_merges_as_ranks(tokenizer: BPETokenizer, ranks: dict[bytes, int]) -> None:
    """tiktoken merges whatever two neighbours join to the token of lowest id, so that a list of merges is a
    ranks file only if the ids are in merge order and each token is built by the one pair that joining its own
    bytes by rank ends with. Both sides are then the same procedure: at the moment two neighbours join to a
    token, everything of lower rank inside it is merged already, so they are that pair."""
    from tokenizers_impl.tokenizer import BPETokenizer

    def refuse(why: str) -> None:
        raise TokenizerError(f"can't be saved as tiktoken, since ids would change: {why}; save it as evalkit or gpt2")

    built = [ranks[left + right] for left, right in tokenizer.merges]
    for number, (before, after) in enumerate(itertools.pairwise(built), start=2):
        if after <= before:
            refuse(f"merge {number} makes id {after} after id {before}, and a smaller id merges first there")
    merged = set(built)
    for token, token_id in ranks.items():
        if len(token) > 1 and token_id not in merged:
            refuse(f"no merge makes token {token_id}, {token!r}")
    by_rank = BPETokenizer.from_ranks(ranks, tokenizer.special_tokens, tokenizer.variant)
    if by_rank.merges != tokenizer.merges:
        pairs = dict.fromkeys(by_rank.merges)
        left, right = next(pair for pair in tokenizer.merges if pair not in pairs)
        refuse(f"by rank, {left + right!r} isn't built from {left!r} and {right!r}")
    whole = b" ".join(ranks).decode("utf-8", "replace")
    for text in (*_TEXTS, whole):
        if by_rank.encode_ordinary(text) != tokenizer.encode_ordinary(text):
            refuse(f"the ids of {text[:60]!r} differ")


def load(path: Path, pattern: str | None, special_tokens: Mapping[str, int] | None) -> BPETokenizer:
    """The ranks with what the side file says; without one, with ``pattern`` and ``special_tokens``."""
    from tokenizers_impl.tokenizer import BPETokenizer

    data = read_file(path)
    beside = side_path(path)
    if beside.exists():
        side = parse_json(read_file(beside), beside)
        check_header(side, SIDE_FORMAT, SIDE_VERSION)
        content = side.members(("format", "version", "variant", "unicode", "special_tokens", "ranks_sha256"))
        if content["ranks_sha256"].text() != hashlib.sha256(data).hexdigest():
            raise TokenizerError(f"{path} is not the file that {beside} was written with (its checksum differs)")
        pattern, special_tokens = load_stated(content, pattern, special_tokens, beside)
    elif pattern is None:
        raise TokenizerError(
            f"{path} doesn't say how text is split, and there is no {beside.name} beside it: give pattern= "
            "(the name of a variant) and special_tokens="
        )
    try:
        tokenizer = BPETokenizer.from_ranks_file(data, special_tokens or {}, pattern)
        if tokenizer is not None:
            return tokenizer
    except TokenizerError as error:
        raise TokenizerError(f"{path}: {error}") from None
    ranks = loads(data, path)  # whose errors name the file and the line
    try:
        return BPETokenizer.from_ranks(ranks, special_tokens or {}, pattern)
    except TokenizerError as error:
        raise TokenizerError(f"{path}: {error}") from None
