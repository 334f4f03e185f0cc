"""Reads the terminal: a paste arrives as one paste whatever bytes are in it, and so do its keys.

Textual's own parser turns escape sequences inside a bracketed paste into key presses (so pasted
text could press Enter), loses the alt of alt+enter, and types torn mouse reports into whatever
has the focus. This one takes pastes out before the parser sees them.
"""

from __future__ import annotations

import codecs
import os
import re
import selectors
from collections.abc import Generator, Iterable, Iterator

from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from hermes_tui.ui import margins, pictures_terminal
from hermes_tui.ui.background import ASK, ASK_NO_MORE, UNFINISHED, answers, take_answers

PASTE_START, PASTE_END = "\x1b[200~", "\x1b[201~"
# Legacy terminals send ESC CR, xterm and tmux with modifyOtherKeys the long form.
_ENTER = re.compile(r"\x1b\r|\x1b\[27;([2-8]);13~")
# The parser below tells alt and a character by the pause after it: over a slow line there is none.
_ALT = re.compile(r"\x1b([ -~])(?=\x1b)")
_UNFINISHED = re.compile(r"\x1b\[(?:[\d:;]{0,24}|<[\d;-]{0,20})\Z")
# Numbers the parser below can't read, which would end the thread that reads keys.
_PARAMETERS = re.compile(r"\x1b\[([\d:;]+)([A-Za-z~])")
_SUBPARAMETERS = re.compile(r":[\d:]*")
_LAST_CHARACTER = 0x10FFFF
_MODIFIERS = ((4, "ctrl"), (2, "alt"), (1, "shift"))


_WORDS = re.compile(r"[a-zA-NQ-WYZ0-9 ][^\x1b]{4}")
"""More letters than any key sends after its escape; O, P and X may begin a sequence."""


class InputParser(XTermParser):
    """Terminal input to events; holds back what is not complete yet, without timing."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._held = ""
        self._escaped = False
        self._pasting = False
        self._handed_over = False
        self._paste: list[str] = []

    @property
    def waiting(self) -> bool:
        """Whether a lone escape becomes a key when nothing follows it."""
        return self._timeout_time is not None

    def feed(self, data: str) -> Iterable[Message]:
        """The events of more input; empty input is the end."""
        if not data:
            yield from super().feed(data)
            return
        data, self._held = self._held + data, ""
        if self._escaped and self.waiting and _WORDS.match(data):
            # Escape was pressed, and what was typed after it came in one piece: on a line that
            # stood still. The parser below would take it for one long unknown sequence.
            self._escaped, self._timeout_time = False, 0.0
            yield from self.tick()
        if self._escaped and data.startswith(PASTE_START[1:]):
            # The marker was cut after its ESC, which the parser below has already: let it end.
            self._pasting = self._handed_over = True
            yield from super().feed(PASTE_START[1:])
            data = data[len(PASTE_START) - 1 :]
        while data:
            if self._pasting:
                data = yield from self._read_paste(data)
            else:
                data = yield from self._read_keys(data)

    def _read_paste(self, data: str) -> Generator[Message, None, str]:
        body, end, rest = data.partition(PASTE_END)
        if not end:
            cut = _overlap(body, PASTE_END)
            self._paste.append(body[: len(body) - cut])
            self._held = body[len(body) - cut :]
            return ""
        self._paste.append(body)
        self._pasting = self._escaped = False
        if self._handed_over:
            self._handed_over = False
            yield from (one for one in super().feed(PASTE_END) if not _is_paste(one))
        yield events.Paste("".join(self._paste))
        self._paste.clear()
        return rest

    def _read_keys(self, data: str) -> Generator[Message, None, str]:
        keys, start, rest = data.partition(PASTE_START)
        if start:
            self._pasting = True
        elif torn := _torn(keys):
            self._held = torn[0]
            keys = keys[: torn.start()]
        keys, told = take_answers(keys)
        yield from told
        keys, pictures = pictures_terminal.take_answers(keys)
        yield from pictures
        keys, has_margins = margins.take_answers(keys)
        yield from has_margins
        at = 0
        for found in _ENTER.finditer(keys):
            yield from self._pass_on(keys[at : found.start()])
            yield events.Key(_enter(int(found[1] or 3)), None)
            at = found.end()
        yield from self._pass_on(keys[at:])
        self._escaped = keys.endswith("\x1b")
        return rest

    def _pass_on(self, keys: str) -> Iterator[Message]:
        keys = _PARAMETERS.sub(_readable, keys)
        at = 0
        for found in _ALT.finditer(keys):
            if found[0] in ANSI_SEQUENCES_KEYS:
                continue
            yield from self._read_on(keys[at : found.start()])
            yield from self._sequence_to_key_events(found[1], alt=True)
            at = found.end()
        yield from self._read_on(keys[at:])

    def _read_on(self, keys: str) -> Iterator[Message]:
        if keys:
            yield from (one for one in super().feed(keys) if not _is_empty_paste(one))


def _torn(keys: str) -> re.Match[str] | None:
    """The beginning of a sequence whose rest is still to come."""
    for pattern in (_UNFINISHED, UNFINISHED, pictures_terminal.UNFINISHED, margins.UNFINISHED):
        if found := pattern.search(keys):
            return found
    return None


def _readable(found: re.Match[str]) -> str:
    """A key's numbers without what refines them (its other characters, press or release)."""
    numbers = _SUBPARAMETERS.sub("", found[1])
    known = all(int(one or 0) <= _LAST_CHARACTER for one in numbers.split(";"))
    return f"\x1b[{numbers}{found[2]}" if known else ""


