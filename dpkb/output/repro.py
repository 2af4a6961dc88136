"""`dpkb repro`: one run of one script, as text while it runs and afterwards, or as JSON."""

from __future__ import annotations

from dataclasses import asdict

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dpkb.judge.observed import Grid, describe_key, format_cell, read_grid
from dpkb.model import Outcome, Reproducer
from dpkb.output.console import create_console, create_text_console, split_table, text_of
from dpkb.output.result import STYLES, describe_verdict, environment_fields, result_fields
from dpkb.output.wording import describe_environment, format_repro_command
from dpkb.run_records import Environment, Limit, Missing, RunResult, Verdict
from dpkb.text import escape_controls, join_lines

_MEANINGS = {
    Verdict.CONFIRMED: "this machine shows what the entry says",
    Verdict.REFUTED: "this machine does not show what the entry says",
    Verdict.INCONCLUSIVE: "this run says nothing about the entry",
    Verdict.SKIPPED: "the script needs something that is missing here, so nothing was tested",
}
# What to do about a skipped run.
_REMEDIES = {
    Missing.PACKAGE: "install the package: {python} -m pip install PACKAGE, or use a Python that has it: "
    "{repro} --python PATH",
    Missing.GPU: "use a machine with a CUDA GPU and a torch with CUDA, without --device cpu",
    Missing.ROOT: "run dpkb as root",
    Missing.LINUX: "run dpkb on Linux",
    Missing.TORCH_VERSION: "use another version of torch: {repro} --torch VERSION",
    Missing.OTHER: "use a machine or a Python that has it: {repro} --python PATH",
}
# A --timeout for a script that needed longer than its limit: four times the default.
_MORE_SECONDS = 480
_GRID_STYLES = (
    "black on cyan",
    "black on yellow",
    "black on magenta",
    "black on green",
    "black on bright_blue",
    "black on bright_red",
    "black on white",
)


def repro_fields(environment: Environment, result: RunResult) -> dict[str, object]:
    """The JSON fields of `dpkb repro`."""
    return {"environment": environment_fields(environment), **result_fields(result)}


class LiveOutput:
    """Prints a script's output while it runs, safely for a terminal, and stops after `limit` characters."""

    def __init__(self, limit: int = 20_000) -> None:
        self._left = limit
        self._out = create_console()
        self._unfinished: dict[str, bytes] = {"stdout": b"", "stderr": b""}

    def take(self, stream: str, chunk: bytes) -> None:
        """Take the next bytes of "stdout" or "stderr", and print the complete lines."""
        *lines, rest = (self._unfinished[stream] + chunk).split(b"\n")
        self._unfinished[stream] = rest[:4096]
        for line in lines:
            self._print(line)

    def close(self) -> None:
        """Print the last line of each stream if it has no newline."""
        for rest in self._unfinished.values():
            if rest:
                self._print(rest)

    def _print(self, line: bytes) -> None:
        if self._left <= 0 or line.startswith((b"OBSERVED ", b"SKIPPED")):
            return
        text = escape_controls(line[:4096].decode("utf-8", "backslashreplace"))
        self._left -= len(text) + 1
        self._out.print(Text("│ " + text, style="dim"), soft_wrap=True)
        if self._left <= 0:
            self._out.print(Text("│ … (more output, not shown)", style="yellow"))


def render_repro_start(script: Reproducer, environment: Environment) -> str:
    """Which script is about to run, in which environment, and about how long."""
    out = create_text_console()
    out.print(Text.assemble((script.entry, "bold cyan"), " ", (f"{script.name}.py", "bold")))
    line = describe_environment(asdict(environment))
    out.print(Text(f"{line} · about {script.needs.about_seconds:g} s", style="dim"))
    return text_of(out)


