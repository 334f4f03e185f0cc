"""What the core does for each intent: one function each, found by the intent's class."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hermes_tui import __version__, intents
from hermes_tui.errors import CoreError
from hermes_tui.intents import Done
from hermes_tui.runtime import handlers_look as look
from hermes_tui.runtime import handlers_processes as processes
from hermes_tui.runtime import handlers_rewind as rewind
from hermes_tui.runtime import handlers_sessions as sessions
from hermes_tui.runtime import handlers_setup as setup
from hermes_tui.runtime import handlers_talk as talk
from hermes_tui.runtime import prompt_view
from hermes_tui.runtime.face import Face

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

Handler = Callable[["Core", Any, Face], Awaitable[Any]]


async def handle(core: Core, intent: intents.Intent[Any], face: Face) -> Any:
    """Do what a face asks and return the reply; raises HermesError for the face to show."""
    handler = HANDLERS.get(type(intent))
    if handler is None:
        raise CoreError(f"this core does not know {intent.op!r}")
    return await handler(core, intent, face)


async def get_status(core: Core, intent: intents.GetStatus, face: Face) -> intents.CoreInfo:
    """How the core is, and what would be cut off if it ended."""
    live = [s.info for s in core.sessions.values()]
    return intents.CoreInfo(
        pid=os.getpid(),
        version=__version__,
        started=core.started,
        home=str(core.home.path),
        faces=sum(one is not face for one in core.faces),
        sessions=len(live),
        working=tuple(s.title for s in live if s.state == "working"),
        waiting=tuple(s.title for s in live if s.state == "waiting"),
        processes=core.running(),
        headless=core.headless,
        outdated=core.outdated(),
        model=core.config.model.name,
        effort=core.config.model.effort,
        damage=core.db.damage,
    )


async def call_tool(core: Core, intent: intents.CallTool, face: Face) -> intents.ToolCalled:
    """Run one tool for the command line."""
    from hermes_tui.runtime import tool_call

    return await tool_call.call_tool(core, intent, face)


async def end_core(core: Core, intent: intents.EndCore, face: Face) -> Done:
    """End the core, once this reply is out."""
    asyncio.get_running_loop().call_soon(core.end_soon, intent.reason, intent.drain)
    return Done()


async def show_spend(core: Core, intent: intents.ShowSpend, face: Face) -> intents.SpendReport:
    """What was spent."""
    from hermes_tui.runtime import handlers_spend

    return await handlers_spend.show_spend(core, intent, face)


async def copy_store(core: Core, intent: intents.CopyStore, face: Face) -> intents.Copied:
    """Copy the database."""
    return await core.caring.copy(time.time())


def _later(module: str) -> Callable[[str], Handler]:
    """Handlers of a module of this package that is imported when the first of them is called."""

    def named(name: str) -> Handler:
        async def handler(core: Core, intent: Any, face: Face) -> Any:
            found = import_module(f"hermes_tui.runtime.{module}")
            return await getattr(found, name)(core, intent, face)

        return handler

    return named


_memory = _later("handlers_memory")
_skills = _later("handlers_skills")
_learning = _later("handlers_learning")
_chats = _later("handlers_chats")
_cron = _later("handlers_cron")
_agents = _later("handlers_agents")


HANDLERS: dict[type[Any], Handler] = {
    intents.OpenSession: sessions.open_session,
    intents.CloseSession: sessions.close_session,
    intents.History: sessions.history,
    intents.ListSessions: sessions.list_sessions,
    intents.ChangeSession: sessions.change_session,
    intents.DeleteSession: sessions.delete_session,
    intents.ImportSession: sessions.import_session,
    intents.Send: talk.send,
    intents.Withdraw: talk.withdraw,
    intents.Stop: talk.stop,
    intents.AnswerApproval: talk.answer_approval,
    intents.AnswerQuestion: talk.answer_question,
    intents.Search: look.find,
    intents.FindInSession: look.find_in_session,
    intents.ReadOutput: look.read_output,
    intents.PromptHistory: look.prompt_history,
    intents.ListModels: look.list_models,
    intents.RunCommand: look.run_command,
    intents.ForkSession: sessions.fork_session,
    intents.EditInput: talk.edit_input,
    intents.MoveInput: talk.move_input,
    intents.Rewind: rewind.rewind,
    intents.LookBack: rewind.look_back,
    intents.RestoreFiles: rewind.restore_files,
    intents.ListCheckpoints: rewind.list_checkpoints,
    intents.RunShell: talk.run_shell,
    intents.StopShell: talk.stop_shell,
    intents.RunAgain: talk.run_again,
    intents.CompletePath: look.complete_path,
    intents.ListProcesses: processes.list_processes,
    intents.ReadProcess: processes.read_process,
    intents.StopProcess: processes.stop_process,
    intents.GetStatus: get_status,
    intents.EndCore: end_core,
    intents.ShowPrompt: prompt_view.show_prompt,
    intents.CallTool: call_tool,
    intents.ListFacts: _memory("list_facts"),
    intents.ShowFact: _memory("show_fact"),
    intents.AddFact: _memory("add_fact"),
    intents.EditFact: _memory("edit_fact"),
    intents.MergeFacts: _memory("merge_facts"),
    intents.ForgetFact: _memory("forget_fact"),
    intents.UndoMemory: _memory("undo_memory"),
    intents.AskMemory: _memory("ask_memory"),
    intents.ExportMemory: _memory("export_memory"),
    intents.ImportMemory: _memory("import_memory"),
    intents.ListSkills: _skills("list_skills"),
    intents.ReadSkill: _skills("read_skill"),
    intents.RouteSkills: _skills("route_skills"),
    intents.CheckSkill: _skills("check_skill"),
    intents.SaveSkill: _skills("save_skill"),
    intents.ChangeSkill: _skills("change_skill"),
    intents.ShowSkill: _skills("show_skill"),
    intents.ListSkillProposals: _skills("list_proposals"),
    intents.AnswerSkillProposal: _skills("answer_proposal"),
    intents.FetchSkills: _skills("fetch_skills"),
    intents.ListArrivals: _skills("list_arrivals"),
    intents.AnswerArrival: _skills("answer_arrival"),
    intents.RemoveSkill: _skills("remove_skill"),
    intents.SendOut: _chats("send_out"),
    intents.ListGateways: _chats("list_gateways"),
    intents.CallHome: _chats("call_home"),
    intents.ChangeGateway: _chats("change_gateway"),
    intents.ListPairing: _chats("list_pairing"),
    intents.MakeCode: _chats("make_code"),
    intents.Approve: _chats("approve"),
    intents.Revoke: _chats("revoke"),
    intents.LinkChat: _chats("link_chat"),
    intents.SayAs: _chats("say_as"),
    intents.ListJobs: _cron("list_jobs"),
    intents.AddJob: _cron("add_job"),
    intents.ShowJob: _cron("show_job"),
    intents.EditJob: _cron("edit_job"),
    intents.ChangeJob: _cron("change_job"),
    intents.RemoveJob: _cron("remove_job"),
    intents.RunJob: _cron("run_job"),
    intents.JobHistory: _cron("job_history"),
    intents.ShowSpend: show_spend,
    intents.CopyStore: copy_store,
    intents.ShowLearning: _learning("show"),
    intents.ReviewLearning: _learning("review"),
    intents.ListAgents: _agents("list_agents"),
    intents.ReadAgent: _agents("read_agent"),
    intents.StopAgent: _agents("stop_agent"),
    intents.SteerAgent: _agents("steer_agent"),
    intents.BeginAgent: _agents("begin_agent"),
    intents.AskAside: _agents("ask_aside"),
    intents.SetConfig: setup.set_config,
    intents.ListSettings: setup.list_settings,
    intents.FindModels: setup.find_models,
    intents.TryModel: setup.try_model,
    intents.KeepModel: setup.keep_model,
    intents.FetchModel: setup.fetch_model,
    intents.StopFetch: setup.stop_fetch,
}
