"""The waterfall's lines: a turn's header, a step with its bar, and what a step's details say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hermes_tui.events import (
    ApprovalAsked,
    ModelAsked,
    QuestionAsked,
    ReplyReceived,
    ToolEnded,
    Usage,
    meant,
)
from hermes_tui.ui import figures
from hermes_tui.ui.blocks_tool import without_diff
from hermes_tui.ui.line import Span, width_of
from hermes_tui.ui.text import cells, fit, one_line
from hermes_tui.ui.trace_model import Step, Turn
from hermes_tui.ui.viewer import Painter, paint_all, paint_lines, paint_text

Clock = Callable[[], float]
Line = Sequence[Span]

_GLYPHS = {
    "running": ("◐", "accent"),
    "ok": ("✔", "ok"),
    "once": ("✔", "ok"),
    "session": ("✔", "ok"),
    "always": ("✔", "ok"),
    "partial": ("✂", "warn"),
    "denied": ("⊘", "warn"),
    "deny": ("⊘", "warn"),
    "expired": ("⊘", "warn"),
    "stopped": ("■", "warn"),
    "interrupted": ("!", "warn"),
    "limit": ("■", "warn"),
    "error": ("✘", "error"),
    "failed": ("✘", "error"),
}
_QUIET = ("running", "ok", "once", "session", "always")


def turn_key(number: int) -> str:
    """The key of a turn's row."""
    return f"turn:{number}"


