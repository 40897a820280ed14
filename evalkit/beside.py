"""Work on another thread while this one does something else."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

Work = Callable[[threading.Event], None]

WAITING = 2  # pieces of work, beside the one that is being done: what they need stays in memory until then


class Beside:
    """Does work on another thread, one piece after the other; where that isn't ``wanted``, on this one at once.

    Work is given an event that tells it to stop, which happens when the body fails or is interrupted. It is waited for
    even then, since a thread that outlives the interpreter may bring the process down.

    >>> done = []
    >>> with Beside(True) as aside:
    ...     aside.do(lambda stop: done.append("work"))
    ...     aside.finish()
    >>> done
    ['work']
    """

    def __init__(self, wanted: bool) -> None:
        self._pool = ThreadPoolExecutor(1, "evalkit-beside") if wanted else None
        self._stop = threading.Event()
        self._waiting: deque[Future[None]] = deque()

    def do(self, work: Work) -> None:
        """Hands it over; waits where too much work waits. Raises what earlier work raised."""
        if self._pool is None:
            work(self._stop)
            return
        while len(self._waiting) > WAITING:
            self._waiting.popleft().result()
        self._waiting.append(self._pool.submit(work, self._stop))

    def finish(self) -> None:
        """Waits until all is done, and raises what it raised."""
        while self._waiting:
            self._waiting.popleft().result()

    def __enter__(self) -> Beside:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._stop.set()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=kind is not None)
