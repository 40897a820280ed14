"""YAML without surprises: one document of plain values, and the place of every one of them.

PyYAML follows YAML 1.1, in which ``no`` is false, ``1_000`` a thousand, ``0123`` eighty-three and ``2:30`` a
hundred and fifty. A suite file is read by people who know none of that, so only PyYAML's scanner, parser and
composer are used here; scalars are resolved by the core rules of YAML 1.2, and what the two versions read
differently stays text, so that whoever wants a number there refuses it (``number_hint`` says what to write).
Everything that makes a file mean something else than it shows (duplicate keys, anchors, aliases, merge keys,
tags, directives, tabs) is refused, with its line and column.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import field
from typing import Any, NoReturn

import yaml

from evalkit.errors import UserError
from tokenizers_impl.deferred import dataclass

MAX_BYTES = 1_000_000
MAX_DEPTH = 32
MAX_NODES = 100_000

KeyPath = tuple[str | int, ...]

_NULL = re.compile(r"(?:~|null|Null|NULL|)\Z")
_BOOLEAN = re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z")
# A leading zero is left out on purpose: octal in YAML 1.1, decimal in 1.2.
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z", re.ASCII)
_BASED = re.compile(r"0(?:o[0-7]+|x[0-9a-fA-F]+)\Z", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?\Z", re.ASCII)
_NOT_FINITE = re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z")
_GROUPED = re.compile(r"[-+]?[0-9]+(?:[_, '][0-9]+)+\Z", re.ASCII)
_LEADING_ZERO = re.compile(r"[-+]?0+[0-9]+\Z", re.ASCII)
_LONGEST_INTEGER = 20  # digits; more is a slip, and Python refuses to convert some thousands of them

_HINTS = {
    "mapping values are not allowed here": "is the indentation right? Text that holds ': ' needs quotes",
    "could not find expected ':'": "a key is followed by a colon and a blank",
    "cannot start any token": "text that starts with this sign needs quotes",
    "while scanning an alias": "text that starts with '*' needs quotes",
    "while scanning an anchor": "text that starts with '&' needs quotes",
    "expected <block end>": "is the indentation right?",
    "found unknown escape character": "in double quotes a backslash is written twice",
    "expected a single document": "a file holds one document; is there a stray '---'?",
}


@dataclass(frozen=True)
class YamlDocument:
    """A mapping, and where each of its parts stands: ``marks[path]`` is (line, column) of a value, counted
    from one, ``key_marks[path]`` that of its key."""

    name: str
    value: dict[str, Any]
    marks: dict[KeyPath, tuple[int, int]] = field(repr=False)
    key_marks: dict[KeyPath, tuple[int, int]] = field(repr=False)

    def nearest_path(self, path: KeyPath) -> KeyPath:
        """The longest beginning of ``path`` that is in the file."""
        while path and path not in self.marks:
            path = path[:-1]
        return path

    def position(self, path: KeyPath, *, key: bool = False) -> tuple[int, int]:
        """Line and column of the value (or its key) at ``path``, or of what would contain it."""
        found = self.nearest_path(path)
        if key or found != path:  # something missing inside: its owner's key says more than its first child
            return self.key_marks.get(found, self.marks[found])
        return self.marks[found]

    def where(self, path: KeyPath, *, key: bool = False) -> str:
        """``suite.yaml:12:5``."""
        line, column = self.position(path, key=key)
        return f"{self.name}:{line}:{column}"


def format_path(path: KeyPath) -> str:
    """A path as it is written in messages.

    >>> format_path(("tokenizers", 2, "vocab_size"))
    'tokenizers[2].vocab_size'
    """
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def number_hint(value: object) -> str:
    """What to write instead of something that looks like a whole number and isn't one, or an empty string.

    >>> number_hint("1_000"), number_hint("0123"), number_hint(2e4)
    ('write 1000', 'a leading zero means octal to some readers of YAML: write 123', 'write 20000')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"write {int(value)}"
    if not isinstance(value, str):
        return ""
    if _GROUPED.match(value):
        return "write " + re.sub(r"[^-0-9]", "", value)
    if _LEADING_ZERO.match(value):
        return f"a leading zero means octal to some readers of YAML: write {int(value)}"
    if _INTEGER.match(value):
        return "write it without quotes"
    return ""


