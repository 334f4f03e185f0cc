"""What was asked over HTTP survives kill -9 of the agent, at any point."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from hermes_tui.home import ENV, Home
from tests.fakes.scripted_model import Asked, Reply, ScriptedModel, call, say
from tests.http.conftest import KEY, free_port, settle
from tests.http.test_runs import events

HUNG_UP = (httpx2.TransportError,)


class Lives:
    """Cores of one home, one after the other."""

    def __init__(self, process: asyncio.subprocess.Process, url: str) -> None:
        self._process = process
        head = {"authorization": f"Bearer {KEY}"}
        self.http = httpx2.AsyncClient(base_url=url, headers=head, trust_env=False, timeout=5)

    async def line(self) -> str:
        assert self._process.stdout is not None
        return (await asyncio.wait_for(self._process.stdout.readline(), 10)).decode().strip()

    async def begin(self, kill_at: int = 0) -> None:
        """A life that dies at a point; the one before is killed first."""
        await self._write(str(kill_at))

    async def end(self) -> None:
        """Kill the life that goes on."""
        await self._write("end")

    async def _write(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{text}\n".encode())
        assert await self.line() == "done"

    async def up(self) -> None:
        """Wait until somebody answers."""
        while True:
            try:
                await self.http.get("/health")
                return
            except HUNG_UP:
                await asyncio.sleep(0.01)

    async def close(self) -> None:
        await self.http.aclose()
        assert self._process.stdin is not None
        self._process.stdin.write(b"end\n")
        self._process.stdin.close()
        await self._process.wait()


@pytest.fixture
async def lives(home: Home, scripted: ScriptedModel) -> AsyncIterator[Lives]:
    number = free_port()
    settle(home, scripted.url, number)
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "tests.http.lives", str(home.path)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**kept, ENV: str(home.path), "HOME": str(home.path.parent)},
    )
    lives = Lives(process, f"http://127.0.0.1:{number}")
    assert await lives.line() == "ready"
    yield lives
    await lives.close()


def head(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


async def test_a_run_is_finished_by_the_next_core(lives: Lives, scripted: ScriptedModel) -> None:
    scripted.script += [say("never", gate="never"), say("there")]
    await lives.begin()
    await lives.up()
    run = (await lives.http.post("/v1/runs", json={"input": "think"})).json()
    await scripted.until(1)
    await lives.begin()
    await lives.up()
    await lives.http.get(f"/v1/runs/{run['id']}/events")
    got = (await lives.http.get(f"/v1/runs/{run['id']}")).json()
    assert (got["status"], got["output_text"]) == ("completed", "there")
    assert got["session"] == run["session"]


async def test_an_answer_whose_agent_died_is_fetched_by_its_key(
    lives: Lives, scripted: ScriptedModel
) -> None:
    scripted.script += [say("never", gate="never"), say("there")]
    body = {"messages": [{"role": "user", "content": "think"}]}
    await lives.begin()
    await lives.up()
    asking = lives.http.post("/v1/chat/completions", json=body, headers=head("k"))
    task = asyncio.ensure_future(asking)
    await scripted.until(1)
    await lives.begin()
    with pytest.raises(HUNG_UP):
        await task
    await lives.up()
    for _ in range(2):
        got = await lives.http.post("/v1/chat/completions", json=body, headers=head("k"))
        assert got.json()["choices"][0]["message"]["content"] == "there"
    await lives.end()
    await lives.begin()
    await lives.up()
    late = await lives.http.post("/v1/chat/completions", json=body, headers=head("k"))
    assert late.json()["id"] == got.json()["id"]
    assert late.json()["choices"] == got.json()["choices"]
    assert len(scripted.requests) == 2


async def test_runs_that_had_not_begun_are_begun_by_the_next_core(
    lives: Lives, scripted: ScriptedModel
) -> None:
    scripted.script += [say("never", gate="never"), say("first"), say("second"), say("third")]
    await lives.begin()
    await lives.up()
    runs = []
    for text in ("one", "two", "three"):
        answer = await lives.http.post("/v1/runs", json={"input": text, "session": "desk"})
        runs.append(answer.json())
    await scripted.until(1)
    await lives.begin()
    await lives.up()
    for run, text in zip(runs, ("first", "second", "third"), strict=True):
        await lives.http.get(f"/v1/runs/{run['id']}/events")
        assert (await lives.http.get(f"/v1/runs/{run['id']}")).json()["output_text"] == text


async def test_events_go_on_where_they_were_cut(lives: Lives, scripted: ScriptedModel) -> None:
    scripted.script += [call("todo", items=[{"text": "look", "state": "doing"}])]
    scripted.script += [say("never", gate="never"), say("there")]
    await lives.begin()
    await lives.up()
    run = (await lives.http.post("/v1/runs", json={"input": "think"})).json()
    path = f"/v1/runs/{run['id']}/events"
    seen = ""
    asked = asyncio.ensure_future(scripted.until(2))
    try:
        async with lives.http.stream("GET", path) as stream:
            async for piece in stream.aiter_text():
                seen += piece
                if seen.count("event: model_asked") == 2:
                    await asked
                    await lives.begin()
    except HUNG_UP:
        await lives.up()
    before = [number for number, _, _ in events(seen) if number]
    last = {"Last-Event-ID": str(before[-1])}
    rest = events((await lives.http.get(path, headers=last)).text)
    after = [number for number, _, _ in rest if number]
    whole = [number for number, _, _ in events((await lives.http.get(path)).text) if number]
    assert before + after == whole
    assert rest[-1][2]["output_text"] == "there"


@pytest.mark.slow
async def test_killed_at_any_point_a_run_is_said_once_and_finished(
    lives: Lives, scripted: ScriptedModel
) -> None:
    def answer(asked: Asked) -> Reply | str:
        if asked.messages[-1]["role"] == "tool":
            return say("done")
        return call("todo", items=[{"text": "look", "state": "doing"}])

    scripted.answer = answer
    died = 0
    for kill_at in range(1, 400, 4):
        await lives.begin(kill_at)
        body = {"input": f"work number {kill_at}."}
        run = await _insist(lives, kill_at, body)
        died += run["died"]
        said = [one for one in scripted.last.messages if one["role"] == "user"]
        assert [f"number {kill_at}." in one["content"] for one in said] == [True]
        assert run["output_text"] == "done"
        await lives.end()
        if not run["died"]:
            break
    assert died > 5


async def _insist(lives: Lives, number: int, body: dict[str, Any]) -> dict[str, Any]:
    """Ask with one key until it is answered; whether the core died meanwhile."""
    died = False
    ids: set[str] = set()
    while True:
        try:
            async with asyncio.timeout(5):
                run = await lives.http.post("/v1/runs", json=body, headers=head(f"k{number}"))
                ids.add(run.json()["id"])
                await lives.http.get(f"/v1/runs/{run.json()['id']}/events")
                got = (await lives.http.get(f"/v1/runs/{run.json()['id']}")).json()
        except HUNG_UP:
            await asyncio.sleep(0.02)
            if await _dead(lives):
                died = True
                await lives.begin()
            continue
        assert got["status"] == "completed", got
        assert len(ids) == 1
        return {**got, "died": died}


async def _dead(lives: Lives) -> bool:
    """Whether nobody comes up within a while."""
    try:
        async with asyncio.timeout(0.4):
            await lives.up()
    except TimeoutError:
        return True
    return False
