"""Help on what has the keys: a few sentences, and the keys that it alone has."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

Row = tuple[str, str]


class Topic(Struct, frozen=True):
    """prose: Markdown; keys: those of this part alone; parts: what of `part_keys` they are."""

    title: str
    prose: str
    keys: tuple[Row, ...] = ()
    parts: tuple[str, ...] = ()


TOPICS: dict[str, Topic] = {
    "prompt": Topic(
        "the prompt",
        "What you type goes to the agent with Enter. While it works, Enter *steers*: your text "
        "reaches it after the tool that runs now, and waits below the prompt until then, where "
        "you can still change it, move it or take it back. Nothing you typed is ever lost: a "
        "text leaves the prompt only when it is stored.\n\n"
        "A long paste becomes one atom such as `⟦paste 1 · 47 lines⟧`: the cursor jumps over "
        "it, backspace removes it, Enter on it unfolds it. `@` mentions files, sessions, "
        "skills and what is remembered, `/` runs a command, `!` runs a command in your own shell.",
        (
            ("↵", "Send; while the agent works, steer it."),
            ("alt+↵", "Queue for the next turn."),
            ("shift+↵, ctrl+j, \\ ↵", "A new line."),
            ("↑ ↓", "History; in an empty prompt ↑ takes a waiting text back."),
            ("tab", "Complete a command or a mention."),
            ("ctrl+z, ctrl+y", "Undo, redo."),
            ("esc esc", "In an empty prompt: go back to before a turn."),
        ),
    ),
    "transcript": Topic(
        "the chat",
        "The block cursor is on one message or tool call. Enter opens what is folded, and "
        "copying gives the *source*: the Markdown as it was written, the exact command. The "
        "chat follows the newest line only while you are at its end.",
        parts=("chat",),
    ),
    "trace": Topic(
        "the trace",
        "Everything the agent did, turn by turn, with how long each model call and tool took, "
        "how many tokens went in and how many of them came from the provider's cache, and what "
        "it cost. Live and from history alike, because both read the same log.",
        parts=("trace", "list"),
    ),
    "memory": Topic(
        "the memory pane",
        "One box over what is remembered, what is known of you, every message of every session, "
        "and the skills. Type a few words; `in:facts`, `in:me`, `in:sessions` and `in:skills` "
        "narrow it, `from:` and `after:` narrow messages. An empty box shows all that is "
        "remembered. Enter goes to where it was said. `?` waits to be confirmed, `≠` contradicts "
        "something, `▲` is in every prompt. Nothing is lost: u takes back the last change.",
        parts=("memory", "list"),
    ),
    "skills": Topic(
        "the skills pane",
        "Skills are instructions the agent reads when a task fits them. The one under the cursor "
        "is shown as the agent reads it, with how often it was used and how that went. `✎` an "
        "edit is proposed, `!` something is wrong with it, `·` on trial, `○` off. Every text a "
        "skill had is kept: look at versions with [ and ], and u takes the last change back.",
        parts=("skills", "review", "list"),
    ),
    "agents": Topic(
        "the agents pane",
        "What runs on its own: processes the agent left running in the background, in whatever "
        "session. They go on until they end or you end them, also while the screen is closed.",
        parts=("agents", "list"),
    ),
    "jobs": Topic(
        "the jobs",
        "What is done at set times, the one due next first. That a job ran and that its answer "
        "arrived are two facts. `○` a time at which it did not run, with the reason beside it.",
        parts=("jobs", "list"),
    ),
    "rail": Topic(
        "the sessions rail",
        "Sessions that work or wait for you come first, then the pinned ones, then the rest by "
        "age. A pinned session stays on top; an archived one is out of the way until you ask "
        "for it, and keeps everything that was said in it.",
        parts=("rail", "list"),
    ),
    "find": Topic(
        "finding in the chat",
        "The text is looked for in the whole session, as a pattern if it is one. Lower case "
        "finds both cases.",
        parts=("find",),
    ),
    "approval": Topic(
        "an approval",
        "The agent wants to do something that you did not allow before. The card says what, "
        "where it runs, why it asks, and whether it can be undone. *always* saves a rule, which "
        "you see and can change before it counts.",
        parts=("approval",),
    ),
    "question": Topic(
        "a question",
        "The agent asks you something and waits. Pick an answer or type your own.",
        (("↵", "Answer."),),
    ),
    "picker": Topic(
        "a list to pick from",
        "Type parts of words in any order; what fits best comes first.",
        (("↵", "Take it."),),
        ("picker",),
    ),
    "rewind": Topic(
        "going back",
        "The turns of this chat, newest first. Going back to before one gives its words back to "
        "the prompt and puts files as they were then. What you or others changed since is told "
        "apart and stays unless you say so.",
        (("↵", "Chat and files."),),
        ("rewind", "list"),
    ),
    "setup": Topic(
        "the first run",
        "Choose what answers, see it answer, begin. Everything can be skipped and done later "
        "with `/setup`.",
        parts=("setup", "list"),
    ),
    "editor": Topic(
        "a skill's text",
        "The text that the agent reads. What the format has to say against it is told below "
        "while you type.",
        parts=("editor",),
    ),
    "settings": Topic(
        "the settings",
        "Every setting with its value, its default and where it comes from. A change counts at "
        "once and is written to `config.yaml`, whose comments stay as they are.",
        parts=("settings", "list"),
    ),
}

_ALIASES = {
    "chips": "prompt",
    "desk": "prompt",
    "ApprovalCard": "approval",
    "QuestionCard": "question",
    "FindBar": "find",
    "PickerScreen": "picker",
    "SettingsScreen": "settings",
    "RewindScreen": "rewind",
    "FirstRunScreen": "setup",
    "SkillEditor": "editor",
}


def topic_for(names: Iterable[str]) -> Topic | None:
    """The topic of the first of these names that has one; ids and classes, innermost first."""
    for name in names:
        found = TOPICS.get(_ALIASES.get(name, name))
        if found is not None:
            return found
    return None
