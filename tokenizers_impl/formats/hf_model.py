"""The model and the added tokens of a ``tokenizer.json``: bytes by id, merges, special tokens."""

from __future__ import annotations

from typing import NoReturn

from tokenizers_impl.deferred import dataclass
from tokenizers_impl.errors import shorten
from tokenizers_impl.formats.gpt2 import from_characters
from tokenizers_impl.formats.limits import JsonValue

MAX_CONTENT = 1024
"""The longest text of an added token, in characters."""


@dataclass(frozen=True)
class Model:
    vocab: dict[int, bytes]
    """Without the added tokens."""
    merges: list[tuple[bytes, bytes]]
    added: dict[str, int]
    ignore_merges: bool


def read(model: JsonValue, added_tokens: JsonValue) -> Model:
    content = _members(model)
    spelled = content["vocab"].ids_by_text()
    added = _added(added_tokens, spelled)
    vocab: dict[int, bytes] = {}
    names = {token_id: text for text, token_id in added.items()}
    for text, token_id in spelled.items():
        if token_id in vocab or (text not in added and token_id in names):
            first = names[token_id] if token_id in names else vocab[token_id]
            content["vocab"].at(text).fail(f"id {token_id} is {shorten(first)} already")
        if text in added:
            continue
        try:
            vocab[token_id] = from_characters(text)
        except KeyError as error:
            if _flag(content, "byte_fallback"):
                content["byte_fallback"].fail(
                    "its tokens are characters, and bytes only where it has no character (byte_fallback: true, as "
                    "SentencePiece's BPE); only byte-level BPE is read, whose every token is spelled by GPT-2's table"
                )
            content["vocab"].at(text).fail(
                f"the character {error.args[0]!r} stands for no byte in GPT-2's table, and no added token has that text"
            )
    merges = _merges(content["merges"], spelled, added)
    ignore = _flag(content, "ignore_merges")
    if ignore:
        _check_lookups(added_tokens, added, spelled)
    return Model(vocab, merges, added, ignore)


def _members(model: JsonValue) -> dict[str, JsonValue]:
    kind = model.mapping().get("type", "BPE")
    if kind != "BPE":
        model.at("type").fail(f"only BPE is byte-level, not {shorten(kind)}")
    content = model.members(
        ("vocab", "merges"),
        (
            "type",
            "dropout",
            "unk_token",
            "continuing_subword_prefix",
            "end_of_word_suffix",
            "fuse_unk",
            "byte_fallback",
            "ignore_merges",
        ),
    )
    if "dropout" in content and content["dropout"].raw is not None and content["dropout"].number() != 0:
        content["dropout"].fail("dropout encodes at random; set it to null")
    for name in ("continuing_subword_prefix", "end_of_word_suffix"):
        if name in content and content[name].raw is not None and content[name].text():
            content[name].fail(f"{shorten(content[name].raw)} would become part of tokens; byte-level BPE has none")
    # All bytes are in the vocabulary, so that nothing is ever unknown: these have no effect.
    if "unk_token" in content and content["unk_token"].raw is not None:
        content["unk_token"].text()
    for name in ("fuse_unk", "byte_fallback"):
        _flag(content, name)
    return content


def _flag(content: dict[str, JsonValue], name: str, default: bool = False) -> bool:
    return content[name].boolean() if name in content and content[name].raw is not None else default


# ── added tokens ────────────────────────────────────────────────────────────────────────────────────────────────────


def _added(value: JsonValue, spelled: dict[str, int]) -> dict[str, int]:
    """Ids by text, in the file's order.

    ``tokenizers`` doesn't take the ids that the file states: a text that the vocabulary has keeps that id, any other
    gets the next one after the vocabulary's *size* and the ids given before. A file in which the two differ means one
    thing to it and another to every other reader.
    """
    added: dict[str, int] = {}
    plain: list[str] = []
    normalized: list[tuple[str, JsonValue]] = []
    highest = -1
    for number in range(len(value.items()) if value.raw is not None else 0):
        token = value.at(number)
        content = token.members(("id", "content"), ("single_word", "lstrip", "rstrip", "normalized", "special"))
        text, stated = content["content"].text(), content["id"].integer()
        if not text:
            content["content"].fail("an empty added token would match everywhere; take it out")
        if len(text) > MAX_CONTENT:
            content["content"].fail(f"an added token of {len(text):,} characters; {MAX_CONTENT:,} are read")
        if text in added:
            content["content"].fail(f"{shorten(text)} is listed twice")
        for name, effect in _EFFECTS.items():
            if _flag(content, name):
                content[name].fail(f"{shorten(text)} {effect}, which can't be honoured: only false is")
        given = spelled.get(text)
        if given is None:
            given = max(len(spelled), highest + 1)
        if stated != given:
            content["id"].fail(
                f"the file says {stated} for {shorten(text)}, but tokenizers gives it {given}, "
                + ("which the vocabulary says" if text in spelled else "the next free one")
                + "; correct the id, or put the token into the vocabulary with it"
            )
        highest = max(highest, given)
        added[text] = given
        if _flag(content, "normalized", not _flag(content, "special")):
            normalized.append((text, content["content"]))
        else:
            plain.append(text)
    _check_phases(plain, normalized)
    return added


