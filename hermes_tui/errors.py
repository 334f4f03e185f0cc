"""The one family of errors that people see: a sentence, and what to do next."""

from __future__ import annotations


class HermesError(Exception):
    """Something a person can act on. `message` says what happened, `hint` what to do next."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        """The sentence and the advice on one line each."""
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class ConfigError(HermesError):
    """The configuration can't be used; the message names file and line."""

    exit_code = 2


class NotFoundError(HermesError):
    """A session, skill, tool or file that was named does not exist."""


class CoreError(HermesError):
    """No core to talk to, or one that speaks another protocol version."""

    exit_code = 3


class StoreError(HermesError):
    """The database can't be opened, read or written."""


class DamagedError(StoreError):
    """The database is damaged and takes no writes until a copy is put back."""


class ToolError(HermesError):
    """A tool could not do what it was asked; the model reads the message."""


class ModelError(HermesError):
    """A model request failed.

    kind: one of `auth`, `billing`, `rate`, `overloaded`, `network`, `context`, `refused`,
    `malformed`, `missing`, `cap`. retry_after: seconds the provider asked to wait, or None.
    """

    exit_code = 4

    def __init__(
        self, message: str, hint: str = "", kind: str = "refused", retry_after: float | None = None
    ) -> None:
        super().__init__(message, hint)
        self.kind = kind
        self.retry_after = retry_after

    @property
    def worth_retrying(self) -> bool:
        """Whether the same request may succeed if it is sent again."""
        return self.kind in ("rate", "overloaded", "network", "malformed")
