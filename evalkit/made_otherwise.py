"""In what two results were made otherwise, from what they say of themselves: what is behind the changes of figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from evalkit.results import Results, TokenizerRecord
from tokenizers_impl.deferred import dataclass

Value = str | int | tuple[str, ...] | None


@dataclass(frozen=True)
class MadeOtherwise:
    """``what`` was ``before`` on the first side and ``after`` on the second; of ``tokenizers``, or of the whole suite
    where there are none. Both None for :data:`OTHER_TOKENS`."""

    what: str
    tokenizers: tuple[str, ...]
    before: Value
    after: Value


OTHER_TOKENS = "other tokens, though all this is the same"
"""By the fingerprint alone: the training text itself (another sample, seed or file) or the trainer must be another."""

_OF_TOKENIZERS: tuple[tuple[str, Callable[[TokenizerRecord], Value]], ...] = (
    ("kind", lambda t: t.kind),
    ("variant", lambda t: t.variant),
    ("split pattern", lambda t: t.splitter),
    ("vocabulary", lambda t: t.vocab_size),
    ("vocabulary asked for", lambda t: t.asked_vocab_size),
    ("training text", lambda t: t.trained_on),
    ("special tokens", lambda t: t.special_tokens),
)
_FOLLOWS = {"vocabulary asked for": "vocabulary", "split pattern": "variant"}
"""What isn't told where the other differs as well."""


def made_otherwise(one: Results, two: Results) -> tuple[MadeOtherwise, ...]:
    """What differs of the suites, and of the tokenizers that both have by name: those that differ in the same way are
    told together."""
    found = list(_of_suites(one, two))
    others = {t.name: t for t in two.tokenizers}
    together: dict[tuple[str, Value, Value], list[str]] = {}
    for tokenizer in one.tokenizers:
        if tokenizer.name in others:
            for key in _of_tokenizer(tokenizer, others[tokenizer.name]):
                together.setdefault(key, []).append(tokenizer.name)
    found += [MadeOtherwise(what, tuple(names), *values) for (what, *values), names in together.items()]
    return tuple(found)


def _of_suites(one: Results, two: Results) -> Iterator[MadeOtherwise]:
    for what in ("seed", "reference", "reference_language"):
        before, after = getattr(one.suite, what), getattr(two.suite, what)
        if before != after:
            before, after = (str(value) if what == "seed" else value for value in (before, after))  # no amount
            yield MadeOtherwise(what.replace("_", " "), (), before, after)
    versions = [results.environment.get("versions") or {} for results in (one, two)]
    for package, before in versions[0].items():
        after = versions[1].get(package, before)  # not there where it isn't installed, or in earlier results
        if package != "python" and before != after:
            yield MadeOtherwise(f"version of {package}", (), before, after)


def _of_tokenizer(one: TokenizerRecord, two: TokenizerRecord) -> Iterator[tuple[str, Value, Value]]:
    found = [(what, value(one), value(two)) for what, value in _OF_TOKENIZERS if value(one) != value(two)]
    found = [told for told in found if told[0] != "split pattern" or None not in told]  # not known of every kind
    differ = {what for what, _, _ in found}
    yield from (told for told in found if _FOLLOWS.get(told[0]) not in differ)
    if not found and None not in (one.fingerprint, two.fingerprint) and one.fingerprint != two.fingerprint:
        yield OTHER_TOKENS, None, None
