r"""Reads the split patterns that can be matched exactly, and refuses every other by the name of what it has.

The syntax is that of tiktoken's patterns (the Rust crates ``regex`` and ``fancy-regex``), of which the ``regex``
package understands the same:

- characters, ``.`` (all but ``\n``; with ``s`` all), ``\r \n \t \f \v \a``, ``\xHH \x{…} \uHHHH \u{…} \UHHHHHHHH``, and
  ``\`` before a sign;
- ``[…]`` and ``[^…]`` with ranges, classes inside classes, ``&&`` and ``--``;
- ``\s \S \d \D``, ``\p{…}`` and ``\P{…}`` with a general category (also ``\pL``) or with Script=Han;
- ``(…)``, ``(?:…)``, ``(?>…)``, ``|``, ``(?i:…)`` and ``(?s:…)``, and ``(?i)``, ``(?s)`` at the very start;
- ``? * + {m} {m,} {m,n}``, each followed by ``?`` (lazy) or ``+`` (possessive) or neither;
- ``(?=…) (?!…)``, and ``(?<=…) (?<!…)`` of one character; ``^ \A`` (start of the text), ``$ \z \Z`` (its end).

A match is found as by backtracking: leftmost, and of the alternatives the first. ``$`` and ``\Z`` mean the very end.
"""

from __future__ import annotations

from typing import NoReturn

from tokenizers_impl.errors import TokenizerError
from tokenizers_impl.patterns import classes
from tokenizers_impl.patterns.codepoints import EVERYTHING, Ranges, any_case, complement, single
from tokenizers_impl.patterns.nodes import (
    Atomic,
    Edge,
    Either,
    Look,
    Node,
    Repeat,
    Sequence,
    Set,
    is_nullable,
    size,
)

MAX_LENGTH = 100_000
MAX_DEPTH = 50
MAX_REPEAT = 1_000
MAX_SIZE = 50_000


class PatternError(TokenizerError):
    """A pattern that isn't read, with the place in it."""

    def __init__(self, pattern: str, at: int, found: str, problem: str) -> None:
        shown = pattern if len(pattern) <= 200 else pattern[:200] + "…"
        what = f" ({found!r})" if found else ""
        super().__init__(f"the split pattern {shown!r}, character {at + 1}{what}: {problem}")
        self.position = at


_GROUPS = {
    "(?P<": "a named group",
    "(?P=": "a reference to a group",
    "(?P>": "a call of a group",
    "(?R": "a call of the pattern",
    "(?&": "a call of a group",
    "(?(": "a condition",
    "(?|": "a branch reset",
    "(?#": "a comment",
    "(?'": "a named group",
    "(*": "a backtracking verb",
}
_FLAGS = {
    "m": "the flag m (lines)",
    "x": "the flag x (blanks left out)",
    "U": "the flag U",
    "u": "the flag u",
    "a": "the flag a",
    "L": "the flag L",
    "b": "the flag b",
    "e": "the flag e",
    "f": "the flag f",
    "w": "the flag w",
    "r": "the flag r",
}


def parse(pattern: str) -> Node:
    """The pattern's node. Raises :class:`PatternError` for what isn't read here."""
    return _Parser(pattern).whole()


