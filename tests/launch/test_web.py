"""`hermes web`: the screen in a browser of this machine, for nobody but who has the link."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.launch.hermes import Place

pytest.importorskip("textual_serve", reason="textual-serve is missing: the extra [web]")

import aiohttp
import httpx2


@pytest.fixture
def served(place: Place) -> Iterator[str]:
    """A running `hermes web`: the link it printed."""
    process = place.start("web")
    assert process.stdout is not None
    try:
        yield next(line.strip() for line in process.stdout if "/open/" in line)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(5)


def base_of(link: str) -> str:
    return link.partition("/open/")[0]


def test_the_link_opens_once_and_leaves_a_cookie_no_script_can_read(served: str) -> None:
    with httpx2.Client(follow_redirects=True) as browser:
        page = browser.get(served)
        assert page.status_code == 200
        assert "textual.js" in page.text
        assert browser.get(base_of(served)).status_code == 200
        first = page.history[0].headers["set-cookie"]
        assert "HttpOnly" in first
        assert "SameSite=Strict" in first
    with httpx2.Client(follow_redirects=True) as other:
        assert other.get(served).status_code == 403
        assert other.get(base_of(served)).status_code == 403
        assert other.get(base_of(served) + "/static/js/textual.js").status_code == 403
        assert other.get(base_of(served) + "/open/").status_code == 403


def test_nothing_is_fetched_from_elsewhere_and_nobody_may_frame_it(served: str) -> None:
    with httpx2.Client(follow_redirects=True) as browser:
        headers = browser.get(served).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'self'")
    assert "https:" not in policy
    assert headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "localhost.evil.example:80"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ],
)
def test_another_host_or_page_is_turned_away_even_with_the_cookie(
    served: str, headers: dict[str, str]
) -> None:
    with httpx2.Client(follow_redirects=True) as browser:
        browser.get(served)
        assert browser.get(base_of(served), headers=headers).status_code == 403


def test_it_listens_on_the_loopback_address_alone(served: str) -> None:
    port = int(base_of(served).rpartition(":")[2])
    listening = Path("/proc/net/tcp").read_text().splitlines()[1:]
    mine = [line.split()[1] for line in listening if line.split()[3] == "0A"]
    assert [one for one in mine if int(one.rpartition(":")[2], 16) == port] == [
        f"0100007F:{port:04X}"
    ]


async def screen_of(
    session: aiohttp.ClientSession, base: str, words: bytes, keys: str = ""
) -> bytes:
    """Open a tab, wait for words on its screen, type, and close it."""
    got = b""
    async with session.ws_connect(
        f"{base}/ws?width=100&height=30", headers={"Origin": base}
    ) as tab:
        until = time.monotonic() + 8
        while words not in got:
            assert time.monotonic() < until, got[-2000:]
            message = await tab.receive(timeout=8)
            assert message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT), message
            got += message.data if isinstance(message.data, bytes) else message.data.encode()
        if keys:
            await tab.send_json(["stdin", keys])
    return got


async def test_each_tab_is_a_face_of_the_living_core_and_none_owns_it(
    served: str, place: Place
) -> None:
    core = place.core()
    assert core
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        async with session.get(served) as page:
            assert page.status == 200
        base = base_of(served)
        await screen_of(session, base, b"Say what to do")
        await screen_of(session, base, b"Say what to do", keys="\x11")
    assert place.core() == core
    os.kill(core, 0)


async def test_a_tab_of_another_page_gets_no_screen(served: str) -> None:
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        async with session.get(served):
            pass
        for origin in ({}, {"Origin": "https://evil.example"}):
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await session.ws_connect(f"{base_of(served)}/ws", headers=origin)
