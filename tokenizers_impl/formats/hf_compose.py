"""Several splits, one after the other, as one pattern.

``Split(C+)`` followed by ``Split(P)``, where ``C`` is a class of characters, isolates the runs of ``C`` and cuts what
lies between by ``P``, which sees each stretch as a text of its own: no match reaches into a run of ``C``, and a
look-ahead takes the start of one for the end of the text. So it is ``C+|P'``, where ``P'`` is ``P`` with
``(?!C)`` before everything in it that takes a character. Patterns that look back, or name the end of the text, are
refused.

>>> one_after_the_other([r"\\p{N}{1,3}", r" ?\\w+|\\s+(?!\\S)"])
'\\\\p{N}{1,3}| ?(?:(?!\\\\p{N})\\\\w)+|\\\\s+(?!(?!\\\\p{N})\\\\S)'
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import regex

_BLANKS = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

_ATOM = regex.compile(
    r"""
      (?P<unit> \\[pP]\{\^?\w+\} | \\[sSdDwW] | \. )
    | (?P<set> \[ \^? (?: (?!&&)[^\[\]\\] | \\[pP]\{\^?\w+\} | \\[^pPxucb0-9] )+ \] )
    | (?P<letter> \\[rnt] | \\[^\w\s] | [^\\\[\]()|?*+{}^$.] )
    | (?P<syntax> \(\?: | \(\?i: | \(\?[=!] | \) | \| | [?*+] [+?]? | \{\d+(?:,\d*)?\} )
    """,
    regex.VERBOSE,
)


def one_after_the_other(patterns: list[str]) -> str:
    """One pattern that cuts as ``patterns`` do. All but the last have to be runs of a class of characters.

    Raises ``ValueError`` with the reason where that can't be done.
    """
    classes = [_class_of(run) for run in patterns[:-1]]
    parts = [patterns[0]]
    parts += [_guarded(pattern, _union(classes[:number])) for number, pattern in enumerate(patterns) if number]
    return "|".join(parts)


def _union(classes: list[str]) -> str:
    """One class of several; as a set where possible, since an alternation is slower."""
    if len(classes) == 1 or not all(map(_positive, classes)):
        return "|".join(classes)
    return "[" + "".join(c[1:-1] if c.startswith("[") else c for c in classes) + "]"


def _positive(one: str) -> bool:
    return one != "." and not one.startswith("[^")


def _class_of(run: str) -> str:
    """The class of a pattern that matches each character of it, in runs or alone."""
    atoms = list(_atoms(run))
    kinds = [kind for kind, _ in atoms]
    if kinds[:1] != ["syntax"] and kinds[1:] in ([], ["syntax"]):
        times = atoms[1][1] if len(atoms) > 1 else ""
        if times in ("", "+", "++") or regex.fullmatch(r"\{1,\d*\}", times):
            return atoms[0][1]
    raise ValueError(f"{run[:60]!r} is not a run of one class of characters, and is not the last")


def _atoms(pattern: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(pattern):
        found = _ATOM.match(pattern, at)
        if found is None:
            raise ValueError(f"{pattern[at : at + 20]!r} in {pattern[:40]!r} is more than is understood here")
        assert found.lastgroup is not None
        yield found.lastgroup, found.group()
        at = found.end()


def _guarded(pattern: str, taken: str) -> str:
    """``pattern`` that stops before the class ``taken``."""
    parts = []
    groups: list[bool] = []  # whether each open group ignores case
    atoms = list(_atoms(pattern))
    for number, (kind, atom) in enumerate(atoms):
        following = atoms[number + 1] if number + 1 < len(atoms) else ("", "")
        if kind == "syntax":
            if atom.startswith("("):
                groups.append(atom == "(?i:" or any(groups[-1:]))
            elif atom == ")" and groups:
                groups.pop()
            parts.append(atom)
        elif not _may_share(kind, atom, taken):
            parts.append(atom)
        elif any(groups[-1:]):
            raise ValueError(f"{taken[:60]!r} would be read without regard to case before {atom!r}")
        elif following[0] == "syntax" and following[1][0] in "?*+{":
            parts.append(f"(?:(?!{taken}){atom})")
        else:
            parts.append(f"(?!{taken}){atom}")
    return "".join(parts)


@functools.lru_cache(maxsize=1024)
def _may_share(kind: str, atom: str, taken: str) -> bool:
    """Whether a character may be in both. Certain of ASCII and blanks, which are the same in every version of Unicode;
    of the rest it is supposed."""
    theirs = regex.compile(taken)
    if kind == "letter":
        letter = atom[-1] if atom[-1] not in "rnt" or len(atom) == 1 else {"r": "\r", "n": "\n", "t": "\t"}[atom[-1]]
        # Where case is ignored, s and k match two letters outside ASCII as well.
        candidates = {letter, letter.lower(), letter.upper()} | ({"\u017f", "\u212a"} if letter in "sSkK" else set())
        return not letter.isascii() or any(map(theirs.match, candidates))
    if atom == r"\s":
        return any(map(theirs.match, _BLANKS))
    if kind == "set" and atom.isascii() and not atom.startswith("[^") and not regex.search(r"\\[pPsSdDwW]", atom):
        ours = regex.compile(atom)
        letters = set(filter(ours.match, map(chr, range(128))))
        if letters & set("sSkK"):
            letters |= {"\u017f", "\u212a"}
        return any(map(theirs.match, letters | {c.lower() for c in letters} | {c.upper() for c in letters}))
    return True
