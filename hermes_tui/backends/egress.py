"""The way out of a sandbox: an HTTP proxy in the core that lets through what was granted by host.

A name is looked up once and the address that was checked is the one connected to. Addresses
instead of names, private ranges and other protocols are refused; a new host is asked for, and
so is sending much to a host that was granted for fetching only.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Iterable

from msgspec import Struct

from hermes_tui.backends import egress_http as http
from hermes_tui.backends.egress_http import Head, RefusedError
from hermes_tui.backends.egress_names import (
    NEVER_UNNAMED,
    WEB_PORTS,
    HostRule,
    NameRefusedError,
    host_name,
    is_public,
)

_CONNECT_S = 30.0
_HEAD_S = 30.0
_CHUNK = 65_536
_BURST = 8 * 1024
_FREE_UP = 1 << 20


class Wish(Struct, frozen=True, kw_only=True):
    """What a command wants of the network: to fetch from a host, or to send it a lot as well."""

    host: str
    port: int
    upload: bool = False


class Trip(Struct, frozen=True, kw_only=True):
    """One connection that was let through or refused, for the log. up, down: bytes."""

    host: str
    port: int
    verdict: str
    address: str = ""
    up: int = 0
    down: int = 0


Ask = Callable[[Wish], Awaitable[bool]]
Resolve = Callable[[str, int], Awaitable[list[str]]]
Dial = Callable[[str, int], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]


class Ways(Struct, frozen=True, kw_only=True):
    """How names are looked up and addresses connected to; tests bring their own internet."""

    resolve: Resolve
    dial: Dial


async def _resolve(name: str, port: int) -> list[str]:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return [str(one[4][0]) for one in found]


async def _dial(address: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(address, port)


SYSTEM = Ways(resolve=_resolve, dial=_dial)


class Egress:
    """The network of one session's commands.

    allowed: host rules, see `HostRule`; ask: called once a host until it is answered, with None
    a host that is not granted is refused; on_trip: told of every connection when it has ended.
    """

    def __init__(
        self,
        allowed: Iterable[str | HostRule] = (),
        *,
        ask: Ask | None = None,
        on_trip: Callable[[Trip], None] | None = None,
        ways: Ways = SYSTEM,
    ) -> None:
        self._rules = [one if isinstance(one, HostRule) else HostRule(one) for one in allowed]
        self._ask = ask
        self._on_trip = on_trip
        self._ways = ways
        self._questions: dict[Wish, asyncio.Future[bool]] = {}

    def allow(self, rule: str | HostRule) -> None:
        """Grant a host from now on."""
        self._rules.append(rule if isinstance(rule, HostRule) else HostRule(rule))

    async def serve(self, listener: socket.socket, password: str = "") -> asyncio.Server:
        """Take connections on a listening socket until the server is closed.

        password: what the proxy's user has to give; where others could reach the socket too.
        """

        async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await self._visit(reader, writer, password)
            except (OSError, asyncio.IncompleteReadError):
                return  # one side hung up: there is nobody left to tell
            finally:
                writer.close()

        listener.setblocking(False)
        return await asyncio.start_server(visit, sock=listener, limit=http.HEAD_LIMIT)

    async def _visit(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, password: str
    ) -> None:
        try:
            async with asyncio.timeout(_HEAD_S):
                head = await http.read_head(reader)
            http.check_password(head, password)
            await self._travel(head, reader, writer)
        except TimeoutError:
            await http.refuse(writer, RefusedError(504, "it took too long"))
        except RefusedError as error:
            await http.refuse(writer, error)

    async def _travel(
        self, head: Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            host = host_name(head.host)
            addresses = await self._granted_addresses(host, head)
        except (NameRefusedError, RefusedError) as error:
            self._tell(Trip(host=head.host, port=head.port, verdict=f"refused: {error}"))
            if isinstance(error, RefusedError):
                raise
            raise RefusedError(403, error.message) from error
        address, far_reader, far_writer = await self._reach(addresses, head)
        meter = _Meter(self, host, head.port)
        try:
            if head.method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                up = _pump(reader, far_writer, meter.sent)
            else:
                up = http.forward(head, host, reader, far_writer)
            await _both(up, _pump(far_reader, writer, meter.received))
        finally:
            far_writer.close()
            self._tell(meter.trip(address))

    async def _reach(
        self, addresses: list[str], head: Head
    ) -> tuple[str, asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to the first of the checked addresses that answers."""
        failed = ""
        for address in addresses:
            try:
                async with asyncio.timeout(_CONNECT_S):
                    return (address, *await self._ways.dial(address, head.port))
            except OSError as error:
                failed = error.strerror or str(error)
        raise RefusedError(502, f"{head.host} can't be reached: {failed}")

    async def _granted_addresses(self, host: str, head: Head) -> list[str]:
        """The checked addresses of a host that may be reached; RefusedError when it may not."""
        upload = head.method not in ("CONNECT", "GET", "HEAD", "OPTIONS")
        wish = Wish(host=host, port=head.port, upload=upload)
        if not self.is_granted(wish) and not await self._asked(wish):
            raise RefusedError(403, f"{host}:{head.port} was not granted to this command")
        try:
            addresses = await self._ways.resolve(host, head.port)
        except OSError as error:
            raise RefusedError(502, f"{host} has no address: {error.strerror}") from error
        if not addresses or not all(map(is_public, addresses)):
            raise RefusedError(403, f"{host} does not lead to the public internet")
        return list(dict.fromkeys(addresses))

    def is_granted(self, wish: Wish) -> bool:
        """Whether rules cover it without a question."""
        return any(
            rule.covers(wish.host, wish.port) and (rule.upload or not wish.upload)
            for rule in self._rules
        )

    async def _asked(self, wish: Wish) -> bool:
        """Ask, once for all connections that want the same; a yes counts from then on."""
        if self._ask is None or wish.port in NEVER_UNNAMED:
            return False
        if wish in self._questions:
            return await asyncio.shield(self._questions[wish])
        question: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._questions[wish] = question
        answer = False
        try:
            answer = await self._ask(wish)
        finally:
            del self._questions[wish]
            question.set_result(answer)
        if answer:
            port = "" if wish.port in WEB_PORTS else f":{wish.port}"
            self.allow(HostRule(f"{wish.host}{port}", upload=wish.upload))
        return answer

    async def may_upload(self, host: str, port: int) -> bool:
        """Whether much may be sent to a host; asks when that was not settled yet."""
        wish = Wish(host=host, port=port, upload=True)
        return self.is_granted(wish) or await self._asked(wish)

    def _tell(self, trip: Trip) -> None:
        if self._on_trip is not None:
            self._on_trip(trip)