class _Composer(yaml.SafeLoader):
    """PyYAML's composer with guards: it builds nodes, and none of PyYAML's constructors ever runs."""

    def __init__(self, text: str, refuse: Callable[[Any, str], NoReturn]) -> None:
        super().__init__(text)
        self._refuse = refuse
        self._depth = 0
        self._nodes = 0

    def compose_document(self) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.DocumentStartEvent) and (event.version or event.tags):
            self._refuse(event.start_mark, "directives (lines that start with '%') are not allowed")
        return super().compose_document()

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            self._refuse(
                event.start_mark,
                f"aliases are not allowed, found '*{event.anchor}' (text that starts with '*' needs quotes)",
            )
        if event.anchor is not None:
            self._refuse(
                event.start_mark,
                f"anchors are not allowed, found '&{event.anchor}' (text that starts with '&' needs quotes)",
            )
        if event.tag is not None:
            self._refuse(
                event.start_mark,
                f"tags are not allowed, found {event.tag!r} (text that starts with '!' needs quotes)",
            )
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self._refuse(event.start_mark, f"more than {MAX_NODES} values in one file")
        if self._depth >= MAX_DEPTH:
            self._refuse(event.start_mark, f"nested more than {MAX_DEPTH} deep")
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1


class _Builder:
    """Turns nodes into plain values and remembers where each stood."""

    def __init__(self, name: str, *, allow_null: bool) -> None:
        self.name = name
        self.allow_null = allow_null
        self.marks: dict[KeyPath, tuple[int, int]] = {}
        self.key_marks: dict[KeyPath, tuple[int, int]] = {}

    def refuse(self, mark: Any, message: str, path: KeyPath = ()) -> NoReturn:
        place = f"{self.name}:{mark.line + 1}:{mark.column + 1}: "
        raise UserError(place + (f"{format_path(path)}: " if path else "") + message)

    def value(self, node: yaml.Node, path: KeyPath) -> Any:
        self.marks[path] = (node.start_mark.line + 1, node.start_mark.column + 1)
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*path, number)) for number, item in enumerate(node.value)]
        return self.scalar(node, path)

    def mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self.key(key_node, path)
            here = (*path, key)
            if key in result:
                first = self.key_marks[here][0]
                self.refuse(key_node.start_mark, f"the key is there twice; the first is in line {first}", here)
            self.key_marks[here] = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            result[key] = self.value(value_node, here)
        return result

    def key(self, node: yaml.Node, path: KeyPath) -> str:
        if not isinstance(node, yaml.ScalarNode):
            self.refuse(node.start_mark, "a key must be text, found a list or a mapping", path)
        if node.style is None and node.value == "<<":
            self.refuse(node.start_mark, "merge keys ('<<') are not allowed", path)
        key = None if node.style is None and _NULL.match(node.value) else self.scalar(node, path)
        if not isinstance(key, str):
            shown = node.value or "nothing"
            self.refuse(node.start_mark, f"a key must be text, found {shown} (put it in quotes)", path)
        return key

    def scalar(self, node: yaml.Node, path: KeyPath) -> Any:
        text: str = node.value
        if isinstance(node, yaml.ScalarNode) and node.style is None:
            if _NULL.match(text):
                if self.allow_null:
                    return None
                self.refuse(node.start_mark, "there is no value; give one or remove the key", path)
            if _BOOLEAN.match(text):
                return text.lower() == "true"
            if _INTEGER.match(text) or _BASED.match(text):
                if len(text) > _LONGEST_INTEGER:
                    self.refuse(node.start_mark, f"the number {text[:24]}… is too large", path)
                return int(text, 10 if _INTEGER.match(text) else 0)
            if _FLOAT.match(text) or _NOT_FINITE.match(text):
                number = math.nan if _NOT_FINITE.match(text) else float(text)
                if not math.isfinite(number):
                    self.refuse(node.start_mark, f"a number must be finite, found {text}", path)
                return number
        if any("\ud800" <= sign <= "\udfff" for sign in text):
            self.refuse(node.start_mark, "half of a surrogate pair is no character", path)
        return text


