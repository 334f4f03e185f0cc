"""Work at set times: make, look at, change, run and remove jobs; when a schedule comes."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

from hermes_tui.intents.base import Done, Intent, Standing

Overlap = Literal["skip", "wait", "parallel"]
RunState = Literal[
    "waiting", "running", "ok", "silent", "failed", "missed", "interrupted", "stopped"
]
"""`silent`: done, with nothing to say; `interrupted`: the core died, and what was done is unknown;
`stopped`: by a person or by a limit of the job."""
DeliveryState = Literal["pending", "delivered", "unverified", "failed"]
Bounded = Annotated[str, Meta(max_length=100_000)]


class JobSpec(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a person sets of a job.

    prompt, script: what is asked, and a command line whose output comes before it; one of
    them may be empty. say: a text to be told as it is, instead of both. schedule: as typed;
    zone: time zone of its wall clock, empty for the usual one. tools: all that its runs may
    use, fixed when it is made; folder: where they work; mode: as of a session. tokens,
    dollars: the most that one run may use, 0 for no limit; limit_s: its longest time.
    deliver: where answers go: `origin`, `local`, or a chat such as `telegram`. overlap: what
    a time does while the run before goes on. catch_up: what becomes of times that passed
    unseen: `skip`, `once` (the newest), `all`, or how late one may be, such as `2h`. retries,
    retry_s: how often a failed run is tried again, and after how long. context_from: jobs
    whose last answers come before the prompt. times: after so many runs it is done.
    """

    name: Annotated[str, Meta(max_length=80)] = ""
    prompt: Bounded = ""
    script: Bounded = ""
    say: Bounded = ""
    schedule: Annotated[str, Meta(max_length=200)] = ""
    zone: str = ""
    skills: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    model: str = ""
    folder: str = ""
    mode: Literal["ask", "auto-edit", "plan"] = "ask"
    tokens: Annotated[int, Meta(ge=0)] = 0
    dollars: Annotated[float, Meta(ge=0)] = 0.0
    limit_s: Annotated[float, Meta(ge=1, le=86_400)] = 3600.0
    deliver: tuple[str, ...] = ("origin",)
    overlap: Overlap = "skip"
    catch_up: str = ""
    retries: Annotated[int, Meta(ge=0, le=10)] = 0
    retry_s: Annotated[float, Meta(ge=0, le=86_400)] = 60.0
    context_from: tuple[str, ...] = ()
    times: Annotated[int, Meta(ge=0)] = 0


class Delivery(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of one answer at one place. proof: what shows that it arrived there."""

    target: str
    state: DeliveryState = "pending"
    detail: str = ""
    proof: str = ""
    ts: float = 0.0


class JobRun(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One time of a job: whether it ran, and, apart from that, whether its answer arrived.

    slot: the time it was due, Unix seconds; session: where it can be read; text: its answer;
    note: what is odd about it; missed: how many times this record stands for, when not one.
    """

    id: int
    job: str
    slot: float
    state: RunState
    started: float = 0.0
    ended: float = 0.0
    session: str = ""
    text: str = ""
    error: str = ""
    note: str = ""
    attempt: int = 1
    tokens: int = 0
    missed: int = 1
    deliveries: tuple[Delivery, ...] = ()


class JobInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A job as it stands. origin: the session it was made in; next: when it is due next.

    text: its schedule in plain form; remarks: what one may not expect of that.
    """

    id: str
    spec: JobSpec
    state: Literal["active", "paused", "done"] = "active"
    made: float = 0.0
    origin: str = ""
    by: Literal["person", "agent"] = "person"
    zone: str = ""
    text: str = ""
    next: tuple[float, ...] = ()
    remarks: tuple[str, ...] = ()
    last: JobRun | None = None
    running: int = 0
    runs: int = 0


class JobList(Struct, frozen=True, kw_only=True):
    """The jobs. awake: whether this core runs them, as a short-lived one does not."""

    jobs: tuple[JobInfo, ...] = ()
    awake: bool = False


class ListJobs(Intent[JobList], frozen=True, kw_only=True):
    """All jobs, the one due next first."""

    reply: ClassVar[Any] = JobList


class AddJob(Intent[JobInfo], frozen=True, kw_only=True):
    """Make a job. session: where it is made, if in one."""

    reply: ClassVar[Any] = JobInfo
    spec: JobSpec
    session: str = ""
    standing: Standing = Standing()


class ShowJob(Intent[JobInfo], frozen=True, kw_only=True):
    """One job, by its id or name."""

    reply: ClassVar[Any] = JobInfo
    which: str


class EditJob(Intent[JobInfo], frozen=True, kw_only=True):
    """Change what is set of a job. changes: fields of `JobSpec`."""

    reply: ClassVar[Any] = JobInfo
    which: str
    changes: dict[str, Any]


class ChangeJob(Intent[JobInfo], frozen=True, kw_only=True):
    """Pause a job, or let it go on; times that pass meanwhile are not made up for."""

    reply: ClassVar[Any] = JobInfo
    which: str
    to: Literal["pause", "resume"]


class RemoveJob(Intent[Done], frozen=True, kw_only=True):
    """Remove a job with its history; a run that is going on is stopped."""

    reply: ClassVar[Any] = Done
    which: str


class RunJob(Intent[JobRun], frozen=True, kw_only=True):
    """Run a job now, beside its schedule. wait: reply when it has ended."""

    reply: ClassVar[Any] = JobRun
    which: str
    wait: bool = False


class JobRuns(Struct, frozen=True, kw_only=True):
    """Runs, newest first."""

    runs: tuple[JobRun, ...] = ()


class JobHistory(Intent[JobRuns], frozen=True, kw_only=True):
    """What became of a job's times, or of all jobs' without `which`."""

    reply: ClassVar[Any] = JobRuns
    which: str = ""
    limit: int = 50
