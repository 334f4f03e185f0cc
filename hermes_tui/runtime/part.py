"""Parts of the core that are made, and whose code is loaded, when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class Part(Generic[T]):
    """An attribute made at first use by `module:name`, called with what it is a part of.

    Of the object it is the part itself; of the class this, whose `made` says what there is so far.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, whole: None, owner: type) -> Part[T]: ...

    @overload
    def __get__(self, whole: object, owner: type) -> T: ...

    def __get__(self, whole: object | None, owner: type) -> Part[T] | T:
        """The part; later uses find it in the object and do not come here."""
        if whole is None:
            return self
        made: T = self.maker()(whole)
        vars(whole)[self._name] = made
        return made

    def maker(self) -> Any:
        """What makes the part: a class or a function."""
        module, _, name = self.where.partition(":")
        return getattr(import_module(module), name)

    def made(self, whole: object) -> T | None:
        """The part of an object if it was used already; this does not make it."""
        return vars(whole).get(self._name)
