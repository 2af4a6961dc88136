"""Runs and their verdicts as text or JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich import box
from rich.console import Console, Group
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from dpkb.judge.observed import Grid, cell_text, grid, words
from dpkb.judge.summary import VerifyReport, VerifyRun, disagreements, reproduced_pairs, verdict_counts
from dpkb.model import Entry, Environment, Outcome, Reproducer, Result, Verdict, order_of
from dpkb.output.console import console, fits, split_table
from dpkb.output.documents import document
from dpkb.output.wording import environment_line
from dpkb.text import one_line, plain

_STYLES = {
    Verdict.CONFIRMED: "green", Verdict.REFUTED: "bold red",
    Verdict.INCONCLUSIVE: "yellow", Verdict.SKIPPED: "yellow",
}
_MEANINGS = {
    Verdict.CONFIRMED: "this machine shows what the entry says",
    Verdict.REFUTED: "this machine does not show what the entry says",
    Verdict.INCONCLUSIVE: "this run says nothing about the entry",
    Verdict.SKIPPED: "not tested here",
}
_GRID_STYLES = ("black on cyan", "black on yellow", "black on magenta", "black on green",
                "black on bright_blue", "black on bright_red", "black on white")
# Outcomes that stderr explains; a wrong result prints nothing of use there.
_EXPLAINED_BY_STDERR = (Outcome.RAISED, Outcome.HUNG, Outcome.KILLED, Outcome.INVALID)
_ENVIRONMENT_FIELDS = ("executable", "python", "torch", "torchvision", "os", "device")


@dataclass(frozen=True)
class ReproReport:
    """One run of one script."""

    entry: Entry
    script: Reproducer
    environment: Environment
    result: Result


# -- JSON -------------------------------------------------------------------------------------------


def result_fields(result: Result) -> dict[str, object]:
    """The JSON fields of one run."""
    return {
        "id": result.id, "script": result.script, "claim": result.claim,
        "outcome": result.outcome.value, "verdict": result.verdict.value,
        "affected": result.affected, "expected": result.expected, "seen": result.seen,
        "observed": result.observed, "seconds": result.seconds,
        "stderr": result.log if result.outcome in _EXPLAINED_BY_STDERR else "",
    }


def environment_fields(environment: Environment) -> dict[str, object]:
    """The JSON fields of an environment."""
    fields = asdict(environment)
    return {key: fields[key] for key in _ENVIRONMENT_FIELDS}


def repro_fields(report: ReproReport) -> dict[str, object]:
    """The JSON fields of `dpkb repro`."""
    return {"environment": environment_fields(report.environment), **result_fields(report.result)}


def verify_fields(report: VerifyReport) -> dict[str, object]:
    """The JSON fields of `dpkb verify`: those of its one environment, or a list of several."""
    runs = [{
        "environment": environment_fields(run.environment),
        "results": [result_fields(result) for result in run.results],
        "summary": verdict_counts(run.results), "seconds": round(run.seconds, 1),
    } for run in report.runs]
    return runs[0] if len(runs) == 1 else {"runs": [document(run) for run in runs]}


# -- repro ------------------------------------------------------------------------------------------


class LiveOutput:
    """Prints a script's output as it comes, made safe, and stops after `limit` characters."""

    def __init__(self, limit: int = 20_000) -> None:
        self._left = limit
        self._out = console()
        self._unfinished: dict[str, bytes] = {"stdout": b"", "stderr": b""}

    def take(self, stream: str, chunk: bytes) -> None:
        """Print the lines that are complete."""
        *lines, rest = (self._unfinished[stream] + chunk).split(b"\n")
        self._unfinished[stream] = rest[:4096]
        for line in lines:
            self._print(line)

    def close(self) -> None:
        """Print last lines that have no newline."""
        for rest in self._unfinished.values():
            if rest:
                self._print(rest)

    def _print(self, line: bytes) -> None:
        if self._left <= 0 or line.startswith((b"OBSERVED ", b"SKIPPED")):
            return
        text = plain(line[:4096].decode("utf-8", "backslashreplace"))
        self._left -= len(text) + 1
        self._out.print(Text("│ " + text, style="dim"), soft_wrap=True)
        if self._left <= 0:
            self._out.print(Text("│ … (more output, not shown)", style="yellow"))


