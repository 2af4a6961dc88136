"""The findings of lint as text, JSON, SARIF or commands for GitHub Actions."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections import Counter
from urllib.parse import quote

from dpkb import __version__
from dpkb.lint.finding import Certainty, Edit, Finding
from dpkb.lint.fix import is_fixable
from dpkb.lint.run import LintResult
from dpkb.output.documents import find_site, finding_fields, url_fields
from dpkb.output.terminal import choose_ansi_codes
from dpkb.text import count_of, escape_controls, join_lines, wrap

_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_INDENT = "    "
# Red, yellow and blue.
_COLOURS = {Certainty.CERTAIN: "\x1b[31m", Certainty.LIKELY: "\x1b[33m", Certainty.HINT: "\x1b[34m"}
_LEVELS = {Certainty.CERTAIN: "error", Certainty.LIKELY: "warning", Certainty.HINT: "note"}


def render_lint(result: LintResult, hints: bool, colour: bool, width: int = sys.maxsize) -> str:
    """The findings with their lines, and a summary. hints: whether hints were looked for in every file."""
    bold, dim, end = choose_ansi_codes(colour)
    lines = []
    for finding in result.findings:
        severity = _COLOURS[finding.certainty] if colour else ""
        code, *marks = _render_excerpt(finding, min(width - 7, 110))
        lines += [
            bold
            + wrap(_render_concise(finding), width, _INDENT)
            .strip()
            .replace(f" {finding.id}", f"{severity} {finding.id}{end}", 1),
            f"{dim}{code}{end}",
            *(f"{severity}{mark}{end}" for mark in marks),
            wrap(f"fix: {join_lines(finding.fix, 300)}", width, _INDENT),
            "",
        ]
    return "\n".join([*lines, wrap(_render_summary(result, hints), width, "")])


def render_lines(result: LintResult) -> str:
    """Each finding on one line."""
    return "\n".join(map(_render_concise, result.findings))


def _render_concise(finding: Finding) -> str:
    message = join_lines(finding.message, 300)
    return f"{format_position(finding)}: {finding.id} {finding.certainty.value}: {message}"


def format_position(finding: Finding) -> str:
    """The place of a finding as file:line:column; in a notebook, with the number of the cell."""
    cell = f" cell {finding.cell}:" if finding.cell else ":"
    return f"{join_lines(finding.file)}{cell}{finding.line}:{finding.column}"


def _render_excerpt(finding: Finding, width: int) -> list[str]:
    """The source line with its number, and a line under what is meant."""
    excerpt = join_lines(finding.source_line, width)
    start, end = (
        len(join_lines(finding.source_line[: column - 1] + "^")) - 1
        for column in (finding.column, max(finding.end_column, finding.column + 1))
    )
    number = f"{finding.line:3}"
    mark = "^" * (min(end, len(excerpt)) - start)
    return [f"{number} | {excerpt}", *([f"{' ' * len(number)} | {' ' * start}{mark}"] if mark else [])]


def _render_summary(result: LintResult, hints: bool) -> str:
    unread = f"; {len(result.unreadable)} not read" if result.unreadable else ""
    unread += f"; {count_of(len(result.failures), 'failure')} of dpkb" if result.failures else ""
    if not result.files:
        return f"no file was linted{unread}"
    files = count_of(result.files, "file")
    notes = unread + (f"; {result.silenced} silenced by comments" if result.silenced else "")
    if not result.findings:
        more = "" if hints else "; --hints looks for more"
        return f"nothing found in {files}{notes}{more}"
    ids = sorted({finding.id for finding in result.findings})
    where = len({finding.file for finding in result.findings})
    sure, all_ = (sum(is_fixable(finding, unsafe) for finding in result.findings) for unsafe in (False, True))
    fixes = (f"; --fix corrects {sure}" if sure else "") + (
        f"; --fix --unsafe-fixes corrects {all_}" if all_ > sure else ""
    )
    return (
        f"{count_of(len(result.findings), 'finding')} in {where} of {files}{notes}{fixes}. "
        f"To read more: dpkb show {ids[0]}"
    )


def render_statistics(result: LintResult) -> str:
    """How many findings each entry has, most first."""
    counts = Counter((finding.id, finding.certainty.value) for finding in result.findings)
    rows = [f"{number:6} {rule:5} {certainty}" for (rule, certainty), number in counts.most_common()]
    return "\n".join([*rows, f"{len(result.findings):6} in {count_of(result.files, 'file')}"])


def render_rule(rule_id: str) -> str:
    """A rule's entry, and the code that the rule looks for."""
    from dpkb.lint.rules import all_rules

    rule = all_rules()[rule_id]
    return f"{rule.summary}\nLooks for: {rule.looks_for}\nMore: dpkb show {rule_id}"


def render_github_commands(result: LintResult) -> str:
    """The commands with which GitHub Actions annotates the lines of a pull request."""
    lines = []
    for finding in result.findings:
        level = {"error": "error", "warning": "warning", "note": "notice"}[_LEVELS[finding.certainty]]
        line, column = _find_place_in_file(finding)
        lines.append(
            f"::{level} file={_escape_property(finding.file)},line={line},col={column},"
            f"title={finding.id}::{_escape_text(_render_annotation(finding))}"
        )
    return "\n".join(lines)


