"""Runs and their verdicts as text for a terminal."""

from __future__ import annotations

import json
import sys

from rich import box
from rich.console import Console, Group
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from dpkb.entry import Entry, Environment, Outcome, Result, Script, Verdict
from dpkb.grids import Grid, cell_text, grid, words
from dpkb.plain import one_line, plain
from dpkb.reproduce import disagreements, reproduced, summary
from dpkb.terminal import console, fits, in_parts

_STYLES = {
    Verdict.CONFIRMED: "green", Verdict.REFUTED: "bold red",
    Verdict.INCONCLUSIVE: "yellow", Verdict.SKIPPED: "yellow",
}
_GRID_STYLES = ("black on cyan", "black on yellow", "black on magenta", "black on green",
                "black on bright_blue", "black on bright_red", "black on white")


class Live:
    """Prints a script's output as it comes, made safe, and stops after `most` characters."""

    def __init__(self, most: int = 20_000) -> None:
        self._left = most
        self._out = console()
        self._half: dict[str, bytes] = {"stdout": b"", "stderr": b""}

    def take(self, stream: str, chunk: bytes) -> None:
        """Print the whole lines there are so far."""
        *lines, half = (self._half[stream] + chunk).split(b"\n")
        self._half[stream] = half[:4096]
        for line in lines:
            self._print(line)

    def close(self) -> None:
        """Print what is left of last lines without a newline."""
        for half in self._half.values():
            if half:
                self._print(half)

    def _print(self, line: bytes) -> None:
        if self._left <= 0 or line.startswith((b"OBSERVED ", b"SKIPPED")):
            return
        text = plain(line[:4096].decode("utf-8", "backslashreplace"))
        self._left -= len(text) + 1
        self._out.print(Text("│ " + text, style="dim"), soft_wrap=True)
        if self._left <= 0:
            self._out.print(Text("│ … (more output, not shown)", style="yellow"))


def repro_head(script: Script, environment: Environment) -> None:
    """What is about to run, and with what."""
    out = console()
    out.print(Text.assemble((script.entry, "bold cyan"), " ", (f"{script.name}.py", "bold")))
    out.print(Text(f"{describe(environment)} · about {script.needs.about_seconds:g} s", style="dim"))


def describe(environment: Environment) -> str:
    """The environment in one line."""
    vision = f", torchvision {environment.torchvision}" if environment.torchvision else ""
    return (f"torch {environment.torch}{vision}, Python {environment.python}, "
            f"{environment.os}, {environment.device}")


def repro_result(result: Result, script: Script, entry: Entry) -> None:
    """What was expected, what was seen, the verdict, and where to go from here."""
    out = console()
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
        made = grid(key, value, result.observed)
        if made:
            grids.append(made)
        elif key != "healthy":
            told = ", ".join(map(cell_text, value)) if isinstance(value, list) else cell_text(value)
            rows.add_row("", plain(f"{words(key)}: {told}"))
    out.print(rows)
    for made in grids:
        _print_grid(out, made)
    if grids:
        out.print()
    out.print(_verdict_line(result))
    out.print(Text(_next_step(result, script, entry), style="dim"))


def _verdict_line(result: Result) -> Text:
    word = verdict_word(result)
    meaning = {
        Verdict.CONFIRMED: "this machine shows what the entry says",
        Verdict.REFUTED: "this machine does not show what the entry says",
        Verdict.INCONCLUSIVE: "this run says nothing about the entry",
        Verdict.SKIPPED: "not tested here",
    }[result.verdict]
    return Text.assemble(("Verdict   ", "bold"), (word, _STYLES[result.verdict]),
                         f": {meaning} ({result.seconds:.1f} s)")


def verdict_word(result: Result) -> str:
    """The verdict as it is printed."""
    not_here = result.verdict is Verdict.CONFIRMED and not result.affected
    return "confirmed (not affected here)" if not_here else result.verdict.value


def _next_step(result: Result, script: Script, entry: Entry) -> str:
    if result.verdict is Verdict.REFUTED:
        return f"An entry that a run refutes is wrong or out of date: dpkb show {entry.id} has its versions."
    if script.shows is Outcome.HEALTHY:
        return f"The fix as a diff: dpkb diff {entry.id} · all of it: dpkb show {entry.id}"
    return f"Now the fix: dpkb repro {entry.id} --fixed · as a diff: dpkb diff {entry.id}"


