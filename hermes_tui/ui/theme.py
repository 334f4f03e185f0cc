"""A theme: a dozen colours, and how each part of the screen is drawn with them.

`ThemeSpec` is what a theme file says; `textual` and `Look` are what widgets and blocks use. The
four bundled themes are kept as Python too (`theme_builtin`), so that no YAML is read at start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from rich.errors import StyleSyntaxError
from rich.style import Style

from hermes_tui.errors import ConfigError

if TYPE_CHECKING:
    from textual.theme import Theme

COLORS = (
    "background",
    "surface",
    "panel",
    "foreground",
    "muted",
    "faint",
    "accent",
    "select",
    "ok",
    "warn",
    "error",
)

STYLES: dict[str, str] = {
    "text": "foreground",
    "muted": "muted",
    "faint": "faint",
    "accent": "accent",
    "ok": "ok",
    "warn": "warn",
    "error": "error",
    "user.bar": "accent",
    "user.name": "bold accent",
    "user.text": "foreground",
    "reply.mark": "accent",
    "reply.name": "bold foreground",
    "reasoning": "italic muted",
    "strong": "bold",
    "em": "italic",
    "strike": "strike",
    "heading": "bold accent",
    "heading.minor": "bold foreground",
    "code": "foreground on panel",
    "code.block": "foreground on surface",
    "code.label": "muted on surface",
    "link": "underline accent",
    "quote": "italic muted",
    "bullet": "accent",
    "table.head": "bold",
    "tool.name": "foreground",
    "tool.text": "muted",
    "output": "muted",
    "diff.add": "ok",
    "diff.del": "error",
    "diff.hunk": "muted",
    "diff.add.line": "",
    "diff.del.line": "",
    "diff.add.word": "",
    "diff.del.word": "",
    "selection": "on select",
    "cursor": "on panel",
    "find": "bold background on accent",
    "chip": "bold background on accent",
}

SYNTAX = ("keyword", "string", "number", "comment", "function", "type", "operator")
_WORDS = ("bold", "dim", "italic", "underline", "reverse", "strike", "on", "none")
_EIGHT = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
ANSI = (*_EIGHT, *(f"bright_{name}" for name in _EIGHT))
"""The terminal's own colours, which themes with `ansi: true` are made of."""


class ThemeSpec(Struct, frozen=True, kw_only=True):
    """What a theme file says.

    colors: the names of `COLORS` as `#rrggbb`; a missing one leaves the terminal's own.
    styles, syntax: words such as `bold accent on panel`. ansi: the terminal's own colours alone,
    by the names of `ANSI`.
    """

    name: str
    dark: bool = True
    ansi: bool = False
    colors: dict[str, str] = {}
    styles: dict[str, str] = {}
    syntax: dict[str, str] = {}


class Look:
    """The rich styles of one theme by name; every block is drawn with one."""

    def __init__(self, spec: ThemeSpec) -> None:
        self.name = spec.name
        words = {**STYLES, **spec.styles}
        made = {name: style(text, spec.colors) for name, text in words.items()}
        text = made["text"]
        self._styles = {name: text + one for name, one in made.items()}
        block = self._styles["code.block"]
        for name in SYNTAX:
            tone = style(spec.syntax.get(name, ""), spec.colors)
            self._styles[f"syntax.{name}"] = block + tone
            self._styles[f"diff.syntax.{name}"] = text + tone
        self._styles["diff.syntax.comment"] = self._styles["muted"] + Style(italic=True)
        self._tint(words, spec)
        for name in ("strong", "em", "strike", "selection", "cursor", "find"):
            self._styles[name] = made[name]
        self._styles["link"] = made["link"]
        self._styles["code"] = made["code"]

    def __getitem__(self, name: str) -> Style:
        """The style of that name, one of `STYLES` or `syntax.` with one of `SYNTAX`."""
        return self._styles[name]

    def _tint(self, words: dict[str, str], spec: ThemeSpec) -> None:
        """Grounds of changed lines and words, where the theme does not name any: its own
        background with some of the colour that says added or removed."""
        ground, text = spec.colors.get("background"), spec.colors.get("foreground", "")
        for name, color in (("diff.add", "ok"), ("diff.del", "error")):
            for part, much, ink in ((".line", 0.12, ""), (".word", 0.25, f"bold {text}")):
                tone = spec.colors.get(color)
                if words[name + part]:
                    continue
                made = "bold underline" if part == ".word" else ""
                if ground and tone and not spec.ansi:
                    made = f"{ink} on {mixed(ground, tone, much)}"
                self._styles[name + part] = style(made, {})


