"""The findings of an audit as text or JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict

from dpkb.audit.compare import Comparison
from dpkb.audit.result import AuditedProcess, AuditFinding, AuditResult, TraceComparison
from dpkb.errors import ExitCode
from dpkb.output.documents import finding_fields
from dpkb.output.terminal import choose_ansi_codes
from dpkb.text import NOTE_START, count_of, join_lines, wrap

_INDENT = "    "
# The start of the line between the output of the audited program and the report.
_HEADING_START = "\ndpkb audit: "
_FINDING_WHILE_RUNNING = re.compile(NOTE_START + r"\w+ (certain|likely|hint): ")


def render_audit_heading(command: str, end: str) -> str:
    """The line between the output of the audited program and the report."""
    return f"{_HEADING_START}{command} {end}\n"


def strip_report(output: str) -> str:
    """The output of the audited program: that of `dpkb audit` without the report and without notes."""
    lines = output.rpartition(_HEADING_START)[0].splitlines(keepends=True)
    while lines and lines[-1].startswith(NOTE_START):
        lines.pop()
    return "".join(line for line in lines if not _FINDING_WHILE_RUNNING.match(line))


def render_audit(result: AuditResult, titles: Mapping[str, str], width: int, colour: bool) -> str:
    """A paragraph for each finding, then a summary of what was watched.

    Findings that differ only in their lines share a paragraph.
    """
    groups: dict[tuple[str, ...], list[AuditFinding]] = {}
    for finding in result.findings:
        groups.setdefault((finding.id, finding.certainty, finding.message, finding.fix), []).append(finding)
    blocks = [_render_findings(findings, titles, width, colour) for findings in groups.values()]
    return "\n\n".join([*blocks, _render_summary(result, len(blocks), width)])


def _render_findings(
    findings: list[AuditFinding], titles: Mapping[str, str], width: int, colour: bool
) -> str:
    finding = findings[0]
    bold, _, end = choose_ansi_codes(colour)
    lines = [
        bold
        + wrap(f"{finding.id} {finding.certainty}: {titles.get(finding.id, '')}", width, _INDENT)
        .strip()
        .replace(":", f"{end}:", 1),
        wrap(f"seen: {finding.message}", width, _INDENT),
    ]
    for other in findings:
        if other.file:
            lines.append(f"{_INDENT}where: {join_lines(other.file)}:{other.line}{_describe_place(other)}")
        elif other.seen_in:
            lines.append(f"{_INDENT}where: {', '.join(other.seen_in)}")
    lines += [wrap(f"fix: {finding.fix}", width, _INDENT), f"{_INDENT}more: dpkb show {finding.id}"]
    return "\n".join(lines)


def _describe_place(finding: AuditFinding) -> str:
    names = finding.seen_in
    shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    return f" ({shown})" if names else ""


def _render_summary(result: AuditResult, paragraphs: int, width: int) -> str:
    if not result.processes and not result.failed_checks:
        return wrap(
            "nothing was watched: no process of the command imported torch. A Python that is "
            "started with -I, -E or -S cannot be watched, and neither can a container.",
            width,
            "",
        )
    lines = [f"{count_of(paragraphs, 'finding')}." if paragraphs else "nothing found."]
    trainers = [process for process in result.processes if process.worker is None]
    workers = len(result.processes) - len(trainers)
    steps = max((process.counts.get("optimizer steps", 0) for process in trainers), default=0)
    batches = max((process.counts.get("batches", 0) for process in trainers), default=0)
    of_one = " in one process" if len(trainers) > 1 else ""
    lines.append(
        f"watched: {count_of(len(trainers), 'process', 'processes')} with torch, "
        f"{count_of(workers, 'worker')}, {count_of(steps, 'optimizer step')}, "
        f"{count_of(batches, 'batch', 'batches')}{of_one}; checks for {len(result.watched)} entries."
    )
    if not steps:
        lines.append("no optimizer step was seen, so the checks of training had nothing to watch.")
    lines += [f"not watched: {area}." for area in result.unwatched_parts]
    if result.silenced:
        lines.append(f"{result.silenced} silenced by comments or --ignore.")
    if result.hints:
        lines.append(f"{count_of(result.hints, 'hint')} not shown: --hints.")
    for task, why in result.failed_checks:
        lines.append(
            f"a bug in dpkb, which did not change your program: {join_lines(task)}: "
            f"{join_lines(why.strip().splitlines()[-1] if why.strip() else '')}"
        )
    return "\n".join(wrap(line, width, "") for line in lines)


def render_comparison(comparison: Comparison) -> str:
    """The ids of findings that are gone, remaining, or new since an earlier audit."""
    lines = [
        f"{word}: {', '.join(names)}"
        for word, names in (
            ("gone", comparison.gone),
            ("remaining", comparison.remaining),
            ("new", comparison.new),
        )
        if names
    ]
    return "\n".join(["compared with the earlier audit:", *(lines or ["nothing was found in either"])])


_VERDICTS = {ExitCode.YES: "equal", ExitCode.NO: "different", ExitCode.CANNOT_ASK: "not comparable"}


def render_trace_comparison(comparison: TraceComparison, width: int) -> str:
    """The first step that differs from an earlier run, and what differs there."""
    where = "" if comparison.step is None else f" at step {comparison.step} of the earlier run"
    where += f" (rank {comparison.rank})" if comparison.rank else ""
    lines = [f"compared with the trace of the earlier run: {_VERDICTS[comparison.verdict]}{where}"]
    for number, one in enumerate(comparison.differences):
        lines.append(
            f"{'also' if number else 'first'}: {one.message}" + f" ({', '.join(one.ids)})" * bool(one.ids)
        )
    lines += comparison.notes
    if comparison.began is not None:
        until = "" if comparison.differences else f"; compared up to step {comparison.last}"
        lines.append(f"this run began at step {comparison.began}{until}")
    ids = dict.fromkeys(id for one in comparison.differences for id in one.ids)
    lines += [f"more: dpkb show {id}" for id in list(ids)[:1]]
    return "\n".join(wrap(line, width, _INDENT if number else "") for number, line in enumerate(lines))


def audit_fields(
    result: AuditResult, titles: Mapping[str, str], code: int, comparison: Comparison | None = None
) -> dict[str, object]:
    """The JSON fields of `dpkb audit`."""
    compared: dict[str, object] = (
        {"compared": {"gone": comparison.gone, "left": comparison.remaining, "new": comparison.new}}
        if comparison
        else {}
    )
    if result.same_as:
        compared["same_as"] = {
            **asdict(result.same_as),
            "verdict": _VERDICTS[result.same_as.verdict],
        }
    return {
        **compared,
        "exit_code": code,
        "findings": [
            finding_fields(
                f.id, titles.get(f.id), f.certainty, f.message, f.fix, f.where_fields(), f.evidence
            )
            for f in result.findings
        ],
        "silenced": result.silenced,
        "hints_not_shown": result.hints,
        "processes": [_process_fields(process) for process in result.processes],
        "loaders": [asdict(loader) for loader in result.loaders],
        "watched": result.watched,
        "not_watched": result.unwatched_parts,
        "failed_at": result.failed and asdict(result.failed),
        "failures": [{"what": task, "traceback": why} for task, why in result.failed_checks],
    }


def _process_fields(process: AuditedProcess) -> dict[str, object]:
    fields = asdict(process)
    fields["looked"] = fields.pop("audit_seconds")
    return fields
