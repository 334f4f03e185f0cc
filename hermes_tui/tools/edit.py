"""Find the text that an edit means, and put the new text in: exactly, else tolerantly."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from hermes_tui.errors import ToolError

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")


class Edited(Struct, frozen=True, kw_only=True):
    """The new text; `places` where it changed, `tolerance` what was overlooked to find them."""

    text: str
    places: int
    tolerance: str = ""


def edit(text: str, old: str, new: str, replace_all: bool = False) -> Edited:
    """Replace `old` by `new`, which must be there once unless `replace_all`.

    Tried in turn: the exact text, other line ends, other space at line ends, other
    indentation (the new text is then indented as the old was). ToolError when it is not
    there, is there more than once, or nothing would change.
    """
    if not old:
        raise ToolError("the text to replace is empty", "to write a whole file use write_file")
    if old == new:
        raise ToolError("old and new text are the same, nothing would change")
    plain = (old, new)
    if _is_windows(text):
        old, new = _windows(old), _windows(new)
    found = _exactly(text, old, new, replace_all)
    if found and old != plain[0]:
        found = Edited(text=found.text, places=found.places, tolerance="line ends")
    for how in _TOLERANCES:
        found = found or _by_lines(text, plain, how, replace_all)
    if found is None:
        raise ToolError("the text to replace is not in the file", _nearest(text, old))
    if found.text == text:
        raise ToolError("nothing would change: the file already reads so")
    return found


def _exactly(text: str, old: str, new: str, replace_all: bool) -> Edited | None:
    places = text.count(old)
    if not places:
        return None
    if not replace_all and text.find(old, text.find(old) + 1) >= 0:
        raise _ambiguous(max(2, places))
    return Edited(text=text.replace(old, new), places=places)


def _ambiguous(places: int) -> ToolError:
    return ToolError(
        f"the text to replace is in {places} places",
        "add lines around it until it is the only one, or set replace_all",
    )


def _is_windows(text: str) -> bool:
    """Whether every line ends with CR and LF."""
    return "\r\n" in text and text.count("\r\n") == text.count("\n")


def _windows(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


_Key = Callable[[str], str]
_TOLERANCES: tuple[tuple[str, _Key], ...] = (
    ("line ends", lambda line: line.rstrip("\r\n")),
    ("space at line ends", str.rstrip),
    ("indentation", str.strip),
)


def _by_lines(
    text: str, change: tuple[str, str], how: tuple[str, _Key], replace_all: bool
) -> Edited | None:
    """Match whole lines by a key."""
    old, new = change
    tolerance, key = how
    lines = _LINE.findall(text)
    wanted = [key(line) for line in _LINE.findall(old)]
    if not any(wanted):
        return None
    keys = [key(line) for line in lines]
    spots = [n for n in range(len(keys) - len(wanted) + 1) if keys[n : n + len(wanted)] == wanted]
    if not spots:
        return None
    if len(spots) > 1 and not replace_all:
        raise _ambiguous(len(spots))
    made: list[str] = []
    at = 0
    for spot in spots:
        if spot < at:
            continue  # overlaps the one before
        matched = lines[spot : spot + len(wanted)]
        made += [*lines[at:spot], _fitted(new, old, matched)]
        at = spot + len(wanted)
    return Edited(text="".join([*made, *lines[at:]]), places=len(spots), tolerance=tolerance)


def _fitted(new: str, old: str, matched: list[str]) -> str:
    """The new text with the indentation and line ends of the lines it replaces.

    Lines that old and new text share stay as they are in the file.
    """
    from difflib import SequenceMatcher

    olds, news = _LINE.findall(old), _LINE.findall(new)
    end = "\r\n" if any(line.endswith("\r\n") for line in matched) else "\n"
    swap = _indentation(olds, matched)
    bare = [line.rstrip("\r\n") for line in news]
    made = [swap(line) if line.strip() else "" for line in bare]
    same = SequenceMatcher(None, [line.rstrip("\r\n") for line in olds], bare, autojunk=False)
    for block in same.get_matching_blocks():
        for n in range(block.size):
            made[block.b + n] = matched[block.a + n].rstrip("\r\n")
    text = end.join(made) + (end if new.endswith("\n") else "")
    if old.endswith("\n"):
        return text if matched[-1].endswith("\n") else text.removesuffix(end)
    return text + (end if matched[-1].endswith("\n") else "")


def _indentation(olds: list[str], matched: list[str]) -> Callable[[str], str]:
    """How a line of the new text is indented in the file."""
    pairs = [(_indent(a), _indent(b)) for a, b in zip(olds, matched, strict=True) if a.strip()]
    if not pairs:
        return lambda line: line  # nothing but blank lines, which tell of no indentation
    known = dict(reversed(pairs))
    given, real = pairs[0]

    def swap(line: str) -> str:
        indent = _indent(line)
        rest = line[len(indent) :]
        if indent in known:
            return known[indent] + rest
        if indent.startswith(given):
            return real + indent[len(given) :] + rest
        extra = len(given) - len(indent)
        return real[: max(0, len(real) - extra)] + rest

    return swap


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _nearest(text: str, old: str) -> str:
    """A hint with the line most like the first one that was looked for."""
    import difflib

    wanted = next((line.strip() for line in old.splitlines() if line.strip()), "")
    lines = text.splitlines()[:20_000]
    bare = [line.strip() for line in lines]
    close = difflib.get_close_matches(wanted[:200], {one[:200] for one in bare[:2_000]}, 1, 0.6)
    near = wanted if wanted in bare else close[0] if close else ""
    if not near:
        return "read the file again: it may have changed"
    at = next(n for n, line in enumerate(bare) if line[:200] == near[:200])
    return f"line {at + 1} is nearest: {lines[at][:200]}"
