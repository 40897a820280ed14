"""Property tests try the same examples in every run, so that a run that passed passes again.

New ones are tried where the budget is raised: that is what looks for faults, as in
``EVALKIT_TEST_BUDGET=20 pytest``. With new ones in every run, a fault of a test (an example it wasn't written
for) stops a change that has nothing to do with it.
"""

from __future__ import annotations

from budget import BUDGET
from hypothesis import settings

settings.register_profile("evalkit", derandomize=BUDGET == 1)
settings.load_profile("evalkit")
