"""Setting up: who could answer, does it, keep it, fetch it; and all settings with their help."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import Struct

from hermes_tui.intents.base import Done, Intent


class ChosenModel(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model that was chosen. key: typed for it just now; it goes to the secrets alone.

    provider: as in the settings; without an address the key itself may tell whose it is.
    """

    provider: str = "auto"
    base_url: str = ""
    name: str = ""
    key_env: str = ""
    file: str = ""
    key: str = ""


class ModelChoice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that could answer.

    kind: `key`, `server`, `embedded` (a model file that is there) or `fetch` (one to be fetched
    first, by the name in `fetch`). title: who it is; note: where it was found; size: bytes to
    fetch; problem: what keeps it from working here.
    """

    kind: Literal["key", "server", "embedded", "fetch"]
    title: str
    chosen: ChosenModel
    note: str = ""
    fetch: str = ""
    size: int = 0
    problem: str = ""


class ModelChoices(Struct, frozen=True, kw_only=True):
    """Who could answer, the best first. needed: nothing is set up that could answer."""

    needed: bool = False
    choices: tuple[ModelChoice, ...] = ()


class FindModels(Intent[ModelChoices], frozen=True, kw_only=True):
    """Look for keys, local servers and model files; look=False: only whether that is needed."""

    reply: ClassVar[Any] = ModelChoices
    look: bool = True


class ModelProof(Struct, frozen=True, kw_only=True):
    """A model answered: what it is called, what it said, after how many seconds."""

    name: str = ""
    text: str = ""
    seconds: float = 0.0


class TryModel(Intent[ModelProof], frozen=True, kw_only=True):
    """Ask a model for one word, live. Keeps nothing."""

    reply: ClassVar[Any] = ModelProof
    chosen: ChosenModel


class KeepModel(Intent[Done], frozen=True, kw_only=True):
    """Write a choice into the settings, its key into the secrets."""

    reply: ClassVar[Any] = Done
    chosen: ChosenModel


class FetchModel(Intent[Done], frozen=True, kw_only=True):
    """Fetch a model file; done when it is there. How far it is comes as `FetchProgress`.

    It goes on when the face that asked leaves; asking again joins the fetch that runs.
    """

    reply: ClassVar[Any] = Done
    name: str


class StopFetch(Intent[Done], frozen=True, kw_only=True):
    """Stop the fetch; what came is kept for the next try."""

    reply: ClassVar[Any] = Done


class SettingInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One setting. value, default: as JSON has them; must: what it must be, in words; group: what
    the settings of its section are about.

    source: the file or environment variable it comes from, empty for the default. fixed: that
    is a variable, which wins over the file as long as it is set.
    """

    name: str
    kind: Literal["text", "toggle", "choice", "whole", "number", "list"]
    must: str
    group: str = ""
    help: str = ""
    value: Any = None
    default: Any = None
    choices: tuple[str, ...] = ()
    source: str = ""
    fixed: bool = False


class SettingList(Struct, frozen=True, kw_only=True):
    """All settings, in the order of the schema."""

    settings: tuple[SettingInfo, ...] = ()


class ListSettings(Intent[SettingList], frozen=True, kw_only=True):
    """All settings with value, default, source and help."""

    reply: ClassVar[Any] = SettingList
