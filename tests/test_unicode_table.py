"""The table of Unicode classes: its own properties, and agreement with the `regex` package where both know a
code point."""

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import regex

from tokenizers_impl import unicode_data as u

ALL = range(0x110000)
# The one code point of Unicode 16.0 whose class later versions changed: Ll until 16.0, Lo since 17.0.
CHANGED = {0x0295}


@pytest.fixture(scope="module")
def categories() -> list[str]:
    return [u.category(cp) for cp in ALL]


def test_counts_of_unicode_16(categories):
    counts = Counter(categories)
    assert sum(counts[name] for name in ("Lu", "Ll", "Lt", "Lm", "Lo")) == 141_028
    assert sum(counts[name] for name in ("Nd", "Nl", "No")) == 1_911
    assert counts["Cs"] == 2_048
    assert counts["Co"] == 6_400 + 2 * 65_534
    assert counts["Cn"] == 819_467 + 66  # reserved, and noncharacters
    assert set(counts) == set(u.CATEGORIES)
    assert sum(map(u.is_han, ALL)) == 99_030


def test_helpers_follow_the_category(categories):
    assert list(map(u.is_letter, ALL)) == [name[0] == "L" for name in categories]
    assert list(map(u.is_number, ALL)) == [name[0] == "N" for name in categories]
    assert list(map(u.is_assigned, ALL)) == [name != "Cn" for name in categories]


def test_runs_say_what_is_said_of_each_code_point(categories):
    runs = u.runs()
    assert [name for first, last, name, *_ in runs for _ in range(first, last + 1)] == categories
    for at, is_a in ((3, u.is_han), (4, u.is_space)):
        assert [cp for run in runs if run[at] for cp in range(run[0], run[1] + 1)] == list(filter(is_a, ALL))


def test_space_is_25_code_points():
    assert [cp for cp in ALL if u.is_space(cp)] == [
        *range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B),
        0x2028, 0x2029, 0x202F, 0x205F, 0x3000,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("cp", "name"),
    [
        (0x1C89, "Lu"),  # new in 16.0
        (0x0295, "Ll"),
        (0x0C5C, "Cn"),  # new in 17.0
        (0x0558, "Cn"),  # new in 18.0
        (0x017F, "Ll"),
        (0x01C5, "Lt"),
        (0x3007, "Nl"),
        (0x10FFFF, "Cn"),
    ],
)
def test_edges(cp, name):
    assert u.category(cp) == name


@pytest.mark.parametrize(("text", "expected"), [("中", True), ("々", True), ("〇", True), ("⺀", True), ("あ", False)])
def test_han_is_the_script(text, expected):
    assert u.is_han(ord(text)) is expected


@pytest.mark.parametrize("cp", [-1, 0x110000])
def test_not_a_code_point(cp):
    with pytest.raises(ValueError, match="is not a code point"):
        u.category(cp)


def test_regex_agrees_wherever_16_assigns(categories):
    """Whatever its version: later ones assign more, and changed one category."""
    text = "".join(map(chr, ALL))
    known = [cp for cp in ALL if categories[cp] != "Cn" and cp not in CHANGED]
    for name in u.CATEGORIES:
        theirs = {match.start() for match in regex.finditer(rf"\p{{{name}}}", text)}
        assert {cp for cp in known if categories[cp] == name} == theirs.intersection(known), name
    for pattern, ours in ((r"\s", u.is_space), (r"\p{Han}", u.is_han)):
        theirs = {match.start() for match in regex.finditer(pattern, text)}
        assert {cp for cp in known if ours(cp)} == theirs.intersection(known), pattern
    assert categories[0x0295] == "Ll"
    assert regex.fullmatch(r"[\p{Ll}\p{Lo}]", "\u0295")


def test_long_s_is_an_s_in_any_case():
    r"""The only character beyond ASCII that `(?i:[sdmt]|ll|ve|re)` meets, and the splitters rely on that."""
    pattern = regex.compile(r"(?i:[sdmtlver])")
    beyond = [cp for cp in range(0x80, 0x110000) if pattern.fullmatch(chr(cp))]
    assert [cp for cp in beyond if u.is_assigned(cp)] == [0x017F]


def test_nothing_is_read_before_it_is_needed():
    code = "import tokenizers_impl.unicode_data as u; print(u._table.cache_info().currsize); u.category(65)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]


def test_a_damaged_file_is_refused(tmp_path, monkeypatch):
    source = Path(u.__file__).with_name("unicode16.bin")
    copy = tmp_path / "unicode16.bin"
    shutil.copy(source, copy)
    monkeypatch.setattr(u, "__file__", str(tmp_path / "unicode_data.py"))
    data = bytearray(copy.read_bytes())
    data[-1] ^= 1
    copy.write_bytes(data)
    with pytest.raises(RuntimeError, match="damaged"):
        u._table.__wrapped__()
    data[-1] ^= 1
    data[10] = 17
    copy.write_bytes(data)
    with pytest.raises(RuntimeError, match=r"not a table of Unicode 16\.0\.0"):
        u._table.__wrapped__()
