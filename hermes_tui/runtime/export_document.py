"""A session as a document: Markdown, or one HTML file that needs nothing else."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from hermes_tui.events import Record
from hermes_tui.intents import SessionInfo
from hermes_tui.runtime.export_items import Item, tell

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_MARKS = {"ok": "✔", "error": "✘", "denied": "⊘", "stopped": "■", "interrupted": "◌"}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


def to_markdown(info: SessionInfo, records: Iterable[Record]) -> str:
    """The session as Markdown: what was said as it was written, what was done folded away."""
    parts = [f"# {_line(info.title) or info.id}", _about(info)]
    for item in tell(records):
        if item.kind == "said":
            parts += [f"## {item.who} · {_when(item.ts)}", _plain(item.text).strip()]
        elif item.kind == "note":
            parts.append(f"> {_line(item.text)}")
        else:
            head = html.escape(_head(item), quote=False)
            body = [_fence(text) for text in (item.arguments, item.text) if _worth(text)]
            parts.append("\n\n".join([f"<details><summary>{head}</summary>", *body, "</details>"]))
    return "\n\n".join(parts) + "\n"


def to_html(info: SessionInfo, records: Iterable[Record]) -> str:
    """The session as one HTML page: no scripts, no network, nothing in it is taken as HTML."""
    title = html.escape(_line(info.title) or info.id)
    parser = _parser()
    body = "\n".join(_section(item, parser) for item in tell(records))
    about = html.escape(_about(info))
    return _PAGE.format(title=title, about=about, style=_STYLE, body=body)


def _section(item: Item, parser: MarkdownIt) -> str:
    when = f"<time>{html.escape(_when(item.ts))}</time>"
    if item.kind == "said":
        who = "you" if item.who == "You" else "agent"
        text = parser.render(_plain(item.text))
        name = html.escape(item.who)
        return f'<section class="{who}"><header><b>{name}</b> {when}</header>\n{text}</section>'
    if item.kind == "note":
        return f'<p class="note">{html.escape(_plain(item.text))}</p>'
    blocks = [html.escape(_plain(text)) for text in (item.arguments, item.text) if _worth(text)]
    inside = "".join(f"<pre>{text}</pre>" for text in blocks)
    bad = "" if item.status in ("ok", "running") else ' class="bad"'
    return f"<details{bad}><summary>{html.escape(_head(item))}</summary>{inside}</details>"


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    made.add_render_rule("image", _image)
    return made


def _image(_: Any, tokens: Sequence[Any], index: int, *__: Any) -> str:
    """A picture is a link: showing it would fetch it."""
    token = tokens[index]
    source = html.escape(str(token.attrs.get("src", "")))
    return f'<a href="{source}">{html.escape(token.content or source)}</a>'


def _about(info: SessionInfo) -> str:
    facts = [_when(info.created) if info.created else "", info.model, info.cwd]
    return " · ".join(_line(fact) for fact in facts if fact)


def _head(item: Item) -> str:
    took = f" ({item.seconds:.1f} s)" if item.seconds >= 0.05 else ""
    word = "" if item.status == "ok" else f" · {item.status}"
    return f"{_MARKS.get(item.status, '◐')} {item.who}  {_line(item.about)}{word}{took}"


def _fence(text: str) -> str:
    """Text in a fence that is longer than any in it."""
    text = _plain(text).strip("\n")
    longest = max((len(run) for run in re.findall("`{3,}", text)), default=2)
    mark = "`" * (longest + 1)
    return f"{mark}\n{text}\n{mark}"


def _worth(text: str) -> bool:
    return text.strip() not in ("", "{}")


def _plain(text: str) -> str:
    """Text without what would steer a terminal or is no character of a document."""
    text = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", text).encode("utf-8", "replace").decode("utf-8")


def _line(text: str) -> str:
    return " ".join(_plain(text).split())


def _when(ts: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(ts))


_STYLE = """
:root { color-scheme: light dark; --ink: #2b2a28; --ground: #faf7f0; --soft: #6a655b;
  --accent: #2a56b0; --panel: #f0eade; --bad: #b0352d; }
@media (prefers-color-scheme: dark) { :root { --ink: #d3d8e4; --ground: #12141b; --soft: #8a92a6;
  --accent: #93b4ff; --panel: #1b1f29; --bad: #f09393; } }
body { max-width: 48rem; margin: 2rem auto; padding: 0 1rem; color: var(--ink);
  background: var(--ground); font: 16px/1.55 system-ui, sans-serif; }
header, time, .about, .note, summary { color: var(--soft); }
header b { color: var(--ink); }
section.you { border-left: 3px solid var(--accent); padding-left: 1rem; margin: 2rem 0 1rem; }
section.you header b, a { color: var(--accent); }
pre, code { font: 0.9em/1.45 ui-monospace, monospace; background: var(--panel); }
code { padding: 0.1em 0.3em; border-radius: 3px; }
pre { padding: 0.7rem 1rem; overflow-x: auto; border-radius: 6px; white-space: pre-wrap; }
pre code { padding: 0; }
details { margin: 0.3rem 0; } details.bad summary { color: var(--bad); }
summary { cursor: pointer; font: 0.9em ui-monospace, monospace; }
table { border-collapse: collapse; }
td, th { border: 1px solid var(--panel); padding: 0.3em 0.7em; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--panel); }
"""

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
<h1>{title}</h1>
<p class="about">{about}</p>
{body}
</html>
"""
