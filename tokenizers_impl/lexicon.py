"""Learn a list of Chinese words from the Han runs of a text.

The list serves greedy longest match: at each position of a Han run the longest listed word is cut off, and a
single character where none fits. A word is kept if it is frequent, its characters belong together (cohesion), its
surroundings vary (branching), it is no mere chain of shorter words, and it holds its own once the text is really cut
with the list (standing).

Everything is integer arithmetic on counts, every rule looks at finished counts of a whole stage, and nothing depends on
the order of the runs: any two implementations of these lines give the same list. Products of three counts occur
(use 128 bits where integers have a width). The compiled core has the same rules (``native/src/lexicon_learner.rs``),
some 25 times as fast; a change here is a change there.

The figures in the comments are word F1 (both edges right) of the cut against jieba 0.42.1 (own dictionary,
``HMM=False``), averaged over four texts of 80 to 400 KB, with all other rules in place. As it stands: 0.638; single
characters alone 0.380; whole runs 0.065. A list of the dictionary's own words that occur twice or more in the text
would reach 0.806: half of what is missing are words that occur once.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

# Rises when the same text gives another list; part of what cached tokenizers are found by.
LEARNER_VERSION = 1

# Code points in a word, at most.
MAX_WORD = 8

# How many times as often as chance must the halves of a two-character word meet? Low on purpose, the standing rule
# judges pairs better: 1 -> 0.637, 5 -> 0.638, 10 -> 0.634, 20 -> 0.617.
PAIR_COHESION = 5
# The same for three characters and more. Far higher, since `的时候` and `了一个` are 10 to 30 times as common as
# chance: 10 -> 0.621, 40 -> 0.630, 100 -> 0.636, 300 -> 0.638, 1000 -> 0.634.
LONG_COHESION = 300
# At most 3/4 of the occurrences may have the same neighbour on a side; else the word is a fragment of a longer one.
# 1/2 -> 0.618, 2/3 -> 0.634, 3/4 -> 0.638, 9/10 -> 0.637, no bound -> 0.611.
BRANCH_NUMERATOR, BRANCH_DENOMINATOR = 3, 4
# A neighbour that makes up 1/64 of the text or more (`的`, `一`, `是`) stands beside anything and proves no fragment:
# without this exception `时候` falls, because `的` precedes it (0.635). 1/50 -> 0.639, 1/120 -> 0.637, 1/400 -> 0.630.
COMMON_CHARACTER = 64
# How many times as often as chance must the word occur once the text is cut with the list, its parts counted only where
# they stand on their own? 10 -> 0.617, 20 -> 0.631, 30 -> 0.639, 40 -> 0.638, 50 -> 0.634, 80 -> 0.620. On texts
# of 1 and 1.5 MB: 30 -> 0.691, 40 -> 0.694, 50 -> 0.689.
STANDING = 40
# Each round judges by the cut of the round before: 0 -> 0.609, 1 -> 0.638, 2 -> 0.638, 3 -> 0.637; on 1 and
# 1.5 MB 1 -> 0.690, 2 -> 0.694, 3 -> 0.694. From the third on frequent words wear away.
ROUNDS = 2


def minimum_count(total: int) -> int:
    """How often a word must occur in a text of ``total`` Han characters: one more for each eightfold growth.

    2 below 2**19 characters (some 1.8 MB of text), 3 below 2**22, 4 below 2**25, and so on. On the four small texts 3
    gives 0.609; at 440,000 characters 2 is still ahead (0.686 to 0.679), at 750,000 they are level and 3 needs
    14,500 words where 2 needs 20,000.
    """
    return max(2, (total.bit_length() - 11) // 3)


def learn_lexicon(runs: Mapping[str, int]) -> list[str]:
    """The words of 2 to ``MAX_WORD`` characters learned from Han runs and their counts, sorted by code point."""
    characters: Counter[str] = Counter()
    for run, count in runs.items():
        for character in run:
            characters[character] += count
    total = sum(characters.values())
    minimum = minimum_count(total)

    # One level more than the longest word: its counts say what stands beside the longest words.
    levels = count_levels(runs, characters, minimum, MAX_WORD + 1)
    neighbour = commonest_neighbours(levels, characters, total)

    words = set()
    for length in range(2, MAX_WORD + 1):
        # A longer candidate has more ways to be an accident of one text: each character more asks for one occurrence
        # more (a gain of 0.005, with a tenth fewer words).
        needed = minimum + length - 2
        for word, count in levels[length].items():
            if (
                count >= needed
                and neighbour.get(word, 0) * BRANCH_DENOMINATOR <= count * BRANCH_NUMERATOR
                and coheres(word, count, levels, total)
            ):
                words.add(word)

    words = {word for word in words if not is_chain(word, words)}
    for _ in range(ROUNDS):
        words = standing_words(words, runs, minimum)
    return sorted(words)


def count_levels(
    runs: Mapping[str, int], characters: Mapping[str, int], minimum: int, longest: int
) -> list[dict[str, int]]:
    """``levels[n]``: each string of n characters that occurs at least ``minimum`` times, with its count.

    Level by level: a string can only be frequent if its first and its last n-1 characters are, so nothing else is
    counted, and memory follows the number of frequent strings. For each run we remember where the frequent
    strings of the level before began.
    """
    frequent = {character: count for character, count in characters.items() if count >= minimum}
    levels: list[dict[str, int]] = [{}, frequent]
    active = [(run, count, list(range(len(run)))) for run, count in runs.items() if len(run) > 1]
    for length in range(2, longest + 1):
        shorter = levels[-1]
        counts: dict[str, int] = {}
        survivors = []
        for run, count, starts in active:
            kept = [start for start in starts if run[start : start + length - 1] in shorter]
            # Two frequent strings side by side: the starts stand next to each other in the list.
            starts = [start for start, following in itertools.pairwise(kept) if following == start + 1]
            if starts:
                survivors.append((run, count, starts))
                for start in starts:
                    string = run[start : start + length]
                    counts[string] = counts.get(string, 0) + count
        active = survivors
        levels.append({string: count for string, count in counts.items() if count >= minimum})
    return levels


def commonest_neighbours(levels: list[dict[str, int]], characters: Mapping[str, int], total: int) -> dict[str, int]:
    """How often each string occurs beside its commonest neighbour, left or right, whichever is more.

    Read off the level above: a string and its neighbour are a string one longer. Neighbours too rare to be counted
    there count as none, common characters prove nothing (COMMON_CHARACTER), and the edge of a run is free: punctuation
    there is no part of a longer word.
    """
    common = {character for character, count in characters.items() if count * COMMON_CHARACTER >= total}
    most: dict[str, int] = {}
    for level in levels[3:]:
        for string, count in level.items():
            if string[-1] not in common and count > most.get(string[:-1], 0):
                most[string[:-1]] = count
            if string[0] not in common and count > most.get(string[1:], 0):
                most[string[1:]] = count
    return most


def coheres(word: str, count: int, levels: list[dict[str, int]], total: int) -> bool:
    """Whether the halves of every split meet more often than chance has them: count·N ≥ T·count(a)·count(b)."""
    length = len(word)
    factor = PAIR_COHESION if length == 2 else LONG_COHESION
    return all(
        count * total >= factor * levels[cut][word[:cut]] * levels[length - cut][word[cut:]] for cut in range(1, length)
    )


def is_chain(word: str, words: set[str]) -> bool:
    """Whether the word is made of two or more listed words, like `训练数据`. Without this rule: 0.636,
    and on 1 and 1.5 MB 0.690 for 0.694.

    A chain of chains is a chain of words, so it does not matter that ``words`` still holds the chains themselves.
    Counting single characters as words here too is no better (0.638) and drops words such as `图书馆`.
    """
    length = len(word)
    reached = [True] + [False] * length
    for end in range(2, length + 1):
        reached[end] = any(
            reached[start] and end - start < length and word[start:end] in words for start in range(end - 1)
        )
    return reached[length]


def standing_words(words: set[str], runs: Mapping[str, int], minimum: int) -> set[str]:
    """The words that hold their own in the text as it is cut with this very list.

    Raw counts cannot tell `也是` from `问题`: both are commoner than chance. In the cut text `也` and `是` also stand
    alone, everywhere, while `题` hardly does. So cohesion is asked again, with the parts counted only where they are
    tokens; and a word that longest match scarcely ever reaches is dead weight. With this rule pairs seen only twice
    become usable, the largest gain of all (0.609 without). Function characters were tried instead (the 5 to 80 most
    frequent, with a stricter cohesion): that lost up to 0.08. A bound on count times cohesion lost too.
    """
    used: Counter[str] = Counter()
    for run, count in runs.items():
        for token in cut_han_run(run, words):
            used[token] += count
    tokens = sum(used.values())
    return {
        word
        for word in words
        if used[word] >= minimum
        and all(
            used[word] * tokens >= STANDING * (used[word[:cut]] + 1) * (used[word[cut:]] + 1)
            for cut in range(1, len(word))
        )
    }


def cut_han_run(run: str, words: Collection[str]) -> Iterator[str]:
    """Cuts a Han run from left to right, each time the longest listed word, else one character.

    >>> list(cut_han_run("我们爱中文字典", {"我们", "中文", "中文字典"}))
    ['我们', '爱', '中文字典']
    """
    start = 0
    while start < len(run):
        stop = min(len(run), start + MAX_WORD)
        while stop > start + 1 and run[start:stop] not in words:
            stop -= 1
        yield run[start:stop]
        start = stop