def step_key(turn: Turn, step: Step) -> str:
    """The key of a step's row."""
    return f"step:{turn.number}:{step.key}"


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A turn's header: number, time, tokens, cost."""

    turn: Turn
    open: bool
    clock: Clock

    @property
    def key(self) -> str:
        """The turn's number."""
        return turn_key(self.turn.number)

    def spans(self, width: int) -> tuple[Line, Line]:
        """One line."""
        turn = self.turn
        head = [
            Span(" ▾ " if self.open else " ▸ ", "muted"),
            Span(f"turn {turn.number}", "strong"),
        ]
        if turn.running:
            head.append(Span(" ◐ running", "accent"))
        elif turn.outcome != "done":
            glyph, style = _GLYPHS.get(turn.outcome, ("!", "warn"))
            head.append(Span(f" {glyph} {turn.outcome}", style))
        took = figures.seconds(turn.seconds(self.clock()))
        whole, usage = Span(""), turn.usage()
        used = (usage_words(usage), usage_words(usage, short=True), figures.money(usage.cost))
        for words in used:  # the longest that fits
            whole = Span(f" · {took} · {words}", "muted")
            if width_of([*head, whole]) < width:
                break
        return [*head, whole], ()


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step of a turn: what, when in the turn, how long. marked: to be compared."""

    turn: Turn
    step: Step
    clock: Clock
    marked: bool = False

    @property
    def key(self) -> str:
        """Turn and step."""
        return step_key(self.turn, self.step)

    def spans(self, width: int) -> tuple[Line, Line]:
        """One line; the bar gets about a third of the width."""
        step = self.step
        took = figures.seconds(step.seconds(self.clock()))
        room = max(6, min(28, width // 4))
        text = max(0, width - room - 8 - 5 - 1)
        glyph, style = _GLYPHS.get(step.state, ("·", "muted"))
        name = one_line(step.name) or step.kind
        mark = Span(" ◆ ", "accent") if self.marked else Span("   ")
        left = [mark, Span(f"{glyph} ", style)]
        left += _fitted(name, _words(step, short=text < 30), text)
        bar = [*self._bar(room, style), Span(f"{took:>7} ", "muted")]
        return left, bar

    def _bar(self, room: int, style: str) -> Line:
        now = self.clock()
        whole = max(self.turn.seconds(now), 0.001)
        begin = max(0.0, self.step.start - self.turn.start)
        at = min(room - 1, int(room * begin / whole))
        length = max(1, min(room - at, round(room * self.step.seconds(now) / whole)))
        fill = "▒" if self.step.kind == "wait" else "▇"
        tone = style if style in ("warn", "error") else f"bar.{self.step.kind}"
        rest = room - at - length
        return (
            Span("·" * at, "faint"),
            Span(fill * length, tone),
            Span("·" * rest, "faint"),
        )


def _fitted(name: str, words: str, room: int) -> Line:
    if cells(name) >= room:
        return (Span(fit(name, room), ""),)
    return (Span(name + " ", ""), Span(fit(words, room - cells(name) - 1), "muted"))


def _words(step: Step, short: bool = False) -> str:
    state = "" if step.state in _QUIET else f"{step.state} · "
    state += "again · " if step.again_of else ""
    if step.kind == "model" and step.reply is not None:
        used = step.reply.usage
        read, made = figures.tokens(used.prompt), figures.tokens(used.completion)
        return state + (f"{read} → {made}" if short else f"{read} in · {made} out")
    if step.kind == "model" and step.failures:
        return f"{state}{one_line(step.failures[-1].message)}"
    return state + one_line(step.summary)


def usage_words(usage: Usage, short: bool = False) -> str:
    """`18.2k in (15.9k cached) · 0.9k out · $0.031`, a dash for an unknown cost.

    short: `18.2k → 0.9k · $0.031`.
    """
    if not usage.prompt and not usage.completion:
        return "no tokens yet"
    read, made = figures.tokens(usage.prompt), figures.tokens(usage.completion)
    cost = figures.money(usage.cost)
    if short:
        return f"{read} → {made} · {cost}"
    cached = f" ({figures.tokens(usage.cached)} cached)" if usage.cached else ""
    return f"{read} in{cached} · {made} out · {cost}"


# --- details -------------------------------------------------------------------------------


def turn_details(turn: Turn, now: float) -> Painter:
    """What the details say about a whole turn: totals, and what its last prompt was made of."""
    lines: list[Line] = [
        (Span(f"turn {turn.number} ", "strong"), Span(turn.outcome or "running", "muted")),
        (Span(f"{figures.seconds(turn.seconds(now))} · {usage_words(turn.usage())}", "muted"),),
    ]
    if turn.error:
        lines += [(), (Span(one_line(turn.error), "error"),)]
    asked = [s.asked for s in turn.steps.values() if isinstance(s.asked, ModelAsked)]
    if asked:
        lines += [(), *_composition(asked[-1])]
    if turn.recalled:
        lines += [(), (Span("from memory", "strong"),)]
    for one in turn.recalled:
        lines.append((Span(f"  {one.id}  ", "accent"), Span(one_line(one.text))))
        lines.append((Span(f"      {one_line(one.why)}", "muted"),))
    return paint_lines(lines)


def step_details(step: Step, now: float, whole: str = "", around: Line = ()) -> Painter:
    """What the details say about a step. whole: a tool's full output, once it was fetched;
    around: where the session stood."""
    lines: list[Line] = [
        (Span(one_line(step.name), "strong"), Span("  " + one_line(step.summary), "")),
        (Span(_facts(step, now), "muted"),),
    ]
    if step.kind == "model":
        return paint_all([paint_lines(lines), *_model_details(step)])
    if step.kind == "tool":
        return paint_all([paint_lines(lines), *_tool_details(step, whole, around)])
    return paint_all([paint_lines([*lines, ()]), *_wait_details(step)])


def step_source(step: Step, whole: str = "") -> str:
    """What copying a step gives: the reply, or the call with its output."""
    if step.reply is not None:
        return step.reply.text
    if step.ended is not None:
        return whole or step.ended.for_model
    return step.started.arguments if step.started else step.summary


def _facts(step: Step, now: float) -> str:
    facts = [step.state, figures.seconds(step.seconds(now))]
    if step.reply is not None:
        if step.reply.first_token:
            facts.append(f"first token {figures.seconds(step.reply.first_token)}")
        facts.append(usage_words(step.reply.usage))
    if step.ended is not None and step.ended.output_bytes:
        facts.append(f"{figures.size(step.ended.output_bytes)} of output")
    return " · ".join(facts)


def _composition(asked: ModelAsked) -> list[Line]:
    window = f" of a {figures.tokens(asked.window)} window" if asked.window else ""
    head = f"{asked.messages} messages, {figures.size(asked.size)}{window}"
    lines: list[Line] = [(Span("in the prompt  ", "strong"), Span(head, "muted"))]
    widest = max((len(name) for name, _ in asked.parts), default=0)
    for name, part in asked.parts:
        full, rest = figures.meter(part, asked.size, 12)
        bar = (Span(full, "bar.model"), Span(rest, "faint"))
        size = Span(f"{figures.size(part):>8}", "muted")
        lines.append((Span(f"  {name:<{widest}} ", ""), *bar, size))
    return lines


def _model_details(step: Step) -> list[Painter]:
    lines: list[Line] = []
    for failure in step.failures:
        again = "" if failure.retry_in is None else f" · again in {failure.retry_in:.0f}s"
        said = f"try {failure.attempt}: {one_line(failure.message)}{again}"
        lines.append((Span(said, "error"),))
    if isinstance(step.asked, ModelAsked):
        lines += [(), *_composition(step.asked)]
    made = [paint_lines(lines)]
    if step.reply is not None:
        made += _reply_details(step.reply)
    return made


def _reply_details(reply: ReplyReceived) -> list[Painter]:
    made: list[Painter] = []
    for title, text in (("reasoning", reply.reasoning), ("reply", reply.text)):
        if text:
            made += [paint_lines([(), (Span(title, "strong"),)]), paint_text(text)]
    calls = [
        (Span(f"  {call.tool} ", ""), Span(one_line(call.arguments), "muted"))
        for call in map(meant, reply.calls)
    ]
    if calls:
        made.append(paint_lines([(), (Span("calls", "strong"),), *calls]))
    return made


def _tool_details(step: Step, whole: str, around: Line) -> list[Painter]:
    made: list[Painter] = []
    if step.started is not None and step.started.arguments not in ("", "{}"):
        head: list[Line] = [(), (Span("arguments", "strong"),)]
        made += [paint_lines(head), paint_text(pretty(step.started.arguments), "code")]
    facts = _environment(step)
    if around or facts:
        lines: list[Line] = [(), (Span("environment", "strong"),)]
        lines += [(Span("  "), *around)] if around else []
        lines += [(Span(f"  {name}  ", "muted"), Span(value, "")) for name, value in facts]
        made.append(paint_lines(lines))
    if step.ended is not None:
        made += _output_details(step.ended, whole)
    return made


def _environment(step: Step) -> list[tuple[str, str]]:
    """What else is known of how a call ran: the small facts of its result."""
    if step.ended is None:
        return []
    shown = {
        name: value
        for name, value in step.ended.details.items()
        if isinstance(value, str | int | float) and name not in ("diff", "command", "traceback")
    }
    shown |= {"output": step.ended.output_path} if step.ended.output_path else {}
    return [(name.replace("_", " "), one_line(str(value))) for name, value in shown.items()]


def _output_details(ended: ToolEnded, whole: str) -> list[Painter]:
    made: list[Painter] = []
    diff = ended.details.get("diff")
    if isinstance(diff, str) and diff:
        from hermes_tui.ui.diff_screen import paint_diff

        made += [paint_lines([(), (Span("diff", "strong"),)]), paint_diff(diff)]
    text = whole or ended.for_model
    text = without_diff(text) if diff else text
    if text:
        made += [paint_lines([(), (Span("output", "strong"),)]), paint_text(text)]
    return made


def _wait_details(step: Step) -> list[Painter]:
    match step.asked:
        case ApprovalAsked():
            why: Line = (Span(f"asked because {one_line(step.asked.reason)}", "muted"),)
            return [paint_lines([why, ()]), paint_text(step.asked.detail, "code")]
        case QuestionAsked():
            options: list[Line] = [(Span(f"  {one_line(o)}", ""),) for o in step.asked.options]
            return [paint_text(step.asked.text), paint_lines(options)]
        case _:
            return []


def pretty(arguments: str) -> str:
    """JSON arguments, indented, long strings with their line breaks; other text as it is."""
    try:
        value = msgspec.json.decode(arguments, type=dict[str, Any])
    except msgspec.MsgspecError:
        return arguments
    parts: list[str] = []
    for name, one in value.items():
        text = one if isinstance(one, str) else msgspec.json.encode(one).decode()
        parts.append(f"{name}: {text}" if "\n" not in text else f"{name}:\n{text}")
    return "\n".join(parts)