def parse_yaml(data: bytes, name: str, *, allow_null: bool = False) -> YamlDocument:
    """Reads one strict YAML document whose top level is a mapping; ``name`` stands in the messages.

    ``allow_null`` is for files where "nothing" means something; in a suite a key without a value is a slip.
    """
    text = _decode(data, name)
    _refuse_odd_characters(text, name)
    builder = _Builder(name, allow_null=allow_null)
    composer = _Composer(text, builder.refuse)
    try:
        node = composer.get_single_node()
    except yaml.MarkedYAMLError as error:
        raise UserError(_explain(error, name)) from None
    except (ValueError, OverflowError):  # chr() of an escape beyond U+10FFFF
        place = f"{name}:{composer.line + 1}:{composer.column + 1}"
        raise UserError(f"{place}: not valid YAML: an escape that names no character") from None
    finally:
        composer.dispose()
    if node is None or (isinstance(node, yaml.ScalarNode) and not node.value):
        raise UserError(f"{name}: the file is empty; expected a mapping of keys and values")
    if not isinstance(node, yaml.MappingNode):
        kind = "a list" if isinstance(node, yaml.SequenceNode) else f"the text {_one_line(node.value)[:40]!r}"
        builder.refuse(node.start_mark, f"expected a mapping of keys and values, found {kind}")
    value = builder.mapping(node, ())
    builder.marks[()] = (node.start_mark.line + 1, node.start_mark.column + 1)
    return YamlDocument(name, value, builder.marks, builder.key_marks)


def _decode(data: bytes, name: str) -> str:
    if len(data) > MAX_BYTES:
        raise UserError(f"{name}: the file is larger than {MAX_BYTES} bytes; is it the right one?")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UserError(f"{name}: the file is UTF-16; save it as UTF-8")
    if data.startswith(b"\xef\xbb\xbf"):
        raise UserError(f"{name}: the file starts with a byte order mark; save it as UTF-8 without one")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{name}:{line}: not UTF-8: byte {error.start} is 0x{data[error.start]:02x} ({error.reason})"
        ) from None
    if not text.strip():
        raise UserError(f"{name}: the file is empty; expected a mapping of keys and values")
    return text


# PyYAML takes the last three for line ends, as YAML 1.1 says; YAML 1.2 and every editor don't.
_ODD = {
    "\t": 'a tab; indent with blanks, and write a tab inside text as "\\t"',
    "\x85": 'U+0085; write it as "\\x85"',
    "\u2028": 'U+2028; write it as "\\u2028"',
    "\u2029": 'U+2029; write it as "\\u2029"',
}


def _refuse_odd_characters(text: str, name: str) -> None:
    """Control characters and tabs; a tab in a comment is harmless."""
    if not any(sign in text for sign in _ODD) and yaml.reader.Reader.NON_PRINTABLE.search(text) is None:
        return
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        comment = re.match(r"[^'\"#]*(?<![^\s])#", line)
        for column, sign in enumerate(line, 1):
            if sign == "\t" and comment and column > comment.end():
                continue
            if sign in _ODD:
                raise UserError(f"{name}:{number}:{column}: found {_ODD[sign]}")
            if yaml.reader.Reader.NON_PRINTABLE.match(sign):
                raise UserError(
                    f"{name}:{number}:{column}: the character U+{ord(sign):04X} is not allowed in YAML; "
                    "write it as an escape in double quotes"
                )


def _explain(error: yaml.MarkedYAMLError, name: str) -> str:
    mark = error.problem_mark or error.context_mark
    if error.problem and "end of stream" in error.problem and error.context_mark:
        mark = error.context_mark  # where the quote opens, not where the file ends
    place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
    said = " ".join(filter(None, (error.context, error.problem)))
    hint = next((f" ({hint})" for sign, hint in _HINTS.items() if sign in said), "")
    return f"{place}: not valid YAML: {_one_line(said)}{hint}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
