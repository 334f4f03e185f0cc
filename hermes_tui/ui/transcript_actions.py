"""What the keys and clicks on a block of the chat do beyond the chat itself."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hermes_tui.errors import HermesError
from hermes_tui.intents import ForkSession
from hermes_tui.ui import links
from hermes_tui.ui.blocks import Block, ReplyBlock, UserBlock
from hermes_tui.ui.blocks_shell import ShellBlock
from hermes_tui.ui.blocks_tool import ToolBlock
from hermes_tui.ui.fuzzy import Entry
from hermes_tui.ui.palette import PickerScreen
from hermes_tui.ui.text import one_line
from hermes_tui.ui.trace import TracePane
from hermes_tui.ui.viewer import ViewerScreen, paint_markdown, paint_text

if TYPE_CHECKING:
    from hermes_tui.ui.app import HermesApp
    from hermes_tui.ui.transcript import Transcript


class Actions:
    """Does what a block is asked for. Errors are HermesErrors with a sentence."""

    def __init__(self, app: HermesApp) -> None:
        self._app = app
        self._code: tuple[Block | None, int] = (None, 0)

    async def do(self, message: Transcript.BlockAction) -> None:
        """Do one action."""
        block = message.block
        match message.action:
            case "copy":
                self._app.say("copied")
            case "target":
                self._app.say(message.value)
            case "link":
                await self.follow(message.value)
            case "picture":
                await self._open_picture(message.value)
            case "links":
                await self._pick_link(block)
            case "code":
                self._copy_code(block)
            case "fork":
                await self._fork(block)
            case _:
                await self._open_whole(block, message.action)

    async def follow(self, url: str) -> None:
        """Open a link on the desktop, or copy it where there is none."""
        if await links.open_link(url, os.environ):
            self._app.say(f"opened {url}")
            return
        self._app.copy_to_clipboard(url)
        self._app.say(f"copied {url}")

    async def _open_picture(self, path: str) -> None:
        """Open an image on the desktop, or copy where it is."""
        from hermes_tui.ui.pictures import located

        place = str(located(path, self._app.shown.info.cwd))
        if await links.open_image(place, os.environ):
            self._app.say(f"opened {place}")
            return
        self._app.copy_to_clipboard(place)
        self._app.say(f"copied {place}")

    async def _pick_link(self, block: Block) -> None:
        from hermes_tui.ui import markdown_parts

        found = markdown_parts.links(_said(block))
        if not found:
            raise HermesError("there is no link in this")
        if len(found) == 1:
            await self.follow(found[0].url)
            return
        entries = [
            Entry(kind="link", key=one.url, title=one_line(one.text) or one.url, note=one.url)
            for one in found
        ]
        await self._app.push_screen(PickerScreen(entries, "follow a link"), self._picked)

    def _picked(self, entry: Entry | None) -> None:
        if entry is not None:
            self._app.do(lambda: self.follow(entry.key))

    def _copy_code(self, block: Block) -> None:
        """The next piece of code of a block; the output of a tool."""
        from hermes_tui.ui import markdown_parts

        codes = markdown_parts.codes(block.source) if isinstance(block, ReplyBlock) else []
        codes = codes or ([_said(block)] if isinstance(block, ToolBlock | ShellBlock) else [])
        if not codes:
            raise HermesError("there is no code in this", "c copies all of it")
        last, at = self._code
        at = at % len(codes) if last is block else 0
        self._app.copy_to_clipboard(codes[at])
        self._code = block, at + 1
        lines = codes[at].count("\n") + 1
        many = f" · {lines:,} line{'' if lines == 1 else 's'}"
        self._app.say(f"copied {at + 1} of {len(codes)}{many}" if len(codes) > 1 else "copied")

    async def _fork(self, block: Block) -> None:
        """A new session from here: before what was said, or after what was answered."""
        app = self._app
        turns = [turn.number for turn in app.shown.trace.turns]
        if block.turn not in turns:
            raise HermesError("this is part of no turn", "go to what was said or done in one")
        before = block.turn
        if not isinstance(block, UserBlock):
            before = min((number for number in turns if number > block.turn), default=0)
        if not before and app.shown.busy:
            raise HermesError("this turn is still going on", "fork from it when it has ended")
        info = await app.ask(ForkSession(session=app.session, turn=before))
        await app.open(app.commands.request(info.id))
        if isinstance(block, UserBlock):
            app.talk.prompt.give_back(block.source)
        app.say("a fork of the session before")

    async def _open_whole(self, block: Block, action: str) -> None:
        """All of it over the full screen."""
        from hermes_tui.ui.diff_screen import DiffScreen

        diff = block.details.get("diff") if isinstance(block, ToolBlock) else None
        if isinstance(block, ToolBlock) and isinstance(diff, str) and action != "output":
            await self._app.push_screen(DiffScreen(f"{block.tool}  {block.summary}", diff))
        elif isinstance(block, ToolBlock):
            await self._app.main.query_one(TracePane).open_output(block.call_id)
        elif isinstance(block, ReplyBlock):
            paint = paint_markdown(block.source)
            await self._app.push_screen(ViewerScreen("hermes", paint, block.source))
        else:
            title = one_line(block.copy()[:80])
            await self._app.push_screen(ViewerScreen(title, paint_text(block.source), block.source))


def _said(block: Block) -> str:
    """What a block says: of a call, its output."""
    if isinstance(block, ToolBlock):
        parts = block.parts()
        return parts[-1].text if parts[-1].kind == "output" else ""
    if isinstance(block, ShellBlock):
        return block.source.partition("\n")[2]
    return block.source
