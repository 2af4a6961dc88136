"""Markdown of an entry -> HTML of a page.

mkdocs reads the pages as Markdown of a different dialect, and must find nothing to interpret: each block is
one line of HTML in which line breaks are entities. So no text of an entry is parsed twice.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]

from dpkb.catalogue.fields import ID
from dpkb.text import escape_controls, join_lines

# An id or the file name of a script -> its address, relative to this page; None for no link.
Link = Callable[[str], str | None]

# Characters that are written as entities, as Markdown would interpret them.
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>&#!|~^\"']")
# At the start of a line these make a list, a heading, a table, a definition or a note.
_LINE_START = re.compile(r"\s*(?:[-+:=?%@$/]|\d+[.)])")
_ID = re.compile(rf"\b{ID.pattern}\b")
_WEB = re.compile(r"https?://[^\s<>\"'`\\]+")


def render_front_matter(title: str, description: str = "", **flags: bool) -> str:
    """The front matter of a page. flags: `start` for the start page."""
    lines = ["---", f"title: {json.dumps(escape_attribute(title))}"]
    if description:
        lines.append(f"description: {json.dumps(escape_attribute(description))}")
    return "\n".join([*lines, *(f"{key}: true" for key, is_set in flags.items() if is_set), "---"])


def create_anchor(heading: str) -> str:
    """The stable anchor of a heading of an entry."""
    return re.sub("[^a-z]+", "-", heading.lower()).strip("-")


def link_nowhere(name: str) -> str | None:
    """A Link that leads nowhere."""
    return None


def escape(text: str) -> str:
    """Text on one line that is plain text in both HTML and Markdown."""
    line = _replace_with_entities(join_lines(text))
    match = _LINE_START.match(line)
    return f"{line[: match.end() - 1]}&#{ord(line[match.end() - 1])};{line[match.end() :]}" if match else line


def render_title(text: str) -> str:
    """A title, in which only `code` is markup."""
    pieces = re.split(r"`([^`]+)`", join_lines(text))
    return "".join(
        render_code(piece) if i % 2 else escape(piece) if i == 0 else _replace_with_entities(piece)
        for i, piece in enumerate(pieces)
    )


def escape_attribute(text: str) -> str:
    """Text for an attribute, for XML, or for front matter that a theme prints without escaping."""
    return html.escape(join_lines(text), quote=True)


def render_code(text: str) -> str:
    """Inline code."""
    return f"<code>{_replace_with_entities(join_lines(text))}</code>"


def render_code_block(text: str, language: str = "text") -> str:
    """A block of code in colours, on one line of HTML."""
    body = escape_controls(text).rstrip("\n")
    try:
        coloured = highlight(body, get_lexer_by_name(language, stripnl=False), HtmlFormatter(nowrap=True))
    except ClassNotFound:
        coloured = html.escape(body)
    coloured = coloured.rstrip("\n")
    # The text between tags is escaped for Markdown.
    pieces = re.split(r"(<[^>]*>)", coloured)
    lines = "".join(
        piece if piece.startswith("<") else _replace_with_entities(html.unescape(piece)) for piece in pieces
    )
    return f'<div class="highlight"><pre><code>{lines}</code></pre></div>'


def render_web_link(title: str, url: str) -> str:
    """A link to a web page; plain text if the address is no web address."""
    if not _WEB.fullmatch(url):
        return f"{escape(title)} ({escape(url)})"
    return f'<a href="{escape_attribute(url)}" rel="noopener noreferrer">{escape(title)}</a>'


def render_entry_link(entry_id: str, folder: str) -> str:
    """A link to the page of an entry, from a page that sees the entries in this folder."""
    return f'<a href="{folder}{entry_id.lower()}.html">{entry_id}</a>'


def link_ids(text: str, link: Link) -> str:
    """Text on one line, in which the ids of other entries are links."""
    pieces, end = [], 0
    for match in _ID.finditer(text):
        if address := link(match.group()):
            pieces += [
                _replace_with_entities(text[end : match.start()]),
                f'<a href="{address}">{match.group()}</a>',
            ]
            end = match.end()
    return "".join([*pieces, _replace_with_entities(text[end:])])


def render_markdown(markdown: str, link: Link, script_link: Link = link_nowhere) -> str:
    """An entry's Markdown as HTML on one line. Raw HTML in it comes out as text."""
    tokens = _create_parser().parse(escape_controls(markdown))
    text: str = _Renderer(link, script_link).render(tokens, _create_parser().options, {})
    return text.replace("\n", " ").strip()


def render_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table on one line. Heads and cells are HTML."""

    def render_row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(render_row(cells, "td") for cells in rows)
    return f"<table><thead>{render_row(heads, 'th')}</thead><tbody>{body}</tbody></table>"


@lru_cache(maxsize=1)
def _create_parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


class _Renderer(RendererHTML):
    """Renders tokens; the names of its methods are those of the tokens."""

    def __init__(self, link: Link, script_link: Link) -> None:
        super().__init__()
        self._link, self._script_link = link, script_link
        # One item for each Markdown link around a token: whether it is a link in HTML too.
        self._open_links: list[bool] = []

    def text(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        content = tokens[index].content
        return _replace_with_entities(content) if any(self._open_links) else link_ids(content, self._link)

    def code_inline(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        content = tokens[index].content
        address = None if any(self._open_links) else self._script_link(content)
        return f'<a href="{address}">{render_code(content)}</a>' if address else render_code(content)

    def fence(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return render_code_block(tokens[index].content, tokens[index].info.split(" ")[0] or "text")

    def code_block(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return render_code_block(tokens[index].content)

    def link_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        url = str(tokens[index].attrs.get("href", ""))
        self._open_links.append(_WEB.fullmatch(url) is not None)
        return f'<a href="{escape_attribute(url)}" rel="noopener noreferrer">' if self._open_links[-1] else ""

    def link_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</a>" if self._open_links.pop() else ""

    def image(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return _replace_with_entities(tokens[index].content)

    # Headings in a section are below those of the page, which are h1 and h2.
    def heading_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "<h3>"

    def heading_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</h3>"

    # The policy of the pages forbids style attributes, which alignment would be.
    def th_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "<th>"

    def td_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "<td>"


def _replace_with_entities(text: str) -> str:
    return _SPECIAL.sub(lambda match: f"&#{ord(match.group())};", text).replace("\n", "&#10;")
