"""Runs: begun, watched, approved, stopped, and fetched after the agent was killed."""

from __future__ import annotations

import json
from typing import Any

import httpx2

from hermes_tui.intents import DeleteSession
from hermes_tui.runtime.local import LocalClient
from tests.fakes.scripted_model import Call, Reply, call, calls, say
from tests.http.conftest import Port, until


async def begin(raw: httpx2.AsyncClient, text: str, **more: Any) -> dict[str, Any]:
    answer = await raw.post("/v1/runs", json={"input": text, **more})
    assert answer.status_code == 202, answer.text
    return answer.json()


async def get(raw: httpx2.AsyncClient, run: dict[str, Any]) -> dict[str, Any]:
    return (await raw.get(f"/v1/runs/{run['id']}")).json()


async def ended(raw: httpx2.AsyncClient, run: dict[str, Any]) -> dict[str, Any]:
    """The run once its events are over."""
    assert (await raw.get(f"/v1/runs/{run['id']}/events")).status_code == 200
    return await get(raw, run)


def events(text: str) -> list[tuple[int, str, dict[str, Any]]]:
    """(number, kind, data) of each server-sent event."""
    found: list[tuple[int, str, dict[str, Any]]] = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "event" in fields:
            number = int(fields.get("id", 0))
            found.append((number, fields["event"], json.loads(fields["data"])))
    return found


async def test_a_run_goes_on_when_nobody_watches(port: Port) -> None:
    port.model.script.append(say("there", gate="go"))
    async with port.raw() as raw:
        run = await begin(raw, "think")
        await port.model.until(1)
        assert (await get(raw, run))["status"] == "in_progress"
    port.model.open("go")
    async with port.raw() as raw:
        run = await ended(raw, run)
    assert (run["status"], run["output_text"]) == ("completed", "there")


async def test_events_are_resumed_without_gap_or_repeat(port: Port) -> None:
    port.model.script += [
        calls(Call("todo", {"items": [{"text": "look", "state": "doing"}]}), text="I plan."),
        say("Done."),
    ]
    async with port.raw() as raw:
        run = await begin(raw, "do it")
        whole = events((await raw.get(f"/v1/runs/{run['id']}/events")).text)
        stored = [(number, kind) for number, kind, _ in whole if number]
        kinds = [kind for _, kind in stored]
        assert kinds[0] == "input_received"
        assert kinds[-1] == "turn_ended"
        assert {"tool_started", "tool_ended", "reply_received"} <= set(kinds)
        assert whole[-1][1] == "run"
        assert whole[-1][2]["status"] == "completed"
        for at, _ in stored:
            head = {"Last-Event-ID": str(at)}
            rest = events((await raw.get(f"/v1/runs/{run['id']}/events", headers=head)).text)
            assert [one for one in stored if one[0] > at] == [(n, k) for n, k, _ in rest if n]


async def test_an_approval_comes_as_an_event_and_is_answered(port: Port) -> None:
    port.model.script += [call("run_command", command="touch made-it"), say("Made.")]
    folder = port.core.home.path.parent / "http"
    async with port.raw() as raw:
        run = await begin(raw, "make it")
        seen: list[str] = []
        async with raw.stream("GET", f"/v1/runs/{run['id']}/events") as stream:
            async for line in stream.aiter_lines():
                seen.append(line)
                if line == "event: approval_asked":
                    waiting = (await get(raw, run))["waiting"]
                    assert (await get(raw, run))["status"] == "waiting"
                    assert not (folder / "made-it").exists()
                    asked = {"ask_id": waiting[0]["ask_id"]}
                    yes = await raw.post(f"/v1/runs/{run['id']}/approve", json=asked)
                    assert yes.status_code == 200
                    again = await raw.post(f"/v1/runs/{run['id']}/deny", json=asked)
                    assert again.status_code == 409
        run = await get(raw, run)
    assert (run["status"], run["output_text"]) == ("completed", "Made.")
    assert (folder / "made-it").exists()


