"""Ladders in a run: the tokens of every measured corpus at every size of a tokenizer that was trained here.

They cost no pass over the text: the merges are carried out on the pretokens that were counted anyway
(:mod:`tokenizers_impl.ladder`). Counts keep every size; results keep some, close enough to draw a curve through.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evalkit.counts import BuiltLike, CorpusCounts
from evalkit.results import LadderRecord
from tokenizers_impl import BPETokenizer
from tokenizers_impl.ladder import Ladder, ladder

STEPS_PER_DOUBLING = 4


def climbers(tokenizers: Sequence[BuiltLike]) -> dict[str, BPETokenizer]:
    """The tokenizers that have a ladder of their own: trained here, and no rung of another."""
    trained = {
        built.name: built.tokenizer
        for built in tokenizers
        if built.trained_on and isinstance(built.tokenizer, BPETokenizer)
    }
    rungs = {f"{name}@{other.vocab_size}" for name in trained for other in trained.values()}
    return {name: tokenizer for name, tokenizer in trained.items() if name not in rungs}


def climb(counter: Any, tokenizers: Mapping[str, BPETokenizer]) -> dict[str, Ladder]:
    """The ladders of tokenizers over the splitter that ``counter``, an engine's, has counted with."""
    return {name: ladder(tokenizer, counter) for name, tokenizer in tokenizers.items()}


def shown_sizes(lowest: int, highest: int, others: Iterable[int] = ()) -> list[int]:
    """Sizes to keep: both ends, the powers of two with steps between them, half the highest, and ``others``.

    >>> shown_sizes(257, 1100, [1000])
    [257, 304, 362, 431, 512, 550, 609, 724, 861, 1000, 1024, 1100]
    """
    steps = range(8 * STEPS_PER_DOUBLING, highest.bit_length() * STEPS_PER_DOUBLING + 1)
    sizes = {round(2 ** (step / STEPS_PER_DOUBLING)) for step in steps}
    sizes |= {lowest, highest // 2, highest, *others}
    return sorted(size for size in sizes if lowest <= size <= highest)


def ladder_records(corpora: Sequence[CorpusCounts], tokenizers: Sequence[BuiltLike]) -> Iterator[LadderRecord]:
    """What results keep of the ladders. Every rung of a list of sizes is among the sizes."""
    sizes_by_name: dict[str, list[int]] = {}
    for built in tokenizers:
        size = getattr(built.tokenizer, "vocab_size", None)
        if isinstance(size, int):
            sizes_by_name.setdefault(built.name.rpartition("@")[0], []).append(size)
    for corpus in corpora:
        for name, found in corpus.ladders.items():
            lowest, highest = int(found.sizes[0]), int(found.sizes[-1])
            sizes = shown_sizes(lowest, highest, sizes_by_name.get(name, ()))
            tokens = [found.at(size) for size in sizes]
            used = found.used
            yield LadderRecord(
                corpus=corpus.name,
                tokenizer=name,
                bytes=found.bytes,
                sizes=tuple(sizes),
                tokens=tuple(tokens),
                bytes_per_token=tuple(found.bytes / n if n else None for n in tokens),
                used=tuple(int(used[size - lowest]) for size in sizes),
            )
