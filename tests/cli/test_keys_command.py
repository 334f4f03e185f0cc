"""`hermes keys`: what the terminal sends, what it is read as, what it does."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import time

import pytest

from hermes_tui.cli import keys, main
from hermes_tui.home import ENV, Home
from hermes_tui.ui.keys import KeyTable
from tests.launch.hermes import command


@pytest.mark.parametrize(
    ("sent", "names", "line"),
    [
        (b"\x0e", ["ctrl+n"], "^N ctrl+n session.new"),
        (b"\x1bz", ["alt+z"], "ESC z alt+z zoom"),
        (b"\x1b[1;3A", ["alt+up"], "ESC [1;3A alt+up block.previous"),
        (b"j", ["j"], "j j -"),
        (b"\xc3\xa9", ["é"], "\\xc3\\xa9 é -"),
        (b"\x1b[I", [], "ESC [I no key -"),
    ],
)
def test_a_press_is_bytes_a_name_and_a_command(sent: bytes, names: list[str], line: str) -> None:
    (got,) = keys.lines(sent, names, KeyTable())
    assert " ".join(got.split()) == line


def test_the_list_has_ones_own_keys_and_tells_what_is_wrong(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(ENV, str(home.path))
    home.ensure().keys.write_text("zoom: f9\nzom: f8\n")
    assert main.app(["keys", "list", "--json"]) == 0
    out, err = capsys.readouterr()
    assert {"id": "zoom", "title": "Zoom the pane", "keys": ["f9"]} in json.loads(out)
    assert "keys.yaml:2" in err


def test_without_a_terminal_it_says_what_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from hermes_tui.errors import HermesError

    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(HermesError, match="read from a terminal"):
        main.app(["keys"])


def test_on_a_terminal_it_shows_each_key_and_gives_the_terminal_back(home: Home) -> None:
    argv = command("keys")
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(argv[0], argv, {**os.environ, ENV: str(home.path), "TERM": "xterm-256color"})
    got = b""

    def until(words: bytes) -> None:
        nonlocal got
        end = time.monotonic() + 8
        while words not in got:
            assert time.monotonic() < end, got
            if select.select([fd], [], [], 0.05)[0]:
                got += os.read(fd, 4096)

    until(b"\x1b[?2004h")
    for sent, shown in (
        (b"\x1bz", b"alt+z                  zoom"),
        (b"\x1b", b"escape                 stop"),
        (b"\x1b[1;5D", b"ctrl+left              -"),
        (b"\x1b[200~x\x1b[201~", b"a paste"),
    ):
        os.write(fd, sent)
        until(shown)
    os.write(fd, b"\x03")
    until(b"ctrl+c                 interrupt")
    os.write(fd, b"\x03")
    until(b"\x1b[?2004l")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(fd)
