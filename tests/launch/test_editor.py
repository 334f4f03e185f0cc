"""ctrl+g hands the terminal to the person's editor and takes it back, whatever the editor does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.scripted_model import say
from tests.launch.hermes import Place, command, until
from tests.launch.window import Window

LONG = "".join(f"line {n}\n" for n in range(13))


def script(folder: Path, body: str) -> str:
    """An editor that does what its shell lines say; `$1` is the file."""
    path = folder / "editor"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def opened(place: Place, editor: str) -> Window:
    place.more["EDITOR"] = editor
    window = Window(command(), place.env, place.folder)
    window.until("Say what to do")
    until(lambda: place.status().get("sessions"))
    return window


def back(window: Window) -> None:
    """Wait until the screen has the terminal again."""
    window.until(lambda: window.raw.count(b"\x1b[?1049h") == 2)


def files(place: Place) -> list[str]:
    folder = place.home.drafts
    return [one.name for one in folder.iterdir() if one.name.startswith("prompt-")]


def test_the_editor_has_the_terminal_and_what_it_saves_is_in_the_prompt(place: Place) -> None:
    place.model.script = [say("understood")]
    editor = script(
        place.folder,
        'test -t 0 && test -t 1 && echo "EDITOR HERE"; stty -a | grep -q " icanon" && echo COOKED\n'
        'cp "$1" "$HOME/given"; read line; echo "$line" >> "$1"',
    )
    with opened(place, editor) as window:
        window.type("\x1b[200~" + LONG + "\x1b[201~")
        window.until("⟦paste 1 · 13 lines⟧")
        window.type("\x07")
        window.until("EDITOR HERE")
        window.until("COOKED")
        assert "1049" not in window.modes
        window.type("typed in the editor\r")
        back(window)
        window.until(lambda: "line 12" in window.text and "typed in the editor" in window.text)
        assert (place.folder / "given").read_text() == LONG
        window.type("\r")
        until(lambda: place.model.requests)
        told = place.model.requests[0].json["messages"][-1]["content"]
        assert told.startswith(LONG + "typed in the editor")
        assert files(place) == []


@pytest.mark.parametrize("way", ["exit 3", "kill -9 $$", 'rm "$1"'])
def test_an_editor_that_fails_loses_nothing(place: Place, way: str) -> None:
    with opened(place, script(place.folder, way)) as window:
        window.type("precious words")
        window.until("precious words")
        window.type("\x07")
        back(window)
        window.until("precious words")
        window.until("nothing was changed" if "rm" not in way else "as it was")
        window.type(" go on")
        window.until("precious words go on")
        assert files(place) == []


def test_what_a_failing_editor_saved_is_kept_beside_the_old_text(place: Place) -> None:
    with opened(place, script(place.folder, 'echo new > "$1"; exit 1')) as window:
        window.type("old")
        window.until("❯ old")
        window.type("\x07")
        window.until("both texts are kept")
        window.until(lambda: "old" in window.text and "new" in window.text)


def test_an_interrupt_in_the_editor_ends_the_editor_alone(place: Place) -> None:
    with opened(place, script(place.folder, "echo WAITING; exec sleep 30")) as window:
        core = place.core()
        window.type("words")
        window.until("❯ words")
        window.type("\x07")
        window.until("WAITING")
        window.type("\x03")
        back(window)
        window.until("❯ words")
        assert place.core() == core
        window.type("\x11")
        assert window.ended() == 0


def test_an_editor_that_does_not_exist_is_said(place: Place) -> None:
    with opened(place, "/no/such/editor") as window:
        window.type("words")
        window.until("❯ words")
        window.type("\x07")
        window.until("can't be started")
        window.until("❯ words")


def test_a_window_closed_over_the_editor_leaves_the_agent_running(place: Place) -> None:
    place.model.script = [say("still here")]
    with opened(place, script(place.folder, "echo WAITING; exec sleep 30")) as window:
        core = place.core()
        window.type("words")
        window.until("❯ words")
        window.type("\x07")
        window.until("WAITING")
    until(lambda: place.status().get("headless"))
    assert place.core() == core
    assert place.run("-z", "hello").out.strip() == "still here"
