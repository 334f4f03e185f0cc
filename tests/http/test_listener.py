"""The HTTP port: who may call, which limits hold, what webhooks can rely on."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from hermes_tui.config import HttpConfig
from hermes_tui.errors import ConfigError, HermesError, StoreError
from hermes_tui.gateways.base import Answer, Call
from hermes_tui.http import access, server
from hermes_tui.http.base import HttpError, Reply, Stream, as_json
from hermes_tui.http.listener import HttpListener

KEY = "k" * 40
ROOM = HttpConfig(port=1, patience_s=0.3, most_bytes=10_000, parallel=2)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@asynccontextmanager
async def listening(
    config: HttpConfig = ROOM, key: Callable[[], str] = lambda: KEY
) -> AsyncIterator[tuple[HttpListener, httpx2.AsyncClient]]:
    async def now() -> str:
        return key()

    listener = HttpListener(replace(config, port=free_port()), now)
    await listener.start()
    url = f"http://127.0.0.1:{listener.port}"
    async with httpx2.AsyncClient(base_url=url, trust_env=False, timeout=5) as client:
        try:
            yield listener, client
        finally:
            await listener.close()


def bearer(key: str = KEY) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


async def echo(call: Call, parts: dict[str, str]) -> Reply:
    return as_json({"body": call.body.decode(), "parts": parts, "query": call.query})


async def test_a_path_of_ours_wants_the_key() -> None:
    async with listening() as (listener, client):
        listener.serve("POST", "/v1/things/{id}", echo)
        shut = [
            {},
            bearer("k" * 39),
            {"authorization": "Bearer"},
            {"authorization": KEY},
            {"authorization": f"Basic {KEY}"},
            bearer(KEY + " x"),
        ]
        for headers in shut:
            refused = await client.post("/v1/things/7", headers=headers, content=b"x")
            assert refused.status_code == 401
            assert refused.json()["error"]["code"] == "invalid_api_key"
        good = await client.post("/v1/things/7?a=b", headers=bearer(), content=b"hello")
        assert good.json() == {"body": "hello", "parts": {"id": "7"}, "query": {"a": "b"}}


async def test_without_a_key_nobody_gets_in() -> None:
    keys = [KEY]
    async with listening(key=lambda: keys[0]) as (listener, client):
        listener.serve("GET", "/v1/x", echo)
        assert (await client.get("/v1/x", headers=bearer())).status_code == 200
        keys[0] = ""
        for headers in (bearer(), {}, {"authorization": "Bearer"}):
            assert (await client.get("/v1/x", headers=headers)).status_code == 401


async def test_another_key_counts_at_once() -> None:
    keys = [KEY]
    async with listening(key=lambda: keys[0]) as (listener, client):
        listener.serve("GET", "/v1/x", echo)
        keys[0] = "n" * 40
        assert (await client.get("/v1/x", headers=bearer())).status_code == 401
        assert (await client.get("/v1/x", headers=bearer("n" * 40))).status_code == 200


@pytest.mark.parametrize(
    ("host", "key", "words"),
    [
        ("127.0.0.1", "", "no key"),
        ("127.0.0.1", "   ", "no key"),
        ("127.0.0.1", "abc", "shorter"),
        ("127.0.0.1", "k" * 20 + "\n", "signs"),
        ("127.0.0.1", "schlüssel" * 4, "signs"),
        ("0.0.0.0", "k" * 31, "32"),
        ("::", "k" * 31, "32"),
        ("example.org", "k" * 31, "32"),
        ("10.0.0.7", "", "no key"),
    ],
)
def test_it_does_not_listen_where_that_would_not_be_safe(host: str, key: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as refused:
        access.check(HttpConfig(port=1, host=host), key)
    assert "hermes http key" in refused.value.hint


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost"])
def test_on_this_machine_a_shorter_key_will_do(host: str) -> None:
    access.check(HttpConfig(port=1, host=host), "k" * 16)


def test_for_webhooks_alone_no_key_is_needed() -> None:
    access.check(HttpConfig(port=1, host="0.0.0.0", api=False), "")


@given(st.text(), st.text())
def test_only_the_very_key_opens(shown: str, key: str) -> None:
    opens = access.shows({"authorization": f"Bearer {shown}"}, key)
    assert opens == (bool(key) and shown.strip() == key)


async def test_an_address_of_ipv6_may_have_brackets() -> None:
    async def key() -> str:
        return KEY

    listener = HttpListener(replace(ROOM, port=free_port(), host="[::1]"), key)
    await listener.start()
    assert listener.port
    await listener.close()


async def test_a_port_that_is_taken_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])

        async def key() -> str:
            return KEY

        listener = HttpListener(replace(ROOM, port=port), key)
        with pytest.raises(HermesError, match=f"port {port} on 127.0.0.1 is taken"):
            await listener.start()
        assert listener.port == 0
        await listener.close()


async def test_a_webhook_needs_no_key_and_gets_the_very_bytes() -> None:
    heard: list[Call] = []

    async def handler(call: Call) -> Answer:
        heard.append(call)
        return Answer(status=202, body=b"thanks", headers={"x-kept": "1"})

    async with listening() as (listener, client):
        listener.add("POST", "/gateways/x", handler)
        body = bytes(range(256))
        headers = {"X-Signature": "abc", "content-encoding": "gzip"}
        got = await client.post("/gateways/x?a=1&b=%C3%A9", content=body, headers=headers)
        assert (got.status_code, got.content, got.headers["x-kept"]) == (202, b"thanks", "1")
    assert heard[0].body == body
    assert heard[0].headers["x-signature"] == "abc"
    assert heard[0].query == {"a": "1", "b": "é"}
    assert heard[0].remote == "127.0.0.1"


async def test_a_webhook_that_could_not_keep_a_message_is_no_success() -> None:
    async def handler(call: Call) -> Answer:
        raise StoreError("the disk is full")

    async with listening() as (listener, client):
        listener.add("POST", "/gateways/x", handler)
        assert (await client.post("/gateways/x")).status_code == 500


async def test_a_webhook_is_heard_to_its_end_when_the_caller_hangs_up() -> None:
    begun, go, kept = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def handler(call: Call) -> Answer:
        begun.set()
        await go.wait()
        kept.set()
        return Answer()

    async with listening() as (listener, client):
        listener.add("POST", "/gateways/x", handler)
        calling = asyncio.create_task(client.post("/gateways/x"))
        await asyncio.wait_for(begun.wait(), 2)
        calling.cancel()
        await asyncio.wait([calling])
        go.set()
        await asyncio.wait_for(kept.wait(), 2)


async def test_a_path_that_was_removed_answers_no_more_and_drops_what_is_under_way() -> None:
    begun = asyncio.Event()

    async def handler(call: Call) -> Answer:
        begun.set()
        await asyncio.Event().wait()
        return Answer()

    async with listening() as (listener, client):
        listener.add("POST", "/gateways/x", handler)
        calling = asyncio.create_task(client.post("/gateways/x"))
        await asyncio.wait_for(begun.wait(), 2)
        listener.remove("/gateways/x")
        assert (await calling).status_code == 503
        assert (await client.post("/gateways/x")).status_code == 404


async def test_strangers_cost_one_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async with listening() as (listener, client):
        listener.serve("GET", "/v1/x", echo)
        with caplog.at_level(logging.WARNING, "hermes_tui"):
            for path in ("/v1/x", "/wp-login.php", "/v1/x", "/.env"):
                answer = await client.get(path, headers=bearer("secret-try"))
                assert answer.status_code == (401 if path == "/v1/x" else 404)
                assert "error" in answer.json()
    told = [one for one in caplog.messages if one.startswith("http: refused")]
    assert len(told) == 1
    assert "secret-try" not in caplog.text


async def test_another_method_is_said() -> None:
    async with listening() as (listener, client):
        listener.serve("GET", "/v1/x", echo)
        assert (await client.delete("/v1/x", headers=bearer())).status_code == 405


async def test_a_body_that_is_too_large_is_not_read() -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x" * 4096

    async with listening() as (listener, client):
        listener.serve("POST", "/v1/x", echo)
        said = await client.post("/v1/x", headers=bearer(), content=b"x" * 10_001)
        assert (said.status_code, said.json()["error"]["type"]) == (413, "invalid_request_error")
        fits = await client.post("/v1/x", headers=bearer(), content=b"x" * 10_000)
        assert fits.status_code == 200
        hung_up = (httpx2.WriteError, httpx2.ReadError, httpx2.RemoteProtocolError)
        with suppress(*hung_up):  # while it was still sending
            answer = await client.post("/v1/x", headers=bearer(), content=endless())
            assert answer.status_code == 413


async def test_who_asks_before_sending_a_body_is_told_at_once_whether_to() -> None:
    async with listening() as (listener, _):
        listener.serve("POST", "/v1/x", echo)
        for key, said in ((KEY, b"HTTP/1.1 100"), ("k" * 39, b"HTTP/1.1 401")):
            reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
            head = f"POST /v1/x HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\n"
            writer.write(f"{head}expect: 100-continue\r\ncontent-length: 2\r\n\r\n".encode())
            assert (await asyncio.wait_for(reader.readline(), 2)).startswith(said)
            writer.close()


async def test_headers_that_never_end_are_hung_up_on() -> None:
    async with listening() as (listener, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
        writer.write(b"GET /v1/x HTTP/1.1\r\nhost: x\r\n")
        await asyncio.wait_for(_dribble(reader, writer), 3)


async def _dribble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send a header byte now and then, until the other end has had enough."""
    try:
        while not reader.at_eof():
            writer.write(b"x")
            await writer.drain()
            try:
                async with asyncio.timeout(0.05):
                    assert await reader.read(1) == b""
            except TimeoutError:
                continue
    except ConnectionError:
        return
    finally:
        writer.close()


