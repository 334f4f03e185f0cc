"""A Bot API server on 127.0.0.1, by Telegram's public description: it checks and keeps messages."""

from __future__ import annotations

import asyncio
import email.parser
import email.policy
import itertools
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

import msgspec

TOKEN = "12345" + ":" + "AA" + "x" * 33
ME: dict[str, Any] = {"id": 12345, "is_bot": True, "first_name": "Hermes", "username": "hermes_bot"}
Answer = tuple[int, dict[str, Any]]


class BotApi:
    """What it was sent, and the failures it gives first: (HTTP status, body).

    shown: texts and marks of messages, as they stand. updates: waiting and unconfirmed;
    confirmed: numbers of those a client asked past. files: what it hands out, by id; fetched: ids
    of what was fetched. cut: while True no question for updates gets an answer, the line is cut.
    slow: files come when it is set; file_failures: so many files break off; refused: methods that
    are refused; mute: so many messages are taken and the answer is lost.
    """

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.edited: list[dict[str, Any]] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.failures: list[Answer] = []
        self.poll_failures: list[Answer] = []
        self.updates: list[dict[str, Any]] = []
        self.confirmed: set[int] = set()
        self.files: dict[str, bytes] = {}
        self.fetched: list[str] = []
        self.answered: list[str] = []
        self.commands: list[dict[str, str]] = []
        self.webhook: dict[str, Any] = {"url": ""}
        self.shown: dict[int, tuple[str, str]] = {}
        self.cut = False
        self.mute = 0
        self.slow: asyncio.Event | None = None
        self.file_failures = 0
        self.refused: set[str] = set()
        self.url = ""
        self._numbers = itertools.count(5000)
        self._changed = asyncio.Condition()
        self._poll: asyncio.Event | None = None
        self._methods: dict[str, Callable[[dict[str, Any]], Answer]] = {
            "sendMessage": self._send,
            "sendDocument": self._upload,
            "sendPhoto": self._upload,
            "sendVoice": self._upload,
            "editMessageText": self._edit,
            "getFile": self._file,
            "getMe": lambda _: _ok(ME),
            "getWebhookInfo": lambda _: _ok(
                {
                    "url": self.webhook["url"],
                    "has_custom_certificate": False,
                    "pending_update_count": len(self.updates),
                }
            ),
            "setWebhook": self._set_webhook,
            "deleteWebhook": self._delete_webhook,
            "answerCallbackQuery": self._answer_query,
            "setMyCommands": self._set_commands,
            "sendChatAction": lambda _: _ok(True),
        }

    async def tell(self, **update: Any) -> int:
        """Something happened: an update waits. Its number."""
        made = {"update_id": next(self._numbers), **update}
        await self.tell_again(made)
        return made["update_id"]

    async def tell_again(self, update: dict[str, Any]) -> None:
        """The same update once more, as after a lost answer."""
        async with self._changed:
            self.updates.append(update)
            self._changed.notify_all()

    async def drop_lines(self) -> None:
        """Every waiting question for updates loses its connection."""
        self.cut = True
        async with self._changed:
            self._changed.notify_all()

    @property
    def asking(self) -> bool:
        """Whether somebody waits for updates."""
        return self._poll is not None

    async def ask_raw(self) -> None:
        """Ask for updates as another program with the same token would, for a moment."""
        host, port = self.url.removeprefix("http://").removesuffix("/bot").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(f"GET /bot{TOKEN}/getUpdates HTTP/1.1\r\nhost: x\r\n\r\n".encode())
        await reader.readline()
        writer.close()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, call after call."""
        try:
            while line := await reader.readline():
                headers: dict[str, str] = {}
                while (header := await reader.readline()).strip():
                    name, _, value = header.decode().partition(":")
                    headers[name.lower()] = value.strip()
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                path = line.decode().split()[1]
                if path.startswith(f"/file/bot{TOKEN}/"):
                    await self._hand_out(path.rsplit("/", 1)[1], writer)
                    continue
                answer = await self._answer(path, _fields(headers, body), reader)
                if answer is None:
                    return
                await _reply(writer, answer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            return  # the loop of a test ends: streams would log a cancelled connection
        finally:
            writer.close()

    async def _hand_out(self, file_id: str, writer: asyncio.StreamWriter) -> None:
        if self.slow is not None:
            await self.slow.wait()
        self.fetched.append(file_id)
        if self.file_failures > 0:
            self.file_failures -= 1
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly a part")
            raise ConnectionError
        data = self.files[file_id]
        writer.write(f"HTTP/1.1 200 OK\r\ncontent-length: {len(data)}\r\n\r\n".encode() + data)
        await writer.drain()

    async def _answer(
        self, path: str, fields: dict[str, Any], reader: asyncio.StreamReader
    ) -> Answer | None:
        root, _, method = path.rpartition("/")
        if root != f"/bot{TOKEN}":
            return refusal(401, "Unauthorized")
        if method == "getUpdates":
            return await self._get_updates(fields, reader)
        if method in self.refused:
            return refusal(400, "Bad Request: refused")
        called = self._methods.get(method)
        if called is None:
            return refusal(404, "Not Found: method not found")
        self.calls.append((method, fields))
        if method.startswith(("send", "edit")) and self.failures:
            return self.failures.pop(0)
        answer = called(fields)
        if method.startswith("send") and self.mute > 0:
            self.mute -= 1
            return None
        return answer

    async def _get_updates(
        self, fields: dict[str, Any], reader: asyncio.StreamReader
    ) -> Answer | None:
        """Confirm what lies before the offset, and wait for more. A second asker ends the first."""
        if self.webhook["url"]:
            return refusal(409, "Conflict: can't use getUpdates method while webhook is active")
        if self.poll_failures:
            return self.poll_failures.pop(0)
        offset = int(fields.get("offset", 0))
        self.confirmed |= {u["update_id"] for u in self.updates if u["update_id"] < offset}
        self.updates = [u for u in self.updates if u["update_id"] >= offset]
        if self._poll is not None:
            self._poll.set()
        self._poll = other = asyncio.Event()
        async with self._changed:
            self._changed.notify_all()
        news = asyncio.create_task(self._news(other))
        gone = asyncio.create_task(reader.read(1))
        limit = float(fields.get("timeout", 0))
        try:
            await asyncio.wait([news, gone], timeout=limit, return_when="FIRST_COMPLETED")
        finally:
            gone.cancel()
            news.cancel()
            await asyncio.wait([news, gone])
            if self._poll is other:
                self._poll = None
        if self.cut or (gone.done() and not gone.cancelled()):
            return None
        if other.is_set():
            return refusal(409, "Conflict: terminated by other getUpdates request")
        return _ok(self.updates[:100])

    async def _news(self, other: asyncio.Event) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self.updates or self.cut or other.is_set())

    def _send(self, fields: dict[str, Any]) -> Answer:
        if not 0 < _units(fields["text"]) <= 4096:
            return refusal(400, "Bad Request: message text is empty or too long")
        return self._keep(fields)

    def _upload(self, fields: dict[str, Any]) -> Answer:
        if _units(fields.get("caption", "")) > 1024:
            return refusal(400, "Bad Request: message caption is too long")
        file = next(fields[one] for one in ("document", "photo", "voice") if one in fields)
        if not file[1]:
            return refusal(400, "Bad Request: file must be non-empty")
        return self._keep(fields)

    def _keep(self, fields: dict[str, Any]) -> Answer:
        number = 101 + len(self.got)
        self.shown[number] = (fields.get("text", ""), fields.get("entities", "[]"))
        for name in ("entities", "caption_entities", "reply_markup"):
            fields[name] = msgspec.json.decode(fields.get(name, "[]"))
        if fields["reply_markup"]:
            keys = [key for row in fields["reply_markup"]["inline_keyboard"] for key in row]
            if any(not 0 < len(key["callback_data"].encode()) <= 64 for key in keys):
                return refusal(400, "Bad Request: BUTTON_DATA_INVALID")
        self.got.append(fields)
        fields["message_id"] = number
        return _ok(message(int(fields["chat_id"]), fields.get("text", ""), number))

    def _edit(self, fields: dict[str, Any]) -> Answer:
        number = int(fields["message_id"])
        if number not in self.shown:
            return refusal(400, "Bad Request: message to edit not found")
        look = (fields["text"], fields.get("entities", "[]"))
        if self.shown[number] == look:
            return refusal(400, "Bad Request: message is not modified: specified new message is")
        self.shown[number] = look
        self.edited.append(fields)
        return _ok(message(int(fields["chat_id"]), fields["text"], number))

    def _file(self, fields: dict[str, Any]) -> Answer:
        file_id = fields["file_id"]
        size = len(self.files[file_id])
        if size > 20_000_000:
            return refusal(400, "Bad Request: file is too big")
        made = {"file_id": file_id, "file_unique_id": file_id, "file_size": size}
        return _ok({**made, "file_path": f"documents/{file_id}"})

    def _set_webhook(self, fields: dict[str, Any]) -> Answer:
        if not fields["url"].startswith("https://"):
            return refusal(400, "Bad Request: bad webhook: an HTTPS URL must be provided")
        self.webhook = {"url": fields["url"], "secret_token": fields.get("secret_token", "")}
        return _ok(True)

    def _delete_webhook(self, fields: dict[str, Any]) -> Answer:
        self.webhook = {"url": ""}
        return _ok(True)

    def _answer_query(self, fields: dict[str, Any]) -> Answer:
        self.answered.append(fields["callback_query_id"])
        return _ok(True)

    def _set_commands(self, fields: dict[str, Any]) -> Answer:
        made = msgspec.json.decode(fields["commands"])
        for one in made:
            plain = one["command"].replace("_", "")
            good = plain.isalnum() and plain.islower() and len(one["command"]) <= 32
            if not good or not 0 < len(one["description"]) <= 256:
                return refusal(400, "Bad Request: BOT_COMMAND_INVALID")
        self.commands = made
        return _ok(True)


@asynccontextmanager
async def bot_api() -> AsyncGenerator[BotApi]:
    """A server that lives while the test runs."""
    api = BotApi()
    server = await asyncio.start_server(api.serve, "127.0.0.1", 0)
    api.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/bot"
    try:
        yield api
    finally:
        server.close()


def refusal(status: int, text: str, **parameters: Any) -> Answer:
    """An answer that says no."""
    said = {"ok": False, "error_code": status, "description": text}
    return status, {**said, "parameters": parameters} if parameters else said


def message(chat: int, text: str, number: int) -> dict[str, Any]:
    """A message of the bot, as the server shows it."""
    kind = "private" if chat > 0 else "supergroup"
    return {
        "message_id": number,
        "date": 1_700_000_000,
        "from": ME,
        "chat": {"id": chat, "type": kind},
        "text": text,
    }


def _ok(result: Any) -> Answer:
    return 200, {"ok": True, "result": result}


async def _reply(writer: asyncio.StreamWriter, answer: Answer) -> None:
    data = msgspec.json.encode(answer[1])
    head = f"HTTP/1.1 {answer[0]} X\r\ncontent-type: application/json\r\n"
    writer.write(f"{head}content-length: {len(data)}\r\n\r\n".encode() + data)
    await writer.drain()


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _fields(headers: dict[str, str], body: bytes) -> dict[str, Any]:
    """The fields of a call; a file is (name, bytes)."""
    kind = headers.get("content-type", "")
    if not kind.startswith("multipart/"):
        return {name: values[0] for name, values in parse_qs(body.decode()).items()}
    parser = email.parser.BytesParser(policy=email.policy.HTTP)
    fields: dict[str, Any] = {}
    for part in parser.parsebytes(f"content-type: {kind}\r\n\r\n".encode() + body).iter_parts():
        name = part.get_param("name", header="content-disposition")
        data = part.get_payload(decode=True)
        assert isinstance(data, bytes)
        file = part.get_filename()
        fields[str(name)] = data.decode() if file is None else (file, data)
    return fields
