"""The results of `dpkb verify` as text or JSON, and its progress while scripts run."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from rich import box
from rich.console import Console, Group
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from dpkb.ids import order_of
from dpkb.judge.summary import (
    VerifyReport,
    VerifyRun,
    count_reproduced_pairs,
    count_verdicts,
    find_disagreements,
)
from dpkb.output.console import create_console, create_text_console, fits, text_of
from dpkb.output.documents import add_version
from dpkb.output.result import STYLES, describe_verdict, environment_fields, result_fields
from dpkb.output.wording import describe_environment
from dpkb.run_records import RunResult, Verdict
from dpkb.text import escape_controls, join_lines


def verify_fields(report: VerifyReport) -> dict[str, object]:
    """The JSON fields of `dpkb verify`: those of a run in one environment, or a list of several runs."""
    if len(report.runs) == 1:
        return _run_fields(report.runs[0])
    return {"runs": [add_version(_run_fields(run)) for run in report.runs]}


def _run_fields(run: VerifyRun) -> dict[str, object]:
    return {
        "environment": environment_fields(run.environment),
        "results": [result_fields(result) for result in run.results],
        "summary": count_verdicts(run.results),
        "seconds": round(run.seconds, 1),
    }


class VerifyProgress:
    """Progress on standard error: a bar on a terminal, otherwise one line for each run."""

    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0
        self._bar = (
            Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=create_console(stderr=True),
                transient=True,
            )
            if sys.stderr.isatty()
            else None
        )

    def __enter__(self) -> VerifyProgress:
        if self._bar:
            self._bar.start()
            self._task = self._bar.add_task("starting", total=self._total)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def count(self, result: RunResult) -> None:
        """Count one finished run."""
        self._done += 1
        name = f"{result.id} {result.script}"
        if self._bar:
            self._bar.update(self._task, advance=1, description=name)
        else:
            print(
                f"[{self._done}/{self._total}] {name}: {describe_verdict(result)} ({result.seconds:.1f} s)",
                file=sys.stderr,
                flush=True,
            )


def render_verify(report: VerifyReport) -> str:
    """Every verdict, the reasons for those that are not confirmed, and the number of each."""
    out = create_text_console()
    for run in report.runs:
        _print_run(out, run)
    return text_of(out)


def _print_run(out: Console, run: VerifyRun) -> None:
    ordered = sorted(run.results, key=_order_of)
    table = _create_verdict_table(ordered, out.width)
    out.print(table if fits(out, table) else _create_verdict_table(ordered, None))
    for result in ordered:
        if result.verdict in (Verdict.REFUTED, Verdict.INCONCLUSIVE):
            out.print(_render_failure(result))
    for entry, script, verdicts in find_disagreements(run.results):
        count = sum((r.id, r.script) == (entry, script) for r in run.results)
        different = ", ".join(sorted(verdicts))
        out.print(
            Text(f"{entry} {script}: {count} runs gave different verdicts: {different}", style="bold red"),
            soft_wrap=True,
        )
    skipped = [result for result in ordered if result.verdict is Verdict.SKIPPED]
    if skipped:
        out.print(Text("Not tested here", style="bold"))
        for result in skipped:
            out.print(Text(f"  {result.id} {result.script}: {join_lines(result.seen)}"))
    line = describe_environment(asdict(run.environment))
    out.print(Text(f"{line}, {run.jobs} at once, {run.seconds:.1f} s", style="dim"))
    out.print(_render_summary_line(run.results), soft_wrap=True)


def _create_verdict_table(ordered: list[RunResult], width: int | None) -> Table:
    """One line for each run, with `seen` cut to fit the width; without a width, only the verdicts."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in ("entry", "script", "verdict", "seen", "s")[: None if width else 3]:
        table.add_column(
            heading, no_wrap=width is not None, overflow="fold", justify="right" if heading == "s" else "left"
        )
    room = max(12, (width or 0) - 36 - max((len(result.script) for result in ordered), default=0))
    for i, result in enumerate(ordered):
        if i and ordered[i - 1].id != result.id:
            table.add_section()
        more = (
            [
                join_lines(("" if result.affected else "not affected: ") + result.seen, room),
                f"{result.seconds:.1f}",
            ]
            if width
            else []
        )
        table.add_row(
            Text(result.id, style="bold cyan"),
            result.script,
            Text(result.verdict.value, style=STYLES[result.verdict]),
            *more,
        )
    return table


def _order_of(result: RunResult) -> tuple[tuple[str, int], int, str]:
    return order_of(result.id), {"broken": 0, "fixed": 1}.get(result.script, 2), result.script


def _render_failure(result: RunResult) -> Group:
    lines = [
        Text(f"\n{result.id} {result.script}: {result.verdict.value}", style=STYLES[result.verdict]),
        Text(f"  claim     {escape_controls(result.claim)}"),
        Text(f"  expected  {escape_controls(result.expected)}"),
        Text(f"  seen      {escape_controls(result.seen)}"),
    ]
    if result.observed:
        lines.append(Text(f"  observed  {escape_controls(json.dumps(result.observed))}"))
    elif result.log.strip():
        tail = escape_controls(result.log).strip().splitlines()[-6:]
        lines.append(Text("\n".join(f"  stderr    {line}" for line in tail), style="dim"))
    return Group(*lines)


def _render_summary_line(results: Sequence[RunResult]) -> Text:
    """How many pairs were reproduced, and how many runs have each verdict, "not tested" included."""
    counts = count_verdicts(results)
    reproduced, pairs = count_reproduced_pairs(results)
    spans = [(f"{counts['confirmed']} confirmed", "green" if counts["confirmed"] else "")]
    spans += [
        (f"{counts[name]} {name}", "bold red" if counts[name] else "dim")
        for name in ("refuted", "inconclusive")
    ]
    spans.append((f"{counts['skipped']} not tested here", "yellow" if counts["skipped"] else "dim"))
    text = Text(f"{reproduced} of {pairs} pairs reproduced: ", style="bold")
    return text.append_text(Text(", ").join(Text(*span) for span in spans))