def _enter(modifiers: int) -> str:
    names = [name for bit, name in _MODIFIERS if (modifiers - 1) & bit]
    return "+".join([*names, "enter"])


def _is_paste(message: Message) -> bool:
    return isinstance(message, events.Paste)


def _is_empty_paste(message: Message) -> bool:
    return isinstance(message, events.Paste) and not message.text


def _overlap(text: str, marker: str) -> int:
    """How many characters at the end of `text` may be the beginning of `marker`."""
    return next((n for n in range(len(marker) - 1, 0, -1) if text.endswith(marker[:n])), 0)


class TerminalDriver(LinuxDriver):
    """Textual's driver with this parser; sleeps until there is input, and survives bad bytes."""

    _poke = -1
    _asked = False

    def ask_background(self) -> None:
        """Ask the terminal whether it is dark, and to say so when that changes."""
        if answers(os.environ):
            self._asked = True
            self.write(ASK)

    def ask_pictures(self) -> None:
        """Ask the terminal whether it draws pictures."""
        if asked := pictures_terminal.questions(os.environ):
            self.write(asked)

    def ask_margins(self) -> None:
        """Ask the terminal whether it scrolls columns."""
        if asked := margins.question(os.environ):
            self.write(asked)

    def stop_application_mode(self) -> None:
        """Give the terminal back."""
        if self._asked:
            self._asked = False
            self.write(ASK_NO_MORE)
        super().stop_application_mode()

    def run_input_thread(self) -> None:
        """Read until told to stop, or until the terminal is gone."""
        woken, self._poke = os.pipe()
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self.fileno, selectors.EVENT_READ)
                selector.register(woken, selectors.EVENT_READ)
                self._read_on(selector)
            self.exit_event.wait()
        finally:
            poke, self._poke = self._poke, -1
            os.close(poke)
            os.close(woken)

    def disable_input(self) -> None:
        """Stop reading."""
        if self._poke >= 0:
            os.write(self._poke, b"x")
        super().disable_input()

    def _read_on(self, selector: selectors.BaseSelector) -> None:
        parser = InputParser(self._debug)
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        while not self.exit_event.is_set():
            ready = [key.fd for key, _ in selector.select(0.05 if parser.waiting else None)]
            data = self._read() if self.fileno in ready else None
            if data == b"":
                return
            if text := decode(data or b""):
                self._deliver(parser.feed(text))
            self._deliver(parser.tick())

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, 1 << 16)
        except OSError:
            return b""

    def _deliver(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.process_message(message)
