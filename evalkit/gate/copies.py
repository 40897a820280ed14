"""A copy of a tokenizer by way of pickling, made once for whoever needs one."""

from __future__ import annotations

import pickle
from typing import Any


class Copy:
    """``error``: why there can be none. The copy is made when first asked for, and has encoded nothing by then."""

    def __init__(self, tokenizer: Any) -> None:
        self.error: str | None = None
        self.data = b""
        self._copy: Any = None
        try:
            self.data = pickle.dumps(tokenizer)
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"

    def get(self, anew: bool = False) -> Any:
        if self._copy is None or anew:
            self._copy = pickle.loads(self.data)
        return self._copy
