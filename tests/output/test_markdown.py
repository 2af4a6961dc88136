"""The Markdown of entries on a terminal of any width."""

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from dpkb.output.markdown import print_markdown


def printed(text, width):
    out = Console(file=io.StringIO(), width=width, highlight=False, color_system=None)
    print_markdown(out, text)
    return out.file.getvalue()


TABLE = """
| You see | It is | Do |
|---|---|---|
| `Bus error` and **nothing** else in the log | a full /dev/shm, which is small in a container | enlarge it |
| a \\| b | short | |
"""


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100])
def test_a_table_has_every_word_and_fits(width):
    shown = printed(TABLE, width)
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= width
    words = "".join(shown.replace("•", "").split())
    for text in ("Bus", "error", "nothing", "a|b", "short", "container", "enlarge"):
        assert text in words
    assert "`" not in shown and "**" not in shown


def test_in_a_wide_window_rows_are_marked_and_columns_aligned():
    lines = printed(TABLE, 100).splitlines()
    assert lines[0].split() == ["You", "see", "It", "is", "Do"]
    starts = {line.index("•") for line in lines if "•" in line}
    assert starts == {1} and lines[1].index("a full") == lines[0].index("It is")


def test_in_a_narrow_window_each_row_is_a_block():
    lines = [line.rstrip() for line in printed(TABLE, 50).splitlines()]
    assert [line for line in lines if "•" in line] == [" • Bus error and nothing else in the log", " • a | b"]
    at = lines.index("     Do: enlarge it")
    assert lines[at - 2 : at] == ["     It is: a full /dev/shm, which is small in a", "     container"]
    assert "     Do:" not in lines, "an empty cell has no line"


@pytest.mark.parametrize("width", [50, 60, 70, 80, 100])
def test_code_in_a_table_breaks_at_spaces_only(width):
    code = "torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False)"
    shown = printed(
        f"""
| You see | It is | Do |
|---|---|---|
| the same, but some of the layers have no gradient at all | gradient checkpointing | `{code}` |
""",
        width,
    )
    assert set(code.split()) <= set(shown.split())


def test_code_is_never_wrapped_and_keeps_its_indentation():
    code = "if x:\n    y = " + "1 + " * 40 + "1"
    shown = printed(f"Text.\n\n```python fixed\n{code}\n```\n\nMore.", 40)
    assert "\n".join("    " + line for line in code.split("\n")) in shown
    assert shown.index("Text.") < shown.index("if x") < shown.index("More.")


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.lists(st.text("ab c", max_size=60), min_size=3, max_size=3), min_size=1, max_size=5),
    st.integers(20, 100),
)
def test_any_table_fits_and_keeps_its_words(cells, width):
    rows = [f"| {' | '.join(row)} |" for row in cells]
    shown = printed("\n".join(["| x | y | z |", "|---|---|---|", *rows]), width)
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= width
    letters = "".join(cell for row in cells for cell in row)
    assert all(shown.count(letter) == letters.count(letter) for letter in "abc")


def test_a_link_has_its_address_in_prose_and_in_a_table():
    link = "[the docs](https://example.org/)"
    for text in (f"See {link} now.", f"| a | b |\n|---|---|\n| See {link} now. | c |"):
        assert "See the docs (https://example.org/) now." in re.sub(r"\s+", " ", printed(text, 80))
