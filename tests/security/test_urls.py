"""No URL reaches this machine or network unasked, however it is written, redirected or resolved."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.errors import ToolError
from hermes_tui.security.secrets import Redactor, mask
from hermes_tui.security.urls import (
    Fetched,
    Limits,
    Request,
    UrlRefusedError,
    UrlRules,
    check_chain,
    check_url,
    fetch,
)

PUBLIC = "93.184.216.34"


def resolve(host: str) -> Sequence[str]:
    known = {"localtest.example": ["127.0.0.1"], "mixed.example": [PUBLIC, "10.0.0.1"]}
    if host.endswith(".nowhere.example"):
        raise OSError("no such name")
    return known.get(host, [PUBLIC])


def decision(url: str, rules: UrlRules | None = None) -> str:
    return check_url(url, resolve, rules).decision


DENIED = [
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.0.0.0x1/",
    "http://0177.0.0.1/",
    "http://127.0.0.1./",
    "http://127。0。0。1/",
    "http://１２７.0.0.1/",
    "http://010.0.0.1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:7f00:1::]/",
    "http://[2606:4700::5efe:10.0.0.1]/",
    "http://[fec0::1]/",
    "http://[fe80::1%25eth0]/",
    "http://169.254.169.254/latest/",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    "http://0.0.0.0/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://router/",
    "http://nas.local/",
    "http://metadata.google.internal/",
    "http://localtest.example/",
    "http://mixed.example/",
    "http://x.nowhere.example/",
    "http://ok.example@127.0.0.1/",
    "http://127.0.0.1\\@ok.example/",
    "http://127.0.0.1%2f@ok.example/",
    "http:/\\127.0.0.1/",
    "http:///127.0.0.1/",
    "http:127.0.0.1/",
    "http://127.0.0.1\u200b/",
    "http://ok.example\x00/",
    "http://ok\t.example/",
    "http://ok.example:99999/",
    "http://ok..example/",
    "http://[::1/",
    "http://999.1.1.1/",
    "http://1.2.3.4.5/",
    "file:///etc/passwd",
    "gopher://ok.example/",
    "javascript:alert(1)",
    "ok.example",
    "",
]


@pytest.mark.parametrize("url", DENIED)
def test_what_leads_inside_or_reads_two_ways_is_refused(url: str) -> None:
    verdict = check_url(url, resolve)
    assert verdict.decision == "deny"
    assert verdict.reason
    assert verdict.address == ""


ALLOWED = [
    "https://ok.example",
    "https://ok.example/a/@user?q=token+ring&code=SPRING26&key=hello#part",
    "https://sub.ok.example:8443/",
    "https://127.0.0.1.ok.example/",
    "https://localhost.ok.example/",
    "https://bücher.example/",
    "https://xn--bcher-kva.example/",
    f"https://{PUBLIC}/",
    "https://[2606:2800:220:1:248:1893:25c8:1946]/",
    "HTTPS://OK.example./%7Euser/",
]


@pytest.mark.parametrize("url", ALLOWED)
def test_the_public_web_is_open(url: str) -> None:
    verdict = check_url(url, resolve)
    assert (verdict.decision, verdict.reason) == ("allow", "a public address")
    assert verdict.address


ASKED = [
    "https://me@ok.example/",
    "http://ok.example:22/",
    "http://1572395042/",
    "https://ok.example/?Token=abcdef0123456789",
    "https://ok.example/?api%5Fkey=abcdef0123456789",
    "https://ok.example/login?password=hunter2",
    "https://ok.example/?d=U0VDUkVUX0tFWT1hYmNkZWYwMTIzNDU2Nzg5",
    "https://аpple.example/",  # the first letter is Cyrillic
]


@pytest.mark.parametrize("url", ASKED)
def test_what_is_odd_about_a_public_url_is_asked(url: str) -> None:
    assert decision(url) == "ask"


def test_held_secrets_and_masks_never_leave_in_a_url() -> None:
    rules = UrlRules(redactor=Redactor({"KEY": "correct-horse-77"}))
    assert decision("https://ok.example/?q=horse", rules) == "allow"
    assert decision("https://ok.example/?q=correct-horse-77", rules) == "deny"
    assert decision("https://ok.example/?q=" + b"correct-horse-77".hex(), rules) == "deny"
    assert decision("https://ok.example/?q=" + mask("KEY"), rules) == "deny"


def test_a_name_that_changes_while_it_is_checked_is_refused() -> None:
    answers = cycle([[PUBLIC], ["169.254.169.254"]])
    assert check_url("http://turns.example/", lambda _: next(answers)).decision == "deny"


def test_redirects_are_checked_like_the_first_url() -> None:
    def chain(*redirects: str) -> str:
        return check_chain("https://ok.example/r", redirects, resolve).decision

    assert chain("https://b.example/", "/next", "?x=1") == "allow"
    assert chain("https://b.example/", "http://[::1]/") == "deny"
    assert chain("//127.0.0.1/") == "deny"
    assert chain("file:///etc/passwd") == "deny"
    assert chain("/\\127.0.0.1/") == "deny"
    assert chain("http://ok.example:25/") == "ask"
    assert chain(*["https://ok.example/r"] * 30) == "deny"


def test_hosts_can_be_listed_and_local_ones_allowed_by_hand() -> None:
    rules = UrlRules(
        hosts=frozenset(("ok.example", ".org.example")), local=frozenset(("127.0.0.1:99",))
    )
    assert decision("https://ok.example/", rules) == "allow"
    assert decision("https://a.org.example/", rules) == "allow"
    assert decision("https://notok.example/", rules) == "ask"
    assert decision("http://127.0.0.1:98/", rules) == "deny"


PRIVATE = st.sampled_from(["127.0.0.1", "10.1.2.3", "192.168.0.9", "169.254.169.254", "172.20.0.1"])
SPELL: list[Callable[[int], str]] = [
    str,
    hex,
    lambda n: f"{n:#o}".replace("0o", "0"),
    lambda n: ".".join(str(n >> s & 255) for s in (24, 16, 8, 0)),
    lambda n: ".".join(hex(n >> s & 255) for s in (24, 16, 8, 0)),
    lambda n: ".".join(f"0{n >> s & 255:o}" for s in (24, 16, 8, 0)),
    lambda n: f"{n >> 24}.{n & 0xFFFFFF}",
    lambda n: f"{n >> 24}.{n >> 16 & 255}.{n & 0xFFFF}",
    lambda n: f"[::ffff:{n >> 16:x}:{n & 0xFFFF:x}]",
    lambda n: f"[64:ff9b::{n >> 16:x}:{n & 0xFFFF:x}]",
    lambda n: f"[2002:{n >> 16:x}:{n & 0xFFFF:x}::1]",
    lambda n: f"[::{n >> 16:x}:{n & 0xFFFF:x}]",
]


@settings(max_examples=150, deadline=None)
@given(
    address=PRIVATE,
    spell=st.sampled_from(SPELL),
    user=st.sampled_from(["", "me@", "ok.example@", "a:b@"]),
    port=st.sampled_from(["", ":80", ":8080", ":"]),
    tail=st.sampled_from(["", "/", "/x?y=1", "?.ok.example", "#@ok.example", "#.ok.example/"]),
    dot=st.booleans(),
)
def test_every_spelling_of_an_inner_address_is_refused(
    address: str, spell: Callable[[int], str], user: str, port: str, tail: str, dot: bool
) -> None:
    number = int.from_bytes(bytes(map(int, address.split("."))))
    host = spell(number) + ("." if dot and not spell(number).startswith("[") else "")
    assert decision(f"http://{user}{host}{port}{tail}") == "deny"


@settings(max_examples=200, deadline=None)
@given(url=st.text(max_size=60) | st.text("htp:/\\@[]%.#?01x7f ", max_size=40))
def test_any_text_gets_a_verdict(url: str) -> None:
    assert decision(url) in ("allow", "ask", "deny")


Handler = Callable[[str, dict[str, str]], Awaitable[bytes]]


@asynccontextmanager
async def server(answer: Callable[[bytes], bytes], seen: list[bytes]) -> AsyncIterator[int]:
    """A little web server on a free port; `answer` makes the whole answer from the request."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        seen.append(head)
        writer.write(answer(head))
        await writer.drain()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listening:
        yield listening.sockets[0].getsockname()[1]


