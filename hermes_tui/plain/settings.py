"""`/settings` in plain lines: what there is, what one means, another value for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from hermes_tui.intents import ListSettings, SetConfig, SettingInfo
from hermes_tui.plain.speech import count, one_line, sentence

if TYPE_CHECKING:
    from hermes_tui.plain.face import PlainFace

_DEFAULT = "default"


async def settings(face: PlainFace, args: str) -> None:
    """List the settings with a text in them; say all of one; set one, `default` undoes that."""
    known = (await face.client.ask(ListSettings())).settings
    name, _, value = args.strip().partition(" ")
    one = next((one for one in known if one.name == name), None)
    if one is None:
        found = [one for one in known if _has(one, args)]
        face.say(*(f"{one.name}: {_words(one.value)}" for one in found))
        face.say(f"{count(len(found), 'setting')}. /settings NAME says what one means.")
    elif not value.strip():
        face.say(*_about(one))
    else:
        reset = value.strip() == _DEFAULT and _DEFAULT not in one.choices
        await face.client.ask(SetConfig(key=name, value="" if reset else value, reset=reset))
        over = f"{one.source} wins over it as long as it is set" if one.fixed else ""
        face.say(sentence(f"{name} is saved", over))


def _about(one: SettingInfo) -> tuple[str, ...]:
    where = f"set in {one.source}" if one.source else "the default"
    return (
        sentence(f"{one.name} is {_words(one.value)}, {where}", one.help.capitalize()),
        sentence(f"It must be {one.must}", f"The default is {_words(one.default)}"),
        f"/settings {one.name} VALUE changes it; the value {_DEFAULT} takes that back.",
    )


def _has(one: SettingInfo, text: str) -> bool:
    where = f"{one.name} {one.help} {one.group}".casefold()
    return all(word in where for word in text.casefold().split())


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value in (None, "", []):
        return "empty"
    return one_line(value if isinstance(value, str) else msgspec.json.encode(value).decode())
