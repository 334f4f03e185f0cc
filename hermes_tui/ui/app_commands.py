"""What each command of the table does on the full screen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from hermes_tui import commands
from hermes_tui.errors import HermesError
from hermes_tui.events import Verdict
from hermes_tui.intents import (
    ChangeSession,
    GetStatus,
    ListModels,
    ListSessions,
    ListSettings,
    ListSkills,
    OpenSession,
    RunCommand,
)
from hermes_tui.ui import help as help_pages
from hermes_tui.ui import rail_around
from hermes_tui.ui.agents_pane import AgentsPane
from hermes_tui.ui.app_setup import Setup
from hermes_tui.ui.dialogs import cut_off, quit_dialog
from hermes_tui.ui.fuzzy import Entry
from hermes_tui.ui.memory_pane import MemoryPane
from hermes_tui.ui.palette import (
    PickerScreen,
    command_entries,
    effort_entries,
    session_entries,
    setting_entries,
    skill_entries,
    theme_entries,
)
from hermes_tui.ui.rail import Rail
from hermes_tui.ui.skills_pane import SkillsPane
from hermes_tui.ui.text import one_line

if TYPE_CHECKING:
    from hermes_tui.ui.app import HermesApp

MODES = ("ask", "auto-edit", "plan", "yolo")
Action = Callable[[str], Awaitable[None] | None]


class Commands:
    """Runs commands by id; `handled` says which there are."""

    def __init__(self, app: HermesApp) -> None:
        self._app = app
        self.setup = Setup(app)
        self._actions: dict[str, Action] = {
            "stop": lambda _: app.talk.stop(),
            "queue": self._queue,
            "steer": self._steer,
            "approve": self._approve,
            "interrupt": lambda _: app.escape.interrupt(),
            "prompt.history": lambda _: app.talk.desk.search_history(),
            "prompt.stash": lambda _: app.talk.desk.stash(),
            "prompt.editor": lambda _: app.talk.desk.edit_outside(),
            "prompt.attach": lambda _: app.talk.desk.attach_clipboard(),
            "shell": lambda _: app.talk.desk.begin_shell(),
            "waiting": lambda _: app.talk.desk.focus_waiting(),
            "waiting.earlier": lambda _: app.talk.desk.move_waiting(-1),
            "waiting.later": lambda _: app.talk.desk.move_waiting(1),
            "session.new": self._new,
            "session.list": lambda args: self.pick_session(args),
            "session.resume": self._resume,
            "session.fork": lambda args: app.talk.desk.rewinding.fork(args),
            "rewind": lambda args: app.talk.desk.rewinding.pick(args),
            "undo": lambda args: app.talk.desk.rewinding.undo(args),
            "session.next": lambda _: self._neighbour(1),
            "session.previous": lambda _: self._neighbour(-1),
            "session.title": self._title,
            "session.export": self._export,
            "model": self._model,
            "mode": self._mode,
            "effort": self._effort,
            "mode.cycle": lambda _: self._cycle_mode(),
            "skills": self._skills,
            "memory": self._memory,
            "find": lambda args: app.finder.open(args),
            "trace": lambda _: app.frame.go("trace"),
            **self._of_the_screen(),
        }

    def _of_the_screen(self) -> dict[str, Action]:
        app = self._app
        return {
            "palette": lambda _: self._palette(),
            "theme": self._theme,
            "rail": lambda _: app.frame.toggle_rail(),
            "inspector": lambda _: app.frame.toggle_inspector(),
            "jobs": lambda _: self._jobs(),
            "zoom": lambda _: app.frame.zoom(),
            "pane.1": lambda _: app.frame.go("chat"),
            "pane.2": lambda _: app.frame.go("trace"),
            "pane.3": lambda _: app.frame.go("memory"),
            "pane.4": lambda _: app.frame.go("skills"),
            "block.previous": lambda _: app.frame.move_block(-1),
            "block.next": lambda _: app.frame.move_block(1),
            "settings": lambda args: self.setup.settings(args),
            "setup": lambda _: self.setup.first_run(),
            "keys": lambda _: self._keys(),
            "jump": lambda _: app.keyboard.jump(),
            "leader": lambda _: app.keyboard.leader(),
            "pane.5": lambda _: app.frame.go("agents"),
            "pane.narrower": lambda _: app.frame.divide(-1),
            "pane.wider": lambda _: app.frame.divide(1),
            "session.pin": lambda _: app.main.query_one(Rail).pin(app.session),
            "session.archive": lambda _: app.main.query_one(Rail).archive(app.session),
            "help": self._help,
            "detach": lambda _: app.leave("detach"),
            "quit": lambda _: self.quit(),
        }

    @property
    def handled(self) -> frozenset[str]:
        """Ids of the commands that are done here; the core answers the others."""
        return frozenset(self._actions)

    async def run(self, command: commands.Command, args: str = "") -> None:
        """Do a command. Raises HermesError with what is wrong."""
        if command.by == "core":
            await self._ask_core(command, args)
            return
        done = self._actions[command.id](args)
        if done is not None:
            await done

    async def typed(self, line: str) -> None:
        """Do what a line of the prompt says; the line stays there when it can't be done."""
        command, name, args = commands.parse(line)
        try:
            if command is not None and "ui" in command.surfaces:
                await self.run(command, args)
            elif command is None and await self._is_skill(name):
                await self._app.talk.send(line, "auto")
            else:
                raise HermesError(help_pages.unknown(name))
        except HermesError:
            self._app.talk.prompt.refuse()
            raise
        self._app.talk.prompt.confirm(line)

    async def _is_skill(self, name: str) -> bool:
        """Whether `/name` calls a skill."""
        found = (await self._app.ask(ListSkills(cwd=self._app.talk.standing.cwd))).skills
        return any(one.name == name and one.on and not one.held for one in found)

    # --- talking -----------------------------------------------------------------------------

    async def _queue(self, args: str) -> None:
        await self._app.talk.send(need(args, "queue"), "queue")

    async def _steer(self, args: str) -> None:
        await self._app.talk.send(need(args, "steer"), "steer")

    async def _approve(self, args: str) -> None:
        word, _, reason = args.partition(" ")
        if not word:
            self._app.talk.turn_to_card()
            return
        verdicts: dict[str, Verdict] = {v: v for v in get_args(Verdict) if v != "expired"}
        if word not in verdicts:
            raise HermesError(f"there is no answer {word!r}", f"answers: {', '.join(verdicts)}")
        await self._app.talk.answer_first(verdicts[word], reason.strip())

    # --- sessions ----------------------------------------------------------------------------

    async def _new(self, args: str) -> None:
        await self._app.open(self.request("new", title=args))

    async def _resume(self, args: str) -> None:
        if not args:
            await self.pick_session("")
        else:
            await self._app.open(self.request(args))

    async def _neighbour(self, step: int) -> None:
        rail = self._app.main.query_one(Rail)
        if not rail.sessions:
            rail.sessions = (await self._app.ask(ListSessions())).sessions
        if session := rail.neighbour(step):
            await self._app.open(self.request(session))
        else:
            self._app.say("no session further that way")

    async def pick_session(self, query: str) -> None:
        """Pick a session to open."""
        sessions = (await self._app.ask(ListSessions(limit=5000))).sessions
        entries = session_entries(sessions, self._app.now())
        picker = PickerScreen(entries, "open a session", query)
        await self._app.push_screen(picker, self._app.do_picked)

    async def _title(self, args: str) -> None:
        await self._change(title=need(args, "title"))

    async def _export(self, args: str) -> None:
        from hermes_tui.runtime.export import export_session, format_of
        from hermes_tui.ui.export_svg import export_svg

        info = self._app.shown.info
        export = export_svg if format_of(args) == "svg" else export_session
        path = await export(self._app.client, info, self._app.talk.standing.cwd, args)
        self._app.say(f"exported to {path}")

    # --- model and mode ----------------------------------------------------------------------

    async def _model(self, args: str) -> None:
        if args:
            await self._change(model=args)
            return
        models = await self._app.ask(ListModels())
        if models.problem:
            self._app.say(models.problem, "warning")
        current = self._app.shown.info.model or models.current
        entries = [
            Entry(kind="model", key=name, title=name, right="now" if name == current else "")
            for name in models.models
        ]
        await self._app.push_screen(PickerScreen(entries, "answer with"), self._app.do_picked)

    async def _mode(self, args: str) -> None:
        if args:
            await self._change(mode=args)
            return
        notes = {
            "ask": "reads run, everything else asks",
            "auto-edit": "files in the workspace are changed without asking",
            "plan": "nothing is changed",
            "yolo": "nothing asks",
        }
        now = self._app.shown.info.mode
        entries = [
            Entry(kind="mode", key=m, title=m, note=notes[m], right="now" if m == now else "")
            for m in MODES
        ]
        await self._app.push_screen(
            PickerScreen(entries, "what the agent may do"), self._app.do_picked
        )

    async def _effort(self, args: str) -> None:
        if args:
            await self._change(effort=args)
            return
        status = await self._app.ask(GetStatus())
        own = self._app.shown.info.effort
        entries = effort_entries(own, status.effort)
        await self._app.push_screen(
            PickerScreen(entries, "how hard the model thinks"), self._app.do_picked
        )

    async def _cycle_mode(self) -> None:
        now = self._app.shown.info.mode
        at = MODES.index(now) if now in MODES else -1
        await self._change(mode=MODES[(at + 1) % len(MODES)])

    async def _change(self, **what: str) -> None:
        intent = ChangeSession(session=self._app.shown.id)
        await self._app.ask(msgspec.structs.replace(intent, **what))

    # --- looking -----------------------------------------------------------------------------

    def _skills(self, args: str) -> None:
        self._app.frame.go("skills")
        if args:
            self._app.main.query_one(SkillsPane).select(args)

    def _memory(self, args: str) -> None:
        self._app.frame.go("memory")
        if args:
            self._app.main.query_one(MemoryPane).search(args)

    async def _ask_core(self, command: commands.Command, args: str) -> None:
        intent = RunCommand(session=self._app.shown.id, command=command.id, args=args)
        answer = await self._app.ask(intent)
        self._app.tell(answer.text or "nothing to show")

    async def _help(self, args: str) -> None:
        if not args:
            await self._app.keyboard.help()
            return
        command, name, _ = commands.parse("/" + args.removeprefix("/"))
        if command is None:
            raise HermesError(help_pages.unknown(name))
        self._app.tell(help_pages.about(self._app.keyboard.table.by_id[command.id]))

    async def _jobs(self, job: str = "") -> None:
        from hermes_tui.ui.cron_pane import JobsScreen

        await self._app.push_screen(JobsScreen(job))

    async def show(self, key: str) -> None:
        """Show what a row of the rail below the sessions stands for."""
        kind, _, name = key.partition(":")
        match kind + ":":
            case rail_around.JOB:
                await self._jobs(name)
            case rail_around.GATEWAY:
                await self._ask_core(commands.BY_ID["gateways"], "")
            case rail_around.SKILL:
                self._skills(name)
            case rail_around.FACT:
                self._app.frame.go("memory")
                known = self._app.main.query_one(Rail).around.facts
                text = next((one.text for one in known if one.id == name), name)
                self._app.main.query_one(MemoryPane).search(one_line(text))
            case _:
                self._app.frame.go("agents")
                self._app.main.query_one(AgentsPane).select(key)

    async def _keys(self) -> None:
        if self._app.home.keys.exists():
            await self._app.keyboard.read()
        await self._app.keyboard.help(keys_only=True)

    # --- the screen --------------------------------------------------------------------------

    async def _palette(self) -> None:
        themes = theme_entries(self._app.themes.names(), self._app.themes.current)
        picker = PickerScreen(
            [*command_entries(self._app.keyboard.table), *themes],
            "a command, session, setting, theme or skill",
            preview=self._app.preview,
        )
        await self._app.push_screen(picker, self._app.do_picked)
        try:
            sessions = (await self._app.ask(ListSessions(limit=5000))).sessions
            skills = (await self._app.ask(ListSkills())).skills
            settings = (await self._app.ask(ListSettings())).settings
        except HermesError as error:
            self._app.say(error.message, "warning")
            return
        more = [*session_entries(sessions, self._app.now()), *skill_entries(skills)]
        picker.add([*more, *setting_entries(settings)])

    async def _theme(self, args: str) -> None:
        themes = self._app.themes
        if args:
            await themes.choose(args)
            return
        entries = theme_entries(themes.names(), themes.current)
        picker = PickerScreen(entries, "a theme", preview=self._app.preview)
        await self._app.push_screen(picker, self._app.do_picked)

    async def picked(self, entry: Entry) -> None:
        """Do what was picked from a list."""
        match entry.kind:
            case "command":
                await self.run(commands.BY_ID[entry.key])
            case "session":
                await self._app.open(self.request(entry.key))
            case "theme":
                await self._app.themes.choose(entry.key)
            case "skill":
                self._skills(entry.key)
            case "setting":
                await self.setup.settings(entry.key)
            case "model":
                await self._change(model=entry.key)
            case "mode":
                await self._change(mode=entry.key)
            case "effort":
                await self._change(effort=entry.key)
            case _:
                raise AssertionError(entry.kind)

    # --- leaving -----------------------------------------------------------------------------

    async def quit(self) -> None:
        """End the core, unless that would cut something off and the person thinks better of it."""
        lines = cut_off(await self._app.ask(GetStatus()))
        if not lines:
            self._app.leave("quit")
            return
        await self._app.push_screen(quit_dialog(lines), self._app.do_quit)

    def request(self, which: str, **more: Any) -> OpenSession:
        """A request to open a session, from where this screen stands."""
        return OpenSession(which=which, standing=self._app.talk.standing, **more)


def need(args: str, slash: str) -> str:
    """The arguments; raises HermesError when a command came without the ones it needs."""
    if not args:
        command = commands.BY_SLASH[slash]
        raise HermesError(f"/{slash} needs {command.args}", command.help)
    return args
