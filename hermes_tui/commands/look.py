"""What a person may choose and look at: model, mode, tools, skills, memory, trace, figures."""

from __future__ import annotations

from hermes_tui.commands.base import CORE, UI, Command

COMMANDS: tuple[Command, ...] = (
    # model and mode
    Command(
        id="model",
        slash="model",
        args="[NAME]",
        keys=("ctrl+l", "ctrl+x m"),
        title="Model",
        help="Show the models, or switch this session to one.",
    ),
    Command(
        id="mode",
        slash="mode",
        args="[ask|auto-edit|plan|yolo]",
        title="Mode",
        help="Show or set what the agent may do without asking.",
    ),
    Command(
        id="mode.cycle",
        keys=("shift+tab",),
        title="Next mode",
        surfaces=UI,
        help="Step through ask, auto-edit, plan and yolo.",
    ),
    # looking
    Command(
        id="tools",
        slash="tools",
        by="core",
        surfaces=CORE,
        title="Tools",
        help="List the tools the model can call.",
    ),
    Command(id="skills", slash="skills", title="Skills", help="Show the skills."),
    Command(
        id="memory",
        slash="memory",
        args="[TEXT]",
        title="Memory",
        help="Search what is remembered, all sessions and skills.",
    ),
    Command(
        id="me",
        slash="me",
        args="[QUESTION|edit ID TEXT|forget ID|undo|export]",
        by="core",
        title="About you",
        help="Show what is noted about you, with sources; ask about it, correct it.",
    ),
    Command(
        id="learned",
        slash="learned",
        by="core",
        title="What was learned",
        help="Show what was learned from the work, from where, and whether it helped.",
    ),
    Command(
        id="find",
        slash="find",
        args="TEXT",
        keys=("ctrl+f", "ctrl+x f"),
        title="Find in this chat",
        help="Find a text in this session.",
    ),
    Command(
        id="trace",
        slash="trace",
        title="Trace",
        surfaces=UI,
        help="Show model calls and tools of this session with times and tokens.",
    ),
    Command(
        id="context",
        slash="context",
        by="core",
        title="Context",
        help="Show what the prompt is made of and how full the window is.",
    ),
    Command(
        id="compress",
        slash="compress",
        args="[FOCUS]",
        by="core",
        title="Shorten the conversation",
        help="Have the model see a digest of what is old; name what it must keep in mind.",
    ),
    Command(
        id="usage",
        slash="usage",
        by="core",
        title="Usage",
        help="Show tokens and cost of this session and of today, caps, and how the keys are.",
    ),
    Command(
        id="processes",
        slash="processes",
        by="core",
        title="Background processes",
        help="List the processes the agent left running.",
    ),
    Command(
        id="cron",
        slash="cron",
        args="[add SCHEDULE: PROMPT|show|pause|resume|run|remove|history JOB|next SCHEDULE]",
        by="core",
        title="Jobs at set times",
        help="List the jobs; make, pause, run or remove one; show when a schedule comes.",
    ),
    Command(
        id="jobs",
        slash="jobs",
        title="Jobs and what became of them",
        surfaces=UI,
        help="Show the jobs, when each comes next, its runs and whether their answers arrived.",
    ),
    Command(
        id="mcp",
        slash="mcp",
        by="core",
        title="Servers of tools",
        help="List the MCP servers and how they are.",
    ),
)