class _Meter:
    """Counts what goes each way through a tunnel, and notices an upload by its shape.

    A tunnel can't be looked into: requests are short and get longer answers, while an upload
    sends a lot before anything comes back.
    """

    def __init__(self, egress: Egress, host: str, port: int) -> None:
        self._egress = egress
        self._host, self._port = host, port
        self._up = self._down = self._burst = 0
        self._settled = False
        self._verdict = "allowed"

    async def sent(self, count: int) -> None:
        self._up += count
        self._burst += count
        long = self._burst > _BURST or self._up > _FREE_UP + self._down // 4
        if long and not self._settled:
            self._settled = True
            if not await self._egress.may_upload(self._host, self._port):
                self._verdict = "cut off: an upload that was not granted"
                raise ConnectionAbortedError(self._verdict)

    async def received(self, count: int) -> None:
        self._down += count
        self._burst = 0

    def trip(self, address: str) -> Trip:
        return Trip(
            host=self._host,
            port=self._port,
            verdict=self._verdict,
            address=address,
            up=self._up,
            down=self._down,
        )


async def _pump(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    count: Callable[[int], Awaitable[None]],
) -> None:
    """Carry bytes one way to their end, each counted before it is passed on."""
    while data := await reader.read(_CHUNK):
        await count(len(data))
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        with contextlib.suppress(OSError):
            writer.write_eof()


async def _both(up: Awaitable[None], down: Awaitable[None]) -> None:
    """Run both ways; when the answer has ended, so has the conversation."""
    sending = asyncio.ensure_future(up)
    receiving = asyncio.ensure_future(down)
    try:
        await asyncio.wait([sending, receiving], return_when=asyncio.FIRST_COMPLETED)
        if sending.done():
            sending.result()
        await receiving
    finally:
        sending.cancel()
        receiving.cancel()
        await asyncio.gather(sending, receiving, return_exceptions=True)
