"""The console: its width, its colours, and tables that fit it."""

import pytest
from rich.table import Table

from dpkb.output.console import create_console, create_text_console, fits, split_table, text_of


@pytest.mark.parametrize(("columns", "width"), [("80", 80), ("300", 100), ("5", 20), ("0", 80)])
def test_the_console_is_as_wide_as_the_window_within_limits(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    assert create_console().width == width


def test_without_colour_nothing_is_bold(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    for wanted in (True, False):
        monkeypatch.setenv("NO_COLOR", "" if wanted else "1")
        create_console().print("x", style="bold red")
        assert ("\x1b" in capsys.readouterr().out) is wanted


def test_text_with_brackets_is_not_markup(capsys):
    create_console().print("[bold]x[/bold] 7 'a'")
    assert capsys.readouterr().out == "[bold]x[/bold] 7 'a'\n"


def test_text_is_kept_for_the_caller_without_its_last_newline(capsys):
    out = create_text_console()
    out.print("first")
    out.print("second\n")
    assert text_of(out) == "first\nsecond\n" and capsys.readouterr().out == ""


def table_of(columns):
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for n in range(columns.start, min(columns.stop, 9)):
        table.add_column(f"name {n}", no_wrap=True)
    table.add_row("row", *(["x" * 6] * (len(table.columns) - 1)))
    return table


@pytest.mark.parametrize(("width", "tables"), [(100, 1), (40, 3), (20, 5), (22, 5), (12, 9)])
def test_a_table_is_split_into_as_few_tables_as_fit(monkeypatch, width, tables):
    monkeypatch.setenv("COLUMNS", str(width))
    out = create_console()
    out.width = width
    split = split_table(out, 9, table_of)
    assert len(split) == tables and all(fits(out, table) for table in split)
    assert [column.header for table in split for column in table.columns if column.header] == [
        f"name {n}" for n in range(9)
    ]


def test_a_column_that_fits_no_window_has_a_table_of_its_own():
    out = create_console()
    out.width = 5
    assert len(split_table(out, 9, table_of)) == 9
