"""Work on another thread while this one does something else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def beside(wanted: bool, work: Callable[[threading.Event], None]) -> Iterator[None]:
    """Does ``work`` on another thread while the body runs; where that isn't ``wanted``, on this one after it.

    Raises what ``work`` raises. It is given an event that tells it to stop, which happens when the body fails or is
    interrupted; it is waited for even then, since a thread that outlives the interpreter may bring the process down.
    """
    stop = threading.Event()
    if not wanted:
        yield
        work(stop)
        return
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work(stop)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, name="evalkit-beside")
    thread.start()
    try:
        yield
        thread.join()
    except BaseException:
        stop.set()
        thread.join()
        raise
    if failed:
        raise failed[0]
