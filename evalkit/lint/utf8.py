"""UTF-8 as an automaton, for byte strings that begin or end inside a character.

A state says what may come next. From each state a byte leads to one state or to none, so that a byte string turns
every state it can begin in into one state it ends in: its *runs*.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

BOUNDARY = 0
"""Between two characters. The other states: 1 to 3 more bytes of 80–BF, and what follows E0, ED, F0 and F4."""

Run = tuple[int, int]

_AFTER_E0, _AFTER_ED, _AFTER_F0, _AFTER_F4 = 4, 5, 6, 7
# state: (first byte, last byte, next state), by table 3-7 of the Unicode standard.
_RULES: dict[int, tuple[tuple[int, int, int], ...]] = {
    BOUNDARY: (
        (0x00, 0x7F, BOUNDARY), (0xC2, 0xDF, 1), (0xE0, 0xE0, _AFTER_E0), (0xE1, 0xEC, 2), (0xED, 0xED, _AFTER_ED),
        (0xEE, 0xEF, 2), (0xF0, 0xF0, _AFTER_F0), (0xF1, 0xF3, 3), (0xF4, 0xF4, _AFTER_F4),
    ),
    1: ((0x80, 0xBF, BOUNDARY),),
    2: ((0x80, 0xBF, 1),),
    3: ((0x80, 0xBF, 2),),
    _AFTER_E0: ((0xA0, 0xBF, 1),),
    _AFTER_ED: ((0x80, 0x9F, 1),),
    _AFTER_F0: ((0x90, 0xBF, 2),),
    _AFTER_F4: ((0x80, 0x8F, 2),),
}  # fmt: skip
_STEPS = [{byte: to for low, high, to in _RULES[state] for byte in range(low, high + 1)} for state in range(8)]
_STARTS_INSIDE = tuple(range(1, 8))


def is_continuation(byte: int) -> bool:
    return byte & 0xC0 == 0x80


def is_whole(token: bytes) -> bool:
    """Whether it is whole characters."""
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


def runs(token: bytes) -> tuple[Run, ...]:
    r"""(state before, state after) of each way to stand in a text; none where no text has these bytes.

    >>> runs(b"a"), runs(b"\xe4\xb8"), runs(b"\xc0"), runs(b"\x80")
    (((0, 0),), ((0, 1),), (), ((1, 0), (2, 1), (3, 2), (5, 1), (7, 2)))
    """
    return _survivors(token, len(token))


def _survivors(token: bytes, length: int) -> tuple[Run, ...]:
    found = []
    for start in _STARTS_INSIDE if token and is_continuation(token[0]) else (BOUNDARY,):
        state: int | None = start
        for byte in token[:length]:
            state = _STEPS[state].get(byte)  # type: ignore[index]
            if state is None:
                break
        if state is not None:
            found.append((start, state))
    return tuple(found)


def impossible_at(token: bytes) -> int | None:
    r"""The place of the first byte that no text has after those before it, or None.

    >>> impossible_at(b"a\xc0"), impossible_at(b"\xe4a"), impossible_at("é".encode())
    (1, 1, None)
    """
    return next((end - 1 for end in range(1, len(token) + 1) if not _survivors(token, end)), None)


def parts(token: bytes) -> tuple[bytes, str, bytes]:
    r"""(the end of a character, whole characters, the start of one). Bytes of the inside of one character alone are
    the first part.

    >>> parts(b"\xad a\xe4\xb8")
    (b'\xad', ' a', b'\xe4\xb8')
    """
    head = 0
    while head < len(token) and is_continuation(token[head]):
        head += 1
    text = token[head:].decode("utf-8", "ignore")  # what it leaves out is the unfinished last character
    return token[:head], text, token[head + len(text.encode()) :]


def ending_in(head: bytes) -> NDArray[np.int64]:
    """The code points whose bytes end in ``head`` (continuation bytes) and have others before them."""
    value = 0
    for byte in head:
        value = value << 6 | byte & 0x3F
    found = np.arange(value, 0x110000, 64 ** len(head), dtype=np.int64)
    return _without_surrogates(found[found >= (0x80, 0x800, 0x10000)[len(head) - 1]])


def beginning_with(tail: bytes) -> NDArray[np.int64]:
    """The code points whose bytes begin with ``tail``, the start of a character that lacks its end."""
    lead = tail[0]
    length = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    value = lead & (0x7F >> length)
    for byte in tail[1:]:
        value = value << 6 | byte & 0x3F
    block = 64 ** (length - len(tail))
    low, high = value * block, (value + 1) * block
    return _without_surrogates(
        np.arange(max(low, (0x80, 0x800, 0x10000)[length - 2]), min(high, 0x110000), dtype=np.int64)
    )


def completions(token: bytes, choose: Callable[[NDArray[np.int64]], list[str]]) -> list[str]:
    r"""Texts that hold a token which begins or ends inside a character, with those characters that ``choose`` takes of
    all that can stand in the place of each half one.

    >>> completions(b"a\xc3", spread)
    ['aÀ', 'aÍ', 'aÙ', 'aæ', 'aò', 'aÿ']
    """
    head, text, tail = parts(token)
    lefts = choose(ending_in(head)) if head else [""]
    rights = choose(beginning_with(tail)) if tail else [""]
    return [left + text + right for left, right in itertools.product(lefts, rights)]


def spread(code_points: NDArray[np.int64], limit: int = 6) -> list[str]:
    """A few of the characters, from all over."""
    places = np.linspace(0, len(code_points) - 1, min(limit, len(code_points))).round().astype(np.int64)
    return [chr(code_points[place]) for place in places]


def _without_surrogates(code_points: NDArray[np.int64]) -> NDArray[np.int64]:
    return code_points[(code_points < 0xD800) | (code_points >= 0xE000)]