def render_repro(script: Reproducer, environment: Environment, result: RunResult) -> str:
    """What was expected and seen, the verdict, and the next step."""
    out = create_text_console()
    if result.outcome is Outcome.INVALID and result.log:
        out.print(Text(escape_controls(result.log[-2000:]), style="dim"))
    out.print()
    _print_comparison(out, result)
    out.print(
        Text.assemble(
            ("Verdict         ", "bold"),
            (describe_verdict(result), STYLES[result.verdict]),
            f": {_MEANINGS[result.verdict]} ({result.seconds:.1f} s)",
        )
    )
    out.print(Text(_describe_next_step(script, environment, result), style="dim"), soft_wrap=True)
    return text_of(out)


def _print_comparison(out: Console, result: RunResult) -> None:
    """Print what was expected and seen, with the observed values as lines and as grids."""
    rows = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    rows.add_column(style="bold", no_wrap=True)
    rows.add_column(overflow="fold")
    rows.add_row("The entry says", escape_controls(f"{result.expected}: {result.claim}"))
    rows.add_row("Seen here", escape_controls(result.seen))
    grids = []
    for key, value in (result.observed or {}).items():
        if shown := read_grid(key, value, result.observed):
            grids.append(shown)
        elif key != "healthy":
            text = ", ".join(map(format_cell, value)) if isinstance(value, list) else format_cell(value)
            rows.add_row("", escape_controls(f"{describe_key(key)}: {text}"))
    out.print(rows)
    for shown in grids:
        _print_grid(out, shown)
    if grids:
        out.print()


def _describe_next_step(script: Reproducer, environment: Environment, result: RunResult) -> str:
    entry_id = script.entry
    if result.verdict is Verdict.REFUTED:
        return f"Then the entry is wrong or outdated. The versions that it names: dpkb show {entry_id} --all"
    if result.verdict is Verdict.SKIPPED:
        return _describe_remedy(script, environment, result)
    if result.limit is Limit.TIME:
        seconds = max(_MORE_SECONDS, 4 * round(result.seconds))
        return f"Give it more time: {format_repro_command(script)} --timeout {seconds}"
    if result.verdict is Verdict.INCONCLUSIVE:
        return f"Run it again: {format_repro_command(script)}"
    if script.shows is Outcome.HEALTHY:
        return f"The fix as a diff: dpkb diff {entry_id} · why it works: dpkb show {entry_id}"
    return f"Now the fix: dpkb repro {entry_id} --fixed · as a diff: dpkb diff {entry_id}"


def _describe_remedy(script: Reproducer, environment: Environment, result: RunResult) -> str:
    """How to run a script that was skipped."""
    remedy = _REMEDIES[result.missing or Missing.OTHER]
    commands = {
        "python": escape_controls(environment.executable),
        "repro": format_repro_command(script),
    }
    return f"To run it, {remedy.format(**commands)}\nRuns on other machines: dpkb show {script.entry}"


def _print_grid(out: Console, shown: Grid) -> None:
    """Print a small table in which equal cells share a colour and a letter."""
    letters: dict[str, int] = {}
    for row in shown.cells:
        for cell in row:
            if cell in shown.repeated_cells and cell not in letters and len(letters) < len(_GRID_STYLES):
                letters[cell] = len(letters)
    legend = "  equal cells share a letter" if letters else ""
    out.print(Text.assemble((f"\n{escape_controls(shown.quantity)}", "bold"), (legend, "dim")))
    for table in split_table(
        out, len(shown.columns), lambda columns: _create_grid_table(shown, columns, letters)
    ):
        out.print(table)


def _create_grid_table(shown: Grid, columns: slice, letters: dict[str, int]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    if shown.rows != ("",):
        table.add_column("", style="bold", overflow="fold")
    for column in shown.columns[columns]:
        table.add_column(escape_controls(column), overflow="fold")
    for name, row in zip(shown.rows, shown.cells, strict=True):
        cells = [_create_cell(cell, letters) for cell in row[columns]]
        table.add_row(*([escape_controls(name)] if name else []), *cells)
    return table


def _create_cell(cell: str, letters: dict[str, int]) -> Text:
    text = join_lines(cell, 40)
    if cell not in letters:
        return Text(text)
    number = letters[cell]
    return Text(f"{text} [{chr(97 + number)}]", style=_GRID_STYLES[number])