def print_repro_start(script: Reproducer, environment: Environment) -> None:
    """Print which script is about to run, and with what."""
    out = console()
    out.print(Text.assemble((script.entry, "bold cyan"), " ", (f"{script.name}.py", "bold")))
    line = environment_line(asdict(environment))
    out.print(Text(f"{line} · about {script.needs.about_seconds:g} s", style="dim"))


def print_repro(report: ReproReport) -> None:
    """Print what was expected and seen, the verdict, and the next step."""
    out, result = console(), report.result
    if result.outcome is Outcome.INVALID and result.log:
        out.print(Text(plain(result.log[-2000:]), style="dim"))
    out.print()
    rows = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    rows.add_column(style="bold", no_wrap=True)
    rows.add_column(overflow="fold")
    rows.add_row("Expected", plain(f"{result.expected}: {result.claim}"))
    rows.add_row("Seen", plain(result.seen))
    grids = []
    for key, value in (result.observed or {}).items():
        if shown := grid(key, value, result.observed):
            grids.append(shown)
        elif key != "healthy":
            text = ", ".join(map(cell_text, value)) if isinstance(value, list) else cell_text(value)
            rows.add_row("", plain(f"{words(key)}: {text}"))
    out.print(rows)
    for shown in grids:
        _print_grid(out, shown)
    if grids:
        out.print()
    out.print(Text.assemble(("Verdict   ", "bold"), (_verdict_text(result), _STYLES[result.verdict]),
                            f": {_MEANINGS[result.verdict]} ({result.seconds:.1f} s)"))
    out.print(Text(_next_step(report), style="dim"))


def _verdict_text(result: Result) -> str:
    unaffected = result.verdict is Verdict.CONFIRMED and not result.affected
    return "confirmed (not affected here)" if unaffected else result.verdict.value


def _next_step(report: ReproReport) -> str:
    entry_id = report.entry.id
    if report.result.verdict is Verdict.REFUTED:
        return f"An entry that a run refutes is wrong or outdated. Its versions: dpkb show {entry_id} --all"
    if report.script.shows is Outcome.HEALTHY:
        return f"The fix as a diff: dpkb diff {entry_id} · why it works: dpkb show {entry_id}"
    return f"Now the fix: dpkb repro {entry_id} --fixed · as a diff: dpkb diff {entry_id}"


def _print_grid(out: Console, shown: Grid) -> None:
    """Print a small table in which equal cells share a colour and a letter."""
    letters: dict[str, int] = {}
    for row in shown.cells:
        for cell in row:
            if cell in shown.repeated and cell not in letters and len(letters) < len(_GRID_STYLES):
                letters[cell] = len(letters)
    note = "  equal cells share a letter" if letters else ""
    out.print(Text.assemble((f"\n{plain(shown.quantity)}", "bold"), (note, "dim")))
    for table in split_table(out, len(shown.columns), lambda columns: _grid_table(shown, columns, letters)):
        out.print(table)


def _grid_table(shown: Grid, columns: slice, letters: dict[str, int]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    if shown.rows != ("",):
        table.add_column("", style="bold", overflow="fold")
    for column in shown.columns[columns]:
        table.add_column(plain(column), overflow="fold")
    for name, row in zip(shown.rows, shown.cells, strict=True):
        cells = [_cell(cell, letters) for cell in row[columns]]
        table.add_row(*([plain(name)] if name else []), *cells)
    return table


def _cell(cell: str, letters: dict[str, int]) -> Text:
    text = one_line(cell, 40)
    if cell not in letters:
        return Text(text)
    number = letters[cell]
    return Text(f"{text} [{chr(97 + number)}]", style=_GRID_STYLES[number])


# -- verify -----------------------------------------------------------------------------------------


class VerifyProgress:
    """Progress on standard error: a bar on a terminal, otherwise one line for each run."""

    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            console=console(stderr=True), transient=True,
        ) if sys.stderr.isatty() else None

    def __enter__(self) -> VerifyProgress:
        if self._bar:
            self._bar.start()
            self._task = self._bar.add_task("starting", total=self._total)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def took(self, result: Result) -> None:
        """Count one finished run."""
        self._done += 1
        name = f"{result.id} {result.script}"
        if self._bar:
            self._bar.update(self._task, advance=1, description=name)
        else:
            print(f"[{self._done}/{self._total}] {name}: {_verdict_text(result)} ({result.seconds:.1f} s)",
                  file=sys.stderr, flush=True)


