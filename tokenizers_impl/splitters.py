"""From a variant to the engine's splitter: hand-written for the registered ones, general for every other pattern."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tokenizers_impl import engine
from tokenizers_impl.errors import TokenizerError
from tokenizers_impl.registry import VARIANTS, Variant, get_variant

if TYPE_CHECKING:
    from tokenizers_impl import _native


def make_splitter(
    core: Any, variant: Variant, lexicon: Sequence[str] | None = None, right_to_left: bool = False
) -> _native.Splitter:
    """The splitter of a variant on the engine ``core``."""
    try:
        if variant.name in VARIANTS:
            splitter = core.Splitter(variant.name, None if lexicon is None else list(lexicon), right_to_left)
        else:
            from tokenizers_impl.patterns.program import compile_pattern

            program = compile_pattern(variant.pattern)
            splitter = core.Splitter.general(program.pattern, program.classes, program.sets, program.nodes)
    except ValueError as error:
        raise TokenizerError(str(error)) from None
    made: _native.Splitter = splitter
    return made


def pattern_engine(pattern: str) -> str:
    """What cuts texts by a variant or pattern here: ``hand-written``, ``general`` (any pattern, at a tenth of the
    speed) or ``reference``.

    >>> pattern_engine("gpt2") in ("hand-written", "reference")
    True
    """
    variant = get_variant(pattern)
    lexicon = () if variant.uses_lexicon else None
    return make_splitter(engine.active(), variant, lexicon).engine
