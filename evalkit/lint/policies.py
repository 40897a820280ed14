"""How a tokenizer treats numbers, blanks and the spellings of one word: read off what it does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from evalkit.lint.tokens import Tokens
from tokenizers_impl import BPETokenizer
from tokenizers_impl.deferred import dataclass

DIGITS = 8
"""Numbers of 1 to so many digits are looked at."""
NUMBERS = 400
"""So many numbers of each length, or all where there are fewer."""
SPREAD = 2_654_435_761  # a prime: its multiples meet all residues, without any order
RUNS = (1, 2, 3, 4, 8, 16, 32, 64)

ALONE = "every digit alone"
FROM_LEFT = "groups of up to {} from the left"
FROM_RIGHT = "groups of up to {} from the right"
WHOLE = "numbers whole"
LEARNED = "as the merges have it: numbers of one length are cut in several ways"
OTHER = "by length alone, in a way of its own"


@dataclass(frozen=True)
class Digits:
    """How numbers are cut. ``pretokens`` and ``tokens``: by the pattern, and after merging, each as a phrase. ``cuts``:
    for 1, 2, … digits the commonest lengths of tokens, with the share of the numbers that are cut so. ``whole``: how
    many of the numbers of 1, 2, 3 digits (10, 100, 1000) are one token."""

    pretokens: str
    tokens: str
    cuts: tuple[tuple[tuple[int, ...], float], ...]
    whole: tuple[int, int, int]


def digits_policy(tokenizer: BPETokenizer) -> Digits:
    """How the numbers of 1 to 8 digits are cut, where nothing stands around them."""
    by_pretoken, by_token = [], []
    for length in range(1, DIGITS + 1):
        numbers = _numbers(length)
        by_pretoken.append(_shapes(tokenizer.pretokenize(number) for number in numbers))
        by_token.append(_shapes(tokenizer.tokenize(number) for number in numbers))
    whole = [_ones(tokenizer, [f"{n:0{length}d}" for n in range(10**length)]) for length in (1, 2, 3)]
    most = [max(shapes.items(), key=lambda item: (item[1], item[0])) for shapes in by_token]
    return Digits(
        pretokens=_phrase(by_pretoken),
        tokens=_phrase(by_token),
        cuts=tuple((shape, n / shapes.total()) for (shape, n), shapes in zip(most, by_token, strict=True)),
        whole=(whole[0], whole[1], whole[2]),
    )


def _numbers(length: int) -> list[str]:
    every = 10**length
    return [f"{k * SPREAD % every:0{length}d}" for k in range(min(NUMBERS, every))]


def _shapes(cut: Iterable[Sequence[str]]) -> Counter[tuple[int, ...]]:
    return Counter(tuple(map(len, pieces)) for pieces in cut)


def _ones(tokenizer: BPETokenizer, texts: list[str]) -> int:
    return int((tokenizer.count_batch(texts, 1) == 1).sum())


def _phrase(by_length: list[Counter[tuple[int, ...]]]) -> str:
    if any(len(shapes) > 1 for shapes in by_length):
        return LEARNED
    cuts = [next(iter(shapes)) for shapes in by_length]
    size = max(map(max, cuts))
    if size == 1:
        return ALONE
    if cuts == [(n,) for n in range(1, DIGITS + 1)]:
        return WHOLE
    for phrase, wanted in ((FROM_LEFT, _from_left), (FROM_RIGHT, _from_right)):
        if cuts == [wanted(n, size) for n in range(1, DIGITS + 1)]:
            return phrase.format(size)
    return OTHER


def _from_left(length: int, size: int) -> tuple[int, ...]:
    return tuple(min(size, length - start) for start in range(0, length, size))


def _from_right(length: int, size: int) -> tuple[int, ...]:
    return tuple(reversed(_from_left(length, size)))


@dataclass(frozen=True)
class Blanks:
    """White space in a vocabulary. ``leading``: tokens that are a blank and more, of ``ordinary`` tokens. ``longest``:
    the longest run that is one token, of blanks, tabs and newlines. ``runs``: tokens of 1, 2, 3, 4, 8, … 64 blanks
    between a newline and a word (the word's own left out), as in indented code. ``after_newline``: tokens in which
    something other than white space stands beside a newline."""

    leading: int
    ordinary: int
    longest: tuple[int, int, int]
    runs: tuple[tuple[int, int], ...]
    after_newline: int


def blanks_policy(tokens: Tokens) -> Blanks:
    tokenizer, ordinary = tokens.tokenizer, list(tokens.ordinary.values())
    before, after = "x\n", "x"
    words = tokenizer.count_batch([before, after], 1).sum()
    texts = [before + " " * n + after for n in RUNS]
    counts = tokenizer.count_batch(texts, 1) - words
    return Blanks(
        leading=sum(token[:1] == b" " and not token.isspace() for token in ordinary),
        ordinary=len(ordinary),
        longest=(_longest(ordinary, b" "), _longest(ordinary, b"\t"), _longest(ordinary, b"\n")),
        runs=tuple(zip(RUNS, map(int, counts), strict=True)),
        after_newline=sum(b"\n" in token and not token.isspace() for token in ordinary),
    )


def _longest(tokens: list[bytes], blank: bytes) -> int:
    return max((len(token) for token in tokens if not token.strip(blank)), default=0)


@dataclass(frozen=True)
class Spellings:
    """How often one word has several tokens: ``the``, `` the``, ``The``. ``words``: tokens that are letters with or
    without a blank before them. ``distinct``: of these, without regard to the blank and to case. ``blank_pairs``: words
    with and without the blank. ``case_pairs``: with a small and a capital first letter."""

    words: int
    distinct: int
    blank_pairs: int
    case_pairs: int


def spellings(tokens: Tokens) -> Spellings:
    words = {text for text in tokens.whole.values() if text.isalpha() or (text[:1] == " " and text[1:].isalpha())}
    return Spellings(
        words=len(words),
        distinct=len({text.removeprefix(" ").casefold() for text in words}),
        blank_pairs=sum(f" {text}" in words for text in words),
        case_pairs=sum(_is_small(text) and _capital(text) in words for text in words),
    )


def _is_small(text: str) -> bool:
    return text[text[0] == " "].islower()


def _capital(text: str) -> str:
    first = text[0] == " "
    return text[:first] + text[first].upper() + text[first + 1 :]
