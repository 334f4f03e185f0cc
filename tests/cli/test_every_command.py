"""Every command of the table that scripts can use, and every group, run as a script would."""

from __future__ import annotations

import pytest

from hermes_tui import commands
from hermes_tui.cli import main
from tests.cli.conftest import Hermes

RUNS: dict[str, tuple[tuple[str, ...], str]] = {
    "config": (("config", "get", "ui.theme"), "auto"),
    "sessions": (("sessions", "list"), "no session"),
    "search": (("search", "marmalade"), ""),
    "memory": (("memory", "list"), "0 shown, 0 count"),
    "skills": (("skills", "list"), "write-commit-message"),
    "tool": (("tool", "list"), "read_file"),
    "cron": (("cron", "next", "weekdays", "at", "9", "--tz", "UTC"), "0 9 * * 1-5"),
    "audit": (("audit", "verify"), "empty"),
    "mcp": (("mcp", "list"), "no servers yet"),
    "policy": (("policy", "check", "git push --force"), "git"),
    "learning": (("learning", "--help"), "learned"),
    "backup": (("backup", "--help"), "backup"),
    "restore": (("restore", "--help"), "restore"),
    "redact": (("redact",), ""),
    "gateway": (("gateway", "list"), "telegram"),
    "pairing": (("pairing", "list"), "nobody may talk yet"),
    "chat": (("chat", "--help"), "example: "),
    "http": (("http", "status"), "no port is set"),
    "send": (("send", "telegram:1", "x"), "no gateway is set up"),
    "format": (("format", "--help"), "messages that would be sent"),
    "prompt": (("prompt", "--help"), "what the prompt"),
    "update": (("update", "--help"), "--check"),
    "doctor": (("doctor",), "config"),
    "keys": (("keys", "list"), "ctrl+p"),
    "setup": (("setup", "--help"), "--local"),
    "model": (("model", "list", "--help"), "endpoint"),
    "auth": (("auth", "list"), "no key is set"),
    "usage": (("usage",), "no model was called"),
    "insights": (("insights",), "0 model calls"),
    "web": (("web", "--help"), "127.0.0.1"),
}
"""group -> (arguments, what it prints). What needs a network or never ends shows its help."""


def test_every_group_and_every_command_for_scripts_is_run() -> None:
    assert set(RUNS) == set(main.GROUPS)
    for one in commands.COMMANDS:
        slash = main.OLD_NAMES.get(one.slash, one.slash)
        assert "cli" not in one.surfaces or slash in RUNS, one.id


@pytest.mark.parametrize("group", RUNS)
def test_a_group_does_what_it_says(hermes: Hermes, group: str) -> None:
    arguments, said = RUNS[group]
    ran = hermes(*arguments)
    assert said in ran.out.lower() + ran.err.lower(), ran.out + ran.err
    assert "Traceback" not in ran.out + ran.err
