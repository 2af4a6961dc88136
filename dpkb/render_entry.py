"""Entries and families as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from markdown_it import MarkdownIt
from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from dpkb.entry import Entry, Family, Outcome, Problem, Script
from dpkb.plain import one_line, plain
from dpkb.terminal import console


def show(entry: Entry, titles: dict[str, str], facts: Iterable[str] = ()) -> None:
    """One entry, readable from top to bottom. facts: where it was seen, and whether it is here."""
    out = console()
    head = Text.assemble((entry.id, "bold cyan"), "  ", (plain(entry.title), "bold"))
    out.print(head)
    out.print(Text(f"{entry.kind.value} · {_affects(entry)}", style="dim"))
    for fact in filter(None, facts):
        out.print(Text(plain(fact), style="dim"))
    if entry.withdrawn:
        out.print(Text(f"Withdrawn: {plain(entry.withdrawn)}", style="bold yellow"))
    out.print()
    for section in entry.sections:
        out.print(_heading(section.heading))
        _show_markdown(out, plain(section.text))
    _show_confusions(out, entry, titles)
    _show_scripts(out, entry)
    if entry.see_also:
        out.print(_heading("See also"))
        out.print(_titled(entry.see_also, titles))
        out.print()
    out.print(_heading("Sources"))
    for source in entry.sources:
        out.print(Text(f"  {plain(source.title)}\n    {plain(source.url)}"), soft_wrap=True)


def _show_markdown(out: Console, text: str) -> None:
    """Prose wrapped to the window; code never wrapped by us, so that it can be copied."""
    lines = text.split("\n")
    prose_from = 0
    for token in MarkdownIt().parse(text):
        if token.type == "fence" and token.level == 0:
            _show_prose(out, lines[prose_from : token.map[0]])
            code = token.content.rstrip("\n")
            syntax = Syntax(code, token.info or "text", theme="ansi_dark", background_color="default")
            for line in syntax.highlight(code).split("\n"):
                out.print(Text("    ").append_text(line), soft_wrap=True)
            out.print()
            prose_from = token.map[1]
    _show_prose(out, lines[prose_from:])


def _show_prose(out: Console, lines: list[str]) -> None:
    text = "\n".join(lines).strip("\n")
    if text:
        out.print(Markdown(text, hyperlinks=False))
        out.print()


def _heading(text: str) -> Text:
    return Text(text, style="bold underline")


def _affects(entry: Entry) -> str:
    parts = [f"{name.replace('_', ' ')} {plain(value)}" for name, value in entry.affects]
    return "affects " + ", ".join(parts) if parts else "affects every version"


def _show_confusions(out: Console, entry: Entry, titles: dict[str, str]) -> None:
    if not entry.confused_with:
        return
    out.print(_heading("Or is it another one?"))
    for other in entry.confused_with:
        out.print(_titled([other.id], titles))
        out.print(Padding(Markdown(plain(other.check), hyperlinks=False), (0, 0, 0, 4)))
    out.print()


def _titled(ids: Iterable[str], titles: dict[str, str]) -> Padding:
    rows = Table.grid(padding=(0, 2, 0, 0))
    rows.add_column(style="cyan", no_wrap=True)
    rows.add_column(overflow="fold")
    for one in ids:
        rows.add_row(one, plain(titles.get(one, "")))
    return Padding(rows, (0, 0, 0, 2))


def _show_scripts(out: Console, entry: Entry) -> None:
    out.print(_heading("See it on your machine"))
    for script in entry.scripts:
        mark = ("✓ ", "green") if script.shows is Outcome.HEALTHY else ("✗ ", "red")
        bounds = f"  ({script.range})" if script.range.specifiers else ""
        out.print(Text.assemble("  ", mark, (repro_command(script), "cyan"), (bounds, "dim")))
        out.print(Padding(Text(plain(script.claim)), (0, 0, 0, 6)))
    out.print()


def repro_command(script: Script) -> str:
    """The command line that runs this script."""
    if script.name == "broken":
        return f"dpkb repro {script.entry}"
    if script.name == "fixed":
        return f"dpkb repro {script.entry} --fixed"
    return f"dpkb repro {script.entry} --script {script.name}"


def listing(entries: Iterable[Entry], families: dict[str, Family]) -> None:
    """One line an entry, under the title of its family."""
    out = console()
    for letters, members in groupby(entries, key=lambda entry: entry.family):
        if letters in families:
            title = plain(families[letters].title)
            out.print(Text.assemble("\n", (title, "bold"), (f"  (dpkb show {letters})", "dim")))
        table = _list_table()
        for entry in members:
            table.add_row(entry.id, entry.kind.value, plain(entry.title))
        out.print(table)


def family(found: Family, members: Iterable[Entry]) -> None:
    """The overview of a family, and its entries."""
    out = console()
    out.print(Text.assemble((found.letters, "bold cyan"), "  ", (plain(found.title), "bold")))
    out.print(Text(plain(found.summary)), "\n")
    for section in found.sections:
        out.print(_heading(section.heading))
        _show_markdown(out, plain(section.text))
    out.print(_heading("Its entries"))
    table = _list_table()
    for entry in members:
        table.add_row(entry.id, entry.kind.value, plain(entry.title))
    out.print(table)


def _list_table() -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold cyan", no_wrap=True)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    return table


def diff(lines: list[str]) -> None:
    """A unified diff in colour."""
    styles = {"+": "green", "-": "red", "@": "cyan"}
    out = console()
    for line in lines:
        style = "bold" if line.startswith(("+++", "---")) else styles.get(line[:1], "")
        out.print(Text(plain(line), style=style), soft_wrap=True)


def problem(found: Problem, path: str) -> None:
    """One line on standard output: file, line and key, then what to do."""
    print(one_line(found.located(path)))
