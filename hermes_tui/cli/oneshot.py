"""`hermes -z PROMPT`: one answer on standard output, through the living core if there is one."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from hermes_tui.cli import quick
from hermes_tui.cli.oneshot_answer import Answer
from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.runtime import standing

if TYPE_CHECKING:
    from hermes_tui.cli.start_options import Options
    from hermes_tui.cli.start_terminal import Terminal

Watch = Callable[[Callable[["Terminal"], int]], int]


class Interrupted(Exception):
    """This process was asked to end by a signal."""

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.signum = signum


def run(options: Options, watch: Watch) -> int:
    """Answer the prompt of the command line; the exit code.

    Without a living core this process's child is one for as long as the answer takes.
    """
    options.prompt = _prompt(options.prompt)
    options.model = options.model or os.environ.get("HERMES_TUI_MODEL", "")
    line = quick.connect(Home.find(), "oneshot")
    return through(line, options) if line else watch(lambda terminal: _cold(options, terminal))


def _cold(options: Options, terminal: Terminal) -> int:
    from hermes_tui.cli.oneshot_cold import answer

    return answer(options, terminal)


def through(line: quick.Line, options: Options) -> int:
    """Have a living core answer; ctrl+c, a closed terminal and SIGTERM stop the turn."""
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, _interrupt)
    where = standing.plain()
    session = ""
    try:
        view = line.ask(
            "open_session",
            which=options.which("new"),
            standing=where,
            mode=options.mode,
            model=options.model,
            tail=10 if options.which("new") == "new" else 0,
            face="oneshot",
        )
        session = view["info"]["id"]
        if options.model not in ("", view["info"].get("model", "")):
            line.ask("change_session", session=session, model=options.model)
        answer = Answer(session, new_id(), options.json)
        for record in view.get("records", ()):
            answer.take(_line(record))
        line.ask(
            "send",
            session=session,
            text=options.prompt,
            how="queue",
            input_id=answer.input_id,
            standing=where,
            attended=False,
            face="oneshot",
        )
        while not answer.done:
            answer.take(line.event())
    except Interrupted as stopped:
        if session:
            line.ask("stop", wait_s=quick.ANSWER_S, session=session)
        return 128 + stopped.signum
    return answer.code


def _line(record: object) -> bytes:
    import json

    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()


def new_id() -> str:
    """An id for an input that no other face would choose."""
    return os.urandom(16).hex()


def _prompt(text: str) -> str:
    if text != "-":
        return text
    read = sys.stdin.buffer.read().decode(errors="replace")
    if not read.strip():
        raise HermesError("standard input is empty", "echo 'PROMPT' | hermes -z -")
    return read


def _interrupt(signum: int, frame: object) -> NoReturn:
    raise Interrupted(signum)
