"""Hugging Face's ``tokenizer.json``, for byte-level BPE.

A file is a chain: added tokens, normalizer, pre-tokenizer, model, post-processor, decoder. Each part is honoured
exactly or refused by name with the path of its key; what is left out has a note in ``tokenizer.notes``.

| part | honoured | left out with a note | refused |
|---|---|---|---|
| ``added_tokens`` | all, special or not, as special tokens | | ``single_word``, ``lstrip``, ``rstrip`` |
| ``normalizer`` | null | NFC and its like, where asked for | the rest |
| ``pre_tokenizer`` | ByteLevel, Split and Digits before it | | what drops or adds text |
| ``model`` | BPE, ``ignore_merges`` | | ``dropout``, affixes |
| ``post_processor`` | ByteLevel | templates: ids are those of ``add_special_tokens=False`` | |
| ``decoder`` | ByteLevel | null | the rest |
| ``truncation``, ``padding`` | null | all | |

``encode_ordinary`` takes text as data, and so finds no added token in it; Hugging Face's ``encode`` always finds
them, the special and the others, as ``encode(text, allowed_special="all")`` does here.
"""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import Literal

from tokenizers_impl.errors import TokenizerError, shorten
from tokenizers_impl.formats import hf_model, hf_split
from tokenizers_impl.formats.limits import JsonValue, parse_json, read_file
from tokenizers_impl.tokenizer import BPETokenizer

FILE_NAME = "tokenizer.json"
VERSION = "1.0"

_PARTS = (
    "version",
    "truncation",
    "padding",
    "added_tokens",
    "normalizer",
    "pre_tokenizer",
    "post_processor",
    "decoder",
)
_UNICODE_FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")


def from_huggingface(
    path: str | os.PathLike[str], *, normalizer: Literal["refuse", "ignore"] = "refuse"
) -> BPETokenizer:
    """The tokenizer of a ``tokenizer.json``, or of the folder that holds one.

    ``normalizer="ignore"`` leaves a Unicode normal form (NFC, NFD, NFKC, NFKD) out: ids are then those of the file
    for text that is in that form already, and the bytes of the tokens are those of the text, always.

    Raises :class:`TokenizerError` naming file and key for what is damaged and for what can't be honoured exactly.
    """
    if normalizer not in ("refuse", "ignore"):
        raise ValueError(f"normalizer is 'refuse' or 'ignore', not {normalizer!r}")
    place = Path(path)
    if place.is_dir():
        place = place / FILE_NAME
    tokenizer = load(parse_json(read_file(place), place), ignore_normalizer=normalizer == "ignore")
    tokenizer.origin = f"huggingface:{place.name}"
    tokenizer.source = place.resolve()
    return tokenizer


def load(document: JsonValue, *, ignore_normalizer: bool = False) -> BPETokenizer:
    """The tokenizer of a parsed file."""
    content = document.members(("model",), _PARTS)
    if "version" in content and content["version"].text() != VERSION:
        content["version"].fail(f"version {shorten(content['version'].raw)} is not known; {VERSION!r} is")
    null = JsonValue(None, document.file)
    notes: list[str] = []
    for name in ("truncation", "padding"):
        if (part := content.get(name, null)).raw is not None:
            part.mapping()
            notes.append(f"{name} is left out: every text is encoded whole, and nothing is added to it")
    model = hf_model.read(content["model"], content.get("added_tokens", null))
    form = _normalizer(content.get("normalizer", null), ignore_normalizer, notes)
    pattern = hf_split.pattern_of(content.get("pre_tokenizer", null), notes)
    _post_processor(content.get("post_processor", null), notes)
    _decoder(content.get("decoder", null), notes)
    if form is not None:
        for number, added in enumerate(model.added):
            if not unicodedata.is_normalized(form, added):
                content["added_tokens"].at(number).at("content").fail(
                    f"{shorten(added)} is not in {form}, so that leaving the normalizer out would change where it is "
                    "found"
                )
    parts = (model.vocab, model.merges, model.added, pattern)
    try:
        tokenizer = BPETokenizer(*parts, ignore_merges=model.ignore_merges)
    except TokenizerError:
        try:
            tokenizer = BPETokenizer(*parts, ignore_merges=model.ignore_merges, foreign=True)
        except TokenizerError as error:
            content["model"].fail(str(error))
    tokenizer.notes = tuple(notes)
    return tokenizer