def read_otherwise_by_oniguruma(pattern: str) -> str | None:
    """What in a pattern has another meaning (or none) for Oniguruma, by which Hugging Face's ``tokenizers`` splits;
    None where it has nothing of that kind, so that it means the same there. Raises :class:`PatternError`."""
    parser = _Parser(pattern)
    parser.whole()
    folded = next((pair for pair in ("ss", "st", "ff", "fi", "fl") if pair in pattern.lower()), None)
    if parser.ignores_case and folded is not None:  # one letter may stand for two: ß for ss
        parser.others.append(f"{folded} without regard to case")
    return parser.others[0] if parser.others else None


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.others: list[str] = []  # what Oniguruma reads otherwise
        self.ignores_case = False
        self.pattern = pattern
        self.at = 0
        self.depth = 0
        self.any_case = False
        self.dot_all = False

    # ── reading ─────────────────────────────────────────────────────────────────────────────────────────

    def fail(self, problem: str, start: int | None = None, length: int | None = None) -> NoReturn:
        start = self.at if start is None else start
        end = start + length if length is not None else max(self.at, start + 1)
        raise PatternError(self.pattern, start, self.pattern[start:end], problem)

    def peek(self, length: int = 1) -> str:
        return self.pattern[self.at : self.at + length]

    def take(self, expected: str) -> bool:
        found = self.pattern.startswith(expected, self.at)
        if found:
            self.at += len(expected)
        return found

    # ── structure ───────────────────────────────────────────────────────────────────────────────────────

    def whole(self) -> Node:
        if not self.pattern:
            self.fail("an empty pattern matches nothing; bytes_only is the variant without a split pattern")
        if len(self.pattern) > MAX_LENGTH:
            raise TokenizerError(f"the split pattern has {len(self.pattern):,} characters; {MAX_LENGTH:,} are read")
        if self.peek(2) == "(?" and self.peek(3)[2:] in ("i", "s"):
            start = self.at
            self.at += 2
            if not self.flags(")"):
                self.at, self.any_case, self.dot_all = start, False, False
        node = self.either()
        if self.at < len(self.pattern):
            self.fail("a parenthesis that closes nothing")
        if size(node) > MAX_SIZE:
            raise TokenizerError(
                f"the split pattern {self.pattern[:200]!r} is too large once its repeats are written out"
            )
        return node

    def either(self) -> Node:
        branches = [self.sequence()]
        while self.take("|"):
            branches.append(self.sequence())
        return branches[0] if len(branches) == 1 else Either(tuple(branches))

    def sequence(self) -> Node:
        parts: list[Node] = []
        while self.at < len(self.pattern) and self.peek() not in "|)":
            start = self.at
            parts.append(self.quantified(self.atom(), start))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def quantified(self, body: Node, start: int) -> Node:
        at = self.at
        bounds = self.bounds()
        if bounds is None:
            return body
        low, high = bounds
        if self.pattern[self.at - 1] == "}" and self.peek() in ("?", "+"):
            self.others.append(f"}}{self.peek()}")
        mode = "lazy" if self.take("?") else "possessive" if self.take("+") else "greedy"
        if isinstance(body, (Look, Edge)):
            self.fail("a quantifier after what takes no text", at)
        if high is not None and high < low:
            self.fail(f"a quantifier from {low} to {high}", at)
        if (high is not None and high > MAX_REPEAT) or low > MAX_REPEAT:
            self.fail(f"more than {MAX_REPEAT:,} times", at)
        if (high is None or high > 1) and is_nullable(body):
            self.fail("what is repeated can match without taking text; regex engines differ about it", start)
        if (self.at < len(self.pattern) and self.peek() in "?*+") or self.quantifier_follows():
            self.fail("a quantifier after a quantifier", self.at, 1)
        return Repeat(body, low, high, mode)

    def bounds(self) -> tuple[int, int | None] | None:
        for sign, found in (("?", (0, 1)), ("*", (0, None)), ("+", (1, None))):
            if self.take(sign):
                return found
        if self.peek() != "{":
            return None
        start = self.at
        end = self.pattern.find("}", start)
        inner = self.pattern[start + 1 : max(end, start)]
        low, comma, high = inner.partition(",")
        if end < 0 or not _is_number(low) or (high and not _is_number(high)):
            self.fail(r"not a quantifier of the form {m}, {m,} or {m,n}; the character is written \{")
        self.at = end + 1
        return int(low), int(high) if high else None if comma else int(low)

    def quantifier_follows(self) -> bool:
        return self.peek() == "{" and _is_number(self.pattern[self.at + 1 : self.at + 2])

    def atom(self) -> Node:
        start = self.at
        character = self.peek()
        if character == "(":
            return self.group()
        if character == "[":
            return Set(self.read_class())
        if character == "\\":
            if self.peek(2) in (r"\A", r"\z", r"\Z"):
                if self.peek(2) == r"\Z":  # there, also before a newline that ends the text
                    self.others.append(r"\Z")
                self.at += 2
                return Edge(end=self.pattern[self.at - 1] != "A")
            return Set(self.escape())
        self.at += 1
        if character == ".":
            return Set(EVERYTHING if self.dot_all else complement(single("\n")))
        if character in "^$":
            self.others.append(character)  # there, of each line
            return Edge(end=character == "$")
        if character in "?*+":
            self.fail("a quantifier with nothing before it", start)
        if character == "{":
            self.fail(r"a brace that is no quantifier; the character is written \{", start)
        return Set(self.folded(single(character), start))

    def group(self) -> Node:
        start = self.at
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"groups inside groups, more than {MAX_DEPTH} deep")
        flags = self.any_case, self.dot_all
        node: Node
        for opening, behind, negative in (
            ("(?=", False, False),
            ("(?!", False, True),
            ("(?<=", True, False),
            ("(?<!", True, True),
        ):
            if self.take(opening):
                body = self.closed(start)
                if behind and not isinstance(body, Set):
                    self.fail("a look-behind at more than one character or class", start)
                node = Look(body, behind, negative)
                break
        else:
            if self.take("(?>"):
                node = Atomic(self.closed(start))
            else:
                self.open_group(start)
                node = self.closed(start)
        self.any_case, self.dot_all = flags
        self.depth -= 1
        return node

    def closed(self, start: int) -> Node:
        node = self.either()
        if not self.take(")"):
            self.fail("a parenthesis that is never closed", start, 1)
        return node

    def open_group(self, start: int) -> None:
        for opening, name in _GROUPS.items():
            if self.pattern.startswith(opening, start):
                self.fail(f"{name} is not supported", start, len(opening))
        self.at += 1
        if not self.take("?"):
            return
        if self.peek() == "<":
            self.fail("a named group is not supported", start, 3)
        if not self.flags(":"):
            self.fail("flags without a group are read at the start of the pattern only; write (?i:…)", start)

    def flags(self, end: str) -> bool:
        """Sets the flags up to ``end``; False where they end otherwise."""
        value = True
        while not self.take(end):
            flag = self.peek()
            self.at += 1
            if flag == "i":
                self.any_case = value
                self.ignores_case |= value
            elif flag == "s":
                self.dot_all = value
                self.others.append("the flag s")
            elif flag == "-" and value:
                value = False
            elif flag in _FLAGS:
                self.fail(f"{_FLAGS[flag]} is not supported", self.at - 1)
            elif flag in (")", ":", ""):
                return False
            else:
                self.fail("a group of an unknown kind", self.at - 1)
        return True

    # ── characters ──────────────────────────────────────────────────────────────────────────────────────

    def folded(self, ranges: Ranges, start: int) -> Ranges:
        if not self.any_case:
            return ranges
        if classes.is_cased(ranges):
            self.fail("without regard to case, only ASCII letters (with ſ and the kelvin sign) are supported", start)
        return any_case(ranges)

    def escape(self) -> Ranges:
        """The set of an escape sequence, which may be one character."""
        start = self.at
        self.at += 1
        name = self.peek()
        if name in ("p", "P"):
            return self.named(start)
        self.at += 1
        if name in classes.LETTERS:
            return classes.LETTERS[name]()
        if name in ("x", "u", "U", "a", "v"):
            self.others.append("\\" + name)
        if name in ("x", "u", "U"):
            return self.folded(single(self.number(name, start)), start)
        if name in classes.CONTROLS:
            return single(classes.CONTROLS[name])
        if name in classes.REFUSED:
            self.fail(f"{classes.REFUSED[name]} not supported", start)
        if name == "":
            self.fail("a backslash with nothing after it", start)
        if name.isdigit():
            self.fail("references to groups and octal numbers are not supported", start)
        if name.isalnum() or not name.isascii() or name in "<>_":
            self.fail("an escape that is not known", start)
        return single(name)

    def number(self, kind: str, start: int) -> str:
        """The character of ``\\xHH``, ``\\uHHHH``, ``\\UHHHHHHHH`` or, in braces, of any number of digits."""
        if self.take("{"):
            end = self.pattern.find("}", self.at)
            digits = self.pattern[self.at : max(end, self.at)]
            self.at += len(digits) + 1
        else:
            digits = self.peek({"x": 2, "u": 4, "U": 8}[kind])
            self.at += len(digits)
            if len(digits) != {"x": 2, "u": 4, "U": 8}[kind]:
                digits = ""
        if not digits or len(digits) > 8 or not all(digit in "0123456789abcdefABCDEF" for digit in digits):
            self.fail("not the number of a code point", start)
        value = int(digits, 16)
        if value > 0x10FFFF or 0xD800 <= value <= 0xDFFF:
            self.fail("not a code point that text can have", start)
        return chr(value)

    def named(self, start: int) -> Ranges:
        r"""``\p{…}``, ``\P{…}``, ``\pL``."""
        negative = self.peek() == "P"
        self.at += 1
        if not self.pattern.startswith("{", self.at):
            self.others.append(r"\p without braces")
        if self.take("{"):
            end = self.pattern.find("}", self.at)
            if end < 0:
                self.fail("a brace that is never closed", start)
            name = self.pattern[self.at : end]
            self.at = end + 1
        else:
            name = self.peek()
            self.at += 1
        if name.startswith("^"):
            negative, name = not negative, name[1:]
        found = classes.named(name)
        if found is None:
            self.fail(f"the class {name!r} is not supported: only general categories and Script=Han are", start)
        if self.any_case and classes.is_open_to_case(found):
            self.fail(f"the class {name!r} without regard to case is not supported", start)
        return complement(found) if negative else found

    # ── classes ─────────────────────────────────────────────────────────────────────────────────────────

    def read_class(self) -> Ranges:
        """``[…]``, from its bracket on."""
        return classes.read(self)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10
