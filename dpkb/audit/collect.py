"""Joins what all processes of an audited program have written."""

from __future__ import annotations

import json
import linecache
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from dpkb.audit.guest import all_checks
from dpkb.audit.result import CERTAINTIES, AuditedLoader, AuditedProcess, AuditFinding, AuditResult
from dpkb.silence import is_silenced

Line = dict[str, Any]


def collect(folder: Path, ignore: Collection[str] = (), hints: bool = False) -> AuditResult:
    """What the journals in a folder say together."""
    journals = [_read(path) for path in sorted(folder.glob("*.jsonl"))]
    lines = [line for journal in journals for line in journal]
    lines += map(_read_trace, sorted(folder.glob("*.trace")))
    failures = [(str(line.get("what")), str(line.get("why")))
                for line in lines if line.get("kind") == "failure"]
    raw = [line for line in lines if line.get("kind") == "finding"]
    raw += _compare(lines, failures)
    findings = sorted(
        _join(raw), key=lambda f: (CERTAINTIES.index(f.certainty), f.file or "", f.line or 0, f.id))
    spoken = [finding for finding in findings if finding.id not in ignore and not _is_silenced(finding)]
    shown = [finding for finding in spoken if hints or finding.certainty != "hint"]
    return AuditResult(
        findings=shown, silenced=len(findings) - len(spoken), hints=len(spoken) - len(shown),
        processes=[_process(journal) for journal in journals if journal], loaders=_loaders(lines),
        watched={name: check.watches for name, check in all_checks().items() if name not in ignore},
        left_out=sorted({str(line.get("what")) for line in lines if line.get("kind") == "left_out"}),
        failures=sorted(set(failures)))


def _read(path: Path) -> list[Line]:
    """The lines of a journal. The last may be cut, if its process was killed."""
    lines = []
    for text in path.read_text("utf-8", "replace").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict):
            lines.append(line)
    return lines


def _read_trace(path: Path) -> Line:
    """A trace as a fact: each character is a byte."""
    process, check, _ = path.name.split(".")
    return {"kind": "fact", "id": check, "pid": int(process.partition("-")[0]),
            "fact": {"trace": path.read_bytes().decode("latin-1")}}


def _loaders(lines: list[Line]) -> list[AuditedLoader]:
    """The loaders that gave batches, each as it was written last."""
    used = {(line["pid"], line["number"]): line
            for line in lines if line.get("kind") == "loader" and line["batch_bytes"]}
    private = {line.get("pid"): line["private_bytes"] for line in lines if line.get("kind") == "worker"}
    loaders = []
    for line in used.values():
        file, number = line["where"] or (None, None)
        sizes = [private[pid] for pid in line["worker_pids"] if private.get(pid)]
        loaders.append(AuditedLoader(
            file, number, line["rank"], line["workers"], line["prefetch"], line["batch_bytes"],
            line["batch_tensors"], max(sizes, default=None)))
    return loaders


def _compare(lines: list[Line], failures: list[tuple[str, str]]) -> Iterator[Line]:
    loaders: dict[int, Line] = {}
    for line in lines:
        if line.get("kind") == "loader":
            loaders.update(dict.fromkeys(line["worker_pids"], line))
    facts: dict[str, list[Line]] = {}
    for line in lines:
        if line.get("kind") == "fact":
            place = {name: line.get(name) for name in ("rank", "worker", "pid", "step")}
            if place["rank"] is None:  # a spawned worker does not know the rank that it works for
                place["rank"] = loaders.get(line.get("pid", 0), {}).get("rank")
            facts.setdefault(str(line.get("id")), []).append(
                {**line.get("fact", {}), **place, "loader": loaders.get(line.get("pid", 0))})
    for name, check in all_checks().items():
        try:
            yield from check.compare(facts.get(check.facts_of or name, []))
        except Exception:
            import traceback

            failures.append((f"the comparison of {name} ended", traceback.format_exc()))


def _join(raw: list[Line]) -> list[AuditFinding]:
    """One finding for each entry and line, however many processes saw it."""
    groups: dict[tuple[Any, ...], list[Line]] = {}
    for line in raw:
        groups.setdefault((line["id"], *(line.get("where") or ())), []).append(line)
    return [_finding(group) for group in groups.values()]


def _finding(group: list[Line]) -> AuditFinding:
    first = min(group, key=lambda line: CERTAINTIES.index(line["certainty"]))
    file, number = first.get("where") or (None, None)
    places = list(dict.fromkeys(filter(None, map(_place, group))))
    return AuditFinding(first["id"], first["certainty"], first["message"], first["fix"], file, number,
                        tuple(places), first.get("step"), first.get("evidence") or {})


def _place(line: Line) -> str:
    names = [f"{name} {line[name]}" for name in ("rank", "worker") if line.get(name) is not None]
    return " ".join(names)


def _is_silenced(finding: AuditFinding) -> bool:
    if not finding.file or not finding.line:
        return False
    return is_silenced(finding.id, linecache.getline(finding.file, finding.line))


def _process(journal: list[Line]) -> AuditedProcess:
    def last(kind: str) -> Line:
        return next((line for line in reversed(journal) if line.get("kind") == kind), {})

    first, end, counts = journal[0], last("end"), last("counts")
    named = counts or end or last("fact") or last("began") or first
    rank = str(named.get("rank"))
    return AuditedProcess(
        int(first.get("pid") or 0), str(first.get("python", "")), str(first.get("torch", "")),
        int(rank) if rank.isdigit() else None, named.get("worker"),
        counts.get("counts", {}), end.get("seconds"), end.get("looked"))
