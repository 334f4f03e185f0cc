"""What plain mode says about each event: whole lines, made to be read aloud."""

from __future__ import annotations

from collections.abc import Iterable

from hermes_tui import agents_text, events
from hermes_tui.approval_text import revealed
from hermes_tui.context_text import evidence, shortened
from hermes_tui.events import Event
from hermes_tui.plain.speech import count, duration, one_line, sentence, speakable
from hermes_tui.rewind_text import restored

DIFF_LINES = 40
TAIL_LINES = 5

_TOOL_STATUS = {
    "ok": "finished",
    "error": "failed",
    "denied": "was not allowed",
    "interrupted": "was interrupted, its effect is unknown",
    "stopped": "was stopped",
}
_VERDICTS = {
    "once": "Approved once",
    "session": "Approved for this session",
    "always": "Approved always",
    "deny": "Denied",
    "expired": "The approval has expired",
}
_TODO = {"done": "done", "doing": "in work", "open": "to do"}
_DETAILS = {"command": "Command", "code": "Script", "diff": "Change", "text": "Details"}
_LEVELS = {"info": "Notice", "warning": "Warning", "error": "Error"}


def lines(event: Event) -> tuple[str, ...]:
    """The lines for one event; none for what only a screen would show."""
    return speak(_say(event))


def speak(texts: Iterable[str]) -> tuple[str, ...]:
    """Texts as lines that are safe to print."""
    return tuple(line for text in texts for line in speakable(text).split("\n"))


def _say(event: Event) -> Iterable[str]:
    match event:
        case events.SessionStarted() | events.SessionChanged():
            return _session(event)
        case events.InputReceived() | events.InputTaken() | events.InputWithdrawn():
            return _input(event)
        case events.InputEdited() | events.InputMoved() | events.Rewound() | events.ShellRan():
            return _beside(event)
        case events.TurnStarted() | events.TurnEnded():
            return _turn(event)
        case events.ModelAsked() | events.ReplyReceived() | events.ModelFailed():
            return _model(event)
        case events.ToolStarted() | events.ToolEnded():
            return _tool(event)
        case events.ApprovalAsked() | events.ApprovalAnswered():
            return _approval(event)
        case events.QuestionAsked() | events.QuestionAnswered():
            return _question(event)
        case _:
            return _rest(event)


def _session(event: events.SessionStarted | events.SessionChanged) -> Iterable[str]:
    if isinstance(event, events.SessionStarted):
        words = [event.title and f"«{event.title}»", event.model and f"model {event.model}"]
        more = [f"mode {event.mode}", event.cwd and f"in {event.cwd}"]
        yield sentence("Session started: " + ", ".join(one for one in (*words, *more) if one))
        return
    for name, value in (("title", event.title), ("model", event.model), ("mode", event.mode)):
        if value:
            yield sentence(f"The {name} is now {value}")
    if event.cwd:
        yield sentence(f"The folder is now {event.cwd}")


def _input(
    event: events.InputReceived | events.InputTaken | events.InputWithdrawn,
) -> Iterable[str]:
    match event:
        case events.InputReceived(how="send"):
            return (f"You: {event.text}",)
        case events.InputReceived(how="steer"):
            return (f"You, for the running turn: {event.text}",)
        case events.InputReceived():
            return (f"You, for the next turn: {event.text}",)
        case events.InputWithdrawn():
            return ("A waiting text was taken back.",)
        case _:
            return ()


def _beside(
    event: events.InputEdited | events.InputMoved | events.Rewound | events.ShellRan,
) -> Iterable[str]:
    match event:
        case events.InputEdited():
            return (f"The waiting text is now: {event.text}",)
        case events.InputMoved():
            return ("A waiting text has another place in the order.",)
        case events.Rewound():
            return (sentence(f"The conversation is back to before turn {event.turn}"),)
        case _:
            code = "was interrupted" if event.exit_code is None else f"exit code {event.exit_code}"
            return (sentence(f"Your command {event.command} ended, {code}"), event.output.rstrip())


def _turn(event: events.TurnStarted | events.TurnEnded) -> Iterable[str]:
    if isinstance(event, events.TurnStarted):
        return ("Working.",)
    used = event.usage
    tokens = ""
    if used.prompt or used.completion:
        tokens = f"{count(used.prompt, 'token')} in, {used.completion:,} out"
    facts = [count(event.steps, "step") if event.steps else "", tokens]
    if used.cost is not None:
        facts.append(f"{used.cost:.4f} dollars")
    after = ", ".join(one for one in (f"after {duration(event.seconds)}", *facts) if one)
    match event.outcome:
        case "done":
            return (sentence(f"Done {after}"),)
        case "stopped":
            return (sentence(f"Stopped {after}"),)
        case "limit":
            return (sentence(f"Stopped at the limit of rounds {after}", event.error, event.hint),)
        case _:
            return (sentence(f"Failed {after}: {event.error or 'no reason given'}", event.hint),)


