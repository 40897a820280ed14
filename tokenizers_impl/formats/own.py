"""evalkit's own format: one JSON file that holds everything a tokenizer is, and a checksum over it.

The file is text, one key a line. Token bytes are texts in which each code point is a byte (Latin-1), so that
ASCII tokens can be read; merges are pairs of ids one after the other. A file is refused, never reinterpreted,
when anything that decides an id is not what it was when the file was written: the checksum, the variant's
version and pattern, the Unicode version, the format's own version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenizers_impl import engine
from tokenizers_impl.atomic import write_text
from tokenizers_impl.errors import TokenizerError, shorten
from tokenizers_impl.formats.limits import JsonValue
from tokenizers_impl.records import TrainingRecord
from tokenizers_impl.registry import LEFT_TO_RIGHT, get_variant

if TYPE_CHECKING:
    from tokenizers_impl.tokenizer import BPETokenizer

FORMAT = "evalkit-tokenizer"
VERSION = 1
FILE_NAME = "evalkit.json"
"""The file's name where a folder is given; ``tokenizer.json`` would be Hugging Face's."""

_REQUIRED = (
    "format",
    "version",
    "sha256",
    "variant",
    "unicode",
    "lexicon",
    "special_tokens",
    "vocab",
    "merges",
)
_OPTIONAL = ("direction", "training", "origin", "ignore_merges", "foreign")
_OTHER_VERSION = "use the evalkit that wrote the file, or train again"


def targets(path: Path) -> list[Path]:
    """What saving writes."""
    return [path if path.suffix == ".json" else path / FILE_NAME]


def save(tokenizer: BPETokenizer, path: Path) -> Path:
    """Writes the file, or ``evalkit.json`` in the folder ``path``; returns the file's path."""
    [target] = targets(path)
    return write_text(target, dumps(tokenizer))


