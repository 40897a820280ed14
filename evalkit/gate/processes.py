"""Other processes: a pickled tokenizer, and one in a process that was forked, forked from a server, or spawned.

One process of each kind serves a whole gate, except that a forked one has the tokenizer as it stood at the fork,
its caches with it, and is started for each. A process that doesn't answer in time, or dies, has failed; one that
can't be started is not measured, with the reason.
"""

from __future__ import annotations

import multiprocessing
import pickle
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Literal

import numpy as np

from evalkit.gate.copies import Copy
from evalkit.gate.ids import Ids
from evalkit.gate.paths import serial
from evalkit.gate.peers import Comparison, Found, Unavailable
from evalkit.gate.processes_child import DONE, READY, work

Method = Literal["fork", "forkserver", "spawn"]
METHODS: tuple[Method, ...] = ("fork", "forkserver", "spawn")
SHARE = 10_000
START_SECONDS = 90.0
ANSWER_SECONDS = 60.0


class ProcessError(Exception):
    """Another process gave no ids."""


class NotStarted(Exception):
    """There is no such process here, and why."""


class Processes:
    """The processes of one gate; a context manager, since they have to end with it."""

    def __init__(self, answer_seconds: float = ANSWER_SECONDS) -> None:
        self.answer_seconds = answer_seconds
        self._servers: dict[tuple[str, int | None], _Server] = {}
        self._tried: dict[str, str | None] = {}

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        for server in self._servers.values():
            server.stop()
        self._servers.clear()

    def of(self, tokenizer: Any, copy: Copy) -> list[Found]:
        """The tokenizer's comparisons. ``copy``: its copy by way of pickling."""
        if copy.error is not None:
            return [Unavailable("processes", f"it can't be pickled: {copy.error}")]

        def pickled(texts: Sequence[str]) -> Ids:
            return serial(copy.get(), texts)

        found: list[Found] = [Comparison("processes", "pickled", pickled, share=5 * SHARE)]
        for method in METHODS:
            missing = self._missing(method)
            if missing is not None:
                found.append(Unavailable("processes", missing))
                continue
            if method != "fork":
                self._server(method, None, None).expect(id(tokenizer), copy.data)
            encode = self._encoder(method, tokenizer, copy.data)
            found.append(Comparison("processes", method, encode, share=SHARE, cost=5))
        return found

    def _missing(self, method: Method) -> str | None:
        """Why no process can be started in this way, None where one can. Tried once for all tokenizers."""
        if method not in multiprocessing.get_all_start_methods():
            return f"this platform has no {method}"
        if method not in self._tried:
            try:
                self._server(method, None, None)
                self._tried[method] = None
            except NotStarted as error:
                self._tried[method] = f"no process could be started by {method}: {error}"
        return self._tried[method]

    def _encoder(self, method: Method, tokenizer: Any, data: bytes) -> Callable[[Sequence[str]], Ids]:
        number = id(tokenizer)

        def encode(texts: Sequence[str]) -> Ids:
            inherited = tokenizer if method == "fork" else None
            server = self._server(method, number if method == "fork" else None, inherited)
            try:
                return server.encode(number, data, texts)
            except ProcessError:
                for key in [key for key, one in self._servers.items() if one is server]:
                    self._servers.pop(key).stop()
                raise

        return encode

    def _server(self, method: Method, number: int | None, inherited: Any) -> _Server:
        if (method, number) not in self._servers:
            self._servers[method, number] = _Server(method, number, inherited, self.answer_seconds)
        return self._servers[method, number]


class _Server:
    """A process that encodes on request."""

    def __init__(self, method: Method, number: int | None, inherited: Any, answer_seconds: float) -> None:
        self.method, self.answer_seconds = method, answer_seconds
        self._known: set[int] = set() if number is None else {number}
        self._ahead = 0
        """Answers that nobody has waited for yet."""
        context = multiprocessing.get_context(method)
        self._pipe: Connection
        self._pipe, there = context.Pipe()
        known = {} if number is None else {number: inherited}
        self._process = context.Process(target=work, args=(there, known), daemon=True)  # type: ignore[attr-defined]
        try:
            with warnings.catch_warnings():
                # Python 3.12 warns of forks beside threads: that they don't hang is what is looked at here.
                warnings.simplefilter("ignore", DeprecationWarning)
                self._process.start()
        except (OSError, RuntimeError, ValueError, AssertionError, pickle.PicklingError) as error:
            raise NotStarted(f"{type(error).__name__}: {error}") from None
        finally:
            there.close()
        try:
            if not self._pipe.poll(START_SECONDS) or self._pipe.recv() != READY:
                raise NotStarted(f"it was not ready in {START_SECONDS:.0f} seconds")
        except (EOFError, OSError):
            self.stop()
            raise NotStarted(f"it ended with code {self._process.exitcode}") from None
        except NotStarted:
            self.stop()
            raise

    def expect(self, number: int, data: bytes) -> None:
        """Sends a tokenizer ahead, which is built there while this process sees to something else. What goes wrong with
        it is said when its ids are asked for."""
        with suppress(EOFError, OSError):
            self._pipe.send((number, data, []))
            self._known.add(number)
            self._ahead += 1

    def encode(self, number: int, data: bytes, texts: Sequence[str]) -> Ids:
        raw = [text.encode("utf-8", "surrogatepass") for text in texts]
        try:
            self._pipe.send((number, None if number in self._known else data, raw))
            self._known.add(number)
            while self._ahead:
                self._ahead -= 1
                self._answer()
            flat, offsets = self._answer()
        except (EOFError, OSError):
            self._process.join(5)
            raise ProcessError(f"a process started by {self.method} ended with code {self._process.exitcode}") from None
        return Ids.of_arrays(np.frombuffer(flat, dtype=np.int64), np.frombuffer(offsets, dtype=np.int64))

    def _answer(self) -> list[bytes]:
        if not self._pipe.poll(self.answer_seconds):
            raise ProcessError(
                f"a process started by {self.method} gave no answer in {self.answer_seconds:.0f} seconds"
            )
        outcome, *answer = self._pipe.recv()
        if outcome != DONE:
            raise ProcessError(f"in a process started by {self.method}: {answer[0]}")
        return list(answer)

    def stop(self) -> None:
        with suppress(OSError, ValueError):
            self._pipe.close()
        self._process.terminate()
        self._process.join(5)
        if self._process.is_alive():
            self._process.kill()
            self._process.join(5)