def style(words: str, colors: dict[str, str]) -> Style:
    """The rich style of words such as `bold accent on panel`.

    A colour the theme does not define is left out; raises ConfigError for an unknown word.
    """
    kept: list[str] = []
    for word in words.split():
        if word in _WORDS or word in ANSI or word.startswith("#"):
            kept.append(word)
        elif word not in COLORS:
            raise ConfigError(f"unknown colour or style word {word!r}", _nearest(word))
        elif word in colors:
            kept.append(colors[word])
        elif kept and kept[-1] == "on":
            kept.pop()
    try:
        return Style.parse(" ".join(kept))
    except StyleSyntaxError as error:
        raise ConfigError(f"{words!r} is no style: {error}") from error


def mixed(one: str, other: str, much: float) -> str:
    """A colour between two, both `#rrggbb`; much: the other's share, 0 to 1."""
    pairs = [(int(one[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * much):02x}" for a, b in pairs)


def builtin(name: str) -> ThemeSpec | None:
    """The bundled theme of that name, without reading a file."""
    from hermes_tui.ui.theme_builtin import THEMES

    return THEMES.get(name)


def textual(spec: ThemeSpec) -> Theme:
    """The same theme for Textual's widgets.

    Beside Textual's own variables, style sheets may use `$muted`, `$faint` and `$select`.
    """
    from textual.theme import Theme

    plain = "ansi_default"
    own = {k: f"ansi_{v}" if spec.ansi else v for k, v in spec.colors.items()}
    color = {name: own.get(name, plain) for name in COLORS}
    return Theme(
        name=spec.name,
        dark=spec.dark,
        ansi=spec.ansi,
        primary=color["accent"],
        secondary=color["muted"],
        accent=color["accent"],
        warning=color["warn"],
        error=color["error"],
        success=color["ok"],
        foreground=color["foreground"],
        background=color["background"],
        surface=color["surface"],
        panel=color["panel"],
        variables={**_mono_variables(), **_tones(own)} if spec.ansi else _variables(color),
    )


def _variables(color: dict[str, str]) -> dict[str, str]:
    return {
        "muted": color["muted"],
        "faint": color["faint"],
        "select": color["select"],
        "text": color["foreground"],
        "text-muted": color["muted"],
        "text-disabled": color["muted"],
        "border": color["faint"],
        "border-blurred": color["faint"],
        "block-cursor-foreground": color["foreground"],
        "block-cursor-background": color["select"],
        "block-cursor-blurred-foreground": color["foreground"],
        "block-cursor-blurred-background": color["panel"],
        "block-hover-background": color["surface"],
        "input-cursor-background": color["foreground"],
        "input-cursor-foreground": color["background"],
        "input-selection-background": color["select"],
        "screen-selection-background": color["select"],
        "screen-selection-foreground": color["foreground"],
        "scrollbar": color["faint"],
        "scrollbar-hover": color["muted"],
        "scrollbar-active": color["accent"],
        "scrollbar-background": color["background"],
        "scrollbar-background-hover": color["background"],
        "scrollbar-background-active": color["background"],
        "scrollbar-corner-color": color["background"],
        "link-color": color["accent"],
        "link-style": "underline",
        "link-background-hover": color["select"],
        "link-color-hover": color["foreground"],
        "footer-key-foreground": color["accent"],
    }


def _tones(own: dict[str, str]) -> dict[str, str]:
    """What of the terminal's colours style sheets may use; nothing for a theme without any."""
    wanted = {"muted": "muted", "faint": "faint", "border": "faint", "border-blurred": "faint"}
    wanted |= {"scrollbar": "faint", "link-color": "accent", "footer-key-foreground": "accent"}
    return {name: own[tone] for name, tone in wanted.items() if tone in own}


def _mono_variables() -> dict[str, str]:
    plain = "ansi_default"
    names = (
        "ansi-background ansi-foreground muted faint select border border-blurred "
        "block-cursor-blurred-foreground "
        "block-cursor-blurred-background block-hover-background link-color link-color-hover "
        "link-background-hover footer-key-foreground scrollbar-background "
        "scrollbar-background-hover scrollbar-background-active scrollbar-corner-color "
        "input-cursor-background input-cursor-foreground markdown-h1-color markdown-h2-color "
        "markdown-h3-color markdown-h4-color markdown-h5-color markdown-h6-color "
        "block-cursor-foreground block-cursor-background input-selection-foreground"
    )
    return {
        **dict.fromkeys(names.split(), plain),
        "block-cursor-text-style": "reverse",
        "block-cursor-blurred-text-style": "underline",
        "input-cursor-text-style": "reverse",
        "scrollbar": "ansi_white",
        "scrollbar-hover": "ansi_white",
        "scrollbar-active": "ansi_bright_white",
        "input-selection-background": "ansi_bright_black",
        "screen-selection-background": "ansi_white",
        "screen-selection-foreground": "ansi_black",
    }


def _nearest(word: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, [*COLORS, *_WORDS], 1)
    return f"did you mean {near[0]}?" if near else f"colours are {', '.join(COLORS)}"
