"""Markdown of an entry as Markdown for a page: laid out for Python-Markdown, unable to inject markup."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from dpkb.parse import ID
from dpkb.plain import one_line, plain

# An id -> the address of its page as seen from this one; None where it is not to be a link.
Link = Callable[[str], str | None]

# Written as entities, which no Markdown processor takes for more than the character that they name.
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>&#!|~^]")
# What makes a list, a heading, a table, a definition or a note of a paragraph whose line starts with it.
_LINE_START = re.compile(r"\s*(?:[-+:=?%@$/\"]|\d+[.)])")
_ID = re.compile(rf"\b{ID.pattern}\b")
_INFO = re.compile(r"[a-z0-9+-]+")
_WEB = re.compile(r"https?://[^\s<>\"'`\\]+")


def escaped(text: str) -> str:
    """Text that stays text in Markdown: one line, everything special written as an entity."""
    return _safe_start(_entities(one_line(text)))


def attribute(text: str) -> str:
    """Text for an HTML attribute, or for front matter that a theme prints without escaping."""
    return html.escape(one_line(text), quote=True)


def code(text: str) -> str:
    """Inline code, whatever is in it."""
    line = one_line(text)
    return f"<code>{_entities(line)}</code>" if set("`<>&\\|") & set(line) or not line else f"`{line}`"


def fence(text: str, info: str = "text") -> str:
    """A fenced block that its own text cannot end."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    bar = "`" * max(3, longest + 1)
    info = info if _INFO.fullmatch(info) else "text"
    body = plain(text).rstrip("\n")
    return f"{bar}{info}\n{body}\n{bar}"


def web_link(title: str, url: str) -> str:
    """A link into the web; only text where the address is none."""
    if not _WEB.fullmatch(url):
        return f"{escaped(title)} ({escaped(url)})"
    return f'<a href="{attribute(url)}" rel="noopener noreferrer">{escaped(title)}</a>'


def linked(text: str, link: Link) -> str:
    """Text in which the ids are links."""
    parts, end = [], 0
    for found in _ID.finditer(text):
        address = link(found.group())
        if address:
            parts += [_entities(text[end : found.start()]), f"[{found.group()}]({address})"]
            end = found.end()
    return _safe_start("".join([*parts, _entities(text[end:])]))


def page_text(markdown: str, link: Link, script_link: Link = lambda name: None) -> str:
    """An entry's Markdown, written anew from what it means: raw HTML comes out as text."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    writer = _Writer(link, script_link)
    return "\n\n".join(writer.blocks(SyntaxTreeNode(parser.parse(plain(markdown)))))


class _Writer:
    """Writes the nodes of a Markdown document, blocks as texts of whole lines."""

    def __init__(self, link: Link, script_link: Link) -> None:
        self._link, self._script_link = link, script_link

    def blocks(self, node: SyntaxTreeNode) -> Iterator[str]:
        for child in node.children:
            yield self._block(child)

    def _block(self, node: SyntaxTreeNode) -> str:
        match node.type:
            case "fence" | "code_block":
                return fence(node.content, node.info.split(" ")[0] if node.type == "fence" else "text")
            case "heading":
                # The page's own headings are h1 and h2.
                return f"### {self._inline(node.children[0]).replace(chr(10), ' ')}"
            case "bullet_list":
                return self._items(node, "-   ")
            case "ordered_list":
                return self._items(node, "1.  ")
            case "blockquote":
                return _indented("\n\n".join(self.blocks(node)), "> ", "> ")
            case "table":
                return self._table(node)
            case "hr":
                return "* * *"
            case _:
                lines = "".join(self._inline(child) for child in node.children).split("\n")
                return "\n".join(_safe_start(line.lstrip()) for line in lines)

    def _items(self, node: SyntaxTreeNode, mark: str) -> str:
        items = ["\n\n".join(self.blocks(item)) for item in node.children]
        # Python-Markdown nests by four columns, where CommonMark takes two.
        space = "\n\n" if any("\n\n" in item for item in items) else "\n"
        return space.join(_indented(item, mark, "    ") for item in items)

    def _table(self, node: SyntaxTreeNode) -> str:
        rows = [[self._inline(cell.children[0]) if cell.children else "" for cell in row.children]
                for part in node.children for row in part.children]
        return table(rows[0], rows[1:])

    def _inline(self, node: SyntaxTreeNode) -> str:
        return "".join(self._span(child, in_link=False) for child in node.children)

    def _span(self, node: SyntaxTreeNode, in_link: bool) -> str:
        inner = "".join(self._span(child, in_link or node.type == "link") for child in node.children)
        match node.type:
            case "text":
                return _entities(node.content) if in_link else linked(node.content, self._link)
            case "code_inline":
                address = None if in_link else self._script_link(node.content)
                return f"[{code(node.content)}]({address})" if address else code(node.content)
            case "em" | "strong":
                return f"<{node.type}>{inner}</{node.type}>"
            case "link":
                url = str(node.attrs.get("href", ""))
                anchor = f'<a href="{attribute(url)}" rel="noopener noreferrer">{inner}</a>'
                return anchor if _WEB.fullmatch(url) else inner
            case "softbreak":
                return "\n"
            case "hardbreak":
                return "<br>\n"
            case "image":
                return _entities(node.content)
            case _:
                return inner or _entities(node.content)


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A Markdown table of cells that are Markdown already."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("\n", " ") for cell in line) + " |" for line in lines)


def _entities(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"&#{ord(found.group())};", text)


def _safe_start(line: str) -> str:
    found = _LINE_START.match(line)
    return f"{line[: found.end() - 1]}&#{ord(line[found.end() - 1])};{line[found.end():]}" if found else line


def _indented(text: str, first: str, rest: str) -> str:
    lines = [(rest + line).rstrip() if line else rest.rstrip() for line in text.split("\n")]
    return "\n".join([first + lines[0][len(rest):], *lines[1:]])