def _find_place_in_file(finding: Finding) -> tuple[int, int]:
    """Line and column; for a notebook the start of its file, since the message names the cell and line."""
    return (1, 1) if finding.cell else (finding.line, finding.column)


def _render_annotation(finding: Finding) -> str:
    where = f"cell {finding.cell}, line {finding.line}: " if finding.cell else ""
    more = "".join(f". More: {address}" for address in url_fields(finding.id).values())
    return f"{where}{finding.message}. Fix: {finding.fix}{more}"


def _escape_text(text: str) -> str:
    return escape_controls(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _escape_property(text: str) -> str:
    return _escape_text(text).replace(":", "%3A").replace(",", "%2C")


def lint_fields(result: LintResult, titles: dict[str, str]) -> dict[str, object]:
    """The JSON fields of `dpkb lint`."""
    return {
        "findings": [_finding_fields(finding, titles) for finding in result.findings],
        "files": result.files,
        "silenced": result.silenced,
        "unreadable": dict(result.unreadable),
        "failures": [
            {"file": failure.file, "rule": failure.rule, "error": failure.error}
            for failure in result.failures
        ],
    }


def _finding_fields(finding: Finding, titles: dict[str, str]) -> dict[str, object]:
    where: dict[str, object] = {"file": finding.file, "line": finding.line, "column": finding.column}
    if finding.end_column:
        where["end_column"] = finding.end_column
    if finding.cell:
        where["cell"] = finding.cell
    return finding_fields(
        finding.id,
        titles.get(finding.id, ""),
        finding.certainty,
        finding.message,
        finding.fix,
        where,
        [{"line": finding.source_line.strip()}],
    )


def render_sarif(result: LintResult, titles: dict[str, str]) -> str:
    """The findings as a log in SARIF 2.1.0."""
    ids = sorted({finding.id for finding in result.findings})
    rules = [_sarif_rule_fields(rule, titles.get(rule) or rule) for rule in ids]
    results = [_sarif_result_fields(finding, ids.index(finding.id)) for finding in result.findings]
    # SARIF requires both versions. Neither is the version of the JSON documents of dpkb.
    driver: dict[str, object] = dict(name="dpkb", version=__version__, rules=rules)
    if find_site():
        driver["informationUri"] = find_site()
    log: dict[str, object] = dict(version="2.1.0", runs=[{"tool": {"driver": driver}, "results": results}])
    return json.dumps({"$schema": _SARIF_SCHEMA, **log}, indent=2, ensure_ascii=True)


def _sarif_rule_fields(rule_id: str, title: str) -> dict[str, object]:
    address = url_fields(rule_id).get("url")
    more = f"[{rule_id}]({address})" if address else rule_id
    return {
        "id": rule_id,
        "shortDescription": {"text": title},
        "help": {"text": f"dpkb show {rule_id}", "markdown": f"**{title}**\n\n{more}: `dpkb show {rule_id}`"},
        **({"helpUri": address} if address else {}),
    }


def _sarif_result_fields(finding: Finding, rule_index: int) -> dict[str, object]:
    place = {"artifactLocation": _artifact_fields(finding), "region": _region_fields(finding)}
    return {
        "ruleId": finding.id,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.certainty],
        "message": {"text": _render_annotation(finding)},
        "locations": [{"physicalLocation": place}],
        # Survives a change of the lines above.
        "partialFingerprints": {"dpkbLine/v1": _hash_line(finding)},
        **_sarif_fix_fields(finding),
    }


def _hash_line(finding: Finding) -> str:
    line = f"{finding.id} {finding.cell} {finding.source_line.strip()}"
    return hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _artifact_fields(finding: Finding) -> dict[str, str]:
    return {"uri": quote(os.fsencode(finding.file).replace(b"\\", b"/"))}


def _region_fields(finding: Finding) -> dict[str, int]:
    line, column = _find_place_in_file(finding)
    # SARIF counts in UTF-16 units.
    wide = sum(character > "\uffff" for character in finding.source_line[: column - 1])
    if finding.cell or not finding.end_column:
        return {"startLine": line, "startColumn": column + wide}
    within = sum(
        character > "\uffff" for character in finding.source_line[column - 1 : finding.end_column - 1]
    )
    return {
        "startLine": line,
        "startColumn": column + wide,
        "endColumn": finding.end_column + wide + within,
    }


def _sarif_fix_fields(finding: Finding) -> dict[str, object]:
    """The correction that `dpkb lint --fix` would write."""
    if finding.rewrite is None or not is_fixable(finding, unsafe=False):
        return {}
    replacements = [_replacement_fields(edit) for edit in finding.rewrite.edits]
    change = {"artifactLocation": _artifact_fields(finding), "replacements": replacements}
    return {"fixes": [{"description": {"text": finding.fix}, "artifactChanges": [change]}]}


def _replacement_fields(edit: Edit) -> dict[str, object]:
    start, end = edit.utf16_columns
    region = {
        "startLine": edit.start[0],
        "startColumn": start + 1,
        "endLine": edit.end[0],
        "endColumn": end + 1,
    }
    return {"deletedRegion": region, "insertedContent": {"text": edit.text}}
