"""Joins the journals of all processes of an audited program."""

from __future__ import annotations

import json
import linecache
import traceback
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpkb.audit.guest_half import all_checks, import_guest
from dpkb.audit.result import (
    AuditedLoader,
    AuditedProcess,
    AuditFinding,
    AuditResult,
    FailedFrame,
    FailedPlace,
)
from dpkb.ignore_comments import is_silenced
from dpkb.model import Certainty

if TYPE_CHECKING:
    from dpkb_audit.facts import Fact, LoaderSummary

# A line of a journal, as the audited process wrote it: its kind, and the fields of that kind.
Line = dict[str, Any]
_surest_first = list(Certainty).index


def collect(folder: Path, ignore: Collection[str] = (), hints: bool = False) -> AuditResult:
    """Join the journals in a folder, and compare the facts of the processes."""
    journals = _read_journals(folder)
    lines = [line for journal in journals for line in journal]
    failed_checks = [
        (str(line.get("message")), str(line.get("traceback"))) for line in _of_kind("failure", lines)
    ]
    compared, failed_comparisons = _compare(lines + list(map(_read_trace, sorted(folder.glob("*.trace")))))
    findings = sorted(
        _join(_of_kind("finding", lines) + compared),
        key=lambda f: (_surest_first(f.certainty), f.file or "", f.line or 0, f.id),
    )
    unsilenced = _without_silenced(findings, ignore)
    shown = [finding for finding in unsilenced if hints or finding.certainty is not Certainty.HINT]
    return AuditResult(
        findings=shown,
        silenced=len(findings) - len(unsilenced),
        hints=len(unsilenced) - len(shown),
        processes=[_process(journal) for journal in journals if _of_kind("process", journal)],
        loaders=_loaders(lines),
        watched={name: check.description for name, check in all_checks().items() if name not in ignore},
        unwatched_parts=sorted({str(line.get("area")) for line in _of_kind("left_out", lines)}),
        failed_checks=sorted({*failed_checks, *failed_comparisons}),
        failed=_find_failed_place(lines),
    )


def collect_failed_place(folder: Path) -> FailedPlace | None:
    """Where the process that failed first raised its exception."""
    return _find_failed_place([line for journal in _read_journals(folder) for line in journal])


def _find_failed_place(lines: list[Line]) -> FailedPlace | None:
    first = min(_of_kind("failed", lines), key=lambda line: line["at"], default=None)
    if first is None:
        return None
    return FailedPlace(_process_name(first), [FailedFrame(**frame) for frame in first["frames"]])


def _read_journals(folder: Path) -> list[list[Line]]:
    return [read_lines(path.read_text("utf-8", "replace")) for path in sorted(folder.glob("*.jsonl"))]


def _of_kind(kind: str, lines: list[Line]) -> list[Line]:
    return [line for line in lines if line.get("kind") == kind]


def read_lines(journal: str) -> list[Line]:
    """The lines of a journal. The last may be cut, if its process was killed."""
    lines = []
    for text in journal.splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict):
            lines.append(line)
    return lines


def find_reported(lines: list[Line], ignore: Collection[str] = ()) -> list[AuditFinding]:
    """The findings in lines of journals that are not silenced, without those that compare processes."""
    return _without_silenced(_join(_of_kind("finding", lines)), ignore)


def _without_silenced(findings: list[AuditFinding], ignore: Collection[str]) -> list[AuditFinding]:
    return [finding for finding in findings if finding.id not in ignore and not _is_silenced(finding)]


def _read_trace(path: Path) -> Line:
    """A trace as a line with a fact: each character is a byte."""
    process, check, _ = path.name.split(".")
    return {
        "kind": "fact",
        "id": check,
        "pid": int(process.partition("-")[0]),
        "fact": {"trace": path.read_bytes().decode("latin-1")},
    }