def print_verify(report: VerifyReport) -> None:
    """Print every verdict, the reasons for those that are not confirmed, and the number of each."""
    out = console()
    for run in report.runs:
        _print_run(out, run)


def _print_run(out: Console, run: VerifyRun) -> None:
    ordered = sorted(run.results, key=_order)
    table = _verdict_table(ordered, out.width)
    out.print(table if fits(out, table) else _verdict_table(ordered, None))
    for result in ordered:
        if result.verdict in (Verdict.REFUTED, Verdict.INCONCLUSIVE):
            out.print(_failure(result))
    for entry, script, verdicts in disagreements(run.results):
        count = sum((r.id, r.script) == (entry, script) for r in run.results)
        different = ", ".join(sorted(verdicts))
        out.print(Text(f"{entry} {script}: {count} runs gave different verdicts: {different}",
                       style="bold red"), soft_wrap=True)
    skipped = [result for result in ordered if result.verdict is Verdict.SKIPPED]
    if skipped:
        out.print(Text("Not tested here", style="bold"))
        for result in skipped:
            out.print(Text(f"  {result.id} {result.script}: {one_line(result.seen)}"))
    line = environment_line(asdict(run.environment))
    out.print(Text(f"{line}, {run.jobs} at once, {run.seconds:.1f} s", style="dim"))
    out.print(_summary_line(run.results), soft_wrap=True)


def _verdict_table(ordered: list[Result], width: int | None) -> Table:
    """One line for each run, `seen` cut to the room in the window; with no width, the verdicts alone."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in ("entry", "script", "verdict", "seen", "s")[: None if width else 3]:
        table.add_column(heading, no_wrap=width is not None, overflow="fold",
                         justify="right" if heading == "s" else "left")
    room = max(12, (width or 0) - 36 - max((len(result.script) for result in ordered), default=0))
    for i, result in enumerate(ordered):
        if i and ordered[i - 1].id != result.id:
            table.add_section()
        more = [one_line(("" if result.affected else "not affected: ") + result.seen, room),
                f"{result.seconds:.1f}"] if width else []
        table.add_row(Text(result.id, style="bold cyan"), result.script,
                      Text(result.verdict.value, style=_STYLES[result.verdict]), *more)
    return table


def _order(result: Result) -> tuple[tuple[str, int], int, str]:
    return order_of(result.id), {"broken": 0, "fixed": 1}.get(result.script, 2), result.script


def _failure(result: Result) -> Group:
    lines = [Text(f"\n{result.id} {result.script}: {result.verdict.value}", style=_STYLES[result.verdict]),
             Text(f"  claim     {plain(result.claim)}"), Text(f"  expected  {plain(result.expected)}"),
             Text(f"  seen      {plain(result.seen)}")]
    if result.observed:
        lines.append(Text(f"  observed  {plain(json.dumps(result.observed))}"))
    elif result.log.strip():
        tail = plain(result.log).strip().splitlines()[-6:]
        lines.append(Text("\n".join(f"  stderr    {line}" for line in tail), style="dim"))
    return Group(*lines)


def _summary_line(results: Sequence[Result]) -> Text:
    """How many pairs were reproduced, and how many runs have each verdict, "not tested" included."""
    counts = verdict_counts(results)
    reproduced, pairs = reproduced_pairs(results)
    spans = [(f"{counts['confirmed']} confirmed", "green" if counts["confirmed"] else "")]
    for name in ("refuted", "inconclusive"):
        spans.append((f"{counts[name]} {name}", "bold red" if counts[name] else "dim"))
    spans.append((f"{counts['skipped']} not tested here", "yellow" if counts["skipped"] else "dim"))
    text = Text(f"{reproduced} of {pairs} pairs reproduced: ", style="bold")
    for i, (words_, style) in enumerate(spans):
        text.append(", " if i else "").append(words_, style)
    return text
