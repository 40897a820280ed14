"""The strict YAML reader: what is taken, what is refused, and where it says so."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import yaml_loader
from evalkit.errors import UserError
from evalkit.yaml_loader import MAX_BYTES, MAX_DEPTH, format_path, number_hint, parse_yaml

# Plain scalars as YAML 1.2 reads them; the second group is what YAML 1.1 reads otherwise.
VALUES: list[tuple[str, Any]] = [
    ("true", True),
    ("False", False),
    ("17", 17),
    ("-3", -3),
    ("+4", 4),
    ("0", 0),
    ("0x1F", 31),
    ("0o17", 15),
    ("1.5", 1.5),
    (".5", 0.5),
    ("1.", 1.0),
    ("2e4", 20000.0),
    ("-1E-2", -0.01),
    ("[1, a, {b: c}]", [1, "a", {"b": "c"}]),
    ("'1'", "1"),
    ('"\\t<|x|>\\u00e9"', "\t<|x|>é"),
    ("|-\n  two\n  lines", "two\nlines"),
    ("no", "no"),
    ("yes", "yes"),
    ("on", "on"),
    ("Off", "Off"),
    ("y", "y"),
    ("1_000", "1_000"),
    ("0123", "0123"),
    ("0b11", "0b11"),
    ("1,000", "1,000"),
    ("2:30", "2:30"),
    ("190:20:30", "190:20:30"),
    ("2001-01-01", "2001-01-01"),
    ("2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"),
    ("=", "="),
    ("١٢", "١٢"),
    ("<|endoftext|>", "<|endoftext|>"),
]


@pytest.mark.parametrize(("text", "value"), VALUES, ids=[text for text, _ in VALUES])
def test_values(text: str, value: Any) -> None:
    found = parse_yaml(f"key: {text}\n".encode(), "s.yaml").value["key"]
    assert found == value
    assert type(found) is type(value)


REFUSED: list[tuple[str | bytes, list[str]]] = [
    ("", ["s.yaml: ", "empty"]),
    ("# nothing but a comment\n", ["s.yaml: ", "empty"]),
    ("---\n...\n", ["s.yaml: ", "empty"]),
    ("- a\n- b\n", ["s.yaml:1:1: ", "expected a mapping", "found a list"]),
    ("just text", ["s.yaml:1:1: ", "expected a mapping", "'just text'"]),
    ("a: 1\nb: 2\na: 3\n", ["s.yaml:3:1: a: ", "twice", "line 1"]),
    ("a: {b: 1, b: 2}", ["s.yaml:1:11: a.b: ", "twice"]),
    ("a: [{b: 1}, {c: 1, 'c': 2}]", ["s.yaml:1:20: a[1].c: ", "twice"]),
    ("a: &x 1\nb: 2", ["s.yaml:1:4: ", "anchors are not allowed", "'&x'"]),
    ("a: &x\n  b: 1\nc: *x", ["s.yaml:1:4: ", "anchors"]),
    ("a: *x", ["s.yaml:1:4: ", "aliases are not allowed", "'*x'", "needs quotes"]),
    ("a: *.txt", ["s.yaml:1:5: ", "text that starts with '*' needs quotes"]),
    ("a: &.txt", ["s.yaml:1:5: ", "text that starts with '&' needs quotes"]),
    ("<<: {a: 1}", ["s.yaml:1:1: ", "merge keys ('<<')"]),
    ("a:\n  <<: [b]", ["s.yaml:2:3: a: ", "merge keys"]),
    ("a:\n\tb: 1", ["s.yaml:2:1: ", "found a tab"]),
    ("a:\tb", ["s.yaml:1:3: ", "found a tab"]),
    ("a: 'b\tc'", ["s.yaml:1:6: ", "found a tab", '"\\t"']),
    ("1: a", ["s.yaml:1:1: ", "a key must be text, found 1 ", "quotes"]),
    ("x: {true: a}", ["s.yaml:1:5: x: ", "a key must be text, found true"]),
    ("~: a", ["s.yaml:1:1: ", "a key must be text, found ~"]),
    ("? \n: a", ["s.yaml:1:2: ", "a key must be text, found nothing"]),
    ("? [a]\n: b", ["s.yaml:1:3: ", "a key must be text, found a list or a mapping"]),
    ("a: !!python/object:os.system x", ["s.yaml:1:4: ", "tags are not allowed"]),
    ("a: !!int '3'", ["s.yaml:1:4: ", "tags are not allowed"]),
    ("a: !mine {b: 1}", ["s.yaml:1:4: ", "tags are not allowed", "'!mine'"]),
    ("a: ! x", ["s.yaml:1:4: ", "tags are not allowed"]),
    ("%YAML 1.1\n---\na: 1", ["s.yaml:1:1: ", "directives"]),
    ("%TAG ! tag:x,1:\n---\na: 1", ["s.yaml:1:1: ", "directives"]),
    ("a: 1\n---\nb: 1", ["s.yaml:2:1: ", "single document", "stray '---'"]),
    ("a:\nb: 1", ["s.yaml:1:3: a: ", "there is no value"]),
    ("a: null", ["s.yaml:1:4: a: ", "there is no value"]),
    ("a: [1, ~]", ["s.yaml:1:8: a[1]: ", "there is no value"]),
    ("a: .inf", ["s.yaml:1:4: a: ", "finite", ".inf"]),
    ("a: -.INF", ["s.yaml:1:4: a: ", "finite"]),
    ("a: .NaN", ["s.yaml:1:4: a: ", "finite"]),
    ("a: 1e999", ["s.yaml:1:4: a: ", "finite", "1e999"]),
    ("a: " + "9" * 5000, ["s.yaml:1:4: a: ", "too large"]),
    ("a: 0x" + "f" * 5000, ["s.yaml:1:4: a: ", "too large"]),
    ("a: b: c", ["s.yaml:1:5: ", "not valid YAML", "needs quotes"]),
    ("a: @x", ["s.yaml:1:4: ", "not valid YAML", "'@'", "needs quotes"]),
    ("a: %x", ["s.yaml:1:4: ", "not valid YAML", "needs quotes"]),
    ("a: `x`", ["s.yaml:1:4: ", "not valid YAML", "needs quotes"]),
    ("a:\n  - b\n c: d", ["s.yaml:3:2: ", "not valid YAML", "indentation"]),
    ("a: 1\nb: 'open\n\n\n", ["s.yaml:2:4: ", "end of stream"]),
    ('a: "\\q"', ["s.yaml:1:6: ", "escape", "backslash is written twice"]),
    ('a: "\\U00110000"', ["s.yaml:1:", "names no character"]),
    ('a: "\\ud83d"', ["s.yaml:1:4: a: ", "surrogate"]),
    ('"\\ud83d": 1', ["s.yaml:1:1: ", "surrogate"]),
    ("a: 'x\u2028y'", ["s.yaml:1:6: ", "U+2028", '"\\u2028"']),
    ("a: x\x85y", ["s.yaml:1:5: ", "U+0085"]),
    ("a: 1\r\nb: \x07", ["s.yaml:2:4: ", "U+0007"]),
    ("a: 1\nb: \x00", ["s.yaml:2:4: ", "U+0000"]),
    (b"\xef\xbb\xbfa: 1", ["s.yaml: ", "byte order mark"]),
    (b"\xff\xfea\x00", ["s.yaml: ", "UTF-16"]),
    (b"a: 1\nb: caf\xe9\n", ["s.yaml:2: ", "not UTF-8", "byte 11", "0xe9"]),
    ("a: " + "[" * 1000, ["s.yaml:1:", f"nested more than {MAX_DEPTH} deep"]),
    ("a: " + "{a: " * 1000, ["s.yaml:1:", f"nested more than {MAX_DEPTH} deep"]),
    (b"a: " + b"x" * MAX_BYTES, ["s.yaml: ", f"larger than {MAX_BYTES} bytes"]),
]


@pytest.mark.parametrize(("text", "fragments"), REFUSED, ids=[repr(text[:30]) for text, _ in REFUSED])
def test_refused(text: str | bytes, fragments: list[str]) -> None:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(UserError) as caught:
        parse_yaml(data, "s.yaml")
    message = str(caught.value)
    assert message.startswith(fragments[0])
    assert all(fragment in message for fragment in fragments), message
    assert "\n" not in message


def test_many_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a lower limit, since PyYAML takes seconds for as many as are allowed."""
    assert yaml_loader.MAX_NODES == 100_000
    monkeypatch.setattr(yaml_loader, "MAX_NODES", 1_000)
    allowed = 1_000 - 3  # the mapping, its key and the list count too
    assert parse_yaml(f"a: [{'1,' * allowed}]".encode(), "s.yaml").value == {"a": [1] * allowed}
    with pytest.raises(UserError, match=r"s\.yaml:1:\d+: more than 1000 values"):
        parse_yaml(f"a: [{'1,' * (allowed + 1)}]".encode(), "s.yaml")


