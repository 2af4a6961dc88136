"""Results as text for a terminal, or as JSON. The only importer of rich."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from itertools import groupby
from typing import Any

from markdown_it import MarkdownIt
from rich import box
from rich.console import Console, Group
from rich.markdown import Markdown
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from dpkb.entry import Entry, Environment, Family, Outcome, Problem, Result, Script, Verdict
from dpkb.grids import cell_text, grid
from dpkb.plain import one_line, plain
from dpkb.reproduce import disagreements, reproduced, summary

_STYLES = {
    Verdict.CONFIRMED: "green", Verdict.REFUTED: "bold red",
    Verdict.INCONCLUSIVE: "yellow", Verdict.SKIPPED: "yellow",
}
_GRID_STYLES = ("black on cyan", "black on yellow", "black on magenta", "black on green",
                "black on bright_blue", "black on bright_red", "black on white")
_WIDTH = 100
_SAYS_WHY = (Outcome.RAISED, Outcome.HUNG, Outcome.KILLED, Outcome.INVALID)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """The reader is gone (| head): not an error, so not the exit code that rich would give."""
        raise BrokenPipeError


def console(stderr: bool = False) -> Console:
    """A console of at most 100 columns: longer lines are hard to read."""
    made = _Console(stderr=stderr, highlight=False, soft_wrap=False)
    if made.width > _WIDTH:
        made.width = _WIDTH
    return made


def emit_json(value: Any) -> None:
    """One JSON document on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=True))


# -- entries ----------------------------------------------------------------------------------------


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
        for other in entry.see_also:
            out.print(Text(f"  {other}  {plain(titles.get(other, ''))}"))
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
        out.print(Text.assemble(("  " + other.id, "cyan"), f"  {plain(titles.get(other.id, ''))}"))
        out.print(Padding(Markdown(plain(other.check), hyperlinks=False), (0, 0, 0, 4)))
    out.print()


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
    table.add_column()
    return table


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
    table = Table(box=None, pad_edge=False)
    table.add_column("", style="bold cyan")
    for head in heads:
        table.add_column(head.replace(" ", "\n"), justify="center", overflow="fold")
    for entry, states in rows:
        table.add_row(entry, *(Text(*_STATE_MARKS[state]) for state in states))
    out = console()
    out.print(table)
    meanings = (f"{mark} {state}" for state, (mark, _) in _STATE_MARKS.items())
    out.print(Text("   ".join(meanings), style="dim"))


def claims(rows: list[dict[str, Any]], markdown: bool) -> None:
    """Claims, scripts and runs of each entry, and what was not run."""
    heads = ("", "claims", "with a script", "run", "not yet run")
    table = Table(box=box.MARKDOWN if markdown else None, pad_edge=markdown)
    for head in heads:
        table.add_column(head, justify="left" if head in ("", "not yet run") else "right")
    for row in rows:
        table.add_row(row["id"], *(str(row[key]) for key in ("claims", "scripts", "run")),
                      ", ".join(row["not_run"]))
    total = (str(sum(row[key] for row in rows)) for key in ("claims", "scripts", "run"))
    table.add_row("all", *total, str(sum(len(row["not_run"]) for row in rows)), style="bold")
    console().print(table)


def _matrix_head(environment: dict[str, Any]) -> str:
    device = "" if environment["device"] == "cpu" else f" {environment['device']}"
    return plain(f"{environment['torch'].split('+')[0]} py{environment['python'].rpartition('.')[0]}{device}")


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


# -- runs -------------------------------------------------------------------------------------------


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
    rows.add_column()
    rows.add_row("Expected", plain(f"{result.expected}: {result.claim}"))
    rows.add_row("Seen", plain(result.seen))
    grids = []
    for key, value in (result.observed or {}).items():
        made = grid(key, value)
        if made:
            grids.append(made)
        elif key != "healthy":
            rows.add_row("", plain(f"{key.replace('_', ' ')}: {cell_text(value)}"))
    out.print(rows)
    for made in grids:
        out.print(_grid(made))
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


def _grid(made) -> Group:
    """A small table in which cells that stand more than once share a colour and a letter."""
    letters = {}
    for row in made.cells:
        for cell in row:
            if cell in made.repeated and cell not in letters and len(letters) < len(_GRID_STYLES):
                letters[cell] = len(letters)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    if made.rows != ("",):
        table.add_column("", style="bold", no_wrap=True)
    for column in made.columns:
        table.add_column(plain(column))
    for name, row in zip(made.rows, made.cells, strict=True):
        cells = [_cell(cell, letters) for cell in row]
        table.add_row(*([plain(name)] if name else []), *cells)
    note = "  equal cells share a letter" if letters else ""
    title = Text.assemble((f"\n{plain(made.what)}", "bold"), (note, "dim"))
    return Group(title, table)


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
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in ("entry", "script", "verdict", "seen", "s"):
        table.add_column(heading, no_wrap=True, justify="right" if heading == "s" else "left")
    ordered = sorted(results, key=_order)
    # What the other four columns leave of the window.
    room = max(12, out.width - 36 - max((len(result.script) for result in results), default=0))
    for i, result in enumerate(ordered):
        if i and ordered[i - 1].id != result.id:
            table.add_section()
        table.add_row(
            Text(result.id, style="bold cyan"), result.script,
            Text(result.verdict.value, style=_STYLES[result.verdict]),
            one_line(("" if result.affected else "not affected: ") + result.seen, room),
            f"{result.seconds:.1f}",
        )
    out.print(table)
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


def result_json(result: Result) -> dict[str, Any]:
    """One run in the shape that others may rely on."""
    return {
        "id": result.id, "script": result.script, "claim": result.claim,
        "outcome": result.outcome.value, "verdict": result.verdict.value,
        "affected": result.affected, "expected": result.expected, "seen": result.seen,
        "observed": result.observed, "seconds": result.seconds,
        # What a user would have on screen; a wrong result has nothing to say there.
        "stderr": result.log if result.outcome in _SAYS_WHY else "",
    }


def environment_json(environment: Environment) -> dict[str, Any]:
    """The environment in the shape that others may rely on."""
    known = asdict(environment)
    return {key: known[key] for key in ("executable", "python", "torch", "torchvision", "os", "device")}