def dumps(tokenizer: BPETokenizer) -> str:
    """The file's text; the same tokenizer always gives the same text."""
    content: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    content |= splitting_content(tokenizer)
    if tokenizer.direction != LEFT_TO_RIGHT:
        content["direction"] = tokenizer.direction
    content["lexicon"] = list(tokenizer.lexicon) if tokenizer.lexicon is not None else None
    content["special_tokens"] = dict(sorted(tokenizer.special_tokens.items(), key=lambda item: item[1]))
    content["origin"] = tokenizer.origin
    content["training"] = tokenizer.training.as_dict() if tokenizer.training is not None else None
    special_ids = set(tokenizer.special_tokens.values())
    ordinary = {token_id: token for token_id, token in tokenizer.vocab.items() if token_id not in special_ids}
    content["vocab"] = _runs(ordinary)
    if tokenizer.has_ranks:
        content["merges"] = "ranks"
    else:
        ids = {token: token_id for token_id, token in ordinary.items()}
        content["merges"] = [ids[part] for pair in tokenizer.merges for part in pair]
        if tokenizer.ignore_merges:
            content["ignore_merges"] = True
        if tokenizer.foreign:
            content["foreign"] = True
    content = {"format": FORMAT, "version": VERSION, "sha256": checksum(content)} | content
    lines = (f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in content.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def splitting_content(tokenizer: BPETokenizer) -> dict[str, Any]:
    """What decides the pretokens, word list aside, in the form that every file of ours has it."""
    variant = get_variant(tokenizer.variant)
    return {
        "variant": {"name": variant.name, "version": variant.version, "pattern": variant.pattern},
        "unicode": engine.active().unicode_version(),
    }


def check_holds_splitting(tokenizer: BPETokenizer, format_name: str) -> None:
    """Raises for a tokenizer whose pretokens depend on what only our own file has a place for."""
    lost = "word list" if tokenizer.lexicon is not None else ""
    if tokenizer.direction != LEFT_TO_RIGHT:
        lost = f"direction of digits, {tokenizer.direction},"
    if lost:
        raise TokenizerError(
            f"a {tokenizer.variant} tokenizer can't be saved as {format_name}: its {lost} has no place there"
        )


def checksum(content: dict[str, Any]) -> str:
    """SHA-256 of everything but the checksum, in canonical form: layout and order of keys don't matter."""
    rest = {key: value for key, value in content.items() if key != "sha256"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def load(document: JsonValue) -> BPETokenizer:
    """The tokenizer of a parsed file."""
    from tokenizers_impl.tokenizer import BPETokenizer

    check_header(document, FORMAT, VERSION)
    content = document.members(_REQUIRED, _OPTIONAL)
    if content["sha256"].text() != checksum(document.raw):
        document.fail(
            "the checksum doesn't match the content: the file was damaged or edited after it was written. "
            "Take another copy, or save the tokenizer again"
        )
    variant = load_splitting(content)
    lexicon = content["lexicon"].texts() if content["lexicon"].raw is not None else None
    direction = content["direction"].text() if "direction" in content else LEFT_TO_RIGHT
    specials = content["special_tokens"].ids_by_text()
    vocab = _vocab(content["vocab"])
    training = content.get("training")
    try:
        if content["merges"].raw == "ranks":
            ranks = {token: token_id for token_id, token in vocab.items()}
            tokenizer = BPETokenizer.from_ranks(ranks, specials, variant, direction)
        else:
            merges = _merges(content["merges"], vocab)
            record = _record(training) if training is not None and training.raw is not None else None
            flags = {key: content[key].boolean() for key in ("ignore_merges", "foreign") if key in content}
            tokenizer = BPETokenizer(
                vocab,
                merges,
                specials,
                variant,
                lexicon=lexicon,
                direction=direction,
                training=record,
                **flags,
            )
    except TokenizerError as error:
        if str(error).startswith(str(document.file)):
            raise
        document.fail(str(error))
    if "origin" in content and content["origin"].raw is not None:
        tokenizer.origin = content["origin"].text()
    return tokenizer


def check_header(document: JsonValue, expected: str, version: int) -> None:
    """Whether it is a file of that format, and of a version that this code reads."""
    header = document.mapping()
    if header.get("format") != expected:
        document.fail(f'expected "format": "{expected}", got {shorten(header.get("format"))}')
    if "version" not in header:
        document.fail("the key 'version' is missing")
    found = document.at("version").integer(1)
    if found > version:
        document.fail(f"format version {found} was made by a newer evalkit; this one reads up to {version}: upgrade")


def load_splitting(content: dict[str, JsonValue]) -> str:
    """The variant's name, once everything about it is as it was when the file was written."""
    stored = content["variant"].members(("name", "version", "pattern"))
    name = stored["name"].text()
    try:
        variant = get_variant(name)
    except TokenizerError as error:
        stored["name"].fail(str(error))
    if stored["version"].integer(1) != variant.version or stored["pattern"].text() != variant.pattern:
        content["variant"].fail(
            f"the variant {name!r} was version {stored['version'].raw} with the pattern "
            f"{shorten(stored['pattern'].raw)}; here it is version {variant.version} with "
            f"{shorten(variant.pattern)}, so that ids could differ: {_OTHER_VERSION}"
        )
    known = engine.active().unicode_version()
    if (found := content["unicode"].text()) != known:
        content["unicode"].fail(
            f"the tokenizer was made with Unicode {shorten(found)}, this evalkit has {known!r}, so that ids "
            f"could differ: {_OTHER_VERSION}"
        )
    return name


def load_stated(
    content: dict[str, JsonValue], pattern: str | None, special_tokens: Mapping[str, int] | None, side: Path
) -> tuple[str, dict[str, int]]:
    """Split pattern and special tokens that a side file states; what was given beside it must say the same: to go by
    one of the two would leave the other out silently."""
    variant, specials = load_splitting(content), content["special_tokens"].ids_by_text()
    if pattern is not None and pattern != variant:
        raise TokenizerError(f"{side} says the split pattern is {variant!r}, not {pattern!r}")
    if special_tokens is not None and dict(special_tokens) != specials:
        given = shorten(dict(special_tokens))
        raise TokenizerError(f"{side} says the special tokens are {shorten(specials)}, not {given}: leave them out")
    return variant, specials


def _runs(vocab: dict[int, bytes]) -> list[list[Any]]:
    """Tokens by id as runs of consecutive ids: [first id, [token, …]]."""
    runs: list[list[Any]] = []
    following = None
    for token_id, token in sorted(vocab.items()):
        if token_id != following:
            runs.append([token_id, []])
        runs[-1][1].append(token.decode("latin-1"))
        following = token_id + 1
    return runs


def _vocab(value: JsonValue) -> dict[int, bytes]:
    vocab: dict[int, bytes] = {}
    for index in range(len(value.items())):
        run = value.at(index)
        if len(run.items()) != 2:
            run.fail(f"expected [first id, [tokens]], got a list of {len(run.items())}")
        first = run.at(0).integer()
        for token_id, token in enumerate(run.at(1).texts(), start=first):
            if token_id in vocab:
                run.fail(f"id {token_id} is given twice")
            try:
                vocab[token_id] = token.encode("latin-1")
            except UnicodeEncodeError:
                run.at(1).at(token_id - first).fail("a character beyond U+00FF, where each stands for one byte")
    return vocab


def _merges(value: JsonValue, vocab: dict[int, bytes]) -> list[tuple[bytes, bytes]]:
    if not isinstance(value.raw, list):
        value.fail('expected a list of ids or "ranks"')
    ids = value.integers()
    if len(ids) % 2:
        value.fail(f"{len(ids)} ids don't make pairs")
    try:
        parts = [vocab[token_id] for token_id in ids]
    except KeyError as error:
        value.at(ids.index(error.args[0])).fail(f"id {error.args[0]} is not in the vocabulary")
    return list(zip(parts[::2], parts[1::2], strict=True))


def _record(value: JsonValue) -> TrainingRecord:
    declared = {field.name: field for field in fields(TrainingRecord)}
    required = [
        name for name, field in declared.items() if field.default is MISSING and field.default_factory is MISSING
    ]
    content = value.members(required, [name for name in declared if name not in required])
    found: dict[str, Any] = {}
    for name, member in content.items():
        if name in ("stopped", "tie_break", "engine"):
            found[name] = member.text()
        elif name == "seconds":
            found[name] = {stage: member.at(stage).number() for stage in member.mapping()}
        elif name == "peak_memory_bytes":
            found[name] = {stage: member.at(stage).integer(high=1 << 63) for stage in member.mapping()}
        elif member.raw is None and declared[name].default is None:
            found[name] = None
        else:
            found[name] = member.integer(high=1 << 63)
    return TrainingRecord(**found)


def may_replace(path: Path) -> bool:
    """Whether nothing is lost but a tokenizer of evalkit (of any version) where one is written to ``path``."""
    if not path.is_file() or path.stat().st_size == 0:
        return True
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.get("format") == FORMAT


def is_own(document: JsonValue) -> bool:
    return isinstance(document.raw, dict) and document.raw.get("format") == FORMAT
