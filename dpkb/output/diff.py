"""A unified diff in the colours of the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from dpkb.output.console import create_text_console, text_of
from dpkb.text import escape_controls

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def render_diff(lines: Iterable[str]) -> str:
    """The lines of a unified diff; none is wrapped, so that they can be copied."""
    out = create_text_console()
    for line in lines:
        style = "bold" if line.startswith(("+++", "---")) else _STYLES.get(line[:1], "")
        out.print(Text(escape_controls(line), style=style), soft_wrap=True)
    return text_of(out)
