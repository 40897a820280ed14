"""What holds for all tests.

Property tests try the same examples in every run, so that a run that passed passes again. New ones are tried where the
budget is raised: that is what looks for faults, as in ``EVALKIT_TEST_BUDGET=20 pytest``. With new ones in every run, a
fault of a test (an example it wasn't written for) stops a change that has nothing to do with it.
"""

from __future__ import annotations

import signal
import threading

from budget import BUDGET
from hypothesis import settings

settings.register_profile("evalkit", derandomize=BUDGET == 1)
settings.load_profile("evalkit")

# What a shell starts in the background ignores interrupts, and so would the processes that tests interrupt.
if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
