"""How much the property tests try: EVALKIT_TEST_BUDGET multiplies every number of examples."""

from __future__ import annotations

import os

BUDGET = int(os.environ.get("EVALKIT_TEST_BUDGET", "1"))


def examples(number: int) -> int:
    return number * BUDGET
