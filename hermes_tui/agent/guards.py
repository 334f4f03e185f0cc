"""What a call may carry out of the conversation, and what its result may bring into it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from msgspec.structs import replace

from hermes_tui.security.policy import Action, inside
from hermes_tui.tools.base import ToolResult

if TYPE_CHECKING:
    from hermes_tui.security.policy import Situation
    from hermes_tui.security.secrets import Redactor

_HARMLESS = ("read", "ask", "state")


def carries_secret(arguments: str, action: Action, redactor: Redactor) -> str:
    """Why a call must not be made because of what its arguments hold; empty when it may."""
    from hermes_tui.security.secrets import contains_mask

    if action.kind in _HARMLESS:
        return ""
    if contains_mask(arguments):
        return (
            "it holds the mask of a secret, which stands for a value you were not shown. Writing"
            " it would destroy the value, so nothing was changed. Leave that part out of the call"
        )
    if not redactor.holds_any:
        return ""
    found = redactor.redact_held(arguments).found
    return f"it holds the secret {found[0].label}, which was kept in" if found else ""


def cleaned(result: ToolResult, redactor: Redactor) -> ToolResult:
    """A result with every secret masked, in what the model reads and in what screens show."""
    return replace(
        result,
        for_model=redactor.redact(result.for_model).text,
        details={name: _clean(value, redactor) for name, value in result.details.items()},
    )


def _clean(value: Any, redactor: Redactor) -> Any:
    match value:
        case str():
            return redactor.redact(value).text
        case list() | tuple():
            return [_clean(one, redactor) for one in cast("list[Any]", value)]
        case dict():
            items = cast("dict[str, Any]", value).items()
            return {name: _clean(one, redactor) for name, one in items}
        case _:
            return value


def source_of(result: ToolResult, action: Action, situation: Situation) -> str:
    """Where untrusted text in a result came from; empty when there is none."""
    if result.untrusted or result.failed:
        return result.untrusted
    if action.kind != "read":
        return ""
    foreign = [one for one in action.paths if not _is_own(one, situation)]
    return f"the file {foreign[0]}" if foreign else ""


def _is_own(path: str, situation: Situation) -> bool:
    return inside(path, situation.workspace) or inside(path, situation.state)
