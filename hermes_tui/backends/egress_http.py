"""The little of HTTP that a proxy has to understand: one request's head, and where it ends."""

from __future__ import annotations

import asyncio
import base64
import hmac

from msgspec import Struct

from hermes_tui.errors import HermesError

HEAD_LIMIT = 65_536
_CHUNK = 65_536
_HOP = frozenset(["connection", "proxy-connection", "proxy-authorization", "keep-alive", "host"])
_REASONS = {403: "Forbidden", 407: "Proxy Authentication Required", 502: "Bad Gateway"}


class RefusedError(HermesError):
    """A request that is not passed on; `status` is what its sender gets."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Head(Struct, frozen=True, kw_only=True):
    """A request's first lines. target: what to ask the host for; empty for a tunnel."""

    method: str
    host: str
    port: int
    target: str = ""
    fields: tuple[tuple[str, str], ...] = ()

    def field(self, name: str) -> str:
        """The value of a header field; empty when there is none."""
        return next((value for key, value in self.fields if key.lower() == name), "")


async def read_head(reader: asyncio.StreamReader) -> Head:
    """Read and parse a request's head; RefusedError for what is none."""
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError as error:
        raise RefusedError(431, "the request's head is too long") from error
    return parse_head(raw)


def parse_head(raw: bytes) -> Head:
    """A head from its bytes, the empty line included; strict, since others read it too."""
    lines = raw.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    words = lines[0].split(" ")
    if len(words) != 3 or words[2] not in ("HTTP/1.1", "HTTP/1.0") or _has_control("".join(lines)):
        raise RefusedError(400, "this is no HTTP request")
    fields: list[tuple[str, str]] = []
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise RefusedError(400, "a header field is malformed")
        fields.append((name, value.strip()))
    method, target = words[0], words[1]
    if method == "CONNECT":
        host, port = _host_port(target, 0)
        return Head(method=method, host=host, port=port, fields=tuple(fields))
    scheme, separator, rest = target.partition("://")
    if not separator or scheme.lower() != "http":
        raise RefusedError(400, "only http is passed on openly; use a tunnel for the rest")
    end = next((at for at, one in enumerate(rest) if one in "/?#"), len(rest))
    host, port = _host_port(rest[:end], 80)
    path = rest[end:] if rest[end:].startswith("/") else "/" + rest[end:]
    return Head(method=method, host=host, port=port, target=path, fields=tuple(fields))


def check_password(head: Head, password: str) -> None:
    """RefusedError unless the request brings the password, where there is one."""
    if not password:
        return
    wanted = "Basic " + base64.b64encode(f"hermes:{password}".encode()).decode()
    if not hmac.compare_digest(head.field("proxy-authorization").encode(), wanted.encode()):
        raise RefusedError(407, "this proxy is another program's")


async def refuse(writer: asyncio.StreamWriter, error: RefusedError) -> None:
    """Answer that a request is not passed on, and why."""
    text = f"{error.message}\n".encode()
    reason = _REASONS.get(error.status, "Refused")
    ask = "Proxy-Authenticate: Basic realm=sandbox\r\n" if error.status == 407 else ""
    writer.write(
        f"HTTP/1.1 {error.status} {reason}\r\n{ask}Content-Type: text/plain\r\n"
        f"Content-Length: {len(text)}\r\nConnection: close\r\n\r\n".encode()
        + text
    )
    await writer.drain()


async def forward(
    head: Head, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Send one request on, to this host and for this host alone, and nothing behind it."""
    length = head.field("content-length") or "0"
    chunked = head.field("transfer-encoding").lower()
    if not length.isdigit() or (chunked and (chunked != "chunked" or length != "0")):
        raise RefusedError(400, "it can't be told how long the request is")
    named = host if head.port == 80 else f"{host}:{head.port}"
    lines = [f"{head.method} {head.target} HTTP/1.1", f"Host: {named}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in head.fields if name.lower() not in _HOP]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
    if chunked:
        await _forward_chunks(reader, writer)
    else:
        await _forward_bytes(reader, writer, int(length))
    await writer.drain()


async def _forward_chunks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        line = await reader.readuntil(b"\r\n")
        size = line.partition(b";")[0].strip()
        if not size or any(one not in b"0123456789abcdefABCDEF" for one in size):
            raise RefusedError(400, "a chunk of the request is malformed")
        writer.write(size + b"\r\n")
        if int(size, 16) == 0:
            writer.write(b"\r\n")
            return
        await _forward_bytes(reader, writer, int(size, 16))
        if await reader.readexactly(2) != b"\r\n":
            raise RefusedError(400, "a chunk of the request is malformed")
        writer.write(b"\r\n")


async def _forward_bytes(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, count: int
) -> None:
    while count:
        data = await reader.read(min(count, _CHUNK))
        if not data:
            raise asyncio.IncompleteReadError(b"", count)
        count -= len(data)
        writer.write(data)
        await writer.drain()


def _host_port(text: str, default: int) -> tuple[str, int]:
    if "@" in text:
        raise RefusedError(400, "a host can't have a user here")
    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = text, str(default)
    if not (port.isascii() and port.isdigit()) or not 0 < int(port) < 65_536:
        raise RefusedError(400, "the port is missing or none")
    return host, int(port)


def _has_control(text: str) -> bool:
    return any((one < " " and one != "\t") or one == "\x7f" for one in text)
