"""Themes: the files, the built-in copy, contrast, and what a wrong file says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from rich.style import Style
from textual.app import App
from textual.color import Color

from hermes_tui.bundled import bundled
from hermes_tui.errors import ConfigError
from hermes_tui.home import Home
from hermes_tui.ui.theme import STYLES as NAMES
from hermes_tui.ui.theme import SYNTAX, Look, ThemeSpec, builtin, textual
from hermes_tui.ui.theme_files import load, load_all, read

FILES = sorted(bundled("themes").glob("*.yaml"))
ALL = ["ansi-dark", "ansi-light", "hermes-night", "hermes-paper", "high-contrast", "mono"]


def contrast(a: str, b: str) -> float:
    """WCAG 2 contrast ratio of two `#rrggbb` colours."""

    def luminance(text: str) -> float:
        parts = [int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def drawn(spec: ThemeSpec) -> list[tuple[str, str, str]]:
    """Every style as (name, colour, what it stands on)."""
    look = Look(spec)
    names = [*NAMES, *(f"syntax.{name}" for name in SYNTAX)]
    pairs: list[tuple[str, str, str]] = []
    for name in names:
        one: Style = look["text"] + look[name]
        assert one.color is not None
        back = one.bgcolor.name if one.bgcolor else spec.colors["background"]
        pairs.append((name, one.color.name, back))
    return pairs


def test_the_themes_are_bundled() -> None:
    assert [path.stem for path in FILES] == ALL


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_built_in_copy_is_what_the_file_says(path: Path) -> None:
    assert builtin(path.stem) == read(path), "run scripts/make_themes.py"


def test_high_contrast_is_seven_to_one_everywhere_and_never_dim() -> None:
    spec = builtin("high-contrast")
    assert spec
    for name, color, back in drawn(spec):
        assert contrast(color, back) >= 7, f"{name}: {color} on {back}"
        assert not Look(spec)[name].dim


@pytest.mark.parametrize("name", ["hermes-night", "hermes-paper"])
def test_text_of_the_colour_themes_is_readable(name: str) -> None:
    spec = builtin(name)
    assert spec
    for part, color, back in drawn(spec):
        if part != "faint":
            assert contrast(color, back) >= 4.5, f"{part}: {color} on {back}"


def test_mono_uses_no_colour_at_all() -> None:
    spec = builtin("mono")
    assert spec
    look = Look(spec)
    for name in [*NAMES, *(f"syntax.{name}" for name in SYNTAX)]:
        assert look[name].color is None
        assert look[name].bgcolor is None
    plain = {"ansi_default", "ansi_white", "ansi_black", "ansi_bright_white", "ansi_bright_black"}
    theme = textual(spec)
    values = {*theme.variables.values(), theme.primary, theme.accent, theme.error, theme.success}
    assert {v for v in values if v and v.startswith(("ansi", "#"))} <= plain


@pytest.mark.parametrize("name", ["ansi-dark", "ansi-light"])
def test_ansi_themes_use_the_terminals_own_sixteen_colours_alone(name: str) -> None:
    spec = builtin(name)
    assert spec
    look = Look(spec)
    for part in [*NAMES, *(f"syntax.{one}" for one in SYNTAX)]:
        for color in (look[part].color, look[part].bgcolor):
            assert color is None or (color.number is not None and color.number < 16), part
        assert look[part].bgcolor is None or look[part].bgcolor != look[part].color
    theme = textual(spec)
    values = {*theme.variables.values(), theme.primary, theme.accent, theme.error, theme.success}
    assert not any(v.startswith("#") for v in values if v)
    assert theme.background == theme.foreground == "ansi_default"


def test_an_ansi_theme_says_which_colours_it_may_have(home: Home) -> None:
    home.themes.mkdir()
    path = home.themes / "mine.yaml"
    path.write_text("name: mine\nansi: true\ncolors:\n  accent: '#ff0000'\n")
    with pytest.raises(ConfigError, match=r"mine\.yaml:4: accent is a colour such as bright_blue"):
        read(path)


@pytest.mark.parametrize("name", ALL)
async def test_textual_takes_every_theme(name: str) -> None:
    spec = builtin(name)
    assert spec
    app: App[None] = App()
    async with app.run_test() as pilot:
        app.register_theme(textual(spec))
        app.theme = name
        await pilot.pause()
        if "background" in spec.colors:
            assert app.theme_variables["background"] == Color.parse(spec.colors["background"]).hex


def test_the_default_theme_needs_no_yaml(home: Home) -> None:
    for module in [name for name in sys.modules if name.startswith("ruamel")]:
        del sys.modules[module]
    assert load(home, "hermes-night").name == "hermes-night"
    assert "ruamel.yaml" not in sys.modules


def test_a_theme_of_ones_own_goes_before_the_bundled_one(home: Home) -> None:
    home.themes.mkdir()
    text = bundled("themes").joinpath("hermes-night.yaml").read_text()
    (home.themes / "hermes-night.yaml").write_text(text.replace("#93b4ff", "#ff0000"))
    assert load(home, "hermes-night").colors["accent"] == "#ff0000"
    specs, problems = load_all(home)
    assert sorted(specs) == ALL
    assert specs["hermes-night"].colors["accent"] == "#ff0000"
    assert not problems


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("name: a\ncolours:\n  accent: '#ffffff'\n", 2, "did you mean colors?"),
        ("name: a\ncolors:\n  acent: '#ffffff'\n", 3, "did you mean accent?"),
        ("name: a\ncolors:\n  accent: red\n", 3, "#93b4ff"),
        ("name: a\nstyles:\n  heading: bold acent\n", 3, "did you mean accent?"),
        ("name: a\nstyles:\n  headin: bold\n", 3, "did you mean heading?"),
        ("name: a\nstyles:\n  heading: on\n", 3, "no style"),
        ("name: a\ncolors: [\n", 3, ""),
        ("name: A b\n", 1, "lower-case"),
        ("name: a\ndark: maybe\n", 2, "true or false"),
        ("- a\n", 1, "key: value"),
    ],
)
def test_a_wrong_theme_file_names_the_line_and_spoils_nothing_else(
    home: Home, text: str, line: int, says: str
) -> None:
    home.themes.mkdir()
    path = home.themes / "mine.yaml"
    path.write_text(text)
    specs, problems = load_all(home)
    assert sorted(specs) == ALL
    assert f"{path}:{line}:" in str(problems[0])
    assert says in str(problems[0])


def test_an_unknown_theme_says_which_there_are(home: Home) -> None:
    with pytest.raises(ConfigError, match="hermes-paper"):
        load(home, "midnight")