def _model(
    event: events.ModelAsked | events.ReplyReceived | events.ModelFailed,
) -> Iterable[str]:
    match event:
        case events.ReplyReceived():
            if event.text:
                yield f"Hermes: {event.text}"
            if event.partial:
                yield "The connection dropped here; this is all that came."
        case events.ModelFailed():
            again = event.retry_in is not None
            then = f"Trying again in {duration(event.retry_in or 0)}" if again else event.hint
            yield sentence(f"The model did not answer: {event.message}", then)
        case _:
            return


def _tool(event: events.ToolStarted | events.ToolEnded) -> Iterable[str]:
    if isinstance(event, events.ToolStarted):
        yield sentence(f"Tool {event.tool} started: {one_line(event.summary) or 'no arguments'}")
        return
    size = f", {count(event.output_bytes, 'byte')} of output kept" if event.output_path else ""
    yield sentence(
        f"Tool {event.tool} {_TOOL_STATUS[event.status]} after {duration(event.seconds)}{size}"
    )
    tail = [line for line in event.for_model.splitlines() if line.strip()]
    if len(tail) > TAIL_LINES:
        yield f"    {count(len(tail), 'line')} of output, the last {TAIL_LINES}:"
    for line in tail[-TAIL_LINES:]:
        yield f"    {one_line(line)}"


def _approval(event: events.ApprovalAsked | events.ApprovalAnswered) -> Iterable[str]:
    if isinstance(event, events.ApprovalAsked):
        return asked(event)
    by = f" from {event.face}" if event.face else ""
    rule = f"The rule is: {event.rule}" if event.rule else ""
    reason = f"Reason: {event.reason}" if event.reason else ""
    return (sentence(f"{_VERDICTS[event.verdict]}{by}", rule, reason),)


def asked(event: events.ApprovalAsked, most: int = DIFF_LINES) -> Iterable[str]:
    """What an approval is about, with up to `most` lines of it, and the numbered choices."""
    told = event.detail and event.detail in event.title
    about = f"Approval needed: {event.tool} on {event.where}" + ("" if told else f", {event.title}")
    yield sentence(
        about, event.reason and f"Why: {event.reason}", f"Undo: {event.undo or 'not known'}"
    )
    name = _DETAILS[event.detail_kind]
    detail = event.detail.splitlines()
    if len(detail) == 1:
        yield f"{name}: {revealed(event.detail)}"
    elif detail:
        yield f"{name}, {count(len(detail), 'line')}:"
        yield from (f"    {revealed(line)}" for line in detail[:most])
    if len(detail) > most:
        yield f"    {len(detail) - most:,} more lines; /approve details reads them all."
    always = f"3 always, which saves the rule: {event.rule}; " if event.rule else ""
    yield f"Answer with a number: 1 once; 2 for this session; {always}4 deny with a reason; 5 edit."


def _question(event: events.QuestionAsked | events.QuestionAnswered) -> Iterable[str]:
    if isinstance(event, events.QuestionAnswered):
        return (f"Answer: {event.text}",)
    options = [f"    {number} {option}" for number, option in enumerate(event.options, 1)]
    how = "Answer with a number or in words." if options else "Answer in words."
    return (f"Question: {event.text}", *options, how)


_Past = events.Compacted | events.ResultsMasked | events.FilesRestored | events.ClaimsChecked


def _of_the_past(event: _Past) -> str:
    if isinstance(event, events.ClaimsChecked):
        return sentence(evidence(event)[0].removeprefix("✔ ").capitalize())
    if isinstance(event, events.FilesRestored):
        return sentence(restored(event), "/undo brings them back")
    return sentence(f"Notice: {shortened(event)}")


def _rest(event: Event) -> Iterable[str]:
    match event:
        case (
            events.Compacted()
            | events.ResultsMasked()
            | events.FilesRestored()
            | events.ClaimsChecked()
        ):
            yield _of_the_past(event)
        case events.MessageImported():
            who = "You" if event.role == "user" else event.role.capitalize()
            yield f"{who}: {event.text}"
        case events.Notice() | events.Trouble():
            level = _LEVELS[event.level] if isinstance(event, events.Notice) else "Trouble"
            yield sentence(f"{level}: {event.text}", event.hint)
        case events.SubagentStarted() | events.SubagentEnded() | events.AsideAnswered():
            yield from agents_text.told(event)
        case events.RunsAgain():
            yield sentence(f"Running again, {event.tool}: {event.summary}")
        case events.RanAgain():
            how = _TOOL_STATUS[event.status]
            yield sentence(f"Run again, {event.tool} {how}: {event.summary}")
        case events.TodoChanged():
            for item in event.items:
                yield f"To-do list: {_TODO[item.state]}: {item.text}"
        case events.ProcessStarted():
            yield sentence(f"Background process {event.process_id} started: {event.command}")
        case events.ProcessEnded():
            known = event.exit_code is not None
            how = f"with exit code {event.exit_code}" if known else f"({event.status})"
            yield sentence(f"Background process {event.process_id} ended {how}")
        case events.CoreEnding():
            yield sentence(f"The agent's core is ending: {event.reason or 'no reason given'}")
        case events.CoreOutdated():
            yield (
                f"Version {event.installed} is installed, {event.running} is running. "
                "Restart it with: hermes daemon restart"
            )
        case events.Unknown():
            yield sentence(f"Event {event.name}, which this version does not know")
        case _:
            return
