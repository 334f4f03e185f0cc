"""The keys that a part of the screen has while it has the focus: lists, panes, dialogs.

One table feeds the bindings, the hints below a pane, the help, and a person's own `keys.yaml`
(`trace.again: ctrl+r`). The keys of the whole screen are in the table of commands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from textual.binding import Binding, BindingType

if TYPE_CHECKING:
    from textual.dom import DOMNode

Own = Mapping[str, Sequence[str]]


class PartKey(NamedTuple):
    """keys: the defaults; action: Textual's; words: for help; hint: a word for below the pane."""

    id: str
    keys: tuple[str, ...]
    action: str
    words: str
    hint: str = ""
    first: bool = False
    """Whether it comes before what the focused widget would do with the key."""


def _key(name: str, keys: str, action: str, words: str, hint: str = "") -> PartKey:
    first = name.endswith("!")
    return PartKey(name.removesuffix("!"), tuple(keys.split()), action, words, hint, first)


PARTS: dict[str, tuple[PartKey, ...]] = {
    "list": (
        _key("list.up", "up k", "move(-1)", "Up."),
        _key("list.down", "down j", "move(1)", "Down."),
        _key("list.page-up", "pageup", "page(-1)", "A screenful up."),
        _key("list.page-down", "pagedown", "page(1)", "A screenful down."),
        _key("list.first", "home g", "edge(-1)", "To the first."),
        _key("list.last", "end G", "edge(1)", "To the last."),
        _key("list.open", "enter", "choose", "Open.", "open"),
        _key("list.help", "question_mark", "app.command('help')", "Help on the list."),
    ),
    "chat": (
        _key("chat.open", "enter", "open", "Open or close the block."),
        _key("chat.copy", "c", "copy_block", "Copy the block's source."),
        _key("chat.code", "y", "act('code')", "Copy its code, piece by piece; a tool's output."),
        _key("chat.whole", "o", "act('whole')", "All of it over the full screen."),
        _key("chat.fork", "f", "act('fork')", "Go on from there in a new session."),
        _key("chat.links", "l", "act('links')", "Follow one of its links."),
        _key("chat.times", "t", "stamps", "Show when each block began, or no more."),
        _key("chat.match-above", "n", "match(-1)", "The match above, while something is found."),
        _key("chat.match-below", "N", "match(1)", "The match below."),
    ),
    "trace": (
        _key("trace.filter", "slash", "filter", "Filter.", "filter"),
        _key("trace.whole", "o", "whole", "The whole output over the full screen.", "output"),
        _key("trace.again", "r", "again", "Run the call again; stop one that runs.", "run again"),
        _key("trace.mark", "space", "mark", "Mark a call to compare.", "mark"),
        _key("trace.compare", "equals_sign", "compare", "Compare with what is marked.", "compare"),
        _key("trace.export", "x", "export", "Write the turn to a file.", "export"),
        _key("trace.copy", "c", "copy", "Copy.", "copy"),
        _key("trace.close", "escape", "close", "Close the details or the filter."),
    ),
    "memory": (
        _key("memory.edit", "e", "edit", "Edit the statement, in place."),
        _key("memory.forget", "f", "forget", "Forget it."),
        _key("memory.undo", "u", "undo", "Take the last change of the memory back."),
        _key("memory.confirm", "y", "confirm", "Confirm it, or settle a dispute in its favour."),
        _key("memory.pin", "i", "pin", "Pin it to every prompt, or let it go."),
        _key("memory.merge", "m", "merge", "Merge it with another one: m here, then m there."),
        _key("memory.why", "w", "why", "Why it is known and was recalled, over the full screen."),
        _key("memory.put", "p", "put", "Put it into the prompt."),
        _key("memory.search", "slash", "search", "Back to the box."),
        _key("memory.leave", "escape", "leave", "Leave an edit or a merge as it was."),
    ),
    "skills": (
        _key("skills.edit", "e", "edit", "Edit it, or the text that is proposed.", "edit"),
        _key("skills.new", "n", "new", "Write a new one.", "new"),
        _key("skills.copy", "d", "copy", "Write a new one that begins as a copy of it."),
        _key("skills.switch", "x", "switch", "Switch it off or on.", "on/off"),
        _key("skills.older", "left_square_bracket", "version(1)", "The version before.", "older"),
        _key("skills.newer", "right_square_bracket", "version(-1)", "The version after."),
        _key("skills.restore", "b", "restore", "Bring the version back that is shown."),
        _key("skills.undo", "u", "undo", "Take the last change back.", "undo"),
        _key("skills.try", "t", "try", "Begin a message that calls it.", "try"),
        _key("skills.accept", "y", "accept", "Accept a proposed edit, whole."),
        _key("skills.whole", "o", "whole", "All of it over the full screen.", "full screen"),
        _key("skills.again", "r", "again", "Look again.", "look again"),
    ),
    "review": (
        _key("review.accept", "y", "answer(True)", "Accept the changes marked, or all."),
        _key("review.mark", "space", "take", "Mark the change, to accept only what is marked."),
        _key("review.reject", "n", "answer(False)", "Reject the proposed edit."),
        _key("review.next", "right_square_bracket", "hunk(1)", "The next change."),
        _key("review.previous", "left_square_bracket", "hunk(-1)", "The change before."),
    ),
    "editor": (
        _key("editor.save!", "ctrl+s", "save", "Keep the skill."),
        _key("editor.outside!", "ctrl+e", "outside", "Edit it in your own editor."),
        _key("editor.repair!", "ctrl+r", "repair", "Put the quotes right that the format wants."),
        _key("editor.leave!", "escape", "leave", "Leave; once more where that loses something."),
    ),
    "approval": (
        _key("approval.once", "y", "choose('y')", "Once.", "once"),
        _key("approval.session", "s", "choose('s')", "For this session.", "session"),
        _key("approval.always", "a", "choose('a')", "Always: shows the exact rule first."),
        _key("approval.edit", "e", "choose('e')", "Edit before it runs.", "edit"),
        _key("approval.details", "d", "choose('d')", "Details.", "details"),
        _key("approval.deny", "n", "choose('n')", "No, with a reason the agent reads.", "deny…"),
        _key("approval.next", "tab", "choose('tab')", "The next one that waits.", "next"),
    ),
    "rewind": (
        _key("rewind.chat", "c", "take('chat')", "The chat alone; files stay.", "chat"),
        _key("rewind.files", "o", "take('files')", "Files alone; the chat stays.", "files"),
        _key("rewind.fork", "f", "take('fork')", "Go on from there in a new session.", "fork"),
        _key("rewind.leave", "escape", "leave", "Stay where you are.", "stay"),
    ),
    "picker": (
        _key("picker.up!", "up", "move(-1)", "Up."),
        _key("picker.down!", "down", "move(1)", "Down."),
        _key("picker.page-up!", "pageup", "page(-1)", "A screenful up."),
        _key("picker.page-down!", "pagedown", "page(1)", "A screenful down."),
        _key("picker.leave", "escape", "leave", "Leave."),
    ),
    "setup": (
        _key("setup.again", "f5", "look", "Look again for what could answer."),
        _key("setup.back", "escape", "back", "A step back; on the first one, leave."),
    ),
    "dialog": (_key("dialog.leave", "escape", "leave", "Decide nothing."),),
    "agents": (
        _key("agents.whole", "o", "whole", "Its output over the full screen.", "full screen"),
        _key("agents.end", "x", "end", "End it.", "end it"),
        _key("agents.steer", "e", "steer", "Tell a subagent something more.", "tell it more"),
        _key("agents.leave", "escape", "leave", "Leave the field, with nothing told."),
        _key("agents.session!", "g", "session", "Go to its session.", "its session"),
    ),
    "jobs": (
        _key("jobs.now", "r", "now", "Run it now, beside its schedule.", "run now"),
        _key("jobs.pause", "p", "pause", "Pause it, or let it go on.", "pause"),
        _key("jobs.close", "escape q", "dismiss", "Back.", "back"),
    ),
    "rail": (
        _key("rail.search", "slash", "search", "Narrow the list by typing; esc shows all again."),
        _key("rail.rename", "r", "rename", "Rename it, in place."),
        _key("rail.pin", "p", "pin", "Pin it, or let it go."),
        _key("rail.archive", "a", "archive", "Archive it, or take it back."),
        _key("rail.archived", "A", "archived", "Show the archived ones too."),
        _key("rail.fold", "space z", "fold", "Fold or unfold what is below a heading."),
        _key("rail.close", "escape", "close", "Close the box."),
    ),
    "settings": (
        _key("settings.less", "left", "step(-1)", "The value before.", "before"),
        _key("settings.more", "right", "step(1)", "The value after.", "after"),
        _key("settings.reset", "d delete", "reset", "The default again.", "default"),
        _key("settings.search", "slash", "search", "Search.", "search"),
        _key("settings.close", "escape", "back", "Back.", "back"),
    ),
    "find": (
        _key("find.above!", "up", "step(-1)", "The match above."),
        _key("find.below!", "down", "step(1)", "The match below."),
        _key("find.pattern!", "alt+r", "toggle_regex", "As a pattern, or as it stands."),
        _key("find.leave!", "tab", "leave", "To the chat; n and N go on there."),
        _key("find.close", "escape", "close", "Close."),
    ),
    "text": (
        _key("text.up", "up k", "scroll_up", "A line up."),
        _key("text.down", "down j", "scroll_down", "A line down."),
        _key("text.page-up", "pageup b", "page_up", "A screenful up."),
        _key("text.page-down", "pagedown space", "page_down", "A screenful down."),
        _key("text.first", "home g", "scroll_home", "To the beginning."),
        _key("text.last", "end G", "scroll_end", "To the end."),
    ),
    "page": (
        _key("page.close", "escape q", "dismiss", "Back.", "back"),
        _key("page.copy", "c", "copy_all", "Copy all of it.", "copy"),
    ),
    "diff": (
        _key("diff.next", "n right_square_bracket", "hunk(1)", "The next hunk.", "next"),
        _key("diff.previous", "N p left_square_bracket", "hunk(-1)", "The one before.", "before"),
        _key("diff.fold", "enter", "fold", "Fold or unfold the hunk.", "fold"),
        _key("diff.fold-all", "z", "fold_all", "Fold all, or unfold them.", "fold all"),
        _key("diff.columns", "s", "split", "One column or two.", "side by side"),
    ),
}
BESIDE: Mapping[str, Sequence[str]] = {
    "trace": ("list",),
    "agents": ("list",),
    "jobs": ("list", "text"),
    "memory": ("list",),
    "rail": ("list",),
    "settings": ("list",),
    "skills": ("list",),
    "rewind": ("list",),
    "setup": ("list",),
    "dialog": ("list",),
    "diff": ("text", "page"),
    "page": ("text",),
}
"""What has the keys together with a part, so that no key may mean two things in both."""
BY_ID: dict[str, PartKey] = {one.id: one for part in PARTS.values() for one in part}
_UNBOUND = "unbound"


