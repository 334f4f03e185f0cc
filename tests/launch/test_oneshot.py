"""`hermes -z`: the answer alone, an honest exit code, and the same through a living core."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable

import pytest

from tests.fakes.scripted_model import Asked, Reply, call, fail, say
from tests.launch.hermes import Place, Ran, command, until
from tests.launch.window import Window


@pytest.fixture(params=["cold", "living"])
def one(request: pytest.FixtureRequest, place: Place) -> Callable[..., Ran]:
    """Run `hermes`, without a core and through a living one."""
    if request.param == "living":
        assert place.run("daemon", "start").code == 0
    return place.run


def test_only_the_answer_is_printed(place: Place, one: Callable[..., Ran]) -> None:
    place.model.script = [say("It is **green**.")]
    assert one("-z", "which colour?") == Ran(0, "It is **green**.\n", "")


def test_the_prompt_may_come_from_standard_input(place: Place, one: Callable[..., Ran]) -> None:
    place.model.script = [say("ok")]
    assert one("-z", "-", stdin="a diff\nof two lines\n").out == "ok\n"
    assert "a diff\nof two lines" in place.model.last.messages[-1]["content"]


def test_events_come_one_a_line_in_order(place: Place, one: Callable[..., Ran]) -> None:
    place.model.script = [say("ok")]
    records = [json.loads(line) for line in one("-z", "hi", "--json").out.splitlines()]
    kinds = [record["kind"] for record in records]
    assert (kinds[0], kinds[-1]) == ("session_started", "turn_ended")
    assert {"input_received", "input_taken", "model_asked", "reply_received"} <= set(kinds)
    stored = [record["n"] for record in records if record["n"]]
    assert stored == list(range(1, len(stored) + 1))


def test_a_failure_is_a_sentence_and_an_exit_code(place: Place, one: Callable[..., Ran]) -> None:
    place.model.script = [fail(401, "Incorrect API key provided")]
    ran = one("-z", "hi")
    assert ran.code != 0
    assert ran.out == ""
    assert ran.err.startswith("hermes: ")
    assert "key" in ran.err
    assert "Traceback" not in ran.err


def test_what_would_ask_is_denied(place: Place, one: Callable[..., Ran]) -> None:
    place.model.script = [call("run_command", command="touch made"), say("I could not.")]
    assert one("-z", "make a file").out == "I could not.\n"
    assert not (place.folder / "made").exists()
    assert "nobody is here to approve" in place.model.last.messages[-1]["content"]


def test_yolo_runs_it_in_the_folder_of_the_caller(place: Place, one: Callable[..., Ran]) -> None:
    elsewhere = place.folder / "elsewhere"
    elsewhere.mkdir()
    place.model.script = [call("run_command", command="touch made"), say("done")]
    assert one("-z", "make a file", "--mode", "yolo", cwd=elsewhere).out == "done\n"
    assert (elsewhere / "made").exists()


def test_continue_goes_on_with_the_folders_session(place: Place, one: Callable[..., Ran]) -> None:
    place.model.script = [say("first"), say("second")]
    assert one("-z", "one").code == 0
    assert one("-z", "two", "--continue").out == "second\n"
    said = [m["content"] for m in place.model.last.messages if m["role"] == "assistant"]
    assert said == ["first"]


def test_another_model_answers_when_asked_for(place: Place, one: Callable[..., Ran]) -> None:
    place.model.script = [say("one"), say("two"), say("three")]
    assert one("-z", "one", "--model", "other").code == 0
    assert place.model.last.json["model"] == "other"
    assert one("-z", "two", "--continue", "--model", "third").code == 0
    assert place.model.last.json["model"] == "third"
    assert one("-z", "three").code == 0
    assert place.model.last.json["model"] == place.model.name


def test_a_session_that_is_not_there_is_said(one: Callable[..., Ran]) -> None:
    ran = one("-z", "hi", "--resume", "no such session")
    assert ran.code == 1
    assert "no such session" in ran.err


def test_ctrl_c_stops_the_turn(place: Place) -> None:
    place.model.script = [say("never", gate="shut")]
    assert place.run("daemon", "start").code == 0
    command = place.start("-z", "hi")
    until(lambda: place.model.requests)
    command.send_signal(signal.SIGINT)
    assert command.wait(5) == 130
    until(lambda: not place.status().get("working"))
    assert command.stderr is not None
    assert "Traceback" not in command.stderr.read()


def test_ctrl_c_ends_a_core_made_for_one_answer(place: Place) -> None:
    place.model.script = [say("never", gate="shut")]
    command = place.start("-z", "hi")
    until(lambda: place.model.requests)
    core = place.core()
    # A terminal sends it to the whole foreground group.
    for pid in (core, command.pid):
        os.kill(pid, signal.SIGINT)
    assert command.wait(5) == 130
    assert until(lambda: not place.core())


def test_two_at_once_share_one_core_and_neither_is_cut_off(place: Place) -> None:
    def answer(asked: Asked) -> Reply:
        slow = "slow" in str(asked.messages[-1]["content"])
        return say("slow answer", gate="go") if slow else say("quick answer")

    place.model.answer = answer
    first = place.start("-z", "quick one")
    second = place.start("-z", "slow one")
    assert first.communicate(timeout=10)[0] == "quick answer\n"
    assert first.returncode == 0
    place.model.open("go")
    assert second.communicate(timeout=10)[0] == "slow answer\n"
    assert until(lambda: not place.core())


def test_the_core_for_one_answer_outlives_it_while_others_need_it(place: Place) -> None:
    def answer(asked: Asked) -> Reply:
        slow = "second" in str(asked.messages[-1]["content"])
        return say("late", gate="late") if slow else say("early", gate="early")

    place.model.answer = answer
    first = place.start("-z", "first")
    until(lambda: place.model.requests)
    core = place.core()
    second = place.start("-z", "second")
    until(lambda: len(place.model.requests) == 2)
    place.model.open("early")
    assert first.communicate(timeout=10)[0] == "early\n"  # it does not wait for the other
    assert place.core() == core
    place.model.open("late")
    assert second.communicate(timeout=10)[0] == "late\n"
    assert until(lambda: not place.core())


@pytest.mark.parametrize("one", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_command_that_is_ended_takes_its_core_along(place: Place, one: signal.Signals) -> None:
    """As `timeout 5 hermes -z …` does."""
    place.model.script = [say("never", gate="shut")]
    command = place.start("-z", "hi")
    until(lambda: place.model.requests)
    command.send_signal(one)
    code = command.wait(5)
    assert code == (-one if one == signal.SIGKILL else 128 + one)
    assert until(lambda: not place.core())


@pytest.mark.parametrize("one", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_ended_stops_its_turn(place: Place, one: signal.Signals) -> None:
    place.model.script = [say("never", gate="shut")]
    assert place.run("daemon", "start").code == 0
    command = place.start("-z", "hi")
    until(lambda: place.model.requests)
    command.send_signal(one)
    assert command.wait(5) == 128 + one
    until(lambda: not place.status().get("working"))


def test_the_model_of_the_environment_counts_for_a_living_core_too(place: Place) -> None:
    place.model.script = [say("one"), say("two")]
    assert place.run("daemon", "start").code == 0
    place.more = {"HERMES_TUI_MODEL": "of the script"}
    assert place.run("-z", "hi").code == 0
    assert place.model.last.json["model"] == "of the script"
    assert place.run("-z", "hi", "--model", "named").code == 0
    assert place.model.last.json["model"] == "named"


def test_an_answer_nobody_reads_is_no_crash(place: Place, one: Callable[..., Ran]) -> None:
    assert one("--version").code == 0
    place.model.script = [say("unheard")]
    read, write = os.pipe()
    os.close(read)
    command = place.start("-z", "hi", stdout=write)
    os.close(write)
    assert command.wait(10) == 141
    assert command.stderr is not None
    assert command.stderr.read() == ""


def test_what_a_terminal_would_obey_is_left_out_on_a_terminal(place: Place) -> None:
    place.model.script = [say("safe\x1b]0;owned\x07 \x9b31mand sound\tok\n")] * 2
    assert "\x1b]0;" in place.run("-z", "hi").out  # a pipe gets it as it is
    with Window(command("-z", "hi"), place.env, place.folder) as window:
        assert window.ended() == 0
        assert b"\x1b" not in window.raw
        assert "and sound" in window.text