async def test_a_body_that_never_ends_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "BODY_S", 0.1)
    async with listening() as (listener, _):
        listener.serve("POST", "/v1/x", echo)
        reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
        head = f"POST /v1/x HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {KEY}\r\n"
        writer.write(f"{head}content-length: 100\r\n\r\nabc".encode())
        said = await asyncio.wait_for(reader.read(), 4)
        assert said.startswith(b"HTTP/1.1 408")
        writer.close()


async def test_who_comes_while_all_are_busy_is_told_to_come_again() -> None:
    go = asyncio.Event()
    begun = asyncio.Semaphore(0)

    async def slow(call: Call, parts: dict[str, str]) -> Reply:
        begun.release()
        await go.wait()
        return Answer()

    async with listening() as (listener, client):
        listener.serve("GET", "/v1/slow", slow)
        busy = [asyncio.create_task(client.get("/v1/slow", headers=bearer())) for _ in range(2)]
        for _ in busy:
            await asyncio.wait_for(begun.acquire(), 2)
        turned_away = await client.get("/v1/slow", headers=bearer())
        assert turned_away.status_code == 503
        assert turned_away.headers["retry-after"]
        go.set()
        assert [one.status_code for one in await asyncio.gather(*busy)] == [200, 200]
        assert (await client.get("/v1/slow", headers=bearer())).status_code == 200