def test_tabs_in_comments_are_harmless() -> None:
    assert parse_yaml(b"a: 1 # x\ty\n#\tz\n", "s.yaml").value == {"a": 1}


def test_a_tab_behind_a_hash_that_is_no_comment() -> None:
    with pytest.raises(UserError, match="1:8: found a tab"):
        parse_yaml(b"a: 'x #\ty'", "s.yaml")


def test_null_where_it_means_something() -> None:
    assert parse_yaml(b"a:\nb: ~", "s.yaml", allow_null=True).value == {"a": None, "b": None}


def test_positions() -> None:
    document = parse_yaml(b"a: 1\nb:\n  - x\n  - {c: 2,\n     d: 3}\n", "s.yaml")
    assert document.where(("b", 1, "d")) == "s.yaml:5:9"
    assert document.where(("b", 1, "d"), key=True) == "s.yaml:5:6"
    assert document.where(("b", 1, "missing")) == "s.yaml:4:5"
    assert document.where(("b", 9)) == "s.yaml:2:1"
    assert document.where(("nothing",)) == "s.yaml:1:1"
    assert document.nearest_path(("b", 1, "e", "f")) == ("b", 1)


def test_paths_are_written_as_people_write_them() -> None:
    assert format_path(("tokenizers", 2, "vocab_size")) == "tokenizers[2].vocab_size"
    assert format_path(()) == ""


