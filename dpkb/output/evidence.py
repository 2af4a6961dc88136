"""The recorded runs of all entries, as tables or JSON."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from dpkb.evidence.report import Matrix
from dpkb.output.console import create_text_console, split_table, text_of
from dpkb.output.wording import format_environment_heading

_MARKS = {
    "confirmed": ("✓", "green"),
    "not affected": ("–", "cyan"),
    "refuted": ("✗", "bold red"),
    "not run": ("·", "dim"),
}


def matrix_fields(matrix: Matrix) -> dict[str, object]:
    """The JSON fields of `dpkb matrix`."""
    return {
        "environments": list(matrix.environments),
        "entries": {entry: dict(zip(matrix.names, states, strict=True)) for entry, states in matrix.rows},
    }


def render_matrix(matrix: Matrix) -> str:
    """The matrix as tables that fit the window, then the meaning of its marks."""
    out = create_text_console()
    headings = [format_environment_heading(environment) for environment in matrix.environments]

    def table_of(columns: slice) -> Table:
        table = Table(box=None, pad_edge=False)
        table.add_column("", style="bold cyan")
        for heading in headings[columns]:
            table.add_column(heading.replace(" ", "\n"), justify="center", overflow="fold")
        for entry, states in matrix.rows:
            table.add_row(entry, *(Text(*_MARKS[state]) for state in states[columns]))
        return table

    for table in split_table(out, len(headings), table_of):
        out.print(table)
    meanings = (f"{mark} {state}" for state, (mark, _) in _MARKS.items())
    out.print(Text("   ".join(meanings), style="dim"))
    return text_of(out)
