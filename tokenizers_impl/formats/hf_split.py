"""The pre-tokenizer of a ``tokenizer.json`` as one of our split patterns."""

from __future__ import annotations

import re

from tokenizers_impl.deferred import dataclass
from tokenizers_impl.errors import shorten
from tokenizers_impl.formats import hf_compose
from tokenizers_impl.formats.limits import JsonValue
from tokenizers_impl.patterns.nodes import is_nullable
from tokenizers_impl.patterns.parse import PatternError, parse, read_otherwise_by_oniguruma
from tokenizers_impl.registry import VARIANTS, get_variant

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""What ByteLevel splits by with ``use_regex``."""

# Other ways to write registered patterns, possessive quantifiers included, each shown equal to ours.
_SPELLINGS = {
    GPT2: "gpt2",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": "gpt2",
}

_DROPPING = {
    "BertPreTokenizer": "drops blanks",
    "CharDelimiterSplit": "drops the delimiter",
    "FixedLength": "cuts by number of characters",
    "Metaspace": "writes blanks as ▁, which is not byte-level",
    "Punctuation": "goes by a table of signs of another Unicode version",
    "UnicodeScripts": "goes by a table of scripts of another Unicode version",
    "Whitespace": "drops blanks",
    "WhitespaceSplit": "drops blanks",
}


@dataclass(frozen=True)
class Step:
    """One cut: every match of ``regex`` and everything between two is a piece."""

    regex: str
    place: JsonValue
    removes: bool = False
    """Whether what lies between matches is dropped; nothing is where the pattern matches every text."""


def pattern_of(value: JsonValue, notes: list[str]) -> str:
    """The name of the variant (or the pattern) that cuts as the pre-tokenizer does."""
    if value.raw is None:
        JsonValue(None, value.file, "pre_tokenizer").fail(
            "there is none, so that text isn't turned into bytes; byte-level BPE needs ByteLevel"
        )
    steps: list[Step] = []
    waiting = [value]
    byte_level = False
    while waiting:
        part = waiting.pop(0)
        if "type" not in part.mapping():
            part.fail("the key 'type' is missing")
        kind = part.at("type").text()
        if kind == "Sequence":
            inner = part.members(("type", "pretokenizers"))["pretokenizers"]
            waiting = [inner.at(number) for number in range(len(inner.items()))] + waiting
            continue
        if byte_level:
            part.fail(f"{shorten(kind)} after ByteLevel would see bytes written as characters; ByteLevel comes last")
        if kind == "ByteLevel":
            byte_level = True
            if _byte_level(part):
                steps.append(Step(GPT2, part))
        elif kind == "Split":
            steps.append(_split(part, notes))
        elif kind == "Digits":
            alone = part.members(("type", "individual_digits"))["individual_digits"].boolean()
            steps.append(Step(r"\p{N}" if alone else r"\p{N}+", part))
        elif kind in _DROPPING:
            part.fail(f"the pre-tokenizer {kind} {_DROPPING[kind]}; it can't be honoured exactly")
        else:
            part.fail(f"the pre-tokenizer {shorten(kind)} is not known here")
    if not byte_level:
        value.fail("ByteLevel is missing, so that text isn't turned into bytes; only byte-level BPE is read")
    return variant_for(steps, value)


def _byte_level(part: JsonValue) -> bool:
    """Whether it splits by GPT-2's pattern."""
    content = part.members(("type", "add_prefix_space", "trim_offsets"), ("use_regex",))
    if content["add_prefix_space"].boolean():
        content["add_prefix_space"].fail("a blank put before the text would not be its own; only false is honoured")
    content["trim_offsets"].boolean()
    return content["use_regex"].boolean() if "use_regex" in content else True


def _split(part: JsonValue, notes: list[str]) -> Step:
    content = part.members(("type", "pattern", "behavior"), ("invert",))
    invert = content["invert"].boolean() if "invert" in content else False
    pattern = content["pattern"].members((), ("Regex", "String"))
    if len(pattern) != 1:
        content["pattern"].fail("expected either Regex or String")
    ((kind, value),) = pattern.items()
    regex = value.text()
    if not regex:
        value.fail("an empty pattern")
    if kind == "String":
        if re.search(r"\\[psSdwrn]|\)[?*+]|\[\^", regex):
            notes.append(
                f"{value.key}: {shorten(regex)} is taken literally, as the file says, and looks like a regular "
                "expression"
            )
        regex = re.escape(regex)
    behavior = content["behavior"].text()
    removes = behavior == "Removed"
    if behavior != "Isolated" and not (removes and invert):
        if not removes and behavior not in ("MergedWithPrevious", "MergedWithNext", "Contiguous"):
            content["behavior"].fail(f"{shorten(behavior)} is not known")
        effect = "drops the text that matches" if removes else "joins what matches to its neighbours"
        content["behavior"].fail(f"{behavior} {effect}; honoured are Isolated, and Removed with invert: true")
    return Step(regex, part, removes)


