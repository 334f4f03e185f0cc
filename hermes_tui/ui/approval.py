"""The approval card: what would be done, where, why it asks, and the exact rule "always" saves."""

from __future__ import annotations

import re
from typing import Literal

import msgspec
from textual.message import Message

from hermes_tui import approval_text
from hermes_tui.events import ApprovalAsked
from hermes_tui.ui import part_keys
from hermes_tui.ui.approval_frame import AskCard, Line
from hermes_tui.ui.line import Span, width_of
from hermes_tui.ui.text import clip, safe, wrap

Verdict = Literal["once", "session", "always", "deny"]
_NAMES = {one.keys[0]: one.id for one in part_keys.PARTS["approval"]}
_DIFF = {"+": "diff.add", "-": "diff.del", "@": "diff.hunk"}


def revealed(text: str) -> str:
    """`text` with every invisible character named, safe to show."""
    return safe(approval_text.revealed(text))


def diff_style(line: str) -> str:
    """The style of a line of a unified diff."""
    if line.startswith(("+++", "---")):
        return "strong"
    return _DIFF.get(line[:1], "text")


class ApprovalCard(AskCard[ApprovalAsked]):
    """Posts `Answered`; the app sends it on, and calls `show` with what is pending then."""

    class Answered(Message):
        """What the person decided. arguments: JSON in place of the call's own, when edited."""

        def __init__(
            self,
            ask_id: str,
            verdict: Verdict,
            rule: str = "",
            reason: str = "",
            arguments: str = "",
        ) -> None:
            super().__init__()
            self.ask_id = ask_id
            self.verdict: Verdict = verdict
            self.rule = rule
            self.reason = reason
            self.arguments = arguments

    _step: Literal["rule", "reason", "edit"] = "reason"

    # --- what it says ----------------------------------------------------------------------

    def heading(self, ask: ApprovalAsked) -> str:
        """Where it runs; why it asks and whether it can be undone, if that fits."""
        head = _plain(f"⚠ approve{self.count()} · {ask.tool} on {ask.where}")
        whole = " · ".join([head, *_facts(ask)])
        return whole if self.fits_rule(whole) else head

    def body(self, ask: ApprovalAsked, width: int) -> list[Line]:
        """The command or the beginning of the diff, under what did not fit into the heading."""
        facts = " · ".join(_facts(ask))
        told = facts in self.heading(ask)
        detail = self._detail(ask, width)
        return detail if told else [*((line,) for line in _wrapped(facts, width)), *detail]

    def _detail(self, ask: ApprovalAsked, width: int) -> list[Line]:
        most = max(2, min(10, self.app.size.height // 4 - 1))
        lines = detail_lines(ask, width, headers=False)
        head = lines if len(lines) <= most else lines[: most - 1]
        if len(head) < len(lines):
            more = f"  … {len(lines) - len(head):,} more lines"
            key = self._key_of("d")
            head = [*head, (Span(more, "muted"), Span(f"   {key} details", "muted", "choose('d')"))]
        return [*head, ()] if self.app.size.height >= 30 else head

    def keys(self, ask: ApprovalAsked, width: int) -> list[Line]:
        """The choices on one line, or on two where one is too narrow."""
        names = [("y", "once"), ("s", "this session" if width >= 100 else "session")]
        if ask.rule:
            names.append(
                ("a", f"always «{clip(revealed(ask.rule), 30)}»" if width >= 100 else "always…")
            )
        names += [("e", "edit"), ("d", "details"), ("n", "deny…")]
        if len(self.pending) > 1:
            names.append(("tab", "next"))
        gap = "    " if width >= 100 else "  "
        lines: list[list[Span]] = [[]]
        for key, name in names:
            shown = self._key_of(key)
            if not shown:
                continue
            pair = [Span(shown, "accent", f"choose('{key}')"), Span(f" {name}{gap}", "muted")]
            if lines[-1] and width_of([*lines[-1], *pair]) - len(gap) > width:
                lines.append([])
            lines[-1] += pair
        return [tuple(line) for line in lines]

    def field_note(self) -> Line:
        """What the words are for."""
        note = {
            "rule": "What this rule covers will never ask again. Edit it if it covers too much.",
            "reason": "Why not? The agent reads it.",
            "edit": "Change what will run; ↵ runs it once.",
        }[self._step]
        return (
            Span(note, "muted"),
            Span("   ↵", "accent"),
            Span(" ok   ", "muted"),
            Span("esc", "accent"),
            Span(" back", "muted"),
        )

    def _key_of(self, letter: str) -> str:
        return part_keys.key_of(self, _NAMES[letter])

    def meant(self, key: str) -> str:
        """The card's own letter for a key, which may be another one by now."""
        return part_keys.meant(self, "approval", key)

    # --- what is pressed -------------------------------------------------------------------

    def choose(self, key: str) -> bool:
        """One of the card's keys."""
        ask = self.ask
        if ask is None:
            return False
        match key:
            case "y":
                self._answer(ask, "once")
            case "s":
                self._answer(ask, "session")
            case "a" if ask.rule:
                self._open("rule", ask.rule)
            case "e":
                self._open("edit", approval_text.editable(ask))
            case "n":
                self._open("reason", "", "a reason, or ↵ for none")
            case "d":
                self._details(ask)
            case "tab":
                return self._use(key)
            case _:
                return False
        return True

    def _open(self, step: Literal["rule", "reason", "edit"], text: str, hint: str = "") -> None:
        self._step = step
        self.open_field(text, hint)

    def finished(self, text: str) -> None:
        """The field was confirmed."""
        ask = self.ask
        if ask is None:
            return
        if self._step == "reason":
            self._answer(ask, "deny", reason=text.strip())
        elif self._step == "rule":
            self._save(ask, text.strip())
        else:
            self._run_edited(ask, text)

    def _save(self, ask: ApprovalAsked, rule: str) -> None:
        if rule:
            self._answer(ask, "always", rule=rule)
        else:
            self._complain("An empty rule covers nothing: esc goes back.")

    def _run_edited(self, ask: ApprovalAsked, text: str) -> None:
        try:
            arguments = approval_text.edited(ask, text)
        except msgspec.DecodeError as error:
            self._complain(f"These arguments are no JSON object: {error}")
            return
        self._answer(ask, "once", arguments=arguments)

    def _complain(self, problem: str) -> None:
        self.problem = problem
        self.redraw()

    def _answer(self, ask: ApprovalAsked, verdict: Verdict, **more: str) -> None:
        self.post_message(self.Answered(ask.ask_id, verdict, **more))
        self.done(ask)

    def _details(self, ask: ApprovalAsked) -> None:
        from hermes_tui.ui.viewer import ViewerScreen, paint_lines

        head = self._about(ask)
        if ask.detail_kind == "diff":
            from hermes_tui.ui.diff_screen import DiffScreen

            diff = revealed(ask.detail)
            self.app.push_screen(DiffScreen(f"approve · {ask.title}", diff, head))
            return
        lines = detail_lines(ask, max(20, self.app.size.width - 4))
        self.app.push_screen(
            ViewerScreen(f"approve · {ask.title}", paint_lines([*head, (), *lines]), ask.detail)
        )

    @staticmethod
    def _about(ask: ApprovalAsked) -> list[Line]:
        about = [
            f"tool    {ask.tool}",
            f"where   {ask.where}",
            f"why     {ask.reason}",
            f"undo    {ask.undo or 'not known'}",
            f"rule    {ask.rule or '–'}",
            f"files   {', '.join(approval_text.files(ask))}" if approval_text.files(ask) else "",
        ]
        return [(Span(revealed(one), "muted"),) for one in about if one]


def _plain(text: str) -> str:
    return revealed(" ".join(text.split()))


def _facts(ask: ApprovalAsked) -> list[str]:
    return [_plain(fact) for fact in (ask.reason, ask.undo) if fact]


def _wrapped(text: str, width: int) -> list[Span]:
    return [Span(text[a:b], "warn") for a, b in wrap(text, max(8, width - 1))]


def detail_lines(ask: ApprovalAsked, width: int, headers: bool = True) -> list[Line]:
    """All of the command, diff or text, wrapped, nothing hidden.

    headers: show a diff's own headers; without them one line a file counts what changes.
    """
    text = ask.detail or ask.title
    if ask.detail_kind == "diff":
        lines = text.split("\n") if headers else _without_headers(text)
        return [
            (Span(clip(revealed(line).expandtabs(4), width), diff_style(line)),) for line in lines
        ]
    mark = "$ " if ask.detail_kind == "command" else ""
    style = "strong" if mark else "text"
    made: list[Line] = []
    for line in text.split("\n"):
        shown = revealed(line).expandtabs(4)
        for start, end in wrap(shown, max(8, width - len(mark) - 1)):
            made.append((Span(mark, "accent"), Span(shown[start:end], style)))
            mark = " " * len(mark)
    return made


def _without_headers(diff: str) -> list[str]:
    lines: list[str] = []
    for part in re.split(r"^(?=--- .*\n\+\+\+ )", diff, flags=re.MULTILINE):
        found = approval_text.HEADER.match(part)
        body = part[found.end() :] if found else part
        rows = body.rstrip("\n").split("\n") if body.strip() else []
        if found:
            added = sum(row.startswith("+") for row in rows)
            gone = sum(row.startswith("-") for row in rows)
            lines.append(f"{approval_text.file_of(found)}   +{added} −{gone}")
        lines += rows
    return lines
