"""What going back did and would do, in the same words on every face."""

from __future__ import annotations

from typing import Literal

from hermes_tui.errors import HermesError
from hermes_tui.events import FilesRestored
from hermes_tui.intents import BackView, FileChange, WentBack

What = Literal["chat", "files", "both"]
_WHATS: tuple[What, ...] = ("chat", "files", "both")
_WILL = {
    "added": ("-", "goes"),
    "removed": ("+", "comes back"),
    "changed": ("~", "changes back"),
    "mode": ("~", "its mode changes back"),
}


def files(number: int) -> str:
    """So many files."""
    return f"{number:,} file{'' if number == 1 else 's'}"


def will(change: FileChange) -> tuple[str, str, str]:
    """(sign, path, words) of what going back does to a file."""
    sign, words = _WILL[change.change]
    return sign, change.path, words + (", changed by you or others" if change.yours else "")


def view_lines(view: BackView, most: int = 40) -> list[str]:
    """What going back would do to files, a line each."""
    if view.problem:
        return [view.problem]
    if not view.count:
        return ["the files are as they were then"]
    lines = [" ".join(will(one)[:2]) + f"  ({will(one)[2]})" for one in view.changes[:most]]
    if view.count > most:
        lines.append(f"… and {view.count - most:,} more")
    if view.left:
        lines.append(f"left out, and never touched: {', '.join(view.left[:6])}")
    return lines


def restored(event: FilesRestored) -> str:
    """What happened to files, in a sentence without its full stop."""
    done = f"{files(event.count)} back to how {'it was' if event.count == 1 else 'they were'}"
    text = f"{done} before turn {event.turn}"
    if event.stayed:
        text += f"; {files(len(event.stayed))} stayed: {event.stayed[0]}"
    return text


def went_back(done: WentBack) -> str:
    """What was done, in a sentence without its full stop."""
    if done.problem:
        return f"the files stay as they are: {done.problem}"
    if not done.files and not done.stayed:
        return "no file had to change"
    text = f"{files(done.files)} changed back"
    if done.stayed:
        text += f", {len(done.stayed)} stayed: {'; '.join(done.stayed[:3])}"
    return text + "; /undo brings them back"


def wish(args: str) -> tuple[int, What]:
    """(turn, what) of `TURN [chat|files|both]`. Raises HermesError."""
    number, _, word = args.partition(" ")
    word = word.strip().lower() or "both"
    if not number.isdecimal():
        raise HermesError(f"{number!r} is no number of a turn", "/rewind alone shows them")
    for what in _WHATS:
        if what == word:
            return int(number), what
    raise HermesError(f"{word!r} can't be taken back", "chat, files, or both")
