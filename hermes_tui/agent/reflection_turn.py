"""A turn as it is looked back on: what was asked, what was done, how it went, by rules alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

import msgspec
from msgspec import Struct

from hermes_tui.events import (
    ClaimsChecked,
    InputEdited,
    InputReceived,
    InputTaken,
    Outcome,
    Record,
    ReplyReceived,
    SessionStarted,
    ToolCall,
    ToolEnded,
    TurnEnded,
    TurnStarted,
    meant,
)

_ARGUMENTS, _SAID, _ERROR = 600, 1200, 160
_WRITES = frozenset(("write_file", "edit_file"))
_ASIDE = frozenset(
    (
        *("use_skill", "find_skills", "find_tools", "todo", "ask_user", "propose_skill"),
        *("remember", "forget", "recall", "read_earlier", "ask_user_model"),
    )
)
"""Tools that are no work on the task itself."""


class Step(Struct, frozen=True, kw_only=True):
    """A tool call that ended. head: what it was about, so that the same thing is known again."""

    tool: str
    arguments: str
    ok: bool
    head: str = ""
    error: str = ""

    @property
    def told(self) -> str:
        """The call in few words, as `tool: what exactly`."""
        values = _values(self.arguments)
        return f"{self.tool}: {' '.join(values)}" if values else self.tool


class Looked(Struct, frozen=True, kw_only=True):
    """A turn. said: the person's words; skills: those read in it; untrusted: where text came from
    that nobody vouches for, in this turn or before it in the session; unfounded: its answer
    claims what no call stands behind; foreign: others than the owner of the home speak in it."""

    session: str
    turn: int
    ts: float = 0.0
    said: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    skills: tuple[str, ...] = ()
    outcome: Outcome | None = None
    attended: bool = True
    untrusted: str = ""
    unfounded: bool = False
    foreign: bool = False

    @property
    def task(self) -> str:
        """What was asked for."""
        return "\n".join(self.said)[:_SAID]

    @property
    def failed(self) -> int:
        """How many calls failed."""
        return sum(not one.ok for one in self.steps)

    @property
    def ended_well(self) -> bool:
        """Whether the last that was done worked, and the answer claims nothing else."""
        return self.outcome == "done" and not self.unfounded and all(s.ok for s in self.steps[-1:])

    @property
    def checked(self) -> bool:
        """Whether something was looked at or run, and went well, after the last change."""
        changed = [at for at, one in enumerate(self.steps) if one.tool in _WRITES]
        after = self.steps[changed[-1] + 1 :] if changed else self.steps[-1:]
        return self.ended_well and any(one.ok for one in after)


def turns_of(
    session: str, records: Iterable[Record], untrusted: str = "", foreign: bool = False
) -> list[Looked]:
    """The turns in a stretch of a session's log, the last one perhaps still open.

    untrusted, foreign: what is known of the session before the stretch.
    """
    gathering = _Gathering(session, untrusted, foreign)
    for record in records:
        gathering.take(record)
    return gathering.done()


class _Gathering:
    def __init__(self, session: str, untrusted: str, foreign: bool) -> None:
        self._session = session
        self._untrusted = untrusted
        self._foreign = foreign
        self._inputs: dict[str, InputReceived] = {}
        self._calls: dict[str, ToolCall] = {}
        self._turns: list[Looked] = []

    def done(self) -> list[Looked]:
        return self._turns

    def take(self, record: Record) -> None:
        match record.event:
            case InputReceived() as one:
                self._inputs[one.input_id] = one
            case InputEdited(input_id=name, text=text) if name in self._inputs:
                self._inputs[name] = msgspec.structs.replace(self._inputs[name], text=text)
            case TurnStarted(turn=turn):
                self._begin(turn, record.ts)
            case SessionStarted(person=person, group=group):
                self._foreign = bool(person or group)
            case InputTaken(input_id=name) if self._turns and name in self._inputs:
                said = self._inputs[name]
                self._change(said=(*self._turns[-1].said, said.text), attended=said.attended)
            case ReplyReceived(calls=calls):
                self._calls.update((call.id, meant(call)) for call in calls)
            case ToolEnded() as ended if self._turns:
                self._step(ended)
            case ClaimsChecked(claims=claims) if self._turns:
                self._change(unfounded=any(not one.calls for one in claims))
            case TurnEnded(outcome=outcome) if self._turns:
                self._change(outcome=outcome)
            case _:
                return

    def _begin(self, turn: int, ts: float) -> None:
        self._turns.append(
            Looked(
                session=self._session,
                turn=turn,
                ts=ts,
                untrusted=self._untrusted,
                foreign=self._foreign,
            )
        )

    def _change(self, **changes: Any) -> None:
        self._turns[-1] = msgspec.structs.replace(self._turns[-1], **changes)

    def _step(self, ended: ToolEnded) -> None:
        self._untrusted = ended.untrusted or self._untrusted
        self._change(untrusted=self._untrusted)
        call = self._calls.get(ended.call_id)
        tool = call.tool if call is not None else ended.tool
        arguments = call.arguments if call is not None else "{}"
        turn = self._turns[-1]
        if tool == "use_skill" and ended.status == "ok":
            name = str(ended.details.get("skill", ""))
            self._change(skills=tuple(dict.fromkeys((*turn.skills, name))))
        if tool not in _ASIDE:
            self._change(steps=(*turn.steps, step_of(tool, arguments, ended)))


def step_of(tool: str, arguments: str, ended: ToolEnded) -> Step:
    """A call with its result. A command that exits with another code than 0 has failed."""
    code = ended.details.get("exit_code")
    ok = ended.status == "ok" and code in (None, 0)
    lines = [one for one in ended.for_model.splitlines() if one.strip() and one[:1] != "["]
    outside = ended.untrusted or ok
    return Step(
        tool=tool,
        arguments=arguments[:_ARGUMENTS],
        ok=ok,
        head=head_of(tool, arguments),
        error="" if outside or not lines else lines[-1].strip()[:_ERROR],
    )


def _values(arguments: str) -> list[str]:
    try:
        given = msgspec.json.decode(arguments or "{}")
    except msgspec.MsgspecError:
        return [arguments]
    if not isinstance(given, dict):
        return [arguments]
    values = cast("dict[str, Any]", given).values()
    return [str(one) for one in values if isinstance(one, str | int) and one != ""]


def head_of(tool: str, arguments: str) -> str:
    """What a call is about: the program of a command, the host of an address, else the tool."""
    try:
        given = msgspec.json.decode(arguments or "{}")
    except msgspec.MsgspecError:
        return tool
    if not isinstance(given, dict):
        return tool
    given = cast("dict[str, Any]", given)
    if isinstance(command := given.get("command"), str):
        plain = re.sub(r"^(?:\s*(?:sudo|env|time|cd \S+ &&|\w+=\S*)\s+)+", "", command.strip())
        return f"{tool} {plain.split()[0]}" if plain.split() else tool
    if isinstance(url := given.get("url"), str):
        found = re.match(r"\w+://([^/?#\s]+)", url)
        return f"{tool} {found[1].rpartition('@')[2]}" if found else tool
    return tool


# --- what a person's words are -------------------------------------------------------------------

_CORRECTS = re.compile(
    r"^\W*(?:no|nope|wrong|stop)\b(?!\s+(?:problem|worries|thanks|thank|need|rush|matter|doubt))"
    r"|\b(?:that|this|it)(?:'s|\s+is|\s+was|’s)\s+(?:not|wrong|incorrect|still wrong)\b"
    r"(?!\s+(?:bad|a problem|urgent|important))"
    r"|\bnot what i\b|\byou (?:should(?:n't| not)? have|forgot|missed|ignored|were supposed)\b"
    r"|\bi (?:said|told you|asked (?:you )?(?:for|to)|meant|wanted)\b"
    r"|\b(?:instead of|rather than)\b|\binstead\s*[.!]?$|\bnext time\b|\bfrom now on\b"
    r"|^\W*(?:actually|please)?,?\s*(?:don't|do not|never|always)\b"
    r"(?!\s+(?:worry|mind|bother|forget to have))"
    r"|\bshould (?:be|have been)\b|\bundo (?:that|it)\b"
    r"|不对|错了|不是这样|不要这样|应该是|我说的是|以后|下次|違う|ではなく|じゃなくて|次から",
    re.I | re.M,
)
_LASTING = re.compile(
    r"\b(?:always|never|from now on|next time|every time|whenever|in (?:the )?future|as a rule"
    r"|by default)\b|以后|下次|每次|总是|永远|次から|いつも|今後",
    re.I,
)
_ASSENTS = re.compile(
    r"^\W*(?:thanks|thank you|perfect|great|works|it works|that works|nice|excellent|exactly|good"
    r"|yes)\b|谢谢|很好|可以了|完美|ありがとう|完璧",
    re.I,
)


def corrects(text: str) -> bool:
    """Whether words that follow some work say that it should have been otherwise."""
    head = "\n".join(text.strip().splitlines()[:6])[:600]
    return not head.endswith("?") and _CORRECTS.search(head) is not None


def is_lasting(text: str) -> bool:
    """Whether words sound as if they should hold next time too."""
    return len(text) < 2000 and _LASTING.search(text) is not None


def assents(text: str) -> bool:
    """Whether words that follow some work accept it."""
    return not corrects(text) and _ASSENTS.search(text.strip()[:80]) is not None
