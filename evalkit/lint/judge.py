"""Which tokens of a vocabulary can be emitted: by proof, never by a guess.

A token comes out of a text in one of two ways. Either it is what merging leaves at some place in a pretoken. No merge
then crossed its edges, so that all merges inside of it were those of its bytes alone: they give the token when
merged by themselves. Or it is a pretoken, in a vocabulary that looks pretokens up whole. So, in this order:

- the id of a special token isn't given to text as data;
- bytes that no UTF-8 text has are in no pretoken;
- a token of several characters has to stand inside of one pretoken (``language.py``);
- its bytes have to merge to it, or it has to be a whole pretoken that is looked up;
- where it begins or ends inside a character, what completes the character mustn't merge with it (``neighbours.py``).

What fails one of these is dead, with the certificate. All others are looked for in texts, and the one that gives it is
its witness. What is neither is unproven.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from evalkit.inspection import visible
from evalkit.lint import utf8
from evalkit.lint.language import Language, language_of
from evalkit.lint.neighbours import Neighbours
from evalkit.lint.search import AFTER, around, first_witness, found_in, in_contexts, merged
from evalkit.lint.tokens import Tokens
from evalkit.lint.verdicts import (
    EDGE_SHADOWED,
    MERGE_SHADOWED,
    NOT_UTF8,
    PATTERN_DEAD,
    SPECIAL,
    Certificate,
    Verdicts,
)
from tokenizers_impl.patterns.codepoints import han
from tokenizers_impl.registry import DEFAULT, VARIANTS

TRIED = 20_000
"""Texts that are tried for a token before it is called unproven."""
TRIED_IN_ALL = 1_000_000
TRIED_AT_LEAST = 100
"""Once so many were tried for all tokens together, each further token gets a few only: a vocabulary that doesn't belong
to its pattern would take hours."""
CHAINS = (3, 30)
"""Ways to complete a character, on each side, that are tried first, and then."""


def judged(tokens: Tokens) -> Verdicts:
    """A verdict for every id."""
    return _Judge(tokens).verdicts()


def _usual() -> Language:
    """For patterns about which nothing can be said: the classes that most patterns tell apart."""
    language = language_of(VARIANTS[DEFAULT].pattern)
    assert language is not None
    return language


def readable(token: bytes) -> str:
    """A token within a sentence."""
    return f"‹{visible(token)}›"


def _offset(token: bytes, character: int) -> int:
    """The byte at which a character of a token begins, the first of which may lack its start."""
    head, text, _ = utf8.parts(token)
    whole = character - 1 if head else character
    return len(head) + len(text[:whole].encode())


class _Judge:
    def __init__(self, tokens: Tokens) -> None:
        self.of = tokens
        tokenizer = self.tokenizer = tokens.tokenizer
        self.tokens = tokenizer.vocab
        self.dead: dict[int, Certificate] = {}
        self.witnesses: dict[int, str] = {}
        self.unproven: dict[int, str] = {}
        self.tried = 0
        self.all_words = "\n".join(tokenizer.lexicon or ()).encode()
        self.language: Language | None = language_of(tokenizer.pattern)
        self.alphabet = (self.language or _usual()).alphabet
        self.looks_up = tokenizer.has_ranks or tokenizer.ignore_merges

    def verdicts(self) -> Verdicts:
        special = {i: text for text, i in self.tokenizer.special_tokens.items()}
        for token_id, text in special.items():
            self.dead[token_id] = Certificate(SPECIAL, f"{text!r} is a special token, and text as data has none")
        whole = self.of.whole
        alone = found_in(self.tokenizer, list(whole.items()))
        left = {i: token for i, token in self.of.ordinary.items() if i not in alone}
        left = {i: token for i, token in left.items() if not self._is_impossible(i, token)}
        left = {i: token for i, token in left.items() if not self._is_cut(i, token)}
        for choose in (utf8.spread, self.alphabet.of_each_class):
            inside = {i: token for i, token in left.items() if i not in whole}
            halves = [(i, text) for i, token in inside.items() for text in utf8.completions(token, choose)]
            self.witnesses |= found_in(self.tokenizer, halves)
            left = {i: token for i, token in left.items() if i not in self.witnesses}
        ways = dict(zip(left, merged(self.tokenizer, list(left.values())), strict=True))
        self.neighbours = Neighbours(self.tokenizer, self.of.inside, self.language)
        for token_id, token in left.items():
            if ways[token_id] == (token_id,):
                self._look_for_merged(token_id, token)
            else:
                self._look_for_whole(token_id, token, ways[token_id])
        return Verdicts(self.tokens, self.dead, self.witnesses, self.unproven)

    # ── proofs ──────────────────────────────────────────────────────────────────────────────────────────────

    def _is_impossible(self, token_id: int, token: bytes) -> bool:
        at = utf8.impossible_at(token)
        if at is None:
            return False
        if at == 0:
            why = f"no UTF-8 text has the byte {token[0]:02X}"
        else:
            why = f"no UTF-8 text has the byte {token[at]:02X} after {token[:at].hex(' ').upper()}"
        self.dead[token_id] = Certificate(NOT_UTF8, why, at)
        return True

    def _is_cut(self, token_id: int, token: bytes) -> bool:
        if self.language is None:
            return False
        masks = self.language.alphabet.masks(token)
        number = self.language.cut_at(masks)
        if number is not None:
            at = _offset(token, number)
            before, after = readable(token[:at]), readable(token[at:])
            why = f"no pretoken of the pattern has {before} with {after} after it: the pattern cuts between the two"
            self.dead[token_id] = Certificate(PATTERN_DEAD, why, at)
            return True
        return self._is_of_words(token_id, token, masks)

    def _is_of_words(self, token_id: int, token: bytes, masks: list[int]) -> bool:
        """Decides on a run of Han, in a tokenizer with a word list. Its pretokens are the words of the list, each of
        which is one where it stands alone, and single characters: no other text has to be tried."""
        if self.tokenizer.lexicon is None or self.language is None or len(masks) < 2:
            return False
        words = [word for word in self.tokenizer.lexicon if token in word.encode()] if token in self.all_words else []
        witness = first_witness(self.tokenizer, token_id, words)
        not_han = ~self.language.alphabet.mask_of(han())
        if witness is not None:
            self.witnesses[token_id] = witness
        elif self.language.cut_at([mask & not_han for mask in masks]) is None:
            return False  # half characters that need not be Han
        elif words:
            some = words[0] if len(words) == 1 else f"{words[0]} and each of {len(words) - 1:,} more"
            why = f"merging does not leave it in {some}, the words of the list that have it"
            self.dead[token_id] = Certificate(EDGE_SHADOWED, why)
        else:
            why = "no word of the word list has it, and runs of Han are cut into these and single characters"
            self.dead[token_id] = Certificate(PATTERN_DEAD, why, _offset(token, 1))
        return True

    def _shadowed(self, token_id: int, ids: tuple[int, ...], more: str) -> None:
        parts = " ".join(readable(self.tokens.get(i, b"")) for i in ids)
        why = f"its bytes merge to {parts}, and no merge across its edges changes that{more}"
        self.dead[token_id] = Certificate(MERGE_SHADOWED, why, ids=ids)

    # ── witnesses ───────────────────────────────────────────────────────────────────────────────────────────

    def _look_for_whole(self, token_id: int, token: bytes, ids: tuple[int, ...]) -> None:
        """A token that merging doesn't make has to be a pretoken that is looked up."""
        if not self.looks_up:
            self._shadowed(token_id, ids, "")
        elif not utf8.is_whole(token):
            self._shadowed(token_id, ids, "; it is no whole characters, so that no pretoken is looked up as it")
        elif self.language is not None and not self.language.is_whole(self.language.alphabet.masks(token)):
            self._shadowed(token_id, ids, "; and no text has it as a whole pretoken, which would be looked up")
        else:
            self._try(token_id, self._contexts(token.decode()))

    def _look_for_merged(self, token_id: int, token: bytes) -> None:
        if utf8.is_whole(token):
            self._try(token_id, self._contexts(token.decode()))
            return
        missing: list[str] = []
        witness = None
        for chains in CHAINS:
            completed: list[tuple[list[bytes], list[bytes]]] = []
            for start, end in utf8.runs(token):
                left = list(itertools.islice(self.neighbours.before(token_id, start), chains))
                right = list(itertools.islice(self.neighbours.after(token_id, end), chains))
                missing += [] if left else [self._edge(start, before=True)]
                missing += [] if right else [self._edge(end, before=False)]
                if left and right:
                    completed.append((left, right))
            if not completed:
                self.dead[token_id] = Certificate(EDGE_SHADOWED, "; ".join(dict.fromkeys(missing)))
                return
            texts = [(a + token + b).decode() for sides in completed for a, b in itertools.product(*sides)]
            witness = self._search(token_id, self._completed(texts))
            if witness is not None:
                break
        self._note(token_id, witness)

    def _edge(self, state: int, *, before: bool) -> str:
        count = len(self.neighbours.candidates(state, leading=before))
        place, side = ("begins", "before") if before else ("ends", "after")
        if not count:
            return f"it {place} inside a character, and no token can stand {side} it"
        return (
            f"it {place} inside a character, and each of the {count:,} tokens that can stand {side} it merges with it "
            "or completes what the pattern cuts"
        )

    def _completed(self, texts: list[str]) -> Iterator[str]:
        """The texts, and then each in its contexts, in turns."""
        yield from texts
        if self.language is not None:
            alphabet = self.language.alphabet
            texts = [text for text in texts if self.language.cut_at(alphabet.masks(text.encode())) is None]
        if not texts:
            return
        contexts = [itertools.islice(self._contexts(text), 1 + TRIED // len(texts)) for text in texts]
        for row in itertools.zip_longest(*contexts):
            yield from (text for text in row if text is not None)

    def _contexts(self, text: str) -> Iterator[str]:
        """Texts in which ``text`` may be in one pretoken, the likeliest first."""
        yield from (text + after for after in AFTER)
        if self.language is not None:
            yield from in_contexts(self.language, text)
        yield from around(self.alphabet, text)

    def _try(self, token_id: int, texts: Iterator[str]) -> None:
        self._note(token_id, self._search(token_id, texts))

    def _search(self, token_id: int, texts: Iterator[str]) -> str | None:
        limit = min(TRIED, max(TRIED_AT_LEAST, TRIED_IN_ALL - self.tried))

        def counted() -> Iterator[str]:
            for text in itertools.islice(texts, limit):
                self.tried += 1
                yield text

        return first_witness(self.tokenizer, token_id, counted())

    def _note(self, token_id: int, witness: str | None) -> None:
        if witness is not None:
            self.witnesses[token_id] = witness
        elif not self._is_in_few(token_id):
            self.unproven[token_id] = "no text that was tried gives it"

    def _is_in_few(self, token_id: int) -> bool:
        """Decides on a token that only a few strings have of all that can be pretokens, such as ``'l`` in ``'ll``."""
        token = self.tokens[token_id]
        if self.language is None or not utf8.is_whole(token):
            return False
        pretokens = self.language.all_with(token.decode())
        if pretokens is None:
            return False
        encode = self.tokenizer.engine_encoder.encode_pretoken
        if any(token_id in encode(pretoken.encode()) for pretoken in pretokens):
            return False
        some = " ".join(readable(pretoken.encode()) for pretoken in pretokens)
        self.dead[token_id] = Certificate(
            EDGE_SHADOWED, f"the only pretokens that have it, {some}, don't leave it alone"
        )
        return True
