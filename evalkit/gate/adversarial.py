"""Texts made to break encoders, from a seed; and the smallest text that still shows a failure.

The same seed gives the same texts on every machine and Python: classes come from our own Unicode table, and
nothing depends on the order of a set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import TypeVar

from tokenizers_impl import unicode_data

CORPUS = "generated"
"""The name under which these texts appear among the corpora."""

LETTERS = (
    "abcdeghilmnorstuvyzABCHISTZÀßéñøœžčěŁŞğıİſǆǅΑΩαςσφЖжщёԱՙאשעرسمहकतมไทยກາლꙮᏣᎠ"
    "Ꜳ한국글ㄱかなカナー々〇中文字漢龍\U00020000\U0001d4d0ªºʰˈ"
)
BLANKS = "".join(map(chr, (9, 10, 11, 12, 13, 32, 0x85, 0xA0, 0x1680, 0x2000, 0x2003, 0x2009, 0x200A)))
BLANKS += "\u2028\u2029\u202f\u205f\u3000"
NOT_BLANKS = "\u200b\u200c\u200d\u2060\u180e\ufeff\x1c\x1d\x1e\x1f"  # taken for blanks by one library or another
MARKS = "\u0300\u0301\u0308\u0323\u0327\u0334\u0345\u035c\u05b0\u0651\u093c\u094d\u0e31\u0e48\u20dd\u3099\ufe0f\ufe0e"
EMOJI = (
    "\U0001f642",
    "\U0001f44d\U0001f3fd",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "\U0001f1e9\U0001f1ea",
    "\U0001f1e6",
    "\u2764\ufe0f",
    "1\ufe0f\u20e3",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "\u00a9\ufe0e",
)
BORDERS = "\ud7ff\ue000\uf8ff\ufdd0\ufffd\ufffe\uffff\U00010000\U0001ffff\U000e0001\U000f0000\U0010fffd\U0010ffff"
HALVES = ("\ud83d", "\ude42", "\ud83d\ude42", "\udc80", "\udbff")
CONTROLS = "".join(map(chr, range(32))) + "\x7f\x80\x9f\u00ad\u061c\u202e\u2066\u2069"
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~¡§«»¿–—‘’“”…、。「」！，：；？€№™∑√≠"
CONTRACTIONS = ("'s", "'S", "'ll", "'LL", "'Ve", "'re", "'m", "'d", "'t", "'ſ", "’s", "'", "''")
LINE_ENDS = ("\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "\n\r", " \n", "\n ", "\t\n", "  \r\n  ")
SPECIALS = ("<|endoftext|>", "<|endofprompt|>", "<s>", "</s>", "[CLS]", "<|im_start|>")


@lru_cache(maxsize=1)
def digits() -> str:
    """Every decimal digit of the first two planes, and numbers of other kinds."""
    found = [chr(cp) for cp in range(0x20000) if unicode_data.category(cp) == "Nd"]
    return "".join(found) + "²³¹½¾৴௧௰Ⅻⅷ①⑳〇〡㊿\U00010107\U0001f101"


class Generator:
    """An endless stream of texts. ``specials``: those of the tokenizers under test, of which whole, broken,
    nested and overlapping ones are made."""

    def __init__(self, seed: int, specials: Sequence[str] = ()) -> None:
        self._random = Random(seed)
        self._specials = tuple(dict.fromkeys((*specials, *SPECIALS)))
        self._parts: tuple[Callable[[], str], ...] = (
            self._word,
            self._word,
            self._mixed,
            self._number,
            self._blanks,
            self._blanks,
            self._marked,
            self._one_of(EMOJI),
            self._one_of(BORDERS),
            self._one_of(CONTROLS),
            self._one_of(PUNCTUATION),
            self._one_of(CONTRACTIONS),
            self._one_of(LINE_ENDS),
            self._one_of(NOT_BLANKS),
            self._special,
            self._any,
            self._repeated,
            self._camel,
        )

    def __iter__(self) -> Iterator[str]:
        yield ""
        while True:
            yield self.text()

    def text(self) -> str:
        """One text; most are short, since a short text is where every cut can be tried."""
        random = self._random
        kinds = random.sample(self._parts, random.randint(1, 5))
        text = "".join(random.choice(kinds)() for _ in range(random.choice((1, 2, 3, 5, 8, 13, 30))))
        if random.random() < 0.02:
            at = random.randint(0, len(text))
            text = text[:at] + random.choice(HALVES) + text[at:]
        return text

    def _one_of(self, choices: Sequence[str]) -> Callable[[], str]:
        return lambda: self._random.choice(choices)

    def _some(self, alphabet: str, most: int) -> str:
        return "".join(self._random.choices(alphabet, k=self._random.randint(1, most)))

    def _word(self) -> str:
        start = self._random.randrange(len(LETTERS))
        return self._random.choice(("", " ", " ")) + self._some(LETTERS[start : start + 6], 9)

    def _mixed(self) -> str:
        return self._some(LETTERS, 6)

    def _number(self) -> str:
        if self._random.random() < 0.5:
            return self._random.choice(("", " ")) + self._some("0123456789", 9)
        return self._some(digits(), 5)

    def _blanks(self) -> str:
        if self._random.random() < 0.5:
            return self._some(" \n\t\r", 6)
        return self._some(BLANKS, 4)

    def _marked(self) -> str:
        return self._random.choice(LETTERS + " 1!") + self._some(MARKS, 3)

    def _any(self) -> str:
        code = self._random.randrange(0x110000 - 0x800)
        return chr(code if code < 0xD800 else code + 0x800)

    def _repeated(self) -> str:
        part = self._random.choice((self._any, self._mixed, self._blanks, self._one_of(PUNCTUATION)))()
        return part[:2] * self._random.choice((2, 3, 7, 16, 33))

    def _camel(self) -> str:
        return "".join(self._random.choice((str.upper, str.lower, str.title))(self._mixed()) for _ in range(3))

    def _special(self) -> str:
        """A special token, or what could be taken for one."""
        random = self._random
        text = random.choice(self._specials)
        other = random.choice(self._specials)
        at = random.randint(0, len(text))
        return random.choice(
            (
                text,
                text,
                text[:at],
                text[at:],
                text[:at] + " " + text[at:],
                text[:at] + other + text[at:],
                text + other,
                text.upper(),
                text + text[:at],
                text[:-1] + text,
            )
        )


def generate(seed: int, size: int, specials: Sequence[str] = ()) -> list[str]:
    """Texts of about ``size`` bytes in all, always the same for one seed."""
    texts: list[str] = []
    for text in Generator(seed, specials):
        texts.append(text)
        size -= len(text.encode("utf-8", "surrogatepass"))
        if size <= 0:
            break
    return texts


def shrink(text: str, fails: Callable[[str], bool], budget: int = 20_000_000) -> str:
    """The smallest text that greedy deletion finds for which ``fails`` still holds: ever smaller parts are
    taken out while they can be. ``budget``: code points tried in all, a bound on time that doesn't depend on
    the machine. ``text`` itself has to fail.

    >>> shrink("some words and one Ω among them", lambda text: "Ω" in text)
    'Ω'
    """
    return _shrink(text, fails, budget, len)


def shrink_list(texts: Sequence[str], fails: Callable[[list[str]], bool], budget: int = 20_000_000) -> list[str]:
    """The same over a list of texts, of which whole ones are taken out."""
    return _shrink(list(texts), fails, budget, lambda some: sum(map(len, some)))


_Some = TypeVar("_Some", str, list[str])


def _shrink(whole: _Some, fails: Callable[[_Some], bool], budget: int, weigh: Callable[[_Some], int]) -> _Some:
    left = whole
    size = max(1, len(left) // 2)
    while left:
        removed = False
        at = 0
        while at < len(left):
            candidate = left[:at] + left[at + size :]
            budget -= weigh(candidate) + 1
            if budget < 0:
                return left
            if fails(candidate):
                left, removed = candidate, True
            else:
                at += size
        if size == 1 and not removed:
            break
        size = max(1, size // 2)
    return left