async def test_a_stream_ends_when_its_caller_hangs_up() -> None:
    closed = asyncio.Event()

    async def pieces() -> AsyncGenerator[bytes, None]:
        try:
            yield b"data: 1\n\n"
            await asyncio.Event().wait()
        finally:
            closed.set()

    async def streamed(call: Call, parts: dict[str, str]) -> Reply:
        return Stream(pieces=pieces(), headers={"content-type": "text/event-stream"})

    async with listening() as (listener, client):
        listener.serve("GET", "/v1/s", streamed)
        async with client.stream("GET", "/v1/s", headers=bearer()) as answer:
            async for piece in answer.aiter_bytes():
                assert piece == b"data: 1\n\n"
                break
        await asyncio.wait_for(closed.wait(), 2)


async def test_a_broken_call_ends_no_other(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(call: Call, parts: dict[str, str]) -> Reply:
        raise ZeroDivisionError("oops")

    async with listening() as (listener, client):
        listener.serve("GET", "/v1/broken", broken)
        listener.serve("GET", "/v1/x", echo)
        said = await client.get("/v1/broken", headers=bearer())
        assert said.status_code == 500
        assert "oops" not in said.text
        assert said.headers["x-should-retry"] == "false"
        assert (await client.get("/v1/x", headers=bearer())).status_code == 200
    assert "ZeroDivisionError" in caplog.text


async def test_nothing_new_is_begun_while_the_agent_ends() -> None:
    ending: list[bool] = [False]

    async def key() -> str:
        return KEY

    listener = HttpListener(replace(ROOM, port=free_port()), key, lambda: ending[0])
    listener.serve("GET", "/v1/x", echo)
    await listener.start()
    try:
        async with httpx2.AsyncClient(trust_env=False) as client:
            url = f"http://127.0.0.1:{listener.port}/v1/x"
            assert (await client.get(url, headers=bearer())).status_code == 200
            ending[0] = True
            assert (await client.get(url, headers=bearer())).status_code == 503
    finally:
        await listener.close()


def test_an_error_has_the_form_that_clients_know() -> None:
    error = HttpError(400, "no", code="bad", param="model")
    assert error.body == {
        "error": {"message": "no", "type": "invalid_request_error", "param": "model", "code": "bad"}
    }