def _print_grid(out: Console, made: Grid) -> None:
    """A small table in which cells that stand more than once share a colour and a letter."""
    letters: dict[str, int] = {}
    for row in made.cells:
        for cell in row:
            if cell in made.repeated and cell not in letters and len(letters) < len(_GRID_STYLES):
                letters[cell] = len(letters)
    note = "  equal cells share a letter" if letters else ""
    out.print(Text.assemble((f"\n{plain(made.what)}", "bold"), (note, "dim")))
    for part in in_parts(out, len(made.columns), lambda part: _grid_table(made, part, letters)):
        out.print(part)


def _grid_table(made: Grid, part: slice, letters: dict[str, int]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    if made.rows != ("",):
        table.add_column("", style="bold", overflow="fold")
    for column in made.columns[part]:
        table.add_column(plain(column), overflow="fold")
    for name, row in zip(made.rows, made.cells, strict=True):
        cells = [_cell(cell, letters) for cell in row[part]]
        table.add_row(*([plain(name)] if name else []), *cells)
    return table


def _cell(cell: str, letters: dict[str, int]) -> Text:
    text = one_line(cell, 40)
    if cell not in letters:
        return Text(text)
    number = letters[cell]
    return Text(f"{text} [{chr(97 + number)}]", style=_GRID_STYLES[number])


class VerifyProgress:
    """Progress on standard error: a bar on a terminal, a line a run in a log."""

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
            print(f"[{self._done}/{self._total}] {name}: {verdict_word(result)} ({result.seconds:.1f} s)",
                  file=sys.stderr, flush=True)


def verify_table(results: list[Result], wall: float, environment: Environment, jobs: int) -> None:
    """Every verdict, the reasons for whatever is not confirmed, and the count of each."""
    out = console()
    ordered = sorted(results, key=_order)
    table = _verdicts(ordered, out.width)
    out.print(table if fits(out, table) else _verdicts(ordered, None))
    for result in ordered:
        if result.verdict in (Verdict.REFUTED, Verdict.INCONCLUSIVE):
            out.print(_failure(result))
    for entry, script, verdicts in disagreements(results):
        runs = sum((r.id, r.script) == (entry, script) for r in results)
        seen = ", ".join(sorted(verdicts))
        out.print(Text(f"{entry} {script} does not agree with itself over {runs} runs: {seen}",
                       style="bold red"), soft_wrap=True)
    skipped = [result for result in ordered if result.verdict is Verdict.SKIPPED]
    if skipped:
        out.print(Text("Not tested here", style="bold"))
        for result in skipped:
            out.print(Text(f"  {result.id} {result.script}: {one_line(result.seen)}"))
    out.print(Text(f"{describe(environment)}, {jobs} at once, {wall:.1f} s", style="dim"))
    out.print(summary_line(results), soft_wrap=True)


def _verdicts(ordered: list[Result], width: int | None) -> Table:
    """A line a run, `seen` cut to what the other columns leave of the window; None: the verdicts alone."""
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


def _order(result: Result) -> tuple:
    family = result.id.rstrip("0123456789")
    rank = {"broken": 0, "fixed": 1}.get(result.script, 2)
    return family, int(result.id[len(family):]), rank, result.script


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


def summary_line(results: list[Result]) -> Text:
    """The count of each verdict and of the pairs reproduced; what was not tested is never hidden."""
    counts = summary(results)
    good, total = reproduced(results)
    parts = [(f"{counts['confirmed']} confirmed", "green" if counts["confirmed"] else "")]
    for name in ("refuted", "inconclusive"):
        parts.append((f"{counts[name]} {name}", "bold red" if counts[name] else "dim"))
    parts.append((f"{counts['skipped']} not tested here", "yellow" if counts["skipped"] else "dim"))
    text = Text(f"{good} of {total} pairs reproduced: ", style="bold")
    for i, part in enumerate(parts):
        text.append(", " if i else "")
        text.append(*part)
    return text
