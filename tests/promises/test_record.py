"""Every action is on record, and the record can't be edited quietly; a typo loosens nothing."""

from __future__ import annotations

import pytest

from hermes_tui.configuration.load import load, weaker
from hermes_tui.configuration.schema import settings as all_settings
from hermes_tui.errors import ConfigError
from hermes_tui.events import (
    InputReceived,
    InputTaken,
    ModelAsked,
    ReplyReceived,
    ToolCall,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.security import audit_chain
from hermes_tui.security.audit_check import verify
from tests.fakes.scripted_model import Call, say
from tests.promises.conftest import World, agrees, ended, shell


async def test_every_call_and_every_answer_is_on_record(world: World) -> None:
    seen = await world.turn(
        Call("read_file", {"path": "notes.txt"}),
        Call("write_file", {"path": "new.txt", "content": "x"}),
        shell("rm -rf /"),
        owner=agrees,
    )
    decided = {one.call_id: one.verdict for one in world.audit if one.kind == "decided"}
    assert list(decided) == [one.call_id for one in ended(seen)]
    assert list(decided.values()) == ["allow", "ask", "deny"]
    assert [one.verdict for one in world.audit if one.kind == "answered"] == ["once"]
    assert verify(world.home.audit).ok


async def test_a_changed_or_missing_row_is_named(world: World) -> None:
    await world.turn(*(Call("read_file", {"path": "notes.txt"}) for _ in range(5)))
    await world.core.end("to be looked at")
    (path,) = audit_chain.files(world.home.audit)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"allow"', b'"deny."', 3).replace(b'"deny."', b'"allow"', 2))
    assert [(one.line, one.n) for one in verify(world.home.audit).problems] == [(3, 3)]
    rows = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(rows[:1] + rows[2:]))
    assert "line 2 is missing" in verify(world.home.audit).problems[0].what
    path.write_bytes(b"".join(rows[:-1]))
    assert verify(world.home.audit).problems[-1].n == len(rows)
    path.write_bytes(whole)
    assert verify(world.home.audit).ok


async def test_what_a_crash_cut_off_is_on_record_as_unknown(world: World) -> None:
    """The log as a core leaves it that was killed between a command's start and its end."""
    session = await world.core.session(world.session)
    call = ToolCall(id="cut-off", tool="run_command", arguments='{"command": "make deploy"}')
    world.model.script = [say("I will look at it")]
    await session.add(
        [
            InputReceived(input_id="i1", text="deploy"),
            TurnStarted(turn=1),
            InputTaken(input_id="i1", turn=1),
            ModelAsked(turn=1, step=1, model="scripted"),
            ReplyReceived(turn=1, step=1, calls=(call,)),
            ToolStarted(turn=1, step=1, call_id=call.id, tool=call.tool, arguments=call.arguments),
        ]
    )
    await world.core.end("killed")
    world.core = await Core(world.home, world.core.config, headless=True).start()
    world.client = LocalClient(world.core, "ui")
    view = await world.client.ask(OpenSession(which=world.session))
    if not any(isinstance(one.event, TurnEnded) for one in view.records):
        async for record in world.client.events():
            if isinstance(record.event, TurnEnded):
                break
    (unknown,) = [one for one in world.audit if one.kind == "unknown"]
    assert (unknown.call_id, unknown.verdict) == ("cut-off", "unknown")
    assert verify(world.home.audit).ok


STRICT = {
    "agent.mode": "plan",
    "policy.deny": "[run_command git push, write_file /etc/hosts]",
    "policy.allow": "[run_command ls]",
    "sandbox.profile": "read-only",
    "sandbox.level": "3",
}


def written(keys: dict[str, str]) -> str:
    lines: list[str] = []
    for section in dict.fromkeys(key.partition(".")[0] for key in keys):
        lines.append(f"{section}:")
        lines += [f"  {k.partition('.')[2]}: {v}" for k, v in keys.items() if k.startswith(section)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("key", STRICT)
@pytest.mark.parametrize("what", ["renamed", "retyped", "emptied", "upper case", "cut"])
def test_a_typo_never_makes_it_less_safe(home: Home, key: str, what: str) -> None:
    home.config.write_text(written(STRICT))
    strict = load(home, {}).config
    section, _, name = key.partition(".")
    broken = dict(STRICT)
    value = broken.pop(key)
    if what == "upper case" and key.startswith("policy"):
        pytest.skip("a rule is a text: in upper case it is another one, as an edit makes it")
    match what:
        case "renamed":
            broken[f"{section}.{name[:-1]}"] = value
        case "retyped":
            broken[key] = f"{{{name}: {value}}}"
        case "emptied":
            broken[key] = ""
        case "upper case":
            broken[key] = value.upper()
        case _:
            broken[key] = value
    text = written(broken)
    home.config.write_text(text[: text.index(value)] if what == "cut" else text)
    refusal = ""
    try:
        now = load(home, {}).config
    except ConfigError as error:
        now, refusal = strict, error.message
    assert not weaker(now, strict)
    assert not refusal or "config.yaml:" in refusal


def test_there_is_no_key_that_switches_the_audit_log_or_redaction_off() -> None:
    assert [key for key in all_settings() if "audit" in key or "redact" in key] == []
