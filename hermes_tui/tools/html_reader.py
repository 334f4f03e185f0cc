"""The standard library's HTML parser, for pages as they are: nothing written on one is a fault."""

from __future__ import annotations

from html.parser import HTMLParser


class HtmlReader(HTMLParser):
    """A parser that passes over what it does not know, as browsers do."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def parse_html_declaration(self, i: int) -> int:
        """Marked sections of SGML are comments in HTML; the parser fails on odd ones."""
        if self.rawdata.startswith("<![", i):
            return self.parse_bogus_comment(i)
        return super().parse_html_declaration(i)
