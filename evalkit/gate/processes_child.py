"""What runs in the other process. Apart from the rest, so that a new interpreter imports little."""

from __future__ import annotations

import os
import pickle
import signal
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

READY, DONE, FAILED = "ready", "done", "failed"


def work(pipe: Connection, known: dict[int, Any]) -> None:
    """Answers (number, pickled tokenizer or None, texts in UTF-8) with ids and offsets as bytes of int64, until
    the other end is closed."""
    import numpy as np

    with suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the gate, which then ends this process
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    pipe.send(READY)
    parent = os.getppid()
    with suppress(EOFError, OSError):
        while True:
            while not pipe.poll(5):
                # A forked sibling holds the other end of the pipe as well, so that a killed parent doesn't close it.
                if os.getppid() != parent:
                    return
            number, data, raw = pipe.recv()
            try:
                if data is not None:
                    known[number] = pickle.loads(data)
                encode = known[number].encode_ordinary
                rows = [encode(text.decode("utf-8", "surrogatepass")) for text in raw]
            except BaseException as error:  # a panic of the compiled core is no Exception
                pipe.send((FAILED, f"{type(error).__name__}: {error}"))
                continue
            flat = np.array([token_id for row in rows for token_id in row], dtype=np.int64)
            offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
            pipe.send((DONE, flat.tobytes(), offsets.tobytes()))
