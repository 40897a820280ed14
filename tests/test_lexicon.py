"""The learned word list: deterministic, ordered by nothing but counts, and made of words that a text really has."""

from __future__ import annotations

import hashlib
import random

import pytest
from budget import examples
from engines import native, reference

import tokenizers_impl as ti
from evalkit.embedded import embedded_corpus
from tokenizers_impl import unicode_data
from tokenizers_impl.lexicon import MAX_WORD, count_levels, cut_han_run, learn_lexicon


@pytest.fixture(scope="module")
def runs() -> dict[str, int]:
    text = "".join(file.path.read_text(encoding="utf-8") for file in embedded_corpus("zh").files)
    found: dict[str, int] = {}
    for pretoken in ti.pretokenize(text, "zh_run"):
        if unicode_data.is_han(ord(pretoken[0])):
            found[pretoken] = found.get(pretoken, 0) + 1
    return found


def test_common_words_are_found(runs) -> None:
    words = learn_lexicon(runs)
    assert {"我们", "可以", "时间", "问题", "系统", "数据"} <= set(words)
    assert words == sorted(words)
    assert all(2 <= len(word) <= MAX_WORD for word in words)
    assert not {"的时", "是一", "了一个"} & set(words)


def test_the_list_is_that_of_the_rules(runs) -> None:
    """A change of any rule shows here; then LEARNER_VERSION has to rise."""
    words = learn_lexicon(runs)
    digest = hashlib.sha256("\n".join(words).encode()).hexdigest()
    assert (len(words), digest[:16]) == (1245, "cb0491915e30997c")


def test_order_does_not_matter(runs) -> None:
    items = list(runs.items())
    random.Random(1).shuffle(items)
    assert learn_lexicon(dict(items)) == learn_lexicon(runs)


def test_levels_are_plain_counts() -> None:
    rng = random.Random(2)
    for _ in range(examples(30)):
        some = {"".join(rng.choices("甲乙丙", k=rng.randrange(1, 12))): rng.randrange(1, 4) for _ in range(20)}
        characters: dict[str, int] = {}
        for run, count in some.items():
            for character in run:
                characters[character] = characters.get(character, 0) + count
        for minimum in (1, 2, 5):
            levels = count_levels(some, characters, minimum, 5)
            for length in range(1, 6):
                counts: dict[str, int] = {}
                for run, count in some.items():
                    for start in range(len(run) - length + 1):
                        counts[run[start : start + length]] = counts.get(run[start : start + length], 0) + count
                assert levels[length] == {string: n for string, n in counts.items() if n >= minimum}


def test_cutting_takes_the_longest_word() -> None:
    assert list(cut_han_run("中文字典文字", {"中文", "中文字典", "文字"})) == ["中文字典", "文字"]
    assert list(cut_han_run("", {"中文"})) == []
    assert list(cut_han_run("甲乙", set())) == ["甲", "乙"]


def test_no_text_gives_no_words() -> None:
    assert learn_lexicon({}) == []
    assert learn_lexicon({"一": 1}) == []


def test_a_zh_tokenizer_keeps_its_words() -> None:
    tok = ti.train(["我们学习。我们工作！他们学习，他们工作；"] * 9, "zh", 300)
    assert tok.lexicon is not None
    assert tok.training.lexicon_words == len(tok.lexicon)
    given = ti.train(["我们学习"] * 9, "zh", 300, lexicon=["学习"])
    assert given.lexicon == ("学习",)
    assert given.pretokenize("我们学习") == ["我", "们", "学习"]


def learned(core, runs: dict[str, int]) -> list[str]:
    counter = core.Counter(core.Splitter("zh_run"), [], 1)
    counter.add_items([(run.encode(), count) for run, count in runs.items()])
    return counter.learn_lexicon()


@pytest.mark.parametrize("core", [native(), reference()], ids=["native", "reference"])
def test_engines_learn_the_list_of_the_rules(core, runs) -> None:
    assert learned(core, runs) == learn_lexicon(runs)
    others = {"word": 9, " 问题": 9, "问题x": 9, "": 9}
    assert learned(core, runs | others) == learn_lexicon(runs)
    assert learned(core, {}) == []


def test_the_core_learns_the_list_of_the_rules_from_random_runs() -> None:
    rng = random.Random(4)
    found = 0
    for _ in range(examples(60)):
        alphabet = [chr(0x4E00 + 7 * i) for i in range(rng.randrange(3, 200))] + ["𠀀", "々", "〇"]
        words = ["".join(rng.choices(alphabet, k=rng.randrange(1, 11))) for _ in range(rng.randrange(1, 40))]
        some: dict[str, int] = {}
        for _ in range(rng.randrange(400)):
            pieces = rng.choices(words, k=rng.randrange(1, 7)) + rng.choices(alphabet, k=rng.randrange(4))
            rng.shuffle(pieces)
            some["".join(pieces)] = rng.randrange(1, 4)
        expected = learn_lexicon(some)
        assert learned(native(), some) == expected
        found += len(expected)
    assert found > 200