def answer(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def local(*ports: int) -> UrlRules:
    names = ("127.0.0.1", "site.example", "other.example")
    return UrlRules(local=frozenset(f"{name}:{port}" for name in names for port in ports))


async def get(url: str, rules: UrlRules, limits: Limits | None = None, **more: object) -> Fetched:
    request = Request(url=url, **more)  # pyright: ignore[reportArgumentType]
    return await fetch(request, rules, None, limits, lambda _: ["127.0.0.1"])


async def test_the_connection_goes_to_the_checked_address_under_the_hosts_name() -> None:
    seen: list[bytes] = []
    looked_up: list[str] = []

    def look_up(host: str) -> list[str]:
        looked_up.append(host)
        return ["127.0.0.1"]

    async with server(lambda _: answer(b"hello"), seen) as port:
        url = f"http://site.example:{port}/a?b=c"
        done = await fetch(Request(url=url), local(port), None, None, look_up)
    assert (done.status, done.body, done.address) == (200, b"hello", "127.0.0.1")
    assert seen[0].startswith(b"GET /a?b=c HTTP/1.1\r\n")
    assert f"host: site.example:{port}".encode() in seen[0].lower()
    assert set(looked_up) == {"site.example"}


async def test_a_local_server_is_not_reached_unless_it_was_allowed() -> None:
    seen: list[bytes] = []
    async with server(lambda _: answer(b"inner"), seen) as port:
        with pytest.raises(UrlRefusedError, match="this machine"):
            await get(f"http://127.0.0.1:{port}/", UrlRules())
        with pytest.raises(UrlRefusedError):
            await get(f"http://site.example:{port}/", UrlRules())
    assert seen == []


async def test_a_redirect_inside_is_not_followed_and_keys_stay_with_their_host() -> None:
    seen: list[bytes] = []
    pages: dict[bytes, bytes] = {}
    async with server(lambda head: pages[head.split()[1]], seen) as port:
        away = f"Location: http://other.example:{port}/b"
        pages |= {
            b"/a": answer(b"", away, status="302 Found"),
            b"/b": answer(b"there"),
            b"/in": answer(b"", "Location: http://127.0.0.2/", status="302 Found"),
            b"/loop": answer(b"", "Location: /loop", status="301 Moved"),
        }
        site = f"http://site.example:{port}"
        done = await get(f"{site}/a", local(port), headers={"Authorization": "Bearer x"})
        assert (done.body, done.redirects) == (b"there", 1)
        assert b"authorization" in seen[0].lower()
        assert b"authorization" not in seen[1].lower()
        with pytest.raises(UrlRefusedError, match="this machine"):
            await get(f"{site}/in", local(port))
        with pytest.raises(ToolError, match="more than 10 times"):
            await get(f"{site}/loop", local(port))


async def test_what_was_sent_to_one_host_is_not_sent_on_to_another() -> None:
    seen: list[bytes] = []
    async with server(
        lambda _: answer(b"", "Location: http://other.example:1/", status="307 Away"), seen
    ) as port:
        with pytest.raises(ToolError, match="sent on to"):
            await get(f"http://site.example:{port}/", local(port), method="POST", body=b"data")


async def test_an_answer_is_cut_at_its_limit_even_when_it_is_packed() -> None:
    seen: list[bytes] = []
    bomb = gzip.compress(bytes(50_000_000))
    packed = "Content-Encoding: gzip"
    async with server(lambda _: answer(bomb, packed), seen) as port:
        done = await get(f"http://127.0.0.1:{port}/", local(port), Limits(size=1000))
    assert (len(done.body), done.truncated) == (1000, True)


async def test_a_silent_server_costs_no_more_than_the_limit() -> None:
    release = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await release.wait()
        writer.close()

    listening = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    start = time.monotonic()
    with pytest.raises(ToolError, match="gave no answer in"):
        await get(f"http://127.0.0.1:{port}/", local(port), Limits(seconds=0.2))
    assert time.monotonic() - start < 2
    release.set()
    listening.close()


async def test_a_doubtful_url_is_opened_only_when_somebody_says_yes() -> None:
    seen: list[bytes] = []
    async with server(lambda _: answer(b"ok"), seen) as port:
        request = Request(url=f"http://site.example:{port}/?password=hunter2")
        asked: list[str] = []

        async def ask(verdict: object) -> bool:
            asked.append(str(verdict))
            return len(asked) > 1

        with pytest.raises(UrlRefusedError, match="carry a secret"):
            await fetch(request, local(port), ask, None, lambda _: ["127.0.0.1"])
        assert seen == []
        done = await fetch(request, local(port), ask, None, lambda _: ["127.0.0.1"])
    assert (done.body, len(asked)) == (b"ok", 2)


def test_no_tool_opens_a_connection_of_its_own() -> None:
    tools = Path(__file__).resolve().parents[2] / "hermes_tui" / "tools"
    names = ("httpx2", "socket", "urllib.request", "http.client", "requests", "aiohttp", "urllib3")
    found = [
        f"{path.name}: {line}"
        for path in tools.rglob("*.py")
        for line in path.read_text().splitlines()
        if line.strip().startswith(("import ", "from ")) and line.split()[1] in names
    ]
    assert found == []


async def test_a_secret_leaves_in_no_body_and_no_header_but_the_one_it_is_for() -> None:
    seen: list[bytes] = []
    redactor = Redactor({"KEY": "correct-horse-77"})
    async with server(lambda _: answer(b"ok"), seen) as port:
        rules = UrlRules(local=local(port).local, redactor=redactor)
        url = f"http://site.example:{port}/"
        body = b"correct-horse-77".hex().encode()
        with pytest.raises(UrlRefusedError, match="KEY"):
            await get(url, rules, method="POST", body=body)
        with pytest.raises(UrlRefusedError, match="mask"):
            await get(url, rules, method="POST", body=mask("KEY").encode())
        with pytest.raises(UrlRefusedError, match="KEY"):
            await get(url, rules, headers={"X-Note": "correct-horse-77"})
        assert seen == []
        await get(url, rules, keys={"X-Api-Key": "correct-horse-77"})
    assert b"correct-horse-77" in seen[0]


async def test_a_key_does_not_follow_a_redirect_to_another_host() -> None:
    seen: list[bytes] = []
    pages: dict[bytes, bytes] = {}
    async with server(lambda head: pages[head.split()[1]], seen) as port:
        away = f"Location: http://other.example:{port}/b"
        pages |= {b"/a": answer(b"", away, status="302 Found"), b"/b": answer(b"there")}
        await get(f"http://site.example:{port}/a", local(port), keys={"X-Api-Key": "k-1234"})
    assert [b"x-api-key" in head.lower() for head in seen] == [True, False]
