"""`hermes http`: the key is made once, the state is said, nothing is let in by mistake."""

from __future__ import annotations

import socket

import pytest

from hermes_tui.home import Home
from hermes_tui.http import access
from hermes_tui.security.vault import Vault
from tests.cli.conftest import Hermes

NAME = "HERMES_TUI_HTTP_KEY"


def test_the_key_is_made_once_and_is_long_enough_for_any_address(hermes: Hermes) -> None:
    first = hermes("http", "key").out.strip()
    assert len(first) >= access.LONG_KEY
    assert hermes("http", "key").out.strip() == first
    assert hermes("http", "key", "--json").json == {
        "variable": NAME,
        "key": first,
        "made": False,
    }


def test_another_key_makes_the_old_one_void(hermes: Hermes, home: Home) -> None:
    first = hermes("http", "key").out.strip()
    second = hermes("http", "key", "--new").out.strip()
    assert second != first
    assert Vault(home).get(NAME) == second


def test_a_key_of_the_environment_is_not_ours_to_change(
    hermes: Hermes, monkeypatch: pytest.MonkeyPatch, home: Home
) -> None:
    monkeypatch.setenv(NAME, "from-the-environment")
    assert hermes("http", "key").out.strip() == "from-the-environment"
    assert hermes("http", "key", "--new").code == 1
    assert Vault(home).get(NAME) is None


def test_without_a_port_it_says_how_to_set_one(hermes: Hermes) -> None:
    assert "hermes config set http.port" in hermes("http", "status").out


def test_what_is_missing_is_said(hermes: Hermes, home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    home.config.write_text(f"http:\n  port: {port}\n")
    said = hermes("http", "status").out
    assert "does not answer" in said
    assert "no key" in said
    hermes("http", "key")
    shown = hermes("http", "status", "--json").json
    assert shown == {
        "url": f"http://127.0.0.1:{port}/v1",
        "api": True,
        "answers": False,
        "problem": "",
    }


def test_another_program_on_the_port_is_not_taken_for_the_agent(hermes: Hermes, home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        home.config.write_text(f"http:\n  port: {other.getsockname()[1]}\n  api: false\n")
        other.listen()
        other.settimeout(0.01)
        assert not hermes("http", "status", "--json").json["answers"]
