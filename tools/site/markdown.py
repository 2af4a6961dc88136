"""Markdown of an entry -> HTML of a page. mkdocs puts this HTML into its theme as it is."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from textwrap import indent
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

_ID = re.compile(rf"\b{ID.pattern}\b")
_SECTION = re.compile(r'<h2 id="([\w-]+)">(.*?)<a class="headerlink"')
_WEB = re.compile(r"https?://[^\s<>\"'`\\]+")


def render_page(
    title: str, blocks: Iterable[str], description: str = "", is_start: bool = False, source: str = ""
) -> str:
    """A page for mkdocs: all of it is front matter, which the theme prints, so mkdocs has nothing to render.

    source: the file of the repository that an editor of the page changes.
    """
    body = "\n".join(filter(None, blocks))
    sections = [list(found) for found in _SECTION.findall(body)]
    lines = ["---", f"title: {json.dumps(escape(title))}"]
    if description:
        lines.append(f"description: {json.dumps(escape(description))}")
    if is_start:
        lines.append("start: true")
    if source:
        lines.append(f"source: {json.dumps(escape(source))}")
    return "\n".join(
        [
            *lines,
            f"sections: {json.dumps(sections)}",
            "body: |",
            indent(body, "  ", lambda line: True),
            "---",
            "",
        ]
    )


def render_heading(level: int, html: str, anchor: str) -> str:
    """A heading with a link to itself."""
    link = f'<a class="headerlink" href="#{anchor}" title="Permanent link">&para;</a>'
    return f'<h{level} id="{anchor}">{html}{link}</h{level}>'


def create_anchor(heading: str) -> str:
    """The stable anchor of a heading of an entry."""
    return re.sub("[^a-z]+", "-", heading.lower()).strip("-")


def escape(text: str) -> str:
    """Text on one line, for HTML and for its attributes."""
    return html.escape(join_lines(text))


def render_title(text: str) -> str:
    """A title, in which only `code` is markup."""
    pieces = re.split(r"`([^`]+)`", join_lines(text))
    return "".join(render_code(piece) if i % 2 else html.escape(piece) for i, piece in enumerate(pieces))


def render_in_both(english: str, chinese: str | None) -> str:
    """A title in both languages, of which the style sheet shows one; in English if it has no Chinese."""
    if chinese is None:
        return render_title(english)
    return f'<span lang="en">{render_title(english)}</span><span lang="zh">{render_title(chinese)}</span>'


def render_code(text: str) -> str:
    """Inline code."""
    return f"<code>{escape(text)}</code>"


def render_code_block(text: str, language: str = "text") -> str:
    """A block of code in colours."""
    body = escape_controls(text).rstrip("\n")
    try:
        coloured = highlight(body, get_lexer_by_name(language, stripnl=False), HtmlFormatter(nowrap=True))
    except ClassNotFound:
        coloured = html.escape(body)
    stripped = coloured.rstrip("\n")
    return f'<div class="highlight"><pre><code>{stripped}</code></pre></div>'


def render_web_link(title: str, url: str) -> str:
    """A link to a web page; plain text if the address is no web address."""
    if not _WEB.fullmatch(url):
        return f"{escape(title)} ({escape(url)})"
    return f'<a href="{escape(url)}" rel="noopener noreferrer">{escape(title)}</a>'


def render_entry_link(entry_id: str, folder: str) -> str:
    """A link to the page of an entry, from a page that sees the entries in this folder."""
    return f'<a href="{folder}{entry_id.lower()}.html">{entry_id}</a>'


def link_ids(text: str, link: Link) -> str:
    """Text on one line, in which the ids of other entries are links."""
    pieces, end = [], 0
    for match in _ID.finditer(text):
        if address := link(match.group()):
            pieces += [
                html.escape(text[end : match.start()]),
                f'<a href="{address}">{match.group()}</a>',
            ]
            end = match.end()
    return "".join([*pieces, html.escape(text[end:])])


def render_markdown(markdown: str, link: Link, script_link: Link = lambda name: None) -> str:
    """An entry's Markdown as HTML. Raw HTML in it comes out as text."""
    tokens = _create_parser().parse(escape_controls(markdown))
    text: str = _Renderer(link, script_link).render(tokens, _create_parser().options, {})
    return text.strip()


def render_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table. Heads and cells are HTML."""

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
        return html.escape(content) if any(self._open_links) else link_ids(content, self._link)

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
        return f'<a href="{escape(url)}" rel="noopener noreferrer">' if self._open_links[-1] else ""

    def link_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</a>" if self._open_links.pop() else ""

    def image(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return html.escape(tokens[index].content)

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
