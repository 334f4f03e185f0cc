"""What WhatsApp's webhook says, by its own names, and its messages as ours."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from hermes_tui.gateways.base import Inbound


class Text(Struct):
    """A text."""

    body: str = ""


class Media(Struct):
    """A file, to be asked for by its id."""

    id: str = ""
    mime_type: str = ""
    filename: str = ""
    caption: str = ""
    voice: bool = False


class Pressed(Struct):
    """A button or a row that was chosen."""

    id: str = ""
    title: str = ""


class Interactive(Struct):
    """An answer to a message with buttons or a list."""

    button_reply: Pressed | None = None
    list_reply: Pressed | None = None


class Context(Struct):
    """What a message answers."""

    id: str = ""


class Place(Struct):
    """A place on the map."""

    latitude: float = 0.0
    longitude: float = 0.0
    name: str = ""


class Said(Struct):
    """A message. timestamp: Unix seconds, as a text."""

    id: str = ""
    from_: str = field(name="from", default="")
    timestamp: str = "0"
    type: str = ""
    text: Text | None = None
    image: Media | None = None
    audio: Media | None = None
    video: Media | None = None
    document: Media | None = None
    sticker: Media | None = None
    interactive: Interactive | None = None
    location: Place | None = None
    context: Context | None = None

    @property
    def file(self) -> Media | None:
        """The file it brings."""
        return self.image or self.audio or self.video or self.document or self.sticker


class Failure(Struct):
    """Why something did not arrive."""

    code: int = 0
    title: str = ""


class Status(Struct):
    """What became of a message that was sent."""

    id: str = ""
    status: str = ""
    recipient_id: str = ""
    errors: list[Failure] = []


class Profile(Struct):
    """How somebody calls themselves."""

    name: str = ""


class Contact(Struct):
    """Who wrote."""

    wa_id: str = ""
    profile: Profile = field(default_factory=Profile)


class Number(Struct):
    """The number that was written to."""

    phone_number_id: str = ""


class Value(Struct):
    """What changed."""

    metadata: Number = field(default_factory=Number)
    contacts: list[Contact] = []
    messages: list[Said] = []
    statuses: list[Status] = []


class Change(Struct):
    """One change; `field` says of what kind."""

    value: Value = field(default_factory=Value)
    field: str = "messages"


class Entry(Struct):
    """Changes of one account."""

    changes: list[Change] = []


class Notice(Struct):
    """One call of the webhook."""

    object: str = ""
    entry: list[Entry] = []

    def values(self, phone_id: str) -> list[Value]:
        """What it says of one number."""
        return [
            change.value
            for entry in self.entry
            for change in entry.changes
            if change.field == "messages" and change.value.metadata.phone_number_id == phone_id
        ]


def inbound(said: Said, value: Value) -> Inbound | None:
    """A message; None for what is none (reactions, calls, what WhatsApp itself tells)."""
    pressed, text = "", ""
    if said.interactive is not None:
        chosen = said.interactive.button_reply or said.interactive.list_reply
        pressed = chosen.id if chosen is not None else ""
    elif said.text is not None:
        text = said.text.body
    elif said.file is not None:
        text = said.file.caption
    elif said.location is not None:
        place = said.location
        text = f"{place.name} ({place.latitude}, {place.longitude})".strip()
    else:
        return None
    if not said.from_ or not said.id or not (pressed or text.strip() or said.file):
        return None
    names = {one.wa_id: one.profile.name for one in value.contacts}
    return Inbound(
        platform="whatsapp",
        chat=said.from_,
        message=said.id,
        sender=said.from_,
        name=names.get(said.from_, ""),
        text=text,
        ts=float(said.timestamp) if said.timestamp.isdecimal() else 0.0,
        pressed=pressed,
        reply_to=said.context.id if said.context is not None else "",
    )


def about(media: Media, kind: str) -> tuple[str, str]:
    """(name, kind) of a file."""
    known = {"image": "image", "sticker": "image"}.get(kind, "file")
    if kind == "audio" and media.voice:
        known = "voice"
    suffix = media.mime_type.partition(";")[0].rpartition("/")[2] or "bin"
    return media.filename or f"{kind}.{suffix}", known


def keyboard(buttons: tuple[tuple[str, str], ...], text: str) -> dict[str, Any]:
    """The interactive part of a message: up to three buttons, else a list of up to ten rows."""
    if len(buttons) <= 3:
        shown = [
            {"type": "reply", "reply": {"id": value, "title": label[:20]}}
            for label, value in buttons
        ]
        return {"type": "button", "body": {"text": text}, "action": {"buttons": shown}}
    rows = [{"id": value, "title": label[:24]} for label, value in buttons[:10]]
    action = {"button": "Choose", "sections": [{"title": "Choose", "rows": rows}]}
    return {"type": "list", "body": {"text": text}, "action": action}