def bindings(part: str) -> list[BindingType]:
    """The default bindings of a part; `keymap` changes them while it runs."""
    return [
        Binding(",".join(one.keys), one.action, show=False, id=one.id, priority=one.first)
        for one in PARTS[part]
    ]


def keymap(own: Own) -> dict[str, str]:
    """A person's own keys of parts, as Textual wants them."""
    return {name: ",".join(keys) or _UNBOUND for name, keys in own.items() if name in BY_ID}


def keys_of(one: PartKey, own: Own) -> Sequence[str]:
    """The keys it has now."""
    return own.get(one.id, one.keys)


def own_of(node: DOMNode) -> Own:
    """A person's own keys, as the app around a part has them."""
    keyboard: Any = getattr(cast("object", node.app), "keyboard", None)
    return keyboard.table.own if keyboard is not None else {}


def key_of(node: DOMNode, name: str) -> str:
    """The first key of one of a part's actions, as people read it; empty for none."""
    from hermes_tui.ui.keys import key_words

    return key_words(keys_of(BY_ID[name], own_of(node))[:1])


def meant(node: DOMNode, part: str, key: str) -> str:
    """What a key pressed in a part stands for, as the part's own default key; empty for nothing."""
    own = own_of(node)
    return next((one.keys[0] for one in PARTS[part] if key in keys_of(one, own)), "")


def hint_pairs(node: DOMNode, part: str) -> list[tuple[str, str]]:
    """Keys and words for below a pane, as the keys are now."""
    from hermes_tui.ui.keys import key_words

    own = own_of(node)
    told = ((key_words(keys_of(one, own)[:1]), one.hint) for one in PARTS[part] if one.hint)
    return [(key, word) for key, word in told if key]


def clashes(own: Own) -> list[tuple[str, str]]:
    """(id, what is wrong) for keys of one's own that another one of the same part has, too."""
    found: list[tuple[str, str]] = []
    for name in own:
        part = name.partition(".")[0]
        if name not in BY_ID:
            continue
        beside = [part, *BESIDE.get(part, ()), *(p for p, q in BESIDE.items() if part in q)]
        others = [one for near in beside for one in PARTS[near] if one.id != name]
        for one in others:
            same = sorted(set(own[name]) & set(keys_of(one, own)))
            found += [(name, f"{key} is also the key of {one.id}") for key in same]
    return found