def _type(value: JsonValue) -> str:
    if "type" not in value.mapping():
        value.fail("the key 'type' is missing")
    return value.at("type").text()


def _normalizer(value: JsonValue, ignore: bool, notes: list[str]) -> Literal["NFC", "NFD", "NFKC", "NFKD"] | None:
    """The Unicode form that is left out, if any."""
    found = None
    waiting = [value] if value.raw is not None else []
    while waiting:
        part = waiting.pop(0)
        kind = _type(part)
        if kind == "Sequence":
            inner = part.members(("type", "normalizers"))["normalizers"]
            waiting = [inner.at(number) for number in range(len(inner.items()))] + waiting
            continue
        form = next((form for form in _UNICODE_FORMS if form == kind), None)
        if form is None:
            part.fail(f"the normalizer {shorten(kind)} changes the text, so that its bytes would not come back")
        if found not in (None, form):
            part.fail(f"a second normalizer, {kind}, after {found}; only one Unicode form can be left out")
        if not ignore:
            part.fail(
                f"the normalizer {kind} changes the text, so that its bytes would not come back; with "
                'normalizer="ignore" (in a suite, normalizer: ignore; on the command line, --normalizer ignore) it is '
                "left out, which changes no id of a text that is in that form already"
            )
        found = form
    if found is not None:
        notes.append(f"the normalizer {found} is left out: ids are the file's for text that is in {found} already")
    return found


def _post_processor(value: JsonValue, notes: list[str]) -> None:
    """Nothing of it changes the ids of ``add_special_tokens=False``, except a template that repeats the text."""
    adds: list[str] = []
    waiting = [value] if value.raw is not None else []
    while waiting:
        part = waiting.pop(0)
        kind = _type(part)
        if kind == "Sequence":
            inner = part.members(("type", "processors"))["processors"]
            waiting = [inner.at(number) for number in range(len(inner.items()))] + waiting
        elif kind == "ByteLevel":
            part.members(("type",), ("add_prefix_space", "trim_offsets", "use_regex"))  # about offsets alone
        elif kind in ("RobertaProcessing", "BertProcessing"):
            content = part.members(("type", "sep", "cls"), ("trim_offsets", "add_prefix_space"))
            for name in ("cls", "sep"):
                if not content[name].items():
                    content[name].fail("expected [token, id]")
                adds.append(content[name].at(0).text())
        elif kind == "TemplateProcessing":
            adds += _template(part)
        else:
            part.fail(f"the post-processor {shorten(kind)} is not known here, and so neither what it adds")
    if adds:
        names = ", ".join(dict.fromkeys(adds))
        notes.append(f"the post-processor adds {names}; ids here are those of add_special_tokens=False")


def _template(part: JsonValue) -> list[str]:
    """The special tokens that a template adds to a single text."""
    single = part.members(("type", "single"), ("pair", "special_tokens"))["single"]
    adds, texts = [], 0
    for number in range(len(single.items())):
        piece = single.at(number)
        content = piece.members((), ("SpecialToken", "Sequence"))
        if len(content) != 1:
            piece.fail("expected either SpecialToken or Sequence")
        if "SpecialToken" in content:
            adds.append(content["SpecialToken"].members(("id",), ("type_id",))["id"].text())
        elif content["Sequence"].members(("id",), ("type_id",))["id"].text() == "A":
            texts += 1
        else:
            piece.fail("a single text has no second sequence")
    if texts != 1:
        single.fail(f"the template holds the text {texts} times; only once can be honoured")
    return adds


def _decoder(value: JsonValue, notes: list[str]) -> None:
    if value.raw is None:
        notes.append("the file has no decoder; decoding here joins the bytes of the tokens")
        return
    waiting = [value]
    while waiting:
        part = waiting.pop(0)
        kind = _type(part)
        if kind == "Sequence":
            inner = part.members(("type", "decoders"))["decoders"]
            waiting = [inner.at(number) for number in range(len(inner.items()))] + waiting
        elif kind != "ByteLevel":
            part.fail(f"the decoder {shorten(kind)} doesn't belong to byte-level BPE; ByteLevel does")