async def test_what_is_denied_is_not_done(port: Port) -> None:
    port.model.script += [call("run_command", command="touch made-it"), say("Then not.")]
    async with port.raw() as raw:
        run = await begin(raw, "make it")
        await until(lambda: any(s.conversation.approvals for s in port.core.sessions.values()))
        reason = {"reason": "not today"}
        assert (await raw.post(f"/v1/runs/{run['id']}/deny", json=reason)).status_code == 200
        run = await ended(raw, run)
    assert run["output_text"] == "Then not."
    assert "not today" in str(port.model.last.messages)
    assert not (port.core.home.path.parent / "http" / "made-it").exists()


async def test_a_run_is_stopped(port: Port) -> None:
    port.model.script.append(say("never", gate="never"))
    async with port.raw() as raw:
        run = await begin(raw, "think")
        await port.model.until(1)
        stopped = (await raw.post(f"/v1/runs/{run['id']}/stop")).json()
        assert stopped["status"] == "cancelled"
        assert (await raw.post(f"/v1/runs/{run['id']}/stop")).status_code == 200


async def test_a_run_that_waits_for_its_turn_can_be_stopped_alone(port: Port) -> None:
    port.model.script += [say("first", gate="go"), say("third")]
    async with port.raw() as raw:
        first = await begin(raw, "one", session="desk")
        await port.model.until(1)
        second = await begin(raw, "two", session="desk")
        third = await begin(raw, "three", session="desk")
        assert (await get(raw, second))["status"] == "queued"
        assert (await raw.post(f"/v1/runs/{second['id']}/stop")).json()["status"] == "cancelled"
        port.model.open("go")
        assert (await ended(raw, first))["output_text"] == "first"
        assert (await ended(raw, third))["output_text"] == "third"
        assert (await get(raw, second))["status"] == "cancelled"
    assert "two" not in [one["content"].split("\n")[0] for one in port.model.last.messages]


async def test_a_turn_that_failed_does_not_take_the_next_one_with_it(port: Port) -> None:
    port.model.script += [Reply(status=400, body=b"{}", gate="go"), say("fine")]
    async with port.raw() as raw:
        first = await begin(raw, "one", session="desk")
        await port.model.until(1)
        second = await begin(raw, "two", session="desk")
        port.model.open("go")
        assert (await ended(raw, first))["status"] == "failed"
        assert (await ended(raw, second))["output_text"] == "fine"


async def test_what_does_not_exist_is_said(port: Port) -> None:
    async with port.raw() as raw:
        for path in ("/v1/runs/run_0", "/v1/runs/run_0/events"):
            assert (await raw.get(path)).status_code == 404
        port.model.script.append(say("fine"))
        run = await begin(raw, "hello")
        await ended(raw, run)
        assert (await raw.post(f"/v1/runs/{run['id']}/approve")).status_code == 404
        assert (await raw.post(f"/v1/runs/{run['id']}/dance")).status_code == 404
        bad = {"Last-Event-ID": "x"}
        got = await raw.get(f"/v1/runs/{run['id']}/events", headers=bad)
        assert got.status_code == 400
        assert (await raw.post("/v1/runs", json={"input": "x", "mode": "no"})).status_code == 400
        assert (await raw.post("/v1/runs", json={"imput": "x"})).status_code == 400
        assert len(port.model.requests) == 1


async def test_health_tells_no_secret_and_needs_none(port: Port) -> None:
    async with httpx2.AsyncClient(base_url=port.url, trust_env=False) as nobody:
        got = await nobody.get("/health")
        assert got.status_code == 200
        assert set(got.json()) == {"status", "version"}
        assert (await nobody.get("/v1/models")).status_code == 401


async def test_a_session_that_was_deleted_is_gone(port: Port) -> None:
    port.model.script.append(say("fine"))
    async with port.raw() as raw:
        run = await begin(raw, "hello")
        run = await ended(raw, run)
        await LocalClient(port.core).ask(DeleteSession(session=run["session"]))
        assert (await raw.get(f"/v1/runs/{run['id']}")).status_code == 410
        assert (await raw.get(f"/v1/runs/{run['id']}/events")).status_code == 410
