"""What cuts the words: each segmenter by its name, on text where they differ and where they don't."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from engines import native

from evalkit import segmenters
from evalkit.embedded import embedded_corpus
from evalkit.segmenters import by_rules, word_counter
from evalkit.values import Undefined
from tokenizers_impl import engine

CHINESE = "我们研究语言。Python 3.12 发布了！"


@pytest.fixture
def core() -> None:
    """The tests of ICU4X need the compiled core."""
    native()


def count(segmenter: str, *texts: str) -> list[int]:
    found = word_counter(segmenter, 1).count
    assert not isinstance(found, Undefined)
    return [int(number) for number in found(texts)]


def lines(language: str) -> list[str]:
    (file,) = embedded_corpus("parallel").part(language)
    return file.path.read_text(encoding="utf-8").splitlines()


def test_the_examples_in_the_docstrings_are_right() -> None:
    failed, tried = doctest.testmod(segmenters)
    assert failed == 0
    assert tried >= 2


def test_whitespace_counts_what_stands_between_blanks() -> None:
    assert count("whitespace", "to be  or", "", CHINESE) == [3, 0, 3]
    assert word_counter("whitespace", 1).name == "whitespace"


def test_rules_without_dictionaries() -> None:
    assert count("uax29", "It's 3.14, isn't it?", "…!? ", "我们研究语言。", "cafe\u0301 ㅎ", "a_b 1️⃣") == [4, 0, 6, 2, 2]
    assert word_counter("uax29", 1).name.startswith("UAX #29 (regex ")


@pytest.mark.usefixtures("core")
@pytest.mark.parametrize("language", ["de", "el", "es", "fr", "he", "hi", "it", "ko", "pt", "ru", "tr", "uk", "vi"])
def test_rules_and_icu4x_agree_where_no_dictionary_is_needed(language: str) -> None:
    """Two implementations of the same rules."""
    for text in lines(language):
        raw = text.encode()
        theirs = [raw[start:end].decode() for start, end in engine.active().words(text)]
        assert [text[start:end] for start, end in by_rules(text)] == theirs


@pytest.mark.usefixtures("core")
def test_words_that_end_in_a_mark_are_words() -> None:
    assert count("icu4x", "साढ़े सात बजे", "cafe\u0301", "أرَ قط") == [3, 1, 2]


@pytest.mark.usefixtures("core")
@pytest.mark.parametrize("language", ["zh", "ja", "th"])
def test_dictionaries_find_fewer_words_than_rules_and_more_than_blanks(language: str) -> None:
    texts = lines(language)
    blanks, dictionary, rules = (sum(count(name, *texts)) for name in ("whitespace", "icu4x", "uax29"))
    assert blanks < dictionary < rules


def test_jieba_by_words() -> None:
    pytest.importorskip("jieba")
    assert count("jieba", "我们研究语言。", "", "。！", "用 Python 3.12") == [3, 0, 0, 3]
    assert word_counter("jieba", 1).name.startswith("jieba 0.")


@pytest.mark.usefixtures("core")
def test_jieba_and_icu4x_are_near_each_other_on_chinese() -> None:
    pytest.importorskip("jieba")
    texts = lines("zh")
    ours, theirs = (np.array(count(name, *texts)).sum() for name in ("icu4x", "jieba"))
    assert 0.85 < ours / theirs < 1.15


def test_without_jieba_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(segmenters.importlib, "import_module", gone)
    found = word_counter("jieba", 1).count
    assert isinstance(found, Undefined)
    assert "pip install 'evalkit[jieba]'" in found.reason


def test_another_name_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown segmenter"):
        word_counter("spaces", 1)