_EFFECTS = {
    "single_word": "is found between word boundaries only",
    "lstrip": "swallows the blanks before it",
    "rstrip": "swallows the blanks after it",
}


def _check_phases(plain: list[str], normalized: list[tuple[str, JsonValue]]) -> None:
    """``tokenizers`` looks for the tokens with ``normalized: false`` first, and for the others in what is left; ours
    are all found in one pass, leftmost and longest. The two agree unless a token of the first kind can start inside
    one of the second, or is the beginning of one."""
    if not plain or not normalized:
        return
    first = set(plain)
    beginnings = {text[:end] for text in plain for end in range(1, len(text) + 1)}
    longest = max(map(len, plain))
    for text, place in normalized:
        for start in range(len(text)):
            rest = text[start:]
            inside = any(rest[:end] in first for end in range(1, min(longest, len(rest)) + 1))
            if inside or (start and rest in beginnings):
                place.fail(
                    f"{shorten(text)} can overlap an added token with normalized: false, which is looked for first; "
                    "here the leftmost and longest is taken, so that ids could differ"
                )


def _check_lookups(value: JsonValue, added: dict[str, int], spelled: dict[str, int]) -> None:
    """With ``ignore_merges`` each pretoken is looked up by its spelling: `` foo`` finds an added token ``Ġfoo``."""
    for number, text in enumerate(added):
        if text not in spelled:
            continue
        try:
            word = from_characters(text).decode()
        except (KeyError, UnicodeDecodeError):
            continue
        if word != text:
            value.at(number).at("content").fail(
                f"with ignore_merges, the ordinary text {shorten(word)} is spelled like this token and gets its id"
            )


# ── merges ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _merges(value: JsonValue, spelled: dict[str, int], added: dict[str, int]) -> list[tuple[bytes, bytes]]:
    """The merges, which are all texts (``"a b"``) or all pairs (``["a", "b"]``)."""
    merges = []
    seen: dict[tuple[str, str], int] = {}
    raw = value.items()
    pairs = bool(raw) and isinstance(raw[0], list)
    for number, item in enumerate(raw):
        if pairs:
            if type(item) is not list or len(item) != 2 or type(item[0]) is not str or type(item[1]) is not str:
                _wrong_merge(value, number, pairs)
            left, right = item
        else:
            if type(item) is not str:
                _wrong_merge(value, number, pairs)
            if item.startswith("#version"):  # the first line of a merges.txt; tokenizers skips it as well
                continue
            left, _, right = item.partition(" ")
            if " " in right or not left or not right:
                value.at(number).fail(
                    f"expected two tokens with one blank between, got {shorten(item)}; tokens that hold a blank "
                    'need the form ["a", "b"]'
                )
        if (first := seen.setdefault((left, right), number)) != number:
            value.at(number).fail(
                f"the merge of {shorten(left)} and {shorten(right)} stands at [{first}] already; its rank is unclear"
            )
        for part, what in ((left, "left part"), (right, "right part"), (left + right, "result")):
            if part not in spelled or part in added:
                _missing_part(value.at(number), part, what, added)
        merges.append((from_characters(left), from_characters(right)))
    return merges


def _wrong_merge(value: JsonValue, number: int, pairs: bool) -> NoReturn:
    item = value.at(number)
    if pairs and isinstance(item.raw, str):
        item.fail('a text among pairs; merges are all "a b" or all ["a", "b"]')
    if not pairs and isinstance(item.raw, list):
        item.fail('a pair among texts; merges are all "a b" or all ["a", "b"]')
    if not pairs:
        item.text()
    if len(item.items()) != 2:
        item.fail(f"expected two tokens, got {len(item.items())}")
    item.texts()
    raise AssertionError("a merge without fault")


def _missing_part(merge: JsonValue, part: str, what: str, added: dict[str, int]) -> NoReturn:
    if part in added:
        merge.fail(
            f"its {what} {shorten(part)} is an added token: ordinary text would be taken for it. Take the merge or "
            "the added token out"
        )
    merge.fail(f"its {what} {shorten(part)} is not in model.vocab")
