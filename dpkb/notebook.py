"""`%load_ext dpkb`: explains the exceptions of cells, `%dpkb` the last one again, and `%%dpkb_audit` watches a cell."""

from __future__ import annotations

import sys
from contextlib import suppress
from html import escape
from typing import Any


class CellFailed(Exception):
    """A watched cell has failed, and its traceback is shown already."""

    def _render_traceback_(self) -> list[str]:
        return []


def load_ipython_extension(shell: Any) -> None:
    """Add the magics, and explain each cell that fails."""
    shell.events.register("post_run_cell", _follow_cell)
    shell.register_magic_function(_explain_again, "line", "dpkb")
    shell.register_magic_function(_audit_cell, "cell", "dpkb_audit")


def unload_ipython_extension(shell: Any) -> None:
    """Explain no cell any more."""
    shell.events.unregister("post_run_cell", _follow_cell)


def _explain_again(line: str) -> None:
    """Explain the last exception."""
    error = getattr(sys, "last_value", None)
    if error is None or not _show(error):
        print("dpkb: there is no exception that an entry or a tensor explains")


def _audit_cell(line: str, cell: str) -> None:
    """Run a cell, and show what `dpkb.audit.watch()` found."""
    from IPython import get_ipython
    from IPython.display import display

    from dpkb.audit import watch

    shell = get_ipython()
    next_count = shell.execution_count
    # IPython 9 has counted this cell already.
    shell.execution_count = len(shell.history_manager.input_hist_parsed) - 1
    try:
        with watch(on_finding=None) as report:
            # The line of this magic counts too. Another one has to be the first line.
            result = shell.run_cell(cell if cell.startswith("%%") else f"#\n{cell}")
    finally:
        shell.execution_count = next_count
    display(report)  # type: ignore[no-untyped-call]
    if not result.success:
        raise CellFailed


def _follow_cell(result: Any) -> None:
    """Explain the exception of a cell."""
    error = result.error_in_exec
    if error is not None and not isinstance(error, CellFailed):
        with suppress(Exception):  # the traceback has been shown
            _show(error)


def _show(error: BaseException) -> bool:
    from IPython.display import display

    from dpkb.traceback import explain

    if text := explain(error, 100):
        display({"text/plain": text, "text/html": f"<pre>{escape(text)}</pre>"}, raw=True)  # type: ignore[no-untyped-call]
    return bool(text)
