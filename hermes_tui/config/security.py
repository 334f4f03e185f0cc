"""What may run, and what can be taken back."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from hermes_tui.config.base import doc

_Rule = Annotated[str, Meta(pattern=r"^[A-Za-z_][\w.-]* +\S")]


class PolicyConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Standing rules. A rule is the tool's name, a space, and the exact text it covers."""

    allow: Annotated[tuple[_Rule, ...], doc("rules that run without asking")] = ()
    deny: Annotated[tuple[_Rule, ...], doc("rules that never run; deny beats allow")] = ()
    ask_hours: Annotated[
        float,
        Meta(ge=0, le=24 * 365),
        doc(
            "hours an approval waits for an answer before the agent goes on without it; "
            "it can still be answered for a week after that; 0: it waits for ever"
        ),
    ] = 24.0


class SandboxConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What surrounds the agent's commands on this machine."""

    profile: Annotated[
        Literal["read-only", "workspace", "full"],
        doc(
            "what a command may write: nothing, or the working folder; "
            "full: no sandbox, and each command asks"
        ),
    ] = "workspace"
    level: Annotated[
        Literal[0, 1, 2, 3],
        doc(
            "refuse commands where the sandbox is weaker: 3 bubblewrap, 2 Landlock; 0: never refuse"
        ),
    ] = 0
    read: Annotated[tuple[str, ...], doc("more files and folders that commands may read")] = ()
    write: Annotated[tuple[str, ...], doc("more folders that commands may write")] = ()
    env: Annotated[
        tuple[str, ...], doc("names of environment variables that commands get as well")
    ] = ()
    ssh_agent: Annotated[bool, doc("commands may use your ssh agent")] = False


class CheckpointsConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the working folder is kept before each turn that may change it."""

    enabled: Annotated[
        bool, doc("keep the folder before a turn changes it, so that /rewind can bring it back")
    ] = True
    store_mb: Annotated[
        int, Meta(ge=10, le=1_000_000, description="size of all checkpoints; the oldest go first")
    ] = 200
    file_mb: Annotated[
        int, Meta(ge=1, le=2000, description="larger files are left out, and never touched")
    ] = 10
    max_files: Annotated[
        int, Meta(ge=100, le=1_000_000, description="a folder with more files is not kept")
    ] = 20_000
