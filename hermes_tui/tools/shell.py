"""Run shell commands, in the foreground and in the background."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Coroutine
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from hermes_tui.backends import leftovers
from hermes_tui.backends.local import start_command
from hermes_tui.backends.process import Process
from hermes_tui.errors import ToolError
from hermes_tui.security import paths
from hermes_tui.security.policy import Action, Kind
from hermes_tui.tools.base import Context, Tool, ToolResult, summary, tool
from hermes_tui.tools.output import Output, Progress, to_text
from hermes_tui.tools.plain_text import is_binary
from hermes_tui.tools.processes import Background, Processes, signal_name

_REFUSED = re.compile(
    r"Read-only file system|Permission denied|Operation not permitted|Network is unreachable"
    r"|No such file or directory|[Cc]ould not resolve|[Tt]emporary failure in name resolution"
)
if TYPE_CHECKING:
    from hermes_tui.tools.watch_output import Watch

ProcessAction = Literal["list", "poll", "log", "wait", "kill", "write", "watch"]


def _describe_run(arguments: dict[str, Any], cwd: str) -> Action:
    command = arguments["command"]
    where = "in the background: " if arguments["background"] else ""
    return Action(
        tool="run_command",
        kind="execute",
        title=f"{where}{summary({'command': command})}",
        detail=command,
        detail_kind="command",
        cwd=cwd,
        undo="a command can't be undone",
        rule=f"run_command {command}",
        outside=arguments["outside"],
    )


@cache
def run_command_tool(default_timeout_s: int) -> Tool:
    """`run_command` with the configured time limit, which the schema does not show."""

    @tool(describe=_describe_run)
    async def run_command(
        command: str,
        *,
        timeout_s: int = 0,
        background: bool = False,
        outside: bool = False,
        watch: str = "",
        ctx: Context,
    ) -> ToolResult:
        """Run a shell command (bash) in the working folder and return its output and exit code.

        It has no terminal and no input. Each call is a new shell: cd and exports don't carry over.
        command: the command line or script, as you would type it.
        timeout_s: stop it after this many seconds; 0 for the usual limit.
        background: leave it running and return its process id at once; see the process tool.
        outside: run it outside the sandbox, which asks the user; only when it needs that.
        watch: with background: regular expression; lines that match are told to you and the user.
        """
        if background:
            return await _run_in_background(command, watch, ctx)
        return await _run(command, timeout_s if timeout_s > 0 else default_timeout_s, ctx)

    return run_command


class _Ended(Struct, frozen=True):
    """How a foreground command came to its end."""

    process: Process
    left: bool
    limit: int | None = None
    contained: bool = False
    changed: tuple[str, ...] = ()


async def _run(command: str, timeout_s: int, ctx: Context) -> ToolResult:
    output = Output(
        ctx.outputs, f"{ctx.call_id}.txt", ctx.window_chars, secrets=ctx.secrets_hidden()
    )
    sandbox = ctx.sandbox()
    env = leftovers.marked(ctx.env, ctx.session)
    process = await start_command(command, cwd=ctx.cwd, env=env, sandbox=sandbox)
    progress = Progress(ctx)
    try:
        ended = await in_time(_to_its_end(process, output, progress), timeout_s, ctx)
        left = await process.kill()
        await _stream(process, output, progress)
    finally:
        await process.kill()
        process.close()
        await output.close()
    limit = None if ended else timeout_s
    changed = await asyncio.to_thread(process.confinement.aftermath or tuple)
    return _result(command, output, _Ended(process, left, limit, sandbox is not None, changed))


async def in_time(work: Coroutine[Any, Any, None], seconds: float, ctx: Context) -> bool:
    """Whether work ends within its time, in which waiting for a person does not count."""
    task = asyncio.ensure_future(work)
    credited, left = 0.0, seconds
    try:
        while left > 0.01:
            await asyncio.wait([task], timeout=left)
            if task.done():
                task.result()
                return True
            waited = ctx.waited()
            credited, left = waited, waited - credited
        return False
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _to_its_end(process: Process, output: Output, progress: Progress) -> None:
    await _stream(process, output, progress)
    await process.wait()


async def _stream(process: Process, output: Output, progress: Progress) -> None:
    while chunk := await process.read():
        progress.feed(chunk)
        await output.add(chunk)


def _said(end: _Ended) -> str:
    code = end.process.exit_code
    if end.process.stopped_by:
        return f"stopped by the sandbox: {end.process.stopped_by}"
    if end.limit is not None:
        return f"stopped after {end.limit} s, its time limit"
    if code is not None and code < 0:
        return f"ended by {signal_name(-code)}"
    return f"exit code {code}"


def _result(command: str, output: Output, end: _Ended) -> ToolResult:
    text = output.text()
    seconds = end.process.seconds
    about = f"{_said(end)} · {seconds:.2f} s"
    if not text:
        about = f"no output · {about}"
    if output.path:
        about += f" · {output.size:,} bytes of output in {output.path}"
    if end.left and end.limit is None:
        about += " · what it had left running was ended (use background=true to keep it)"
    about += _about_sandbox(text, end)
    gap = "" if not text or text.endswith("\n") else "\n"
    code = end.process.exit_code
    details = {"command": command, "exit_code": code, "seconds": round(seconds, 3)}
    if end.contained:
        details["sandbox"] = True
    return ToolResult(
        for_model=f"{text}{gap}[{about}]",
        details={**details, "bytes": output.size, "timed_out": end.limit is not None},
        failed=end.limit is not None or code != 0,
        output_path=output.path,
        output_bytes=output.size,
    )


def _about_sandbox(text: str, end: _Ended) -> str:
    """What the model has to know of the sandbox its command ran in; mostly nothing."""
    about = ""
    if end.changed:
        about += " · it made or changed files that make programs run code later: "
        about += ", ".join(end.changed[:5])
    if end.contained and end.process.exit_code and _REFUSED.search(text[-4000:]):
        about += (
            " · it ran in the sandbox, where only the working folder can be written and the home"
            " folder is not seen; if it needs more, call again with outside=true, which asks"
        )
    return about


async def _run_in_background(command: str, watch: str, ctx: Context) -> ToolResult:
    processes: Processes = ctx.processes
    watched = _watch(watch) if watch else None
    one = await processes.start(
        command,
        session=ctx.session,
        cwd=ctx.cwd,
        env=ctx.env,
        outputs=ctx.outputs,
        sandbox=ctx.sandbox(background=True),
    )
    if watched is not None:
        processes.watch(one, watched)
    said = f"started as process {one.id} (pid {one.pid}); its output goes to {one.output.path}"
    return ToolResult(
        for_model=said,
        details={"command": command, "process_id": one.id, "pid": one.pid, "background": True},
        output_path=one.output.path,
    )


def _watch(pattern: str) -> Watch:
    from hermes_tui.tools.watch_output import Watch

    return Watch(pattern)


_KINDS: dict[str, Kind] = {"write": "execute", "kill": "state"}


def _describe_process(arguments: dict[str, Any], cwd: str) -> Action:
    action, name, text = (arguments[key] for key in ("action", "process_id", "text"))
    writes = action == "write"
    detail = f"{name}: {text}" if writes else f"{action} {name}".strip()
    return Action(
        tool="process",
        kind=_KINDS.get(action, "read"),
        title=f"write to process {name}" if writes else f"process {detail}",
        detail=detail,
        cwd=cwd,
        rule=f"process {detail}",
    )


@tool(describe=_describe_process)
async def process(
    action: ProcessAction,
    *,
    process_id: str = "",
    text: str = "",
    timeout_s: int = 30,
    ctx: Context,
) -> ToolResult:
    """Look after processes started with run_command(background=true).

    action: list all; poll: state and new output; log: state and the end of all output;
    wait: until it ends; kill: end it and its children; write: send text to its input; watch:
    have lines that match told.
    text: what to write, with a newline to send a line; or the regular expression to watch for.
    timeout_s: how long to wait.
    """
    processes: Processes = ctx.processes
    if action == "list":
        lines = [one.line() for one in processes.list(ctx.session)]
        return ToolResult(for_model="\n".join(lines) or "no background processes")
    one = processes.get(process_id, ctx.session)
    if action == "write":
        await _write(one, text)
    elif action == "watch":
        processes.watch(one, _watch(text))
    elif action == "kill":
        await processes.kill(one)
    elif action == "wait":
        with suppress(TimeoutError):
            await asyncio.wait_for(one.finished.wait(), timeout_s)
    new = await asyncio.to_thread(_new_output, one, action == "log", ctx.window_chars)
    return ToolResult(
        for_model=f"[{one.line()}]\n{new}",
        details={"process_id": one.id, "status": one.status, "exit_code": one.exit_code},
        output_path=one.output.path,
        output_bytes=one.output.size,
    )


async def _write(one: Background, text: str) -> None:
    try:
        async with asyncio.timeout(10):
            await one.process.write(text.encode(errors="replace"))
    except TimeoutError as error:
        raise ToolError(f"process {one.id} does not read its input") from error
    except BrokenPipeError as error:
        raise ToolError(f"process {one.id} reads no more input", one.line()) from error


def _new_output(one: Background, everything: bool, window: int) -> str:
    """The end of what was not seen yet, or of all there is, and where to read the rest."""
    output = one.output
    if not output.path:
        return output.text()
    start = 0 if everything else one.seen
    with os.fdopen(paths.read_descriptor(output.path), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        first = max(start, size - 4 * window)
        file.seek(first)
        content = file.read(size - first)
    one.seen = size
    if is_binary(content):
        return f"[binary output, {size - start:,} bytes, in {output.path}]"
    text = to_text(content)
    room = window - 400
    cut = first > start or len(text) > room
    text = text[-room:] if cut else text
    kind = "all" if everything else "new"
    about = (
        f"[… the end of {size - start:,} bytes of {kind} output; {output.kept}]\n" if cut else ""
    )
    return about + text or f"[no {'' if everything else 'new '}output]"
