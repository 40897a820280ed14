"""Work on another thread while this one does something else."""

from __future__ import annotations

import threading

import pytest

from evalkit.beside import beside


@pytest.mark.parametrize("wanted", [False, True])
def test_both_are_done(wanted: bool) -> None:
    done: list[str] = []
    homes: list[threading.Thread] = []

    def work(stop: threading.Event) -> None:
        assert not stop.is_set()
        homes.append(threading.current_thread())
        done.append("work")

    with beside(wanted, work):
        done.append("body")
    assert sorted(done) == ["body", "work"]
    assert (homes[0] is threading.current_thread()) is not wanted


@pytest.mark.parametrize("wanted", [False, True])
def test_what_the_work_raises_is_raised(wanted: bool) -> None:
    def work(stop: threading.Event) -> None:
        raise ValueError("no")

    done = []
    with pytest.raises(ValueError, match="no"), beside(wanted, work):
        done.append("body")
    assert done == ["body"]


def test_a_body_that_fails_stops_the_work_and_waits_for_it() -> None:
    told = []

    def work(stop: threading.Event) -> None:
        told.append(stop.wait(60))

    with pytest.raises(KeyboardInterrupt), beside(True, work):
        raise KeyboardInterrupt
    assert told == [True]


def test_a_body_that_fails_leaves_work_that_was_for_later() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), beside(False, lambda stop: done.append(stop)):
        raise KeyboardInterrupt
    assert done == []
