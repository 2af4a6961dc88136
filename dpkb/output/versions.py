"""What code needs of its libraries, as text or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpkb.output.terminal import choose_ansi_codes
from dpkb.text import count_of, join_lines, wrap

if TYPE_CHECKING:
    from dpkb.versions.messages import Explanation
    from dpkb.versions.report import PackageReport, Reason, VersionsReport

_MAX_REASONS = 12
BORDERS = "borders are known to the minor release"


def versions_fields(report: VersionsReport, requirements: Sequence[str]) -> dict[str, object]:
    """The JSON fields of `dpkb versions`."""
    python = report.python
    return {
        "packages": [_package_fields(package) for package in report.packages],
        "requirements": list(requirements),
        "python": {
            "needs": f">={python[0]}",
            "file": python[1].file,
            "line": python[1].line,
            "why": python[2],
        }
        if python
        else None,
        "notes": report.notes,
        "unreadable": report.unreadable,
    }


def _package_fields(package: PackageReport) -> dict[str, object]:
    return {
        "name": package.name,
        **({"needs": package.needs} if package.needs else {}),
        "installed": package.installed,
        "ok": package.ok,
        "because": [
            {
                "name": reason.name,
                "file": reason.places[0].file,
                "line": reason.places[0].line,
                **({"cell": reason.places[0].cell} if reason.places[0].cell else {}),
                "first": reason.first,
                "last": reason.last,
                "instead": reason.instead,
                "breaks": reason.breaks,
            }
            for reason in package.because
        ],
    }


def render_versions(
    report: VersionsReport, requirements: Sequence[str], colour: bool, width: int = 100
) -> str:
    """What each package needs to be, the lines that say so, and the newest set that fits."""
    bold, dim, end = choose_ansi_codes(colour)
    lines = []
    for package in report.packages:
        lines.append(f"{bold}{package.name}{end}  {_describe(package)}")
        for reason in package.because[:_MAX_REASONS]:
            lines.append(wrap(f"{reason.places[0]}: {_sentence(reason)}", width, "      "))
            if reason.instead:
                lines.append(
                    f"{dim}{wrap('the library says: ' + join_lines(reason.instead), width, '        ')}{end}"
                )
        if len(package.because) > _MAX_REASONS:
            lines.append(
                f"      and {count_of(len(package.because) - _MAX_REASONS, 'more name')}; all with --json"
            )
    if report.python:
        version, place, why = report.python
        lines.append(f"{bold}Python{end}  {version} or newer: {why} ({place})")
    for note in report.notes:
        lines.append(wrap(note, width, ""))
    if requirements:
        lines += [
            "",
            bold
            + wrap(f"The newest releases that fit together ({BORDERS}):", width, "").replace(
                "together", f"together{end}"
            ),
            *(f"  {r}" for r in requirements),
        ]
    elif report.packages:
        lines += ["", "No set of releases that is known fits all of the code."]
    else:
        lines.append(f"No package with a history is imported in {count_of(report.files, 'file')}.")
    return "\n".join(lines)


def _describe(package: PackageReport) -> str:
    history = package.history
    if not any(package.good):
        text = "no release has all that is used"
    elif package.needs:
        text = f"needs {package.needs}"
    else:
        oldest, newest = history.releases[0].minor, history.releases[-1].minor
        text = f"nothing is known to be missing in {oldest} to {newest}"
    if package.installed:
        state = {
            True: "nothing of this code is known to break",
            False: "this code breaks",
            None: "unknown release",
        }
        text += f"; installed is {package.installed}: {state[package.ok]}"
    elif package.ok is False:
        text += f"; the requirements ask for {package.pinned}: this code breaks"
    return text


def _sentence(reason: Reason) -> str:
    if reason.first and reason.last:
        return f"{reason.name} is there from {reason.first} to {reason.last}"
    if reason.first:
        return f"{reason.name} is there from {reason.first} on"
    if reason.last:
        return f"{reason.name} is there up to {reason.last}"
    if reason.needs:
        return f"{reason.name} is there in {reason.needs}"
    return f"{reason.name} is in no release that is known"


def explanation_fields(explanations: Sequence[Explanation]) -> list[dict[str, object]]:
    """The JSON fields of what the history says of error messages."""
    return [
        {"package": e.package, "name": e.name, "needs": e.needs, "instead": e.instead, "line": e.line}
        for e in explanations
    ]


def render_explanations(explanations: Sequence[Explanation], colour: bool, width: int = 100) -> str:
    """What the history of the libraries says of error messages."""
    bold, dim, end = choose_ansi_codes(colour)
    lines = []
    for explanation in explanations:
        needs = f"{explanation.package}{explanation.needs}"
        line = f"{bold}{explanation.name}{end} is in {needs} ({BORDERS})"
        lines.append(
            wrap(
                f"{line}: the code and the installed {explanation.package} are of different versions.",
                width,
                "",
            )
        )
        if explanation.instead:
            lines.append(
                f"{dim}{wrap('the library says: ' + join_lines(explanation.instead), width, '      ')}{end}"
            )
    lines.append(f"{dim}Everything else that this code needs: dpkb versions PATH{end}")
    return "\n".join(lines)