def _loaders(lines: list[Line]) -> list[AuditedLoader]:
    """The loaders that gave batches, each as it was written last."""
    used = {(line["pid"], line["number"]): line for line in _of_kind("loader", lines) if line["batch_bytes"]}
    private = {line.get("pid"): line["private_bytes"] for line in _of_kind("worker", lines)}
    loaders = []
    for line in used.values():
        file, number = line["where"] or (None, None)
        sizes = [private[pid] for pid in line["worker_pids"] if private.get(pid)]
        loaders.append(
            AuditedLoader(
                file,
                number,
                line["rank"],
                line["workers"],
                line["prefetch"],
                line["batch_bytes"],
                line["batch_tensors"],
                max(sizes, default=None),
            )
        )
    return loaders


def _compare(lines: list[Line]) -> tuple[list[Line], list[tuple[str, str]]]:
    """The findings from the facts of several processes, and the checks that raised, with tracebacks."""
    facts = _facts(lines)
    findings: list[Line] = []
    failed: list[tuple[str, str]] = []
    for name, check in all_checks().items():
        try:
            # One by one: those before an exception stay.
            for finding in check.compare(facts.get(check.facts_of or name, [])):
                findings.append(finding)
        except Exception:
            failed.append((f"the comparison of {name} failed", traceback.format_exc()))
    return findings, failed


def _facts(lines: list[Line]) -> dict[str, list[Fact]]:
    """Entry id -> the facts that its check has noted."""
    guest = import_guest("facts")
    loaders: dict[int, LoaderSummary] = {}
    for line in _of_kind("loader", lines):
        loader = guest.LoaderSummary(
            line["number"],
            line["where"],
            line["pid"],
            line["rank"],
            line["trained"],
            line["evaluated"],
            tuple(line["worker_pids"]),
        )
        loaders.update(dict.fromkeys(loader.worker_pids, loader))
    facts: dict[str, list[Fact]] = {}
    for line in _of_kind("fact", lines):
        pid, rank = line.get("pid", 0), line.get("rank")
        worker_of = loaders.get(pid)
        if rank is None and worker_of:  # a spawned worker does not know the rank that it works for
            rank = worker_of.rank
        facts.setdefault(str(line.get("id")), []).append(
            guest.Fact(line.get("fact", {}), pid, rank, line.get("worker"), worker_of)
        )
    return facts


def _join(reports: list[Line]) -> list[AuditFinding]:
    """One finding for each entry and line, however many processes saw it."""
    groups: dict[tuple[Any, ...], list[Line]] = {}
    for line in reports:
        groups.setdefault((line["id"], *(line.get("where") or ())), []).append(line)
    return [_finding(group) for group in groups.values()]


def _finding(group: list[Line]) -> AuditFinding:
    first = min(group, key=lambda line: _surest_first(line["certainty"]))
    certainty = Certainty(first["certainty"])
    file, number = first.get("where") or (None, None)
    seen_in = list(dict.fromkeys(filter(None, map(_process_name, group))))
    return AuditFinding(
        first["id"],
        certainty,
        first["message"],
        first["fix"],
        file,
        number,
        tuple(seen_in),
        first.get("step"),
        first.get("rank"),
        first.get("worker"),
        first.get("evidence") or {},
    )


def _process_name(line: Line) -> str:
    """The process that wrote a line: "rank 0 worker 1"; "" if it is the only one."""
    return " ".join(f"{name} {line[name]}" for name in ("rank", "worker") if line.get(name) is not None)


def _is_silenced(finding: AuditFinding) -> bool:
    if not finding.file or not finding.line:
        return False
    return is_silenced(finding.id, linecache.getline(finding.file, finding.line))


def _process(journal: list[Line]) -> AuditedProcess:
    def last(kind: str) -> Line:
        return (_of_kind(kind, journal) or [{}])[-1]

    first, end, counts = journal[0], last("end"), last("counts")
    # The rank may be known only later; a worker that was killed has no end.
    latest = counts or end or last("fact") or last("began") or first
    rank = str(latest.get("rank"))
    return AuditedProcess(
        int(first.get("pid") or 0),
        str(first.get("python", "")),
        str(first.get("torch", "")),
        int(rank) if rank.isdigit() else None,
        latest.get("worker"),
        counts.get("counts", {}),
        end.get("seconds"),
        end.get("looked"),
    )
