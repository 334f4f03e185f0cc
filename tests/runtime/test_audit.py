"""What a session does is in the audit log: decisions, answers, rules, changes of the policy."""

from __future__ import annotations

import asyncio

from hermes_tui.events import ApprovalAsked, TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import AnswerApproval, ChangeSession, OpenSession, Send, SetConfig, Standing
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.security.audit import AuditLine
from hermes_tui.security.audit_check import entries, verify
from tests.fakes.scripted_model import ScriptedModel, call, say


async def until(client: LocalClient, kind: type) -> object:
    async with asyncio.timeout(8):
        async for record in client.events():
            if isinstance(record.event, kind):
                return record.event
    raise AssertionError(kind)


async def opened(core: Core, folder: str) -> tuple[LocalClient, str]:
    client = LocalClient(core, "ui")
    view = await client.ask(OpenSession(which="new", standing=Standing(cwd=folder), face="ui"))
    return client, view.info.id


def read(home: Home) -> list[AuditLine]:
    return list(entries(home.audit))


async def test_a_question_its_answer_and_the_rule_that_came_of_it(
    core: Core, home: Home, scripted: ScriptedModel
) -> None:
    folder = str(home.path.parent / "work")
    home.path.parent.joinpath("work").mkdir()
    scripted.script = [call("write_file", path="a.txt", content="x"), say("done")]
    client, session = await opened(core, folder)
    await client.ask(Send(session=session, text="go"))
    asked = await until(client, ApprovalAsked)
    assert isinstance(asked, ApprovalAsked)
    (decided,) = read(home)
    assert (decided.kind, decided.verdict, decided.ask_id) == ("decided", "ask", asked.ask_id)
    assert decided.paths == (f"{folder}/a.txt",)
    await client.ask(
        AnswerApproval(session=session, ask_id=asked.ask_id, verdict="always", face="ui")
    )
    await until(client, TurnEnded)
    kinds = [(one.kind, one.verdict, one.face) for one in read(home)]
    assert ("answered", "always", "ui") in kinds
    assert ("rule", "added", "ui") in kinds
    assert any(one.kind == "changed" and one.title == "policy.allow" for one in read(home))
    assert verify(home.audit).ok
    await client.close()


async def test_what_changes_what_the_agent_may_do_is_on_record(core: Core, home: Home) -> None:
    client, session = await opened(core, str(home.path.parent))
    await client.ask(ChangeSession(session=session, mode="yolo"))
    await client.ask(SetConfig(key="sandbox.ssh_agent", value="true"))
    await client.ask(SetConfig(key="ui.theme", value="mono"))
    changed = {(one.title, one.detail) for one in read(home)}
    assert changed == {("mode", "ask -> yolo"), ("sandbox.ssh_agent", "False -> True")}
    (mode,) = [one for one in read(home) if one.title == "mode"]
    assert (mode.session, mode.face) == (session, "ui")
    await client.close()


async def test_a_settings_file_changed_by_hand_is_on_record_when_it_counts(
    core: Core, home: Home, scripted: ScriptedModel
) -> None:
    scripted.script = [say("hello")]
    client, session = await opened(core, str(home.path.parent))
    text = home.config.read_text()
    home.config.write_text(text + "policy:\n  deny:\n    - run_command git push\n")
    await client.ask(Send(session=session, text="hi"))
    await until(client, TurnEnded)
    (changed,) = [one for one in read(home) if one.kind == "changed"]
    assert "git push" in changed.detail
    await client.close()
