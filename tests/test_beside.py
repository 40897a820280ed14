"""Work on another thread while this one does something else."""

from __future__ import annotations

import threading

import pytest

from evalkit.beside import WAITING, Beside

WAYS = pytest.mark.parametrize("wanted", [False, True])


@WAYS
def test_all_is_done_in_its_order(wanted: bool) -> None:
    done: list[int] = []
    homes: set[threading.Thread] = set()

    def work(number: int, stop: threading.Event) -> None:
        assert not stop.is_set()
        homes.add(threading.current_thread())
        done.append(number)

    with Beside(wanted) as aside:
        for number in range(20):
            aside.do(lambda stop, number=number: work(number, stop))  # type: ignore[misc]
        aside.finish()
        assert done == list(range(20))
    assert len(homes) == 1
    assert (threading.current_thread() in homes) is not wanted
    assert not any(home.is_alive() for home in homes - {threading.current_thread()})


@WAYS
def test_what_work_raises_is_raised(wanted: bool) -> None:
    def fail(stop: threading.Event) -> None:
        raise ValueError("no")

    def body() -> None:
        with Beside(wanted) as aside:
            aside.do(fail)
            aside.finish()

    with pytest.raises(ValueError, match="no"):
        body()


def test_what_earlier_work_raised_is_raised_when_more_is_handed_over() -> None:
    def fail(stop: threading.Event) -> None:
        raise ValueError("no")

    def body() -> None:
        with Beside(True) as aside:
            for _ in range(WAITING + 2):
                aside.do(fail)

    with pytest.raises(ValueError, match="no"):
        body()


def test_only_so_much_waits() -> None:
    free = threading.Event()
    begun: list[int] = []

    def work(number: int) -> None:
        begun.append(number)
        assert free.wait(60)

    with Beside(True) as aside:
        for number in range(WAITING + 1):
            aside.do(lambda stop, number=number: work(number))  # type: ignore[misc]
        threading.Timer(0.05, free.set).start()
        aside.do(lambda stop: work(-1))
        assert free.is_set(), "it was handed over while as much waited as may"
        aside.finish()
    assert begun == [*range(WAITING + 1), -1]


def test_a_body_that_fails_stops_the_work_and_leaves_the_rest() -> None:
    told: list[object] = []
    begun = threading.Event()

    def work(stop: threading.Event) -> None:
        begun.set()
        told.append(stop.wait(60))

    def body() -> None:
        with Beside(True) as aside:
            aside.do(work)
            aside.do(lambda stop: told.append("begun after the end"))
            assert begun.wait(60)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        body()
    assert told == [True]
