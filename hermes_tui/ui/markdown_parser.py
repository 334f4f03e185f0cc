"""markdown-it set up for chat: tables, strikethrough, HTML as text, emphasis beside Han.

CommonMark lets `**` close only where words are told apart by spaces, so `**注意：**请看` would
stay unformatted. Beside Han, kana and full-width marks it closes here too, after the rule that
the markdown-cjk-friendly specification proposes.
"""

from __future__ import annotations

import re
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline.state_inline import Scanned, StateInline
from markdown_it.token import Token

from hermes_tui.ui import markdown_math

_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


def make() -> MarkdownIt:
    """A parser."""
    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    made.core.ruler.disable("text_join")
    made.inline.ruler.before("escape", "math", markdown_math.rule)
    inline = _Inline()
    inline.ruler, inline.ruler2 = made.inline.ruler, made.inline.ruler2
    made.inline = inline
    return made


class _Inline(ParserInline):
    def parse(self, src: str, md: MarkdownIt, env: Any, tokens: list[Token]) -> list[Token]:
        state = _State(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


class _State(StateInline):
    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        marker = self.src[start]
        pos = start
        while pos < self.posMax and self.src[pos] == marker:
            pos += 1
        before = self.src[start - 1] if start > 0 else " "
        after = self.src[pos] if pos < self.posMax else " "
        wide_before, wide_after = bool(_WIDE.match(before)), bool(_WIDE.match(after))
        space_before, space_after = isWhiteSpace(ord(before)), isWhiteSpace(ord(after))
        point_before = not wide_before and _is_point(before)
        point_after = not wide_after and _is_point(after)
        opens = not space_after and (not point_after or space_before or point_before or wide_before)
        closes = not space_before and (not point_before or space_after or point_after or wide_after)
        return Scanned(
            opens and (canSplitWord or not closes or point_before),
            closes and (canSplitWord or not opens or point_after),
            pos - start,
        )


def _is_point(char: str) -> bool:
    return isMdAsciiPunct(ord(char)) or isPunctChar(char)
