"""The table of scripts: agreement with the `regex` package, and with the classes of the other table."""

import shutil
from pathlib import Path

import pytest
import regex

from tokenizers_impl import scripts, unicode_data
from tokenizers_impl.scripts import script_of, script_of_text

EVERYTHING = [cp for cp in range(0x110000) if unicode_data.is_assigned(cp) and not 0xD800 <= cp < 0xE000]


@pytest.mark.parametrize("name", ["Latin", "Cyrillic", "Greek", "Arabic", "Hangul", "Thai", "Common", "Inherited"])
def test_regex_has_the_same_members(name: str) -> None:
    """Later versions move some characters between scripts: a handful."""
    pattern = regex.compile(rf"\p{{Script={name}}}")
    differing = [cp for cp in EVERYTHING if (script_of(chr(cp)) == name) != bool(pattern.match(chr(cp)))]
    assert len(differing) <= 20


def test_han_is_that_of_the_split_patterns() -> None:
    assert all((script_of(chr(cp)) == "Han") == unicode_data.is_han(cp) for cp in EVERYTHING)


def test_what_is_not_assigned_is_unknown() -> None:
    assert script_of("\u0c5c") == script_of("\U000e0fff") == script_of("\ue000") == scripts.UNKNOWN


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("", "Common"),
        (" 12!", "Common"),
        (" word", "Latin"),
        ("café", "Latin"),
        ("が", "Hiragana"),
        ("漢字かな", scripts.MIXED),
        ("Ⅷ", "Latin"),
        ("ア ", "Katakana"),
        ("e\u0301", "Latin"),
        ("。", "Common"),
        ("π2", "Greek"),
    ],
)
def test_texts(text: str, script: str) -> None:
    assert script_of_text(text) == script


@pytest.mark.parametrize("place", [3, 8, 30, -1])
def test_a_damaged_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    copy = tmp_path / "scripts16.bin"
    shutil.copy(Path(scripts.__file__).with_name("scripts16.bin"), copy)
    data = bytearray(copy.read_bytes())
    data[place] ^= 1
    copy.write_bytes(data)
    monkeypatch.setattr(scripts, "__file__", str(tmp_path / "scripts.py"))
    with pytest.raises(RuntimeError, match=r"damaged|not a table"):
        scripts._table.__wrapped__()