# ── from cuts to a variant ──────────────────────────────────────────────────────────────────────────────────────────


def variant_for(steps: list[Step], whole: JsonValue) -> str:
    """The variant that cuts as ``steps`` do one after the other; refuses by name what there is none for."""
    for step in steps:
        if step.removes and _registered(step.regex) is None:
            step.place.at("behavior").fail(
                "Removed with invert drops what the pattern doesn't match; it is honoured for the patterns of "
                f"registered variants, which match everything, not for {shorten(step.regex)}"
            )
        if _registered(step.regex) is None:
            _refuse_empty_matches(step)
    if not steps:
        return _own_pattern("", whole)
    if len(steps) == 1:
        return _registered(steps[0].regex) or _own_pattern(steps[0].regex, steps[0].place)
    try:
        regex = hf_compose.one_after_the_other([step.regex for step in steps])
    except ValueError as error:
        whole.fail(f"the splits can't be put into one pattern: {error}")
    return _own_pattern(regex, whole)


def _refuse_empty_matches(step: Step) -> None:
    """Upstream cuts where a pattern matches nothing, such as ``(?=(\\d{3})+(?!\\d))``; our patterns have matches with
    text in them only, so that the ids would be others."""
    try:
        empty = is_nullable(parse(_as_pattern(step.regex)))
    except PatternError:
        return  # refused with its own words when it is taken
    if empty:
        step.place.fail(
            f"{shorten(step.regex)} can match an empty text, where upstream cuts as well; honoured are patterns "
            "that match at least one character"
        )


def _registered(regex: str) -> str | None:
    found = _SPELLINGS.get(regex)
    if found is not None:
        return found
    plain = _plain(regex)
    names = (name for name, v in VARIANTS.items() if not v.uses_lexicon)
    return next((name for name in names if plain in map(_plain, _both_forms(VARIANTS[name].pattern))), None)


def in_oniguruma(regex: str) -> str:
    """A registered pattern as Oniguruma has to be given it: there, ``\\Z`` matches before a final newline as well, and
    ``{1,3}+`` repeats the group instead of being possessive. (In the patterns that have it, nothing follows that
    giving back could help.)"""
    return regex.replace(r"\Z", r"\z").replace("{1,3}+", "{1,3}")


def _both_forms(pattern: str) -> tuple[str, str]:
    return pattern, in_oniguruma(pattern)


def _plain(regex: str) -> str:
    """One spelling of what is written in several ways."""
    regex = regex.replace("\r", r"\r").replace("\n", r"\n").replace("\t", r"\t")
    # The letters of the contractions don't begin one another, so that their order doesn't matter.
    regex = regex.replace("(?i:'s|'t|'re|'ve|'m|'ll|'d)", "'(?i:[sdmt]|ll|ve|re)")
    if regex.startswith("'s|'t|'re|'ve|'m|'ll|'d|"):
        regex = "'(?:[sdmt]|ll|ve|re)|" + regex.removeprefix("'s|'t|'re|'ve|'m|'ll|'d|")
    return regex


def _own_pattern(regex: str, place: JsonValue) -> str:
    """The pattern itself, where no variant has it and it means here what it means to Oniguruma."""
    if not regex:
        return "bytes_only"
    try:
        if otherwise := read_otherwise_by_oniguruma(regex):
            place.fail(f"{otherwise} in {shorten(regex)} has another meaning in Oniguruma, for which it was written")
        return get_variant(_as_pattern(regex)).name
    except PatternError as error:
        return place.fail(str(error))


def _as_pattern(regex: str) -> str:
    """The regex in a form that isn't taken for a variant's name."""
    return f"(?:{regex})" if re.fullmatch("[A-Za-z0-9_-]+", regex) else regex
