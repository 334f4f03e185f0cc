"""Writing to a terminal never waits for it, loses no frame it could show, and ends."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hermes_tui.cli.start_driver import BACKLOG, Writer
from tests.launch.hermes import until


class Heard:
    """What a writer told."""

    def __init__(self) -> None:
        self.gone = threading.Event()
        self.caught_up = threading.Event()


@contextmanager
def writing() -> Iterator[tuple[Writer, Heard, int]]:
    """A writer on a pipe, what it tells, and the end to read from."""
    read, write = os.pipe()
    heard = Heard()
    writer = Writer(write, heard.gone.set, heard.caught_up.set)
    os.close(write)
    try:
        yield writer, heard, read
    finally:
        writer.abandon()
        writer.stop()
        os.close(read)


def test_everything_arrives_in_order() -> None:
    with writing() as (writer, _, read):
        for number in range(1000):
            writer.write(f"{number},")
        got = b""
        while not got.endswith(b"999,"):
            got += os.read(read, 65536)
        assert got.decode() == "".join(f"{n}," for n in range(1000))


def test_a_terminal_that_reads_nothing_costs_no_time_and_little_memory() -> None:
    with writing() as (writer, heard, read):
        frame = "x" * 10_000
        began = time.monotonic()
        for _ in range(3000):
            writer.write(frame)
        assert time.monotonic() - began < 1
        assert writer._size <= BACKLOG + len(frame)
        writer.write("END")
        got = b""
        while not got.endswith(b"END"):
            got += os.read(read, 1 << 20)
        assert len(got) < 3 * BACKLOG
        assert heard.caught_up.wait(5)  # the screen is drawn anew, for frames were left out


def test_a_terminal_that_went_away_is_told_once_and_writing_goes_on_harmlessly() -> None:
    read, write = os.pipe()
    told: list[int] = []
    writer = Writer(write, lambda: told.append(1), lambda: None)
    os.close(write)
    os.close(read)
    writer.write("x")
    until(lambda: told)
    for _ in range(100):
        writer.write("y")
    writer.stop()
    assert told == [1]


def test_stopping_does_not_wait_for_a_terminal_that_reads_nothing() -> None:
    with writing() as (writer, _, _read):
        writer.write("x" * 1_000_000)
        began = time.monotonic()
        writer.stop()
        assert time.monotonic() - began < 2


def test_last_words_are_written_before_it_stops() -> None:
    with writing() as (writer, _, read):
        writer.write("goodbye")
        writer.stop()
        assert os.read(read, 100) == b"goodbye"
