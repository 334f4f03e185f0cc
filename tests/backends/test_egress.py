"""Only what was granted by name leaves the machine, and nothing leads back into it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.backends.egress import Ask, Egress, Trip, Wish
from hermes_tui.backends.egress_http import RefusedError, parse_head
from hermes_tui.backends.egress_names import HostRule, NameRefusedError, host_name, is_public
from tests.fakes.small_internet import PUBLIC, SmallInternet


@pytest.fixture
async def internet() -> AsyncIterator[SmallInternet]:
    async with SmallInternet().served(None) as small:
        small.put("good.test", "/", b"hello")
        small.put("other.test", "/", b"other")
        yield small


@contextlib.asynccontextmanager
async def proxy(egress: Egress, password: str = "") -> AsyncIterator[int]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = await egress.serve(listener, password)
    try:
        yield listener.getsockname()[1]
    finally:
        server.close()


async def say(port: int, text: bytes) -> bytes:
    """What the proxy answers, up to its end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(text)
    async with asyncio.timeout(1.8):
        answer = await reader.read()
    writer.close()
    return answer


def get(host: str, more: str = "") -> bytes:
    return f"GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\n{more}\r\n".encode()


def asking(answer: bool, asked: list[Wish]) -> Ask:
    async def ask(wish: Wish) -> bool:
        asked.append(wish)
        await asyncio.sleep(0)
        return answer

    return ask


async def test_a_granted_host_is_fetched_from(internet: SmallInternet) -> None:
    async with proxy(Egress(["good.test"], ways=internet.ways)) as port:
        answer = await say(port, get("good.test"))
    assert answer.endswith(b"hello")
    assert internet.dialled == [(PUBLIC, 80)]


async def test_a_host_that_was_not_granted_is_not_even_looked_up(
    internet: SmallInternet,
) -> None:
    trips: list[Trip] = []
    egress = Egress(["good.test"], on_trip=trips.append, ways=internet.ways)
    async with proxy(egress) as port:
        answer = await say(port, get("other.test"))
    assert answer.startswith(b"HTTP/1.1 403")
    assert b"other.test:80 was not granted" in answer
    assert internet.asked == []
    assert trips[0].verdict.startswith("refused")


async def test_a_new_host_is_asked_for_once_and_then_granted(internet: SmallInternet) -> None:
    asked: list[Wish] = []
    async with proxy(Egress(ask=asking(True, asked), ways=internet.ways)) as port:
        answers = await asyncio.gather(*(say(port, get("good.test")) for _ in range(5)))
        answers.append(await say(port, get("good.test")))
    assert all(one.endswith(b"hello") for one in answers)
    assert asked == [Wish(host="good.test", port=80)]


async def test_a_no_is_a_no(internet: SmallInternet) -> None:
    asked: list[Wish] = []
    async with proxy(Egress(ask=asking(False, asked), ways=internet.ways)) as port:
        assert (await say(port, get("good.test"))).startswith(b"HTTP/1.1 403")
    assert internet.requests == []


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.1.1", "172.20.0.1", "100.64.0.1",
        "0.0.0.0", "::1", "::ffff:127.0.0.1", "fe80::1", "fc00::1", "fec0::1", "2002:7f00:1::",
        "64:ff9b::7f00:1", "192.0.0.192", "224.0.0.1", "fd00:ec2::254", "::7f00:1", "fe80::1%eth0",
    ],
)  # fmt: skip
async def test_a_granted_name_that_leads_inside_is_refused(
    internet: SmallInternet, address: str
) -> None:
    for addresses in ([address], [PUBLIC, address]):
        internet.names["good.test"] = addresses
        async with proxy(Egress(["good.test"], ways=internet.ways)) as port:
            assert (await say(port, get("good.test"))).startswith(b"HTTP/1.1 403")
    assert internet.dialled == []


async def test_the_address_that_was_checked_is_the_one_connected_to(
    internet: SmallInternet,
) -> None:
    """A name server may answer differently the second time: there is no second time."""
    async with proxy(Egress(["good.test"], ways=internet.ways)) as port:
        await say(port, get("good.test"))
        assert (internet.asked, internet.dialled) == (["good.test"], [(PUBLIC, 80)])


@pytest.mark.parametrize(
    "target",
    [
        "127.0.0.1:80", "2130706433:80", "0x7f.1:80", "0177.0.0.1:80", "[::1]:80", "localhost:80",
        "evil.test\0.good.test:80", "good.test:22", "good.test", "good.test:0", "good.test:99999",
        "user@good.test:80", "good.test:80:80", "good..test:80", "-good.test:80", "good.test.:22",
        "good.test%00:80", "good.test/:80", "1.1.1.1:443",
    ],
)  # fmt: skip
async def test_tricks_with_names_and_ports_lead_nowhere(
    internet: SmallInternet, target: str
) -> None:
    internet.names |= {"localhost": ["127.0.0.1"], "evil.test": [PUBLIC]}
    asked: list[Wish] = []
    egress = Egress(["good.test"], ask=asking(False, asked), ways=internet.ways)
    async with proxy(egress) as port:
        answer = await say(port, f"CONNECT {target} HTTP/1.1\r\n\r\n".encode())
    assert answer.split(b" ")[1] in (b"400", b"403")
    assert internet.dialled == []


async def test_nothing_behind_the_first_request_is_passed_on(internet: SmallInternet) -> None:
    async with proxy(Egress(["good.test"], ways=internet.ways)) as port:
        text = get("good.test") + b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n"
        answer = await say(port, text)
    assert answer.count(b"HTTP/1.1 200") == 1
    assert [one[1] for one in internet.requests] == ["good.test"]


