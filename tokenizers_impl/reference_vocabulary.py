"""``Vocabulary`` of the reference engine; see ``_native.pyi``."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tokenizers_impl.reference import Decoder, Encoder
    from tokenizers_impl.reference_splitter import Splitter

_MAX_ID = 2**31 - 1


class Vocabulary:
    """Tokens by id, in order of id."""

    def __init__(self, tokens: list[tuple[int, bytes]]) -> None:
        self._tokens = dict(sorted(tokens))

    @classmethod
    def parse_ranks(cls, data: bytes) -> Vocabulary | None:
        rows = []
        for line in data.removesuffix(b"\n").split(b"\n"):
            text, blank, digits = line.partition(b" ")
            try:
                token, rank = a2b_base64(text), int(digits)
            except ValueError:
                return None
            as_written = b2a_base64(token, newline=False) == text and b"%d" % rank == digits
            if not (token and blank and as_written and 0 <= rank <= _MAX_ID):
                return None
            rows.append((rank, token))
        twice = len(dict(rows)) < len(rows) or len({token for _, token in rows}) < len(rows)
        return None if twice else cls(rows)

    def __len__(self) -> int:
        return len(self._tokens)

    def get(self, id: int) -> bytes | None:
        return self._tokens.get(id)

    def ids(self) -> NDArray[np.uint32]:
        return np.array(list(self._tokens), dtype=np.uint32)

    def lengths(self) -> NDArray[np.int64]:
        return np.array([len(token) for token in self._tokens.values()], dtype=np.int64)

    def items(self) -> list[tuple[int, bytes]]:
        return list(self._tokens.items())

    def first(self, room: int) -> Vocabulary:
        longer = [token_id for token_id, token in self._tokens.items() if len(token) > 1]
        dropped = set(longer[room:])
        return Vocabulary([item for item in self._tokens.items() if item[0] not in dropped])

    def listed(self) -> bytes:
        return ",".join([f'[{token_id},"{token.hex()}"]' for token_id, token in self._tokens.items()]).encode()

    def encoder(self, splitter: Splitter) -> Encoder:
        from tokenizers_impl.reference import Encoder

        return Encoder.from_ranks(splitter, self.items())

    def decoder(self, specials: list[tuple[int, bytes]]) -> Decoder:
        from tokenizers_impl.reference import Decoder

        return Decoder([*self.items(), *specials])


def token_numbers(vocabularies: list[Vocabulary], without: list[list[bytes]]) -> list[NDArray[np.uint32]]:
    numbers: dict[bytes, int] = {}
    found = []
    for vocabulary, texts in zip(vocabularies, without, strict=True):
        kept = [token for _, token in vocabulary.items() if token not in texts]
        found.append(np.array([numbers.setdefault(token, len(numbers)) for token in kept], dtype=np.uint32))
    return found
