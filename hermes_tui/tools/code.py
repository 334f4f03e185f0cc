"""Run a Python script that calls tools: many calls for one step of the model."""

from __future__ import annotations

from functools import cache
from typing import Any

from hermes_tui.backends.script import Answer, Script, start_script
from hermes_tui.config import ToolsConfig
from hermes_tui.security.policy import Action
from hermes_tui.tools.base import Context, Tool, ToolResult, tool
from hermes_tui.tools.output import Output, Progress

CLOSED = frozenset(
    ["run_code", "delegate", "ask_user", "todo", "process", "find_tools", "use_tool", "cron"]
)
"""Tools that a script can't call: they are the model's own, or would start more of the same."""


def _describe(arguments: dict[str, Any], cwd: str) -> Action:
    code = arguments["code"]
    lines = [line for line in code.splitlines() if line.strip()]
    return Action(
        tool="run_code",
        kind="execute",
        title=f"Python script, {len(lines)} lines" if len(lines) > 1 else code.strip()[:120],
        detail=code,
        detail_kind="code",
        cwd=cwd,
        rule=f"run_code {code}" if len(code) < 400 else "",
        outside=arguments["outside"],
    )


@cache
def run_code_tool(config: ToolsConfig) -> Tool:
    """`run_code` with the configured limits."""

    @tool(
        describe=_describe,
        words="python script program loop many files batch pipeline calculate compute data code",
    )
    async def run_code(
        code: str, *, timeout_s: int = 0, outside: bool = False, ctx: Context
    ) -> ToolResult:
        """Run a Python script in the working folder; it can call the other tools in a loop.

        `from hermes_tools import read_file, run_command, call` gives functions with the tools'
        own arguments that return their text, or raise ToolFailed; call("name", …) reaches any
        tool. Print what you want to see. Good for many calls of which only the outcome matters.
        code: the script.
        timeout_s: stop it after this many seconds; 0 for the usual limit.
        outside: run it outside the sandbox, which asks the user; only when it needs that.
        """
        limit = timeout_s if timeout_s > 0 else config.script_timeout_s
        return await _run(code, limit, config.script_calls, ctx)

    return run_code


class _Budget:
    """Answers a script's calls, up to so many."""

    def __init__(self, most: int, ctx: Context) -> None:
        self._left = most
        self._most = most
        self._calls = ctx.inner_calls()

    @property
    def calls(self) -> Any:
        """The calls it has made."""
        return self._calls

    async def answer(self, name: str, arguments: str) -> Answer:
        """One call; refused when it is none a script may make, or one too many."""
        if name in CLOSED:
            return Answer(status="denied", text=f"a script can't call {name}")
        if not self._left:
            text = f"the script has made its {self._most} calls (tools.script_calls)"
            return Answer(status="limit", text=text)
        self._left -= 1
        made = await self._calls.call(name, arguments)
        return Answer(status=made.status, text=made.text, details=made.details)


async def _run(code: str, limit: int, most: int, ctx: Context) -> ToolResult:
    from hermes_tui.tools.shell import in_time

    output = Output(
        ctx.outputs, f"{ctx.call_id}.txt", ctx.window_chars, secrets=ctx.secrets_hidden()
    )
    sandbox = ctx.sandbox()
    budget = _Budget(most, ctx)
    script = await start_script(code, _open_tools(ctx), cwd=ctx.cwd, env=ctx.env, sandbox=sandbox)
    progress = Progress(ctx)

    async def take(chunk: bytes) -> None:
        progress.feed(chunk)
        await output.add(chunk)

    try:
        ended = await in_time(script.run(budget.answer, take), limit, ctx)
    finally:
        await script.end()
        await output.close()
    return _result(script, output, budget, None if ended else limit)


def _open_tools(ctx: Context) -> dict[str, tuple[str, ...]]:
    """Names and arguments of the tools that a script can import by name."""
    return {
        name: tuple(one.arguments.__struct_fields__)
        for name, one in ctx.tools_shown().items()
        if name not in CLOSED
    }


def _result(script: Script, output: Output, budget: _Budget, limit: int | None) -> ToolResult:
    text = output.text()
    code = script.exit_code
    ended = script.process.stopped_by or (
        f"stopped after {limit} s, its time limit" if limit is not None else f"exit code {code}"
    )
    made = budget.calls.made
    calls = f" · {made} tool call{'' if made == 1 else 's'}" if made else ""
    about = f"{ended} · {script.process.seconds:.2f} s{calls}"
    if output.path:
        about += f" · {output.size:,} bytes of output in {output.path}"
    gap = "" if not text or text.endswith("\n") else "\n"
    return ToolResult(
        for_model=f"{text}{gap}[{about}]",
        details={"exit_code": code, "calls": made, "timed_out": limit is not None},
        failed=limit is not None or code != 0,
        output_path=output.path,
        output_bytes=output.size,
        untrusted=budget.calls.untrusted,
        found=tuple(sorted(budget.calls.found)),
    )