async def test_the_host_field_can_not_name_another_host(internet: SmallInternet) -> None:
    async with proxy(Egress(["good.test"], ways=internet.ways)) as port:
        await say(port, b"GET http://good.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n")
    assert [one[1] for one in internet.requests] == ["good.test"]


async def test_sending_is_asked_for_where_only_fetching_was_granted(
    internet: SmallInternet,
) -> None:
    asked: list[Wish] = []
    rule = HostRule("good.test", upload=False)
    post = b"POST http://good.test/ HTTP/1.1\r\nContent-Length: 4\r\n\r\ndata"
    async with proxy(Egress([rule], ask=asking(False, asked), ways=internet.ways)) as port:
        assert (await say(port, post)).startswith(b"HTTP/1.1 403")
        assert (await say(port, get("good.test"))).endswith(b"hello")
    assert asked == [Wish(host="good.test", port=80, upload=True)]
    async with proxy(Egress(["good.test"], ways=internet.ways)) as port:
        assert (await say(port, post)).endswith(b"hello")
    assert internet.requests[-1] == ("POST", "good.test", "/", b"data")


async def test_an_upload_through_a_tunnel_is_cut_off_before_it_leaves(
    internet: SmallInternet,
) -> None:
    got = bytearray()

    async def sink(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            got.extend(data)
        writer.close()

    server = await asyncio.start_server(sink, "127.0.0.1", 0)
    internet.ports[443] = server.sockets[0].getsockname()[1]
    trips: list[Trip] = []
    rule = HostRule("good.test", upload=False)
    egress = Egress([rule], on_trip=trips.append, ways=internet.ways)
    async with proxy(egress) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"CONNECT good.test:443 HTTP/1.1\r\n\r\n")
        assert b"200" in await reader.readline()
        writer.write(b"x" * 100_000)
        async with asyncio.timeout(1.8):
            with contextlib.suppress(OSError):
                await reader.read()
        writer.close()
    server.close()
    assert len(got) <= 8 * 1024
    assert trips[0].verdict.startswith("cut off")


async def test_a_chunked_request_arrives_whole(internet: SmallInternet) -> None:
    seen = asyncio.get_running_loop().create_future()

    async def server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.set_result(await reader.readuntil(b"0\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        writer.close()

    other = await asyncio.start_server(server, "127.0.0.1", 0)
    internet.ports[80] = other.sockets[0].getsockname()[1]
    async with proxy(Egress(["good.test"], ways=internet.ways)) as port:
        body = b"3\r\nabc\r\n5;x=y\r\ndefgh\r\n0\r\n\r\n"
        head = b"POST http://good.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        assert (await say(port, head + body + b"GET / HTTP/1.1\r\n\r\n")).endswith(b"ok")
    other.close()
    assert (await seen).endswith(b"3\r\nabc\r\n5\r\ndefgh\r\n0\r\n\r\n")


async def test_a_proxy_that_others_could_reach_wants_its_password(
    internet: SmallInternet,
) -> None:
    async with proxy(Egress(["good.test"], ways=internet.ways), "pass") as port:
        assert (await say(port, get("good.test"))).startswith(b"HTTP/1.1 407")
        wrong = "Proxy-Authorization: Basic aGVybWVzOmhlcm1lcw==\r\n"
        assert (await say(port, get("good.test", wrong))).startswith(b"HTTP/1.1 407")
        right = "Proxy-Authorization: Basic aGVybWVzOnBhc3M=\r\n"
        assert (await say(port, get("good.test", right))).endswith(b"hello")
    assert len(internet.requests) == 1


async def test_a_host_that_does_not_answer_is_said_to(internet: SmallInternet) -> None:
    async with proxy(Egress(["good.test:81", "gone.test"], ways=internet.ways)) as port:
        assert b"can't be reached" in await say(port, get("good.test:81"))
        assert b"has no address" in await say(port, get("gone.test"))


@given(st.binary(max_size=300))
def test_no_head_breaks_the_parser(raw: bytes) -> None:
    with contextlib.suppress(RefusedError):
        head = parse_head(raw + b"\r\n\r\n")
        assert 0 < head.port < 65_536


@given(st.text(max_size=80))
def test_a_host_name_is_plain_or_refused(text: str) -> None:
    try:
        name = host_name(text)
    except NameRefusedError:
        return
    assert name.isascii()
    assert name == host_name(name)
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_.")
    assert not name.rpartition(".")[2].isdigit()


@given(st.ip_addresses())
def test_what_is_no_global_address_is_never_public(address: object) -> None:
    import ipaddress

    assert isinstance(address, ipaddress.IPv4Address | ipaddress.IPv6Address)
    if not address.is_global or address.is_multicast:
        assert not is_public(str(address))


@pytest.mark.parametrize(
    ("rule", "host", "port", "covered"),
    [
        ("index.test", "index.test", 443, True),
        ("index.test", "index.test", 8080, False),
        ("index.test:8080", "index.test", 8080, True),
        ("index.test", "evilindex.test", 443, False),
        ("index.test", "index.test.evil.test", 443, False),
        ("*.hosted.test", "files.hosted.test", 443, True),
        ("*.hosted.test", "hosted.test", 443, False),
        ("*.hosted.test", "evilhosted.test", 443, False),
        ("Index.test.", "index.test", 80, True),
    ],
)
def test_a_rule_covers_what_it_says(rule: str, host: str, port: int, covered: bool) -> None:
    assert HostRule(rule).covers(host, port) is covered


@pytest.mark.parametrize("rule", ["*.com", "*", "", "1.2.3.4", "a b", "x:y"])
def test_a_rule_that_covers_too_much_or_nothing_is_refused(rule: str) -> None:
    with pytest.raises(NameRefusedError):
        HostRule(rule)
