"""The Markdown of entries as text for a terminal."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

_INLINE_STYLES = {"strong_open": "bold", "em_open": "italic"}
# Columns narrower than this are not readable: each row is then printed as a block of lines.
_MIN_COLUMN = 22
_GAP = 2


def print_markdown(out: Console, text: str) -> None:
    """Print Markdown. Prose and tables fit the window; code is never wrapped, so that it can be copied."""
    lines = text.split("\n")
    prose_from = 0
    parser = MarkdownIt().enable("table")
    tokens = parser.parse(text)
    for i, token in enumerate(tokens):
        if token.level or token.map is None or token.type not in ("fence", "table_open"):
            continue
        _print_prose(out, lines[prose_from : token.map[0]])
        prose_from = token.map[1]
        if token.type == "fence":
            _print_code(out, token.content.rstrip("\n"), token.info)
        else:
            _print_table(out, _create_rows(tokens[i:]))
        out.print()
    _print_prose(out, lines[prose_from:])


def render_prose(text: str) -> Markdown:
    """Paragraphs and lists, for a console."""
    return Markdown(text, hyperlinks=False)


def _print_prose(out: Console, lines: list[str]) -> None:
    if text := "\n".join(lines).strip("\n"):
        out.print(render_prose(text))
        out.print()


def _print_code(out: Console, code: str, info: str) -> None:
    language = info.split()[0] if info.split() else "text"
    syntax = Syntax(code, language, theme="ansi_dark", background_color="default")
    for line in syntax.highlight(code).split("\n"):
        out.print(Text("    ").append_text(line) if line else "", soft_wrap=True)


def _create_rows(tokens: list[Token]) -> list[list[Text]]:
    """The cells of the table at the start of these tokens; the first row is the heading."""
    rows: list[list[Text]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_create_cell(token))
        elif token.type == "table_close":
            break
    return rows


def _create_cell(token: Token) -> Text:
    """One cell: code and emphasis in their styles, a link followed by its address."""
    text, styles, address = Text(), [""], ""
    for child in token.children or []:
        if child.type in _INLINE_STYLES:
            styles.append(_INLINE_STYLES[child.type])
        elif child.type in ("strong_close", "em_close"):
            styles.pop()
        elif child.type == "link_open":
            address = str(child.attrGet("href"))
        elif child.type == "link_close":
            text.append(f" ({address})")
        elif child.type == "code_inline":
            text.append(child.content, "cyan")
        else:
            text.append(" " if child.type == "softbreak" else child.content, styles[-1])
    return text


def _print_table(out: Console, rows: list[list[Text]]) -> None:
    heading, *body = rows
    room = out.width - 4 - _GAP * (len(heading) - 1)
    least, widths = _measure_longest_words(rows), [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    narrow = room // len(heading) < _MIN_COLUMN or sum(least) > room
    if len(heading) > 1 and narrow and sum(widths) > room:
        _print_blocks(out, heading, body)
        return
    while sum(widths) > room:  # rich itself would divide the room without regard to the longest words
        widths[max(range(len(widths)), key=lambda i: (widths[i] > least[i], widths[i]))] -= 1
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
    table.add_column("", width=1)
    for title, width in zip(heading, widths, strict=True):
        table.add_column(title, width=width, overflow="fold")
    for row in body:
        # The mark shows where a row starts, because most rows take several lines.
        table.add_row("•", *row)
    out.print(Padding(table, (0, 0, 0, 1)))


def _measure_longest_words(rows: list[list[Text]]) -> list[int]:
    """The width that each column needs, so that no word and no code in it is cut."""
    return [max(max(map(len, row[i].plain.split()), default=0) for row in rows) for i in range(len(rows[0]))]


def _print_blocks(out: Console, heading: list[Text], body: list[list[Text]]) -> None:
    """Each row as a block: its first cell, then every other cell after the title of its column."""
    blocks = Table.grid(padding=(0, 1, 0, 0))
    blocks.add_column(width=1)
    blocks.add_column(overflow="fold")
    for first, *others in body:
        blocks.add_row("•", first)
        for title, cell in zip(heading[1:], others, strict=True):
            if cell.plain:
                blocks.add_row("", Padding(Text.assemble(title, ": ", cell), (0, 0, 0, 2)))
    out.print(Padding(blocks, (0, 0, 0, 1)))