HINTS = [
    (2e4, "write 20000"),
    ("1_000", "write 1000"),
    ("-1 000", "write -1000"),
    ("1,000,000", "write 1000000"),
    ("0123", "write 123"),
    ("17", "without quotes"),
    (2.5, ""),
    ("2:30", ""),
    ("x", ""),
    (True, ""),
]


@pytest.mark.parametrize(("value", "hint"), HINTS)
def test_number_hints(value: object, hint: str) -> None:
    assert hint in number_hint(value)
    assert bool(number_hint(value)) == bool(hint)


_texts = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029\ufeff\ufffe\uffff"))
_values = st.recursive(
    st.booleans() | st.integers(-(10**15), 10**15) | _texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_texts, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=examples(100), deadline=None)
@given(st.dictionaries(_texts, _values, max_size=4))
def test_json_is_yaml(value: dict[str, Any]) -> None:
    assert parse_yaml(json.dumps(value, ensure_ascii=False).encode(), "s.yaml").value == value


@settings(max_examples=examples(200), deadline=None)
@given(st.binary(max_size=60) | st.text(st.sampled_from("ab:-[]{}'\"\n #&*!|>%@,?0_.~<\\"), max_size=30))
def test_anything_else_is_a_user_error(data: bytes | str) -> None:
    with contextlib.suppress(UserError):
        parse_yaml(data.encode() if isinstance(data, str) else data, "s.yaml")
