"""Server-sent events, read as tolerantly as model servers write them: bytes in, payloads out."""

from __future__ import annotations

from hermes_tui.errors import ModelError

_LINE_LIMIT = 64 << 20
_BOM = b"\xef\xbb\xbf"
DONE = b"[DONE]"


class EventReader:
    """Takes a stream's bytes in any pieces and gives back the payload of each event.

    Lines end with LF, CRLF or CR. Comments and fields other than `data` are skipped; several
    `data` lines of one event are joined by newlines. A `data` line that is a JSON object, or
    `[DONE]`, counts as an event at once: the blank line after it may be late, or never come.
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._event: list[bytes] = []
        self._after_cr = False
        self._begun = False

    def feed(self, data: bytes) -> list[bytes]:
        """Payloads of the events that are complete now. Raises ModelError for an endless line."""
        if self._after_cr or b"\r" in data:
            data = self._plain_newlines(data)
        head, newline, rest = data.rpartition(b"\n")
        if not newline:
            self._keep(rest)
            return []
        if self._parts:
            head = b"".join((*self._parts, head))
            self._parts.clear()
            self._size = 0
        if rest:
            self._keep(rest)
        if not self._begun:
            self._begun = True
            head = head.removeprefix(_BOM)
        return self._payloads(head)

    def end(self) -> list[bytes]:
        """What is left when the stream is over: a last line or event without its end."""
        last = self._payloads(b"".join(self._parts))
        self._parts.clear()
        if self._event:
            last.append(b"\n".join(self._event))
            self._event.clear()
        return last

    def _keep(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)
        if self._size > _LINE_LIMIT:
            raise ModelError(
                "the model server sent a line without end",
                "check that model.base_url is a chat-completions endpoint",
                "malformed",
            )

    def _plain_newlines(self, data: bytes) -> bytes:
        if self._after_cr and data.startswith(b"\n"):
            data = data[1:]
            self._after_cr = False
        if data:
            self._after_cr = data.endswith(b"\r")
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _payloads(self, lines: bytes) -> list[bytes]:
        found: list[bytes] = []
        event = self._event
        for line in lines.split(b"\n"):
            if line.startswith(b"data:"):
                value = line[6:] if line.startswith(b"data: ") else line[5:]
                whole = not event and value[:1] == b"{" and value.rstrip()[-1:] == b"}"
                if whole or value == DONE:
                    found.append(value)
                else:
                    event.append(value)
            elif not line and event:
                found.append(b"\n".join(event))
                event.clear()
        return found
