"""Where the browser comes back to after a login: one page on 127.0.0.1, for one answer."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qs, urlsplit

from mcp.shared.auth import AuthorizationCodeResult

from hermes_tui.errors import HermesError

_PAGE = "<!doctype html><title>Hermes</title><p>{}</p><p>You can close this page.</p>"
_LINE_LIMIT = 16_384
_HEADERS_S = 5.0


class Page:
    """Listens until an answer has come. `redirect` is the address to come back to."""

    def __init__(self) -> None:
        self.redirect = ""
        self._answer: asyncio.Future[AuthorizationCodeResult] | None = None
        self._server: asyncio.Server | None = None

    async def open(self, port: int = 0) -> Page:
        """Start to listen, on a free port when the wanted one is taken."""
        self._answer = asyncio.get_running_loop().create_future()
        try:
            self._server = await self._listen(port)
        except OSError:
            self._server = await self._listen(0)
        port = self._server.sockets[0].getsockname()[1]
        self.redirect = f"http://127.0.0.1:{port}/callback"
        return self

    async def _listen(self, port: int) -> asyncio.Server:
        return await asyncio.start_server(self._serve, "127.0.0.1", port, limit=_LINE_LIMIT)

    async def answer(self) -> AuthorizationCodeResult:
        """What the login came to. Raises HermesError when it was refused."""
        if self._answer is None:
            raise HermesError("nobody waits for a login")
        return await self._answer

    async def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_HEADERS_S):
                line = (await reader.readline()).decode("latin-1").split(" ")
                while (await reader.readline()).strip():
                    continue
        except (TimeoutError, ValueError, OSError):
            writer.close()
            return
        path = line[1] if len(line) > 1 else ""
        known = urlsplit(path).path == "/callback"
        said = self._take(path) if known else "There is nothing here."
        body = _PAGE.format(said).encode()
        status = "200 OK" if known else "404 Not Found"
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode())
        writer.write(body)
        writer.close()

    def _take(self, path: str) -> str:
        if self._answer is None or self._answer.done():
            return "That was answered already."
        try:
            self._answer.set_result(result_of(path))
        except HermesError as error:
            self._answer.set_exception(error)
            return "The login was refused."
        return "You are logged in."


def result_of(address: str) -> AuthorizationCodeResult:
    """What an address that the browser came back to says. Raises HermesError."""
    given = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    if "code" not in given:
        why = given.get("error_description") or given.get("error") or "it has no code in it"
        raise HermesError(f"the login failed: {why[:300]}")
    return AuthorizationCodeResult(
        code=given["code"], state=given.get("state"), iss=given.get("iss")
    )
