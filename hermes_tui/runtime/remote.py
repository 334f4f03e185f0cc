"""A core on another machine: its bridge is started over ssh, and spoken to like a near one."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shlex
import socket
import threading
from typing import Any

from hermes_tui.errors import CoreError
from hermes_tui.runtime import ssh
from hermes_tui.runtime.link import SocketClient

MARK = b"@@hermes-tui-bridge@@ "
ANSWER_S = 20.0
_MOST_NOISE = 1 << 20
_CHUNK = 1 << 16
_NONE = (
    '@@hermes-tui-bridge@@ {"error": "there is no hermes there", '
    '"hint": "install hermes-tui there, or say how it is called: --remote-command"}'
)


def command_line(program: str = "") -> str:
    """What the other machine's shell runs: hermes by PATH of a login shell, or as configured.

    A login shell reads the person's own files, which may say things; `MARK` ends that.
    """
    if program:
        inner = f"exec {program} attach --stdio"
    else:
        inner = (
            'PATH="$PATH:$HOME/.local/bin"; export PATH; '
            "if command -v hermes >/dev/null 2>&1; then exec hermes attach --stdio; fi; "
            f"printf '\\n%s\\n' {shlex.quote(_NONE)}"
        )
    return f'exec "${{SHELL:-/bin/sh}}" -lc {shlex.quote(inner)}'


class Remote:
    """One place to attach to. `connect` may be called again after the line was cut."""

    def __init__(self, place: ssh.Place, program: str = "", config_file: str = "") -> None:
        self.folder = ""
        self._place = place
        self._program = program
        self._config = config_file or "~/.ssh/config"
        self._client: Any = None

    async def connect(self) -> SocketClient:
        """A client of the core there. Raises CoreError with what to do next."""
        near = await asyncio.to_thread(self._open)
        try:
            return await SocketClient.over(near, ANSWER_S)
        except CoreError:
            near.close()
            raise

    def close(self) -> None:
        """Hang up."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _open(self) -> socket.socket:
        self.close()
        self._client = ssh.connect(self._place, self._config)
        channel = self._client.get_transport().open_session(timeout=ssh.CONNECT_S)
        channel.settimeout(ANSWER_S)
        channel.exec_command(command_line(self._program))
        answer, rest = _after_noise(channel)
        if "error" in answer:
            self.close()
            raise CoreError(f"{self._place.host}: {answer['error']}", str(answer.get("hint", "")))
        self.folder = str(answer.get("folder", ""))
        channel.settimeout(None)
        near, far = socket.socketpair()
        if rest:
            far.sendall(rest)
        for work in (_down, _up):
            threading.Thread(target=work, args=(channel, far), daemon=True).start()
        return near


def _after_noise(channel: Any) -> tuple[dict[str, Any], bytes]:
    """What the bridge says of itself, and the bytes that came with it."""
    seen = b""
    while True:
        at = seen.find(MARK)
        end = seen.find(b"\n", at) if at >= 0 else -1
        if end >= 0:
            return json.loads(seen[at + len(MARK) : end]), seen[end + 1 :]
        try:
            data = channel.recv(_CHUNK)
        except TimeoutError:
            raise CoreError(
                "the other machine does not answer", "does hermes start there?"
            ) from None
        seen += data
        if not data or len(seen) > _MOST_NOISE:
            said = seen.decode(errors="replace").strip().splitlines()
            more = f": {said[-1][:200]}" if said else ""
            raise CoreError(f"hermes did not start there{more}", "`hermes daemon status` there")


def _down(channel: Any, far: socket.socket) -> None:
    """From there to here; either end ends both."""
    try:
        while data := channel.recv(_CHUNK):
            far.sendall(data)
    except (OSError, EOFError):
        _shut(far)
    _shut(far)


def _up(channel: Any, far: socket.socket) -> None:
    try:
        while data := far.recv(_CHUNK):
            channel.sendall(data)
        channel.close()
    except (OSError, EOFError):
        _shut(far)


def _shut(far: socket.socket) -> None:
    with contextlib.suppress(OSError):
        far.shutdown(socket.SHUT_RDWR)
