"""Skills: found, checked, written, proposed, taken back, fetched from elsewhere."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import Struct

from hermes_tui.intents.base import Done, Intent


class SkillOffer(Struct, frozen=True, kw_only=True):
    """A skill that may fit a task. share: how much of the task it covers; offered: well enough
    to be named beside the request."""

    name: str
    description: str
    origin: str
    score: float
    share: float
    offered: bool = False


class SkillOffers(Struct, frozen=True, kw_only=True):
    """Skills that may fit, best first. ms: milliseconds the search took."""

    offers: tuple[SkillOffer, ...] = ()
    skills: int = 0
    ms: float = 0.0


class RouteSkills(Intent[SkillOffers], frozen=True, kw_only=True):
    """What would be offered for a task, in order. cwd: the folder whose project counts too."""

    reply: ClassVar[Any] = SkillOffers
    task: str
    cwd: str = ""
    limit: int = 8


class SkillFinding(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a SKILL.md does against the rules. level: `error`, `warning` or `advice`."""

    line: int
    level: str
    text: str
    rule: str = ""


class SkillPromise(Struct, frozen=True, kw_only=True):
    """A check beside a skill. ok: None when it was not run; said: why, or what it printed last."""

    check: str
    ok: bool | None = None
    said: str = ""


class SkillCheck(Struct, frozen=True, kw_only=True):
    """Whether a text could be saved. repaired: the text with its quotes put right, if that is
    all it takes; tokens: about how many a model reads when it uses the skill."""

    findings: tuple[SkillFinding, ...] = ()
    repaired: str = ""
    tokens: int = 0
    checks: tuple[SkillPromise, ...] = ()


class CheckSkill(Intent[SkillCheck], frozen=True, kw_only=True):
    """Check a SKILL.md that is being written. run: also try the checks beside the skill on it;
    an empty text then stands for the skill's own."""

    reply: ClassVar[Any] = SkillCheck
    name: str
    text: str
    run: bool = False


class SkillSaved(Struct, frozen=True, kw_only=True):
    """The skill as it is now. version: its number in the history; lost: share of what it said
    before that it no longer says."""

    name: str
    version: int
    lost: float = 0.0


class SaveSkill(Intent[SkillSaved], frozen=True, kw_only=True):
    """Replace a skill's text, or with `create` write a new one."""

    reply: ClassVar[Any] = SkillSaved
    name: str
    text: str
    reason: str = ""
    create: bool = False


class ChangeSkill(Intent[SkillSaved], frozen=True, kw_only=True):
    """Switch a skill on or off, undo its last change, or bring a version back."""

    reply: ClassVar[Any] = SkillSaved
    name: str
    action: Literal["on", "off", "undo", "restore"]
    version: int = 0


class SkillVersion(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A text a skill had. by: person, agent, update, outside or undo; source: `SESSION:TURN`;
    diff: against the version before."""

    n: int
    ts: float
    by: str
    reason: str = ""
    source: str = ""
    lost: float = 0.0
    diff: str = ""
    text: str = ""


class SkillProposal(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A text the agent proposes. old: what the skill says now; diff: what would change; hunks:
    the numbers of the changes in each of its hunks."""

    id: int
    name: str
    kind: str
    ts: float
    reason: str
    diff: str
    text: str
    old: str = ""
    hunks: tuple[tuple[int, ...], ...] = ()
    source: str = ""
    replay: str = ""
    state: str = "open"
    note: str = ""


class SkillUse(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A use of a skill. outcome: empty until it is judged, then ok, failed or corrected."""

    session: str
    turn: int
    ts: float
    version: int
    task: str = ""
    outcome: str = ""
    why: str = ""


class SkillStory(Struct, frozen=True, kw_only=True):
    """All that is known of one skill, the newest first."""

    name: str
    state: str = ""
    versions: tuple[SkillVersion, ...] = ()
    proposals: tuple[SkillProposal, ...] = ()
    uses: tuple[SkillUse, ...] = ()


class ShowSkill(Intent[SkillStory], frozen=True, kw_only=True):
    """The history of a skill: its texts, what was proposed, how it was used."""

    reply: ClassVar[Any] = SkillStory
    name: str


class SkillProposals(Struct, frozen=True, kw_only=True):
    """Proposals that wait for an answer, the oldest first."""

    proposals: tuple[SkillProposal, ...] = ()


class ListSkillProposals(Intent[SkillProposals], frozen=True, kw_only=True):
    """All proposals that wait."""

    reply: ClassVar[Any] = SkillProposals


class AnswerSkillProposal(Intent[SkillSaved], frozen=True, kw_only=True):
    """Accept a proposal whole, in part (`hunks`: numbers of its changes) or as rewritten (`text`),
    or refuse it; `note` says why."""

    reply: ClassVar[Any] = SkillSaved
    id: int
    accept: bool
    hunks: tuple[int, ...] | None = None
    text: str | None = None
    note: str = ""


class SkillArrival(Struct, frozen=True, kw_only=True):
    """A skill that was fetched and waits to be accepted, with what should be seen before.

    what: `install` or `update`; threats: (file, line, weight, what, text) of lines to look at.
    """

    name: str
    what: str
    source: str
    digest: str
    description: str
    diff: str
    pinned: str = ""
    replaces: str = ""
    tools: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    binaries: tuple[str, ...] = ()
    files: int = 0
    bytes: int = 0
    threats: tuple[tuple[str, int, str, str, str], ...] = ()
    findings: tuple[SkillFinding, ...] = ()


class SkillArrivals(Struct, frozen=True, kw_only=True):
    """What waits to be accepted."""

    arrivals: tuple[SkillArrival, ...] = ()


class FetchSkills(Intent[SkillArrivals], frozen=True, kw_only=True):
    """Fetch skills from a folder, a zip, a git URL or an index; they wait to be accepted.

    update: fetch what is installed again, all of it or the one skill that `source` names.
    """

    reply: ClassVar[Any] = SkillArrivals
    source: str
    cwd: str = ""
    update: bool = False


class ListArrivals(Intent[SkillArrivals], frozen=True, kw_only=True):
    """All fetched skills that wait."""

    reply: ClassVar[Any] = SkillArrivals


class AnswerArrival(Intent[Done], frozen=True, kw_only=True):
    """Let a fetched skill in, exactly as it was shown (`digest`), or throw it away."""

    reply: ClassVar[Any] = Done
    name: str
    accept: bool
    digest: str = ""


class RemoveSkill(Intent[Done], frozen=True, kw_only=True):
    """Take an installed skill away."""

    reply: ClassVar[Any] = Done
    name: str
