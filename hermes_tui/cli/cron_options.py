"""What can be set of a job on the command line: one row an option, for making and for editing."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

ZONE: Any = typer.Option("--tz", metavar="ZONE", help="Time zone, such as Europe/Berlin.")
_MANY = list[str] | None


def _option(name: str, metavar: str, help: str) -> Any:
    return typer.Option(name, metavar=metavar, help=help)


_ROWS: dict[str, Any] = {
    "name": Annotated[str | None, _option("--name", "NAME", "A short name.")],
    "script": Annotated[
        str | None,
        _option("--script", "COMMAND", "Its output is told, or comes before the prompt."),
    ],
    "say": Annotated[str | None, _option("--say", "TEXT", "Told as it is, without a model.")],
    "zone": Annotated[str | None, ZONE],
    "skills": Annotated[_MANY, _option("--skill", "NAME", "A skill it follows; repeatable.")],
    "tools": Annotated[
        _MANY, _option("--tool", "NAME", "Only these tools; repeatable. Else all there are now.")
    ],
    "model": Annotated[str | None, _option("--model", "NAME", "Another model.")],
    "folder": Annotated[str | None, _option("--folder", "PATH", "Where it works; else here.")],
    "mode": Annotated[
        str | None, _option("--mode", "MODE", "ask, plan, or auto-edit: change files there.")
    ],
    "tokens": Annotated[int | None, _option("--tokens", "N", "Most tokens of one run.")],
    "dollars": Annotated[float | None, _option("--dollars", "N", "Most money of one run.")],
    "limit_s": Annotated[float | None, _option("--limit", "SECONDS", "Longest time of one run.")],
    "deliver": Annotated[
        _MANY, _option("--deliver", "TARGET", "local, origin, telegram …; repeatable.")
    ],
    "overlap": Annotated[
        str | None, _option("--overlap", "HOW", "While one goes on: skip, wait or parallel.")
    ],
    "catch_up": Annotated[
        str | None,
        _option("--catch-up", "HOW", "Of times that passed unseen: skip, once, all, or 2h late."),
    ],
    "retries": Annotated[int | None, _option("--retries", "N", "How often a failure is retried.")],
    "retry_s": Annotated[float | None, _option("--retry-after", "SECONDS", "How soon.")],
    "context_from": Annotated[
        _MANY, _option("--context-from", "JOB", "Its last answer comes before the prompt.")
    ],
    "times": Annotated[int | None, _option("--times", "N", "Done after so many runs.")],
}


def job_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each field of a job; those that were used come as keywords."""
    own = inspect.signature(command, eval_str=True)
    mine = [one for one in own.parameters.values() if one.kind is not one.VAR_KEYWORD]
    kind = inspect.Parameter.KEYWORD_ONLY
    more = [
        inspect.Parameter(name, kind, default=None, annotation=row) for name, row in _ROWS.items()
    ]

    @functools.wraps(command)
    def called(**values: Any) -> None:
        used = {name: one for name, one in values.items() if name in _ROWS and one is not None}
        command(**{name: one for name, one in values.items() if name not in _ROWS}, **used)

    called.__signature__ = own.replace(parameters=[*mine, *more])  # type: ignore[attr-defined]
    called.__annotations__ = {}
    return called
