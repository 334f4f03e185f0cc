"""What screens say of subagents, and of questions beside the conversation."""

from __future__ import annotations

from hermes_tui.events import AsideAnswered, SubagentEnded, SubagentStarted

STATES = {
    "running": "at work",
    "waiting": "waits for you",
    "done": "done",
    "failed": "failed",
    "stopped": "stopped",
    "timeout": "out of time",
    "limit": "at its limit",
}


def began(event: SubagentStarted) -> str:
    """That one began."""
    who = "In the background" if event.aim == "bg" else f"Subagent {event.subagent}"
    return f"{who}: {_line(event.goal)}"


def ended(event: SubagentEnded) -> str:
    """That one ended, and how."""
    who = "In the background" if event.aim == "bg" else f"Subagent {event.subagent}"
    why = f": {event.why}" if event.why else ""
    figures = f"{event.steps} steps, {event.usage.prompt:,} tokens, {event.seconds:.0f} s"
    return f"{who}, {STATES[event.state]}{why} ({figures}): {_line(event.goal)}"


def ended_markdown(event: SubagentEnded) -> str:
    """The same, with its report."""
    return f"**{ended(event)}**\n\n{event.text or 'It said nothing.'}"


def told(event: SubagentStarted | SubagentEnded | AsideAnswered) -> tuple[str, ...]:
    """Each of them as lines of plain text."""
    match event:
        case SubagentStarted():
            return (began(event),)
        case SubagentEnded():
            return (ended(event), *event.text.splitlines())
        case AsideAnswered():
            about = f"By the way, {_line(event.question)}"
            return (about, *(event.text or event.error).splitlines())


def markdown(event: SubagentEnded | AsideAnswered) -> str:
    """The end of one with its report, or a question with its answer."""
    return ended_markdown(event) if isinstance(event, SubagentEnded) else aside(event)


def aside(event: AsideAnswered) -> str:
    """A question beside the conversation, with its answer."""
    return f"**{_line(event.question)}**\n\n{event.text or event.error}"


def _line(text: str, limit: int = 100) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
