"""What is right and wrong with a vocabulary, whatever text it meets, and how it meets a corpus.

``lint`` gives everything about one tokenizer; ``never_emitted`` the ids that no text can give, each of which is
proved; ``usage`` what a corpus used. See ``docs/lint.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalkit.lint.verdicts import KINDS, Certificate, Verdicts
from evalkit.values import Undefined
from tokenizers_impl import BPETokenizer
from tokenizers_impl.deferred import dataclass

if TYPE_CHECKING:
    from evalkit.lint.contents import Contents
    from evalkit.lint.policies import Blanks, Digits, Spellings

__all__ = ["KINDS", "Certificate", "Lint", "Verdicts", "examine", "lint", "never_emitted"]

# Rises when a verdict or figure of any vocabulary changes.
LINT_VERSION = 2


@dataclass(frozen=True)
class Lint:
    """Everything about one vocabulary."""

    contents: Contents
    verdicts: Verdicts
    digits: Digits
    blanks: Blanks
    spellings: Spellings


def lint(tokenizer: Any) -> Lint | Undefined:
    """Everything about the vocabulary of ``tokenizer``; Undefined for one whose tokens and merges aren't known."""
    return examine(tokenizer) if isinstance(tokenizer, BPETokenizer) else _unknown(tokenizer)


def examine(tokenizer: BPETokenizer) -> Lint:
    """Everything about the vocabulary of a byte-level BPE tokenizer."""
    # Most runs take what was found before from a file, and need none of this.
    from evalkit.lint.contents import contents_of
    from evalkit.lint.judge import judged
    from evalkit.lint.policies import blanks_policy, digits_policy, spellings
    from evalkit.lint.tokens import tokens_of

    tokens = tokens_of(tokenizer)
    return Lint(
        contents_of(tokens),
        judged(tokens),
        digits_policy(tokenizer),
        blanks_policy(tokens),
        spellings(tokens),
    )


def never_emitted(tokenizer: Any) -> frozenset[int] | Undefined:
    """The ids that are proved never to come out of a text as data, special tokens among them; Undefined for a tokenizer
    whose tokens and merges aren't known."""
    if not isinstance(tokenizer, BPETokenizer):
        return _unknown(tokenizer)
    from evalkit.lint.judge import judged
    from evalkit.lint.tokens import tokens_of

    return judged(tokens_of(tokenizer)).never


def _unknown(tokenizer: Any) -> Undefined:
    return Undefined(
        f"the tokens and merges of a {type(tokenizer).__name__} aren't known: only byte-level BPE has them"
    )
