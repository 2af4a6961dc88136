"""What was claimed and seen over all entries, as tables for a terminal or in Markdown."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from dpkb.plain import plain
from dpkb.terminal import console, in_parts

_STATE_MARKS = {"confirmed": ("✓", "green"), "not affected": ("–", "cyan"), "refuted": ("✗", "bold red"),
                "not run": ("·", "dim")}


def matrix(environments: list[dict[str, Any]], rows: list[tuple[str, list[str]]], markdown: bool) -> None:
    """Entries against environments, with what the marks mean."""
    heads = [_matrix_head(environment) for environment in environments]
    if markdown:
        print("| | " + " | ".join(heads) + " |\n|---|" + "---|" * len(heads))
        for entry, states in rows:
            print(f"| {entry} | " + " | ".join(states) + " |")
        return
    out = console()
    for part in in_parts(out, len(heads), lambda part: _matrix_table(heads[part], rows, part)):
        out.print(part)
    meanings = (f"{mark} {state}" for state, (mark, _) in _STATE_MARKS.items())
    out.print(Text("   ".join(meanings), style="dim"))


def _matrix_table(heads: list[str], rows: list[tuple[str, list[str]]], part: slice) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("", style="bold cyan")
    for head in heads:
        table.add_column(head.replace(" ", "\n"), justify="center", overflow="fold")
    for entry, states in rows:
        table.add_row(entry, *(Text(*_STATE_MARKS[state]) for state in states[part]))
    return table


def claims(rows: list[dict[str, Any]], markdown: bool) -> None:
    """Claims, scripts and runs of each entry, and what was not run."""
    heads = ("", "claims", "with a script", "run", "not yet run")
    table = Table(box=box.MARKDOWN if markdown else None, pad_edge=markdown)
    for head in heads:
        table.add_column(head, justify="left" if head in ("", "not yet run") else "right", overflow="fold")
    for row in rows:
        table.add_row(row["id"], *(str(row[key]) for key in ("claims", "scripts", "run")),
                      ", ".join(row["not_run"]))
    total = (str(sum(row[key] for row in rows)) for key in ("claims", "scripts", "run"))
    table.add_row("all", *total, str(sum(len(row["not_run"]) for row in rows)), style="bold")
    console().print(table)


def _matrix_head(environment: dict[str, Any]) -> str:
    device = "" if environment["device"] == "cpu" else f" {environment['device']}"
    return plain(f"{environment['torch'].split('+')[0]} py{environment['python'].rpartition('.')[0]}{device}")
