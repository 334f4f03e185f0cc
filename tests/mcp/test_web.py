"""Servers behind an address: the gate for URLs, logins that last, and a server that went away."""

from __future__ import annotations

import asyncio
from functools import partial

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared._httpx_utils import request_within_origin
from mcp.shared.auth import OAuthToken

from hermes_tui.errors import HermesError, ToolError
from hermes_tui.home import Home
from hermes_tui.mcp.link import Link, Times
from hermes_tui.mcp.login import Person, Tokens
from hermes_tui.mcp.login_page import Page, result_of
from hermes_tui.mcp.servers import Server
from hermes_tui.mcp.web import Web
from hermes_tui.security.url_gate import UrlRules
from hermes_tui.security.url_transport import checked_client
from tests.mcp.conftest import QUICK, Bench
from tests.mcp.web_servers import Grants, WebServer


def quiet(text: str) -> None:
    """Nobody watches the progress."""


async def hello(link: Link) -> str:
    result = await link.call("hello", {}, quiet)
    return result.content[0].text


async def test_a_server_behind_an_address_answers_and_sees_its_headers(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACKER_KEY", "v" * 12)
    with WebServer() as web:
        server = Server(url=web.url, headers={"X-Key": "${TRACKER_KEY}"})
        link, _ = bench.link("web", server)
        assert await hello(link) == "hello"
        assert web.calls[0]["x-key"] == "v" * 12
        assert web.calls[0]["host"] == f"127.0.0.1:{web.port}"


async def test_a_server_that_restarts_is_found_again(bench: Bench) -> None:
    with WebServer() as web:
        link, _ = bench.link("web", Server(url=web.url), Times(connect=8, call=5))
        assert await hello(link) == "hello"
        await asyncio.to_thread(web.stop)
        with pytest.raises(ToolError, match=r"\w+"):
            await hello(link)
        await asyncio.to_thread(web.start)
        assert await hello(link) == "hello"


async def test_a_name_of_two_addresses_is_reached_where_somebody_listens() -> None:
    with WebServer() as web:
        url = web.url.replace("127.0.0.1", "localhost")
        rules = UrlRules(local=frozenset((f"localhost:{web.port}",)))
        resolve = {"localhost": ["127.0.0.2", "127.0.0.1"]}.__getitem__
        async with checked_client(rules, resolve=resolve) as client:
            body = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
            answer = await client.post(url, content=body)
    assert answer.status_code in (400, 406)


async def test_no_address_but_the_named_one_is_reached(home: Home) -> None:
    async def get(url: str, rules: UrlRules) -> int:
        async with checked_client(rules) as client:
            return (await client.get(url)).status_code

    with WebServer() as web, WebServer() as other:
        rules = UrlRules(local=frozenset((f"127.0.0.1:{web.port}",)))
        assert await get(web.url.removesuffix("/mcp") + "/nothing", rules) == 404
        with pytest.raises(ToolError, match="was not reached"):
            await get(other.url, rules)
        with pytest.raises(ToolError, match="was not reached"):
            await get(web.url, UrlRules())


async def test_a_server_is_reached_by_name_at_the_checked_address_and_may_move_within() -> None:
    asked: list[tuple[str, str]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        host = head.lower().partition("\r\nhost: ")[2].partition("\r\n")[0]
        asked.append((head.split()[1], host))
        moved = f"307 Moved\r\nLocation: http://{host}/mcp/" if asked[-1][0] == "/mcp" else "200 OK"
        writer.write(f"HTTP/1.1 {moved}\r\nContent-Length: 0\r\n\r\n".encode())
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        name = f"tracker.example:{server.sockets[0].getsockname()[1]}"
        rules = UrlRules(local=frozenset((name,)))
        async with checked_client(rules, resolve=lambda host: ["127.0.0.1"]) as client:
            answer = await request_within_origin(client, "GET", f"http://{name}/mcp")
    assert answer.status_code == 200
    assert asked == [("/mcp", name), ("/mcp/", name)]


async def browser(address: str, page: Page) -> None:
    """What a person's browser does: open the address, follow it back to the page."""
    async with httpx2.AsyncClient(trust_env=False) as client:
        answer = await client.get(address)
        while answer.status_code in (302, 303, 307):
            answer = await client.get(answer.headers["location"])
        assert "logged in" in answer.text


async def logged_in(bench: Bench, home: Home, server: Server) -> Link:
    page = await Page().open()

    async def show(address: str) -> None:
        assert "code_challenge_method=S256" in address
        bench.group.create_task(browser(address, page))

    person = Person(page.redirect, show, page.answer)
    make = partial(Web, "web", server, home, person)
    link = Link("web", server, make, bench.group.create_task, QUICK)
    bench.links.append(link)
    try:
        await link.ready()
    finally:
        await page.close()
    return link


async def test_a_login_is_kept_for_the_next_core(bench: Bench, home: Home) -> None:
    grants = Grants()
    with WebServer(grants) as web:
        server = Server(url=web.url, auth="oauth")
        assert await hello(await logged_in(bench, home, server)) == "hello"
        later, _ = bench.link("web", server)
        assert await hello(later) == "hello"
    assert grants.logins == 1
    assert "oauth" not in home.secrets.read_text()
    assert (home.secrets.stat().st_mode & 0o777) == 0o600


async def test_without_a_login_the_error_says_what_to_run(bench: Bench, home: Home) -> None:
    with WebServer(Grants()) as web:
        link, _ = bench.link("web", Server(url=web.url, auth="oauth"), Times(connect=5))
        with pytest.raises(ToolError, match="hermes mcp login web"):
            await link.ready()


@pytest.mark.parametrize("rotates", [True, False])
async def test_a_token_that_ran_out_is_refreshed_without_a_person(
    bench: Bench, home: Home, rotates: bool
) -> None:
    grants = Grants(rotates=rotates)
    with WebServer(grants) as web:
        server = Server(url=web.url, auth="oauth")
        await (await logged_in(bench, home, server)).close()
        first = Tokens("web", home)
        before = await first.get_tokens()
        assert before is not None
        for how_it_ended in ("known to have ended", "revoked by the server"):
            if how_it_ended.startswith("known"):
                first.keep(expires=1.0)
            grants.access.clear()
            link, _ = bench.link("web", server)
            assert await hello(link) == "hello"
            await link.close()
        after = await first.get_tokens()
    assert grants.logins == 1
    assert grants.refreshes == 2
    assert after is not None
    assert after.access_token != before.access_token
    assert (after.refresh_token != before.refresh_token) == rotates


async def test_no_failure_deletes_a_login(bench: Bench, home: Home) -> None:
    grants = Grants()
    with WebServer(grants) as web:
        server = Server(url=web.url, auth="oauth")
        await (await logged_in(bench, home, server)).close()
        grants.access.clear()
        grants.refresh.clear()
        link, _ = bench.link("web", server, Times(connect=5))
        with pytest.raises(ToolError, match="login"):
            await link.ready()
    gone, _ = bench.link("web", server, Times(connect=1))
    with pytest.raises(ToolError, match="can't be reached"):
        await gone.ready()
    kept = await Tokens("web", home).get_tokens()
    assert kept is not None
    assert kept.refresh_token


async def test_an_answer_without_a_refresh_token_keeps_the_old_one(home: Home) -> None:
    tokens = Tokens("web", home)
    await tokens.set_tokens(OAuthToken(access_token="a1", refresh_token="r1", expires_in=60))
    await tokens.set_tokens(OAuthToken(access_token="a2", expires_in=60))
    kept = await tokens.get_tokens()
    assert kept is not None
    assert (kept.access_token, kept.refresh_token) == ("a2", "r1")
    assert tokens.forget()
    assert not tokens.has()
    assert not tokens.forget()


async def ask_page(page: Page, path: str) -> str:
    async with httpx2.AsyncClient(trust_env=False) as client:
        return (await client.get(page.redirect.removesuffix("/callback") + path)).text


async def test_the_page_takes_one_answer_and_tells_of_a_refusal() -> None:
    page = await Page().open()
    assert "nothing here" in await ask_page(page, "/other")
    refused = await ask_page(page, "/callback?error=access_denied&error_description=No+way")
    assert "refused" in refused
    assert "answered already" in await ask_page(page, "/callback?code=x&state=y")
    with pytest.raises(HermesError, match="No way"):
        await page.answer()
    await page.close()


@given(st.text())
def test_any_pasted_text_is_an_answer_or_an_error(text: str) -> None:
    try:
        code = result_of(text).code
    except HermesError as error:
        code = error.message
    assert code
