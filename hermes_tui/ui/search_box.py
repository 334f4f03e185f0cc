"""A one-line box to type a query into."""

from __future__ import annotations

from hermes_tui.ui.prompt_editor import Editor


class SearchBox(Editor):
    """Posts `Changed` on every edit and `Done` on Enter; down leaves it as Enter does."""

    mark = "⌕ "

    def __init__(self, placeholder: str, *, text: str = "", id: str | None = None) -> None:
        super().__init__(placeholder=placeholder, most=1, id=id)
        if text:
            self.document.load(text)

    def do_newline(self) -> bool:
        """A query is one line."""
        return True

    def leave_edge(self, step: int, select: bool) -> bool:
        """Down goes on to what was found."""
        if step > 0 and not select:
            self.submit()
            return True
        return super().leave_edge(step, select)
